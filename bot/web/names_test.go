package web

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
)

// Who plays reads the names of both, as plain text, asked for once in ten minutes. Who watches never does.
func TestNames(t *testing.T) {
	in(t, func(b *bench) {
		asked := 0
		b.Name = func(_ context.Context, server uint64, by game.MemberID) (string, error) {
			asked++
			if server != b.rec.Place.Server {
				t.Errorf("asked for server %d", server)
			}
			return fmt.Sprintf("<b>\u202e %d \u2066", by), nil
		}
		one, third := b.open(ann), b.watch()
		want := []any{fmt.Sprintf("<b> %d", ann), fmt.Sprintf("<b> %d", bob)}
		for m := one.hears("you"); !reflect.DeepEqual(m["names"], want); m = one.hears("you") {
		}
		b.open(bob)
		synctest.Wait()
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		third.says(`{"t":"state"}`)
		for m := third.next(); m["t"] != "state"; m = third.next() {
			if m["t"] == "you" || m["names"] != nil {
				t.Errorf("a watcher hears %v", m)
			}
		}
		time.Sleep(nameLife)
		b.open(bob)
		synctest.Wait()
		if asked != 4 {
			t.Errorf("after their life: asked %d times", asked)
		}
	})
}

// Where names are not to be had the colors stand, and nobody asks again at once.
func TestNoNames(t *testing.T) {
	in(t, func(b *bench) {
		asked := 0
		b.Name = func(context.Context, uint64, game.MemberID) (string, error) {
			asked++
			return "", errors.New("away")
		}
		one := b.open(ann)
		synctest.Wait()
		b.play("a1", "h8")
		if m := one.hears("you"); m["names"] != nil || asked != 2 {
			t.Errorf("it hears %v; asked %d times", m, asked)
		}
	})
}
