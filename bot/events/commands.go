package events

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/storage"
)

// Commands are the commands of events, and what their presses do.
func (v *Events) Commands() []command.Command {
	return []command.Command{{
		Command: chat.Command{Name: "event",
			Options: []chat.OptionSpec{{Name: "event", Type: chat.TextOption, Complete: true, Max: 40}}},
		Ways: []command.Command{
			{Command: chat.Command{Name: "event create"}, Opens: true, Run: v.create},
			{Command: chat.Command{Name: "event mine"}, Opens: true, Run: v.mine},
			{Command: chat.Command{Name: "event standings"}, Opens: true, Run: v.standings},
			{Command: chat.Command{Name: "event list"}, Opens: true, Run: v.list},
		},
		Opens:  true,
		Run:    v.event,
		Offers: map[string]command.Offer{"event": v.offered},
		Presses: map[string]command.Pressed{
			"evnew": v.again, "evmake": v.made, "evsure": v.surely, "evwhen": v.surelyTimed, "evlist": v.listPage,
			"evpick": v.picked,
			"evset":  v.changed, "evroles": v.roled, "evjoin": v.join, "evhere": v.here, "evme": v.me, "evstate": v.state,
			"evboards": v.boards, "evstand": v.standingsPage,
			"evmanage": v.manage, "evgo": v.answered, "evpair": v.pairedSure, "evask": v.asked, "evdo": v.done, "evend": v.end,
		},
	}}
}

// event shows the event that is named, else the list of all.
func (v *Events) event(ctx context.Context, r chat.Request) error {
	if r.Text("event", "") == "" {
		return v.list(ctx, r)
	}
	e, err := v.named(ctx, r)
	if err != nil {
		return err
	}
	if len(e.Paired) > 0 {
		return v.table(ctx, r, e, 0)
	}
	t := v.House.Tongue(r)
	msg := page([]string{"### " + view.Escape(e.Name), line(t, e, 0)})
	return v.page(ctx, r, msg.WithRow(liveRow(t, e)...))
}

// A list has so many events at most, and so many characters: Discord takes 4,000.
const (
	listed      = 10
	longestList = 3900
)

// page is a message of as many of the first lines as fit.
func page(lines []string) chat.Message {
	n := 0
	for i, s := range lines {
		if n += utf8.RuneCountInString(s) + 1; n > longestList {
			lines = lines[:i]
			break
		}
	}
	return chat.Text(strings.Join(lines, "\n"))
}

// offered are the events of the server that fit what is typed.
func (v *Events) offered(ctx context.Context, r chat.Request) (choices []chat.Choice, err error) {
	typed := strings.ToLower(r.Text("event", ""))
	for _, over := range []bool{false, true} {
		events, err := v.Store.EventsIn(ctx, r.Place.Server, over, storage.MaxOpen)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if strings.Contains(strings.ToLower(e.Name), typed) {
				choices = append(choices, chat.Choice{Label: e.Name, Value: eventKey(e)})
			}
		}
	}
	return choices, nil
}

// named is the event that r names, by what was offered or by its name; the newest of the channel, else
// of the server, where r names none.
func (v *Events) named(ctx context.Context, r chat.Request) (found storage.Event, err error) {
	name := r.Text("event", "")
	id, _ := strconv.ParseUint(name, 36, 64)
	best := 0
	for _, over := range []bool{true, false} {
		events, err := v.Store.EventsIn(ctx, r.Place.Server, over, storage.MaxOpen)
		if err != nil {
			return found, err
		}
		for _, e := range events {
			fit := 0
			switch here := e.Place.Channel == r.Place.Channel; {
			case name != "" && (uint64(e.ID) == id || strings.EqualFold(e.Name, name)):
				fit = 3
			case name == "" && here:
				fit = 2
			case name == "":
				fit = 1
			}
			if fit > 0 && (fit > best || fit == best && e.ID > found.ID) {
				best, found = fit, e
			}
		}
	}
	if best == 0 {
		return found, view.No("event.refused.unknown")
	}
	return found, nil
}

func (v *Events) list(ctx context.Context, r chat.Request) error {
	return v.listedPage(ctx, r, r.Number("page", 1)-1)
}

func (v *Events) listPage(ctx context.Context, r chat.Request, p view.Press) error {
	page, _ := strconv.Atoi(p.Arg)
	return v.listedPage(ctx, r, page)
}

// listedPage is a page of the events of the server: first those that are not over.
func (v *Events) listedPage(ctx context.Context, r chat.Request, at int) error {
	t := v.House.Tongue(r)
	lines := []string{"### " + t.Say("event.list")}
	at = max(at, 0)
	events, all, err := v.Store.EventsPage(ctx, r.Place.Server, at*listed, listed)
	if pages := (all + listed - 1) / listed; err == nil && at >= pages && pages > 0 { // there is none: the last one
		at = pages - 1
		events, all, err = v.Store.EventsPage(ctx, r.Place.Server, at*listed, listed)
	}
	if err != nil {
		return err
	}
	for _, e := range events {
		lines = append(lines, line(t, e, 0))
	}
	if len(lines) == 1 {
		lines = append(lines, t.Say("event.list.none"))
	}
	msg := page(lines)
	if all > listed {
		msg = msg.WithRow(turnRow(func(arg string) string {
			return view.Do("evlist", arg)
		}, at, (all+listed-1)/listed)...)
	}
	hosts, err := v.hosts(ctx, r)
	if err != nil {
		return err
	}
	row := []chat.Button{{ID: view.Do("open", "event mine"), Label: t.Say("event.button.mine")}}
	if hosts {
		row = append(row, chat.Button{ID: view.Do("open", "event create"), Label: t.Say("event.button.new"),
			Style: chat.Success})
	}
	if all > 0 {
		menu := &chat.Select{ID: view.Do("evpick", ""), Hint: t.Say("event.pick")}
		for _, e := range events {
			menu.Choice = append(menu.Choice, chat.Choice{Label: view.Clip(e.Name, 100), Value: eventKey(e)})
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Select: menu})
	}
	return v.page(ctx, r, msg.WithRow(row...))
}

// eventKey is how an option and a menu name an event.
func eventKey(e storage.Event) string { return strconv.FormatUint(uint64(e.ID), 36) }

// picked shows the event that was chosen in the list.
func (v *Events) picked(ctx context.Context, r chat.Request, _ view.Press) error {
	if len(r.Values) != 1 {
		return view.No("unknown.button")
	}
	r.Options = map[string]chat.Option{"event": {Text: r.Values[0]}}
	return v.event(ctx, r)
}

// mine lists the events that a member has entered.
func (v *Events) mine(ctx context.Context, r chat.Request) error {
	t := v.House.Tongue(r)
	lines := []string{"### " + t.Say("event.mine")}
	events, err := v.Store.EventsOf(ctx, r.By, 2*listed)
	if err != nil {
		return err
	}
	for _, e := range events {
		if n := entrant(e, r.By); (n > 0 || e.PlaceOf(r.By) > 0) && len(lines) <= listed {
			lines = append(lines, line(t, e, n))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, t.Say("event.mine.none"))
	}
	return v.page(ctx, r, page(lines))
}
