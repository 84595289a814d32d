package bot

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// What cannot be read, however much of it is due, does not keep the rest waiting.
func TestDamageKeepsNothingElseWaiting(t *testing.T) {
	for name, each := range map[string]struct {
		table byte // whose rows are damaged, but for the last
		count int
		make  func(*storage.Store, venue.Place, uint64) error // the n-th
		done  func(*storage.Store, venue.Place) bool
	}{
		"events": {'E', 120, makeEvent, func(s *storage.Store, p venue.Place) bool {
			e, _ := s.EventsIn(context.Background(), p.Server, false, 1)
			return len(e) > 0 && len(e[0].Paired) > 0
		}},
		"games together": {'G', 120, func(s *storage.Store, p venue.Place, n uint64) error {
			_, err := storage.Togethers.Begin(context.Background(), s, time.Now(), storage.Together{
				Gathering: storage.Gathering{Place: p, ID: n},
				Game: together.Game{Owner: 1, Rules: game.Gomoku9, Level: 2, Color: game.Black, Every: time.Minute,
					Updated: time.Now()}})
			return err
		}, func(s *storage.Store, p venue.Place) bool {
			c, _ := storage.Togethers.In(context.Background(), s, p)
			return c.Message != 0
		}},
		"simuls": {'N', 120, func(s *storage.Store, p venue.Place, n uint64) error {
			_, err := storage.Simuls.Begin(context.Background(), s, time.Now(), storage.Simul{
				Gathering: storage.Gathering{Place: p, ID: n},
				Simul:     simul.New(1, game.Terms{Rules: game.Gomoku9}, time.Now())})
			return err
		}, func(s *storage.Store, p venue.Place) bool {
			x, _ := storage.Simuls.In(context.Background(), s, p)
			return x.Message != 0
		}},
		"ladders": {'L', 20, func(s *storage.Store, p venue.Place, _ uint64) error {
			_, err := s.UpdateLadder(context.Background(), p.Server, game.Renju, time.Now(),
				func(l storage.Ladder) (storage.Ladder, error) {
					l.Channel = p.Channel
					return l, nil
				})
			return err
		}, func(s *storage.Store, p venue.Place) bool {
			l, _ := s.Ladder(context.Background(), p.Server, game.Renju)
			return l.Message != 0
		}},
		"daily puzzles": {'Y', 220, func(s *storage.Store, p venue.Place, _ uint64) error {
			_, err := s.UpdateDaily(context.Background(), p.Server, func(d storage.Daily) (storage.Daily, error) {
				d.Channel, d.Next = p.Channel, time.Now()
				return d, nil
			})
			return err
		}, func(s *storage.Store, p venue.Place) bool {
			d, _ := s.Daily(context.Background(), p.Server)
			return d.Next.After(time.Now())
		}},
		"matches": {'g', 100, func(s *storage.Store, p venue.Place, n uint64) error {
			_, err := s.Create(context.Background(), storage.Cause{Interaction: venue.IDAt(time.Now()) + n, At: time.Now(),
				By: game.MemberID(n)}, p, func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Gomoku9}, game.MemberID(n), game.SeatFor(game.MemberID(n)),
					game.Seat{}, time.Now(), time.Now().Add(time.Minute))
			})
			return err
		}, func(s *storage.Store, _ venue.Place) bool {
			recs, err := s.Of(context.Background(), 100)
			return err == nil && len(recs) == 0 // nobody has accepted
		}},
	} {
		testkit.Bubble(t, name, func(t *testing.T) {
			today()
			engine := kv.NewMemory()
			d := onPaperOver(t, engine)
			d.bot.close() // nothing is due before it is damaged
			var last venue.Place
			for n := range uint64(each.count) {
				last = venue.Place{Server: 1000 + n, Channel: 5000 + n}
				testkit.Must(t, each.make(d.store, last, n+1))
			}
			spoil(t, engine, each.table)
			d.bot = botOf(Config{Store: d.store, Chat: d.paper, Think: simple, Draw: drawn})
			testkit.Must(t, d.bot.start(t.Context()))
			time.Sleep(5 * time.Minute)
			if !each.done(d.store, last) {
				t.Error("the last one is kept waiting")
			}
		})
	}
}

// makeEvent makes an event of two that starts in a minute.
func makeEvent(s *storage.Store, p venue.Place, n uint64) error {
	now := time.Now()
	e, err := s.CreateEvent(context.Background(), storage.Cause{Interaction: venue.IDAt(now) + n, At: now, By: 1}, p,
		func() (e storage.Event, err error) {
			e.Name, e.Game, e.Starts, e.Rounds = "Cup", game.Terms{Rules: game.Gomoku9}, now.Add(time.Minute), 1
			for member := range game.MemberID(2) {
				if e, err = e.Join(1, game.SeatFor(1+member), 1500, now); err != nil {
					return e, err
				}
			}
			return e, nil
		})
	if err == nil {
		_, err = s.NoticeEvent(context.Background(), e.ID,
			storage.Notice{Message: venue.IDAt(now) + n, Shown: e.Version, Sent: now, At: now}, now)
	}
	return err
}

// spoil damages the rows of a table, but for the last.
func spoil(t *testing.T, engine kv.Engine, table byte) {
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		var keys [][]byte
		if err := tx.Scan([]byte{table}, []byte{table + 1}, func(k, _ []byte) bool {
			keys = append(keys, k)
			return true
		}); err != nil {
			return err
		}
		for _, k := range keys[:len(keys)-1] {
			if err := tx.Put(k, []byte("damaged")); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// jumpy is a chat that panics where something is sent, but for one channel.
type jumpy struct {
	*paper
	calm uint64
	sent atomic.Int64 // to the calm channel
}

func (j *jumpy) Send(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	if to.Channel != j.calm {
		panic("by intention")
	}
	j.sent.Add(1)
	return j.paper.Send(ctx, to, msg)
}

// sleepy is a chat that takes a minute for each call about a tournament's message and listing.
type sleepy struct{ *paper }

func (s sleepy) Send(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	time.Sleep(time.Minute)
	return s.paper.Send(ctx, to, msg)
}

func (s sleepy) List(context.Context, uint64, chat.Listing) (uint64, error) {
	time.Sleep(time.Minute)
	return 0, &chat.Error{Trouble: chat.Failed}
}

// While Discord is slow with messages and listings, tournaments begin at their time.
func TestSlowDiscordKeepsNoTournamentWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Chat = sleepy{newPaper()} })
		const events = 10
		for n := range uint64(events) {
			testkit.Must(t, makeEvent(d.store, venue.Place{Server: 1000 + n, Channel: 5000 + n}, n+1))
		}
		testkit.Must(t, d.store.Events(t.Context(), func(e storage.Event) bool {
			_, err := d.store.UpdateEvent(t.Context(), e.ID, storage.Cause{At: time.Now()},
				func(e storage.Event) (storage.Event, error) {
					e.Listing.Wanted = true
					return e, nil
				})
			return err == nil
		}))
		time.Sleep(time.Minute + events*time.Second)
		begun := 0
		if err := d.store.Events(t.Context(), func(e storage.Event) bool {
			begun += len(e.Paired)
			return true
		}); err != nil || begun != events {
			t.Errorf("%d of %d have begun, %v", begun, events, err)
		}
	})
}

// What panics, however much of it is due, keeps nothing else waiting.
func TestPanicKeepsNothingElseWaiting(t *testing.T) {
	for name, each := range map[string]struct {
		count int
		make  func(*storage.Store, venue.Place, uint64) error // the n-th
	}{
		"events": {3, makeEvent},
		"daily puzzles": {40, func(s *storage.Store, p venue.Place, _ uint64) error {
			_, err := s.UpdateDaily(context.Background(), p.Server, func(d storage.Daily) (storage.Daily, error) {
				d.Channel, d.Next = p.Channel, time.Now()
				return d, nil
			})
			return err
		}},
	} {
		testkit.Bubble(t, name, func(t *testing.T) {
			today()
			j := &jumpy{paper: newPaper(), calm: 5000 + uint64(each.count) - 1} // the last one
			d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Chat = j })
			for n := range uint64(each.count) {
				testkit.Must(t, each.make(d.store, venue.Place{Server: 1000 + n, Channel: 5000 + n}, n+1))
			}
			time.Sleep(5 * time.Minute)
			if j.sent.Load() == 0 {
				t.Error("the last one is kept waiting")
			}
		})
	}
}
