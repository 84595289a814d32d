// Package command is how a command of the bot is written down: how it is registered, what runs
// it, what its presses do, and what is offered while a member types. The bot has one table of
// them; any room may add its own. Start from Command and NewIndex.
package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// Command is one command of the bot, in one place: how it is registered and what it does.
//
// A command that does several things has a Way for each: a command of its own, which is not registered. An
// option of the registered one chooses among them. Each answers to its Name too, under which Discord knew it
// before, and which stands in ids: a client may still show it, and old buttons name it.
type Command struct {
	chat.Command
	By   string // the option that chooses among Ways; empty: none does
	Ways []Command
	As   string   // of a Way: what the option is then. An empty one answers to its Name alone
	Was  []string // older names, which are answered and not registered

	Opens bool // a button may run it: without options it shows something of its own

	Run     func(context.Context, chat.Request) error // nil: the first of its Ways
	Presses map[string]Pressed                        // what its buttons, selects and forms do, by their verb
	Which   GoingOn                                   // goes on with the answer to "which game?"; nil: it never asks
	Offers  map[string]Offer                          // what is offered while an option is typed, by the option's name
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

// Press is the Pressed of a button that does something with its match.
func Press(f func(ctx context.Context, r chat.Request, id game.MatchID) error) Pressed {
	return func(ctx context.Context, r chat.Request, p view.Press) error { return f(ctx, r, p.Match) }
}

// Offer gives the choices that fit the text typed so far, the best first.
type Offer func(context.Context, chat.Request) ([]chat.Choice, error)

// Choosing is the option that chooses among ways. of is which meaning of its name.
func Choosing(name, of string, ways []Command) chat.OptionSpec {
	var values []string
	for _, w := range ways {
		if w.As != "" {
			values = append(values, w.As)
		}
	}
	group := name
	if of != "" {
		group += "." + of
	}
	return chat.OptionSpec{Name: name, Of: of, Type: chat.TextOption, Choices: Named(group, values...)}
}

// With is run with one more option, as if the member had given it.
func With(name string, value chat.Option, run func(context.Context, chat.Request) error) func(context.Context,
	chat.Request) error {
	return func(ctx context.Context, r chat.Request) error {
		r.Options = maps.Clone(r.Options)
		if r.Options == nil {
			r.Options = map[string]chat.Option{}
		}
		r.Options[name] = value
		return run(ctx, r)
	}
}

// way is the one of c's ways that r asks for, else c.
func (c Command) way(r chat.Request) Command {
	if asked := r.Text(c.By, ""); c.By != "" && asked != "" {
		for _, w := range c.Ways {
			if w.As == asked {
				return w
			}
		}
	}
	if c.Run == nil {
		return c.Ways[0]
	}
	return c
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
		for i := range top.Ways {
			top.Ways[i].Alone = top.Alone
		}
		for _, c := range append([]Command{top}, top.Ways...) {
			for verb, does := range c.Presses {
				if index.byVerb[verb] != nil {
					errs = append(errs, fmt.Errorf("two commands answer the press %q", verb))
				}
				index.byVerb[verb] = does
			}
			for _, name := range append([]string{c.Name}, c.Was...) {
				if name == "" { // a way that had no name of its own before
					continue
				}
				if _, there := index.byName[name]; there || c.Run == nil && len(c.Ways) == 0 {
					errs = append(errs, fmt.Errorf("/%s is answered by two commands, or by none", name))
				}
				index.byName[name] = c
			}
		}
	}
	return index, errors.Join(errs...)
}

// find is the command that r names, or the one of its ways that r asks for.
func (x Index) find(r chat.Request) (Command, bool) {
	c, ok := x.byName[r.Name]
	if ok {
		c = c.way(r)
	}
	return c, ok
}

// Run runs the command that r is for, or what its press does.
func (x Index) Run(ctx context.Context, r chat.Request) error {
	switch r.Kind {
	case chat.Slash, chat.UserMenu, chat.MessageMenu:
		if c, ok := x.find(r); ok {
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
	c, _ := x.find(r)
	offered := c.Offers[r.Focused]
	if offered == nil {
		offered = x.byName[r.Name].Offers[r.Focused]
	}
	if offered == nil {
		return nil, nil
	}
	choices, err := offered(ctx, r)
	return choices[:min(len(choices), 25)], err
}

// Opens reports whether a button in the place of r may run a command.
func (x Index) Opens(r chat.Request, name string) bool {
	c, ok := x.find(AsTyped(r, name))
	return ok && c.Opens && (c.Alone || r.Place.Server != 0)
}

// Open runs a command as if the member had typed it without options.
func (x Index) Open(ctx context.Context, r chat.Request, name string) error {
	if !x.Opens(r, name) {
		return view.No("unknown.button")
	}
	r = AsTyped(r, name)
	c, _ := x.find(r)
	if c.Manager && !r.Governs {
		return view.No("refused.governs")
	}
	return c.Run(ctx, r)
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
