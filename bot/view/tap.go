package view

import (
	"slices"
	"strings"
	"time"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// What a page says of a match, outside the channel. There nobody has a name: a side is a color.

// Sides names the sides of a match by color, black first; by seat where the colors are not drawn yet.
func (t Tongue) Sides(m game.Match) [2]string {
	var sides [2]string
	for i := range sides {
		if m.First == game.Empty {
			sides[i] = t.nameless(m, i)
		} else {
			sides[i] = t.nameless(m, m.SeatOfColor(game.Black+game.Color(i)))
		}
	}
	return sides
}

// nameless is a seat without a name. The engine and guests have theirs.
func (t Tongue) nameless(m game.Match, seat int) string {
	switch s := m.Seats[seat]; {
	case s.Kind == game.EngineSeat && s.Guest != "":
		return t.Say("seat.guest", "Guest", s.Guest) // it is no markup here
	case s.Kind == game.EngineSeat || s.Kind == game.OpenSeat:
		return t.Seat(s)
	case m.First != game.Empty:
		return t.color(m.ColorOf(seat))
	case seat == 0:
		return t.Say("side.first")
	}
	return t.Say("side.second")
}

// PageTitle names a match for a page.
func (t Tongue) PageTitle(m game.Match) string {
	return t.unmarked(m, strings.TrimPrefix(t.Header(unnamed(m)), "### "))
}

// PageSays is what stands beside the board on a page: how the match stands, as the channel's message says it. The
// clock is the page's own to show.
func (t Tongue) PageSays(m game.Match) string {
	n := unnamed(m)
	switch m.Phase {
	case game.Offered:
		return t.unmarked(m, t.Terms(n))
	case game.Playing:
		return t.unmarked(m, joined(t.state(n), t.offerLine(n), t.offered(n), t.away("play.awayNow", n)))
	}
	return t.unmarked(m, joined(t.played(n), t.wantsAgain(n)))
}

func joined(lines ...string) string {
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// unnamed is m without its members: each seat of one has a number instead. It has no deadline, which would be a time
// mark of Discord's.
func unnamed(m game.Match) game.Match {
	for i, s := range m.Seats {
		if s.Kind == game.MemberSeat || s.Kind == game.FormerSeat {
			m.Seats[i] = game.SeatFor(game.MemberID(i + 1))
		}
	}
	m.Deadline = time.Time{}
	return m
}

// unmarked is what was said of an unnamed match as plain text.
func (t Tongue) unmarked(m game.Match, s string) string {
	return strings.NewReplacer(Mention(1), t.nameless(m, 0), Mention(2), t.nameless(m, 1), "**", "", "-# ", "",
		"\\", "").Replace(s)
}

// Tap is what a member can do in a match on its page, by a button.
type Tap struct {
	Verb, Arg, Label string
	Style            chat.ButtonStyle
	Sure             string // asks whether the member is sure; empty: they need not be
}

// Taps are what the member in a seat can do beside playing, as the match stands.
func (t Tongue) Taps(rec storage.Record, seat int) []Tap {
	m := rec.Match
	var row []chat.Button
	switch {
	case m.Phase == game.Offered && seat == 0:
		change := t.Say("button.color")
		if m.Protocol != nil {
			change = t.Say("button.opener")
		}
		row = append(row, chat.Button{ID: On(m, "color", ColorArg((m.First+1)%3)), Label: change},
			chat.Button{ID: On(m, "cancel", ""), Label: t.Say("button.cancel"), Style: chat.Danger})
	case m.Phase == game.Offered:
		row = t.Answers(m)
	case m.Phase == game.Playing:
		row = t.offerTaps(m, seat)
		row = append(row, t.unoffer(m)...)
		if rec.Link.Event != 0 && seat != m.ToMove() && !m.Present(seat) {
			row = append(row, chat.Button{ID: On(m, "here", ""), Label: t.Say("event.button.here"), Style: chat.Success})
		}
		if m.Young() && !rec.Contest() {
			row = append(row, chat.Button{ID: On(m, "abort", ""), Label: t.Say("button.abort")})
		}
		row = append(row, chat.Button{ID: On(m, "resignsure", ""), Label: t.resign(rec), Style: chat.Danger})
	case m.Phase == game.Over && m.First != game.Empty:
		row = againRow(t, m, Card{})
	}
	var taps []Tap
	for _, b := range row {
		p, err := ParsePress(b.ID)
		if err != nil {
			continue
		}
		tap := Tap{Verb: p.Verb, Arg: p.Arg, Label: b.Label, Style: b.Style}
		if p.Verb == "resignsure" {
			ask := t.ResignSure(rec, m.Seats[seat].Member)
			tap.Sure = t.unmarked(m, ask.Blocks[0].Text)
		}
		taps = append(taps, tap)
	}
	return taps
}

// Remark is what a review says of a move, on a page.
type Remark struct {
	Move int    `json:"move"` // its number
	Word string `json:"word"` // how bad it is
	Best string `json:"best"`
	Line string `json:"line"` // how it should have gone on, from Best
	Says string `json:"says"`
}

// Remarks are the chances of Black after each move of a match, in thousandths, and what a review says of its worst
// moves, in their order.
func (t Tongue) Remarks(m game.Match, r review.Review) (chances []int, remarks []Remark) {
	for _, v := range Chart(r).Values[1:] {
		chances = append(chances, int(1000*v+.5))
	}
	for _, n := range slices.Sorted(slices.Values(r.Faults)) {
		p := r.Plies[n-1]
		var line []string
		for _, q := range p.Line {
			line = append(line, strings.ToLower(q.String()))
		}
		remarks = append(remarks, Remark{n, p.Class.String(), strings.ToLower(p.Best.String()), strings.Join(line, " "),
			t.unmarked(m, t.fault(p))})
	}
	return chances, remarks
}

// Tried is a second try at a fault of a review, on a page.
type Tried struct {
	Move  int    `json:"move"` // the fault
	Says  string `json:"says"`
	Line  string `json:"line,omitempty"` // how it may go on from before the fault, as the moves of a state
	At    int    `json:"at,omitempty"`   // so many moves of the line are shown
	Right bool   `json:"right,omitempty"`
	Hint  bool   `json:"hinted,omitempty"`
	Next  int    `json:"next,omitempty"` // the fault to try after this one
}

// AskTry asks for a better move, as Painter.Try does.
func (t Tongue) AskTry(y Try) Tried { return t.tried(y, t.asks(y), nil, 0) }

// SolveTry shows the best line of the fault, as Painter.Solution does.
func (t Tongue) SolveTry(y Try) Tried { return t.tried(y, t.solution(y), bestLine(y.fault()), 1) }

// JudgeTry is the verdict on a move, as Painter.Judged shows it.
func (t Tongue) JudgeTry(y Try, move game.Point, v review.Verdict) Tried {
	tried := t.tried(y, t.verdict(y, move, v), judgedLine(move, v), judgedAt)
	tried.Right = v.Right
	return tried
}

func (t Tongue) tried(y Try, says string, line []game.Point, at int) Tried {
	var moves []string
	g := y.before()
	for _, q := range y.playable(line) {
		moves = append(moves, letterOf[g.Turn()]+strings.ToLower(q.String()))
		g, _ = g.Play(q)
	}
	return Tried{Move: y.N, Says: t.unmarked(y.Match, says), Line: strings.Join(moves, " "), At: min(at, len(moves)),
		Hint: y.Hinted, Next: y.next()}
}

// letterOf stands for a color on a page.
var letterOf = [...]string{game.Black: "b", game.White: "w"}

// offerTaps answer what the other side offers, else make an offer.
func (t Tongue) offerTaps(m game.Match, seat int) (row []chat.Button) {
	switch {
	case !m.Undoing.Open:
		row = append(row, chat.Button{ID: On(m, "undo", ""), Label: t.Say("button.undo")})
	case int(m.Undoing.By) != seat:
		row = append(row, chat.Button{ID: On(m, "undoyes", ""), Label: t.Say("button.allowUndo"), Style: chat.Success},
			chat.Button{ID: On(m, "undono", ""), Label: t.Say("button.refuseUndo"), Style: chat.Danger})
	}
	switch {
	case m.DrawBy == 0:
		row = append(row, chat.Button{ID: On(m, "draw", ""), Label: t.Say("button.draw")})
	case int(m.DrawBy)-1 != seat:
		row = append(row, chat.Button{ID: On(m, "drawyes", ""), Label: t.Say("button.acceptDraw"), Style: chat.Success},
			chat.Button{ID: On(m, "drawno", ""), Label: t.Say("button.refuseThatDraw"), Style: chat.Danger})
	}
	return row
}

// Asks is what an opening asks of the member in a seat, with the answers that are no points. It asks nothing, and says
// so by an empty text, where another decides or a point is asked for and nothing else.
func (t Tongue) Asks(m game.Match, seat int) (text string, answers []Tap) {
	if m.Phase != game.Playing || !m.Deciding() || m.ToMove() != seat {
		return "", nil
	}
	for _, d := range m.Question().Options {
		answers = append(answers, Tap{Verb: "decide", Arg: d.String(), Label: t.answer(m, d)})
	}
	return t.unmarked(m, t.asked(m, t.nameless(m, seat))), answers
}

// WhyForbidden are the points that the rules forbid to whoever is to move, with the reason.
func (t Tongue) WhyForbidden(g game.Game) map[game.Point]string {
	why := map[game.Point]string{}
	for _, r := range g.Forbidden() {
		why[r.Point] = t.Say("forbidden." + r.Code.Why())
	}
	return why
}
