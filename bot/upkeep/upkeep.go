// Package upkeep does the work that nobody asks for: it shares the channels among the processes
// of a store, ends what ran out, reminds members, takes up what a former process left undone,
// and tidies the store. Start from New, Upkeep.Start and Upkeep.Sweep.
package upkeep

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/clock"
	"tengen/bot/desk"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/servers"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/lease"
)

// House is what the upkeep needs of the bot.
type House interface {
	room.House
	// Pace reserves calls for the board of an event, and gives what makes them in their turn. It is false
	// where they would have to wait for long.
	Pace(calls int) (inTurn func(func()), ok bool)
}

// Config is what an Upkeep needs. Only Leases and Metrics may be left out.
type Config struct {
	room.Base
	House   House
	Leases  lease.Leases // nil: this process does all of the work
	Clocks  *clock.Clocks
	Desk    *desk.Desk
	Screens *screen.Screens
	Servers *servers.Servers
	Pulse   *pulse.Pulse
	Told    func(storage.Record)      // hears of each change of a match where processes share the store; may be nil
	Sweeps  map[storage.Agenda]func() // what the rooms do, one call at a time, when something is due in an agenda

	ClockAfterRestart time.Duration // the least time that every clock has after a restart
}

// Upkeep does the unasked work of one process. Any number of goroutines may call its methods.
type Upkeep struct {
	Config
	waits  tasks.Waits[game.MatchID] // matches that have failed
	share  lease.Share               // the places whose unasked work this process does
	joined chan struct{}             // closed once share comes from the leases
	silent atomic.Bool               // time in which no process ran is still to be given back
	busy   sync.Map                  // the agendas whose sweep goes on

	kept, owed time.Time // when Sweep last tidied, and looked for owed work
}

// New makes an upkeep. Until Start it owns every place, and does nothing.
func New(c Config) (*Upkeep, error) {
	if c.Leases == nil {
		c.Leases = lease.Alone{}
	}
	all, err := lease.Alone{}.Join(context.Background(), lease.Group{})
	return &Upkeep{Config: c, share: all, joined: make(chan struct{})}, err
}

// Start begins to share the work with the other processes, and does first what a former process
// left undone: turns that the engine owes, boards that are behind, and deadlines that went on
// while no process ran.
func (u *Upkeep) Start(ctx context.Context) error {
	if err := u.join(ctx); err != nil {
		return err
	}
	if u.Alone() {
		return u.Resume(ctx)
	}
	u.Tasks.Go(func() { u.listen(u.hearScreens) })
	if u.Told != nil {
		u.Tasks.Go(func() { u.listen(u.hearMatches) })
	}
	return nil
}

// Close gives up this process's share of the work. Call it after the tasks have ended.
func (u *Upkeep) Close() { u.share.Close() }
