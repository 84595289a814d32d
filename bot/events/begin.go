package events

import (
	"context"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game/event"
	"tengen/storage"
)

// Before the first round a manager is asked what only they can know: whether to wait for those who have not
// checked in, and how many rounds to play where the number does not fit those who came.

// How the first round can begin, as the buttons of the questions name it.
const (
	withHere    = "here" // without those who have not checked in
	withAll     = "all"
	openCheckIn = "open" // not yet: those who joined are asked first
)

// asksHere asks what becomes of those who have not checked in. ok is false where there is nothing to ask.
func asksHere(t view.Tongue, e storage.Event, now time.Time) (msg chat.Message, ok bool) {
	here, missing := e.Here()
	if len(missing) == 0 {
		return msg, false
	}
	lines := []string{"### " + view.Escape(e.Name)}
	var row []chat.Button
	all := len(here) + len(missing)
	if asked := e.CheckingIn(now); asked {
		who := some(t, seats(t, e, missing), listedEntrants)
		lines = append(lines, t.Say("event.start.missing", "Here", len(here), "Count", all, "Who", who))
	} else {
		lines = append(lines, t.Say("event.start.unasked"))
		minutes := int(e.CheckIn / time.Minute)
		row = append(row, goes(t, e, openCheckIn, "event.start.open", chat.Primary, "Count", minutes))
	}
	if len(here) >= 2 {
		lines = append(lines, t.Say("event.start.pauses"))
		row = append(row, goes(t, e, withHere, "event.start.here", chat.Primary, "Count", len(here)))
	}
	if all >= 2 {
		row = append(row, goes(t, e, withAll, "event.start.all", chat.Secondary, "Count", all))
	}
	return question(t, e, lines, row), true
}

// asksRounds asks how many rounds a Swiss event of n players has, where the number that its host chose does not
// fit them. ok is false where it does.
func asksRounds(t view.Tongue, e storage.Event, mode string, n int) (msg chat.Message, ok bool) {
	least, fit, most := event.LeastRounds(n), event.FitRounds(n), event.MostRounds(n)
	if e.Kind != event.KindSwiss || n < 2 || e.Rounds >= least && e.Rounds <= most {
		return msg, false
	}
	why := t.Say("event.start.manyRounds", "Rounds", e.Rounds, "Count", n, "Fit", fit, "Most", most)
	if e.Rounds < least {
		why = t.Say("event.start.fewRounds", "Count", e.Rounds, "Players", n, "Fit", fit)
	}
	play := func(rounds int, style chat.ButtonStyle) chat.Button {
		return goes(t, e, mode+"."+strconv.Itoa(rounds), "event.start.rounds", style, "Count", rounds)
	}
	row := []chat.Button{play(fit, chat.Primary)}
	if wished := min(e.Rounds, most); wished != fit {
		row = append(row, play(wished, chat.Secondary))
	}
	row = append(row, chat.Button{ID: do(e, "evask", actSettings), Label: t.Say("event.act.settings")})
	return question(t, e, []string{"### " + view.Escape(e.Name), why}, row), true
}

// goes is a button that begins the first round.
func goes(t view.Tongue, e storage.Event, arg, label string, style chat.ButtonStyle, args ...any) chat.Button {
	return chat.Button{ID: do(e, "evgo", arg), Label: t.Say(label, args...), Style: style}
}

// question is a private page that asks a manager something.
func question(t view.Tongue, e storage.Event, lines []string, row []chat.Button) chat.Message {
	msg := chat.Private(strings.Join(lines, "\n"))
	row = append(row, chat.Button{ID: do(e, "evmanage", ""), Label: t.Say("button.back")})
	return msg.WithRow(row...)
}

// seats are entrants by their numbers, as a message names them.
func seats(t view.Tongue, e storage.Event, numbers []int) (names []string) {
	for _, n := range numbers {
		names = append(names, t.Seat(e.Entrants[n-1].Seat))
	}
	return names
}

// start begins what is to be paired now, at a manager's word, or asks before the first round.
func (v *Events) start(ctx context.Context, r chat.Request, e storage.Event) error {
	if len(e.Paired) > 0 {
		return v.beginBy(ctx, r, e, func(e storage.Event) (storage.Event, error) { return e, nil })
	}
	if msg, asks := asksHere(v.House.Tongue(r), e, r.At); asks {
		return v.page(ctx, r, msg)
	}
	return v.goes(ctx, r, withHere, e)
}

// answered takes the answer of a manager to a question before the first round.
func (v *Events) answered(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	return v.goes(ctx, r, p.Arg, e)
}

// goes begins the first round as a button says how, or asks the next question.
func (v *Events) goes(ctx context.Context, r chat.Request, how string, e storage.Event) error {
	mode, rounds, told := strings.Cut(how, ".")
	t := v.House.Tongue(r)
	here, missing := e.Here()
	n := len(here)
	switch {
	case e.Ended || len(e.Paired) > 0:
		return view.No("event.refused.act")
	case mode == openCheckIn && e.CheckIn > 0:
		return v.openCheckIn(ctx, r, e)
	case mode == withAll:
		n += len(missing)
	case mode != withHere:
		return view.No("unknown.button")
	}
	if msg, asks := asksRounds(t, e, mode, n); asks && !told {
		return v.page(ctx, r, msg)
	}
	chosen, _ := strconv.Atoi(rounds)
	return v.beginBy(ctx, r, e, func(e storage.Event) (storage.Event, error) {
		if len(e.Paired) > 0 { // somebody was faster
			return e, event.RoundRunning
		}
		if mode == withAll {
			e = e.AllHere()
		}
		bounded := chosen == min(e.Rounds, event.MostRounds(n)) // with late ones there may be more
		if chosen > 0 && chosen <= longestSwiss && e.Kind == event.KindSwiss && !bounded {
			e.Rounds = chosen
		}
		return e, nil
	})
}

// beginBy begins a round at a manager's word, of the event as f changes it.
func (v *Events) beginBy(ctx context.Context, r chat.Request, e storage.Event, f change) error {
	e, err := v.Store.PairEvent(ctx, e.ID, cause(r), func(e storage.Event) (storage.Event, error) {
		e, err := f(e)
		if err != nil {
			return e, err
		}
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

// change changes an event. It is quick and pure, and may run more than once.
type change = func(storage.Event) (storage.Event, error)

// update changes an event by what a member does, and sweeps. Its errors can be read by members, where they are
// refusals.
func (v *Events) update(ctx context.Context, r chat.Request, e storage.Event, f change) (storage.Event, error) {
	e, err := v.Store.UpdateEvent(ctx, e.ID, cause(r), f)
	if err == nil {
		v.Kick()
	}
	return e, refused(err)
}

// openCheckIn opens the check-in now: the first round begins by itself when its time is over.
func (v *Events) openCheckIn(ctx context.Context, r chat.Request, e storage.Event) error {
	e, err := v.update(ctx, r, e, func(e storage.Event) (storage.Event, error) {
		if len(e.Paired) > 0 || e.Ended {
			return e, event.TooLateToEnter
		}
		e.Starts = r.At.Add(e.CheckIn)
		return e, nil
	})
	if err != nil {
		return err
	}
	t := v.House.Tongue(r)
	return v.page(ctx, r, v.menu(t, e, t.Say("event.done.open", "When", mark(e.Starts, "R"))))
}
