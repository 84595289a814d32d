package chat

import (
	"context"
	"math"
	"time"

	"tengen/game"
	"tengen/game/venue"
)

// Kind is what a member did.
type Kind uint8

// The kinds.
const (
	Slash       Kind = iota + 1 // a slash command
	UserMenu                    // a command from a member's context menu
	MessageMenu                 // a command from a message's context menu
	Press                       // a button
	Choose                      // a select
	Submit                      // a form
	Complete                    // typing in an option with autocomplete
	Entry                       // the application's entry point, which opens its Activity
	Said                        // a message of a member that speaks to the bot; it has no token
)

func (k Kind) String() string {
	return [...]string{"", "slash", "user menu", "message menu", "press", "choose", "submit", "complete", "entry",
		"said"}[k]
}

// Component reports whether the interaction came from a message of ours.
func (k Kind) Component() bool { return k == Press || k == Choose }

// Request is an interaction as plain data. Discord's own types stay in the adapter's decoder.
type Request struct {
	ID     uint64
	Token  string
	Kind   Kind
	At     time.Time // when the member acted, from the id
	Name   string    // the command, subcommand included: "play bot"; a menu's name
	Custom string    // of a component or form
	By     game.MemberID
	Place  venue.Place // Server 0: direct messages
	Thread bool        // Place.Channel is a thread
	Parent uint64      // the channel that the thread is in; 0: not known
	News   bool        // Place.Channel is an announcement channel
	Newest uint64      // the newest message of the channel when the member acted; 0: not known

	Locale       string // the member's
	ServerLocale string // the server's; empty outside servers

	Direct    bool     // a direct message with the bot or a group, not a server
	Alone     bool     // the direct messages of the bot with the member, where nobody else is
	Installed bool     // the bot is in this place: it may send without an interaction
	Manages   bool     // the member may manage messages here
	Governs   bool     // the member may manage the server
	Roles     []uint64 // of the member in the server, without the one that everybody has
	Allowed   Permissions
	Launches  bool // the application's Activity can be opened, and the member may do that here

	Options map[string]Option // of a command; Submit: what the fields were filled in with
	Focused string            // Complete: the option being typed
	Values  []string          // Choose
	Private bool              // the pressed message is seen by the member alone
	// of Press, Choose, and Submit from a component: the message; of MessageMenu: the target; of Said: the one it
	// replies to
	Message uint64

	Target MemberTarget // UserMenu, and Choose of a member
	Loaded LoadedText   // MessageMenu: the target's text and files; Press and Choose: the files of the message
	Said   string       // of Said: the text without the mention of the bot; empty where it is longer than LongestSaid
	Called bool         // of Said: its text mentions the bot, or it is in the bot's direct messages
}

// Permissions are what the bot may do in the place of a request.
type Permissions struct {
	View, Send, SendInThreads, Embed, Attach, CreateThreads bool
	Read                                                    bool // what was posted before
	List                                                    bool // events of the server
	// External: all may see the bot's answers in a server that the bot is not in. Without it
	// Discord shows them to the member alone.
	External bool
}

// Option is the value of an option; which field is set depends on the option's type.
type Option struct {
	Text    string // while the member types: the raw text of any option
	Number  int64
	Yes     bool
	Member  MemberTarget
	File    FileTarget
	Channel uint64
	Role    uint64
}

// MemberTarget is a member that an option or a menu names.
type MemberTarget struct {
	ID  game.MemberID
	Bot bool
	Own bool // it is this bot
}

// FileTarget is a file that a member attached, with the address at which Discord keeps it.
type FileTarget struct {
	Name string
	URL  string
	Size int64
}

// Fetcher fetches a file that a member attached.
type Fetcher func(ctx context.Context, f FileTarget) ([]byte, error)

// LargestFile is the size of the largest file that is fetched.
const LargestFile = 256 << 10

// LongestSaid is the length of the longest text that an adapter hands on as Said, in bytes. It is enough for a
// point, or a word, however it is written.
const LongestSaid = 32

// LoadedText is a message that a member pointed at.
type LoadedText struct {
	Text  string
	Files []FileTarget
}

// Text is the text of an option, or the default where it was not given.
func (r Request) Text(name, or string) string {
	if o, ok := r.Options[name]; ok && o.Text != "" {
		return o.Text
	}
	return or
}

// Number is the number of an option, or the default where it was not given.
func (r Request) Number(name string, or int) int {
	if o, ok := r.Options[name]; ok {
		return int(min(max(o.Number, math.MinInt), math.MaxInt))
	}
	return or
}

// Yes is the truth of an option, or the default where it was not given.
func (r Request) Yes(name string, or bool) bool {
	if o, ok := r.Options[name]; ok {
		return o.Yes
	}
	return or
}

// TokenLife is how long an interaction's token is valid, less a minute to be safe.
const TokenLife = 14 * time.Minute

// Ticket is the right to answer the request.
func (r Request) Ticket() Ticket { return Ticket{r.ID, r.Token} }
