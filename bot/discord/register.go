package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
)

// Words gives a text of the catalogue in a locale of Discord; empty where there is none.
type Words func(key, locale string) string

// The JSON of a registered command, as we send it and as Discord answers.
type (
	commandBody struct {
		Type        int               `json:"type,omitempty"`
		Name        string            `json:"name"`
		Names       map[string]string `json:"name_localizations,omitempty"`
		About       string            `json:"description"`
		Abouts      map[string]string `json:"description_localizations,omitempty"`
		Options     []optionBody      `json:"options,omitempty"`
		Permissions *string           `json:"default_member_permissions,omitempty"`
		Contexts    []int             `json:"contexts,omitempty"`
		Installs    []int             `json:"integration_types,omitempty"`
	}
	optionBody struct {
		Type      int               `json:"type"`
		Name      string            `json:"name"`
		Names     map[string]string `json:"name_localizations,omitempty"`
		About     string            `json:"description"`
		Abouts    map[string]string `json:"description_localizations,omitempty"`
		Required  bool              `json:"required,omitempty"`
		Complete  bool              `json:"autocomplete,omitempty"`
		Choices   []choiceBody      `json:"choices,omitempty"`
		Options   []optionBody      `json:"options,omitempty"`
		Min       *int              `json:"min_value,omitempty"`
		Max       *int              `json:"max_value,omitempty"`
		MinLength *int              `json:"min_length,omitempty"`
		MaxLength *int              `json:"max_length,omitempty"`
	}
	choiceBody struct {
		Name  string            `json:"name"`
		Names map[string]string `json:"name_localizations,omitempty"`
		Value any               `json:"value"`
	}
)

// Register registers the commands: for one server, or everywhere (server 0). It first asks what is
// registered, and writes only where that has changed, so that a start uses up none of the day's
// 200 new commands. It reports whether it has written.
func (d *Adapter) Register(ctx context.Context, table []chat.Command, words Words, locales []string, server uint64) (bool, error) {
	bodies, err := commandBodies(table, words, locales, server == 0)
	if err != nil {
		return false, err
	}
	if d.app.Load() == 0 {
		if _, err := d.Application(ctx); err != nil {
			return false, fmt.Errorf("asking for the application: %w", err)
		}
	}
	place := strconv.FormatUint(server, 10)
	path := fmt.Sprintf("applications/%d/commands", d.app.Load())
	if server != 0 {
		path = fmt.Sprintf("applications/%d/guilds/%d/commands", d.app.Load(), server)
	}
	r, err := d.paced(ctx, "GET commands", place, true, call{method: http.MethodGet, path: path + "?with_localizations=true"})
	if err != nil {
		return false, fmt.Errorf("asking for the registered commands: %w", err)
	}
	d.knowCommands(r.body)
	var registered []commandBody
	if err := json.Unmarshal(r.body, &registered); err == nil && bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		return false, nil
	}
	if r, err = d.paced(ctx, "PUT commands", place, true, call{method: http.MethodPut, path: path, payload: bodies}); err != nil {
		return false, fmt.Errorf("registering the commands: %w", err)
	}
	d.knowCommands(r.body)
	return true, nil
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
		if a.Type != b.Type {
			return a.Type - b.Type
		}
		return strings.Compare(a.Name, b.Name)
	})
	text, _ := json.Marshal(sorted)
	return text
}

// Discord's numbers of the types of options.
var optionTypes = map[chat.OptionType]int{
	chat.TextOption: optionText, chat.NumberOption: optionInteger, chat.YesOption: optionBool,
	chat.MemberOption: optionUser, chat.FileOption: optionFile, chat.ChannelOption: optionChannel,
}

// CommandBodies is the JSON of the commands for Discord. It is an error where Discord would refuse
// them.
func CommandBodies(table []chat.Command, words Words, locales []string) ([]byte, error) {
	bodies, err := commandBodies(table, words, locales, true)
	if err != nil {
		return nil, err
	}
	return json.Marshal(bodies)
}

func commandBodies(table []chat.Command, words Words, locales []string, global bool) ([]commandBody, error) {
	if words == nil {
		words = func(string, string) string { return "" }
	}
	w := writer{words: words, locales: locales}
	bodies := []commandBody{}
	var errs []error
	names, count := map[string]bool{}, map[int]int{}
	for _, c := range table {
		b := w.command(c)
		if !global {
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

func (w writer) command(c chat.Command) commandBody {
	key := "command." + c.Name
	b := commandBody{Type: 1, Name: c.Name, Names: w.in(key), About: c.About, Abouts: w.in(key + ".about")}
	switch c.Menu {
	case chat.UserMenu:
		b.Type, b.About, b.Abouts = 2, "", nil
	case chat.MessageMenu:
		b.Type, b.About, b.Abouts = 3, "", nil
	default:
		b.Options = w.options(c, key)
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

// options are a command's subcommands, or its options.
func (w writer) options(c chat.Command, key string) []optionBody {
	var list []optionBody
	for _, sub := range c.Subs {
		subKey := key + "." + sub.Name
		o := optionBody{Type: optionSub, Name: sub.Name, Names: w.in(subKey), About: sub.About,
			Abouts: w.in(subKey + ".about"), Options: w.options(sub, subKey)}
		if len(sub.Subs) > 0 {
			o.Type = optionGroup
		}
		list = append(list, o)
	}
	for _, spec := range c.Options {
		list = append(list, w.option(spec, key+"."+spec.Name))
	}
	return list
}

func (w writer) option(s chat.OptionSpec, key string) optionBody {
	o := optionBody{Type: optionTypes[s.Type], Name: s.Name, Names: w.in(key), About: s.About,
		Abouts: w.in(key + ".about"), Required: s.Required, Complete: s.Complete}
	for _, c := range s.Choices {
		var value any = c.Value
		if s.Type == chat.NumberOption {
			n, err := strconv.ParseFloat(c.Value, 64)
			if value = n; err != nil {
				value = nil
			}
		}
		o.Choices = append(o.Choices, choiceBody{Name: c.Label, Names: w.in(cmp.Or(c.Detail, key+"."+c.Value)), Value: value})
	}
	if s.Min != 0 || s.Max != 0 {
		if s.Type == chat.NumberOption {
			o.Min, o.Max = &s.Min, &s.Max
		} else {
			o.MinLength, o.MaxLength = &s.Min, &s.Max
		}
	}
	return o
}

var commandNames = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// check reports what Discord would refuse about a command.
func (b commandBody) check() error {
	if b.Type != 1 {
		return within("name", b.Name, 1, 32)
	}
	errs := []error{checkNames(b.Name, b.Names), checkTexts("description", b.About, b.Abouts, 100), checkOptions(b.Options)}
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
		err := errors.Join(checkNames(o.Name, o.Names), checkTexts("description", o.About, o.Abouts, 100), checkChoices(o))
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
	if len(o.Choices) > maxChoices {
		errs = append(errs, fmt.Errorf("%d choices", len(o.Choices)))
	}
	if o.Complete && len(o.Choices) > 0 {
		errs = append(errs, errors.New("choices and autocomplete together"))
	}
	for _, c := range o.Choices {
		if c.Value == nil || c.Value == "" {
			errs = append(errs, fmt.Errorf("choice %s has no value", c.Name))
		}
		errs = append(errs, checkTexts("choice", c.Name, c.Names, 100))
	}
	return errors.Join(errs...)
}

func checkNames(name string, names map[string]string) error {
	for _, n := range append([]string{name}, values(names)...) {
		if !commandNames.MatchString(n) || strings.ToLower(n) != n {
			return fmt.Errorf("name %q", n)
		}
	}
	return nil
}

func checkTexts(what, text string, texts map[string]string, most int) error {
	for _, t := range append([]string{text}, values(texts)...) {
		if err := within(what, t, 1, most); err != nil {
			return err
		}
	}
	return nil
}

// size counts characters as Discord does: of names, descriptions and values, each in its longest
// language.
func (b commandBody) size() int {
	return longest(b.Name, b.Names) + longest(b.About, b.Abouts) + sizeOf(b.Options)
}

func sizeOf(options []optionBody) int {
	n := 0
	for _, o := range options {
		n += longest(o.Name, o.Names) + longest(o.About, o.Abouts) + sizeOf(o.Options)
		for _, c := range o.Choices {
			n += longest(c.Name, c.Names) + len(fmt.Sprint(c.Value))
		}
	}
	return n
}

func longest(text string, texts map[string]string) int {
	n := 0
	for _, t := range append([]string{text}, values(texts)...) {
		n = max(n, utf8.RuneCountInString(t))
	}
	return n
}

// values are a map's values in the order of its keys.
func values(m map[string]string) []string {
	var list []string
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		list = append(list, m[k])
	}
	return list
}
