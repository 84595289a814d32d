package bot

import (
	"context"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// rooms gives the rooms below what they need of the bot. It is the House of the desk, the screens,
// the finder, the host, the reviews, the lessons, the events, the servers, the typed points and the upkeep.
type rooms struct{ b *Bot }

func (h rooms) Alone() bool { return h.b.upkeep.Alone() }

func (h rooms) Owns(p venue.Place) bool { return h.b.upkeep.Owns(p) }

func (h rooms) Under(ctx context.Context, p venue.Place) (context.Context, bool) {
	return h.b.upkeep.Under(ctx, p)
}

func (h rooms) Update(ctx context.Context, id game.MatchID, c storage.Cause,
	f func(game.Match) (game.Match, error)) (storage.Record, error) {
	return h.b.clocks.Update(ctx, id, c, f)
}

func (h rooms) Claiming(c storage.Cause) storage.Cause { return h.b.screens.Claiming(c) }

func (h rooms) Refresh(id game.MatchID, anew bool) { h.b.screens.Refresh(id, anew) }
func (h rooms) Stuck(id game.MatchID)              { h.b.screens.Stuck(id) }

func (h rooms) Due(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	return h.b.upkeep.Due(ctx, id)
}

func (h rooms) Reply(ctx context.Context, id game.MatchID) { h.b.desk.Await(ctx, id) }

func (h rooms) Changed(rec storage.Record) { h.b.desk.Changed(rec) }

func (h rooms) Calls(ctx context.Context, rec storage.Record, seat int) (screen.Calls, error) {
	return h.b.calls(ctx, rec, seat)
}

func (h rooms) Turning(ctx context.Context, m game.Match) *review.Ply {
	return h.b.desk.Turning(ctx, m)
}

func (h rooms) Pace(calls int) (func(func()), bool) { return h.b.events.Pace(calls) }

func (h rooms) Tongue(r chat.Request) view.Tongue { return h.b.tongue(r) }
