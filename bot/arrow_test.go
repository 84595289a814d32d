package bot

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A slow press on an arrow of the pad does not put an old board over a newer one.
func TestArrowThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		rec := d.betweenMembers()
		sc, err := d.store.Screen(t.Context(), rec.ID)
		testkit.Must(t, err)
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
		time.Sleep(time.Second)
		synctest.Wait()
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
		sc, err := d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc.Message++ // another message is the live one
			return sc, nil
		})
		testkit.Must(t, err)
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
