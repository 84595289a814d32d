package standin

import (
	"strconv"
	"strings"
	"time"
)

// body reads and checks a message body; old is the message it edits.
func (s *Server) body(c *call, in setting) (*body, error) {
	b := &body{}
	if err := decodeBody(c.raw, b); err != nil {
		return nil, err
	}
	if s.opts.Unchecked {
		return b, nil
	}
	in.version, in.emojis = c.version, s.emojiState
	p := &problems{}
	checkMessage(p, "", b, c.files, in)
	if err := p.err(); err != nil {
		return nil, err
	}
	if !in.edit && empty(b, c.files) || in.edit && emptied(b, c.files, in.old) {
		return nil, errEmpty
	}
	return b, nil
}

// revise edits the message that find finds. The body is read and checked
// outside the lock, against the message as it is then.
func revise(find func(*Server, *call) (*record, error)) handler {
	return func(s *Server, c *call) (any, error) {
		old, err := with(find, showMessage)(s, c)
		if err != nil {
			return nil, err
		}
		m := old.(Message)
		b, err := s.body(c, setting{edit: true, old: &m})
		if err != nil {
			return nil, err
		}
		return with(find, func(s *Server, c *call, r *record) (any, error) {
			if err := r.ch.mayChange(s.bot.ID); err != nil {
				return nil, err
			}
			if s.now().Sub(r.created) > time.Hour {
				if r.oldEdits++; r.oldEdits > s.opts.OldEdits {
					return nil, errOldEdits
				}
			}
			s.edit(r, b, c.files)
			return r.msg, nil
		})(s, c)
	}
}

// botChannel finds a channel that the bot can see.
func botChannel(s *Server, c *call) (*channel, error) {
	ch := s.channels[c.r.PathValue("channel_id")]
	if ch == nil {
		return nil, errUnknownChannel
	}
	if !ch.sees(s.bot.ID) {
		return nil, errMissingAccess
	}
	s.doze(ch)
	return ch, nil
}

func getChannel(s *Server, _ *call, ch *channel) (any, error) { return s.wireChannel(ch), nil }

type channelChange struct {
	Name     *string `json:"name"`
	Archived *bool   `json:"archived"`
	Locked   *bool   `json:"locked"`
}

func patchChannel(s *Server, ch *channel, b channelChange) (any, error) {
	perms := ch.permissions(s.bot.ID)
	opens := b.Archived != nil && !*b.Archived && b.Name == nil && b.Locked == nil
	switch {
	case opens && ch.thread() && !ch.locked: // whoever is in the thread and may speak there opens it
		if !ch.entered[s.bot.ID] || perms&PermSendInThreads == 0 {
			return nil, errMissingPermission
		}
		s.setThread(ch, b.Archived, nil)
		return s.wireChannel(ch), nil
	case ch.thread() && ch.locked && perms&PermManageThreads == 0:
		return nil, errMissingPermission
	case ch.thread() && ch.archived && !opens && b.Archived == nil:
		return nil, errArchived
	}
	if !ch.thread() && perms&PermManageChannels == 0 ||
		ch.thread() && ch.owner != s.bot.ID && perms&PermManageThreads == 0 {
		return nil, errMissingPermission
	}
	if b.Name != nil {
		ch.name = *b.Name
	}
	s.setThread(ch, b.Archived, b.Locked)
	return s.wireChannel(ch), nil
}

func (s *Server) setThread(ch *channel, archived, locked *bool) {
	if archived != nil {
		ch.archived, ch.archivedAt, ch.active = *archived, s.now(), s.now()
	}
	if locked != nil {
		ch.locked = *locked
	}
	event := "CHANNEL_UPDATE"
	if ch.thread() {
		event = "THREAD_UPDATE"
	}
	s.dispatch(event, ch.guild, intentGuilds, s.wireChannel(ch))
	s.changed()
}

func getMessages(s *Server, c *call, ch *channel) (any, error) {
	limit, err := strconv.Atoi(c.r.URL.Query().Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		limit = 50
	}
	out := []Message{}
	if ch.permissions(s.bot.ID)&PermReadHistory == 0 {
		return out, nil
	}
	q := c.r.URL.Query()
	for i := len(ch.messages) - 1; i >= 0; i-- {
		r := ch.messages[i]
		if r.only == "" && !r.ephemera && before(r.msg.ID, q.Get("before")) && before(q.Get("after"), r.msg.ID) {
			out = append(out, r.msg)
		}
	}
	switch { // a page begins where the query says
	case len(out) <= limit:
	case q.Get("after") != "":
		out = out[len(out)-limit:]
	default:
		out = out[:limit]
	}
	return out, nil
}

// before compares ids; an empty one is no bound.
func before(a, b string) bool {
	return a == "" || b == "" || len(a) < len(b) || len(a) == len(b) && a < b
}

func postMessage(s *Server, c *call) (any, error) {
	b, err := s.body(c, setting{})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := botChannel(s, c)
	if err != nil {
		return nil, err
	}
	if err := s.botMaySend(ch, len(c.files) > 0); err != nil {
		return nil, err
	}
	nonce := strings.Trim(string(b.Nonce), `"`)
	if nonce != "" && b.EnforceNonce {
		if r := s.nonces[nonce]; r != nil && !r.gone && s.now().Sub(r.created) < 5*time.Minute {
			return r.msg, nil
		}
	}
	d := draft{author: s.bot.User}
	if ref := b.Reference.V; b.Reference.given() {
		if to := s.messages[ref.MessageID]; to != nil && to.ch == ch && to.only == "" {
			d.kind, d.reference = 19, &reference{MessageID: ref.MessageID, ChannelID: ch.id}
		} else if ref.MustExist == nil || *ref.MustExist {
			return nil, invalidForm(Problem{"message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message"})
		}
	}
	r := s.post(ch, b, c.files, d)
	if nonce != "" && nonce != "null" {
		r.nonce = nonce
		s.nonces[nonce] = r
	}
	s.changed()
	return r.msg, nil
}

func (s *Server) botMaySend(ch *channel, files bool) error {
	if ch.direct() {
		for _, p := range ch.recipients {
			if p != s.bot && (p.Closed || !s.sharesGuild(p) && !p.Installed) {
				return errCannotSendUser
			}
		}
		return nil
	}
	if err := ch.maySend(s.bot.ID, files); err != nil {
		return err
	}
	if ch.thread() && ch.locked && ch.permissions(s.bot.ID)&PermManageThreads == 0 {
		if ch.archived {
			return errArchived
		}
		return errLocked
	}
	if ch.thread() && ch.archived {
		s.setThread(ch, new(false), nil) // a message opens an archived thread again
	}
	return nil
}

func (s *Server) sharesGuild(p *person) bool {
	for _, g := range s.guilds {
		if _, in := g.members[p.ID]; in && g.bot {
			return true
		}
	}
	return false
}

// botMessage finds a message that the bot can see; private ones it cannot.
func botMessage(s *Server, c *call) (*record, error) {
	ch, err := botChannel(s, c)
	if err != nil {
		return nil, err
	}
	r := s.messages[c.r.PathValue("message_id")]
	if r == nil || r.ch != ch || r.only != "" || r.ephemera {
		return nil, errUnknownMessage
	}
	return r, nil
}

// readMessage finds a message that the bot may read again.
func readMessage(s *Server, c *call) (*record, error) {
	r, err := botMessage(s, c)
	if err == nil && r.ch.permissions(s.bot.ID)&PermReadHistory == 0 {
		return nil, errMissingPermission
	}
	return r, err
}

// ownMessage finds a message of the bot's own.
func ownMessage(s *Server, c *call) (*record, error) {
	r, err := botMessage(s, c)
	if err == nil && r.msg.Author.ID != s.bot.ID {
		return nil, errNotAuthor
	}
	return r, err
}

// disposable finds a message that the bot may delete.
func disposable(s *Server, c *call) (*record, error) {
	r, err := botMessage(s, c)
	switch {
	case err != nil:
		return nil, err
	case r.msg.Author.ID != s.bot.ID && r.ch.permissions(s.bot.ID)&PermManageMessages == 0:
		return nil, errMissingPermission
	case r.ch.thread() && r.ch.locked: // in an archived thread that is not locked, messages can still be deleted
		return r, r.ch.mayChange(s.bot.ID)
	}
	return r, nil
}

func showMessage(_ *Server, _ *call, r *record) (any, error) { return r.msg, nil }

func removeMessage(s *Server, _ *call, r *record) (any, error) {
	s.remove(r)
	s.changed()
	return nil, nil
}
