package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/opening"
	"tengen/game/record"
	"tengen/game/study"
	"tengen/render"
)

// Loaded shows a record: the board, the facts, and the ways on. at names the record in presses: by its
// match or by its argument. Where it has neither there is no way on. analyze is the press that leads to the analysis
// board.
func (t Tongue) Loaded(rec record.Record, at Press, analyze string) (chat.Message, error) {
	g := rec.Game
	png, err := Draw(render.PNG, g, render.Options{Numbers: render.All})
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	lines := []string{t.Line("**"+t.Rules(g.Rules())+"**", t.Say("title.moves", "Count", g.Len()))}
	if black, white := Typed(rec.Black, 60), Typed(rec.White, 60); black != "" || white != "" {
		lines = append(lines, fmt.Sprintf("⚫ %s  ⚪ %s", Escape(black), Escape(white)))
	}
	if c, ok := game.ParseClock(rec.Clock.String()); ok && c == rec.Clock && c != (game.Clock{}) {
		lines = append(lines, t.Clock(rec.Clock))
	}
	if res := rec.Result; res.Winner != game.Empty {
		lines = append(lines, t.Say("won."+res.Winner.String()))
	}
	for _, n := range rec.Notes[:min(len(rec.Notes), 3)] {
		lines = append(lines, "-# "+Escape(Typed(n, 200)))
	}
	msg := chat.Private(strings.Join(lines, "\n"),
		chat.Block{Picture: &chat.Picture{Name: "record.png", Data: png, Alt: t.AltMoves(g), Text: PlainBoard(g)}})
	var row []chat.Button
	if g.Turn() != game.Empty && at != (Press{}) {
		row = append(row, chat.Button{ID: at.Of("load"), Label: t.Say("button.playOn"), Style: chat.Primary},
			chat.Button{ID: at.Of("lend"), Label: t.Say("button.challenge")})
	}
	if g.Len() > 0 && at != (Press{}) {
		row = append(row, t.ReviewRecord(at))
	}
	if analyze != "" {
		row = append(row, chat.Button{ID: analyze, Label: t.Say("button.analyze")})
	}
	return msg.WithRow(row...), nil
}

// ReadRecord reads a game from a member's file or text, with its branches, names and notes: tree is the zero Study
// where there are none. Its errors are refusals.
func ReadRecord(data []byte, rules game.Rules) (rec record.Record, tree study.Study, err error) {
	if rec, err = readRecord(data, rules); err != nil {
		return rec, tree, err
	}
	line, err := study.Of(rec.Game)
	if err != nil { // longer than a study
		return rec, tree, nil
	}
	tree, whole, err := record.ReadStudy(fence(data), record.Hints{Rules: rules})
	if err != nil || tree.Equal(line) {
		return rec, study.Study{}, nil
	}
	if whole {
		rec.Notes = slices.DeleteFunc(rec.Notes, record.OnlyMain)
	}
	return rec, tree, nil
}

func readRecord(data []byte, rules game.Rules) (record.Record, error) {
	if len(strings.TrimSpace(string(data))) == 0 {
		return record.Record{}, No("import.nothing")
	}
	rec, err := record.Read(fence(data), record.Hints{Rules: rules})
	var wrong *record.MoveError
	var rule *game.Refusal
	switch {
	case errors.As(err, &wrong) && errors.As(err, &rule) && rule.Code == game.GameOver:
		return rec, No("import.after", "Number", wrong.Number-1, "Text", Escape(Typed(wrong.Text, 20)))
	case errors.As(err, &wrong):
		return rec, No("import.move", "Number", wrong.Number, "Text", Escape(Typed(wrong.Text, 20)))
	case errors.Is(err, record.ErrElsewhere):
		return rec, No("import.elsewhere")
	case err != nil:
		return rec, No("import.unknown")
	}
	return rec, nil
}

// fence removes the code fence that members put around a record.
func fence(data []byte) []byte {
	s := strings.TrimSpace(string(data))
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		rest = strings.TrimSuffix(strings.TrimSpace(rest), "```")
		return []byte(strings.TrimSpace(rest))
	}
	return data
}

// ErrNoFormat is the error for a format in which games are not exported.
var ErrNoFormat = errors.New("no such format of a record")

// File is a match as a record in a format. Members are numbered, not named: no name is stored.
func File(m game.Match, format string) ([]byte, error) {
	if format == "txt" {
		return []byte(record.FormatLine(m.Game()) + "\n\n" + render.Text(m.Game(), render.Options{}) + "\n"), nil
	}
	f, ok := record.FormatNamed(format)
	if !ok {
		return nil, ErrNoFormat
	}
	return record.Write(f, recordOf(m))
}

// StonesOnly reports whether a format keeps the stones of the match's opening but not its decisions.
func StonesOnly(m game.Match, format string) bool {
	f, ok := record.FormatNamed(format)
	return ok && record.LeavesOut(f, recordOf(m)) != ""
}

func recordOf(m game.Match) record.Record {
	out := record.Record{Game: m.Game(), Date: m.Created.Format("2006-01-02"), Event: "tengen " + Key(m.ID),
		Result: m.Result(), Clock: m.SharedClock()}
	if m.First != game.Empty { // Empty: the colors are not drawn yet
		out.Black, out.White = SeatName(m.Seats[m.SeatOfColor(game.Black)]), SeatName(m.Seats[m.SeatOfColor(game.White)])
	}
	out.Opening, _ = opening.Of(m)
	return out
}

// SeatName names the player of a seat in a file. Members have their ids, since no names are stored.
func SeatName(s game.Seat) string {
	switch s.Kind {
	case game.MemberSeat:
		return fmt.Sprintf("member %d", s.Member)
	case game.EngineSeat:
		if s.Guest != "" {
			return s.Guest
		}
		return fmt.Sprintf("tengen level %d", s.Level)
	case game.FormerSeat:
		return "a former member"
	}
	return ""
}
