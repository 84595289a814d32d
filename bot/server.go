package bot

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/puzzles"
	"tengen/bot/seek"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

func (b *Bot) serverCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "server", Manager: true,
			Options: append([]chat.OptionSpec{command.Theme(), command.Language(), command.Kind(), command.UsualOpening(),
				{Name: "channel", Type: chat.ChannelOption},
				{Name: "calls", Of: "server", Type: chat.YesOption},
				{Name: "everywhere", Type: chat.YesOption}}, puzzles.Options()...)},
		Ways:    []command.Command{{Command: chat.Command{Name: "ping"}, Opens: true, Run: b.ping}},
		Was:     []string{"settings server"},
		Opens:   true,
		Run:     b.server,
		Presses: map[string]command.Pressed{"setserver": b.pressServer},
		Offers:  map[string]command.Offer{"theme": completeTheme, "zone": puzzles.Zones},
	}
}

func (b *Bot) server(ctx context.Context, r chat.Request) error {
	if r.Place.Server == 0 {
		return no("refused.noServer")
	}
	// Discord offers the command to managers, and to whom they give it. Its old name was open to all.
	if r.Name != "server" && len(r.Options) > 0 && !r.Governs {
		return no("refused.governs")
	}
	t := b.tongue(r)
	var s storage.Server
	var err error
	if len(r.Options) == 0 {
		s, err = b.store.Server(ctx, r.Place.Server)
	} else {
		s, err = b.store.SetServer(ctx, r.Place.Server, func(s storage.Server) (storage.Server, error) {
			look, err := view.WithLook(r, s.Look)
			if err != nil {
				return s, err
			}
			s.Look = look
			switch _, ok := game.RulesNamed(r.Text("game", "")); {
			case ok:
				s = s.With(host.MoreGame, r.Text("game", ""))
			case r.Text("game", "") == "default":
				s = s.With(host.MoreGame, "")
			}
			if o := r.Text("opening", ""); slices.Contains(host.AllOpenings(), o) {
				s = s.With(host.MoreOpening, strings.TrimPrefix(o, "free"))
			}
			if o, ok := r.Options["links"]; ok && b.page != nil {
				s = s.With(view.MoreLinks, map[bool]string{false: "off"}[o.Yes])
			}
			if o, ok := r.Options["calls"]; ok {
				s = s.With(view.MoreCalls, map[bool]string{false: "never"}[o.Yes])
			}
			if o, ok := r.Options["seek"]; ok {
				s = s.With(seek.MoreSeek, map[bool]string{false: "off"}[o.Yes])
			}
			if c := r.Options["channel"].Channel; c != 0 && !slices.Contains(s.Channels, c) {
				if len(s.Channels) >= 50 {
					return s, no("refused.channels")
				}
				s.Channels = append(slices.Clip(s.Channels), c)
			}
			if r.Yes("everywhere", false) {
				s.Channels = nil
			}
			return s, nil
		})
	}
	if o, ok := r.Options["links"]; ok && err == nil && b.page != nil && !o.Yes {
		err = b.page.LinksOff(ctx, r.Place.Server)
	}
	if o, ok := r.Options["seek"]; ok && err == nil && !o.Yes {
		err = b.store.StopSeeks(ctx, r.Place.Server)
	}
	if err != nil {
		return err
	}
	daily, err := b.puzzles.Setting(ctx, r)
	if err != nil {
		return err
	}
	where := t.Say("settings.everywhere")
	if len(s.Channels) > 0 {
		var names []string
		for _, c := range s.Channels {
			names = append(names, view.Channel(c))
		}
		where = strings.Join(names, " ")
	}
	said := []string{"### " + t.Say("settings.server"), t.Setting("channels", view.Clip(where, 1500)), daily,
		"-# " + b.state(r)}
	if b.version != "" {
		said = append(said, "-# "+t.Say("settings.version", "Version", b.version))
	}
	all := []view.Setting{
		{Name: "theme", Values: t.OrDefault(command.PlainChoices(render.Themes()...), s.Look.Theme)},
		{Name: "language", Values: t.OrDefault(command.LanguageChoices(), s.Look.Language)},
		{Name: "game", Values: t.OrDefault(t.Choices(command.GameChoices(), ""), s.More[host.MoreGame])},
		{Name: "opening", Values: t.OpeningChoices(cmp.Or(s.More[host.MoreOpening], "free"))},
		{Name: "daily", Values: t.Choices(command.Named("daily", "here", "off"), "")},
		{Name: "hour", Values: puzzles.Hours()},
		{Name: "calls", Values: t.OnOff(s.More[view.MoreCalls] != "never")},
		{Name: "seek", Values: t.OnOff(s.More[seek.MoreSeek] != "off")},
	}
	if b.page != nil {
		all = append(all, view.Setting{Name: "links", Values: t.OnOff(s.More[view.MoreLinks] != "off")})
	}
	return b.reply(ctx, r, t.ServerScreen(strings.Join(said, "\n"), all))
}

// pressServer changes the setting that was pressed or chosen, for who manages the server.
func (b *Bot) pressServer(ctx context.Context, r chat.Request, p view.Press) error {
	name, value, _ := strings.Cut(p.Arg, ".")
	if len(r.Values) == 1 {
		value = r.Values[0]
	}
	if !r.Governs {
		return no("refused.governs")
	}
	r.Name = "server"
	r.Options = map[string]chat.Option{name: {Text: value, Yes: value == "true"}}
	return b.server(ctx, r)
}
