// Package ladder is the ladder of a server: members join it, challenge those above them, and take
// their places by winning. A manager switches it on; its standings stand in one message. Start from
// New, Ladders.Commands and Ladders.Sweep.
package ladder

import (
	"context"
	"time"

	"tengen/bot/host"
	"tengen/bot/outbox"
	"tengen/bot/pool"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// Config is what Ladders need. All of it is needed.
type Config struct {
	room.Base
	Host *host.Host
}

// Ladders is the room of the ladders. Any number of goroutines may call its methods.
type Ladders struct {
	Config
	pool *pool.Pool[id]
}

// id names a ladder.
type id struct {
	server uint64
	rules  string
}

// New makes ladders.
func New(c Config) *Ladders {
	return &Ladders{c, pool.New[id]("ladder", atOnce, c.Base)}
}

const (
	editEvery = 5 * time.Second // at most
	atOnce    = 16              // messages that are sent at one time: at the end of a month all are behind
)

// Sweep begins to bring standings up to date that are behind.
func (l *Ladders) Sweep() {
	behind, err := l.Store.LaddersBehind(l.Tasks.Life, l.pool.Free(), l.wants, l.owns)
	if err != nil && l.Tasks.Life.Err() == nil {
		l.Log.Error("ladders", "err", err)
	}
	for _, one := range behind {
		l.begin(one)
	}
}

// wants reports whether the message of a ladder may be sent now.
func (l *Ladders) wants(server uint64, rules game.Rules) bool {
	return l.pool.May(id{server, rules.Name()})
}

// owns reports whether this process owns the channel of a ladder, whose message was not sent just now.
func (l *Ladders) owns(one storage.Ladder) bool {
	_, owns := l.House.Under(l.Tasks.Life, placeOf(one))
	return owns && l.Now().Sub(one.At).Abs() >= editEvery
}

// begin brings the message of a ladder up to date.
func (l *Ladders) begin(one storage.Ladder) {
	if ctx, owns := l.House.Under(l.Tasks.Life, placeOf(one)); owns {
		l.pool.Begin(id{one.Server, one.Rules.Name()}, func() error { return l.bring(ctx, one) })
	}
}

func placeOf(l storage.Ladder) venue.Place { return venue.Place{Server: l.Server, Channel: l.Channel} }

// bring brings the message of a ladder up to date.
func (l *Ladders) bring(ctx context.Context, one storage.Ladder) error {
	server, err := l.Store.Server(ctx, one.Server)
	if err != nil {
		return err
	}
	seasons, err := l.Store.Seasons(ctx, one.Server, one.Rules)
	if err != nil {
		return err
	}
	isNew, err := l.newcomersOn(ctx, one, 0)
	if err != nil {
		return err
	}
	msg, err := standings(view.In(one.Language), one, isNew, seasons, server.Look.Theme)
	if err != nil {
		return err
	}
	return outbox.Bring(ctx, l.Base, placeOf(one), one.Notice, one.Version, msg, func(n storage.Notice) error {
		_, err := l.Store.UpdateLadder(ctx, one.Server, one.Rules, l.Now(), func(now storage.Ladder) (storage.Ladder, error) {
			switch {
			case now.Version == 0: // deleted with its server
				return now, storage.ErrNotFound
			case now.Channel == one.Channel: // else the manager has moved it meanwhile
				now.Notice = n
			}
			return now, nil
		})
		return err
	})
}
