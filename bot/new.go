package bot

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) newCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "new", Alone: true},
		Run:     b.newGame,
		Presses: map[string]command.Pressed{
			"new":   b.pressNew,
			"begin": b.submitNew,
		},
	}
}

// newFields are the fields of the form, named as the options of /play.
var newFields = []string{"game", "opponent", "level", "opening", "clock"}

func (b *Bot) newGame(ctx context.Context, r chat.Request) error { return b.askNew(ctx, r, nil) }

// pressNew opens the form: as it was filled in before, with the terms of the match whose board was
// pressed, or with the defaults.
func (b *Bot) pressNew(ctx context.Context, r chat.Request, p view.Press) error {
	if p.Match == 0 {
		return b.askNew(ctx, r, view.Unpacked(p.Arg, newFields))
	}
	rec, err := b.finder.Readable(ctx, r, p.Match)
	if err != nil {
		return err
	}
	return b.askNew(ctx, r, filledBy(rec.Match))
}

// filledBy is the form of a new game filled in with the terms of a match.
func filledBy(m game.Match) map[string]string {
	filled := map[string]string{"game": m.Rules.Name(), "clock": host.ClockNamed(m.PerMove),
		"opening": view.OpeningName(m.Terms)}
	for _, seat := range m.Seats {
		if seat.Kind == game.EngineSeat && seat.Guest == "" {
			filled["level"] = strconv.Itoa(int(seat.Level))
		}
	}
	return filled
}

// askNew opens the form, filled in with what is known.
func (b *Bot) askNew(ctx context.Context, r chat.Request, filled map[string]string) error {
	usual, err := b.host.UsualGame(ctx, r)
	if err != nil {
		return err
	}
	usualOpening, err := b.host.UsualOpening(ctx, r)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	chosen := func(name, or string) string {
		if v := filled[name]; v != "" {
			return v
		}
		return or
	}
	opponent, _ := strconv.ParseUint(filled["opponent"], 10, 64)
	rules, _ := game.RulesNamed(chosen("game", usual))
	level := b.host.Suggested(ctx, r.By, rules)
	about := t.Suggested(level)
	if about == "" {
		about = t.Say("new.level.about")
	}
	return b.ask(ctx, r, chat.Form{ID: view.Do("begin", ""), Title: t.Say("new.title"), Fields: []chat.Field{
		{ID: "game", Label: t.Say("new.game"), Kind: chat.Menu,
			Choice: t.Choices(command.GameChoices(), chosen("game", usual))},
		{ID: "opponent", Label: t.Say("new.opponent"), About: t.Say("new.opponent.about"), Kind: chat.Members,
			Optional: true, Member: game.MemberID(opponent)},
		{ID: "level", Label: t.Say("new.level"), About: about, Kind: chat.Menu,
			Choice: t.Choices(command.LevelChoices(), chosen("level", strconv.Itoa(level.Level)))},
		{ID: "opening", Label: t.Say("new.opening"), Kind: chat.Menu, Choice: t.OpeningMenu(usualOpening, filled["opening"])},
		{ID: "clock", Label: t.Say("new.clock"), Kind: chat.Menu,
			Choice: t.Choices(command.ClockChoices(), chosen("clock", "none"))},
	}})
}

// submitNew begins the game as /play would: against the bot, or with a challenge.
func (b *Bot) submitNew(ctx context.Context, r chat.Request, _ view.Press) error {
	begin := b.playMember
	if whom := r.Options["opponent"].Member; whom.ID == 0 || whom.Own {
		begin = b.playBot
	}
	return b.tongue(r).Again(r, begin(ctx, r), "new", newFields)
}

func (b *Bot) ask(ctx context.Context, r chat.Request, f chat.Form) error {
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Form: f})
	return err
}
