package events

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// entrant is a member's number in an event, also after they have left; 0: never entered.
func entrant(e storage.Event, member game.MemberID) (number int) {
	for i, x := range e.Entrants {
		if x.Seat.Kind == game.MemberSeat && x.Seat.Member == member {
			number = i + 1
		}
	}
	return number
}

// join enters the asking member.
func (v *Events) join(ctx context.Context, r chat.Request, p view.Press) error {
	st, err := v.rating(ctx, r, p)
	if err != nil {
		return err
	}
	e, err := v.acted(ctx, r, p, func(e storage.Event) (storage.Event, error) {
		if !may(r, e.Role) {
			return e, view.No("event.refused.role", "Role", view.Role(e.Role))
		}
		if e.PlaceOf(r.By) > 0 { // is told once more
			return e, nil
		}
		return e.Join(r.By, game.SeatFor(r.By), st, r.At)
	})
	if err != nil {
		return err
	}
	switch t := v.House.Tongue(r); {
	case e.PlaceOf(r.By) > 0:
		return v.page(ctx, r, waitingCard(t, e, r.By))
	case len(e.Paired) > 0:
		return v.page(ctx, r, chat.Private(begins(t, e)))
	}
	return v.shown(ctx, r, e)
}

// waitingCard says to a member who waits for a place which one they are.
func waitingCard(t view.Tongue, e storage.Event, member game.MemberID) chat.Message {
	msg := chat.Private("### " + view.Escape(e.Name) + "\n" + t.Say("event.me.waiting", "Number", e.PlaceOf(member)))
	return msg.WithRow(
		chat.Button{ID: do(e, "evstate", "leave"), Label: t.Say("event.button.leave"), Style: chat.Danger})
}

// begins says to one who joins an event that has begun when they play.
func begins(t view.Tongue, e storage.Event) string {
	n := len(e.Paired)
	var until time.Time
	for _, b := range e.Paired[n-1] {
		if b.Open() {
			until = e.Deadline(b)
		}
	}
	switch {
	case e.Kind == event.KindArena:
		return t.Say("event.late.arena")
	case n >= e.Total():
		return t.Say("event.late.last")
	case until.IsZero():
		return t.Say("event.late.now", "Number", n+1)
	}
	return t.Say("event.late", "Number", n+1, "Last", n, "When", mark(until, "R"))
}

// rating is the rating with which the asking member enters.
func (v *Events) rating(ctx context.Context, r chat.Request, p view.Press) (float64, error) {
	e, err := v.pressed(ctx, p)
	if err != nil {
		return 0, err
	}
	st, err := v.Store.Standing(ctx, r.By, e.Game.Rules)
	return st.Rating.R, err
}

// here notes that the asking member is there: before the first round, or for their game.
func (v *Events) here(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.pressedHere(ctx, r, p)
	if err != nil {
		return err
	}
	if len(e.Paired) > 0 {
		return v.hereToPlay(ctx, r, e)
	}
	return v.act(ctx, r, p, func(e storage.Event) (storage.Event, error) {
		if !e.CheckingIn(r.At) {
			return e, view.No("event.refused.checkIn")
		}
		return e.CheckInNow(r.By, r.At)
	})
}

// hereToPlay notes that the asking member is there for their games that wait for the other's move. Who is to
// move is told so.
func (v *Events) hereToPlay(ctx context.Context, r chat.Request, e storage.Event) error {
	n := entrant(e, r.By)
	if n == 0 {
		return view.No("event.refused.notIn")
	}
	refusal, noted := view.No("event.refused.noGame"), false
	for round, boards := range e.Paired {
		for i, b := range boards {
			id := e.Matches[round][i].Match
			if !b.Open() || id == 0 || b.White != n && b.Black != n {
				continue
			}
			rec, err := v.House.Update(ctx, id, storage.Cause{At: r.At, By: r.By}, func(m game.Match) (game.Match, error) {
				return m.Here(r.By, r.At)
			})
			var rule *game.Refusal
			switch {
			case errors.As(err, &rule):
				refusal = err
			case err != nil:
				return err
			default:
				noted = true
				v.Screens.Refresh(rec.ID, false)
			}
		}
	}
	if !noted {
		return refusal
	}
	return v.say(ctx, r, "event.here")
}

// act changes an event for a press on its message, which is the answer.
func (v *Events) act(ctx context.Context, r chat.Request, p view.Press, f change) error {
	e, err := v.acted(ctx, r, p, f)
	if err != nil {
		return err
	}
	return v.shown(ctx, r, e)
}

// acted changes an event for a press, which is yet to be answered.
func (v *Events) acted(ctx context.Context, r chat.Request, p view.Press, f change) (storage.Event, error) {
	e, err := v.pressedHere(ctx, r, p)
	if err != nil {
		return e, err
	}
	e, err = v.Store.UpdateEvent(ctx, e.ID, cause(r), f)
	switch {
	case errors.Is(err, event.NoEntrant): // the member who presses
		return e, view.No("event.refused.notIn")
	case err != nil:
		return e, refused(err)
	}
	v.Kick()
	return e, nil
}

// shown answers a press on the message of an event by the event as it stands. A message that is not the
// event's any more is deleted, and the member is told where the event is.
func (v *Events) shown(ctx context.Context, r chat.Request, e storage.Event) error {
	if r.Private || r.Message != e.Message && e.Message != 0 {
		if !r.Private {
			v.drop(ctx, e, r.Message)
		}
		return v.say(ctx, r, "event.elsewhere", "Link", jump(e))
	}
	msg, err := v.live(ctx, e)
	if err != nil {
		return err
	}
	return chat.Edit(ctx, v.Chat, r, msg)
}

// drop deletes a message that showed an event once.
func (v *Events) drop(ctx context.Context, e storage.Event, message uint64) {
	if err := v.Chat.Delete(ctx, chat.To{Server: e.Place.Server, Channel: e.Place.Channel, Message: message}); err != nil {
		v.Log.Info("event: an old message", "err", err)
	}
}

// me shows the asking member alone how they stand in the event, and what they can do.
func (v *Events) me(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.pressed(ctx, p)
	if err != nil {
		return err
	}
	return v.card(ctx, r, e)
}

// card is the private page of an entrant.
func (v *Events) card(ctx context.Context, r chat.Request, e storage.Event) error {
	n := entrant(e, r.By)
	if waits := e.PlaceOf(r.By) > 0; !in(r, e) || n == 0 && !waits {
		return view.No("event.refused.notIn")
	} else if waits {
		return v.page(ctx, r, waitingCard(v.House.Tongue(r), e, r.By))
	}
	t := v.House.Tongue(r)
	state := e.Entrants[n-1].State
	lines := []string{"### " + view.Escape(e.Name), t.Line(t.Say("event.me", "Number", n), placed(t, e, n))}
	if state != event.Active {
		lines = append(lines, t.Say("event.me."+states[state]))
	}
	mine, err := v.linesOf(ctx, t, e, n)
	if err != nil {
		return err
	}
	msg := chat.Private(strings.Join(append(lines, mine...), "\n"))
	row := stateRow(t, e, state)
	if plays(e, n) {
		row = slices.Insert(row, 0, hereButton(t, e))
	}
	return v.page(ctx, r, msg.WithRow(row...))
}

// plays reports whether an entrant has a game under way.
func plays(e storage.Event, n int) bool {
	return !e.Ended && e.Any(func(b event.Board) bool { return b.Open() && (b.White == n || b.Black == n) })
}

// hereButton is for those who cannot move yet.
func hereButton(t view.Tongue, e storage.Event) chat.Button {
	return chat.Button{ID: do(e, "evhere", ""), Label: t.Say("event.button.here"), Style: chat.Primary}
}

// states are the names of the states that keep an entrant from being paired.
var states = map[event.State]string{event.Paused: "paused", event.Gone: "gone"}

// stateRow are the buttons by which an entrant pauses, comes back and leaves.
func stateRow(t view.Tongue, e storage.Event, s event.State) (row []chat.Button) {
	button := func(arg string, style chat.ButtonStyle) {
		row = append(row, chat.Button{ID: do(e, "evstate", arg), Label: t.Say("event.button." + arg), Style: style})
	}
	switch {
	case e.Ended || s == event.Gone:
		return nil
	case s == event.Paused:
		button("back", chat.Primary)
	case len(e.Paired) > 0:
		button("pause", chat.Secondary)
	}
	button("leave", chat.Danger)
	return row
}

// state pauses the asking member, brings them back, or has them leave. Leaving asks once more where
// a round has begun, since a game under way is lost by it.
func (v *Events) state(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.pressedHere(ctx, r, p)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"pause", "back", "leave", "sure"}, p.Arg) {
		return view.No("unknown.button")
	}
	waited := e.PlaceOf(r.By) > 0
	if p.Arg == "leave" && len(e.Paired) > 0 && !waited {
		t := v.House.Tongue(r)
		msg := chat.Private(t.Say("event.leave.sure")).WithRow(
			chat.Button{ID: do(e, "evstate", "sure"), Label: t.Say("event.button.leave"), Style: chat.Danger},
			chat.Button{ID: do(e, "evme", ""), Label: t.Say("button.back")})
		return v.page(ctx, r, msg)
	}
	e, err = v.update(ctx, r, e, func(e storage.Event) (storage.Event, error) {
		n := entrant(e, r.By)
		switch p.Arg {
		case "pause":
			return e.Pause(r.By, n, r.At)
		case "back":
			return e.Resume(r.By, n, r.At)
		}
		return e.Leave(r.By, r.At)
	})
	if err != nil {
		return err
	}
	if waited && e.PlaceOf(r.By) == 0 && entrant(e, r.By) == 0 {
		return v.page(ctx, r, chat.Private(v.House.Tongue(r).Say("event.done.unwait")))
	}
	return v.card(ctx, r, e)
}
