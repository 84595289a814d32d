package view

import (
	"tengen/bot/chat"
	"tengen/game"
)

// Settings lists the settings of a look, which members and servers have alike.
func (t Tongue) Settings(l game.Look) []string {
	theme, lang := l.Theme, map[string]string{"en": "English", "zh-CN": "简体中文"}[l.Language]
	if theme == "" {
		theme = t.Say("settings.default")
	}
	if lang == "" {
		lang = t.Say("settings.default")
	}
	return []string{
		t.Say("settings.theme", "Value", theme),
		t.Say("settings.numbers", "Value", t.Say("choice.numbers."+Numbers[min(int(l.Numbers), len(Numbers)-1)])),
		t.Say("settings.language", "Value", lang),
	}
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
