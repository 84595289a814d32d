package bot

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// planner is a desktop with a game of days in which 1 has moved last.
type planner struct {
	*desktop
	searched int
}

func newPlanner(t *testing.T) *planner {
	p := &planner{}
	p.desktop = onPaperOver(t, kv.NewMemory(), func(c *Config) {
		c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
			p.searched++
			return simple(ctx, g, l)
		}
	})
	p.betweenMembers("clock", "1d", "rated", "yes")
	p.plays("H8", "I9", "H9")
	return p
}

// lays presses what a member presses on their own board of if-then moves, and gives what it shows.
func lays(d *desktop, by game.MemberID, what ...string) (shown string) {
	d.t.Helper()
	for _, arg := range what {
		v, rec, err := d.store.IfThen(d.t.Context(), by, d.only(1).ID)
		testkit.Must(d.t, err)
		shown = d.presses(by, view.On(rec.Match, view.IfThenVerb, fmt.Sprintf("%d.%s", v.Version, arg)))()
	}
	return shown
}

// No engine helps with if-then moves, whatever is pressed: the board has no button that asks it, and its presses
// lead nowhere else.
func TestIfThenHasNoEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlanner(t)
		lays(p.desktop, 1, "at.I8", "at.H10", "go.0.first", "lay.", "pad.3.3.0.▶", "show.")
		p.paper.mu.Lock()
		for _, m := range p.paper.messages {
			for _, b := range m.Blocks {
				for _, button := range b.Row {
					press, _ := view.ParsePress(button.ID)
					switch press.Verb {
					case view.NodeVerb, view.TreeVerb, "hint", "look", "review", "try", "import", "load":
						t.Errorf("a running game has the button %s", button.ID)
					}
				}
			}
		}
		p.paper.mu.Unlock()
		for _, arg := range []string{"look.", "look.1", "keep.8988", "play.", "bot.", "post.", "file.", "save.", "note.",
			"list.", "at.", "at.Q99", "go.x", "pad.", "what."} {
			says(t, lays(p.desktop, 1, arg), "no longer works")
		}
		testkit.Want(t, "searches", p.searched, 0)
	})
}

// What is laid down is its member's alone: the board of the channel stays as it is, nobody is told, and a press of
// others shows nothing of it.
func TestIfThenIsSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlanner(t)
		rec, told := p.only(1), 0
		board, sent := p.shows(rec), p.paper.sent()
		p.store.Tell(func(storage.Record) { told++ })
		shown := lays(p.desktop, 1, "at.I8", "at.H10", "show.")
		says(t, shown, "⚪ I8 ⚫ H10")
		if p.shows(rec) != board || p.paper.sent() != sent || told != 0 || p.only(1).Version != rec.Version {
			t.Errorf("the channel or others have heard of it: told %d", told)
		}
		id := view.On(rec.Match, view.IfThenVerb, "2.show.")
		says(t, p.presses(3, id)(), "You do not play in this game")
		bobs := p.presses(2, id)()
		says(t, bobs, "It is your turn")
		for _, text := range []string{bobs, p.presses(2, view.On(rec.Match, "more", ""))()} {
			if strings.Contains(text, "H10") || strings.Contains(text, "I8") {
				t.Errorf("bob reads\n%s", text)
			}
		}
	})
}

// A press on an older board changes nothing and shows the newest one, also one that the other side's move has made old.
func TestIfThenOnAnOlderBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlanner(t)
		lays(p.desktop, 1, "at.I8", "at.H10")
		rec := p.only(1)
		old := view.On(rec.Match, view.IfThenVerb, "1.cut.")
		says(t, p.presses(1, old)(), "⚪ I8 ⚫ H10")
		stale := view.On(rec.Match, view.IfThenVerb, "0.at.J10")
		lays(p.desktop, 1, "clear.")
		p.plays("I8", "H10")
		if shown := p.presses(1, stale)(); strings.Contains(shown, "J10") {
			t.Errorf("a press for another position was taken:\n%s", shown)
		}
		v, _, err := p.store.IfThen(t.Context(), 1, rec.ID)
		if err != nil || len(v.Lines) > 0 {
			t.Errorf("%v, %v", v.Lines, err)
		}
		p.plays("A1") // 2 moves
		says(t, lays(p.desktop, 1, "show."), "It is your turn")
		says(t, lays(p.desktop, 1, "at.J10"), "It is your turn")
		if v, _, err = p.store.IfThen(t.Context(), 1, rec.ID); err != nil || len(v.Lines) > 0 {
			t.Errorf("who is to move has laid down %v, %v", v.Lines, err)
		}
	})
}

// A reply that is refused when its turn comes is said in the menu of the game and on the board of if-then moves.
func TestIfThenRefusedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlanner(t)
		rec := p.only(1)
		_, _, err := p.store.UpdateIfThen(t.Context(), 1, rec.ID,
			func(v storage.IfThen, _ storage.Record) (storage.IfThen, error) {
				v.Lines = [][]game.Point{{game.At(8, 7), game.At(7, 7)}} // no board lays this down: H8 is taken
				return v, nil
			})
		testkit.Must(t, err)
		p.plays("I8")
		rec = p.only(1)
		testkit.Want(t, "moves", len(rec.Log), 4)
		const said = "Your reply H8 was not allowed"
		says(t, p.presses(1, view.On(rec.Match, "more", ""))(), said)
		says(t, lays(p.desktop, 1, "show."), said)
		if text := p.presses(2, view.On(rec.Match, "more", ""))(); strings.Contains(text, said) {
			t.Errorf("bob reads\n%s", text)
		}
		p.plays("H10")
		if text := p.presses(1, view.On(p.only(1).Match, "more", ""))(); strings.Contains(text, said) {
			t.Errorf("said after the next move\n%s", text)
		}
	})
}

// Replies are played by whichever process takes the move, once, and the board shows both; one process ends on the way.
func TestIfThenAcrossProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		one, two := both[0], both[1]
		one.paper, two.paper = paper, paper
		one.betweenMembers("clock", "1d")
		one.plays("H8", "I9", "H9")
		lays(two, 1, "at.I8", "at.H10", "at.H11", "at.H7")
		one.plays("I8")
		time.Sleep(time.Minute)
		testkit.Want(t, "moves", len(two.only(1).Log), 5)
		one.bot.close()
		two.plays("H11")
		time.Sleep(time.Minute)
		rec := two.only(1)
		testkit.Want(t, "moves", game.MoveList(rec.Game().Moves()), "h8i9h9i8h10h11h7")
		says(t, two.shows(rec), "7. H7")
	})
}

// The steps of a reply: see TestKilledAtEachStep.
var ifThenStories = []story{
	{name: "if-then/a reply", scene: annHasLaidDown, act: press("bob", "D4"), done: bobHasMoved, holds: oneReply},
	{name: "if-then/a reply and the bot stays down", scene: annHasLaidDown, act: press("bob", "D4"), done: bobHasMoved,
		down: minutes(5), holds: oneReply},
}

func annHasLaidDown(w *world) {
	w.by("ann").Slash(callPlace, "/play opponent:@bob game:gomoku9 color:black clock:1d")
	after(press("bob", "Accept"), press("ann", "E5"), press("bob", "F6"), press("ann", "E6"))(w)
	w.calm()
	rec := w.match()
	_, _, err := w.store.UpdateIfThen(w.t.Context(), rec.Seats[0].Member, rec.ID,
		func(v storage.IfThen, _ storage.Record) (storage.IfThen, error) {
			v.Lines = [][]game.Point{{game.At(3, 3), game.At(4, 6), game.At(3, 4), game.At(4, 3)}}
			return v, nil
		})
	testkit.Must(w.t, err)
}

func bobHasMoved(w *world) bool { return w.match().Played() > 3 }

// oneReply wants bob's move with ann's reply, on the board too.
func oneReply(w *world) {
	w.calm()
	rec := w.match()
	testkit.Want(w.t, "moves", game.MoveList(rec.Game().Moves()), "e5f6e6d4e7")
	w.judgeScreen(w.t.Context(), rec, &w.bad)
}
