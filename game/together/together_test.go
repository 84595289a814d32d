package together

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const ann, bob, cat, dan game.MemberID = 1001, 1002, 1003, 1004

var (
	noon = testkit.At("2026-03-01 12:00")
	p, q = game.At(4, 4), game.At(3, 3)
)

// fresh is a game in which the channel has black.
func fresh() Game {
	return Game{Owner: ann, Rules: game.Gomoku9, Level: 2, Color: game.Black, Every: time.Minute, Updated: noon}
}

// vote is c with a vote some seconds after noon, and less than can be stored.
func vote(c Game, by game.MemberID, point game.Point, seconds int) Game {
	c = testkit.Got(c.Vote(by, len(c.Moves), point, noon.Add(time.Duration(seconds)*time.Second+999*time.Microsecond)))
	return c
}

// The point with the most votes is played when the time is over. It begins with the first vote.
func TestVotes(t *testing.T) {
	c := fresh()
	if !c.Due().IsZero() {
		t.Errorf("without votes it is due at %v", c.Due())
	}
	for i, step := range []struct {
		by     game.MemberID
		point  game.Point
		second int
		want   []Count
	}{
		{ann, p, 0, []Count{{p, 1}}},
		{bob, q, 1, []Count{{p, 1}, {q, 1}}},
		{ann, p, 2, []Count{{p, 1}, {q, 1}}}, // the same again
		{ann, q, 2, []Count{{q, 2}}},
		{ann, p, 1, []Count{{q, 2}}}, // late, by an interaction that came again
		{cat, p, 3, []Count{{q, 2}, {p, 1}}},
		{dan, p, 3, []Count{{q, 2}, {p, 2}}}, // the first of equals
	} {
		if c = vote(c, step.by, step.point, step.second); !slices.Equal(c.Counts(), step.want) {
			t.Errorf("vote %d: %v, want %v", i, c.Counts(), step.want)
		}
	}
	if want := noon.Add(time.Minute); c.Deadline != want || c.Due() != want {
		t.Errorf("the deadline is %v, and it is due at %v", c.Deadline, c.Due())
	}
	if early := c.Tick(noon.Add(59 * time.Second)); len(early.Moves) != 0 {
		t.Error("played before the end")
	}
	c = c.Tick(noon.Add(time.Minute)).Tick(noon.Add(time.Hour))
	if !slices.Equal(c.Moves, []game.Point{q}) || c.Votes != nil || !c.Deadline.IsZero() || !c.EngineToMove() ||
		c.Due() != c.Updated {
		t.Errorf("after the time: %+v", c)
	}
	for _, ply := range []int{0, 1, 1, 2} { // the engine was asked for the second alone
		c = c.Answer(ply, []game.Point{game.At(0, 0), p, game.At(1, 0)}[ply], noon)
	}
	if !slices.Equal(c.Moves, []game.Point{q, p}) {
		t.Errorf("after the engine's move: %v", c.Moves)
	}
}

func TestRefusals(t *testing.T) {
	full, engine := fresh(), fresh()
	for i := range game.MemberID(MaxVotes) {
		full.Votes = append(full.Votes, Vote{i + 1, p, noon})
	}
	engine.Moves = []game.Point{p}
	for _, c := range []struct {
		game  Game
		by    game.MemberID
		ply   int
		point game.Point
		want  error
	}{
		{fresh(), ann, 1, q, game.Moved},
		{engine.Answer(1, q, noon), ann, 0, game.At(0, 0), game.Moved},
		{engine, ann, 1, q, game.NotYourTurn},
		{engine.Answer(1, q, noon), ann, 2, q, game.Occupied},
		{fresh().Stop(noon), ann, 0, q, game.NotPlaying},
		{full, 5000, 0, q, ErrVotesFull},
		{full, 5, 0, q, nil}, // in place of an earlier one
	} {
		if _, err := c.game.Vote(c.by, c.ply, c.point, noon); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// Of many points with as many votes each, those that were voted for first come first.
func TestEquals(t *testing.T) {
	c := fresh()
	var twice, once []Count
	for k := range 40 {
		point := game.At(k%9, k/9)
		c = vote(c, game.MemberID(k+1), point, k)
		if k%2 == 0 {
			once = append(once, Count{point, 1})
			continue
		}
		twice = append(twice, Count{point, 2})
		c = vote(c, game.MemberID(k+100), point, k)
	}
	want := append(twice, once...)
	if !slices.Equal(c.Counts(), want) {
		t.Errorf("the counts are %v, want %v", c.Counts(), want)
	}
}

// A game is a value: what is done with it leaves it as it was. One that is over stays as it is.
func TestValue(t *testing.T) {
	c := vote(vote(fresh(), ann, p, 0), bob, p, 1)
	c.Votes, c.Moves = slices.Grow(c.Votes, 9), slices.Grow(c.Moves, 9)
	votes, moves := slices.Clone(c.Votes[:9]), slices.Clone(c.Moves[:9])
	vote(c, cat, q, 2)
	vote(c, ann, q, 2)
	c.Without(ann)
	c.Tick(noon.Add(time.Hour))
	if !slices.Equal(c.Votes[:9], votes) || !slices.Equal(c.Moves[:9], moves) {
		t.Errorf("afterwards it is %+v", c)
	}
	for i := range 5 {
		c.Moves = append(c.Moves, game.At(i, 0), game.At(i, 1))
	}
	if c.Moves = c.Moves[:9]; !c.Over() || c.Stop(noon).Stopped {
		t.Error("a game that is won was stopped")
	}
}

// A member's vote goes with their data, and the name of who began it.
func TestWithout(t *testing.T) {
	c := vote(vote(fresh(), ann, p, 0), bob, p, 1)
	c = c.Without(ann)
	if c.Owner != 0 || c.Find(ann) != -1 || c.Find(bob) != 0 || c.Deadline.IsZero() {
		t.Errorf("without ann: %+v", c)
	}
	if c = c.Without(bob); c.Votes != nil || !c.Deadline.IsZero() {
		t.Errorf("without bob: %+v", c)
	}
}
