package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tengen/game"
	"tengen/game/record"
)

type recordCmd struct {
	Show    recordShowCmd    `cmd:"" help:"Show a game record: its game, board, moves and notes."`
	Convert recordConvertCmd `cmd:"" help:"Write a game record in another format."`
}

// recordFlags say how a record is read.
type recordFlags struct {
	Rules string `help:"The rules, where the record does not tell them: ${rules}." placeholder:"R"`
	From  string `help:"The format of FILE, where its content does not tell it: ${formats}." placeholder:"F"`
}

type recordShowCmd struct {
	File   string `arg:"" help:"The record; - is stdin."`
	Format string `help:"Print the record in this format instead: ${formats}." placeholder:"F"`
	recordFlags
}

type recordConvertCmd struct {
	File   string `arg:"" help:"The record; - is stdin."`
	Out    string `arg:"" optional:"" help:"Where to write; without it or with -, stdout."`
	Format string `help:"The format to write, where the ending of OUT does not tell it: ${formats}." placeholder:"F"`
	recordFlags
}

// recordVars fill in the names in the help texts.
func recordVars() map[string]string {
	var rules, formats []string
	for _, r := range game.AllRules {
		rules = append(rules, r.Name())
	}
	for _, f := range record.Formats {
		formats = append(formats, string(f))
	}
	return map[string]string{"rules": strings.Join(rules, ", "), "formats": strings.Join(formats, ", ")}
}

// Run prints the record for people, or in another format.
func (c recordShowCmd) Run(ctx context.Context, s streams) error {
	if c.Format != "" {
		return recordConvertCmd{File: c.File, Format: c.Format, recordFlags: c.recordFlags}.Run(ctx, s)
	}
	r, err := c.read(ctx, c.File, s)
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, showRecord(r))
	return err
}

// Run reads one record and writes another, the file under a temporary name first.
func (c recordConvertCmd) Run(ctx context.Context, s streams) error {
	name := c.Format
	if name == "" {
		name = strings.ToLower(filepath.Ext(c.Out))
	}
	f, ok := record.FormatNamed(name)
	if !ok {
		return exit{2, fmt.Sprintf("which format? name it with --format: %s", recordVars()["formats"])}
	}
	r, err := c.read(ctx, c.File, s)
	if err != nil {
		return err
	}
	data, err := record.Write(f, r)
	if err != nil {
		return err
	}
	notes := r.Notes
	if out := record.LeavesOut(f, r); out != "" {
		notes = append(notes, out)
	}
	for _, note := range notes {
		fmt.Fprintln(s.err, "tengen: note:", note)
	}
	if c.Out == "" || c.Out == "-" {
		_, err = s.out.Write(data)
		return err
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return writeFile(c.Out, data)
}

// read reads the record in a file or, for -, on stdin.
func (c recordFlags) read(ctx context.Context, file string, s streams) (record.Record, error) {
	var hints record.Hints
	if c.Rules != "" {
		rules, ok := game.RulesNamed(c.Rules)
		if !ok {
			return record.Record{}, exit{2, fmt.Sprintf("unknown rules %q: the rules are %s", c.Rules, recordVars()["rules"])}
		}
		hints.Rules = rules
	}
	if c.From != "" {
		f, ok := record.FormatNamed(c.From)
		if !ok {
			return record.Record{},
				exit{2, fmt.Sprintf("unknown format %q: the formats are %s", c.From, recordVars()["formats"])}
		}
		hints.Format = f
	}
	data, err := readFile(ctx, file, s, record.MaxBytes)
	if err != nil {
		return record.Record{}, err
	}
	if file == "-" {
		file = "stdin"
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return record.Record{}, fmt.Errorf("%s is empty", file)
	}
	r, err := record.Read(data, hints)
	if err != nil {
		return record.Record{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

func showRecord(r record.Record) string {
	var s strings.Builder
	g := r.Game
	size := g.Rules().Size()
	fmt.Fprintf(&s, "%s %dx%d, %s, read as %s\n", g.Rules().Name(), size, size, plural(g.Len(), "move"), r.Format)
	for _, f := range []struct{ name, value string }{
		{"black", r.Black}, {"white", r.White}, {"event", r.Event}, {"date", r.Date},
	} {
		if f.value != "" {
			fmt.Fprintf(&s, "%s: %s\n", f.name, f.value)
		}
	}
	if r.Opening.Protocol.Valid() {
		fmt.Fprintf(&s, "opening: %s\n", r.Opening)
	}
	fmt.Fprintf(&s, "result: %s\n", resultText(g, r.Result))
	s.WriteString("\n" + boardText(g))
	if g.Len() > 0 {
		s.WriteString("\n" + movesText(g))
	}
	for i, c := range r.Comments {
		if i == 0 {
			s.WriteString("\n")
		}
		where := "before the first move"
		if c.After > 0 {
			where = fmt.Sprintf("after move %d", c.After)
		}
		fmt.Fprintf(&s, "%s: %s\n", where, strings.ReplaceAll(c.Text, "\n", "\n    "))
	}
	fmt.Fprintf(&s, "\nposition line: %s\n", record.FormatLine(g))
	for _, n := range r.Notes {
		fmt.Fprintf(&s, "note: %s\n", n)
	}
	return s.String()
}

func plural(n int, noun string) string {
	stem, inY := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return "1 " + noun
	case inY:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// resultText says how a game ended.
func resultText(g game.Game, r game.Result) string {
	who := r.Winner.String() + " wins"
	if r.Draw() {
		who = "draw"
	}
	switch r.Termination {
	case game.NotOver:
		if r.Winner != game.Empty {
			return who
		}
		return g.Turn().String() + " to move"
	case game.ByRow:
		var rows []string
		for _, row := range g.Rows() {
			rows = append(rows, row.String())
		}
		return who + " by " + strings.Join(rows, " and ")
	case game.ByFullBoard:
		return who + ", the board is full"
	case game.ByNoMove:
		return who + ", black has nothing but forbidden points left"
	case game.ByCount:
		black, white := game.Score(g.Position())
		return fmt.Sprintf("%s %d-%d", who, black, white)
	case game.ByResignation:
		return who + " by resignation"
	case game.ByTimeout:
		return who + " on time"
	case game.ByAgreement:
		return who
	}
	return "none"
}

// boardText draws the board with its letters and numbers, the last move in brackets.
func boardText(g game.Game) string {
	var s strings.Builder
	b, size := g.Position(), g.Rules().Size()
	letters := "   "
	for col := range size {
		letters += fmt.Sprintf(" %c", 'A'+col)
	}
	s.WriteString(letters + "\n")
	for i := range size {
		row := size - 1 - i
		if g.Rules().TopDown() {
			row = i
		}
		fmt.Fprintf(&s, "%3d", row+1)
		for col := range size {
			p := game.At(col, row)
			before := " "
			switch g.Last() {
			case p:
				before = "("
			case game.At(col-1, row):
				if col > 0 {
					before = ")"
				}
			}
			fmt.Fprintf(&s, "%s%c", before, ".XO"[b.At(p)])
		}
		if g.Last() == game.At(size-1, row) {
			s.WriteString(")")
		}
		s.WriteString("\n")
	}
	return s.String()
}

// movesText lists the moves, ten a line, with the passes of Reversi.
func movesText(g game.Game) string {
	var s strings.Builder
	for _, m := range g.Plies() {
		if m.Number%10 == 1 {
			if m.Number > 1 {
				s.WriteString("\n")
			}
			fmt.Fprintf(&s, "%3d.", m.Number)
		}
		if m.Passed {
			fmt.Fprintf(&s, " (%s passes)", m.Color.Other())
		}
		s.WriteString(" " + m.Point.String())
	}
	return s.String() + "\n"
}
