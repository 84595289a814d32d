package host

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/screen"
	"tengen/game"
)

// EngineSeat is the bot at the level that r names, else at the one that the member's last
// games suggest.
func (h *Host) EngineSeat(ctx context.Context, r chat.Request, rules game.Rules) game.Seat {
	if n := r.Number("level", 0); n > 0 {
		return game.SeatEngine(min(n, game.Levels))
	}
	return game.SeatEngine(h.Suggested(ctx, r.By, rules).Level)
}

// Suggested is the level that a member's last games suggest. Where they cannot be read, it is
// that of somebody who has played none.
func (h *Host) Suggested(ctx context.Context, by game.MemberID, rules game.Rules) game.Suggestion {
	past, err := h.Store.Past(ctx, by, 0, screen.CardGames)
	if err != nil {
		h.Log.Info("suggesting a level", "err", err)
		past = nil
	}
	return past.Suggest(by, rules)
}

// Changed is an ended match with the level that its rematch against the engine is to have. The
// button's argument says how: one level stronger, one weaker, or the same.
func Changed(m game.Match, arg string) game.Match {
	if !m.AgainstEngine() {
		return m
	}
	by, _ := strconv.Atoi(arg) // 0: the same
	return m.Stronger(min(max(by, -1), 1))
}
