package bot

import (
	"context"
	"errors"
	"fmt"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// command is a row of the table.
type command struct {
	chat.Command // name, options and who may; a row with subs has them from there
	subs         []command
	paragraph    bool // a new paragraph of /help begins here

	run     func(*Bot, context.Context, chat.Request) error
	presses map[string]pressed // of a whole row: what its buttons, selects and forms do, by their verb
	which   goingOn            // goes on with the answer to "which game?"; nil: it never asks
	offers  map[string]offer   // what is offered while an option is typed, by its name
}

// pressed answers what was pressed, chosen or submitted.
type pressed func(*Bot, context.Context, chat.Request, view.Press) error

// goingOn does what was asked for, in the game that the member has chosen; arg is what the
// command gave to find.
type goingOn func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, arg string) error

// offer gives what fits to what is typed so far, the best first.
type offer func(*Bot, context.Context, chat.Request) ([]chat.Choice, error)

func (c command) spec() chat.Command {
	spec := c.Command
	for _, sub := range c.subs {
		spec.Subs = append(spec.Subs, sub.spec())
	}
	return spec
}

// orSelf are the subcommands with their full names, or the command itself.
func (c command) orSelf() []command {
	if len(c.subs) == 0 {
		return []command{c}
	}
	var subs []command
	for _, s := range c.subs {
		s.Name = c.Name + " " + s.Name
		subs = append(subs, s)
	}
	return subs
}

// table finds rows by what a member did.
type table struct {
	rows     []command
	commands map[string]command // by the full name
	presses  map[string]pressed // by the verb
}

// newTable is the table of rows; an error where two rows claim the same.
func newTable(rows []command) (table, error) {
	t := table{rows: rows, commands: map[string]command{}, presses: map[string]pressed{"which": (*Bot).chooseWhich}}
	var errs []error
	for _, row := range rows {
		for verb, does := range row.presses {
			if t.presses[verb] != nil {
				errs = append(errs, fmt.Errorf("two rows answer the press %q", verb))
			}
			t.presses[verb] = does
		}
		for _, c := range row.orSelf() {
			if _, there := t.commands[c.Name]; there || c.run == nil {
				errs = append(errs, fmt.Errorf("two rows answer /%s, or none", c.Name))
			}
			t.commands[c.Name] = c
		}
	}
	return t, errors.Join(errs...)
}
