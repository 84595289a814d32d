package regulars

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// idea is something that a regular does of their own accord.
type idea func(*regular, context.Context) error

// allIdeas are the ideas that regulars have.
var allIdeas = []idea{(*regular).leaves, (*regular).offers, (*regular).climbs}

// Commands that regulars type.
const (
	undo  = "/undo"
	offer = "/play with:anyone"
)

// types uses a command.
func (r *regular) types(ctx context.Context, at, command string, options ...standin.Value) error {
	_, err := r.act(ctx, standin.Action{Do: "slash", At: at, Name: command, Options: options})
	return err
}

// ideas gives now one and now another regular an idea while a page is open: unseen, they only answer.
func (all *Regulars) ideas(ctx context.Context) {
	rng := rand.New(rand.NewPCG(all.Seed, 0))
	for ctx.Err() == nil {
		if !all.looked() {
			select {
			case <-all.first:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-time.After(all.Ideas.draw(rng)):
		case <-ctx.Done():
			continue
		}
		select {
		case all.all[rng.IntN(len(all.all))].idea <- allIdeas[rng.IntN(len(allIdeas))]:
		default: // they are busy
		}
	}
}

// has follows an idea, where the member is free to.
func (r *regular) has(ctx context.Context, i idea) {
	if r.actedAs(r.name) || !r.back.IsZero() {
		return
	}
	games, err := r.store.Of(ctx, r.id)
	if err == nil && !slices.ContainsFunc(games, func(rec storage.Record) bool { return rec.Phase != game.Over }) {
		err = i(r, ctx)
	}
	if err != nil && ctx.Err() == nil {
		r.Log.Warn("a regular's idea came to nothing", "member", r.name, "err", err)
	}
}

// leaves has the member go away for a while.
func (r *regular) leaves(ctx context.Context) error {
	r.back = time.Now().Add(r.Leave.draw(r.rng))
	return r.shows(ctx, standin.Away)
}

// shows tells the others how the member is.
func (r *regular) shows(ctx context.Context, status string) error {
	_, err := r.act(ctx, standin.Action{Do: "status", Text: status})
	return err
}

// offers offers a game to whoever wants one, where no regular does and no visitor plays.
func (r *regular) offers(ctx context.Context) error {
	games, err := r.store.InChannel(ctx, venue.Place{Server: r.server, Channel: r.home})
	if err != nil || slices.ContainsFunc(games, func(rec storage.Record) bool {
		return rec.Phase == game.Offered || rec.Phase == game.Playing && !(r.knows(rec.Seats[0].Member) &&
			r.knows(rec.Seats[1].Member))
	}) {
		return err
	}
	return r.types(ctx, r.Home, offer)
}

// climbs challenges somebody on a ladder, a visitor before another regular.
func (r *regular) climbs(ctx context.Context) error {
	ladders, err := r.store.LaddersIn(ctx, r.server)
	if err != nil {
		return err
	}
	for _, one := range ladders {
		may := one.May(r.id, time.Now())
		if one.Off || one.Message == 0 || len(may) == 0 {
			continue
		}
		whom := may[r.rng.IntN(len(may))]
		if i := slices.IndexFunc(may, func(id game.MemberID) bool { return !r.knows(id) }); i >= 0 {
			whom = may[i]
		}
		res, err := r.act(ctx, standin.Action{Do: "press", At: strconv.FormatUint(one.Message, 10),
			Name: view.Do("ladder", one.Rules.Name()+".mine")})
		if err != nil || res.Answer.Message == nil {
			return err
		}
		_, err = r.act(ctx, standin.Action{Do: "choose", At: res.Answer.Message.ID,
			Name: view.Do("ladder", one.Rules.Name()+".whom"), Values: []string{strconv.FormatUint(uint64(whom), 10)}})
		return err
	}
	return nil
}
