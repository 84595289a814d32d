// Package bot is the bot that members talk to: its commands, its clocks, and its share of the work
// among several processes. It speaks chat.Request and chat.Message, knows nothing of Discord's
// wire, and keeps no game in memory. Start from Serve and Bot.Handle.
package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tengen/ai"
	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/clerk"
	"tengen/bot/clock"
	"tengen/bot/command"
	"tengen/bot/desk"
	"tengen/bot/events"
	"tengen/bot/finder"
	"tengen/bot/host"
	"tengen/bot/ifthen"
	"tengen/bot/ladder"
	"tengen/bot/learn"
	"tengen/bot/live"
	"tengen/bot/metrics"
	"tengen/bot/puzzles"
	"tengen/bot/review"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/seek"
	"tengen/bot/servers"
	"tengen/bot/study"
	"tengen/bot/typed"
	"tengen/bot/upkeep"
	"tengen/bot/view"
	"tengen/bot/welcome"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/render"
	"tengen/storage"
	"tengen/storage/lease"
)

// Config is what a Bot needs. Only Store and Chat are required.
type Config struct {
	Store    *storage.Store
	Chat     chat.Chat
	Think    desk.Thinker                          // nil: ai.Search
	Decide   desk.Decider                          // nil: ai.Decide
	Review   desk.Reviewer                         // nil: review.Game
	Guests   desk.Guests                           // programs of other makers that play here; nil: none
	Balanced func(game.Rules, uint64) []game.Point // openings; nil: ai.Balanced
	Puzzles  func() []puzzle.Puzzle                // nil: puzzle.Collection
	Fetch    chat.Fetcher                          // fetches attached files; nil: none are read
	Told     func(storage.Record)                  // hears of each change of a match; nil: nobody does
	Options  Options
	Log      *slog.Logger
	Metrics  *metrics.Figures
	Leases   lease.Leases // share the work with other processes on the store; nil: this process does all of it
	Now      func() time.Time
	Pulse    *pulse.Pulse                                    // tells the time; nil: one of Now and the monotonic clock
	Random   func() uint64                                   // seeds of matches
	Draw     func(game.Game, render.Options) ([]byte, error) // draws boards; nil: render.PNG
	Page     Page                                            // the board as a page; nil: there is none
	Version  string                                          // of the program, for managers; empty: not told
}

// Bot is the bot. Any number of goroutines may call its methods.
type Bot struct {
	store    *storage.Store
	chat     chat.Chat
	balanced func(game.Rules, uint64) []game.Point
	opt      Options
	log      *slog.Logger
	met      *metrics.Figures
	pulse    *pulse.Pulse
	now      func() time.Time // the pulse's
	random   func() uint64
	commands command.Index
	paint    view.Painter
	clocks   *clock.Clocks
	screens  *screen.Screens
	desk     *desk.Desk
	fetch    chat.Fetcher
	listener func(storage.Record)
	clerk    *clerk.Clerk
	page     Page                       // nil: there is none
	asking   sync.Map                   // the members whose hint is being searched
	recaps   tasks.Waits[game.MemberID] // the members whose weekly recap has failed
	finder   *finder.Finder
	host     *host.Host
	puzzles  *puzzles.Puzzles
	reviews  *review.Reviews
	studies  *study.Studies
	ifThens  *ifthen.IfThens
	lessons  *learn.Lessons
	ladders  *ladder.Ladders
	seeks    *seek.Seeks
	kinds    []live.Kind
	events   *events.Events
	servers  *servers.Servers
	typed    *typed.Typed
	welcome  *welcome.Welcome
	upkeep   *upkeep.Upkeep
	version  string
	orders   atomic.Pointer[storage.Orders] // of the operator; nil: not read yet
	tasks    *tasks.Group
}

// newBot makes a bot. It does nothing until start.
func newBot(c Config) (*Bot, error) {
	if c.Store == nil || c.Chat == nil {
		return nil, errors.New("a bot needs a store and a chat")
	}
	b := &Bot{store: c.Store, chat: c.Chat, opt: c.Options, log: c.Log, met: c.Metrics,
		pulse: c.Pulse, random: c.Random, fetch: c.Fetch, listener: c.Told, page: c.Page, version: c.Version}
	b.balanced = c.Balanced
	if b.balanced == nil {
		b.balanced = ai.Balanced
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.pulse == nil {
		b.pulse = pulse.New(pulse.Options{Wall: c.Now})
	}
	b.now = b.pulse.Now
	if b.random == nil {
		b.random = rand.Uint64
	}
	if b.fetch == nil {
		b.fetch = func(context.Context, chat.FileTarget) ([]byte, error) { return nil, errors.New("no files here") }
	}
	b.opt = b.opt.filled()
	if c.Draw == nil {
		c.Draw = render.PNG
	}
	b.paint = view.Painter{Log: b.log, Drew: b.drew, Draw: c.Draw, Page: c.Page != nil, Bulletin: b.bulletin}
	b.tasks = tasks.New(b.panicked)
	b.clocks = clock.New(clock.Config{Store: b.store, Pulse: b.pulse, Tasks: b.tasks, Log: b.log,
		Alone: func() bool { return b.upkeep.Alone() }, Woke: func() { b.screens.RetryLate(b.now()) }})
	base := room.Base{House: rooms{b}, Store: b.store, Chat: b.chat, Paint: b.paint, Tasks: b.tasks, Log: b.log,
		Metrics: b.met, Now: b.now}
	b.screens = screen.New(screen.Config{Base: base, House: rooms{b}})
	b.desk = desk.New(desk.Config{Base: base, House: rooms{b}, Think: c.Think, Decide: c.Decide, Guests: c.Guests,
		MakeReview: c.Review, Workers: b.opt.Workers, AnswerIn: b.opt.AnswerIn, ThinkAtMost: b.opt.ThinkAtMost,
		RetryAfter: b.opt.RetryAfter, Means: b.opt.ReviewMeans})
	b.finder = finder.New(base)
	b.host = host.New(host.Config{Base: base, Screens: b.screens, Clocks: b.clocks, Random: b.random,
		Balanced: b.balanced, Guests: b.desk.Names})
	b.reviews = review.New(review.Config{Base: base, Desk: b.desk, Finder: b.finder})
	b.studies = study.New(study.Config{Base: base, Desk: b.desk, Finder: b.finder, Host: b.host})
	b.ifThens = ifthen.New(ifthen.Config{Base: base, Finder: b.finder, Host: b.host})
	b.lessons = learn.New(base)
	b.puzzles = puzzles.New(puzzles.Config{Base: base, Desk: b.desk, Host: b.host, Studies: b.studies, Random: b.random,
		Collection: c.Puzzles})
	b.events = events.New(events.Config{Base: base, Screens: b.screens, Host: b.host})
	b.servers = servers.New(base)
	b.clerk = clerk.New(clerk.Config{Base: base, Host: b.host, Clocks: b.clocks, Events: b.events})
	b.typed = typed.New(typed.Config{Base: base, Screens: b.screens, Clerk: b.clerk})
	b.welcome = welcome.New(base)
	b.ladders = ladder.New(ladder.Config{Base: base, Host: b.host})
	b.seeks = seek.New(seek.Config{Base: base, Host: b.host, Screens: b.screens})
	b.kinds = b.gatherings(base)
	var err error
	if b.commands, err = command.NewIndex(b.allCommands(true)); err != nil { // after the rooms that bring commands
		return nil, err
	}
	b.upkeep, err = upkeep.New(upkeep.Config{Base: base, House: rooms{b}, Leases: c.Leases, Clocks: b.clocks,
		Desk: b.desk, Screens: b.screens, Servers: b.servers, Pulse: b.pulse, Told: c.Told,
		ClockAfterRestart: b.opt.ClockAfterRestart,
		Sweeps:            b.sweeps()})
	b.store.Tell(b.told)
	return b, err
}

// start does first what a former process left undone: turns that the engine owes, boards that are
// behind, and deadlines that went on while no process ran. Then it sweeps until close.
func (b *Bot) start(ctx context.Context) error {
	b.readOrders(ctx)
	if err := b.upkeep.Start(ctx); err != nil {
		return err
	}
	b.work()
	b.tasks.Go(b.welcome.Begin)
	b.tasks.Go(func() { warm(b.tasks.Life, b.paint.Draw) })
	return nil
}

// work begins the work that nobody asks for.
func (b *Bot) work() {
	b.desk.Open()
	b.tasks.Go(b.upkeep.Sweep)
	b.tasks.Go(b.events.Run)
	b.tasks.Go(b.obey)
}

// warm makes what is made only once, before a game needs it: the pictures' assets in the default
// themes, and the engine's tables. Reversi's tables take 8 MB and 35 ms, and wait for the first
// game.
func warm(ctx context.Context, draw func(game.Game, render.Options) ([]byte, error)) {
	for _, r := range []game.Rules{game.Gomoku15, game.Reversi, game.Gomoku9, game.Renju} {
		if ctx.Err() != nil {
			return
		}
		draw(game.New(r), render.Options{Forbidden: true, Legal: true})
		if r != game.Reversi {
			ai.Search(ctx, game.New(r), ai.Limits{Nodes: 100})
		}
	}
}

// close stops the bot: it cancels searches and ends senders, and nothing of the bot runs any
// more when it returns. The store knows what is still owed.
func (b *Bot) close() {
	b.tasks.End()
	b.desk.Close()
	b.tasks.Wait()
	b.upkeep.Close()
}

// panicked logs a panic. It ends its own goroutine alone.
func (b *Bot) panicked(what any, stack []byte) {
	b.met.Error("panic")
	b.log.Error("panic", "what", fmt.Sprint(what), "stack", string(stack))
}

// told hears of each match that this process has made or changed, whoever wanted that. Where other processes share
// the store, the listener hears of all changes through that (Upkeep).
func (b *Bot) told(rec storage.Record) {
	b.desk.Changed(rec)
	if b.listener != nil && b.upkeep.Alone() {
		b.listener(rec)
	}
}

// drew notes how long drawing a board took.
func (b *Bot) drew(took time.Duration) {
	b.met.Render(took)
	b.desk.Drew(took)
}

// tongue is the language of the asking member.
func (b *Bot) tongue(r chat.Request) view.Tongue { return view.In(b.language(r)) }

// language is the member's own choice, else the language of their Discord.
func (b *Bot) language(r chat.Request) string {
	if m, err := b.store.Member(b.tasks.Life, r.By); err == nil && m.Look.Language != "" {
		return m.Look.Language
	}
	return r.Locale
}

// Handle implements chat.Handler.
func (b *Bot) Handle(ctx context.Context, r chat.Request) (remark string) {
	b.pulse.Seen(r.At)
	b.screens.Learn(r)
	if err := b.clocks.Settle(b.tasks.Life); err != nil {
		b.upkeep.Troubled("giving time back", err)
	}
	err := b.barred(r)
	switch {
	case r.Kind == chat.Said && err != nil:
		return "refused"
	case r.Kind == chat.Said:
		return b.hear(ctx, r)
	case err == nil:
		err = b.dispatch(ctx, r)
	}
	if err != nil {
		return b.apologize(ctx, r, err)
	}
	return ""
}

// hear takes a message of a member that speaks to the bot.
func (b *Bot) hear(ctx context.Context, r chat.Request) (remark string) {
	remark = b.typed.Play(ctx, r)
	if remark == "" && r.Called && !typed.IsPoint(r.Said) {
		remark = b.welcome.Spoken(ctx, r)
	}
	return remark
}

// Spoken implements chat.Handler.
func (b *Bot) Spoken(r chat.Request) string {
	if r.Name != "" {
		return r.Name
	}
	if p, err := view.ParsePress(r.Custom); err == nil {
		return p.Verb
	}
	return "?"
}

// apologize answers an interaction that was refused or failed, and gives the outcome for
// the log.
func (b *Bot) apologize(ctx context.Context, r chat.Request, err error) string {
	var unheard *chat.Error
	if errors.As(err, &unheard) {
		b.log.Warn("answer", "id", r.ID, "err", err)
		return "unanswered"
	}
	var limit *storage.Limit
	over := errors.As(err, &limit)
	text, known := b.tongue(r).Reason(err)
	outcome := "refused"
	if !known && !over || view.Fault(err) {
		outcome = "error"
		b.met.Error("handler")
		b.log.Error("interaction failed", "id", r.ID, "command", b.Spoken(r), "err", err)
	}
	if r.Kind == chat.Complete {
		_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Offer})
	} else {
		msg := chat.Private(text)
		if over {
			msg = b.overLimit(ctx, r, limit)
		}
		if row := b.tongue(r).WayOn(err); row != nil {
			msg = msg.WithRow(row...)
		}
		err = b.say(ctx, r, msg)
	}
	if err != nil {
		b.log.Warn("answer", "id", r.ID, "err", err)
		return "unanswered"
	}
	return outcome
}
