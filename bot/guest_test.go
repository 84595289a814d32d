package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/desk"
	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/game"
)

// visitors are the guests of a conversation: Mira plays, and Otto never finds a move.
type visitors struct{}

func (visitors) Names(r game.Rules) []string {
	switch r {
	case nil, game.Gomoku15:
		return []string{"Mira", "Otto 2.0"}
	case game.Renju:
		return []string{"Mira"}
	}
	return nil
}

func (v visitors) Move(_ context.Context, name string, g game.Game) (game.Point, error) {
	if name != "Mira" || !slices.Contains(v.Names(g.Rules()), name) {
		return game.NoPoint, errors.New("no move")
	}
	return desk.Unsearched(g).Move, nil
}

// moody is visitors who may be gone, or think for ever.
type moody struct {
	visitors
	gone, stuck atomic.Bool
	asked       atomic.Int32
}

func (v *moody) Names(r game.Rules) []string {
	if v.gone.Load() {
		return nil
	}
	return v.visitors.Names(r)
}

func (v *moody) Move(ctx context.Context, name string, g game.Game) (game.Point, error) {
	v.asked.Add(1)
	if v.gone.Load() {
		return game.NoPoint, errors.New("gone")
	}
	if v.stuck.Load() {
		<-ctx.Done()
		return game.NoPoint, context.Cause(ctx)
	}
	return v.visitors.Move(ctx, name, g)
}

// moodyHouse is a bot with moody guests, and a game of ann's against one of them. Its board is at
// #general.
func moodyHouse(t *testing.T, v *moody) *house {
	standin.EnterBubble()
	h := open(t, standin.Options{Checker: schema.Shared(t)}, func(c *Config) { c.Guests = v })
	h.Member("ann").Slash("#general", "/play with:bot engine:Mira color:black")
	h.settle()
	return h
}

// guestGame is ann's game.
func (h *house) guestGame() game.Match {
	h.t.Helper()
	for _, rec := range h.live() {
		if rec.Guest() != "" {
			return rec.Match
		}
	}
	h.t.Fatal("no game against a guest")
	return game.Match{}
}

// A guest that thinks for long keeps no other game waiting. A bot that ends meanwhile owes the
// guest's move, and asks for it when it starts again.
func TestGuestIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &moody{}
		v.stuck.Store(true)
		h := moodyHouse(t, v)
		h.thinks.Store(1) // a guest that is stuck is at rest
		h.Member("ann").Press("#general", "H8")
		h.settle()
		if s := h.Member("ann").Sees("#general"); !strings.Contains(s, "Mira is thinking…") {
			t.Error(s)
		}
		for _, who := range []string{"bob", "cyd", "dan"} {
			h.Member(who).Slash("#general", "/play with:bot game:gomoku9 level:1 color:white")
			h.settle()
		}
		time.Sleep(5 * time.Second)
		for _, rec := range h.live() {
			if rec.Guest() == "" && rec.Game().Len() != 1 {
				t.Errorf("our engine has made %d moves while a guest thinks", rec.Game().Len())
			}
		}
		if n := h.guestGame().Game().Len(); n != 1 || v.asked.Load() != 1 {
			t.Fatalf("%d moves, asked %d times", n, v.asked.Load())
		}
		h.stop()
		v.stuck.Store(false)
		h.thinks.Store(0)
		h.start()
		h.settle()
		made := h.guestGame().Made()
		if len(made) != 2 || made[1].Replaced(h.guestGame()) {
			t.Errorf("%d moves after the restart", len(made))
		}
	})
}

// Taking a move back ends the guest's thought, and its late answer is not played.
func TestGuestIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &moody{}
		v.stuck.Store(true)
		h := moodyHouse(t, v)
		h.thinks.Store(1) // a guest that is stuck is at rest
		ann := h.Member("ann")
		ann.Press("#general", "H8")
		h.settle()
		ann.Slash("#general", "/undo")
		h.settle()
		v.stuck.Store(false)
		h.thinks.Store(0)
		if m := h.guestGame(); m.Game().Len() != 0 || m.EngineToMove() {
			t.Fatalf("%d moves", m.Game().Len())
		}
		ann.Press("#general", "H9")
		h.settle()
		if m := h.guestGame(); m.Game().Len() != 2 || m.Made()[1].Replaced(m) {
			t.Errorf("%d moves", m.Game().Len())
		}
	})
}

// A guest that has left is played for in the game that goes on, and there is no rematch against it.
func TestGuestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &moody{}
		h := moodyHouse(t, v)
		h.stop()
		v.gone.Store(true)
		h.start()
		h.settle()
		ann := h.Member("ann")
		ann.Press("#general", "H8")
		h.settle()
		if m := h.guestGame(); m.Game().Len() != 2 || !m.Made()[1].Replaced(m) {
			t.Errorf("%d moves", m.Game().Len())
		}
		ann.Slash("#general", "/game do:resign")
		ann.Press("#general", "Resign")
		h.settle()
		ann.Press("#general", "Rematch")
		if s := ann.SeesLast("#general"); !strings.Contains(s, "Mira has left") {
			t.Error(s)
		}
	})
}
