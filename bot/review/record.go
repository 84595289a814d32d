package review

import (
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/finder"
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
	if err := s.Finder.Fair(ctx, r, g, finder.Reached(g)); err != nil { // its review would be help from outside
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
