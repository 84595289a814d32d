package event

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/game"
)

// Ladder is the ladder for one kind of game. It is a value: each operation gives a new one or an error. It
// has seasons of a month; the order goes on.
type Ladder struct {
	Rules   game.Rules
	Off     bool          // nobody joins or challenges; matches under way still change places
	Clock   time.Duration // for each move of a match; 0: none
	Opening string        // of a match; empty: none
	Month   Month         // of the season
	Rungs   []Rung        // first place first
	Active  []Challenge
	Met     []Met // the oldest first, of the last seven days
}

// Rung is a place on a ladder.
type Rung struct {
	ID     game.MemberID `json:"id"`
	Rating float64       `json:"rating"` // of the last game on the ladder
}

// Challenge is a match of a ladder that has not ended.
type Challenge struct {
	Match    game.MatchID
	By, Whom game.MemberID
}

// Met is a game on a ladder that has ended.
type Met struct {
	A, B game.MemberID
	At   time.Time
}

// Month counts months from the year 0, in UTC.
type Month uint32

// MonthOf is the month of a time.
func MonthOf(t time.Time) Month { return Month(t.UTC().Year()*12 + int(t.UTC().Month()) - 1) }

// String is the month as year and month.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m/12, m%12+1) }

// The bounds of ladders.
const (
	MaxRungs    = 2000
	MaxMet      = 10_000
	maxOutgoing = 3 // challenges of one member
	restDays    = 7 // until the same two may play again
	rest        = restDays * 24 * time.Hour
	hallOfFame  = 100 // places that are kept of a season
)

// What ladders refuse.
var (
	ErrOutOfReach = errors.New("the ladder does not allow this challenge")
	ErrLadderFull = errors.New("the ladder has as many members as it can hold")
	ErrLadderOff  = errors.New("the ladder is switched off")
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

// Place is a member's place, from 1; 0 for one who is not on the ladder.
func (l Ladder) Place(member game.MemberID) int {
	return 1 + slices.IndexFunc(l.Rungs, func(r Rung) bool { return r.ID == member })
}

// Join puts a member on the lowest place; nothing happens to one who is on the ladder.
func (l Ladder) Join(member game.MemberID, rating float64) (Ladder, error) {
	switch {
	case l.Off:
		return l, ErrLadderOff
	case l.Place(member) == 0 && len(l.Rungs) >= MaxRungs:
		return l, ErrLadderFull
	}
	return l.joined(member, rating), nil
}

func (l Ladder) joined(member game.MemberID, rating float64) Ladder {
	if l.Place(member) == 0 {
		l.Rungs = append(slices.Clip(l.Rungs), Rung{member, float64(float32(rating))}) // as it can be stored
	}
	return l
}

// Leave takes a member off. Matches under way go on; they change the places of others no more.
func (l Ladder) Leave(member game.MemberID) Ladder {
	l.Rungs = slices.DeleteFunc(slices.Clone(l.Rungs), func(r Rung) bool { return r.ID == member })
	return l
}

// Without is l as it stays after a member has deleted their data.
func (l Ladder) Without(member game.MemberID) Ladder {
	l = l.Leave(member)
	plays := func(c Challenge) bool { return c.By == member || c.Whom == member }
	met := func(m Met) bool { return m.A == member || m.B == member }
	l.Active, l.Met = slices.DeleteFunc(slices.Clone(l.Active), plays), slices.DeleteFunc(slices.Clone(l.Met), met)
	return l
}

// May lists whom a member may challenge at a time, first place first; nobody for one who is not on l.
func (l Ladder) May(member game.MemberID, now time.Time) []game.MemberID {
	may, own := []game.MemberID{}, l.Place(member)
	if own == 0 {
		return may
	}
	out, in, barred := 0, map[game.MemberID]int{}, map[game.MemberID]bool{}
	for _, c := range l.Active {
		in[c.Whom]++
		switch member {
		case c.By:
			out++
			barred[c.Whom] = true
		case c.Whom:
			barred[c.By] = true
		}
	}
	for _, m := range l.Met {
		switch {
		case now.Sub(m.At) >= rest:
		case m.A == member:
			barred[m.B] = true
		case m.B == member:
			barred[m.A] = true
		}
	}
	for place := l.reach(own); place < own && out < maxOutgoing; place++ {
		id := l.Rungs[place-1].ID
		if !barred[id] && in[id] < incoming(place) {
			may = append(may, id)
		}
	}
	return may
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

// Challenge is l with a match that one member owes another from now on.
func (l Ladder) Challenge(c Challenge, now time.Time) (Ladder, error) {
	switch {
	case l.Off:
		return l, ErrLadderOff
	case !slices.Contains(l.May(c.By, now), c.Whom):
		return l, ErrOutOfReach
	}
	l.Active = append(slices.Clip(l.Active), c)
	return l, nil
}

func (l Ladder) find(id game.MatchID) int {
	return slices.IndexFunc(l.Active, func(c Challenge) bool { return c.Match == id })
}

// Replace puts another match in the place of one. One that l does not know changes nothing: who has left
// plays on.
func (l Ladder) Replace(id, by game.MatchID) Ladder {
	if i := l.find(id); i >= 0 {
		l.Active = slices.Clone(l.Active)
		l.Active[i].Match = by
	}
	return l
}

// Ended is l after the end of a match, which was as given before. ratings are those of its seats after
// it; 0: unchanged. A match of somebody else changes nothing.
func (l Ladder) Ended(was, m game.Match, ratings [2]float64) Ladder {
	i := l.find(m.ID)
	if i < 0 {
		return l
	}
	c, result := l.Active[i], m.Result()
	l.Active = slices.Delete(slices.Clone(l.Active), i, i+1)
	switch {
	case result.Termination == game.Declined || result.Termination == game.Expired:
		return l.won(c.By, c.Whom)
	case result.Termination == game.Aborted && !was.Deadline.IsZero() && !m.Updated.Before(was.Deadline):
		late := was.ToMove() // nobody wins a match without moves
		loser := was.Seats[late].Member
		return l.won(was.Seats[1-late].Member, loser).Leave(loser)
	case result.Termination >= game.Aborted:
		return l
	}
	l.Met = slices.DeleteFunc(slices.Clone(l.Met), func(old Met) bool { return m.Updated.Sub(old.At) >= rest })
	l.Met = append(l.Met[max(0, len(l.Met)-MaxMet+1):], Met{c.By, c.Whom, m.Updated})
	if result.Winner != game.Empty {
		seat, sits := m.SeatOf(c.By)
		if !sits { // a seat may have lost its id by now
			other, _ := m.SeatOf(c.Whom)
			seat = 1 - other
		}
		winner, loser := c.By, c.Whom
		if m.ColorOf(seat) != result.Winner {
			winner, loser = loser, winner
		}
		if l = l.won(winner, loser); result.Termination == game.ByTimeout {
			l = l.Leave(loser)
		}
	}
	return l.rated(m, ratings)
}

// won puts a winner who stands below the loser just above them.
func (l Ladder) won(winner, loser game.MemberID) Ladder {
	from, to := l.Place(winner), l.Place(loser)
	if to == 0 || from <= to {
		return l
	}
	r := l.Rungs[from-1]
	l.Rungs = slices.Insert(slices.Delete(slices.Clone(l.Rungs), from-1, from), to-1, r)
	return l
}

func (l Ladder) rated(m game.Match, ratings [2]float64) Ladder {
	l.Rungs = slices.Clone(l.Rungs)
	for i, s := range m.Seats {
		if place := l.Place(s.Member); place > 0 && ratings[i] != 0 {
			l.Rungs[place-1].Rating = ratings[i]
		}
	}
	return l
}

// Turn is l in the season of a time, and who has ended the one before, first place first; nobody while it
// goes on.
func (l Ladder) Turn(now time.Time) (Ladder, []game.MemberID) {
	if l.Month >= MonthOf(now) {
		return l, nil
	}
	l.Month = MonthOf(now)
	return l, ids(l.Rungs[:min(len(l.Rungs), hallOfFame)])
}

func ids(rungs []Rung) []game.MemberID {
	ids := make([]game.MemberID, len(rungs))
	for i, r := range rungs {
		ids[i] = r.ID
	}
	return ids
}
