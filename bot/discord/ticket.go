package discord

import (
	"context"
	"sync"
	"time"

	"tengen/bot/chat"
)

// Times of an interaction.
const (
	patience    = 1500 * time.Millisecond // before the watchdog acknowledges
	answerLimit = 2900 * time.Millisecond // after it Discord takes no first answer
	handleLimit = time.Minute             // of one handler
	tooLate     = 15 * time.Minute        // an interaction older than this is dropped: its token is over
)

// ticketState is how far an interaction's first answer has come.
type ticketState uint8

const (
	unanswered ticketState = iota
	underWay               // a first answer is being sent
	answered
	deferredPress   // by the watchdog, invisibly
	deferredPrivate // by the watchdog: "is thinking" stands there
	resolved        // the watchdog's "is thinking" has been replaced
	lapsed          // Discord takes no first answer any more
)

// ticket is an interaction while it is handled. The handler's answer and the watchdog
// both want to be first; claim decides.
type ticket struct {
	chat.Ticket
	kind    chat.Kind
	form    bool // a form that was opened from a message: it can be acknowledged invisibly
	numbers bool
	locale  string
	arrived time.Time

	mu     sync.Mutex
	state  ticketState
	done   chan struct{} // while underWay: closed when it is over
	acked  time.Duration // from arrival to the first answer; zero: none yet
	late   bool          // the watchdog had to
	remark string        // the handler's own word on the outcome
}

// claim gives the right to send the first answer. Otherwise it waits for the one that is
// under way and gives the state that it came to.
func (t *ticket) claim(ctx context.Context) (bool, ticketState) {
	for {
		t.mu.Lock()
		state, done := t.state, t.done
		if state == unanswered {
			t.state, t.done = underWay, make(chan struct{})
			t.mu.Unlock()
			return true, state
		}
		t.mu.Unlock()
		if state != underWay {
			return false, state
		}
		select {
		case <-done:
		case <-ctx.Done():
			return false, underWay
		}
	}
}

// settle ends what claim began.
func (t *ticket) settle(state ticketState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = state
	if state == answered || state == deferredPress || state == deferredPrivate {
		t.acked = time.Since(t.arrived)
		t.late = state != answered
	}
	close(t.done)
}

// resolve gives the right to replace the watchdog's "is thinking", once.
func (t *ticket) resolve() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != deferredPrivate {
		return false
	}
	t.state = resolved
	return true
}

// open reports whether the first answer is not decided yet, or a watchdog's stands there.
func (t *ticket) open() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state == unanswered || t.state == underWay || t.state == deferredPrivate
}

// outcome is the one word on the interaction for the log.
func (t *ticket) outcome() (word string, ack time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch t.state {
	case unanswered, underWay:
		word = "unanswered"
	case lapsed:
		word = "lapsed"
	case answered:
		word = "answered"
	default:
		word = "late"
	}
	return word, t.acked
}

// tickets are the interactions in hand, and the ids of those that were, so that one which
// is delivered twice is handled once.
type tickets struct {
	mu    sync.Mutex
	open  map[uint64]*ticket
	token map[string]*ticket
	seen  map[uint64]bool
	past  []uint64 // seen, as a ring
	next  int
}

const manySeen = 8192

func newTickets() *tickets {
	return &tickets{open: map[uint64]*ticket{}, token: map[string]*ticket{}, seen: map[uint64]bool{}, past: make([]uint64, manySeen)}
}

// add takes an interaction in hand; false: it was here before.
func (s *tickets) add(t *ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[t.ID] {
		return false
	}
	delete(s.seen, s.past[s.next])
	s.past[s.next], s.next = t.ID, (s.next+1)%manySeen
	s.seen[t.ID], s.open[t.ID], s.token[t.Token] = true, t, t
	return true
}

func (s *tickets) remove(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, t.ID)
	delete(s.token, t.Token)
}

func (s *tickets) byID(id uint64) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

func (s *tickets) byToken(token string) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token[token]
}

// note keeps the handler's own word on the outcome.
func (t *ticket) note(remark string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remark = remark
}

// ticketKey is under what a handler's context holds its ticket.
type ticketKey struct{}
