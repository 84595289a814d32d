// Package chat is the contract between conversations and a chat: what a member asks
// (Request), what they are answered (Message, Answer), and the two sides that speak so:
// a Handler, which the bot is, and a Chat, which the adapter to Discord is. Nothing in it
// knows a game, a command or the wire. Start from Handler.
package chat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Chat is what the bot needs of Discord. The adapter (bot/discord) is one, tests have
// another. All methods obey ctx and give an *Error where Discord refused.
//
// Discord gives up on an interaction after three seconds. Where the handler has not
// answered after a second and a half, the adapter's watchdog acknowledges in its stead
// (a press invisibly, a command by a private "is thinking"), and a later Answer is
// carried out as far as that leaves open:
//
//	press, form of a message: Replace edits the message, Say is a follow-up of its own,
//	    DeferPress does nothing: all succeed. Ask gives Answered.
//	command: a private Say takes the place of "is thinking"; DeferSay does nothing.
//	    A public Say cannot (what was promised privately stays private) and gives
//	    Answered with Code 0: the bot sends the board by a message of its own, by the
//	    channel where it is installed, else by a follow-up with the token.
//
// Answered with any other code means that another process has answered: nothing more
// is to be shown by this one. "Is thinking" is never left behind: the adapter puts a
// short line in its place before the first follow-up, or when the handler returns.
type Chat interface {
	// Answer answers an interaction, once. It gives the id of the message that the answer
	// made or changed, zero where there is none (or where it is not known: an answer that
	// had to be repeated).
	Answer(ctx context.Context, t Ticket, a Answer) (message uint64, err error)
	// Send posts or edits a message by the way that to names and gives its id.
	Send(ctx context.Context, to To, m Message) (message uint64, err error)
	// Delete takes a message away.
	Delete(ctx context.Context, to To) error
	// Thread opens a public thread in a channel and gives its channel id.
	Thread(ctx context.Context, channel uint64, name string) (uint64, error)
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
	Ask                              // open the modal
	Offer                            // autocomplete
)

// Answer is an answer to an interaction.
type Answer struct {
	Kind    AnswerKind
	Message Message
	Modal   Modal
	Choices []Choice
}

// To says where a message goes: by an interaction's token, or by the bot's own. With
// Message it is an edit.
type To struct {
	Token    string // by this token: a follow-up, or an edit of what was sent by it
	Original bool   // with Token: edit the interaction's own answer
	Channel  uint64 // without Token
	Message  uint64
	Nonce    string // of a new message in a channel: Discord sends it once
}

// Trouble says what became of a call.
type Trouble uint8

// The troubles. Each asks for something else to be done.
const (
	Failed   Trouble = iota + 1 // network, 5xx or a time-out: whether it was done is not known
	Busy                        // rate limited: not before After
	Gone                        // the message is not there any more
	NoPlace                     // the channel or thread is not there any more, or out of sight
	Locked                      // archived or locked thread, missing permission, closed direct messages
	TooOld                      // too old to be edited again and again
	Lapsed                      // the interaction or its token is no longer good
	Answered                    // the interaction was already answered
	Refused                     // Discord found the body wrong: a mistake of ours
)

func (t Trouble) String() string {
	return [...]string{"", "failed", "busy", "gone", "no place", "locked", "too old", "lapsed", "answered", "refused"}[t]
}

// Error is a call that Discord did not do. Its text holds no token.
type Error struct {
	Trouble Trouble
	Code    int // Discord's own code, or the HTTP status
	After   time.Duration
	Text    string

	Unsent bool // it certainly did not reach Discord
}

func (e *Error) Error() string {
	return fmt.Sprintf("discord: %v (%d): %s", e.Trouble, e.Code, e.Text)
}

// TroubleOf is what err says of a call; Failed for errors of any other kind.
func TroubleOf(err error) Trouble {
	var e *Error
	if errors.As(err, &e) {
		return e.Trouble
	}
	return Failed
}

// Handler takes one decoded interaction. It must answer it in time; it never panics.
type Handler interface {
	// Handle answers r. Its remark is a word on the outcome for the one line that the log
	// has of r, such as "refused"; never what a member wrote.
	Handle(ctx context.Context, r Request) (remark string)
	// Spoken names what r asks for, for the log: never what a member typed.
	Spoken(r Request) string
	// Joined and Left tell that the bot came to a server or was removed from it.
	Joined(ctx context.Context, server uint64)
	Left(ctx context.Context, server uint64)
	// Present tells in which servers the bot is, of those that satisfy mine (those of one
	// connection): what came and went while nobody was connected is heard of in no other way.
	// A server that has an outage is among them.
	Present(ctx context.Context, servers []uint64, mine func(server uint64) bool)
	// ChannelGone tells that a channel or thread was deleted.
	ChannelGone(ctx context.Context, p Place)
}
