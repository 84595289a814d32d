// Package events hosts tournaments in a channel: /event makes them, one live message shows each,
// members enter by its buttons, and rounds, reminders and results come by themselves. Package
// game/event pairs and ranks, storage keeps, and package screen shows the boards, which are ordinary
// matches. Start from New, Events.Commands and Events.Run.
package events

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/chat"
	"tengen/bot/host"
	"tengen/bot/pool"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/tasks"
	"tengen/storage"
)

// Config is what Events need. All of it is needed.
type Config struct {
	room.Base
	Screens *screen.Screens
	Host    *host.Host
}

// Events hosts the events of all servers. Any number of goroutines may call its methods. Commands works
// on nil.
type Events struct {
	Config
	kicked chan struct{} // holds one where a sweep is asked for
	busy   atomic.Int64  // sweeps that go on or are asked for, and calls that wait for their turn
	gate   gate
	waits  tasks.Waits[storage.EventID] // events that have failed, or whose places other processes own

	// Which are being brought up to date, and whose members are being told something.
	messages, listings, notifications *pool.Pool[storage.EventID]
}

// New makes events. They do nothing unasked before Run.
func New(c Config) *Events {
	workers := func(name string, atOnce int) *pool.Pool[storage.EventID] {
		return pool.New[storage.EventID](name, atOnce, c.Base)
	}
	return &Events{Config: c, kicked: make(chan struct{}, 1), messages: workers("event: its message", callsASecond),
		listings:      workers("event: its listing", callsASecond/2),
		notifications: workers("event: what members are told", callsASecond/2)}
}

// Run does what is due and what was left undone after each Kick, until the tasks end.
func (v *Events) Run() {
	for {
		select {
		case <-v.kicked:
			v.sweep()
			v.busy.Add(-1)
		case <-v.Tasks.Life.Done():
			return
		}
	}
}

// Kick asks for a sweep. It comes at once, or as soon as the sweep that goes on has ended.
func (v *Events) Kick() {
	v.busy.Add(1)
	select {
	case v.kicked <- struct{}{}:
	default:
		v.busy.Add(-1) // one is on its way, and sees what this one would
	}
}

// Busy is zero once no sweep is asked for, no call waits, and no message or listing is being sent.
func (v *Events) Busy() int {
	return int(v.busy.Load()) + v.messages.Busy() + v.listings.Busy() + v.notifications.Busy()
}

// gate lets so many calls to Discord through that events make no burst.
type gate struct {
	mu    sync.Mutex
	calls []time.Time // when the last callsASecond go or went, in order
	next  time.Time   // of the next call, so that they do not come in lumps
}

// Calls that events make unasked. Members act meanwhile: together they stay below ten in a second.
const (
	callsASecond = 8
	callEvery    = time.Second / callsASecond
	aSecond      = 1050 * time.Millisecond // with how much later one call may arrive than another
)

// wait is how long n calls have to wait. The caller holds mu.
func (g *gate) wait(n int, now time.Time) time.Duration {
	at := now
	if g.next.After(at) {
		at = g.next
	}
	if before := len(g.calls) - 1 - (callsASecond - n); before >= 0 { // the youngest that may not be of the same second
		if free := g.calls[before].Add(aSecond); free.After(at) {
			at = free
		}
	}
	return at.Sub(now)
}

// note notes that n calls go at a time. The caller holds mu.
func (g *gate) note(n int, at time.Time) {
	for range n {
		g.calls = append(g.calls, at)
	}
	g.calls = slices.Clone(g.calls[max(0, len(g.calls)-callsASecond):])
	g.next = at.Add(time.Duration(n) * callEvery)
}

// pass waits until n more calls may go. It is false when the tasks ended meanwhile.
func (v *Events) pass(n int) bool {
	v.gate.mu.Lock()
	now := time.Now()
	wait := v.gate.wait(n, now)
	v.gate.note(n, now.Add(wait))
	v.gate.mu.Unlock()
	return v.Tasks.Sleep(wait)
}

// Pace reserves so many calls for the board of an event, and gives what makes them in their turn. It is
// false, and reserves nothing, where they would have to wait for long.
func (v *Events) Pace(calls int) (inTurn func(func()), ok bool) {
	v.gate.mu.Lock()
	defer v.gate.mu.Unlock()
	now := time.Now()
	wait := v.gate.wait(calls, now)
	switch {
	case wait == 0:
		inTurn = func(f func()) { f() }
	case wait > aSecond:
		return nil, false
	default:
		inTurn = func(f func()) { v.after(wait, f) }
	}
	v.gate.note(calls, now.Add(wait))
	return inTurn, true
}

// after runs f a while later.
func (v *Events) after(wait time.Duration, f func()) {
	v.busy.Add(1)
	if !v.Tasks.Go(func() {
		defer v.busy.Add(-1)
		if v.Tasks.Sleep(wait) {
			f()
		}
	}) {
		v.busy.Add(-1)
	}
}

// refusals are the catalogue's keys of what an event refuses.
var refusals = map[error]string{
	event.EventOver: "event.refused.over", event.AlreadyIn: "event.refused.alreadyIn",
	event.NoEntrant: "event.refused.noEntrant", event.TooLateToEnter: "event.refused.begun",
	event.TooManyEntrants: "event.refused.full", storage.ErrEventFull: "event.refused.full",
	event.TooFewEntrants: "event.refused.few", event.RoundRunning: "event.refused.running",
	event.NoPairing: "event.refused.noPairing", event.NoBoard: "event.refused.noBoard",
	event.NoResult: "event.refused.noBoard", event.ResultStands: "event.refused.stands",
	event.BadPairs: "event.refused.pairs", event.BadTerms: "event.refused.terms",
	storage.ErrManyEvents: "event.refused.many", storage.ErrLargeEvent: "event.refused.large",
	storage.ErrNotFound: "event.refused.unknown", storage.ErrGone: "event.refused.gone",
}

// refused is err as a refusal that members can read, where it is one.
func refused(err error) error {
	for cause, key := range refusals {
		if errors.Is(err, cause) {
			return view.No(key)
		}
	}
	return err
}

// say answers r with a private text.
func (v *Events) say(ctx context.Context, r chat.Request, key string, args ...any) error {
	return chat.Tell(ctx, v.Chat, r, chat.Private(v.House.Tongue(r).Say(key, args...)))
}

// page answers r with a private message: in place of the private one whose button was pressed, else as
// a new one.
func (v *Events) page(ctx context.Context, r chat.Request, msg chat.Message) error {
	msg.Private = true
	return chat.Reply(ctx, v.Chat, r, msg)
}

// pressed is the event of a press or a form.
func (v *Events) pressed(ctx context.Context, p view.Press) (storage.Event, error) {
	e, err := v.Store.Event(ctx, storage.EventID(p.Match))
	return e, refused(err)
}

// pressedHere is pressed for an event of the server in which r was made.
func (v *Events) pressedHere(ctx context.Context, r chat.Request, p view.Press) (storage.Event, error) {
	e, err := v.pressed(ctx, p)
	if err == nil && !in(r, e) {
		err = view.No("event.refused.unknown")
	}
	return e, err
}

// in reports whether a request comes from the server of an event.
func in(r chat.Request, e storage.Event) bool { return r.Place.Server == e.Place.Server }

// do is the custom id of an event's button, menu or form.
func do(e storage.Event, verb, arg string) string {
	return view.Press{Match: game.MatchID(e.ID), Verb: verb, Arg: arg}.ID()
}

// cause is what a member's act brings about, once.
func cause(r chat.Request) storage.Cause {
	return storage.Cause{Interaction: r.ID, At: r.At, By: r.By}
}
