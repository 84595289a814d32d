package standin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// World is what a test or a page can do with a stand-in: act as its members,
// read what they see, and change the place. A Server has one, and so has a
// Client of a stand-in in another process.
type World struct {
	do func(context.Context, Action) (Result, error)
	t  TB // never nil
}

// silent stands in for a test where there is none.
type silent struct{}

func (silent) Helper()               {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}
func (silent) Logf(string, ...any)   {}
func (silent) Cleanup(func())        {}

// Action is one thing done in the world, as plain data. Do is one of
//
//	slash, type, press, choose, submit, user-menu, message-menu    the bot is used; Result.Answer
//	say, delete-message                                            a member's own messages
//	see, wait, messages, places, commands, people, pings           what a member sees
//	member, install, locale, close-dms, status, moderate, role     who a member is
//	server, add-guild, add-channel, add-thread, system-channel, delete-channel, archive, lock, deny, allow, permit
//	kick-bot, invite-bot, outage, drop, reconnect, invalidate, close, forget, ready, advance, plan, replay, endpoint,
//	events
//	open-activity, close-activity, launch, authorize, activities   the Activity; Result.Text
//	calls, violations, stats
//
// with the fields that the method of World or Member for it uses. Without a
// member, see and messages give everything, private messages too.
type Action struct {
	Do      string   `json:"do"`
	As      string   `json:"as,omitempty"`      // a member's name
	At      string   `json:"at,omitempty"`      // a place, or the id of a message
	Name    string   `json:"name,omitempty"`    // command line, label or custom id, channel or server name
	Options []Value  `json:"options,omitempty"` // of a command or form
	Values  []string `json:"values,omitempty"`  // chosen in a select
	// member or message that a menu command is used on; say: the message that is replied to
	Target string        `json:"target,omitempty"`
	Text   string        `json:"text,omitempty"`
	Files  []File        `json:"files,omitempty"`
	Modal  string        `json:"modal,omitempty"`  // interaction that opened the form
	Permit uint64        `json:"permit,omitempty"` // permission bits
	For    time.Duration `json:"for,omitempty"`    // how long
	// sessions that ready waits for; outgrow: shards; newest messages that see shows, 0: all
	Count  int   `json:"count,omitempty"`
	NoWait bool  `json:"no_wait,omitempty"` // do not wait for the answer
	Plan   *Plan `json:"plan,omitempty"`

	CloseCode int  `json:"close_code,omitempty"` // of close
	Raw       bool `json:"raw,omitempty"`        // press: although the message shows no such button (any more)
	Gone      bool `json:"gone,omitempty"`       // wait: until the text is gone
	Silent    bool `json:"silent,omitempty"`     // say: the reply does not mention whom it answers
	WithBot   bool `json:"with_bot,omitempty"`   // add-guild: the bot is in the server
	Down      bool `json:"down,omitempty"`       // outage: begin it; without, end it
	News      bool `json:"news,omitempty"`       // add-channel: an announcement channel
	Resumable bool `json:"resumable,omitempty"`  // invalidate: the bot may resume the session
}

// Value is an option of a command or a field of a form with its value.
type Value struct {
	Name  string `json:"name"`
	Value any    `json:"value,omitempty"`
	File  *File  `json:"file,omitempty"`
}

// File is a file that a member attaches.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// Result is what an Action gave.
type Result struct {
	Answer     *Answer     `json:"answer,omitempty"`
	Messages   []Message   `json:"messages,omitempty"`
	Text       string      `json:"text,omitempty"`
	Commands   []Command   `json:"commands,omitempty"`
	Places     []Place     `json:"places,omitempty"`
	Calls      []Call      `json:"calls,omitempty"`
	Violations []Violation `json:"violations,omitempty"`
	Stats      *Stats      `json:"stats,omitempty"`
	People     []User      `json:"people,omitempty"`
	IDs        []string    `json:"ids,omitempty"` // of people: who is away
	Scheduled  []Scheduled `json:"scheduled,omitempty"`
}

// Place is a channel, thread or direct message that a member sees.
type Place struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // as At takes it
	Guild  string `json:"guild,omitempty"`
	Type   int    `json:"type"`
	Parent string `json:"parent,omitempty"`
}

// Answer is how the bot answered an interaction.
type Answer struct {
	Interaction string        `json:"interaction"`
	Type        int           `json:"type"`              // of the callback; 0: none
	Message     *Message      `json:"message,omitempty"` // as it was right after the answer
	Modal       *Modal        `json:"modal,omitempty"`
	Choices     []Choice      `json:"choices,omitempty"`
	Instance    string        `json:"instance,omitempty"` // of the Activity that the answer has opened
	Failed      string        `json:"failed,omitempty"`   // why there is no answer
	Took        time.Duration `json:"took"`               // from the gateway frame written to the callback received

	by *Member
}

// errRefused is what the client or Discord would not let a member do.
var errRefused = errors.New("refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, args...))
}

// Refused reports whether an error means that Discord or its client would not
// let the member do this.
func Refused(err error) bool { return errors.Is(err, errRefused) }

// run does an action and fails the test when it cannot be done.
func (w *World) run(a Action) Result {
	w.t.Helper()
	r, err := w.do(context.Background(), a)
	if err != nil {
		w.t.Fatalf("stand-in: %s: %v", a.Do, err)
	}
	return r
}

// Act does any action; the methods of World and Member are written with it.
func (w *World) Act(ctx context.Context, a Action) (Result, error) { return w.do(ctx, a) }

// Member gives the member of that name. A name heard for the first time is a
// new member of every server.
func (w *World) Member(name string) *Member {
	w.run(Action{Do: "member", As: name})
	return &Member{Name: name, w: w}
}

// AddGuild opens a server with channels; bot says whether the bot is in it.
func (w *World) AddGuild(name string, bot bool, channels ...string) {
	w.t.Helper()
	w.run(Action{Do: "add-guild", Name: name, Values: channels, WithBot: bot})
}

// ServerID is the id of a server ("" is the first).
func (w *World) ServerID(name string) string {
	w.t.Helper()
	return w.run(Action{Do: "server", Name: name}).IDs[0]
}

// AddChannel opens a channel: "#name", or "Club#name".
func (w *World) AddChannel(place string) { w.run(Action{Do: "add-channel", At: place}) }

// AddNewsChannel opens an announcement channel.
func (w *World) AddNewsChannel(place string) {
	w.run(Action{Do: "add-channel", At: place, News: true})
}

// SystemChannel makes a channel the one in which its server has Discord's notices.
func (w *World) SystemChannel(place string) { w.run(Action{Do: "system-channel", At: place}) }

// DeleteChannel deletes a channel or thread, as a moderator does.
func (w *World) DeleteChannel(place string) { w.run(Action{Do: "delete-channel", At: place}) }

// DeleteMessage deletes a message, as a moderator does.
func (w *World) DeleteMessage(id string) { w.run(Action{Do: "delete-message", At: id}) }

// Archive archives a thread, as a moderator does.
func (w *World) Archive(place string) { w.run(Action{Do: "archive", At: place}) }

// Lock archives and locks a thread.
func (w *World) Lock(place string) { w.run(Action{Do: "lock", At: place}) }

// KickBot removes the bot from a server ("" is the first).
func (w *World) KickBot(guild string) { w.run(Action{Do: "kick-bot", Name: guild}) }

// InviteBot adds the bot to a server. Where the bot is there already, the server authorizes it once more.
func (w *World) InviteBot(guild string) { w.run(Action{Do: "invite-bot", Name: guild}) }

// Outage makes a server unavailable to the bot, as Discord does when parts of
// it are down, or ends that.
func (w *World) Outage(guild string, down bool) {
	w.run(Action{Do: "outage", Name: guild, Down: down})
}

// Deny takes permissions from someone ("bot", "everyone" or a member) in a
// channel.
func (w *World) Deny(place, who string, perms uint64) {
	w.run(Action{Do: "deny", At: place, Target: who, Permit: perms})
}

// Allow gives permissions to someone in a channel.
func (w *World) Allow(place, who string, perms uint64) {
	w.run(Action{Do: "allow", At: place, Target: who, Permit: perms})
}

// Everyone sets what all members of a server may do.
func (w *World) Everyone(guild string, perms uint64) {
	w.run(Action{Do: "everyone", Name: guild, Permit: perms})
}

// Permit takes back what Deny and Allow did for someone in a channel.
func (w *World) Permit(place, who string) { w.run(Action{Do: "permit", At: place, Target: who}) }

// Advance puts the stand-in's clock forward.
func (w *World) Advance(d time.Duration) { w.run(Action{Do: "advance", For: d}) }

// DropSockets breaks all gateway connections without a word.
func (w *World) DropSockets() { w.run(Action{Do: "drop"}) }

// Reconnect asks the bot to connect again (op 7).
func (w *World) Reconnect() { w.run(Action{Do: "reconnect"}) }

// Invalidate tells the bot that its session is invalid (op 9).
func (w *World) Invalidate(resumable bool) {
	w.run(Action{Do: "invalidate", Resumable: resumable})
}

// CloseSockets closes all gateway connections with a code.
func (w *World) CloseSockets(code int) { w.run(Action{Do: "close", CloseCode: code}) }

// ForgetSessions has Discord forget the sessions of the gateway that have no connection: who
// comes next must identify.
func (w *World) ForgetSessions() { w.run(Action{Do: "forget"}) }

// Outgrow has Discord want another number of shards, of which there must be more: it advises that
// number, refuses to start a session of fewer (4011), and ends the session of shard 0.
func (w *World) Outgrow(shards int) { w.run(Action{Do: "outgrow", Count: shards}) }

// SetEndpoint has interactions posted to a URL from now on, as an operator does in the
// Developer Portal: an endpoint that does not answer a PING, or takes a forged one, is
// refused. Empty: by the gateway again.
func (w *World) SetEndpoint(url string) error {
	_, err := w.do(context.Background(), Action{Do: "endpoint", Text: url})
	return err
}

// SetEvents has the application's events posted to a URL from now on, as an operator does on the portal's page
// Webhooks: one that does not answer a PING, or takes a forged one, is refused. Empty: no more.
func (w *World) SetEvents(url string) error {
	_, err := w.do(context.Background(), Action{Do: "events", Text: url})
	return err
}

// SetPlan changes the faults from now on.
func (w *World) SetPlan(p Plan) { w.run(Action{Do: "plan", Plan: &p}) }

// Replay sends an interaction to the bot once more; the plan must keep them.
func (w *World) Replay(interaction string) { w.run(Action{Do: "replay", At: interaction}) }

// Scheduled are the scheduled events of a server ("" is the first), finished ones too.
func (w *World) Scheduled(guild string) []Scheduled {
	return w.run(Action{Do: "scheduled", Name: guild}).Scheduled
}

// Unschedule deletes a scheduled event, as a moderator does.
func (w *World) Unschedule(guild, id string) {
	w.run(Action{Do: "unschedule", Name: guild, At: id})
}

// Commands are the global commands, or those of a server.
func (w *World) Commands(guild string) []Command {
	return w.run(Action{Do: "commands", Name: guild}).Commands
}

// Places are all channels, threads and direct messages.
func (w *World) Places() []Place { return w.run(Action{Do: "places"}).Places }

// Messages are all messages of a place, private ones too, oldest first.
func (w *World) Messages(place string) []Message {
	return w.run(Action{Do: "messages", At: place}).Messages
}

// People are all members, and the bot.
func (w *World) People() []User { return w.run(Action{Do: "people"}).People }

// Calls are the last REST calls, at least 2000 of them, oldest first.
func (w *World) Calls() []Call { return w.run(Action{Do: "calls"}).Calls }

// Violations are the bodies that Discord would have refused.
func (w *World) Violations() []Violation { return w.run(Action{Do: "violations"}).Violations }

// Stats counts what happened.
func (w *World) Stats() Stats {
	if s := w.run(Action{Do: "stats"}).Stats; s != nil {
		return *s
	}
	return Stats{}
}

// Ready waits until the bot has n gateway sessions with a connection and has
// registered commands, and fails the test after a minute. Ready(0) waits until
// no connection is left: call it first after a bot was killed, or Ready(1) takes
// the dead bot's connection for that of the new one.
func (w *World) Ready(n int) {
	w.t.Helper()
	w.run(Action{Do: "ready", Count: n, For: patience})
}
