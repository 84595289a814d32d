package puzzles

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/view"
	"tengen/game/daily"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
)

// The daily message. Only the process that owns the channel's place posts it. The row of the day,
// with the nonce of its message, is written before the message is sent. As long as the row does
// not say that it was, the message is looked for, and sent again under its nonce, of which Discord
// makes one message. After two minutes, when Discord may have forgotten the nonce, it is looked for
// alone; one that is not there counts as missed, and is never made up. A message that went out
// replaces the one of the day before.

const (
	askAgain   = 15 * time.Second // the pause after a call that failed
	postIn     = daily.PostIn
	sendFor    = 20 * time.Second // the longest call
	slack      = 5 * time.Second  // by how much a clock may be set back and still be trusted
	dueAtOnce  = 200              // servers that are looked at in one sweep
	postAtOnce = 16               // of them side by side: the days of very many servers begin at the same hour
)

// Sweep posts the daily puzzles of this process's places that are due.
func (p *Puzzles) Sweep() {
	if err := p.postDue(p.Tasks.Life); err != nil && p.Tasks.Life.Err() == nil {
		p.Log.Error("daily puzzles", "err", err)
	}
}

// postDue does what is due in the channels of the daily puzzles.
func (p *Puzzles) postDue(ctx context.Context) error {
	due, err := p.Store.DueDailies(ctx, p.Now(), dueAtOnce, p.waits.Over)
	if err != nil {
		return err
	}
	errs := make([]error, len(due))
	queue := make(chan int)
	var wait sync.WaitGroup
	for range min(postAtOnce, len(due)) {
		wait.Go(func() {
			for i := range queue {
				if ctx.Err() == nil {
					errs[i] = p.postOne(ctx, due[i])
				}
			}
		})
	}
	for i := range due {
		queue <- i
	}
	close(queue)
	wait.Wait()
	return errors.Join(errs...)
}

// postOne is post, and notes how it went.
func (p *Puzzles) postOne(ctx context.Context, server uint64) error {
	err := p.Tasks.Try(func() error { return p.post(ctx, server) })
	if err == nil {
		p.waits.Did(server)
		return nil
	}
	p.waits.Later(server, askAgain)
	if errors.Is(err, kv.ErrFenced) { // another process owns the place
		return nil
	}
	return fmt.Errorf("server %d: %w", server, err)
}

// post does what is due in the channel of one server.
func (p *Puzzles) post(ctx context.Context, server uint64) error {
	d, err := p.Store.Daily(ctx, server)
	if err != nil {
		return err
	}
	owner, ok := p.House.Under(ctx, venue.Place{Server: server, Channel: d.Channel})
	if !ok {
		return kv.ErrFenced
	}
	if s, err := p.Store.Server(ctx, server); err != nil || !s.Left.IsZero() {
		if err == nil {
			_, err = p.change(owner, server, func(d storage.Daily) storage.Daily { return chosen(d, 0, "off", "", "", p.Now()) })
		}
		return err
	}
	var there uint64 // Discord's nonce alone would not tell, where the clock was set back
	if d.Day.State == daily.Owed {
		if there, err = p.Chat.Find(ctx, d.Channel, mark(d.Day), d.Day.Made); chat.Temporary(err) {
			return err
		}
	}
	// This transaction is made even where it changes nothing: it fails where another process owns
	// the place by now.
	if there != 0 {
		d, err = p.sent(owner, d, there)
	} else {
		nonce, now := p.Random(), p.Now()
		d, err = p.change(owner, server, func(d storage.Daily) storage.Daily { return turned(p.Collection, d, now, nonce) })
	}
	if err == nil && d.Day.State == daily.Owed {
		d, err = p.send(owner, d)
	}
	if err == nil && d.Goes.ID != 0 {
		err = p.remove(owner, d)
	}
	return err
}

func (p *Puzzles) change(ctx context.Context, server uint64,
	f func(storage.Daily) storage.Daily) (storage.Daily, error) {
	return p.Store.UpdateDaily(ctx, server, func(d storage.Daily) (storage.Daily, error) { return f(d), nil })
}

// send sends the message of a day that is owed, unless its time is over.
func (p *Puzzles) send(ctx context.Context, d storage.Daily) (storage.Daily, error) {
	left := d.Day.Made.Add(postIn).Sub(p.Now())
	if left <= 0 || left > postIn+slack {
		if !p.surelyLate(d.Server, d.Day) {
			return d, nil
		}
		return p.sent(ctx, d, 0)
	}
	msg, err := p.posting(ctx, d)
	if err != nil {
		return d, err
	}
	call, cancel := context.WithTimeout(ctx, min(max(left, time.Second), sendFor))
	defer cancel()
	to := chat.To{Channel: d.Channel, Server: d.Server, Nonce: "d" + strconv.FormatUint(d.Day.Nonce, 36)}
	id, err := outbox.Send(call, p.Chat, to, msg)
	if chat.Temporary(err) {
		return d, err
	}
	if err != nil {
		p.Log.Info("daily puzzle", "server", d.Server, "err", err)
		id = 0
	}
	return p.sent(ctx, d, id)
}

// surelyLate reports whether the time of a day's message was found to be over so long ago that no other process can
// still be sending it. The clock does not tell that: it may have been set back.
func (p *Puzzles) surelyLate(server uint64, d daily.Day) bool {
	found, _ := p.late.Load(server)
	seen, _ := found.(lateDay)
	if seen.nonce != d.Nonce {
		p.late.Store(server, lateDay{d.Nonce, time.Now()})
		return false
	}
	return time.Since(seen.since) >= postIn+sendFor
}

// lateDay is since when the time of a day's message is known to be over.
type lateDay struct {
	nonce uint64
	since time.Time
}

// sent notes the message of a day that went out, which replaces the one before. With id zero it could not be sent, and
// the day is missed.
func (p *Puzzles) sent(ctx context.Context, of storage.Daily, id uint64) (storage.Daily, error) {
	return p.change(ctx, of.Server, func(d storage.Daily) storage.Daily {
		switch {
		case id == 0:
			d.Daily = d.Miss(of.Day.Nonce)
		case d.Day.Nonce == of.Day.Nonce && d.Stands.ID != id:
			d.Day.State = daily.Posted
			d.Goes, d.Stands = d.Stands, storage.MessageRef{Channel: of.Channel, ID: id}
		}
		return d
	})
}

// remove deletes the message that was replaced.
func (p *Puzzles) remove(ctx context.Context, d storage.Daily) error {
	to := chat.To{Channel: d.Goes.Channel, Server: d.Server, Message: d.Goes.ID}
	if err := p.Chat.Delete(ctx, to); chat.Temporary(err) {
		return err
	}
	_, err := p.change(ctx, d.Server, func(now storage.Daily) storage.Daily {
		if now.Goes == d.Goes {
			now.Goes = storage.MessageRef{}
		}
		return now
	})
	return err
}

// mark is the mark of a day's message, by which it can be found.
func mark(d daily.Day) uint32 { return uint32(d.Nonce)&(1<<31-1) | 1 }

// mostNamed is how many of those who were first are named.
const mostNamed = 3

// posting is the message of a day: the puzzle, and what became of the day before.
func (p *Puzzles) posting(ctx context.Context, d storage.Daily) (chat.Message, error) {
	s, err := p.Store.Server(ctx, d.Server)
	if err != nil {
		return chat.Message{}, err
	}
	t := view.In(s.Look.Language)
	z, ok := puzzle.Named(p.Collection(), d.Day.Puzzle)
	if !ok {
		return chat.Message{}, fmt.Errorf("the collection lacks %s", d.Day.Puzzle)
	}
	b := board{Puzzle: z, id: z.ID(), mode: ofDay, stamp: uint32(d.Day.Begins.Unix()), level: normal}
	lines := []string{"### " + t.Line(t.Say("daily.head", "Date", d.Date(d.Day)), t.Rules(z.Game.Rules())),
		page{t: t}.goal(board{Puzzle: z}), "-# " + t.Say("daily.private")}
	solve := b.button(t, "day", "button.solve")
	solve.Style = chat.Primary
	board := view.TrialBoard{Game: z.Game, Look: s.Look, Text: joined(lines), Alt: alt(t, z.Game),
		Row: []chat.Button{solve}}
	before, err := p.yesterday(ctx, t, d)
	if err != nil {
		return chat.Message{}, err
	}
	if before != "" {
		board.More = []chat.Block{{Rule: true}, {Text: before}}
	}
	msg, err := p.Paint.TrialBoard(t, board)
	msg.Private, msg.Silent, msg.Mark = false, true, mark(d.Day)
	return msg, err
}

// yesterday says what the puzzle of the day before was, and who solved it. Members who are in no
// list are not named.
func (p *Puzzles) yesterday(ctx context.Context, t view.Tongue, d storage.Daily) (string, error) {
	z, ok := puzzle.Named(p.Collection(), d.Before.Puzzle)
	if !ok {
		return "", nil
	}
	lines := []string{"**" + t.Say("daily.before", "Date", d.Date(d.Before), "Line", told(z.Game, z.Line)) + "**"}
	if d.Before.Tried > 0 {
		lines = append(lines, t.Say("daily.rate", "Solved", d.Before.Solved, "Count", d.Before.Tried,
			"Percent", 100*d.Before.Solved/d.Before.Tried))
	}
	var first []string
	for _, m := range d.Before.First {
		member, err := p.Store.Member(ctx, m)
		if err != nil {
			return "", err
		}
		if len(first) < mostNamed && member.More[view.MoreHidden] != "1" {
			first = append(first, view.Mention(m))
		}
	}
	if len(first) > 0 {
		lines = append(lines, t.Say("daily.first", "Names", first))
	}
	if d.Day.Streak > 1 {
		lines = append(lines, t.Say("daily.serverStreak", "Count", d.Day.Streak))
	}
	return joined(lines), nil
}
