package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// TestReviewOfTwoProcesses on PostgreSQL, with its leases, in real time.
func TestReviewOfTwoProcessesOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	t.Parallel()
	server := pgtest.Start(t)
	for _, shared := range []bool{true, false} {
		t.Run(fmt.Sprint("leases=", shared), func(t *testing.T) { reviewOnPostgres(t, pgtest.Address(server), shared) })
	}
}

func reviewOnPostgres(t *testing.T, address string, shared bool) {
	c := &reviewer{each: 300 * time.Millisecond}
	var ds [2]*desktop
	for i := range ds {
		db, err := pg.Open(t.Context(), pg.Options{Address: address, Schema: fmt.Sprint("review", shared),
			Try: slowly, Patience: 10 * slowly})
		testkit.Must(t, err)
		t.Cleanup(func() { db.Close() })
		ds[i] = onPaperOver(t, db, c.by, func(conf *Config) {
			if shared {
				conf.Leases = db
			}
		})
		ds[i].n = uint64(1000 * i)
	}
	asks := func(d *desktop, by game.MemberID, kind chat.Kind, fill func(*chat.Request)) chat.Request {
		r := d.request(by, kind)
		fill(&r)
		d.paper.pressed(r.Token, 0)
		d.bot.Handle(t.Context(), r)
		return r
	}
	asks(ds[0], 1, chat.Slash, func(r *chat.Request) {
		r.Name, r.Options = "play bot", map[string]chat.Option{"game": {Text: "gomoku9"}, "color": {Text: "black"}}
	})
	asks(ds[0], 1, chat.Slash, func(r *chat.Request) {
		r.Name, r.Options = "move", map[string]chat.Option{"at": {Text: "E5"}}
	})
	rec := ds[0].only(1)
	asks(ds[0], 1, chat.Press, func(r *chat.Request) { r.Custom = view.On(rec.Match, "resignsure", "") })
	for i, d := range ds {
		asks(d, game.MemberID(1+i), chat.Press, func(r *chat.Request) { r.Custom = view.On(rec.Match, "review", "") })
	}
	want := int32(1)
	if !shared {
		want = 2
	}
	till(t, "both show the review", func() bool {
		return accuracies(ds[0]) > 0 && accuracies(ds[1]) > 0 && c.made.Load() >= want
	})
	time.Sleep(time.Second) // for one too many
	if c.made.Load() != want {
		t.Errorf("made %d times, want %d", c.made.Load(), want)
	}
	if st, err := ds[0].store.Stats(t.Context()); err != nil || st.Reviews != 1 || st.ReviewsOwed != 0 {
		t.Errorf("%d reviews, %d owed, %v", st.Reviews, st.ReviewsOwed, err)
	}
}

// till waits until ok holds.
func till(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within a minute: " + what)
		}
	}
}

// accuracies are how many messages show a review.
func accuracies(d *desktop) (n int) {
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	for _, m := range d.paper.messages {
		for _, b := range m.Blocks {
			if strings.Contains(b.Text, "Accuracy") {
				n++
			}
		}
	}
	return n
}
