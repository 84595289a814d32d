// Package view is a stored match as a message: the board with its description, what is said
// beside it, the pad and the buttons. It is a function of the match alone: it reads no store,
// sends nothing and changes nothing. Start from Painter.Match.
package view

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Tongue is one language of the bot, with what is worded of games.
type Tongue struct{ texts.Tongue }

// In is the language for a locale; English where the bot does not speak it.
func In(locale string) Tongue { return Tongue{texts.In(locale)} }

// Color is the name of a color: Black or White.
func (t Tongue) Color(c game.Color) string { return t.Say("color." + c.String()) }

// Rules is the name of a game.
func (t Tongue) Rules(r game.Rules) string { return t.Say("rules." + r.Name()) }

// Painter draws boards, and tells what that took.
type Painter struct {
	Log  *slog.Logger
	Drew func(took time.Duration) // nil: nobody asks
}

// Match is a match as a message: a function of the match alone (and of where the pad
// looks), in the match's own language.
func (p Painter) Match(rec storage.Record, eye Eye) chat.Message {
	m := rec.Match
	t := In(m.Look.Language)
	switch m.Phase {
	case game.Offered:
		return viewOffer(t, rec)
	case game.Over:
		if m.Game().Len() == 0 || m.First == game.Empty {
			return chat.Text("### " + t.Say("end.header.none", "Rules", t.Rules(m.Rules), "Match", Name(m.ID)) + "\n" + t.Outcome(m))
		}
		return p.viewEnd(t, rec)
	}
	return p.viewPlay(t, rec, eye)
}

func viewOffer(t Tongue, rec storage.Record) chat.Message {
	m := rec.Match
	line := t.Say("offer.open", "From", Mention(m.Seats[0].Member))
	if m.Seats[1].Kind == game.MemberSeat {
		line = t.Say("offer.to", "From", Mention(m.Seats[0].Member), "To", Mention(m.Seats[1].Member))
	}
	lines := []string{"### " + t.Say("offer.title"), line, "**" + t.terms(m) + "**"}
	if m.Note != "" {
		lines = append(lines, "> "+Escape(m.Note))
	}
	if !m.Expires.IsZero() {
		lines = append(lines, "-# "+t.Say("offer.expires", "When", relative(m.Expires)))
	}
	row := []chat.Button{
		{ID: On(m, "accept", ""), Label: t.Say("button.accept"), Style: chat.Success},
		{ID: On(m, "decline", ""), Label: t.Say("button.decline"), Style: chat.Danger},
		{ID: On(m, "cancel", ""), Label: t.Say("button.cancel")},
	}
	if m.Seats[1].Kind != game.MemberSeat {
		row = []chat.Button{
			{ID: On(m, "accept", ""), Label: t.Say("button.join"), Style: chat.Success},
			{ID: On(m, "cancel", ""), Label: t.Say("button.cancel")},
		}
	}
	msg := chat.Message{Accent: accentOffer, Blocks: []chat.Block{{Text: strings.Join(lines, "\n")}, {Row: row}}}
	if m.Seats[1].Kind == game.MemberSeat {
		msg.Mention = m.Seats[1].Member
	}
	return msg
}

// The colors at a message's edge.
const (
	accentOffer = 0xE0A848
	accentBlack = 0x26282C
	accentWhite = 0xF2F0EA
	accentEnd   = 0x4F8A5B
)

func (p Painter) viewPlay(t Tongue, rec storage.Record, eye Eye) chat.Message {
	m := rec.Match
	lines := []string{t.Header(m), t.Seats(m)}
	if s := t.last(m); s != "" {
		lines = append(lines, s)
	}
	msg := chat.Message{Accent: accentWhite}
	if m.Game().Turn() == game.Black {
		msg.Accent = accentBlack
	}
	switch {
	case !m.Rested.IsZero() && BetweenEngines(m):
		lines = append(lines, t.Say("play.paused"))
	case !m.Rested.IsZero():
		lines = append(lines, t.Say("play.resting"))
	case m.EngineToMove():
		lines = append(lines, t.Say("play.thinking", "Level", m.Seats[m.ToMove()].Level))
	case !m.Deadline.IsZero():
		lines = append(lines, t.Say("play.deadline", "Who", t.Seat(m.Seats[m.ToMove()]), "When", relative(m.Deadline)))
	}
	if s := t.EngineLine(m); s != "" {
		lines = append(lines, "-# "+s)
	}
	if s := t.offerLine(m); s != "" {
		lines = append(lines, s)
	}
	if m.Played() == 0 && !m.EngineToMove() {
		key := "play.begin"
		if m.Rules == game.Reversi {
			key = "play.beginReversi"
		}
		lines = append(lines, "-# "+t.Say(key))
	}
	if m.Reminded && m.Seats[m.ToMove()].Kind == game.MemberSeat {
		lines = append(lines, t.Say("play.reminder", "Who", t.Seat(m.Seats[m.ToMove()])))
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Text: strings.Join(lines, "\n")}, p.Board(t, m, Options{frame: eye.frame(m)}))
	if BetweenEngines(m) {
		msg.Blocks = append(msg.Blocks, chat.Block{Row: watchButtons(t, m)})
		return msg
	}
	if !m.EngineToMove() {
		for _, row := range eye.rows(t, m) {
			msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
		}
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: controlRow(t, m, eye)})
	return msg
}

// controlRow is the last row of a running game: an open offer's answers, else the pad's
// arrows and the menu.
func controlRow(t Tongue, m game.Match, eye Eye) []chat.Button {
	switch {
	case m.Undoing.Open:
		return []chat.Button{
			{ID: On(m, "undoyes", ""), Label: t.Say("button.allow"), Style: chat.Success},
			{ID: On(m, "undono", ""), Label: t.Say("button.refuse"), Style: chat.Danger},
			{ID: On(m, "more", ""), Label: "⋯"},
		}
	case m.DrawBy != 0:
		return []chat.Button{
			{ID: On(m, "drawyes", ""), Label: t.Say("button.acceptDraw"), Style: chat.Success},
			{ID: On(m, "drawno", ""), Label: t.Say("button.refuseDraw"), Style: chat.Danger},
			{ID: On(m, "more", ""), Label: "⋯"},
		}
	case eye.Sure != game.NoPoint:
		return []chat.Button{
			{ID: On(m, "sure", eye.Sure.String()), Label: t.Say("button.playPoint", "Point", eye.Sure.String()), Style: chat.Success},
			{ID: On(m, "pad", eye.arg(0, 0)), Label: t.Say("button.back")},
			{ID: On(m, "more", ""), Label: "⋯"},
		}
	case m.EngineToMove():
		return []chat.Button{{ID: On(m, "undo", ""), Label: t.Say("button.undo")}, {ID: On(m, "more", ""), Label: "⋯"}}
	}
	return append(eye.arrows(m), chat.Button{ID: On(m, "more", ""), Label: "⋯"})
}

func (p Painter) viewEnd(t Tongue, rec storage.Record) chat.Message {
	m := rec.Match
	lines := []string{t.Header(m), t.Seats(m), "**" + t.Outcome(m) + "**"}
	if s := t.Ratings(rec); s != "" {
		lines = append(lines, s)
	}
	if s := t.EngineLine(m); s != "" {
		lines = append(lines, "-# "+s)
	}
	if m.Next != 0 {
		lines = append(lines, "-# "+t.Say("end.rematchMade", "Match", Name(m.Next)))
	} else if m.Again[0] != m.Again[1] {
		seat := 0
		if m.Again[1] {
			seat = 1
		}
		lines = append(lines, t.Say("end.wantsRematch", "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat])))
	}
	row := []chat.Button{
		{ID: On(m, "replay", fmt.Sprint(m.Game().Len())), Label: t.Say("button.replay")},
		{ID: On(m, "export", "gif"), Label: "GIF"},
		{ID: On(m, "export", "sgf"), Label: "SGF"},
	}
	if m.Next == 0 && m.Seats[0].Kind != game.FormerSeat && m.Seats[1].Kind != game.FormerSeat &&
		(m.Seats[0].Kind == game.MemberSeat || m.Seats[1].Kind == game.MemberSeat) {
		row = append([]chat.Button{{ID: On(m, "rematch", ""), Label: t.Say("button.rematch"), Style: chat.Primary}}, row...)
		if m.AgainstEngine() && m.Result().Cause < game.Aborted {
			row = append(row, chat.Button{ID: On(m, "undo", ""), Label: t.Say("button.undo")})
		}
	}
	return chat.Message{Accent: accentEnd, Blocks: []chat.Block{
		{Text: strings.Join(lines, "\n")}, p.Board(t, m, Options{}), {Row: row},
	}}
}

// Line is what is left of a board message once the board is shown elsewhere.
func Line(rec storage.Record, link string) chat.Message {
	t := In(rec.Match.Look.Language)
	s := "-# " + strings.TrimPrefix(t.Header(rec.Match), "### ")
	if ply := rec.Match.Game().Len(); ply > 0 {
		last := rec.Match.Game().Plies()[ply-1]
		s = fmt.Sprintf("-# %s %d. %v (%s)", Disc(last.Color), last.Number, last.Point, t.Rules(rec.Match.Rules))
	}
	if link != "" {
		s += " → " + link
	}
	return chat.Text(s)
}

// Options are how a board is asked for beyond the match's own look.
type Options struct {
	Numbers string // none, last, all; empty: the match's look
	Turned  bool
	frame   render.Frame // what the pad covers
}

// Board is the picture of a match with its description. Where drawing fails, which must
// not cost anybody a game, the board comes as text.
func (p Painter) Board(t Tongue, m game.Match, o Options) chat.Block {
	g := m.Game()
	opts := render.Options{
		Theme: m.Look.Theme, Turned: o.Turned,
		Forbidden: m.Phase == game.Playing, Legal: m.Phase == game.Playing,
		Numbers: Numbered(m.Look.Numbers), Frame: o.frame,
	}
	switch o.Numbers {
	case "none", "last", "few", "all":
		opts.Numbers = numbersNamed(o.Numbers)
	}
	begun := time.Now()
	png, err := Draw(render.PNG, g, opts)
	if err != nil {
		p.Log.Error("draw", "match", Name(m.ID), "err", err)
		return chat.Block{Text: plainBoard(g)}
	}
	if p.Drew != nil {
		p.Drew(time.Since(begun))
	}
	return chat.Block{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: t.Alt(m), Text: plainBoard(g)}}
}

// plainBoard is a board as text.
func plainBoard(g game.Game) string {
	return "```\n" + strings.TrimRight(render.Text(g, render.Options{}), "\n") + "\n```"
}

// fewNumbers is how many moves are numbered when only the last ones are.
const fewNumbers = 5

// Alt describes a board in words, for those who cannot see the picture.
func (t Tongue) Alt(m game.Match) string {
	f := render.FactsOf(m.Game())
	parts := []string{t.Say("alt.game", "Rules", t.Rules(f.Rules), "Number", f.Moves)}
	if r := m.Result(); r.Over() {
		parts = append(parts, t.outcomeBy(m, t.Color(r.Winner)))
	} else {
		parts = append(parts, t.Say("alt.turn", "Color", t.Color(f.Turn)))
	}
	if f.Last != game.NoPoint {
		parts = append(parts, t.Say("alt.last", "Point", f.Last.String()))
	}
	for _, side := range []struct {
		color  game.Color
		stones []game.Point
	}{{game.Black, f.Black}, {game.White, f.White}} {
		var names []string
		for _, p := range side.stones {
			names = append(names, p.String())
		}
		if len(names) > 0 {
			parts = append(parts, t.Say("alt.stones", "Color", t.Color(side.color), "Points", strings.Join(names, " "), "Count", len(names)))
		}
	}
	s := strings.Join(parts, " ")
	if r := []rune(s); len(r) > 1024 {
		s = string(r[:1023]) + "…"
	}
	return s
}

func Disc(c game.Color) string {
	switch c {
	case game.Black:
		return "⚫"
	case game.White:
		return "⚪"
	}
	return "▫️"
}

// Header names the game: "Renju · move 12 · #K7Q2".
func (t Tongue) Header(m game.Match) string {
	key, n := "play.header", m.Game().Len()+1
	if m.Phase == game.Over {
		key, n = "end.header", n-1
	}
	rules := t.Rules(m.Rules)
	if m.Phase == game.Playing && m.Rated && !m.Spoiled {
		rules += " · " + t.Say("terms.rated")
	}
	return "### " + t.Say(key, "Rules", rules, "Number", n, "Count", n, "Match", Name(m.ID))
}

// terms sums up what is offered.
func (t Tongue) terms(m game.Match) string {
	parts := []string{t.Rules(m.Rules)}
	switch m.Opening {
	case game.BalancedOpening:
		parts = append(parts, t.Say("terms.balanced"))
	case game.ImportedOpening:
		parts = append(parts, t.Say("terms.imported", "Number", len(m.Given)))
	}
	if m.First == game.Empty {
		parts = append(parts, t.Say("terms.anyColor"))
	} else {
		parts = append(parts, t.Say("terms.color", "Who", t.Seat(m.Seats[0]), "Color", t.Say("choice.color."+m.First.String())))
	}
	if m.PerMove > 0 {
		parts = append(parts, t.Say("terms.clock", "Time", t.duration(m.PerMove)))
	}
	if m.Rated {
		parts = append(parts, t.Say("terms.rated"))
	}
	return strings.Join(parts, " · ")
}

// Seat names who sits there.
func (t Tongue) Seat(s game.Seat) string {
	switch s.Kind {
	case game.MemberSeat:
		return Mention(s.Member)
	case game.EngineSeat:
		return t.Say("seat.engine", "Level", s.Level)
	case game.FormerSeat:
		return t.Say("seat.former")
	}
	return t.Say("seat.open")
}

// Seats shows who plays what, black first, with the count of discs in Reversi and a mark
// at the side to move.
func (t Tongue) Seats(m game.Match) string {
	if m.First == game.Empty { // the colors are not drawn yet
		return t.Seat(m.Seats[0]) + " · " + t.Seat(m.Seats[1])
	}
	black, white := game.Score(m.Game().Position())
	var lines [2]string
	for i, c := range []game.Color{game.Black, game.White} {
		s := Disc(c) + " " + t.Seat(m.Seats[m.SeatOfColor(c)])
		if m.Rules == game.Reversi {
			s += fmt.Sprintf(" **%d**", [2]int{black, white}[i])
		}
		if m.Phase == game.Playing && m.Game().Turn() == c {
			s += " ◀"
		}
		lines[i] = s
	}
	return lines[0] + "  " + lines[1]
}

// last tells the last move, and a pass that came with it.
func (t Tongue) last(m game.Match) string {
	plies := m.Game().Plies()
	if len(plies) == 0 {
		return ""
	}
	p := plies[len(plies)-1]
	s := t.Say("play.last", "Color", Disc(p.Color), "Number", p.Number, "Point", p.Point.String())
	if m.Phase == game.Playing && m.Game().Turn() == p.Color {
		s += " · " + t.Say("play.passes", "Color", t.Color(p.Color.Other()))
	}
	return s
}

// EngineLine tells what the engine did for its last move.
func (t Tongue) EngineLine(m game.Match) string {
	for i := len(m.Log) - 1; i >= max(0, len(m.Log)-2); i-- {
		if n := m.Log[i].Note; n.Level != 0 {
			key := "engine.line"
			switch {
			case n.Cut:
				key = "engine.cut"
			case n.Nodes <= 1:
				key = "engine.once" // a row of five, or the only move
			}
			// A hundredth of a second is as little as anybody wants to hear of.
			return t.Say(key, "Level", n.Level, "Depth", n.Depth, "Nodes", Thousands(n.Nodes),
				"Time", fmt.Sprintf("%.2f s", max(0.01, float64(n.Millis)/1000)))
		}
	}
	return ""
}

// offerLine tells of an open offer.
func (t Tongue) offerLine(m game.Match) string {
	switch {
	case m.Undoing.Open:
		seat := int(m.Undoing.By)
		var moves []string
		for _, p := range m.Game().Plies()[m.Undoing.To:] {
			moves = append(moves, fmt.Sprintf("%d. %v", p.Number, p.Point))
		}
		return t.Say("offer.undo", "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat]), "Moves", t.List(moves)) + t.Unrates(m)
	case m.DrawBy != 0:
		seat := int(m.DrawBy) - 1
		return t.Say("offer.draw", "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat]))
	}
	return ""
}

// Unrates says before a move is taken back what that costs.
func (t Tongue) Unrates(m game.Match) string {
	if !m.Rated || m.Spoiled {
		return ""
	}
	return "\n-# " + t.Say("offer.unrates")
}

// Outcome tells how the match ended and why.
func (t Tongue) Outcome(m game.Match) string {
	winner := ""
	if w := m.Result().Winner; w != game.Empty {
		winner = Disc(w) + " " + t.Seat(m.Seats[m.SeatOfColor(w)])
	}
	return t.outcomeBy(m, winner)
}

// outcomeBy is outcome with the winner's name given: an alt text cannot hold mentions.
func (t Tongue) outcomeBy(m game.Match, winner string) string {
	r := m.Result()
	var rows []string
	for _, row := range m.Game().Rows() {
		rows = append(rows, row.String())
	}
	black, white := m.Game().Position().Count(game.Black), m.Game().Position().Count(game.White)
	endBlack, endWhite := game.Score(m.Game().Position())
	key := "outcome." + Causes[r.Cause]
	if r.Cause == game.ByCount && r.Winner == game.Empty {
		key = "outcome.countDraw"
	} else if r.Cause == game.ByCount && black+white < 64 {
		key = "outcome.countEmpty"
	}
	return t.Say(key, "Winner", winner, "Color", t.Color(r.Winner), "Rows", t.List(rows),
		"Most", max(black, white), "Least", min(black, white), "EndMost", max(endBlack, endWhite), "EndLeast", min(endBlack, endWhite))
}

// Causes are the catalogue's names of the causes.
var Causes = [...]string{
	game.NoCause: "none", game.ByRow: "row", game.ByFullBoard: "full", game.ByNoMove: "noMove",
	game.ByCount: "count", game.ByResignation: "resignation", game.ByTimeout: "timeout",
	game.ByAgreement: "agreement", game.Aborted: "aborted", game.Abandoned: "abandoned",
	game.Declined: "declined", game.Canceled: "canceled", game.Expired: "expired",
}

// Ratings tells what the match did to the ratings of both.
func (t Tongue) Ratings(rec storage.Record) string {
	m := rec.Match
	if !m.Rated {
		return ""
	}
	switch between := m.Seats[0].Kind == game.MemberSeat && m.Seats[1].Kind == game.MemberSeat; {
	case m.Result().Cause >= game.Aborted || !between:
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
		if c := rec.Changes[i]; c.After != 0 {
			parts = append(parts, t.Say("end.rating", "Who", t.Seat(m.Seats[i]), "Before", int(c.Before+.5), "After", int(c.After+.5)))
		}
	}
	return strings.Join(parts, " · ")
}

// Mention is a member in a text.
func Mention(id game.MemberID) string { return fmt.Sprintf("<@%d>", id) }

func Channel(id uint64) string { return fmt.Sprintf("<#%d>", id) }

// Jump is a link to a message.
func Jump(p chat.Place, message uint64) string {
	if message == 0 {
		return ""
	}
	server := "@me"
	if p.Server != 0 {
		server = fmt.Sprint(p.Server)
	}
	return fmt.Sprintf("https://discord.com/channels/%s/%d/%d", server, p.Channel, message)
}

// relative is a time as Discord shows it: "in 5 minutes".
func relative(at time.Time) string { return fmt.Sprintf("<t:%d:R>", at.Unix()) }

// duration words a time per move.
func (t Tongue) duration(d time.Duration) string {
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

// Clip keeps the first n characters of a text.
func Clip(s string, n int) string {
	if r := []rune(strings.TrimSpace(s)); len(r) > n {
		return string(r[:n])
	}
	return strings.TrimSpace(s)
}

// Thousands is a count of nodes for people: 950, 12k, 1.3M.
func Thousands(n uint64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Escape keeps what a member typed from being anything but text.
func Escape(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\*_~`|>#[]()<@:-/", r):
			out.WriteRune('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
			out.WriteRune(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Numbered is how many of the last moves are numbered in a look.
func Numbered(n uint8) int { return numbersNamed(Numbers[min(int(n), len(Numbers)-1)]) }

// Numbers are the names of game.Look.Numbers.
var Numbers = [...]string{"none", "few", "all", "last"}

func numbersNamed(s string) int {
	return map[string]int{"last": 1, "few": fewNumbers, "all": render.All}[s]
}

// Title names a match in a line of plain text, for selects and autocomplete: names of
// members cannot be shown there, so it tells how the game stands.
func (t Tongue) Title(m game.Match, by game.MemberID) string {
	s := fmt.Sprintf("%s #%s", t.Rules(m.Rules), Name(m.ID))
	if m.Phase != game.Playing {
		return s
	}
	s += " · " + t.Say("title.move", "Number", m.Game().Len()+1)
	if TurnOf(by)(m) {
		s += " · " + t.Say("games.yourTurn")
	}
	return s
}

// BetweenEngines reports whether nobody but engines plays.
func BetweenEngines(m game.Match) bool {
	return m.Seats[0].Kind == game.EngineSeat && m.Seats[1].Kind == game.EngineSeat
}

// watchButtons are the buttons under a match between engines.
func watchButtons(t Tongue, m game.Match) []chat.Button {
	pause := chat.Button{ID: On(m, "pause", ""), Label: t.Say("button.pause")}
	if !m.Rested.IsZero() {
		pause = chat.Button{ID: On(m, "resume", ""), Label: t.Say("button.resume"), Style: chat.Primary}
	}
	return []chat.Button{pause, {ID: On(m, "stop", ""), Label: t.Say("button.stop"), Style: chat.Danger}}
}

// Playing wants a running match; turnOf one in which by is to move.
func Playing(m game.Match) bool { return m.Phase == game.Playing }

func TurnOf(by game.MemberID) func(game.Match) bool {
	return func(m game.Match) bool {
		seat, ok := m.SeatOf(by)
		return ok && Playing(m) && m.ToMove() == seat
	}
}
