package storagetest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// shared has several processes do the same at once to a ladder, a game together or a simul: a change counts once,
// and none is lost. Then one loses its lease, members and servers go, and rows are damaged. An export calls it kind.
func shared(kind string, run func(y *yard) row) func(*testing.T, Open) {
	return func(t *testing.T, o Open) {
		y := &yard{t: t, engine: open(t, o)}
		for node := range y.stores {
			y.stores[node] = must(storage.Open(t.Context(), y.engine, storage.Options{Node: node + 1, Chunk: 7}))
		}
		r := run(y)
		y.sound()
		y.fenced(r)
		y.forgotten(kind, r)
		y.damaged(r)
		y.deleted(r)
	}
}

// yard is a server with a channel, on several processes.
type yard struct {
	t      *testing.T
	engine kv.Engine
	stores [3]*storage.Store
}

// row is a ladder, a game together or a simul that is stored.
type row struct {
	table  byte                               // of its own row
	others string                             // tables of the rows that follow from it
	change func(ctx context.Context) error    // makes a new version
	read   func() (version uint32, err error) // as it is stored
	knows  func(all storage.Dossier) int      // in how many of them a member is
}

var square = venue.Place{Server: 100, Channel: 200}

const players = 8 // members with the numbers from 1

// once lets every process do the same for every player at once, twice.
func (y *yard) once(do func(s *storage.Store, m game.MemberID) error) {
	y.t.Helper()
	var wait sync.WaitGroup
	for _, s := range y.stores {
		for m := range game.MemberID(players) {
			wait.Go(func() {
				for range 2 {
					if err := do(s, m+1); err != nil {
						y.t.Error(err)
					}
				}
			})
		}
	}
	wait.Wait()
}

func (y *yard) want(what string, got, want int) {
	y.t.Helper()
	if got != want {
		y.t.Errorf("%s: %d, want %d", what, got, want)
	}
}

func (y *yard) sound() {
	y.t.Helper()
	if _, err := storage.Verify(y.t.Context(), y.engine); err != nil {
		y.t.Errorf("the store is not sound: %v", err)
	}
}

func ladder(y *yard) row {
	ctx, s := y.t.Context(), y.stores[0]
	change := func(ctx context.Context, s *storage.Store, f func(l storage.Ladder) (storage.Ladder, error)) error {
		_, err := s.UpdateLadder(ctx, square.Server, game.Renju, noon, f)
		return err
	}
	read := func() storage.Ladder { return must(s.Ladder(ctx, square.Server, game.Renju)) }
	y.once(func(s *storage.Store, m game.MemberID) error {
		return change(ctx, s, func(l storage.Ladder) (_ storage.Ladder, err error) {
			l.Ladder, err = l.Join(m, 1500)
			return l, err
		})
	})
	y.want("members", len(read().Rungs), players)
	y.want("version", int(read().Version), players)

	behind := func() int {
		return len(must(s.LaddersBehind(ctx, 9, func(uint64, game.Rules) bool { return true },
			func(storage.Ladder) bool { return true })))
	}
	must(0, change(ctx, s, func(l storage.Ladder) (storage.Ladder, error) { l.Channel = square.Channel; return l, nil }))
	y.want("behind", behind(), 1)
	must(0, change(ctx, s, func(l storage.Ladder) (storage.Ladder, error) {
		l.Notice = storage.Notice{Message: 7, Shown: l.Version, Sent: noon, At: noon}
		return l, nil
	}))
	y.want("behind once it is shown", behind(), 0)

	rungs := read().Rungs
	by, whom := rungs[1].ID, rungs[0].ID
	y.once(func(s *storage.Store, _ game.MemberID) error {
		_, err := s.ChallengeOnLadder(ctx, storage.Cause{Interaction: 50, At: noon}, square,
			func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Renju, First: game.Black}, by, game.SeatFor(by),
					game.SeatFor(whom), noon, noon.Add(time.Hour))
			})
		return err
	})
	y.want("challenges", len(read().Active), 1)
	match := read().Active[0].Match
	y.once(func(s *storage.Store, _ game.MemberID) error {
		_, err := s.Update(ctx, match, storage.Cause{Interaction: 51, At: noon, By: whom},
			func(m game.Match) (game.Match, error) { return m.Decline(whom, noon) })
		return err
	})
	l := read()
	if len(l.Active) != 0 || l.Rungs[0].ID != by || l.Rungs[1].ID != whom {
		y.t.Errorf("after the challenge was declined: %+v", l)
	}
	return row{'L', "ARS", func(ctx context.Context) error {
		return change(ctx, s, func(l storage.Ladder) (storage.Ladder, error) { l.Off = !l.Off; return l, nil })
	}, func() (uint32, error) {
		l, err := s.Ladder(ctx, square.Server, game.Renju)
		return l.Version, err
	}, func(all storage.Dossier) int { return len(all.Ladders) }}
}

func playTogether(y *yard) row {
	ctx, s := y.t.Context(), y.stores[0]
	change := func(ctx context.Context, s *storage.Store, f func(c together.Game) (together.Game, error)) error {
		at := storage.Cause{At: noon}
		_, err := storage.Togethers.Update(ctx, s, square, at, func(c storage.Together) (_ storage.Together, err error) {
			c.Game, err = f(c.Game)
			return c, err
		})
		return err
	}
	read := func() storage.Together { return must(storage.Togethers.In(ctx, s, square)) }
	next := storage.Together{Gathering: storage.Gathering{Place: square, ID: 60},
		Game: together.Game{Owner: 1, Rules: game.Gomoku9, Level: 1, Color: game.Black, Every: time.Minute, Updated: noon}}
	y.once(func(s *storage.Store, _ game.MemberID) error {
		_, err := storage.Togethers.Begin(ctx, s, noon, next)
		return err
	})
	y.want("version", int(read().Version), 1)
	next.ID++
	if c, err := storage.Togethers.Begin(ctx, s, noon, next); !errors.Is(err, storage.ErrHere) || c.ID != 60 {
		y.t.Errorf("a second one: %+v, %v", c, err)
	}
	y.once(func(s *storage.Store, m game.MemberID) error {
		return change(ctx, s, func(c together.Game) (together.Game, error) {
			return c.Vote(m, 0, game.At(int(m)/2, 1), noon.Add(time.Duration(m)*time.Second))
		})
	})
	c := read()
	y.want("votes", len(c.Votes), players)
	y.want("version", int(c.Version), 1+players)
	due := func(at time.Time) int {
		return len(must(storage.Togethers.Due(ctx, s, at, 9, func(p venue.Place) bool { return p == square })))
	}
	y.want("due", due(noon.Add(time.Hour)), 1)
	y.once(func(s *storage.Store, _ game.MemberID) error {
		return change(ctx, s, func(c together.Game) (together.Game, error) { return c.Tick(noon.Add(time.Hour)), nil })
	})
	y.once(func(s *storage.Store, _ game.MemberID) error {
		return change(ctx, s, func(c together.Game) (together.Game, error) {
			return c.Answer(1, game.At(5, 5), noon.Add(time.Hour)), nil
		})
	})
	y.want("moves", len(read().Moves), 2)
	at := storage.Cause{At: noon}
	must(storage.Togethers.Update(ctx, s, square, at, func(c storage.Together) (storage.Together, error) {
		c.Notice, c.Drawn = storage.Notice{Message: 7, Shown: c.Version, Sent: noon, At: noon}, len(c.Moves)
		return c, nil
	}))
	y.want("due once it is shown", due(noon.AddDate(1, 0, 0)), 0)
	must(0, change(ctx, s, func(c together.Game) (together.Game, error) { return c.Vote(1, 2, game.At(7, 7), noon) }))
	votes := 0
	return row{'G', "H", func(ctx context.Context) error {
		votes++
		return change(ctx, s, func(c together.Game) (together.Game, error) {
			return c.Vote(20, 2, game.At(votes%9, 8), noon.Add(time.Duration(votes)*time.Second))
		})
	}, func() (uint32, error) {
		c, err := storage.Togethers.In(ctx, s, square)
		return c.Version, err
	}, func(all storage.Dossier) int { return len(all.Others["crowds"]) }}
}

func playSimul(y *yard) row {
	const giver = 99
	ctx, s := y.t.Context(), y.stores[0]
	change := func(ctx context.Context, s *storage.Store, interaction uint64,
		f func(x simul.Simul) (simul.Simul, error)) error {
		_, err := storage.Simuls.Update(ctx, s, square, storage.Cause{Interaction: interaction, At: noon},
			func(x storage.Simul) (_ storage.Simul, err error) {
				x.Simul, err = f(x.Simul)
				return x, err
			})
		return err
	}
	read := func() storage.Simul { return must(storage.Simuls.In(ctx, s, square)) }
	next := storage.Simul{Gathering: storage.Gathering{Place: square, ID: 70},
		Simul: simul.New(giver, game.Terms{Rules: game.Gomoku9, First: game.Black}, noon)}
	y.once(func(s *storage.Store, _ game.MemberID) error {
		_, err := storage.Simuls.Begin(ctx, s, noon, next)
		return err
	})
	y.want("version", int(read().Version), 1)
	next.ID++
	if x, err := storage.Simuls.Begin(ctx, s, noon, next); !errors.Is(err, storage.ErrHere) || x.ID != 70 {
		y.t.Errorf("a second one: %+v, %v", x, err)
	}
	y.once(func(s *storage.Store, m game.MemberID) error {
		return change(ctx, s, 1000+uint64(m), func(x simul.Simul) (simul.Simul, error) { return x.Join(m, noon) })
	})
	y.want("opponents", len(read().Opponents), players)
	y.want("version", int(read().Version), 1+players)
	// The interaction by which somebody left, again after they have come back.
	leave := func(x simul.Simul) (simul.Simul, error) { return x.Leave(1, noon) }
	must(0, change(ctx, s, 2000, leave))
	must(0, change(ctx, s, 2001, func(x simul.Simul) (simul.Simul, error) { return x.Join(1, noon) }))
	y.once(func(s *storage.Store, _ game.MemberID) error { return change(ctx, s, 2000, leave) })
	y.want("opponents after one has left twice", len(read().Opponents), players)
	y.once(func(s *storage.Store, _ game.MemberID) error {
		return change(ctx, s, 2002, func(x simul.Simul) (simul.Simul, error) { return x.Start(giver, noon) })
	})
	y.want("due", len(must(storage.Simuls.Due(ctx, s, noon, 9, func(p venue.Place) bool { return p == square }))), 1)
	y.once(func(s *storage.Store, _ game.MemberID) error {
		_, _, err := s.SettleSimul(ctx, square, noon, next.Game)
		return err
	})
	y.want("matches", len(must(s.InChannel(ctx, square))), players)
	y.once(func(s *storage.Store, m game.MemberID) error {
		for _, o := range read().Opponents {
			if o.Member == m {
				_, err := s.Update(ctx, o.Match, storage.Cause{Interaction: 3000 + uint64(m), At: noon, By: m},
					func(x game.Match) (game.Match, error) { return x.Resign(m, noon) })
				return err
			}
		}
		return nil
	})
	x := read()
	for _, o := range x.Opponents {
		if o.Result != simul.Won {
			y.t.Errorf("the giver has %v against %d", o.Result, o.Member)
		}
	}
	if !x.Over() {
		y.t.Error("it is not over")
	}
	linked := 0
	return row{'N', "O", func(ctx context.Context) error {
		linked++
		at := storage.Cause{At: noon}
		_, err := storage.Simuls.Update(ctx, s, square, at, func(x storage.Simul) (storage.Simul, error) {
			x.Linked = linked
			return x, nil
		})
		return err
	}, func() (uint32, error) {
		x, err := storage.Simuls.In(ctx, s, square)
		return x.Version, err
	}, func(all storage.Dossier) int { return len(all.Others["simuls"]) }}
}

// fenced changes a row under a lease: while a process holds it, and after it has given it up.
func (y *yard) fenced(r row) {
	y.t.Helper()
	var leases lease.Leases = lease.Alone{}
	switch e := y.engine.(type) {
	case lease.Leases:
		leases = e
	case *kv.Memory:
		leases, _ = lease.NewTable().Process()
	}
	gained := make(chan struct{})
	share := must(leases.Join(y.t.Context(),
		lease.Group{Name: "squares", Slots: 1, Gained: func(lease.Share, []int) { close(gained) }}))
	<-gained
	ctx, _ := share.Under(y.t.Context(), 0)
	was := must(r.read())
	if err := r.change(ctx); err != nil {
		y.t.Errorf("under a lease: %v", err)
	}
	y.want("version", int(must(r.read())), int(was)+1)
	share.Close()
	err := r.change(ctx)
	if errors.Is(err, kv.ErrFenced) != share.Shared() {
		y.t.Errorf("without the lease: %v", err)
	}
	if err != nil {
		y.want("version without the lease", int(must(r.read())), int(was)+1)
	}
}

// forgotten has the first player delete their data, by two processes at once.
func (y *yard) forgotten(kind string, r row) {
	y.t.Helper()
	ctx, s := y.t.Context(), y.stores[0]
	var out bytes.Buffer
	if err := s.Export(ctx, &out, nil); err != nil || strings.Count(out.String(), `"kind":"`+kind+`"`) != 1 {
		y.t.Errorf("%v in %s", err, out.String())
	}
	y.want("what is stored of a member", r.knows(must(s.Everything(ctx, 1))), 1)
	var wait sync.WaitGroup
	for _, s := range y.stores[:2] {
		wait.Go(func() {
			if err := s.Forget(ctx, 1, noon); err != nil {
				y.t.Error(err)
			}
		})
	}
	wait.Wait()
	y.want("what is stored afterwards", r.knows(must(s.Everything(ctx, 1))), 0)
	y.sound()
}

// damaged reads rows that are cut off, too long, or of a version to come. None of them is taken for no row.
func (y *yard) damaged(r row) {
	y.t.Helper()
	var at, good []byte
	must(0, y.engine.View(y.t.Context(), func(tx kv.Reader) error {
		return tx.Scan([]byte{r.table}, []byte{r.table + 1}, func(k, v []byte) bool {
			at, good = bytes.Clone(k), bytes.Clone(v)
			return false
		})
	}))
	for _, bad := range [][]byte{{}, good[:1], good[:len(good)/2], good[:len(good)-1], append(bytes.Clone(good), 0),
		append([]byte{99}, good[1:]...)} {
		Put(y.t, y.engine, at, bad)
		if _, err := r.read(); err == nil || errors.Is(err, storage.ErrNotFound) {
			y.t.Errorf("%d of %d bytes: %v", len(bad), len(good), err)
		}
		if err := r.change(y.t.Context()); err == nil {
			y.t.Errorf("%d of %d bytes can be changed", len(bad), len(good))
		}
		if _, err := storage.Verify(y.t.Context(), y.engine); err == nil {
			y.t.Errorf("%d of %d bytes pass the check", len(bad), len(good))
		}
	}
	Put(y.t, y.engine, at, good)
	y.sound()
}

// deleted has the bot leave the server: a month later nothing is left.
func (y *yard) deleted(r row) {
	y.t.Helper()
	ctx, s := y.t.Context(), y.stores[0]
	must(0, errors.Join(s.ServerLeft(ctx, square.Server, noon), s.Sweep(ctx, noon.AddDate(0, 0, 40))))
	if _, err := r.read(); !errors.Is(err, storage.ErrNotFound) {
		y.t.Errorf("after the server's deletion: %v", err)
	}
	for _, line := range All(y.t, y.engine) {
		if strings.IndexByte(r.others+string(r.table), line[0]) >= 0 {
			y.t.Errorf("a row is left: %q", line)
		}
	}
	y.sound()
}
