package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/bot/web/peer"
	"tengen/game"
	"tengen/internal/tasks"
	"tengen/storage"
)

// pagePlan is what the process with the pages is to do.
type pagePlan struct {
	Addr           string
	Games          []pageGame
	Share          string // of the first game
	Watchers, Idle int
	Think, For     time.Duration
}

type pageGame struct {
	Match string
	Links [2]string // black first
}

// What is timed.
const (
	toOther     = "tap to the other's page"
	toAnswer    = "tap to its answer"
	toWatcher   = "tap to a watcher"
	toLast      = "tap to the last watcher"
	untilClosed = "silent socket until its end"
)

// pageResult is what the pages have seen.
type pageResult struct {
	Took map[string][]time.Duration
	CPU  time.Duration
}

// pageLoad is the process with the pages.
type pageLoad struct {
	pagePlan
	peer.Site

	mu     sync.Mutex
	took   map[string][]time.Duration
	tapped map[uint32]time.Time // in the first game, by the version that it made
	seen   map[uint32]int       // watchers who have this version
	failed error
}

// loadPages does what the plan at its input says. It writes a line when the players are there, one when those who watch
// are, and at the end what they have seen.
func loadPages(ctx context.Context) error {
	l := &pageLoad{took: map[string][]time.Duration{}, tapped: map[uint32]time.Time{}, seen: map[uint32]int{}}
	if err := json.NewDecoder(os.Stdin).Decode(&l.pagePlan); err != nil {
		return err
	}
	l.Site = peer.Site{URL: pagesSite, Addr: l.pagePlan.Addr}
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, g := range l.Games {
		taps := [2]chan time.Time{make(chan time.Time, 1), make(chan time.Time, 1)}
		for seat := range 2 {
			p, err := l.seat(ctx, i, seat)
			if err != nil {
				return err
			}
			defer p.Close()
			wait.Go(func() { l.fail(ctx, l.play(ctx, p, g.Match, seat, taps, i == 0)) })
		}
	}
	fmt.Println("seated")
	close, err := l.watchers(ctx, &wait)
	defer close()
	if err != nil {
		return err
	}
	fmt.Println("watching")
	l.mu.Lock()
	clear(l.took) // from here on
	l.mu.Unlock()
	cpu := cpuTime()
	wait.Go(func() { l.idle(ctx, &wait) })
	_ = tasks.Sleep(ctx, l.For)
	cancel() // what ends from here on is no failure
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.failed, json.NewEncoder(os.Stdout).Encode(pageResult{l.took, cpuTime() - cpu}))
}

// seat opens the page of a player. An address has so many requests a second.
func (l *pageLoad) seat(ctx context.Context, i, seat int) (*peer.Page, error) {
	from := peer.From(2<<16 + 2*i + seat)
	cookie, err := l.Trade(ctx, from, l.Games[i].Links[seat])
	if err != nil {
		return nil, err
	}
	return l.Join(ctx, from, cookie, peer.Hello{Way: "member", Match: l.Games[i].Match})
}

// watchers opens the pages that watch.
func (l *pageLoad) watchers(ctx context.Context, wait *sync.WaitGroup) (end func(), err error) {
	var mu sync.Mutex
	var all []*peer.Page
	var open errgroup.Group
	open.SetLimit(32)
	for i := range l.Watchers {
		open.Go(func() error {
			from := peer.From(3<<16 + i/20) // an address has twenty watchers
			p, err := l.Join(ctx, from, "", peer.Hello{Way: "watch", Share: l.Share})
			if err != nil {
				return err
			}
			if _, err := p.Hear(); err != nil { // the board
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, p)
			wait.Go(func() { l.watch(p) })
			return nil
		})
	}
	err = open.Wait()
	return func() {
		for _, p := range all {
			p.Close()
		}
	}, err
}

// idle opens sockets that say nothing, one after the other, and notes when the server ends them.
func (l *pageLoad) idle(ctx context.Context, wait *sync.WaitGroup) {
	for i := range l.Idle {
		p, err := l.Open(ctx, peer.From(4<<16+i/50), "")
		if err != nil {
			l.fail(ctx, err)
			return
		}
		begun := time.Now()
		wait.Go(func() {
			stop := context.AfterFunc(ctx, func() { p.Close() })
			defer stop()
			defer p.Close()
			if _, err := p.Hear(); err != nil && ctx.Err() == nil {
				l.note(untilClosed, time.Since(begun))
			}
		})
	}
}

func (l *pageLoad) fail(ctx context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && ctx.Err() == nil && l.failed == nil {
		l.failed = err
	}
}

func (l *pageLoad) note(kind string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took[kind] = append(l.took[kind], took)
}

// play plays in a seat when it is their turn. taps are when each seat has tapped.
func (l *pageLoad) play(ctx context.Context, p *peer.Page, match string, seat int, taps [2]chan time.Time,
	first bool) error {
	points, color := quietPoints(seat), [2]string{"b", "w"}[seat]
	var tapped time.Time
	for made := 0; made < len(points); {
		m, err := p.Hear()
		if err != nil {
			return err
		}
		now := time.Now()
		switch {
		case m.T == "done" && m.No != "":
			return fmt.Errorf("a move is refused: %s", m.No)
		case m.T == "done":
			l.note(toAnswer, now.Sub(tapped))
		case m.T == "change" && m.Add != "" && m.Add[:1] != color:
			l.note(toOther, now.Sub(<-taps[1-seat]))
		}
		if m.Turn != any(color) || m.T != "state" && m.T != "change" {
			continue
		}
		if tasks.Sleep(ctx, l.Think) != nil {
			return nil
		}
		tapped = time.Now()
		taps[seat] <- tapped
		if first {
			l.mu.Lock()
			l.tapped[m.V+1] = tapped
			l.mu.Unlock()
		}
		if err := p.Send(peer.Act{N: peer.Number(storage.NumberAt(tapped) + uint64(seat)), Match: match,
			Stamp: m.Stamp, Verb: "play", Arg: points[made]}); err != nil {
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

// watch notes when a watcher hears of moves.
func (l *pageLoad) watch(p *peer.Page) {
	for {
		m, err := p.Hear()
		if err != nil {
			return
		}
		now := time.Now()
		if m.T != "change" {
			continue
		}
		l.mu.Lock()
		if tapped, ok := l.tapped[m.V]; ok {
			took := now.Sub(tapped)
			l.took[toWatcher] = append(l.took[toWatcher], took)
			if l.seen[m.V]++; l.seen[m.V] == l.Watchers {
				l.took[toLast] = append(l.took[toLast], took)
			}
		}
		l.mu.Unlock()
	}
}
