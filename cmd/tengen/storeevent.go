package main

import (
	"context"
	"fmt"
	"os"

	"tengen/bot/view"
	"tengen/game/event"
	"tengen/render"
	"tengen/storage"
)

type storeEventCmd struct {
	ID uint64 `arg:"" optional:"" help:"Which event; without it, all are listed."`
	tableFlags
	lookFlags
}

func (c storeEventCmd) fills() (string, os.FileMode) { return c.Out, pictureMode }

// Run lists the events of a store, or shows one.
func (c storeEventCmd) Run(ctx context.Context, s streams, in inside) error {
	if err := c.check(); err != nil {
		return err
	}
	l, err := c.look(ctx, s, in)
	if err != nil {
		return err
	}
	defer l.Close()
	if c.ID == 0 {
		return l.Events(ctx, func(e storage.Event) bool {
			_, err = fmt.Fprintf(s.out, "%d  %-11s %s, %s%s  %q\n", e.ID, e.Kind, plural(len(e.Entrants), "entrant"),
				plural(len(e.Paired), "round"), over(e), e.Name)
			return err == nil
		})
	}
	e, err := l.Event(ctx, storage.EventID(c.ID))
	if err != nil {
		return fmt.Errorf("event %d: %w", c.ID, err)
	}
	names := func(number int) string { return view.SeatName(e.Entrants[number-1].Seat) }
	for _, x := range e.Standings() {
		if _, err := fmt.Fprintf(s.out, "%3d  %5s  %s\n", x.Place, render.Points(x.Points), names(x.ID)); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	picture, err := drawEvent(e, names, c.options())
	if err != nil {
		return err
	}
	return in.fill(c.Out, pictureMode, content(picture))
}

func drawEvent(e storage.Event, names render.Names, o render.EventOptions) ([]byte, error) {
	if b := render.BracketOf(e.Event, names); e.Kind == event.KindKnockout && len(b.Rounds) > 0 {
		return b.PNG(o)
	}
	return render.TableOf(e.Event, names).PNG(o)
}

func over(e storage.Event) string {
	if e.Ended {
		return ", over"
	}
	return ""
}
