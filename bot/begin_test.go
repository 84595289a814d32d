package bot

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A refused game opens no thread, and a command that comes twice opens one.
func TestThreadsAreForGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		play := func() chat.Request {
			r := d.request(1, chat.Slash)
			r.Name, r.Allowed.CreateThreads = "play bot", true
			r.Options = map[string]chat.Option{"game": {Text: "gomoku"}, "color": {Text: "black"}, "thread": {Yes: true}}
			return r
		}
		r := play()
		d.said(r)
		d.said(r)
		if d.paper.threads != 1 || d.only(1).Place.Channel != 77 {
			t.Errorf("%d threads, the game is in %v", d.paper.threads, d.only(1).Place)
		}
		d.said(play())
		d.said(play())
		if s := d.said(play()); d.paper.threads != 3 || !strings.Contains(s, "Finish one first") {
			t.Errorf("%d threads; %s", d.paper.threads, s)
		}
		recs, err := d.store.InChannel(t.Context(), venue.Place{Server: club, Channel: 77})
		if err != nil || len(recs) != 3 {
			t.Errorf("%d games in threads: %v", len(recs), err)
		}
	})
}

// Buttons and forms that begin a game work only in the channels for games, as commands do.
func TestButtonsKeepToChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		testkit.Got(d.store.SetServer(t.Context(), club, func(s storage.Server) (storage.Server, error) {
			s.Channels = []uint64{lounge + 1}
			return s, nil
		}))
		for custom, kind := range map[string]chat.Kind{view.Do("start", "gomoku"): chat.Press,
			view.Do("load", "AHc"): chat.Press,
			view.Do("begin", ""):   chat.Submit, view.Do("whom", ""): chat.Choose} {
			r := d.request(1, kind)
			r.Custom, r.Private, r.Target.ID = custom, true, 2
			if s := d.said(r); !strings.Contains(s, "games are played in") {
				t.Errorf("%s: %s", custom, s)
			}
			r = d.request(1, kind)
			r.Custom, r.Private, r.Place.Channel, r.Target.ID = custom, true, lounge+1, 2
			if s := d.said(r); strings.Contains(s, "games are played in") {
				t.Errorf("%s in the right channel: %s", custom, s)
			}
			time.Sleep(time.Second)
			r = d.request(1, kind)
			r.Custom, r.Private, r.Governs, r.Target.ID = custom, true, true, 2
			if s := d.said(r); strings.Contains(s, "games are played in") {
				t.Errorf("%s by who manages the server: %s", custom, s)
			}
			time.Sleep(time.Second)
			for parent, want := range map[uint64]bool{lounge: true, lounge + 1: false} {
				r = d.request(1, kind)
				r.Custom, r.Private, r.Place.Channel, r.Thread, r.Parent, r.Target.ID = custom, true, 77, true, parent, 2
				if s := d.said(r); strings.Contains(s, "games are played in") != want {
					t.Errorf("%s in a thread of %d: %s", custom, parent, s)
				}
				time.Sleep(time.Second)
			}
		}
	})
}
