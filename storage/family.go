package storage

import (
	"context"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// family is a kind of what the store keeps. The work on the whole store goes through all of them: verifying,
// exporting, a member's file, deleting, taking back what a clock that was ahead has left.
type family interface {
	tables() []table // those with its rows
	// own gives what a member's file has of the kind, and what it is called there.
	own(r kv.Reader, member game.MemberID) (name string, known []any, err error)
	forget(ctx context.Context, s *Store, member game.MemberID, now time.Time) error
	left(ctx context.Context, s *Store, server uint64, now time.Time) error // the bot was removed from a server
	// clear deletes what belongs to a server, as long as may gives no error.
	clear(ctx context.Context, s *Store, server uint64, may func(kv.Reader) error) error
	takeBack(ctx context.Context, s *Store, now time.Time) error
}

// families are all of them, in the order in which the work goes through them. A new one enters by a line.
var families = []family{allMatches{}, allEvents{}, allLadders{}, Togethers, Simuls, allPuzzles{}, allServers{},
	allPages{}, allStudies{}, allIfThens{}, allSeeks{}, allRecaps{}}

// through does something to each family. One that fails keeps no other from its turn.
func through(do func(family) error) (err error) {
	for _, k := range families {
		err = firstOf(err, do(k))
	}
	return err
}

// idle is a family with which there is nothing to do.
type idle struct{}

func (idle) tables() []table                                                    { return nil }
func (idle) own(kv.Reader, game.MemberID) (string, []any, error)                { return "", nil, nil }
func (idle) forget(context.Context, *Store, game.MemberID, time.Time) error     { return nil }
func (idle) left(context.Context, *Store, uint64, time.Time) error              { return nil }
func (idle) clear(context.Context, *Store, uint64, func(kv.Reader) error) error { return nil }
func (idle) takeBack(context.Context, *Store, time.Time) error                  { return nil }

// The families beside gatherings.
type (
	allMatches struct{ idle }
	allEvents  struct{ idle }
	allLadders struct{ idle }
	allPuzzles struct{ idle }
	allServers struct{ idle }
	allPages   struct{ idle }
	allStudies struct{ idle }
	allIfThens struct{ idle }
	allSeeks   struct{ idle }
	allRecaps  struct{ idle }
)
