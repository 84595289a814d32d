package together

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/live"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/together"
	"tengen/storage"
)

// Commands are the commands of the room. They can be registered without a bot.
func (c *Games) Commands() []command.Command {
	return []command.Command{{
		Command: chat.Command{Name: "together"}, As: "channel",
		Run: c.together,
		Presses: map[string]command.Pressed{
			"vote":  c.vote,
			"crowd": c.press,
		},
	}}
}

// Every are the times to vote that can be chosen.
func Every() []chat.Choice { return command.Named("every", everyNames()...) }

// every are the same, with how long each is.
var every = []struct {
	name string
	each time.Duration
}{{"30s", 30 * time.Second}, {"1m", time.Minute}, {"5m", 5 * time.Minute}, {"1h", time.Hour}, {"8h", 8 * time.Hour},
	{"1d", 24 * time.Hour}}

// UsualEvery is the one where none is chosen.
const UsualEvery = "1m"

func everyNames() (names []string) {
	for _, e := range every {
		names = append(names, e.name)
	}
	return names
}

func everyNamed(d time.Duration) string {
	for _, e := range every {
		if e.each == d {
			return e.name
		}
	}
	return UsualEvery
}

// together begins a game of the channel.
func (c *Games) together(ctx context.Context, r chat.Request) error {
	if err := c.May(ctx, r); err != nil {
		return err
	}
	asked := r
	asked.Options = map[string]chat.Option{"opening": {Text: "free"}, "game": r.Options["game"],
		"color": r.Options["color"]}
	terms, err := c.Host.Terms(ctx, asked)
	if err != nil {
		return err
	}
	one, err := c.fresh(ctx, r, terms)
	if err != nil {
		return err
	}
	return c.Begin(ctx, r, one, func(t view.Tongue, one storage.Together) string {
		return t.Say("together.begun", "Time", t.Say("choice.every."+everyNamed(one.Every)))
	})
}

// fresh is a game as r asks for it.
func (c *Games) fresh(ctx context.Context, r chat.Request, terms game.Terms) (storage.Together, error) {
	server, err := c.Store.Server(ctx, r.Place.Server)
	if err != nil {
		return storage.Together{}, err
	}
	one := storage.Together{Gathering: storage.Gathering{Look: server.Look},
		Game: together.Game{Owner: r.By, Rules: terms.Rules, Level: c.Host.EngineSeat(ctx, r, terms.Rules).Level,
			Color: terms.First, Seed: terms.Seed, Updated: r.At}}
	if one.Color == game.Empty {
		one.Color = []game.Color{game.Black, game.White}[terms.Seed%2]
	}
	one.Look.Language = view.In(cmp.Or(server.Look.Language, r.ServerLocale, r.Locale)).Lang
	one.Every = every[max(slices.Index(everyNames(), r.Text("every", r.Text("clock", UsualEvery))), 0)].each
	return one, nil
}

// vote notes a member's vote.
func (c *Games) vote(ctx context.Context, r chat.Request, p view.Press) error {
	point, err := game.ParsePoint(p.Arg, game.Gomoku15.Size())
	if err != nil {
		return view.No("unknown.button")
	}
	one := storage.Together{Gathering: storage.Gathering{Place: r.Place, ID: uint64(p.Match)}}
	one, err = c.Change(ctx, one, storage.Cause{At: r.At}, &game.Refusal{Code: game.Moved},
		func(now storage.Together) (_ storage.Together, err error) {
			now.Game, err = now.Vote(r.By, int(p.Stamp), point, r.At)
			return now, err
		})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return view.No("unknown.button")
	case errors.Is(err, together.ErrVotesFull):
		return view.No("refused.votesFull")
	case err != nil:
		return err
	}
	return chat.Reply(ctx, c.Chat, r,
		chat.Private(c.House.Tongue(r).Say("together.voted", "Point", point.String(), "When", view.Relative(one.Deadline))))
}

// press carries out a button that is no vote.
func (c *Games) press(ctx context.Context, r chat.Request, p view.Press) error {
	over := &game.Refusal{Code: game.NotPlaying}
	one, what, arg, err := c.Pressed(ctx, r, p, over)
	switch {
	case err != nil:
		return err
	case one.Over():
		return over
	}
	switch what {
	case "look", "pad":
		return c.look(ctx, r, one, arg)
	case "stop":
		return c.stop(ctx, r, one, arg == "sure")
	}
	return view.No("unknown.button")
}

// look shows a member the whole board, to vote anywhere on it.
func (c *Games) look(ctx context.Context, r chat.Request, one storage.Together, arg string) error {
	g, err := one.Replay()
	if err != nil {
		return err
	}
	at := pad.Last(g)
	if arg != "" {
		if at, err = pad.Parse(arg, one.Rules.Size()); err != nil {
			return view.No("unknown.button")
		}
	}
	msg, err := elsewhere(c.Paint, c.House.Tongue(r), one, at)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, c.Chat, r, msg)
}

// stop ends the game for the member who began it, or who may manage messages here. They are asked
// first.
func (c *Games) stop(ctx context.Context, r chat.Request, one storage.Together, sure bool) error {
	t := c.House.Tongue(r)
	if one.Owner != r.By && !r.Manages {
		return view.No("refused.togetherStop")
	}
	if !sure {
		return chat.Tell(ctx, c.Chat, r, live.Sure(t, "together.stop", press(one, "crowd", "stop.sure")))
	}
	_, err := c.Change(ctx, one, storage.Cause{At: r.At}, nil, func(now storage.Together) (storage.Together, error) {
		now.Game = now.Stop(r.At)
		return now, nil
	})
	if err != nil {
		return err
	}
	return chat.Reply(ctx, c.Chat, r, chat.Private(t.Say("together.ended")))
}
