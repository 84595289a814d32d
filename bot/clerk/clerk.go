// Package clerk carries out acts: it is the one way by which what a member does reaches a match, whichever way it
// came. It does not answer. Start from Clerk.Do.
package clerk

import (
	"context"
	"errors"

	"tengen/bot/act"
	"tengen/bot/clock"
	"tengen/bot/events"
	"tengen/bot/host"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Config is what a Clerk needs.
type Config struct {
	room.Base
	Host   *host.Host
	Clocks *clock.Clocks
	Events *events.Events
}

// Clerk carries out acts. Any number of goroutines may call its methods.
type Clerk struct{ Config }

// New makes a clerk.
func New(c Config) *Clerk { return &Clerk{c} }

// Do carries out an act, once for the interaction of its cause. A refusal is an error that a Tongue gives a reason
// for; storage.ErrNotFound says that there is no such match. Boards are for the caller to show.
func (c *Clerk) Do(ctx context.Context, a act.Act, cause storage.Cause) (out act.Outcome, err error) {
	out.Act = a
	do := ways[a.Verb]
	if do == nil {
		return out, c.update(ctx, &out, cause)
	}
	if out.Before, err = c.Store.Match(ctx, a.Match); err == nil {
		err = do(c, ctx, &out, cause)
	}
	return out, err
}

func (c *Clerk) update(ctx context.Context, out *act.Outcome, cause storage.Cause) (err error) {
	out.Record, err = c.Clocks.Update(ctx, out.Act.Match, cause, out.Act.Do)
	return err
}

// way carries out an act for which the match alone does not do. The outcome has the match before.
type way = func(*Clerk, context.Context, *act.Outcome, storage.Cause) error

var ways = map[string]way{
	"accept":    (*Clerk).accept,
	"rated":     (*Clerk).rate,
	"numbers":   (*Clerk).number,
	"pause":     (*Clerk).uncounted,
	"stop":      (*Clerk).uncounted,
	"abort":     (*Clerk).uncounted,
	"abortsure": (*Clerk).end,
	"rematch":   (*Clerk).rematch,
}

// accept takes a challenge. An open one is not for members whom its maker has blocked, and a rated one is only for
// two who may play one today.
func (c *Clerk) accept(ctx context.Context, out *act.Outcome, cause storage.Cause) error {
	by, m := out.Act.By, out.Before.Match
	if asked := m.Seats[0].Member; m.Phase == game.Offered && asked != by {
		if m.Seats[1].Kind != game.MemberSeat {
			if err := c.Host.Wanted(ctx, by, asked, true); err != nil {
				return err
			}
		}
		if err := c.Host.Rateable(ctx, m.Rated, by, asked, out.Act.At); err != nil {
			return err
		}
	}
	return c.update(ctx, out, cause)
}

// rate asks that a casual challenge be rated, or agrees to it, as far as the day allows.
func (c *Clerk) rate(ctx context.Context, out *act.Outcome, cause storage.Cause) error {
	if other, ok := opponent(out); ok {
		if err := c.Host.Rateable(ctx, true, out.Act.By, other, out.Act.At); err != nil {
			return err
		}
	}
	return c.update(ctx, out, cause)
}

// opponent is who plays against the member of an act.
func opponent(out *act.Outcome) (game.MemberID, bool) {
	seat, ok := out.Before.SeatOf(out.Act.By)
	other := out.Before.Seats[1-seat]
	return other.Member, ok && other.Kind == game.MemberSeat
}

// number goes to the next setting of the numbers on the stones: few, all, none.
func (c *Clerk) number(ctx context.Context, out *act.Outcome, cause storage.Cause) (err error) {
	out.Record, err = c.Store.Restyle(ctx, out.Act.Match, cause, func(rec storage.Record) (storage.Look, error) {
		if !view.Sits(rec.Match, out.Act.By) {
			return rec.Look, &game.Refusal{Code: game.NotSeated}
		}
		rec.Look.Numbers = (rec.Look.Numbers + 1) % 3
		return rec.Look, nil
	})
	return err
}

// uncounted changes a match unless it counts: nobody stops such a match, a manager has it replayed.
func (c *Clerk) uncounted(ctx context.Context, out *act.Outcome, cause storage.Cause) error {
	switch counts, err := c.counts(ctx, out.Before); {
	case err != nil:
		return err
	case counts:
		return view.No("refused.abortContest")
	}
	return c.update(ctx, out, cause)
}

// counts reports whether a match is played for a ladder, or for an event that is not over.
func (c *Clerk) counts(ctx context.Context, rec storage.Record) (bool, error) {
	if rec.Phase != game.Playing || rec.Link.Event == 0 {
		return rec.Phase == game.Playing && rec.Link.Ladder, nil
	}
	e, err := c.Store.Event(ctx, rec.Link.Event)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && !e.Ended, err
}

// end ends a match at the word of a member who manages it. Where it counts, the same two play a fresh one in its
// place.
func (c *Clerk) end(ctx context.Context, out *act.Outcome, cause storage.Cause) error {
	if !out.Act.Manages {
		return &game.Refusal{Code: game.NotSeated}
	}
	counts, err := c.counts(ctx, out.Before)
	switch {
	case err != nil:
		return err
	case !counts:
		return c.update(ctx, out, cause)
	}
	out.Record, out.Next, err = c.Store.Replay(ctx, out.Act.Match, cause, c.Host.Random())
	c.Events.Kick()
	return err
}

// rematch asks for another match, or agrees to it. It is rated as the one before, as far as the day allows.
func (c *Clerk) rematch(ctx context.Context, out *act.Outcome, cause storage.Cause) (err error) {
	if err := c.Host.StillHere(out.Before.Match); err != nil {
		return err
	}
	a, seed, rated := out.Act, c.Host.Random(), out.Before.Rated
	if other, ok := opponent(out); ok && rated {
		rated = !view.IsRefused(c.Host.Rateable(ctx, true, a.By, other, a.At), "limit.rated")
	}
	out.Record, out.Next, err = c.Store.Rematch(ctx, a.Match, cause,
		func(m game.Match, next game.MatchID) (game.Match, game.Match, error) {
			m, err := a.Rematch(m, next)
			if err != nil || m.Next == 0 {
				return m, game.Match{}, err
			}
			s, err := host.Changed(m, a.Arg).Successor(c.Host.Balanced(m.Rules, seed), seed, a.At)
			s.Rated = s.Rated && rated
			return m, c.Clocks.OnTime(s), err
		})
	return err
}
