package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"tengen/bot"
	"tengen/game"
	"tengen/storage"
)

// botFlags say which bot is asked. What has them is done by the running bot alone.
type botFlags struct {
	Config string `placeholder:"FILE" help:"The configuration of the running bot; without it as for tengen run."`
}

func (botFlags) fills() (string, os.FileMode) { return "", 0 }

// socket is where that bot takes errands.
func (f botFlags) socket() (string, error) {
	c, err := loadConfig(f.Config)
	if err != nil && !errors.As(err, new(faults)) {
		return "", err
	}
	if c.socket() == "" {
		return "", errors.New("the configuration has no operations.socket, by which the running bot can be asked")
	}
	return c.socket(), nil
}

// atWork is the running bot, once it serves.
func (h *hosting) atWork() (*bot.Bot, error) {
	if b := h.serving.Load(); b != nil {
		return b, nil
	}
	return nil, errors.New("the bot is not at work yet, or not any more: see its log, and try again")
}

type serverCmd struct {
	List  serverListCmd  `cmd:"" help:"List the servers of which the running bot knows."`
	Leave serverLeaveCmd `cmd:"" help:"Leave a server. Its games end unrated, and its data goes after 30 days."`
	Ban   serverBanCmd   `cmd:"" help:"Leave a server, now and whenever it adds the bot again."`
}

type memberCmd struct {
	Erase memberEraseCmd `cmd:"" help:"Delete all that is stored of a member, as /settings data:delete does."`
	Ban   memberBanCmd   `cmd:"" help:"Answer a member no more, but about their own data. Their games go on by their clocks."`
}

type serverListCmd struct{ botFlags }

// Run lists a server a line.
func (serverListCmd) Run(ctx context.Context, s streams, in inside) error {
	b, err := in.bot.atWork()
	if err != nil {
		return err
	}
	known, orders, err := b.KnownServers(ctx)
	if err != nil {
		return err
	}
	for _, k := range known {
		state := "not there"
		switch {
		case !k.Left.IsZero():
			state = "left " + k.Left.Format(time.DateOnly)
		case !k.Missed.IsZero():
			state = "missed since " + k.Missed.Format("2006-01-02 15:04 MST")
		case k.In:
			state = "there"
		}
		if orders.BansServer(k.ID) {
			state += ", banned"
		}
		if _, err := fmt.Fprintf(s.out, "%-20d %s, %s\n", k.ID, state, plural(k.Games, "game")); err != nil {
			return err
		}
	}
	return nil
}

type serverLeaveCmd struct {
	ID uint64 `arg:"" help:"The server's number."`
	botFlags
}

func (c serverLeaveCmd) Run(ctx context.Context, s streams, in inside) error {
	return in.order(s.out, func(b *bot.Bot) error { return b.LeaveServer(ctx, c.ID) }, "left the server %d", c.ID)
}

type serverBanCmd struct {
	ID   uint64 `arg:"" help:"The server's number."`
	Lift bool   `help:"Serve it again, once it has added the bot."`
	botFlags
}

func (c serverBanCmd) Run(ctx context.Context, s streams, in inside) error {
	return in.order(s.out, func(b *bot.Bot) error { return b.BanServer(ctx, c.ID, !c.Lift) }, "%s the server %d",
		banned(c.Lift), c.ID)
}

type memberEraseCmd struct {
	ID uint64 `arg:"" help:"The member's number."`
	botFlags
}

func (c memberEraseCmd) Run(ctx context.Context, s streams, in inside) error {
	return in.order(s.out, func(b *bot.Bot) error { return b.Erase(ctx, game.MemberID(c.ID), time.Now()) },
		"erased the member %d; backups of before go with their rotation", c.ID)
}

type memberBanCmd struct {
	ID   uint64 `arg:"" help:"The member's number."`
	Lift bool   `help:"Answer them again."`
	botFlags
}

func (c memberBanCmd) Run(ctx context.Context, s streams, in inside) error {
	return in.order(s.out, func(b *bot.Bot) error { return b.BanMember(ctx, game.MemberID(c.ID), !c.Lift) },
		"%s the member %d", banned(c.Lift), c.ID)
}

func banned(lifted bool) string {
	if lifted {
		return "no longer banned:"
	}
	return "banned"
}

type announceCmd struct {
	Text  string `arg:"" optional:"" help:"One line, such as why the bot will be away; without it, the line is taken away."`
	Until string `placeholder:"TIME" help:"Until when it stands: 90m from now, or 2026-03-01T12:30:00Z."`
	botFlags
}

// Run checks the line and gives it to the boards.
func (c announceCmd) Run(ctx context.Context, s streams, in inside) error {
	until, err := c.until(time.Now())
	if err != nil {
		return err
	}
	said := "the line stands under boards until " + until.UTC().Format("2006-01-02 15:04 MST")
	if c.Text == "" {
		said = "no line stands under boards any more"
	}
	return in.order(s.out, func(b *bot.Bot) error { return b.Announce(ctx, c.Text, until) }, "%s", said)
}

func (c announceCmd) until(now time.Time) (until time.Time, err error) {
	switch {
	case c.Text == "":
		return time.Time{}, nil
	case len(c.Text) > storage.MostBulletin || strings.ContainsFunc(c.Text, unicode.IsControl):
		return until, exit{2, fmt.Sprintf("one line of at most %d bytes is needed", storage.MostBulletin)}
	case c.Until == "":
		return until, exit{2, "--until is needed: when does the line go?"}
	}
	if d, err := time.ParseDuration(c.Until); err == nil {
		until = now.Add(d)
	} else if until, err = time.Parse(time.RFC3339, c.Until); err != nil {
		return until, exit{2, fmt.Sprintf("--until: %q is neither such as 90m nor such as 2026-03-01T12:30:00Z", c.Until)}
	}
	if !until.After(now) {
		return until, exit{2, "--until: that time is over"}
	}
	return until, nil
}

// order has the running bot do something, and says so.
func (in inside) order(out io.Writer, do func(*bot.Bot) error, said string, args ...any) error {
	b, err := in.bot.atWork()
	if err == nil {
		err = do(b)
	}
	if err == nil {
		_, err = fmt.Fprintf(out, said+"\n", args...)
	}
	return err
}
