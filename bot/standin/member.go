package standin

import (
	"context"
	"fmt"
	"time"
)

// Opt is an option of a command or a field of a form: its name and its value.
// A value is a string, a number, a bool, a *Member or a File; a string is read
// as the option's type asks, so that a choice may be given by its name and a
// member as "@ann".
type Opt [2]any

// Member is a person who uses the bot. Its methods wait for the bot's answer, and while it "is thinking".
// Where the World has a test, an act that Discord would not allow or that the
// bot does not answer in time fails the test; with Try, only the Answer tells.
type Member struct {
	Name  string
	w     *World
	quiet bool
}

// Try is the same member, whose failures do not fail the test, and who does not wait for a bot that thinks.
func (m *Member) Try() *Member {
	c := *m
	c.quiet = true
	return &c
}

func (m *Member) act(a Action) *Answer {
	m.w.t.Helper()
	a.As = m.Name
	if !m.quiet {
		a.For = patience
	}
	r, err := m.w.do(context.Background(), a)
	answer := r.Answer
	if answer == nil {
		answer = &Answer{}
	}
	answer.by = m
	if err != nil {
		answer.Failed = err.Error()
	}
	if answer.Failed != "" && !m.quiet {
		m.w.t.Errorf("stand-in: %s: %s %s %s: %s", m.Name, a.Do, a.At, a.Name, answer.Failed)
	}
	return answer
}

// run does an action of the member's that needs no answer from the bot.
func (m *Member) run(a Action) Result {
	m.w.t.Helper()
	a.As = m.Name
	return m.w.run(a)
}

// Slash uses a slash command at a place, as "/play bot". Options may also
// stand in the line, as "/play bot game:renju".
func (m *Member) Slash(place, line string, opts ...Opt) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "slash", At: place, Name: line, Options: values(opts)})
}

// Types writes a command up to an option with autocomplete, the last one given,
// and returns what the bot suggests for it.
func (m *Member) Types(place, line string, opts ...Opt) []Choice {
	m.w.t.Helper()
	return m.act(Action{Do: "type", At: place, Name: line, Options: values(opts)}).Choices
}

// patience is how long a member waits for what a test expects: the board may still be on its
// way. It only ends a test that hangs; on a busy machine it says nothing about the bot's speed.
const patience = 5 * time.Minute

// Press presses a button, named by its label, emoji or custom id: in the
// newest message at a place that has it, or in the message with that id. It
// waits up to a minute for the button to be there; Try does not.
func (m *Member) Press(where, button string) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "press", At: where, Name: button})
}

// PressStale presses a button by its custom id although the message may have
// changed since the member looked at it.
func (m *Member) PressStale(message, customID string) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "press", At: message, Name: customID, Raw: true})
}

// Choose picks from a select, named by its placeholder or custom id; the
// values are labels or values of its options, or members, roles and channels.
func (m *Member) Choose(where, sel string, values ...string) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "choose", At: where, Name: sel, Values: values})
}

// Submit sends the form that the answer opened; fields are named by label or
// custom id. Fields not named keep what the form proposed.
func (a *Answer) Submit(fields ...Opt) *Answer {
	a.by.w.t.Helper()
	return a.by.act(Action{Do: "submit", Modal: a.Interaction, Options: values(fields)})
}

// UserMenu uses a command of the menu on a member.
func (m *Member) UserMenu(place, command string, on *Member) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "user-menu", At: place, Name: command, Target: on.Name})
}

// MessageMenu uses a command of the menu on a message.
func (m *Member) MessageMenu(message, command string) *Answer {
	m.w.t.Helper()
	return m.act(Action{Do: "message-menu", Name: command, Target: message})
}

// Says writes a plain message and returns its id.
func (m *Member) Says(place, text string, files ...File) string {
	m.w.t.Helper()
	return m.say(Action{At: place, Text: text, Files: files})
}

// Replies replies to a message, and mentions its author unless silently, and returns the id.
func (m *Member) Replies(place, to, text string, silently bool) string {
	m.w.t.Helper()
	return m.say(Action{At: place, Text: text, Target: to, Silent: silently})
}

func (m *Member) say(a Action) string {
	m.w.t.Helper()
	a.Do = "say"
	r := m.run(a)
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[0].ID
}

// Sees renders a place as plain text, as the member sees it.
func (m *Member) Sees(place string) string {
	m.w.t.Helper()
	return m.run(Action{Do: "see", At: place}).Text
}

// SeesLast renders the newest message at a place that the member sees.
func (m *Member) SeesLast(place string) string {
	m.w.t.Helper()
	return m.run(Action{Do: "see", At: place, Count: 1}).Text
}

// Waits waits until the place, as the member sees it, contains the text, and
// returns what it looks like then. After minutes it gives up and fails the
// test.
func (m *Member) Waits(place, text string) string {
	m.w.t.Helper()
	return m.run(Action{Do: "wait", At: place, Text: text, For: patience}).Text
}

// WaitsGone waits until the place no longer contains the text.
func (m *Member) WaitsGone(place, text string) string {
	m.w.t.Helper()
	return m.run(Action{Do: "wait", At: place, Text: text, For: patience, Gone: true}).Text
}

// Messages are those that the member sees at a place, oldest first.
func (m *Member) Messages(place string) []Message {
	m.w.t.Helper()
	return m.run(Action{Do: "messages", At: place}).Messages
}

// Last is the newest message that the member sees at a place; it fails the
// test where there is none.
func (m *Member) Last(place string) Message {
	m.w.t.Helper()
	list := m.Messages(place)
	if len(list) == 0 {
		m.w.t.Fatalf("stand-in: %s sees no message at %s", m.Name, place)
		return Message{}
	}
	return list[len(list)-1]
}

// Commands are those that the member can use at a place.
func (m *Member) Commands(place string) []Command {
	return m.run(Action{Do: "commands", At: place}).Commands
}

// Places are the channels, threads and direct messages that the member sees.
func (m *Member) Places() []Place { return m.run(Action{Do: "places"}).Places }

// Pings are the messages that notified the member, oldest first.
func (m *Member) Pings() []string { return m.run(Action{Do: "pings"}).IDs }

// Deletes deletes a message of the member's own, dismisses a private one, or
// deletes another's where the member may.
func (m *Member) Deletes(message string) {
	m.run(Action{Do: "delete-message", At: message})
}

// Installs installs the app for the member, to use it everywhere.
func (m *Member) Installs() { m.run(Action{Do: "install"}) }

// Speaks sets the member's language, as "zh-CN".
func (m *Member) Speaks(locale string) { m.run(Action{Do: "locale", Text: locale}) }

// ClosesDMs makes the member refuse direct messages from the bot.
func (m *Member) ClosesDMs() { m.run(Action{Do: "close-dms"}) }

// Moderates gives the member permissions in a server ("" is the first), for
// instance PermManageMessages.
func (m *Member) Moderates(guild string, perms uint64) {
	m.run(Action{Do: "moderate", Name: guild, Permit: perms})
}

// HasRole gives the member a role in a server ("" is the first), by its name. A new role permits
// nothing.
func (m *Member) HasRole(guild, role string) {
	m.run(Action{Do: "role", Name: guild, Text: role})
}

func values(opts []Opt) []Value {
	out := make([]Value, len(opts))
	for i, o := range opts {
		v := Value{Name: fmt.Sprint(o[0])}
		switch x := o[1].(type) {
		case *Member:
			v.Value = "@" + x.Name
		case File:
			v.File = &x
		case *File:
			v.File = x
		default:
			v.Value = x
		}
		out[i] = v
	}
	return out
}
