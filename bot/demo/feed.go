package demo

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/standin"
)

// Times of a feed. A browser that is gone without a word is noticed by its silence.
const (
	pingEvery = 20 * time.Second
	pongLimit = 50 * time.Second
	sendLimit = 10 * time.Second
)

// feed streams what a member's client learns, as one JSON text per event. It is a
// websocket because a browser opens only six plain streams to one site over all tabs.
func (p *Page) feed(w http.ResponseWriter, r *http.Request) {
	me, ok := p.member(r)
	if !ok {
		fail(w, http.StatusNotFound, "There is no such member.")
		return
	}
	select {
	case p.feeds <- struct{}{}:
		defer func() { <-p.feeds }()
	default:
		fail(w, http.StatusServiceUnavailable, "Too many pages are open.")
		return
	}
	up := websocket.Upgrader{HandshakeTimeout: sendLimit} // checks that the page asking is ours
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	if p.watch != nil {
		p.watch.Opened(me.Name)
		defer p.watch.Closed(me.Name)
	}
	events := p.server.Feed(ctx, me.Name)
	go func() {
		defer stop()
		conn.SetReadLimit(1024)
		conn.SetReadDeadline(time.Now().Add(pongLimit))
		conn.SetPongHandler(func(string) error { return conn.SetReadDeadline(time.Now().Add(pongLimit)) })
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
		}
	}()
	stream(ctx, conn, events)
}

// stream writes events until either side ends.
func stream(ctx context.Context, conn *websocket.Conn, events *standin.Feed) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	write := func(v any) bool {
		conn.SetWriteDeadline(time.Now().Add(sendLimit))
		return conn.WriteJSON(v) == nil
	}
	if !write(standin.Event{Kind: "hello"}) {
		return
	}
	for {
		select {
		case e, ok := <-events.C:
			if !ok || !write(e) {
				return
			}
		case <-ping.C:
			if conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(sendLimit)) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
