package events

import (
	"context"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// What somebody or time did to a member, the member is told: in the channel of the event, by a mention. The store
// counts the lines of the history that are still to be told of, so that a process that dies leaves none out, and the
// message is found again by its mark, so that none comes twice.

// told is how many lines one message tells of at most.
const told = 10

// tellMark tells the messages that tell members of something apart from the message of the event itself.
const tellMark = 0x7e11

// tell tells members of the first lines of those that they have not heard of.
func (v *Events) tell(ctx context.Context, e storage.Event) error {
	lines := e.History[len(e.History)-e.Untold:]
	lines = lines[:min(len(lines), told)]
	msg, at := notification(view.In(e.Look.Language), e, lines)
	done := func() error {
		c := storage.Cause{At: v.Now()}
		_, err := v.Store.UpdateEvent(ctx, e.ID, c, func(now storage.Event) (storage.Event, error) {
			if now.Untold < e.Untold { // somebody was faster
				return now, nil
			}
			return now.Tell(len(lines)), nil
		})
		return err
	}
	if len(msg.Blocks) == 0 {
		return done()
	}
	if !v.pass(1) {
		return v.Tasks.Life.Err()
	}
	msg.Mark = mark32(e.ID) ^ tellMark
	_, err := outbox.Once(ctx, v.Base, e.Place, storage.Notice{Posting: at}, msg)
	if chat.Temporary(err) {
		return err
	}
	if err != nil { // nobody can be told there
		v.Log.Info("event: what members are told", "event", view.Name(game.MatchID(e.ID)), "err", err)
	}
	return done()
}

// notification is the message that tells of lines of the history, and when the first of them was written.
func notification(t view.Tongue, e storage.Event, lines []storage.AuditEntry) (msg chat.Message, at time.Time) {
	var said []string
	for _, d := range lines {
		s, whom := notificationLine(t, e, d)
		if s == "" {
			continue
		}
		if at.IsZero() {
			at = d.At
		}
		said = append(said, "- "+s)
		for _, m := range whom {
			if m != 0 && m != d.By && !slices.Contains(msg.Mentions, m) {
				msg.Mentions = append(msg.Mentions, m)
			}
		}
	}
	if len(said) > 0 {
		msg.Blocks = []chat.Block{{Text: "**" + view.Escape(e.Name) + "**\n" + strings.Join(said, "\n")}}
	}
	return msg, at
}

// notificationLine says what was done to whom; empty where nobody is to hear of it.
func notificationLine(t view.Tongue, e storage.Event, d storage.AuditEntry) (s string, whom []game.MemberID) {
	switch {
	case !d.Concerns():
		return "", nil
	case d.What == storage.Stuck || d.What == storage.Ceased:
		return hostWord(t, e, d), []game.MemberID{e.Owner}
	case d.Board > 0 && d.Round > 0:
		b := e.Paired[d.Round-1][d.Board-1]
		if b.Open() { // it is played again
			return "", nil
		}
		said, _ := t.BoardEnd(e, d.Round-1, d.Board-1, view.LongReason)
		s = t.Line(t.Say("event.inRound", "Number", d.Round), said)
		for _, n := range []int{b.White, b.Black} {
			seat := e.Entrants[n-1].Seat
			whom = append(whom, seat.Member)
			if pausedBy(e, d, n) {
				s = t.Line(s, t.Say("event.told.paused", "Who", t.Seat(seat)))
			}
		}
		return s, whom
	}
	seat := e.Entrants[d.Number-1].Seat
	key := "event.told.removed"
	if d.What == storage.MovedUp {
		key = "event.told.movedUp"
	}
	s = t.Line(t.Say(key, "Who", t.Seat(seat), "Number", d.Number), t.Decided(d, view.LongReason))
	if d.What == storage.MovedUp && len(e.Paired) > 0 {
		s = t.Sentences(s, begins(t, e))
	}
	return s, []game.MemberID{seat.Member}
}

// pausedBy reports whether a forfeit has an entrant pause, who has not come back since.
func pausedBy(e storage.Event, forfeit storage.AuditEntry, number int) bool {
	pauses := !e.Ended && e.Entrants[number-1].State == event.Paused
	return pauses && slices.ContainsFunc(e.History, func(d storage.AuditEntry) bool {
		return d.What == storage.Paused && d.By == 0 && d.Number == number && d.At.Equal(forfeit.At)
	})
}

// hostWord tells the host of an event, where there is one, what it waits for.
func hostWord(t view.Tongue, e storage.Event, d storage.AuditEntry) string {
	host := ""
	if e.Owner != 0 {
		host = view.Mention(e.Owner)
	}
	switch {
	case d.What == storage.Ceased:
		return t.Line(host, t.Say("event.told.ceased"))
	case d.Board > 0:
		if g := e.Matches[d.Round-1][d.Board-1]; !g.Over {
			return t.Line(host, t.Say("event.told.rests", "Number", d.Round, "Board", d.Board, "Match", view.Key(g.Match)))
		}
		return t.Line(host, t.Say("event.told.noResult", "Number", d.Round, "Board", d.Board))
	case d.Round == 0:
		return t.Line(host, t.Say("event.told.few"))
	}
	return t.Line(host, t.Say("event.told.stuck", "Number", d.Round))
}
