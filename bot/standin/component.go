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

func (c *componentCheck) message(path string, list []Component) {
	top := []int{actionRow}
	if c.v2 {
		top = []int{actionRow, section, textDisplay, mediaGallery, fileDisplay, separator, container}
		if len(list) > maxComponents {
			c.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxComponents)
		}
	} else if len(list) > maxRows {
		c.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxRows)
	}
	for i := range list {
		c.one(join(path, i), &list[i], top)
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

// one checks a component that must be of one of the types.
func (c *componentCheck) one(path string, m *Component, types []int) {
	c.count++
	if !slices.Contains(types, m.Type) {
		c.add(join(path, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of %s, not %d.",
			tuple(types), m.Type)
		return
	}
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
		c.input(path, m, true)
	case section:
		c.section(path, m)
	case textDisplay:
		c.length(join(path, "content"), m.Content, 1, maxText)
		c.text += characters(m.Content)
	case thumbnail:
		c.media(join(path, "media"), m.Media)
		c.length(join(path, "description"), m.Description, 0, maxAltText)
	case mediaGallery:
		c.gallery(path, m)
	case fileDisplay:
		if m.File == nil || !strings.HasPrefix(m.File.URL, "attachment://") {
			c.add(join(path, "file", "url"), "UNFURLED_MEDIA_ITEM_NOT_ATTACHMENT",
				"A file component shows an attachment:// reference only.")
			return
		}
		c.media(join(path, "file"), m.File)
	case separator:
		if m.Spacing < 0 || m.Spacing > 2 {
			c.add(join(path, "spacing"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2).")
		}
	case container:
		c.container(path, m)
	case labelComponent:
		c.label(path, m)
	}
}

func (c *componentCheck) row(path string, m *Component) {
	at := join(path, "components")
	if len(m.Components) < 1 || len(m.Components) > 5 {
		c.add(at, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	selects := 0
	for i := range m.Components {
		if m.Components[i].Type != button {
			selects++
		}
		c.one(join(at, i), &m.Components[i], []int{button, stringSelect, userSelect, roleSelect,
			mentionSelect, channelSelect})
	}
	if selects > 0 && len(m.Components) > 1 {
		c.add(at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
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
	c.length(join(path, "label"), m.Label, 0, 80)
	c.emoji(path, m.Emoji)
	switch {
	case m.Style < 1 || m.Style > 6:
		c.add(join(path, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
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
	c.length(join(path, "placeholder"), m.Placeholder, 0, 150)
	low, high := c.amounts(path, m, maxSelectOption)
	if m.Type == stringSelect {
		c.options(join(path, "options"), m.Options, 1, maxSelectOption, high)
	} else if len(m.Options) > 0 {
		c.add(join(path, "options"), "COMPONENT_OPTIONS_NOT_ALLOWED", "Only a string select has options.")
	}
	c.defaults(join(path, "default_values"), m, low, high)
}

// amounts checks how many values may be chosen, at most limit.
func (c *componentCheck) amounts(path string, m *Component, limit int) (low, high int) {
	low, high = m.amounts()
	if low < 0 || low > limit {
		c.add(join(path, "min_values"), "NUMBER_TYPE_MAX", "int value should be between 0 and %d.", limit)
	}
	if high < 1 || high > limit || high < low {
		c.add(join(path, "max_values"), "NUMBER_TYPE_MAX",
			"int value should be between 1 and %d and not below min_values.", limit)
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

// options checks the options of a select or a group, least to most of them; up to high can be chosen.
func (c *componentCheck) options(path string, list []SelectOption, least, most, high int) {
	if len(list) < least || len(list) > most {
		c.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	}
	seen, defaults := map[string]bool{}, 0
	for i, o := range list {
		at := join(path, i)
		c.length(join(at, "label"), o.Label, 1, 100)
		c.emoji(at, o.Emoji)
		c.length(join(at, "value"), o.Value, 1, 100)
		c.length(join(at, "description"), o.Description, 0, 100)
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

func (c *componentCheck) section(path string, m *Component) {
	at := join(path, "components")
	if len(m.Components) < 1 || len(m.Components) > 3 {
		c.add(at, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 3 in length.")
	}
	for i := range m.Components {
		c.one(join(at, i), &m.Components[i], []int{textDisplay})
	}
	if m.Accessory == nil {
		c.add(join(path, "accessory"), "BASE_TYPE_REQUIRED", "This field is required")
		return
	}
	c.one(join(path, "accessory"), m.Accessory, []int{button, thumbnail})
}

func (c *componentCheck) container(path string, m *Component) {
	at := join(path, "components")
	if len(m.Components) < 1 || len(m.Components) > maxComponents {
		c.add(at, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxComponents)
	}
	if m.AccentColor != nil && (*m.AccentColor < 0 || *m.AccentColor > 0xffffff) {
		c.add(join(path, "accent_color"), "NUMBER_TYPE_MAX", "int value should be between 0 and 16777215.")
	}
	for i := range m.Components {
		c.one(join(at, i), &m.Components[i], []int{actionRow, section, textDisplay, mediaGallery, fileDisplay, separator})
	}
}

func (c *componentCheck) gallery(path string, m *Component) {
	at := join(path, "items")
	if len(m.Items) < 1 || len(m.Items) > 10 {
		c.add(at, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 10 in length.")
	}
	for i := range m.Items {
		c.media(join(at, i, "media"), &m.Items[i].Media)
		c.length(join(at, i, "description"), m.Items[i].Description, 0, maxAltText)
	}
}

func (c *componentCheck) media(path string, m *Media) {
	if m == nil || m.URL == "" {
		c.add(join(path, "url"), "BASE_TYPE_REQUIRED", "This field is required")
		return
	}
	name, ok := strings.CutPrefix(m.URL, "attachment://")
	if !ok {
		if !strings.HasPrefix(m.URL, "https://") && !strings.HasPrefix(m.URL, "http://") {
			c.add(join(path, "url"), "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'attachment').")
		}
		c.length(join(path, "url"), m.URL, 1, 2048)
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
