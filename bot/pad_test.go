package bot

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// An arrow of the pad that is slow on its way does not put an old board over what has been
// sent meanwhile.
func TestArrowThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "color", "black")
		d.press(2, d.only(1), "accept", "")
		rec := d.only(1)
		sc, err := d.store.Screen(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		slowly := func(by time.Duration) {
			d.paper.mu.Lock()
			d.paper.slow = by
			d.paper.mu.Unlock()
		}
		slowly(200 * time.Millisecond)
		var arrow sync.WaitGroup
		arrow.Go(func() {
			r := d.request(2, chat.Press)
			r.Custom, r.Message = on(rec.Match, "pad", "0.0.0.▲"), sc.Message
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
		if s := d.paper.messages[sc.Message].Blocks[0].Text; !strings.HasPrefix(s, "-# ") {
			t.Errorf("the board that was left says\n%s", s)
		}
	})
}

// An arrow of a board that is not the live one any more brings no second board.
func TestArrowOfAnOldBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		sc, err := d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc.Message++ // the live one is another
			return sc, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r := d.request(1, chat.Press)
		r.Custom, r.Message = on(rec.Match, "pad", "0.0.0.▲"), sc.Message-1
		d.paper.pressed(r.Token, r.Message)
		d.bot.Handle(t.Context(), r)
		synctest.Wait()
		d.paper.mu.Lock()
		defer d.paper.mu.Unlock()
		if s := d.paper.messages[r.Message].Blocks[0].Text; !strings.HasPrefix(s, "-# ") {
			t.Errorf("the old board says\n%s", s)
		}
	})
}

// The pad has the last two moves in its middle, and points on all sides of them.
func TestPadLooksAtTheLastMoves(t *testing.T) {
	for moves, want := range map[string]string{
		"":      "F6-J9",
		"h8":    "F6-J9",
		"h8g7":  "E6-I9", // one step apart: a line above and below both
		"g7h8":  "F6-J9",
		"i4j6":  "H4-L7", // two steps: it leans to the last
		"j6i4":  "G3-K6",
		"a1h8":  "F6-J9", // too far apart
		"h8a1":  "A1-E4",
		"n14o1": "K1-O4",
	} {
		g := game.New(game.Gomoku15)
		points, err := game.ParseMoves(moves)
		if err == nil {
			g, err = g.PlayAll(points...)
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, Given: g.Moves(), First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2), time.Now(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		e := look(m)
		if got := game.At(e.col, e.row).String() + "-" + game.At(e.col+padCols-1, e.row+padRows-1).String(); got != want {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
}
