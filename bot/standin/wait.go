package standin

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// wait waits until a place shows a text, or with Gone until it no longer does.
func (s *Server) wait(ctx context.Context, a Action) (Result, error) {
	limit := time.NewTimer(a.For)
	defer limit.Stop()
	for {
		text, change, err := s.look(a)
		if err == nil && strings.Contains(text, a.Text) != a.Gone {
			return Result{Text: text}, nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-s.ctx.Done():
			return Result{}, refuse("the stand-in is closed")
		case <-limit.C:
			if err != nil {
				return Result{}, err
			}
			verb := "see"
			if a.Gone {
				verb = "stop seeing"
			}
			return Result{Text: text}, fmt.Errorf("after %v %s does not %s %q at %s, but:\n%s", a.For, a.As, verb, a.Text, a.At, text)
		}
	}
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
	limit := time.NewTimer(a.For)
	defer limit.Stop()
	for {
		found, change := s.spot(a)
		if found {
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		case <-limit.C:
			return
		}
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
func (s *Server) waitReady(ctx context.Context, a Action) (Result, error) {
	limit := time.NewTimer(a.For)
	defer limit.Stop()
	for {
		s.mu.Lock()
		n, commands := 0, len(s.globalTable)
		if s.opts.Endpoint != "" && a.Count > 0 {
			n = a.Count // the endpoint was there when it was set
		}
		for _, ss := range s.sessions {
			if ss.conn != nil {
				n++
			}
		}
		for _, t := range s.guildTable {
			commands += len(t)
		}
		change := s.change()
		s.mu.Unlock()
		if a.Count == 0 && n == 0 || a.Count > 0 && n >= a.Count && commands > 0 {
			return Result{Count: n}, nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-s.ctx.Done():
			return Result{}, refuse("the stand-in is closed")
		case <-limit.C:
			return Result{}, fmt.Errorf("after %v the bot has %d sessions and %d commands", a.For, n, commands)
		}
	}
}
