package ladder

import (
	"cmp"
	"context"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

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
