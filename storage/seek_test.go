package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/seek"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// drawn makes the matches of seeks, at a time.
func drawn(now time.Time) Drawn {
	return func(id game.MatchID, first, second seek.Seek) (game.Match, error) {
		terms := first.Game
		terms.Seed = 7
		return seek.Match(id, first, second, terms, now)
	}
}

// usual is the game that members look for.
var usual = game.Terms{Rules: game.Gomoku15, Rated: true}

// seeks has a member look for an opponent.
func (b *bench) seeks(member game.MemberID, at venue.Place, terms game.Terms) (Seek, Record) {
	b.t.Helper()
	c := b.cause()
	c.By = member
	v, rec, err := b.Seek(b.t.Context(), c, Seek{Seek: seek.New(member, c.Interaction, at, terms, c.At)}, drawn(c.At))
	testkit.Must(b.t, err)
	b.sound()
	return v, rec
}

// looksAgain looks again for those of a place who are due.
func (b *bench) looksAgain(at venue.Place) []Record {
	b.t.Helper()
	made, err := b.SeekOn(b.t.Context(), Cause{At: b.now}, at, drawn(b.now))
	testkit.Must(b.t, err)
	b.sound()
	return made
}

// Two who look get one match, in the place of the one who waited, once however often Discord delivers that. Neither
// looks any more then.
func TestSeek(t *testing.T) {
	b := newBench(t)
	waits, none := b.seeks(ann, here, usual)
	if none.ID != 0 || !waits.Looks(b.now) || waits.Rating != 1500 || !waits.New {
		t.Fatalf("ann waits: %+v, %+v", waits, none)
	}
	c := b.cause()
	c.By, c.Token, c.Expires = bob, "token", b.now.Add(time.Minute)
	ask := func() Record {
		_, rec, err := b.Seek(t.Context(), c, Seek{Seek: seek.New(bob, c.Interaction, there, usual, c.At)}, drawn(c.At))
		return b.must(rec, err)
	}
	rec := ask()
	b.sound()
	if rec.Phase != game.Playing || rec.Place != here || rec.Seats != [2]game.Seat{game.SeatFor(ann), game.SeatFor(bob)} {
		t.Fatalf("%+v", rec)
	}
	again := ask()
	if again.ID != rec.ID || !again.Repeated {
		t.Errorf("delivered again: %+v", again)
	}
	sc := first(b.Screen(t.Context(), rec.ID))
	if seat, away, ok := sc.Callee(rec.Match, b.now); !ok || !away || rec.Seats[seat].Member != ann {
		t.Errorf("ann, who waited, is called: seat %d, %v, %v", seat, away, ok)
	}
	if len(sc.Awaited) != 0 {
		t.Errorf("the answer is in another channel than the board: %+v", sc.Awaited)
	}
	for _, v := range first(b.Seeks(t.Context(), here.Server)) {
		if v.Looks(b.now) || len(v.Met) != 1 {
			t.Errorf("%+v", v)
		}
	}
	// The same two do not meet again within a day, but another comes.
	b.seeks(ann, here, usual)
	if _, rec := b.seeks(bob, here, usual); rec.ID != 0 {
		t.Errorf("they meet again: %+v", rec)
	}
	if _, rec := b.seeks(cat, here, usual); !sits(rec, ann, cat) {
		t.Errorf("cat plays ann, who waits longer: %+v", rec)
	}
	b.later(seek.Apart)
	b.looksAgain(here)
	b.want("rows after a day", b.rows(tSeek)+b.rows(tSeekDue), 0)
	b.seeks(ann, here, usual)
	if _, rec := b.seeks(bob, here, usual); !sits(rec, ann, bob) {
		t.Errorf("the next day: %+v", rec)
	}
}

func sits(rec Record, a, b game.MemberID) bool {
	_, one := rec.SeatOf(a)
	_, other := rec.SeatOf(b)
	return one && other
}

// Who is far from one another in strength meets once both have waited. Who asks again keeps the place in the queue.
func TestSeekWidens(t *testing.T) {
	b := newBench(t)
	at := b.now
	far := Standing{Member: bob, Rules: game.Gomoku15}
	far.R, far.RD, far.Vol, far.At = 2000, 50, 0.06, at
	near := far
	near.Member, near.R = ann, 1500
	for _, s := range []Standing{far, near} {
		testkit.Must(t, b.kv.Update(t.Context(), func(tx kv.Tx) error {
			return tx.Put(key(tRating, uint64(s.Member), 0), codec.Encode(s))
		}))
	}
	waits, _ := b.seeks(ann, here, usual)
	since := waits.Since
	if _, rec := b.seeks(bob, there, usual); rec.ID != 0 {
		t.Fatalf("500 points apart: %+v", rec)
	}
	b.later(time.Minute)
	if waits, _ = b.seeks(ann, there, usual); !waits.Since.Equal(since) || waits.Place != there {
		t.Errorf("ann asks again: %+v", waits)
	}
	if waits, _ = b.seeks(ann, there, game.Terms{Rules: game.Reversi}); waits.Since.Equal(since) {
		t.Errorf("another game is another wish: %+v", waits)
	}
	b.seeks(ann, here, usual)
	b.later(time.Minute)
	if made := append(b.looksAgain(here), b.looksAgain(there)...); len(made) != 0 {
		t.Fatalf("ann has not waited long enough: %+v", made)
	}
	b.later(time.Minute)
	places := first(b.SeeksDue(t.Context(), b.now, 10, func(venue.Place) bool { return true }))
	b.want("places with somebody due", fmt.Sprint(places), fmt.Sprint([]venue.Place{here}))
	made := b.looksAgain(here)
	if len(made) != 1 || !sits(made[0], ann, bob) || made[0].Place != there {
		t.Fatalf("both have waited two minutes: %+v", made)
	}
	if made = append(b.looksAgain(here), b.looksAgain(there)...); len(made) != 0 {
		t.Errorf("once: %+v", made)
	}
}

// blocks has a member block another.
func (b *bench) blocks(by, whom game.MemberID) {
	first(b.SetMember(b.t.Context(), by, func(m Member) (Member, error) {
		m.Blocked = []game.MemberID{whom}
		return m, nil
	}))
}

// A block of either side, the rated games of the day, and as many games as a member may have keep two apart. Who has
// as many games does not look.
func TestSeekKeepsApart(t *testing.T) {
	for name, c := range map[string]struct {
		before func(b *bench)
		apart  bool
	}{
		"nothing": {func(*bench) {}, false},
		"ann blocks bob": {func(b *bench) {
			b.blocks(ann, bob)
		}, true},
		"bob blocks ann": {func(b *bench) {
			b.blocks(bob, ann)
		}, true},
		"three rated games": {func(b *bench) {
			for range RatedPerDay {
				b.ratedGame(ann, bob)
			}
		}, true},
		"two games of ann": {func(b *bench) { b.begin(game.Renju, ann, dan); b.begin(game.Renju, ann, cat) }, true},
	} {
		b := newBench(t, Options{Limits: Limits{Running: 2}})
		b.seeks(ann, here, usual)
		c.before(b)
		_, rec := b.seeks(bob, here, usual)
		if c.apart { // however long they wait
			b.later(seek.Wide)
			rec = append(b.looksAgain(here), rec)[0]
		}
		if (rec.ID == 0) != c.apart {
			t.Errorf("%s: %+v", name, rec)
		}
	}
	b := newBench(t, Options{Limits: Limits{Running: 1}})
	b.begin(game.Renju, ann, dan)
	wish := seek.New(ann, 7, here, usual, b.now)
	_, _, err := b.Seek(t.Context(), Cause{Interaction: 7, At: b.now}, Seek{Seek: wish}, drawn(b.now))
	if limit := (*Limit)(nil); !errors.As(err, &limit) || limit.Kind != RunningLimit {
		t.Errorf("ann has as many games as she may: %v", err)
	}
}

// A wish ends by its member, by the server's managers, by the end of its time, and when the bot leaves the server.
func TestSeekEnds(t *testing.T) {
	for name, end := range map[string]func(b *bench) error{
		"the member": func(b *bench) error { return b.StopSeek(t.Context(), ann) },
		"managers":   func(b *bench) error { return b.StopSeeks(t.Context(), here.Server) },
		"time": func(b *bench) error {
			b.later(24 * time.Hour)
			b.looksAgain(here)
			return nil
		},
		"the bot leaves":    func(b *bench) error { return b.ServerLeft(t.Context(), here.Server, b.now) },
		"the data goes":     func(b *bench) error { return b.Forget(t.Context(), ann, b.now) },
		"a clock was ahead": func(b *bench) error { return b.TakeBack(t.Context(), b.now.Add(-time.Hour)) },
	} {
		b := newBench(t)
		b.seeks(ann, here, usual)
		testkit.Must(t, end(b))
		b.sound()
		b.want(name+": rows", b.rows(tSeek)+b.rows(tSeekDue), 0)
	}
}

// What is known of a member by seeks is in their file, and nothing is left of them once their data is deleted: in what
// is known of others neither.
func TestSeekForgotten(t *testing.T) {
	b := newBench(t)
	b.seeks(ann, here, usual)
	_, rec := b.seeks(bob, here, usual)
	b.seeks(bob, here, usual)
	own, err := json.Marshal(first(b.Everything(t.Context(), ann)))
	if err != nil || !strings.Contains(string(own), `"seeks":[{"kind":"seek","member":"`+codec.IDText(uint64(ann))) {
		t.Errorf("ann's own file: %v\n%s", err, own)
	}
	first(0, b.Forget(t.Context(), ann, b.now))
	b.sound()
	var out bytes.Buffer
	if err := b.Export(t.Context(), &out, nil); err != nil || strings.Contains(out.String(), codec.IDText(uint64(ann))) {
		t.Errorf("after ann is forgotten: %v\n%s", err, out.String())
	}
	if !sits(rec, ann, bob) || b.rows(tSeek) != 1 {
		t.Errorf("%d rows; bob still looks", b.rows(tSeek))
	}
}

// Two processes on a store have many members look at the same moments, deliver some twice, look again at the same
// time, and one of them ends. Each member has one match at most, and each match two members who know of it.
func TestSeekOfTwoProcesses(t *testing.T) {
	b := newBench(t)
	other := first(Open(t.Context(), b.engine, Options{Node: 1}))
	stores := []*Store{b.Store, other}
	const members = 60
	now := b.now
	var all sync.WaitGroup
	for m := range members {
		at := venue.Place{Server: 100, Channel: uint64(200 + m%3)}
		id := venue.IDAt(now) + uint64(m)
		ask := Seek{Seek: seek.New(game.MemberID(m+1), id, at, usual, now)}
		for delivered := range 1 + m%2 {
			all.Go(func() {
				_, _, err := stores[(m+delivered)%2].Seek(t.Context(), Cause{Interaction: id, At: now}, ask, drawn(now))
				testkit.Check(t, err)
			})
		}
		if m%5 == 0 {
			for _, s := range stores {
				all.Go(func() {
					_, err := s.SeekOn(t.Context(), Cause{At: now}, at, drawn(now))
					testkit.Check(t, err)
				})
			}
		}
	}
	all.Wait()
	b.sound()
	matches := map[game.MatchID]int{}
	for _, v := range first(b.Seeks(t.Context(), here.Server)) {
		recs := first(other.Of(t.Context(), v.Member))
		if len(v.Met) != 1 || len(recs) != 1 || !sits(recs[0], v.Member, v.Met[0].With) {
			t.Errorf("member %d: %+v, %d matches", v.Member, v.Met, len(recs))
			continue
		}
		matches[recs[0].ID]++
	}
	b.want("matches", len(matches), members/2)
	for id, sit := range matches {
		b.want(fmt.Sprint("members of match ", id), sit, 2)
	}
}
