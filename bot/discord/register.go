package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
)

// Words gives a text of the catalogue in a locale of Discord; empty where there is none.
type Words func(key, locale string) string

// The JSON of a registered command, as we send it and as Discord answers.
type (
	commandBody struct {
		Type int `json:"type,omitempty"`
		named
		Options     []optionBody `json:"options,omitempty"`
		Permissions *string      `json:"default_member_permissions,omitempty"`
		Contexts    []int        `json:"contexts,omitempty"`
		Installs    []int        `json:"integration_types,omitempty"`
	}
	// named is what a command and an option are called, and what is said of them, in all languages.
	named struct {
		Name   string            `json:"name"`
		Names  map[string]string `json:"name_localizations,omitempty"`
		About  string            `json:"description"`
		Abouts map[string]string `json:"description_localizations,omitempty"`
	}
	optionBody struct {
		Type int `json:"type"`
		named
		Required  bool         `json:"required,omitempty"`
		Complete  bool         `json:"autocomplete,omitempty"`
		Choices   []choiceBody `json:"choices,omitempty"`
		Channels  []int        `json:"channel_types,omitempty"`
		Options   []optionBody `json:"options,omitempty"`
		Min       *int         `json:"min_value,omitempty"`
		Max       *int         `json:"max_value,omitempty"`
		MinLength *int         `json:"min_length,omitempty"`
		MaxLength *int         `json:"max_length,omitempty"`
	}
	choiceBody struct {
		Name  string            `json:"name"`
		Names map[string]string `json:"name_localizations,omitempty"`
		Value any               `json:"value"`
	}
	// entryBody is the entry point of the application's Activity. Discord refuses a list of all commands in which
	// it is missing. We send it as it is, unless our page is the Activity: then we answer it.
	entryBody struct {
		commandBody
		ID      string `json:"id"`
		Handler int    `json:"handler,omitempty"`
		NSFW    bool   `json:"nsfw,omitempty"`
	}
)

// commandEntry is the type of an entry point.
const commandEntry = 4

// Register registers the commands: for one server, or everywhere (server 0), and there as far as the
// application can be installed. It first asks what is registered, and writes only where that has
// changed, so that a start uses up none of the day's 200 new commands. It reports whether it has
// written.
func (d *Adapter) Register(ctx context.Context, table []chat.Command, words Words, locales []string,
	server uint64) (bool, error) {
	a, err := d.Application(ctx)
	if err != nil {
		return false, fmt.Errorf("asking for the application: %w", err)
	}
	scope := places{global: server == 0, server: a.Server, user: a.User}
	bodies, err := commandBodies(table, words, locales, scope)
	if err != nil {
		return false, err
	}
	place := digits(server)
	path := fmt.Sprintf("applications/%d/commands", a.ID)
	if server != 0 {
		path = fmt.Sprintf("applications/%d/guilds/%d/commands", a.ID, server)
	}
	r, err := d.get(ctx, "GET commands", place, path+"?with_localizations=true")
	if err != nil {
		return false, fmt.Errorf("asking for the registered commands: %w", err)
	}
	d.knowCommands(r.body)
	registered, entries, err := readCommands(r.body)
	answered := d.options.ClientSecret != "" && a.Activity && answerEntries(entries)
	if err == nil && !answered && bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		return false, nil
	}
	if r, err = d.paced(ctx, "PUT commands", place, true,
		call{method: http.MethodPut, path: path, payload: allBodies(bodies, entries, scope)}); err != nil {
		return false, fmt.Errorf("registering the commands: %w", err)
	}
	d.knowCommands(r.body)
	return true, nil
}

// readCommands reads a list of registered commands: ours, and the entry points, which are not.
func readCommands(body []byte) (ours []commandBody, entries []entryBody, err error) {
	var all []entryBody
	err = json.Unmarshal(body, &all)
	for _, c := range all {
		if c.Type == commandEntry {
			entries = append(entries, c)
		} else {
			ours = append(ours, c.commandBody)
		}
	}
	return ours, entries, err
}

// entryOurs is the handler of an entry point that the application answers. With another one Discord opens the Activity
// by itself.
const entryOurs = 1

// Entry is who answers the entry point of the application's Activity.
type Entry uint8

// The answers.
const (
	EntryMissing Entry = iota // there is no entry point
	EntryTheirs               // Discord
	EntryOurs                 // the bot
)

// EntryPoint says who answers the entry point of an application.
func (d *Adapter) EntryPoint(ctx context.Context, app uint64) (Entry, error) {
	r, err := d.get(ctx, "GET commands", "0", fmt.Sprintf("applications/%d/commands", app))
	if err != nil {
		return EntryMissing, err
	}
	_, entries, err := readCommands(r.body)
	switch {
	case err != nil || len(entries) == 0:
		return EntryMissing, err
	case answerEntries(entries):
		return EntryTheirs, nil
	}
	return EntryOurs, nil
}

// answerEntries makes the entry points ours to answer, and reports whether one was not.
func answerEntries(entries []entryBody) (changed bool) {
	for i := range entries {
		changed = changed || entries[i].Handler != entryOurs
		entries[i].Handler = entryOurs
	}
	return changed
}

// allBodies is the list of all commands: ours, and the entry points that are there.
func allBodies(ours []commandBody, entries []entryBody, scope places) []any {
	all := []any{}
	for _, c := range ours {
		all = append(all, c)
	}
	for _, c := range entries {
		c.Installs = scope.installs(c.Installs)
		all = append(all, c)
	}
	return all
}

// places are where a list of commands is to be: in one server, or everywhere that the
// application can be installed.
type places struct{ global, server, user bool }

// installs are those kinds of installation that the application supports. Discord refuses a
// list of commands that names another.
func (p places) installs(kinds []int) []int {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind int) bool {
		return kind == 0 && !p.server || kind == 1 && !p.user
	})
}

// contexts are those where a command of these kinds of installation can be used: in a conversation of
// others only by a member who has installed the application.
func (p places) contexts(kinds, contexts []int) []int {
	return slices.DeleteFunc(slices.Clone(contexts), func(context int) bool {
		return context == 2 && !slices.Contains(kinds, 1)
	})
}

// fingerprint is a form of a list of commands in which equal lists are equal: in one order, and
// without the defaults that Discord adds.
func fingerprint(list []commandBody) []byte {
	sorted := make([]*commandBody, len(list)) // of pointers: the code that sorts whole bodies is large
	for i, body := range list {
		c := &body
		sorted[i] = c
		c.Type = max(c.Type, 1)
		c.Contexts, c.Installs = slices.Sorted(slices.Values(c.Contexts)), slices.Sorted(slices.Values(c.Installs))
		if len(c.Installs) == 1 && c.Installs[0] == 0 {
			c.Installs = nil
		}
		if len(c.Contexts) == 3 {
			c.Contexts = nil
		}
		if c.Type != 1 {
			c.About, c.Abouts = "", nil
		}
	}
	slices.SortFunc(sorted, func(a, b *commandBody) int {
		return cmp.Or(a.Type-b.Type, strings.Compare(a.Name, b.Name))
	})
	text, _ := json.Marshal(sorted)
	return text
}

// gameChannels are the types of channels that can be named as those for games: text, voice,
// announcements and stages.
var gameChannels = []int{0, 2, 5, 13}

// Discord's numbers of the types of options.
var optionTypes = map[chat.OptionType]int{
	chat.TextOption: optionText, chat.NumberOption: optionInteger, chat.YesOption: optionBool,
	chat.MemberOption: optionUser, chat.FileOption: optionFile, chat.ChannelOption: optionChannel,
}

// CommandBodies is the JSON of the commands for Discord. It is an error where Discord would refuse
// them.
func CommandBodies(table []chat.Command, words Words, locales []string) ([]byte, error) {
	bodies, err := commandBodies(table, words, locales, places{true, true, true})
	if err != nil {
		return nil, err
	}
	return json.Marshal(bodies)
}

func commandBodies(table []chat.Command, words Words, locales []string, scope places) ([]commandBody, error) {
	w := writer{words: words, locales: locales}
	bodies := []commandBody{}
	var errs []error
	names, count := map[string]bool{}, map[int]int{}
	for _, c := range table {
		b := w.command(c)
		if scope.global {
			if b.Installs = scope.installs(b.Installs); len(b.Installs) == 0 {
				continue // nobody could use it
			}
			b.Contexts = scope.contexts(b.Installs, b.Contexts)
		} else {
			b.Contexts, b.Installs = nil, nil
		}
		key := fmt.Sprint(b.Type, b.Name)
		if names[key] {
			errs = append(errs, fmt.Errorf("/%s twice", b.Name))
		}
		names[key] = true
		count[b.Type]++
		if err := b.check(); err != nil {
			errs = append(errs, fmt.Errorf("/%s: %w", b.Name, err))
		}
		bodies = append(bodies, b)
	}
	if count[1] > 100 || count[2] > 15 || count[3] > 15 {
		errs = append(errs, errors.New("more commands than Discord takes"))
	}
	return bodies, errors.Join(errs...)
}

// writer makes bodies, with their texts in other languages.
type writer struct {
	words   Words
	locales []string
}

// in gives a text in all the locales that have it.
func (w writer) in(key string) map[string]string {
	m := map[string]string{}
	for _, l := range w.locales {
		if s := w.words(key, l); s != "" {
			m[l] = s
		}
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

func (w writer) named(name, key string) named {
	return named{name, w.in(key), w.words(key+".about", "en"), w.in(key + ".about")}
}

func (w writer) command(c chat.Command) commandBody {
	key := "command." + c.Name
	b := commandBody{Type: 1, named: w.named(c.Name, key)}
	switch c.Menu {
	case chat.UserMenu:
		b.Type, b.About, b.Abouts = 2, "", nil
	case chat.MessageMenu:
		b.Type, b.About, b.Abouts = 3, "", nil
	default:
		for _, spec := range c.Options {
			b.Options = append(b.Options, w.option(spec))
		}
	}
	if c.Manager {
		manage := "32" // manage the server
		b.Permissions = &manage
	}
	b.Contexts, b.Installs = []int{0}, []int{0}
	if c.Alone {
		b.Contexts, b.Installs = []int{0, 1, 2}, []int{0, 1}
	}
	return b
}

func (w writer) option(s chat.OptionSpec) optionBody {
	o := optionBody{Type: optionTypes[s.Type], named: w.named(s.Name, s.Texts()),
		Required: s.Required, Complete: s.Complete}
	for _, c := range s.Choices {
		var value any = c.Value
		if s.Type == chat.NumberOption {
			n, err := strconv.ParseFloat(c.Value, 64)
			if value = n; err != nil {
				value = nil
			}
		}
		o.Choices = append(o.Choices, choiceBody{Name: c.Label, Names: w.in(c.Detail), Value: value})
	}
	switch {
	case s.Type == chat.ChannelOption:
		o.Channels = gameChannels
	case s.Min == 0 && s.Max == 0:
	case s.Type == chat.NumberOption:
		o.Min, o.Max = &s.Min, &s.Max
	default:
		o.MaxLength = &s.Max
		if s.Min > 0 { // Discord's answer leaves zero out
			o.MinLength = &s.Min
		}
	}
	return o
}

var commandNames = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]+$`) // at most 32 characters

// check reports what Discord would refuse about a command.
func (b commandBody) check() error {
	if b.Type != 1 {
		return body.Within("name", b.Name, 1, 32)
	}
	errs := []error{b.named.check(), checkOptions(b.Options)}
	if n := b.size(); n > 8000 {
		errs = append(errs, fmt.Errorf("%d characters in all, 8000 are the most", n))
	}
	return errors.Join(errs...)
}

func checkOptions(options []optionBody) error {
	var errs []error
	if len(options) > 25 {
		errs = append(errs, fmt.Errorf("%d options", len(options)))
	}
	names, optional := map[string]bool{}, false
	for _, o := range options {
		err := errors.Join(o.check(), checkChoices(o))
		switch {
		case o.Type == 0:
			err = errors.Join(err, errors.New("unknown type"))
		case names[o.Name]:
			err = errors.Join(err, errors.New("twice"))
		case o.Required && optional:
			err = errors.Join(err, errors.New("required after an optional one"))
		}
		if err = errors.Join(err, checkOptions(o.Options)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.Name, err))
		}
		names[o.Name], optional = true, optional || !o.Required
	}
	return errors.Join(errs...)
}

func checkChoices(o optionBody) error {
	var errs []error
	if len(o.Choices) > body.MaxChoices {
		errs = append(errs, fmt.Errorf("%d choices", len(o.Choices)))
	}
	if o.Complete && len(o.Choices) > 0 {
		errs = append(errs, errors.New("choices and autocomplete together"))
	}
	for _, c := range o.Choices {
		if c.Value == nil || c.Value == "" {
			errs = append(errs, fmt.Errorf("choice %s has no value", c.Name))
		}
		errs = append(errs, checkTexts("choice", c.Name, c.Names))
	}
	return errors.Join(errs...)
}

func (n named) check() error {
	err := checkTexts("description", n.About, n.Abouts)
	for _, n := range spoken(n.Name, n.Names) {
		if !commandNames.MatchString(n) || utf8.RuneCountInString(n) > 32 || strings.ToLower(n) != n {
			return errors.Join(fmt.Errorf("name %q", n), err)
		}
	}
	return err
}

func checkTexts(what, text string, texts map[string]string) error {
	for _, t := range spoken(text, texts) {
		if err := body.Within(what, t, 1, 100); err != nil {
			return err
		}
	}
	return nil
}

// size counts characters as Discord does: of names, descriptions and values, each in its longest
// language.
func (b commandBody) size() int {
	return b.named.size() + sizeOf(b.Options)
}

func (n named) size() int { return longest(n.Name, n.Names) + longest(n.About, n.Abouts) }

func sizeOf(options []optionBody) int {
	n := 0
	for _, o := range options {
		n += o.size() + sizeOf(o.Options)
		for _, c := range o.Choices {
			n += longest(c.Name, c.Names) + len(fmt.Sprint(c.Value))
		}
	}
	return n
}

func longest(text string, texts map[string]string) int {
	n := 0
	for _, t := range spoken(text, texts) {
		n = max(n, utf8.RuneCountInString(t))
	}
	return n
}

// spoken is a text in all languages, the others in the order of their locales.
func spoken(text string, texts map[string]string) []string {
	list := []string{text}
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, texts[k])
	}
	return list
}
