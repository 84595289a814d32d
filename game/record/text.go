package record

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"tengen/game"
)

// decode gives data as text: UTF-8 as it is, anything else taken as Latin-1, which loses
// no point and no number.
func decode(data []byte) (text, note string) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if utf8.Valid(data) {
		return string(data), ""
	}
	var s strings.Builder
	s.Grow(len(data) + len(data)/8)
	for _, c := range data {
		s.WriteRune(rune(c))
	}
	return s.String(), "the text is not UTF-8 and was read as Latin-1"
}

var (
	obfLine = regexp.MustCompile(`^[XxOo*.\-]{64}\s*[XxOo*]?\s*(;|%|$)`)
	ggfGame = regexp.MustCompile(`(?i)\(\s*;\s*GM\[\s*othello`)
)

// recognise tells the format from the content; empty for what is no record.
func recognise(data []byte) Format {
	head := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(data, []byte(libHeader)), oldLib(data):
		return Lib
	case bytes.IndexByte(data, 0) >= 0:
		return ""
	case bytes.HasPrefix(head, []byte("Piskvorky")):
		return PSQ
	}
	first := firstLine(head)
	if name, _, _ := strings.Cut(first, " "); name != "" {
		if _, ok := game.RulesNamed(strings.TrimSpace(name)); ok {
			return Line
		}
	}
	switch {
	case obfLine.MatchString(first):
		return OBF
	case ggfGame.Match(head[:min(len(head), 4096)]):
		return GGF
	case bytes.HasPrefix(head, []byte("(")), bytes.Contains(head[:min(len(head), 4096)], []byte("(;")):
		return SGF
	case len(head) > 0:
		return Moves
	}
	return ""
}

// firstLine is the first line that is neither blank nor a comment, at most 4 kB of it.
func firstLine(data []byte) string {
	for line := range bytes.Lines(data[:min(len(data), 1<<16)]) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return strings.ReplaceAll(string(line[:min(len(line), 4096)]), "\t", " ")
		}
	}
	return ""
}

// oneLine is s without line breaks and other control characters.
func oneLine(s string) string { return strings.TrimSpace(plain(s)) }

func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, ""))
}

// manyLines is s with line breaks of one kind and without other control characters.
func manyLines(s string) string {
	lines := strings.Split(lineBreaks.Replace(s), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(plain(line), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n")
