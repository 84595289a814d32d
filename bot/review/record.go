package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Named is how a press names a record: by the moves themselves where they fit, else by the match as which it is
// kept from then on. It is zero where nothing can: a rated game that is running is not kept.
func (s *Reviews) Named(ctx context.Context, r chat.Request, g game.Game) (view.Press, error) {
	if arg, ok := view.PackGame(g); ok {
		return view.Press{Arg: arg}, nil
	}
	rec, err := s.keep(ctx, r, g)
	if view.IsRefused(err, "review.running") {
		return view.Press{}, nil
	}
	return view.Press{Match: rec.ID, Stamp: rec.Match.Stamp()}, err
}

// OpenRecord reviews a record that a button holds.
func (s *Reviews) OpenRecord(ctx context.Context, r chat.Request, packed string) error {
	g, err := view.UnpackGame(packed)
	if err != nil {
		return view.No("unknown.button")
	}
	rec, err := s.keep(ctx, r, g)
	if err != nil {
		return err
	}
	return s.Open(ctx, r, rec.ID)
}

// keep stores a record as a match that is over. It goes after a day, like all matches that
// nobody played.
func (s *Reviews) keep(ctx context.Context, r chat.Request, g game.Game) (storage.Record, error) {
	if err := s.notRunning(ctx, r, g); err != nil {
		return storage.Record{}, err
	}
	return s.Store.Create(ctx, storage.Cause{Interaction: r.ID, At: r.At}, r.Place,
		func(id game.MatchID) (game.Match, error) {
			return recorded(id, g, r.By, r.At)
		})
}

// recorded is a record as a match that is over. A match begins before its last move, so a game
// that is over gets that move as one of the match.
func recorded(id game.MatchID, g game.Game, by game.MemberID, at time.Time) (game.Match, error) {
	moves := g.Moves()
	t := game.Terms{Rules: g.Rules(), Given: moves, Opening: game.ImportedOpening, First: game.Black}
	if g.Start() != g.Rules().Start() {
		t.Start = g.Start()
	}
	ended := g.Turn() == game.Empty
	if ended {
		t.Given = moves[:max(0, len(moves)-1)]
	}
	m, err := game.NewMatch(id, t, by, game.SeatEngine(1), game.SeatEngine(1), at, time.Time{})
	switch {
	case err != nil:
		return m, err
	case ended:
		return m.Reply(m.Stamp(), moves[len(moves)-1], game.Note{}, at)
	}
	return m.Close(game.Aborted, at)
}

// notRunning refuses a record that reaches the position of a rated game which is running: one
// of the member's own, or one of this channel. Its review would be help from outside, also
// where the record shows the position turned, mirrored or with the colors exchanged.
func (s *Reviews) notRunning(ctx context.Context, r chat.Request, g game.Game) error {
	mine, err := s.Store.Of(ctx, r.By)
	if err != nil {
		return err
	}
	here, err := s.Store.InChannel(ctx, r.Place)
	if err != nil {
		return err
	}
	running := map[game.Position]bool{}
	for _, rec := range append(mine, here...) {
		if view.Playing(rec.Match) && rec.Rated && !rec.Spoiled && rec.Game().Len() > 0 {
			running[plain(rec.Game().Position())] = true
		}
	}
	for n := 0; n <= g.Len() && len(running) > 0; n++ {
		if running[plain(g.Until(n).Position())] {
			return view.No("review.running")
		}
	}
	return nil
}

// plain is the same position for all that show the same game: however the board is turned or
// mirrored, and whichever color is called black.
func plain(b game.Position) game.Position {
	least := b
	for way := range uint64(8) {
		seen := game.Position{Size: b.Size, Turn: b.Turn}
		for i, stones := range b.Stones {
			for p := range stones.All() {
				seen.Stones[i] = seen.Stones[i].With(p.Turned(b.Size, way))
			}
		}
		other := game.Position{Size: b.Size, Turn: b.Turn.Other(), Stones: [2]game.Set{seen.Stones[1], seen.Stones[0]}}
		for _, like := range []game.Position{seen, other} {
			if order(like, least) < 0 {
				least = like
			}
		}
	}
	return least
}

// order is an order of positions on boards of one size.
func order(x, y game.Position) int {
	return cmp.Or(cmp.Compare(x.Turn, y.Turn), slices.Compare(x.Stones[0][:], y.Stones[0][:]),
		slices.Compare(x.Stones[1][:], y.Stones[1][:]))
}
