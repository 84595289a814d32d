package view

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
)

// reviewed is a finished game of members with its review.
func reviewed(t *testing.T, line string, nodes int64) (game.Match, review.Review) {
	t.Helper()
	g := testkit.Got(record.ParseLine(line))
	now := time.UnixMilli(1)
	m, err := game.NewMatch(1<<64-1, game.Terms{Rules: g.Rules(), First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
		now, time.Time{})
	if err == nil {
		m, err = m.Accept(2, now)
	}
	for _, p := range g.Moves() {
		if err == nil {
			m, err = m.Play(m.Seats[m.ToMove()].Member, p, now)
		}
	}
	if err == nil && m.Phase != game.Over {
		m, err = m.Resign(1, now)
	}
	testkit.Must(t, err)
	m.Undos = 1<<16 - 1 // a stamp of the longest kind
	r := testkit.Got(review.Game(t.Context(), m.Game(), review.Options{Means: review.Means{Nodes: nodes}}))
	return m, r
}

// short is a game of 15x15 in which both sides make faults.
const short = "gomoku h8a1h9a3h10c1o15h11o13i9n14"

// everyReviewScreen are all screens of a review, with the longest lines there can be.
func everyReviewScreen(t *testing.T, m game.Match, r review.Review) (all []chat.Message) {
	t.Helper()
	words, p := In(""), Painter{}
	add := func(msg chat.Message, err error) {
		t.Helper()
		testkit.Must(t, err)
		all = append(all, msg)
	}
	add(words.Review(storage.Record{Match: m}, r, 1))
	add(words.PostedReview(storage.Record{Match: m}, r, 1))
	add(words.ReviewProgress(m, 3, 10, 0), nil)
	add(words.ReviewProgress(m, 10, 10, 0), nil)
	for n := range r.Plies {
		add(p.Step(words, storage.Record{Match: m}, r, n+1))
	}
	for _, n := range r.Faults {
		f := &r.Plies[n-1]
		y := Try{Match: m, Review: r, N: n, Pad: pad.Last(m.Game().Until(n - 1))}
		add(p.Try(words, y))
		y.Hinted = true
		add(p.Try(words, y))
		y.Pad, _ = pad.Parse("0.0.0.parts", m.Rules.Size())
		add(p.Try(words, y))
		add(p.Looking(words, y, f.Best))
		f.Line = nil
		for g := m.Game().Until(n - 1); len(f.Line) < 60 && g.Turn() != game.Empty; {
			q := g.Legal().Points()[0]
			g, _ = g.Play(q)
			f.Line = append(f.Line, q)
		}
		f.Best = f.Line[0]
		add(p.Solution(words, y))
		add(p.Judged(words, y, f.Line[0], review.Verdict{Line: f.Line[1:]}))
	}
	return all
}

// Discord takes custom ids of 100 characters, different ones in a message, and 40 components.
func TestReviewScreensFitDiscord(t *testing.T) {
	for _, line := range []string{short, "reversi f5d6c3d3c4f4f6f3e6e7"} {
		m, r := reviewed(t, line, 300)
		if len(r.Faults) == 0 {
			r.Plies[4].Class, r.Faults = review.Mistake, []int{5}
		}
		for _, msg := range everyReviewScreen(t, m, r) {
			seen, n := map[string]bool{}, 0
			for _, b := range msg.Blocks {
				n += 1 + len(b.Row)
				if b.Select != nil {
					n++
				}
				if len(b.Row) > 5 {
					t.Errorf("%d buttons in a row", len(b.Row))
				}
				ids := []string{}
				for _, button := range b.Row {
					ids = append(ids, button.ID)
				}
				if b.Select != nil {
					ids = append(ids, b.Select.ID)
				}
				for _, id := range ids {
					if len(id) > 100 || seen[id] {
						t.Errorf("id %q of %d characters, seen before: %v", id, len(id), seen[id])
					}
					seen[id] = true
				}
			}
			if n > 40 {
				t.Errorf("%d components", n)
			}
		}
	}
}

// Moves that were given are not judged, and the review says so: a side that made no other move
// has no accuracy, and a game of such moves alone gets no praise.
func TestReviewOfGivenMoves(t *testing.T) {
	m, r := reviewed(t, short, 300)
	for _, c := range []struct {
		given      int
		want, lack string
	}{
		{0, "**100\u00a0%**", "given"},
		{8, "⚪ <@2> **–**\n", "Every move"},
		{8, "The first 8 moves were given. I judge those after them.", "Every move"},
		{len(r.Plies), "Every move was given, so none is judged.", "Well played"},
	} {
		m, r := m, r
		r.Plies, r.Faults, r.Sides = slices.Clone(r.Plies), nil, [2]review.Side{{Accuracy: 100}, {Accuracy: 100}}
		for i := range r.Plies {
			r.Plies[i].Class = review.Best
			if i < c.given || i == 9 && c.given > 0 {
				r.Plies[i].Class = review.Opening
			}
		}
		if c.given > 0 {
			m.Opening, m.Given = game.ImportedOpening, m.Game().Moves()[:c.given]
		}
		msg := testkit.Got(In("").Review(storage.Record{Match: m}, r, 1))
		text := msg.Blocks[0].Text
		if !strings.Contains(text, c.want) || strings.Contains(text, c.lack) {
			t.Errorf("%d given: want %q and not %q in\n%s", c.given, c.want, c.lack, text)
		}
		if alt := msg.Blocks[1].Picture.Alt; strings.Contains(alt, "Neither side") != (c.given < len(r.Plies)) {
			t.Errorf("%d given: the picture is told as %q", c.given, alt)
		}
	}
}

// On the board the moves of the best line's own side stand out from the replies.
func TestBestLineTellsSidesApart(t *testing.T) {
	line := []game.Point{game.At(1, 1), game.At(2, 2), game.At(3, 3), game.At(4, 4)}
	for i, m := range best(review.Ply{Move: game.At(9, 9), Line: line})[:len(line)] {
		if m.Best != (i%2 == 0) || m.Text != fmt.Sprint(i+1) {
			t.Errorf("move %d is marked %+v", i+1, m)
		}
	}
}

// Every kind of fault and of verdict has its words.
func TestReviewWords(t *testing.T) {
	words := In("")
	ply := review.Ply{N: 23, By: game.Black, Move: game.At(8, 9), Best: game.At(7, 8), Before: 710, After: 400}
	for _, c := range []struct {
		change func(*review.Ply)
		want   string
	}{
		{func(*review.Ply) {}, "⚫ **23**: J10 lowers the chances from 71\u00a0% to 40\u00a0%. Better: **H9**"},
		{func(p *review.Ply) { p.Note, p.Had = review.MissedWin, review.Outcome{Proof: engine.Win, In: 7} }, "⚫ **23**: J10 lets a win in 4 moves go: **H9**"},
		{func(p *review.Ply) { p.Note, p.Gave = review.LetThrough, review.Outcome{Proof: engine.Loss, In: 5} }, "⚫ **23**: J10 lets the other side win in 3 moves. Better: **H9**"},
		{func(p *review.Ply) { p.Note = review.Forbidden }, "⚫ **23**: J10 lets White win by points that are forbidden to Black. Better: **H9**"},
		{func(p *review.Ply) { p.Note, p.Before, p.After = review.Turn, 1000, 500 }, "⚫ **23**: J10 turns a win into a draw. Better: **H9**"},
		{func(p *review.Ply) { p.Note, p.Before, p.After = review.Turn, 500, 0 }, "⚫ **23**: J10 turns a draw into a loss. Better: **H9**"},
	} {
		p := ply
		c.change(&p)
		if p.Move.String() != "I10" {
			t.Fatal(p.Move)
		}
		if got := strings.ReplaceAll(words.fault(p), "I10", "J10"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	exact := review.Outcome{Proof: engine.Exact}
	for _, c := range []struct {
		had  review.Outcome
		v    review.Verdict
		want string
	}{
		{exact, review.Verdict{Right: true, Proven: true, Gave: exact, After: 1000}, "keeps the win"},
		{exact, review.Verdict{Proven: true, Gave: exact, After: 0}, "with best play it is a loss"},
		{review.Outcome{}, review.Verdict{Right: true, Before: 600}, "near 60\u00a0%"},
		{review.Outcome{}, review.Verdict{Gave: review.Outcome{Proof: engine.Loss, In: 5}}, "the other side then wins in 3 moves"},
		{review.Outcome{}, review.Verdict{Before: 600, After: 300}, "fall from 60\u00a0% to 30\u00a0%"},
		{review.Outcome{Proof: engine.Win, In: 3}, review.Verdict{}, "no win any more"},
		{review.Outcome{Proof: engine.Win, In: 3}, review.Verdict{Right: true, Proven: true, Gave: review.Outcome{Proof: engine.Win, In: 4}}, "it wins in 3 moves"},
	} {
		p := ply
		p.Had = c.had
		y := Try{Review: review.Review{Plies: []review.Ply{p}}, N: 1}
		if got := words.verdict(y, p.Best, c.v); !strings.Contains(got, c.want) {
			t.Errorf("%q is not in %q", c.want, got)
		}
	}
	for want, p := range map[string]review.Ply{
		"Find a move that keeps the win.":                      {Before: 1000, Had: exact},
		"Find a move that keeps the draw.":                     {Before: 500, Had: exact},
		"Find a move after which the other side does not win.": {Note: review.LetThrough, By: game.White},
		"Find a move that keeps the chances near 71\u00a0%.":   {Before: 710, After: 400, By: game.White},
	} {
		if got := words.goal(p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := words.means(review.DefaultMeans); !strings.HasPrefix(got,
		"Made with 250 ms of computing for each position.") {
		t.Error(got)
	}
	for class := review.Opening; class <= review.Blunder; class++ {
		if key := "review.class." + class.String(); words.Say(key) == key {
			t.Error(key)
		}
	}
	facts := render.ChartFacts{Moves: 30, Stretches: []render.Stretch{{Ahead: game.Black}, {From: 3},
		{From: 5, Ahead: game.White}, {From: 8}, {From: 9, Ahead: game.Black}, {From: 12}, {From: 20, Proven: true}}}
	if got, want := words.chartAlt(facts, true), "Black’s chances over 30 moves: Black ahead from move 1, "+
		"even from move 3, White ahead from move 5, even from move 8, "+
		"Black ahead from move 9 and a proven draw from move 20. Neither side made a fault."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Pictures of the screens, for those who want to look: TENGEN_LOOK=DIR go test ./bot/view -run
// TestReviewPictures.
func TestReviewPictures(t *testing.T) {
	dir := os.Getenv("TENGEN_LOOK")
	if dir == "" {
		t.Skip("TENGEN_LOOK=DIR writes them")
	}
	m, r := reviewed(t, short, 3000)
	for i, msg := range everyReviewScreen(t, m, r) {
		for _, b := range msg.Blocks {
			if b.Picture != nil {
				name := filepath.Join(dir, string(rune('a'+i/26))+string(rune('a'+i%26))+".png")
				testkit.Must(t, os.WriteFile(name, b.Picture.Data, 0o644))
			}
		}
	}
}
