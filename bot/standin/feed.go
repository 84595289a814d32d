package standin

import (
	"context"
	"slices"
)

// Event is something that a member's client learns while it is open.
type Event struct {
	Kind    string   `json:"kind"`              // message, edit, delete, answer, places, people, lost
	Place   string   `json:"place,omitempty"`   // id of the channel
	Message *Message `json:"message,omitempty"` // of message and edit
	ID      string   `json:"id,omitempty"`      // of the message deleted
	Ping    bool     `json:"ping,omitempty"`    // the message notifies the member
	Answer  *Answer  `json:"answer,omitempty"`  // to the member's own interaction: a modal, choices, or a failure
}

// Feed is a stream of events for one member.
type Feed struct {
	C    <-chan Event // closed at the end
	c    chan Event
	who  *person
	lost bool
}

func (f *Feed) send(e Event) {
	if f.lost {
		select {
		case f.c <- Event{Kind: "lost"}:
			f.lost = false
		default:
			return
		}
	}
	select {
	case f.c <- e:
	default:
		f.lost = true // the reader is too slow; it is told to read everything anew
	}
}

func (f *Feed) end() { close(f.c) }

// Feed gives the events that concern a member from now on, until the context
// ends. A reader that is more than 1000 events behind gets an event "lost" and
// should read the places anew.
func (s *Server) Feed(ctx context.Context, member string) *Feed {
	c := make(chan Event, 1000)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Feed{C: c, c: c, who: s.person(member)}
	if s.closed {
		f.end()
		return f
	}
	s.feeds[f] = true
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.feeds[f] && !s.closed {
			delete(s.feeds, f)
			f.end()
		}
	})
	return f
}

// told tells the members who see a message what happened to it, and notes whom
// it notifies.
func (s *Server) told(r *record, kind string) {
	s.changed()
	if kind == "message" && !r.ephemera {
		for _, u := range r.msg.Mentions {
			if s.visible(r, u.ID) && u.ID != r.msg.Author.ID {
				list := append(s.pings[u.ID], r.msg.ID)
				if len(list) > 1000 {
					list = slices.Clone(list[500:])
				}
				s.pings[u.ID] = list
			}
		}
	}
	if len(s.feeds) == 0 {
		return
	}
	for f := range s.feeds {
		if !s.visible(r, f.who.ID) || !r.ch.sees(f.who.ID) {
			continue
		}
		e := Event{Kind: kind, Place: r.ch.id}
		if kind == "delete" {
			e.ID = r.msg.ID
		} else {
			m := r.msg
			e.Message = &m
			e.Ping = kind == "message" && m.mentions(f.who.ID)
		}
		f.send(e)
	}
}

// tellAnswer tells the member's own clients how an interaction was answered.
func (s *Server) tellAnswer(i *interaction) {
	for f := range s.feeds {
		if f.who == i.by {
			a := i.reply
			f.send(Event{Kind: "answer", Place: i.ch.id, Answer: &a})
		}
	}
}

// feedAll tells everyone that channels or threads have changed (places), or who is there (people).
func (s *Server) feedAll(kind string) {
	for f := range s.feeds {
		f.send(Event{Kind: kind})
	}
}
