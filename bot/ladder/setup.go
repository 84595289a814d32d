package ladder

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// setupButton opens the form of the ladder of a game; of the usual game, where none is named.
func setupButton(t view.Tongue, game string) chat.Button {
	return chat.Button{ID: view.Do("ladder", game+".setup"), Label: t.Say("button.ladder.setup")}
}

// askSetup opens the form, as the ladder is now.
func (l *Ladders) askSetup(ctx context.Context, r chat.Request, name string) error {
	if !r.Governs {
		return view.No("refused.governs")
	}
	usual, err := l.Host.UsualGame(ctx, r)
	if err != nil {
		return err
	}
	rules, ok := game.RulesNamed(cmp.Or(name, usual))
	if !ok {
		return view.No("unknown.game")
	}
	now, err := l.Store.Ladder(ctx, r.Place.Server, rules)
	begins := errors.Is(err, storage.ErrNotFound)
	if err != nil && !begins {
		return err
	}
	t, clock := l.House.Tongue(r), clockNamed(now)
	if begins {
		clock = usualClock
	}
	state := []chat.Choice{{Label: t.Say("ladder.form.on"), Value: "on", Chosen: begins || !now.Off}}
	if !begins {
		state = append(state, chat.Choice{Label: t.Say("ladder.form.off"), Value: "off", Chosen: now.Off})
	}
	if r.Place.Channel != now.Channel && !begins {
		state = append(state, chat.Choice{Label: t.Say("ladder.form.here"), Value: "here"})
	}
	form := chat.Form{ID: view.Do("ladderset", ""), Title: t.Say("ladder.form"), Fields: []chat.Field{
		{ID: "game", Label: t.Say("new.game"), Kind: chat.Menu,
			Choice: t.Choices(command.GameChoices(), rules.Name())},
		{ID: "clock", Label: t.Say("new.clock"), Kind: chat.Menu, Choice: t.Choices(command.ClockChoices(), clock)},
		{ID: "opening", Label: t.Say("new.opening"), Kind: chat.Menu,
			Choice: t.OpeningChoices(cmp.Or(now.Opening, "free"))},
		{ID: "state", Label: t.Say("ladder.form.state"), Kind: chat.Menu, Choice: state},
	}}
	_, err = l.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Form: form})
	return err
}

// submitSetup does what the form says.
func (l *Ladders) submitSetup(ctx context.Context, r chat.Request, _ view.Press) error {
	switch r.Text("state", "") {
	case "off":
		r.Options["off"] = chat.Option{Yes: true}
	case "here":
		r.Options["channel"] = chat.Option{Channel: r.Place.Channel}
	}
	return l.setup(ctx, r)
}

// setup begins a ladder, changes it, or switches it off. What is not named stays as it is.
func (l *Ladders) setup(ctx context.Context, r chat.Request) error {
	switch {
	case r.Place.Server == 0:
		return view.No("refused.ladderHere")
	case !r.Governs:
		return view.No("refused.governs")
	}
	usual, err := l.Host.UsualGame(ctx, r)
	if err != nil {
		return err
	}
	rules, ok := game.RulesNamed(r.Text("game", usual))
	if !ok {
		return view.No("unknown.game")
	}
	language, err := l.language(ctx, r)
	if err != nil {
		return err
	}
	wanted, err := setUp(storage.Ladder{Channel: r.Place.Channel, Ladder: event.Ladder{Rules: rules}}, r, language)
	if err == nil {
		_, err = l.terms(ctx, r, wanted)
	}
	if err != nil {
		return err
	}
	var was storage.Ladder
	one, err := l.Store.UpdateLadder(ctx, r.Place.Server, rules, r.At, func(now storage.Ladder) (storage.Ladder, error) {
		was = now
		return setUp(now, r, language)
	})
	if err != nil {
		return err
	}
	if was.Channel != one.Channel && was.Message != 0 {
		l.Tasks.Go(func() { // a message that stays does no harm: its buttons still work
			if err := l.Chat.Delete(l.Tasks.Life, chat.To{Server: was.Server, Channel: was.Channel,
				Message: was.Message}); err != nil {
				l.Log.Info("the ladder's former message", "err", err)
			}
		})
	}
	key := "ladder.set"
	if one.Off {
		key = "ladder.closed"
	}
	t := l.House.Tongue(r)
	return chat.Tell(ctx, l.Chat, r,
		chat.Private(t.Say(key, "Rules", t.Rules(rules), "Channel", view.Channel(one.Channel), "Terms", terms(t, one))))
}

// setUp is a ladder as r asks for it.
func setUp(l storage.Ladder, r chat.Request, language string) (storage.Ladder, error) {
	l.Off = r.Yes("off", false)
	if l.Off && l.Channel == 0 {
		return l, view.No("refused.ladderNone")
	}
	begins := l.Channel == 0
	channel := l.Channel
	if begins {
		channel = r.Place.Channel
	}
	if c := r.Options["channel"].Channel; c != 0 {
		channel = c
	}
	if channel != l.Channel {
		l.Channel, l.Notice = channel, storage.Notice{}
	}
	if clock := r.Text("clock", map[bool]string{true: usualClock}[begins]); clock != "" {
		for _, c := range host.Clocks {
			if c.Name == clock {
				l.Clock = c.Each
			}
		}
	}
	if o := r.Text("opening", ""); o != "" {
		l.Opening = strings.TrimPrefix(o, "free")
	}
	l.Language = language
	return l, nil
}

// language is that of the standings: the server's, else that of its Discord.
func (l *Ladders) language(ctx context.Context, r chat.Request) (string, error) {
	server, err := l.Store.Server(ctx, r.Place.Server)
	return view.In(cmp.Or(server.Look.Language, r.ServerLocale, r.Locale)).Lang, err
}
