package record

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

var writeGolden = flag.Bool("golden", false, "write the golden records that are missing")

// goldenRecords are records as members have them: each format writes those that it can hold.
func goldenRecords() map[string]Record {
	read := func(line string) game.Game {
		return testkit.Got(ParseLine(line))
	}
	five := Record{Game: read("gomoku h8i9h9i10h10i11h11i8h12"), Black: "Ann", White: "Bot (level 3)", Date: "2026-11-26",
		Event: "Weekly cup 3.1", Comments: []Comment{{0, "Good luck!"}, {9, "five: ] \\ : done"}}}
	for i := range 9 {
		five.Times = append(five.Times, time.Duration(i)*1250*time.Millisecond)
	}
	five.Result = five.Game.Result()
	resigned := Record{Game: read("renju h8i9h10"), Black: "五子",
		Result: game.Result{Termination: game.ByResignation, Winner: game.White}}
	discs := Record{Game: read("reversi f5d6c3d3c4"), Black: "Ann", White: "Bob",
		Result: game.Result{Termination: game.ByTimeout, Winner: game.Black}}
	protocol := testkit.Got(opening.ParseLine("swap2 h8 i9 j10 white"))
	swap := Record{Game: read("gomoku h8i9j10g7"), Opening: protocol}
	return map[string]Record{"five": five, "resigned": resigned, "discs": discs, "swap": swap,
		"empty": {Game: read("standard")}}
}

// The files in testdata/golden are records as members have saved them. What a format writes does not change, and
// what it wrote is read as the same game. -golden writes the files that are missing, and no other.
func TestGoldenRecords(t *testing.T) {
	files := 0
	for name, r := range goldenRecords() {
		for _, f := range Formats {
			got, err := Write(f, r)
			if errors.As(err, new(*Unfit)) {
				continue
			}
			path := filepath.Join("testdata", "golden", fmt.Sprintf("%s.%s", name, f))
			want, missing := os.ReadFile(path)
			if errors.Is(missing, fs.ErrNotExist) && err == nil && *writeGolden {
				want, missing = got, os.WriteFile(path, got, 0o644)
			}
			if err != nil || missing != nil {
				t.Errorf("%s: %v %v; -golden writes what is missing", path, err, missing)
				continue
			}
			files++
			if !bytes.Equal(got, want) {
				t.Errorf("%s:\n got %q\nwant %q", path, got, want)
			}
			back, err := Read(want, Hints{Rules: r.Game.Rules()})
			if err != nil || FormatLine(back.Game) != FormatLine(r.Game) {
				t.Errorf("%s is read as %v, %v", path, FormatLine(back.Game), err)
			}
		}
	}
	if all, err := filepath.Glob(filepath.Join("testdata", "golden", "*")); err != nil || len(all) != files {
		t.Errorf("%d golden records for %d samples, %v", len(all), files, err)
	}
}
