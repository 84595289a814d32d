package view

import "tengen/game"

// Look lists the settings that a member and a server share.
func (t Tongue) Look(l game.Look) []string {
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

// Yes is a truth.
func (t Tongue) Yes(yes bool) string {
	if yes {
		return t.Say("yes")
	}
	return t.Say("no")
}

// GameNamed is the name of a game that is kept by its own; where it is none, the default.
func (t Tongue) GameNamed(name string) string {
	if r, ok := game.RulesNamed(name); ok {
		return t.Rules(r)
	}
	return t.Say("settings.default")
}
