// Package crowd is the room in which a channel plays together against the bot: whoever is there
// votes for a point, and the point with the most votes is played when the time is over. Start from
// New, Crowds.Commands and Crowds.Sweep.
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
	notice.Owner
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
	places notice.Places
}

// New makes crowds.
func New(c Config) *Crowds {
	return &Crowds{c, notice.NewPlaces("crowd", atOnce, c.House, c.Tasks, c.Log, c.Now)}
}

const (
	atOnce    = 100 // crowds that are looked after at one time
	thinkTime = 2 * time.Second
)

// Sweep begins what is due: it plays, has the engine answer, and brings the boards up to date.
func (c *Crowds) Sweep() { c.places.Sweep(c.Store.CrowdsDue, c.bringOn) }

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
