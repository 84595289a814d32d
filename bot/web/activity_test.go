package web

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// discord is what Discord says of Activities.
type discord struct {
	instances map[string]chat.Instance
	codes     map[string]game.MemberID
	asked     int
	proofs    int
	late      time.Time // until then nobody is named as being there
}

func (d *discord) Instance(_ context.Context, id string) (chat.Instance, error) {
	d.asked++
	in, ok := d.instances[id]
	if !ok {
		return in, &chat.Error{Trouble: chat.Gone}
	}
	if time.Now().Before(d.late) {
		in.Users = nil
	}
	return in, nil
}

func (d *discord) Member(_ context.Context, code string) (game.MemberID, error) {
	d.proofs++
	return d.codes[code], nil
}

// instanceID is one that was launched at a time in a channel.
func instanceID(at time.Time, server, channel string) string {
	return "i-" + strconv.FormatUint(venue.IDAt(at), 10) + "-gc-" + server + "-" + channel
}

func (b *bench) withDiscord() (*discord, string) {
	here := instanceID(time.Now(), "5", "6")
	d := &discord{codes: map[string]game.MemberID{"anns": ann, "cats": cat}, instances: map[string]chat.Instance{
		here: {ID: here, Place: venue.Place{Server: 5, Channel: 6}, Users: []game.MemberID{ann, bob}}}}
	b.Activity = d
	return d, here
}

// frame is the socket of a page in the Activity's frame.
func (b *bench) frame(hello map[string]any) *socket {
	b.t.Helper()
	c := b.dial("Origin: null")
	hello["t"], hello["v"], hello["way"] = "hello", 1, "activity"
	c.says(string(raw(hello)))
	return c
}

func TestActivity(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		c := b.frame(map[string]any{"instance": here})
		c.hears("state")
		n := storage.NumberAt(time.Now())
		if no := c.act(n, b.rec.Stamp(), "play", "h8"); no == "" {
			t.Error("who has proven nothing plays")
		}
		c.says(`{"t":"code","code":"cats"}`) // she is not in the instance
		if m := c.hears("pass"); m["pass"] != "" {
			t.Errorf("somebody who is elsewhere gets %v", m)
		}
		d.late = time.Now().Add(2 * time.Second)
		c.says(`{"t":"code","code":"anns"}`)
		pass := c.hears("pass")["pass"]
		if m := c.hears("you"); pass == "" || m["seat"] != 0.0 {
			t.Errorf("the pass is %q, and the member is told %v", pass, m)
		}
		if no := c.act(n+1, b.rec.Stamp(), "play", "h8"); no != "" {
			t.Errorf("a move is refused: %s", no)
		}
		c.Close()
		c = b.frame(map[string]any{"instance": here, "pass": pass})
		c.hears("you")
		for _, hello := range []map[string]any{{"instance": here + "1", "pass": pass}, {"pass": pass}} {
			if m := b.frame(hello).next(); m["t"] != "none" {
				t.Errorf("elsewhere the pass gives %v", m)
			}
		}
		other := instanceID(time.Now().Add(-time.Hour), "5", "6")
		d.instances[other] = chat.Instance{Place: venue.Place{Server: 5, Channel: 6}, Users: []game.MemberID{bob}}
		second := b.frame(map[string]any{"instance": other, "pass": pass})
		second.hears("state")
		if no := second.act(n+2, b.match().Stamp(), "undo", ""); no == "" {
			t.Error("a pass of one instance acts in another")
		}
		second.Close()
		for range 3 * activityLife / pingEvery { // the pass is renewed as long as she is there
			c.hears("ping")
		}
		if no := c.act(storage.NumberAt(time.Now()), b.match().Stamp(), "undo", ""); no != "" {
			t.Errorf("after a while an act is refused: %s", no)
		}
		d.instances[here] = chat.Instance{ID: here, Place: venue.Place{Server: 5, Channel: 6}, Users: []game.MemberID{bob}}
		for range 2 * activityLife / pingEvery {
			c.hears("ping")
		}
		if no := c.act(storage.NumberAt(time.Now()), b.match().Stamp(), "resignsure", ""); no == "" {
			t.Error("a member who has left acts")
		}
	})
}

// Ids that somebody makes up cost no question to Discord, and show nothing.
func TestMadeUpInstances(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		elsewhere := instanceID(time.Now(), "5", "7")
		d.instances[elsewhere] = chat.Instance{ID: elsewhere, Place: venue.Place{Server: 5, Channel: 7}}
		key := view.Key(b.rec.ID)
		for _, c := range []struct {
			what, id string
			asked    int
		}{
			{"of another channel", elsewhere, 0},
			{"of the day before yesterday", instanceID(time.Now().Add(-48*time.Hour), "5", "6"), 0},
			{"of another form", "i-1", 0},
			{"made up", instanceID(time.Now().Add(-time.Hour), "5", "6"), 1},
			{"long", strings.Repeat("9", 500), 0},
		} {
			d.asked = 0
			if m := b.frame(map[string]any{"instance": c.id, "match": key}).next(); m["t"] != "none" || d.asked != c.asked {
				t.Errorf("%s: hears %v, %d questions", c.what, m, d.asked)
			}
		}
		// A press has opened it: it is asked for, and shows the matches of its own channel alone.
		b.Launched(ann, b.rec.ID, elsewhere)
		if m := b.frame(map[string]any{"instance": elsewhere, "match": key}).next(); m["t"] != "none" || d.asked != 1 {
			t.Errorf("a match of another channel: hears %v, %d questions", m, d.asked)
		}
		// Of several matches the one that was pressed comes first.
		first, second := b.rec, b.begin(game.Reversi)
		shown := func(want storage.Record) {
			t.Helper()
			if m := b.frame(map[string]any{"instance": here}).hears("state"); m["match"] != view.Key(want.ID) {
				t.Errorf("shown is %v, want %s", m["match"], view.Key(want.ID))
			}
		}
		shown(second)
		b.Launched(ann, first.ID, here)
		shown(first)
		time.Sleep(pressLife + time.Second)
		shown(second)
	})
}
