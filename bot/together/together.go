// Package together is the room in which a channel plays together against the bot: whoever is there
// votes for a point, and the point with the most votes is played when the time is over. Start from
// New, Games.Commands and Games.Sweep.
package together

import (
	"context"
	"time"

	"tengen/ai"
	"tengen/bot/desk"
	"tengen/bot/host"
	"tengen/bot/notice"
	"tengen/bot/outbox"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game/venue"
	"tengen/storage"
)

// Config is what Games need. All of it is needed.
type Config struct {
	room.Base
	Host *host.Host
	Desk *desk.Desk
}

// Games is the room of the games that channels play together. Any number of goroutines may call its methods.
type Games struct {
	Config
	places notice.Places
}

// New makes the room.
func New(c Config) *Games {
	return &Games{c, notice.NewPlaces("together", atOnce, c.Base)}
}

const (
	atOnce    = 100 // games that are looked after at one time
	thinkTime = 2 * time.Second
)

// Sweep begins what is due: it plays, has the engine answer, and brings the boards up to date.
func (c *Games) Sweep() { c.places.Sweep(c.Store.TogetherDue, c.bringOn) }

// bringOn plays the point with the most votes, shows the board, and lets the engine answer. What is
// cut off is done by the next call: each step follows from what is stored.
func (c *Games) bringOn(ctx context.Context, p venue.Place) error {
	one, err := c.Store.UpdateTogether(ctx, p, c.Now(), func(now storage.Together) (storage.Together, error) {
		now.Game = now.Tick(c.Now())
		return now, nil
	})
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
	g, err := one.Replay()
	if err != nil {
		return err
	}
	report, err := c.Desk.Advise(ctx, g, ai.Limits{Level: int(one.Level), Seed: one.Seed + uint64(g.Len()),
		Time: thinkTime, Brief: true})
	if err != nil {
		return err
	}
	_, err = c.Store.UpdateTogether(ctx, p, c.Now(), func(now storage.Together) (storage.Together, error) {
		if now.ID == one.ID {
			now.Game = now.Answer(g.Len(), report.Move, c.Now())
		}
		return now, nil
	})
	return err
}

// show brings the message of a game up to date.
func (c *Games) show(ctx context.Context, one storage.Together) error {
	msg, err := board(view.In(one.Look.Language), one)
	if err != nil {
		return err
	}
	return outbox.Bring(ctx, c.Base, one.Place, one.Notice, one.Version, msg, func(n storage.Notice) error {
		_, err := c.Store.UpdateTogether(ctx, one.Place, c.Now(), func(now storage.Together) (storage.Together, error) {
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
