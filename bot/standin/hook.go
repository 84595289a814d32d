package standin

import (
	"encoding/base64"
	"strings"
)

func postCallback(s *Server, c *call) (any, error) {
	c.interaction = c.r.PathValue("interaction_id")
	answer, err := s.answer(c.interaction, c.r.PathValue("interaction_token"), c.raw, c.files, c)
	if err != nil {
		return nil, err
	}
	if v := c.r.URL.Query().Get("with_response"); v == "true" || v == "1" {
		return answer, nil
	}
	return nil, nil
}

func (s *Server) hooked(c *call) (*interaction, error) {
	i, err := s.hook(c.r.PathValue("webhook_id"), c.r.PathValue("webhook_token"))
	if i != nil {
		c.interaction = i.id
	}
	return i, err
}

func postFollowUp(s *Server, c *call) (any, error) {
	b, err := s.body(c, setting{ephemeral: true})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.hooked(c)
	if err != nil {
		return nil, err
	}
	r, err := s.followUp(i, b, c.files)
	if err != nil {
		return nil, err
	}
	return r.msg, nil
}

// hookMessage finds a message that the interaction's token may touch.
func hookMessage(s *Server, c *call) (*record, error) {
	i, err := s.hooked(c)
	if err != nil {
		return nil, err
	}
	if c.route == routeOriginal || c.r.PathValue("message_id") == "@original" {
		if i.original == nil || i.original.gone {
			return nil, errUnknownMessage
		}
		return i.original, nil
	}
	r := s.messages[c.r.PathValue("message_id")]
	if r == nil || r.gone || r != i.original && r.by != i.id {
		return nil, errUnknownMessage
	}
	return r, nil
}

// hook finds the interaction of a webhook token. The error says why the token does not work.
func (s *Server) hook(app, token string) (*interaction, error) {
	i := s.tokens[token]
	if app != s.app {
		return nil, errUnknownWebhook
	}
	if i == nil {
		if id := tokenID(token); id != "" && s.now().Sub(snowflakeTime(id)) > tokenLife {
			return nil, errWebhookToken
		}
		return nil, errUnknownWebhook
	}
	if s.now().Sub(i.created) > tokenLife {
		return nil, errWebhookToken
	}
	if i.answered == 0 || i.answered == answerChoices {
		return nil, errUnknownWebhook
	}
	if s.channels[i.ch.id] != i.ch {
		return nil, errUnknownChannel
	}
	return i, nil
}

func tokenID(token string) string {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return ""
	}
	parts := strings.Split(string(raw), ":")
	if len(parts) != 3 || parts[0] != "interaction" {
		return ""
	}
	return parts[1]
}

// followUp stores a further message of an interaction.
func (s *Server) followUp(i *interaction, b *body, files []upload) (*record, error) {
	if o := i.original; o != nil && !o.gone && o.msg.Thinking() && i.answered == answerThinking {
		s.edit(o, b, files) // the first one takes the place of "is thinking"
		return o, nil
	}
	if i.userOnly {
		if i.followUps >= maxUserInstallSends {
			return nil, errManyFollowUps
		}
	}
	if i.ch.thread() && i.ch.archived {
		if i.ch.locked {
			return nil, errArchived
		}
		s.setThread(i.ch, new(false), nil)
	}
	i.followUps++
	d := draft{author: s.bot.User, webhook: true, meta: i}
	if i.original != nil && !i.original.gone {
		d.kind = 19
		d.reference = &reference{MessageID: i.original.msg.ID, ChannelID: i.ch.id}
	}
	if b.Flags.V&flagEphemeral != 0 || i.private {
		d.only, d.flags = i.by.ID, flagEphemeral
	}
	r := s.post(i.ch, b, files, d)
	r.by = i.id
	return r, nil
}
