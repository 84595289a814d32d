package record

import (
	"fmt"
	"strings"

	"tengen/game"
	"tengen/game/study"
)

// WriteStudy writes a study as SGF: its branches as variations, names and notes as N and C. What r tells beside its
// game stands at the beginning. ReadStudy reads the same study back.
func WriteStudy(s study.Study, r Record) []byte {
	r.Game = s.GameAt(0)
	r = tidy(r)
	w := studyWriter{study: s, point: sgfLetters(s.Rules())}
	writeSGFRoot(&w.text, r, "", w.point)
	w.texts(0)
	w.next(0)
	return []byte(w.text.String() + ")\n")
}

type studyWriter struct {
	study study.Study
	point func(game.Point) string
	text  strings.Builder
}

// next writes what follows a node: in parentheses where that are several branches.
func (w *studyWriter) next(n int) {
	for next := w.study.Next(n); len(next) > 0; next = w.study.Next(n) {
		if len(next) == 1 {
			n = next[0]
			w.node(n)
			continue
		}
		for _, branch := range next {
			w.text.WriteString("\n(")
			w.node(branch)
			w.next(branch)
			w.text.WriteByte(')')
		}
		return
	}
}

func (w *studyWriter) node(n int) {
	up := w.study.Up(n)
	side := w.study.GameAt(up).Turn()
	if up > 0 && w.study.GameAt(w.study.Up(up)).Turn() == side { // the other side has passed
		fmt.Fprintf(&w.text, ";%s[]", colorNames[side.Other()])
	}
	fmt.Fprintf(&w.text, ";%s[%s]", colorNames[side], w.point(w.study.Move(n)))
	w.texts(n)
}

func (w *studyWriter) texts(n int) {
	w.property("N", w.study.Name(n))
	w.property("C", w.study.Note(n))
}

func (w *studyWriter) property(name, text string) {
	if text != "" {
		fmt.Fprintf(&w.text, "%s[%s]", name, escapes.Replace(text))
	}
}

// ReadStudy reads the first game in data as Read does, and of SGF the variations with names and comments too, as far
// as a study holds them. whole is false where something of that is left out. The cursor is at the beginning.
func ReadStudy(data []byte, hints Hints) (s study.Study, whole bool, err error) {
	r, err := Read(data, hints)
	if err != nil {
		return s, false, err
	}
	if s, err = study.Of(r.Game); err != nil || r.Format != SGF && r.Format != SGFEdax {
		return s, err == nil, err
	}
	begin, err := study.Of(r.Game.Until(0))
	if err != nil {
		return s, false, err
	}
	text, _ := decode(data)
	b := branches{study: begin, whole: true}
	if b.read(text); b.study.First().Last().Game().Until(r.Game.Len()).Equal(r.Game) {
		return b.study.First(), b.whole, nil
	}
	return s, false, nil // an old way of writing that has no variations
}

// onlyMain ends the note of a record whose variations Read has left out.
const onlyMain = " left out: only the main line is read"

// OnlyMain reports whether a note of a record says that its variations are left out, which holds for Read alone.
func OnlyMain(note string) bool { return strings.HasSuffix(note, onlyMain) }

// branches reads the variations of SGF into a study. A variation that the rules refuse ends there.
type branches struct {
	study study.Study
	whole bool
	cut   bool  // the variation has ended
	open  []int // the nodes at which variations began; -1: one that had ended
}

func (b *branches) read(text string) {
	at := sgfBeginning.FindStringIndex(text)
	if at == nil {
		return
	}
	for i := at[0]; i < len(text); {
		switch c := text[i]; {
		case c == '(':
			b.begin()
		case c == ')':
			if b.end(); len(b.open) == 0 {
				return
			}
		case isIdent(c):
			i = b.property(text, i)
			continue
		case c == '[': // a value without a name
			_, i, _ = value(text, i, false)
			continue
		}
		i++
	}
}

func (b *branches) begin() {
	at := b.study.At()
	if b.cut {
		at = -1
	}
	b.open = append(b.open, at)
}

func (b *branches) end() {
	at := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	if b.cut = at < 0; !b.cut {
		b.study = b.study.Go(at)
	}
}

// property takes a property with its values, and gives where text goes on.
func (b *branches) property(text string, i int) int {
	start := i
	for i < len(text) && (isIdent(text[i]) || text[i] <= ' ') {
		i++
	}
	name := ident(text[start:i])
	for i < len(text) && text[i] == '[' {
		v, next, ok := value(text, i, true)
		if !ok {
			return len(text)
		}
		if !b.cut {
			b.take(name, v)
		}
		for i = next; i < len(text) && text[i] <= ' '; i++ {
		}
	}
	return i
}

func (b *branches) take(name, v string) {
	at, name0, note := b.study.At(), "", ""
	if name == "N" || name == "C" {
		name0, note = b.study.Name(at), b.study.Note(at)
	}
	switch name {
	case "B", "W":
		b.move(sgfColor(name), v)
	case "N":
		b.written(v, note)
	case "C":
		b.written(name0, strings.TrimSpace(note+"\n"+v))
	case "AB", "AW", "AE", "PL":
		if at > 0 { // stones that are set up in the middle
			b.cut, b.whole = true, false
		}
	}
}

func (b *branches) written(name, note string) {
	s, err := b.study.Written(name, note)
	if err != nil {
		b.whole = false
		return
	}
	b.study = s
}

// move plays a move of a variation. A pass is played by itself where it is due.
func (b *branches) move(side game.Color, v string) {
	r := Record{Game: b.study.Game()}
	before := r.Game.Len()
	err := sgfMove(&r, side, v, game.Set{})
	if err == nil && r.Game.Len() > before {
		b.study, err = b.study.Play(r.Game.Last())
	}
	if err != nil {
		b.cut, b.whole = true, false
	}
}
