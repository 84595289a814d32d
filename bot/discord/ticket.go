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
	tooLate     = 15 * time.Minute        // an interaction older than this is dropped: its token has expired
)

// ticketState is how far an interaction's first answer has come.
type ticketState uint8

const (
	unanswered ticketState = iota
	underWay               // a first answer is being sent
	answered
	deferredPress   // by the watchdog, invisibly
	deferredPrivate // by the watchdog, with "is thinking"
	resolved        // the watchdog's "is thinking" has been replaced
	lapsed          // Discord takes no first answer any more
)

// ticket is an interaction that is being handled. claim decides whether the handler or the watchdog
// answers first.
type ticket struct {
	chat.Ticket
	kind    chat.Kind
	form    bool // a submitted form that a message opened: it can be acknowledged invisibly
	numbers bool // it completes a number
	locale  string
	thread  uint64 // that it came from, where the bot may wake it; 0: none
	pressed uint64 // the message that was pressed; 0: none
	arrived time.Time

	mu     sync.Mutex
	state  ticketState
	done   chan struct{} // while underWay: closed when it is over
	acked  time.Duration // from arrival to the first answer; zero: none yet
	late   bool          // the watchdog gave the first answer
	remark string        // the handler's own word on the outcome
}

// claim gives the right to send the first answer. Where that is taken, claim waits for the answer
// that is under way, and gives the state that it led to.
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

// settle ends the answer that claim began.
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

// open reports whether the handler has yet to answer: there is no first answer, or "is thinking".
func (t *ticket) open() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state == unanswered || t.state == underWay || t.state == deferredPrivate
}

// outcome is the interaction's outcome in one word, for the log.
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

// tickets are the interactions that are being handled, and the ids of earlier ones, so that an
// interaction which is delivered twice is handled once.
type tickets struct {
	mu    sync.Mutex
	open  map[uint64]*ticket
	token map[string]*ticket
	seen  map[uint64]bool
	past  []uint64 // the ids in seen, in a ring
	next  int      // the place in past for the next id
}

// manySeen is how many ids tickets remember.
const manySeen = 8192

func newTickets() *tickets {
	return &tickets{open: map[uint64]*ticket{}, token: map[string]*ticket{}, seen: map[uint64]bool{},
		past: make([]uint64, manySeen)}
}

// add notes an interaction. It is false where the interaction was delivered before.
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

// ticketKey is the key of the ticket in a handler's context.
type ticketKey struct{}
