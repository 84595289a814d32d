package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/textproto"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
)

// Limits of Discord on one message.
const (
	maxComponents = 40
	maxText       = 4000 // characters over all texts of a message
	maxID         = 100
	maxLabel      = 80
	maxChoices    = 25
	maxChoice     = 100
	maxAlt        = 1024
	maxHint       = 150
	maxRow        = 5
	maxSection    = 3 // texts
	maxFiles      = 10
	maxUpload     = 10 << 20 // bytes of one file, and here of all together
	maxFormTitle  = 45
	maxFormFields = 5
	maxFieldLabel = 45
	maxFieldAbout = 100
	maxFieldHint  = 100
	maxFieldText  = 4000
	maxRadio      = 10
)

// Numbers of Discord's components and flags.
const (
	componentRow       = 1
	componentButton    = 2
	componentSelect    = 3
	componentInput     = 4
	componentMembers   = 5
	componentSection   = 9
	componentText      = 10
	componentGallery   = 12
	componentFile      = 13
	componentRule      = 14
	componentContainer = 17
	componentLabel     = 18
	componentUpload    = 19
	componentRadio     = 21

	flagPrivate = 1 << 6
	flagSilent  = 1 << 12
	flagV2      = 1 << 15
)

// Check reports the first limit of Discord that a message breaks, or nil. A message that breaks
// none can be sent in every way.
func Check(m chat.Message) error {
	if len(m.Blocks) == 0 {
		return errors.New("message without content")
	}
	c := census{ids: map[string]bool{}}
	if m.Accent != 0 {
		c.components++
	}
	for i, b := range m.Blocks {
		if err := c.block(b); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	switch {
	case c.components > maxComponents:
		return fmt.Errorf("%d components, %d is the most", c.components, maxComponents)
	case c.text > maxText:
		return fmt.Errorf("%d characters of text, %d is the most", c.text, maxText)
	case c.files > maxFiles:
		return fmt.Errorf("%d files, %d is the most", c.files, maxFiles)
	case c.bytes > maxUpload:
		return fmt.Errorf("%d bytes of files, %d is the most", c.bytes, maxUpload)
	}
	return nil
}

// census counts what a message holds.
type census struct {
	components, text, files, bytes int
	ids                            map[string]bool
}

func (c *census) block(b chat.Block) error {
	c.components++
	switch {
	case b.Picture != nil:
		c.files++
		c.bytes += len(b.Picture.Data)
		if n := utf8.RuneCountInString(b.Picture.Alt); n > maxAlt {
			return fmt.Errorf("alt text of %d characters, %d is the most", n, maxAlt)
		}
		return within("file name", b.Picture.Name, 1, maxID)
	case b.File != nil:
		c.files++
		c.bytes += len(b.File.Data)
		return within("file name", b.File.Name, 1, maxID)
	case b.Row != nil:
		return c.row(b.Row)
	case b.Section != nil:
		return c.section(*b.Section)
	case b.Select != nil:
		return c.menu(*b.Select)
	case b.Rule:
		return nil
	}
	return c.words(b.Text)
}

func (c *census) words(text string) error {
	c.text += utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" {
		return errors.New("empty text")
	}
	return nil
}

func (c *census) section(s chat.Section) error {
	if len(s.Texts) == 0 || len(s.Texts) > maxSection {
		return fmt.Errorf("section of %d texts", len(s.Texts))
	}
	for _, text := range s.Texts {
		c.components++
		if err := c.words(text); err != nil {
			return err
		}
	}
	return c.button(s.Button)
}

func (c *census) row(row []chat.Button) error {
	if len(row) == 0 || len(row) > maxRow {
		return fmt.Errorf("row of %d buttons", len(row))
	}
	for _, b := range row {
		if err := c.button(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *census) button(b chat.Button) error {
	c.components++
	if b.Label == "" && b.Emoji == "" {
		return fmt.Errorf("button %q without a label", b.ID)
	}
	if err := within("label", b.Label, 0, maxLabel); err != nil {
		return err
	}
	switch {
	case b.URL == "":
		return c.id(b.ID)
	case b.ID != "":
		return fmt.Errorf("button %q with an id and a link", b.ID)
	}
	return nil
}

func (c *census) menu(s chat.Select) error {
	c.components++
	if err := c.id(s.ID); err != nil {
		return err
	}
	if err := within("hint", s.Hint, 0, maxHint); err != nil || s.Members {
		return err
	}
	if err := checkEntries(s.Choice, 1, maxChoices); err != nil {
		return fmt.Errorf("select %q: %w", s.ID, err)
	}
	return nil
}

// checkEntries checks what can be chosen from, least to most entries.
func checkEntries(choices []chat.Choice, least, most int) error {
	if len(choices) < least || len(choices) > most {
		return fmt.Errorf("%d entries, %d to %d allowed", len(choices), least, most)
	}
	values, chosen := map[string]bool{}, 0
	for _, o := range choices {
		if values[o.Value] {
			return fmt.Errorf("value %q twice", o.Value)
		}
		values[o.Value] = true
		if o.Chosen {
			chosen++
		}
		err := errors.Join(within("entry", o.Label, 1, maxChoice),
			within("value", o.Value, 1, maxChoice), within("detail", o.Detail, 0, maxChoice))
		if err != nil {
			return err
		}
	}
	if chosen > 1 {
		return fmt.Errorf("%d entries chosen", chosen)
	}
	return nil
}

func (c *census) id(id string) error {
	if c.ids[id] {
		return fmt.Errorf("id %q twice", id)
	}
	c.ids[id] = true
	return within("id", id, 1, maxID)
}

// CheckForm reports the first limit of Discord that a form breaks, or nil.
func CheckForm(f chat.Form) error {
	if len(f.Fields) == 0 || len(f.Fields) > maxFormFields {
		return fmt.Errorf("form of %d fields", len(f.Fields))
	}
	err := errors.Join(within("id", f.ID, 1, maxID), within("title", f.Title, 1, maxFormTitle))
	ids := map[string]bool{}
	for _, one := range f.Fields {
		if ids[one.ID] {
			return fmt.Errorf("field %q twice", one.ID)
		}
		ids[one.ID] = true
		if e := checkField(one); e != nil {
			err = errors.Join(err, fmt.Errorf("field %q: %w", one.ID, e))
		}
	}
	return err
}

func checkField(f chat.Field) error {
	err := errors.Join(within("id", f.ID, 1, maxID), within("label", f.Label, 1, maxFieldLabel),
		within("description", f.About, 0, maxFieldAbout))
	switch f.Kind {
	case chat.Line, chat.Lines:
		if f.Max < 0 || f.Max > maxFieldText {
			err = errors.Join(err, fmt.Errorf("up to %d characters", f.Max))
		}
		return errors.Join(err, within("hint", f.Hint, 0, maxFieldHint), within("text", f.Text, 0, cmp.Or(f.Max, maxFieldText)))
	case chat.Menu:
		return errors.Join(err, within("hint", f.Hint, 0, maxHint), checkEntries(f.Choice, 1, maxChoices))
	case chat.Radio:
		return errors.Join(err, checkEntries(f.Choice, 2, maxRadio))
	case chat.Members:
		return errors.Join(err, within("hint", f.Hint, 0, maxHint))
	}
	return err
}

// within is an error unless s has at least least and at most most characters.
func within(what, s string, least, most int) error {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		return fmt.Errorf("%s of %d characters, %d to %d allowed", what, n, least, most)
	}
	return nil
}

// The JSON that Discord takes.
type (
	messageBody struct {
		Flags       int              `json:"flags"`
		Components  []component      `json:"components"`
		Mentions    mentions         `json:"allowed_mentions"`
		Attachments []attachment     `json:"attachments"`
		Nonce       string           `json:"nonce,omitempty"`
		Once        bool             `json:"enforce_nonce,omitempty"`
		files       []attachmentFile // the parts beside the JSON
	}
	mentions struct {
		Parse []string `json:"parse"`
		Users []string `json:"users,omitempty"`
	}
	attachment struct {
		ID          string `json:"id"`
		Name        string `json:"filename"`
		Description string `json:"description,omitempty"`
	}
	attachmentFile struct {
		name string
		data []byte
	}
	component struct {
		Type        int           `json:"type"`
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
		Emoji       *emoji        `json:"emoji,omitempty"`
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
	emoji struct {
		ID   string `json:"id,omitempty"` // of one of the application's own
		Name string `json:"name"`
	}
	menuOption struct {
		Label       string `json:"label"`
		Value       string `json:"value"`
		Description string `json:"description,omitempty"`
		Default     bool   `json:"default,omitempty"`
	}
)

// newBody makes the body of a message. An edit must not set the flags that only a new message may
// have. The list of attachments is always there, even when it is empty: an edit then removes the
// attachments that it does not name, and no old picture stays beside a new one.
func newBody(m chat.Message, edit bool) messageBody {
	b := messageBody{
		Flags:       flagV2,
		Mentions:    mentions{Parse: []string{}},
		Attachments: []attachment{},
	}
	if m.Private && !edit {
		b.Flags |= flagPrivate
	}
	if m.Silent && !edit {
		b.Flags |= flagSilent
	}
	if m.Mention != 0 {
		b.Mentions.Users = []string{strconv.FormatUint(uint64(m.Mention), 10)}
	}
	for _, block := range m.Blocks {
		b.Components = append(b.Components, b.component(block))
	}
	if m.Accent != 0 {
		accent := m.Accent & 0xFFFFFF
		b.Components = []component{{Type: componentContainer, Accent: &accent, Components: b.Components}}
	}
	return b
}

func (b *messageBody) component(block chat.Block) component {
	switch {
	case block.Picture != nil:
		p := block.Picture
		return component{Type: componentGallery, Items: []galleryItem{{
			Media:       media{b.attach(p.Name, p.Alt, p.Data)},
			Description: p.Alt,
		}}}
	case block.File != nil:
		return component{Type: componentFile, File: &media{b.attach(block.File.Name, "", block.File.Data)}}
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
			section.Components = append(section.Components, component{Type: componentText, Content: text})
		}
		return section
	case block.Select != nil:
		return component{Type: componentRow, Components: []component{selectComponent(*block.Select)}}
	case block.Rule:
		divider := true
		return component{Type: componentRule, Divider: &divider}
	}
	return component{Type: componentText, Content: block.Text}
}

// attach adds a file and gives the address by which a component shows it.
func (b *messageBody) attach(name, alt string, data []byte) string {
	name = b.fileName(name)
	id := strconv.Itoa(len(b.files))
	b.files = append(b.files, attachmentFile{name, data})
	b.Attachments = append(b.Attachments, attachment{ID: id, Name: name, Description: alt})
	return "attachment://" + name
}

// fileName is a name that Discord does not change and that no other file of the message has. In
// other names Discord replaces odd characters, and the component would show nothing.
func (b *messageBody) fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
	for _, f := range b.files {
		if f.name == name {
			return fmt.Sprintf("%d-%s", len(b.files), name)
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
		c.Emoji = &emoji{Name: b.Emoji}
	}
	return c
}

func selectComponent(s chat.Select) component {
	if s.Members {
		return component{Type: componentMembers, Custom: s.ID, Placeholder: s.Hint}
	}
	return component{Type: componentSelect, Custom: s.ID, Placeholder: s.Hint, Options: menuOptions(s.Choice)}
}

func menuOptions(choices []chat.Choice) []menuOption {
	var options []menuOption
	for _, o := range choices {
		options = append(options, menuOption{Label: o.Label, Value: o.Value, Description: o.Detail, Default: o.Chosen})
	}
	return options
}

// formBody is a form in labels. Discord calls it a modal.
func formBody(f chat.Form) any {
	type modal struct {
		Custom     string      `json:"custom_id"`
		Title      string      `json:"title"`
		Components []component `json:"components"`
	}
	body := modal{Custom: f.ID, Title: f.Title}
	for _, one := range f.Fields {
		inner := fieldComponent(one)
		body.Components = append(body.Components, component{Type: componentLabel, Label: one.Label, Description: one.About, Inner: &inner})
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
		c.Type, c.Placeholder = componentMembers, f.Hint
		if f.Member != 0 {
			c.Defaults = []preselected{{ID: strconv.FormatUint(uint64(f.Member), 10), Type: "user"}}
		}
	case chat.Upload:
		c.Type = componentUpload
	}
	if f.Optional {
		c.MinValues = new(int)
	}
	return c
}

// choicesBody is the body of an autocomplete answer. With numbers the values are numbers.
func choicesBody(choices []chat.Choice, numbers bool) any {
	type choice struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	}
	list := []choice{}
	for _, c := range choices[:min(len(choices), maxChoices)] {
		var value any = cut(c.Value, maxChoice)
		if numbers {
			n, err := strconv.ParseInt(c.Value, 10, 64)
			if err != nil {
				continue
			}
			value = n
		}
		list = append(list, choice{cut(c.Label, maxChoice), value})
	}
	return map[string]any{"choices": list}
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// encode makes the body of a call: JSON, or a form of that JSON and the files.
func encode(payload any, files []attachmentFile) (contentType string, body []byte, err error) {
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
		kind := mime.TypeByExtension(path.Ext(f.name))
		if kind == "" {
			kind = "application/octet-stream"
		}
		part(fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, f.name), kind, f.data)
	}
	err = errors.Join(err, form.Close())
	return form.FormDataContentType(), buffer.Bytes(), err
}
