package storage

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// TestLives lets members do all that can be done to matches, at random, with restarts in
// between, and holds all rows against one another after each step.
func TestLives(t *testing.T) {
	seeds, steps := 3, 250
	switch {
	case os.Getenv("TENGEN_FULL") != "":
		seeds, steps = 15, 1500
	case testing.Short():
		seeds, steps = 1, 150
	}
	for seed := range seeds {
		lives(t, uint64(seed), steps)
	}
}

// crowd is members who play.
type crowd struct {
	*bench
	rng     *rand.Rand
	members []game.MemberID
	known   []game.MatchID
	refused int
}

func lives(t *testing.T, seed uint64, steps int) {
	path := filepath.Join(testkit.Scratch(t), "tengen.db")
	db, s := fileStore(t, path)
	c := &crowd{bench: &bench{Store: s, t: t, engine: db, now: noon}, rng: rand.New(rand.NewPCG(seed, 5)),
		members: []game.MemberID{11, 12, 13, 14, 15}}
	c.options.Limits, c.options.Chunk = Limits{Open: 2, Pair: 1, Running: 4, Engine: 2}, 11
	for range steps {
		c.now = c.now.Add(time.Duration(c.rng.IntN(600)) * time.Second)
		err := c.act()
		switch {
		case err == nil:
		case errors.As(err, new(*game.Refusal)), errors.As(err, new(*Limit)), errors.Is(err, ErrNotFound),
			errors.As(err, new(event.Code)), errors.Is(err, event.ErrOutOfReach), errors.Is(err, ErrManyEvents),
			errors.Is(err, errNobody), errors.Is(err, ErrHere), errors.Is(err, simul.ErrOver),
			errors.Is(err, simul.ErrStarted), errors.Is(err, simul.ErrAlone), errors.Is(err, simul.ErrNotYours):
			c.refused++
		default:
			t.Fatalf("seed %d: %v", seed, err)
		}
		if c.rng.IntN(40) == 0 {
			options := c.options
			testkit.Must(t, db.Close())
			if db, c.Store = fileStore(t, path); t.Failed() {
				return
			}
			c.engine, c.options = db, options
		}
		if _, err := Verify(t.Context(), c.engine); err != nil {
			t.Fatalf("seed %d: the store is not sound: %v", seed, err)
		}
	}
	c.compare()
	t.Logf("seed %d: %d steps, %d refused: %+v", seed, steps, c.refused, first(c.Stats(t.Context())))
	testkit.Must(t, db.Close())
}

func (c *crowd) member() game.MemberID { return c.members[c.rng.IntN(len(c.members))] }

func (c *crowd) place() venue.Place {
	return venue.Place{Server: 100 + uint64(c.rng.IntN(2)), Channel: 200 + uint64(c.rng.IntN(2))}
}

func (c *crowd) match() game.MatchID {
	if len(c.known) == 0 {
		return 1
	}
	recent := c.known[max(len(c.known)-8, 0):]
	return recent[c.rng.IntN(len(recent))]
}

// act is one thing that somebody does, or time.
func (c *crowd) act() error {
	ctx := c.t.Context()
	if c.rng.IntN(5) == 0 {
		return c.gather()
	}
	switch n := c.rng.IntN(100); {
	case n < 10:
		return c.invite()
	case n < 75:
		_, err := c.Update(ctx, c.match(), c.cause(), func(m game.Match) (game.Match, error) { return c.something(m) })
		return err
	case n < 79:
		_, next, err := c.Rematch(ctx, c.match(), c.cause(),
			func(m game.Match, next game.MatchID) (game.Match, game.Match, error) {
				m, err := m.Rematch(m.Seats[c.rng.IntN(2)].Member, next, c.now)
				if err != nil || m.Next != next {
					return m, game.Match{}, err
				}
				after, err := m.Successor(nil, c.rng.Uint64(), c.now)
				return m, after, err
			})
		if next.ID != 0 {
			c.known = append(c.known, next.ID)
		}
		return err
	case n < 82:
		_, err := c.Move(ctx, c.match(), c.cause(), c.place(), nil)
		return err
	case n < 88:
		_, err := c.SetScreen(ctx, c.match(), func(s Screen) (Screen, error) {
			s.Message, s.Shown, s.Posted = c.rng.Uint64(), s.Wanted, c.now
			return s, nil
		})
		return err
	case n < 92:
		for _, w := range first(c.Owed(ctx)) {
			if _, err := c.Try(ctx, w.Match, w.Stamp); err != nil {
				return err
			}
		}
		return nil
	case n < 96:
		if c.rng.IntN(3) == 0 {
			c.now = c.now.Add(time.Duration(c.rng.IntN(40)) * time.Hour)
		}
		return c.tick()
	case n < 97:
		return c.Forget(ctx, c.member(), c.now)
	case n < 98:
		server := 100 + uint64(c.rng.IntN(2))
		switch c.rng.IntN(4) {
		case 0, 1:
			_, err := c.ServerBack(ctx, server, c.now)
			return err
		case 2:
			return c.ServerMissed(ctx, server, c.now)
		}
		return c.ServerLeft(ctx, server, c.now)
	}
	return c.Sweep(ctx, c.now)
}

func (c *crowd) invite() error {
	cause := c.cause()
	if c.rng.IntN(2) == 0 {
		cause.Token, cause.Expires = "token", c.now.Add(15*time.Minute)
	}
	rec, err := c.Create(c.t.Context(), cause, c.place(), func(id game.MatchID) (game.Match, error) {
		from, second := c.member(), game.SeatFor(c.member())
		switch c.rng.IntN(3) {
		case 0:
			second = game.SeatEngine(1 + c.rng.IntN(8))
		case 1:
			second = game.Seat{}
		}
		terms := game.Terms{Rules: game.AllRules[c.rng.IntN(len(game.AllRules))], Seed: c.rng.Uint64(), Rated: true}
		if c.rng.IntN(2) == 0 {
			terms.Clock.Each = time.Hour
		}
		return game.NewMatch(id, terms, from, game.SeatFor(from), second, c.now, c.now.Add(2*time.Hour))
	})
	if err == nil {
		c.known = append(c.known, rec.ID)
	}
	return err
}

// errNobody says that there is no event to do anything in.
var errNobody = errors.New("no event")

// gather is something in an event or on a ladder.
func (c *crowd) gather() error {
	ctx := c.t.Context()
	server, rules := 100+uint64(c.rng.IntN(2)), game.AllRules[c.rng.IntN(2)]
	switch c.rng.IntN(14) {
	case 12, 13:
		return c.oneAgainstAll(c.place())
	case 0:
		_, err := c.CreateEvent(ctx, c.cause(), c.place(), func() (Event, error) {
			e := Event{Setup: Setup{Game: game.Terms{Rules: rules, Rated: true}}, Owner: c.member()}
			e.Kind, e.Rounds, e.Length = event.Kind(c.rng.IntN(5)), 3, time.Duration(c.rng.IntN(3))*24*time.Hour
			if c.rng.IntN(2) == 0 {
				e.Starts, e.CheckIn = c.now.Add(time.Hour), time.Duration(c.rng.IntN(2))*time.Minute
			}
			return e, nil
		})
		return err
	case 1:
		_, err := c.UpdateLadder(ctx, server, rules, c.now, func(l Ladder) (_ Ladder, err error) {
			l.Ladder, err = l.Join(c.member(), 1500)
			return l, err
		})
		return err
	case 2:
		rec, err := c.ChallengeOnLadder(ctx, c.cause(), venue.Place{Server: server, Channel: 200},
			func(id game.MatchID) (game.Match, error) {
				from := c.member()
				return game.NewMatch(id, game.Terms{Rules: rules, Rated: true}, from, game.SeatFor(from),
					game.SeatFor(c.member()), c.now, c.now.Add(7*24*time.Hour))
			})
		if err == nil {
			c.known = append(c.known, rec.ID)
		}
		return err
	}
	events := first(c.EventsIn(ctx, server, c.rng.IntN(9) == 0, 20))
	if len(events) == 0 {
		return errNobody
	}
	id := events[c.rng.IntN(len(events))].ID
	switch c.rng.IntN(6) {
	case 0:
		e, _, err := c.SettleEvent(ctx, id, c.now, 99, ownTerms)
		for _, games := range e.Matches {
			for _, g := range games {
				if g.Match != 0 && !g.Over {
					c.known = append(c.known, g.Match)
				}
			}
		}
		return err
	case 1:
		_, _, err := c.TickEvent(ctx, id, c.now)
		return err
	}
	_, err := c.UpdateEvent(ctx, id, c.cause(), func(e Event) (Event, error) { return c.organiser(e) })
	return err
}

// oneAgainstAll is something in a simul.
func (c *crowd) oneAgainstAll(p venue.Place) error {
	ctx, by := c.t.Context(), c.member()
	switch c.rng.IntN(8) {
	case 0:
		_, err := Simuls.Begin(ctx, c.Store, c.now, Simul{Gathering: Gathering{Place: p, ID: c.cause().Interaction},
			Simul: simul.New(by, game.Terms{Rules: game.AllRules[c.rng.IntN(len(game.AllRules))]}, c.now)})
		return err
	case 1, 2, 3:
		_, id, err := c.SettleSimul(ctx, p, c.now, game.Terms{Rules: game.Gomoku15})
		if id != 0 {
			c.known = append(c.known, id)
		}
		return err
	}
	_, err := Simuls.Update(ctx, c.Store, p, c.cause(), ruled(func(x simul.Simul) (simul.Simul, error) {
		switch c.rng.IntN(8) {
		case 0:
			return x.Leave(by, c.now)
		case 1:
			return x.Stop(c.now), nil
		case 2:
			return x.Start(x.Giver, c.now)
		case 3:
			return x.Tick(c.now), nil
		}
		return x.Join(by, c.now)
	}))
	return err
}

// organiser is something that the entrants or the maker of an event do.
func (c *crowd) organiser(e Event) (Event, error) {
	by, number := c.member(), 1+c.rng.IntN(len(e.Entrants)+1)
	switch c.rng.IntN(12) {
	case 0:
		return e.Leave(by, c.now)
	case 1:
		return e.Pause(by, number, c.now)
	case 2:
		return e.Resume(by, number, c.now)
	case 3:
		return e.CheckInNow(by, c.now)
	case 4:
		r := event.Report{Board: c.rng.IntN(3), Round: c.rng.IntN(2), White: event.Win, Black: event.Loss}
		return e.Settle(by, r, "so they say", c.now)
	case 5:
		if c.rng.IntN(8) == 0 {
			return e.Close(by, c.now)
		}
		e.Message = c.rng.Uint64()
		return e, nil
	case 6, 7, 8:
		return e.Begin(by, nil, c.now)
	}
	if c.rng.IntN(6) == 0 {
		return e.Join(by, game.SeatEngine(2), 1500, c.now)
	}
	return e.Join(by, game.SeatFor(by), 1500, c.now)
}

// something is a few moves or one other thing.
func (c *crowd) something(m game.Match) (next game.Match, err error) {
	if m.Phase == game.Offered {
		return m.Accept(c.member(), c.now)
	}
	if c.rng.IntN(4) > 0 && m.Phase == game.Playing {
		for range 1 + c.rng.IntN(12) {
			points := m.Game().Legal().Points()
			if len(points) == 0 || m.Phase != game.Playing {
				break
			}
			p := points[c.rng.IntN(len(points))]
			if m.EngineToMove() {
				next, err = m.Reply(m.Stamp(), p, game.Note{Depth: 3, Nodes: 99, Win: 500}, c.now)
			} else {
				next, err = m.Play(m.Seats[m.ToMove()].Member, p, c.now)
			}
			if err != nil {
				return m, err
			}
			m = next
			if m.EngineToMove() && c.rng.IntN(3) == 0 {
				break
			}
		}
		return m, nil
	}
	script := []byte{0xF1, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9}
	by := m.Seats[c.rng.IntN(2)].Member
	switch b := script[c.rng.IntN(len(script))]; b {
	case 0xF1:
		return m.Undo(by, c.now)
	case 0xF2, 0xF3:
		return m.AnswerUndo(by, b == 0xF2, c.now)
	case 0xF4:
		return m.Draw(by, c.now)
	case 0xF5:
		return m.Resign(by, c.now)
	default:
		return step(m, b, c.now)
	}
}

func (c *crowd) tick() error {
	ctx := c.t.Context()
	for _, id := range first(c.Due(ctx, c.now, 100, nil)) {
		if _, err := c.Update(ctx, id, Cause{At: c.now}, func(m game.Match) (game.Match, error) {
			m, _, err := m.Tick(c.now)
			return m, err
		}); err != nil && !errors.As(err, new(*Limit)) {
			return err
		}
	}
	if due := first(c.Due(ctx, c.now, 100, nil)); len(due) > 0 {
		for _, id := range due { // a reminder may be followed at once by what it reminds of
			if rec := first(c.Match(ctx, id)); rec.Phase == game.Over {
				c.t.Errorf("match %d is over and due", id)
			}
		}
	}
	return nil
}

// compare holds the lists that the store gives against all matches.
func (c *crowd) compare() {
	c.t.Helper()
	ctx := c.t.Context()
	live, ended := map[game.MemberID]int{}, map[game.MemberID]int{}
	count := func(n map[game.MemberID]int) func(Record) bool {
		return func(r Record) bool {
			for _, m := range r.members() {
				n[m]++
			}
			return true
		}
	}
	testkit.Must(c.t, errors.Join(c.Live(ctx, count(live)), c.Archive(ctx, count(ended))))
	owed := map[game.MatchID]bool{}
	for _, w := range first(c.Owed(ctx)) {
		owed[w.Match] = true
	}
	testkit.Must(c.t, c.Live(ctx, func(r Record) bool {
		if owed[r.ID] != r.EngineToMove() {
			c.t.Errorf("match %d: owed %v, engine to move %v", r.ID, owed[r.ID], r.EngineToMove())
		}
		return true
	}))
	for _, m := range c.members {
		if got := len(first(c.Of(ctx, m))); got != live[m] {
			c.t.Errorf("member %d has %d live matches, the list says %d", m, live[m], got)
		}
		if got := len(first(c.History(ctx, m, 0, 1<<20))); got != ended[m] {
			c.t.Errorf("member %d has %d finished games, the list says %d", m, ended[m], got)
		}
	}
}
