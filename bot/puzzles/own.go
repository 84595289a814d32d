package puzzles

import (
	"context"
	"errors"
	"slices"

	"tengen/ai/puzzle"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// A win that a member missed in a game of their own, as its review has proven it, is a puzzle of
// theirs. It changes no rating.

// ownTheme is the theme that stands for a member's own puzzles, counted from 1.
const ownTheme = 1

// mostOwn is how many of a member's last games are searched for missed wins.
const mostOwn = 50

// owned is the puzzle of a ply at which a member missed a win. It is false where the ply is none.
func owned(m game.Match, made review.Review, n int, by game.MemberID) (z puzzle.Puzzle, ok bool) {
	if n < 1 || n > len(made.Plies) {
		return z, false
	}
	f := made.Plies[n-1]
	seat, sits := m.SeatOf(by)
	if f.Note != review.MissedWin || !sits || m.ColorOf(seat) != f.By || len(f.Line) == 0 || len(f.Line) > longestLine {
		return z, false
	}
	before := m.Game().Until(n - 1)
	g, err := game.From(before.Rules(), before.Position(), before.Turn())
	if err != nil || g.Rules() == game.Reversi {
		return z, false
	}
	z = puzzle.Puzzle{Kind: puzzle.Win, Game: g, Line: f.Line}
	if steps := z.Steps(); len(steps) > 0 && steps[len(steps)-1].By != z.Turn() {
		z.Line = z.Line[:len(z.Line)-1]
	}
	return z, len(z.Line) > 0
}

// reviewed is the review of a match as it stands; ok is false where there is none.
func (p *Puzzles) reviewed(ctx context.Context, rec storage.Record) (made review.Review, ok bool, err error) {
	v, _, err := p.Store.Review(ctx, rec.ID)
	if err != nil || v.Data == nil || v.Stamp != rec.Stamp() || rec.Phase != game.Over {
		return made, false, err
	}
	made, err = review.Unpack(v.Data, rec.Game())
	return made, err == nil, err
}

// ownPuzzle is b with its puzzle from a game of the member.
func (p *Puzzles) ownPuzzle(ctx context.Context, r chat.Request, b board) (board, error) {
	rec, err := p.Store.Match(ctx, b.match)
	if errors.Is(err, storage.ErrNotFound) {
		return b, view.No("puzzle.gone")
	}
	if err != nil {
		return b, err
	}
	made, ok, err := p.reviewed(ctx, rec)
	if err != nil {
		return b, err
	}
	if ok {
		b.Puzzle, ok = owned(rec.Match, made, int(b.stamp), r.By)
	}
	if !ok {
		return b, view.No("puzzle.gone")
	}
	return b, nil
}

// showOwn shows the member's own puzzle after the one of a ply, the newest game first; at the end it
// begins again.
func (p *Puzzles) showOwn(ctx context.Context, r chat.Request, after game.MatchID, ply int) error {
	live, err := p.Store.Of(ctx, r.By) // an ended game is live for a day
	if err != nil {
		return err
	}
	past, err := p.Store.History(ctx, r.By, 0, mostOwn)
	if err != nil {
		return err
	}
	all, err := p.ownIn(ctx, r.By, append(live, past...))
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return view.No("puzzle.noneOwn")
	}
	at := slices.IndexFunc(all, func(b board) bool { return b.match == after && int(b.stamp) == ply })
	return p.ask(ctx, r, all[(at+1)%len(all)], "")
}

// ownIn are the puzzles of a member's own in some of their games, in the order of those.
func (p *Puzzles) ownIn(ctx context.Context, by game.MemberID, recs []storage.Record) (all []board, err error) {
	for _, rec := range recs {
		made, ok, err := p.reviewed(ctx, rec)
		if err != nil {
			return nil, err
		}
		for n := 1; ok && n <= len(made.Plies); n++ {
			if z, mine := owned(rec.Match, made, n, by); mine {
				all = append(all, board{Puzzle: z, mode: own, match: rec.ID, stamp: uint32(n), theme: ownTheme, level: normal})
			}
		}
	}
	return all, nil
}

// Missed is a button to the first win that a member missed in some of their games, as a puzzle. It looks at the first
// mostOwn of them; ok is false where none of those has one.
func (p *Puzzles) Missed(ctx context.Context, t view.Tongue, by game.MemberID,
	recs []storage.Record) (b chat.Button, ok bool, err error) {
	all, err := p.ownIn(ctx, by, recs[:min(len(recs), mostOwn)])
	if err != nil || len(all) == 0 {
		return b, false, err
	}
	return all[0].button(t, "again", "button.missed"), true, nil
}
