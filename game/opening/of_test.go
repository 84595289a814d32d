package opening_test

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

// The opening of a match is the one that its log tells, and stays so while play goes on.
func TestOf(t *testing.T) {
	start := time.Unix(1, 0)
	m := testkit.Got(game.NewMatch(1, game.Terms{Rules: game.Renju, Protocol: opening.Tarannikov, First: game.White},
		7, game.SeatFor(7), game.SeatEngine(3), start, time.Time{}))
	l, err := opening.ParseLine("tarannikov h8 swap h9 stay h10 stay h11 stay h12 swap")
	testkit.Must(t, err)
	want := l.Protocol.Begin()
	for _, d := range append(l.Decisions, game.Decision(at("a1"))) {
		now, ok := opening.Of(m)
		if s := now.State; !ok || now.Protocol != l.Protocol || s.Position != want.Position ||
			s.Question().Who != want.Question().Who {
			t.Fatalf("before %v: %s", d, now)
		}
		if m.EngineToMove() {
			m, err = m.ReplyDecision(m.Stamp(), d, game.Note{}, start)
		} else {
			m, err = m.Decide(7, d, start)
		}
		testkit.Must(t, err)
		if !want.Over() {
			want, _ = want.Decide(d)
		}
	}
	if got, ok := opening.Of(m); !ok || !got.State.Over() || got.String() != l.String() {
		t.Errorf("after the opening: %s", got)
	}
	if _, ok := opening.Of(game.Match{}); ok {
		t.Error("a match without a protocol has an opening")
	}
}
