package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

func (b *Bot) boardWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "board"}, As: "board",
		Opens: true,
		Run:   b.showBoard,
		Presses: map[string]command.Pressed{
			"board":   b.pressBoard,
			"more":    b.pressMore,
			"numbers": b.press,
			"here":    b.press,
			"page":    b.pressPage,
			"share":   b.pressShare,
			"unshare": b.pressUnshare,
			view.IfThenVerb: func(ctx context.Context, r chat.Request, p view.Press) error {
				return b.ifThens.Press(ctx, r, p)
			},
		},
		Which:  command.In(b.boardIn),
		Offers: map[string]command.Offer{"game": b.finder.OfferAny},
	}
}

// showBoard brings a board down to the end of the channel, or shows it to the asking
// member alone.
func (b *Bot) showBoard(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "board", "", view.Playing)
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		// A challenge has a board too, and gives way to a game.
		rec, found, err = b.finder.Find(ctx, r, "board", "", func(m game.Match) bool { return m.Phase != game.Over })
	}
	if view.IsRefused(err, "refused.elsewhere") {
		// It is how a game comes here from another channel.
		all, e := b.store.Of(ctx, r.By)
		if e != nil {
			return e
		}
		all = slices.DeleteFunc(all, func(rec storage.Record) bool {
			return rec.Phase == game.Over || rec.Place.Server != r.Place.Server
		})
		if playing := slices.ContainsFunc(all, func(rec storage.Record) bool { return view.Playing(rec.Match) }); playing {
			all = slices.DeleteFunc(all, func(rec storage.Record) bool { return !view.Playing(rec.Match) })
		}
		switch {
		case len(all) == 1:
			return b.boardIn(ctx, r, all[0].ID)
		case len(all) > 1:
			return b.finder.Ask(ctx, r, all, "board", "")
		}
	}
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		// A spectator sees the game of the channel.
		if here, e := b.store.InChannel(ctx, r.Place); e == nil && len(here) > 0 {
			rec, found, err = here[len(here)-1], true, nil
		}
	}
	if err != nil || !found {
		return err
	}
	return b.boardIn(ctx, r, rec.ID)
}

func (b *Bot) boardIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.finder.Readable(ctx, r, id)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	if r.Yes("text", false) {
		return b.say(ctx, r, chat.Private(
			t.Header(rec.Match)+"\n```\n"+
				strings.TrimRight(render.Text(rec.Match.Game(), render.Options{Turned: r.Yes("turned", false)}), "\n")+"\n```"))
	}
	o := view.Options{Numbers: r.Text("numbers", ""), Turned: r.Yes("turned", false)}
	if r.Yes("private", false) || o.Turned || o.Numbers != "" || !concerns(rec.Match, r.By) ||
		rec.Match.Phase == game.Over {
		if rec.Look, err = b.host.FirstLook(ctx, r); err != nil {
			return err
		}
		o.Ruling = b.screens.Ruling(ctx, t, rec)
		text := t.Heading(rec, o.Ruling)
		if s := t.Crossed(rec.Match); s != "" {
			text += "\n" + view.Legend(s)
		}
		return b.say(ctx, r, chat.Private(text, b.paint.Board(t, rec, o)))
	}
	return b.bringDown(ctx, r, rec)
}

// pressBoard brings a board here, as the command does.
func (b *Bot) pressBoard(ctx context.Context, r chat.Request, p view.Press) error {
	return b.boardIn(ctx, command.AsTyped(r, "board"), p.Match)
}

// overtaken is how much newer than a request for a board that board must be for the request to have
// come a second time. It allows for clocks that differ.
const overtaken = 10 * time.Second

// bringDown makes the answer the live message. It moves the match to this channel, where that
// is of the same server, and wakes a game that rested. A request that Discord delivered again does
// not take the board back to where it was.
func (b *Bot) bringDown(ctx context.Context, r chat.Request, rec storage.Record) error {
	sc, err := b.store.Screen(ctx, rec.ID)
	if err == nil && sc.Posted.After(r.At.Add(overtaken)) {
		return b.screens.Show(ctx, r, rec.ID, "")
	}
	if rec.Place != r.Place {
		if err := b.movable(ctx, r, rec); err != nil {
			return err
		}
	}
	if rec.Place != r.Place || !rec.Rested.IsZero() {
		rec, err = b.store.Move(ctx, rec.ID, b.screens.Cause(r), r.Place, func(m game.Match) (game.Match, error) {
			if m.Rested.IsZero() {
				return m, nil
			}
			return m.Wake(r.At)
		})
		if err != nil {
			return err
		}
	}
	return b.screens.BringDown(ctx, r, rec)
}

// movable refuses r where its match must not move to this channel.
func (b *Bot) movable(ctx context.Context, r chat.Request, rec storage.Record) error {
	switch {
	case rec.Place.Server != r.Place.Server:
		return no("refused.otherServer")
	case rec.Place.Server == 0 && !rec.Match.AgainstEngine():
		return no("refused.otherTalk") // the other member does not see this conversation
	}
	return b.host.AllowedHere(ctx, r)
}

// pressMore shows the menu of the match to the pressing member alone.
func (b *Bot) pressMore(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Readable(ctx, r, p.Match)
	if err != nil {
		return err
	}
	msg, err := b.ifThens.Said(ctx, r, rec.Match, b.tongue(r).More(rec, r, b.page != nil))
	if err != nil {
		return err
	}
	return b.say(ctx, r, msg)
}
