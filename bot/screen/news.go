package screen

import (
	"slices"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/storage"
)

// news is what this process knows of the ends of channels. It is lost with the process: then
// nobody is known to have written below a board.
type news map[uint64]channelNews

// channelNews is the newest message of others in a channel, as far as interactions have told, and
// the newest messages of the matches' own.
type channelNews struct {
	others uint64
	own    []uint64
}

// Bounds of news.
const (
	mostChannels = 20_000
	mostOwn      = 8
)

// at gives what is known of a channel, and makes room for it. The caller holds s.mu.
func (n news) at(channel uint64) channelNews {
	if _, known := n[channel]; !known && len(n) >= mostChannels {
		for other := range n {
			delete(n, other)
			break
		}
	}
	return n[channel]
}

// ours notes a message that this process sent for a match.
func (s *Screens) ours(channel, message uint64) {
	if message == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.news.at(channel)
	if !slices.Contains(c.own, message) {
		c.own = append(c.own[max(0, len(c.own)-mostOwn+1):len(c.own):len(c.own)], message)
	}
	s.news[channel] = c
}

// Learn notes the newest message of the channel of r, as Discord told with r.
func (s *Screens) Learn(r chat.Request) {
	if r.Newest == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.news.at(r.Place.Channel)
	if !slices.Contains(c.own, r.Newest) {
		c.others = max(c.others, r.Newest)
	}
	s.news[r.Place.Channel] = c
}

// buried reports whether a call is to bring the board down: others are known to have written
// below it, or it is too old for edits.
func (s *Screens) buried(sc storage.Screen) bool {
	s.mu.Lock()
	others := s.news[sc.Channel].others
	s.mu.Unlock()
	below := others > max(sc.Message, sc.Last, sc.Call.Message) && sc.Message != 0
	return below || s.tooOld(sc)
}

// tooOld reports whether Discord limits edits of a screen's message, or is about to.
func (s *Screens) tooOld(sc storage.Screen) bool {
	return sc.Posted.Before(s.Now().Add(-outbox.FreshAfter)) && !sc.Posted.IsZero()
}
