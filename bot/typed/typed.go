// Package typed plays the points that members type in messages to the bot, and gives those who type a word the button
// that does it. Start from New and Typed.Play.
package typed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/clerk"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Config is what a Typed needs. Only Metrics may be left out.
type Config struct {
	room.Base
	Screens *screen.Screens
	Clerk   *clerk.Clerk
}

// Typed plays typed points. Any number of goroutines may call its methods.
type Typed struct {
	Config
	brief sync.Map // the members for whom a line stands that goes away
	below below
}

// New makes a Typed.
func New(c Config) *Typed { return &Typed{Config: c} }

// IsPoint reports whether a member has typed a point, of whatever board.
func IsPoint(said string) bool {
	_, err := game.ParsePoint(said, 15)
	return err == nil || isRule(err)
}

// Play plays a point that a member has typed in a message to the bot, or answers a word. Whatever else a message
// holds, and whoever does not play here, is left alone: then the remark is empty.
func (t *Typed) Play(ctx context.Context, r chat.Request) (remark string) {
	if word, lang := view.TypedWord(r.Said); word != "" {
		r.Locale = lang
		return t.answer(ctx, r, word)
	}
	if !IsPoint(r.Said) {
		return ""
	}
	anew := false // the board comes down below the messages
	rec, ok, err := t.saidIn(ctx, r)
	if err == nil && !ok {
		return ""
	}
	if err == nil {
		r.Locale = rec.Look.Language
		if rec, err = t.playSaid(ctx, r, rec); err == nil && rec.Repeated {
			return "repeated"
		}
		anew = t.below.comesDown(rec, t.liveMessage(ctx, rec.ID))
	}
	if err == nil {
		t.Screens.Refresh(rec.ID, anew)
		return "played"
	}
	comeDown := func() {
		if anew {
			t.Screens.Refresh(rec.ID, true)
		}
	}
	text, known := t.House.Tongue(r).Reason(err)
	outcome := "refused"
	if !known || view.Fault(err) {
		t.Metrics.Error("handler")
		t.Log.Error("message failed", "id", r.ID, "err", err)
		outcome = "error"
	}
	if !known {
		comeDown()
		return outcome
	}
	t.sayBriefly(r, text, nil, comeDown)
	return outcome
}

// answer gives a member who has typed a word the button that does it: only a press has a private answer.
func (t *Typed) answer(ctx context.Context, r chat.Request, word string) (remark string) {
	var rec storage.Record
	if word != "help" {
		var ok bool
		var err error
		if rec, ok, err = t.saidIn(ctx, r); err != nil || !ok {
			if err != nil {
				t.Log.Error("message failed", "id", r.ID, "err", err)
			}
			return ""
		}
	}
	tongue := t.House.Tongue(r)
	if word == "hint" && !rec.AgainstEngine() {
		why, _ := tongue.Reason(view.No("refused.hintBetween"))
		t.sayBriefly(r, why, nil, func() {})
		return "refused"
	}
	t.sayBriefly(r, tongue.Say("typed.button"), []chat.Button{tongue.WordButton(word, rec, r.By)}, func() {})
	return "offered"
}

func isRule(err error) bool {
	var rule *game.Refusal
	return errors.As(err, &rule)
}

// saidIn is the match that a message means: the one whose board it replies to, else the member's match here
// in which it is their turn, else another of theirs here, of several the one last touched. ok is false
// where the member plays none of them.
func (t *Typed) saidIn(ctx context.Context, r chat.Request) (meant storage.Record, ok bool, err error) {
	all, err := t.Store.InChannel(ctx, r.Place)
	if err != nil {
		return meant, false, err
	}
	turn := view.TurnOf(r.By)
	for _, rec := range all {
		_, seated := rec.Match.SeatOf(r.By)
		plays := seated && view.Playing(rec.Match)
		if r.Message != 0 && t.liveMessage(ctx, rec.ID) == r.Message {
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
func (t *Typed) liveMessage(ctx context.Context, id game.MatchID) uint64 {
	sc, err := t.Store.Screen(ctx, id)
	if err != nil {
		return 0
	}
	return sc.Message
}

// playSaid plays a typed point, once for each message.
func (t *Typed) playSaid(ctx context.Context, r chat.Request, rec storage.Record) (storage.Record, error) {
	p, err := game.ParsePoint(r.Said, rec.Match.Rules.Size())
	if err != nil {
		return rec, err
	}
	out, err := t.Clerk.Do(ctx, act.Typed(r, rec.ID, "play", p.String()), t.Screens.Cause(r))
	if err != nil {
		return rec, err
	}
	return out.Record, nil
}

// briefly is how long the answer to a message stays, and pressedIn where it has a button.
const (
	briefly   = 20 * time.Second
	pressedIn = time.Minute
)

// sayBriefly answers a message in the channel, with buttons where row has any, and takes the answer back. A member
// has at most one such line at a time. It calls then once the line stands, or at once where there is none, so that
// what then posts stands below the line.
func (t *Typed) sayBriefly(r chat.Request, text string, row []chat.Button, then func()) {
	if _, standing := t.brief.LoadOrStore(r.By, true); standing {
		then()
		return
	}
	started := t.Tasks.Go(func() {
		defer t.brief.Delete(r.By)
		line := chat.Text("-# " + view.Mention(r.By) + " " + text)
		line.Silent = true
		stays := briefly
		if row != nil {
			line.Blocks, stays = append(line.Blocks, chat.Block{Row: row}), pressedIn
		}
		message, err := t.Chat.Send(t.Tasks.Life, chat.To{Server: r.Place.Server, Channel: r.Place.Channel,
			Nonce: fmt.Sprintf("said-%d", r.ID)}, line)
		then()
		if err != nil {
			t.Log.Debug("a line about a message", "id", r.ID, "err", err)
			return
		}
		t.Tasks.Sleep(stays)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Tasks.Life), 2*time.Second)
		defer cancel()
		if err := t.Chat.Delete(ctx, chat.To{Channel: r.Place.Channel, Message: message}); err != nil {
			t.Log.Debug("a line about a message", "id", r.ID, "err", err)
		}
	})
	if !started {
		t.brief.Delete(r.By)
		then()
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
