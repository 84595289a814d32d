package view

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tengen/bot/pad"
	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A match in its opening is shown at every step, with the mark and the clock at the seat
// that decides and the colors where the decisions have brought them.
func TestOpeningShown(t *testing.T) {
	say, p := In("en"), Painter{Log: slog.Default()}
	for _, protocol := range opening.All {
		rng := rand.New(rand.NewPCG(3, uint64(protocol)))
		now := time.Now()
		terms := game.Terms{Rules: game.Renju, Protocol: protocol, First: game.White, Clock: game.PerMove(time.Minute)}
		m := testkit.Got(game.NewMatch(1, terms, 7, game.SeatFor(7), game.SeatFor(8), now, time.Time{}))
		m = testkit.Got(m.Accept(8, now))
		for step := 0; m.Deciding(); step++ {
			q := m.Question()
			all := append([]game.Decision(nil), q.Options...)
			for p := range q.Points.All() {
				all = append(all, q.At(p))
			}
			by := m.Seats[m.ToMove()].Member
			m = testkit.Got(m.Decide(by, all[rng.IntN(len(all))], now))
			mover, asked := m.Seats[m.ToMove()].Member, ": "
			if !m.Deciding() {
				asked = " to move"
			}
			if shown := say.state(m); !strings.Contains(shown, fmt.Sprintf("<@%d>%s", mover, asked)) {
				t.Fatalf("%s, %d decisions: %q, and member %d decides", protocol.Name(), len(m.Log), shown, mover)
			}
			undone := testkit.Got(m.Undo(by, now))
			seat, _ := m.SeatOf(by)
			d := m.TakesBack(seat)[0].Decision()
			word, stone := d.String(), false
			if _, stone = d.Stone(); !stone {
				word = say.decision(d)
			}
			if s := say.offerLine(undone); undone.Undoing.Open && !strings.Contains(s, word) {
				t.Fatalf("%s: %q asks for no %v", protocol.Name(), s, d)
			}
			alt := say.Turn(m.ColorOf(m.ToMove()))
			if m.Deciding() {
				alt = say.Opening(protocol.Name()) + ". " + say.color(m.ColorOf(m.ToMove())) + ": "
			}
			if got := say.Alt(m, ""); !strings.Contains(got, alt) {
				t.Fatalf("%s: %q, want %q", protocol.Name(), got, alt)
			}
			p.History(say, storage.Record{Match: m}, "", 0, false, game.Match{})
			if step%4 == 3 { // a picture takes its time
				answerable(t, m)
			}
		}
		if m.Phase != game.Playing || m.Game().Turn() != game.White {
			t.Fatalf("%s: %v to move", protocol.Name(), m.Game().Turn())
		}
		l, _ := opening.Of(m)
		if data, err := File(m, "sgf"); err != nil || !strings.Contains(string(data), "C[Opening: "+l.String()+"]") ||
			StonesOnly(m, "sgf") {
			t.Errorf("%s: %q, %v", protocol.Name(), data, err)
		}
		if !StonesOnly(m, "psq") || !StonesOnly(m, "txt") || StonesOnly(m, "png") {
			t.Errorf("%s: a format without comments keeps the decisions", protocol.Name())
		}
	}
}

// answerable wants that the buttons under a match in its opening reach each decision that is allowed, and no
// other, and that the message fits Discord.
func answerable(t *testing.T, m game.Match) {
	t.Helper()
	reached, shown := map[string]bool{}, map[pad.Pad]bool{}
	pads := []pad.Pad{pad.For(m)}
	for i := 0; i < len(pads); i++ {
		if shown[pads[i]] {
			continue
		}
		shown[pads[i]] = true
		parts := 2 // the container, and what it ends with
		for _, block := range (Painter{Log: slog.Default()}).viewPlay(In("en"), storage.Record{Match: m}, pads[i],
			Card{}).Blocks {
			parts += 1 + len(block.Row)
			if len(block.Row) > 5 || block.Text == "" && block.Row == nil && block.Picture == nil && block.Select == nil {
				t.Fatalf("%v: block %+v", m.Question(), block)
			}
			if block.Select != nil {
				for _, c := range block.Select.Choice {
					reached[c.Value] = true
				}
			}
			for _, b := range block.Row {
				press, err := ParsePress(b.ID)
				switch {
				case err != nil:
					t.Fatal(err)
				case press.Verb == "pad":
					pads = append(pads, testkit.Got(pad.Parse(press.Arg, 15)))
				case (press.Verb == "play" || press.Verb == "decide") && !b.Disabled:
					reached[press.Arg] = true
				}
			}
		}
		if parts > 41 {
			t.Fatalf("%v: %d components", m.Question(), parts-1)
		}
	}
	q, allowed := m.Question(), map[string]bool{}
	for p := range q.Points.All() {
		allowed[p.String()] = true
	}
	for _, d := range q.Options {
		allowed[d.String()] = true
	}
	if m.Deciding() && !maps.Equal(reached, allowed) {
		t.Fatalf("%+v: reached %v, allowed %v", q, reached, allowed)
	}
}
