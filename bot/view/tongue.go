package view

import (
	"fmt"
	"strings"
	"time"

	"tengen/bot/pad"
	"tengen/bot/texts"
	"tengen/game"
	"tengen/storage"
)

// Tongue is a language of the bot that can also word games.
type Tongue struct{ texts.Tongue }

// In is the language for a locale; English where the bot does not speak it.
func In(locale string) Tongue { return Tongue{texts.In(locale)} }

// color is the name of a color: Black or White.
func (t Tongue) color(c game.Color) string { return t.Say("color." + c.String()) }

// Rules is the name of a game.
func (t Tongue) Rules(r game.Rules) string { return t.Say("rules." + r.Name()) }

// Named is a match by its game and its name: "Renju #K7Q2".
func (t Tongue) Named(m game.Match) string { return t.Rules(m.Rules) + " #" + Name(m.ID) }

// Header names the game: "Renju · move 12 · #K7Q2".
func (t Tongue) Header(m game.Match) string {
	casual := ""
	if m.Phase == game.Playing && m.BetweenMembers() && (!m.Rated || m.Spoiled) {
		casual = t.Say("terms.casual")
	}
	stands := t.Say("title.move", "Number", m.Game().Len()+1)
	switch {
	case m.Phase == game.Over && (m.Game().Len() == 0 || m.First == game.Empty):
		stands = ""
	case m.Phase == game.Over:
		stands = t.Say("title.moves", "Count", m.Game().Len())
	case m.Phase == game.Playing && m.Deciding():
		stands = t.Opening(OpeningName(m.Terms))
	}
	return "### " + t.Line(t.Rules(m.Rules), casual, stands, "#"+Name(m.ID))
}

// Terms sums up what is offered.
func (t Tongue) Terms(m game.Match) string {
	parts := []string{t.Rules(m.Rules)}
	switch m.Opening {
	case game.BalancedOpening:
		parts = append(parts, t.Say("terms.balanced"))
	case game.ImportedOpening:
		parts = append(parts, t.Say("terms.imported", "Count", len(m.Given)))
	case game.XOTOpening, game.ProtocolOpening:
		parts = append(parts, t.Opening(OpeningName(m.Terms)))
	}
	switch opens := m.Protocol != nil; {
	case m.First == game.Empty && opens:
		parts = append(parts, t.Say("terms.anyOpener"))
	case opens && m.First == game.Black:
		parts = append(parts, t.Say("terms.opener", "Who", t.Seat(m.Seats[0])))
	case opens:
		parts = append(parts, t.Say("terms.second", "Who", t.Seat(m.Seats[0])))
	case m.First == game.Empty:
		parts = append(parts, t.Say("terms.anyColor"))
	default:
		parts = append(parts, t.Say("terms.color."+m.First.String(), "Who", t.Seat(m.Seats[0])))
	}
	parts = append(parts, t.clocks(m)...)
	switch {
	case m.Rated:
		parts = append(parts, t.Say("terms.rated"))
	case m.BetweenMembers():
		parts = append(parts, t.Say("terms.casual"))
	}
	return t.Line(parts...)
}

// Seat names the player of a seat.
func (t Tongue) Seat(s game.Seat) string {
	switch s.Kind {
	case game.MemberSeat:
		return Mention(s.Member)
	case game.EngineSeat:
		if s.Guest != "" {
			return t.Say("seat.guest", "Guest", Escape(s.Guest))
		}
		return t.Say("seat.engine", "Level", s.Level)
	case game.FormerSeat:
		return t.Say("seat.former")
	}
	return t.Say("seat.open")
}

// seats names the players, Black first, with the count of discs in Reversi, and with the signs of the theme of a
// board below.
func (t Tongue) seats(m game.Match, theme string) string {
	if m.First == game.Empty { // the colors are not drawn yet
		return t.Line(t.Seat(m.Seats[0]), t.Seat(m.Seats[1]))
	}
	black, white := game.Score(m.Game().Position())
	var lines [2]string
	for i, c := range []game.Color{game.Black, game.White} {
		s := Piece(c, theme) + " " + t.Seat(m.Seats[m.SeatOfColor(c)])
		if m.Rules == game.Reversi {
			s += fmt.Sprintf(" **%d**", [2]int{black, white}[i])
		}
		lines[i] = s
	}
	return lines[0] + "  " + lines[1]
}

// Heading is what stands above a match's board on a private screen.
func (t Tongue) Heading(rec storage.Record, by Ruling) string {
	m := rec.Match
	lines := []string{t.Header(m), t.seats(m, rec.Look.Theme)}
	switch m.Phase {
	case game.Playing:
		lines = append(lines, t.state(m))
	case game.Over:
		lines = append(lines, t.outcome(m, by))
	}
	return strings.Join(lines, "\n")
}

// state tells how a running match stands: the last move, and who is to move.
func (t Tongue) state(m game.Match) string {
	return t.Line(t.last(m), t.lastDecision(m), t.turn(m))
}

// turn says who is to move, or why nobody is.
func (t Tongue) turn(m game.Match) string {
	seat := m.Seats[m.ToMove()]
	switch {
	case !m.Rested.IsZero() && BetweenEngines(m):
		return t.Say("play.paused")
	case !m.Rested.IsZero():
		return t.Say("play.resting")
	case m.EngineToMove() && seat.Guest != "":
		return t.Say("play.guestThinking", "Guest", Escape(seat.Guest))
	case m.EngineToMove():
		return t.Say("play.thinking", "Level", seat.Level)
	case m.Deciding() && !m.Deadline.IsZero():
		return t.Line(t.Sentences(t.asked(m, t.Seat(seat)), t.Say("stage.deadline", "When", Relative(m.Deadline))),
			t.otherTime(m))
	case m.Deciding():
		return t.asked(m, t.Seat(seat))
	case !m.Deadline.IsZero():
		return t.Line(t.Say("play.deadline", "Who", t.Seat(seat), "When", Relative(m.Deadline)), t.otherTime(m))
	}
	return t.Say("play.turn", "Who", t.Seat(seat))
}

// otherTime says how much of the whole game's time the side has left that is not to move; empty where none is kept.
func (t Tongue) otherTime(m game.Match) string {
	seat := 1 - m.ToMove()
	left, ok := m.TimeLeft(seat, m.Turned)
	if !ok || m.ClockOf(seat).Bank == 0 {
		return ""
	}
	who, secs := t.Seat(m.Seats[seat]), int(left/time.Second)
	h, mins := secs/3600, secs/60%60
	switch {
	case h >= 24:
		return t.Say("play.left.days", "Who", who, "Days", h/24, "Time", fmt.Sprintf("%02d:%02d", h%24, mins))
	case h > 0:
		return t.Say("play.left", "Who", who, "Time", fmt.Sprintf("%d:%02d:%02d", h, mins, secs%60))
	}
	return t.Say("play.left", "Who", who, "Time", fmt.Sprintf("%d:%02d", mins, secs%60))
}

// last words the last move, and the pass that followed it, if any.
func (t Tongue) last(m game.Match) string {
	plies := m.Game().Plies()
	if len(plies) == 0 {
		return ""
	}
	p := plies[len(plies)-1]
	passed := ""
	if m.Phase == game.Playing && m.Game().Turn() == p.Color {
		passed = t.Say("passed." + p.Color.Other().String())
	}
	return t.Line(t.ply(p), passed)
}

// ply is a move with its color and number.
func (t Tongue) ply(p game.Ply) string {
	return t.Say("play.last", "Disc", Disc(p.Color), "Number", p.Number, "Point", p.Point.String())
}

// EngineLine says how the engine found its last move, where that is wanted.
func (t Tongue) EngineLine(rec storage.Record) string {
	m := rec.Match
	if s := t.stoodIn(m); s != "" {
		return s
	}
	if !rec.Look.Engine && !BetweenEngines(m) {
		return ""
	}
	for i := len(m.Log) - 1; i >= max(0, len(m.Log)-2); i-- {
		if n := m.Log[i].Note; n.Level != 0 {
			if n.Nodes <= 1 && !n.Cut { // a row of five, or the only move
				return t.Say("engine.once", "Level", n.Level)
			}
			cut := ""
			if n.Cut {
				cut = t.Say("engine.cut")
			}
			took := max(1, (n.Millis+5)/10) // less than a hundredth of a second is of no interest
			return t.Line(t.Say("engine.line", "Level", n.Level, "Depth", n.Depth, "Nodes", t.nodes(n.Nodes),
				"Seconds", took/100, "Hundredths", fmt.Sprintf("%02d", took%100)), cut)
		}
	}
	return ""
}

// nodes is a short form of a count: 950, 12k.
func (t Tongue) nodes(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return t.Say("unit.thousand", "Value", n/1000)
}

// stoodIn says that our engine made the last move of a guest.
func (t Tongue) stoodIn(m game.Match) string {
	if m.Guest() == "" {
		return ""
	}
	made := m.Made()
	for i := len(made) - 1; i >= max(0, len(made)-2); i-- {
		if e := made[i]; e.Replaced(m) {
			return t.Say("play.stoodIn", "Guest", Escape(m.Seats[e.Seat].Guest), "Point", e.Decision().String())
		}
	}
	return ""
}

// offerLine words what is offered: an undo, a draw, or both in a line each.
func (t Tongue) offerLine(m game.Match) string {
	var lines []string
	if m.Undoing.Open {
		seat := int(m.Undoing.By)
		var moves []string
		for _, made := range m.Made()[m.Undoing.To:] {
			if made.Ply == 0 { // a decision of an opening
				moves = append(moves, t.decision(made.Decision()))
				continue
			}
			moves = append(moves, fmt.Sprintf("%d. %v", made.Ply, made.Decision()))
		}
		lines = append(lines, t.Say("offer.undo", "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat]),
			"Moves", moves)+t.unrates(m))
	}
	if m.DrawBy != 0 {
		seat := int(m.DrawBy) - 1
		lines = append(lines, t.Say("offer.draw", "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat])))
	}
	return strings.Join(lines, "\n")
}

// unrates says before a move is taken back what that costs.
func (t Tongue) unrates(m game.Match) string {
	if !m.Rated || m.Spoiled {
		return ""
	}
	return "\n-# " + t.Say("offer.unrates")
}

// outcome tells how the match ended and why, with what was ruled.
func (t Tongue) outcome(m game.Match, by Ruling) string {
	switch played := t.played(m); {
	case by == "":
		return played
	case !onBoard(m):
		return string(by)
	default:
		return t.Sentences(played, string(by))
	}
}

// onBoard reports whether the board gave a match its result: it counts, whatever else was ruled.
func onBoard(m game.Match) bool { return m.Result().Termination <= game.ByCount }

// played tells how the match ended by itself.
func (t Tongue) played(m game.Match) string {
	r, winner, loser := m.Result(), "", ""
	if w := r.Winner; w != game.Empty {
		winner = Disc(w) + " " + t.Seat(m.Seats[m.SeatOfColor(w)])
		loser = t.Seat(m.Seats[m.SeatOfColor(w.Other())])
	}
	var rows []string
	for _, row := range m.Game().Rows() {
		rows = append(rows, pad.Span(row.From, row.To))
	}
	black, white := m.Game().Position().Count(game.Black), m.Game().Position().Count(game.White)
	endBlack, endWhite := game.Score(m.Game().Position())
	key := "outcome." + Terminations[r.Termination]
	if r.Termination == game.ByCount && r.Winner == game.Empty {
		key = "outcome.countDraw"
	} else if r.Termination == game.ByCount && black+white < 64 {
		key = "outcome.countEmpty"
	}
	return t.Say(key, "Winner", winner, "Loser", loser, "From", t.Seat(m.Seats[0]), "To", t.Seat(m.Seats[1]),
		"Rows", rows, "Most", max(black, white), "Least", min(black, white), "EndMost", max(endBlack, endWhite),
		"EndLeast", min(endBlack, endWhite))
}

// Terminations are the catalogue's names of the terminations.
var Terminations = [...]string{
	game.NotOver: "none", game.ByRow: "row", game.ByFullBoard: "full", game.ByNoMove: "noMove",
	game.ByCount: "count", game.ByResignation: "resignation", game.ByTimeout: "timeout",
	game.ByAgreement: "agreement", game.Aborted: "aborted", game.Abandoned: "abandoned",
	game.Declined: "declined", game.Canceled: "canceled", game.Expired: "expired",
}

// Ratings tells what the match did to the ratings of both. isNew are those, by seat, that are not settled.
func (t Tongue) Ratings(rec storage.Record, isNew [2]bool) string {
	m := rec.Match
	if !m.Rated {
		return ""
	}
	switch between := m.Seats[0].Kind == game.MemberSeat && m.Seats[1].Kind == game.MemberSeat; {
	case m.Result().Termination >= game.Aborted || !between:
		return "-# " + t.Say("end.unrated")
	case m.Spoiled:
		return "-# " + t.Say("end.unrated.undone")
	case !m.CountsForRating():
		return "-# " + t.Say("end.unrated.short")
	case rec.Changes == [2]storage.Change{}:
		return "-# " + t.Say("end.unrated.full")
	}
	var parts []string
	for i := range m.Seats {
		switch c := rec.Changes[i]; {
		case c.After == 0:
		case isNew[i]:
			parts = append(parts, t.Say("end.rating.new", "Who", t.Seat(m.Seats[i])))
		default:
			parts = append(parts, t.Say("end.rating", "Who", t.Seat(m.Seats[i]), "Before", int(c.Before+.5),
				"After", int(c.After+.5)))
		}
	}
	return t.Say("end.rated", "Players", t.Line(parts...))
}

// clocks are the clocks of a match, as terms; none where it has none.
func (t Tongue) clocks(m game.Match) []string {
	switch {
	case m.Odds != game.Clock{}:
		return []string{t.Say("terms.clock", "Who", t.Seat(m.Seats[0]), "Clock", t.Clock(m.Clock)),
			t.Say("terms.odds", "Clock", t.Clock(m.Odds))}
	case m.Clock != game.Clock{}:
		return []string{t.Clock(m.Clock)}
	}
	return nil
}

// Clock words a clock.
func (t Tongue) Clock(c game.Clock) string {
	switch {
	case c == game.Clock{}:
		return t.Say("choice.clock.none")
	case c.Whole():
		return t.Say("time.game", "Minutes", int(c.Bank/time.Minute), "Seconds", int(c.Gain/time.Second))
	case c.Bank > 0:
		return t.Line(t.PerMove(c.Each), t.Say("time.reserve", "Count", int(c.Bank/(24*time.Hour))))
	}
	return t.PerMove(c.Each)
}

// PerMove words the time for each move.
func (t Tongue) PerMove(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return t.Say("time.days", "Count", int(d/(24*time.Hour)))
	case d%time.Hour == 0:
		return t.Say("time.hours", "Count", int(d/time.Hour))
	case d%time.Minute == 0:
		return t.Say("time.minutes", "Count", int(d/time.Minute))
	}
	return t.Say("time.seconds", "Count", int(d/time.Second))
}

// Title names a match in a line of plain text, for selects and autocomplete: names of
// members cannot be shown there, so it tells how the game stands, or how it ended for by.
func (t Tongue) Title(m game.Match, by game.MemberID) string {
	if key := ended(m, by); key != "" {
		return t.Line(t.Named(m), t.Say("title."+key))
	}
	if m.Phase != game.Playing {
		return t.Named(m)
	}
	yours := ""
	if TurnOf(by)(m) {
		yours = t.Say("games.yourTurn")
	}
	return t.Line(t.Named(m), t.Say("title.move", "Number", m.Game().Len()+1), yours)
}

// ended is how a match ended for a member: won, lost, drawn, or empty where it did not.
func ended(m game.Match, by game.MemberID) string {
	seat, ok := m.SeatOf(by)
	switch r := m.Result(); {
	case !ok || m.Phase != game.Over || r.Termination >= game.Aborted:
		return ""
	case r.Winner == game.Empty:
		return "drawn"
	case r.Winner == m.ColorOf(seat):
		return "won"
	}
	return "lost"
}
