package body

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
)

// Limits of Discord on one message.
const (
	maxComponents = 40
	MaxText       = 4000 // characters over all texts of a message
	maxID         = 100
	maxLabel      = 80
	MaxChoices    = 25
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
	case c.text > MaxText:
		return fmt.Errorf("%d characters of text, %d is the most", c.text, MaxText)
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
		return Within("file name", b.Picture.Name, 1, maxID)
	case b.File != nil:
		c.files++
		c.bytes += len(b.File.Data)
		return Within("file name", b.File.Name, 1, maxID)
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
	if err := Within("label", b.Label, 0, maxLabel); err != nil {
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
	if err := Within("hint", s.Hint, 0, maxHint); err != nil || s.Members {
		return err
	}
	if err := checkEntries(s.Choice, 1, MaxChoices); err != nil {
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
		err := errors.Join(Within("entry", o.Label, 1, maxChoice),
			Within("value", o.Value, 1, maxChoice), Within("detail", o.Detail, 0, maxChoice))
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
	return Within("id", id, 1, maxID)
}

// CheckForm reports the first limit of Discord that a form breaks, or nil.
func CheckForm(f chat.Form) error {
	if len(f.Fields) == 0 || len(f.Fields) > maxFormFields {
		return fmt.Errorf("form of %d fields", len(f.Fields))
	}
	err := errors.Join(Within("id", f.ID, 1, maxID), Within("title", f.Title, 1, maxFormTitle))
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
	err := errors.Join(Within("id", f.ID, 1, maxID), Within("label", f.Label, 1, maxFieldLabel),
		Within("description", f.About, 0, maxFieldAbout))
	switch f.Kind {
	case chat.Line, chat.Lines:
		if f.Max < 0 || f.Max > maxFieldText {
			err = errors.Join(err, fmt.Errorf("up to %d characters", f.Max))
		}
		return errors.Join(err, Within("hint", f.Hint, 0, maxFieldHint),
			Within("text", f.Text, 0, cmp.Or(f.Max, maxFieldText)))
	case chat.Menu:
		return errors.Join(err, Within("hint", f.Hint, 0, maxHint), checkEntries(f.Choice, 1, MaxChoices))
	case chat.Radio:
		return errors.Join(err, checkEntries(f.Choice, 2, maxRadio))
	case chat.Members, chat.Roles:
		return errors.Join(err, Within("hint", f.Hint, 0, maxHint))
	}
	return err
}

// Within is an error unless s has between least and most characters.
func Within(what, s string, least, most int) error {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		return fmt.Errorf("%s of %d characters, %d to %d allowed", what, n, least, most)
	}
	return nil
}
