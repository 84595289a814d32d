package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/bot/web"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/bolt"
)

// pagesCmd plays many games on pages and tells how long a tap takes to the other's page. Sockets, acts and the store's
// file are the real ones, all in this process; there is no channel to follow.
type pagesCmd struct {
	Games    int           `default:"200" help:"Games of two pages each."`
	Watchers int           `default:"1000" help:"Pages that watch the first game."`
	Think    time.Duration `default:"1s" help:"Time between two moves of a game."`
	For      time.Duration `default:"30s" help:"Length of the measurement."`
	Dir      string        `help:"Folder for the store, which is deleted at the end; temporary if not given."`
}

// pagesBench is one run.
type pagesBench struct {
	pagesCmd
	store *storage.Store
	pages *web.Server
	addr  string

	mu                     sync.Mutex
	other, answer, watched []time.Duration
	tapped                 map[uint32]time.Time // in the first game, by the version that it made
	failed                 error
}

// pagesSite is what browsers would see as the address.
const pagesSite = "https://games.example.org"

// Tap implements web.House.
func (b *pagesBench) Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, n uint64) (string, error) {
	_, err := b.store.Update(ctx, p.Match, storage.Cause{Number: n, By: by, At: at},
		act.Pressed(chat.Request{By: by, At: at}, p).Do)
	return "", err
}

// AskReview implements web.House.
func (b *pagesBench) AskReview(context.Context, game.MemberID, time.Time, game.MatchID) error {
	return nil
}

// Run starts the server, lets the pages play and reports.
func (c *pagesCmd) Run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "pages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := bolt.Open(ctx, filepath.Join(dir, "games.db"), bolt.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	b := &pagesBench{pagesCmd: *c, tapped: map[uint32]time.Time{}}
	if b.store, err = storage.Open(ctx, db, storage.Options{}); err != nil {
		return err
	}
	b.pages = web.New(web.Config{Store: b.store, URL: pagesSite})
	b.pages.Host(b)
	b.store.Tell(b.pages.Told)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.addr = l.Addr().String()
	b.pages.Serve(l)
	defer b.pages.Close()
	if err := b.play(ctx); err != nil {
		return err
	}
	for _, f := range []struct {
		what string
		took []time.Duration
	}{{"tap to the other's page", b.other}, {"tap to its answer", b.answer}, {"tap to a watcher", b.watched}} {
		slices.Sort(f.took)
		at := func(share float64) time.Duration {
			if len(f.took) == 0 {
				return 0
			}
			return f.took[int(share*float64(len(f.took)-1))].Round(10 * time.Microsecond)
		}
		fmt.Printf("%-24s n %-7d p50 %-9v p99 %-9v most %v\n", f.what, len(f.took), at(0.5), at(0.99), at(1))
	}
	return b.failed
}

// play lets all pages come, and play until the time is over.
func (b *pagesBench) play(ctx context.Context) error {
	var first storage.Record
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range b.Games {
		black, white := game.MemberID(2*i+1), game.MemberID(2*i+2)
		rec, err := b.store.Create(ctx, storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: uint64(i + 1)},
			func(id game.MatchID) (game.Match, error) {
				m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, black, game.SeatFor(black),
					game.SeatFor(white), time.Now(), time.Time{})
				if err != nil {
					return m, err
				}
				return m.Accept(white, time.Now())
			})
		if err != nil {
			return err
		}
		if i == 0 {
			first = rec
		}
		seats := [2]chan time.Time{make(chan time.Time, 1), make(chan time.Time, 1)}
		for seat, by := range []game.MemberID{black, white} {
			conn, err := b.member(ctx, by, rec.ID)
			if err != nil {
				return err
			}
			defer conn.Close()
			wait.Go(func() { b.fail(ctx, b.player(ctx, conn, rec, seat, seats, i == 0)) })
		}
	}
	secret, err := b.pages.Shared(ctx, first.Seats[0].Member, first.ID, true)
	if err != nil {
		return err
	}
	for i := range b.Watchers {
		hello := map[string]any{"t": "hello", "v": 1, "way": "watch", "share": strings.TrimPrefix(secret, pagesSite+"/g/")}
		conn, err := b.dial(ctx, i/20+2, nil, hello) // an address has twenty watchers
		if err != nil {
			return err
		}
		defer conn.Close()
		wait.Go(func() { b.watch(conn) })
	}
	b.mu.Lock()
	b.other, b.answer, b.watched = nil, nil, nil // from here on
	b.mu.Unlock()
	_ = tasks.Sleep(ctx, b.For)
	cancel() // what ends from here on is no failure
	return nil
}

func (b *pagesBench) fail(ctx context.Context, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && ctx.Err() == nil && b.failed == nil {
		b.failed = err
	}
}

// dial opens a socket from one of this machine's own addresses, and says hello.
func (b *pagesBench) dial(ctx context.Context, from int, h http.Header, hello any) (*websocket.Conn, error) {
	local := &net.TCPAddr{IP: net.IPv4(127, 0, byte(from>>8), byte(from))}
	d := websocket.Dialer{NetDialContext: (&net.Dialer{LocalAddr: local}).DialContext, ReadBufferSize: 1024,
		WriteBufferSize: 1024}
	conn, _, err := d.DialContext(ctx, "ws://"+b.addr+"/live", h)
	if err != nil {
		return nil, fmt.Errorf("opening a socket: %w", err)
	}
	return conn, conn.WriteJSON(hello)
}

// member opens the page of a member by a link.
func (b *pagesBench) member(ctx context.Context, by game.MemberID, id game.MatchID) (*websocket.Conn, error) {
	link, err := b.pages.Link(ctx, by, id)
	if err != nil {
		return nil, err
	}
	_, secret, _ := strings.Cut(link, "#")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.addr+"/pass",
		strings.NewReader(`{"secret":"`+secret+`"}`))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Origin", pagesSite)
	var res *http.Response
	for { // an address has so many requests a second
		if res, err = http.DefaultClient.Do(r); err != nil {
			return nil, err
		}
		res.Body.Close()
		if res.StatusCode != http.StatusTooManyRequests {
			break
		}
		if err := tasks.Sleep(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	cookie, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return b.dial(ctx, 1, http.Header{"Origin": {pagesSite}, "Cookie": {cookie}},
		map[string]any{"t": "hello", "v": 1, "way": "member", "match": view.Key(id)})
}

// heard is a message of the server's, as far as it counts here.
type heard struct {
	T, No, Add string
	Turn       any // of a state a color, of what a member alone is told whether it is theirs
	V, Stamp   uint32
}

// player plays in a seat when it is their turn. taps are when each seat has tapped.
func (b *pagesBench) player(ctx context.Context, conn *websocket.Conn, rec storage.Record, seat int,
	taps [2]chan time.Time, first bool) error {
	points, color := quietPoints(seat), [2]string{"b", "w"}[seat]
	var tapped time.Time
	for made := 0; made < len(points); {
		var m heard
		if err := conn.ReadJSON(&m); err != nil {
			return err
		}
		now := time.Now()
		switch {
		case m.T == "done" && m.No != "":
			return fmt.Errorf("a move is refused: %s", m.No)
		case m.T == "done":
			b.note(&b.answer, now.Sub(tapped))
		case m.T == "change" && m.Add != "" && m.Add[:1] != color:
			b.note(&b.other, now.Sub(<-taps[1-seat]))
		}
		if m.Turn != any(color) || m.T != "state" && m.T != "change" {
			continue
		}
		if tasks.Sleep(ctx, b.Think) != nil {
			return nil
		}
		tapped = time.Now()
		taps[seat] <- tapped
		if first {
			b.mu.Lock()
			b.tapped[m.V+1] = tapped
			b.mu.Unlock()
		}
		n := storage.NumberAt(tapped) + uint64(seat)
		err := conn.WriteJSON(map[string]any{"t": "act", "n": strconv.FormatUint(n, 10), "match": view.Key(rec.ID),
			"stamp": m.Stamp, "verb": "play", "arg": points[made]})
		if err != nil {
			return err
		}
		made++
	}
	return nil
}

// quietPoints are the points of a color in an order in which nobody makes a row of five.
func quietPoints(seat int) (points []string) {
	for row := range 15 {
		for col := range 15 {
			if (col/2+row)%2 == seat {
				points = append(points, strings.ToLower(game.At(col, row).String()))
			}
		}
	}
	return points
}

func (b *pagesBench) note(all *[]time.Duration, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*all = append(*all, took)
}

// watch notes when a watcher hears of moves.
func (b *pagesBench) watch(conn *websocket.Conn) {
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		now := time.Now()
		var m heard
		if json.Unmarshal(data, &m) != nil || m.T != "change" {
			continue
		}
		b.mu.Lock()
		if tapped, ok := b.tapped[m.V]; ok {
			b.watched = append(b.watched, now.Sub(tapped))
		}
		b.mu.Unlock()
	}
}
