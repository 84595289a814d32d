package storage

import (
	"context"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Stats counts what is stored.
type Stats struct {
	Offered, Playing int // live matches
	Ended            int // matches that ended before they got going, until they are deleted
	Archived         int
	Rated            int            `json:",omitempty"` // of the archived, those that changed ratings; see Games
	Rules            map[string]int `json:",omitempty"` // archived by rules; see Games
	Members, Servers int            // with settings of their own
	Standings        int
	Events, Open     int // events; those that have not ended
	Ladders          int
	Together         int `json:"Crowds"`
	Simuls           int
	Owed, Late       int    // turns of the engine; screens that show an older state
	Application      uint64 `json:",omitempty"` // to which the store belongs; 0: none yet
	Seen             int    // causes remembered
	Reviews          int    // of finished matches
	ReviewsOwed      int

	Estimates []string `json:",omitempty"` // the figures of these that the engine estimates, by their names

	Schema int
	Kinds  []Held // of rows that the store holds, or has held
}

// Stats counts. It reads what is alive, and of the rest asks the engine for the number of rows.
func (s *Store) Stats(ctx context.Context) (st Stats, err error) {
	for _, c := range []struct {
		table byte
		name  string
		n     *int
	}{
		{tArchive, "Archived", &st.Archived}, {tMember, "Members", &st.Members}, {tServer, "Servers", &st.Servers},
		{tRating, "Standings", &st.Standings}, {tWork, "Owed", &st.Owed}, {tSeen, "Seen", &st.Seen},
		{tReview, "Reviews", &st.Reviews}, {tReviewing, "ReviewsOwed", &st.ReviewsOwed}, {tLadder, "Ladders", &st.Ladders},
		{tTogether, "Together", &st.Together}, {tSimul, "Simuls", &st.Simuls},
	} {
		rows, exact, err := s.kv.Count(ctx, c.table)
		if err != nil {
			return Stats{}, err
		}
		if *c.n = int(rows); !exact {
			st.Estimates = append(st.Estimates, c.name)
		}
	}
	err = s.each(ctx, tLive, func(r Record) bool {
		switch {
		case r.Phase == game.Offered:
			st.Offered++
		case r.Phase == game.Playing:
			st.Playing++
		case r.archived():
			st.Archived++
		default:
			st.Ended++
		}
		return ctx.Err() == nil
	})
	if err != nil {
		return Stats{}, err
	}
	late, err := s.Late(ctx, time.Time{}) // who is to be called is not behind
	if err != nil {
		return Stats{}, err
	}
	st.Late = len(late)
	if err := s.Events(ctx, func(e Event) bool {
		if st.Events++; !e.Ended {
			st.Open++
		}
		return ctx.Err() == nil
	}); err != nil {
		return Stats{}, err
	}
	if st.Application, err = s.application(ctx); err != nil {
		return Stats{}, err
	}
	if err := s.kv.View(ctx, func(r kv.Reader) error {
		l, bad := readList(r)
		st.Kinds = l.held
		st.Schema, err = namedIn(r)
		return firstOf(bad, err)
	}); err != nil {
		return Stats{}, err
	}
	return st, ctx.Err()
}

// Games counts the finished games too, by what is in them. It reads them all.
func (s *Store) Games(ctx context.Context, st Stats) (Stats, error) {
	st.Archived, st.Rated, st.Rules = 0, 0, map[string]int{}
	st.Estimates = slices.DeleteFunc(st.Estimates, func(name string) bool { return name == "Archived" })
	err := s.Archive(ctx, func(r Record) bool {
		st.Archived++
		st.Rules[r.Rules.Name()]++
		if r.Changes != [2]Change{} {
			st.Rated++
		}
		return ctx.Err() == nil
	})
	return st, firstOf(err, ctx.Err())
}
