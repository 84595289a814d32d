package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/game"
)

// Press is the content of the custom id of a button, a select or a form: a match, the position that
// it was made for, what to do, and an argument. Custom ids outlive the process that made them, so
// their form must stay readable. It begins with its version, "1".
type Press struct {
	Match game.MatchID
	Stamp uint32
	Verb  string
	Arg   string
}

// ID is the custom id. Discord takes 100 characters, so Arg must be short.
func (p Press) ID() string {
	return "1:" + strconv.FormatUint(uint64(p.Match), 36) + ":" + strconv.FormatUint(uint64(p.Stamp), 36) + ":" +
		p.Verb + ":" + p.Arg
}

// ParsePress reads a custom id.
func ParsePress(s string) (Press, error) {
	f := strings.SplitN(s, ":", 5)
	if len(f) != 5 || f[0] != "1" || utf8.RuneCountInString(s) > 100 {
		return Press{}, fmt.Errorf("custom id %q is not ours", s)
	}
	match, err := strconv.ParseUint(f[1], 36, 64)
	if err != nil {
		return Press{}, fmt.Errorf("custom id %q: match: %w", s, err)
	}
	stamp, err := strconv.ParseUint(f[2], 36, 32)
	if err != nil {
		return Press{}, fmt.Errorf("custom id %q: stamp: %w", s, err)
	}
	return Press{game.MatchID(match), uint32(stamp), f[3], f[4]}, nil
}

// Of is the custom id of another verb on the same.
func (p Press) Of(verb string) string { p.Verb = verb; return p.ID() }

// On is the press of a verb on a match as it stands.
func On(m game.Match, verb, arg string) string {
	return Press{m.ID, m.Stamp(), verb, arg}.ID()
}

// Do is the press of a verb that belongs to no match.
func Do(verb, arg string) string { return Press{Verb: verb, Arg: arg}.ID() }

// Key is a match's full number in base 36, for choices and files.
func Key(id game.MatchID) string { return strings.ToUpper(strconv.FormatUint(uint64(id), 36)) }

// letters leave out characters that are easily mistaken for others.
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// Name is a match's name for people: four letters that tell a member's games apart.
// It is not unique over all matches.
func Name(id game.MatchID) string {
	mixed := uint64(id) * 0x9E3779B97F4A7C15 >> 44 // the top 20 bits, which are mixed best
	var name [4]byte
	for i := range name {
		name[i] = letters[mixed>>(5*i)&31]
	}
	return string(name[:])
}

// ParseKey reads a Key in any case. A Name is no key.
func ParseKey(s string) (game.MatchID, bool) {
	s = strings.ToLower(strings.TrimLeft(strings.TrimSpace(s), "#"))
	id, err := strconv.ParseUint(s, 36, 64)
	return game.MatchID(id), err == nil && len(s) > 4
}
