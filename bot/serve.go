package bot

import (
	"context"
	"fmt"

	"tengen/bot/chat"
)

// Line is a chat that brings what members do: discord.Adapter.
type Line interface {
	chat.Chat
	// Run hands to h what comes, until ctx ends, which is no error.
	Run(ctx context.Context, h chat.Handler) error
}

// Service is a bot at work on a line.
type Service struct {
	*Bot
	hangUp context.CancelFunc
	over   chan struct{} // closed when the line has ended
	err    error         // of the line; read it after over
}

// Serve makes a bot on line, takes up what a former process left undone, and serves line until
// Close. ctx bounds the start alone.
func Serve(ctx context.Context, line Line, c Config) (*Service, error) {
	c.Chat = line
	b, err := newBot(c)
	if err != nil {
		return nil, err
	}
	if err := b.start(ctx); err != nil {
		b.close()
		return nil, fmt.Errorf("resuming the games: %w", err)
	}
	life, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	s := &Service{Bot: b, hangUp: hangUp, over: make(chan struct{})}
	go func() {
		defer close(s.over)
		s.err = line.Run(life, b)
	}()
	return s, nil
}

// Wait waits until the line ends by itself and gives its error, or until ctx ends, which is no
// error.
func (s *Service) Wait(ctx context.Context) error {
	select {
	case <-s.over:
		return s.err
	case <-ctx.Done():
		return nil
	}
}

// Close ends the line and then the bot, and gives the error that the line ended with.
func (s *Service) Close() error {
	s.hangUp()
	<-s.over
	s.Bot.close()
	return s.err
}
