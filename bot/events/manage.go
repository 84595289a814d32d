package events

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// The acts of a manager, as the menu lists them. Those with a form ask for more; the others are done
// at once.
const (
	actStart    = "start"
	actNext     = "next"
	actSettings = "settings"
	actWhen     = "when"
	actRoles    = "roles"
	actBot      = "bot"
	actPause    = "pause"
	actRemove   = "remove"
	actPair     = "pair"
	actResult   = "result"
	actEnd      = "end"
)

// acts are the acts that make sense in an event as it stands.
func acts(e storage.Event) []string {
	begun := len(e.Paired) > 0
	late := e.Kind == event.KindSwiss || e.Kind == event.KindArena
	var list []string
	add := func(when bool, names ...string) {
		if when {
			list = append(list, names...)
		}
	}
	add(!begun, actStart, actSettings, actWhen)
	add(true, actRoles)
	add(begun, actNext)
	add(e.Kind == event.KindSwiss, actPair)
	add(begun, actResult)
	add(!begun || late, actBot)
	add(len(e.Entrants) > 0, actPause, actRemove)
	return append(list, actEnd)
}

// manage shows a manager the menu of what can be done.
func (v *Events) manage(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	if e.Ended {
		return view.No("event.refused.over")
	}
	return v.page(ctx, r, v.menu(v.House.Tongue(r), e, ""))
}

// menu is the manager's page; said is what was done just now.
func (v *Events) menu(t view.Tongue, e storage.Event, said string) chat.Message {
	lines := []string{"### " + view.Escape(e.Name)}
	if said != "" {
		lines = append(lines, said)
	}
	var names []string
	for i, x := range e.Entrants {
		name := "`" + strconv.Itoa(i+1) + "` " + t.Seat(x.Seat)
		if s := states[x.State]; s != "" {
			name += " (" + t.Say("event.state."+s) + ")"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		lines = append(lines, t.Say("event.numbers")+" "+some(t, names, listedEntrants))
	}
	var list []chat.Choice
	for _, name := range acts(e) {
		list = append(list, chat.Choice{Label: t.Say("event.act." + name), Value: name})
	}
	msg := chat.Private(strings.Join(lines, "\n"))
	msg.Blocks = append(msg.Blocks, chat.Block{Select: &chat.Select{ID: do(e, "evask", ""), Hint: t.Say("event.act"), Choice: list}})
	return msg
}

// askButton is a button that does what an entry of the menu does.
func (v *Events) askButton(r chat.Request, e storage.Event, act string) chat.Button {
	return chat.Button{ID: do(e, "evask", act), Label: v.House.Tongue(r).Say("event.act." + act)}
}

// asked does an act of the menu, or opens its form.
func (v *Events) asked(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	act := p.Arg
	if len(r.Values) == 1 {
		act = r.Values[0]
	}
	if !slices.Contains(acts(e), act) || e.Ended {
		return view.No("event.refused.act")
	}
	t := v.House.Tongue(r)
	switch act {
	case actStart, actNext:
		return v.start(ctx, r, e)
	case actSettings:
		return v.ask(ctx, r, settings(t, e))
	case actWhen:
		return v.ask(ctx, r, timing(t, e, r.Allowed.List))
	case actRoles:
		return v.askRoles(ctx, r, e)
	case actEnd:
		msg := chat.Private(t.Say("event.end.sure"))
		msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{
			{ID: do(e, "evend", ""), Label: t.Say("event.act.end"), Style: chat.Danger}, {ID: do(e, "evmanage", ""), Label: t.Say("button.back")}}})
		return v.page(ctx, r, msg)
	}
	return v.ask(ctx, r, form(t, e, act))
}

// results are the results that a manager can set, as the menu names them: of white and of black.
var results = []struct {
	name         string
	white, black event.Result
}{
	{"white", event.Win, event.Loss}, {"draw", event.Draw, event.Draw}, {"black", event.Loss, event.Win},
	{"whiteForfeit", event.ForfeitWin, event.ForfeitLoss}, {"blackForfeit", event.ForfeitLoss, event.ForfeitWin}, {"nobody", event.ForfeitLoss, event.ForfeitLoss},
}

// form is the form of an act.
func form(t view.Tongue, e storage.Event, act string) chat.Form {
	number := chat.Field{ID: "number", Label: t.Say("event.form.number"), About: t.Say("event.form.number.about"), Kind: chat.Line, Max: 4}
	reason := chat.Field{ID: "reason", Label: t.Say("event.form.reason"), Kind: chat.Line, Max: 100}
	f := chat.Form{ID: do(e, "evdo", act), Title: t.Say("event.act." + act)}
	switch act {
	case actBot:
		f.Fields = []chat.Field{{ID: "level", Label: t.Say("event.form.level"), About: t.Say("event.form.level.about"), Kind: chat.Menu, Choice: t.Choices(command.LevelChoices(), "3")}}
	case actPause:
		f.Fields = []chat.Field{number}
	case actRemove:
		f.Fields = []chat.Field{number, reason}
	case actPair:
		f.Fields = []chat.Field{{ID: "pairs", Label: t.Say("event.form.pairs"), About: t.Say("event.form.pairs.about"), Kind: chat.Lines, Max: 3000}}
	case actResult:
		var names []string
		for _, x := range results {
			names = append(names, x.name)
		}
		f.Fields = []chat.Field{{ID: "board", Label: t.Say("event.form.board"), About: t.Say("event.form.board.about"), Kind: chat.Line, Max: 9},
			{ID: "result", Label: t.Say("event.form.result"), Kind: chat.Menu, Choice: choices(t, "event.result.", names, "draw")}, reason}
	}
	return f
}

// managed changes an event for a manager, and says that it is done.
func (v *Events) managed(ctx context.Context, r chat.Request, p view.Press, done string, f func(storage.Event) (storage.Event, error)) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	if _, err = v.Store.UpdateEvent(ctx, e.ID, cause(r), f); err != nil {
		return v.anew(r, e, p.Arg, refused(err))
	}
	v.Kick()
	return v.say(ctx, r, done)
}

// anew is a refusal of an act's form, with a button that opens the form again while there is something to do.
func (v *Events) anew(r chat.Request, e storage.Event, act string, err error) error {
	if e.Ended || !slices.Contains(acts(e), act) {
		return err
	}
	return view.Offering(err, chat.Button{ID: do(e, "evask", act), Label: v.House.Tongue(r).Say("button.tryAgain"), Style: chat.Primary})
}

// done takes the form of an act.
func (v *Events) done(ctx context.Context, r chat.Request, p view.Press) error {
	number, _ := strconv.Atoi(strings.Trim(strings.TrimSpace(r.Text("number", "")), "#"))
	reason := view.Clip(r.Text("reason", ""), 100)
	return v.managed(ctx, r, p, "event.done."+p.Arg, func(e storage.Event) (storage.Event, error) {
		switch p.Arg {
		case actBot:
			return withEngine(e, r)
		case actWhen:
			return withTime(e, r)
		case actPause:
			if number > 0 && number <= len(e.Entrants) && e.Entrants[number-1].State == event.Paused {
				return e.Resume(r.By, number, r.At)
			}
			return e.Pause(r.By, number, r.At)
		case actRemove:
			return e.Remove(r.By, number, reason, r.At)
		case actPair:
			pairs, err := readPairs(r.Text("pairs", ""))
			if err != nil {
				return e, err
			}
			return e.BeginBy(r.By, pairs, r.At)
		case actResult:
			return withResult(e, r, reason)
		}
		return e, view.No("event.refused.act")
	})
}

// withEngine is e with the bot as an entrant. Its rating only orders the field.
func withEngine(e storage.Event, r chat.Request) (storage.Event, error) {
	level, _ := strconv.Atoi(r.Text("level", ""))
	seat := game.SeatEngine(min(max(level, 1), game.Levels))
	if slices.ContainsFunc(e.Entrants, func(x event.Entrant) bool { return x.Seat == seat && x.State != event.Gone }) {
		return e, event.AlreadyIn
	}
	return e.Join(r.By, seat, 900+150*float64(seat.Level), r.At)
}

// withResult is e with the result of the form.
func withResult(e storage.Event, r chat.Request, reason string) (storage.Event, error) {
	round, board, ok := strings.Cut(strings.TrimSpace(r.Text("board", "")), ".")
	if !ok {
		round, board = strconv.Itoa(len(e.Paired)), round
	}
	n, err := strconv.Atoi(round)
	m, err2 := strconv.Atoi(board)
	i := slices.IndexFunc(results, func(x struct {
		name         string
		white, black event.Result
	}) bool {
		return x.name == r.Text("result", "")
	})
	if err != nil || err2 != nil || i < 0 {
		return e, event.NoBoard
	}
	return e.Settle(r.By, event.Report{Round: n - 1, Board: m - 1, White: results[i].white, Black: results[i].black}, reason, r.At)
}

// readPairs reads the pairs that a manager wrote: white and black by their numbers, a pair a line, and
// one number alone for a bye.
func readPairs(text string) (pairs [][2]int, err error) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		var pair [2]int
		words := strings.FieldsFunc(line, func(r rune) bool { return r < '0' || r > '9' })
		if len(words) == 0 || len(words) > 2 {
			return nil, event.BadPairs
		}
		for i, w := range words {
			if pair[i], err = strconv.Atoi(w); err != nil || pair[i] == 0 {
				return nil, event.BadPairs
			}
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// start begins what is to be paired now, at a manager's word.
func (v *Events) start(ctx context.Context, r chat.Request, e storage.Event) error {
	e, err := v.Store.PairEvent(ctx, e.ID, cause(r), func(e storage.Event) (storage.Event, error) {
		return e.Begin(r.By, v.apart(ctx, e), r.At)
	})
	if err != nil {
		return refused(err)
	}
	v.Kick()
	t := v.House.Tongue(r)
	if e.Ended {
		return v.page(ctx, r, chat.Private(t.Say("event.done.end")))
	}
	return v.page(ctx, r, v.menu(t, e, t.Say("event.done.start", "Number", len(e.Paired))))
}

// end ends an event at a manager's word.
func (v *Events) end(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	if e, err = v.Store.UpdateEvent(ctx, e.ID, cause(r), func(e storage.Event) (storage.Event, error) { return e.Close(r.By, r.At) }); err != nil {
		return refused(err)
	}
	v.Kick()
	return v.page(ctx, r, chat.Private(v.House.Tongue(r).Say("event.done.end")))
}
