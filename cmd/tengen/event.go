package main

import (
	"context"
	"encoding/json"
	"fmt"

	"tengen/game/event"
)

type eventCmd struct {
	Kind string `arg:"" enum:"pair,standings,glicko,arena,ladder,whr" help:"What the lines ask for: pair, standings, glicko, arena, ladder or whr."`
	tableFlags
}

// maxEventLine is the length at which a line of an event is cut: a large event in its last round has
// about a megabyte, an archive for whr more.
const maxEventLine = 16 << 20

// Help is the longer help of the command.
func (eventCmd) Help() string {
	return `Reads one JSON object a line from stdin and writes one a line:

  pair       a Swiss round by FIDE's Dutch system: {"pairs":[[white,black],...,[id,0]]},
             null where the rules leave no pairing
  standings  the order of a Swiss event with its tie-breaks
  glicko     a player's rating after a period, by Glicko-2
  arena      the points of one player's games in an arena
  ladder     whom a member may challenge, or the order after what happened
  whr        whole-history ratings of all players of a list of games

standings -o FILE.png draws the table too, of the last line; a player's "name" is for it.

docs/events.md has the fields. Lines that begin with # are skipped. A bad line gets an object
with "error" in its place, and the exit code is 1 at the end.`
}

// Run answers each line of stdin with one line on stdout.
func (c eventCmd) Run(ctx context.Context, s streams) error {
	if c.Out != "" && c.Kind != "standings" {
		return exit{2, "event: -o draws standings alone"}
	}
	if err := c.check(); err != nil {
		return err
	}
	return answerNumbered(ctx, s, maxEventLine, plainText, func(l inputLine) (string, bool) {
		a, err := c.answer(ctx, l)
		if err != nil {
			return toJSON(map[string]string{"error": fmt.Sprintf("line %d: %v", l.number, err)}), true
		}
		return a, false
	})
}

func (c eventCmd) answer(ctx context.Context, l inputLine) (string, error) {
	if l.cut {
		return "", fmt.Errorf("longer than %d bytes", maxEventLine)
	}
	a, err := event.Answer(ctx, c.Kind, []byte(l.text))
	if err == nil && c.Out != "" {
		err = c.drawLine(l.text)
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(a)
	return string(text), err
}
