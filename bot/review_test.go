package bot

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// reviewer makes reviews of ten searches, each of which takes a while.
type reviewer struct {
	each                     time.Duration
	begun, made, interrupted atomic.Int32
}

func (c *reviewer) review(ctx context.Context, g game.Game, o review.Options) (review.Review, error) {
	c.begun.Add(1)
	for i := range 10 {
		search, end := o.Begin(ctx)
		select {
		case <-time.After(c.each):
		case <-search.Done():
			c.interrupted.Add(1)
		}
		end()
		if ctx.Err() != nil {
			return review.Review{}, ctx.Err()
		}
		o.Progress(i+1, 10)
	}
	c.made.Add(1)
	return review.Game(ctx, g, review.Options{Means: review.Means{Nodes: 100}, Opening: o.Opening})
}

// by lets the reviewer make the reviews of a bot.
func (c *reviewer) by(conf *Config) { conf.Review = c.review }

// finished plays a short game of member 1 against the bot, which ends, and gives it.
func (d *desktop) finished() storage.Record {
	d.t.Helper()
	d.slash(1, "play bot", "game", "gomoku9", "color", "black")
	rec := d.only(1)
	d.press(1, rec, "play", "E5")
	d.press(1, d.only(1), "resignsure", "")
	rec, err := d.store.Match(d.t.Context(), rec.ID)
	if err != nil || rec.Phase != game.Over {
		d.t.Fatal(rec.Phase, err)
	}
	return rec
}

// ask presses Review, and gives a function that reads what stands in the answer.
func (d *desktop) ask(by game.MemberID, rec storage.Record) func() string {
	d.t.Helper()
	return d.presses(by, view.On(rec.Match, "review", ""))
}

// tries presses a point on the trial board of a fault.
func (d *desktop) tries(by game.MemberID, rec storage.Record, n int, point string) func() string {
	d.t.Helper()
	return d.presses(by, view.On(rec.Match, "try", fmt.Sprintf("%d.at.%s", n, point)))
}

// presses presses a button, and gives a function that reads what stands in the answer.
func (d *desktop) presses(by game.MemberID, custom string) func() string {
	d.t.Helper()
	r := d.request(by, chat.Press)
	r.Custom = custom
	d.handle(r)
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	id := d.paper.original[r.Token]
	return func() string {
		d.paper.mu.Lock()
		defer d.paper.mu.Unlock()
		return wordsOf(d.paper.messages[id])
	}
}

// says checks that a text holds another.
func says(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

// A review shows how far it is, and takes its own place when it is made. A process that is
// killed while it makes one leaves it to the next, which makes it once.
func TestReviewSurvivesAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, first := kv.NewMemory(), &reviewer{each: time.Second}
		d := onPaperOver(t, engine, first.by)
		rec := d.finished()
		shown := d.ask(1, rec)
		calmAfter(5 * time.Second)
		says(t, shown(), "of 10 positions")
		left := kv.NewMemory() // what the kill leaves
		testkit.Got(storage.Copy(t.Context(), left, engine, "", nil))
		d.bot.close()

		next := &reviewer{each: time.Second}
		d = onPaperOver(t, left, next.by)
		calmAfter(15 * time.Second)
		if next.begun.Load() != 1 || next.made.Load() != 1 {
			t.Errorf("begun %d times, made %d times", next.begun.Load(), next.made.Load())
		}
		testkit.Want(t, "messages that nobody asked for", d.paper.sent(), 0)
		says(t, d.ask(1, rec)(), "Accuracy")
		d.bot.close()
		d = onPaperOver(t, left, next.by)
		calmAfter(15 * time.Second)
		if next.begun.Load() != 1 {
			t.Errorf("begun %d times", next.begun.Load())
		}
		d.bot.close()
	})
}

// A review that a stop of the bot ends is not counted as a try.
func TestReviewOutlivesRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, c := kv.NewMemory(), &reviewer{each: time.Second}
		d := onPaperOver(t, engine, c.by)
		rec := d.finished()
		d.ask(1, rec)
		for range 5 {
			time.Sleep(3 * time.Second)
			d.bot.close()
			d = onPaperOver(t, engine, c.by)
		}
		calmAfter(15 * time.Second)
		says(t, d.ask(1, rec)(), "Accuracy")
		d.bot.close()
	})
}

// Of two processes on one store one makes the review, whichever is asked, and both show it.
// Without the leases both make it, and the first one stays.
func TestReviewOfTwoProcesses(t *testing.T) {
	for _, shared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			engine, table, c := kv.NewMemory(), lease.NewTable(), &reviewer{each: time.Second}
			var ds [2]*desktop
			for i := range ds {
				ds[i] = onPaperOver(t, engine, c.by, func(conf *Config) {
					if shared {
						conf.Leases, _ = table.Process()
					}
				})
				ds[i].n = uint64(1000 * i)
			}
			rec := ds[0].finished()
			shown := []func() string{ds[0].ask(1, rec), ds[1].ask(2, rec)}
			calmAfter(20 * time.Second)
			want := int32(1)
			if !shared {
				want = 2
			}
			if c.made.Load() != want {
				t.Errorf("made %d times, leases %v", c.made.Load(), shared)
			}
			for _, one := range shown {
				says(t, one(), "Accuracy")
			}
			if st, err := ds[0].store.Stats(t.Context()); err != nil || st.Reviews != 1 || st.ReviewsOwed != 0 {
				t.Errorf("%d reviews, %d owed, %v", st.Reviews, st.ReviewsOwed, err)
			}
			for _, d := range ds {
				d.bot.close()
			}
		})
	}
}

// A review that takes longer than an answer can be edited is not posted: the button shows it.
func TestLateReviewIsNotPosted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &reviewer{each: 2 * time.Minute}
		d := onPaperOver(t, kv.NewMemory(), c.by)
		rec := d.finished()
		before := d.paper.sent()
		shown := d.ask(1, rec)
		d.ask(1, rec) // the newest answer is kept up to date
		calmAfter(25 * time.Minute)
		says(t, shown(), "as soon as I have a moment")
		if d.paper.sent() != before || d.paper.lapsed != 0 {
			t.Errorf("%d messages, %d edits too late", d.paper.sent()-before, d.paper.lapsed)
		}
		says(t, d.ask(2, rec)(), "Accuracy")
	})
}

// The engine's turns come first: the search of a review ends when a turn needs its core, and
// is made again.
func TestReviewGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &reviewer{each: time.Second}
		d := onPaperOver(t, kv.NewMemory(), c.by, func(conf *Config) {
			conf.Options.Workers = 1
			conf.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				time.Sleep(300 * time.Millisecond)
				return simple(ctx, g, l)
			}
		})
		rec := d.finished()
		d.ask(1, rec)
		d.slash(1, "play bot", "game", "gomoku9", "color", "black")
		for _, p := range []string{"E5", "G7"} { // at times at which no search of the review ends
			time.Sleep(2370 * time.Millisecond)
			d.slash(1, "move", "at", p)
		}
		time.Sleep(2370 * time.Millisecond)
		d.slash(1, "hint")
		calmAfter(20 * time.Second)
		if n := c.interrupted.Load(); n < 3 {
			t.Errorf("interrupted %d times", n)
		}
		if c.made.Load() != 1 {
			t.Errorf("made %d times", c.made.Load())
		}
	})
}

// What a day allows is said in words, to the member and of the server.
func TestReviewLimitsInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), (&reviewer{}).by)
		spend := func(member game.MemberID, n int) {
			for range n {
				at := venue.Place{Server: club, Channel: lounge}
				rec, err := d.store.Create(t.Context(), storage.Cause{At: time.Now()}, at,
					func(id game.MatchID) (game.Match, error) {
						m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, member,
							game.SeatEngine(1), game.SeatEngine(1), time.Now(), time.Time{})
						if err != nil {
							return m, err
						}
						return m.Close(game.Aborted, time.Now())
					})
				if err == nil {
					err = d.store.AskReview(t.Context(), rec.ID, member, at, time.Now())
				}
				testkit.Must(t, err)
			}
		}
		rec := d.finished()
		spend(1, storage.ReviewsAMember)
		says(t, d.ask(1, rec)(), "You have asked for 10 reviews today")
		for member := game.MemberID(2); member <= 5; member++ {
			spend(member, storage.ReviewsAMember)
		}
		says(t, d.ask(6, rec)(), "This server has asked for 50 reviews today")
	})
}

// A rated game that is running is not reviewed as a record either: not mirrored, not with the
// colors exchanged, and not as the beginning of a record.
func TestRunningGameAsARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), (&reviewer{}).by)
		d.betweenMembers("rated", "yes")
		d.plays("H8", "I10", "E7", "M3")
		running := d.only(1).Game()
		review := func(by game.MemberID, g game.Game) string {
			t.Helper()
			arg, ok := view.PackGame(g)
			if !ok {
				t.Fatal("the record does not fit into a button")
			}
			return d.presses(by, view.Do("study", arg))()
		}
		const refused = "Reviews are for finished games"
		for way := range uint64(16) {
			start, g := game.Position{Size: 15, Turn: game.Black}, game.New(game.Gomoku15)
			for i, p := range running.Moves() {
				p = p.Turned(15, way)
				start = start.Put(p, []game.Color{game.Black, game.White}[(uint64(i)+way/8)%2])
				g, _ = g.Play(p)
			}
			if way >= 8 {
				start.Turn = game.White
			} else {
				says(t, review(1, g), refused)
				says(t, review(7, g), refused)
			}
			g = testkit.Got(game.From(game.Gomoku15, start, start.Turn))
			g, _ = g.Play(game.At(0, 0))
			at := testkit.Got(d.bot.reviews.Named(t.Context(), d.request(1, chat.Slash), g))
			says(t, d.presses(1, at.Of("study"))(), refused)
		}
		other, _ := game.New(game.Gomoku15).Play(running.Moves()[1])
		if said := review(1, other); strings.Contains(said, refused) {
			t.Errorf("another game: %s", said)
		}
	})
}

// Reviews are made one after the other, and a member reads how many come first.
func TestReviewsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &reviewer{each: time.Second}
		d := onPaperOver(t, kv.NewMemory(), c.by)
		d.ask(1, d.finished())
		shown := d.ask(1, d.finished())
		calmAfter(3 * time.Second)
		says(t, shown(), "1 review comes before this one.")
		calmAfter(20 * time.Second)
		says(t, shown(), "Accuracy")
	})
}

// A review that fails is begun three times; then its member reads so.
func TestReviewThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := 0
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Review = func(context.Context, game.Game, review.Options) (review.Review, error) {
				begun++
				panic("by intention")
			}
		})
		shown := d.ask(1, d.finished())
		calmAfter(20 * time.Second)
		says(t, shown(), "This review did not work out. Please press Review again.")
		if begun != 3 {
			t.Errorf("begun %d times", begun)
		}
	})
}

// A game without moves has no review.
func TestReviewOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku9", "color", "black")
		rec := d.only(1)
		d.press(1, rec, "abort", "")
		says(t, d.ask(1, rec)(), "No move was played in this game")
	})
}

// A member has one try judged at a time. The other one is told so.
func TestOneTryAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Options.Workers, c.Options.ReviewMeans = 1, review.Means{Nodes: 300}
			c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				if l.Seed == 7 { // a hint, which holds the only worker
					time.Sleep(10 * time.Second)
				}
				return simple(ctx, g, l)
			}
		})
		rec, n := d.faulty()
		var last func() string
		go d.bot.desk.Advise(t.Context(), game.New(game.Gomoku9), ai.Limits{Seed: 7, Time: 10 * time.Second})
		synctest.Wait()
		for _, want := range []string{"One moment: I am looking at", "One moment: I am still looking at your last answer."} {
			last = d.tries(1, rec, n, "A9")
			says(t, last(), want)
		}
		calmAfter(20 * time.Second)
		if d.bot.reviews.Judging() != 0 {
			t.Error("still judging")
		}
	})
}

// A page's second try is the chat's: the same question, hint, solution and verdicts, for who played alone.
func TestTryOnPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Options.ReviewMeans = review.Means{Nodes: 300} })
		rec, n := d.faulty()
		plain := strings.NewReplacer("**", "", view.Disc(game.Black)+" ", "", view.Disc(game.White)+" ", "")
		page := func(by game.MemberID, n int, what string) (view.Tried, error) {
			return d.bot.TryAgain(t.Context(), view.In("en"), by,
				view.Press{Match: rec.ID, Stamp: rec.Stamp(), Arg: fmt.Sprintf("%d.%s", n, what)})
		}
		played := rec.Game().Moves()[n-1].String()
		for _, what := range []string{"ask", "hint", "show", "at.A9", "at.E7", "at." + played} {
			shown := d.presses(1, view.On(rec.Match, "try", fmt.Sprintf("%d.%s", n, what)))
			calmAfter(time.Minute)
			tried := testkit.Got(page(1, n, what))
			for line := range strings.Lines(tried.Says) {
				says(t, plain.Replace(shown()), strings.TrimSpace(line))
			}
			if tried.Move != n || (what == "ask" || what == "hint") != (tried.Line == "") || tried.Hint != (what == "hint") {
				t.Errorf("%s: %+v", what, tried)
			}
		}
		for _, wrong := range []struct {
			n    int
			what string
		}{{0, "ask"}, {99, "ask"}, {n, "pad"}, {n, "at.Z9"}, {n, ""}} {
			if _, err := page(1, wrong.n, wrong.what); !view.IsRefused(err, "unknown.button") {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		if _, err := page(1, n, "at.E4"); err == nil {
			t.Error("a point that is taken is tried")
		}
		if _, err := page(3, n, "ask"); err == nil {
			t.Error("somebody who did not play tries")
		}
	})
}

// faulty is a finished game with a review that has a fault, and the number of its ply.
func (d *desktop) faulty() (storage.Record, int) {
	d.t.Helper()
	d.betweenMembers("game", "gomoku9")
	d.plays("E4", "A1", "E5", "A3", "E6", "C1", "I9")
	rec := d.only(1)
	d.press(2, rec, "resignsure", "")
	d.ask(1, rec)
	calmAfter(10 * time.Second)
	v, _, err := d.store.Review(d.t.Context(), rec.ID)
	testkit.Must(d.t, err)
	rec = testkit.Got(d.store.Match(d.t.Context(), rec.ID))
	r, err := review.Unpack(v.Data, rec.Game())
	if err != nil || len(r.Faults) == 0 {
		d.t.Fatal(r.Faults, err)
	}
	return rec, r.Faults[0]
}
