package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// said plays a point that a member has typed in a message to the bot. Whatever else a message holds, and
// whoever does not play here, is left alone: then the remark is empty.
func (b *Bot) said(ctx context.Context, r chat.Request) (remark string) {
	if _, err := game.ParsePoint(r.Said, 15); err != nil && !isRule(err) {
		return ""
	}
	rec, ok, err := b.saidIn(ctx, r)
	if err == nil && !ok {
		return ""
	}
	if err == nil {
		r.Locale = rec.Look.Language
		if rec, err = b.playSaid(ctx, r, rec); err == nil && rec.Repeated {
			return "repeated"
		}
		if anew := b.below.comesDown(rec, b.liveMessage(ctx, rec.ID)); anew || err == nil {
			b.screens.Refresh(rec.ID, anew)
		}
	}
	if err == nil {
		return "played"
	}
	text, known := b.tongue(r).Reason(err)
	if !known {
		b.met.Error("handler")
		b.log.Error("message failed", "id", r.ID, "err", err)
		return "error"
	}
	b.sayBriefly(r, text)
	return "refused"
}

func isRule(err error) bool {
	var rule *game.Refusal
	return errors.As(err, &rule)
}

// saidIn is the match that a message means: the one whose board it replies to, else the member's match here
// in which it is their turn, else another of theirs here, of several the one last touched. ok is false
// where the member plays none of them.
func (b *Bot) saidIn(ctx context.Context, r chat.Request) (meant storage.Record, ok bool, err error) {
	all, err := b.store.InChannel(ctx, r.Place)
	if err != nil {
		return meant, false, err
	}
	turn := view.TurnOf(r.By)
	for _, rec := range all {
		_, seated := rec.Match.SeatOf(r.By)
		plays := seated && view.Playing(rec.Match)
		if r.Message != 0 && b.liveMessage(ctx, rec.ID) == r.Message {
			return rec, plays, nil
		}
		switch {
		case !plays:
		case !ok, turn(rec.Match) && !turn(meant.Match),
			turn(rec.Match) == turn(meant.Match) && rec.Match.Updated.After(meant.Match.Updated):
			meant, ok = rec, true
		}
	}
	return meant, ok, nil
}

// liveMessage is the message that shows a match; zero where none is known.
func (b *Bot) liveMessage(ctx context.Context, id game.MatchID) uint64 {
	sc, err := b.store.Screen(ctx, id)
	if err != nil {
		return 0
	}
	return sc.Message
}

// skew is by how much the engine's clock, which is ours, may be ahead of Discord's.
const skew = 2 * time.Second

// playSaid plays a typed point, once for each message. A message that was written before the last move
// and comes late was meant for another position.
func (b *Bot) playSaid(ctx context.Context, r chat.Request, rec storage.Record) (storage.Record, error) {
	p, err := game.ParsePoint(r.Said, rec.Match.Rules.Size())
	if err != nil {
		return rec, err
	}
	now, err := b.update(ctx, rec.ID, b.screens.Cause(r), func(m game.Match) (game.Match, error) {
		if made := m.Made(); len(made) > len(m.Given) {
			last := made[len(made)-1]
			ahead := time.Duration(0)
			if m.Seats[last.Seat].Kind == game.EngineSeat {
				ahead = skew
			}
			if r.At.Add(ahead).Before(last.At) {
				return m, &game.Refusal{Code: game.Moved}
			}
		}
		return m.Play(r.By, p, r.At)
	})
	if err != nil {
		return rec, err
	}
	return now, nil
}

// briefly is how long the answer to a refused message stays.
const briefly = 20 * time.Second

// sayBriefly says in the channel why a message was refused, and takes it back. A member has at most one
// such line at a time.
func (b *Bot) sayBriefly(r chat.Request, text string) {
	if _, standing := b.brief.LoadOrStore(r.By, true); standing {
		return
	}
	started := b.tasks.Go(func() {
		defer b.brief.Delete(r.By)
		line := chat.Text("-# " + view.Mention(r.By) + " " + text)
		line.Silent = true
		message, err := b.chat.Send(b.tasks.Life, chat.To{Channel: r.Place.Channel, Nonce: fmt.Sprintf("said-%d", r.ID)}, line)
		if err != nil {
			b.log.Debug("a line about a message", "id", r.ID, "err", err)
			return
		}
		b.tasks.Sleep(briefly)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.tasks.Life), 2*time.Second)
		defer cancel()
		if err := b.chat.Delete(ctx, chat.To{Channel: r.Place.Channel, Message: message}); err != nil {
			b.log.Debug("a line about a message", "id", r.ID, "err", err)
		}
	})
	if !started {
		b.brief.Delete(r.By)
	}
}

// mostBelow is how many typed points may stand below a board before it comes down.
const mostBelow = 5

// below counts the points that were typed below boards. A restart begins anew.
type below struct {
	mu     sync.Mutex
	boards map[game.MatchID]typedBelow
}

type typedBelow struct {
	board uint64 // the message
	n     int
}

// mostBoards bounds what is counted; beyond it all counts begin anew.
const mostBoards = 10_000

// comesDown counts a point that was typed below a board, and reports whether the board is to come down to
// the end of the channel.
func (b *below) comesDown(rec storage.Record, board uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := b.boards[rec.ID]
	if count.board != board {
		count = typedBelow{board: board}
	}
	count.n++
	if count.n >= mostBelow || !view.Playing(rec.Match) || len(b.boards) >= mostBoards {
		delete(b.boards, rec.ID)
		if len(b.boards) >= mostBoards {
			b.boards = nil
		}
		return count.n >= mostBelow
	}
	if b.boards == nil {
		b.boards = map[game.MatchID]typedBelow{}
	}
	b.boards[rec.ID] = count
	return false
}
