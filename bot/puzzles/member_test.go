package puzzles

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/desk"
	"tengen/bot/host"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// member is a member at puzzles, with what they are shown.
type member struct {
	*testing.T
	*Puzzles
	r     chat.Request
	now   atomic.Int64 // Unix seconds, for the goroutine that awaits the end of a storm
	shown *answers

	engine meddling
}

// meddling is the engine of a store. Something else happens before its next transaction.
type meddling struct {
	kv.Engine
	first func()
}

func (m *meddling) Update(ctx context.Context, f func(kv.Tx) error) error {
	if do := m.first; do != nil {
		m.first = nil
		do()
	}
	return m.Engine.Update(ctx, f)
}

// later lets time pass.
func (m *member) later(d time.Duration) {
	m.r.At = m.r.At.Add(d)
	m.now.Store(m.r.At.Unix())
}

func newMember(t *testing.T) *member {
	t.Helper()
	m := &member{T: t, engine: meddling{Engine: kv.NewMemory()}, shown: &answers{},
		r: chat.Request{By: 5, Place: venue.Place{Server: club, Channel: square}, At: noon}}
	m.later(0)
	store := storagetest.Store(t, &m.engine)
	seed, life := uint64(0), tasks.New(nil)
	t.Cleanup(life.End)
	blank := func(game.Game, render.Options) ([]byte, error) { return nil, nil }
	m.Puzzles = New(Config{Base: room.Base{House: home{}, Store: store, Chat: m.shown, Tasks: life,
		Log: slog.New(slog.DiscardHandler), Paint: view.Painter{Log: slog.New(slog.DiscardHandler), Draw: blank},
		Now: func() time.Time { return time.Unix(m.now.Load(), 0).UTC() }},
		Host: host.New(host.Config{Base: room.Base{Store: store}}), Desk: desk.New(desk.Config{Workers: 1}),
		Random: func() uint64 { seed++; return seed }})
	return m
}

// press presses a button.
func (m *member) press(id string) {
	m.Helper()
	v, err := view.ParsePress(id)
	if err == nil {
		err = m.Puzzles.press(m.Context(), m.r, v)
	}
	if err != nil {
		m.Fatalf("%s: %v", id, err)
	}
}

// asks asks for a puzzle.
func (m *member) asks(options map[string]string) error {
	r := m.r
	r.Options = map[string]chat.Option{}
	for name, value := range options {
		r.Options[name] = chat.Option{Text: value}
	}
	return m.puzzle(m.Context(), r)
}

// board is what the member sees.
func (m *member) board() board {
	m.Helper()
	for _, block := range m.shown.last.Blocks {
		for _, button := range block.Row {
			v, err := view.ParsePress(button.ID)
			if err != nil || v.Verb != verb {
				continue
			}
			if b, what, _, err := parse(v); err == nil && what != "go" {
				b = testkit.Got(m.found(m.Context(), m.r, b))
				return b
			}
		}
	}
	m.Fatalf("no board: %v", m.shown.last)
	return board{}
}

// solves presses the right moves of the puzzle that is shown.
func (m *member) solves() puzzle.Puzzle {
	m.Helper()
	z := m.board().Puzzle
	for b := m.board(); b.Number == z.Number; b = m.board() {
		m.press(b.press("at", b.next().String()))
		if len(b.moves)+1 == len(z.Line) {
			break
		}
	}
	return z
}

// No puzzle comes back within sixty days in any way, as long as others are left: streaks and storms,
// puzzles one after the other, with and without a theme, the member's look at the puzzle of the day.
func TestNoneComesBack(t *testing.T) {
	m := newMember(t)
	seen := map[string]int{}
	shows := func(way string, z puzzle.Puzzle) {
		if seen[z.ID()]++; seen[z.ID()] > 1 {
			t.Errorf("%s: %s comes back", way, z.ID())
		}
	}
	streak := func() {
		m.press(goPress("streak", game.Reversi))
		for range 5 {
			shows("streak", m.solves())
		}
		shows("streak", m.board().Puzzle)
		m.press(m.board().press("quit", ""))
	}
	streak()
	d, err := m.today(t.Context(), club)
	for d.Day.Puzzle[0] != 'o' && err == nil {
		m.later(24 * time.Hour)
		d, err = m.today(t.Context(), club)
	}
	testkit.Must(t, err)
	for range 8 { // 54 puzzles, with the first
		streak()
	}
	testkit.Must(t, m.daily(t.Context(), m.r))
	shows("daily", m.board().Puzzle)
	for _, theme := range []string{"", "corner", "pass"} {
		for range 3 {
			testkit.Must(t, m.asks(map[string]string{"game": "reversi", "theme": theme}))
			shows("theme "+theme, m.board().Puzzle)
			m.press(m.board().press("show", ""))
			m.press(m.board().press("next", ""))
			shows("next "+theme, m.solves())
		}
	}
	if err := m.asks(map[string]string{"game": "reversi"}); err != nil { // shown, and not tried
		t.Fatal(err)
	}
	open := m.board().Puzzle
	shows("untried", open)
	m.press(goPress("storm", game.Reversi))
	for range 10 {
		shows("storm", m.solves())
	}
	m.press(m.board().press("quit", ""))
	streak()
	if err := m.asks(map[string]string{"game": "reversi"}); err != nil || m.board().Number != open.Number {
		t.Errorf("instead of %s, which was not tried, %s: %v", open.ID(), m.board().id, err)
	}
	m.later(62 * 24 * time.Hour)
	before := len(seen)
	m.press(goPress("streak", game.Reversi))
	again := 0
	for range 12 {
		again += min(1, seen[m.solves().ID()])
	}
	if again == 0 {
		t.Errorf("after 62 days none of %d puzzles comes back", before)
	}
}

// A press in a run counts once: pressed again, on a board that has moved on, it brings the board as it
// stands, and neither the moves in a row nor the end of a storm change.
func TestPressCountsOnce(t *testing.T) {
	m := newMember(t)
	m.press(goPress("storm", game.Gomoku15))
	run := func() storage.Run {
		return testkit.Got(m.Store.Run(t.Context(), m.r.By))
	}
	counted := 0
	for range 12 {
		for b := m.board(); ; b = m.board() {
			press, quit := b.press("at", b.next().String()), b.press("quit", "")
			m.press(press)
			counted++
			after := run()
			for _, stale := range []string{press, quit, b.press("at", "O15")} {
				m.press(stale)
				if v := run(); v.Combo != counted || !v.Ends.Equal(after.Ends) || v.Kind != storage.StormRun ||
					v.Step != after.Step || v.Solved != after.Solved {
					t.Fatalf("%s pressed again after %d right moves: %+v, want %+v", stale, counted, v, after)
				}
				if now := m.board(); now.stamp != stampOf(after) || len(now.moves) != len(after.Moves) ||
					now.Number != after.Puzzle {
					t.Fatalf("an older board is shown: %+v", now)
				}
			}
			if m.board().Number != b.Number {
				break
			}
		}
	}
	if counted < 20 {
		t.Errorf("%d moves bring no time", counted)
	}
}

// An answer that comes after the time of a storm counts for nothing, and ends it.
func TestAnswerAfterTheEnd(t *testing.T) {
	m := newMember(t)
	m.press(goPress("storm", game.Gomoku15))
	for b := m.board(); len(b.tried()) < len(b.Line)/2; b = m.board() {
		m.press(b.press("at", b.next().String()))
	}
	b := m.board()
	m.later(2 * stormTime)
	m.press(b.press("at", b.next().String()))
	run, err := m.Store.Run(t.Context(), m.r.By)
	if err != nil || run.Kind != storage.NoRun || len(run.Bests) != 1 || run.Bests[0].Ever != 0 {
		t.Errorf("%+v, %v", run, err)
	}
}

// Only the first try at a puzzle is rated.
func TestFirstTryIsRated(t *testing.T) {
	m := newMember(t)
	testkit.Must(t, m.asks(map[string]string{"game": "gomoku"}))
	b := m.board()
	rating := func(try byte) (r float64) {
		testkit.Got(m.count(t.Context(), m.r, b, try))
		return testkit.Got(m.Store.Solver(t.Context(), m.r.By, game.Gomoku15)).R
	}
	if first, second := rating(daily.TryWrong), rating(daily.TrySolved); first >= 1500 || second != first {
		t.Errorf("%v, and then %v", first, second)
	}
}

// A rating in puzzles is a number once it has settled, and then in the table.
func TestSettledSolvers(t *testing.T) {
	m := newMember(t)
	en := view.In("en")
	m.r.Options = map[string]chat.Option{"game": {Text: "gomoku"}}
	for n := 1; ; n++ {
		testkit.Must(t, m.puzzle(t.Context(), m.r))
		try := daily.TrySolved
		if m.board().Rating > 1000 {
			try = daily.TryWrong
		}
		said := testkit.Got(m.count(t.Context(), m.r, m.board(), byte(try)))
		s := testkit.Got(m.Store.Solver(t.Context(), m.r.By, game.Gomoku15))
		top := testkit.Got(m.Top(t.Context(), m.r))
		listed, settled := strings.Contains(top.Blocks[0].Text, view.Mention(m.r.By)), s.RD <= event.Settled
		if listed != settled || strings.Contains(said, "→") != settled || top.Private == settled {
			t.Fatalf("after %d, deviation %.0f: %s, the table says %s", n, s.RD, said, top.Blocks[0].Text)
		}
		if settled {
			if s := en.Say("top.solved", "Solved", s.Solved, "Count", n); !strings.Contains(top.Blocks[0].Text, s) {
				t.Errorf("no %q in %s", s, top.Blocks[0].Text)
			}
			return
		}
		if n == 20 {
			t.Fatalf("20 puzzles settle nothing: %.0f", s.RD)
		}
	}
}

// The answer that counts is the first one on a board, also where another process takes one while this
// process judges the other, and where the run has come to the same position by another way.
func TestStaleAnswer(t *testing.T) {
	m := newMember(t)
	store := storagetest.Store(t, m.engine.Engine)
	elsewhere := m.Config
	elsewhere.Store, elsewhere.Chat, elsewhere.Desk = store, &answers{}, desk.New(desk.Config{Workers: 1})
	other := &member{T: t, Puzzles: New(elsewhere), r: m.r}
	run := func(change func(*storage.Run)) storage.Run {
		t.Helper()
		v := testkit.Got(store.UpdateRun(t.Context(), m.r.By, 0, func(v storage.Run) (storage.Run, error) {
			change(&v)
			return v, nil
		}))
		return v
	}
	is := func() storage.Run { t.Helper(); return run(func(*storage.Run) {}) }
	stale := view.In("en").Say("run.stale")

	m.press(goPress("storm", game.Gomoku15))
	b := m.board()
	right := b.press("at", b.next().String())
	m.engine.first = func() { other.press(right) }
	m.press(right)
	if v := is(); v.Combo != 1 || v.Answers != 1 {
		t.Errorf("after the same answer to two processes: %+v", v)
	}
	if !strings.Contains(fmt.Sprint(m.shown.last), stale) {
		t.Errorf("who was second is shown %v", m.shown.last)
	}

	quit := testkit.Got(view.ParsePress(m.board().press("quit", "")))
	next := m.board()
	m.engine.first = func() { other.press(next.press("at", next.next().String())) }
	if err := m.Puzzles.press(t.Context(), m.r, quit); err == nil || is().Kind != storage.StormRun {
		t.Errorf("the end of a run that has gone on: %v, %+v", err, is())
	}

	for what, change := range map[string]func(*storage.Run){
		"one more answer": func(v *storage.Run) { v.Answers++ },
		"another run":     func(v *storage.Run) { v.Seed++ },
	} {
		m.press(goPress("storm", game.Gomoku15))
		b := m.board()
		was := is()
		now := run(change)
		for _, press := range []string{b.press("at", b.next().String()), b.press("at", "A1")} {
			// the one place is taken
			testkit.Check(t, m.Desk.Judge(t.Context(), func(context.Context) error { m.press(press); return nil }))
			if v := is(); v.Answers != now.Answers || v.Combo != now.Combo || v.Step != now.Step ||
				len(v.Moves) != len(now.Moves) {
				t.Errorf("%s, and an answer on the board of before: %+v, want %+v", what, v, now)
			}
			if !strings.Contains(fmt.Sprint(m.shown.last), stale) {
				t.Errorf("%s: shown is %v", what, m.shown.last)
			}
		}
		if err := m.changeRun(t.Context(), m.r, was); err == nil || err.Error() != view.No("puzzle.runOver").Error() {
			t.Errorf("%s: the puzzle of another state is changed: %v", what, err)
		}
	}
}

// As long as a member's answer is judged and shown, no other one of theirs is looked at.
func TestOneAnswerAtATime(t *testing.T) {
	m := newMember(t)
	m.press(goPress("streak", game.Reversi))
	b := m.board()
	press := testkit.Got(view.ParsePress(b.press("at", b.next().String())))
	var second, others error
	m.shown.then = func() {
		second = m.try(t.Context(), m.r, b, b.next())
		r := m.r
		r.By++
		others = m.try(t.Context(), r, board{Puzzle: b.Puzzle, id: b.id, mode: single, level: normal}, b.next())
	}
	testkit.Must(t, m.Puzzles.press(t.Context(), m.r, press))
	if want := view.No("oneMoment"); second == nil || second.Error() != want.Error() {
		t.Errorf("a second answer meanwhile: %v", second)
	}
	if others != nil {
		t.Errorf("another member's answer: %v", others)
	}
	if err := m.try(t.Context(), m.r, m.board(), m.board().next()); err != nil {
		t.Errorf("the next answer: %v", err)
	}
}

// Every theme that is offered brings a puzzle to a member who names no game; one that is not
// offered has none.
func TestThemeOfAnyGame(t *testing.T) {
	list := shown(puzzle.Collection, nil)
	for _, theme := range puzzle.ThemeNames {
		m := newMember(t)
		if !slices.Contains(offered, theme) {
			if slices.ContainsFunc(list, func(z puzzle.Puzzle) bool { return z.About(theme) }) {
				t.Errorf("%s is not offered", theme)
			}
			continue
		}
		if err := m.asks(map[string]string{"theme": theme}); err != nil || !m.board().About(theme) {
			t.Errorf("%s: %v", theme, err)
		}
	}
	if err := newMember(t).asks(map[string]string{"theme": "corner", "game": "renju"}); err == nil {
		t.Error("Renju has a corner")
	}
}

// A storm that was begun while the clock was ahead by weeks is over once the clock is right.
func TestStormOfAClockAhead(t *testing.T) {
	const ahead = 40 * 24 * time.Hour
	m := newMember(t)
	m.later(ahead)
	m.press(goPress("storm", game.Gomoku15))
	begun := m.board()
	m.later(-ahead)
	m.press(begun.press("at", begun.next().String()))
	v := testkit.Got(m.Store.Run(t.Context(), m.r.By))
	if v.Kind == storage.StormRun {
		t.Errorf("it goes on until %v, with %d answers", v.Ends, v.Answers)
	}
}

// A solution that is asked for is shown to the end of the game. In the bubble the bound on its time does not
// run out while it is being played, however busy the machine is.
func TestSolutionToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(t)
		for _, id := range []string{"g00013", "r00004", "o00006"} {
			z, _ := puzzle.Named(puzzle.Collection(), id)
			b := board{Puzzle: z, id: z.ID(), mode: single, level: normal}
			m.press(b.press("show", ""))
			line, over := z.Solution(t.Context())
			if text := m.shown.last.Blocks[0].Text; !over || !strings.Contains(text, told(z.Game, line)) {
				t.Errorf("%s: over %v, %v\n%s", id, over, line, text)
			}
		}
	})
}

// "The best move" is asked for at the first turn of Reversi alone. Later on the discs are named that the
// line is worth, and so they are where an answer is wrong.
func TestDiscsAreNamed(t *testing.T) {
	m := newMember(t)
	turns := 0
	for _, z := range shown(puzzle.Collection, game.Reversi) {
		if z.Solver() < 2 || z.Bound().Plies > 13 || z.Number%60 != 3 { // quick on a busy machine too
			continue
		}
		b := board{Puzzle: z, id: z.ID(), mode: single, level: normal}
		_, ends := b.played(t.Context())
		for b.moves = nil; len(b.moves) < len(z.Line); b.moves = z.Line[:len(b.moves)+1] {
			g, err := b.game()
			if err != nil || g.Turn() != z.Turn() {
				continue
			}
			m.press(b.press("again", ""))
			text := m.shown.last.Blocks[0].Text
			if best, named := strings.Contains(text, "Find the best move"),
				strings.Contains(text, discs(ends)); best == named || best != (len(b.moves) == 0) {
				t.Errorf("%s after %d moves: %s", z.ID(), len(b.moves), text)
			}
			turns++
		}
	}
	if turns < 10 {
		t.Errorf("only %d turns", turns)
	}
}
