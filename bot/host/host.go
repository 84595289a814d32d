// Package host begins matches: it reads the terms that a member asks for, refuses what nobody
// could accept or does not want, makes the match, and shows it where it is played. Start from
// New, Host.Terms and Host.Begin.
package host

import (
	"cmp"
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/clock"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// Config is what a Host needs. All of it is needed.
type Config struct {
	room.Base
	Screens  *screen.Screens
	Clocks   *clock.Clocks
	Random   func() uint64                         // seeds of matches
	Balanced func(game.Rules, uint64) []game.Point // openings
	Guests   func(game.Rules) []string             // the guests that play a game; nil asks for all
}

// Host begins matches. Any number of goroutines may call its methods.
type Host struct{ Config }

// New makes a host.
func New(c Config) *Host { return &Host{c} }

// challengeLife is how long a challenge waits for its answer, and ladderLife how long one on a ladder.
const (
	challengeLife = 24 * time.Hour
	ladderLife    = 7 * 24 * time.Hour
)

// Begin makes a match in which the asking member has the first seat.
func (h *Host) Begin(ctx context.Context, r chat.Request, t game.Terms, second game.Seat) error {
	return h.BeginBetween(ctx, r, t, game.SeatFor(r.By), second)
}

// BeginBetween makes the match and shows it, in a thread of its own where that is wanted.
func (h *Host) BeginBetween(ctx context.Context, r chat.Request, t game.Terms, first, second game.Seat) error {
	if err := h.AllowedHere(ctx, r); err != nil {
		return err
	}
	return h.begin(ctx, r, t, [2]game.Seat{first, second}, challengeLife, h.Store.Create)
}

// BeginOnLadder challenges a member on the ladder of the server, which allows that or not.
func (h *Host) BeginOnLadder(ctx context.Context, r chat.Request, t game.Terms, whom game.MemberID) error {
	return h.begin(ctx, r, t, [2]game.Seat{game.SeatFor(r.By), game.SeatFor(whom)}, ladderLife, h.Store.ChallengeOnLadder)
}

// create is how a new match is stored.
type create func(context.Context, storage.Cause, venue.Place,
	func(game.MatchID) (game.Match, error)) (storage.Record, error)

func (h *Host) begin(ctx context.Context, r chat.Request, t game.Terms, seats [2]game.Seat, life time.Duration,
	store create) error {
	threaded := r.Yes("thread", false) && !r.Thread
	if threaded && !r.Installed {
		return view.No("refused.threadAway")
	}
	look, err := h.FirstLook(ctx, r)
	if err != nil {
		return err
	}
	cause := h.Screens.Cause(r)
	cause.Look = look
	cause.Token, cause.Expires = r.Token, r.At.Add(chat.TokenLife) // the answer is a message of its own
	if threaded {
		cause.Token = ""
	}
	rec, err := store(ctx, cause, r.Place, func(id game.MatchID) (game.Match, error) {
		m, err := game.NewMatch(id, t, r.By, seats[0], seats[1], r.At, r.At.Add(life))
		return h.Clocks.OnTime(m), err
	})
	if err != nil {
		return err
	}
	if threaded {
		rec = h.intoThread(ctx, r, rec)
	}
	if rec.Place != r.Place {
		h.Screens.Refresh(rec.ID, true)
		err = h.post(ctx, r, chat.Text(h.House.Tongue(r).Say("play.inThread", "Thread", view.Channel(rec.Place.Channel))))
	} else {
		err = h.Screens.Show(ctx, r, rec.ID, "")
	}
	if err == nil {
		h.tellUnfit(ctx, r, t)
	}
	return err
}

// PlayOn begins a match from the position of g.
func (h *Host) PlayOn(ctx context.Context, r chat.Request, g game.Game, second game.Seat) error {
	if g.Turn() == game.Empty {
		return view.No("import.over")
	}
	t := game.Terms{Rules: g.Rules(), Given: g.Moves(), Opening: game.ImportedOpening, Seed: h.Random(), First: g.Turn()}
	if g.Start() != g.Rules().Start() {
		t.Start = g.Start()
	}
	switch r.Text("color", "") {
	case "black":
		t.First = game.Black
	case "white":
		t.First = game.White
	case "random":
		t.First = game.Empty
	}
	return h.Begin(ctx, r, t, second)
}

// intoThread moves a new match into a thread of its own, where one can be opened. The match is stored
// before, so that no thread is opened for a refused match, or twice.
func (h *Host) intoThread(ctx context.Context, r chat.Request, rec storage.Record) storage.Record {
	if !r.Allowed.CreateThreads || rec.Place != r.Place {
		return rec
	}
	return h.IntoThread(ctx, rec, r.News, view.In(rec.Look.Language).Rules(rec.Rules), r.At)
}

// IntoThread moves a match that is not shown yet into a thread of its own, and adds its players. Where
// that fails the match stays where it is. news says that its channel is one of announcements.
func (h *Host) IntoThread(ctx context.Context, rec storage.Record, news bool, name string,
	at time.Time) storage.Record {
	release, err := h.Screens.HoldHere(ctx, rec.ID) // until it is moved, nothing may show it here
	if err != nil {
		return rec
	}
	defer release()
	place := rec.Place
	if place.Channel, err = h.Chat.Thread(ctx, chat.ThreadPlace{Channel: place.Channel, News: news}, name); err == nil {
		var moved storage.Record
		if moved, err = h.Store.Move(ctx, rec.ID, h.Screens.Claiming(storage.Cause{At: at}), place, nil); err == nil {
			h.Enter(moved)
			return moved
		}
	}
	h.Log.Info("thread", "err", err)
	return rec
}

// Enter adds the players of a match to its thread, beside the answer that a member waits for. Else
// the thread would not stand in their lists of channels.
func (h *Host) Enter(rec storage.Record) {
	h.Tasks.Go(func() {
		for _, s := range rec.Seats {
			if s.Kind != game.MemberSeat {
				continue
			}
			if err := h.Chat.Enter(h.Tasks.Life, rec.Place.Channel, s.Member); err != nil {
				h.Log.Info("adding a player to the thread", "match", view.Name(rec.ID), "err", err)
			}
		}
	})
}

// FirstLook is the look of what a member begins: their settings, and the server's language.
func (h *Host) FirstLook(ctx context.Context, r chat.Request) (storage.Look, error) {
	member, err := h.Store.Member(ctx, r.By)
	if err != nil {
		return storage.Look{}, err
	}
	look := member.Look
	if r.Place.Server != 0 {
		server, err := h.Store.Server(ctx, r.Place.Server)
		if err != nil {
			return look, err
		}
		look.Theme = cmp.Or(look.Theme, server.Look.Theme)
		look.Language = cmp.Or(server.Look.Language, look.Language)
	}
	look.Language = view.In(cmp.Or(look.Language, r.ServerLocale, r.Locale)).Lang
	return look, nil
}
