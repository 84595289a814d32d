package standin

import (
	"fmt"
	"slices"
	"strings"
)

func (f fileRef) id() string { return strings.Trim(string(f.ID), `"`) }

// componentCheck walks the components of one message or modal.
type componentCheck struct {
	*problems
	v2      bool
	ids     map[string]bool // custom ids seen
	numbers map[int]bool    // component ids seen
	files   shownFiles
	emojis  func(id string) emojiState // nil: every emoji is known
	count   int
	text    int
}

func newComponentCheck(p *problems) componentCheck {
	return componentCheck{problems: p, ids: map[string]bool{}, numbers: map[int]bool{}}
}

func (c *componentCheck) message(path string, list []Component) {
	if !c.v2 && len(list) > maxRows {
		c.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxRows)
	}
	for i := range list {
		if !c.v2 && list[i].Type != actionRow {
			c.add(join(path, i, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1), not %d.",
				list[i].Type)
			continue
		}
		c.one(join(path, i), &list[i])
	}
	if c.count > maxComponents {
		c.add(path, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "%d components in total, at most %d are allowed.",
			c.count, maxComponents)
	}
	if c.text > maxText {
		c.add(path, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
			"%d characters over all text displays, at most %d are allowed.", c.text, maxText)
	}
}

// one checks a component, and those in it, as far as the table of shapes does not.
func (c *componentCheck) one(path string, m *Component) {
	c.count++
	if m.ID != 0 {
		if c.numbers[m.ID] {
			c.add(join(path, "id"), "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
		}
		c.numbers[m.ID] = true
	}
	switch m.Type {
	case actionRow:
		c.row(path, m)
	case button:
		c.button(path, m)
	case stringSelect, userSelect, roleSelect, mentionSelect, channelSelect:
		c.choice(path, m)
	case textInput:
		c.input(path, m)
	case section:
		c.all(path, m)
		c.one(join(path, "accessory"), m.Accessory)
	case textDisplay:
		c.text += characters(m.Content)
	case thumbnail:
		c.media(join(path, "media"), m.Media)
	case mediaGallery:
		for i := range m.Items {
			c.media(join(path, "items", i, "media"), &m.Items[i].Media)
		}
	case fileDisplay:
		if !strings.HasPrefix(m.File.URL, "attachment://") {
			c.add(join(path, "file", "url"), "UNFURLED_MEDIA_ITEM_NOT_ATTACHMENT",
				"A file component shows an attachment:// reference only.")
			return
		}
		c.media(join(path, "file"), m.File)
	case container:
		c.all(path, m)
	case labelComponent:
		c.label(path, m)
	}
}

// all checks the components in a component.
func (c *componentCheck) all(path string, m *Component) {
	for i := range m.Components {
		c.one(join(path, "components", i), &m.Components[i])
	}
}

func (c *componentCheck) row(path string, m *Component) {
	c.all(path, m)
	wide := func(one Component) bool { return one.Type != button }
	if len(m.Components) > 1 && slices.ContainsFunc(m.Components, wide) {
		c.add(join(path, "components"), "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
			"The specified component exceeds the maximum width")
	}
}

func (c *componentCheck) id(path, id string) {
	c.length(join(path, "custom_id"), id, 1, 100)
	if id != "" && c.ids[id] {
		c.add(join(path, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	c.ids[id] = true
}

func (c *componentCheck) button(path string, m *Component) {
	c.emoji(path, m.Emoji)
	switch {
	case m.Style == buttonStyleLink:
		c.length(join(path, "url"), m.URL, 1, 512)
		if m.CustomID != "" {
			c.add(join(path, "custom_id"), "BUTTON_COMPONENT_CUSTOM_ID_NOT_ALLOWED", "A link button has no custom id.")
		}
	case m.Style == 6:
		c.length(join(path, "sku_id"), m.SKU, 1, 20)
		return
	default:
		c.id(path, m.CustomID)
		if m.URL != "" {
			c.add(join(path, "url"), "BUTTON_COMPONENT_URL_NOT_ALLOWED", "Only a link button has a URL.")
		}
	}
	if m.Label == "" && (m.Emoji == nil || m.Emoji.Name == "" && m.Emoji.ID == "") {
		c.add(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button needs a label or an emoji.")
	}
}

func (c *componentCheck) choice(path string, m *Component) {
	c.id(path, m.CustomID)
	low, high := c.amounts(path, m)
	c.options(join(path, "options"), m.Options, high)
	c.defaults(join(path, "default_values"), m, low, high)
}

// amounts checks how many values may be chosen.
func (c *componentCheck) amounts(path string, m *Component) (low, high int) {
	low, high = m.amounts()
	if high < low {
		c.add(join(path, "max_values"), "NUMBER_TYPE_MAX", "int value should not be below min_values.")
	}
	return low, high
}

// amounts are how many values may be chosen of a component.
func (m *Component) amounts() (low, high int) {
	low, high = 1, 1
	if m.Type == checkboxGroup {
		high = len(m.Options)
	}
	if m.MinValues != nil {
		low = *m.MinValues
	}
	if m.MaxValues != nil {
		high = *m.MaxValues
	}
	return low, high
}

// defaults checks what is chosen from the start in a select of members, roles or channels.
func (c *componentCheck) defaults(path string, m *Component, low, high int) {
	if n := len(m.Defaults); n > 0 && (n < low || n > high) {
		c.add(path, "SELECT_DEFAULT_VALUES_INVALID", "%d values are defaults, between %d and %d can be chosen.", n, low, high)
	}
	types := map[int][]string{userSelect: {"user"}, roleSelect: {"role"}, mentionSelect: {"user", "role"},
		channelSelect: {"channel"}}[m.Type]
	for i, d := range m.Defaults {
		if !slices.Contains(types, d.Type) {
			c.add(join(path, i, "type"), "SELECT_DEFAULT_VALUES_INVALID",
				"A default of the type %q does not fit this select.", d.Type)
		}
	}
}

// options checks the options of a select or a group; up to high can be chosen.
func (c *componentCheck) options(path string, list []SelectOption, high int) {
	seen, defaults := map[string]bool{}, 0
	for i, o := range list {
		at := join(path, i)
		c.emoji(at, o.Emoji)
		if seen[o.Value] {
			c.add(join(at, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		seen[o.Value] = true
		if o.Default {
			defaults++
		}
	}
	if defaults > high {
		c.add(path, "SELECT_COMPONENT_TOO_MANY_DEFAULTS",
			"%d options are defaults, at most %d can be chosen.", defaults, high)
	}
}

func (c *componentCheck) media(path string, m *Media) {
	name, ok := strings.CutPrefix(m.URL, "attachment://")
	if !ok {
		if !strings.HasPrefix(m.URL, "https://") && !strings.HasPrefix(m.URL, "http://") {
			c.add(join(path, "url"), "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'attachment').")
		}
		return
	}
	if _, ok := c.files[name]; !ok {
		c.add(path, "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
			"The referenced attachment %q was not found in the request or the message.", name)
		return
	}
	c.files[name] = true
}

func tuple(list []int) string {
	s := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
	return "(" + s + ")"
}
