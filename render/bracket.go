package render

import (
	"fmt"
	"image"
	"math"
)

// Bracket is a knockout by rounds. Each round has half as many ties as the one before; the last
// has the final and, where it is played, the match for the third place behind it.
type Bracket struct {
	Rounds [][]Tie
}

// Tie is a pairing of a knockout.
type Tie struct {
	Sides [2]Side
}

// Side is one of the two of a tie.
type Side struct {
	Number int    // of the entrant; 0: nobody, or nobody yet
	Name   string //
	Score  string // in the tie; empty before it is played
	Won    bool   // has passed

	Forfeit bool // a game of the tie was won or lost without being played
}

// A picture holds so many rounds and ties of its first round.
const (
	pageRounds = 3
	pageTies   = 8
	tieHeight  = 46
)

// part is what a page shows: some ties of a round, and those of the next rounds to which they lead.
type part struct{ round, rounds, first, ties int }

// parts are the pages: the last rounds are the last page, and those before are cut into pieces.
func (b Bracket) parts() (parts []part) {
	n := len(b.Rounds)
	if n == 0 {
		return nil
	}
	last := max(0, n-pageRounds)
	if len(b.Rounds[0]) <= pageTies {
		last = max(0, n-pageRounds-1) // four rounds of eight ties are one page
	}
	for round := 0; round < last; round += pageRounds {
		rounds := min(pageRounds, last-round)
		for first := 0; first < len(b.Rounds[round]); first += pageTies {
			parts = append(parts, part{round, rounds, first, min(pageTies, len(b.Rounds[round])-first)})
		}
	}
	return append(parts, part{last, n - last, 0, len(b.Rounds[last])})
}

// Pages is how many pictures the bracket takes.
func (b Bracket) Pages() int { return len(b.parts()) }

// PNG draws a page of the bracket. The caller owns the bytes.
func (b Bracket) PNG(o EventOptions) ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	th, err := o.theme(b.Pages())
	if err != nil {
		return nil, err
	}
	return flatten(b.draw(th, o)), nil
}

func (b Bracket) check() error {
	n := len(b.Rounds)
	if n == 0 || n > 10 {
		return fmt.Errorf("a bracket of %d rounds; it takes 1 to 10", n)
	}
	for i, ties := range b.Rounds {
		third := i == n-1 && len(ties) == 2
		if len(ties) != 1<<(n-1-i) && !third {
			return fmt.Errorf("round %d of %d has %d ties", i+1, n, len(ties))
		}
		for _, t := range ties {
			for _, s := range t.Sides {
				if len([]rune(s.Score)) > maxCell {
					return fmt.Errorf("a score has more than %d characters", maxCell)
				}
			}
		}
	}
	return nil
}

// BracketFacts are what a description of a picture in words is made of. They hold no sentences.
type BracketFacts struct {
	From   int     // the first round that is drawn, from 1
	Of     int     // rounds in all
	Rounds [][]Tie // those on the page
}

// Facts gathers what is to be said about a page of the bracket.
func (b Bracket) Facts(page int) BracketFacts {
	parts := b.parts()
	if page < 0 || page >= len(parts) {
		return BracketFacts{Of: len(b.Rounds)}
	}
	p := parts[page]
	f := BracketFacts{From: p.round + 1, Of: len(b.Rounds)}
	for i := range p.rounds {
		ties := b.Rounds[p.round+i]
		from, to := p.first>>i, (p.first+p.ties+1<<i-1)>>i
		if p.round+i == len(b.Rounds)-1 {
			to = len(ties) // with the match for the third place
		}
		f.Rounds = append(f.Rounds, ties[from:to])
	}
	return f
}

func (b Bracket) draw(th *theme, o EventOptions) *image.RGBA {
	f := b.Facts(o.Page)
	lowest := tieHeight * float64(len(f.Rounds[0]))
	if last := len(f.Rounds) - 1; f.From+last == f.Of && len(f.Rounds[last]) == 2 {
		lowest = max(lowest, b.middle(f, last, 1)+tieHeight/2)
	}
	d := newSheetOf(th, o.Width, lowest+2*edge)
	width := float64(tableWidth-2*edge) / float64(len(f.Rounds))
	for i, ties := range f.Rounds {
		x := edge + float64(i)*width
		for k, t := range ties {
			y := edge + b.middle(f, i, k)
			d.tie(t, x, y, width-10)
			third := k == 1 && f.From+i == f.Of
			if i > 0 && !third {
				d.joint(x, y, edge+b.middle(f, i-1, 2*k), edge+b.middle(f, i-1, 2*k+1))
			}
		}
	}
	return d.im
}

// middle is where a tie stands below the upper edge: between the two that lead to it. The match
// for the third place is the lowest.
func (b Bracket) middle(f BracketFacts, round, tie int) float64 {
	if f.From+round == f.Of && tie == 1 {
		return math.Max(b.middle(f, round, 0)+tieHeight, tieHeight*(float64(len(f.Rounds[0]))-.5))
	}
	each := float64(int(1) << round)
	return tieHeight * (float64(tie)*each + each/2)
}

// joint leads from two ties to the one at x, y.
func (d *drawing) joint(x, y, above, below float64) {
	d.box(d.ink, x-8, above, 3, 1)
	d.box(d.ink, x-8, below, 3, 1)
	d.box(d.ink, x-5, above, 1, below-above+1)
	d.box(d.ink, x-5, y, 5, 1)
}

// tie draws two names in a frame, the one who passed on a dark ground.
func (d *drawing) tie(t Tie, x, y, w float64) {
	const h = 18
	d.box(d.ink, x, y-h-1, w, 2*h+2)
	for i, s := range t.Sides {
		top := y - h + float64(i)*(h+.5)
		ground, ink := d.ground, d.ink
		if s.Won {
			ground, ink = d.ink, d.ground
		}
		d.box(ground, x+1, top, w-2, h-.5)
		room := w - 8
		if s.Score != "" {
			d.text(d.small, ink, s.Score, x+w-4, top+h/2, 1)
			room -= d.small.width(s.Score)/d.u + 4
		}
		if s.Number != 0 {
			d.text(d.bold, ink, d.fit(s.Name, s.Number, room), x+4, top+h/2, 0)
		}
	}
}
