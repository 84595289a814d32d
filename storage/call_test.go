package storage

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// calling is a screen of a game between Ann, who has the first seat and black, and Bob.
type calling struct {
	t  *testing.T
	at time.Time
	m  game.Match
	s  Screen
}

func newCalling(t *testing.T) *calling {
	t.Helper()
	c := &calling{t: t, at: testkit.At("2026-03-01 12:00")}
	var err error
	c.m, err = game.NewMatch(1, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatFor(ann),
		game.SeatFor(bob), c.at, c.at.Add(time.Hour))
	testkit.Must(t, err)
	c.s = Screen{Match: 1, Channel: 5, Message: 6}.acted(c.m, Cause{Interaction: 1, At: c.at, By: ann})
	return c
}

// act lets a member change the match after a time.
func (c *calling) act(after time.Duration, by game.MemberID, f func(game.Match) (game.Match, error)) *calling {
	c.at = c.at.Add(after)
	m := first(f(c.m))
	c.m = m
	c.s = c.s.acted(m, Cause{Interaction: 1, At: c.at, By: by})
	return c
}

func (c *calling) accept(after time.Duration) *calling {
	return c.act(after, bob, func(m game.Match) (game.Match, error) { return m.Accept(bob, c.at) })
}

func (c *calling) move(after time.Duration, by game.MemberID, p game.Point) *calling {
	return c.act(after, by, func(m game.Match) (game.Match, error) { return m.Play(by, p, c.at) })
}

// due checks who is to be called, how long after the last act. Nobody: seat -1.
func (c *calling) due(seat int, after time.Duration) *calling {
	c.t.Helper()
	if seat < 0 {
		if _, _, ok := c.s.Callee(c.m, c.at.AddDate(1, 0, 0)); ok || !c.s.CallAt.IsZero() {
			c.t.Errorf("somebody is to be called at %v", c.s.CallAt)
		}
		return c
	}
	if want := c.at.Add(after); !c.s.CallAt.Equal(want) {
		c.t.Errorf("the call is due at %v, want %v", c.s.CallAt, want)
	}
	if got, away, ok := c.s.Callee(c.m, c.s.CallAt); got != seat || !away || !ok {
		c.t.Errorf("to be called: seat %d, away %v, %v; want seat %d", got, away, ok, seat)
	}
	if _, away, _ := c.s.Callee(c.m, c.s.CallAt.Add(-time.Millisecond)); away {
		c.t.Error("called too early")
	}
	return c
}

func TestWhoIsCalledWhen(t *testing.T) {
	const h8, i9 = 0x77, 0x88
	newCalling(t).due(-1, 0) // a challenge mentions its member itself
	// Ann has made the challenge, and is told that it was accepted.
	newCalling(t).accept(time.Minute).due(0, time.Minute)
	newCalling(t).accept(5*time.Minute).due(0, AwayAfter-5*time.Minute)
	c := newCalling(t).accept(time.Second).move(time.Second, ann, h8).due(1, AwayAfter-time.Second)
	c.move(time.Second, bob, i9).due(0, AwayAfter-time.Second)
	c.act(time.Minute, bob, func(m game.Match) (game.Match, error) { return m.Draw(bob, c.at) }).due(0,
		AwayAfter-61*time.Second)
	c.act(time.Minute, ann, func(m game.Match) (game.Match, error) { return m.AnswerDraw(ann, false, c.at) }).due(0,
		AwayAfter)
	c.act(time.Hour, bob, func(m game.Match) (game.Match, error) { return m.Resign(bob, c.at) }).due(-1, 0)

	// Where the bot was only brought along nothing comes by itself.
	c = newCalling(t).accept(time.Second)
	c.s = c.s.acted(c.m, Cause{Interaction: 2, At: c.at, By: bob, Outside: true})
	if !c.s.CallAt.IsZero() {
		t.Error("a call is planned where the bot cannot send one")
	}
}

// What was last told of a place counts. The token that may delete a call stays beside its message.
func TestCallByToken(t *testing.T) {
	c := newCalling(t).accept(time.Second)
	if c.s.Reads {
		t.Error("a place is read of which nobody said so")
	}
	c.s = c.s.acted(c.m, Cause{Interaction: 2, At: c.at, By: bob, Reads: true})
	c.s = c.s.acted(c.m, Cause{At: c.at}) // time has done something
	if !c.s.Reads {
		t.Error("it is forgotten that the place is read")
	}
	c.s = c.s.Calling(c.m, 0, 9)
	c.s.Call.ByToken = true
	c.s = c.s.Called(5, 9, 70).KeyTo(70, "t", c.at.Add(time.Minute))
	if c.s.Call.ByToken || c.s.Call.InDoubt() || c.s.Call.Message != 70 || len(c.s.Keys) != 1 {
		t.Errorf("%+v", c.s)
	}
	c.move(time.Minute, ann, 0x77)
	if len(c.s.Retired) != 1 || len(c.s.Keys) != 1 || c.s.Closed(c.s.Retired...).Keys != nil {
		t.Errorf("the token is to delete it: %+v", c.s)
	}
}

// A white challenger is told that the game began, until the other is waited for too long.
func TestChallengerWhoMovesSecond(t *testing.T) {
	c := newCalling(t)
	c.m.First = game.White
	c.accept(5*time.Minute).due(0, AwayAfter-5*time.Minute)
	c.s = c.s.Calling(c.m, 0, 9)
	c.s = c.s.Called(5, 9, 70)
	if seat, away, ok := c.s.Callee(c.m, c.at.Add(AwayAfter)); seat != 1 || !away || !ok ||
		!c.s.CallAt.Equal(c.at.Add(AwayAfter)) {
		t.Errorf("then the call is due at %v for seat %d", c.s.CallAt, seat)
	}
	c.move(time.Second, bob, 0x77) // now it is her turn, and she was called already
	if c.due(-1, 0); c.s.Call.Message != 70 || len(c.s.Retired) != 0 {
		t.Errorf("%+v", c.s)
	}
	c.move(time.Minute, ann, 0x88)
	if c.s.Call != (Call{}) || len(c.s.Retired) != 1 || c.s.Retired[0] != (MessageRef{5, 70}) {
		t.Errorf("her call is to be deleted: %+v", c.s)
	}
}

// A challenger who was told that the game began is not told again, even where the call of the other
// took its place and was never sent.
func TestChallengerIsToldOnce(t *testing.T) {
	for name, unsent := range map[string]bool{"called": false, "never sent": true} {
		t.Run(name, func(t *testing.T) {
			c := newCalling(t)
			c.m.First = game.White
			c.accept(5 * time.Minute)
			began := c.at
			c.s = c.s.Calling(c.m, 0, 9).Called(5, 9, 70)
			if c.s = c.s.Calling(c.m, 1, 0); unsent {
				c.s = c.s.Uncall(c.m)
			}
			c.act(time.Hour, bob, func(m game.Match) (game.Match, error) { return m, nil }).due(1, AwayAfter)
			c.move(time.Second, bob, 0x77) // now she is waited for
			c.due(0, began.Add(AwayAfter).Sub(c.at))
		})
	}
}

// An act that Discord delivers again, after a newer one of the same member, answers no call.
func TestOldActAnswersNoCall(t *testing.T) {
	c := newCalling(t).accept(time.Second)
	old := c.at
	c.at = c.at.Add(3 * time.Second)
	c.s = c.s.acted(c.m, Cause{Interaction: 3, At: c.at, By: ann})
	c.s = c.s.Calling(c.m, 0, 9).Called(5, 9, 70)
	c.s = c.s.acted(c.m, Cause{Interaction: 2, At: old, By: ann})
	if c.due(-1, 0); c.s.Call.Message != 70 || !c.s.Acted[0].Equal(c.at) {
		t.Errorf("%+v", c.s)
	}
}

// A call that is over while it is being sent is deleted once it is found.
func TestCallInDoubt(t *testing.T) {
	c := newCalling(t).accept(time.Second)
	c.s = c.s.Calling(c.m, 0, 9)
	if !c.s.unsettled(c.at) || c.s.Call.Board != 6 {
		t.Errorf("a call that may be under way is settled: %+v", c.s)
	}
	c.due(-1, 0).move(time.Hour, ann, 0x77)
	if _, _, ok := c.s.Callee(c.m, c.at.AddDate(1, 0, 0)); ok || !c.s.Call.InDoubt() {
		t.Errorf("another call before the first is found: %+v", c.s)
	}
	s := c.s.Called(5, 9, 70)
	if s.Call != (Call{}) || len(s.Retired) != 1 || s.Retired[0] != (MessageRef{5, 70}) {
		t.Errorf("the call that is over stays: %+v", s)
	}
	if s = c.s.Called(5, 9, 0); s.Call != (Call{}) || len(s.Retired) != 0 {
		t.Errorf("a call that was not sent: %+v", s)
	}
	// Of a call that was forgotten meanwhile the message goes too.
	if s = (Screen{}).Called(5, 9, 70); len(s.Retired) != 1 {
		t.Errorf("a call that nobody knows stays: %+v", s)
	}
}

// An answer that was to call and never came has called nobody.
func TestUncall(t *testing.T) {
	c := newCalling(t).accept(30 * time.Minute)
	at := c.s.CallAt
	c.s = c.s.Calling(c.m, 0, 0)
	if !c.s.CallAt.IsZero() {
		t.Error("she is called already")
	}
	if c.s = c.s.Uncall(c.m); !c.s.CallAt.Equal(at) {
		t.Errorf("due at %v, want %v", c.s.CallAt, at)
	}
}
