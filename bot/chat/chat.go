// Package chat is the contract between the bot and a chat service: what a member asks (Request), what
// the member is answered (Message, Answer), and the two sides. The bot is a Handler, and the
// adapter to Discord is a Chat. The package knows no games, no commands and no wire. Start from
// Handler.
package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/venue"
)

// Chat is what the bot needs of Discord. The adapter (bot/discord) is one, and tests have others. All
// methods obey ctx, and give an *Error where Discord refused.
//
// Discord gives up on an interaction after three seconds. When the handler has not answered after
// a second and a half, the adapter's watchdog acknowledges in its place: a press invisibly, a
// command by a private "is thinking". A later Answer is then carried out as far as possible:
//
//	press, form of a message: Replace edits the message, Say is a follow-up, and DeferPress
//	    does nothing. All of them succeed. Ask gives Answered.
//	command: a private Say takes the place of "is thinking"; DeferSay does nothing. A public
//	    Say cannot take that place, since Discord keeps the answer private. It gives Answered
//	    with Code 0, and the bot sends the board as a message of its own: by the channel where
//	    the bot is installed, else as a follow-up by the token.
//
// Answered with any other code means that another process has answered, and this one must show
// nothing more. "Is thinking" never stays: the adapter replaces it by a short line before the
// first follow-up, or when the handler returns.
type Chat interface {
	// Answer answers an interaction, once. It gives the id of the message that the answer made or
	// changed. That is zero where there is no message, and where the id is not known because
	// the answer had to be repeated.
	Answer(ctx context.Context, t Ticket, a Answer) (message uint64, err error)
	// Launch answers an interaction by opening the application's Activity for the member (Request.Launches). It
	// gives the instance that they have joined, which is empty where Discord's reply was lost. On any error the
	// interaction may be answered otherwise, unless that error is Answered or Lapsed.
	Launch(ctx context.Context, t Ticket) (instance string, err error)
	// Send posts or edits a message by the way that to names and gives its id.
	Send(ctx context.Context, to To, m Message) (message uint64, err error)
	// Find gives the message of the bot's own in a channel that bears a mark (Message.Mark) and
	// was sent soon after since; zero where there is none. The bot must be allowed to read
	// what was posted there (Permissions.Read). An error that is not temporary says that it cannot.
	Find(ctx context.Context, channel uint64, mark uint32, since time.Time) (message uint64, err error)
	// Delete deletes a message.
	Delete(ctx context.Context, to To) error
	// Thread opens a public thread in a channel and gives its channel id.
	Thread(ctx context.Context, in ThreadPlace, name string) (uint64, error)
	// Parent gives the channel that a thread is in; zero for a channel that is no thread.
	Parent(ctx context.Context, channel uint64) (uint64, error)
	// Direct gives the channel of the bot's direct messages with a member. It opens them where there are none yet.
	Direct(ctx context.Context, member game.MemberID) (uint64, error)
	// Enter adds a member to a thread, which then stands in the member's list of channels. A member
	// who is there already is no error.
	Enter(ctx context.Context, thread uint64, member game.MemberID) error
	// List makes a listing in a server (ID 0), or changes it, and gives its id. In a change, what is zero
	// stays as it is.
	List(ctx context.Context, server uint64, l Listing) (uint64, error)
	// Listings are the bot's own listings of a server that are ahead or under way.
	Listings(ctx context.Context, server uint64) ([]Listing, error)
	// Unlist deletes a listing.
	Unlist(ctx context.Context, server, id uint64) error
	// In reports whether the bot is in a server. An error says that Discord did not tell.
	In(ctx context.Context, server uint64) (bool, error)
	// Leave leaves a server. One in which the bot is not is no error.
	Leave(ctx context.Context, server uint64) error
}

// ThreadPlace is a channel in which a thread is to be opened.
type ThreadPlace struct {
	Channel uint64
	News    bool // an announcement channel, whose threads are of a kind of their own
}

// Ticket is the right to answer one interaction.
type Ticket struct {
	ID    uint64
	Token string
}

// AnswerKind is how an interaction is answered.
type AnswerKind uint8

// The kinds.
const (
	Say        AnswerKind = iota + 1 // a new message
	Replace                          // the pressed message changes
	DeferSay                         // a private "is thinking", to be edited by token
	DeferPress                       // nothing visible
	Ask                              // open the form
	Offer                            // autocomplete
)

// Answer is what the bot answers. Its Kind says which of the other fields count.
type Answer struct {
	Kind    AnswerKind
	Message Message
	Form    Form
	Choices []Choice
	Itself  bool // with Say: no follow-up is sent where the interaction was acknowledged before
}

// To says where a message goes: by an interaction's token, or by the bot's own. With Message it is an
// edit of that message.
type To struct {
	Token    string // an interaction's: for a follow-up, or an edit of what was sent by it
	Original bool   // with Token: edit the interaction's own answer
	Channel  uint64 // without Token; with one, the place where it is known: a thread is woken for it
	Server   uint64 // of Channel; 0: none, or it is not known
	Message  uint64
	Nonce    string // of a new message in a channel: Discord posts one message for it
}

// Trouble says why a call failed.
type Trouble uint8

// The troubles. Each asks for a different reaction.
const (
	Failed   Trouble = iota + 1 // network, 5xx or a time-out: Discord may have made the call or not
	Busy                        // rate limited: not again before After
	Gone                        // the message does not exist any more
	NoPlace                     // the channel or thread does not exist any more, or the bot cannot see it
	Locked                      // archived or locked thread, missing permission, closed direct messages
	TooOld                      // too old to be edited again and again
	Lapsed                      // the interaction or its token has expired
	Answered                    // the interaction was already answered
	Refused                     // Discord does not accept the body: our mistake
)

func (t Trouble) String() string {
	return [...]string{"", "failed", "busy", "gone", "no place", "locked", "too old", "lapsed", "answered", "refused"}[t]
}

// Error is a failed call to Discord. Its text holds no token.
type Error struct {
	Trouble Trouble
	Code    int // Discord's own code, or the HTTP status
	After   time.Duration
	Text    string

	Unsent   bool // it certainly did not reach Discord
	Archived bool // the thread is archived: text is refused like files
}

func (e *Error) Error() string {
	return fmt.Sprintf("discord: %v (%d): %s", e.Trouble, e.Code, e.Text)
}

// Temporary reports whether the same call may succeed later.
func (t Trouble) Temporary() bool { return t == Failed || t == Busy }

// TroubleOf is the trouble of an *Error, and Failed for any other error.
func TroubleOf(err error) Trouble {
	var e *Error
	if errors.As(err, &e) {
		return e.Trouble
	}
	return Failed
}

// Temporary reports whether a call that failed with err may go well later. A call that did not fail gives false.
func Temporary(err error) bool { return err != nil && TroubleOf(err).Temporary() }

// Handler handles decoded interactions, and hears the news of servers and channels.
type Handler interface {
	// Handle answers r, in time. Its remark is a word on the outcome for the log line of r, such as
	// "refused"; it never holds what a member wrote.
	Handle(ctx context.Context, r Request) (remark string)
	// Spoken names what r asks for, for the log. It never holds what a member typed.
	Spoken(r Request) string
	// Joined and Removed tell that the bot came to a server, or was removed from it. Discord itself
	// has said so, of this server.
	Joined(ctx context.Context, server uint64)
	// Came tells that the bot has just come to a server (Arrival.Fresh), as far as Discord says when. It may tell
	// so more than once, and of a server that Present has listed.
	Came(ctx context.Context, a Arrival)
	Removed(ctx context.Context, server uint64)
	// Missed tells of servers that a list of Discord's lacks. The list may be wrong: ask (Chat.In).
	Missed(ctx context.Context, servers []uint64)
	// Present lists the servers that the bot is in, among those that satisfy mine (the servers of one
	// connection, or of several). Only Present tells of servers that came and went while nobody was
	// connected. It lists servers with an outage too. A server that it lacks is missed.
	Present(ctx context.Context, servers []uint64, mine func(server uint64) bool)
	// ChannelGone tells that a channel or thread was deleted.
	ChannelGone(ctx context.Context, p venue.Place)
}

// Arrival is the bot's coming to a server.
type Arrival struct {
	Server  uint64
	At      time.Time // when the bot became a member
	Notices uint64    // the channel that the server has named for Discord's notices, such as who has joined; 0: none
	Locale  string    // the server's
}

// justCame is how long ago the bot came to a server where it has just come.
const justCame = 10 * time.Minute

// Fresh reports whether the bot has just come. A clock that is a little behind Discord's changes nothing.
func (a Arrival) Fresh(now time.Time) bool { return now.Sub(a.At).Abs() < justCame }

// Tell answers r with a new message for the asking member alone. One that others see is the host's to post
// (host.Post), which asks whether the server wants it here.
func Tell(ctx context.Context, c Chat, r Request, m Message) error {
	m.Private = true
	_, err := c.Answer(ctx, r.Ticket(), Answer{Kind: Say, Message: m})
	return err
}

// Edit answers r with m in place of the message whose button was pressed.
func Edit(ctx context.Context, c Chat, r Request, m Message) error {
	_, err := c.Answer(ctx, r.Ticket(), Answer{Kind: Replace, Message: m})
	return err
}

// Reply answers r with m: in place of the private message whose button was pressed, else as a new one for the
// asking member alone.
func Reply(ctx context.Context, c Chat, r Request, m Message) error {
	if r.Kind.Component() && r.Private {
		return Edit(ctx, c, r, m)
	}
	return Tell(ctx, c, r, m)
}
