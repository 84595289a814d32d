package standin

import (
	"slices"
	"time"
)

// maxThreads bounds the active threads of a server.
const maxThreads = 1000

// defaultAuto is when a thread is archived whose maker has not said so, in minutes.
const defaultAuto = 1440

// doze archives a thread that has had no message for long. Edits keep no thread awake.
func (s *Server) doze(c *channel) {
	if c.thread() && !c.archived && s.now().Sub(c.active) >= time.Duration(c.auto)*time.Minute {
		s.setThread(c, new(true), nil)
	}
}

// mayChange refuses what cannot be done in a thread as it is. Where it is locked, only those
// who manage threads can do anything.
func (c *channel) mayChange(who string) error {
	switch {
	case !c.thread():
	case c.archived:
		return errArchived
	case c.locked && c.permissions(who)&PermManageThreads == 0:
		return errLocked
	}
	return nil
}

type threadBody struct {
	Name string `json:"name"`
	Type *int   `json:"type"`
	Auto int    `json:"auto_archive_duration"`
}

func (c *call) threadBody() (b threadBody, err error) {
	if err := c.decode(&b); err != nil {
		return b, err
	}
	p := &problems{}
	if b.Auto != 0 && !slices.Contains([]int{60, 1440, 4320, 10080}, b.Auto) {
		p.add("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")
	}
	return b, p.err()
}

func postMessageThread(s *Server, c *call) (any, error) {
	b, err := c.threadBody()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := botMessage(s, c)
	if err != nil {
		return nil, err
	}
	if err := s.mayOpenThread(r.ch, PermPublicThreads); err != nil {
		return nil, err
	}
	if s.channels[r.msg.ID] != nil {
		return nil, errThreadExists
	}
	kind := PublicThread
	if r.ch.kind == NewsChannel {
		kind = NewsThread
	}
	t := s.addThread(r.ch, b.Name, r.msg.ID, s.bot.ID, kind, b.Auto)
	r.msg.Thread = s.wireChannel(t)
	s.told(r, "edit")
	s.changed()
	return s.wireChannel(t), nil
}

func (s *Server) mayOpenThread(ch *channel, perm uint64) error {
	if ch.guild == nil || ch.thread() {
		return errChannelType
	}
	if ch.permissions(s.bot.ID)&perm == 0 {
		return errMissingPermission
	}
	active := 0
	for _, c := range ch.guild.channels {
		if c.thread() && !c.archived {
			active++
		}
	}
	if active >= maxThreads {
		return errManyThreads
	}
	return nil
}

func postThread(s *Server, c *call) (any, error) {
	b, err := c.threadBody()
	if err != nil {
		return nil, err
	}
	kind, perm := PrivateThread, uint64(PermPrivateThreads)
	if b.Type != nil {
		kind = *b.Type
	}
	if kind != PrivateThread {
		perm = PermPublicThreads
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := botChannel(s, c)
	if err != nil {
		return nil, err
	}
	if (kind == NewsThread) != (ch.kind == NewsChannel) { // each kind of channel has threads of its own kind
		return nil, errChannelType
	}
	if err := s.mayOpenThread(ch, perm); err != nil {
		return nil, err
	}
	t := s.addThread(ch, b.Name, s.id(), s.bot.ID, kind, b.Auto)
	s.changed()
	return s.wireChannel(t), nil
}

func threadMember(s *Server, c *call, ch *channel) (any, error) {
	if !ch.thread() {
		return nil, errUnknownChannel
	}
	if ch.archived {
		return nil, errArchived
	}
	who := c.r.PathValue("user_id")
	if _, in := ch.guild.members[who]; !in {
		return nil, errUnknownMember
	}
	if ch.permissions(s.bot.ID)&PermSendInThreads == 0 {
		return nil, errMissingPermission
	}
	ch.entered[who] = true
	s.changed()
	return nil, nil
}
