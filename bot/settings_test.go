package bot

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
)

// Under their old names the settings answer for a release: Discord may still offer them where the new
// commands could not be registered.
func TestOldNamesOfSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		ask := func(name string, governs bool, options map[string]chat.Option) string {
			r := d.request(1, chat.Slash)
			r.Name, r.Options, r.Governs = name, options, governs
			return d.said(r)
		}
		mine, server := view.In("en").Say("settings.me"), view.In("en").Say("settings.server")
		theme := map[string]chat.Option{"theme": {Text: "slate"}}
		for _, c := range []struct {
			said, want string
		}{
			{ask("settings me", false, theme), mine}, {ask("settings", false, nil), "slate"},
			{ask("settings me", false, map[string]chat.Option{"listed": {Text: "false"}}), "Nowhere"},
			{ask("settings me", false, map[string]chat.Option{"listed": {Text: "true", Yes: true}}), "On my servers"},
			{ask("settings server", false, nil), server}, {ask("settings server", false, theme), "Only members who manage"},
			{ask("settings server", true, theme), "slate"}, {ask("server", false, nil), "slate"},
		} {
			if !strings.Contains(c.said, c.want) {
				t.Errorf("no %q in %s", c.want, c.said)
			}
		}
		r := d.request(1, chat.Complete)
		r.Name, r.Focused, r.Options = "settings me", "theme", map[string]chat.Option{"theme": {Text: "sla"}}
		d.bot.Handle(t.Context(), r)
		if c := d.paper.answer.Choices; len(c) != 1 || c[0].Value != "slate" {
			t.Errorf("themes: %v", c)
		}
	})
}

// Discord offers /server to managers alone, unless the administrators of a server choose others.
func TestServerIsForManagers(t *testing.T) {
	body := testkit.Got(discord.CommandBodies(Commands(true), texts.Local, texts.Locales()))
	_, server, _ := strings.Cut(string(body), `"name":"server"`)
	server, _, _ = strings.Cut(server, `{"type":1,"name":`)
	if want := `"default_member_permissions":"32","contexts":[0],"integration_types":[0]`; !strings.Contains(server,
		want) || strings.Count(string(body), want) != 1 {
		t.Errorf("no %s, or another command has it:\n%s", want, server)
	}
}

// A custom id that somebody else made up sets nothing, and a choice that is not offered is
// refused.
func TestForgedSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for arg, want := range map[string]string{
			"": "unknown.button", "x": "unknown.button", "-1": "unknown.button", "2": "unknown.button",
			"9.theme.night": "unknown.button", "0.theme.none": "refused.theme", "0.game.chess": "unknown.game",
			"0.none.1": "", "0": "", "1.block": "", "1.theme": "",
		} {
			r := d.request(1, chat.Press)
			r.Custom, r.Private = view.Do("set", arg), true
			if err := d.bot.dispatch(t.Context(), r); want == "" && err != nil || want != "" && !view.IsRefused(err, want) {
				t.Errorf("%q: %v", arg, err)
			}
		}
		if m, err := d.store.Member(t.Context(), 1); err != nil || m.Look.Theme != "" || len(m.More)+len(m.Blocked) > 0 {
			t.Errorf("%+v %v", m, err)
		}
	})
}

// What is for managers alone is refused to others on our side too, whichever way they come.
func TestManagersPresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for custom, kind := range map[string]chat.Kind{
			view.Do("open", "server"): chat.Press, view.Do("setserver", "theme.slate"): chat.Press,
			view.Do("ladder", "renju.setup"): chat.Press, view.Do("ladderset", ""): chat.Submit,
			view.Do("open", "event create"): chat.Press,
		} {
			r := d.request(1, kind)
			r.Custom = custom
			err := d.bot.dispatch(t.Context(), r)
			if !view.IsRefused(err, "refused.governs") && !view.IsRefused(err, "event.refused.host") {
				t.Errorf("%s: %v", custom, err)
			}
		}
	})
}

// A new theme is on the member's boards before the answer says so: whoever asks for a board then sees it.
func TestThemeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku9", "color", "black")
		d.paper.mu.Lock()
		d.paper.slow = time.Second
		d.paper.mu.Unlock()
		r := d.request(1, chat.Slash)
		r.Name, r.Options = "settings", map[string]chat.Option{"theme": {Text: "night"}}
		go d.bot.Handle(t.Context(), r)
		time.Sleep(time.Second / 2)
		testkit.Want(t, "theme", d.only(1).Look.Theme, "night")
		time.Sleep(time.Minute)
	})
}

// A board that a member alone sees has the member's own look, whatever look the game began with.
func TestPrivateBoardHasOwnLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers("game", "gomoku9")
		d.slash(2, "settings", "theme", "sheet")
		rec := d.only(2)
		for _, c := range []struct {
			by   game.MemberID
			own  string // yes: in private
			want bool
		}{{2, "yes", true}, {2, "", false}, {1, "yes", false}} {
			s := d.asked(c.by, rec.Place, "board", "private", c.own)
			if strings.Contains(s, view.Piece(game.Black, "sheet")) != c.want {
				t.Errorf("member %d, private %q: %s", c.by, c.own, s)
			}
		}
	})
}
