package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
)

// SetVacation changes the vacations of a member by f, and with them the clocks of the games that they play. It gives
// the games that it has changed.
func (s *Store) SetVacation(ctx context.Context, member game.MemberID, now time.Time,
	f func(game.Vacations) (game.Vacations, error)) (changed []Record, err error) {
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		changed = nil
		m, err := readMember(t, member)
		if err != nil {
			return err
		}
		if m.Vacations, err = f(m.Vacations); err != nil {
			return err
		}
		if err := putMember(t, m); err != nil {
			return err
		}
		ids, err := partsIn[game.MatchID](t, under(tSeat, uint64(member)), 1, -1, nil)
		if err != nil {
			return err
		}
		recs, err := readRecords(t, ids)
		for _, old := range recs {
			next := old.onVacation(m, now)
			if err != nil || next.Version == old.Version {
				continue
			}
			next, err = t.save(&old, next)
			changed = append(changed, next)
		}
		return err
	})
	return changed, err
}

// onVacation is r with the time of a member standing still while they are away. A tournament has deadlines of its own,
// which wait for nobody.
func (r Record) onVacation(m Member, now time.Time) Record {
	if r.Link.Event != 0 {
		return r
	}
	if next, err := r.OnVacation(m.ID, m.Vacations.Until(now), now); err == nil {
		r.Match = next
	}
	return r
}

// begun is r, which has just begun, with the vacations of its members.
func (t *txn) begun(r Record) (_ Record, err error) {
	for _, seat := range r.Seats {
		if seat.Kind == game.MemberSeat {
			m, bad := readMember(t, seat.Member)
			err = errors.Join(err, bad)
			r = r.onVacation(m, r.Updated)
		}
	}
	return r, err
}
