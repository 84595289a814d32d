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
	"tengen/bot/view"
	"tengen/storage"
)

func (b *Bot) serverCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "server", Manager: true,
			Options: append([]chat.OptionSpec{command.Theme(), command.Language(), command.Kind(), command.UsualOpening(),
				{Name: "channel", Type: chat.ChannelOption},
				{Name: "calls", Of: "server", Type: chat.YesOption},
				{Name: "everywhere", Type: chat.YesOption}}, puzzles.Options()...)},
		Was:   "settings server",
		Opens: true,
		Run:   b.server, Offers: map[string]command.Offer{"theme": completeTheme, "zone": puzzles.Zones},
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
			if g := r.Text("game", ""); g != "" {
				s.More = set(s.More, host.MoreGame, g)
			}
			if o := r.Text("opening", ""); slices.Contains(host.AllOpenings(), o) {
				s.More = set(s.More, host.MoreOpening, strings.TrimPrefix(o, "free"))
			}
			if o, ok := r.Options["calls"]; ok {
				s.More = set(s.More, view.MoreCalls, map[bool]string{false: "never"}[o.Yes])
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
	lines := append([]string{"### " + t.Say("settings.server")}, t.Settings(s.Look)...)
	lines = append(lines, t.Say("settings.game", "Value", t.GameNamed(s.More[host.MoreGame])),
		t.Say("settings.opening", "Value", t.Opening(cmp.Or(s.More[host.MoreOpening], "free"))),
		t.Say("settings.serverCalls", "Value", t.Yes(s.More[view.MoreCalls] != "never")),
		t.Say("settings.channels", "Value", view.Clip(where, 1500)), daily)
	return b.say(ctx, r, chat.Private(strings.Join(lines, "\n")))
}
