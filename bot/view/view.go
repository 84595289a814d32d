// Package view turns a stored match into a message: the board with its description, the text beside
// it, the pad and the buttons. The message depends on the match alone: package view reads no
// store, sends nothing and changes nothing. Start from Painter.Match.
package view

import (
	"log/slog"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Painter draws boards, and reports how long that took.
type Painter struct {
	Log  *slog.Logger
	Drew func(took time.Duration)                            // hears how long a board took; nil: nobody does
	Draw func(g game.Game, o render.Options) ([]byte, error) // draws a board; nil: render.PNG
	Page bool                                                // running matches have a button that opens the page

	// Bulletin is what the operator says under the boards of running matches; nil, or empty: nothing.
	Bulletin func() string
}

// picture draws a board when it is its turn.
func (p Painter) picture(g game.Game, o render.Options) ([]byte, error) {
	if p.Draw == nil {
		return Draw(render.PNG, g, o)
	}
	return Draw(p.Draw, g, o)
}

// Match is a match as a message, with the given pad and card, in the match's own language.
func (p Painter) Match(rec storage.Record, at pad.Pad, card Card) chat.Message {
	m := rec.Match
	t := In(rec.Look.Language)
	switch m.Phase {
	case game.Offered:
		return viewOffer(t, rec)
	case game.Over:
		if m.Game().Len() == 0 || m.First == game.Empty {
			msg := chat.Text(strings.TrimSuffix(t.Header(m)+"\n"+t.outcome(m, card.Ruling)+"\n"+t.replayed(m), "\n"))
			if around := aroundButton(t, rec); around.ID != "" {
				msg = msg.WithRow(around)
			}
			return msg
		}
		return p.viewEnd(t, rec, card)
	}
	msg := p.viewPlay(t, rec, at, card)
	if p.Page {
		msg = beside(t, m, msg)
	}
	if p.Page && m.Fast() {
		msg = below(msg, "-# "+t.Say("pages.fast"))
	}
	if p.Bulletin != nil {
		if text := p.Bulletin(); text != "" {
			msg = below(msg, "-# "+t.Say("board.bulletin", "Text", Escape(text)))
		}
	}
	return msg
}

// ColorArg is the color of the challenger in a custom id: by lot, Black or White.
func ColorArg(c game.Color) string { return [...]string{"lot", "black", "white"}[c] }

// ColorOfArg reads a ColorArg.
func ColorOfArg(s string) (c game.Color, ok bool) {
	for c := range game.White + 1 {
		if ColorArg(c) == s {
			return c, true
		}
	}
	return game.Empty, false
}

func viewOffer(t Tongue, rec storage.Record) chat.Message {
	m := rec.Match
	line := t.Say("offer.open", "From", Mention(m.Seats[0].Member))
	if m.Seats[1].Kind == game.MemberSeat {
		line = t.Say("offer.to", "From", Mention(m.Seats[0].Member), "To", Mention(m.Seats[1].Member))
	}
	lines := []string{"### " + t.Say("offer.title"), line, "**" + t.Terms(m) + "**"}
	if m.Note != "" {
		lines = append(lines, "> "+Escape(m.Note))
	}
	if m.Fast() {
		lines = append(lines, "-# "+t.Say("offer.fast"))
	}
	if m.RatedBy != 0 {
		lines = append(lines, t.Say("offer.rated", "Who", t.Seat(m.Seats[m.RatedBy-1])))
	}
	if !m.Expires.IsZero() {
		lines = append(lines, "-# "+t.Say("offer.expires", "When", Relative(m.Expires)))
	}
	change := t.Say("button.color")
	if m.Protocol != nil {
		change = t.Say("button.opener")
	}
	row := append(t.Answers(m),
		chat.Button{ID: On(m, "color", ColorArg((m.First+1)%3)), Label: change})
	switch {
	case m.Rated:
		row = append(row, chat.Button{ID: On(m, "casual", ""), Label: t.Say("button.casual")})
	case m.MayRate():
		row = append(row, chat.Button{ID: On(m, "rated", ""), Label: t.Say("button.rated")})
	}
	row = append(row, chat.Button{ID: On(m, "cancel", ""), Label: t.Say("button.cancel")})
	msg := chat.Message{Accent: accentOffer, Blocks: []chat.Block{{Text: strings.Join(lines, "\n")}, {Row: row}}}
	if m.Seats[1].Kind == game.MemberSeat {
		msg.Mention = m.Seats[1].Member
	}
	return msg
}

// Answers are the buttons by which a challenge is answered.
func (t Tongue) Answers(m game.Match) []chat.Button {
	accept := chat.Button{ID: On(m, "accept", ColorArg(m.First)), Label: t.Say("button.join"), Style: chat.Success}
	if m.Seats[1].Kind != game.MemberSeat {
		return []chat.Button{accept}
	}
	accept.Label = t.Say("button.accept")
	return []chat.Button{accept,
		{ID: On(m, "decline", ""), Label: t.Say("button.decline"), Style: chat.Danger}}
}

// The colors at a message's edge.
const (
	accentOffer = 0xE0A848
	accentBlack = 0x26282C
	accentWhite = 0xF2F0EA
	accentEnd   = 0x4F8A5B
)

func (p Painter) viewPlay(t Tongue, rec storage.Record, at pad.Pad, card Card) chat.Message {
	m := rec.Match
	lines := []string{t.Header(m), t.seats(m, rec.Look.Theme), t.state(m)}
	msg := chat.Message{Accent: accentWhite}
	if m.ColorOf(m.ToMove()) == game.Black {
		msg.Accent = accentBlack
	}
	if s := t.EngineLine(rec); s != "" {
		lines = append(lines, "-# "+s)
	}
	if s := t.Crossed(m); s != "" {
		lines = append(lines, Legend(s))
	}
	if s := t.offerLine(m); s != "" {
		lines = append(lines, s)
	}
	if s := t.Suggested(card.Next); s != "" && card.Next.Level == engineOf(m) {
		lines = append(lines, "-# "+s)
	}
	if s := t.offered(m); s != "" {
		lines = append(lines, s)
	}
	if m.Played() == 0 && !m.EngineToMove() {
		lines = append(lines, "-# "+t.begin(m, at))
		if card.Outside {
			lines = append(lines, "-# "+t.Say("play.guest"))
		}
	}
	if s := t.awaited(rec); s != "" {
		lines = append(lines, "-# "+s)
	}
	if m.Reminded && m.Seats[m.ToMove()].Kind == game.MemberSeat {
		lines = append(lines, t.Say("play.reminder", "Who", t.Seat(m.Seats[m.ToMove()])))
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Text: strings.Join(lines, "\n")}, p.Board(t, rec, Options{pad: &at}))
	if row := watchButtons(t, rec); BetweenEngines(m) && len(row) > 0 {
		return msg.WithRow(row...)
	}
	switch {
	case padded(m):
		for _, row := range at.Rows(groundOf(t, m, at)) {
			for i := range row { // while the engine thinks, the board keeps its height
				row[i].Disabled = row[i].Disabled || m.EngineToMove()
			}
			msg = msg.WithRow(row...)
		}
	case !m.EngineToMove():
		msg.Blocks = append(msg.Blocks, t.answers(m, at)...)
	}
	return msg.WithRow(controlRow(t, m, at)...)
}

// begin says how a game begins.
func (t Tongue) begin(m game.Match, at pad.Pad) string {
	switch {
	case m.Deciding():
		return t.Say("stage.begin")
	case m.Rules == game.Reversi:
		return t.Say("play.beginReversi")
	}
	var ways []string
	for _, b := range at.Moves(groundOf(t, m, at)) {
		ways = append(ways, b.Label)
	}
	return t.Say("play.begin", "Ways", strings.Join(ways, " "))
}

// awaited says until when those who have not come to a match of an event are waited for, and what it costs them;
// empty where all have come.
func (t Tongue) awaited(rec storage.Record) string {
	m := rec.Match
	var away []string
	for seat, s := range m.Seats {
		if !m.Present(seat) {
			away = append(away, t.Seat(s))
		}
	}
	half := m.Created.Add(m.Begin)
	switch {
	case m.Begin == 0 || len(away) == 0 || !m.Rested.IsZero():
		return ""
	case m.Begin > m.Clock.First() && m.Updated.Before(half):
		return t.Say("event.awaited.half", "Who", away, "When", Relative(half))
	case m.Begin > m.Clock.First():
		return t.Say("event.awaited.late", "Who", away)
	case m.Deadline.IsZero():
		return ""
	}
	other := 1 - m.ToMove()
	if m.Present(other) {
		return t.Say("event.awaited.first", "Who", t.Seat(m.Seats[1-other]))
	}
	return t.Say("event.awaited.both", "Who", t.Seat(m.Seats[1-other]), "Other", t.Seat(m.Seats[other]))
}

// groundOf is what the pad of a match lies on.
func groundOf(t Tongue, m game.Match, at pad.Pad) pad.Ground {
	return pad.Of(m, pad.Buttons{
		Play:  func(p game.Point) string { return On(m, "play", at.Point(p)) },
		Move:  func(arg string) string { return On(m, "pad", arg) },
		Stone: Disc, Back: t.Say("button.back"),
	})
}

// controlRow is the last row of a running game: the answers to what is offered, else the
// pad's moves and the menu. An undo request and a draw offer may stand beside one another;
// then the buttons say which of the two they answer.
func controlRow(t Tongue, m game.Match, at pad.Pad) []chat.Button {
	switch {
	case m.Undoing.Open && m.DrawBy != 0:
		return []chat.Button{
			{ID: On(m, "undoyes", ""), Label: t.Say("button.allowUndo"), Style: chat.Success},
			{ID: On(m, "undono", ""), Label: t.Say("button.refuseUndo"), Style: chat.Danger},
			{ID: On(m, "drawyes", ""), Label: t.Say("button.acceptDraw"), Style: chat.Success},
			{ID: On(m, "drawno", ""), Label: t.Say("button.refuseThatDraw"), Style: chat.Danger},
			moreButton(m),
		}
	case m.Undoing.Open:
		return []chat.Button{
			{ID: On(m, "undoyes", ""), Label: t.Say("button.allow"), Style: chat.Success},
			{ID: On(m, "undono", ""), Label: t.Say("button.refuse"), Style: chat.Danger},
			moreButton(m),
		}
	case m.DrawBy != 0:
		return []chat.Button{
			{ID: On(m, "drawyes", ""), Label: t.Say("button.acceptDraw"), Style: chat.Success},
			{ID: On(m, "drawno", ""), Label: t.Say("button.refuse"), Style: chat.Danger},
			moreButton(m),
		}
	case at.Sure != game.NoPoint:
		return []chat.Button{
			{ID: On(m, "sure", at.Sure.String()), Label: t.sure(m, at.Sure), Style: chat.Success},
			{ID: On(m, "pad", at.Arg("back")), Label: t.Say("button.back")},
			moreButton(m),
		}
	case m.EngineToMove():
		return []chat.Button{{ID: On(m, "undo", ""), Label: t.Say("button.undo")}, moreButton(m)}
	}
	var row []chat.Button
	if padded(m) {
		row = append(at.Moves(groundOf(t, m, at)), t.unoffer(m)...)
	}
	return append(row, moreButton(m))
}

func (p Painter) viewEnd(t Tongue, rec storage.Record, card Card) chat.Message {
	m := rec.Match
	lines := []string{t.Header(m), t.seats(m, rec.Look.Theme), "**" + t.outcome(m, card.Ruling) + "**"}
	if s := t.Ratings(rec, card.Unsettled); s != "" {
		lines = append(lines, s)
	}
	lines = append(lines, t.cardLines(m, card)...)
	if s := t.EngineLine(rec); s != "" {
		lines = append(lines, "-# "+s)
	}
	if s := t.replayed(m); s != "" {
		lines = append(lines, s)
	} else if m.Next != 0 {
		lines = append(lines, "-# "+t.Say("end.rematchMade", "Match", Name(m.Next)))
	} else if s := t.wantsAgain(m); s != "" {
		lines = append(lines, s)
	}
	blocks := []chat.Block{{Text: strings.Join(lines, "\n")}, p.Board(t, rec, Options{Ruling: card.Ruling})}
	return chat.Message{Accent: accentEnd, Blocks: append(blocks, endRows(t, rec, card)...)}
}

// wantsAgain says who asks for another game; empty where nobody waits for the other.
func (t Tongue) wantsAgain(m game.Match) string {
	if m.Next != 0 || m.Again[0] == m.Again[1] {
		return ""
	}
	seat := 0
	if m.Again[1] {
		seat = 1
	}
	key := "end.wantsRematch"
	if m.AgainBalanced {
		key = "end.wantsBalanced"
	}
	return t.Say(key, "Who", t.Seat(m.Seats[seat]), "Other", t.Seat(m.Seats[1-seat]))
}

// replayed says which match takes the place of one that a manager has stopped; empty where none does.
func (t Tongue) replayed(m game.Match) string {
	if m.Result().Termination != game.Aborted || m.Next == 0 || m.Again != [2]bool{} { // a rematch is wanted by somebody
		return ""
	}
	return t.Say("end.replayed", "Match", Name(m.Next))
}

// Line takes the place of a board whose match is now shown in another message.
func Line(rec storage.Record, link string) chat.Message {
	t := In(rec.Look.Language)
	s := "-# " + strings.TrimPrefix(t.Header(rec.Match), "### ")
	if ply := rec.Match.Game().Len(); ply > 0 {
		last := rec.Match.Game().Plies()[ply-1]
		s = "-# " + t.Line(t.ply(last), t.Rules(rec.Match.Rules))
	}
	return chat.Text(t.Line(s, link))
}

// Options change a board from the match's own look.
type Options struct {
	Numbers string // none, last, all; empty: the match's look
	Turned  bool
	Ruling  Ruling
	pad     *pad.Pad // is marked on the board; nil: none is
}

// Board is the picture of a match with its description. Where drawing fails, the board comes as text,
// so that the failure costs nobody a game.
func (p Painter) Board(t Tongue, rec storage.Record, o Options) chat.Block {
	m, g := rec.Match, rec.Game()
	opts := render.Options{
		Theme: rec.Look.Theme, Turned: o.Turned,
		Forbidden: m.Phase == game.Playing, Legal: m.Phase == game.Playing,
		Numbers: Numbered(rec.Look.Numbers),
	}
	if m.Phase == game.Playing {
		opts.Frames, opts.Marks = stage(m)
	}
	if o.pad != nil {
		opts.Marks = append(opts.Marks, marksOf(*o.pad, m)...)
		if !m.EngineToMove() && padded(m) {
			opts.Frames = append(opts.Frames, o.pad.Frames(groundOf(t, m, *o.pad))...)
		}
	}
	switch o.Numbers {
	case "none", "last", "few", "all":
		opts.Numbers = numbersNamed(o.Numbers)
	}
	begun := time.Now()
	png, err := p.picture(g, opts)
	if err != nil {
		p.Log.Error("draw", "match", Name(m.ID), "err", err)
		return chat.Block{Text: PlainBoard(g)}
	}
	if p.Drew != nil {
		p.Drew(time.Since(begun))
	}
	return chat.Block{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: t.Alt(m, o.Ruling), Text: PlainBoard(g)}}
}

// PlainBoard is a board as text, for places where no picture can be shown.
func PlainBoard(g game.Game) string {
	return "```\n" + strings.TrimRight(render.Text(g, render.Options{}), "\n") + "\n```"
}

// fewNumbers is how many moves the setting "few" numbers.
const fewNumbers = 5

// Alt describes a board in words, for those who cannot see the picture. How the match ended stands in the text
// above it: here only who has won.
func (t Tongue) Alt(m game.Match, by Ruling) string {
	f := render.FactsOf(m.Game())
	parts := []string{t.altGame(m.Game())}
	switch r := m.Result(); {
	case r.Over() && by != "" && !onBoard(m): // what was ruled names members, and an alt text cannot
	case r.Winner != game.Empty:
		parts = append(parts, t.Say("won."+r.Winner.String()))
	case r.Over():
		parts = append(parts, t.played(m))
	case m.Deciding():
		parts = append(parts, t.Say("alt.stage", "Opening", t.Opening(OpeningName(m.Terms)),
			"Asked", t.asked(m, t.color(m.ColorOf(m.ToMove())))), t.offered(m))
	default:
		parts = append(parts, t.Turn(f.Turn))
	}
	parts = append(parts, t.altLast(m.Game()), t.Crossed(m), t.Stones(f))
	s := t.Sentences(parts...)
	if r := []rune(s); len(r) > 1024 {
		s = string(r[:1023]) + "…"
	}
	return s
}

// Turn says which color is to move; empty where none is.
func (t Tongue) Turn(c game.Color) string {
	if c == game.Empty {
		return ""
	}
	return t.Say("turn." + c.String())
}

// AltMoves says in an alt text which game it is, how many moves were played, and which was the last one.
func (t Tongue) AltMoves(g game.Game) string { return t.Sentences(t.altGame(g), t.altLast(g)) }

func (t Tongue) altGame(g game.Game) string {
	return t.Say("alt.game", "Rules", t.Rules(g.Rules()), "Number", g.Len())
}

// altLast is empty where there is no last move.
func (t Tongue) altLast(g game.Game) string {
	if g.Last() == game.NoPoint {
		return ""
	}
	return t.Say("alt.last", "Point", g.Last().String())
}

// Stones says where the stones of each color are, for those who cannot see the picture. A color without
// stones is left out.
func (t Tongue) Stones(f render.Facts) string {
	var said []string
	for _, side := range []struct {
		color  game.Color
		stones []game.Point
	}{{game.Black, f.Black}, {game.White, f.White}} {
		if len(side.stones) == 0 {
			continue
		}
		var names []string
		for _, p := range side.stones {
			names = append(names, p.String())
		}
		said = append(said, t.Say("alt.stones."+side.color.String(), "Points", strings.Join(names, " "), "Count", len(names)))
	}
	return t.Sentences(said...)
}

// Crossed says what the crosses on the board of a running match mean; empty where there are
// none.
func (t Tongue) Crossed(m game.Match) string {
	if m.Phase != game.Playing {
		return ""
	}
	return t.CrossedOn(m.Game())
}

// Legend is what Crossed says as a line under a board.
func Legend(crossed string) string { return "-# ✕ " + crossed }

// mostCrossed is how many crossed points are named.
const mostCrossed = 8

// CrossedOn names the points that are crossed out on the board of g, each with its reason.
func (t Tongue) CrossedOn(g game.Game) string {
	var points []string
	for i, r := range g.Forbidden() {
		if i == mostCrossed {
			points = append(points, "…")
			break
		}
		points = append(points, t.Aside(r.Point.String(), t.Say("forbidden."+r.Code.Why())))
	}
	if len(points) == 0 {
		return ""
	}
	return t.Say("play.crossed", "Points", points)
}

// Numbered is how many of the last moves have numbers, for a storage.Look.Numbers.
func Numbered(n uint8) int { return numbersNamed(Numbers[min(int(n), len(Numbers)-1)]) }

// Numbers are the names of storage.Look.Numbers.
var Numbers = [...]string{"none", "few", "all", "last"}

func numbersNamed(s string) int {
	return map[string]int{"last": 1, "few": fewNumbers, "all": render.All}[s]
}

// BetweenEngines reports whether engines play both sides.
func BetweenEngines(m game.Match) bool {
	return m.Seats[0].Kind == game.EngineSeat && m.Seats[1].Kind == game.EngineSeat
}

// watchButtons are the buttons under a match between engines. One of an event goes on to its end.
func watchButtons(t Tongue, rec storage.Record) (row []chat.Button) {
	m := rec.Match
	switch {
	case !m.Rested.IsZero():
		row = append(row, chat.Button{ID: On(m, "resume", ""), Label: t.Say("button.resume"), Style: chat.Primary})
	case !rec.Contest():
		row = append(row, chat.Button{ID: On(m, "pause", ""), Label: t.Say("button.pause")})
	}
	if !rec.Contest() {
		row = append(row, chat.Button{ID: On(m, "stop", ""), Label: t.Say("button.stop"), Style: chat.Danger})
	}
	return row
}

// Playing reports whether a match is running.
func Playing(m game.Match) bool { return m.Phase == game.Playing }

// Sits reports whether a member plays in a match.
func Sits(m game.Match, by game.MemberID) bool { _, ok := m.SeatOf(by); return ok }

// TurnOf reports whether by is to move in a match.
func TurnOf(by game.MemberID) func(game.Match) bool {
	return func(m game.Match) bool {
		seat, ok := m.SeatOf(by)
		return ok && Playing(m) && m.ToMove() == seat
	}
}
