package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
)

// A page of /games lists so many games, and its first page so many that ended unseen. Each
// takes three of the 40 components of a message.
const (
	Listed       = 8
	ListedUnseen = 3
)

// GamesLists are the lists that there are.
var GamesLists = []string{"mine", "channel", "finished"}

// GamesList is what a page of /games shows.
type GamesList struct {
	Which  string // one of GamesLists
	Page   int
	Giving bool // the buttons beside the games resign them; of mine alone
}

// id is the custom id of a button that leads to the page.
func (l GamesList) id() string {
	arg := fmt.Sprintf("%d.%s", l.Page, l.Which)
	if l.Giving {
		arg += ".resign"
	}
	return Do("games", arg)
}

// ParseGamesList reads the argument of a button that leads to a page. A list with an unknown name is
// the member's own.
func ParseGamesList(arg string) (GamesList, error) {
	f := append(strings.SplitN(arg, ".", 3), "", "")
	page, err := strconv.Atoi(f[0])
	if !slices.Contains(GamesLists, f[1]) {
		f[1] = "mine"
	}
	return GamesList{Which: f[1], Page: page, Giving: f[2] == "resign" && f[1] == "mine"}, err
}

// Of fits the list to a number of games: its page becomes one that there is. from and to bound the
// games that the page shows.
func (l GamesList) Of(total int) (list GamesList, from, to int) {
	l.Page = min(max(l.Page, 0), pagesOf(total)-1)
	return l, l.Page * Listed, min((l.Page+1)*Listed, total)
}

// pagesOf is how many pages so many games fill.
func pagesOf(total int) int { return max(1, (total+Listed-1)/Listed) }

// GamesPage is what a page of /games is made of.
type GamesPage struct {
	List          GamesList    // with a page that it has
	Total         int          // the games of the list
	Games, Unseen []chat.Block // the games of the page, and those that ended unseen
	Bring         bool         // a game of the page hangs elsewhere, and could be brought here
	Endable       bool         // the member can end one of the games
}

// Games is a page of /games.
func (t Tongue) Games(p GamesPage) chat.Message {
	title := t.Say("games."+p.List.Which, "Count", p.Total)
	if p.Total == 0 {
		title = t.Say("games.zero")
	}
	lines := []string{"### " + title}
	if p.Total == 0 {
		lines = append(lines, t.Say("games.none"))
	}
	if p.List.Giving {
		lines = append(lines, t.Say("games.resignWhich"))
	}
	if p.Bring {
		lines = append(lines, "-# "+t.Say("games.bring")) // a link leads nowhere once its channel is gone
	}
	msg := chat.Private(strings.Join(lines, "\n"), p.Games...)
	for _, block := range p.Unseen {
		t.addSentence(&block, t.Say("games.unseen"))
		msg.Blocks = append(msg.Blocks, block)
	}
	row := t.gamesRow(p.List, pagesOf(p.Total), p.Endable)
	if p.Total == 0 {
		row = append([]chat.Button{{ID: Do("new", ""), Label: t.Say("button.newGame"), Style: chat.Primary}}, row...)
	}
	return msg.WithRow(row...)
}

// gamesRow are the buttons under a list: its other pages, the other lists, and giving games up.
func (t Tongue) gamesRow(list GamesList, pages int, some bool) []chat.Button {
	var row []chat.Button
	to := func(page int) string {
		turned := list
		turned.Page = page
		return turned.id()
	}
	if pages > 1 {
		row = append(row,
			chat.Button{ID: to(list.Page - 1), Label: "◀", Disabled: list.Page == 0},
			chat.Button{ID: to(list.Page + 1), Label: "▶", Disabled: list.Page == pages-1})
	}
	for _, other := range GamesLists {
		if other != list.Which || list.Giving {
			row = append(row, chat.Button{ID: GamesList{Which: other}.id(), Label: t.Say("button.games." + other)})
		}
	}
	if list.Which == "finished" { // of mine a page may have all the 40 components that there are
		row = append(row, chat.Button{ID: Do("recap", ""), Label: t.Say("button.recap")})
	}
	if list.Which == "mine" && some && !list.Giving {
		row = append(row, chat.Button{ID: GamesList{Which: "mine", Giving: true}.id(), Label: t.Say("button.games.resign"),
			Style: chat.Danger})
	}
	return row
}

func (t Tongue) addSentence(block *chat.Block, said string) {
	text := &block.Text
	if block.Section != nil {
		text = &block.Section.Texts[len(block.Section.Texts)-1]
	}
	*text = t.Sentences(*text, said)
}
