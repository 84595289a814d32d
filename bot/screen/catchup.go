package screen

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// A few workers send the boards that are behind, whatever their number. A board that cannot be
// sent is tried again after the others of its channel.
const (
	catchingUp = 16               // workers
	catchTries = 4                // for one board
	catchLimit = 10 * time.Second // for one board
)

// CatchUp brings boards up to date. It takes one board of each channel in turn, so that a channel
// with many boards, or with a rate limit, does not hold up the others. The result is closed when
// all are done.
func (s *Screens) CatchUp(late []storage.Screen) <-chan struct{} {
	done := make(chan struct{})
	type try struct {
		id game.MatchID
		n  int
	}
	var order []uint64
	queues := map[uint64][]try{}
	for _, sc := range late {
		if queues[sc.Channel] == nil {
			order = append(order, sc.Channel)
		}
		queues[sc.Channel] = append(queues[sc.Channel], try{sc.Match, 1})
	}
	if len(order) == 0 {
		close(done)
		return done
	}
	s.catching.Add(1)
	turns := make(chan []try, len(order))
	for _, channel := range order {
		turns <- queues[channel]
	}
	var unfinished atomic.Int64 // channels
	unfinished.Store(int64(len(order)))
	var workers sync.WaitGroup
	work := func() {
		defer workers.Done()
		for queue := range turns {
			one := queue[0]
			queue = queue[1:]
			if s.caughtUp(one.id) && one.n < catchTries && s.Tasks.Sleep(time.Duration(one.n)*500*time.Millisecond) {
				queue = append(queue, try{one.id, one.n + 1})
			}
			if len(queue) > 0 && s.Tasks.Life.Err() == nil {
				turns <- queue
			} else if unfinished.Add(-1) == 0 {
				close(turns)
			}
		}
	}
	for range min(catchingUp, len(order)) {
		workers.Add(1)
		if !s.Tasks.Go(work) {
			workers.Done()
		}
	}
	go func() { workers.Wait(); s.catching.Add(-1); close(done) }()
	return done
}

// caughtUp sends one board that is behind, and reports whether it is worth another try.
func (s *Screens) caughtUp(id game.MatchID) (again bool) {
	defer func() {
		if p := recover(); p != nil {
			s.Metrics.Error("panic")
			s.Log.Error("panic", "match", view.Name(id), "what", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(s.Tasks.Life, catchLimit)
	defer cancel()
	err := s.sendOnce(ctx, id, false)
	if err == nil || s.Tasks.Life.Err() != nil {
		return false
	}
	if chat.Temporary(err) {
		return true
	}
	s.Metrics.Error("screen")
	s.Log.Warn("screen", "match", view.Name(id), "err", err)
	return false
}

// RetryLate sends boards again whose senders gave up. It gives a board up once it has been
// behind for retryFor: some places refuse the bot for good.
func (s *Screens) RetryLate(now time.Time) {
	late, err := s.Store.Late(s.Tasks.Life, now)
	if err != nil && s.Tasks.Life.Err() == nil {
		s.Log.Error("late screens", "err", err)
		return
	}
	late = slices.DeleteFunc(late, func(sc storage.Screen) bool { return !s.House.Owns(venue.Place{Channel: sc.Channel}) })
	if late = s.behind.since(late, now); len(late) == 0 || !s.behind.begin() {
		return
	}
	done := s.CatchUp(late)
	if !s.Tasks.Go(func() { <-done; s.behind.end() }) {
		s.behind.end()
	}
}

// retryFor is how long a board that is behind is tried again.
const retryFor = 15 * time.Minute

// behind knows since when boards are behind.
type behind struct {
	mu      sync.Mutex
	first   map[game.MatchID]lateness
	running bool // a CatchUp is under way
}

// lateness is when a board was first seen not to show the version that it should.
type lateness struct {
	wanted uint32
	at     time.Time
}

// since gives the screens of late that are behind for less than retryFor.
func (l *behind) since(late []storage.Screen, now time.Time) []storage.Screen {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := map[game.MatchID]lateness{}
	var young []storage.Screen
	for _, sc := range late {
		was, ok := l.first[sc.Match]
		if !ok || was.wanted != sc.Wanted {
			was = lateness{sc.Wanted, now}
		}
		first[sc.Match] = was
		if now.Sub(was.at) < retryFor {
			young = append(young, sc)
		}
	}
	l.first = first
	return young
}

// begin reports whether the caller may catch up: false while another one does.
func (l *behind) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	began := !l.running
	l.running = true
	return began
}

func (l *behind) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = false
}
