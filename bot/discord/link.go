package discord

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tengen/bot/chat"
)

// spelled are the commands in a text of the catalogue, such as `/play bot` in its back quotes.
// What members write has no back quote left that is not escaped.
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

// linked is a message whose commands can be pressed, and stand there under the names that
// they have in the reader's own Discord, as far as their ids are known.
func (d *Adapter) linked(m chat.Message) chat.Message {
	ids := d.commands.Load()
	if ids == nil {
		return m
	}
	linked, size := slices.Clone(m.Blocks), 0
	for i, block := range linked {
		linked[i].Text = spelled.ReplaceAllStringFunc(block.Text, func(s string) string {
			name := strings.Trim(s, "`/")
			command, _, _ := strings.Cut(name, " ")
			if id := (*ids)[command]; id != 0 {
				return fmt.Sprintf("</%s:%d>", name, id)
			}
			return s
		})
		size += utf8.RuneCountInString(linked[i].Text)
	}
	if size <= maxText {
		m.Blocks = linked
	}
	return m
}
