package bot

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// bin is a paper that knows what was deleted.
type bin struct {
	*paper
	mu   sync.Mutex
	gone []uint64
}

func (b *bin) Delete(_ context.Context, to chat.To) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = append(b.gone, to.Message)
	return nil
}

// has reports whether a message was deleted.
func (b *bin) has(message uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.gone, message)
}

func onPaperWithBin(t *testing.T) (*desktop, *bin) {
	t.Helper()
	b := &bin{}
	d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
		b.paper = c.Chat.(*paper)
		c.Chat = b
	})
	return d, b
}

// types has a member type a text to the bot, and gives the request.
func (d *desktop) types(by game.MemberID, text string) chat.Request {
	r := d.request(by, chat.Said)
	r.Token, r.Said = "", text
	d.bot.Handle(d.t.Context(), r)
	synctest.Wait()
	return r
}

// moves are the points that were played in the only match of a member.
func (d *desktop) moves(by game.MemberID) string {
	var s []string
	for _, p := range d.only(by).Game().Moves() {
		s = append(s, p.String())
	}
	return strings.Join(s, " ")
}

// A message is applied once, however often it is delivered, also after an undo.
func TestSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		r := d.types(1, "H8")
		time.Sleep(time.Second)
		d.press(1, d.only(1), "undo", "")
		d.press(2, d.only(1), "undoyes", "")
		if got := d.moves(1); got != "" {
			t.Fatalf("%s after the undo", got)
		}
		sent := d.paper.sent()
		testkit.Want(t, "delivered again", d.bot.Handle(t.Context(), r), "repeated")
		synctest.Wait()
		if got := d.moves(1); got != "" || d.paper.sent() != sent {
			t.Errorf("a message was played twice: %s, or answered: %d calls", got, d.paper.sent()-sent)
		}
	})
}

// A message that was written before the last move was meant for another position.
func TestSaidLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		r := d.request(1, chat.Said)
		r.Token, r.Said = "", "G7"
		time.Sleep(time.Minute)
		d.plays("H8", "I9")
		if remark := d.bot.Handle(t.Context(), r); remark != "refused" || d.moves(1) != "H8 I9" {
			t.Errorf("%s: %s", remark, d.moves(1))
		}
	})
}

// The time of a message is when it was written, for the clock too.
func TestSaidBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers("clock", "1m")
		d.plays("H8", "I9")
		time.Sleep(59 * time.Second)
		r := d.request(1, chat.Said)
		r.Token, r.Said = "", "G7"
		time.Sleep(2 * time.Second) // it is on its way while the time ends
		if remark := d.bot.Handle(t.Context(), r); remark != "played" || d.moves(1) != "H8 I9 G7" {
			t.Errorf("%s: %s", remark, d.moves(1))
		}
	})
}

// The line about a refused message goes away after 20 seconds, and a member has only one.
func TestSaidBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, bin := onPaperWithBin(t)
		d.betweenMembers()
		sent := d.paper.sent()
		d.types(2, "H8")
		d.types(2, "H9")
		line := d.paper.last
		if d.paper.sent() != sent+1 || !strings.Contains(d.paper.messages[line].Blocks[0].Text, "not your turn") ||
			d.paper.messages[line].Mention != 0 {
			t.Fatalf("%d calls, %+v", d.paper.sent()-sent, d.paper.messages[line])
		}
		calmAfter(19 * time.Second)
		if bin.has(line) {
			t.Fatal("it went away early")
		}
		calmAfter(2 * time.Second)
		if !bin.has(line) {
			t.Fatal("it stays")
		}
		d.types(2, "H10")
		d.bot.close() // the line does not outlive the bot
		if !bin.has(d.paper.last) {
			t.Error("the last line stays")
		}
	})
}

// What is no point, and whoever plays in no game here, is left alone.
func TestSaidToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		sent, version := d.paper.sent(), d.only(1).Version
		for _, r := range []chat.Request{
			{By: 1, Said: "hello"}, {By: 1, Said: "H8 H9"}, {By: 1, Said: ""}, {By: 3, Said: "H8"},
			{By: 1, Said: "H8", Place: venue.Place{Server: club, Channel: lounge + 1}},
		} {
			asked := d.request(r.By, chat.Said)
			asked.Token, asked.Said = "", r.Said
			if r.Place != (venue.Place{}) {
				asked.Place = r.Place
			}
			if remark := d.bot.Handle(t.Context(), asked); remark != "" {
				t.Errorf("%+v: %s", r, remark)
			}
		}
		synctest.Wait()
		if d.paper.sent() != sent || d.only(1).Version != version {
			t.Error("something was answered or changed")
		}
	})
}

// A reply to a board means that board's game, whatever other games its writer has here.
func TestSaidToABoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		first := d.only(1)
		sc := testkit.Got(d.store.Screen(t.Context(), first.ID))
		time.Sleep(time.Minute)
		d.slash(1, "play bot", "game", "gomoku9", "color", "black")
		for _, by := range []game.MemberID{2, 1} {
			r := d.request(by, chat.Said)
			r.Token, r.Said, r.Message = "", "A1", sc.Message
			d.bot.Handle(t.Context(), r)
			synctest.Wait()
		}
		rec, err := d.store.Match(t.Context(), first.ID)
		if err != nil || rec.Game().Len() != 2 || rec.Game().Moves()[0] != game.At(0, 0) {
			t.Errorf("%v, %v", rec.Game().Moves(), err)
		}
	})
}
