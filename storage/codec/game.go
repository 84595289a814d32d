package codec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/opening"
	"tengen/game/venue"
	"time"
)

// Place is a server and a channel.
func (f *Fields) Place(p *venue.Place) {
	ID(f, "", &p.Server)
	ID(f, "", &p.Channel)
}

// Terms are what the matches of an event or a simul have in common: of the clock, the time for each move, and in an
// export all of it. The row of a match has more of them.
func (f *Fields) Terms(t *game.Terms) {
	if f.Exporting() {
		f.Say("rules", t.Rules.Name())
		f.Say("opening", OpeningName(*t))
		f.Say("seconds_per_move?", t.Clock.Each.Seconds())
		f.Say("clock?", ClockName(*t))
		return
	}
	rules, _ := RulesCode(t.Rules) // others were refused before
	code, protocol := byte(rules), byte(0)
	if p, ok := t.Protocol.(opening.Protocol); ok {
		protocol = byte(p) + 1
	}
	Small(f, "", &code, 255)
	Small(f, "", &t.Opening, 255)
	if Small(f, "", &protocol, 255); f.Reading() {
		t.Rules = f.r.rules(uint64(code))
		if p := opening.Protocol(protocol - 1); protocol > 0 {
			f.Must(p.Valid())
			t.Protocol = p
		}
	}
	f.Shift(&t.Clock.Each)
	f.Flag("", &t.Rated)
}

// Clock is all of a clock.
func (f *Fields) Clock(c *game.Clock) {
	f.Shift(&c.Each)
	f.Bank(c)
}

// Bank is what a clock has beside the time for each move.
func (f *Fields) Bank(c *game.Clock) {
	f.Shift(&c.Bank)
	f.Shift(&c.Gain)
}

// ClockName is the clock of terms in an export, where that is more than a time for each move; else empty. With odds
// it names both.
func ClockName(t game.Terms) string {
	switch {
	case t.Odds != game.Clock{}:
		return t.Clock.String() + " " + t.Odds.String()
	case t.Clock.Bank > 0:
		return t.Clock.String()
	}
	return ""
}

// Shift is a span of time that may be negative.
func (f *Fields) Shift(v *time.Duration) {
	ms := v.Milliseconds()
	f.Signed(&ms)
	if f.Must(ms <= MaxTime && ms >= -MaxTime); f.Reading() {
		*v = time.Duration(ms) * time.Millisecond
	}
}

// More are settings of which the store need not know anything.
func (f *Fields) More(v *map[string]string) {
	f.Say("more?", *v)
	names := slices.Sorted(maps.Keys(*v))
	Many(f, "", &names, 2, AnyLength, func(f *Fields, name *string) {
		value := (*v)[*name]
		f.Text("", name, AnyLength)
		f.Text("", &value, AnyLength)
		if f.Reading() {
			if *v == nil {
				*v = map[string]string{}
			}
			(*v)[*name] = value
		}
	})
}

// Rating is what is known of somebody's strength.
func (f *Fields) Rating(v *event.Rating) {
	f.Float("rating", &v.R)
	f.Float("deviation", &v.RD)
	f.Float("volatility", &v.Vol)
	f.Time("at", &v.At)
}

// Strength is a rating of eight bytes.
func (f *Fields) Strength(v *float64) {
	bits := math.Float64bits(*v)
	if ID(f, "", &bits); f.Reading() {
		*v = math.Float64frombits(bits)
		f.Must(math.Abs(*v) <= maxRating)
	}
}

// maxRating is far above any rating.
const maxRating = 1e6

// Rules are the numbers of the rules in the store: add at the end only.
var Rules = []game.Rules{game.Gomoku15, game.Gomoku9, game.Standard15, game.Standard9, game.Renju, game.Reversi}

// RulesCode is the number of rules in the store.
func RulesCode(r game.Rules) (uint64, error) {
	for i, known := range Rules {
		if r == known {
			return uint64(i), nil
		}
	}
	return 0, fmt.Errorf("%w: rules that the store does not know", ErrContent)
}

// RulesOf gives the rules of a number. It is false where the store knows none.
func RulesOf(code uint64) (game.Rules, bool) {
	if code >= uint64(len(Rules)) {
		return nil, false
	}
	return Rules[code], true
}

// rules gives the rules of a number that was read.
func (r *reader) rules(code uint64) game.Rules {
	rules, ok := RulesOf(code)
	if !ok {
		r.fail(ErrContent)
	}
	return rules
}

// IDText is an id as a text; empty for none.
func IDText(id uint64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatUint(id, 10)
}

var openingNames = [...]string{"free", "balanced", "imported", "xot"}

// Name is the name of a number in an export.
func Name[N ~uint8](names []string, n N) string {
	if int(n) < len(names) {
		return names[n]
	}
	return strconv.Itoa(int(n))
}

// OpeningName is the opening's name in an export: a protocol has its own.
func OpeningName(t game.Terms) string {
	if t.Protocol != nil {
		return t.Protocol.Name()
	}
	return Name(openingNames[:], t.Opening)
}

// Bit is 1 where b is true.
func Bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
