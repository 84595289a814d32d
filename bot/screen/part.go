package screen

import (
	"time"

	"tengen/game"
	"tengen/storage"
)

// Where the bot was only brought along, it changes a message by an interaction's token alone. Moves that are made on
// the page bring no token: the last edit by the old one says that the game goes on there. Which tokens have made
// theirs is known to this process alone; after a restart one may make it again.

// partSpare is how long before the end of a token its last edit is made.
const partSpare = time.Minute

// partAt is when the token of a screen makes its last edit; zero: never, or it has. The caller holds s.mu.
func (s *Screens) partAt(sc storage.Screen) time.Time {
	if !s.Paint.Page || !sc.Outside || sc.Message == 0 || sc.Token == "" || s.parted[sc.Match].Equal(sc.Expires) {
		return time.Time{}
	}
	return sc.Expires.Add(-partSpare)
}

// parts reports whether the next edit of a running match's message is the last one of its token.
func (s *Screens) parts(rec storage.Record, sc storage.Screen) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, now := s.partAt(sc), s.Now()
	return rec.Phase == game.Playing && !at.IsZero() && !now.Before(at) && now.Before(sc.Expires)
}

// part notes that the token of a screen has made its last edit.
func (s *Screens) part(sc storage.Screen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, ends := range s.parted {
		if !s.Now().Before(ends) {
			delete(s.parted, id)
		}
	}
	s.parted[sc.Match] = sc.Expires
}
