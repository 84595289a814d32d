package view

import (
	"maps"
	"strings"
	"testing"

	"tengen/bot/chat"
)

// A button brings a form back as far as its id has room: no field takes the place of another, and
// the id stays within Discord's 100 characters.
func TestAgain(t *testing.T) {
	fields := []string{"kind", "starts", "name"}
	long := strings.Repeat("杯", 90)
	for _, c := range []struct{ given, want map[string]string }{
		{map[string]string{"kind": "arena", "starts": "2h", "name": "a.b:c"}, map[string]string{"kind": "arena", "starts": "2h", "name": "a.b:c"}},
		{map[string]string{"kind": "arena", "starts": "2.5h", "name": "a.b"}, map[string]string{"kind": "arena", "name": "a.b"}},
		{map[string]string{"kind": "arena", "starts": "2h", "name": long[:150]}, map[string]string{"kind": "arena", "starts": "2h", "name": long[:150]}},
		{map[string]string{"kind": "arena", "starts": "2h", "name": long}, map[string]string{"kind": "arena", "starts": "2h"}},
		{map[string]string{"kind": "arena", "starts": long, "name": long}, map[string]string{"kind": "arena"}},
		{map[string]string{"kind": long, "starts": long, "name": "x\xff"}, map[string]string{}},
	} {
		r := chat.Request{Options: map[string]chat.Option{}}
		for name, v := range c.given {
			r.Options[name] = chat.Option{Text: v}
		}
		row := In("en").WayOn(In("en").Again(r, No("event.refused.when"), "evnew", fields))
		if len(row) != 1 {
			t.Fatalf("%v: %d buttons", c.given, len(row))
		}
		p, err := ParsePress(row[0].ID)
		if err != nil {
			t.Errorf("%v: %v", c.given, err)
			continue
		}
		got := Unpacked(p.Arg, fields)
		maps.DeleteFunc(got, func(_, v string) bool { return v == "" })
		if !maps.Equal(got, c.want) {
			t.Errorf("%v came back as %v, want %v", c.given, got, c.want)
		}
	}
}
