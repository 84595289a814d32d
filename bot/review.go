package bot

import (
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func reviewCommand() command {
	return command{
		Command: chat.Command{Name: "review", About: "What a finished game was worth, move by move", Alone: true, Options: []chat.OptionSpec{whichOption()}},
		opens:   true,
		run:     (*Bot).review,
		presses: map[string]pressed{
			"review": func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error {
				return b.study.Open(ctx, r, p.Match)
			},
			"step":  func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error { return b.study.Step(ctx, r, p) },
			"try":   func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error { return b.study.Try(ctx, r, p) },
			"from":  (*Bot).pressFrom,
			"study": (*Bot).pressStudy,
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.study.Open(ctx, r, id)
		},
		offers: map[string]offer{"game": (*Bot).completeAnyGame},
	}
}

func (b *Bot) review(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Any(ctx, r, "review", "")
	if err != nil || !found {
		return err
	}
	return b.study.Open(ctx, r, rec.ID)
}

// pressFrom begins a game against the engine from a position of a reviewed game.
func (b *Bot) pressFrom(ctx context.Context, r chat.Request, p view.Press) error {
	g, level, err := b.study.From(ctx, r, p)
	if err != nil {
		return err
	}
	return b.playOn(ctx, r, g, game.SeatEngine(level))
}

// offerReview is the button that reviews a loaded record. A record that does not fit into it is stored
// at once. The button has no id where the record cannot be reviewed.
func (b *Bot) offerReview(ctx context.Context, r chat.Request, g game.Game) (chat.Button, error) {
	if g.Len() == 0 {
		return chat.Button{}, nil
	}
	if button, ok := b.tongue(r).ReviewRecord(g); ok {
		return button, nil
	}
	rec, err := b.keep(ctx, r, g)
	if view.IsRefused(err, "review.running") {
		return chat.Button{}, nil
	}
	return b.tongue(r).ReviewButton(rec.Match, ""), err
}

// pressStudy reviews a record that a button holds.
func (b *Bot) pressStudy(ctx context.Context, r chat.Request, p view.Press) error {
	g, err := view.UnpackGame(p.Arg)
	if err != nil {
		return no("unknown.button")
	}
	rec, err := b.keep(ctx, r, g)
	if err != nil {
		return err
	}
	return b.study.Open(ctx, r, rec.ID)
}

// keep stores a record as a match that is over, so that it can be reviewed. It goes after a day, like all
// matches that nobody played.
func (b *Bot) keep(ctx context.Context, r chat.Request, g game.Game) (storage.Record, error) {
	if err := b.notRunning(ctx, r, g); err != nil {
		return storage.Record{}, err
	}
	return b.store.Create(ctx, storage.Cause{Interaction: r.ID, At: r.At}, r.Place, func(id game.MatchID) (game.Match, error) {
		return recorded(id, g, r.By, r.At)
	})
}

// recorded is a record as a match that is over. A match begins before its last move, so a game that is over
// gets that move as one of the match.
func recorded(id game.MatchID, g game.Game, by game.MemberID, at time.Time) (game.Match, error) {
	given := g.Moves()
	t := game.Terms{Rules: g.Rules(), Given: given, Opening: game.ImportedOpening, First: game.Black}
	if g.Start() != g.Rules().Start() {
		t.Start = g.Start()
	}
	ended := g.Turn() == game.Empty
	if ended {
		t.Given = given[:max(0, len(given)-1)]
	}
	m, err := game.NewMatch(id, t, by, game.SeatEngine(1), game.SeatEngine(1), at, time.Time{})
	switch {
	case err != nil:
		return m, err
	case ended:
		return m.Reply(m.Stamp(), given[len(given)-1], game.Note{}, at)
	}
	return m.Close(game.Aborted, at)
}

// notRunning refuses a record that reaches the position of a rated game which is running: the member's own,
// or one of this channel.
func (b *Bot) notRunning(ctx context.Context, r chat.Request, g game.Game) error {
	mine, err := b.store.Of(ctx, r.By)
	if err != nil {
		return err
	}
	here, err := b.store.InChannel(ctx, r.Place)
	if err != nil {
		return err
	}
	for _, rec := range append(mine, here...) {
		if !view.Playing(rec.Match) || !rec.Rated || rec.Spoiled || rec.Game().Len() == 0 {
			continue
		}
		for n := range g.Len() {
			if g.Until(n+1).Position() == rec.Game().Position() {
				return no("review.running")
			}
		}
	}
	return nil
}
