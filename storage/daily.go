package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Daily is the daily puzzle of a server, and where a message about it stands.
type Daily struct {
	Server uint64
	daily.Daily
	Stands MessageRef // the message that stands in the channel
	Goes   MessageRef // the one that it has replaced, until it is deleted
}

// due is when there is something to do in the channel; zero: nothing. What is owed is due whatever
// the clock says, which may have been set back since.
func (d Daily) due() time.Time {
	if d.Day.State == daily.Owed || d.Goes.ID != 0 {
		return millis(0)
	}
	return d.Next
}

func dayFields(f *codec.Fields, d *daily.Day) {
	const most = 1 << 30
	if f.Text("", &d.Puzzle, mostPuzzleID); d.Puzzle == "" {
		return
	}
	f.Time("", &d.Begins)
	f.Time("", &d.Made)
	codec.ID(f, "", &d.Nonce)
	codec.Small(f, "", &d.State, daily.Missed)
	codec.Number(f, "", &d.Tried, most)
	codec.Number(f, "", &d.Solved, most)
	codec.Number(f, "", &d.Streak, most)
	codec.IDs(f, "", &d.First, daily.MostFirst)
}

// Bounds of what is stored.
const (
	mostPuzzleID = 16
	mostZone     = 64
	mostTries    = 20
)

func (d *Daily) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "daily")
	codec.Part(f, "server", 0, &d.Server)
	codec.ID(f, "channel?", &d.Channel)
	codec.Number(f, "hour", &d.Hour, 23)
	f.Text("zone?", &d.Zone, mostZone)
	f.Time("", &d.Next)
	codec.Number(f, "", &d.Count, 1<<30)
	if dayFields(f, &d.Day); f.Exporting() {
		f.Say("puzzle", d.Day.Puzzle)
		f.Say("begins", d.Day.Begins)
		f.Say("tried", d.Day.Tried)
		f.Say("solved", d.Day.Solved)
		f.Say("streak", d.Day.Streak)
		codec.IDs(f, "first", &d.Day.First, daily.MostFirst)
		return
	}
	dayFields(f, &d.Before)
	d.Stands.Fields(f)
	d.Goes.Fields(f)
}

func (m *MessageRef) Fields(f *codec.Fields) {
	codec.ID(f, "", &m.Channel)
	codec.ID(f, "", &m.ID)
}

func (d Daily) MarshalJSON() ([]byte, error) { return codec.Export(d) }

func dailyDueKey(d Daily) []byte { return key(tDailyDue, millisOf(d.due()), d.Server) }

// unwrite deletes the rows of d.
func (d Daily) unwrite(tx kv.Tx) error {
	err := tx.Delete(key(tDaily, d.Server))
	if !d.due().IsZero() {
		err = errors.Join(err, tx.Delete(dailyDueKey(d)))
	}
	return err
}

func putDaily(tx kv.Tx, was, d Daily) error {
	d.Server = was.Server
	err := errors.Join(was.unwrite(tx), tx.Put(key(tDaily, d.Server), codec.Encode(d)))
	if !d.due().IsZero() {
		err = errors.Join(err, tx.Put(dailyDueKey(d), none))
	}
	return err
}

func readDaily(r kv.Reader, server uint64) (Daily, error) {
	return get[Daily](r, key(tDaily, server))
}

// Daily gives the daily puzzle of a server; zero but for Server where there is none.
func (s *Store) Daily(ctx context.Context, server uint64) (Daily, error) {
	return look(ctx, s, func(r kv.Reader) (Daily, error) { return readDaily(r, server) })
}

// UpdateDaily changes the daily puzzle of a server by f.
func (s *Store) UpdateDaily(ctx context.Context, server uint64, f func(Daily) (Daily, error)) (d Daily, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readDaily(tx, server)
		if err != nil {
			return err
		}
		if d, err = f(was); err != nil {
			return err
		}
		d.Server = server
		return putDaily(tx, was, d)
	})
	return d, err
}

// DueDailies gives at most n servers in whose channels there is something to do by now, the
// longest due first. It leaves out those for which want is false: they keep no other waiting.
func (s *Store) DueDailies(ctx context.Context, now time.Time, n int,
	want func(server uint64) bool) ([]uint64, error) {
	return look(ctx, s, func(r kv.Reader) ([]uint64, error) { return partsIn(r, dueBy(tDailyDue, now), 1, n, want) })
}

// Taking is how a member fares with the daily puzzles of a server.
type Taking struct {
	Server uint64
	daily.Taking
}

func (t *Taking) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "daily_of")
	codec.Part(f, "member", 0, &t.Member)
	codec.Part(f, "server", 1, &t.Server)
	f.Time("day", &t.Begins)
	f.Text("tries", &t.Tries, mostTries)
	codec.ID(f, "", &t.Interaction)
	f.Time("", &t.Last)
	codec.Number(f, "streak", &t.Streak, 1<<30)
	codec.Number(f, "best", &t.Best, 1<<30)
}

func (t Taking) MarshalJSON() ([]byte, error) { return codec.Export(t) }

func takingKey(member game.MemberID, server uint64) []byte {
	return key(tTaking, uint64(member), server)
}

func readTaking(r kv.Reader, member game.MemberID, server uint64) (Taking, error) {
	return get[Taking](r, takingKey(member, server))
}

// takingOn is readTaking on a day of a server, on which the member may have deleted their data.
func takingOn(r kv.Reader, member game.MemberID, d Daily) (Taking, error) {
	t, err := readTaking(r, member, d.Server)
	if err != nil || t != (Taking{d.Server, daily.Taking{Member: member}}) {
		return t, err
	}
	return tookBefore(r, member, d)
}

// Taking gives how a member fares with the daily puzzles of a server.
func (s *Store) Taking(ctx context.Context, member game.MemberID, server uint64) (Taking, error) {
	return look(ctx, s, func(r kv.Reader) (Taking, error) {
		d, err := readDaily(r, server)
		if err != nil {
			return Taking{}, err
		}
		return takingOn(r, member, d)
	})
}

// TakeDaily changes by f the daily puzzle of a server and how a member fares with it.
func (s *Store) TakeDaily(ctx context.Context, server uint64, member game.MemberID,
	f func(daily.Daily, daily.Taking) (daily.Daily, daily.Taking, error)) (d Daily, t Taking, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readDaily(tx, server)
		if err != nil {
			return err
		}
		took, err := takingOn(tx, member, was)
		if err != nil {
			return err
		}
		d, t = was, took
		if d.Daily, t.Taking, err = f(d.Daily, t.Taking); err != nil {
			return err
		}
		t.Tries = t.Tries[:min(len(t.Tries), mostTries)]
		return errors.Join(putDaily(tx, was, d), solvesIn(tx, server, member),
			tx.Put(takingKey(member, server), codec.Encode(t)))
	})
	return d, t, err
}

// verifyDaily looks for the row that follows from the daily puzzle of a server.
func verifyDaily(_ *Store, r kv.Reader, _ []byte, v any) error {
	d := v.(Daily)
	if d.due().IsZero() {
		return nil
	}
	value, err := r.Get(dailyDueKey(d))
	if err == nil && value == nil {
		err = errors.New("a daily puzzle lacks the row of when it is due")
	}
	return err
}

// verifyDailyDue checks that a time follows from the daily puzzle of a server.
func verifyDailyDue(_ *Store, r kv.Reader, k []byte, _ any) error {
	d, err := readDaily(r, part(k, 1))
	if err == nil && (d.due().IsZero() || string(dailyDueKey(d)) != string(k)) {
		err = errors.New("no daily puzzle is due then")
	}
	return err
}
