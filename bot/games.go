package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func gamesCommand() command {
	return command{
		Command: chat.Command{Name: "games", About: "Your games and this channel's", Alone: true, Options: []chat.OptionSpec{
			{Name: "which", About: "Which games", Type: chat.TextOption, Choices: named("which", "mine", "channel", "finished")}}},
		run: (*Bot).games,
		presses: map[string]pressed{
			"games": (*Bot).pressGames,
		},
	}
}

// listed is how many games a page of /games lists.
const listed = 10

func (b *Bot) games(ctx context.Context, r chat.Request) error {
	return b.gamesPage(ctx, r, r.Text("which", "mine"), 0)
}

func (b *Bot) pressGames(ctx context.Context, r chat.Request, p view.Press) error {
	n, which, _ := strings.Cut(p.Arg, ".")
	page, err := strconv.Atoi(n)
	if err != nil {
		return no("unknown.button")
	}
	return b.gamesPage(ctx, r, which, page)
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
	return recent[:min(len(recent), listed/2)], nil // a message holds 4,000 characters
}

// gamesPage lists the member's running games, the channel's, or the member's finished ones.
func (b *Bot) gamesPage(ctx context.Context, r chat.Request, which string, page int) error {
	var recs []storage.Record
	var err error
	switch which {
	case "channel":
		recs, err = b.store.InChannel(ctx, r.Place)
	case "finished":
		recs, err = b.store.History(ctx, r.By, 0, 100)
	default:
		recs, err = b.store.Of(ctx, r.By)
	}
	if err != nil {
		return err
	}
	t := b.tongue(r)
	pages := max(1, (len(recs)+listed-1)/listed)
	page = min(max(page, 0), pages-1)
	title := t.Say("games."+which, "Count", len(recs))
	if len(recs) == 0 {
		title = t.Say("games.zero")
	}
	lines := []string{"### " + title}
	for _, rec := range recs[page*listed : min((page+1)*listed, len(recs))] {
		lines = append(lines, b.gameLine(ctx, t, rec, r.By))
	}
	if len(recs) == 0 {
		lines = append(lines, t.Say("games.none"))
	}
	if which == "mine" && page == 0 {
		unseen, err := b.unseen(ctx, r)
		if err != nil {
			return err
		}
		for _, rec := range unseen {
			lines = append(lines, b.gameLine(ctx, t, rec, r.By)+" "+t.Say("games.unseen"))
		}
	}
	id := func(to int, which string) string { return view.Do("games", fmt.Sprintf("%d.%s", to, which)) }
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: strings.Join(lines, "\n")}}}
	var row []chat.Button
	if pages > 1 {
		row = append(row,
			chat.Button{ID: id(page-1, which), Label: "◀", Disabled: page == 0},
			chat.Button{ID: id(page+1, which), Label: "▶", Disabled: page == pages-1})
	}
	for _, other := range []string{"mine", "channel", "finished"} {
		if other != which {
			row = append(row, chat.Button{ID: id(0, other), Label: t.Say("button.games." + other)})
		}
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	answer := chat.Answer{Kind: chat.Say, Message: msg}
	if r.Kind.Component() {
		answer.Kind = chat.Replace
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), answer)
	return err
}

// gameLine is one game in a list.
func (b *Bot) gameLine(ctx context.Context, t view.Tongue, rec storage.Record, by game.MemberID) string {
	if rec.Phase == game.Over {
		return t.GameLine(rec.Match, by, "")
	}
	return t.GameLine(rec.Match, by, b.where(ctx, rec))
}
