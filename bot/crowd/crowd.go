// Package crowd is the room in which a channel plays together against the bot: whoever is there
// votes for a point, and the point with the most votes is played when the time is over. Start from
// New, Crowds.Commands and Crowds.Keep.
package crowd

import (
	"context"
	"log/slog"
	"time"

	"tengen/ai"
	"tengen/bot/chat"
	"tengen/bot/desk"
	"tengen/bot/host"
	"tengen/bot/notice"
	"tengen/bot/view"
	"tengen/internal/tasks"
	"tengen/storage"
)

// House is what the crowds need of the bot.
type House interface {
	// Under gives a context for the unasked work in a place. It is false where another process does
	// that work.
	Under(ctx context.Context, p chat.Place) (context.Context, bool)
	// Tongue is the language of the asking member.
	Tongue(r chat.Request) view.Tongue
}

// Config is what Crowds need. All of it is needed.
type Config struct {
	House  House
	Store  *storage.Store
	Chat   chat.Chat
	Host   *host.Host
	Desk   *desk.Desk
	Notice notice.Keeper
	Paint  view.Painter
	Tasks  *tasks.Group
	Log    *slog.Logger
	Now    func() time.Time
}

// Crowds is the room of the crowds. Any number of goroutines may call its methods.
type Crowds struct {
	Config
	rota *notice.Rota[chat.Place]
}

// New makes crowds.
func New(c Config) *Crowds {
	return &Crowds{c, notice.NewRota[chat.Place]("crowd", atOnce, c.Tasks, c.Log, c.Now)}
}

const (
	keepEvery = time.Second
	atOnce    = 100 // crowds that are looked after at one time
	thinkTime = 2 * time.Second
)

// Keep plays what is due, has the engine answer, and keeps the boards up to date, until the bot ends.
func (c *Crowds) Keep() {
	for c.Tasks.Sleep(keepEvery) {
		due, err := c.Store.CrowdsDue(c.Tasks.Life, c.Now(), c.rota.Free(), c.wants)
		if err != nil && c.Tasks.Life.Err() == nil {
			c.Log.Error("crowds", "err", err)
		}
		for _, p := range due {
			c.begin(p)
		}
	}
}

// wants reports whether this process owns a place, is not at it, and need not wait.
func (c *Crowds) wants(p storage.Place) bool {
	_, owns := c.House.Under(c.Tasks.Life, p)
	return owns && c.rota.May(p)
}

// begin does what is due in a place that this process owns.
func (c *Crowds) begin(p chat.Place) {
	if ctx, owns := c.House.Under(c.Tasks.Life, p); owns {
		c.rota.Begin(p, func() error { return c.bringOn(ctx, p) })
	}
}

// bringOn plays the point with the most votes, shows the board, and lets the engine answer. What is
// cut off is done by the next call: each step follows from what is stored.
func (c *Crowds) bringOn(ctx context.Context, p chat.Place) error {
	one, err := c.Store.UpdateCrowd(ctx, p, c.Now(), func(now storage.Crowd) (storage.Crowd, error) { return now.Tick(c.Now()), nil })
	if err != nil {
		return err
	}
	if at := one.Wants(); !at.IsZero() && !c.Now().Before(at) {
		if err := c.show(ctx, one); err != nil && !one.EngineToMove() {
			return err
		}
	}
	if !one.EngineToMove() {
		return nil
	}
	g, err := one.Game()
	if err != nil {
		return err
	}
	report, err := c.Desk.Advise(ctx, g, ai.Limits{Level: int(one.Level), Seed: one.Seed + uint64(g.Len()), Time: thinkTime, Brief: true})
	if err != nil {
		return err
	}
	_, err = c.Store.UpdateCrowd(ctx, p, c.Now(), func(now storage.Crowd) (storage.Crowd, error) {
		if now.ID != one.ID {
			return now, nil
		}
		return now.Answer(g.Len(), report.Move, c.Now()), nil
	})
	return err
}

// show brings the message of a crowd up to date.
func (c *Crowds) show(ctx context.Context, one storage.Crowd) error {
	msg, err := board(view.In(one.Language), one)
	if err != nil {
		return err
	}
	return c.Notice.Bring(ctx, one.Place, one.Notice, one.Version, msg, func(n storage.Notice) error {
		_, err := c.Store.UpdateCrowd(ctx, one.Place, c.Now(), func(now storage.Crowd) (storage.Crowd, error) {
			if now.ID == one.ID { // else the next has begun meanwhile
				now.Notice = n
				if n.Posting.IsZero() {
					now.Drawn = len(one.Moves)
				}
			}
			return now, nil
		})
		return err
	})
}
