package standin

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Command is an application command as a bot registers it.
type Command struct {
	ID                string            `json:"id"`
	Type              int               `json:"type"`
	ApplicationID     string            `json:"application_id"`
	GuildID           string            `json:"guild_id,omitempty"`
	Name              string            `json:"name"`
	Names             map[string]string `json:"name_localizations,omitempty"`
	Description       string            `json:"description"`
	Descriptions      map[string]string `json:"description_localizations,omitempty"`
	Options           []option          `json:"options,omitempty"`
	MemberPermissions *bits             `json:"default_member_permissions"`
	DMPermission      *bool             `json:"dm_permission,omitempty"`
	Contexts          []int             `json:"contexts,omitempty"`
	IntegrationTypes  []int             `json:"integration_types,omitempty"`
	NSFW              bool              `json:"nsfw"`
	Handler           int               `json:"handler,omitempty"` // of an entry point
	Version           string            `json:"version"`
}

// Kinds of commands.
const (
	chatCommand    = 1
	userCommand    = 2
	messageCommand = 3
	entryCommand   = 4 // of an Activity
)

// option is an option of a command: a value, a subcommand or a group of these.
type option struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Names        map[string]string `json:"name_localizations,omitempty"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	Choices      []Choice          `json:"choices,omitempty"`
	Options      []option          `json:"options,omitempty"`
	ChannelTypes []int             `json:"channel_types,omitempty"`
	MinValue     *float64          `json:"min_value,omitempty"`
	MaxValue     *float64          `json:"max_value,omitempty"`
	MinLength    *int              `json:"min_length,omitempty"`
	MaxLength    *int              `json:"max_length,omitempty"`
	Autocomplete bool              `json:"autocomplete,omitempty"`
}

// Types of options.
const (
	subcommandOption  = 1
	groupOption       = 2
	stringOption      = 3
	integerOption     = 4
	booleanOption     = 5
	userOption        = 6
	channelOption     = 7
	roleOption        = 8
	mentionableOption = 9
	numberOption      = 10
	attachmentOption  = 11
)

// bits is a set of permissions; in JSON a decimal string.
type bits uint64

// MarshalJSON writes a decimal string.
func (b bits) MarshalJSON() ([]byte, error) { return json.Marshal(bitString(uint64(b))) }

// UnmarshalJSON reads a string or a number.
func (b *bits) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal([]byte(strings.Trim(string(data), `"`)), &n); err != nil {
		return err
	}
	v, err := parseBits(n.String())
	*b = bits(v)
	return err
}

var (
	commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]+$`) // at most 32 characters
	locales     = strings.Fields("id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs " +
		"el bg ru uk hi th zh-CN ja zh-TW ko")
)

// checkCommands applies the rules for a whole table of commands.
func checkCommands(p *problems, list []Command) {
	seen := map[string]bool{}
	count := map[int]int{}
	for i := range list {
		c := &list[i]
		if c.Type == 0 {
			c.Type = chatCommand
		}
		checkCommand(p, join("", i), c)
		key := bitString(uint64(c.Type)) + c.Name
		if seen[key] {
			p.add(join("", i, "name"), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		seen[key] = true
		count[c.Type]++
	}
	if count[chatCommand] > 100 || count[userCommand] > 15 || count[messageCommand] > 15 || count[entryCommand] > 1 {
		p.add("", "BASE_TYPE_MAX_LENGTH", "At most 100 chat, 15 user and 15 message commands, and one entry point.")
	}
}

func checkCommand(p *problems, path string, c *Command) {
	if c.Type < chatCommand || c.Type > entryCommand {
		p.add(join(path, "type"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4).")
		return
	}
	if c.Handler != 0 && (c.Type != entryCommand || c.Handler > 2) {
		p.add(join(path, "handler"), "BASE_TYPE_CHOICES", "An entry point alone has a handler, 1 or 2.")
	}
	if c.Type != chatCommand {
		p.length(join(path, "name"), c.Name, 1, 32)
		if c.Description != "" && c.Type != entryCommand {
			p.add(join(path, "description"), "APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED",
				"Context menu commands cannot have description")
		}
		if len(c.Options) > 0 {
			p.add(join(path, "options"), "APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED", "Context menu commands cannot have options")
		}
	} else {
		checkNames(p, path, c.Name, c.Description, c.Names, c.Descriptions)
		checkOptions(p, join(path, "options"), c.Options, 0)
		if n := commandSize(c); n > 8000 {
			p.add(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000), it has %d characters", n)
		}
	}
	for _, set := range []struct {
		name string
		list []int
		max  int
	}{{"contexts", c.Contexts, 2}, {"integration_types", c.IntegrationTypes, 1}} {
		for i, v := range set.list {
			if v < 0 || v > set.max || slices.Index(set.list, v) != i {
				p.add(join(path, set.name, i), "BASE_TYPE_CHOICES", "Value must be unique and between 0 and %d.", set.max)
			}
		}
	}
}

func checkNames(p *problems, path, name, description string, names, descriptions map[string]string) {
	checkName(p, join(path, "name"), name)
	p.length(join(path, "description"), description, 1, 100)
	for l, s := range names {
		checkLocale(p, join(path, "name_localizations", l), l)
		checkName(p, join(path, "name_localizations", l), s)
	}
	for l, s := range descriptions {
		checkLocale(p, join(path, "description_localizations", l), l)
		p.length(join(path, "description_localizations", l), s, 1, 100)
	}
}

func checkLocale(p *problems, path, locale string) {
	if !slices.Contains(locales, locale) {
		p.add(path, "BASE_TYPE_CHOICES", "%q is no locale of Discord.", locale)
	}
}

func checkName(p *problems, path, name string) {
	if !commandName.MatchString(name) || utf8.RuneCountInString(name) > 32 || strings.ToLower(name) != name {
		p.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid: %q", name)
	}
}

// checkOptions checks the options at a depth: 0 below a command, 1 below a
// group or subcommand, 2 below a subcommand of a group.
func checkOptions(p *problems, path string, list []option, depth int) {
	if len(list) > 25 {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	seen, optional, nested := map[string]bool{}, false, 0
	for i := range list {
		o, at := &list[i], join(path, i)
		checkNames(p, at, o.Name, o.Description, o.Names, o.Descriptions)
		if seen[o.Name] {
			p.add(join(at, "name"), "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name %q is used twice", o.Name)
		}
		seen[o.Name] = true
		if o.Type <= groupOption {
			nested++
		}
		if o.Required && optional {
			p.add(join(at, "required"), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
				"Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		checkOption(p, at, o, depth)
	}
	if nested > 0 && nested < len(list) {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
			"Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
}

func checkOption(p *problems, path string, o *option, depth int) {
	switch {
	case o.Type < subcommandOption || o.Type > attachmentOption:
		p.add(join(path, "type"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11).")
	case o.Type == groupOption:
		if depth > 0 {
			p.add(join(path, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "A group cannot be nested.")
		}
		for i := range o.Options {
			if o.Options[i].Type != subcommandOption {
				p.add(join(path, "options", i, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
					"A group holds subcommands only.")
			}
		}
		checkOptions(p, join(path, "options"), o.Options, depth+1)
	case o.Type == subcommandOption:
		if depth > 1 {
			p.add(join(path, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "A subcommand cannot be nested here.")
		}
		for i := range o.Options {
			if o.Options[i].Type <= groupOption {
				p.add(join(path, "options", i, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
					"A subcommand holds values only.")
			}
		}
		checkOptions(p, join(path, "options"), o.Options, depth+1)
	case len(o.Options) > 0:
		p.add(join(path, "options"), "APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED", "Only groups and subcommands have options.")
	}
	if o.Type <= groupOption && o.Required {
		p.add(join(path, "required"), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "A subcommand cannot be required.")
	}
	checkValueOption(p, path, o)
}

func checkValueOption(p *problems, path string, o *option) {
	textual := o.Type == stringOption
	numeric := o.Type == integerOption || o.Type == numberOption
	if (len(o.Choices) > 0 || o.Autocomplete) && !textual && !numeric {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Only strings and numbers have choices or autocomplete.")
	}
	if len(o.Choices) > 0 && o.Autocomplete {
		p.add(join(path, "autocomplete"), "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
			"Autocomplete cannot be true if choices are present")
	}
	if (o.MinValue != nil || o.MaxValue != nil) && !numeric {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_RANGE_INVALID", "Only numbers have min_value and max_value.")
	}
	if o.MinValue != nil && o.MaxValue != nil && *o.MinValue > *o.MaxValue {
		p.add(join(path, "max_value"), "NUMBER_TYPE_MIN", "max_value is below min_value.")
	}
	if (o.MinLength != nil || o.MaxLength != nil) && !textual {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_RANGE_INVALID", "Only strings have min_length and max_length.")
	}
	if len(o.ChannelTypes) > 0 && o.Type != channelOption {
		p.add(join(path, "channel_types"), "APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES_INVALID",
			"Only channel options have channel_types.")
	}
	checkChoices(p, join(path, "choices"), o.Choices, o.Type)
}

// checkChoices checks fixed choices and the answer to an autocomplete alike.
func checkChoices(p *problems, path string, list []Choice, kind int) {
	if len(list) > maxChoices {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxChoices)
	}
	for i, c := range list {
		at := join(path, i)
		p.length(join(at, "name"), c.Name, 1, 100)
		for l, s := range c.Localizations {
			checkLocale(p, join(at, "name_localizations", l), l)
			p.length(join(at, "name_localizations", l), s, 1, 100)
		}
		switch v := c.Value.(type) {
		case string:
			p.length(join(at, "value"), v, 1, 100)
			if kind != stringOption {
				p.add(join(at, "value"), "NUMBER_TYPE_COERCE", "Value %q is not a number.", v)
			}
		case float64:
			if kind == stringOption {
				p.add(join(at, "value"), "STRING_TYPE_CONVERT", "Could not interpret \"%v\" as string.", v)
			}
			if kind == integerOption && (v != math.Trunc(v) || math.Abs(v) > 1<<53) {
				p.add(join(at, "value"), "NUMBER_TYPE_COERCE", "Value \"%v\" is not int.", v)
			}
		default:
			p.add(join(at, "value"), "BASE_TYPE_REQUIRED", "This field is required")
		}
	}
}

// commandSize counts the characters of a command as Discord does: names,
// descriptions and values of everything in it, the longest translation of each.
func commandSize(c *Command) int {
	return longest(c.Name, c.Names) + longest(c.Description, c.Descriptions) + optionsSize(c.Options)
}

func optionsSize(list []option) int {
	n := 0
	for i := range list {
		o := &list[i]
		n += longest(o.Name, o.Names) + longest(o.Description, o.Descriptions) + optionsSize(o.Options)
		for _, c := range o.Choices {
			n += longest(c.Name, c.Localizations)
			if s, ok := c.Value.(string); ok {
				n += characters(s)
			}
		}
	}
	return n
}

func longest(s string, translations map[string]string) int {
	n := characters(s)
	for _, t := range translations {
		n = max(n, characters(t))
	}
	return n
}
