package game_test

import (
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// finished is a match of ann's that was played to its end: against the engine at a level, or
// against bob for level 0.
func finished(t *testing.T, level int, won bool, change func(*game.Match)) game.Match {
	t.Helper()
	second := game.SeatFor(bob)
	if level > 0 {
		second = game.SeatEngine(level)
	}
	b := offered(t, game.Terms{}, second)
	if level == 0 {
		b.ok(b.m.Accept(bob, noon))
	}
	moves := "h8a1h9a3h10a5h11a7h12" // Black makes five
	if !won {
		moves = "a1h8a3h9a5h10a7h11a9h12"
	}
	for _, p := range testkit.Got(game.ParseMoves(moves)) {
		switch {
		case b.m.EngineToMove():
			b.ok(b.m.Reply(b.m.Stamp(), p, game.Note{}, b.tick()))
		default:
			b.ok(b.m.Play(b.m.Seats[b.m.ToMove()].Member, p, b.tick()))
		}
	}
	if change != nil {
		change(&b.m)
	}
	return b.m
}

func TestSuggest(t *testing.T) {
	won := func(level int) game.Match { return finished(t, level, true, nil) }
	lost := func(level int) game.Match { return finished(t, level, false, nil) }
	helped := func(level int) game.Match {
		return finished(t, level, true, func(m *game.Match) { m.Spoiled = true })
	}
	other := func(level int) game.Match {
		return finished(t, level, true, func(m *game.Match) { m.Rules = game.Renju })
	}
	imported := func(level int) game.Match {
		return finished(t, level, true, func(m *game.Match) { m.Opening = game.ImportedOpening })
	}
	aborted := func(level int) game.Match {
		return finished(t, level, true, func(m *game.Match) { m.End.Termination = game.Aborted })
	}
	single := offered(t, game.Terms{}, game.SeatEngine(5))
	single.play("h8")
	single.ok(single.m.Resign(ann, single.tick()))
	for _, c := range []struct {
		name string
		past game.Past // newest first
		want game.Suggestion
	}{
		{"nobody yet", nil, game.Suggestion{2, game.NoGames}},
		{"members only", game.Past{won(0), won(0)}, game.Suggestion{2, game.NoGames}},
		{"another game", game.Past{other(5)}, game.Suggestion{2, game.NoGames}},
		{"one win", game.Past{won(3)}, game.Suggestion{3, game.AsBefore}},
		{"two wins", game.Past{won(3), won(3)}, game.Suggestion{4, game.TwoWon}},
		{"two wins at two levels", game.Past{won(4), won(3), won(3)}, game.Suggestion{4, game.AsBefore}},
		{"two wins around others", game.Past{won(3), won(0), other(7), won(3)}, game.Suggestion{4, game.TwoWon}},
		{"a win with help", game.Past{helped(3), won(3)}, game.Suggestion{3, game.AsBefore}},
		{"an imported win", game.Past{imported(5), won(3)}, game.Suggestion{3, game.AsBefore}},
		{"an aborted game", game.Past{aborted(5), won(3)}, game.Suggestion{3, game.AsBefore}},
		{"a single move", game.Past{single.m, won(3)}, game.Suggestion{3, game.AsBefore}},
		{"one loss", game.Past{lost(3), won(3)}, game.Suggestion{3, game.AsBefore}},
		{"two losses", game.Past{lost(3), lost(3)}, game.Suggestion{2, game.TwoLost}},
		{"at the top", game.Past{won(8), won(8)}, game.Suggestion{8, game.AsBefore}},
		{"at the bottom", game.Past{lost(1), lost(1)}, game.Suggestion{1, game.AsBefore}},
	} {
		testkit.Want(t, c.name, c.past.Suggest(ann, game.Gomoku15), c.want)
	}
}

func TestStreak(t *testing.T) {
	won := func(level int) game.Match { return finished(t, level, true, nil) }
	lost := func(level int) game.Match { return finished(t, level, false, nil) }
	helped := finished(t, 3, true, func(m *game.Match) { m.Spoiled = true })
	drawn := finished(t, 3, false, func(m *game.Match) { m.End.Termination = game.ByAgreement })
	for _, c := range []struct {
		name string
		last game.Match
		past game.Past
		want int
	}{
		{"a loss", lost(3), game.Past{won(3)}, 0},
		{"with help", helped, game.Past{won(3)}, 0},
		{"the first", won(3), nil, 1},
		{"three", won(3), game.Past{won(3), won(4)}, 3},
		{"a lower level between", won(3), game.Past{won(2), won(3)}, 2},
		{"help between", won(3), game.Past{helped, won(3)}, 2},
		{"a loss between", won(3), game.Past{lost(2), won(3)}, 1},
		{"a draw between", won(3), game.Past{drawn, won(3)}, 1},
		{"members between", won(3), game.Past{lost(0), won(3)}, 2},
		{"among members", won(0), game.Past{won(0), won(3), lost(5)}, 2},
	} {
		testkit.Want(t, c.name, c.past.Streak(ann, c.last), c.want)
	}
}

func TestLopsided(t *testing.T) {
	quick := finished(t, 3, true, nil)
	among := finished(t, 0, true, nil)
	white := finished(t, 3, false, nil)
	balanced := finished(t, 3, true, func(m *game.Match) { m.Opening = game.BalancedOpening })
	for _, c := range []struct {
		name string
		last game.Match
		past game.Past
		want bool
	}{
		{"two", quick, game.Past{quick}, true},
		{"one", quick, nil, false},
		{"White's", white, game.Past{quick}, false},
		{"White's before", quick, game.Past{white, quick}, false},
		{"an opening", balanced, game.Past{quick}, false},
		{"an opening before", quick, game.Past{balanced}, false},
		{"other players between", quick, game.Past{among, quick}, true},
		{"among members", among, game.Past{quick, among}, true},
	} {
		testkit.Want(t, c.name, c.past.Lopsided(c.last), c.want)
	}
}

// The first game that a member has played to a result, whatever they began or brought before it.
func TestFirst(t *testing.T) {
	numbered := func(id game.MatchID, change func(*game.Match)) game.Match {
		return finished(t, 0, true, func(m *game.Match) {
			m.ID = id
			if change != nil {
				change(m)
			}
		})
	}
	m, before := numbered(5, nil), numbered(3, nil)
	aborted := numbered(4, func(m *game.Match) { m.End.Termination = game.Aborted })
	imported := numbered(4, func(m *game.Match) { m.Opening = game.ImportedOpening })
	for _, c := range []struct {
		name string
		past game.Past
		m    game.Match
		by   game.MemberID
		want bool
	}{
		{"the only one", game.Past{m}, m, ann, true},
		{"the other's too", game.Past{m}, m, bob, true},
		{"before the archive has it", nil, m, ann, true},
		{"the second", game.Past{m, before}, m, ann, false},
		{"the first, once there is a second", game.Past{m, before}, before, ann, false},
		{"after one that was aborted", game.Past{m, aborted}, m, ann, true},
		{"after one that was brought along", game.Past{m, imported}, m, ann, true},
		{"one that was aborted", game.Past{aborted}, aborted, ann, false},
		{"somebody else's", game.Past{m}, m, 77, false},
	} {
		testkit.Want(t, c.name, c.past.First(c.by, c.m), c.want)
	}
}
