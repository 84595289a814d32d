package five

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// Every knob turns a number of its own, from where it stands within its bounds.
func TestKnobs(t *testing.T) {
	f := NewSearchFit()
	if turned := turnedTo(f.Values); *turned != *tuned {
		t.Error("the knobs where they stand change the numbers")
	}
	seen := map[*int]string{}
	p := tuned.params
	for i, k := range knobsOf(&p) {
		at := k.at
		if other := seen[at]; other != "" {
			t.Errorf("%s and %s turn one number", k.name, other)
		}
		seen[at] = k.name
		if v := f.Values[i]; v != k.within(v) || k.step <= 0 || k.least+k.step > k.most {
			t.Errorf("%s: %v of %v to %v", k.name, v, k.least, k.most)
		}
	}
}

// A fit plays its pairs and moves the numbers by what they won, the same way each time.
func TestSearchFit(t *testing.T) {
	t.Parallel()
	run := func() *SearchFit {
		f := NewSearchFit()
		f.Run(t.Context(), game.Gomoku9, 24, 100, 1, 3, func(*SearchFit) {})
		return f
	}
	f, again := run(), run()
	if f.Pairs != 24 || f.Summed != 10 || slices.Equal(f.Values, NewSearchFit().Values) {
		t.Errorf("after a fit: %v", f)
	}
	if !slices.Equal(f.Values, again.Values) {
		t.Errorf("%v, and then %v", f, again)
	}
	games := 0
	if err := f.Match(t.Context(), game.Gomoku9, 2, 100, 1, func(points float64) { games++ }); err != nil || games != 4 {
		t.Errorf("%d games of a match, %v", games, err)
	}
	text := testkit.Got(json.Marshal(f))
	read := NewSearchFit()
	if err := read.Read(text); err != nil || !reflect.DeepEqual(read, f) {
		t.Errorf("read as %v, %v", read, err)
	}
	if err := read.Read([]byte(`{"Values":[1]}`)); err == nil {
		t.Error("a fit of other numbers was read")
	}
}

// A fit that stands still measures its knobs: what a game was worth counts for each of them, for the
// one side or the other.
func TestSearchFitStill(t *testing.T) {
	t.Parallel()
	f := NewSearchFit()
	f.Still = true
	f.Run(t.Context(), game.Gomoku9, 12, 100, 1, 3, func(*SearchFit) {})
	if !slices.Equal(f.Values, NewSearchFit().Values) {
		t.Errorf("the numbers moved: %v", f)
	}
	if most := slices.Max(f.Won); f.Squared == 0 || most <= 0 || most > 2*12 ||
		strings.Count(f.Worth(), "\n") != len(knobs) {
		t.Errorf("%v, squared %v: %s", f.Won, f.Squared, f.Worth())
	}
}
