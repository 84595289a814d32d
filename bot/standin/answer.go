package standin

import (
	"encoding/json"
)

// callback is the body of an answer to an interaction.
type callback struct {
	Type int             `json:"type"`
	Data json.RawMessage `json:"data"`
}

// answer applies a callback.
func (s *Server) answer(id, token string, raw []byte, files []upload, c *call) (any, error) {
	var cb callback
	if err := json.Unmarshal(raw, &cb); err != nil {
		return nil, decodeError(err)
	}
	c.kind = cb.Type
	s.mu.Lock()
	i := s.interactions[id]
	s.mu.Unlock()
	if i == nil || i.token != token {
		return nil, errUnknownInteraction
	}
	b, modal, choices, err := s.decodeAnswer(i, &cb, files, c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.answered != 0 {
		return nil, errAcknowledged
	}
	if i.failed || s.now().Sub(i.created) > s.opts.AnswerWithin {
		return nil, errUnknownInteraction
	}
	if s.channels[i.ch.id] != i.ch {
		return nil, errUnknownChannel
	}
	if cb.Type == AnswerUpdate && i.source != nil && i.source.gone {
		return nil, errUnknownMessage
	}
	i.timer.Stop()
	i.answered = cb.Type
	i.took = c.received
	switch cb.Type {
	case AnswerMessage, AnswerThinking:
		s.reply(i, b, files, cb.Type == AnswerThinking)
	case AnswerUpdateLater:
		i.original = i.source
	case AnswerUpdate:
		i.original = i.source
		if i.source != nil {
			s.edit(i.source, b, files)
		}
	}
	i.reply.Type, i.reply.Modal, i.reply.Choices = cb.Type, modal, choices
	if i.waited && i.original != nil && cb.Type != AnswerUpdateLater {
		m := i.original.msg
		i.reply.Message = &m
	}
	if !i.sent.IsZero() {
		i.reply.Took = i.took.Sub(i.sent)
	}
	s.tellAnswer(i)
	close(i.done)
	s.changed()
	return s.callbackResponse(i), nil
}

// decodeAnswer reads and checks the data of a callback.
func (s *Server) decodeAnswer(i *interaction, cb *callback, files []upload, c *call) (*body, *Modal, []Choice, error) {
	p := &problems{}
	b := &body{}
	if !answerFits(i, cb.Type) {
		p.add("type", "INTERACTION_CALLBACK_TYPE_INVALID", "An answer of type %d does not fit an interaction of type %d.", cb.Type, i.kind)
		return nil, nil, nil, p.err()
	}
	switch cb.Type {
	case AnswerMessage, AnswerUpdate, AnswerThinking:
		if err := decodeBody(cb.Data, b); err != nil {
			return nil, nil, nil, err
		}
		if s.opts.Unchecked {
			return b, nil, nil, nil
		}
		if cb.Type == AnswerThinking {
			checkThinking(p, b, files)
			return b, nil, nil, p.err()
		}
		in := setting{ephemeral: true, version: c.version}
		if cb.Type == AnswerUpdate {
			in.edit = true
			if i.source != nil {
				s.mu.Lock()
				old := i.source.msg
				s.mu.Unlock()
				in.old = &old
			}
		}
		checkMessage(p, "data", b, files, in)
		if err := p.err(); err != nil {
			return nil, nil, nil, err
		}
		if cb.Type == AnswerMessage && empty(b, files) || in.old != nil && emptied(b, files, in.old) {
			return nil, nil, nil, errEmpty
		}
		return b, nil, nil, nil
	case AnswerChoices:
		var d struct {
			Choices []Choice `json:"choices"`
		}
		if err := json.Unmarshal(cb.Data, &d); err != nil {
			return nil, nil, nil, decodeError(err)
		}
		if !s.opts.Unchecked {
			checkChoices(p, "data.choices", d.Choices, i.focus)
		}
		return b, nil, list(d.Choices), p.err()
	case AnswerModal:
		m := &Modal{}
		if err := json.Unmarshal(cb.Data, m); err != nil {
			return nil, nil, nil, decodeError(err)
		}
		if !s.opts.Unchecked {
			checkModal(p, "data", m)
		}
		next := 1
		m.Components = s.resolve(m.Components, nil, &next)
		return b, m, nil, p.err()
	}
	return b, nil, nil, nil
}

func answerFits(i *interaction, kind int) bool {
	switch kind {
	case AnswerMessage, AnswerThinking:
		return i.kind != kindAutocomplete
	case AnswerUpdateLater, AnswerUpdate:
		return i.kind == kindComponent || i.kind == kindModal && i.source != nil
	case AnswerChoices:
		return i.kind == kindAutocomplete
	case AnswerModal:
		return i.kind == kindCommand || i.kind == kindComponent
	}
	return false
}

// checkThinking: a deferral carries nothing but whether it is private.
func checkThinking(p *problems, b *body, files []upload) {
	if b.Flags.V&^FlagEphemeral != 0 {
		p.add("data.flags", "MESSAGE_FLAGS_INVALID", "A deferred answer takes the flag EPHEMERAL only, not %d.", b.Flags.V)
	}
	if b.Content.V != "" || len(b.Embeds.V) > 0 || len(b.Components.V) > 0 || len(files) > 0 {
		p.add("data", "DEFERRED_ANSWER_HAS_CONTENT", "A deferred answer carries no message; it would be lost.")
	}
}

// reply stores the original answer of an interaction.
func (s *Server) reply(i *interaction, b *body, files []upload, thinking bool) {
	d := draft{author: s.bot.User, kind: 20, webhook: true, meta: i}
	if i.kind != kindCommand {
		d.kind = 0
	}
	if i.source != nil {
		d.kind = 19
		d.reference = &Reference{MessageID: i.source.msg.ID, ChannelID: i.ch.id}
	}
	private := b.Flags.V&FlagEphemeral != 0 || i.private
	if thinking {
		d.flags = FlagLoading
		b = &body{}
	}
	if private {
		d.only = i.by.ID
		d.flags |= FlagEphemeral
	}
	i.original = s.post(i.ch, b, files, d)
}

// callbackResponse is the body for with_response=true.
func (s *Server) callbackResponse(i *interaction) any {
	in := map[string]any{"id": i.id, "type": i.kind}
	out := map[string]any{"interaction": in}
	resource := map[string]any{"type": i.answered}
	if i.original != nil && i.answered != AnswerUpdateLater {
		m := i.original.msg
		in["response_message_id"] = m.ID
		in["response_message_loading"] = m.Thinking()
		in["response_message_ephemeral"] = m.Private()
		resource["message"] = m
		out["resource"] = resource
	}
	return out
}
