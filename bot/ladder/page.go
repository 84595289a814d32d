package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/render"
	"tengen/storage"
)

// perPage is how many places one picture shows. render.Table has the same number.
const perPage = 16

// do is the press of an action on a ladder.
func do(l storage.Ladder, action string) string {
	return view.Do("ladder", l.Rules.Name()+"."+action)
}

// standings are the message of a ladder in its channel.
func standings(t view.Tongue, l storage.Ladder, isNew newcomers, seasons []storage.Season,
	theme string) (chat.Message, error) {
	head := []string{"### " + t.Line(t.Say("ladder.title"), t.Rules(l.Rules)),
		t.Say("ladder.season", "Month", l.Month.String(), "Count", len(l.Rungs), "Terms", terms(t, l))}
	msg := chat.Message{Silent: true, Mark: 1 + uint32(slices.Index(game.AllRules, l.Rules))}
	if len(l.Rungs) == 0 {
		head = append(head, t.Say("ladder.empty"))
		msg.Blocks = []chat.Block{{Text: strings.Join(head, "\n")}}
	} else {
		rows, err := page(t, l, isNew, seasons, theme, 0)
		if err != nil {
			return msg, err
		}
		msg.Blocks = append([]chat.Block{{Text: strings.Join(head, "\n")}}, rows...)
	}
	var foot []string
	foot = append(foot, underWay(t, l)...)
	if len(seasons) > 0 {
		foot = append(foot, podium(t, seasons[0]))
	}
	row := []chat.Button{
		{ID: do(l, "mine"), Label: t.Say("button.ladder.mine"), Style: chat.Primary},
		{ID: do(l, "join"), Label: t.Say("button.enter"), Style: chat.Success},
	}
	if l.Off {
		row, foot = nil, append(foot, t.Say("ladder.off"))
	} else {
		foot = append(foot, "-# "+t.Say("ladder.how"))
	}
	row = append(row, chat.Button{ID: do(l, "all.0"), Label: t.Say("button.ladder.all")},
		chat.Button{ID: do(l, "hall"), Label: t.Say("button.ladder.hall")})
	msg.Blocks = append(msg.Blocks, chat.Block{Text: strings.Join(foot, "\n")}, chat.Block{Row: row})
	return msg, nil
}

// terms are how the games of a ladder are played.
func terms(t view.Tongue, l storage.Ladder) string {
	clock, opening := t.Say("choice.clock.none"), ""
	if l.Clock > 0 {
		clock = t.PerMove(l.Clock)
	}
	if l.Opening != "" {
		opening = t.Opening(l.Opening)
	}
	return t.Line(clock, opening)
}

// page is a page of the places: a picture, and the names by their numbers.
func page(t view.Tongue, l storage.Ladder, isNew newcomers, seasons []storage.Season, theme string,
	n int) ([]chat.Block, error) {
	from, to := placesOf(l, n)
	png, err := table(l, isNew, seasons, from, to).PNG(render.EventOptions{Theme: theme})
	if err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	var lines, ratings []string
	for i := from; i < to; i++ {
		r := isNew.rating(t, l.Rungs[i])
		lines = append(lines, line(i+1, l.Rungs[i].ID, r))
		ratings = append(ratings, t.Aside(strconv.Itoa(i+1), r))
	}
	alt := t.Say("ladder.alt", "Rules", t.Rules(l.Rules), "From", from+1, "To", to, "Of", len(l.Rungs),
		"Ratings", ratings)
	return []chat.Block{{Picture: &chat.Picture{Name: "ladder.png", Data: png, Alt: view.Clip(alt, 1000)}},
		{Text: strings.Join(lines, "\n")}}, nil
}

// placesOf are the places of a page, from 0, without the second.
func placesOf(l storage.Ladder, n int) (from, to int) {
	n = min(max(n, 0), max(0, len(l.Rungs)-1)/perPage)
	return n * perPage, min(n*perPage+perPage, len(l.Rungs))
}

// line is a place in a list.
func line(place int, who game.MemberID, rating string) string {
	return fmt.Sprintf("`%3d.` %s **%s**", place, view.Mention(who), rating)
}

// newcomers are members whose ratings are not settled.
type newcomers map[game.MemberID]bool

// rating words the rating of a rung.
func (isNew newcomers) rating(t view.Tongue, r event.Rung) string {
	if isNew[r.ID] {
		return t.Say("rating.new")
	}
	return isNew.drawn(r)
}

// drawn is the rating of a rung in a picture, whose letters do not suffice for all languages.
func (isNew newcomers) drawn(r event.Rung) string {
	if isNew[r.ID] {
		return "–"
	}
	return strconv.Itoa(int(r.Rating + .5))
}

// table is a part of the ladder as a picture: how far each member has come since the last season
// ended.
func table(l storage.Ladder, isNew newcomers, seasons []storage.Season, from, to int) render.Table {
	t := render.Table{}
	if len(seasons) > 0 {
		t.Heads = []string{"±"}
	}
	for i := from; i < to; i++ {
		r := l.Rungs[i]
		row := render.Row{Place: i + 1, Number: i + 1, Points: isNew.drawn(r)}
		if len(seasons) > 0 {
			row.Cells = []render.Cell{climbed(slices.Index(seasons[0].Members, r.ID), i)}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// climbed is what has become of a place, both from 0; below 0 there was none.
func climbed(was, is int) render.Cell {
	switch {
	case was < 0:
		return render.Cell{}
	case was > is:
		return render.Cell{Text: fmt.Sprintf("+%d", was-is), Outcome: render.Won}
	case was < is:
		return render.Cell{Text: fmt.Sprintf("-%d", is-was), Outcome: render.Lost}
	}
	return render.Cell{Text: "0"}
}

// mostShown challenges stand in the message.
const mostShown = 8

// underWay lists the games of a ladder that have not ended, and the challenges.
func underWay(t view.Tongue, l storage.Ladder) (lines []string) {
	for _, c := range l.Active[:min(len(l.Active), mostShown)] {
		lines = append(lines, t.Say("ladder.against", "By", view.Mention(c.By), "Whom", view.Mention(c.Whom)))
	}
	if more := len(l.Active) - mostShown; more > 0 {
		lines = append(lines, t.Say("ladder.more", "Count", more))
	}
	return lines
}

// podium is the first three places of a season.
func podium(t view.Tongue, s storage.Season) string {
	names := []string{}
	for i, m := range s.Members[:min(len(s.Members), 3)] {
		who := view.Mention(m)
		if m == 0 {
			who = t.Say("seat.former")
		}
		names = append(names, []string{"🥇", "🥈", "🥉"}[i]+" "+who)
	}
	return "**" + s.Month.String() + "** " + strings.Join(names, " ")
}

// mostSeasons stand in the hall of fame: two years.
const mostSeasons = 24

func hall(t view.Tongue, l storage.Ladder, seasons []storage.Season) chat.Message {
	lines := []string{"### " + t.Line(t.Say("button.ladder.hall"), t.Rules(l.Rules))}
	for _, s := range seasons[:min(len(seasons), mostSeasons)] {
		lines = append(lines, podium(t, s))
	}
	if len(seasons) == 0 {
		lines = append(lines, t.Say("ladder.hall.none"))
	}
	return chat.Private(strings.Join(lines, "\n"))
}

// mostChoices is how many entries a menu has.
const mostChoices = 25

// mine is what a member sees of their own place, and whom they may challenge, as may has it.
func mine(t view.Tongue, l storage.Ladder, isNew newcomers, by game.MemberID, may []game.MemberID) chat.Message {
	lines := []string{"### " + t.Line(t.Say("ladder.title"), t.Rules(l.Rules), view.Channel(l.Channel))}
	own := l.Place(by)
	row := []chat.Button{}
	menu := chat.Select{ID: do(l, "whom"), Hint: t.Say("ladder.choose")}
	switch {
	case l.Off:
		lines = append(lines, t.Say("ladder.off"))
	case own == 0:
		lines = append(lines, t.Say("ladder.not"))
		row = append(row, chat.Button{ID: do(l, "join"), Label: t.Say("button.enter"), Style: chat.Success})
	default:
		lines = append(lines, t.Say("ladder.place", "Place", own, "Of", len(l.Rungs)))
		if len(may) > 0 {
			lines = append(lines, t.Say("ladder.may"))
		}
		for _, m := range may[:min(len(may), mostChoices)] {
			place := l.Place(m)
			r := isNew.rating(t, l.Rungs[place-1])
			menu.Choice = append(menu.Choice, chat.Choice{Label: t.Say("ladder.option", "Place", place, "Rating", r),
				Value: strconv.FormatUint(uint64(m), 10)})
			lines = append(lines, line(place, m, r))
		}
		if key := alone(own, menu.Choice); key != "" {
			lines = append(lines, t.Say(key))
		}
		row = append(row, chat.Button{ID: do(l, "leave"), Label: t.Say("button.leave")})
	}
	msg := chat.Private(strings.Join(lines, "\n"))
	if len(menu.Choice) > 0 {
		msg.Blocks = append(msg.Blocks, chat.Block{Select: &menu})
	}
	row = append(row, chat.Button{ID: do(l, "all.0"), Label: t.Say("button.ladder.all")},
		chat.Button{ID: do(l, "hall"), Label: t.Say("button.ladder.hall")})
	return msg.WithRow(row...)
}

// alone is why a member at a place may challenge nobody, as a key; empty where they may.
func alone(place int, may []chat.Choice) string {
	switch {
	case len(may) > 0:
		return ""
	case place == 1:
		return "ladder.first"
	}
	return "ladder.nobody"
}

// all is a page of all places, for one member.
func all(t view.Tongue, l storage.Ladder, isNew newcomers, seasons []storage.Season, theme string,
	n int) (chat.Message, error) {
	head := "### " + t.Line(t.Say("ladder.title"), t.Rules(l.Rules))
	if len(l.Rungs) == 0 {
		return chat.Private(head + "\n" + t.Say("ladder.empty")), nil
	}
	last := (len(l.Rungs) - 1) / perPage
	n = min(max(n, 0), last)
	rows, err := page(t, l, isNew, seasons, theme, n)
	msg := t.WithProfiles(chat.Text(head, rows...))
	msg.Private = true
	if last > 0 {
		msg = msg.WithRow([]chat.Button{
			{ID: do(l, fmt.Sprintf("all.%d", n-1)), Label: "◀", Disabled: n == 0},
			{ID: do(l, "mine"), Label: fmt.Sprintf("%d/%d", n+1, last+1)},
			{ID: do(l, fmt.Sprintf("all.%d", n+1)), Label: "▶", Disabled: n == last}}...)
	}
	return msg, err
}
