package storage

import (
	"context"
	"maps"

	"tengen/game"
	"tengen/storage/kv"
)

// Progress is what a member has done of the courses.
type Progress struct {
	Member  game.MemberID
	Offered bool              // the first step has been offered
	Solved  map[string]uint64 // by the name of a step: a bit for each solved exercise
}

// The bounds of a member's progress.
const (
	mostSteps    = 100
	mostStepName = 40
)

// Has reports whether an exercise of a step is solved.
func (p Progress) Has(step string, exercise int) bool { return p.Solved[step]>>exercise&1 != 0 }

// With is p with an exercise solved. It leaves p as it was.
func (p Progress) With(step string, exercise int) Progress {
	solved := maps.Clone(p.Solved)
	if solved == nil {
		solved = map[string]uint64{}
	}
	solved[step] |= 1 << exercise
	p.Solved = solved
	return p
}

func (p Progress) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.bool(p.Offered)
	w.uint(uint64(len(p.Solved)))
	for _, step := range sortedKeys(p.Solved) {
		w.text(step)
		w.uint(p.Solved[step])
	}
	return w.b
}

func decodeProgress(id game.MemberID, value []byte) (Progress, error) {
	d := open(value, 1)
	p := Progress{Member: id, Offered: d.bool()}
	n := d.count(2)
	if n > mostSteps {
		d.fail(errContent)
	}
	for range n {
		step := d.text()
		if len(step) > mostStepName {
			d.fail(errContent)
		}
		if d.err != nil {
			break
		}
		if p.Solved == nil {
			p.Solved = map[string]uint64{}
		}
		p.Solved[step] = d.uint()
	}
	return p, d.end()
}

func progressKey(id game.MemberID) []byte { return key(tProgress, uint64(id)) }

func readProgress(r kv.Reader, id game.MemberID) (Progress, error) {
	value, err := r.Get(progressKey(id))
	if err != nil || value == nil {
		return Progress{Member: id}, err
	}
	return decodeProgress(id, value)
}

// Progress gives what a member has done of the courses.
func (s *Store) Progress(ctx context.Context, id game.MemberID) (Progress, error) {
	return look(ctx, s, func(r kv.Reader) (Progress, error) { return readProgress(r, id) })
}

// SetProgress changes what a member has done by f. Where that changes nothing, nothing is
// written. What cannot be read again, for its size, is an error.
func (s *Store) SetProgress(ctx context.Context, id game.MemberID, f func(Progress) Progress) (p Progress, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readProgress(tx, id)
		if err != nil {
			return err
		}
		p = f(was)
		p.Member = id
		value := p.encode()
		if string(value) == string(was.encode()) {
			return nil
		}
		if _, err := decodeProgress(id, value); err != nil {
			return err
		}
		return tx.Put(progressKey(id), value)
	})
	return p, err
}
