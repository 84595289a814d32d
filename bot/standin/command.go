package standin

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
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
	commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]+$`)
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
	if c.Handler != 0 && c.Type != entryCommand {
		p.add(join(path, "handler"), "BASE_TYPE_CHOICES", "An entry point alone has a handler.")
	}
	if c.Type != chatCommand {
		if c.Description != "" && c.Type != entryCommand {
			p.add(join(path, "description"), "APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED",
				"Context menu commands cannot have description")
		}
		if len(c.Options) > 0 {
			p.add(join(path, "options"), "APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED", "Context menu commands cannot have options")
		}
	} else {
		checkNames(p, path, c.Name, c.Names)
		if c.Description == "" {
			p.add(join(path, "description"), "BASE_TYPE_REQUIRED", "This field is required")
		}
		checkOptions(p, join(path, "options"), c.Options)
		if n := commandSize(c); n > 8000 {
			p.add(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000), it has %d characters", n)
		}
	}
}

func checkNames(p *problems, path, name string, names map[string]string) {
	checkName(p, join(path, "name"), name)
	for l, s := range names {
		checkName(p, join(path, "name_localizations", l), s)
	}
}

func checkName(p *problems, path, name string) {
	if !commandName.MatchString(name) || strings.ToLower(name) != name {
		p.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid: %q", name)
	}
}

// checkOptions checks the options of a command, a group or a subcommand.
func checkOptions(p *problems, path string, list []option) {
	seen, optional, nested := map[string]bool{}, false, 0
	for i := range list {
		o, at := &list[i], join(path, i)
		checkNames(p, at, o.Name, o.Names)
		if seen[o.Name] {
			p.add(join(at, "name"), "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name %q is used twice", o.Name)
		}
		seen[o.Name] = true
		if o.Type <= groupOption {
			nested++
		}
		if o.Required && (optional || o.Type <= groupOption) {
			p.add(join(at, "required"), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
				"Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		if len(o.Choices) > 0 && o.Autocomplete {
			p.add(join(at, "autocomplete"), "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
				"Autocomplete cannot be true if choices are present")
		}
		if o.MinValue != nil && o.MaxValue != nil && *o.MinValue > *o.MaxValue {
			p.add(join(at, "max_value"), "NUMBER_TYPE_MIN", "max_value is below min_value.")
		}
		checkOptions(p, join(at, "options"), o.Options)
	}
	if nested > 0 && nested < len(list) {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
			"Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
}

// checkChoices checks the answer to an autocomplete.
func checkChoices(p *problems, path string, list []Choice, kind int) {
	for i, c := range list {
		at := join(path, i)
		switch v := c.Value.(type) {
		case string:
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
