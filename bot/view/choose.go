package view

import (
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/render"
	"tengen/storage"
)

// The names of settings that the store keeps in More, without knowing their meaning.
const (
	MoreConfirm    = "confirm"    // "1": ask before a pressed point is played
	MoreHidden     = "hidden"     // "1": results stay out of public tables and cards
	MoreEverywhere = "everywhere" // "1": in /top of servers where the member has not played, too
	MoreCalls      = "calls"      // "always" or "never": when a game that waits calls; of a server "never"
)

// themeNamed checks a theme that a member typed; "default" is the default.
func themeNamed(name string) (string, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "default" {
		return "", nil
	}
	if !slices.Contains(render.Themes(), name) {
		return "", No("refused.theme", "Themes", render.Themes())
	}
	return name, nil
}

// WithLook is a look with the changes that the options ask for.
func WithLook(r chat.Request, look storage.Look) (storage.Look, error) {
	if name := r.Text("theme", ""); name != "" {
		theme, err := themeNamed(name)
		if err != nil {
			return look, err
		}
		look.Theme = theme
	}
	if i := slices.Index(Numbers[:], r.Text("numbers", "")); i >= 0 {
		look.Numbers = uint8(i)
	}
	if lang := r.Text("language", ""); texts.Name(lang) != "" {
		look.Language = lang
	} else if lang == "default" {
		look.Language = ""
	}
	look.Engine = r.Yes("engine", look.Engine)
	return look, nil
}

// CalledWhen is when a member with these settings is called.
func CalledWhen(more map[string]string) string {
	if when := more[MoreCalls]; when != "" {
		return when
	}
	return "away"
}

// ListedAt is where a member with these settings is shown in /top.
func ListedAt(more map[string]string) string {
	switch {
	case more[MoreHidden] == "1":
		return "nowhere"
	case more[MoreEverywhere] == "1":
		return "everywhere"
	}
	return "servers"
}

// Themes are the themes whose names hold the text typed so far, and the default.
func Themes(typed string) []chat.Choice {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var cs []chat.Choice
	for _, name := range append([]string{"default"}, render.Themes()...) {
		if strings.Contains(name, typed) {
			cs = append(cs, chat.Choice{Label: name, Value: name})
		}
	}
	return cs
}
