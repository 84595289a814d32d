package standin

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// render shows a place as plain text, as a member sees it; last is how many
// of the newest messages, 0 for all.
func (s *Server) render(c *channel, who *person, last int) string {
	var shown []string
	for i := len(c.messages) - 1; i >= 0 && (last == 0 || len(shown) < last); i-- {
		if r := c.messages[i]; who == nil || s.visible(r, who.ID) {
			shown = append(shown, s.renderMessage(r, who))
		}
	}
	var b strings.Builder
	for i := len(shown) - 1; i >= 0; i-- {
		b.WriteString(shown[i])
	}
	return b.String()
}

// renderMessage: a line with the author, then the content, indented, as who sees it; nil sees
// it in no language.
func (s *Server) renderMessage(r *record, who *person) string {
	m := &r.msg
	var notes []string
	if i := m.Interaction; i != nil && !r.ephemera {
		notes = append(notes, "to "+i.User.Username+"'s /"+i.Name)
	}
	if r.only != "" {
		notes = append(notes, "only you")
	}
	head := m.Author.Username + ":"
	if len(notes) > 0 {
		head = m.Author.Username + " (" + strings.Join(notes, ", ") + "):"
	}
	v := view{s: s}
	if who != nil {
		v.locale = who.Locale
	}
	switch {
	case r.ephemera:
		return head + "\n    " + s.bot.Username + " did not respond (" + m.Interaction.Name + ")\n"
	case m.Thinking():
		v.line(s.bot.Username + " is thinking...")
	}
	v.text(m.Content)
	for i := range m.Embeds {
		v.embed(&m.Embeds[i])
	}
	v.components(m.Components)
	if m.Flags&flagComponentsV2 == 0 {
		for i := range m.Attachments {
			a := &m.Attachments[i]
			v.file(a.Filename, a.Description, a.ContentType)
		}
	}
	if m.Thread != nil {
		v.line("{thread " + m.Thread.Name + "}")
	}
	return head + "\n" + v.b.String()
}

// view writes the lines of one message.
type view struct {
	s      *Server
	locale string // of the reader
	b      strings.Builder
	prefix string
}

func (v *view) line(s string) {
	for _, l := range strings.Split(s, "\n") {
		v.b.WriteString(strings.TrimRight("    "+v.prefix+l, " ") + "\n")
	}
}

func (v *view) text(s string) {
	if s == "" {
		return
	}
	v.line(v.s.plain(s, v.locale))
}

func (v *view) file(name, description, kind string) {
	what := "file " + name
	if strings.HasPrefix(kind, "image/") {
		what = "picture " + name
	}
	if description != "" {
		what += ": " + description
	} else if strings.HasPrefix(kind, "image/") {
		what += ", without alt text"
	}
	v.line("{" + what + "}")
}

func (v *view) embed(e *embed) {
	old := v.prefix
	v.prefix += "| "
	if e.Author != nil {
		v.text(e.Author.Name)
	}
	v.text(e.Title)
	v.text(e.Description)
	for _, f := range e.Fields {
		v.text(f.Name + ": " + f.Value)
	}
	if e.Image != nil {
		v.line("{picture " + base(e.Image.URL) + ", without alt text}")
	}
	if e.Footer != nil {
		v.text(e.Footer.Text)
	}
	v.prefix = old
}

func (v *view) components(list []Component) {
	for i := range list {
		v.component(&list[i])
	}
}

func (v *view) component(c *Component) {
	switch c.Type {
	case actionRow:
		var parts []string
		for i := range c.Components {
			parts = append(parts, control(&c.Components[i]))
		}
		v.line(strings.Join(parts, " "))
	case container:
		old := v.prefix
		v.prefix += "| "
		v.components(c.Components)
		v.prefix = old
	case section:
		v.components(c.Components)
		if a := c.Accessory; a != nil && a.Type == button {
			v.line(control(a))
		} else if a != nil {
			v.picture(a.Media, a.Description)
		}
	case textDisplay:
		v.text(c.Content)
	case mediaGallery:
		for i := range c.Items {
			v.picture(&c.Items[i].Media, c.Items[i].Description)
		}
	case fileDisplay:
		if c.File != nil {
			v.line("{file " + base(c.File.URL) + "}")
		}
	case separator:
		v.line("---")
	}
}

func (v *view) picture(m *Media, alt string) {
	if m == nil {
		return
	}
	if alt == "" {
		v.line("{picture " + base(m.URL) + ", without alt text}")
		return
	}
	v.line("{picture: " + alt + "}")
}

// control shows a button as [label], one that is switched off as [label, off],
// and a select as <placeholder: option | option>.
func control(c *Component) string {
	name := c.Label
	if c.Emoji != nil {
		name = strings.TrimSpace(c.Emoji.Name + " " + c.Label)
	}
	off := ""
	if c.Disabled {
		off = ", off"
	}
	if c.Type == button {
		if c.Style == buttonStyleLink {
			return "[" + name + " -> " + c.URL + off + "]"
		}
		return "[" + name + off + "]"
	}
	var options []string
	for _, o := range c.Options {
		label := o.Label
		if o.Default {
			label = "*" + label
		}
		options = append(options, label)
	}
	if kind := map[int]string{userSelect: "members", roleSelect: "roles", mentionSelect: "members and roles",
		channelSelect: "channels"}[c.Type]; kind != "" {
		options = []string{kind}
		for _, d := range c.Defaults {
			options = append(options, "*"+d.ID)
		}
	}
	name = c.Placeholder + off
	if name != "" {
		name += ": "
	}
	return "<" + name + strings.Join(options, " | ") + ">"
}

var anyMention = regexp.MustCompile(`<(@!?|#|@&)([0-9]+)>|</([^:<>]+):([0-9]+)>`)

// plain replaces mentions by the names that a client shows.
func (s *Server) plain(text, locale string) string {
	return anyMention.ReplaceAllStringFunc(text, func(m string) string {
		part := anyMention.FindStringSubmatch(m)
		if part[3] != "" {
			return "`/" + s.spoken(part[3], part[4], locale) + "`" // a client sets it off from the text
		}
		switch part[1] {
		case "#":
			if c := s.channels[part[2]]; c != nil {
				return c.placeName()
			}
		case "@", "@!":
			if p := s.people[part[2]]; p != nil {
				return "@" + p.Username
			}
		}
		return m
	})
}

// spoken is the full name of a command with an id in a language, and the name as it is where
// there is no such command.
func (s *Server) spoken(name, id, locale string) string {
	table := s.globalTable
	for _, t := range s.guildTable {
		table = append(slices.Clip(table), t...)
	}
	i := slices.IndexFunc(table, func(c Command) bool { return c.ID == id })
	words := strings.Fields(name)
	if i < 0 || len(words) == 0 {
		return name
	}
	words[0] = cmp.Or(table[i].Names[locale], words[0])
	options := table[i].Options
	for i, w := range words[1:] {
		o := findOption(options, w, "")
		if o == nil {
			return name
		}
		words[i+1], options = cmp.Or(o.Names[locale], w), o.Options
	}
	return strings.Join(words, " ")
}

func base(url string) string {
	return url[strings.LastIndexByte(url, '/')+1:]
}

// String shows how the bot answered, for a failed test.
func (a *Answer) String() string {
	switch {
	case a.Failed != "":
		return "failed: " + a.Failed
	case a.Modal != nil:
		return a.Modal.String()
	case a.Choices != nil:
		var names []string
		for _, c := range a.Choices {
			names = append(names, c.Name)
		}
		return strings.Join(names, " | ")
	}
	return fmt.Sprintf("type %d", a.Type)
}
