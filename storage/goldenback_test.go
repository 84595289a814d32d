package storage

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
)

// Every golden row is read, written back and exported. testdata/golden/rows.txt says what comes of it, a line
// for each: its name, "same" or the bytes of the newest version, and its JSON. A line is never changed;
// -golden adds those that are missing. No row that is cut anywhere, or has a byte more, is taken for whole.
func TestGoldenBack(t *testing.T) {
	path := filepath.Join("testdata", "golden", "rows.txt")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want[name] = rest
	}
	for _, s := range samples(t) {
		name := fmt.Sprintf("%s-%d", s.name, s.value[0])
		value := goldenBytes(t, name)
		endless := s.key[0] == tMeta || s.key[0] == tSeason || s.key[0] == tHistory // lists without a length
		for n := range value {
			if decodes(s.key, value[:n]) == nil && !endless {
				t.Errorf("%s: the first %d of %d bytes are taken for a row", name, n, len(value))
			}
		}
		if decodes(s.key, append(bytes.Clone(value), 0)) == nil && s.key[0] != tMeta {
			t.Errorf("%s: a byte more is taken for a row", name)
		}
		back, err := writtenBack(s.key, value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := "same"
		if !bytes.Equal(back, value) {
			got = hex.EncodeToString(back)
		}
		got += " " + exportOf(t, s.key, value)
		if want[name] == "" && *writeGolden {
			want[name] = got
			data = fmt.Appendf(data, "%s %s\n", name, got)
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want[name] != got {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
	}
}

// exportOf is the JSON of a row; "-" of one that no export has.
func exportOf(t *testing.T, k, v []byte) string {
	t.Helper()
	var value any
	var err error
	switch {
	case k[0] == tLive:
		value, err = decodeRecord(game.MatchID(part(k, 0)), v)
	case bytes.IndexByte(exportedTables, k[0]) >= 0:
		value, err = exported(k, v)
	default:
		return "-"
	}
	text, err2 := json.Marshal(value)
	if err := errors.Join(err, err2); err != nil {
		t.Error(err)
	}
	return string(text)
}

var exportedTables = []byte{tServer, tMember, tProgress, tRating, tReview, tEvent, tLadder, tSeason, tCrowd, tSimul,
	tSolver, tRun, tTaking, tDaily, tLevel}

// writtenBack is a row as this program writes what it reads there.
func writtenBack(k, v []byte) ([]byte, error) {
	id := game.MatchID(part(k, 0))
	switch k[0] {
	case tMeta:
		return writtenBackMeta(k, v)
	case tLive, tArchive:
		r, err := decodeRecord(id, v)
		if err != nil {
			return nil, err
		}
		return r.encode()
	case tSeat:
		return again(decodeRole, role.encode)(v)
	case tHistory:
		return again(decodeBundle, bundle.encode)(v)
	case tSeen:
		return again(decodeSeen, encodeSeen)(v)
	case tWork, tReviewing:
		return again(keyed(id, decodeWork), Work.encode)(v)
	case tReview:
		return again(keyed(id, decodeReview), Review.encode)(v)
	case tScreen:
		return again(keyed(id, decodeScreen), Screen.encode)(v)
	case tToken:
		return again(keyed(Screen{}, decodeTokens), encodeTokens)(v)
	case tMember:
		return again(keyed(game.MemberID(id), decodeMember), Member.encode)(v)
	case tProgress:
		return again(keyed(game.MemberID(id), decodeProgress), Progress.encode)(v)
	case tServer:
		return again(keyed(uint64(id), decodeServer), Server.encode)(v)
	case tRating:
		return again(keyed(k, decodeRating), Standing.encode)(v)
	case tLevel:
		return again(decodeTally, encodeTally)(v)
	case tPair, tAsked, tOutlived:
		return again(decodeCount, encodeCount)(v)
	case tSession:
		return again(decodeSession, Session.encode)(v)
	case tEvent:
		return again(keyed(EventID(id), decodeEvent), Event.encode)(v)
	case tEventAt:
		return again(keyed(EventID(part(k, 2)), decodePlaced), placedEvent.encode)(v)
	case tLadder:
		return again(keyed(k, decodeLadder), Ladder.encode)(v)
	case tSeason:
		return again(keyed(k, decodeSeason), Season.encode)(v)
	case tSolver:
		return again(keyed(k, decodeSolver), Solver.encode)(v)
	case tRun:
		return again(keyed(game.MemberID(id), decodeRun), Run.encode)(v)
	case tTaking:
		return again(keyed(k, decodeTaking), Taking.encode)(v)
	case tDaily:
		return again(keyed(uint64(id), decodeDaily), Daily.encode)(v)
	case tCrowd:
		return again(keyed(k, decodeCrowd), Crowd.encode)(v)
	case tSimul:
		return again(keyed(k, decodeSimul), Simul.encode)(v)
	case tSalt:
		return again(decodeSalt, encodeSalt)(v)
	}
	return nil, fmt.Errorf("rows of %q are not written back", k[0])
}

func writtenBackMeta(k, v []byte) ([]byte, error) {
	switch string(k) {
	case string(applicationRow):
		return again(decodeApplication, encodeApplication)(v)
	case string(kindsRow):
		return again(decodeList, list.encode)(v)
	}
	return again(decodeSchema, schemaValue)(v)
}

// again decodes a value and encodes it.
func again[T any](decode func([]byte) (T, error), encode func(T) []byte) func([]byte) ([]byte, error) {
	return func(v []byte) ([]byte, error) {
		value, err := decode(v)
		if err != nil {
			return nil, err
		}
		return encode(value), nil
	}
}

// keyed is a decoder that takes a part of the key.
func keyed[K, T any](k K, decode func(K, []byte) (T, error)) func([]byte) (T, error) {
	return func(v []byte) (T, error) { return decode(k, v) }
}

// followed are the fields that no row holds: they are in its key, or follow from the rest.
var followed = strings.Fields("Record.filed Record.Repeated Event.Repeated list.raw list.has " +
	"Question.Options Question.Color Result.Line")

// Each field of all that rows hold is something else than zero in a sample.
func TestGoldenFields(t *testing.T) {
	seen := map[string]bool{} // by type and field; false: zero in all
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem())
		case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
			for i := range v.NumField() {
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				seen[name] = seen[name] || !v.Field(i).IsZero()
				walk(v.Field(i))
			}
		}
	}
	for _, s := range samples(t) {
		walk(reflect.ValueOf(s.want))
	}
	for name, some := range seen {
		if !some != slices.Contains(followed, name) {
			t.Errorf("%s: in a sample %v", name, some)
		}
	}
}
