package standin

import (
	"fmt"
	"slices"
	"strings"
)

// component makes the interaction of a pressed button or a select.
func (s *Server) component(who *person, a Action) (*interaction, error) {
	r, c, err := s.findComponent(who, a)
	if err != nil {
		return nil, err
	}
	if !r.ch.sees(who.ID) {
		return nil, refuse("%s does not see the place", who.Username)
	}
	// The desktop's client sends presses in an archived thread; those in a locked one it does
	// not take.
	if s.doze(r.ch); r.ch.thread() && r.ch.locked {
		return nil, refuse("components cannot be used in a locked thread")
	}
	i := &interaction{kind: kindComponent, by: who, ch: r.ch, source: r, name: c.CustomID, shown: "[" + c.Label + "]"}
	data := map[string]any{"custom_id": c.CustomID, "component_type": c.Type, "id": c.ID}
	i.data = data
	if a.Do == "choose" {
		i.shown = "<" + c.Placeholder + ">"
		res := &resolved{}
		values, err := s.chosen(c, r.ch, a.Values, res)
		if err != nil {
			return nil, err
		}
		data["values"] = values
		if !res.empty() {
			data["resolved"] = res
		}
	}
	return i, nil
}

// findComponent finds a button or select by label, emoji, placeholder or
// custom id; at a place in the newest message that has it.
func (s *Server) findComponent(who *person, a Action) (*record, *Component, error) {
	if r := s.messages[a.At]; r != nil || a.Raw {
		if r == nil || !s.visible(r, who.ID) {
			return nil, nil, refuse("%s sees no message %s", who.Username, a.At)
		}
		if a.Raw {
			return r, &Component{Type: button, CustomID: a.Name, Label: a.Name}, nil
		}
		c, err := lookup(r.msg.Components, a)
		return r, c, err
	}
	ch, err := s.seen(who, a.At)
	if err != nil {
		return nil, nil, err
	}
	last := error(refuse("%s sees no %q at %s", who.Username, a.Name, a.At))
	for i := len(ch.messages) - 1; i >= 0; i-- {
		r := ch.messages[i]
		if !s.visible(r, who.ID) {
			continue
		}
		c, err := lookup(r.msg.Components, a)
		if err == nil {
			return r, c, nil
		}
		if c != nil { // it is there, but switched off
			last = err
		}
	}
	return nil, nil, last
}

// lookup finds a component in a message. It gives a component with an error
// when it is there but cannot be used.
func lookup(list []Component, a Action) (*Component, error) {
	var off *Component
	var found *Component
	Walk(list, func(c *Component) {
		pressable := c.Type == button && c.Style != buttonStyleLink
		if a.Do == "choose" {
			pressable = c.Type == stringSelect || c.Type >= userSelect && c.Type <= channelSelect
		}
		if !pressable || found != nil || !c.called(a.Name) {
			return
		}
		if c.Disabled {
			off = c
		} else {
			found = c
		}
	})
	switch {
	case found != nil:
		return found, nil
	case off != nil:
		return off, refuse("%q is switched off", a.Name)
	}
	return nil, refuse("the message has no %q", a.Name)
}

func (c *Component) called(name string) bool {
	return c.CustomID == name || c.Label == name && name != "" || c.Placeholder == name && name != "" ||
		c.Emoji != nil && (c.Emoji.Name == name || strings.TrimSpace(c.Emoji.Name+" "+c.Label) == name)
}

// Walk gives f each of some components, and those in it.
func Walk(list []Component, f func(*Component)) {
	for i := range list {
		f(&list[i])
		Walk(list[i].Components, f)
		if list[i].Accessory != nil {
			f(list[i].Accessory)
		}
		if list[i].Inner != nil {
			f(list[i].Inner)
		}
	}
}

// chosen checks what was picked from a select or a group.
func (s *Server) chosen(c *Component, ch *channel, picked []string, res *resolved) ([]string, error) {
	low, high := c.amounts()
	if len(picked) < low || len(picked) > high {
		return nil, refuse("between %d and %d values can be chosen, not %d", low, high, len(picked))
	}
	out := []string{}
	for _, p := range picked {
		v, err := s.pick(c, ch, p, res)
		if err != nil {
			return nil, refuse("%v", err)
		}
		out = append(out, fmt.Sprint(v))
	}
	return out, nil
}

func (s *Server) pick(c *Component, ch *channel, name string, res *resolved) (any, error) {
	switch c.Type {
	case stringSelect, radioGroup, checkboxGroup:
		i := slices.IndexFunc(c.Options, func(o SelectOption) bool { return o.Value == name })
		if i < 0 {
			i = slices.IndexFunc(c.Options, func(o SelectOption) bool { return o.Label == name })
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no option %q", name)
		}
		return c.Options[i].Value, nil
	case roleSelect:
		return s.roleValue(name, ch, res)
	case channelSelect:
		x, err := s.place(nil, name)
		if err != nil {
			return nil, err
		}
		res.channel(s, x)
		return x.id, nil
	case mentionSelect:
		return s.mentionable(name, ch, res)
	}
	return s.userValue(name, ch, res)
}
