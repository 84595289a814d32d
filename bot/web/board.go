package web

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// boards are the matches that are open on pages.
type boards struct {
	mu  sync.Mutex
	all map[game.MatchID]*board
}

// board is a match that is open on at least one page. Its goroutine reads the match once and encodes each version once.
type board struct {
	s     *Server
	id    game.MatchID
	using int           // by clients; boards.mu guards it
	ready chan struct{} // closed once the match was read, or is not there
	begin func()        // closes ready
	stop  chan struct{}
	news  chan struct{} // holds one where there is something new

	heard sync.Mutex // what follows is what was told last
	next  storage.Record
	gone  bool

	mu       sync.Mutex // what follows is what the pages have
	err      error      // why the match is not shown
	rec      storage.Record
	state    State
	full     packet
	made     time.Time // when full was
	players  map[*client]bool
	watchers map[*client]bool
}

// Times of boards.
const (
	keepBoard = 5 * time.Second  // after the last page has left it, so that those who poll find it again
	lookAgain = 20 * time.Second // whether those who look may still do so
	staleAt   = time.Second      // the age from which on a full state with a clock says another time than now
)

// atOnce is how many watchers a board tells of a change before others have their turn.
const atOnce = 16

// packet is a message, encoded once for all who get it.
type packet struct {
	data     []byte
	prepared *websocket.PreparedMessage // nil: data is for one alone
}

func forAll(data []byte) packet {
	p, err := websocket.NewPreparedMessage(websocket.TextMessage, data)
	if err != nil {
		return packet{data: data}
	}
	return packet{data, p}
}

// Told hears of a change of a match, from the store: it returns at once.
func (s *Server) Told(rec storage.Record) {
	s.boards.mu.Lock()
	b := s.boards.all[rec.ID]
	s.boards.mu.Unlock()
	if b == nil {
		return
	}
	b.heard.Lock()
	switch {
	case rec.Version == 0:
		b.gone = true
	case rec.Version >= b.next.Version:
		b.next = rec
	}
	b.heard.Unlock()
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// use gives the board of a match, which the caller leaves.
func (s *Server) use(id game.MatchID) *board {
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	b := s.boards.all[id]
	if b == nil {
		b = &board{s: s, id: id, ready: make(chan struct{}), stop: make(chan struct{}), news: make(chan struct{}, 1),
			players: map[*client]bool{}, watchers: map[*client]bool{}}
		b.begin = sync.OnceFunc(func() { close(b.ready) })
		s.boards.all[id] = b
		s.work.Go(b.run)
	}
	b.using++
	return b
}

// leave ends the use of a board. The last one who leaves closes it, a little later.
func (s *Server) leave(b *board) {
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	if b.using--; b.using > 0 {
		return
	}
	time.AfterFunc(keepBoard, func() {
		s.boards.mu.Lock()
		defer s.boards.mu.Unlock()
		if b.using == 0 && s.boards.all[b.id] == b {
			delete(s.boards.all, b.id)
			close(b.stop)
		}
	})
}

// each calls f for all who look at any board.
func (a *boards) each(f func(*client)) {
	a.mu.Lock()
	var all []*board
	for _, b := range a.all {
		all = append(all, b)
	}
	a.mu.Unlock()
	for _, b := range all {
		for _, c := range b.clients() {
			f(c)
		}
	}
}

// unshared ends the look of those who came by a link that is good no more.
func (a *boards) unshared(id game.MatchID) {
	a.each(func(c *client) {
		if c.share != "" && c.at() == id {
			c.none()
		}
	})
}

// clients are all who look, those who play first.
func (b *board) clients() (all []*client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, some := range []map[*client]bool{b.players, b.watchers} {
		for c := range some {
			all = append(all, c)
		}
	}
	return all
}

// run is the board's goroutine.
func (b *board) run() {
	defer b.survive()
	switch err := b.read(); {
	case errors.Is(err, storage.ErrNotFound):
		b.mu.Lock()
		b.err = err
		b.mu.Unlock()
	case err != nil:
		b.s.trouble("reading a match", err)
		b.fail(err)
		return
	}
	b.begin()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-b.news:
			b.show()
		case <-again.C:
			b.s.work.Go(b.recheck) // Discord may take its time, and moves do not wait
		case <-b.stop:
			return
		case <-b.s.life.Done():
			return
		}
	}
}

// survive is deferred in the goroutines of a board: a panic ends this board alone.
func (b *board) survive() {
	if p := recover(); p != nil {
		b.s.Log.Error("page: panic", "match", b.id, "what", fmt.Sprint(p), "stack", string(debug.Stack()))
		b.fail(fmt.Errorf("showing a match: %v", p))
	}
}

// fail ends the board. Its pages come again, and who comes next has the match read anew.
func (b *board) fail(err error) {
	b.mu.Lock()
	b.err = err
	b.mu.Unlock()
	b.begin()
	b.s.boards.mu.Lock()
	if b.s.boards.all[b.id] == b {
		delete(b.s.boards.all, b.id)
	}
	b.s.boards.mu.Unlock()
	for _, c := range b.clients() {
		c.finish()
	}
}

func (b *board) read() error {
	rec, err := b.s.Store.Match(b.s.life, b.id)
	if err != nil {
		return err
	}
	b.heard.Lock()
	if rec.Version > b.next.Version {
		b.next = rec
	}
	rec = b.next
	b.heard.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(rec)
	return nil
}

// set makes a record what the board shows. The caller holds b.mu.
func (b *board) set(rec storage.Record) {
	b.rec, b.made = rec, b.s.Now()
	b.state = stateOf(rec, b.made)
	b.full = forAll(raw(b.state))
}

// show tells all who look what is new: who plays first.
func (b *board) show() {
	b.heard.Lock()
	next, gone := b.next, b.gone
	b.heard.Unlock()
	if gone {
		for _, c := range b.clients() {
			c.none()
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if next.Version <= b.rec.Version || b.rec.Version == 0 { // another one has shown it, or a newer one
		return
	}
	was := b.state
	b.set(next)
	change := forAll(was.change(b.state))
	for c := range b.players {
		if c.way == wayMember && c.viewer().seat(b.rec) < 0 { // whose data was deleted, say
			c.none()
			continue
		}
		c.send(change)
		c.tellYou(b.rec)
	}
	told := 0
	for c := range b.watchers {
		c.send(change)
		if told++; told%atOnce == 0 {
			runtime.Gosched() // else thousands of writers run before whoever has moved in another match
		}
		if c.viewer().seat(b.rec) >= 0 { // who has got one meanwhile
			delete(b.watchers, c)
			b.players[c] = true
			c.tellYou(b.rec)
		}
	}
}

// present is the whole state, with a clock that says the time of now. The caller holds b.mu.
func (b *board) present() packet {
	if now := b.s.Now(); b.state.Clock != nil && now.Sub(b.made) > staleAt {
		b.made = now
		b.state.Clock.Now = now.UnixMilli()
		b.full = forAll(raw(b.state))
	}
	return b.full
}

// join shows the board to a client from now on. have is the version that it has. It is storage.ErrNotFound where the
// match is not there, or not for the client.
func (b *board) join(ctx context.Context, c *client, have uint32) error {
	select {
	case <-b.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	if b.deleted() || b.rec.Version == 0 || c.way == wayMember && c.viewer().seat(b.rec) < 0 {
		return storage.ErrNotFound
	}
	if c.viewer().seat(b.rec) >= 0 {
		b.players[c] = true
	} else {
		b.watchers[c] = true
	}
	if have != b.rec.Version {
		c.send(b.present())
	} else if c.conn != nil {
		c.send(alive) // so that the page knows that it is back
	}
	c.tellYou(b.rec)
	return nil
}

// part takes a client from the board.
func (b *board) part(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.players, c)
	delete(b.watchers, c)
}

// sendState shows the board to a client once more.
func (b *board) sendState(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rec.Version != 0 {
		c.send(b.present())
	}
}

// deleted reports whether the match was there and is no more.
func (b *board) deleted() bool {
	b.heard.Lock()
	defer b.heard.Unlock()
	return b.gone
}

// record is the match as the pages have it.
func (b *board) record() storage.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rec
}

// place is where the match is played. One that has only moved keeps its version.
func (b *board) place() venue.Place {
	b.heard.Lock()
	defer b.heard.Unlock()
	return b.next.Place
}

// recheck sees to it that those who look may still do so: a pass may have been ended by another process, and so may
// the sharing; the match may have moved away from an instance, or the instance be over. It takes less time than there
// is to the next one.
func (b *board) recheck() {
	defer b.survive()
	ctx, cancel := context.WithTimeout(b.s.life, patience)
	defer cancel()
	shared := map[string]bool{}
	for _, c := range b.clients() {
		switch c.way {
		case wayMember:
			if c.ended(ctx) {
				c.bye("bye.ended", false)
			}
		case wayActivity:
			in, err := b.s.instanceOf(ctx, c.instance, activityLife/2)
			if err == nil && in.Place != b.place() {
				err = storage.ErrNotFound
			}
			if err == nil {
				c.renew(ctx)
			} else if c.at() == b.id { // it has not turned to another one meanwhile
				c.refuse(err)
			}
		case wayWatch:
			good, known := shared[c.share]
			if !known {
				_, err := b.s.shared(ctx, c.share)
				good = !errors.Is(err, storage.ErrNotFound) // an error of the store ends nothing
				shared[c.share] = good
			}
			if !good {
				c.none()
			}
		}
	}
}

// Open reports whether a member has a match open in a page that they can see, or could a minute ago.
func (s *Server) Open(by game.MemberID, id game.MatchID) bool {
	s.boards.mu.Lock()
	b := s.boards.all[id]
	s.boards.mu.Unlock()
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.players {
		if c.member() == by && c.seen(s.Now()) {
			return true
		}
	}
	return false
}
