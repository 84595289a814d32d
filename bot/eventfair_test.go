package bot

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// contest runs f on a tournament that has begun, of so many members, with the time that its form names.
func contest(t *testing.T, members int, kind, pace string, f func(x *tourney)) {
	synctest.Test(t, func(t *testing.T) {
		x := newTourney(t, 0)
		defer x.close()
		host := x.host()
		x.make(host, kind, pace)
		for n := range members {
			x.join(n + 1)
		}
		x.begins(host)
		x.until("making its matches", func(e storage.Event) bool { return !e.Owes() }, func() {})
		f(x)
	})
}

// board is the newest board of a member, and the match of it.
func (x *tourney) board(member string) (b event.Board, id game.MatchID) {
	x.t.Helper()
	e := x.event()
	for r, boards := range e.Paired {
		for i, other := range boards {
			for _, n := range []int{other.White, other.Black} {
				if n > 0 && x.who(e.Entrants[n-1].Seat.Member) == member {
					b, id = other, e.Matches[r][i].Match
				}
			}
		}
	}
	if id == 0 {
		x.t.Fatalf("%s has no board", member)
	}
	return b, id
}

// says has a member give a command about a match, and press its first question's button.
func (x *tourney) says(member, command string, id game.MatchID, presses ...string) {
	m := x.Member(member).Try()
	place := x.placeOf(m, testkit.Got(x.truth.Match(x.t.Context(), id)).Place.Channel)
	m.Slash(place, command+" game:#"+keyOf(id))
	for _, label := range presses {
		m.Press(place, label)
	}
	time.Sleep(2 * time.Second)
}

// givesUp has a member give a match up that has not begun.
func (x *tourney) givesUp(member string, id game.MatchID) {
	x.t.Helper()
	for range 5 {
		if rec, err := x.truth.Match(x.t.Context(), id); err != nil || rec.Phase == game.Over {
			return
		}
		x.says(member, "/game do:resign", id, "Forfeit")
	}
	x.t.Fatalf("%s cannot give the game up", member)
}

// waitsFor gives the tournament once it is as wanted, or as it is after so long.
func (x *tourney) waitsFor(long time.Duration, wanted func(storage.Event) bool) (e storage.Event) {
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(time.Second) {
		if e = x.event(); wanted(e) {
			break
		}
	}
	return e
}

// In an arena nobody stops a game to spare themselves a rival: who does not want to play gives the game up,
// the other has the point, and both are paired again at once.
func TestArenaGameIsNotAborted(t *testing.T) {
	t.Parallel()
	contest(t, 4, "arena", "5m", func(x *tourney) {
		_, id := x.board("m01")
		x.says("m01", "/game do:abort", id)
		if b, now := x.board("m01"); now != id || !b.Open() {
			t.Fatalf("the game was stopped: %+v", b)
		}
		rec, err := x.truth.Match(t.Context(), id)
		if err != nil || rec.Phase != game.Playing {
			t.Fatalf("phase %v: the game was stopped (%v)", rec.Phase, err)
		}
		e := x.event()
		for i, b := range e.Paired[0] { // so that four wait
			x.givesUp(x.who(e.Entrants[b.Black-1].Seat.Member), e.Matches[0][i].Match)
		}
		e = x.waitsFor(15*time.Second, func(e storage.Event) bool { return len(e.Paired) > 1 })
		for i, b := range e.Paired[0] {
			if b.Results != [2]event.Result{event.ForfeitWin, event.ForfeitLoss} {
				t.Errorf("board %d: %q: white has no point", i+1, b.Results)
			}
		}
		if len(e.Paired) != 2 || len(e.Paired[1]) != 2 {
			t.Errorf("%d waves: they are not paired again at once", len(e.Paired))
		}
	})
}

// A Swiss round goes on: no member stops a game of it, and a game that is given up counts.
func TestSwissGameIsNotAborted(t *testing.T) {
	t.Parallel()
	contest(t, 4, "swiss", "r1d", func(x *tourney) {
		e := x.event()
		for i, b := range e.Paired[0] {
			name := x.who(e.Entrants[b.Black-1].Seat.Member)
			x.says(name, "/game do:abort", e.Matches[0][i].Match)
			x.givesUp(name, e.Matches[0][i].Match)
		}
		e = x.waitsFor(time.Minute, func(e storage.Event) bool { return len(e.Paired) > 1 })
		for i, b := range e.Paired[0] {
			if b.Results != [2]event.Result{event.ForfeitWin, event.ForfeitLoss} {
				t.Errorf("board %d: %q: white has no point", i+1, b.Results)
			}
		}
		testkit.Want(t, "rounds", len(e.Paired), 2)
	})
}

// Who is away does not win: two members who never move have no point, in whatever kind of tournament. The host has
// nothing to do there, also where the game is forgotten at the moment at which its round ends.
func TestAwayNeverWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, pace string
		lasts      time.Duration
	}{{"arena", "1m", 12 * time.Minute}, {"swiss", "1m", 12 * time.Minute}, {"robin", "5m", 12 * time.Minute},
		{"swiss", "r1d", 26 * time.Hour}, {"swiss", "r7d", 7*24*time.Hour + time.Minute}} {
		contest(t, 2, c.kind, c.pace, func(x *tourney) {
			time.Sleep(c.lasts)
			e := x.event()
			for _, s := range e.Standings() {
				if s.Points != 0 {
					t.Errorf("%s, %s: number %d has %v points", c.kind, c.pace, s.ID, s.Points)
				}
			}
			if c.kind == "arena" && len(e.Paired) != 1 {
				t.Errorf("%d games of two who are away", len(e.Paired))
			}
			if b := e.Paired[0][0]; b.Results != [2]event.Result{event.ForfeitLoss, event.ForfeitLoss} {
				t.Errorf("%s, %s: %q", c.kind, c.pace, b.Results)
			}
			if n := count(e, storage.Stuck); n != 0 {
				t.Errorf("%s, %s: the host was told %d times that it waits", c.kind, c.pace, n)
			}
		})
	}
}

// Whose board is gone with its thread loses nothing, and the host is told what to do, once: when the time of the round
// is over, and in an arena at once.
func TestBoardIsGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind         string
		early, later time.Duration // when the host is not told yet, and when they are
	}{{"swiss", 2*time.Hour - time.Minute, 2*time.Hour + time.Minute}, {"arena", 0, time.Minute}} {
		contest(t, 2, c.kind, "1m", func(x *tourney) {
			host := x.Member("host").Try()
			_, id := x.board("m01")
			rec, err := x.truth.Match(t.Context(), id)
			testkit.Must(t, err)
			place := x.placeOf(host, rec.Place.Channel)
			if place == "#gomoku" {
				t.Fatalf("%s: the board has no thread", c.kind)
			}
			told := func(times int) {
				t.Helper()
				e := x.event()
				if n := count(e, storage.Stuck); n != times || !e.Paired[0][0].Open() {
					t.Errorf("%s: the host was told %d times, not %d: %+v", c.kind, n, times, e.Paired[0][0])
				}
			}
			x.DeleteChannel(place)
			time.Sleep(c.early)
			told(0)
			time.Sleep(c.later - c.early)
			told(1)
			seen := host.Sees("#gomoku")
			for _, want := range []string{"@host · Board 1 of round 1 stands still: its channel is gone, or it was paused.",
				"`#" + view.Name(id) + "` stands still", "[Set a result…]"} {
				if !strings.Contains(seen, want) {
					t.Errorf("%s: no %q in\n%s", c.kind, want, seen)
				}
			}
			if c.kind == "swiss" && strings.Contains(seen, "it ends ") {
				t.Errorf("the end of the round is past:\n%s", seen)
			}
			time.Sleep(30 * time.Minute)
			told(1)
			host.Slash("#gomoku", "/game do:abort game:#"+keyOf(id))
			host.Press("#gomoku", "Replay the board")
			time.Sleep(20 * time.Second)
			rec, err = x.truth.Match(t.Context(), x.event().Matches[0][0].Match)
			if err != nil || rec.ID == id || rec.Phase != game.Playing || !rec.Rested.IsZero() {
				t.Errorf("%s: the board is not replayed: match %d after %d, %v", c.kind, rec.ID, id, err)
			}
			seen = host.SeesLast("#gomoku")
			if strings.Contains(seen, "stands still") || strings.Contains(seen, "[Set a result…]") {
				t.Errorf("%s: a board that is replayed still waits:\n%s", c.kind, seen)
			}
		})
	}
}

// count is how often something was done in an event.
func count(e storage.Event, what storage.AuditKind) (n int) {
	for _, d := range e.History {
		if d.What == what {
			n++
		}
	}
	return n
}

// A game of two bots in a tournament goes on: its board has no button that stops it, and one of before stops
// nothing.
func TestBotsGameIsNotStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newTourney(t, 0)
		defer x.close()
		host := x.host()
		x.make(host, "robin", "r1d")
		testkit.Got(x.procs[0].store.UpdateEvent(t.Context(), x.event().ID, storage.Cause{At: time.Now()},
			func(e storage.Event) (_ storage.Event, err error) {
				for level := 1; level <= 2 && err == nil; level++ {
					e, err = e.Join(e.Owner, game.SeatEngine(level), 900, time.Now())
				}
				return e, err
			}))
		x.begins(host)
		x.until("making its matches", func(e storage.Event) bool { return !e.Owes() }, func() {})
		rec := testkit.Got(x.truth.Match(t.Context(), x.event().Matches[0][0].Match))
		place := x.placeOf(host, rec.Place.Channel)
		if seen := host.SeesLast(place); strings.Contains(seen, "[Stop]") || strings.Contains(seen, "[Pause]") {
			t.Errorf("the board can be stopped:\n%s", seen)
		}
		sc := testkit.Got(x.truth.Screen(t.Context(), rec.ID))
		for _, verb := range []string{"stop", "pause"} {
			host.PressStale(strconv.FormatUint(sc.Message, 10), view.On(rec.Match, verb, ""))
		}
		rec = testkit.Got(x.truth.Match(t.Context(), rec.ID))
		if end := rec.Result().Termination; end == game.Aborted || !rec.Rested.IsZero() {
			t.Errorf("the game was stopped: %v, rests since %v", end, rec.Rested)
		}
	})
}
