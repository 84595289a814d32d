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
	"tengen/bot/live"
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
	live.Room[storage.Together, *storage.Together]
	desk *desk.Desk
}

// New makes the room.
func New(c Config) *Games {
	return &Games{live.New("together", storage.Togethers, c.Base, c.Host), c.Desk}
}

const thinkTime = 2 * time.Second

// Sweep begins what is due: it plays, has the engine answer, and brings the boards up to date.
func (c *Games) Sweep() { c.Bring(c.bringOn) }

// bringOn plays the point with the most votes, shows the board, and lets the engine answer.
func (c *Games) bringOn(ctx context.Context, p venue.Place) error {
	one, err := c.Tick(ctx, p, func(one storage.Together, now time.Time) storage.Together {
		one.Game = one.Game.Tick(now)
		return one
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
	report, err := c.desk.Advise(ctx, g, ai.Limits{Level: int(one.Level), Seed: one.Seed + uint64(g.Len()),
		Time: thinkTime, Brief: true})
	if err != nil {
		return err
	}
	_, err = c.Change(ctx, one, storage.Cause{At: c.Now()}, nil, func(now storage.Together) (storage.Together, error) {
		now.Game = now.Answer(g.Len(), report.Move, c.Now())
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
	return c.Show(ctx, one, msg, func(now *storage.Together) { now.Drawn = len(one.Moves) })
}
