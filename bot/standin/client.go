package standin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Client acts in a stand-in of another process.
type Client struct {
	World
	about about
	http  *http.Client
	stop  func()
}

// newClient reaches the Control of a stand-in at a TCP address. The test may be
// nil.
func newClient(t TB, control string) (*Client, error) {
	if t == nil {
		t = silent{}
	}
	c := &Client{about: about{Control: control}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		stop: func() {}}
	c.World = World{do: c.act, t: t}
	resp, err := c.http.Get("http://" + control + "/about")
	if err != nil {
		return nil, fmt.Errorf("stand-in at %s: %w", control, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&c.about); err != nil {
		return nil, fmt.Errorf("stand-in at %s: %w", control, err)
	}
	c.about.Control = control
	return c, nil
}

func (c *Client) act(ctx context.Context, a Action) (Result, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return Result{}, fmt.Errorf("action %s: %w", a.Do, err)
	}
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+c.about.Control+"/act", bytes.NewReader(b))
	if err != nil {
		return Result{}, fmt.Errorf("action %s: %w", a.Do, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return Result{}, fmt.Errorf("action %s: %w", a.Do, err)
	}
	defer resp.Body.Close()
	var r outcome
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return Result{}, fmt.Errorf("action %s: %w", a.Do, err)
	}
	switch {
	case r.Refused:
		return r.Result, refuse("%s", strings.TrimPrefix(r.Error, errRefused.Error()+": "))
	case r.Error != "":
		return r.Result, errors.New(r.Error)
	}
	return r.Result, nil
}

// Addr is where the bot finds Discord.
func (c *Client) Addr() string { return c.about.Addr }

// Token is the bot's token, without "Bot ".
func (c *Client) Token() string { return c.about.Token }

// Feed gives the events of a member until the context ends.
func (c *Client) Feed(ctx context.Context, member string) (<-chan Event, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+c.about.Control+"/feed?as="+url.QueryEscape(member), nil)
	if err != nil {
		return nil, fmt.Errorf("feed of %s: %w", member, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("feed of %s: %w", member, err)
	}
	events := make(chan Event, 100)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var e Event
			data, ok := bytes.CutPrefix(line, []byte("data: "))
			if !ok || json.Unmarshal(data, &e) != nil {
				continue
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, nil
}

// close lets go of the stand-in, and ends it where Spawn started it.
func (c *Client) close() {
	c.stop()
	c.http.CloseIdleConnections()
}
