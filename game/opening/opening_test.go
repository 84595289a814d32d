package opening_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// answer is what a vector wants of a line.
type answer struct {
	Who, Black, Decide, Color string
	Legal, Options, Offered   []string
	Stones, Declared, At      int
	Error                     string
}

// kinds are the words of the questions.
var kinds = map[game.Asked]string{game.AskNothing: "play", game.AskPlace: "place", game.AskSwap: "swap",
	game.AskChoose: "choose", game.AskDeclare: "declare", game.AskOffer: "offer", game.AskSelect: "select"}

func answerTo(line string) answer {
	l, err := opening.ParseLine(line)
	var m *opening.Mistake
	if errors.As(err, &m) {
		return answer{Error: m.Code, At: m.At}
	}
	q, s := l.State.Question(), l.State
	a := answer{Who: person(q.Who), Black: person(q.Black), Decide: kinds[q.Kind], Declared: q.Declared,
		Stones: s.Position.Count(game.Black) + s.Position.Count(game.White)}
	if q.Color != game.Empty {
		a.Color = q.Color.String()
	}
	for p := range q.Points.All() {
		a.Legal = append(a.Legal, p.String())
	}
	for _, d := range q.Options {
		a.Options = append(a.Options, d.String())
	}
	for _, p := range q.Offered {
		a.Offered = append(a.Offered, p.String())
	}
	return a
}

func person(n int) string { return fmt.Sprintf("P%d", n+1) }

func vectors(t testing.TB, text []byte) (lines []string, want []answer) {
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var v struct {
			Line string
			Want answer
		}
		testkit.Must(t, json.Unmarshal(s.Bytes(), &v))
		lines, want = append(lines, v.Line), append(want, v.Want)
	}
	return lines, want
}

func agree(t *testing.T, text []byte, least int) {
	t.Helper()
	lines, want := vectors(t, text)
	if len(lines) < least {
		t.Fatalf("only %d lines", len(lines))
	}
	for i, line := range lines {
		// An empty list and none are the same here.
		got, err := json.Marshal(answerTo(line))
		w, werr := json.Marshal(want[i])
		got, w = bytes.ReplaceAll(got, []byte("null"), []byte("[]")), bytes.ReplaceAll(w, []byte("null"), []byte("[]"))
		if err != nil || werr != nil || !bytes.Equal(got, w) {
			t.Errorf("%q:\n got %s\nwant %s", line, got, w)
		}
	}
}

// The answers to some lines of every protocol and every error.
func TestLines(t *testing.T) {
	text := testkit.Read(t, "testdata/lines.jsonl")
	agree(t, text, 50)
}

// The answers to all published lines.
func TestVectors(t *testing.T) {
	text := testkit.Read(t, filepath.Join(shared.Dir(t), "data", "vectors", "opening_dev.jsonl"))
	agree(t, text, 400)
}

// Two points are symmetric where the patterns of five stones that they make are congruent.
// The groups are points that the rules name as symmetric to each other.
func TestSymmetry(t *testing.T) {
	for _, c := range []struct{ black, white, groups string }{
		{"H8 H10", "H9 H11", "G8 I8, G10 I10"},
		{"H8 J8", "H9 J9", "G8 K8, H7 J7"},
		{"H8 I7", "I9 H6", "G8 J7, I10 H5"},
		{"H8 I7", "I9 G7", "H9 G8, J8 H6"},
		{"H8 J7", "I9 G8", ""},
		{"H8 J8", "I9 I7", "G7 G9 K7 K9"},
		{"H8 I9", "H9 I8", "G8 H7 I10 J9"},
		{"H8 H9", "H7 H10", "G8 G9 I8 I9"},
		{"H8 A1", "B2 C2", ""}, // beside the edge
		{"H8 O15", "N14 I9", ""},
	} {
		b := game.Position{Size: opening.Size, Turn: game.Black}
		for _, p := range strings.Fields(c.black) {
			b = b.Put(at(p), game.Black)
		}
		for _, p := range strings.Fields(c.white) {
			b = b.Put(at(p), game.White)
		}
		patterns := symmetric(t, b)
		for group := range strings.SplitSeq(c.groups, ", ") {
			points := strings.Fields(group)
			for _, p := range points {
				if patterns[at(p)] != patterns[at(points[0])] {
					t.Errorf("black %s, white %s: %s and %s are not symmetric", c.black, c.white, p, points[0])
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		b := game.Position{Size: opening.Size, Turn: game.Black}
		for b.Count(game.Black)+b.Count(game.White) < 4 {
			// Close together, so that symmetric ones are frequent.
			p := game.At(5+rng.IntN(4), 5+rng.IntN(4))
			if b.At(p) == game.Empty {
				b = b.Put(p, b.Turn)
				b.Turn = b.Turn.Other()
			}
		}
		symmetric(t, b)
	}
}

// symmetric offers every pair of points beside the four stones of b and checks that the
// second is refused where the patterns are congruent. It gives the pattern of each point.
func symmetric(t *testing.T, b game.Position) map[game.Point]string {
	t.Helper()
	l := testkit.Got(opening.ParseLine("taraguchi10 h8 stay h9 stay h10 stay h11 ten"))
	s := l.State
	s.Position = b
	patterns := map[game.Point]string{}
	for _, p := range b.Points() {
		if b.At(p) == game.Empty {
			patterns[p] = pattern(b.Put(p, game.Black))
		}
	}
	for p, pp := range patterns {
		first, err := s.Decide(game.Offer(p))
		if err != nil {
			t.Fatalf("%s: %v: %v", b.Rows(false), p, err)
		}
		legal := first.Question().Points
		for q, qq := range patterns {
			_, err := first.Decide(game.Offer(q))
			if p == q {
				if !errors.Is(err, game.OfferedBefore) {
					t.Fatalf("%s: %v twice: %v", b.Rows(false), p, err)
				}
				continue
			}
			if want := pp == qq; errors.Is(err, game.OfferedAlike) != want || legal.Has(q) == want || (err != nil) != want {
				t.Fatalf("%s: %v after %v: %v, want it refused: %v", b.Rows(false), q, p, err, want)
			}
		}
	}
	return patterns
}

// pattern is the least of the eight ways to see the stones of b, wherever they stand.
func pattern(b game.Position) string {
	var least string
	for turn := range 8 {
		type stone struct{ x, y, c int }
		var stones []stone
		low := stone{99, 99, 0}
		for p := range b.Stones[0].Or(b.Stones[1]).All() {
			s := stone{p.Col(), p.Row(), int(b.At(p))}
			if turn&1 != 0 {
				s.x = -s.x
			}
			if turn&2 != 0 {
				s.y = -s.y
			}
			if turn&4 != 0 {
				s.x, s.y = s.y, s.x
			}
			stones = append(stones, s)
			low.x, low.y = min(low.x, s.x), min(low.y, s.y)
		}
		var names []string
		for _, s := range stones {
			names = append(names, fmt.Sprint(s.x-low.x, ".", s.y-low.y, ".", s.c))
		}
		slices.Sort(names)
		if all := strings.Join(names, " "); least == "" || all < least {
			least = all
		}
	}
	return least
}

func at(name string) game.Point {
	p, err := game.ParsePoint(name, opening.Size)
	if err != nil {
		panic(err)
	}
	return p
}

// What a line is written with beside its words does not matter, and only ASCII is read.
func TestSpelling(t *testing.T) {
	for line, want := range map[string]string{
		"  Swap2\tH8  h9\tI8 TWO  ":        "swap2 h8 h9 i8 two",
		"YAMAGUCHI h8 i9 j10 Declare=7":    "yamaguchi h8 i9 j10 declare=7",
		"rif h8 h9 h10 stay h11 g8":        "rif h8 h9 h10 stay h11 g8",
		"pro":                              "pro",
		"":                                 "protocol 0",
		" \t":                              "protocol 0",
		"# rif":                            "protocol 0",
		"\u00a0rif":                        "protocol 0",
		"ſwap":                             "protocol 0",
		"swap \u212a8":                     "syntax 1", // the sign for kelvin
		"swap h8\vh9":                      "syntax 1",
		"swap h8h9":                        "syntax 1",
		"swap h+8":                         "syntax 1",
		"swap h08":                         "syntax 1",
		"swap h0":                          "syntax 1",
		"swap h16":                         "syntax 1",
		"swap h1000":                       "syntax 1",
		"swap p8":                          "syntax 1",
		"swap h":                           "syntax 1",
		"swap -":                           "syntax 1",
		"yamaguchi h8 i9 j10 declare=007":  "syntax 4",
		"yamaguchi h8 i9 j10 declare=00":   "syntax 4",
		"yamaguchi h8 i9 j10 declare=":     "syntax 4",
		"yamaguchi h8 i9 j10 declare=+1":   "syntax 4",
		"yamaguchi h8 i9 j10 declare=1.0":  "syntax 4",
		"yamaguchi h8 i9 j10 declare=1000": "syntax 4",
		"yamaguchi h8 i9 j10 declare=999":  "range 4",
		"yamaguchi h8 i9 j10 declare=0":    "range 4",
		"swap h8 declare=3":                "kind 2",
	} {
		l, err := opening.ParseLine(line)
		var m *opening.Mistake
		var got string
		if errors.As(err, &m) {
			got = fmt.Sprint(m.Code, " ", m.At)
		} else {
			got = l.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// Random openings never reach a state that the rules do not know: every decision that the
// question allows is taken, every other is refused and changes nothing, the line of an
// opening reads back as the same opening, and each ends with play. TENGEN_OPENINGS counts them.
func TestRandomOpenings(t *testing.T) {
	for _, p := range opening.All {
		t.Run(p.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(p)))
			for range testkit.Dose("TENGEN_OPENINGS", 200) {
				randomOpening(t, p, rng)
			}
		})
	}
}

func randomOpening(t *testing.T, p opening.Protocol, rng *rand.Rand) {
	l := opening.Line{Protocol: p, State: p.Begin()}
	for !l.State.Over() {
		q := l.State.Question()
		wrong := game.Decision(rng.IntN(1 << 12))
		allowed := choices(q)
		if len(allowed) == 0 {
			t.Fatalf("%v: nothing to decide", l)
		}
		if next, err := l.State.Decide(wrong); (err == nil) != slices.Contains(allowed, wrong) {
			t.Fatalf("%v: %v: %v", l, wrong, err)
		} else if err != nil {
			var r *game.Refusal
			if !errors.As(err, &r) || r.Code == game.NoRefusal || !reflect.DeepEqual(next, opening.State{}) {
				t.Fatalf("%v: %v: %v", l, wrong, err)
			}
		}
		d := allowed[rng.IntN(len(allowed))]
		before := fmt.Sprint(l.State)
		next, err := l.State.Decide(d)
		if err != nil {
			t.Fatalf("%v: %v: %v", l, d, err)
		}
		if fmt.Sprint(l.State) != before {
			t.Fatalf("%v: %v changed the state that it was decided in", l, d)
		}
		after := fmt.Sprint(next)
		if _, err := l.State.Decide(allowed[rng.IntN(len(allowed))]); err != nil || fmt.Sprint(next) != after {
			t.Fatalf("%v: another decision than %v changed what came of it: %v", l, d, err)
		}
		l.State, l.Decisions = next, append(slices.Clip(l.Decisions), d)
		soundState(t, l)
	}
	back, err := opening.ParseLine(l.String())
	if err != nil || !slices.Equal(back.Decisions, l.Decisions) || !reflect.DeepEqual(back.State, l.State) {
		t.Fatalf("%v reads back as %v: %v", l, back, err)
	}
	more := append(slices.Clip(l.Decisions), game.Decision(at("A1")), game.Decision(at("A1")))
	if by, q, err := p.Replay(more); err != nil || len(by) != len(l.Decisions) ||
		!reflect.DeepEqual(q, l.State.Question()) {
		t.Fatalf("%v: %v, asks %v: %v", l, by, q, err)
	}
	if n := len(l.Decisions); rng.IntN(10) == 0 && n > 0 { // undone and decided again
		n = rng.IntN(n)
		past, err := opening.ParseLine(opening.Line{Protocol: p, Decisions: l.Decisions[:n]}.String())
		for _, d := range l.Decisions[n:] {
			if err == nil {
				past.State, err = past.State.Decide(d)
			}
		}
		if err != nil || !reflect.DeepEqual(past.State, l.State) {
			t.Fatalf("%v: another state after going back %d decisions: %v", l, n, err)
		}
	}
}

// choices are the decisions that q allows.
func choices(q game.Question) []game.Decision {
	all := slices.Clone(q.Options)
	for p := range q.Points.All() {
		all = append(all, q.At(p))
	}
	return all
}

// soundState checks what holds in every opening.
func soundState(t *testing.T, l opening.Line) {
	s, q := l.State, l.State.Question()
	black, white := s.Position.Count(game.Black), s.Position.Count(game.White)
	switch {
	case black > 3 || white > 2 || black < white || black > white+1:
		t.Fatalf("%v: %d black stones and %d white ones", l, black, white)
	case len(l.Decisions) > 30:
		t.Fatalf("%v: too long", l)
	case q.Who != 0 && q.Who != 1 || q.Black != 0 && q.Black != 1:
		t.Fatalf("%v: persons %d and %d", l, q.Who, q.Black)
	case q.Kind == game.AskNothing &&
		(q.Color != game.White || q.Who == q.Black || black != white+1 || len(s.Offered) != 0):
		t.Fatalf("%v: play with %v to move, %d", l, q.Color, q.Who)
	case q.Kind != game.AskNothing && q.Points.Empty() == (len(q.Options) == 0):
		t.Fatalf("%v: asks %v", l, q)
	case q.Kind == game.AskSelect && (len(q.Offered) != q.Points.Len() || black != 2 || white != 2):
		t.Fatalf("%v: %v to select", l, q.Offered)
	}
}

// Each protocol has as many ends as its rules say, offers left out: counted by walking all
// its words, with one stone for each place.
func TestWays(t *testing.T) {
	for p, want := range map[opening.Protocol]int{
		opening.Swap: 2, opening.Swap2: 4, opening.Pro: 1, opening.LongPro: 1, opening.RIF: 2, opening.Yamaguchi: 24,
		opening.Soosyrv8: 32, opening.Tarannikov: 32, opening.Taraguchi10: 8*4 + 8,
	} {
		if got := ways(p.Begin()); got != want {
			t.Errorf("%s: %d ways, want %d", p.Name(), got, want)
		}
	}
}

func ways(s opening.State) int {
	if s.Over() {
		return 1
	}
	q := s.Question()
	n := 0
	for _, d := range choices(q) {
		next, err := s.Decide(d)
		if err != nil {
			panic(err)
		}
		n += ways(next)
		if !q.Points.Empty() {
			break
		}
	}
	return n
}

// FuzzLine reads any text as a line. What it reads is written and read again as the same.
func FuzzLine(f *testing.F) {
	text := testkit.Read(f, "testdata/lines.jsonl")
	lines, _ := vectors(f, text)
	for _, line := range lines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l, err := opening.ParseLine(line)
		var m *opening.Mistake
		switch {
		case err == nil:
		case !errors.As(err, &m) || m.Code == "" || m.At < 0 || m.At > len(line):
			t.Fatalf("%q: %v", line, err)
		default:
			return
		}
		back, err := opening.ParseLine(l.String())
		if err != nil || !reflect.DeepEqual(back, l) {
			t.Fatalf("%q: %v reads back as %v: %v", line, l, back, err)
		}
		soundState(t, l)
	})
}
