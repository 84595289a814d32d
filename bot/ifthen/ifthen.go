// Package ifthen is the board of if-then moves: in a game of days a member lays down, for themselves, what they
// answer to moves that may come. The store plays the replies. No engine looks at this board, and nobody else is told
// of it. Start from IfThens.Press.
package ifthen

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/finder"
	"tengen/bot/host"
	"tengen/bot/pad"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/ifthen"
	"tengen/game/study"
	"tengen/storage"
)

// Config is what IfThens need. All of it is needed.
type Config struct {
	room.Base
	Finder *finder.Finder
	Host   *host.Host
}

// IfThens shows what members have laid down. Any number of goroutines may call its methods.
type IfThens struct{ Config }

// New makes the room.
func New(c Config) *IfThens { return &IfThens{c} }

// Press opens the board, or does what is pressed on it. A press for another position, or on an older board, changes
// nothing and shows the newest.
func (s *IfThens) Press(ctx context.Context, r chat.Request, p view.Press) error {
	v, err := s.found(ctx, r, p.Match)
	if err != nil {
		return err
	}
	version, rest, _ := strings.Cut(p.Arg, ".")
	what, arg, _ := strings.Cut(rest, ".")
	if version != strconv.FormatUint(uint64(v.Version), 10) || p.Stamp != v.Stamp {
		return s.show(ctx, r, v)
	}
	switch what {
	case "show":
		return s.show(ctx, r, v)
	case "lay":
		return s.padAt(ctx, r, v, pad.Last(v.Tree.Game()))
	case "pad":
		at, err := pad.Parse(arg, v.Tree.Rules().Size())
		if err != nil {
			return view.No("unknown.button")
		}
		return s.padAt(ctx, r, v, at)
	}
	does := changes(what, arg, r)
	if does == nil {
		return view.No("unknown.button")
	}
	return s.change(ctx, r, v, what == "at" || strings.HasSuffix(arg, ".undo"), does)
}

// found is what the member of r has laid down in a match.
func (s *IfThens) found(ctx context.Context, r chat.Request, id game.MatchID) (v view.IfThen, err error) {
	if _, err = s.Finder.Readable(ctx, r, id); err != nil {
		return v, err
	}
	stored, rec, err := s.Store.IfThen(ctx, r.By, id)
	if err != nil {
		return v, err
	}
	return laid(stored, rec), may(rec.Match, r.By)
}

// may refuses a member who may lay down nothing in a match.
func may(m game.Match, by game.MemberID) error {
	switch {
	case ifthen.May(m, by):
		return nil
	case !view.Sits(m, by):
		return &game.Refusal{Code: game.NotSeated}
	case m.Phase != game.Playing:
		return &game.Refusal{Code: game.NotPlaying}
	}
	return view.No("ifthen.days")
}

// laid is what a member has laid down, with its tree.
func laid(stored storage.IfThen, rec storage.Record) view.IfThen {
	return view.IfThen{IfThen: stored, Now: rec.Match, Tree: stored.Lines.Tree(rec.Game()).Go(stored.Cursor)}
}

// does changes what is laid down.
type does = func(view.IfThen) (study.Study, error)

// changes is what a press does that changes something; nil where it does not.
func changes(what, arg string, r chat.Request) does {
	switch what {
	case "go", "pick":
		if what == "pick" && len(r.Values) == 1 {
			arg = r.Values[0]
		}
		number, _, _ := strings.Cut(arg, ".")
		return func(v view.IfThen) (study.Study, error) {
			n, err := strconv.Atoi(number)
			if err != nil {
				return v.Tree, view.No("unknown.button")
			}
			return v.Tree.Go(n), nil
		}
	case "at":
		return func(v view.IfThen) (study.Study, error) {
			p, err := game.ParsePoint(arg, v.Tree.Rules().Size())
			switch {
			case err != nil:
				return v.Tree, view.No("unknown.button")
			case !v.Waits():
				return v.Tree, view.No("ifthen.yourTurn")
			}
			return ifthen.Lay(v.Tree, v.Own(), p)
		}
	case "cut":
		return func(v view.IfThen) (study.Study, error) { return v.Tree.Prune(), nil }
	case "clear":
		return func(v view.IfThen) (study.Study, error) { return v.Tree.First().Prune(), nil }
	}
	return nil
}

// change changes what is laid down, where it is still as v has it, and shows it. Else it shows it as it is.
func (s *IfThens) change(ctx context.Context, r chat.Request, v view.IfThen, padded bool, f does) error {
	stored, rec, err := s.Store.UpdateIfThen(ctx, r.By, v.Match,
		func(now storage.IfThen, rec storage.Record) (storage.IfThen, error) {
			if now.Stamp != v.Stamp || now.Version != v.Version {
				return now, nil
			}
			tree, err := f(laid(now, rec))
			if err != nil {
				return now, err
			}
			now.Lines, now.Cursor, now.Refused = ifthen.Of(tree), tree.At(), false
			return now, nil
		})
	switch {
	case errors.Is(err, study.ErrFull):
		return view.No("ifthen.full", "Count", ifthen.MostMoves)
	case err != nil:
		return err
	}
	v = laid(stored, rec)
	if padded {
		return s.padAt(ctx, r, v, pad.Last(v.Tree.Game()))
	}
	return s.show(ctx, r, v)
}

// padAt shows the board with buttons for its points, where moves may be laid down.
func (s *IfThens) padAt(ctx context.Context, r chat.Request, v view.IfThen, at pad.Pad) error {
	if v.Waits() && v.Tree.Game().Turn() != game.Empty {
		v.Pad = &at
	}
	return s.show(ctx, r, v)
}

// show answers r with the board, in place of the private message that was pressed.
func (s *IfThens) show(ctx context.Context, r chat.Request, v view.IfThen) (err error) {
	if v.Look, err = s.Host.FirstLook(ctx, r); err != nil {
		return err
	}
	msg, err := s.Paint.IfThen(s.House.Tongue(r), v)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// Said is the menu of a match with what is to be said of the member's if-then moves there: a reply that was refused.
func (s *IfThens) Said(ctx context.Context, r chat.Request, m game.Match, msg chat.Message) (chat.Message, error) {
	if !ifthen.May(m, r.By) {
		return msg, nil
	}
	v, _, err := s.Store.IfThen(ctx, r.By, m.ID)
	if err == nil && v.Refused {
		msg.Blocks[0].Text += "\n" + s.House.Tongue(r).Unplayed(v)
	}
	return msg, err
}
