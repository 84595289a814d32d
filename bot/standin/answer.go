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
	if err := decode(raw, &cb); err != nil {
		return nil, err
	}
	c.callback = cb.Type
	s.mu.Lock()
	i := s.interactions[id]
	s.mu.Unlock()
	if i == nil || i.token != token {
		return nil, errUnknownInteraction
	}
	d, err := s.decodeAnswer(i, &cb, files, c)
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
	if cb.Type == answerUpdate && i.source != nil && i.source.gone {
		return nil, errUnknownMessage
	}
	if err := s.answerIn(i.ch, cb.Type, d.body, i.private); err != nil {
		return nil, err
	}
	if cb.Type == answerLaunch {
		if err := s.launch(i); err != nil {
			return nil, err
		}
	}
	i.timer.Stop()
	i.answered = cb.Type
	i.took = c.received
	switch cb.Type {
	case answerMessage, answerThinking:
		s.reply(i, d.body, files, cb.Type == answerThinking)
	case answerUpdateLater:
		i.original = i.source
	case answerUpdate:
		i.original = i.source
		if i.source != nil {
			s.edit(i.source, d.body, files)
		}
	}
	i.reply.Type, i.reply.Modal, i.reply.Choices, i.reply.Instance = cb.Type, d.modal, d.choices, i.instance
	if i.waited && i.original != nil && cb.Type != answerUpdateLater {
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

// answerIn refuses an answer in a thread that takes none. A message to all opens an archived
// thread again, an edit does not.
func (s *Server) answerIn(c *channel, kind int, b *body, private bool) error {
	shows := kind == answerMessage || kind == answerThinking
	switch {
	case !c.thread() || !c.archived:
	case c.locked && (shows || kind == answerUpdate), kind == answerUpdate:
		return errArchived
	case shows && !private && b.Flags.V&flagEphemeral == 0:
		s.setThread(c, new(false), nil)
	}
	return nil
}

// decoded is the data of a callback: a message, a form or choices, by its type.
type decoded struct {
	body    *body
	modal   *Modal
	choices []Choice
}

// decodeAnswer reads and checks the data of a callback.
func (s *Server) decodeAnswer(i *interaction, cb *callback, files []upload, c *call) (d decoded, err error) {
	p := &problems{}
	if !answerFits(i, cb.Type) {
		p.add("type", "INTERACTION_CALLBACK_TYPE_INVALID", "An answer of type %d does not fit an interaction of type %d.",
			cb.Type, i.kind)
		return d, p.err()
	}
	switch cb.Type {
	case answerLaunch:
		if !s.opts.Activity {
			p.add("type", "BASE_TYPE_CHOICES", "The application has no Activity.")
		}
		if len(cb.Data) > 0 {
			p.add("data", "DATA_NOT_ALLOWED", "An answer that opens the Activity carries nothing.")
		}
	case answerMessage, answerUpdate, answerThinking:
		d.body, err = s.decodeMessage(i, cb, files, c.version)
		return d, err
	case answerChoices:
		var in struct {
			Choices []Choice `json:"choices"`
		}
		if err := decode(cb.Data, &in); err != nil {
			return d, err
		}
		if !s.opts.Unchecked {
			checkChoices(p, "data.choices", in.Choices, i.focus)
		}
		d.choices = list(in.Choices)
	case answerModal:
		d.modal = &Modal{}
		if err := decode(cb.Data, d.modal); err != nil {
			return d, err
		}
		if !s.opts.Unchecked {
			checkModal(p, "data", d.modal)
		}
		next := 1
		d.modal.Components = s.resolve(d.modal.Components, nil, &next)
	}
	return d, p.err()
}

// decodeMessage reads and checks the data of a callback that shows a message or will.
func (s *Server) decodeMessage(i *interaction, cb *callback, files []upload, version int) (*body, error) {
	b, p := &body{}, &problems{}
	if err := decodeBody(cb.Data, b); err != nil || s.opts.Unchecked {
		return b, err
	}
	if cb.Type == answerThinking {
		checkThinking(p, b, files)
		return b, p.err()
	}
	in := setting{ephemeral: true, version: version, emojis: s.emojiState, edit: cb.Type == answerUpdate}
	if in.edit && i.source != nil {
		s.mu.Lock()
		old := i.source.msg
		s.mu.Unlock()
		in.old = &old
	}
	checkMessage(p, "data", b, files, in)
	if err := p.err(); err != nil {
		return nil, err
	}
	if !in.edit && empty(b, files) || in.old != nil && emptied(b, files, in.old) {
		return nil, errEmpty
	}
	return b, nil
}

func answerFits(i *interaction, kind int) bool {
	switch kind {
	case answerMessage, answerThinking:
		return i.kind != kindAutocomplete
	case answerUpdateLater, answerUpdate:
		return i.kind == kindComponent || i.kind == kindModal && i.source != nil
	case answerChoices:
		return i.kind == kindAutocomplete
	case answerLaunch:
		return i.kind != kindAutocomplete
	case answerModal:
		return i.kind == kindCommand || i.kind == kindComponent
	}
	return false
}

// checkThinking: a deferral carries nothing but whether it is private.
func checkThinking(p *problems, b *body, files []upload) {
	if b.Flags.V&^flagEphemeral != 0 {
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
		d.reference = &reference{MessageID: i.source.msg.ID, ChannelID: i.ch.id}
	}
	private := b.Flags.V&flagEphemeral != 0 || i.private
	if thinking {
		d.flags = flagLoading
		b = &body{}
	}
	if private {
		d.only = i.by.ID
		d.flags |= flagEphemeral
	}
	i.original = s.post(i.ch, b, files, d)
}

// callbackResponse is the body for with_response=true.
func (s *Server) callbackResponse(i *interaction) any {
	in := map[string]any{"id": i.id, "type": i.kind}
	out := map[string]any{"interaction": in}
	resource := map[string]any{"type": i.answered}
	if i.original != nil && i.answered != answerUpdateLater {
		m := i.original.msg
		in["response_message_id"] = m.ID
		in["response_message_loading"] = m.Thinking()
		in["response_message_ephemeral"] = m.Private()
		resource["message"] = m
		out["resource"] = resource
	}
	if i.instance != "" {
		resource["activity_instance"] = map[string]any{"id": i.instance}
		out["resource"] = resource
		in["activity_instance_id"] = i.instance
	}
	return out
}
