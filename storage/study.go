package storage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Study is a study of a member: a tree of moves as SGF, and where the member looks in it. It is saved when it has a
// name. Of those without one the store keeps the newest few.
type Study struct {
	Member  game.MemberID
	Number  uint64 // of the interaction that began it
	Version uint32 // of its content: each change makes one more
	Name    string
	At      time.Time // when it was last changed
	Cursor  int       // the number of a node
	SGF     string
}

// The bounds of the studies of a member.
const (
	MostStudies   = 20 // that are saved
	openStudies   = 5  // that are not
	MostStudyName = 60 // characters
	MostStudy     = 1 << 15
)

// ErrManyStudies is the error for a study that a member wants to save beyond MostStudies.
var ErrManyStudies = errors.New("as many studies are saved as may be")

// Saved reports whether the member keeps the study.
func (v Study) Saved() bool { return v.Name != "" }

func (v *Study) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "study")
	codec.Part(f, "member", 0, &v.Member)
	codec.Part(f, "number", 1, &v.Number)
	codec.Number(f, "", &v.Version, codec.Any32)
	f.Text("name?", &v.Name, 4*MostStudyName)
	f.Time("changed", &v.At)
	codec.Number(f, "", &v.Cursor, MostStudy)
	f.Text("sgf", &v.SGF, MostStudy)
}

func (v Study) MarshalJSON() ([]byte, error) { return codec.Export(v) }

func studyKey(member game.MemberID, number uint64) []byte { return key(tStudy, uint64(member), number) }

func studiesOf(r kv.Reader, member game.MemberID) ([]Study, error) {
	return allIn[Study](r, under(tStudy, uint64(member)))
}

// BeginStudy stores a new study, unless its number is there already. Of the studies that are not saved the oldest
// ones go.
func (s *Store) BeginStudy(ctx context.Context, v Study) (now Study, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		all, err := studiesOf(tx, v.Member)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(was Study) bool { return was.Number == v.Number }); i >= 0 {
			now = all[i]
			return nil
		}
		all = slices.DeleteFunc(all, Study.Saved)
		slices.SortFunc(all, func(a, b Study) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Number, a.Number)) })
		for _, old := range all[min(len(all), openStudies-1):] {
			err = firstOf(err, tx.Delete(studyKey(old.Member, old.Number)))
		}
		now = v
		return firstOf(err, tx.Put(studyKey(v.Member, v.Number), codec.Encode(v)))
	})
	return now, err
}

// Study gives a study of a member; ErrNotFound where there is none of the number.
func (s *Store) Study(ctx context.Context, member game.MemberID, number uint64) (Study, error) {
	return look(ctx, s, func(r kv.Reader) (Study, error) { return need[Study](r, studyKey(member, number)) })
}

// Studies gives the studies that a member has saved, those first that were changed last.
func (s *Store) Studies(ctx context.Context, member game.MemberID) ([]Study, error) {
	all, err := look(ctx, s, func(r kv.Reader) ([]Study, error) { return studiesOf(r, member) })
	all = slices.DeleteFunc(all, func(v Study) bool { return !v.Saved() })
	slices.SortFunc(all, func(a, b Study) int { return b.At.Compare(a.At) })
	return all, err
}

// UpdateStudy changes a study by f. Where f changes nothing, nothing is written. It is ErrManyStudies where f saves
// one more than may be.
func (s *Store) UpdateStudy(ctx context.Context, member game.MemberID, number uint64, now time.Time,
	f func(Study) (Study, error)) (v Study, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := need[Study](tx, studyKey(member, number))
		if err != nil {
			return err
		}
		if v, err = f(was); err != nil {
			return err
		}
		if v.Member, v.Number = member, number; v == was {
			return nil
		}
		if v.Saved() && !was.Saved() {
			all, err := studiesOf(tx, member)
			if err != nil {
				return err
			}
			if len(slices.DeleteFunc(all, func(v Study) bool { return !v.Saved() })) >= MostStudies {
				return ErrManyStudies
			}
		}
		v.Version, v.At = was.Version+1, now
		return tx.Put(studyKey(member, number), codec.Encode(v))
	})
	return v, err
}

// DropStudy deletes a study of a member.
func (s *Store) DropStudy(ctx context.Context, member game.MemberID, number uint64) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error { return tx.Delete(studyKey(member, number)) })
}

func (allStudies) tables() []table { return []table{{tStudy, anyOf[Study], nil, true}} }

func (allStudies) own(r kv.Reader, member game.MemberID) (name string, known []any, err error) {
	studies, err := studiesOf(r, member)
	for _, v := range studies {
		known = append(known, v)
	}
	return "studies", known, err
}

func (allStudies) forget(ctx context.Context, s *Store, member game.MemberID, _ time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		keys, err := keysIn(tx, under(tStudy, uint64(member)), -1, nil)
		for _, k := range keys {
			err = firstOf(err, tx.Delete(k))
		}
		return err
	})
}
