package bot

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/live"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

func (b *Bot) settingsCommand() command.Command {
	data := b.dataWays()
	return command.Command{
		Command: chat.Command{Name: "settings", Alone: true,
			Options: []chat.OptionSpec{command.Theme(), command.Numbers(), command.Language(),
				{Name: "confirm", Type: chat.YesOption},
				{Name: "engine", Of: "settings", Type: chat.YesOption},
				{Name: "challenges", Type: chat.TextOption,
					Choices: command.Named("challenges", "all", "nobody")},
				{Name: "calls", Type: chat.TextOption,
					Choices: command.Named("calls", "away", "always", "never")},
				{Name: "block", Type: chat.MemberOption},
				{Name: "unblock", Type: chat.MemberOption},
				{Name: "listed", Type: chat.TextOption,
					Choices: command.Named("listed", "nowhere", "servers", "everywhere")},
				{Name: "vacation", Type: chat.NumberOption, Max: game.VacationDays},
				{Name: "recap", Type: chat.YesOption},
				command.Kind(), command.UsualOpening(), command.Choosing("data", "", data)}},
		By: "data", Ways: data,
		Was:   []string{"settings me"},
		Opens: true,
		Run:   b.settings,
		Presses: map[string]command.Pressed{"set": b.pressSet, "forget": b.pressForget,
			"signout": b.pressSignOut},
		Offers: map[string]command.Offer{"theme": completeTheme},
	}
}

// truth is the value of a setting that is on or off.
func truth(yes bool) string {
	if yes {
		return "1"
	}
	return ""
}

func (b *Bot) settings(ctx context.Context, r chat.Request) error {
	for _, name := range []string{"challenges", "calls", "block", "unblock", "listed", "vacation", "recap"} {
		if _, ok := r.Options[name]; ok {
			return b.settingsPage(ctx, r, slices.Index(view.SettingsPages[:], "people"))
		}
	}
	return b.settingsPage(ctx, r, 0)
}

// pressSet turns to a page of the settings, or changes the one that was pressed or chosen: its
// argument is the page, the setting and the value.
func (b *Bot) pressSet(ctx context.Context, r chat.Request, p view.Press) error {
	f := append(strings.SplitN(p.Arg, ".", 3), "", "")
	page, err := strconv.Atoi(f[0])
	if err != nil || page < 0 || page >= len(view.SettingsPages) {
		return no("unknown.button")
	}
	name, value := f[1], f[2]
	if len(r.Values) == 1 {
		value = r.Values[0]
	}
	if name == "block" {
		m, err := b.store.Member(ctx, r.By)
		if err != nil {
			return err
		}
		if m.Blocks(r.Target.ID) {
			name = "unblock"
		}
	}
	if name != "" {
		days, _ := strconv.ParseInt(value, 10, 64)
		r.Options = map[string]chat.Option{name: {Text: value, Number: days, Yes: value == "true", Member: r.Target}}
	}
	return b.settingsPage(ctx, r, page)
}

// withOptions is a member with what the options of a request choose.
func withOptions(r chat.Request, m storage.Member) (storage.Member, error) {
	block, unblock := r.Options["block"].Member.ID, r.Options["unblock"].Member.ID
	look, err := view.WithLook(r, m.Look)
	if err != nil {
		return m, err
	}
	m.Look = look
	switch r.Text("challenges", "") {
	case "all":
		m.Challenges = storage.FromAll
	case "nobody":
		m.Challenges = storage.FromNobody
	}
	if block != 0 && block != r.By && !m.Blocks(block) {
		if len(m.Blocked) >= 100 {
			return m, no("refused.blocks")
		}
		m.Blocked = append(slices.Clip(m.Blocked), block)
	}
	m.Blocked = slices.DeleteFunc(slices.Clone(m.Blocked), func(id game.MemberID) bool { return id == unblock })
	if o, ok := r.Options["confirm"]; ok {
		m = m.With(view.MoreConfirm, truth(o.Yes))
	}
	switch at := r.Text("listed", ""); at {
	case "nowhere", "servers", "everywhere":
		m = m.With(view.MoreHidden, truth(at == "nowhere")).With(view.MoreEverywhere, truth(at == "everywhere"))
	case "true", "false": // of the option as it was under the command's old name
		m = m.With(view.MoreHidden, truth(at == "false"))
	}
	switch when := r.Text("calls", ""); when {
	case "away", "always", "never":
		m = m.With(view.MoreCalls, strings.TrimPrefix(when, "away"))
	}
	switch o := r.Text("opening", ""); {
	case o == "default":
		m = m.With(host.MoreOpening, "")
	case slices.Contains(host.AllOpenings(), o):
		m = m.With(host.MoreOpening, o)
	}
	switch g := r.Text("game", ""); {
	case g == "default":
		m = m.With(host.MoreGame, "")
	case g != "":
		if _, ok := game.RulesNamed(g); !ok {
			return m, no("unknown.game")
		}
		m = m.With(host.MoreGame, g)
	}
	m = view.TurnPart(m, r.Text("part", ""))
	if r.Text("game", r.Text("opening", "")) != "" {
		m = m.With(moreMenu, "") // else what they began last would stand before it
	}
	return m, nil
}

// settingsPage changes the settings that the options name, and shows a page of them.
func (b *Bot) settingsPage(ctx context.Context, r chat.Request, page int) error {
	var m storage.Member
	var err error
	if o, ok := r.Options["vacation"]; ok && o.Text != view.AwayNow {
		if err := b.vacation(ctx, r, int(o.Number)); err != nil {
			return err
		}
	}
	if o, ok := r.Options["recap"]; ok {
		_, err := b.store.UpdateRecap(ctx, r.By, func(c storage.Recap) storage.Recap { return c.Wanted(o.Yes, r.At) })
		if err != nil {
			return err
		}
	}
	if len(r.Options) == 0 {
		m, err = b.store.Member(ctx, r.By)
	} else {
		m, err = b.store.SetMember(ctx, r.By, func(m storage.Member) (storage.Member, error) { return withOptions(r, m) })
	}
	if err != nil {
		return err
	}
	t := b.tongue(r)
	if view.SettingsPages[page] == "people" {
		recap, err := b.store.Recap(ctx, r.By)
		if err != nil {
			return err
		}
		return b.reply(ctx, r, t.SettingsScreen(page, []view.Setting{
			{Name: "challenges", Values: t.Choices(command.Named("challenges", "all", "nobody"),
				[...]string{"all", "nobody"}[min(m.Challenges, 1)])},
			{Name: "calls", Values: t.Choices(command.Named("calls", "away", "always", "never"), view.CalledWhen(m.More))},
			{Name: "listed", Values: t.Choices(command.Named("listed", "nowhere", "servers", "everywhere"),
				view.ListedAt(m.More))},
			{Name: "vacation", Values: t.VacationChoices(m.Vacations, b.now())},
			{Name: "recap", Values: t.OnOff(!recap.Next.IsZero())},
		}, m, b.now(), b.page != nil))
	}
	if len(r.Options) > 0 { // before the answer: whoever reads it may ask for a board
		if err := b.restyle(ctx, r); err != nil {
			return err
		}
	}
	return b.reply(ctx, r, b.paint.BoardSettings(t, page, []view.Setting{
		{Name: "theme", Values: t.OrDefault(command.PlainChoices(render.Themes()...), m.Look.Theme)},
		{Name: "numbers",
			Values: t.Choices(command.Numbers().Choices, view.Numbers[min(int(m.Look.Numbers), len(view.Numbers)-1)])},
		{Name: "language", Values: t.OrDefault(command.LanguageChoices(), m.Look.Language)},
		{Name: "game", Values: t.OrDefault(t.Choices(command.GameChoices(), ""), m.More[host.MoreGame])},
		{Name: "opening", Values: t.OrDefault(t.OpeningChoices(""), m.More[host.MoreOpening])},
		{Name: "confirm", Values: t.OnOff(m.More[view.MoreConfirm] == "1")},
		{Name: "engine", Values: t.OnOff(m.Look.Engine)},
	}, m.Look.Theme))
}

// vacation has the member's vacation begin and last some days, or end where they are 0. Their boards say so.
func (b *Bot) vacation(ctx context.Context, r chat.Request, days int) error {
	changed, err := b.store.SetVacation(ctx, r.By, r.At, func(vs game.Vacations) (game.Vacations, error) {
		if days == 0 {
			return vs.End(r.At), nil
		}
		return vs.Begin(days, r.At)
	})
	for _, rec := range changed {
		b.screens.Refresh(rec.ID, false)
	}
	return err
}

// restyle gives the look that the options of r name to the member's games in which nobody
// else plays: they need not wait for the next game to see it.
func (b *Bot) restyle(ctx context.Context, r chat.Request) error {
	recs, err := b.store.Of(ctx, r.By)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if !rec.Match.AgainstEngine() && !view.BetweenEngines(rec.Match) {
			continue
		}
		now, err := b.store.Restyle(ctx, rec.ID, storage.Cause{At: r.At}, func(rec storage.Record) (storage.Look, error) {
			return view.WithLook(r, rec.Look)
		})
		if err != nil {
			return err
		}
		if now.Version != rec.Version {
			b.screens.Refresh(rec.ID, false)
		}
	}
	return nil
}

// calls is when the member in a seat of a match is called, by their own choice and the server's.
func (b *Bot) calls(ctx context.Context, rec storage.Record, seat int) (screen.Calls, error) {
	if rec.Place.Server != 0 {
		server, err := b.store.Server(ctx, rec.Place.Server)
		if err != nil || server.More[view.MoreCalls] == "never" {
			return screen.Never, err
		}
	}
	if b.page != nil && b.page.Open(rec.Seats[seat].Member, rec.ID) {
		return screen.Never, nil // they see it
	}
	m, err := b.store.Member(ctx, rec.Seats[seat].Member)
	if err != nil {
		return screen.Never, err
	}
	calls := map[string]screen.Calls{"away": screen.WhenAway, "always": screen.Always,
		"never": screen.Never}[view.CalledWhen(m.More)]
	for _, k := range b.kinds {
		if room, ok := k.(live.Caller); ok && calls == screen.WhenAway {
			if does, err := room.Calls(ctx, rec, seat); err != nil || !does {
				return screen.Elsewhere, err
			}
		}
	}
	return calls, nil
}

func completeTheme(_ context.Context, r chat.Request) ([]chat.Choice, error) {
	return view.Themes(r.Options["theme"].Text), nil
}
