package ladder

import (
	"strings"
	"testing"

	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// full is a ladder with so many members, and the season before, in which the first was third.
func full(n int) (storage.Ladder, []storage.Season) {
	l := storage.Ladder{Server: 1, Channel: 2, Ladder: event.Ladder{Rules: game.Gomoku15}}
	for i := range n {
		l.Rungs = append(l.Rungs, event.Rung{ID: game.MemberID(900000000000000000 + i), Rating: 2000 - float64(i)})
	}
	for i := range 12 {
		l.Active = append(l.Active, event.Challenge{Match: game.MatchID(i), By: l.Rungs[i+1].ID, Whom: l.Rungs[i].ID})
	}
	return l, []storage.Season{{Month: l.Month, Members: []game.MemberID{l.Rungs[2].ID, 0, l.Rungs[0].ID, l.Rungs[3].ID}}}
}

// The largest ladder fits a message of Discord, and its pages hold every place once.
func TestLargeLadder(t *testing.T) {
	l, seasons := full(event.MaxRungs)
	for _, lang := range texts.Tags() {
		msg := testkit.Got(standings(view.In(lang), l, nil, seasons, ""))
		text := 0
		for _, b := range msg.Blocks {
			text += len([]rune(b.Text))
		}
		if text > 4000 || len(msg.Blocks) > 10 {
			t.Errorf("%s: %d characters, %d blocks", lang, text, len(msg.Blocks))
		}
		may := make([]game.MemberID, 40)
		for i := range may {
			may[i] = l.Rungs[1000+i].ID
		}
		own := mine(view.In(lang), l, nil, l.Rungs[1100].ID, may)
		testkit.Want(t, "choices", len(own.Blocks[1].Select.Choice), mostChoices)
	}
	last, err := all(view.In("en"), l, nil, seasons, "", 1<<30)
	if err != nil || !strings.Contains(last.Blocks[2].Text, "`2000.`") || !last.Blocks[4].Row[2].Disabled {
		t.Errorf("the last page is %+v, %v", last.Blocks[2:], err)
	}
}

// The rating of a newcomer is no number, neither in the list nor in the picture.
func TestNewOnALadder(t *testing.T) {
	l, seasons := full(20)
	isNew := newcomers{l.Rungs[1].ID: true}
	msg := testkit.Got(all(view.In("en"), l, isNew, seasons, "", 0))
	if s := msg.Blocks[2].Text; strings.Count(s, "**new**") != 1 {
		t.Errorf("the list is %s", s)
	}
	testkit.Want(t, "in the picture", table(l, isNew, seasons, 0, 3).Rows[1].Points, "–")
}

// The picture says how far each has come since the last season.
func TestClimbed(t *testing.T) {
	l, seasons := full(20)
	rows := table(l, nil, seasons, 0, 16).Rows
	for place, want := range map[int]string{1: "+2", 3: "-2", 4: "0", 5: ""} {
		if got := rows[place-1].Cells[0].Text; got != want {
			t.Errorf("place %d: %q, want %q", place, got, want)
		}
	}
	if first := table(l, nil, nil, 0, 16); len(first.Heads) > 0 {
		t.Errorf("in the first season there is a column %q with nothing in it", first.Heads)
	}
}
