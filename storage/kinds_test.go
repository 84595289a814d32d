package storage

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage/codec"
)

// lineless are the samples of which the table of kinds has no line.
func lineless(samples []sample) (names []string) {
	for _, s := range samples {
		if _, err := kindOf(s.key, s.value); err != nil {
			names = append(names, fmt.Sprintf("%s-%d", s.name, versionOf(s.key, s.value)))
		}
	}
	return names
}

// A row whose codec changes gets a new golden file (TestGolden), and the kind a line in kinds.go:
// without the line an older program would take the new row for damage.
func TestKinds(t *testing.T) {
	all := samples(t)
	for _, name := range lineless(all) {
		t.Errorf("%s: kinds.go has no line for this version of the row", name)
	}
	// As a match would be written that has one field more.
	match := sample{name: "a later field", key: liveKey(1), value: append([]byte{recordFormat}, uvarint(allFlags+1)...)}
	changed := []sample{match}
	for _, s := range all {
		if s.key[0] != tLive && s.key[0] != tArchive {
			s.value = append([]byte{200}, s.value[1:]...)
			changed = append(changed, s)
		}
	}
	if got := lineless(changed); len(got) != len(changed) {
		t.Errorf("of %d rows with a changed codec %d are found", len(changed), len(got))
	}
	event := key(tEvent, 1)
	changed = []sample{{name: "a later part", key: event,
		value: []byte{eventFormat, byte(partsOf[eventFormat] + 1<<bits.Len(uint(partsOf[eventFormat])))}}}
	if len(lineless(changed)) != 1 {
		t.Error("an event with one part more is not found")
	}
	for _, s := range []sample{
		{name: "a match with the newest field", key: liveKey(1), value: append([]byte{recordFormat}, uvarint(allFlags)...)},
		{name: "a match in the archive with the newest field", key: archiveKey(1), value: append([]byte{recordFormat}, uvarint(allFlags)...)},
		{name: "an event with the newest part", key: event, value: []byte{eventFormat, byte(partsOf[eventFormat])}},
	} {
		if _, err := kindOf(s.key, s.value); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// Every line has a golden row of its version, or is of rows that say all in their keys.
func TestKindsAreGolden(t *testing.T) {
	plainRows := string([]byte{tPlace, tDue, tClose, tBoard, tForget, tClear, tEntrant, tEventDue, tEventWork,
		tEventLate, tRung, tLadderBehind, tTogetherDue, tSimulDue, tSolverIn, tDailyDue, tShared, tSeekDue,
		tRecapDue})
	// a time, a word, nothing, a time
	seen := map[rowKind]bool{{"malive", 1}: true, {"marchive", 1}: true, {"mwiped", 1}: true, {string(tTurn), 1}: true}
	for _, s := range samples(t) {
		text := testkit.Read(t, filepath.Join("testdata", "golden", fmt.Sprintf("%s-%d.hex", s.name, s.value[0])))
		k, err := kindOf(s.key, first(hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))))
		testkit.Check(t, err)
		seen[k.id()] = true
		if s.key[0] == tLive { // the archive has the same rows
			seen[rowKind{string(tArchive), k.Version}] = true
		}
		if s.key[0] == tPair || s.key[0] == tWork { // the same codec
			seen[rowKind{string(tAsked), k.Version}], seen[rowKind{string(tReviewing), k.Version}] = true, true
		}
	}
	for i, k := range kinds {
		if plain := len(k.Row) == 1 && strings.Contains(plainRows, k.Row); !plain && !seen[k.id()] {
			t.Errorf("no golden row of %v", k)
		}
		if i > 0 && kinds[i-1].Row == k.Row && kinds[i-1].Version >= k.Version || k.Name == "" ||
			len(k.Since) != len(firstListed) {
			t.Errorf("line %v", k)
		}
	}
	if len(known) != len(kinds) {
		t.Errorf("%d lines, %d kinds", len(kinds), len(known))
	}
}

// Rows hold numbers of tables such as the rules. An older program does not know a new number, and
// takes the row for damage. So a new number gives the rows that hold it a new version: a format byte
// of their own, a line in kinds.go, and then its count here.
func TestNumbersInRows(t *testing.T) {
	for _, n := range []struct {
		what    string
		is, was int
	}{
		{"rules", len(codec.Rules), 6},
		{"results of events", len(resultCodes), 9},
		{"audit entries of events", readable(func(n byte) error {
			f := codec.ToRead([]byte{n, 0, 0, 0, 0, 0})
			new(AuditEntry).Fields(&f, new(time.Time))
			if f.Failed() {
				return codec.ErrContent
			}
			return nil
		}), 15},
		{"runs through puzzles", int(StormRun), 2},
		{"kinds of seats", int(game.EngineSeat), 2},
		{"phases of a match", int(game.Over), 2},
		{"whom a member takes challenges from", int(FromNobody), 1},
	} {
		if n.is != n.was {
			t.Errorf("%s: %d, was %d", n.what, n.is, n.was)
		}
	}
}

// readable is how many numbers from 0 on a decoder takes.
func readable(decode func(n byte) error) int {
	for n := range byte(255) {
		if decode(n) != nil {
			return int(n)
		}
	}
	return 255
}

func uvarint(n uint64) []byte {
	return binary.AppendUvarint(nil, n)
}
