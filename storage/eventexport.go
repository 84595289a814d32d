package storage

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

var (
	stateNames = [...]string{"active", "paused", "gone"}
	deedNames  = [...]string{"join", "leave", "check in", "pause", "come back", "remove", "begin", "forfeit",
		"set result", "end", "run out", "replay", "move up", "stuck", "cease"}
)

type eventJSON struct {
	Kind     string        `json:"kind"` // event
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	System   string        `json:"system"`
	Rules    string        `json:"rules"`
	Opening  string        `json:"opening"`
	PerMove  float64       `json:"seconds_per_move,omitempty"`
	Clock    string        `json:"clock,omitempty"` // where it is more than a time for each move
	Rated    bool          `json:"rated"`
	Server   string        `json:"server,omitempty"`
	Channel  string        `json:"channel"`
	Owner    string        `json:"owner,omitempty"`
	Created  time.Time     `json:"created"`
	Starts   *time.Time    `json:"starts,omitempty"`
	Weekly   bool          `json:"weekly,omitempty"`
	Waiting  []string      `json:"waiting,omitempty"`
	Rounds   int           `json:"rounds,omitempty"`
	Ended    bool          `json:"ended"`
	Entrants []entrantJSON `json:"entrants"`
	Games    [][]boardJSON `json:"games"` // by round
	History  []auditJSON   `json:"history"`
	Version  uint32        `json:"version"`
}

type entrantJSON struct {
	Seat    string  `json:"seat"`
	Member  string  `json:"member,omitempty"`
	Level   int     `json:"level,omitempty"`
	Rating  float64 `json:"rating"`
	State   string  `json:"state"`
	Rank    int     `json:"rank,omitempty"`
	Points  float64 `json:"points"`
	Checked bool    `json:"checked_in,omitempty"`
}

// boardJSON is a game by the numbers of its entrants, from 1; black 0 is a bye.
type boardJSON struct {
	White  int      `json:"white"`
	Black  int      `json:"black"`
	Result []string `json:"result,omitempty"` // of white and of black; a bye has one
	Match  string   `json:"match,omitempty"`
}

type auditJSON struct {
	What   string    `json:"what"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
	Number int       `json:"entrant,omitempty"`
	Round  int       `json:"round,omitempty"`
	Board  int       `json:"board,omitempty"`
	Reason string    `json:"reason,omitempty"`
}

func (e Event) MarshalJSON() ([]byte, error) {
	j := eventJSON{
		Kind: "event", ID: codec.IDText(uint64(e.ID)), Name: e.Name, System: e.Kind.String(), Rules: e.Game.Rules.Name(),
		Opening: codec.OpeningName(e.Game), PerMove: e.Game.Clock.Each.Seconds(), Clock: codec.ClockName(e.Game),
		Rated:  e.Game.Rated,
		Server: codec.IDText(e.Place.Server), Channel: codec.IDText(e.Place.Channel), Owner: codec.IDText(uint64(e.Owner)),
		Created: e.Created, Weekly: e.Weekly, Rounds: e.Rounds, Ended: e.Ended, Version: e.Version,
		Entrants: []entrantJSON{}, Games: [][]boardJSON{}, History: []auditJSON{},
	}
	if !e.Starts.IsZero() {
		j.Starts = &e.Starts
	}
	for _, w := range e.Waiting {
		j.Waiting = append(j.Waiting, codec.IDText(uint64(w.Member)))
	}
	ranks := e.ranks()
	for i, x := range e.Entrants {
		s := ranks[i+1]
		j.Entrants = append(j.Entrants, entrantJSON{codec.Name(seatNames[:], x.Seat.Kind),
			codec.IDText(uint64(x.Seat.Member)), int(x.Seat.Level),
			x.Rating, codec.Name(stateNames[:], x.State), s.Place, s.Points, e.Checked[i]})
	}
	for r, boards := range e.Paired {
		list := []boardJSON{}
		for i, b := range boards {
			list = append(list, boardOf(b, e.Matches[r][i]))
		}
		j.Games = append(j.Games, list)
	}
	for _, d := range e.History {
		j.History = append(j.History, d.json())
	}
	return json.Marshal(j)
}

// ranks are the standings by the entrants' numbers.
func (e Event) ranks() map[int]event.Standing {
	ranks := map[int]event.Standing{}
	for _, s := range e.Standings() {
		ranks[s.ID] = s
	}
	return ranks
}

func boardOf(b event.Board, g BoardMatch) boardJSON {
	j := boardJSON{White: b.White, Black: b.Black, Match: codec.IDText(uint64(g.Match))}
	if !b.Open() {
		if j.Result = []string{string(b.Results[0])}; b.Black != 0 {
			j.Result = append(j.Result, string(b.Results[1]))
		}
	}
	return j
}

func (d AuditEntry) json() auditJSON {
	return auditJSON{codec.Name(deedNames[:], d.What), codec.IDText(uint64(d.By)), d.At,
		d.Number, d.Round, d.Board, d.Reason}
}

// OwnEvent is an event as an export shows it to one of its members: what is theirs, and nobody
// else's.
type OwnEvent struct {
	Event  Event
	Member game.MemberID
}

type ownEventJSON struct {
	Event   string      `json:"event"`
	Name    string      `json:"name"`
	System  string      `json:"system"`
	Server  string      `json:"server,omitempty"`
	Owner   bool        `json:"owner"`
	Waiting int         `json:"waiting,omitempty"` // the place among those who wait for one
	Entries []ownJSON   `json:"entries"`
	History []auditJSON `json:"history"`
}

type ownJSON struct {
	Number int           `json:"number"`
	State  string        `json:"state"`
	Rating float64       `json:"rating"`
	Since  time.Time     `json:"since"`
	Rank   int           `json:"rank,omitempty"`
	Points float64       `json:"points"`
	Games  []ownGameJSON `json:"games"`
}

type ownGameJSON struct {
	Round  int    `json:"round"`
	Result string `json:"result,omitempty"`
	Match  string `json:"match,omitempty"`
}

func (y OwnEvent) MarshalJSON() ([]byte, error) {
	e := y.Event
	j := ownEventJSON{Event: codec.IDText(uint64(e.ID)), Name: e.Name, System: e.Kind.String(),
		Server: codec.IDText(e.Place.Server), Owner: e.Owner == y.Member, Waiting: e.PlaceOf(y.Member),
		Entries: []ownJSON{}, History: []auditJSON{}}
	ranks := e.ranks()
	for i, x := range e.Entrants {
		if x.Seat.Kind == game.MemberSeat && x.Seat.Member == y.Member {
			s := ranks[i+1]
			j.Entries = append(j.Entries, ownJSON{i + 1, codec.Name(stateNames[:], x.State), x.Rating, x.Since,
				s.Place, s.Points, e.gamesOf(i + 1)})
		}
	}
	for _, d := range e.History {
		if d.By == y.Member {
			j.History = append(j.History, d.json())
		}
	}
	return json.Marshal(j)
}

// gamesOf are an entrant's games and byes.
func (e Event) gamesOf(number int) []ownGameJSON {
	games := []ownGameJSON{}
	for r, boards := range e.Paired {
		for i, b := range boards {
			k := slices.Index([]int{b.White, b.Black}, number)
			if k >= 0 {
				games = append(games, ownGameJSON{r + 1, string(b.Results[k]), codec.IDText(uint64(e.Matches[r][i].Match))})
			}
		}
	}
	return games
}

// Rung is what a ladder knows of a member.
type Rung struct {
	Server  string         `json:"server"`
	Rules   string         `json:"rules"`
	Place   int            `json:"place,omitempty"` // 0: has left
	Seasons map[string]int `json:"seasons"`         // places by month
}

// LaddersOf gives what the ladders know of a member.
func (s *Store) LaddersOf(ctx context.Context, member game.MemberID) ([]Rung, error) {
	return look(ctx, s, func(r kv.Reader) ([]Rung, error) { return laddersOf(r, member) })
}

// laddersOf gives what the ladders know of a member.
func laddersOf(r kv.Reader, member game.MemberID) (of []Rung, err error) {
	keys, err := rungsOf(r, member)
	for _, k := range keys {
		if err != nil {
			break
		}
		server, rules := part(k, 1), part(k, 2)
		l, err := readLadder(r, server, rules)
		if err != nil {
			return nil, err
		}
		seasons, err := readSeasons(r, server, rules)
		if err != nil {
			return nil, err
		}
		rung := Rung{codec.IDText(server), l.Rules.Name(), l.Place(member), map[string]int{}}
		for _, s := range seasons {
			if i := slices.Index(s.Members, member); i >= 0 {
				rung.Seasons[s.Month.String()] = i + 1
			}
		}
		of = append(of, rung)
	}
	return of, err
}
