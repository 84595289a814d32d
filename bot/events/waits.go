package events

import (
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// Every state of an event says what it waits for, and has the button that ends the wait.

// awaits says what an event that has not begun waits for.
func awaits(t view.Tongue, e storage.Event) (lines []string) {
	here, missing := e.Here()
	asking := e.CheckingIn(e.Looked)
	switch {
	case e.Overdue(e.Looked) && asking:
		lines = append(lines, t.Say("event.waits.checkIn", "In", mark(e.Starts, "R")))
	case e.Overdue(e.Looked):
		lines = append(lines, t.Say("event.waits.overdue", "In", mark(e.Starts, "R")))
	case !e.Starts.IsZero():
		lines = append(lines, t.Say("event.starts", "When", mark(e.Starts, "F"), "In", mark(e.Starts, "R")))
	case len(here)+len(missing) < 2:
		lines = append(lines, t.Say("event.waits.players"))
	case e.CheckIn > 0:
		lines = append(lines, t.Say("event.waits.open"))
	default:
		lines = append(lines, t.Say("event.noStart"))
	}
	switch {
	case asking && !e.Overdue(e.Looked):
		lines = append(lines, t.Say("event.checkIn.now"))
	case !asking && e.CheckIn > 0 && !e.Starts.IsZero():
		lines = append(lines, t.Say("event.checkIn.from", "When", mark(e.Starts.Add(-e.CheckIn), "t")))
	}
	if asking {
		lines = append(lines, t.Say("event.checkIn.here", "Here", len(here), "Count", len(here)+len(missing)))
	}
	if n := len(here) + len(missing); e.Kind == event.KindSwiss && n >= 2 && e.Rounds > event.MostRounds(n) {
		lines = append(lines, "-# "+t.Say("event.mostRounds", "Players", n, "Count", event.MostRounds(n)))
	}
	if e.Weekly {
		lines = append(lines, t.Say("event.weekly"))
	}
	return lines
}

// stuck reports whether an event waits for those who manage it: nothing is played, and the rules leave nothing to
// pair.
func stuck(e storage.Event) bool {
	return !e.Ended && len(e.Paired) > 0 && e.Kind != event.KindArena && !e.Any(event.Board.Open)
}

// unsettled are the boards that wait for those who manage the event, by round and place: their match has ended
// without a result, or it rests when its time is over. In an arena no game has a time, so one that rests waits at once.
func (v *Events) unsettled(ctx context.Context, e storage.Event, now time.Time) (boards [][2]int, err error) {
	if e.Ended {
		return nil, nil
	}
	for r, list := range e.Paired {
		for i, b := range list {
			if !b.Open() {
				continue
			}
			g, end := e.Matches[r][i], e.Deadline(b)
			waits := g.Over && (end.IsZero() || now.Before(end)) // from then on time gives it a result
			if !g.Over && !now.Before(end.Add(game.Grace)) {
				if waits, err = v.rests(ctx, g.Match); err != nil {
					return nil, err
				}
			}
			if waits {
				boards = append(boards, [2]int{r, i})
			}
		}
	}
	return boards, nil
}

// rests reports whether a match stands still: its place is gone, or somebody paused it, as engines can be.
func (v *Events) rests(ctx context.Context, id game.MatchID) (bool, error) {
	if id == 0 { // it is not made yet
		return false, nil
	}
	rec, err := v.Store.Match(ctx, id)
	return err == nil && !rec.Rested.IsZero(), refusedOnly(err)
}

// playing is how many entrants are paired.
func playing(e storage.Event) (n int) {
	for _, x := range e.Entrants {
		n += bit(x.State == event.Active)
	}
	return n
}

// stalled says why the next round of an event that is stuck does not begin.
func stalled(t view.Tongue, e storage.Event) string {
	key := "event.waits.pairing"
	if playing(e) < 2 {
		key = "event.waits.back"
	}
	return t.Say(key, "Number", len(e.Paired))
}

// waitRow are the buttons by which a manager ends a wait: of the event, or of a board that is unsettled.
func waitRow(t view.Tongue, e storage.Event, unsettled [][2]int) (row []chat.Button) {
	button := func(act string) {
		row = append(row, chat.Button{ID: do(e, "evask", act), Label: t.Say("event.act." + act)})
	}
	switch {
	case stuck(e):
		button(actNext)
		if e.Kind == event.KindSwiss {
			button(actPair)
		}
		button(actEnd)
	case len(unsettled) > 0:
		button(actResult)
	}
	return row
}
