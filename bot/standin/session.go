package standin

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// session is what a gateway connection leaves behind for RESUME.
type session struct {
	id            string
	shard, shards int
	intents       int
	compress      bool // READY and GUILD_CREATE come compressed, as asked for
	seq           int
	kept          []frame // the last events
	conn          *gatewayConn
	lost          time.Time // since when there is no connection
}

// ended drops the session of a connection that the bot closed with 1000 or
// 1001, as Discord does. The bot's echo of a close that the stand-in sent does
// not end the session.
func (s *Server) ended(c *gatewayConn) {
	c.mu.Lock()
	ours := c.closing != 0
	c.mu.Unlock()
	if ours {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.session != nil {
		delete(s.sessions, c.session.id)
	}
}

// startsLeft returns how many sessions may still be started today, and how long today lasts.
func (s *Server) startsLeft() (left int, reset time.Duration) {
	if s.now().Sub(s.startDay) >= startsFor {
		s.startDay, s.starts = s.now(), 0
	}
	return max(0, s.limiter.limits.Starts-s.starts), s.startDay.Add(startsFor).Sub(s.now())
}

// resetToken ends all sessions and refuses the token from now on, as Discord does to a bot
// that starts too many sessions.
func (s *Server) resetToken() {
	s.tokenReset.Store(true)
	for c := range s.conns {
		c.close(CloseBadToken, "Authentication failed.")
	}
	clear(s.sessions)
}

func (s *Server) validToken(token string) bool {
	return !s.tokenReset.Load() && strings.TrimPrefix(token, "Bot ") == s.opts.Token
}

// identity is the data of IDENTIFY.
type identity struct {
	Token    string  `json:"token"`
	Intents  *int    `json:"intents"`
	Shard    *[2]int `json:"shard"`
	Compress bool    `json:"compress"`
}

// identify starts a session, or refuses it as Discord does.
func (s *Server) identify(c *gatewayConn, d json.RawMessage) {
	var id identity
	if json.Unmarshal(d, &id) != nil {
		c.close(CloseDecode, "Error while decoding payload")
		return
	}
	if id.Shard == nil {
		id.Shard = &[2]int{0, 1}
	}
	s.countStart()
	if code, words := s.objection(id); code != 0 {
		c.close(code, words)
		return
	}
	if s.faults.gatewayFault("before-ready") {
		c.drop()
		return
	}
	if s.tooFast(id.Shard[0]) {
		c.op(9, false)
		return
	}
	s.forgetSessions()
	s.welcome(s.openSession(c, id))
	if s.faults.gatewayFault("after-ready") {
		c.close(silently, "")
	}
}

// countStart counts a session against those of the day; one too many resets the token.
func (s *Server) countStart() {
	s.stats.Identifies++
	if left, _ := s.startsLeft(); s.opts.Limits.On && left == 0 {
		s.resetToken()
	}
	s.starts++
}

// objection is the close code of an IDENTIFY that Discord does not accept, with its words.
func (s *Server) objection(id identity) (code int, words string) {
	switch shard := *id.Shard; {
	case !s.validToken(id.Token):
		return CloseBadToken, "Authentication failed."
	case id.Intents == nil || *id.Intents < 0 || *id.Intents&^intentAll != 0:
		return CloseIntents, "Invalid intent(s)."
	case *id.Intents&(intentMembers|intentPresences|intentContent) != 0 && !s.opts.Privileged:
		return CloseDisallowed, "Disallowed intent(s)."
	case shard[1] < 1 || shard[0] < 0 || shard[0] >= shard[1]:
		return CloseShard, "Invalid shard."
	case shard[1] < s.leastShards:
		return CloseSharding, "Sharding required."
	}
	return 0, ""
}

// tooFast reports whether another shard of the same remainder identified within the last
// five seconds, and otherwise notes that this one does now.
func (s *Server) tooFast(shard int) bool {
	remainder := shard % s.limiter.limits.Concurrency
	if last := s.identified[remainder]; s.opts.Limits.On && s.now().Sub(last) < identifyEvery {
		s.stats.TooFast++
		return true
	}
	s.identified[remainder] = s.now()
	return false
}

func (s *Server) openSession(c *gatewayConn, id identity) *session {
	ss := &session{id: strings.ToLower(strconv.FormatUint(s.rng.Uint64(), 36)) + s.id(),
		shard: id.Shard[0], shards: id.Shard[1], intents: *id.Intents, compress: id.Compress, conn: c}
	c.session = ss
	s.sessions[ss.id] = ss
	return ss
}

// welcome sends READY, then each server of the session's shard.
func (s *Server) welcome(ss *session) {
	var there []*guild
	var unavailable []any
	for _, g := range s.guilds {
		if g.bot && ss.holds(g) {
			there = append(there, g)
			unavailable = append(unavailable, map[string]any{"id": g.id, "unavailable": true})
		}
	}
	told := s.faults.listed(len(there))
	there, unavailable = there[:told], unavailable[:told]
	s.event(ss, "READY", map[string]any{"v": 9, "user": s.botUser(), "guilds": list(unavailable), "session_id": ss.id,
		"shard": [2]int{ss.shard, ss.shards}, "resume_gateway_url": "wss://" + resumeHost,
		"application":      map[string]any{"id": s.app, "flags": 1 << 23},
		"private_channels": []any{}, "relationships": []any{}, "session_type": "normal", "_trace": []string{"stand-in"}}, nil)
	if ss.intents&intentGuilds != 0 {
		for _, g := range there {
			s.event(ss, "GUILD_CREATE", s.guildCreate(g), nil)
		}
	}
	s.changed()
}

func (s *Server) forgetSessions() {
	var lost []*session
	for _, ss := range s.sessions {
		if ss.conn == nil {
			lost = append(lost, ss)
		}
	}
	slices.SortFunc(lost, func(a, b *session) int { return b.lost.Compare(a.lost) })
	for i, ss := range lost {
		if i >= keepLost || s.now().Sub(ss.lost) > resumeWithin {
			delete(s.sessions, ss.id)
		}
	}
}

func (s *Server) botUser() map[string]any {
	return map[string]any{"id": s.app, "username": s.bot.Username, "discriminator": "0",
		"global_name": s.bot.GlobalName, "avatar": nil, "bot": true, "verified": true, "mfa_enabled": true,
		"email": nil, "flags": 0}
}

func (s *Server) resume(c *gatewayConn, d json.RawMessage) {
	var r struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int    `json:"seq"`
	}
	if json.Unmarshal(d, &r) != nil {
		c.close(CloseDecode, "Error while decoding payload")
		return
	}
	if !s.validToken(r.Token) {
		c.close(CloseBadToken, "Authentication failed.")
		return
	}
	if s.faults.gatewayFault("resume-silence") {
		return
	}
	s.forgetSessions()
	ss := s.sessions[r.SessionID]
	if ss == nil || len(ss.kept) > 0 && ss.kept[0].seq > r.Seq+1 {
		c.op(9, false)
		return
	}
	if r.Seq > ss.seq {
		c.close(CloseSequence, "Invalid seq.")
		return
	}
	if s.faults.gatewayFault("before-resumed") {
		c.drop()
		return
	}
	if old := ss.conn; old != nil && old != c {
		old.close(CloseUnknown, "The session was resumed elsewhere.")
	}
	s.stats.Resumes++
	c.session, ss.conn = ss, c
	for _, f := range ss.kept {
		if f.seq > r.Seq {
			c.push(f)
		}
	}
	s.event(ss, "RESUMED", map[string]any{"_trace": []string{"stand-in"}}, nil)
	s.changed()
}

// holds reports whether events of a guild go to the session's shard; direct
// messages (nil) go to shard 0.
func (ss *session) holds(g *guild) bool {
	if g == nil {
		return ss.shard == 0
	}
	id, _ := strconv.ParseUint(g.id, 10, 64)
	return int((id>>22)%uint64(ss.shards)) == ss.shard
}

func (s *Server) anyIntent(intent int) bool {
	for _, ss := range s.sessions {
		if ss.intents&intent != 0 {
			return true
		}
	}
	return false
}

// dispatch sends an event to every session whose shard and intents cover it; the
// caller holds s.mu. Sessions without a connection get it when they resume.
func (s *Server) dispatch(name string, g *guild, intent int, data any) {
	if g != nil && !g.bot {
		return
	}
	var encoded json.RawMessage
	for _, id := range sortedKeys(s.sessions) {
		ss := s.sessions[id]
		if intent != 0 && ss.intents&intent == 0 || !ss.holds(g) {
			continue
		}
		if encoded == nil {
			encoded = raw(data)
		}
		for range s.faults.copies(name) {
			s.event(ss, name, encoded, nil)
		}
	}
}

// event numbers an event for one session and queues it.
func (s *Server) event(ss *session, name string, data any, i *interaction) {
	encoded, ok := data.(json.RawMessage)
	if !ok {
		encoded = raw(data)
	}
	ss.seq++
	b := make([]byte, 0, len(encoded)+64)
	b = append(b, `{"op":0,"s":`...)
	b = strconv.AppendInt(b, int64(ss.seq), 10)
	b = append(b, `,"t":"`...)
	b = append(b, name...)
	b = append(b, `","d":`...)
	b = append(b, encoded...)
	b = append(b, '}')
	f := frame{seq: ss.seq, data: b, ia: i, zip: ss.compress && (name == "READY" || name == "GUILD_CREATE")}
	if half := s.opts.Latency / 2; half > 0 {
		f.due = time.Now().Add(half)
	}
	ss.kept = append(ss.kept, f)
	if len(ss.kept) > s.opts.ResumeEvents {
		ss.kept[0] = frame{}
		ss.kept = ss.kept[1:]
	}
	if ss.conn != nil {
		ss.conn.push(f)
	}
}

// sendInteraction delivers an interaction as the plan says: perhaps twice, late,
// or after the one that follows it.
func (s *Server) sendInteraction(i *interaction, data map[string]any) {
	s.stats.Interactions++
	encoded := raw(data)
	for _, wait := range s.faults.delivery() {
		if wait <= 0 {
			s.deliver(i, encoded)
			continue
		}
		time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.closed {
				s.deliver(i, encoded)
			}
		})
	}
	if s.faults.keeps() {
		i.event = encoded
	}
	if s.faults.breaks() {
		for c := range s.conns {
			c.close(silently, "")
		}
	}
}

func (s *Server) deliver(i *interaction, encoded json.RawMessage) {
	if s.opts.Endpoint != "" {
		s.send(i, encoded)
		return
	}
	for _, id := range sortedKeys(s.sessions) {
		if ss := s.sessions[id]; ss.holds(i.ch.guild) {
			s.event(ss, "INTERACTION_CREATE", encoded, i)
		}
	}
}
