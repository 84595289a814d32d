package standin

import (
	"context"
	"net/http"
	"time"
)

// Events are posted where the application takes them: signed as interactions are, and answered by 204 within three
// seconds. One that is not is posted again, for ten minutes. The only event is that a server has authorized the
// application, once more if it had before.

// Discord's times for an event.
const (
	eventAnswer = 3 * time.Second
	eventTries  = 10 * time.Minute // from the first try to the last
)

// setEvents sets where events are posted, as the Developer Portal does.
func (s *Server) setEvents(ctx context.Context, a Action) error {
	ping := raw(map[string]any{"version": 1, "application_id": s.app, "type": 0})
	return s.setURL(ctx, &s.opts.Events, "event_webhooks_url", a.Text, ping, func(status int, body []byte) bool {
		return status == http.StatusNoContent && len(body) == 0
	})
}

// authorize has a server authorize the application with its bot.
func (s *Server) authorize(g *guild) {
	s.addBot(g)
	to := s.opts.Events
	if to == "" {
		return
	}
	event := raw(map[string]any{"version": 1, "application_id": s.app, "type": 1, "event": map[string]any{
		"type": "APPLICATION_AUTHORIZED", "timestamp": s.now().UTC().Format("2006-01-02T15:04:05.000000"),
		"data": map[string]any{"integration_type": 0, "scopes": []string{"bot", "applications.commands"},
			"user": s.people[g.owner].User, "guild": s.wireGuild(g)}}})
	s.served.Go(func() {
		for wait := time.Second; wait < eventTries && s.ctx.Err() == nil && !s.postEvent(to, event); wait *= 2 {
			s.sleep(wait)
		}
	})
}

// postEvent posts an event once, and reports whether it was taken.
func (s *Server) postEvent(to string, event []byte) bool {
	ctx, cancel := context.WithTimeout(s.ctx, eventAnswer)
	defer cancel()
	r, err := s.poster.request(ctx, to, event, time.Now())
	if err != nil {
		return false
	}
	status, _, _, err := s.poster.post(r)
	return err == nil && status == http.StatusNoContent
}
