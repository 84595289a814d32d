package event

import (
	"fmt"
	"slices"

	"tengen/game"
)

// Ladder is the members of a ladder, first place first, and what they do.
type Ladder struct {
	Rungs    []Rung             `json:"ladder"`
	Active   [][2]game.MemberID `json:"active"` // challenger, challenged
	Finished []Meeting          `json:"finished"`
}

// Rung is a place on a ladder.
type Rung struct {
	ID     game.MemberID `json:"id"`
	Rating float64       `json:"rating"`
}

// Meeting is a game that two members of a ladder have ended, in days.
type Meeting struct {
	A, B game.MemberID
	Day  float64
}

// The bounds of challenges on a ladder.
const (
	maxOutgoing = 3
	restDays    = 7 // until the same two may play again
	maxRungs    = 10_000
)

// incoming is how many challenges one at a place may have.
func incoming(place int) int {
	switch {
	case place <= 5:
		return 5
	case place <= 10:
		return 4
	}
	return 3
}

// place of a member, from 1; 0 for one who is not on the ladder.
func (l Ladder) place(id game.MemberID) int {
	return 1 + slices.IndexFunc(l.Rungs, func(r Rung) bool { return r.ID == id })
}

// check says what is wrong with a ladder.
func (l Ladder) check() error {
	if len(l.Rungs) > maxRungs || len(l.Active) > maxRungs || len(l.Finished) > maxRated {
		return fmt.Errorf("a ladder has at most %d members and challenges, and %d games", maxRungs, maxRated)
	}
	seen := map[game.MemberID]bool{}
	for _, r := range l.Rungs {
		if seen[r.ID] {
			return fmt.Errorf("%d is on the ladder twice", r.ID)
		}
		seen[r.ID] = true
	}
	return nil
}

// May lists whom a member may challenge now, in days, first place first. The error says what is wrong
// with the ladder, or that the member is not on it.
func (l Ladder) May(member game.MemberID, now float64) ([]game.MemberID, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	own := l.place(member)
	if own == 0 {
		return nil, fmt.Errorf("%d is not on the ladder", member)
	}
	out, in, barred := 0, map[game.MemberID]int{}, map[game.MemberID]bool{}
	for _, c := range l.Active {
		in[c[1]]++
		switch member {
		case c[0]:
			out++
			barred[c[1]] = true
		case c[1]:
			barred[c[0]] = true
		}
	}
	for _, g := range l.Finished {
		if now-g.Day >= restDays {
			continue
		}
		switch member {
		case g.A:
			barred[g.B] = true
		case g.B:
			barred[g.A] = true
		}
	}
	may := []game.MemberID{}
	for place := l.reach(own); place < own && out < maxOutgoing; place++ {
		id := l.Rungs[place-1].ID
		if !barred[id] && in[id] < incoming(place) {
			may = append(may, id)
		}
	}
	return may, nil
}

// reach is the highest place that one at a place may challenge: ten higher, two fifths of all those
// above, or five below the place that the rating would give, whichever is the highest.
func (l Ladder) reach(place int) int {
	byRating := 1
	for i, r := range l.Rungs {
		own := l.Rungs[place-1].Rating
		if r.Rating > own || r.Rating == own && i < place-1 {
			byRating++
		}
	}
	return max(1, min(place-10, place-(4*(place-1)+5)/10, byRating+5))
}

// LadderEvent is something that changes the order of a ladder. Its names depend on the type.
type LadderEvent struct {
	Type       string        `json:"type"`
	ID         game.MemberID `json:"id"`         // join, leave
	Winner     game.MemberID `json:"winner"`     // win, timeout
	Loser      game.MemberID `json:"loser"`      //
	A          game.MemberID `json:"a"`          // draw
	B          game.MemberID `json:"b"`          //
	Challenger game.MemberID `json:"challenger"` // decline
	Challenged game.MemberID `json:"challenged"` //
}

// After is the order of a ladder after an event.
func (l Ladder) After(e LadderEvent) (Ladder, error) {
	l.Rungs = slices.Clone(l.Rungs)
	switch e.Type {
	case "join":
		if l.place(e.ID) == 0 {
			l.Rungs = append(l.Rungs, Rung{ID: e.ID})
		}
	case "leave":
		l.drop(e.ID)
	case "win":
		l.lift(e.Winner, e.Loser)
	case "draw":
	case "decline":
		l.lift(e.Challenger, e.Challenged)
	case "timeout":
		l.lift(e.Winner, e.Loser)
		l.drop(e.Loser)
	default:
		return Ladder{}, fmt.Errorf("%.20q is nothing that happens on a ladder", e.Type)
	}
	return l, nil
}

// lift puts a winner who stands below the loser just above them.
func (l *Ladder) lift(winner, loser game.MemberID) {
	from, to := l.place(winner), l.place(loser)
	if to == 0 || from <= to {
		return
	}
	r := l.Rungs[from-1]
	l.Rungs = slices.Insert(slices.Delete(l.Rungs, from-1, from), to-1, r)
}

func (l *Ladder) drop(id game.MemberID) {
	l.Rungs = slices.DeleteFunc(l.Rungs, func(r Rung) bool { return r.ID == id })
}
