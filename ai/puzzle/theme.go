package puzzle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// The themes that there are, without the numbers that some have: a puzzle of the theme vcf-3 is about
// vcf. Their order stands in custom ids of package bot/puzzles: add at the end only.
var (
	rowThemes = []string{"vcf", "vct", "four-three", "double-four", "double-three", "straight-four", "forbid",
		"only-defence", "counter-four"}
	discThemes = []string{"endgame", "corner", "x-square", "parity", "quiet-move", "pass", "wipe-out"}

	// ThemeNames are all of them.
	ThemeNames = slices.Concat(rowThemes, discThemes)
)

// KnownTheme reports whether there is such a theme, with a number or without.
func KnownTheme(theme string) bool {
	name, number, _ := strings.Cut(theme, "-")
	_, err := strconv.ParseUint(number, 10, 8)
	return slices.Contains(ThemeNames, theme) || err == nil && slices.Contains([]string{"vcf", "vct", "endgame"}, name)
}

// About reports whether p has a theme, with a number or without.
func (p Puzzle) About(theme string) bool {
	others := rowThemes
	if p.Kind != Best {
		others = discThemes
	}
	if slices.Contains(others, theme) {
		return false
	}
	return slices.ContainsFunc(p.Themes(), func(s string) bool { return s == theme || strings.HasPrefix(s, theme+"-") })
}

// Themes name what is behind a puzzle, by the facts of the position and the line.
func (p Puzzle) Themes() []string {
	t := themes{}
	if p.Kind == Best {
		p.reversiThemes(&t)
		return t.list
	}
	way := "vct"
	if p.Fours {
		way = "vcf"
	}
	if p.Moves > 0 {
		t.add(fmt.Sprintf("%s-%d", way, p.Moves), true)
	}
	t.add("only-defence", p.Kind == Defend)
	r, g := p.Game.Rules(), p.Game
	for _, at := range p.Line {
		b, c := g.Position(), g.Turn()
		s := shapes(r, b, c, at)
		made := count(s, four, straight)
		after, err := g.Play(at)
		if err != nil {
			break
		}
		g = after
		if c != p.Turn() || p.Kind == Defend {
			t.add("counter-four", made > 0)
			continue
		}
		t.add("double-four", made > 1)
		t.add("four-three", made == 1 && count(s, three, three) > 0)
		t.add("double-three", made == 0 && count(s, three, three) > 1)
		t.add("straight-four", count(s, straight, straight) > 0)
		t.add("forbid", barred(g, c))
	}
	return t.list
}

// barred reports whether the side to move may not play the one point that stops a five of c.
func barred(g game.Game, c game.Color) bool {
	if g.Turn() == game.Empty {
		return false
	}
	for p := range allFives(g.Rules(), g.Position(), c).All() {
		if g.Check(p) != nil {
			return true
		}
	}
	return false
}

type themes struct{ list []string }

// add puts a theme on the list, once.
func (t *themes) add(name string, holds bool) {
	if holds && !slices.Contains(t.list, name) {
		t.list = append(t.list, name)
	}
}

func (p Puzzle) reversiThemes(t *themes) {
	b, c, at := p.Game.Position(), p.Turn(), p.Line[0]
	t.add(fmt.Sprintf("endgame-%d", empties(b)), true)
	edge := func(n int) int { return min(n, b.Size-1-n) }
	col, row := edge(at.Col()), edge(at.Row())
	t.add("corner", col+row == 0)
	t.add("x-square", col == 1 && row == 1)
	t.add("parity", parity(b, at))
	after, err := p.Game.Play(at)
	if err != nil {
		return
	}
	t.add("quiet-move", quietMove(b, after, c))
	end := p.Game
	for i, m := range p.Line {
		by := end.Turn()
		if end, err = end.Play(m); err != nil {
			return
		}
		t.add("pass", by == c && end.Turn() == c && i < len(p.Line))
	}
	t.add("wipe-out", end.Position().Count(c.Other()) == 0)
}

// parity reports whether at lies in a region of an odd number of empty points while another
// region is even: the move is the last word where there is one.
func parity(b game.Position, at game.Point) bool {
	var seen game.Set
	odd, even := false, false
	for _, p := range b.Points() {
		if b.At(p) != game.Empty || seen.Has(p) {
			continue
		}
		region := flood(b, p)
		seen = seen.Or(region)
		switch {
		case region.Has(at):
			odd = region.Len()%2 == 1
		case region.Len()%2 == 0:
			even = true
		}
	}
	return odd && even
}

// flood are the empty points that hang together with p by their sides.
func flood(b game.Position, p game.Point) game.Set {
	s := game.Set{}.With(p)
	for queue := []game.Point{p}; len(queue) > 0; queue = queue[1:] {
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if q, ok := step(b, queue[0], d, 1); ok && b.At(q) == game.Empty && !s.Has(q) {
				s = s.With(q)
				queue = append(queue, q)
			}
		}
	}
	return s
}

// quietMove reports whether no disc that the move turned has an empty neighbour afterwards.
func quietMove(b game.Position, after game.Game, c game.Color) bool {
	now := after.Position()
	for _, p := range b.Points() {
		if b.At(p) != c.Other() || now.At(p) != c {
			continue
		}
		for _, d := range ways {
			for _, k := range []int{1, -1} {
				if q, ok := step(now, p, d, k); ok && now.At(q) == game.Empty {
					return false
				}
			}
		}
	}
	return true
}
