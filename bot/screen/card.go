package screen

import (
	"context"
	"errors"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// CardGames is how many games of a member a card looks back at.
const CardGames = 30

// cardTime is how long reading them may take: a board does not wait for its card.
const cardTime = 300 * time.Millisecond

// paint is the message of a match, with what its member's earlier games say of it.
func (s *Screens) paint(ctx context.Context, rec storage.Record, at pad.Pad) chat.Message {
	card := s.card(ctx, rec)
	card.Ruling = s.Ruling(ctx, view.In(rec.Look.Language), rec)
	return s.Paint.Match(rec, at, card)
}

// Ruling is what the event or the ladder of a match says of its end, where no game gave the result.
func (s *Screens) Ruling(ctx context.Context, t view.Tongue, rec storage.Record) view.Ruling {
	var e storage.Event
	if rec.Phase == game.Over && rec.Link.Event != 0 {
		var err error
		if e, err = s.Store.Event(ctx, rec.Link.Event); err != nil {
			s.Log.Info("ruling", "match", view.Name(rec.ID), "err", err)
			return ""
		}
	}
	return t.RulingOf(rec, e)
}

// card is the card of a match: what its member's games say, and where it turned.
func (s *Screens) card(ctx context.Context, rec storage.Record) view.Card {
	c := s.read(ctx, rec)
	if view.Turns(rec.Match) {
		c.Turning = s.House.Turning(ctx, rec.Match)
	}
	return c
}

// read is what the store says for the card of a match.
func (s *Screens) read(ctx context.Context, rec storage.Record) view.Card {
	ctx, cancel := context.WithTimeout(ctx, cardTime)
	defer cancel()
	m := rec.Match
	c := s.past(ctx, m)
	if m.BetweenMembers() && view.Playing(m) && m.Played() == 0 {
		sc, err := s.Store.Screen(ctx, m.ID)
		c.Outside = err == nil && sc.Outside
	}
	if m.Phase == game.Over {
		c.New = s.newcomers(ctx, m)
	}
	c.Unsettled = s.unsettled(ctx, rec)
	return c
}

// newcomerGames is how many of a member's newest games tell whether a match was the first that they finished.
const newcomerGames = 8

// newcomers are the members of a match who have finished no other game. Nothing is stored for this: once they have,
// this match no longer says so.
func (s *Screens) newcomers(ctx context.Context, m game.Match) (who [2]game.MemberID) {
	for i, seat := range m.Seats {
		if seat.Kind != game.MemberSeat {
			continue
		}
		past, err := s.Store.Past(ctx, seat.Member, 0, newcomerGames)
		if err != nil {
			s.Log.Info("card", "match", view.Name(m.ID), "err", err)
			continue
		}
		if past.First(seat.Member, m) {
			who[i] = seat.Member
		}
	}
	return who
}

// past reads the games for the card of a match. It is empty where they cannot be read.
func (s *Screens) past(ctx context.Context, m game.Match) view.Card {
	who := view.CardWho(m)
	if who == 0 {
		return view.Card{}
	}
	past, err := s.Store.Past(ctx, who, m.ID, CardGames)
	results, err2 := s.Store.AgainstEngine(ctx, who)
	member, err3 := s.Store.Member(ctx, who)
	if err := errors.Join(err, err2, err3); err != nil {
		s.Log.Info("card", "match", view.Name(m.ID), "err", err)
		return view.Card{}
	}
	c := view.CardFor(m, past, results)
	if member.More[view.MoreHidden] == "1" {
		c.First, c.Streak = false, 0
	}
	return c
}

// unsettled are the seats of a finished match whose ratings are not settled. Where they cannot be read, nobody's
// is shown.
func (s *Screens) unsettled(ctx context.Context, rec storage.Record) (isNew [2]bool) {
	if rec.Changes == [2]storage.Change{} {
		return isNew
	}
	for i, seat := range rec.Seats {
		st, err := s.Store.Standing(ctx, seat.Member, rec.Rules)
		isNew[i] = err != nil || st.Provisional()
	}
	return isNew
}
