package standin

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// command makes the interaction of a slash or menu command, with the checks
// that Discord's client and Discord itself make before the bot hears of it.
func (s *Server) command(who *person, a Action) (*interaction, error) {
	place := a.At
	var target *record
	if a.Do == "message-menu" {
		if target = s.messages[a.Target]; target == nil || !s.visible(target, who.ID) {
			return nil, refuse("%s sees no message %s", who.Username, a.Target)
		}
		place = target.ch.id
	}
	c, err := s.seen(who, place)
	if err != nil {
		return nil, err
	}
	if err := s.mayUse(who, c); err != nil {
		return nil, err
	}
	i := &interaction{kind: kindCommand, by: who, ch: c, shown: a.Name, name: a.Name}
	resolved := &resolved{}
	data := map[string]any{}
	i.data = data
	var cmd *Command
	switch a.Do {
	case "user-menu":
		cmd, err = s.userMenu(i, a, resolved, data)
	case "message-menu":
		cmd, err = s.messageMenu(i, target, resolved, data)
	default:
		cmd, err = s.slash(i, a, resolved, data)
	}
	if err != nil {
		return nil, err
	}
	data["id"], data["name"], data["type"] = cmd.ID, cmd.Name, cmd.Type
	if cmd.GuildID != "" {
		data["guild_id"] = cmd.GuildID
	}
	if !resolved.empty() {
		data["resolved"] = resolved
	}
	return i, nil
}

// slash reads a line into the options of its command; while it is being typed, it is the
// question for an autocomplete.
func (s *Server) slash(i *interaction, a Action, r *resolved, data map[string]any) (*Command, error) {
	cmd, line, err := s.parse(i.by, i.ch, a)
	if err != nil {
		return nil, err
	}
	i.shown, i.name = line.shown, strings.TrimPrefix(line.shown, "/")
	partial := a.Do == "type"
	options, focus, err := s.options(line, i.ch, r, partial)
	if err != nil {
		return nil, err
	}
	if partial {
		i.kind, i.focus = kindAutocomplete, focus
	}
	data["options"] = line.nest(options)
	return cmd, nil
}

func (s *Server) userMenu(i *interaction, a Action, r *resolved, data map[string]any) (*Command, error) {
	cmd, err := s.menuCommand(i, userCommand)
	if err != nil {
		return nil, err
	}
	p := s.findPerson(a.Target)
	if p == nil {
		return nil, refuse("there is no member %q", a.Target)
	}
	data["target_id"] = p.ID
	r.user(s, i.ch, p)
	return cmd, nil
}

func (s *Server) messageMenu(i *interaction, target *record, r *resolved, data map[string]any) (*Command, error) {
	cmd, err := s.menuCommand(i, messageCommand)
	if err != nil {
		return nil, err
	}
	data["target_id"] = target.msg.ID
	put(&r.Messages, target.msg.ID, target.msg.unlisted())
	return cmd, nil
}

func (s *Server) menuCommand(i *interaction, kind int) (*Command, error) {
	cmd := s.findCommand(i.by, i.ch, kind, i.name)
	if cmd == nil {
		return nil, refuse("there is no menu command %q here for %s", i.name, i.by.Username)
	}
	return cmd, nil
}

// mayUse refuses where commands cannot be used at all.
func (s *Server) mayUse(who *person, c *channel) error {
	if s.doze(c); c.thread() && c.archived {
		return refuse("commands cannot be used in an archived thread")
	}
	if c.permissions(who.ID)&PermUseCommands == 0 {
		return refuse("%s may not use commands here", who.Username)
	}
	return nil
}

// usable reports whether a member sees a command at a place.
func (s *Server) usable(who *person, c *channel, cmd *Command) bool {
	if p := cmd.MemberPermissions; p != nil && c.guild != nil {
		perms := c.permissions(who.ID)
		if perms&PermAdministrator == 0 && perms != allPerms && (*p == 0 || perms&uint64(*p) != uint64(*p)) {
			return false
		}
	}
	context := 2
	byGuild := slices.Contains(cmd.IntegrationTypes, 0)
	switch {
	case c.guild != nil:
		context = 0
		byGuild = byGuild && c.guild.bot
	case s.withBot(c):
		context = 1
		byGuild = byGuild && s.sharesGuild(who)
		if cmd.DMPermission != nil && !*cmd.DMPermission {
			return false
		}
	default:
		byGuild = false
	}
	if cmd.GuildID != "" {
		return c.guild != nil && c.guild.bot && c.guild.id == cmd.GuildID
	}
	if len(cmd.Contexts) > 0 && !slices.Contains(cmd.Contexts, context) {
		return false
	}
	return byGuild || who.Installed && slices.Contains(cmd.IntegrationTypes, 1)
}

// available are the commands of a member at a place; a server's own hides a
// global one of its name.
func (s *Server) available(who *person, c *channel) []*Command {
	var out []*Command
	add := func(table []Command) {
		for i := range table {
			cmd := &table[i]
			hidden := slices.ContainsFunc(out, func(o *Command) bool { return o.Name == cmd.Name && o.Type == cmd.Type })
			if !hidden && s.usable(who, c, cmd) {
				out = append(out, cmd)
			}
		}
	}
	if c.guild != nil {
		add(s.guildTable[c.guild.id])
	}
	add(s.globalTable)
	return out
}

func (s *Server) listCommands(who *person, a Action) (Result, error) {
	r := Result{Commands: []Command{}}
	if who == nil {
		scope := ""
		if a.Name != "" {
			g, err := s.guildNamed(a.Name)
			if err != nil {
				return r, err
			}
			scope = g.id
		}
		r.Commands = slices.Clone(s.commands(scope))
		return r, nil
	}
	c, err := s.seen(who, a.At)
	if err != nil {
		return r, err
	}
	if s.mayUse(who, c) != nil {
		return r, nil
	}
	for _, cmd := range s.available(who, c) {
		r.Commands = append(r.Commands, *cmd)
	}
	return r, nil
}

func (s *Server) findCommand(who *person, c *channel, kind int, name string) *Command {
	for _, cmd := range s.available(who, c) {
		if cmd.Type == kind && (cmd.Name == name || cmd.Names[who.Locale] == name) {
			return cmd
		}
	}
	return nil
}

// typed is a command line as far as it is understood.
type typed struct {
	shown  string // "/play bot"
	path   []*option
	known  []option // the options that may be given
	values []Value
}

// nest wraps the options into the subcommand and group they belong to.
func (t *typed) nest(options []map[string]any) []map[string]any {
	if options == nil {
		options = []map[string]any{}
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		options = []map[string]any{{"type": t.path[i].Type, "name": t.path[i].Name, "options": options}}
	}
	return options
}

// parse reads "/play bot game:renju note:a long text" and adds the options
// that were given apart.
func (s *Server) parse(who *person, c *channel, a Action) (*Command, *typed, error) {
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(a.Name), "/"))
	if len(words) == 0 {
		return nil, nil, refuse("no command in %q", a.Name)
	}
	cmd := s.findCommand(who, c, chatCommand, words[0])
	if cmd == nil {
		cmd, t, err := s.outdated(who, c, words, a.Options)
		if cmd == nil {
			err = refuse("there is no command /%s here for %s", words[0], who.Username)
		}
		return cmd, t, err
	}
	t, err := readLine(cmd, who.Locale, words[1:], a.Options)
	if err != nil {
		if old, t, err := s.outdated(who, c, words, a.Options); old != nil && err == nil {
			return old, t, nil
		}
	}
	return cmd, t, err
}

// outdated reads a line as a command that a client still shows; none where it shows none of that name.
func (s *Server) outdated(who *person, c *channel, words []string, options []Value) (*Command, *typed, error) {
	for i := range s.opts.Outdated {
		if cmd := &s.opts.Outdated[i]; cmd.Type == chatCommand && cmd.Name == words[0] && s.usable(who, c, cmd) {
			t, err := readLine(cmd, who.Locale, words[1:], options)
			return cmd, t, err
		}
	}
	return nil, nil, nil
}

// readLine reads the words after a command's name, and the options that were given apart.
func readLine(cmd *Command, locale string, rest []string, options []Value) (*typed, error) {
	t := &typed{shown: "/" + cmd.Name, known: cmd.Options}
	for len(t.known) > 0 && t.known[0].Type <= groupOption {
		var next *option
		if len(rest) > 0 {
			next = findOption(t.known, rest[0], locale)
		}
		if next == nil {
			return nil, refuse("%s needs one of its subcommands, not %q", t.shown, strings.Join(rest, " "))
		}
		t.path, t.known, rest = append(t.path, next), next.Options, rest[1:]
		t.shown += " " + next.Name
	}
	if err := t.read(rest, locale); err != nil {
		return nil, err
	}
	for _, v := range options {
		o := findOption(t.known, v.Name, locale)
		if o == nil {
			return nil, refuse("%s has no option %q", t.shown, v.Name)
		}
		v.Name = o.Name
		t.values = append(t.values, v)
	}
	for i, v := range t.values {
		if slices.ContainsFunc(t.values[:i], func(o Value) bool { return o.Name == v.Name }) {
			return nil, refuse("the option %q is given twice", v.Name)
		}
	}
	return t, nil
}

func findOption(list []option, name, locale string) *option {
	for i := range list {
		if list[i].Name == name || list[i].Names[locale] == name {
			return &list[i]
		}
	}
	return nil
}

// read takes name:value pairs; a value goes on until the next known name.
func (t *typed) read(words []string, locale string) error {
	for _, w := range words {
		name, value, ok := strings.Cut(w, ":")
		if o := findOption(t.known, name, locale); ok && o != nil {
			t.values = append(t.values, Value{Name: o.Name, Value: value})
			continue
		}
		if len(t.values) == 0 {
			return refuse("%s has no option in %q", t.shown, w)
		}
		last := &t.values[len(t.values)-1]
		last.Value = fmt.Sprint(last.Value) + " " + w
	}
	return nil
}

// options turns values into what the bot receives, checked against the table.
func (s *Server) options(t *typed, c *channel, r *resolved, partial bool) ([]map[string]any, int, error) {
	var out []map[string]any
	focus := 0
	for n, v := range t.values {
		o := findOption(t.known, v.Name, "")
		item := map[string]any{"name": o.Name, "type": o.Type}
		if partial && n == len(t.values)-1 {
			if !o.Autocomplete {
				return nil, 0, refuse("the option %q has no autocomplete", o.Name)
			}
			item["focused"], item["value"], focus = true, fmt.Sprint(v.Value), o.Type
			out = append(out, item)
			continue
		}
		value, err := s.value(o, v, c, r)
		if err != nil && !partial {
			return nil, 0, refuse("%s: option %s: %v", t.shown, o.Name, err)
		}
		if err != nil {
			value = fmt.Sprint(v.Value) // while typing, anything may stand there
		}
		item["value"] = value
		out = append(out, item)
	}
	if partial && focus == 0 {
		return nil, 0, refuse("%s: no option is being typed", t.shown)
	}
	for i := range t.known {
		o := &t.known[i]
		if o.Required && !partial && !slices.ContainsFunc(t.values, func(v Value) bool { return v.Name == o.Name }) {
			return nil, 0, refuse("%s: the option %q is required", t.shown, o.Name)
		}
	}
	return out, focus, nil
}

func (s *Server) value(o *option, v Value, c *channel, r *resolved) (any, error) {
	text := strings.TrimSpace(fmt.Sprint(v.Value))
	switch o.Type {
	case stringOption:
		return stringValue(o, fmt.Sprint(v.Value))
	case integerOption, numberOption:
		return numberValue(o, text)
	case booleanOption:
		b, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return b, nil
	case userOption:
		return s.userValue(text, c, r)
	case channelOption:
		ch, err := s.place(nil, text)
		if err != nil {
			return nil, err
		}
		if len(o.ChannelTypes) > 0 && !slices.Contains(o.ChannelTypes, ch.kind) {
			return nil, fmt.Errorf("%s is not of the types %v", text, o.ChannelTypes)
		}
		r.channel(s, ch)
		return ch.id, nil
	case roleOption:
		return s.roleValue(text, c, r)
	case mentionableOption:
		return s.mentionable(text, c, r)
	case attachmentOption:
		return s.fileValue(v, c, r)
	}
	return nil, fmt.Errorf("options of type %d have no value", o.Type)
}

func (s *Server) userValue(text string, c *channel, r *resolved) (any, error) {
	p := s.findPerson(strings.Trim(text, "<@!>"))
	if p == nil {
		return nil, fmt.Errorf("there is no member %q", text)
	}
	r.user(s, c, p)
	return p.ID, nil
}

func (s *Server) roleValue(text string, c *channel, r *resolved) (any, error) {
	if c.guild != nil {
		for _, role := range c.guild.roles {
			if role.Name == text || role.ID == text {
				put(&r.Roles, role.ID, s.wireRole(role))
				return role.ID, nil
			}
		}
	}
	return nil, fmt.Errorf("there is no role %q", text)
}

// mentionable is a role or else a member.
func (s *Server) mentionable(text string, c *channel, r *resolved) (any, error) {
	if id, err := s.roleValue(text, c, r); err == nil {
		return id, nil
	}
	return s.userValue(text, c, r)
}

func (s *Server) fileValue(v Value, c *channel, r *resolved) (any, error) {
	if v.File == nil {
		return nil, fmt.Errorf("a file is needed")
	}
	a := Attachment{ID: s.id(), Filename: v.File.Name, Size: len(v.File.Data), Ephemeral: true}
	s.store(&a, c.id, v.File.Data)
	put(&r.Attachments, a.ID, a)
	return a.ID, nil
}

func stringValue(o *option, text string) (any, error) {
	if len(o.Choices) > 0 {
		return choiceValue(o, text)
	}
	n := characters(text)
	if n == 0 && o.Required || n > 6000 || o.MinLength != nil && n < *o.MinLength ||
		o.MaxLength != nil && n > *o.MaxLength {
		return nil, fmt.Errorf("a text of %d characters is not allowed", n)
	}
	return text, nil
}

func choiceValue(o *option, text string) (any, error) {
	for _, c := range o.Choices {
		names := append(slices.Collect(maps.Values(c.Localizations)), c.Name, fmt.Sprint(c.Value))
		if slices.Contains(names, text) {
			return c.Value, nil
		}
	}
	var names []string
	for _, c := range o.Choices {
		names = append(names, fmt.Sprint(c.Value))
	}
	return nil, fmt.Errorf("%q is none of the choices %s", text, strings.Join(names, ", "))
}

func numberValue(o *option, text string) (any, error) {
	if len(o.Choices) > 0 {
		return choiceValue(o, text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) ||
		o.Type == integerOption && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, fmt.Errorf("%q is not a number of its kind", text)
	}
	if o.MinValue != nil && f < *o.MinValue || o.MaxValue != nil && f > *o.MaxValue {
		return nil, fmt.Errorf("%v is out of range", text)
	}
	if o.Type == integerOption {
		return int64(f), nil
	}
	return f, nil
}

// resolved holds what the ids in an interaction's data stand for.
type resolved struct {
	Users       map[string]any `json:"users,omitempty"`
	Members     map[string]any `json:"members,omitempty"`
	Roles       map[string]any `json:"roles,omitempty"`
	Channels    map[string]any `json:"channels,omitempty"`
	Messages    map[string]any `json:"messages,omitempty"`
	Attachments map[string]any `json:"attachments,omitempty"`
}

func put(to *map[string]any, id string, thing any) {
	if *to == nil {
		*to = map[string]any{}
	}
	(*to)[id] = thing
}

func (r *resolved) empty() bool {
	return r.Users == nil && r.Roles == nil && r.Channels == nil && r.Messages == nil && r.Attachments == nil
}

// user adds a user, and their membership without the user, as Discord does.
func (r *resolved) user(s *Server, c *channel, p *person) {
	put(&r.Users, p.ID, p.User)
	if c.guild == nil {
		return
	}
	if _, in := c.guild.members[p.ID]; !in {
		return
	}
	m := s.wireMember(c.guild, p)
	delete(m, "user")
	delete(m, "deaf")
	delete(m, "mute")
	m["permissions"] = bitString(c.permissions(p.ID))
	put(&r.Members, p.ID, m)
}

func (r *resolved) channel(s *Server, c *channel) {
	w := s.wireChannel(c)
	w.Overwrites = nil
	w.Permissions = bitString(c.permissions(s.bot.ID))
	put(&r.Channels, c.id, w)
}
