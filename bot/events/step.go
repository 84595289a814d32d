package events

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/zone"
	"tengen/storage"
	"tengen/storage/kv"
)

// What an event needs unasked is found in the store alone: when it is due, which matches it owes,
// and that its message is behind. So a process that dies leaves nothing undone. A step does one
// thing after the other, and each of them again where it may have been cut off:
//
//	the first round begins      once: a second time the event has begun
//	reminders                   once each, by an id that the store has seen
//	forfeits at the deadline    by the store, in its transaction
//	the next round              once: a second time its games are played
//	matches are made or ended   a few in each step, each once
//	a weekly event comes again  once: the old one is weekly no more
//	members are told            until the store counts nothing untold; the message is found by its mark
//	the message is shown        until it shows the version that the store has
//	it is listed at Discord     until the listing says what the store has

// batch is how many events are looked after at most in a sweep, for each cause.
const batch = 100

// sweep does what is due in the events of this process.
func (v *Events) sweep() {
	ctx, now := v.Tasks.Life, v.Now()
	due, err := v.Store.EventsDue(ctx, now, batch, v.waits.Over)
	owed, err2 := v.Store.EventsOwed(ctx)
	late, err3 := v.Store.EventsLate(ctx)
	if err := errors.Join(err, err2, err3); err != nil {
		if ctx.Err() == nil {
			v.Log.Error("events", "err", err)
		}
		return
	}
	ids := slices.Concat(due, owed, late)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if !v.waits.Over(id) {
			continue
		}
		err := v.Tasks.Try(func() error { return v.step(ctx, id, now) })
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			v.waits.Did(id)
		case errors.Is(err, kv.ErrFenced):
			v.waits.Later(id, notOurs)
		default:
			v.waits.Failed(id)
			v.Log.Error("event", "event", view.Name(game.MatchID(id)), "err", err)
		}
	}
}

// notOurs is how long an event of another process waits here: that process may die.
const notOurs = 2 * time.Second

// step does what an event needs now. It fails with kv.ErrFenced where another process does its unasked
// work.
func (v *Events) step(ctx context.Context, id storage.EventID, now time.Time) error {
	e, err := v.Store.Event(ctx, id)
	if err != nil {
		return err
	}
	ctx, ok := v.House.Under(ctx, e.Place)
	if !ok {
		return kv.ErrFenced
	}
	if e, err = v.first(ctx, e, now); err != nil {
		return err
	}
	due := e.Due()
	if isDue := !due.IsZero() && !due.After(now); isDue {
		v.remind(ctx, e, now)
		if e, _, err = v.Store.TickEvent(ctx, id, now); err != nil {
			return err
		}
		if e.Kind == event.KindArena {
			e, err = v.begin(ctx, e, now)
		}
	}
	if err == nil {
		e, err = v.following(ctx, e, now)
	}
	if err == nil {
		e, err = v.settle(ctx, e)
	}
	if err == nil {
		e, err = v.watch(ctx, e, now)
	}
	if err == nil {
		err = v.repeat(ctx, e, now)
	}
	if err == nil {
		v.keep(ctx, e)
	}
	return err
}

// watch notes that an event waits for those who manage it, who are then told.
func (v *Events) watch(ctx context.Context, e storage.Event, now time.Time) (storage.Event, error) {
	waits, err := v.unsettled(ctx, e, now)
	if err != nil {
		return e, err
	}
	switch {
	case stuck(e):
		waits = append(waits, [2]int{len(e.Paired) - 1, -1})
	case e.Overdue(now):
		waits = append(waits, [2]int{-1, -1})
	}
	if len(waits) == 0 {
		return e, nil
	}
	server, err := v.Store.Server(ctx, e.Place.Server)
	if err != nil || !server.Missed.IsZero() { // all its games rest until the bot is back there
		return e, err
	}
	return v.Store.UpdateEvent(ctx, e.ID, storage.Cause{At: now}, func(e storage.Event) (storage.Event, error) {
		for _, at := range waits {
			e = e.Sticks(at[0]+1, at[1]+1, now)
		}
		return e, nil
	})
}

// repeat makes the event that follows a weekly one, when its time has come.
func (v *Events) repeat(ctx context.Context, e storage.Event, now time.Time) error {
	if !e.RepeatDue(now) {
		return nil
	}
	d, err := v.Store.Daily(ctx, e.Place.Server)
	if err != nil {
		return err
	}
	_, made, err := v.Store.RepeatEvent(ctx, e.ID, storage.Cause{At: now}, zone.Or(d.Zone), false)
	if made {
		v.Kick() // its message
	}
	return err
}

// keep begins to bring the message and the listing of an event up to date. However long Discord takes, no
// round waits for that. The message comes first.
func (v *Events) keep(ctx context.Context, e storage.Event) {
	edit := v.Now().Sub(e.At).Abs() >= editEvery
	if e.Late() && edit && v.messages.Begin(e.ID, v.fresh(ctx, e.ID, storage.Event.Late, v.show)) {
		return // the next sweep lists it
	}
	if e.Untold > 0 {
		v.notifications.Begin(e.ID, v.fresh(ctx, e.ID, func(e storage.Event) bool { return e.Untold > 0 }, v.tell))
	}
	if e.ListingLate() {
		v.listings.Begin(e.ID, v.fresh(ctx, e.ID, storage.Event.ListingLate, v.keepListed))
	}
}

// fresh does something for an event as it is by then, where that is still wanted: since the event was read, an
// earlier turn may have done it.
func (v *Events) fresh(ctx context.Context, id storage.EventID,
	wanted func(storage.Event) bool, do func(context.Context, storage.Event) error) func() error {
	return func() error {
		e, err := v.Store.Event(ctx, id)
		if err != nil || !wanted(e) {
			return err
		}
		return do(ctx, e)
	}
}

// first begins an event whose time to start has come.
func (v *Events) first(ctx context.Context, e storage.Event, now time.Time) (storage.Event, error) {
	if e.Ended || len(e.Paired) > 0 || e.Starts.IsZero() || now.Before(e.Starts) {
		return e, nil
	}
	return v.begin(ctx, e, now)
}

// following begins the round that follows one whose games are over, and the next games of a knockout's
// ties.
func (v *Events) following(ctx context.Context, e storage.Event, now time.Time) (storage.Event, error) {
	if e.Ended || len(e.Paired) == 0 || e.Kind == event.KindArena {
		return e, nil
	}
	if e.Kind != event.KindKnockout && slices.ContainsFunc(e.Paired[len(e.Paired)-1], event.Board.Open) {
		return e, nil
	}
	return v.begin(ctx, e, now)
}

// begin pairs what is to be paired now. Where nothing is, the event stays as it is: its message says
// so, and its managers go on.
func (v *Events) begin(ctx context.Context, e storage.Event, now time.Time) (storage.Event, error) {
	rounds := len(e.Paired)
	next, err := v.Store.PairEvent(ctx, e.ID, storage.Cause{At: now}, func(e storage.Event) (storage.Event, error) {
		if len(e.Paired) != rounds || e.Ended { // somebody was faster
			return e, nil
		}
		return e.Begin(0, v.apart(ctx, e), now)
	})
	if err != nil && refused(err) != err && !errors.Is(err, storage.ErrNotFound) {
		return e, nil
	}
	return next, err
}

// apart parts entrants of whom one has blocked the other. Members whose settings cannot be read are parted
// from nobody.
func (v *Events) apart(ctx context.Context, e storage.Event) event.Apart {
	members := make([]storage.Member, len(e.Entrants))
	for i, x := range e.Entrants {
		if x.Seat.Kind != game.MemberSeat {
			continue
		}
		m, err := v.Store.Member(ctx, x.Seat.Member)
		if err != nil {
			v.Log.Error("event: the settings of an entrant", "err", err)
			continue
		}
		members[i] = m
	}
	return func(a, b int) bool {
		one, two := e.Entrants[a-1].Seat, e.Entrants[b-1].Seat
		if one.Kind != game.MemberSeat || two.Kind != game.MemberSeat {
			return false
		}
		return members[a-1].Blocks(two.Member) || members[b-1].Blocks(one.Member)
	}
}

// remind has the boards of games mention who is to move, or has not come, at the times that the event says. Each
// does so once, and none after its deadline.
func (v *Events) remind(ctx context.Context, e storage.Event, now time.Time) {
	if e.Ended || len(e.Paired) == 0 {
		return
	}
	for r, boards := range e.Paired {
		for i, b := range boards {
			id := e.Matches[r][i].Match
			if !b.Open() || id == 0 || e.Deadline(b).IsZero() || !now.Before(e.Deadline(b)) {
				continue
			}
			for part, at := range slices.Backward(e.RemindedAt(b)) {
				if at.After(e.Looked) && !at.After(now) {
					v.remindOne(ctx, id, at, part, at.Equal(e.Quarter(b)), now)
					break // of those that were missed the last one is enough
				}
			}
		}
	}
}

// remindOne has the board of a match mention who is to move. At the quarter nobody is reminded where both have
// come.
func (v *Events) remindOne(ctx context.Context, id game.MatchID, at time.Time, part int, quarter bool, now time.Time) {
	c := storage.Cause{Interaction: reminder(id, at, part), At: now}
	rec, err := v.House.Update(ctx, id, c, func(m game.Match) (game.Match, error) {
		if m.Phase != game.Playing || m.Seats[m.ToMove()].Kind != game.MemberSeat || quarter && m.Present(0) && m.Present(1) {
			return m, &game.Refusal{Code: game.NotPlaying}
		}
		return m.Remind(now)
	})
	var rule *game.Refusal
	switch {
	case err == nil && !rec.Repeated && v.pass(callsABoard):
		v.Screens.Refresh(id, true)
	case err != nil && !errors.As(err, &rule) && ctx.Err() == nil:
		v.Log.Error("event: a reminder", "match", view.Name(id), "err", err)
	}
}

// reminder is the cause of a reminder, the same each time. It looks like an id of Discord's of that
// time, so that the store forgets it as one of those.
func reminder(id game.MatchID, at time.Time, part int) uint64 {
	h := fnv.New32a()
	fmt.Fprint(h, id, ".", part)
	return venue.IDAt(at) | uint64(h.Sum32()&0x3fffff)
}

// A step makes or ends so many matches, and leaves the others to the next ones.
const (
	matchesAStep = 4
	callsABoard  = 2 // a new message, and the old one deleted
	callsAThread = 4 // the thread, its two players, and the board
)

// settle makes some of the matches that an event owes and ends those whose result was given
// otherwise, and shows their boards.
func (v *Events) settle(ctx context.Context, e storage.Event) (storage.Event, error) {
	for i := 0; i < matchesAStep && e.Owes(); i++ {
		calls := callsABoard
		if e.Threads {
			calls = callsAThread
		}
		if !v.pass(calls) { // before the match is there, so that nothing shows it meanwhile
			return e, v.Tasks.Life.Err()
		}
		drawn := e.Game
		drawn.Seed = v.Host.Random()
		drawn = v.Host.Redrawn(drawn) // beside the transaction: it may take its time
		// A match begins now, not when the sweep did: its clock runs from here.
		next, settled, err := v.Store.SettleEvent(ctx, e.ID, v.Now(), 1,
			func(e storage.Event, _, _ int) (game.Terms, venue.Place) {
				return drawn, e.Place
			})
		if err != nil || len(settled) == 0 {
			return next, err
		}
		e = next
		for _, id := range settled {
			if err := v.bring(ctx, e, id); err != nil {
				return e, err
			}
		}
	}
	return e, nil
}

// bring shows the board of a match that has begun or ended. One that has begun goes into a thread of
// its own, where the event wants that and Discord allows it.
func (v *Events) bring(ctx context.Context, e storage.Event, id game.MatchID) error {
	rec, err := v.Store.Match(ctx, id)
	if err != nil {
		return err
	}
	fresh := rec.Phase == game.Playing
	if fresh && e.Threads {
		name := view.Clip(fmt.Sprintf("%s %d.%d", e.Name, rec.Link.Round+1, rec.Link.Board+1), 100)
		v.Host.IntoThread(ctx, rec, false, name, v.Now())
	}
	v.Screens.Refresh(id, fresh)
	return nil
}
