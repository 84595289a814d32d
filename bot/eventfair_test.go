package bot

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/sabotage"
	"tengen/storage"
)

// contest runs f on a tournament that has begun, of so many members, with the time that its form names.
func contest(t *testing.T, members int, kind, pace string, f func(x *tourney)) {
	synctest.Test(t, func(t *testing.T) {
		x := newTourney(t, 0, sabotage.Bot{})
		defer x.close()
		host := x.Member("host").Try()
		host.Moderates("", standin.PermManageGuild|standin.PermManageMessages)
		host.Slash("#gomoku", "/event create").Submit(standin.Opt{"name", "Long Cup"}, standin.Opt{"game", "gomoku9"},
			standin.Opt{"kind", kind}, standin.Opt{"pace", pace})
		for n := 1; n <= members; n++ {
			m := x.Member(nameOf(n)).Try()
			x.until("joining", func(e storage.Event) bool { return len(e.Entrants) >= n }, func() { m.Press("#gomoku", "Join") })
		}
		x.until("starting", func(e storage.Event) bool { return len(e.Paired) > 0 }, func() {
			host.Press("#gomoku", "Manage")
			host.Choose("#gomoku", manageMenu, "start")
		})
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

// who is the name of a member.
func (x *tourney) who(id game.MemberID) string {
	for _, p := range x.People() {
		if p.ID == fmt.Sprint(uint64(id)) {
			return p.Username
		}
	}
	return ""
}

// says has a member give a command about a match, and press its first question's button.
func (x *tourney) says(member, command string, id game.MatchID, presses ...string) {
	x.t.Helper()
	m := x.Member(member).Try()
	rec, err := x.truth.Match(x.t.Context(), id)
	if err != nil {
		x.t.Fatal(err)
	}
	place := x.placeOf(m, rec.Place.Channel)
	m.Slash(place, command+" game:#"+keyOf(id))
	for _, label := range presses {
		m.Press(place, label)
	}
	time.Sleep(2 * time.Second)
}

// In an arena nobody stops a game to spare themselves a rival: who does not want to play gives the game up,
// the other has the point, and both are paired again at once.
func TestArenaGameIsNotAborted(t *testing.T) {
	t.Parallel()
	contest(t, 4, "arena", "5m", func(x *tourney) {
		_, id := x.board("m01")
		x.says("m01", "/abort", id)
		if b, now := x.board("m01"); now != id || !b.Open() {
			t.Fatalf("the game was stopped: %+v", b)
		}
		rec, err := x.truth.Match(t.Context(), id)
		if err != nil || rec.Phase != game.Playing {
			t.Fatalf("phase %v: the game was stopped (%v)", rec.Phase, err)
		}
		for _, name := range []string{"m01", "m02"} { // so that four wait
			_, id := x.board(name)
			x.says(name, "/resign", id, "Resign")
		}
		time.Sleep(4 * time.Second)
		e := x.event()
		for i, b := range e.Paired[0] {
			if b.Results[0] != event.ForfeitWin && b.Results[1] != event.ForfeitWin {
				t.Errorf("board %d: %q: nobody has the point", i+1, b.Results)
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
		for _, name := range []string{"m01", "m02"} {
			_, id := x.board(name)
			x.says(name, "/abort", id)
			x.says(name, "/resign", id, "Resign")
		}
		time.Sleep(20 * time.Second)
		e := x.event()
		for i, b := range e.Paired[0] {
			if b.Results[0] != event.ForfeitWin && b.Results[1] != event.ForfeitWin {
				t.Errorf("board %d: %q: nobody has the point", i+1, b.Results)
			}
		}
		if len(e.Paired) != 2 {
			t.Errorf("%d rounds: it stands still", len(e.Paired))
		}
	})
}

// Who is away does not win: two members who never move have no point, in whatever kind of tournament.
func TestAwayNeverWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, pace string
		lasts      time.Duration
	}{{"arena", "1m", 12 * time.Minute}, {"swiss", "1m", 12 * time.Minute}, {"robin", "5m", 12 * time.Minute}, {"swiss", "r1d", 26 * time.Hour}} {
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
		})
	}
}
