package view

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tengen/game"
	"tengen/game/venue"
	"tengen/render"
)

// Mention is a member in a text.
func Mention(id game.MemberID) string { return fmt.Sprintf("<@%d>", id) }

// mentions are the mentions of some members, side by side. 0 is nobody.
func mentions(some []game.MemberID) string {
	var all []string
	for _, id := range some {
		if id != 0 {
			all = append(all, Mention(id))
		}
	}
	return strings.Join(all, " ")
}

// Channel is a channel in a text.
func Channel(id uint64) string { return fmt.Sprintf("<#%d>", id) }

// Role is a role in a text. It notifies nobody.
func Role(id uint64) string { return fmt.Sprintf("<@&%d>", id) }

// Jump is a link to a message; empty where there is none.
func Jump(p venue.Place, message uint64) string {
	if message == 0 {
		return ""
	}
	server := "@me"
	if p.Server != 0 {
		server = fmt.Sprint(p.Server)
	}
	return fmt.Sprintf("https://discord.com/channels/%s/%d/%d", server, p.Channel, message)
}

// Linked is a word that leads somewhere; empty where there is no link.
func Linked(word, link string) string {
	if link == "" {
		return ""
	}
	return "[" + word + "](" + link + ")"
}

// Relative is a time as Discord shows it: "in 5 minutes".
func Relative(at time.Time) string { return fmt.Sprintf("<t:%d:R>", at.Unix()) }

// Moment is a day and a time as Discord shows it.
func Moment(at time.Time) string { return fmt.Sprintf("<t:%d:f>", at.Unix()) }

// Clip keeps the first n characters of a text.
func Clip(s string, n int) string {
	if r := []rune(strings.TrimSpace(s)); len(r) > n {
		return string(r[:n])
	}
	return strings.TrimSpace(s)
}

// mostMarks is how many marks one letter has at most: five are above and below one where people write with many.
const mostMarks = 5

// Typed is a line that a member typed, as it is kept and shown: its first n characters, without those that nobody sees,
// and without more marks than a letter has. It is empty where nothing of it can be seen.
func Typed(s string, n int) string {
	var out strings.Builder
	marks := mostMarks // a mark needs a letter
	for _, r := range s {
		switch {
		case unicode.Is(unicode.M, r), r == '\u200C', r == '\u200D': // the joiners of scripts and emojis
			if marks++; marks > mostMarks {
				continue
			}
		case unicode.IsSpace(r), strings.ContainsRune(blanks, r):
			r, marks = ' ', mostMarks
		case unicode.In(r, unicode.Cc, unicode.Cf), r == utf8.RuneError:
			continue
		default:
			marks = 0
		}
		out.WriteRune(r)
	}
	return Clip(strings.Join(strings.Fields(out.String()), " "), n)
}

// blanks are the letters and signs that look like a space: fillers of Hangul, and the empty pattern of Braille.
const blanks = "\u115F\u1160\u3164\uFFA0\u2800"

// Escape makes Discord show what a member typed as plain text.
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

// longestQuoted is the longest file that is shown as text where it cannot be sent.
const longestQuoted = 1500

// FileText is what a message shows in place of a file that Discord refuses: the file itself where it is
// short text, else what the member can do.
func (t Tongue) FileText(data []byte) string {
	if len(data) <= longestQuoted && utf8.Valid(data) && !bytes.ContainsAny(data, "`\x00") {
		return "```\n" + strings.TrimRight(string(data), "\n") + "\n```"
	}
	return t.Say("files.refused")
}

// Piece is a color as a character, with the sign that a theme draws in place of its stones.
func Piece(c game.Color, theme string) string { return Disc(c) + render.Pieces(theme)[c-game.Black] }

// Disc is a color as a character.
func Disc(c game.Color) string {
	switch c {
	case game.Black:
		return "⚫"
	case game.White:
		return "⚪"
	}
	return "▫️"
}
