package puzzles

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/ai/puzzle"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/daily"
	"tengen/internal/testkit"
	"tengen/internal/zone"
	"tengen/storage"
)

var noon = testkit.At("2026-11-23 12:00")

// Every zone that is offered is taken.
func TestZones(t *testing.T) {
	for _, name := range zones {
		if _, ok := zone.Named(name); !ok {
			t.Errorf("%s is refused", name)
		}
	}
}

// Every position of every puzzle fits into a custom id, and comes back from it.
func TestPress(t *testing.T) {
	for _, z := range shown(puzzle.Collection, nil) {
		b := board{Puzzle: z, id: z.ID(), mode: inRun, match: 1<<63 - 1, stamp: 1<<32 - 1, theme: len(themes),
			level: 4, unsure: true}
		for n := range longestLine + 1 {
			b.moves = nil
			for i := range n {
				b.moves = append(b.moves, game.Point(i*7))
			}
			id := b.press("show", "14.14.3.parts")
			if len(id) > 100 {
				t.Fatalf("%d characters with %d moves: %s", len(id), n, id)
			}
			got, what, arg, err := parse(testkit.Got(view.ParsePress(id)))
			got.Puzzle = z
			if err != nil || what != "show" || arg != "14.14.3.parts" || got.id != b.id || got.theme != b.theme ||
				got.stamp != b.stamp || !got.unsure || !slices.Equal(got.moves, b.moves) {
				t.Fatalf("%+v, %v", got, err)
			}
		}
	}
	for _, bad := range []string{"", "at", "at.p02.g00001", "at.p02.g00001.!.H8", "at.pz2.g00001..H8",
		"at.p0z.g00001..H8"} {
		if _, _, _, err := parse(view.Press{Arg: bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A wrong answer after which the other side makes five is said to lose, however short the refutation.
func TestWrong(t *testing.T) {
	z, ok := puzzle.Named(puzzle.Collection(), "g00013")
	if !ok {
		t.Fatal("there is no such puzzle")
	}
	j6 := game.At(9, 5)
	a, err := z.Try(t.Context(), []game.Point{j6})
	if err != nil || len(a.Refutation) != 1 || a.Game.Result().Winner != game.Black {
		t.Fatalf("Black does not make five at once: %+v, %v", a, err)
	}
	if got := wrong(view.In("en"), board{Puzzle: z}, j6, a, game.Game{}); !strings.Contains(got, "the other side wins") {
		t.Errorf("got %q", got)
	}

	// In Reversi both scores are named.
	z, _ = puzzle.Named(puzzle.Collection(), "o00001")
	a2 := game.At(0, 1)
	a = testkit.Got(z.Try(t.Context(), []game.Point{a2}))
	_, ends := board{Puzzle: z}.played(t.Context())
	if got := wrong(view.In("en"), board{Puzzle: z}, a2, a, ends); !strings.Contains(got, "24:40") ||
		!strings.Contains(got, "33:31") {
		t.Errorf("got %q", got)
	}
}

// Most right moves of five in a row lie under the first pad, or one press away from it.
func TestPressesToSolve(t *testing.T) {
	moves, one, two := 0, 0, 0
	for _, z := range shown(puzzle.Collection, nil) {
		for n, g := 0, z.Game; n < len(z.Line) && g.Rules() != game.Reversi; n++ {
			at, right := pad.Last(g), z.Line[n]
			covers := func(b chat.Button) bool {
				to, err := pad.Parse(b.ID, g.Rules().Size())
				return err == nil && to.Covers(right)
			}
			arrows := at.Moves(pad.On(g, pad.Buttons{Move: func(arg string) string { return arg }}, pad.Cols))
			switch {
			case g.Turn() != z.Turn():
			case at.Covers(right):
				moves, one = moves+1, one+1
			case slices.ContainsFunc(arrows, covers):
				moves, two = moves+1, two+1
			default:
				moves++
			}
			g, _ = g.Play(right)
		}
	}
	t.Logf("of %d moves %d take one press, %d two", moves, one, two)
	if one < moves*6/10 || one+two < moves*8/10 {
		t.Errorf("of %d moves %d take one press, %d two", moves, one, two)
	}
}

// No puzzle comes twice, and those that come are near the rating.
func TestSuited(t *testing.T) {
	list := shown(puzzle.Collection, game.Reversi)
	s := storage.Solver{Rules: game.Reversi}
	seen := map[string]bool{}
	for range list {
		z, ok := suited(s, list, "", normal, noon)
		again, _ := suited(s, list, "", normal, noon)
		if !ok || seen[z.ID()] || again.ID() != z.ID() {
			t.Fatalf("%s after %d, then %s", z.ID(), len(seen), again.ID())
		}
		seen[z.ID()] = true
		s = tried(s, z, z.Rating < 1400, false, noon)
	}
	if _, ok := suited(s, list, "", normal, noon); ok {
		t.Error("there is a puzzle left")
	}
	if s.R < 1200 || s.R > 1600 || s.Tried != len(list) {
		t.Errorf("a solver of 1400 is rated %.0f after %d", s.R, s.Tried)
	}
	easy, _ := suited(storage.Solver{}, list, "", 0, noon)
	hard, _ := suited(storage.Solver{}, list, "", 4, noon)
	if hard.Rating-easy.Rating < 600 {
		t.Errorf("easiest is %d, hardest %d", easy.Rating, hard.Rating)
	}
	if z, ok := suited(storage.Solver{}, list, "corner", normal, noon); !ok || !z.About("corner") {
		t.Errorf("%v is not about corners", z.Themes())
	}
}

// Every theme of the collection can be chosen, and has words.
// firsts are the first n puzzles of a newcomer, who solves those below a rating.
func firsts(of game.Rules, n, solves int) (list []puzzle.Puzzle) {
	s, shelf := storage.Solver{Rules: of}, shown(puzzle.Collection, of)
	for len(list) < n {
		z, _ := suited(s, shelf, "", normal, noon)
		list = append(list, z)
		s = tried(s, z, z.Rating < solves, false, noon)
	}
	return list
}

// A newcomer's first puzzles are short, with few stones, and begin near 800: whoever solves them
// comes to their own rating soon.
func TestFirstPuzzles(t *testing.T) {
	for _, of := range rules {
		fit, all := 0, 0
		for _, solves := range []int{0, 600, 800, 1000, 1200, 1500, 1900, 3000} {
			list := firsts(of, 17, solves)
			if first := list[0].Rating; first < 780 || first > 820 {
				t.Errorf("%s: the first puzzle has %d points", of.Name(), first)
			}
			for _, z := range list[:firstPuzzles] {
				stones := z.Game.Position().Count(game.Black) + z.Game.Position().Count(game.White)
				all++
				if len(z.Line) <= 3 && z.Kind != puzzle.Defend && (stones <= 16 || of == game.Reversi && stones >= 52) {
					fit++
				}
			}
			if last := list[16].Rating; solves >= 800 && solves <= 1900 && (last < solves-150 || last > solves+150) {
				t.Errorf("%s: who solves puzzles below %d has one of %d in the end", of.Name(), solves, last)
			}
		}
		t.Logf("%s: %d of %d first puzzles are short, with few stones", of.Name(), fit, all)
		testkit.Want(t, of.Name(), fit, all)
	}
}

func TestThemes(t *testing.T) {
	for _, z := range shown(puzzle.Collection, nil) {
		for _, s := range z.Themes() {
			if !slices.ContainsFunc(themes, func(theme string) bool { return s == theme || strings.HasPrefix(s, theme+"-") }) {
				t.Errorf("%s has the theme %s", z.ID(), s)
			}
		}
	}
}

// A chosen theme is a hint: a win counts less than a loss does.
func TestTried(t *testing.T) {
	z := shown(puzzle.Collection, game.Gomoku15)[0]
	plain := tried(storage.Solver{}, z, true, false, noon).R - firstR
	hinted := tried(storage.Solver{}, z, true, true, noon).R - firstR
	lost := firstR - tried(storage.Solver{}, z, false, true, noon).R
	if plain <= 0 || hinted >= plain/4 || lost <= hinted {
		t.Errorf("won %.0f, won with the theme %.0f, lost with it %.0f", plain, hinted, lost)
	}
}

// What a manager does not name stays as it was. A member's tries are a square each.
func TestChosen(t *testing.T) {
	d := chosen(storage.Daily{}, 2, "here", "09:00", "Europe/Berlin", noon)
	if again := chosen(d, 3, "", "", "", noon); again.Channel != 2 || again.Hour != 9 ||
		again.Zone != "Europe/Berlin" || !again.Next.Equal(noon.Add(20*time.Hour)) {
		t.Errorf("here at nine: %+v", again)
	}
	if off := chosen(d, 2, "off", "", "", noon); !off.Next.IsZero() || off.Channel != 0 || off.Hour != 9 {
		t.Errorf("off: %+v", off)
	}
	testkit.Want(t, "squares", squares(daily.Taking{Tries: "xhosp"}), "🟥🟨🟩⬜")
}

// later is a server after so many days more, with their puzzles.
func later(all shelf, d storage.Daily, n int) (_ storage.Daily, ids []string) {
	for range n {
		begins := noon
		if d.Count > 0 {
			begins = d.Day.Begins.Add(24 * time.Hour)
		}
		d = turned(all, d, begins, 1)
		ids = append(ids, d.Day.Puzzle)
	}
	return d, ids
}

// Servers have orders of their own, which hold every puzzle for everybody once.
func TestDaysOfAServer(t *testing.T) {
	all := func() []puzzle.Puzzle { return some(100) }
	_, one := later(all, storage.Daily{Server: 1}, 2*len(dailies(all)))
	_, two := later(all, storage.Daily{Server: 2}, len(dailies(all)))
	round := one[:len(two)]
	if !slices.Equal(round, one[len(two):]) {
		t.Error("the second round differs from the first")
	}
	for i, z := range shuffled(dailies(all), 1) { // as it was when a day went by its number
		if z.ID() != round[i] {
			t.Fatalf("day %d: %s, want %s", i, round[i], z.ID())
		}
	}
	same, seen := 0, map[string]bool{}
	for i, id := range round {
		seen[id] = true
		if id == two[i] {
			same++
		}
	}
	if len(seen) != len(round) || same > 10 {
		t.Errorf("%d puzzles in %d days; two servers have %d days in common", len(seen), len(round), same)
	}
}

// A collection that grows, and in which puzzles are rated anew, brings no puzzle back that a server
// has had.
func TestDaysOfAGrowingCollection(t *testing.T) {
	last := some(300)
	for i := range last {
		last[i].Rating += 50 - i%100 // some are for everybody only now, and some no longer
	}
	for server := range uint64(20) {
		d, seen := storage.Daily{Server: server}, map[string]bool{}
		for _, list := range [][]puzzle.Puzzle{some(120), some(200), some(300), last} {
			var ids []string
			d, ids = later(func() []puzzle.Puzzle { return list }, d, 10)
			for _, id := range ids {
				if seen[id] {
					t.Errorf("server %d: %s comes back within %d days", server, id, d.Count)
				}
				seen[id] = true
			}
		}
	}
}

// some are so many puzzles of each game, the first ones.
func some(n int) (list []puzzle.Puzzle) {
	for _, z := range puzzle.Collection() {
		if z.Number <= n {
			list = append(list, z)
		}
	}
	return list
}

// A storm lives on mistakes and right moves, a streak on right ones alone. Undecided counts for
// nothing, once.
func TestAnswered(t *testing.T) {
	storm := storage.Run{Kind: storage.StormRun, Rules: game.Renju, Ends: noon}
	for range 5 {
		storm, _ = answered(storm, puzzle.Right)
	}
	if !storm.Ends.Equal(noon.Add(3 * time.Second)) {
		t.Errorf("five right moves: until %v", storm.Ends)
	}
	storm, lost := answered(storm, puzzle.Undecided)
	if lost || storm.Combo != 5 || storm.Step != 0 {
		t.Errorf("undecided: %+v", storm)
	}
	storm, lost = answered(storm, puzzle.Undecided)
	if lost || storm.Combo != 0 || storm.Step != 1 || !storm.Ends.Equal(noon.Add(-7*time.Second)) || !late(storm, noon) {
		t.Errorf("undecided again: %+v", storm)
	}
	streak, lost := answered(storage.Run{Kind: storage.StreakRun, Rules: game.Renju}, puzzle.Solved)
	if lost || streak.Solved != 1 || late(streak, noon) {
		t.Errorf("solved: %+v", streak)
	}
	if _, lost = answered(streak, puzzle.Wrong); !lost {
		t.Error("a streak goes on after a wrong answer")
	}
	over, best := closed(streak, noon)
	if over.Kind != storage.NoRun || best.Day != 1 || best.Ever != 1 {
		t.Errorf("%+v %+v", over, best)
	}
	if b := aged(best, noon.Add(8*24*time.Hour)); b.Day != 0 || b.Week != 0 || b.Ever != 1 {
		t.Errorf("a week later: %+v", b)
	}
}

// course is the first puzzles of a run, each of which the solver has seen then.
func course(list []puzzle.Puzzle, v storage.Run, s storage.Solver, n int) (_ []puzzle.Puzzle, after storage.Solver) {
	var some []puzzle.Puzzle
	for v.Step = range n {
		z, ok := next(list, v, s, noon)
		if !ok {
			break
		}
		some, s = append(some, z), s.Showed(z.Number, noon, false)
	}
	return some, s
}

// A streak begins with two easy puzzles, and from the third on each is harder than the one before.
// A storm leads up slowly. Both begin easily in every game, however often a member runs.
func TestRunsLeadUp(t *testing.T) {
	for _, of := range rules {
		list, s := shown(puzzle.Collection, of), storage.Solver{Rules: of}
		for seed := range uint64(20) {
			var some []puzzle.Puzzle
			some, s = course(list, storage.Run{Kind: storage.StreakRun, Rules: of, Seed: seed}, s, 20)
			for n, z := range some {
				switch {
				case n < 3 && z.Rating >= 800:
					t.Errorf("%s, streak %d: puzzle %d is rated %d", of.Name(), seed, n+1, z.Rating)
				case n >= 2 && seed == 0 && z.Rating <= some[n-1].Rating:
					t.Errorf("%s: puzzle %d is rated %d after %d", of.Name(), n+1, z.Rating, some[n-1].Rating)
				case n == 19 && seed == 0 && z.Rating < 1800:
					t.Errorf("%s: the twentieth puzzle is rated %d", of.Name(), z.Rating)
				}
			}
			if seed == 0 {
				storm, _ := course(list, storage.Run{Kind: storage.StormRun, Rules: of}, s, 30)
				if first, last := storm[0].Rating, storm[29].Rating; first >= 700 || last < 900 || last > 1300 {
					t.Errorf("%s: a storm leads from %d to %d", of.Name(), first, last)
				}
			}
		}
	}
}

// A run of few puzzles has each once. One whose puzzles the member has all seen of late begins with
// those that they saw longest ago.
func TestNextOfFew(t *testing.T) {
	list := shown(puzzle.Collection, game.Renju)[:5]
	s := storage.Solver{Rules: game.Renju}
	for n, z := range list {
		s = s.Showed(z.Number, noon.Add(time.Duration(n-9)*24*time.Hour), false)
	}
	some, _ := course(list, storage.Run{Kind: storage.StreakRun, Rules: game.Renju}, s, 9)
	if len(some) != len(list) {
		t.Fatalf("%d puzzles of %d", len(some), len(list))
	}
	for n, z := range some {
		if z.Number != list[n].Number {
			t.Errorf("puzzle %d is %s, want %s", n+1, z.ID(), list[n].ID())
		}
	}
}

// A win that a member missed is a puzzle of theirs, and of nobody else.
func TestOwned(t *testing.T) {
	z, _ := puzzle.Named(puzzle.Collection(), "g00013")
	terms := game.Terms{Rules: z.Game.Rules(), Start: z.Game.Position(), Opening: game.ImportedOpening, First: z.Turn()}
	m := testkit.Got(game.NewMatch(1, terms, 7, game.SeatFor(7), game.SeatEngine(3), noon, time.Time{}))
	made := review.Review{Plies: []review.Ply{{N: 1, By: z.Turn(), Note: review.MissedWin, Line: z.Line},
		{N: 2, Note: review.LetThrough, Line: z.Line},
		{N: 3, By: z.Turn().Other(), Note: review.MissedWin, Line: z.Line}}}
	mine, ok := owned(m, made, 1, 7)
	if !ok || mine.Game.Position() != z.Game.Position() || !slices.Equal(mine.Line, z.Line) {
		t.Errorf("%v: %v", ok, mine.Line)
	}
	if a, err := mine.Try(t.Context(), z.Line[:1]); err != nil || a.Verdict != puzzle.Right {
		t.Errorf("%v, %v", a.Verdict, err)
	}
	for _, c := range []struct {
		n  int
		by game.MemberID
	}{{1, 8}, {2, 7}, {0, 7}, {3, 7}, {4, 7}} {
		if _, ok := owned(m, made, c.n, c.by); ok {
			t.Errorf("ply %d is a puzzle of %d", c.n, c.by)
		}
	}
}
