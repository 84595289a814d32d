package standin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// await waits until done reports true. done returns a channel too, which closes at the next
// change. An error says that the time was over, errTimeUp, or that ctx or the stand-in ended.
func (s *Server) await(ctx context.Context, limit time.Duration, done func() (bool, <-chan struct{})) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		ok, change := done()
		if ok {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return refuse("the stand-in is closed")
		case <-timer.C:
			return errTimeUp
		}
	}
}

var errTimeUp = errors.New("the time is over")

// wait waits until a place shows a text, or with Gone until it no longer does.
func (s *Server) wait(ctx context.Context, a Action) (Result, error) {
	var text string
	var unseen error // why the place cannot be seen
	err := s.await(ctx, a.For, func() (bool, <-chan struct{}) {
		var change <-chan struct{}
		text, change, unseen = s.look(a)
		return unseen == nil && strings.Contains(text, a.Text) != a.Gone, change
	})
	switch {
	case err == nil:
		return Result{Text: text}, nil
	case err != errTimeUp:
		return Result{}, err
	case unseen != nil:
		return Result{}, unseen
	}
	verb := "see"
	if a.Gone {
		verb = "stop seeing"
	}
	return Result{Text: text}, fmt.Errorf("after %v %s does not %s %q at %s, but:\n%s", a.For, a.As, verb,
		a.Text, a.At, text)
}

// look returns what a place shows now, and a channel that closes at the next change.
func (s *Server) look(a Action) (text string, change <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var who *person
	if a.As != "" {
		who = s.person(a.As)
	}
	c, err := s.seen(who, a.At)
	if err == nil {
		text = s.render(c, who, 0)
	}
	return text, s.change(), err
}

// waitFor waits until a member sees a component that can be used, or the time
// is over: then the use of the component fails.
func (s *Server) waitFor(ctx context.Context, a Action) {
	s.await(ctx, a.For, func() (bool, <-chan struct{}) { return s.spot(a) })
}

// waitThought waits for the bot to say what it has been "thinking" about, as busy machines have it. Whether it ever
// comes shows later.
func (s *Server) waitThought(ctx context.Context, limit time.Duration, i *interaction) {
	s.await(ctx, limit, func() (bool, <-chan struct{}) {
		s.mu.Lock()
		defer s.mu.Unlock()
		r := i.original
		if i.answered != answerThinking || r.gone || !r.msg.Thinking() {
			return true, nil
		}
		return false, s.change()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := i.reply.Message; m != nil && i.answered == answerThinking {
		*m = i.original.msg
	}
}

// spot reports whether a member sees a component, and returns a channel that
// closes at the next change.
func (s *Server) spot(a Action) (bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.As == "" {
		return true, nil // refused later
	}
	_, _, err := s.findComponent(s.person(a.As), a)
	return err == nil, s.change()
}

// waitReady waits until the bot is connected and has registered commands.
func (s *Server) waitReady(ctx context.Context, a Action) error {
	var sessions, commands int
	err := s.await(ctx, a.For, func() (bool, <-chan struct{}) {
		s.mu.Lock()
		defer s.mu.Unlock()
		sessions, commands = s.connected(), len(s.globalTable)
		if s.opts.Endpoint != "" && a.Count > 0 {
			sessions = a.Count // the endpoint was there when it was set
		}
		for _, t := range s.guildTable {
			commands += len(t)
		}
		return a.Count == 0 && sessions == 0 || a.Count > 0 && sessions >= a.Count && commands > 0, s.change()
	})
	if err == errTimeUp {
		return fmt.Errorf("after %v the bot has %d sessions and %d commands", a.For, sessions, commands)
	}
	return err
}

// connected counts the sessions that have a connection; the caller holds s.mu.
func (s *Server) connected() int {
	n := 0
	for _, ss := range s.sessions {
		if ss.conn != nil {
			n++
		}
	}
	return n
}
