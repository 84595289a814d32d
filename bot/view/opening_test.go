package view

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/storage"
)

// A match in its opening is shown at every step, with the mark and the clock at the seat
// that decides and the colors where the decisions have brought them.
func TestOpeningShown(t *testing.T) {
	say, p := In("en"), Painter{Log: slog.Default()}
	for _, protocol := range opening.All {
		rng := rand.New(rand.NewPCG(3, uint64(protocol)))
		now := time.Now()
		terms := game.Terms{Rules: game.Renju, Protocol: protocol, First: game.White, PerMove: time.Minute}
		m, err := game.NewMatch(1, terms, 7, game.SeatFor(7), game.SeatFor(8), now, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.Accept(8, now); err != nil {
			t.Fatal(err)
		}
		for step := 0; m.Deciding(); step++ {
			q := m.Question()
			all := append([]game.Decision(nil), q.Options...)
			for p := range q.Points.All() {
				all = append(all, q.At(p))
			}
			by := m.Seats[m.ToMove()].Member
			if m, err = m.Decide(by, all[rng.IntN(len(all))], now); err != nil {
				t.Fatal(err)
			}
			mover := m.Seats[m.ToMove()].Member
			if shown := say.State(m); !strings.Contains(shown, fmt.Sprintf("<@%d> to move", mover)) {
				t.Fatalf("%s, %d decisions: %q, and member %d decides", protocol.Name(), len(m.Log), shown, mover)
			}
			asked, err := m.Undo(by, now)
			if err != nil {
				t.Fatal(err)
			}
			seat, _ := m.SeatOf(by)
			if s, d := say.offerLine(asked), m.TakesBack(seat)[0].Decision(); !strings.Contains(s, d.String()) {
				t.Fatalf("%s: %q asks for no %v", protocol.Name(), s, d)
			}
			if alt := say.Alt(m); !strings.Contains(alt, say.Say("alt.turn", "Color", say.color(m.ColorOf(m.ToMove())))) {
				t.Fatalf("%s: %q", protocol.Name(), alt)
			}
			p.History(say, storage.Record{Match: m}, 0, false, game.Match{})
			if step%4 == 3 { // a picture takes its time
				p.Match(storage.Record{Match: m}, PadFor(m), Card{})
			}
		}
		if m.Phase != game.Playing || m.Game().Turn() != game.White {
			t.Fatalf("%s: %v to move", protocol.Name(), m.Game().Turn())
		}
		if _, err := File(m, "sgf"); err != nil {
			t.Errorf("%s: %v", protocol.Name(), err)
		}
	}
}
