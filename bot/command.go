package bot

import (
	"context"
	"errors"
	"fmt"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// command is one command of the bot, in one place: how it is registered and what it does.
type command struct {
	chat.Command // with subs it has neither options nor run: they have
	subs         []command
	was          string // an older full name. It answers for a release, since a registration may be that old
	paragraph    bool   // a new paragraph of /help begins here
	opens        bool   // a button of /help runs it: without options it shows something of its own

	run     func(*Bot, context.Context, chat.Request) error
	presses map[string]pressed // what its buttons, selects and forms do, by their verb; subs have none
	which   goingOn            // goes on with the answer to "which game?"; nil: it never asks
	offers  map[string]offer   // what is offered while an option is typed, by the option's name
}

// pressed answers a press, a choice or a submitted form.
type pressed func(*Bot, context.Context, chat.Request, view.Press) error

// goingOn carries a command out in the game that the member has chosen. arg is what the
// command gave to find.
type goingOn func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, arg string) error

// offer gives the choices that fit the text typed so far, the best first.
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
		s.Name, s.Alone = c.Name+" "+s.Name, c.Alone
		subs = append(subs, s)
	}
	return subs
}

// opensIn reports whether a button of /help runs the command in the place of r.
func (c command) opensIn(r chat.Request) bool { return c.opens && (c.Alone || r.Place.Server != 0) }

// commandIndex finds a command by its name, and what a press does by its verb.
type commandIndex struct {
	all    []command
	byName map[string]command // by the full name
	byVerb map[string]pressed
}

// newCommandIndex is the index of all. It is an error where two commands claim the same name or verb.
func newCommandIndex(all []command) (commandIndex, error) {
	index := commandIndex{all: all, byName: map[string]command{}, byVerb: map[string]pressed{"which": (*Bot).chooseWhich}}
	var errs []error
	for _, top := range all {
		for verb, does := range top.presses {
			if index.byVerb[verb] != nil {
				errs = append(errs, fmt.Errorf("two commands answer the press %q", verb))
			}
			index.byVerb[verb] = does
		}
		for _, c := range top.orSelf() {
			if _, there := index.byName[c.Name]; there || c.run == nil {
				errs = append(errs, fmt.Errorf("/%s is answered by two commands, or by none", c.Name))
			}
			index.byName[c.Name] = c
			if c.was != "" {
				index.byName[c.was] = c
			}
		}
	}
	return index, errors.Join(errs...)
}
