package record

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"tengen/game"
)

// A RenLib file is a tree of nodes of two bytes, the first branch first: the point,
// 16 times the row from the top plus the column from 1 (0x78 is H8, 0 is the root or a pass),
// and flags. Texts follow their node, ended by a zero and filled up to two bytes. Old
// files have no header and no root. The main line is all nodes up to the first that ends
// a branch.

const (
	libHeader = "\xffRenLib\xff"

	libSibling    = 0x80 // another branch at this move comes later
	libEnd        = 0x40 // the last node of its branch
	libOldComment = 0x20 // text ended by a byte with its high bit set
	libComment    = 0x08
	libNoMove     = 0x02
	libExtension  = 0x01 // two more bytes of flags

	libBoardText = 0x01 // in the second extension byte
)

// libTail is how many bytes may follow the tree. Where more do, what was read as a tree is noise.
const libTail = 16

// libRules is how our own files name rules that RenLib has no place for, in the root's text.
const libRules = "rules: "

// oldLib reports a file without a header: it begins with H8 and is no text.
func oldLib(data []byte) bool {
	return len(data) >= 2 && data[0] == 0x78 && bytes.ContainsFunc(data[:min(len(data), 64)], func(c rune) bool {
		return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == utf8.RuneError
	})
}

type libNode struct {
	pos, flags byte
	comment    string
}

func readLib(data []byte, want game.Rules) (Record, error) {
	r := Record{Format: Lib}
	if err := wantRules(want, "five in a row on 15x15", func(r game.Rules) bool { return r.Size() == 15 }); err != nil {
		return r, err
	}
	data, err := libTree(data)
	if err != nil {
		return r, err
	}
	rules := game.Renju
	if want != nil {
		rules = want
	}
	r.Game = game.New(rules)
	open := 0 // branches that are still to come
	for number := 0; ; number++ {
		n, rest, err := libNext(data)
		if err != nil {
			return r, err
		}
		data = rest
		if n.pos == 0 && number == 0 {
			n.comment = libNamed(&r, n.comment, want)
		} else if n.flags&libNoMove == 0 {
			if err := libMove(&r, n.pos); err != nil {
				return r, err
			}
		}
		r.comment(n.comment)
		if open += n.branches(); n.flags&libEnd != 0 {
			break
		}
	}
	err = libRest(&r, data, open)
	return r, err
}

// libTree is data without the header; the oldest files have none.
func libTree(data []byte) ([]byte, error) {
	switch {
	case !bytes.HasPrefix(data, []byte(libHeader)):
		if !oldLib(data) {
			return nil, errNoRecord
		}
		return data, nil
	case len(data) < 20:
		return nil, errCut
	case data[8] > 3:
		return nil, fmt.Errorf("a RenLib file of version %d.%d: versions to 3.4 are known here", data[8], data[9])
	}
	return data[20:], nil
}

// libRest counts the variations that follow the main line, open branches being to come.
func libRest(r *Record, data []byte, open int) error {
	variations := 0
	for open >= 0 && len(data) > 0 {
		n, rest, err := libNext(data)
		if err != nil {
			return err
		}
		if open += n.branches(); n.flags&libEnd != 0 {
			variations++
		}
		data = rest
	}
	switch {
	case open >= 0:
		return errCut
	case len(bytes.Trim(data, "\x00")) > libTail:
		return fmt.Errorf("the tree of a RenLib file ends, and %d bytes follow that belong to nothing", len(data))
	case len(data) > 0:
		r.note("%d bytes after the end of the tree left out", len(data))
	}
	if variations > 0 {
		r.note("%s left out: only the main line is read", count(variations, "variation"))
	}
	return nil
}

// branches is the change that a node makes to the number of branches still to come.
func (n libNode) branches() int { return int(n.flags>>7&1) - int(n.flags>>6&1) }

// libNamed takes the name of the rules out of the root's text, when it begins with it.
func libNamed(r *Record, text string, want game.Rules) string {
	first, others, _ := strings.Cut(text, "\n")
	named, ok := strings.CutPrefix(first, libRules)
	if !ok {
		return text
	}
	rules, ok := game.RulesNamed(strings.TrimSpace(named))
	if !ok || rules.Size() != 15 {
		return text
	}
	if want == nil {
		r.Game = game.New(rules)
	}
	return others
}

func libMove(r *Record, pos byte) error {
	text := fmt.Sprintf("%#02x", pos)
	if pos == 0 {
		return r.pass(game.Empty, text)
	}
	col, top := int(pos&15)-1, int(pos>>4)
	if col < 0 || top > 14 {
		return r.refuse(text, &game.Refusal{Code: game.OffBoard, Point: game.NoPoint})
	}
	p := game.At(col, 14-top)
	return r.play(p, game.Empty, p.String())
}

func libNext(data []byte) (n libNode, rest []byte, err error) {
	if len(data) < 2 {
		return n, nil, errCut
	}
	n.pos, n.flags, data = data[0], data[1], data[2:]
	var board bool
	if n.flags&libExtension != 0 {
		if len(data) < 2 {
			return n, nil, errCut
		}
		board, data = data[1]&libBoardText != 0, data[2:]
	}
	switch {
	case n.flags&libOldComment != 0:
		n.comment, data, err = libText(data, func(c byte) bool { return c >= 0x80 }, true)
	case n.flags&libComment != 0:
		n.comment, data, err = libText(data, func(c byte) bool { return c == 0 }, false)
	}
	if board && err == nil {
		_, data, err = libText(data, func(c byte) bool { return c == 0 }, false)
	}
	return n, data, err
}

// libText takes a text up to the byte that ends it, and the byte that fills it up to an
// even number. In it, 0x08 stands between the first line and the others.
func libText(data []byte, ends func(byte) bool, keepEnd bool) (text string, rest []byte, err error) {
	end := 0
	for ; end < len(data) && !ends(data[end]); end++ {
	}
	if end == len(data) {
		return "", nil, errCut
	}
	raw := bytes.Clone(data[:end])
	if keepEnd {
		raw = append(raw, data[end]&0x7f)
	}
	length := end + 1 + (end+1)%2
	if length > len(data) {
		return "", nil, errCut
	}
	text, _ = decode(raw)
	return manyLines(strings.ReplaceAll(text, "\b", "\n")), data[length:], nil
}

func writeLib(r Record) []byte {
	var b bytes.Buffer
	b.WriteString(libHeader + "\x03\x04")
	b.Write(bytes.Repeat([]byte{0xff}, 10))
	first := r.commentAfter(0)
	if rules := r.Game.Rules(); rules != game.Renju || strings.HasPrefix(first, libRules) {
		first = strings.TrimSuffix(libRules+rules.Name()+"\n"+first, "\n")
	}
	node := func(pos byte, n int) {
		var flags byte
		if n == r.Game.Len() {
			flags |= libEnd
		}
		text := r.commentAfter(n)
		if n == 0 {
			text = first
		}
		text = strings.ReplaceAll(text, "\n", "\b")
		if text != "" {
			flags |= libComment
		}
		b.Write([]byte{pos, flags})
		if text != "" {
			b.WriteString(text)
			b.Write(make([]byte, 2-len(text)%2))
		}
	}
	node(0, 0)
	for i, p := range r.Game.Moves() {
		node(byte(16*(14-p.Row())+p.Col()+1), i+1)
	}
	return b.Bytes()
}
