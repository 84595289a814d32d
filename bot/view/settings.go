package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Setting is one setting of a member: its values, of which one is chosen. Its name is that of
// its option, and the catalogue has it under "settings.NAME".
type Setting struct {
	Name   string
	Values []chat.Choice
}

// SettingsPages are the names of the pages of a member's settings.
var SettingsPages = [...]string{"board", "people"}

// sampleMoves are the moves of the board by which a theme is chosen.
var sampleMoves = []game.Point{game.At(4, 4), game.At(3, 3), game.At(5, 4), game.At(4, 3), game.At(3, 5)}

// sampleSize is how large that board is, in pixels.
const sampleSize = 360

// Sample is a small board in a theme. It is an empty block where it cannot be drawn.
func (p Painter) Sample(t Tongue, theme string) chat.Block {
	g, err := game.New(game.Gomoku9).PlayAll(sampleMoves...)
	if err == nil {
		var png []byte
		if png, err = p.picture(g, render.Options{Theme: theme, Size: sampleSize}); err == nil {
			name := cmp.Or(theme, t.Say("settings.default"))
			return chat.Block{Picture: &chat.Picture{Name: "theme.png", Data: png, Alt: t.Say("alt.theme", "Theme", name)}}
		}
	}
	p.Log.Error("draw", "theme", theme, "err", err)
	return chat.Block{}
}

// BoardSettings is the page of a member's settings about their boards, with a board in the theme that they chose
// under its menu.
func (p Painter) BoardSettings(t Tongue, page int, all []Setting, theme string) chat.Message {
	msg := t.SettingsScreen(page, all, storage.Member{}, time.Time{}, false)
	if sample := p.Sample(t, theme); sample.Picture != nil {
		msg.Blocks = slices.Insert(msg.Blocks, 2, sample) // under the title and the menu of themes
	}
	return msg
}

// ServerScreen is the settings of a server, below what is said of them.
func (t Tongue) ServerScreen(said string, all []Setting) chat.Message {
	press := func(parts ...string) string { return Do("setserver", strings.Join(parts, ".")) }
	return chat.Private(said, t.settingBlocks(all, press)...)
}

// settingBlocks are settings, each with a menu, or with a button where it is on or off. press is the custom id of
// a setting, and of one of its values.
func (t Tongue) settingBlocks(all []Setting, press func(parts ...string) string) (blocks []chat.Block) {
	var switches []chat.Button
	for _, s := range all {
		label := ""
		other := s.Values[0].Value
		for i, v := range s.Values {
			if v.Chosen { // it is what stands in a closed menu
				label, other = t.Setting(s.Name, v.Label), s.Values[(i+1)%len(s.Values)].Value
				s.Values[i].Label = label
			}
		}
		if s.Values[0].Value == "false" {
			switches = append(switches, chat.Button{ID: press(s.Name, other), Label: label})
			continue
		}
		blocks = append(blocks, chat.Block{Select: &chat.Select{ID: press(s.Name),
			Hint: t.Say("settings." + s.Name), Choice: s.Values}})
	}
	if len(switches) > 0 {
		blocks = append(blocks, chat.Block{Row: switches})
	}
	return blocks
}

// SettingsScreen is a page of the settings of m. The page of people has a menu for the parts of their profile, and one
// for those whom they block. With paged there is the board as a page, whose passes end there too.
func (t Tongue) SettingsScreen(page int, all []Setting, m storage.Member, now time.Time, paged bool) chat.Message {
	msg := chat.Private("### " + t.Say("settings.me"))
	press := func(parts ...string) string { return Do("set", fmt.Sprint(page, ".", strings.Join(parts, "."))) }
	msg.Blocks = append(msg.Blocks, t.settingBlocks(all, press)...)
	var pages []chat.Button
	if SettingsPages[page] == "people" {
		if m.More[MoreHidden] != "1" { // else others see no part of it
			msg.Blocks = append(msg.Blocks, chat.Block{Select: t.shownParts(press("part"), m)})
			if hidden := t.parts(HiddenParts(m)); len(hidden) > 0 {
				msg.Blocks[0].Text += "\n" + t.Setting("hidden", t.Line(hidden...))
			}
		}
		msg.Blocks = append(msg.Blocks,
			chat.Block{Select: &chat.Select{ID: press("block"), Hint: t.Say("settings.blockWhom"), Members: true}})
		var names []string
		for _, id := range m.Blocked {
			names = append(names, Mention(id))
		}
		if len(names) > 0 {
			msg.Blocks[0].Text += "\n" + t.Setting("blocked", Clip(strings.Join(names, " "), 1500))
		}
		msg.Blocks[0].Text += "\n-# " + t.vacationSaid(m.Vacations, now)
	}
	if SettingsPages[page] == "board" {
		msg.Blocks[0].Text += "\n-# " + t.Say("settings.look")
	}
	if SettingsPages[page] == "people" {
		row := []chat.Button{
			{ID: Do("open", "privacy export"), Label: t.Say("button.data.export")},
			{ID: Do("open", "privacy delete"), Label: t.Say("button.data.delete"), Style: chat.Danger}}
		if paged {
			row = append(row, chat.Button{ID: Do("signout", ""), Label: t.Say("button.signOut")})
		}
		msg = msg.WithRow(row...)
	}
	for i, name := range SettingsPages {
		pages = append(pages, chat.Button{ID: Do("set", fmt.Sprint(i)), Label: t.Say("button.settings." + name),
			Disabled: i == page})
	}
	return msg.WithRow(pages...)
}

// shownParts is the menu of the parts of a member's profile: choosing one hides it from others, or shows it again.
func (t Tongue) shownParts(id string, m storage.Member) *chat.Select {
	menu := &chat.Select{ID: id, Hint: t.Say("settings.parts")}
	hidden := HiddenParts(m)
	for _, part := range ProfileParts {
		key := "settings.part.shown"
		if slices.Contains(hidden, part) {
			key = "settings.part.hidden"
		}
		menu.Choice = append(menu.Choice, chat.Choice{Label: t.Say("profile." + part), Detail: t.Say(key), Value: part})
	}
	return menu
}

// parts words the parts of a profile that have these names, in their order.
func (t Tongue) parts(names []string) (words []string) {
	for _, part := range ProfileParts {
		if slices.Contains(names, part) {
			words = append(words, t.Say("profile."+part))
		}
	}
	return words
}

// Setting is a setting with its value.
func (t Tongue) Setting(name, value string) string { return t.Valued("settings."+name, value) }

// Valued is what is called by a key of the catalogue, with its value.
func (t Tongue) Valued(key, value string) string {
	return t.Say("settings.value", "Name", t.Say(key), "Value", value)
}

// OnOff are the values of a setting that is on or off.
func (t Tongue) OnOff(on bool) []chat.Choice {
	return []chat.Choice{{Label: t.Yes(false), Value: "false", Chosen: !on},
		{Label: t.Yes(true), Value: "true", Chosen: on}}
}

// OrDefault are choices with the default before them, which is chosen where none of them is.
func (t Tongue) OrDefault(choices []chat.Choice, chosen string) []chat.Choice {
	all := []chat.Choice{{Label: t.Say("settings.default"), Value: "default", Chosen: chosen == ""}}
	for _, c := range choices {
		all = append(all, chat.Choice{Label: c.Label, Value: c.Value, Chosen: c.Value == chosen})
	}
	return all
}

// Yes is the word for yes or no.
func (t Tongue) Yes(yes bool) string {
	if yes {
		return t.Say("yes")
	}
	return t.Say("no")
}

// GameNamed words the rules with a name; "default" where no rules have it.
func (t Tongue) GameNamed(name string) string {
	if r, ok := game.RulesNamed(name); ok {
		return t.Rules(r)
	}
	return t.Say("settings.default")
}

// Choices words choices, whose Detail is their key in the catalogue, for a form in which one value is
// chosen.
func (t Tongue) Choices(choices []chat.Choice, chosen string) []chat.Choice {
	var worded []chat.Choice
	for _, c := range choices {
		worded = append(worded, chat.Choice{Label: t.Say(c.Detail), Value: c.Value, Chosen: c.Value == chosen})
	}
	return worded
}
