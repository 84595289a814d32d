package bot

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// A slow press on an arrow of the pad does not put an old board over a newer one.
func TestArrowThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		rec := d.betweenMembers()
		sc := testkit.Got(d.store.Screen(t.Context(), rec.ID))
		slowly := func(by time.Duration) {
			d.paper.mu.Lock()
			d.paper.slow = by
			d.paper.mu.Unlock()
		}
		slowly(200 * time.Millisecond)
		var arrow sync.WaitGroup
		arrow.Go(func() {
			r := d.request(1, chat.Press)
			r.Custom, r.Message = view.On(rec.Match, "pad", "0.0.0.▲"), sc.Message
			d.paper.pressed(r.Token, sc.Message)
			d.bot.Handle(t.Context(), r)
		})
		time.Sleep(time.Millisecond)
		slowly(0)
		d.press(1, rec, "play", "H8")
		arrow.Wait()
		calmAfter(time.Second)
		d.paper.mu.Lock()
		defer d.paper.mu.Unlock()
		if s := d.paper.messages[sc.Message].Blocks[0].Text; !strings.Contains(s, "1. H8") {
			t.Errorf("the board says\n%s", s)
		}
	})
}

// An arrow of an old board brings no second board.
func TestArrowOfAnOldBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		sc := testkit.Got(d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc.Message++ // another message is the live one
			return sc, nil
		}))
		r := d.request(1, chat.Press)
		r.Custom, r.Message = view.On(rec.Match, "pad", "0.0.0.▲"), sc.Message-1
		d.handle(r)
		d.paper.mu.Lock()
		defer d.paper.mu.Unlock()
		if m, there := d.paper.messages[r.Message]; there {
			t.Errorf("the old board says\n%s", m.Blocks[0].Text)
		}
	})
}

// A press that comes so soon after the board has changed that it may have been meant for another point asks first.
func TestHastyPressAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Options.Settle = 500 * time.Millisecond })
		d.betweenMembers()
		press := func(by game.MemberID, label string, after time.Duration) {
			t.Helper()
			time.Sleep(after)
			rec := d.only(1)
			sc := testkit.Got(d.store.Screen(t.Context(), rec.ID))
			r := d.request(by, chat.Press)
			r.Message = sc.Message
			d.paper.mu.Lock()
			shown := d.paper.messages[sc.Message]
			d.paper.mu.Unlock()
			for _, block := range shown.Blocks {
				for _, b := range block.Row {
					if b.Label == label && !b.Disabled {
						r.Custom = b.ID
					}
				}
			}
			if r.Custom == "" {
				t.Fatalf("no button %q", label)
			}
			d.handle(r)
		}
		const soon, later = 400 * time.Millisecond, time.Second
		for _, step := range []struct {
			by    game.MemberID
			label string
			after time.Duration
			moves string
		}{
			{1, "H8", soon, "h8"}, // no board was there before the first one
			{2, "I9", soon, "h8"},
			{2, "I9", soon, "h8"}, // the pad of the question has just come, too
			{2, "Play I9", soon, "h8i9"},
			{1, "▶", soon, "h8i9"}, // an arrow is no point
			{1, "M9", soon, "h8i9"},
			{1, "Back", soon, "h8i9"},
			{1, "N9", later, "h8i9n9"},
			{2, "▲", later, "h8i9n9"},
			{2, "N13", later, "h8i9n9n13"},
		} {
			press(step.by, step.label, step.after)
			if got := game.MoveList(d.only(1).Game().Moves()); got != step.moves {
				t.Fatalf("%s after %v: moves %s, want %s", step.label, step.after, got, step.moves)
			}
		}
	})
}

// What a waiting member or a stranger presses changes nothing of the board under the other's finger.
func TestWaitingMemberSteersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		rec := d.betweenMembers()
		sc := testkit.Got(d.store.Screen(t.Context(), rec.ID))
		shown := func() string {
			d.paper.mu.Lock()
			defer d.paper.mu.Unlock()
			return fmt.Sprint(d.paper.messages[sc.Message].Blocks)
		}
		was := shown()
		for _, by := range []game.MemberID{2, 3} {
			for _, p := range []view.Press{{Verb: "pad", Arg: "0.0.0.▲"}, {Verb: "pad", Arg: "5.5.0.parts"},
				{Verb: "pad", Arg: "5.5.0.back"}, {Verb: "play", Arg: "H8"}, {Verb: "sure", Arg: "H8"}} {
				d.press(by, rec, p.Verb, p.Arg)
				if shown() != was || !d.paper.answer.Message.Private {
					t.Errorf("%s %s of member %d changes the board", p.Verb, p.Arg, by)
				}
			}
		}
		d.press(1, rec, "pad", "0.0.0.▲")
		if shown() == was {
			t.Error("who is to move cannot move the pad")
		}
	})
}
