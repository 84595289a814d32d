package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/web"
	"tengen/bot/web/peer"
	"tengen/storage"
)

// abuseCmd is strangers who abuse the pages of a bot, in a process of their own: sockets that never say who they are,
// pages that read nothing, and messages of a megabyte. lab load --abuse has them come and go.
type abuseCmd struct {
	Addr   string
	Share  string
	Silent int
	For    time.Duration
}

// What there is of each beside the silent sockets.
const (
	slowReaders = 400
	longTalkers = 10 // each sends a message a second
)

// Run abuses until its time is over. What the server refuses or cuts is what it is there for.
func (c *abuseCmd) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	site := peer.Site{URL: pagesSite, Addr: c.Addr}
	open := func(n int) *peer.Page {
		p, err := site.Open(ctx, peer.From(n), "")
		if err != nil {
			return nil
		}
		context.AfterFunc(ctx, func() { p.Close() })
		return p
	}
	for i := range longTalkers {
		go func() {
			long := []byte(strings.Repeat(" ", 1<<20))
			for wait(ctx, time.Second) {
				if p := open(6<<16 + i); p != nil {
					_ = p.WriteMessage(websocket.TextMessage, long)
					p.Close()
				}
			}
		}()
	}
	for i := range slowReaders {
		go func() { _, _ = site.Join(ctx, peer.From(5<<16+i/20), "", peer.Hello{Way: "watch", Share: c.Share}) }()
	}
	var opened atomic.Int64
	const openers = 64
	for i := range openers {
		go func() {
			for n := i; n < c.Silent && wait(ctx, c.For*openers/time.Duration(c.Silent+1)); n += openers {
				if p := open(4<<16 + n/50); p != nil {
					opened.Add(1)
					go func() { _, _ = p.Hear(); p.Close() }() // the server ends it
				}
			}
		}()
	}
	<-ctx.Done()
	fmt.Fprintf(os.Stderr, "strangers: %d silent sockets, %d slow readers, %d messages of 1 MB a second\n",
		opened.Load(), slowReaders, longTalkers)
	return nil
}

// abuseParts is in how many parts the measurement falls: strangers are there in every second one.
const abuseParts = 12

// abused serves the pages of a bot, and has strangers come and go while it is measured.
type abused struct {
	pages *web.Server
	l     net.Listener
	share string
}

// servePages gives the bot pages.
func servePages(ctx context.Context, store *storage.Store) (*abused, error) {
	a := &abused{pages: web.New(web.Config{Store: store, URL: pagesSite})}
	_, share, err := begunGames(ctx, store, a.pages, 1)
	if err != nil {
		return nil, err
	}
	a.share = share
	a.l, err = net.Listen("tcp", "127.0.0.1:0")
	return a, err
}

// host serves them for a bot.
func (a *abused) host(b web.House) {
	a.pages.Host(b)
	a.pages.Serve(a.l)
}

// strangers has them come in every second part of the measurement.
func (b *bench) strangers(ctx context.Context, silent int) error {
	length := b.For / abuseParts
	for part := 1; part < abuseParts; part += 2 {
		if !wait(ctx, time.Until(b.begun.Add(time.Duration(part)*length))) {
			return nil
		}
		// Strangers have machines of their own. Here they yield to the bot.
		c := exec.CommandContext(ctx, "nice", "-n", "19", os.Args[0], "abuse", "--addr", b.abused.l.Addr().String(),
			"--share", b.abused.share, "--silent", fmt.Sprint(silent), "--for", length.String())
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil && ctx.Err() == nil {
			return errors.Join(errors.New("the strangers failed"), err)
		}
	}
	return nil
}

// reportAbuse prints what members waited for with strangers and without.
func (b *bench) reportAbuse(w io.Writer) {
	fmt.Fprintf(w, "\nparts of %v, strangers in every second one:\n", b.For/abuseParts)
	for _, kind := range []string{"acknowledged", "member's move"} {
		var parts [2][]time.Duration // calm, abused
		b.mu.Lock()
		for _, s := range b.samples[kind] {
			if part := int(s.at * abuseParts / b.For); s.at >= 0 && part < abuseParts {
				parts[part%2] = append(parts[part%2], s.took)
			}
		}
		b.mu.Unlock()
		for i, name := range []string{", alone", ", with strangers"} {
			slices.Sort(parts[i])
			reportTimes(w, kind+name, parts[i])
		}
	}
}
