// Package regulars are the members of the demo who answer by themselves: they take challenges, play, vote, and enter
// what others begin, at levels of people and at the pace of people. A regular does what a visitor of the page can do,
// through the stand-in for Discord; the store is only read, where a person would look at the picture of a board. Each
// sleeps until the stand-in tells of something that concerns them. Start from Start.
package regulars

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/storage"
)

// Options say who the regulars are and how they live. The zero value of a field but Names is the usual one.
type Options struct {
	Names []string
	Home  string // the channel in which they offer games
	Seed  uint64 // the same seed has them choose alike
	Pace  Span   // from seeing something to answering it
	Ideas Span   // from one idea of a regular's own to the next, while somebody looks
	Leave Span   // how long a regular stays away
	Log   *slog.Logger
}

// Span is a time between two bounds.
type Span struct{ Least, Most time.Duration }

func (s Span) or(usual Span) Span {
	if s == (Span{}) {
		return usual
	}
	return s
}

// draw is a time in the span.
func (s Span) draw(r *rand.Rand) time.Duration {
	return s.Least + time.Duration(r.Int64N(int64(s.Most-s.Least)+1))
}

// The usual spans.
var (
	usualPace  = Span{time.Second, 4 * time.Second}
	usualIdeas = Span{20 * time.Second, time.Minute}
	usualLeave = Span{20 * time.Second, 80 * time.Second}
)

// Regulars are the regulars of one demo.
type Regulars struct {
	Options
	discord *standin.Server
	store   *storage.Store
	server  uint64
	home    uint64
	all     []*regular
	running sync.WaitGroup
	stop    context.CancelFunc
	woken   atomic.Int64

	mu    sync.Mutex
	pages map[string]int // open, by the member that they are of
	first chan struct{}  // receives when the first page opens
}

// Start brings the regulars to life until Close. They are members of the stand-in already.
func Start(ctx context.Context, s *standin.Server, store *storage.Store, o Options) (*Regulars, error) {
	o.Pace, o.Ideas, o.Leave = o.Pace.or(usualPace), o.Ideas.or(usualIdeas), o.Leave.or(usualLeave)
	all := &Regulars{Options: o, discord: s, store: store, pages: map[string]int{}, first: make(chan struct{}, 1)}
	if err := all.settle(ctx); err != nil {
		return nil, err
	}
	for i, name := range o.Names {
		id, err := all.number(ctx, standin.Action{Do: "member", As: name})
		if err != nil {
			return nil, err
		}
		all.all = append(all.all, &regular{Regulars: all, name: name, id: game.MemberID(id), level: levels[i%len(levels)],
			rng: rand.New(rand.NewPCG(o.Seed, id)), nudge: make(chan struct{}, 1), idea: make(chan idea, 1),
			todo: map[string]errand{}})
	}
	ctx, all.stop = context.WithCancel(context.WithoutCancel(ctx))
	for _, r := range all.all {
		feed := s.Feed(ctx, r.name)
		all.running.Go(func() { r.live(ctx, feed.C) })
	}
	all.running.Go(func() { all.ideas(ctx) })
	return all, nil
}

// levels are how well the regulars play, one after the other: from a beginner to a player of a club.
var levels = []int{2, 1, 3, 2, 4, 1, 3}

// settle finds out where the regulars are.
func (all *Regulars) settle(ctx context.Context) (err error) {
	if all.server, err = all.number(ctx, standin.Action{Do: "server"}); err != nil {
		return err
	}
	there, err := all.discord.Act(ctx, standin.Action{Do: "places"})
	if err != nil {
		return fmt.Errorf("asking for the places: %w", err)
	}
	i := slices.IndexFunc(there.Places, func(p standin.Place) bool { return p.Name == all.Home })
	if i < 0 {
		return fmt.Errorf("there is no channel %s", all.Home)
	}
	all.home, err = strconv.ParseUint(there.Places[i].ID, 10, 64)
	return err
}

// number is the id that an action gives.
func (all *Regulars) number(ctx context.Context, a standin.Action) (uint64, error) {
	r, err := all.discord.Act(ctx, a)
	if err != nil {
		return 0, fmt.Errorf("asking for a number: %w", err)
	}
	return strconv.ParseUint(r.IDs[0], 10, 64)
}

// Close ends them, and waits until they have.
func (all *Regulars) Close() {
	all.stop()
	all.running.Wait()
}

// Opened notes that somebody acts as a member: a regular does nothing by themselves meanwhile.
func (all *Regulars) Opened(name string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.pages) == 0 {
		wake(all.first)
	}
	all.pages[name]++
	all.nudge(name)
}

// Closed notes that a page as a member is closed. With the last one a regular goes on by themselves.
func (all *Regulars) Closed(name string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.pages[name]--; all.pages[name] <= 0 {
		delete(all.pages, name)
	}
	all.nudge(name)
}

// nudge has a regular look whether they may act.
func (all *Regulars) nudge(name string) {
	for _, r := range all.all {
		if r.name == name {
			wake(r.nudge)
		}
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // they are to wake already
	}
}

// actedAs reports whether somebody acts as a member.
func (all *Regulars) actedAs(name string) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.pages[name] > 0
}

// looked reports whether a page is open.
func (all *Regulars) looked() bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.pages) > 0
}

// knows reports whether a member is a regular.
func (all *Regulars) knows(id game.MemberID) bool {
	return slices.ContainsFunc(all.all, func(r *regular) bool { return r.id == id })
}

// Woken counts how often regulars have woken, each of them once for each thing that the stand-in told.
func (all *Regulars) Woken() int64 { return all.woken.Load() }
