package events

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// How much the message of an event lists.
const (
	listedEntrants = 60
	listedBoards   = 12
	listedReason   = 30 // characters
)

// live is the message of an event, in the language of the event.
func (v *Events) live(ctx context.Context, e storage.Event) (chat.Message, error) {
	t := view.In(e.Look.Language)
	lines := []string{"### 🏆 " + view.Escape(e.Name), terms(t, e)}
	var msg chat.Message
	switch {
	case e.Ended && len(e.Paired) == 0:
		lines = append(lines, t.Say("event.called"))
	case e.Ended:
		picture, legend, _, err := standingsPicture(t, e, 0)
		if err != nil {
			return msg, err
		}
		lines = append(lines, winners(t, e))
		if ranOut(e) {
			lines = append(lines, t.Say("event.ranOut", "Number", len(e.Paired), "Rounds", e.Total()))
		}
		msg.Blocks = []chat.Block{{Text: strings.Join(lines, "\n")}, {Picture: &picture}, {Text: legend}}
		lines = nil
	case len(e.Paired) == 0:
		lines = append(lines, before(t, e)...)
	default:
		round, err := v.round(ctx, t, e)
		if err != nil {
			return msg, err
		}
		lines = append(lines, round...)
		lines = append(lines, leaders(t, e)...)
	}
	if lines != nil {
		msg.Blocks = []chat.Block{{Text: strings.Join(lines, "\n")}}
	}
	boards, err := v.unsettled(ctx, e, e.Looked)
	if err != nil {
		return msg, err
	}
	for _, row := range [][]chat.Button{liveRow(t, e), thereRow(t, e), waitRow(t, e, boards)} {
		msg = msg.WithRow(row...)
	}
	return msg, nil
}

// terms is the line that says what is played.
func terms(t view.Tongue, e storage.Event) string {
	parts := []string{t.Say("event.kind." + kinds[e.Kind]), t.Rules(e.Game.Rules)}
	if name := view.OpeningName(e.Game); name != "free" {
		parts = append(parts, t.Opening(name))
	}
	parts = append(parts, t.Say("event.count."+kinds[e.Kind], "Count", count(e)), paceOf(t, e))
	if e.Game.Rated {
		parts = append(parts, t.Say("terms.rated"))
	}
	if e.Role != 0 && !e.Ended {
		parts = append(parts, t.Say("event.for", "Role", view.Role(e.Role)))
	}
	return t.Line(parts...)
}

// before says who has entered, who waits for a place, and when it begins.
func before(t view.Tongue, e storage.Event) []string {
	lines := awaits(t, e)
	var names []string
	for i, x := range e.Entrants {
		if x.State == event.Gone {
			continue
		}
		name := t.Seat(x.Seat)
		if e.Checked[i] {
			name += " ✅"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return append(lines, t.Say("event.empty"))
	}
	said := t.Say("event.entrants", "Count", len(names))
	if e.Most > 0 {
		said = t.Say("event.entrantsOf", "Count", len(names), "Most", e.Most)
	}
	lines = append(lines, t.Sentences(said, some(t, names, listedEntrants)))
	return append(lines, waiting(t, e)...)
}

// waiting names those who wait for a place.
func waiting(t view.Tongue, e storage.Event) []string {
	var names []string
	for _, w := range e.Waiting {
		names = append(names, view.Mention(w.Member))
	}
	if len(names) == 0 {
		return nil
	}
	return []string{t.Sentences(t.Say("event.waiting", "Count", len(names)), some(t, names, listedBoards))}
}

// some are the first n names, and how many there are beside them.
func some(t view.Tongue, names []string, n int) string {
	if len(names) <= n {
		return t.Line(names...)
	}
	return t.Line(t.Line(names[:n]...), t.Say("event.more", "Count", len(names)-n))
}

// mark is a time as Discord shows it to each member: in their own zone.
func mark(at time.Time, how string) string { return fmt.Sprintf("<t:%d:%s>", at.Unix(), how) }

// round says how the round stands: its boards, those that are played first.
func (v *Events) round(ctx context.Context, t view.Tongue, e storage.Event) ([]string, error) {
	n := len(e.Paired)
	boards := e.Paired[n-1]
	open, played := 0, 0
	var until time.Time
	for _, b := range boards {
		if b.Black != 0 {
			played++
		}
		if b.Open() {
			open++
			until = e.Deadline(b)
		}
	}
	var lines []string
	switch {
	case e.Kind == event.KindArena:
		lines = []string{t.Say("event.arena", "When", mark(e.Paired[0][0].Began.Add(e.Length), "R"))}
		var names []string
		for _, s := range pausing(e) {
			names = append(names, t.Seat(s))
		}
		if playing(e) < 2 {
			lines = append(lines, t.Say("event.waits.second"))
		}
		if len(names) > 0 {
			lines = append(lines, t.Say("event.pausing", "Who", some(t, names, listedBoards)))
		}
	case open == 0:
		lines = []string{stalled(t, e)}
	case until.IsZero(), !e.Looked.Before(until.Add(game.Grace)): // past it, only what rests is left
		lines = []string{t.Say("event.round", "Number", n, "Over", played-open, "Count", played)}
	default:
		lines = []string{t.Say("event.roundUntil", "Number", n, "Over", played-open, "Count", played,
			"When", mark(until, "R"))}
	}
	shown := running(e)
	rest := len(shown) - listedBoards
	for _, at := range shown[:min(len(shown), listedBoards)] {
		line, err := v.board(ctx, t, e, at)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if rest > 0 {
		lines = append(lines, t.Say("event.moreBoards", "Count", rest))
	}
	return lines, nil
}

// running are the boards of the last round, by round and place: the open ones first. Of an arena they are
// the open ones of all waves.
func running(e storage.Event) (boards [][2]int) {
	for r, list := range e.Paired {
		for i, b := range list {
			if b.Open() && (e.Kind == event.KindArena || r == len(e.Paired)-1) {
				boards = append(boards, [2]int{r, i})
			}
		}
	}
	if e.Kind == event.KindArena {
		return boards
	}
	last := len(e.Paired) - 1
	for i, b := range e.Paired[last] {
		if !b.Open() {
			boards = append(boards, [2]int{last, i})
		}
	}
	return boards
}

// board says in a line who plays whom, where, and how it ended.
func (v *Events) board(ctx context.Context, t view.Tongue, e storage.Event, at [2]int) (string, error) {
	b := e.Paired[at[0]][at[1]]
	number := fmt.Sprintf("`%d` ", at[1]+1)
	white := t.Seat(e.Entrants[b.White-1].Seat)
	if b.Black == 0 {
		return number + bye(t, e, at[0], white), nil
	}
	black := t.Seat(e.Entrants[b.Black-1].Seat)
	if !b.Open() {
		said, _ := t.BoardEnd(e, at[0], at[1], listedReason)
		link, err := v.link(ctx, t, e.Matches[at[0]][at[1]].Match)
		return t.Line(number+said, link), err
	}
	line := number + t.Say("event.board.pair", "White", white, "Black", black)
	switch g := e.Matches[at[0]][at[1]]; {
	case g.Over:
		return t.Line(line, t.Say("event.board.open")), nil
	case g.Match != 0:
		rests, err := v.rests(ctx, g.Match)
		if rests || err != nil {
			return t.Line(line, t.Say("event.board.rests", "Match", view.Name(g.Match))), err
		}
		link, err := v.link(ctx, t, g.Match)
		return t.Line(line, link), err
	}
	return line, nil
}

// bye says who sits out, and what that brings.
func bye(t view.Tongue, e storage.Event, round int, who string) string {
	switch {
	case e.Kind == event.KindKnockout && round == len(e.Bracket())-1:
		return t.Say("event.bye.third", "Who", who)
	case e.Kind == event.KindKnockout:
		return t.Say("event.bye.passes", "Who", who)
	case e.Kind == event.KindSwiss:
		return t.Say("event.bye.point", "Who", who)
	}
	return t.Say("event.bye", "Who", who)
}

// hangs reports whether all boards that the message of an event lists can be linked. A board for
// which that has taken long is not waited for.
func (v *Events) hangs(ctx context.Context, e storage.Event, now time.Time) bool {
	if len(e.Paired) == 0 || e.Ended {
		return true
	}
	all := running(e)
	for _, at := range all[:min(len(all), listedBoards)] {
		b, g := e.Paired[at[0]][at[1]], e.Matches[at[0]][at[1]]
		if !b.Open() || g.Over || now.Sub(b.Began) > patience {
			continue
		}
		if sc, err := v.Store.Screen(ctx, g.Match); g.Match == 0 || err != nil || sc.Message == 0 {
			return false
		}
	}
	return true
}

// patience is how long the message of an event waits for the boards of a round.
const patience = 2 * time.Minute

// link leads to the board of a match; empty where it hangs nowhere yet.
func (v *Events) link(ctx context.Context, t view.Tongue, id game.MatchID) (string, error) {
	if id == 0 {
		return "", nil
	}
	rec, err := v.Store.Match(ctx, id)
	if err != nil {
		return "", refusedOnly(err)
	}
	sc, err := v.Store.Screen(ctx, id)
	if err != nil || sc.Message == 0 {
		return "", refusedOnly(err)
	}
	return view.Linked(t.Say("event.toBoard"), view.Jump(rec.Place, sc.Message)), nil
}

// refusedOnly is err, unless it only says that something is not there.
func refusedOnly(err error) error {
	if refused(err) != err {
		return nil
	}
	return err
}

// linesOf are the games of an entrant, the last ones first.
func (v *Events) linesOf(ctx context.Context, t view.Tongue, e storage.Event, number int) (lines []string, err error) {
	for r := len(e.Paired) - 1; r >= 0 && len(lines) < listedBoards; r-- {
		for i, b := range e.Paired[r] {
			if b.White != number && b.Black != number {
				continue
			}
			line, err := v.board(ctx, t, e, [2]int{r, i})
			if err != nil {
				return nil, err
			}
			lines = append(lines, t.Line(t.Say("event.inRound", "Number", r+1), line))
		}
	}
	return lines, nil
}

// ranOut reports whether an event ended before its last round because no pairing was left.
func ranOut(e storage.Event) bool {
	return slices.ContainsFunc(e.History, func(d storage.AuditEntry) bool { return d.What == storage.RanOut })
}

// liveRow are the buttons of an event's message.
func liveRow(t view.Tongue, e storage.Event) (row []chat.Button) {
	button := func(verb, label string, style chat.ButtonStyle) {
		row = append(row, chat.Button{ID: do(e, verb, ""), Label: t.Say("event.button." + label), Style: style})
	}
	begun := len(e.Paired) > 0
	if e.Takes() {
		button("evjoin", "join", chat.Success)
	}
	if e.CheckingIn(e.Looked) {
		button("evhere", "here", chat.Primary)
	}
	if len(e.Entrants) > 0 {
		button("evme", "me", chat.Secondary)
	}
	if begun {
		button("evstand", "standings", chat.Secondary)
	}
	if here, missing := e.Here(); !begun && !e.Ended && len(here)+len(missing) >= 2 {
		row = append(row, chat.Button{ID: do(e, "evask", actStart), Label: t.Say("event.act.start")})
	}
	if !e.Ended {
		button("evmanage", "manage", chat.Secondary)
	}
	if begun && len(row) < 5 {
		row = slices.Insert(row, len(row)-bit(!e.Ended),
			chat.Button{ID: do(e, "evboards", ""), Label: t.Say("event.button.boards")})
	}
	return row
}

// thereRow are the buttons by which entrants say that they are there: for a game that waits for the other's move,
// and in an arena after a pause.
func thereRow(t view.Tongue, e storage.Event) (row []chat.Button) {
	if e.Ended || len(e.Paired) == 0 {
		return nil
	}
	if boards := running(e); len(boards) > 0 && e.Paired[boards[0][0]][boards[0][1]].Open() {
		row = append(row, hereButton(t, e))
	}
	if e.Kind == event.KindArena && len(pausing(e)) > 0 {
		row = append(row, chat.Button{ID: do(e, "evstate", "back"), Label: t.Say("event.button.back")})
	}
	return row
}

func pausing(e storage.Event) (seats []game.Seat) {
	for _, x := range e.Entrants {
		if x.State == event.Paused {
			seats = append(seats, x.Seat)
		}
	}
	return seats
}

// jump is a link to the message of an event.
func jump(e storage.Event) string { return view.Jump(e.Place, e.Message) }

// line is an event in a list; number is the entrant's whose list it is, or 0.
func line(t view.Tongue, e storage.Event, number int) string {
	state := t.Say("event.state.open", "Count", len(e.Entrants))
	switch {
	case e.Ended:
		state = t.Say("event.state.over")
	case len(e.Paired) > 0:
		state = t.Say("event.inRound", "Number", len(e.Paired))
	}
	return t.Line("**"+view.Escape(e.Name)+"**", t.Say("event.kind."+kinds[e.Kind]), t.Rules(e.Game.Rules), state,
		placed(t, e, number), view.Linked(t.Say("event.toEvent"), jump(e)))
}
