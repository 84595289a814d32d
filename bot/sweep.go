package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// sweepEvery is how often clocks and forgotten games are looked at.
const sweepEvery = time.Second

// keepEvery is how often the store is tidied, and notes that we are alive.
const keepEvery = time.Minute

// resume takes up what a former process left.
func (b *Bot) resume(ctx context.Context) error {
	now := b.now()
	down, err := b.store.Down(ctx, now)
	if err != nil {
		return err
	}
	if down > 0 {
		if err := b.postpone(ctx, down, now); err != nil {
			return err
		}
	}
	owed, err := b.store.Owed(ctx)
	if err != nil {
		return err
	}
	for _, w := range owed {
		rec, err := b.store.Match(ctx, w.Match)
		if err != nil {
			b.log.Error("owed turn", "match", view.Name(w.Match), "err", err)
			continue
		}
		b.desk.Owed(rec, now)
	}
	late, err := b.store.Late(ctx)
	if err != nil {
		return err
	}
	// Until they are up to date a board that a crash hid from us could not be told from an old
	// one, when it is pressed; but members do not wait for ever.
	patience := time.NewTimer(catchUpTime)
	defer patience.Stop()
	select {
	case <-b.catchUp(late):
	case <-patience.C:
	case <-ctx.Done():
	}
	b.log.Info("resumed", "down", down.Round(time.Second), "owed", len(owed), "late", len(late))
	return nil
}

// catchUpTime is how long the start waits for boards that are behind.
const catchUpTime = 3 * time.Second

// Boards that are behind are sent by few at once, whatever their number; one that cannot
// be sent is tried again after the others of its channel.
const (
	catchingUp = 16
	catchTries = 4
	catchLimit = 10 * time.Second // for one board
)

// catchUp brings boards up to date, the channels in turn, so that a channel with many
// boards, or one that Discord limits, does not hold up the others. It gives a channel that
// is closed when all are done.
func (b *Bot) catchUp(late []storage.Screen) <-chan struct{} {
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
	turns := make(chan []try, len(order))
	for _, channel := range order {
		turns <- queues[channel]
	}
	var left atomic.Int64
	left.Store(int64(len(order)))
	var workers sync.WaitGroup
	work := func() {
		defer workers.Done()
		for queue := range turns {
			one := queue[0]
			queue = queue[1:]
			if b.caughtUp(one.id) && one.n < catchTries && b.tasks.Sleep(time.Duration(one.n)*500*time.Millisecond) {
				queue = append(queue, try{one.id, one.n + 1})
			}
			if len(queue) > 0 && b.tasks.Life.Err() == nil {
				turns <- queue
			} else if left.Add(-1) == 0 {
				close(turns)
			}
		}
	}
	for range min(catchingUp, len(order)) {
		workers.Add(1)
		if !b.tasks.Go(work) {
			workers.Done()
		}
	}
	go func() { workers.Wait(); close(done) }()
	return done
}

// caughtUp sends one board that is behind, and reports whether it is worth another try.
func (b *Bot) caughtUp(id game.MatchID) (again bool) {
	defer func() {
		if p := recover(); p != nil {
			b.met.Error("panic")
			b.log.Error("panic", "match", view.Name(id), "what", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(b.tasks.Life, catchLimit)
	defer cancel()
	err := b.sendOnce(ctx, id, false)
	if err == nil || b.tasks.Life.Err() != nil {
		return false
	}
	if chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy {
		return true
	}
	b.met.Error("screen")
	b.log.Warn("screen", "match", view.Name(id), "err", err)
	return false
}

// postpone gives the time that we were away back to every clock, and ten minutes at least.
func (b *Bot) postpone(ctx context.Context, down time.Duration, now time.Time) error {
	var clocks []game.MatchID
	err := b.store.Live(ctx, func(rec storage.Record) bool {
		if rec.Match.Phase == game.Playing && !rec.Match.Deadline.IsZero() {
			clocks = append(clocks, rec.ID)
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, id := range clocks {
		_, err := b.update(ctx, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
			return m.Postpone(down, now.Add(b.opt.ClockAfterRestart), now)
		})
		var r *game.Refusal
		if err != nil && !errors.As(err, &r) {
			return err
		}
	}
	return nil
}

// sweep brings what is due until the bot ends.
func (b *Bot) sweep() {
	var kept, owed time.Time
	for {
		now := b.now()
		if err := b.bringDue(b.tasks.Life, now); err != nil {
			b.troubled("sweep", err)
		}
		b.met.Queue(b.desk.Size())
		if now.Sub(kept) >= keepEvery {
			kept = now
			b.retryLate(now)
			if tidy, ok := b.share.Under(b.tasks.Life, 0); ok {
				if err := b.store.Sweep(tidy, now); err != nil && !errors.Is(err, kv.ErrFenced) {
					b.troubled("tidy", err)
				}
			}
		}
		if !b.alone() && now.Sub(owed) >= owedEvery {
			owed = now
			b.takeUp(false)
		}
		if !b.tasks.Sleep(sweepEvery) {
			return
		}
	}
}

// retryLate sends boards again whose senders gave up, for a while from when they were
// first seen to be behind: a place that refuses us for good is not asked for ever.
func (b *Bot) retryLate(now time.Time) {
	late, err := b.store.Late(b.tasks.Life)
	if err != nil && b.tasks.Life.Err() == nil {
		b.log.Error("late screens", "err", err)
		return
	}
	late = slices.DeleteFunc(late, func(sc storage.Screen) bool { return !b.owns(chat.Place{Channel: sc.Channel}) })
	if late = b.behind.since(late, now); len(late) == 0 || !b.behind.begin() {
		return
	}
	done := b.catchUp(late)
	if !b.tasks.Go(func() { <-done; b.behind.end() }) {
		b.behind.end()
	}
}

// retryFor is how long a board that is behind is tried again.
const retryFor = 15 * time.Minute

// behind knows since when boards are behind.
type behind struct {
	mu      sync.Mutex
	first   map[game.MatchID]lateness
	running bool // they are being sent
}

type lateness struct {
	wanted uint32
	at     time.Time
}

// since gives those of the late screens that are behind for no longer than retryFor.
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

// bringDue brings reminders, lost clocks, lapsed challenges and forgotten games.
func (b *Bot) bringDue(ctx context.Context, now time.Time) error {
	due, err := b.store.Due(ctx, now, 500)
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range due {
		e := b.bringOne(ctx, id, now)
		if e == nil {
			continue
		}
		// One match that cannot be read must not stop the clocks of the others.
		if failed++; err == nil {
			err = fmt.Errorf("match %s: %w", view.Name(id), e)
		}
		if failed == fewFail || ctx.Err() != nil {
			break
		}
	}
	return err
}

// fewFail is how many matches may fail before it is not they that are at fault.
const fewFail = 10

func (b *Bot) bringOne(ctx context.Context, id game.MatchID, now time.Time) error {
	owner, rec, err := b.asDue(ctx, id)
	if err != nil || rec.ID == 0 {
		return err
	}
	var event game.Event
	_, err = b.update(owner, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
		next, e, err := m.Tick(now)
		event = e
		return next, err
	})
	var r *game.Refusal
	switch {
	case errors.As(err, &r), errors.Is(err, storage.ErrNotFound), errors.Is(err, kv.ErrFenced):
		return nil
	case err != nil:
		return err
	}
	b.refresh(id, event == game.RemindEvent)
	return nil
}

// asDue is asOwner; a bot that is alone need not look who owns a match.
func (b *Bot) asDue(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	if b.alone() {
		return ctx, storage.Record{Match: game.Match{ID: id}}, nil
	}
	return b.asOwner(ctx, id)
}

// Joined implements Handler. That the bot is a member is noted, so that its leaving can be
// seen after a time without connection.
func (b *Bot) Joined(ctx context.Context, server uint64) {
	s, err := b.store.Server(ctx, server)
	if err == nil && !s.Left.IsZero() {
		err = b.store.ServerBack(ctx, server)
	}
	if err == nil && s.More[moreMember] != "1" {
		_, err = b.store.SetServer(ctx, server, func(s storage.Server) (storage.Server, error) {
			s.More = maps.Clone(s.More)
			if s.More == nil {
				s.More = map[string]string{}
			}
			s.More[moreMember] = "1"
			return s, nil
		})
	}
	if err != nil && ctx.Err() == nil {
		b.log.Error("joined", "server", server, "err", err)
	}
}

// Present implements Handler: what was missed is made up for.
func (b *Bot) Present(ctx context.Context, servers []uint64, mine func(uint64) bool) {
	there := map[uint64]bool{}
	for _, id := range servers {
		there[id] = true
		b.Joined(ctx, id)
	}
	var gone []uint64
	err := b.store.Servers(ctx, func(s storage.Server) bool {
		if s.More[moreMember] == "1" && s.Left.IsZero() && mine(s.ID) && !there[s.ID] {
			gone = append(gone, s.ID)
		}
		return true
	})
	if err != nil && ctx.Err() == nil {
		b.log.Error("servers", "err", err)
	}
	for _, id := range gone {
		b.log.Info("removed from a server while away", "server", id)
		b.Left(ctx, id)
	}
}

// Left implements Handler: the server's games end unrated, and its data goes after a while.
func (b *Bot) Left(ctx context.Context, server uint64) {
	if err := b.store.ServerLeft(ctx, server, b.now()); err != nil {
		b.log.Error("left", "server", server, "err", err)
	}
}

// ChannelGone implements Handler: the games of the channel rest until /board takes them
// to another.
func (b *Bot) ChannelGone(ctx context.Context, p chat.Place) {
	recs, err := b.store.InChannel(ctx, p)
	if err != nil {
		b.log.Error("channel gone", "channel", p.Channel, "err", err)
	}
	for _, rec := range recs {
		b.tasks.Go(func() { b.lose(b.tasks.Life, rec, errors.New("channel deleted")) })
	}
}
