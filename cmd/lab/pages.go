package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/bot/web"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

// pagesCmd serves pages to a process of its own that plays and watches on them (pageload.go), and tells how long a tap
// takes to the others' pages. Sockets, acts and the store's file are the real ones; there is no channel to follow.
type pagesCmd struct {
	Games    int           `default:"200" help:"Games of two pages each."`
	Watchers int           `default:"1000" help:"Pages that watch the first game."`
	Idle     int           `help:"Sockets that never say who they are, which come from the start of the measurement on."`
	Think    time.Duration `default:"1s" help:"Time between two moves of a game."`
	For      time.Duration `default:"30s" help:"Length of the measurement."`
	Dir      string        `help:"Folder for the store, which is deleted at the end; temporary if not given."`
	Load     bool          `hidden:"" help:"Be the process with the pages."`
}

// pageHouse is a bot that knows nothing but acts.
type pageHouse struct{ store *storage.Store }

// pagesSite is what browsers would see as the address.
const pagesSite = "https://games.example.org"

// Tap implements web.House.
func (h pageHouse) Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, n uint64) (string, error) {
	_, err := h.store.Update(ctx, p.Match, storage.Cause{Number: n, By: by, At: at},
		act.Pressed(chat.Request{By: by, At: at}, p).Do)
	return "", err
}

// AskReview implements web.House.
func (pageHouse) AskReview(context.Context, game.MemberID, time.Time, game.MatchID) error { return nil }

// TryAgain implements web.House.
func (pageHouse) TryAgain(context.Context, view.Tongue, game.MemberID, view.Press) (view.Tried, error) {
	return view.Tried{}, nil
}

// readsCounted counts what is read of a store.
type readsCounted struct {
	kv.Engine
	reads atomic.Int64
}

// View implements kv.Engine.
func (c *readsCounted) View(ctx context.Context, f func(kv.Reader) error) error {
	c.reads.Add(1)
	return c.Engine.View(ctx, f)
}

// Run serves, has the pages play, and reports.
func (c *pagesCmd) Run(ctx context.Context) (err error) {
	if c.Load {
		return loadPages(ctx)
	}
	dir, err := os.MkdirTemp(c.Dir, "pages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := bolt.Open(ctx, filepath.Join(dir, "games.db"), bolt.Options{})
	if err != nil {
		return err
	}
	db := &readsCounted{Engine: file}
	defer func() { err = errors.Join(err, db.Close()) }()
	store, err := storage.Open(ctx, db, storage.Options{})
	if err != nil {
		return err
	}
	pages := web.New(web.Config{Store: store, URL: pagesSite})
	pages.Host(pageHouse{store})
	store.Tell(pages.Told)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	pages.Serve(l)
	defer pages.Close()
	plan := pagePlan{Addr: l.Addr().String(), Watchers: c.Watchers, Idle: c.Idle, Think: c.Think, For: c.For}
	if plan.Games, plan.Share, err = begunGames(ctx, store, pages, c.Games); err != nil {
		return err
	}
	return c.measure(ctx, plan, db)
}

// begunGames begins games with the links of both sides, and shares the first.
func begunGames(ctx context.Context, store *storage.Store, pages *web.Server, n int) (all []pageGame, share string,
	err error) {
	for i := range n {
		seats := [2]game.MemberID{game.MemberID(2*i + 1), game.MemberID(2*i + 2)}
		rec, err := store.Create(ctx, storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: uint64(i + 1)},
			func(id game.MatchID) (game.Match, error) {
				m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, seats[0],
					game.SeatFor(seats[0]), game.SeatFor(seats[1]), time.Now(), time.Time{})
				if err != nil {
					return m, err
				}
				return m.Accept(seats[1], time.Now())
			})
		if err != nil {
			return nil, "", err
		}
		g := pageGame{Match: view.Key(rec.ID)}
		for seat, by := range seats {
			if g.Links[seat], err = pages.Link(ctx, by, rec.ID); err != nil {
				return nil, "", err
			}
		}
		if all = append(all, g); i == 0 {
			share, err = pages.Shared(ctx, seats[0], rec.ID, true)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return all, strings.TrimPrefix(share, pagesSite+"/g/"), nil
}

// measure starts the process with the pages, and reports at its end.
func (c *pagesCmd) measure(ctx context.Context, plan pagePlan, db *readsCounted) error {
	input, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	load := exec.CommandContext(ctx, os.Args[0], "pages", "--load")
	load.Stdin, load.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := load.StdoutPipe()
	if err == nil {
		err = load.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	if _, err = lines.ReadString('\n'); err != nil { // the players are there
		return errors.Join(err, load.Wait())
	}
	debug.FreeOSMemory()
	before, from := resident(), machineLoad()
	if _, err = lines.ReadString('\n'); err != nil { // and all who watch
		return errors.Join(err, load.Wait())
	}
	reads, cpu, begun := db.reads.Load(), cpuTime(), time.Now()
	done, most := make(chan uint64), resident()
	stop, cancel := context.WithCancel(ctx)
	go func() {
		for tasks.Sleep(stop, 500*time.Millisecond) == nil {
			most = max(most, resident())
		}
		done <- most
	}()
	var r pageResult
	err = json.NewDecoder(lines).Decode(&r)
	cancel()
	peak, took := <-done, time.Since(begun).Seconds()
	reads, cpu = db.reads.Load()-reads, cpuTime()-cpu
	if err = errors.Join(err, load.Wait()); err != nil {
		return err
	}
	fmt.Printf("%d games of two pages, a move every %v; %d watch one; %d say nothing; %v; load of the machine %s before, "+
		"%s after\n\n", c.Games, c.Think, c.Watchers, c.Idle, c.For, from, machineLoad())
	fmt.Printf("%-30s %9s %9s %9s %9s\n", "", "count", "p50", "p99", "max")
	for _, kind := range []string{toOther, toAnswer, toWatcher, toLast, untilClosed} {
		slices.Sort(r.Took[kind])
		reportTimes(os.Stdout, kind, r.Took[kind])
	}
	moves := len(r.Took[toAnswer])
	fmt.Printf("\nserver: CPU %.0f %%, resident %d MB without watchers, at most %d MB", 100*cpu.Seconds()/took, before>>20,
		peak>>20)
	if c.Watchers > 0 {
		fmt.Printf(", %.1f kB for each watcher", float64(peak-min(peak, before))/float64(c.Watchers)/1024)
	}
	fmt.Printf("\nreads of the store %d, %.2f for each of %d moves\npages: CPU %.0f %%\n", reads,
		float64(reads)/float64(max(moves, 1)), moves, 100*r.CPU.Seconds()/took)
	return nil
}
