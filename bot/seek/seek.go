// Package seek is the room in which members look for an opponent of their strength. Who waits hears nothing more until
// somebody fits: then there is a board, and it calls them. Start from New, Seeks.Commands and Seeks.Sweep.
package seek

import (
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/pool"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/seek"
	"tengen/game/venue"
	"tengen/storage"
)

// MoreSeek is the name of a setting of a server that is "off" where nobody may look for opponents by strength.
const MoreSeek = "seek"

// atOnce is how many places are looked after at one time.
const atOnce = 20

// Config is what Seeks need. All of it is needed.
type Config struct {
	room.Base
	Host    *host.Host
	Screens *screen.Screens
}

// Seeks is the room. Any number of goroutines may call its methods.
type Seeks struct {
	Config
	places pool.Places
}

// New makes the room.
func New(c Config) *Seeks { return &Seeks{c, pool.NewPlaces("seek", atOnce, c.Base)} }

// Commands are the commands of the room. They can be registered without a bot.
func (s *Seeks) Commands() []command.Command {
	return []command.Command{{As: "strength", Run: s.look, Presses: map[string]command.Pressed{"seek": s.stop}}}
}

// look has the asking member look for an opponent. The board is the answer, or where the one who waited longer asked.
func (s *Seeks) look(ctx context.Context, r chat.Request) error {
	if err := s.may(ctx, r); err != nil {
		return err
	}
	terms, err := s.Host.TermsOfTwo(ctx, r)
	if err != nil {
		return err
	}
	look, err := s.Host.FirstLook(ctx, r)
	if err != nil {
		return err
	}
	cause := s.Screens.Cause(r)
	cause.Token, cause.Expires = r.Token, r.At.Add(chat.TokenLife) // the board is a message of its own
	wish := storage.Seek{Seek: seek.New(r.By, r.ID, r.Place, terms, r.At), Look: look}
	one, rec, err := s.Store.Seek(ctx, cause, wish, s.draw(r.At))
	switch {
	case err != nil:
		return err
	case rec.ID == 0:
		return s.waits(ctx, r, one)
	}
	remark := ""
	if rec.Place != r.Place {
		remark = s.House.Tongue(r).Say("seek.found", "Who", view.Mention(rec.Seats[0].Member),
			"Channel", view.Channel(rec.Place.Channel))
	}
	return s.Screens.Show(ctx, r, rec.ID, remark)
}

// may is a refusal where the asking member may not look for an opponent.
func (s *Seeks) may(ctx context.Context, r chat.Request) error {
	switch {
	case r.Place.Server == 0 || !r.Installed:
		return view.No("refused.seekHere")
	case !r.Allowed.View || !r.Allowed.Send || r.Thread && !r.Allowed.SendInThreads:
		return view.No("refused.togetherMute")
	}
	if err := s.Host.AllowedHere(ctx, r); err != nil {
		return err
	}
	server, err := s.Store.Server(ctx, r.Place.Server)
	if err == nil && server.More[MoreSeek] == "off" {
		err = view.No("refused.seekOff")
	}
	return err
}

// draw makes the match of two who have found each other now: colors and opening are drawn by lot.
func (s *Seeks) draw(now time.Time) storage.Drawn {
	seed := s.Host.Random()
	return func(id game.MatchID, first, second seek.Seek) (game.Match, error) {
		terms := first.Game
		terms.Seed = seed ^ uint64(id)
		m, err := seek.Match(id, first, second, s.Host.Redrawn(terms), now)
		return s.Host.Clocks.OnTime(m), err
	}
}

// waits tells a member who waits how long that may take, and offers the bot meanwhile.
func (s *Seeks) waits(ctx context.Context, r chat.Request, one storage.Seek) error {
	all, err := s.Store.Seeks(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	t := s.House.Tongue(r)
	level := s.Host.Suggested(ctx, r.By, one.Game.Rules).Level
	return chat.Reply(ctx, s.Chat, r, waiting(t, one.Seek, storage.Wishes(all), level, r.At))
}

// stop ends the wish of the member who pressed.
func (s *Seeks) stop(ctx context.Context, r chat.Request, _ view.Press) error {
	if err := s.Store.StopSeek(ctx, r.By); err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, chat.Private(s.House.Tongue(r).Say("seek.stopped")))
}

// Agenda tells when somebody who waits is to be looked after.
func (s *Seeks) Agenda() storage.Agenda { return storage.SeekAgenda }

// Sweep looks again for those who wait and are due.
func (s *Seeks) Sweep() { s.places.Sweep(s.Store.SeeksDue, s.again) }

// again looks again for those of a place who are due. Where two have found each other their board calls them.
func (s *Seeks) again(ctx context.Context, p venue.Place) error {
	now := s.Now()
	made, err := s.Store.SeekOn(ctx, s.Screens.Claiming(storage.Cause{At: now}), p, s.draw(now))
	for _, rec := range made {
		s.Screens.Refresh(rec.ID, true)
	}
	return err
}
