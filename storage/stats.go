package storage

import (
	"context"
	"fmt"
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

// Verify decodes every row, and compares each match with the rows that follow from it, both
// ways. It gives the number of rows and the first thing that is wrong.
func Verify(ctx context.Context, engine kv.Engine) (rows int64, err error) {
	return VerifyWith(ctx, engine, func(int64) {})
}

// VerifyWith is Verify for a large store; progress is called with the rows done. It
// reads a part at a time. A row that seems wrong is looked at once more, since it and what
// it follows from may have changed between two parts; so it may be used on a store at work.
func VerifyWith(ctx context.Context, engine kv.Engine, progress func(rows int64)) (rows int64, err error) {
	s := &Store{kv: &schedule{Engine: engine}}
	for from := []byte(nil); ; {
		var next, wrong []byte
		n := 0
		err = engine.View(ctx, func(r kv.Reader) error {
			next, wrong, n = nil, nil, 0
			l, err := readList(r)
			if err != nil {
				return err
			}
			return r.Scan(from, nil, func(k, v []byte) bool {
				if n == verifyRows {
					next = k
					return false
				}
				n++
				if firstOf(ctx.Err(), s.verify(r, l, k, v)) != nil {
					wrong = k
				}
				return wrong == nil
			})
		})
		if err = firstOf(ctx.Err(), err); err == nil && wrong != nil {
			err = s.verifyAgain(ctx, wrong)
			next = append(wrong, 0)
		}
		if rows += int64(n); err != nil || next == nil {
			return rows, err
		}
		progress(rows)
		from = next
	}
}

// verifyRows is how many rows are verified at once: each may take several requests.
const verifyRows = 256

func (s *Store) verifyAgain(ctx context.Context, k []byte) error {
	return s.kv.View(ctx, func(r kv.Reader) error {
		v, err := r.Get(k)
		if err != nil || v == nil {
			return err
		}
		l, err := readList(r)
		if err == nil {
			err = s.verify(r, l, k, v)
		}
		if err != nil {
			return fmt.Errorf("row %x: %w", k, err)
		}
		return nil
	})
}
