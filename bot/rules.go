package bot

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
)

func (b *Bot) rulesCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "rules", About: "How the games are played", Alone: true, Options: []chat.OptionSpec{command.Kind(),
			{Name: "opening", About: "How an opening goes", Type: chat.TextOption, Choices: lessonOpenings()}}},
		Opens: true,
		Run:   b.rules,
		Presses: map[string]command.Pressed{
			"lesson": b.pressLesson,
		},
	}
}

func (b *Bot) rules(ctx context.Context, r chat.Request) error {
	return b.lessonPage(ctx, r, r.Text("opening", r.Text("game", "gomoku")), 0)
}

// lessonOpenings are the openings that have steps to explain.
func lessonOpenings() []chat.Choice {
	return slices.DeleteFunc(command.OpeningChoices(), func(c chat.Choice) bool { return c.Value == "free" || c.Value == "balanced" })
}

func (b *Bot) pressLesson(ctx context.Context, r chat.Request, p view.Press) error {
	name, rest, _ := strings.Cut(p.Arg, ".")
	number, _, _ := strings.Cut(rest, ".")
	if len(r.Values) == 1 {
		name = r.Values[0]
	}
	page, err := strconv.Atoi(number)
	if err != nil {
		return no("unknown.button")
	}
	return b.lessonPage(ctx, r, name, page)
}

func (b *Bot) lessonPage(ctx context.Context, r chat.Request, name string, page int) error {
	msg, err := b.tongue(r).Lesson(name, page)
	if errors.Is(err, view.ErrNoLesson) {
		return no("unknown.game")
	}
	if err != nil {
		return err
	}
	return b.turnPage(ctx, r, msg)
}
