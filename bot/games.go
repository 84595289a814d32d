package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) gamesCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "games", Alone: true, Options: []chat.OptionSpec{
			{Name: "which", Type: chat.TextOption, Choices: command.Named("which", view.GamesLists...)}}},
		Opens: true,
		Run:   b.games,
		Presses: map[string]command.Pressed{
			"games": b.pressGames,
		},
	}
}

func (b *Bot) games(ctx context.Context, r chat.Request) error {
	return b.gamesPage(ctx, r, view.GamesList{Which: r.Text("which", "mine")})
}

func (b *Bot) pressGames(ctx context.Context, r chat.Request, p view.Press) error {
	list, err := view.ParseGamesList(p.Arg)
	if err != nil {
		return no("unknown.button")
	}
	return b.gamesPage(ctx, r, list)
}

// unseen are the member's games whose end could not be shown. Where the bot is not installed, it can
// send nothing once the last token has expired.
func (b *Bot) unseen(ctx context.Context, r chat.Request) ([]storage.Record, error) {
	recent, err := b.store.History(ctx, r.By, 0, 20)
	if err != nil {
		return nil, err
	}
	recent = slices.DeleteFunc(recent, func(rec storage.Record) bool {
		sc, err := b.store.Screen(ctx, rec.ID)
		return err != nil || !sc.Late()
	})
	return recent[:min(len(recent), view.ListedUnseen)], nil
}

// gamesPage lists the member's running games, the channel's, or the member's finished ones, each with
// a button beside it.
func (b *Bot) gamesPage(ctx context.Context, r chat.Request, list view.GamesList) error {
	recs, err := b.gamesOf(ctx, r, list)
	if err != nil {
		return err
	}
	list, from, to := list.Of(len(recs))
	page := view.GamesPage{List: list, Total: len(recs), Endable: slices.ContainsFunc(recs, endable(r.By))}
	page.Bring = slices.ContainsFunc(recs[from:to], func(rec storage.Record) bool {
		return rec.Phase != game.Over && rec.Place != r.Place && b.movable(ctx, r, rec) == nil
	})
	for _, rec := range recs[from:to] {
		page.Games = append(page.Games, b.gameBlock(ctx, r, rec, list.Giving))
	}
	if list.Which == "mine" && list.Page == 0 && !list.Giving {
		unseen, err := b.unseen(ctx, r)
		if err != nil {
			return err
		}
		for _, rec := range unseen {
			page.Unseen = append(page.Unseen, b.gameBlock(ctx, r, rec, false))
		}
	}
	msg := b.tongue(r).Games(page)
	if r.Kind.Component() {
		return chat.Edit(ctx, b.chat, r, msg)
	}
	return b.say(ctx, r, msg)
}

func (b *Bot) gamesOf(ctx context.Context, r chat.Request, list view.GamesList) ([]storage.Record, error) {
	switch list.Which {
	case "channel":
		return b.store.InChannel(ctx, r.Place)
	case "finished":
		return b.store.History(ctx, r.By, 0, 100)
	}
	recs, err := b.store.Of(ctx, r.By)
	if list.Giving {
		recs = slices.DeleteFunc(recs, func(rec storage.Record) bool { return !endable(r.By)(rec) })
	}
	return recs, err
}

// endable reports whether a member can end a game by themselves.
func endable(by game.MemberID) func(storage.Record) bool {
	return func(rec storage.Record) bool { return view.Playing(rec.Match) && concerns(rec.Match, by) }
}

// concerns reports whether a match is a member's own: they play in it, or have engines play it.
func concerns(m game.Match, by game.MemberID) bool {
	return view.Sits(m, by) || view.BetweenEngines(m) && m.Owner == by
}

// gameBlock is one game in a list, with the button that fits how it stands. A game for which there is
// nothing to press is a text.
func (b *Bot) gameBlock(ctx context.Context, r chat.Request, rec storage.Record, giving bool) chat.Block {
	t := b.tongue(r)
	where := ""
	if rec.Phase != game.Over && rec.Place != r.Place {
		where = view.Channel(rec.Place.Channel)
	}
	text := t.GameLine(rec.Match, r.By, where, b.screens.Ruling(ctx, t, rec))
	button, ok := b.gameButton(ctx, r, rec, giving)
	if !ok {
		return chat.Block{Text: text}
	}
	return chat.Block{Section: &chat.Section{Texts: []string{text}, Button: button}}
}

// gameButton is the button beside a game: Replay once it is over; before that a link to its
// board, or a button that brings the board here where it hangs nowhere; and where not even
// that goes, the button that ends it.
func (b *Bot) gameButton(ctx context.Context, r chat.Request, rec storage.Record, giving bool) (chat.Button, bool) {
	t, m := b.tongue(r), rec.Match
	switch {
	case m.Phase == game.Over:
		return chat.Button{ID: view.On(m, "replay", fmt.Sprintf("%d.new", m.Game().Len())), Label: t.Say("button.replay")},
			m.Game().Len() > 0
	case giving:
		return t.EndButton(rec, r.By), true
	}
	link := b.finder.Where(ctx, rec)
	hangs := strings.HasPrefix(link, "https:")
	switch {
	case hangs && m.Rested.IsZero():
		return chat.Button{URL: link, Label: t.Say("button.goBoard")}, true
	case concerns(m, r.By) && b.movable(ctx, r, rec) == nil || rec.Place == r.Place:
		return chat.Button{ID: view.On(m, "board", ""), Label: t.Say("button.openHere"), Style: chat.Primary}, true
	case endable(r.By)(rec):
		return t.EndButton(rec, r.By), true
	}
	return chat.Button{URL: link, Label: t.Say("button.goBoard")}, hangs
}
