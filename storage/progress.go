package storage

import (
	"context"
	"maps"
	"slices"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Progress is what a member has done of the courses.
type Progress struct {
	Member  game.MemberID
	Offered bool              // earlier versions offered the first step once
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

func (p *Progress) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "progress")
	codec.Part(f, "member", 0, &p.Member)
	f.Flag("first_step_offered", &p.Offered)
	if f.Exporting() {
		f.Say("solved", p.numbers())
	}
	steps := slices.Sorted(maps.Keys(p.Solved))
	codec.Many(f, "", &steps, 2, mostSteps, func(f *codec.Fields, step *string) {
		solved := p.Solved[*step]
		f.Text("", step, mostStepName)
		if codec.Number(f, "", &solved, codec.Any64); f.Reading() {
			if p.Solved == nil {
				p.Solved = map[string]uint64{}
			}
			p.Solved[*step] = solved
		}
	})
}

// numbers are those of the solved exercises, from 1, by the name of their step.
func (p Progress) numbers() map[string][]int {
	all := map[string][]int{}
	for step, solved := range p.Solved {
		for n := range 64 {
			if solved>>n&1 != 0 {
				all[step] = append(all[step], n+1)
			}
		}
	}
	return all
}

func (p Progress) MarshalJSON() ([]byte, error) { return codec.Export(p) }

func progressKey(id game.MemberID) []byte { return key(tProgress, uint64(id)) }

func readProgress(r kv.Reader, id game.MemberID) (Progress, error) {
	return get[Progress](r, progressKey(id))
}

// Progress gives what a member has done of the courses.
func (s *Store) Progress(ctx context.Context, id game.MemberID) (Progress, error) {
	return lookAt[Progress](ctx, s, progressKey(id))
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
		value := codec.Encode(p)
		if string(value) == string(codec.Encode(was)) {
			return nil
		}
		if _, err := codec.Decode[Progress](progressKey(id), value); err != nil {
			return err
		}
		return tx.Put(progressKey(id), value)
	})
	return p, err
}
