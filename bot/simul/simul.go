// Package simul is the room in which one member, the giver, plays everybody that joins: ordinary
// matches, side by side. One message gathers the opponents, and then shows the boards and their
// results. Start from New, Simuls.Commands and Simuls.Sweep.
package simul

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/bot/host"
	"tengen/bot/live"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/storage"
)

// Config is what Simuls need. All of it is needed.
type Config struct {
	room.Base
	Host    *host.Host
	Screens *screen.Screens
}

// Simuls is the room of the simuls. Any number of goroutines may call its methods.
type Simuls struct {
	live.Room[storage.Simul, *storage.Simul]
	screens *screen.Screens
}

// New makes simuls.
func New(c Config) *Simuls {
	return &Simuls{live.New("simul", storage.Simuls, c.Base, c.Host), c.Screens}
}

// patience is how long the message waits for boards that hang nowhere yet.
const patience = 2 * time.Minute

// Sweep begins what is due: it makes and ends the matches that simuls owe, and brings the messages up
// to date.
func (s *Simuls) Sweep() { s.Bring(s.bringOn) }

// bringOn does one thing after the other, each of them again where it was cut off: it ends a simul
// that was not started in time, makes or ends one match, and shows the message. One match in a second
// is no burst of calls.
func (s *Simuls) bringOn(ctx context.Context, p venue.Place) error {
	one, err := s.Tick(ctx, p, func(x storage.Simul, now time.Time) storage.Simul {
		x.Simul = x.Simul.Tick(now)
		return x
	})
	if err != nil {
		return err
	}
	drawn := one.Game
	drawn.Seed = s.Host.Random()
	drawn = s.Host.Redrawn(drawn) // beside the transaction: it may take its time
	one, id, err := s.Store.SettleSimul(ctx, p, s.Now(), drawn)
	if err != nil {
		return err
	}
	if id != 0 {
		if err := s.bring(ctx, one, id); err != nil {
			return err
		}
	}
	if at := one.Wants(); !at.IsZero() && !s.Now().Before(at) {
		return s.show(ctx, one)
	}
	return nil
}

// bring shows the board of a match that has begun or ended.
func (s *Simuls) bring(ctx context.Context, one storage.Simul, id game.MatchID) error {
	rec, err := s.Store.Match(ctx, id)
	if err != nil {
		return err
	}
	fresh := rec.Phase == game.Playing
	if fresh && one.Threads && rec.Place == one.Place {
		t := view.In(one.Look.Language)
		name := t.Line(t.Say("simul.title"), fmt.Sprint(number(one, id)))
		s.Host.IntoThread(ctx, rec, false, view.Clip(name, 100), s.Now())
	}
	s.screens.Refresh(id, fresh)
	return nil
}

// Calls reports whether the board of a match calls the member of a seat, who is away: of the boards that
// wait for the giver of a simul, the first does.
func (s *Simuls) Calls(ctx context.Context, rec storage.Record, seat int) (bool, error) {
	if seat != 0 || rec.Link.Simul == (venue.Place{}) {
		return true, nil
	}
	one, err := storage.Simuls.In(ctx, s.Store, rec.Link.Simul)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return true, err
	}
	before, err := s.waiting(ctx, one.Opponents[:max(number(one, rec.ID)-1, 0)])
	return len(before) == 0, err
}

// number is the number of a match in its simul, from 1.
func number(one storage.Simul, id game.MatchID) int {
	return 1 + slices.IndexFunc(one.Opponents, func(o simul.Opponent) bool { return o.Match == id })
}

// show brings the message of a simul up to date.
func (s *Simuls) show(ctx context.Context, one storage.Simul) error {
	links, err := s.links(ctx, one)
	if err != nil {
		return err
	}
	linked := max(one.Linked, len(links))
	if s.Now().Sub(one.Updated) > patience {
		linked = len(one.Opponents) // the others may never hang: the place may refuse them
	}
	if linked != one.Linked {
		one, err = s.Change(ctx, one, storage.Cause{At: s.Now()}, nil, func(now storage.Simul) (storage.Simul, error) {
			now.Linked = linked
			return now, nil
		})
		if err != nil {
			return err
		}
	}
	return s.Show(ctx, one, page(view.In(one.Look.Language), one, links), nil)
}

// links lead to the boards of the matches that hang somewhere.
func (s *Simuls) links(ctx context.Context, one storage.Simul) (map[game.MatchID]string, error) {
	links := map[game.MatchID]string{}
	for _, o := range one.Opponents {
		if o.Match == 0 {
			continue
		}
		link, err := s.link(ctx, o.Match)
		if err != nil {
			return nil, err
		}
		if link != "" {
			links[o.Match] = link
		}
	}
	return links, nil
}

// link leads to the board of a match; empty where it hangs nowhere.
func (s *Simuls) link(ctx context.Context, id game.MatchID) (string, error) {
	rec, err := s.Store.Match(ctx, id)
	if err == nil {
		var sc storage.Screen
		if sc, err = s.Store.Screen(ctx, id); err == nil {
			return view.Jump(rec.Place, sc.Message), nil
		}
	}
	if errors.Is(err, storage.ErrNotFound) { // ended before it got going
		return "", nil
	}
	return "", err
}
