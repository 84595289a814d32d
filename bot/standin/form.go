package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxFormText is how many characters a field of a form takes.
const maxFormText = 4000

// checkModal applies the rules for the form of a callback of type 9.
func checkModal(p *problems, path string, m *Modal) {
	c := newComponentCheck(p)
	for i := range m.Components {
		c.one(join(path, "components", i), &m.Components[i]) // a row with one text input is deprecated, but still taken
	}
}

// label checks a field of a form: the one component that is filled in.
func (c *componentCheck) label(path string, m *Component) {
	at := join(path, "component")
	f := m.Inner
	if f.Disabled {
		c.add(join(at, "disabled"), "COMPONENT_DISABLED_NOT_ALLOWED", "A modal has no disabled components.")
	}
	if f.MinValues != nil && *f.MinValues == 0 && f.required() {
		c.add(join(at, "min_values"), "NUMBER_TYPE_MIN",
			"int value should be greater than or equal to 1 where a value is required.")
	}
	switch f.Type {
	case textInput:
		c.input(at, f)
		if f.Label != "" {
			c.add(join(at, "label"), "TEXT_INPUT_LABEL_NOT_ALLOWED", "A text input within a label has no label of its own.")
		}
	case fileUpload, radioGroup, checkboxGroup, checkbox:
		c.id(at, f.CustomID)
		_, high := c.amounts(at, f)
		c.options(join(at, "options"), f.Options, high)
	default:
		c.one(at, f)
	}
}

// required reports whether a field of a form must be filled in.
func (m *Component) required() bool { return m.Required == nil || *m.Required }

func (c *componentCheck) input(path string, m *Component) {
	c.id(path, m.CustomID)
	if m.MaxLength > 0 && m.MaxLength < m.MinLength {
		c.add(join(path, "max_length"), "NUMBER_TYPE_MAX", "int value should not be below min_length.")
	}
}

// submit makes the interaction of a form sent off.
func (s *Server) submit(who *person, a Action) (*interaction, error) {
	from := s.interactions[a.Modal]
	if from == nil || from.by != who || from.reply.Modal == nil {
		return nil, refuse("%s has no form open", who.Username)
	}
	m := from.reply.Modal
	i := &interaction{kind: kindModal, by: who, ch: from.ch, source: from.source, name: m.CustomID, shown: m.Title}
	f := filling{Server: s, ch: from.ch, given: map[string]Value{}, res: &resolved{}}
	for _, v := range a.Options {
		f.given[v.Name] = v
	}
	var out []any
	for n := range m.Components {
		row := &m.Components[n]
		filled := map[string]any{"type": row.Type, "id": row.ID}
		switch {
		case row.Type == actionRow && len(row.Components) > 0:
			inner, err := f.field(&row.Components[0], row.Components[0].Label)
			if err != nil {
				return nil, err
			}
			filled["components"] = []any{inner}
		case row.Type == labelComponent && row.Inner != nil:
			inner, err := f.field(row.Inner, row.Label)
			if err != nil {
				return nil, err
			}
			filled["component"] = inner
		}
		out = append(out, filled)
	}
	for name := range f.given {
		return nil, refuse("the form has no field %q", name)
	}
	data := map[string]any{"custom_id": m.CustomID, "components": out}
	if !f.res.empty() {
		data["resolved"] = f.res
	}
	i.data = data
	return i, nil
}

// filling is a form that a member fills in.
type filling struct {
	*Server
	ch    *channel
	given map[string]Value // what the member gave and no field has taken yet
	res   *resolved
}

// field is what a field becomes: the member's value, else the one that the form proposed.
func (f filling) field(c *Component, label string) (any, error) {
	key := label
	if _, ok := f.given[c.CustomID]; ok {
		key = c.CustomID
	}
	v, ok := f.given[key]
	delete(f.given, key)
	out := map[string]any{"type": c.Type, "custom_id": c.CustomID, "id": c.ID}
	var err error
	switch c.Type {
	case textInput:
		out["value"], err = textValue(c, label, v, ok)
	case checkbox:
		out["value"] = c.Default
		if yes, wrong := strconv.ParseBool(fmt.Sprint(v.Value)); ok && wrong != nil {
			err = refuse("the field %q is ticked or not", label)
		} else if ok {
			out["value"] = yes
		}
	case radioGroup:
		var values []string
		values, err = f.values(c, label, v, ok)
		if out["value"] = nil; len(values) > 0 {
			out["value"] = values[0]
		}
	default:
		out["values"], err = f.values(c, label, v, ok)
	}
	return out, err
}

// values are what was chosen in a select or a group, or the ids of the files that were given.
func (f filling) values(c *Component, label string, v Value, given bool) ([]string, error) {
	picked := c.proposed()
	if given && v.File == nil {
		picked = slices.DeleteFunc(strings.Split(fmt.Sprint(v.Value), ","), func(s string) bool { return s == "" })
	}
	if c.Type == fileUpload && v.File != nil {
		id, err := f.fileValue(v, f.ch, f.res)
		if err != nil {
			return nil, refuse("%v", err)
		}
		return []string{fmt.Sprint(id)}, nil
	}
	switch {
	case len(picked) == 0 && c.required():
		return nil, refuse("the field %q is required", label)
	case len(picked) == 0:
		return []string{}, nil
	case c.Type == fileUpload:
		return nil, refuse("the field %q takes files", label)
	}
	return f.chosen(c, f.ch, picked, f.res)
}

// proposed is what a form proposes in a select or a group.
func (m *Component) proposed() []string {
	var values []string
	for _, o := range m.Options {
		if o.Default {
			values = append(values, o.Value)
		}
	}
	for _, d := range m.Defaults {
		values = append(values, d.ID)
	}
	return values
}

func textValue(c *Component, label string, v Value, given bool) (string, error) {
	text := c.Value
	if given {
		text = fmt.Sprint(v.Value)
	}
	n, most := characters(text), maxFormText
	if c.MaxLength > 0 {
		most = c.MaxLength
	}
	if c.required() && n == 0 {
		return "", refuse("the field %q is required", label)
	}
	if n > most || n > 0 && n < c.MinLength {
		return "", refuse("the field %q takes %d to %d characters, not %d", label, c.MinLength, most, n)
	}
	return text, nil
}

// String shows a form as a member sees it: its title, and a line for each field.
func (m *Modal) String() string {
	lines := []string{"form " + m.Title}
	for i := range m.Components {
		r := &m.Components[i]
		switch {
		case r.Type == textDisplay:
			lines = append(lines, "    "+r.Content)
		case r.Type == labelComponent && r.Inner != nil:
			lines = append(lines, "    "+fieldLine(r.Inner, r.Label, r.Description))
		case r.Type == actionRow && len(r.Components) > 0:
			lines = append(lines, "    "+fieldLine(&r.Components[0], r.Components[0].Label, ""))
		}
	}
	return strings.Join(lines, "\n")
}

// fieldLine shows a field: its label, what is to be filled in, and its description. A field
// that may stay empty has a question mark.
func fieldLine(c *Component, label, about string) string {
	s := label
	if !c.required() {
		s += "?"
	}
	switch c.Type {
	case textInput:
		s += " [" + cmp.Or(c.Value, c.Placeholder) + "]"
	case fileUpload:
		s += " [file]"
	case checkbox:
		s += " [ ]"
	default:
		s += " " + control(c)
	}
	if about != "" {
		s += " (" + about + ")"
	}
	return s
}
