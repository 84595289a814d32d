package web

import (
	"context"
	"sync"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Times and bounds of names.
const (
	nameLife   = 10 * time.Minute
	nameIn     = 5 * time.Second // for one question
	mostAsking = 4               // questions at once
	mostName   = 32              // letters, as many as Discord allows
)

// called are members' names, in memory alone.
type called struct {
	mu     sync.Mutex
	all    map[person]naming
	asking int
}

// person is a member as a server knows them; 0: outside of servers.
type person struct {
	server uint64
	by     game.MemberID
}

// naming is a name as it was told at a time; empty where it is not known.
type naming struct {
	name string
	at   time.Time
}

// names are what the members in a match are called, black first; ok is false where nothing is known. It gives at once
// what is known, and has the rest asked for: who plays then hears of it.
func (s *Server) names(rec storage.Record) (names [2]string, ok bool) {
	if s.Name == nil || rec.First == game.Empty {
		return names, false
	}
	for i, color := range []game.Color{game.Black, game.White} {
		if seat := rec.Seats[rec.SeatOfColor(color)]; seat.Member != 0 {
			names[i] = s.name(person{rec.Place.Server, seat.Member}, rec.ID)
		}
	}
	return names, names != [2]string{}
}

// name is what is known of a member's name. Where that is nothing, or old, it is asked for, for the pages of a match.
func (s *Server) name(who person, id game.MatchID) string {
	now, c := s.Now(), &s.called
	c.mu.Lock()
	defer c.mu.Unlock()
	known, there := c.all[who]
	if there && now.Sub(known.at) < nameLife {
		return known.name
	}
	if c.asking >= mostAsking {
		return "" // the next change of the match asks again
	}
	keep(&c.all, who, naming{at: now}, func(n naming) bool { return now.Sub(n.at) >= nameLife })
	c.asking++
	s.work.Go(func() { s.askName(who, id) })
	return ""
}

func (s *Server) askName(who person, id game.MatchID) {
	ctx, cancel := context.WithTimeout(s.life, nameIn)
	defer cancel()
	name, err := s.Name(ctx, who.server, who.by)
	if err != nil {
		s.Log.Info("page: asking for a name", "err", err)
	}
	name = view.Typed(name, mostName)
	c := &s.called
	c.mu.Lock()
	c.asking--
	if name != "" {
		c.all[who] = naming{name, s.Now()}
	}
	c.mu.Unlock()
	s.boards.mu.Lock()
	b := s.boards.all[id]
	s.boards.mu.Unlock()
	if b == nil || name == "" {
		return
	}
	for _, client := range b.clients() {
		client.tellYou(b.record())
	}
}
