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
			{Name: "which", About: "Which games", Type: chat.TextOption, Choices: named("which", gamesLists...)}}},
		opens: true,
		run:   (*Bot).games,
		presses: map[string]pressed{
			"games": (*Bot).pressGames,
		},
	}
}

// A page of /games lists so many games, and its first page so many that ended unseen. Each
// takes three of the 40 components of a message.
const (
	listed       = 8
	listedUnseen = 3
)

// gamesLists are the lists that there are.
var gamesLists = []string{"mine", "channel", "finished"}

// gamesList is what a page of /games shows.
type gamesList struct {
	which  string // one of gamesLists
	page   int
	giving bool // the buttons beside the games resign them; of mine alone
}

// id is the custom id of a button that leads to the page.
func (l gamesList) id() string {
	arg := fmt.Sprintf("%d.%s", l.page, l.which)
	if l.giving {
		arg += ".resign"
	}
	return view.Do("games", arg)
}

func parseGamesList(arg string) (gamesList, error) {
	f := append(strings.SplitN(arg, ".", 3), "", "")
	page, err := strconv.Atoi(f[0])
	if !slices.Contains(gamesLists, f[1]) {
		f[1] = "mine"
	}
	return gamesList{which: f[1], page: page, giving: f[2] == "resign" && f[1] == "mine"}, err
}

func (b *Bot) games(ctx context.Context, r chat.Request) error {
	return b.gamesPage(ctx, r, gamesList{which: r.Text("which", "mine")})
}

func (b *Bot) pressGames(ctx context.Context, r chat.Request, p view.Press) error {
	list, err := parseGamesList(p.Arg)
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
	return recent[:min(len(recent), listedUnseen)], nil
}

// gamesPage lists the member's running games, the channel's, or the member's finished ones, each with
// a button beside it.
func (b *Bot) gamesPage(ctx context.Context, r chat.Request, list gamesList) error {
	recs, err := b.gamesOf(ctx, r, list)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	pages := max(1, (len(recs)+listed-1)/listed)
	list.page = min(max(list.page, 0), pages-1)
	title := t.Say("games."+list.which, "Count", len(recs))
	if len(recs) == 0 {
		title = t.Say("games.zero")
	}
	lines := []string{"### " + title}
	if len(recs) == 0 {
		lines = append(lines, t.Say("games.none"))
	}
	if list.giving {
		lines = append(lines, t.Say("games.resignWhich"))
	}
	shown := recs[list.page*listed : min((list.page+1)*listed, len(recs))]
	if slices.ContainsFunc(shown, func(rec storage.Record) bool {
		return rec.Phase != game.Over && rec.Place != r.Place && b.movable(ctx, r, rec) == nil
	}) {
		lines = append(lines, "-# "+t.Say("games.bring")) // a link leads nowhere once its channel is gone
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: strings.Join(lines, "\n")}}}
	for _, rec := range shown {
		msg.Blocks = append(msg.Blocks, b.gameBlock(ctx, r, rec, list.giving))
	}
	if list.which == "mine" && list.page == 0 && !list.giving {
		unseen, err := b.unseen(ctx, r)
		if err != nil {
			return err
		}
		for _, rec := range unseen {
			block := b.gameBlock(ctx, r, rec, false)
			addText(&block, " "+t.Say("games.unseen"))
			msg.Blocks = append(msg.Blocks, block)
		}
	}
	row := gamesRow(t, list, pages, slices.ContainsFunc(recs, endable(r.By)))
	if len(recs) == 0 {
		row = append([]chat.Button{{ID: view.Do("new", ""), Label: t.Say("button.newGame"), Style: chat.Primary}}, row...)
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	answer := chat.Answer{Kind: chat.Say, Message: msg}
	if r.Kind.Component() {
		answer.Kind = chat.Replace
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), answer)
	return err
}

// gamesOf are the games of a list.
func (b *Bot) gamesOf(ctx context.Context, r chat.Request, list gamesList) ([]storage.Record, error) {
	switch list.which {
	case "channel":
		return b.store.InChannel(ctx, r.Place)
	case "finished":
		return b.store.History(ctx, r.By, 0, 100)
	}
	recs, err := b.store.Of(ctx, r.By)
	if list.giving {
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

// gamesRow are the buttons under a list: its other pages, the other lists, and giving games up.
func gamesRow(t view.Tongue, list gamesList, pages int, some bool) []chat.Button {
	var row []chat.Button
	to := func(page int) string {
		turned := list
		turned.page = page
		return turned.id()
	}
	if pages > 1 {
		row = append(row,
			chat.Button{ID: to(list.page - 1), Label: "◀", Disabled: list.page == 0},
			chat.Button{ID: to(list.page + 1), Label: "▶", Disabled: list.page == pages-1})
	}
	for _, other := range gamesLists {
		if other != list.which || list.giving {
			row = append(row, chat.Button{ID: gamesList{which: other}.id(), Label: t.Say("button.games." + other)})
		}
	}
	if list.which == "mine" && some && !list.giving {
		row = append(row, chat.Button{ID: gamesList{which: "mine", giving: true}.id(), Label: t.Say("button.games.resign"), Style: chat.Danger})
	}
	return row
}

// gameBlock is one game in a list, with the button that fits how it stands. A game for which there is
// nothing to press is a text.
func (b *Bot) gameBlock(ctx context.Context, r chat.Request, rec storage.Record, giving bool) chat.Block {
	t := b.tongue(r)
	where := ""
	if rec.Phase != game.Over && rec.Place != r.Place {
		where = view.Channel(rec.Place.Channel)
	}
	text := t.GameLine(rec.Match, r.By, where)
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
		return chat.Button{ID: view.On(m, "replay", fmt.Sprintf("%d.new", m.Game().Len())), Label: t.Say("button.replay")}, m.Game().Len() > 0
	case giving:
		return t.EndButton(m, r.By), true
	}
	link := b.finder.Where(ctx, rec)
	hangs := strings.HasPrefix(link, "https:")
	switch {
	case hangs && m.Rested.IsZero():
		return chat.Button{URL: link, Label: t.Say("button.goBoard")}, true
	case concerns(m, r.By) && b.movable(ctx, r, rec) == nil || rec.Place == r.Place:
		return chat.Button{ID: view.On(m, "board", ""), Label: t.Say("button.openHere"), Style: chat.Primary}, true
	case endable(r.By)(rec):
		return t.EndButton(m, r.By), true
	}
	return chat.Button{URL: link, Label: t.Say("button.goBoard")}, hangs
}

// addText adds to the text of a block.
func addText(block *chat.Block, text string) {
	if block.Section == nil {
		block.Text += text
		return
	}
	last := len(block.Section.Texts) - 1
	block.Section.Texts[last] += text
}
