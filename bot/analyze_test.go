package bot

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/study"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// notAnalyzed is how a member reads that a position belongs to a game that goes on.
const notAnalyzed = "This position is from a game that is running"

// keeps stores a study of a member, and gives a press of a verb on it.
func (d *desktop) keeps(by game.MemberID, number uint64, s study.Study) func(arg string) func() string {
	d.t.Helper()
	testkit.Got(d.store.BeginStudy(d.t.Context(), storage.Study{Member: by, Number: number, At: time.Now(),
		Name: "kept", Cursor: s.At(), SGF: string(record.WriteStudy(s, record.Record{}))}))
	return func(arg string) func() string {
		v := testkit.Got(d.store.Study(d.t.Context(), by, number))
		return d.presses(by, view.Press{Match: game.MatchID(number), Stamp: v.Version, Verb: view.NodeVerb, Arg: arg}.ID())
	}
}

// turnedGame is a game of 15x15 turned one of eight ways, and from way 8 on with the colors exchanged, which is set up.
func turnedGame(moves []game.Point, way uint64) game.Game {
	start, g := game.Position{Size: 15, Turn: game.Black}, game.New(game.Gomoku15)
	for i, p := range moves {
		p = p.Turned(15, way)
		start = start.Put(p, []game.Color{game.Black, game.White}[(uint64(i)+way/8)%2])
		g, _ = g.Play(p)
	}
	if way < 8 {
		return g
	}
	turn := []game.Color{game.White, game.Black}[len(moves)%2]
	return testkit.Got(game.From(game.Gomoku15, start, turn))
}

// A rated game that goes on is not analyzed: not in any turning or mirroring, not with the colors exchanged, not as
// part of a study at whatever place the member looks, and not a few moves before or after its position.
func TestRunningGameIsNotAnalyzed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory())
		d.betweenMembers("rated", "yes")
		d.plays("H8", "I10", "E7", "M3", "G9", "D12", "K11", "C4")
		running := d.only(1).Game()
		moves := running.Moves()
		says(t, d.presses(1, view.On(d.only(1).Match, view.TreeVerb, "3"))(), notAnalyzed)
		open := func(by game.MemberID, g game.Game) string {
			t.Helper()
			arg, ok := view.PackGame(g)
			if !ok {
				t.Fatal("the record does not fit into a button")
			}
			return d.presses(by, view.Do(view.TreeVerb, arg))()
		}
		number := uint64(1 << 40)
		for way := range uint64(16) {
			g := turnedGame(moves, way)
			if g.Len() > 0 { // else it is too long for a button: studies have it, below
				says(t, open(1, g), notAnalyzed)
				says(t, open(7, g), notAnalyzed) // whoever is in the channel
				says(t, open(1, testkit.Got(g.Play(game.At(0, 14)))), notAnalyzed)
				says(t, open(1, g.Until(len(moves)-1)), notAnalyzed)
			}
			number++
			branch := testkit.Got(study.Of(g))
			branch = testkit.Got(testkit.Got(branch.Play(game.At(14, 0))).First().Last().Play(game.At(0, 1))).First()
			if branch.Game().Len() == 0 && way < 8 { // the position is on a branch, and the cursor is elsewhere
				branch = testkit.Got(branch.Play(game.At(14, 14)))
			}
			press := d.keeps(1, number, branch)
			for _, arg := range []string{"show.", "look.", "try.", "go.0.first", "post.", "file.", "keep.00", "play."} {
				says(t, press(arg)(), notAnalyzed)
			}
		}
		other := testkit.Got(game.New(game.Gomoku15).PlayAll(moves[1], moves[2]))
		if said := open(1, other); !strings.Contains(said, "Analysis board") {
			t.Errorf("another game: %s", said)
		}
	})
}

// What is set up with all stones of a running rated game, and more, is not analyzed.
func TestAheadOfARunningGameIsNotAnalyzed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory())
		d.betweenMembers("rated", "yes")
		d.plays("H8", "I10", "E7", "M3", "G9", "D12")
		moves := append(d.only(1).Game().Moves(), game.At(14, 14), game.At(0, 0))
		for way := range uint64(16) {
			g := turnedGame(moves, way)
			g = testkit.Got(game.From(g.Rules(), g.Position(), g.Turn()))
			press := d.keeps(1, way+1, testkit.Got(study.Of(g)))
			says(t, press("look.")(), notAnalyzed)
		}
		g := turnedGame(moves[1:], 0)
		g = testkit.Got(game.From(g.Rules(), g.Position(), g.Turn()))
		says(t, d.keeps(1, 99, testkit.Got(study.Of(g)))("look.")(), "Analysis board")
	})
}

// A study is its member's alone, and a press on an older board changes nothing.
func TestStudyIsItsMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory())
		s := testkit.Got(study.Of(testkit.Got(game.New(game.Gomoku15).PlayAll(game.At(7, 7), game.At(8, 8)))))
		press := d.keeps(1, 77, s)
		id := view.Press{Match: 77, Verb: view.NodeVerb, Arg: "at.A1"}.ID()
		says(t, d.presses(2, id)(), "This study is gone")
		says(t, press("go.2.last")(), "After move 2 of 2")
		says(t, d.presses(1, id)(), "After move 2 of 2")
		v := testkit.Got(d.store.Study(t.Context(), 1, 77))
		if back, _, err := record.ReadStudy([]byte(v.SGF), record.Hints{}); err != nil || !back.Equal(s) {
			t.Errorf("a press on an older board: %v\n%s", err, v.SGF)
		}
		for _, arg := range []string{"", "at.", "at.Q99", "go.x", "keep.zz", "look.9", "pad.", "bot.", "what."} {
			says(t, press(arg)(), "no longer works")
		}
	})
}

// A deeper look gives way to turns of the engine, one member has one at a time, and it ends.
func TestDeeperLookGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := 0, 0
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Options.Workers = 1
			c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				if l.Level == 0 && l.Time > time.Second {
					begun++
					select {
					case <-ctx.Done():
						ended++
					case <-time.After(l.Time):
					}
				} else if l.Level > 0 {
					time.Sleep(time.Second)
				}
				return simple(ctx, g, l)
			}
		})
		press := d.keeps(1, 77, testkit.Got(study.Of(game.New(game.Gomoku15))))
		done := make(chan func() string)
		go func() { done <- press("look.1") }()
		calmAfter(time.Second)
		says(t, press("look.1")(), "I am still searching for you")
		d.slash(2, "play bot", "game", "gomoku", "level", "12345678", "color", "white")
		shown := <-done
		calmAfter(time.Minute)
		says(t, shown(), "Black’s chances")
		if begun < 2 || ended < 1 {
			t.Errorf("%d deep searches were begun, %d gave way", begun, ended)
		}
	})
}
