package events

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game/event"
	"tengen/storage"
)

// paired takes the pairs that a manager wrote. Where somebody would get nothing it names them and asks first.
func (v *Events) paired(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	pairs, out, err := readPairs(r.Text("pairs", ""))
	if err == nil {
		_, err = e.BeginBy(r.By, pairs, r.At) // what is refused is not asked about
	}
	if err != nil {
		return v.anew(r, e, actPair, refused(err))
	}
	left := leftOut(e, pairs, out)
	if len(left) == 0 {
		return v.pairedBy(ctx, r, p, pairs)
	}
	t := v.House.Tongue(r)
	msg := chat.Private(t.Say("event.pair.left", "Who", some(t, seats(t, e, left), listedEntrants)))
	row := []chat.Button{{ID: do(e, "evask", actPair), Label: t.Say("button.tryAgain")}}
	if sure := do(e, "evpair", packPairs(pairs)); len(sure) <= longestID {
		row = slices.Insert(row, 0, chat.Button{ID: sure, Label: t.Say("event.pair.sure"), Style: chat.Primary})
	} else {
		msg.Blocks[0].Text += "\n" + t.Say("event.pair.write", "Number", left[0])
	}
	return v.page(ctx, r, msg.WithRow(row...))
}

// longestID is Discord's limit of a custom id.
const longestID = 100

// pairedSure begins a round with pairs that leave somebody out, after the manager was asked.
func (v *Events) pairedSure(ctx context.Context, r chat.Request, p view.Press) error {
	pairs, ok := unpackPairs(p.Arg)
	if !ok {
		return view.No("unknown.button")
	}
	p.Arg = actPair
	return v.pairedBy(ctx, r, p, pairs)
}

func (v *Events) pairedBy(ctx context.Context, r chat.Request, p view.Press, pairs [][2]int) error {
	return v.managed(ctx, r, p, "event.done.pair", func(e storage.Event) (storage.Event, error) {
		return e.BeginBy(r.By, pairs, r.At)
	})
}

// leftOut are those who would have no game and no bye, but for those who are left out on purpose.
func leftOut(e storage.Event, pairs [][2]int, out []int) (left []int) {
	for i, x := range e.Entrants {
		in := slices.ContainsFunc(pairs, func(p [2]int) bool { return p[0] == i+1 || p[1] == i+1 })
		if x.State == event.Active && !in && !slices.Contains(out, i+1) {
			left = append(left, i+1)
		}
	}
	return left
}

// readPairs reads the pairs that a manager wrote: white and black by their numbers, a pair a line, one number alone
// for a bye, and one with a zero for who gets nothing.
func readPairs(text string) (pairs [][2]int, out []int, err error) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		var pair [2]int
		words := strings.FieldsFunc(line, func(r rune) bool { return r < '0' || r > '9' })
		if len(words) == 0 || len(words) > 2 {
			return nil, nil, event.BadPairs
		}
		for i, w := range words {
			if pair[i], err = strconv.Atoi(w); err != nil {
				return nil, nil, event.BadPairs
			}
		}
		switch zero := len(words) == 2 && (pair[0] == 0) != (pair[1] == 0); {
		case zero:
			out = append(out, pair[0]+pair[1])
		case pair[0] == 0:
			return nil, nil, event.BadPairs
		default:
			pairs = append(pairs, pair)
		}
	}
	return pairs, out, nil
}

// packPairs writes pairs with two characters a number.
func packPairs(pairs [][2]int) string {
	var s strings.Builder
	for _, p := range pairs {
		for _, n := range p {
			fmt.Fprintf(&s, "%02s", strconv.FormatInt(int64(n), 36))
		}
	}
	return s.String()
}

func unpackPairs(s string) (pairs [][2]int, ok bool) {
	for ; len(s) >= 4; s = s[4:] {
		white, err := strconv.ParseUint(s[:2], 36, 16)
		black, err2 := strconv.ParseUint(s[2:4], 36, 16)
		if err != nil || err2 != nil {
			return nil, false
		}
		pairs = append(pairs, [2]int{int(white), int(black)})
	}
	return pairs, s == "" && len(pairs) > 0
}
