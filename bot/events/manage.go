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
		switch s := states[x.State]; {
		case s != "":
			name = t.Aside(name, t.Say("event.state."+s))
		case e.Checked[i] && len(e.Paired) == 0:
			name += " ✅"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		lines = append(lines, t.Sentences(t.Say("event.numbers"), some(t, names, listedEntrants)))
	}
	if advice := advised(t, e); advice != "" {
		lines = append(lines, advice)
	}
	var list []chat.Choice
	for _, name := range acts(e) {
		list = append(list, chat.Choice{Label: t.Say("event.act." + name), Value: name})
	}
	msg := chat.Private(strings.Join(lines, "\n"))
	msg.Blocks = append(msg.Blocks,
		chat.Block{Select: &chat.Select{ID: do(e, "evask", ""), Hint: t.Say("event.act"), Choice: list}})
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
		return v.page(ctx, r, endSure(t, e))
	}
	return v.ask(ctx, r, form(t, e, act))
}

// form asks for what a manager's act needs: whom, which board, which result.
func form(t view.Tongue, e storage.Event, act string) chat.Form {
	member := chat.Field{ID: "member", Label: t.Say("event.form.member"), Kind: chat.Members, Optional: true}
	number := chat.Field{ID: "number", Label: t.Say("event.form.number"), About: t.Say("event.form.number.about"),
		Kind: chat.Line, Max: 4, Optional: true}
	reason := chat.Field{ID: "reason", Label: t.Say("event.form.reason"), Kind: chat.Line, Max: view.LongReason}
	f := chat.Form{ID: do(e, "evdo", act), Title: t.Say("event.act." + act)}
	switch act {
	case actBot:
		f.Fields = []chat.Field{{ID: "level", Label: t.Say("new.level"), About: t.Say("event.form.level.about"),
			Kind: chat.Menu, Choice: t.Choices(command.LevelChoices(), "3")}}
	case actPause:
		f.Fields = []chat.Field{member, number}
	case actRemove:
		f.Fields = []chat.Field{member, number, reason}
	case actPair:
		f.Fields = []chat.Field{{ID: "pairs", Label: t.Say("event.form.pairs"), About: t.Say("event.form.pairs.about"),
			Kind: chat.Lines, Max: 3000}}
	case actResult:
		var names []string
		for _, x := range results {
			names = append(names, x.name)
		}
		f.Fields = []chat.Field{member,
			{ID: "board", Label: t.Say("event.form.board"), About: t.Say("event.form.board.about"), Kind: chat.Line,
				Max: 9, Optional: true},
			{ID: "result", Label: t.Say("event.form.result"), About: t.Say("event.form.result.about"), Kind: chat.Menu,
				Choice: choices(t, "event.result.", names, "draw")}, reason}
	}
	return f
}

// managed changes an event for a manager, and says that it is done.
func (v *Events) managed(ctx context.Context, r chat.Request, p view.Press, done string, f change) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	if _, err = v.update(ctx, r, e, f); err != nil {
		return v.anew(r, e, p.Arg, err)
	}
	return v.page(ctx, r, chat.Text(v.House.Tongue(r).Say(done)))
}

// anew is a refusal of an act's form, with a button that opens the form again while there is something to do.
func (v *Events) anew(r chat.Request, e storage.Event, act string, err error) error {
	if e.Ended || !slices.Contains(acts(e), act) {
		return err
	}
	return view.Offering(err, chat.Button{ID: do(e, "evask", act), Label: v.House.Tongue(r).Say("button.tryAgain"),
		Style: chat.Primary})
}

// done takes the form of an act.
func (v *Events) done(ctx context.Context, r chat.Request, p view.Press) error {
	reason := view.Typed(r.Text("reason", ""), view.LongReason)
	switch p.Arg {
	case actWhen:
		return v.timed(ctx, r, p)
	case actPair:
		return v.paired(ctx, r, p)
	case actResult:
		return v.resulted(ctx, r, p, reason)
	}
	return v.managed(ctx, r, p, "event.done."+p.Arg, func(e storage.Event) (storage.Event, error) {
		number := meant(e, r)
		switch p.Arg {
		case actBot:
			return withEngine(e, r)
		case actPause:
			if number > 0 && number <= len(e.Entrants) && e.Entrants[number-1].State == event.Paused {
				return e.Resume(r.By, number, r.At)
			}
			return e.Pause(r.By, number, r.At)
		case actRemove:
			if reason == "" {
				return e, view.No("event.refused.reason")
			}
			return e.Remove(r.By, number, reason, r.At)
		}
		return e, view.No("event.refused.act")
	})
}

// meant is the number of the entrant whom a form names: by a member, or by the number; 0: nobody's.
func meant(e storage.Event, r chat.Request) int {
	if m := r.Options["member"].Member.ID; m != 0 {
		return entrant(e, m)
	}
	number, _ := strconv.Atoi(strings.Trim(strings.TrimSpace(r.Text("number", "")), "#"))
	return number
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

// endSure asks a manager whether they are sure to end an event, and of a weekly one, whether it comes again.
func endSure(t view.Tongue, e storage.Event) chat.Message {
	lines := []string{t.Say("event.end.sure")}
	row := []chat.Button{{ID: do(e, "evend", ""), Label: t.Say("event.act.end"), Style: chat.Danger}}
	if e.Weekly {
		lines = append(lines, t.Say("event.end.weekly"))
		row = append(row, chat.Button{ID: do(e, "evend", endSkip), Label: t.Say("event.button.skip")})
	}
	return question(t, e, lines, row)
}

// endSkip ends a weekly event that comes again in the next week.
const endSkip = "skip"

// end ends an event at a manager's word.
func (v *Events) end(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	if p.Arg == endSkip && e.Weekly {
		in, err := v.zone(ctx, r)
		if err != nil {
			return err
		}
		if _, _, err := v.Store.RepeatEvent(ctx, e.ID, storage.Cause{At: r.At, By: r.By}, in, true); err != nil {
			return refused(err)
		}
	}
	if _, err = v.update(ctx, r, e, func(e storage.Event) (storage.Event, error) {
		return e.Close(r.By, r.At)
	}); err != nil {
		return err
	}
	return v.page(ctx, r, chat.Private(v.House.Tongue(r).Say("event.done.end")))
}
