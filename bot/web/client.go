package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"tengen/ai/review"
	"tengen/bot/view"
	"tengen/bot/web/page"
	"tengen/game"
	"tengen/storage"
)

// The ways in which a client looks.
const (
	wayMember   = page.Member
	wayActivity = page.Activity
	wayWatch    = page.Watch
)

// Limits of a socket.
const (
	mostMessage = 1 << 10          // bytes of a message from a page
	mostBehind  = 64 << 10         // bytes that wait for one who reads slowly
	helloWithin = 5 * time.Second  // for the first message
	pingEvery   = 20 * time.Second // a page that hears nothing for 45 s comes anew
	silentFor   = 50 * time.Second // after this time a page is gone
	writeWithin = 10 * time.Second
	patience    = 10 * time.Second // with the store and Discord, for a message
	hiddenFor   = time.Minute      // a page that is hidden for so long is not open
)

// viewer is who looks.
type viewer struct {
	by    game.MemberID // 0: nobody who is known
	prefs storage.Member
}

// seat is the viewer's in a match; -1 where they have none.
func (v viewer) seat(rec storage.Record) int {
	if seat, ok := rec.SeatOf(v.by); ok {
		return seat
	}
	return -1
}

// tongue is the viewer's own language, else the match's.
func (v viewer) tongue(rec storage.Record) view.Tongue {
	if v.prefs.Look.Language != "" {
		return view.In(v.prefs.Look.Language)
	}
	return view.In(rec.Look.Language)
}

// client is one open page. Its reader alone writes the fields before mu.
type client struct {
	s     *Server
	conn  *websocket.Conn // nil: it polls
	addr  netip.Addr
	pass  storage.Secret // of its cookie
	way   string
	share string

	life context.Context // ends with its socket
	end  context.CancelFunc

	instance string
	counted  func() // ends its count among those of its member or its address; nil: it is not counted

	mu     sync.Mutex
	who    viewer
	board  *board
	hidden time.Time // since when; zero: it is visible
	proof  activityPass
	told   []byte // the last You
	queue  []packet
	behind int // bytes
	over   bool
	wake   chan struct{} // holds one where there is something to write
}

func (c *client) viewer() viewer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.who
}

func (c *client) member() game.MemberID { return c.viewer().by }

// at is the match that the client looks at; 0: none.
func (c *client) at() game.MatchID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.board == nil {
		return 0
	}
	return c.board.id
}

// seen reports whether the page is visible, or was of late.
func (c *client) seen(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn != nil && (c.hidden.IsZero() || now.Sub(c.hidden) < hiddenFor)
}

// send queues a packet. One who reads too slowly is dropped.
func (c *client) send(p packet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.queue, c.behind = append(c.queue, p), c.behind+len(p.data)
	if c.behind > mostBehind && c.conn != nil {
		c.over, c.queue = true, nil
		c.cut()
	}
	c.stir()
}

// cut ends the connection at once.
func (c *client) cut() {
	if c.conn != nil {
		c.conn.NetConn().Close()
	}
}

// stir wakes the writer.
func (c *client) stir() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *client) say(v any) { c.send(packet{data: raw(v)}) }

// tellYou tells the client what is theirs alone, where that is not what they were told last.
func (c *client) tellYou(rec storage.Record) {
	who := c.viewer()
	if who.by == 0 {
		return
	}
	y := who.you(rec)
	y.Me = markOf(who.by)
	if names, ok := c.s.names(rec); ok {
		y.Names = &names
	}
	told := raw(y)
	c.mu.Lock()
	same := bytes.Equal(told, c.told)
	c.told = told
	c.mu.Unlock()
	if !same {
		y.Now = c.s.Now().UnixMilli()
		c.say(y)
	}
}

// bye tells the client why it ends; with again it comes anew by itself.
func (c *client) bye(key string, again bool) {
	c.say(map[string]any{"t": "bye", "says": c.words().Say(key), "again": again})
	c.finish()
}

// none says that there is nothing, or nothing for this client.
func (c *client) none() {
	c.say(map[string]string{"t": "none"})
	c.finish()
}

// finish ends the client once what waits is written.
func (c *client) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.stir()
}

// words is the language of what is said to the client.
func (c *client) words() view.Tongue {
	c.mu.Lock()
	who, b := c.who, c.board
	c.mu.Unlock()
	if b == nil {
		return who.tongue(storage.Record{})
	}
	return who.tongue(b.record())
}

// live is the socket of a page.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	addr := s.address(r)
	if !s.mayCome(r) || !s.bounds.arrive(addr) {
		notFound(w, r)
		return
	}
	s.work.Add(1)
	defer s.work.Done()
	by, pass, err := s.bearer(r)
	if err != nil {
		s.bounds.arrived(addr)
		unavailable(w)
		return
	}
	header := http.Header{}
	if by != 0 {
		header.Set("Set-Cookie", s.cookie(pass).String())
	}
	conn, err := upgrader.Upgrade(w, r, header)
	if err != nil {
		s.bounds.arrived(addr)
		return
	}
	c := &client{s: s, conn: conn, addr: addr, pass: pass, who: viewer{by: by}, wake: make(chan struct{}, 1)}
	c.life, c.end = context.WithCancel(s.life)
	s.work.Go(c.write)
	s.work.Go(c.serve) // not here: the request would keep its memory for as long as the page is open
}

// serve is the client's reader.
func (c *client) serve() {
	defer func() {
		c.finish()
		c.end()
		c.close()
	}()
	defer c.survive()
	c.read()
}

// survive is deferred in the goroutines of a client: a panic ends this one alone.
func (c *client) survive() {
	if p := recover(); p != nil {
		c.s.Log.Error("page: panic", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
		c.finish()
	}
}

var upgrader = websocket.Upgrader{HandshakeTimeout: helloWithin, ReadBufferSize: mostMessage,
	WriteBufferPool: new(sync.Pool), CheckOrigin: func(*http.Request) bool { return true }} // mayCome has looked

// mayCome reports whether a socket may come from where its page is: this server, a frame without an origin, the
// Activity, or no browser. A cookie counts in the first case alone (bearer).
func (s *Server) mayCome(r *http.Request) bool {
	switch origin := r.Header.Get("Origin"); origin {
	case "", "null", s.URL:
		return true
	default:
		return s.App != nil && origin == fmt.Sprintf("https://%d.discordsays.com", s.App())
	}
}

// read takes the messages of the page until it ends.
func (c *client) read() {
	c.conn.SetReadLimit(mostMessage)
	_ = c.conn.SetReadDeadline(time.Now().Add(helloWithin))
	c.conn.SetPongHandler(func(string) error { return c.stays() })
	waits := true
	defer func() {
		if waits {
			c.s.bounds.arrived(c.addr)
		}
	}()
	room := bucket{}
	for {
		kind, data, err := c.conn.ReadMessage()
		if err != nil || kind != websocket.TextMessage || !room.take(c.s.Now(), mostMessages, messagesASecond) {
			return
		}
		var m message
		if json.Unmarshal(data, &m) != nil || (c.way == "") != (m.T == "hello") {
			return
		}
		ctx, cancel := context.WithTimeout(c.s.life, patience)
		ok := c.hear(ctx, m)
		cancel()
		if waits {
			waits = false
			c.s.bounds.arrived(c.addr)
		}
		if !ok || c.stays() != nil {
			return
		}
	}
}

// stays notes a sign of life.
func (c *client) stays() error {
	if c.way == "" {
		return nil // a page that has not said hello has no more time
	}
	return c.conn.SetReadDeadline(time.Now().Add(silentFor))
}

// write writes what waits until the client is over.
func (c *client) write() {
	defer c.conn.Close()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		beat := false
		select {
		case <-c.wake:
		case <-ping.C:
			beat = true
		case <-c.s.life.Done():
			c.finish()
		}
		if beat {
			// Scripts see no ping of the protocol, and the protocol's answers come without a script.
			c.send(alive)
			_ = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWithin))
		}
		some, over := c.next()
		for _, p := range some {
			if c.put(p) != nil {
				return
			}
		}
		if over {
			_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
				time.Now().Add(time.Second))
			return
		}
	}
}

// alive is a message that says nothing but that the server is there.
var alive = forAll([]byte(`{"t":"ping"}`))

// next takes what waits. It still counts as behind until it is written.
func (c *client) next() (some []packet, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	some, c.queue = c.queue, nil
	return some, c.over
}

func (c *client) put(p packet) error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	var err error
	if p.prepared != nil {
		err = c.conn.WritePreparedMessage(p.prepared)
	} else {
		err = c.conn.WriteMessage(websocket.TextMessage, p.data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.behind -= len(p.data)
	return err
}

// close takes the client from its board and from the counts.
func (c *client) close() {
	c.turnTo(nil)
	if c.counted != nil {
		c.counted()
	}
}

// turnTo leaves the client's board for another one, which it uses already; nil: none.
func (c *client) turnTo(b *board) {
	c.mu.Lock()
	was := c.board
	c.board, c.told = b, nil
	c.mu.Unlock()
	if was != nil {
		was.part(c)
		c.s.leave(was)
	}
}

// message is what a page sends. T says which of the others count; a message of a poll has those of a hello beside.
type message struct {
	T        string `json:"t"`
	Way      string `json:"way"`
	Share    string `json:"share"`
	Instance string `json:"instance"`
	Pass     string `json:"pass"`
	Match    string `json:"match"`
	Me       string `json:"me"` // as You named the member
	Have     uint32 `json:"have"`
	N        string `json:"n"`
	Stamp    uint32 `json:"stamp"`
	Verb     string `json:"verb"`
	Arg      string `json:"arg"`
	Visible  bool   `json:"visible"`
	Code     string `json:"code"`
	Again    bool   `json:"again"` // the review is asked for already
}

// hear does what a message asks for. It is false where the client ends.
func (c *client) hear(ctx context.Context, m message) bool {
	switch m.T {
	case "hello":
		return c.hello(ctx, m)
	case "act":
		return c.act(ctx, m)
	case "state":
		if b := c.looksAt(); b != nil {
			b.sendState(c)
		}
	case "open":
		return c.reopen(ctx, m)
	case "seen":
		c.mu.Lock()
		switch {
		case m.Visible:
			c.hidden = time.Time{}
		case c.hidden.IsZero():
			c.hidden = c.s.Now()
		}
		c.mu.Unlock()
	case "code":
		c.prove(ctx, m.Code)
	case "share", "unshare":
		return c.shareIt(ctx, m.T == "share")
	case "review":
		c.review(ctx, m.Again)
	}
	return true // what a newer page asks for is left alone
}

func (c *client) looksAt() *board {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.board
}

// hello lets the client in, or says that there is nothing for it.
func (c *client) hello(ctx context.Context, m message) bool {
	c.way = m.Way
	if c.way == wayMember && c.member() != 0 && m.Me != "" && m.Me != markOf(c.member()) {
		c.bye("bye.other", false) // whose link has put another cookie in place of the page's
		return false
	}
	id, err := c.letIn(ctx, m)
	if asked, named := keyOf(m.Match); named && asked != id {
		m.Have = 0 // it is a version of another match
	}
	if err == nil && !c.count() {
		c.say(map[string]any{"t": "bye", "says": c.words().Say("bye.many"), "retry": true})
		c.finish()
		return false
	}
	if err == nil {
		err = c.open(ctx, id, m.Have)
	}
	return c.refuse(err)
}

// refuse ends a client that may not look, with a word. Where that is not known, the page hears nothing and comes again.
// It is true without an error.
func (c *client) refuse(err error) bool {
	switch {
	case err == nil:
		return true
	case errors.Is(err, storage.ErrNotFound):
		c.none()
	default:
		c.s.trouble("letting a page in", err)
		c.finish()
	}
	return false
}

// letIn finds the match that the client may look at; storage.ErrNotFound where there is none.
func (c *client) letIn(ctx context.Context, m message) (id game.MatchID, err error) {
	switch m.Way {
	case wayMember:
		return c.letMemberIn(ctx, m)
	case wayWatch:
		c.mu.Lock()
		c.who = viewer{} // a member who watches is one of the watchers
		c.mu.Unlock()
		rec, err := c.s.shared(ctx, m.Share)
		c.share = m.Share
		return rec.ID, err
	case wayActivity:
		return c.letInstanceIn(ctx, m)
	}
	return 0, storage.ErrNotFound
}

func (c *client) letMemberIn(ctx context.Context, m message) (id game.MatchID, err error) {
	by := c.member()
	if by == 0 {
		return 0, storage.ErrNotFound
	}
	if err := c.know(ctx, by); err != nil {
		return 0, err
	}
	if m.Match != "" {
		return need(keyOf(m.Match))
	}
	all, err := c.s.Store.Of(ctx, by)
	if err != nil {
		return 0, err
	}
	for _, rec := range slices.Backward(all) {
		if view.Sits(rec.Match, by) {
			return rec.ID, nil
		}
	}
	return 0, storage.ErrNotFound
}

// need is id, or storage.ErrNotFound where it is none.
func need(id game.MatchID, ok bool) (game.MatchID, error) {
	if !ok {
		return 0, storage.ErrNotFound
	}
	return id, nil
}

func (c *client) letInstanceIn(ctx context.Context, m message) (id game.MatchID, err error) {
	if c.s.Activity == nil || m.Instance == "" {
		return 0, storage.ErrNotFound
	}
	c.instance = m.Instance
	proof := c.s.passes.bearer(m.Pass, m.Instance, c.s.Now())
	out, err := c.s.signedOut(ctx, proof)
	if out {
		proof = activityPass{}
	}
	if err == nil {
		err = c.know(ctx, proof.by)
	}
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	c.proof = proof
	c.mu.Unlock()
	games, err := c.s.games(ctx, m.Instance, proof.by)
	if err != nil {
		return 0, err
	}
	if len(games) > 1 {
		c.list(ctx, games)
	}
	if asked, ok := keyOf(m.Match); ok {
		if err := c.s.shows(ctx, m.Instance, asked); !errors.Is(err, storage.ErrNotFound) {
			return asked, err
		}
	}
	if len(games) == 0 {
		return 0, storage.ErrNotFound
	}
	return games[0], nil
}

// know makes by who looks.
func (c *client) know(ctx context.Context, by game.MemberID) error {
	who := viewer{by: by}
	if by != 0 {
		var err error
		if who.prefs, err = c.s.Store.Member(ctx, by); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who = who
	return nil
}

// list names the matches of an instance.
func (c *client) list(ctx context.Context, games []game.MatchID) {
	all := []map[string]string{}
	for _, id := range games[:min(len(games), mostListed)] {
		if rec, err := c.s.Store.Match(ctx, id); err == nil {
			t := c.viewer().tongue(rec)
			all = append(all, map[string]string{"match": view.Key(id), "name": t.PageTitle(rec.Match),
				"says": t.PageSays(rec.Match)})
		}
	}
	c.say(map[string]any{"t": "list", "games": all})
}

// mostListed bounds a list of matches.
const mostListed = 25

// count counts the client among those of its member, or of its address. It is false where these are too many.
func (c *client) count() (ok bool) {
	if c.counted != nil || c.conn == nil {
		return true
	}
	switch {
	case c.member() != 0:
		c.counted, ok = c.s.bounds.member(c.member())
	case c.way == wayWatch:
		c.counted, ok = c.s.bounds.watcher(c.addr)
	default:
		return true // an Activity's address is Discord's
	}
	return ok
}

// open shows a match to the client.
func (c *client) open(ctx context.Context, id game.MatchID, have uint32) error {
	b := c.s.use(id)
	c.turnTo(b)
	return b.join(ctx, c, have)
}

// reopen turns to another match: of the instance, or of the member.
func (c *client) reopen(ctx context.Context, m message) bool {
	id, err := need(keyOf(m.Match))
	switch {
	case err != nil:
	case c.way == wayWatch:
		err = storage.ErrNotFound
	case c.way == wayActivity:
		err = c.s.shows(ctx, c.instance, id)
	}
	if err == nil {
		err = c.open(ctx, id, 0)
	}
	return c.refuse(err)
}

// done answers an act.
type done struct {
	T     string      `json:"t"`
	N     string      `json:"n"`
	No    string      `json:"no,omitempty"`
	Tried *view.Tried `json:"tried,omitempty"`
}

// act carries an act out, and answers it. A page that does not hear the answer sends the act again.
func (c *client) act(ctx context.Context, m message) bool {
	n, err := strconv.ParseUint(m.N, 10, 64)
	if err != nil || n == 0 || len(m.Verb) > 20 || len(m.Arg) > 40 {
		return false
	}
	p, err := c.pressed(ctx, m, n)
	said := ""
	switch {
	case errors.Is(err, errEnded):
		c.bye("bye.ended", false)
		return false
	case err == nil && p.Verb == "try":
		c.tryAgain(ctx, m.N, p)
		return true
	case err == nil:
		said, err = c.s.house.Tap(ctx, c.member(), c.s.Now(), p, n)
	}
	if err != nil {
		said = c.why(p.Verb, err)
	}
	c.say(done{T: "done", N: m.N, No: said})
	var rule *game.Refusal
	if b := c.looksAt(); b != nil && errors.As(err, &rule) && rule.Code == game.Moved {
		if rec, err := c.s.Store.Match(ctx, b.id); err == nil { // of which another process may have yet to tell
			c.s.Told(rec)
		}
		b.show()
		b.sendState(c)
	}
	return true
}

// why says why an act was not carried out.
func (c *client) why(verb string, err error) string {
	said, known := c.words().Reason(err)
	if !known || view.Fault(err) {
		c.s.Log.Error("page: an act failed", "verb", verb, "err", err)
	}
	return said
}

// tryAgain answers a second try at a fault of a review. A verdict takes its time, and meanwhile a socket is heard.
func (c *client) tryAgain(ctx context.Context, n string, p view.Press) {
	answer := func(ctx context.Context) {
		tried, err := c.s.house.TryAgain(ctx, c.words(), c.member(), p)
		switch {
		case err == nil:
			c.say(done{T: "done", N: n, Tried: &tried})
		case c.life == nil || c.life.Err() == nil:
			c.say(done{T: "done", N: n, No: c.why(p.Verb, err)})
		}
	}
	if c.conn == nil {
		answer(ctx)
		return
	}
	c.s.work.Go(func() {
		defer c.survive()
		answer(c.life)
	})
}

// errEnded says that the client's pass is good no more.
var errEnded = errors.New("the pass has ended")

// pressed reads an act of number n, which the client must be allowed.
func (c *client) pressed(ctx context.Context, m message, n uint64) (view.Press, error) {
	now, by, b := c.s.Now(), c.member(), c.looksAt()
	id, ok := keyOf(m.Match)
	p := view.Press{Match: id, Stamp: m.Stamp, Verb: m.Verb, Arg: m.Arg}
	if b == nil || !ok || id != b.id || c.s.house == nil {
		return p, view.No("unknown.match")
	}
	if err := c.mayAct(ctx, by, now); err != nil {
		return p, err
	}
	if storage.NumberedAt(n).Sub(now).Abs() > storage.NumberLate {
		return p, view.No("refused.pageClock")
	}
	return p, nil
}

// mayAct refuses who has not proven to be a member, or not of late, and who acts too fast.
func (c *client) mayAct(ctx context.Context, by game.MemberID, now time.Time) error {
	switch {
	case by == 0:
		return &game.Refusal{Code: game.NotSeated}
	case c.ended(ctx) && c.way == wayActivity: // the page proves anew who it is
		c.say(noPass)
		return view.No("bye.ended")
	case c.ended(ctx):
		return errEnded
	case !c.s.bounds.act(by, now):
		return view.No("refused.tooFast")
	}
	return nil
}

// ended reports whether the pass of a member is good no more. An error of the store ends nothing.
func (c *client) ended(ctx context.Context) bool {
	switch c.way {
	case wayMember:
		_, err := c.s.Store.Bearer(ctx, c.pass, c.s.Now())
		return errors.Is(err, storage.ErrNotFound)
	case wayActivity:
		proof := c.proven()
		out, _ := c.s.signedOut(ctx, proof)
		return out || !c.s.Now().Before(proof.ends)
	}
	return true
}

// prove trades a code of Discord's for a pass.
func (c *client) prove(ctx context.Context, code string) {
	if c.way != wayActivity || c.s.Activity == nil || code == "" {
		return
	}
	if !c.s.bounds.code(c.instance, c.s.Now()) {
		c.say(noPass)
		return
	}
	by, err := c.s.provenBy(ctx, c.instance, code)
	if err == nil && by != 0 {
		err = c.know(ctx, by)
	}
	c.s.trouble("asking Discord who it is", err)
	if by == 0 || err != nil {
		c.say(noPass)
		return
	}
	if !c.count() { // they have too many pages: here they stay who looks
		c.say(map[string]string{"t": "pass", "pass": "", "no": c.words().Say("bye.many")})
		_ = c.know(ctx, 0) // which reads nothing
		return
	}
	c.givePass(c.s.Now())
	if b := c.looksAt(); b != nil {
		have := b.record().Version // before it parts: it would miss what is shown in between
		b.part(c)
		_ = b.join(ctx, c, have)
	}
}

// noPass says that nothing proves who the member is.
var noPass = map[string]string{"t": "pass", "pass": ""}

// givePass tells the page of an Activity its pass. The member has proven at a time who they are.
func (c *client) givePass(proven time.Time) {
	now := c.s.Now()
	c.mu.Lock()
	c.proof = activityPass{c.who.by, c.instance, proven, now.Add(activityLife)}
	proof := c.proof
	c.mu.Unlock()
	c.say(map[string]string{"t": "pass", "pass": c.s.passes.give(proof, now)})
}

// proven is what the pass of an Activity's page says; none: it has proven nothing.
func (c *client) proven() activityPass {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proof
}

// renew gives a member who is still in the instance a new pass in time, and ends the page of one who has signed out.
func (c *client) renew(ctx context.Context) {
	proof := c.proven()
	out, err := c.s.signedOut(ctx, proof)
	switch {
	case err != nil || proof.by == 0:
	case out:
		c.bye("bye.ended", false)
	case proof.ends.Sub(c.s.Now()) < activityLife/2 && c.s.present(ctx, c.instance, proof.by):
		c.givePass(proof.proven)
	}
}

// shareIt shares the match, or ends that, for who sits in it.
func (c *client) shareIt(ctx context.Context, on bool) bool {
	b := c.looksAt()
	if b == nil || c.viewer().seat(b.record()) < 0 {
		return true
	}
	by, url := c.member(), ""
	err := c.mayAct(ctx, by, c.s.Now())
	if errors.Is(err, errEnded) {
		c.bye("bye.ended", false)
		return false
	}
	if err == nil {
		url, err = c.s.Shared(ctx, by, b.id, on)
	}
	answer := map[string]string{"t": "shared", "url": url}
	if err != nil {
		answer["no"], _ = c.words().Reason(err)
	}
	c.say(answer)
	return true
}

// judged answers a question for the review of a match.
type judged struct {
	T       string        `json:"t"`
	Busy    bool          `json:"busy,omitempty"` // it is being made
	No      string        `json:"no,omitempty"`
	Chances []int         `json:"chances,omitempty"`
	Notes   []view.Remark `json:"notes,omitempty"`
	Try     int           `json:"try,omitempty"` // the move with which the member begins to try again
}

// review tells who played a match that is over what its review says. Where there is none, it is asked for. One that
// was asked for, and is neither made nor owed, has failed: the member decides whether it is asked for again.
func (c *client) review(ctx context.Context, again bool) {
	b := c.looksAt()
	if b == nil {
		return
	}
	rec, t := b.record(), c.words()
	if rec.Phase != game.Over || c.viewer().seat(rec) < 0 {
		return
	}
	answer := judged{T: "review"}
	v, owed, err := c.s.Store.Review(ctx, rec.ID)
	switch {
	case err != nil:
	case v.Data != nil:
		var r review.Review
		if r, err = review.Unpack(v.Data, rec.Game()); err == nil {
			answer.Chances, answer.Notes = t.Remarks(rec.Match, r)
			answer.Try = view.TryFirst(rec.Match, r, c.member())
		}
	case owed:
		answer.Busy = true
	case again:
		err = view.No("review.failed")
	default:
		err = c.s.house.AskReview(ctx, c.member(), c.s.Now(), rec.ID)
		answer.Busy = err == nil
	}
	if err != nil {
		answer.No, _ = t.Reason(err)
	}
	c.say(answer)
}
