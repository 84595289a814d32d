// Package command is how a command of the bot is written down: how it is registered, what runs
// it, what its presses do, and what is offered while a member types. The bot has one table of
// them; any room may add its own. Start from Command and NewIndex.
package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// Command is one command of the bot, in one place: how it is registered and what it does.
type Command struct {
	chat.Command // with subs it has neither options nor Run: they have
	Subs         []Command
	Was          string // an older full name. It answers for a release, since a registration may be that old
	Paragraph    bool   // a new paragraph of /help begins here
	Opens        bool   // a button of /help runs it: without options it shows something of its own

	Run     func(context.Context, chat.Request) error
	Presses map[string]Pressed // what its buttons, selects and forms do, by their verb; subs have none
	Which   GoingOn            // goes on with the answer to "which game?"; nil: it never asks
	Offers  map[string]Offer   // what is offered while an option is typed, by the option's name
}

// Pressed answers a press, a choice or a submitted form.
type Pressed func(context.Context, chat.Request, view.Press) error

// GoingOn carries a command out in the game that the member has chosen. arg is what the
// command gave to find.
type GoingOn func(ctx context.Context, r chat.Request, id game.MatchID, arg string) error

// In is the GoingOn of a command that gave find no argument.
func In(f func(ctx context.Context, r chat.Request, id game.MatchID) error) GoingOn {
	return func(ctx context.Context, r chat.Request, id game.MatchID, _ string) error { return f(ctx, r, id) }
}

// Offer gives the choices that fit the text typed so far, the best first.
type Offer func(context.Context, chat.Request) ([]chat.Choice, error)

// Spec is how Discord is told of the command.
func (c Command) Spec() chat.Command {
	spec := c.Command
	for _, sub := range c.Subs {
		spec.Subs = append(spec.Subs, sub.Spec())
	}
	return spec
}

// OrSelf are the subcommands with their full names, or the command itself.
func (c Command) OrSelf() []Command {
	if len(c.Subs) == 0 {
		return []Command{c}
	}
	var subs []Command
	for _, s := range c.Subs {
		s.Name, s.Alone = c.Name+" "+s.Name, c.Alone
		subs = append(subs, s)
	}
	return subs
}

// OpensIn reports whether a button runs the command in the place of r, for the member who sees or presses it.
func (c Command) OpensIn(r chat.Request) bool {
	return c.Opens && (c.Alone || r.Place.Server != 0) && (!c.Manager || r.Governs)
}

// Index finds a command by its name, and what a press does by its verb.
type Index struct {
	All    []Command
	byName map[string]Command // by the full name
	byVerb map[string]Pressed
}

// NewIndex is the index of all. It is an error where two commands claim the same name or verb.
func NewIndex(all []Command) (Index, error) {
	index := Index{All: all, byName: map[string]Command{}, byVerb: map[string]Pressed{}}
	index.byVerb["which"] = index.chosen
	var errs []error
	for _, top := range all {
		for verb, does := range top.Presses {
			if index.byVerb[verb] != nil {
				errs = append(errs, fmt.Errorf("two commands answer the press %q", verb))
			}
			index.byVerb[verb] = does
		}
		for _, c := range top.OrSelf() {
			if _, there := index.byName[c.Name]; there || c.Run == nil {
				errs = append(errs, fmt.Errorf("/%s is answered by two commands, or by none", c.Name))
			}
			index.byName[c.Name] = c
			if c.Was != "" {
				index.byName[c.Was] = c
			}
		}
	}
	return index, errors.Join(errs...)
}

// Run runs the command that r is for, or what its press does.
func (x Index) Run(ctx context.Context, r chat.Request) error {
	switch r.Kind {
	case chat.Slash, chat.UserMenu, chat.MessageMenu:
		if c, ok := x.byName[r.Name]; ok {
			return c.Run(ctx, r)
		}
		return view.No("unknown.command")
	}
	p, err := view.ParsePress(r.Custom)
	if err != nil || x.byVerb[p.Verb] == nil {
		return view.No("unknown.button")
	}
	return x.byVerb[p.Verb](ctx, r, p)
}

// Offered are up to 25 choices that fit the text typed so far.
func (x Index) Offered(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	offered := x.byName[r.Name].Offers[r.Focused]
	if offered == nil {
		return nil, nil
	}
	choices, err := offered(ctx, r)
	return choices[:min(len(choices), 25)], err
}

// Open runs a command as if the member had typed it without options. Discord keeps a command of managers from others,
// and a button from nobody.
func (x Index) Open(ctx context.Context, r chat.Request, name string) error {
	c, ok := x.byName[name]
	switch {
	case ok && c.Manager && !r.Governs:
		return view.No("refused.governs")
	case !ok || !c.OpensIn(r):
		return view.No("unknown.button")
	}
	return c.Run(ctx, AsTyped(r, name))
}

// AsTyped is a press as if the member had typed a command without options.
func AsTyped(r chat.Request, name string) chat.Request {
	r.Kind, r.Name, r.Custom, r.Message, r.Private = chat.Slash, name, "", 0, false
	r.Options, r.Values = nil, nil
	return r
}

// chosen goes on with the answer to "which game?".
func (x Index) chosen(ctx context.Context, r chat.Request, p view.Press) error {
	if len(r.Values) != 1 {
		return view.No("unknown.match")
	}
	id, ok := view.ParseKey(r.Values[0])
	if !ok {
		return view.No("unknown.match")
	}
	name, arg, _ := strings.Cut(p.Arg, ".")
	if c := x.byName[name]; c.Which != nil {
		return c.Which(ctx, r, id, arg)
	}
	return view.No("unknown.button")
}
