package act

import (
	"errors"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
)

const ann, bob, cyd game.MemberID = 1, 2, 3

// An act needs neither a store nor a chat: it is judged by the match alone.
func TestDo(t *testing.T) {
	noon := testkit.At("2026-03-01 12:00")
	m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatFor(ann),
		game.SeatFor(bob), noon, noon.Add(time.Hour))
	testkit.Must(t, err)
	m, err = m.Accept(bob, noon)
	testkit.Must(t, err)
	m, err = m.Play(ann, game.At(7, 7), noon.Add(time.Minute))
	testkit.Must(t, err)
	at := func(by game.MemberID, after time.Duration, values ...string) chat.Request {
		return chat.Request{By: by, At: noon.Add(after), Values: values}
	}
	press := func(verb, arg string, stamp uint32) view.Press {
		return view.Press{Match: 1, Stamp: stamp, Verb: verb, Arg: arg}
	}
	for _, c := range []struct {
		what string
		act  Act
		why  game.Code
	}{
		{"a press", Pressed(at(bob, time.Hour), press("play", "A1", m.Stamp())), 0},
		{"a press for another position", Pressed(at(bob, time.Hour), press("play", "A1", m.Stamp()+1)), game.Moved},
		{"a press that is for any position", Pressed(at(bob, time.Hour), press("resignsure", "", m.Stamp()+1)), 0},
		{"a command", Asked(at(bob, time.Hour), 1, "play", "A1"), 0},
		{"a command of a stranger", Asked(at(cyd, time.Hour), 1, "undo", ""), game.NotSeated},
		{"a typed point", Typed(at(bob, time.Hour), 1, "play", "A1"), 0},
		{"a point typed before the last move", Typed(at(bob, time.Second), 1, "play", "A1"), game.Moved},
		{"a taken point", Asked(at(bob, time.Hour), 1, "play", "H8"), game.Occupied},
	} {
		_, err := c.act.Do(m)
		var why *game.Refusal
		if errors.As(err, &why); err != nil && why == nil || why != nil && why.Code != c.why || c.why != 0 && err == nil {
			t.Errorf("%s: %v, want code %d", c.what, err, c.why)
		}
	}
	for what, a := range map[string]Act{
		"a verb that is none":             Asked(at(ann, 0), 1, "castle", ""),
		"a point that is none":            Asked(at(bob, time.Hour), 1, "play", "Z99"),
		"a stone as a decision":           Pressed(at(bob, time.Hour, "A1"), press("decide", "", m.Stamp())),
		"a color that is none":            Asked(at(ann, 0), 1, "color", "green"),
		"stopping a game between members": Asked(chat.Request{By: ann, Manages: true}, 1, "stop", ""),
	} {
		if next, err := a.Do(m); err == nil || errors.As(err, new(*game.Refusal)) {
			t.Errorf("%s: %v, %v", what, next.Phase, err)
		}
	}
}
