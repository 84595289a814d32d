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
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"testing"
	"time"
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
		whole := func(value []byte) bool {
			_, err := valueOf(s.key, value)
			return err == nil
		}
		for n := range value {
			if whole(value[:n]) && !endless {
				t.Errorf("%s: the first %d of %d bytes are taken for a row", name, n, len(value))
			}
		}
		if whole(append(bytes.Clone(value), 0)) && s.key[0] != tMeta {
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
			testkit.Must(t, os.WriteFile(path, data, 0o644))
		}
		if !equalBack(want[name], got) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
	}
}

// exportOf is the JSON of a row; "-" of one that no export has.
func exportOf(t *testing.T, k, v []byte) string {
	t.Helper()
	if k[0] != tLive && bytes.IndexByte(exportedTables, k[0]) < 0 {
		return "-"
	}
	value, err := valueOf(k, v)
	text, err2 := json.Marshal(value)
	testkit.Check(t, errors.Join(err, err2))
	return string(text)
}

var exportedTables = []byte{tServer, tMember, tProgress, tRating, tReview, tEvent, tLadder, tSeason, tTogether, tSimul,
	tSolver, tRun, tTaking, tDaily, tLevel, tStudy, tIfThen, tSeek}

// equalBack compares two lines: the order of names in JSON says nothing.
func equalBack(a, b string) bool {
	row, one, _ := strings.Cut(a, " ")
	other, two, _ := strings.Cut(b, " ")
	var x, y any
	return a == b || row == other && json.Unmarshal([]byte(one), &x) == nil && json.Unmarshal([]byte(two), &y) == nil &&
		reflect.DeepEqual(x, y)
}

// writtenBack is a row as this program writes what it reads there.
func writtenBack(k, v []byte) ([]byte, error) {
	if k[0] == tToken {
		sc, err := decodeTokens(Screen{}, v)
		return encodeTokens(sc), err
	}
	value, err := valueOf(k, v)
	if err != nil {
		return nil, err
	}
	if value == nil { // the schema
		value = counter{uint64(v[1])}
	}
	kept := reflect.New(reflect.TypeOf(value))
	kept.Elem().Set(reflect.ValueOf(value))
	f := codec.ToWrite(0)
	kept.Interface().(interface{ Fields(*codec.Fields) }).Fields(&f)
	return f.Row(), nil
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
