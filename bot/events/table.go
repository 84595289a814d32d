package events

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game/event"
	"tengen/render"
	"tengen/storage"
)

// nobody names the entrants in pictures: by their numbers, since the store keeps no names. The
// legend beside a picture says who the numbers are.
func nobody(int) string { return "" }

// standings shows the standings of an event to the asking member.
func (v *Events) standings(ctx context.Context, r chat.Request) error {
	e, err := v.named(ctx, r)
	if err != nil {
		return err
	}
	return v.table(ctx, r, e, r.Number("page", 1)-1)
}

func (v *Events) standingsPage(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.pressedHere(ctx, r, p)
	if err != nil {
		return err
	}
	page, _ := strconv.Atoi(p.Arg)
	return v.table(ctx, r, e, page)
}

// table is a page of the standings.
func (v *Events) table(ctx context.Context, r chat.Request, e storage.Event, page int) error {
	t := v.House.Tongue(r)
	if len(e.Paired) == 0 {
		return view.No("event.refused.notBegun")
	}
	picture, legend, pages, err := standingsPicture(t, e, page)
	if err != nil {
		return err
	}
	page = min(max(page, 0), pages-1)
	if link := jump(e); link != "" && r.Message != e.Message { // else the member looks at it
		legend += "\n" + view.Linked(t.Say("event.toEvent"), link)
	}
	msg := t.WithProfiles(chat.Text("### "+view.Escape(e.Name), chat.Block{Picture: &picture}, chat.Block{Text: legend}))
	if pages > 1 {
		msg = msg.WithRow(pageRow(e, "evstand", page, pages)...)
	}
	return v.page(ctx, r, msg)
}

// pageRow are the buttons that turn pages of something of an event.
func pageRow(e storage.Event, verb string, page, pages int) []chat.Button {
	return turnRow(func(arg string) string { return do(e, verb, arg) }, page, pages)
}

// turnRow are the buttons that turn pages. id is the custom id of the button to a page.
func turnRow(id func(page string) string, page, pages int) []chat.Button {
	turn := func(label string, to int) chat.Button {
		return chat.Button{ID: id(strconv.Itoa(to)), Label: label, Disabled: to < 0 || to >= pages}
	}
	return []chat.Button{turn("◀", page-1), {ID: id(fmt.Sprint(page, ".here")), Label: fmt.Sprintf("%d/%d", page+1, pages),
		Disabled: true}, turn("▶", page+1)}
}

// standingsPicture is a page of the standings, or of the bracket, with the legend of its numbers, and how
// many pages there are. A page that there is not is the nearest one.
func standingsPicture(t view.Tongue, e storage.Event, page int) (p chat.Picture, legend string, pages int, err error) {
	options := render.EventOptions{Theme: e.Look.Theme}
	if e.Kind == event.KindKnockout {
		bracket := render.BracketOf(e.Event, nobody)
		pages = bracket.Pages()
		options.Page = min(max(page, 0), pages-1)
		p.Data, err = bracket.PNG(options)
		p.Alt, legend = bracketWords(t, e, bracket.Facts(options.Page))
	} else {
		table := render.TableOf(e.Event, nobody)
		pages = table.Pages()
		options.Page = min(max(page, 0), pages-1)
		p.Data, err = table.PNG(options)
		p.Alt, legend = tableWords(t, e, table.Facts(options.Page))
	}
	p.Name, p.Alt = "standings.png", view.Clip(p.Alt, longestAlt)
	return p, legend, pages, err
}

// longestAlt is Discord's limit of a picture's description.
const longestAlt = 1024

// tableWords are the description of a page of the standings and its legend.
func tableWords(t view.Tongue, e storage.Event, f render.TableFacts) (alt, legend string) {
	words, lines := []string{t.Say("event.alt.table", "Rounds", len(e.Paired))}, []string{}
	ties, tied := tieBreaks(t, e), false
	for _, row := range f.Rows {
		points := row.Points
		if tie := ties[row.Number]; tie != "" {
			points, tied = t.Aside(points, tie), true
		}
		words = append(words, t.Say("event.alt.row", "Rank", row.Place, "Number", row.Number, "Points", row.Points))
		lines = append(lines, t.Line(fmt.Sprintf("%d\\. `#%d` %s", row.Place, row.Number,
			t.Seat(e.Entrants[row.Number-1].Seat)), points))
	}
	if tied {
		lines = append(lines, "-# "+t.Say("event.ties."+kinds[e.Kind]))
	}
	if forfeited(e) {
		lines = append(lines, "-# "+t.Say("event.forfeits"))
	}
	return t.Sentences(words...), strings.Join(lines, "\n")
}

// bracketWords are the description of a page of the bracket and its legend.
func bracketWords(t view.Tongue, e storage.Event, f render.BracketFacts) (alt, legend string) {
	words, names := []string{t.Say("event.alt.bracket")}, []string{}
	named := map[int]bool{}
	for i, ties := range f.Rounds {
		var decided []string
		for _, tie := range ties {
			for k, side := range tie.Sides {
				if side.Number == 0 {
					continue
				}
				if !named[side.Number] {
					named[side.Number] = true
					names = append(names, fmt.Sprintf("`#%d` %s", side.Number, t.Seat(e.Entrants[side.Number-1].Seat)))
				}
				if other := tie.Sides[1-k].Number; side.Won && other > 0 {
					key := "event.alt.tie"
					if side.Forfeit {
						key = "event.alt.forfeit"
					}
					decided = append(decided, t.Say(key, "Winner", side.Number, "Loser", other))
				}
			}
		}
		if len(decided) > 0 {
			words = append(words, t.Say("event.alt.round", "Number", f.From+i, "Ties", decided))
		}
	}
	legend = t.Line(names...)
	if forfeited(e) {
		legend += "\n-# " + t.Say("event.forfeits")
	}
	return t.Sentences(words...), legend
}

// boards lists the boards of a round, page by page: of the one that is played, and of those before it. The argument
// is a page, of the last round or of the one before the point.
func (v *Events) boards(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.pressed(ctx, p)
	if err != nil {
		return err
	}
	if !in(r, e) || len(e.Paired) == 0 {
		return view.No("event.refused.notBegun")
	}
	t := v.House.Tongue(r)
	last := len(e.Paired)
	at, number := p.Arg, last
	if parts := strings.Split(p.Arg, "."); len(parts) > 1 {
		at = parts[1]
		number, _ = strconv.Atoi(parts[0])
	}
	number = min(max(number, 1), last)
	all := running(e)
	if number < last {
		all = all[:0]
		for i := range e.Paired[number-1] {
			all = append(all, [2]int{number - 1, i})
		}
	}
	pages := max(1, (len(all)+listedBoards-1)/listedBoards)
	page, _ := strconv.Atoi(at)
	page = min(max(page, 0), pages-1)
	lines := []string{"### " + t.Line(t.Say("event.button.boards"), t.Say("event.inRound", "Number", number))}
	for _, at := range all[page*listedBoards : min(len(all), (page+1)*listedBoards)] {
		line, err := v.board(ctx, t, e, at)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	msg := chat.Text(strings.Join(lines, "\n"))
	if pages > 1 {
		msg = msg.WithRow(turnRow(func(arg string) string {
			return do(e, "evboards", strconv.Itoa(number)+"."+arg)
		}, page, pages)...)
	}
	if last > 1 {
		turn := func(to int) chat.Button {
			return chat.Button{ID: do(e, "evboards", strconv.Itoa(to)+".0.round"),
				Label: t.Say("event.inRound", "Number", min(max(to, 1), last)), Disabled: to < 1 || to > last}
		}
		msg = msg.WithRow(turn(number-1), turn(number+1))
	}
	return v.page(ctx, r, msg)
}
