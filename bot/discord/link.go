package discord

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
)

// spelled matches a command in a text of the catalogue, such as `/play` in back quotes. Text
// from members never matches, since its back quotes are escaped.
var spelled = regexp.MustCompile("`/([a-z]+)( [a-z]+)?`")

// knowCommands notes the ids that Discord has given to the commands.
func (d *Adapter) knowCommands(registered []byte) {
	var list []struct {
		ID   flake  `json:"id"`
		Type int    `json:"type"`
		Name string `json:"name"`
	}
	if json.Unmarshal(registered, &list) != nil {
		return
	}
	ids := map[string]uint64{}
	for _, c := range list {
		if c.Type <= 1 && c.ID != 0 {
			ids[c.Name] = uint64(c.ID)
		}
	}
	d.commands.Store(&ids)
}

// linked turns the commands in a message into links, as far as their ids are known. Discord shows a
// link under the command's name in the reader's language.
func (d *Adapter) linked(m chat.Message) chat.Message {
	ids := d.commands.Load()
	if ids == nil {
		return m
	}
	linked, size := slices.Clone(m.Blocks), 0
	link := func(text string) string {
		text = spelled.ReplaceAllStringFunc(text, func(s string) string {
			name := strings.Trim(s, "`/")
			command, _, _ := strings.Cut(name, " ")
			if id := (*ids)[command]; id != 0 {
				return fmt.Sprintf("</%s:%d>", name, id)
			}
			return s
		})
		size += utf8.RuneCountInString(text)
		return text
	}
	for i, block := range linked {
		linked[i].Text = link(block.Text)
		if block.Section != nil {
			section := *block.Section
			section.Texts = slices.Clone(section.Texts)
			for j, text := range section.Texts {
				section.Texts[j] = link(text)
			}
			linked[i].Section = &section
		}
	}
	if size <= body.MaxText {
		m.Blocks = linked
	}
	return m
}
