// Package body makes the bodies of the calls to Discord: messages, forms, choices, files. It knows
// Discord's limits on them, and checks a message before it is sent. It sends nothing.
package body

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"mime/multipart"
	"net/textproto"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
	"tengen/game"
)

// Numbers of Discord's components and flags.
const (
	componentRow       = 1
	componentButton    = 2
	componentSelect    = 3
	componentInput     = 4
	ComponentMembers   = 5
	ComponentRoles     = 6
	componentSection   = 9
	ComponentText      = 10
	componentGallery   = 12
	ComponentFile      = 13
	componentRule      = 14
	componentContainer = 17
	componentLabel     = 18
	ComponentUpload    = 19
	componentRadio     = 21

	FlagPrivate = 1 << 6
	flagSilent  = 1 << 12
	flagV2      = 1 << 15
)

// Message is the JSON of a message, with the files that are sent beside it.
type Message struct {
	Flags       int          `json:"flags"`
	Components  []component  `json:"components"`
	Mentions    mentions     `json:"allowed_mentions"`
	Attachments []attachment `json:"attachments"`
	Nonce       string       `json:"nonce,omitempty"`
	Once        bool         `json:"enforce_nonce,omitempty"`
	Files       []File       `json:"-"` // the parts beside the JSON
}

// File is a part beside the JSON.
type File struct {
	name string
	data []byte
}

// Emoji is what stands on a button beside its label.
type Emoji struct {
	ID   string `json:"id,omitempty"` // of one of the application's own
	Name string `json:"name"`
}

type (
	mentions struct {
		Parse []string `json:"parse"`
		Users []string `json:"users,omitempty"`
	}
	attachment struct {
		ID          string `json:"id"`
		Name        string `json:"filename"`
		Description string `json:"description,omitempty"`
	}
	component struct {
		Type        int           `json:"type"`
		Mark        uint32        `json:"id,omitempty"` // Discord numbers the components that have none
		Components  []component   `json:"components,omitempty"`
		Accessory   *component    `json:"accessory,omitempty"`
		Accent      *int          `json:"accent_color,omitempty"`
		Content     string        `json:"content,omitempty"`
		Items       []galleryItem `json:"items,omitempty"`
		File        *media        `json:"file,omitempty"`
		Divider     *bool         `json:"divider,omitempty"`
		Custom      string        `json:"custom_id,omitempty"`
		Style       int           `json:"style,omitempty"`
		Label       string        `json:"label,omitempty"`
		Emoji       *Emoji        `json:"emoji,omitempty"`
		URL         string        `json:"url,omitempty"`
		Disabled    bool          `json:"disabled,omitempty"`
		Options     []menuOption  `json:"options,omitempty"`
		Placeholder string        `json:"placeholder,omitempty"`
		MaxLength   int           `json:"max_length,omitempty"`
		Description string        `json:"description,omitempty"` // of a label
		Inner       *component    `json:"component,omitempty"`   // of a label
		Value       string        `json:"value,omitempty"`
		Required    *bool         `json:"required,omitempty"`
		MinValues   *int          `json:"min_values,omitempty"`
		Defaults    []preselected `json:"default_values,omitempty"`
	}
	preselected struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	media struct {
		URL string `json:"url"`
	}
	galleryItem struct {
		Media       media  `json:"media"`
		Description string `json:"description,omitempty"`
	}
	menuOption struct {
		Label       string `json:"label"`
		Value       string `json:"value"`
		Description string `json:"description,omitempty"`
		Default     bool   `json:"default,omitempty"`
	}
)

// New makes the body of a message. An edit must not set the flags that only a new message may
// have. The list of attachments is always there, even when it is empty: an edit then removes the
// attachments that it does not name, and no old picture stays beside a new one.
func New(m chat.Message, edit bool) Message {
	b := Message{
		Flags:       flagV2,
		Mentions:    mentions{Parse: []string{}},
		Attachments: []attachment{},
	}
	if m.Private && !edit {
		b.Flags |= FlagPrivate
	}
	if m.Silent && !edit {
		b.Flags |= flagSilent
	}
	for i, id := range append([]game.MemberID{m.Mention}, m.Mentions...) {
		if id != 0 && (i == 0 || id != m.Mention) {
			b.Mentions.Users = append(b.Mentions.Users, fmt.Sprint(uint64(id)))
		}
	}
	for _, block := range m.Blocks {
		b.Components = append(b.Components, b.component(block))
	}
	if m.Accent != 0 {
		accent := m.Accent & 0xFFFFFF
		b.Components = []component{{Type: componentContainer, Accent: &accent, Components: b.Components}}
	}
	if m.Mark != 0 && len(b.Components) > 0 {
		b.Components[0].Mark = m.Mark & math.MaxInt32
	}
	return b
}

func (b *Message) component(block chat.Block) component {
	switch {
	case block.Picture != nil:
		p := block.Picture
		return component{Type: componentGallery, Items: []galleryItem{{
			Media:       media{b.attach(p.Name, p.Alt, p.Data)},
			Description: p.Alt,
		}}}
	case block.File != nil:
		return component{Type: ComponentFile, File: &media{b.attach(block.File.Name, "", block.File.Data)}}
	case block.Row != nil:
		row := component{Type: componentRow}
		for _, button := range block.Row {
			row.Components = append(row.Components, buttonComponent(button))
		}
		return row
	case block.Section != nil:
		beside := buttonComponent(block.Section.Button)
		section := component{Type: componentSection, Accessory: &beside}
		for _, text := range block.Section.Texts {
			section.Components = append(section.Components, component{Type: ComponentText, Content: text})
		}
		return section
	case block.Select != nil:
		return component{Type: componentRow, Components: []component{selectComponent(*block.Select)}}
	case block.Rule:
		divider := true
		return component{Type: componentRule, Divider: &divider}
	}
	return component{Type: ComponentText, Content: block.Text}
}

// attach adds a file and gives the address by which a component shows it.
func (b *Message) attach(name, alt string, data []byte) string {
	name = b.fileName(name)
	id := strconv.Itoa(len(b.Files))
	b.Files = append(b.Files, File{name, data})
	b.Attachments = append(b.Attachments, attachment{ID: id, Name: name, Description: alt})
	return "attachment://" + name
}

// fileName is a name that Discord does not change and that no other file of the message has. In
// other names Discord replaces odd characters, and the component would show nothing.
func (b *Message) fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf &&
			(r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
	for _, f := range b.Files {
		if f.name == name {
			return fmt.Sprintf("%d-%s", len(b.Files), name)
		}
	}
	return name
}

func buttonComponent(b chat.Button) component {
	c := component{Type: componentButton, Custom: b.ID, Label: b.Label, Disabled: b.Disabled}
	c.Style = map[chat.ButtonStyle]int{chat.Primary: 1, chat.Secondary: 2, chat.Success: 3, chat.Danger: 4}[b.Style]
	if b.URL != "" {
		c.Style, c.URL, c.Custom = 5, b.URL, ""
	}
	if b.Emoji != "" {
		c.Emoji = &Emoji{Name: b.Emoji}
	}
	return c
}

func selectComponent(s chat.Select) component {
	if s.Members {
		return component{Type: ComponentMembers, Custom: s.ID, Placeholder: s.Hint, Defaults: preselect(s.Member)}
	}
	return component{Type: componentSelect, Custom: s.ID, Placeholder: s.Hint, Options: menuOptions(s.Choice)}
}

// preselect are the members that a menu of members shows as chosen.
func preselect(m game.MemberID) []preselected {
	if m == 0 {
		return nil
	}
	return []preselected{{ID: fmt.Sprint(uint64(m)), Type: "user"}}
}

func menuOptions(choices []chat.Choice) []menuOption {
	var options []menuOption
	for _, o := range choices {
		options = append(options, menuOption{Label: o.Label, Value: o.Value, Description: o.Detail, Default: o.Chosen})
	}
	return options
}

// Form is a form in labels. Discord calls it a modal.
func Form(f chat.Form) any {
	type modal struct {
		Custom     string      `json:"custom_id"`
		Title      string      `json:"title"`
		Components []component `json:"components"`
	}
	body := modal{Custom: f.ID, Title: f.Title}
	for _, one := range f.Fields {
		inner := fieldComponent(one)
		body.Components = append(body.Components, component{Type: componentLabel, Label: one.Label,
			Description: one.About, Inner: &inner})
	}
	return body
}

func fieldComponent(f chat.Field) component {
	required := !f.Optional
	c := component{Custom: f.ID, Required: &required}
	switch f.Kind {
	case chat.Line, chat.Lines:
		c.Type, c.Style, c.Placeholder, c.MaxLength, c.Value = componentInput, 1, f.Hint, f.Max, f.Text
		if f.Kind == chat.Lines {
			c.Style = 2
		}
		return c
	case chat.Radio:
		c.Type, c.Options = componentRadio, menuOptions(f.Choice)
		return c
	case chat.Menu:
		c.Type, c.Placeholder, c.Options = componentSelect, f.Hint, menuOptions(f.Choice)
	case chat.Members:
		c.Type, c.Placeholder = ComponentMembers, f.Hint
		c.Defaults = preselect(f.Member)
	case chat.Roles:
		c.Type, c.Placeholder = ComponentRoles, f.Hint
		if f.Role != 0 {
			c.Defaults = []preselected{{ID: fmt.Sprint(f.Role), Type: "role"}}
		}
	case chat.Upload:
		c.Type = ComponentUpload
	}
	if f.Optional {
		c.MinValues = new(int)
	}
	return c
}

// Choices is the body of an autocomplete answer. With numbers the values are numbers.
func Choices(choices []chat.Choice, numbers bool) any {
	type choice struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	}
	list := []choice{}
	for _, c := range choices[:min(len(choices), MaxChoices)] {
		var value any = Cut(c.Value, maxChoice)
		if numbers {
			n, err := strconv.ParseInt(c.Value, 10, 64)
			if err != nil {
				continue
			}
			value = n
		}
		list = append(list, choice{Cut(c.Label, maxChoice), value})
	}
	return map[string]any{"choices": list}
}

// Cut shortens s to n characters.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Encode makes the body of a call: JSON, or a form of that JSON and the files.
func Encode(payload any, files []File) (contentType string, body []byte, err error) {
	text, err := json.Marshal(payload)
	if err != nil || len(files) == 0 {
		return "application/json", text, err
	}
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part := func(disposition, contentType string, data []byte) {
		w, e := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {disposition},
			"Content-Type":        {contentType},
		})
		if e == nil {
			_, e = w.Write(data)
		}
		err = errors.Join(err, e)
	}
	part(`form-data; name="payload_json"`, "application/json", text)
	for i, f := range files {
		kind := cmp.Or(mime.TypeByExtension(path.Ext(f.name)), "application/octet-stream")
		part(fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, f.name), kind, f.data)
	}
	err = errors.Join(err, form.Close())
	return form.FormDataContentType(), buffer.Bytes(), err
}

// Signed is m with signs on its buttons in place of characters: the table says which sign
// stands for a character. some reports whether any button has a sign.
func (m Message) Signed(table map[string]Emoji) (drawn Message, some bool) {
	m.Components, some = withSigns(m.Components, table)
	return m, some
}

// withSigns are components with the signs of a table on their buttons, and whether there are any.
func withSigns(list []component, table map[string]Emoji) (drawn []component, some bool) {
	drawn = slices.Clone(list)
	for i := range drawn {
		c := &drawn[i]
		within := false
		c.Components, within = withSigns(c.Components, table)
		some = some || within
		if c.Accessory != nil {
			beside, within := withSigns([]component{*c.Accessory}, table)
			c.Accessory, some = &beside[0], some || within
		}
		if c.Type != componentButton {
			continue
		}
		char := c.Label
		if c.Emoji != nil {
			char = c.Emoji.Name
		}
		sign, ok := table[char]
		if !ok {
			continue
		}
		if c.Emoji == nil {
			c.Label = ""
		}
		c.Emoji, some = &sign, true
	}
	return drawn, some
}
