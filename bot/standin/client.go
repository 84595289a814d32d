package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Client acts in a stand-in of another process.
type Client struct {
	World
	about about
	http  *http.Client
	stop  func()
}

// newClient reaches the Control of a stand-in.
func newClient(t TB, at about, stop func()) *Client {
	c := &Client{about: at, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, stop: stop}
	c.World = World{do: c.act, t: t}
	return c
}

func (c *Client) act(ctx context.Context, a Action) (Result, error) {
	r, err := c.post(ctx, a)
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("action %s: %w", a.Do, err)
	case r.Refused:
		return r.Result, refuse("%s", strings.TrimPrefix(r.Error, errRefused.Error()+": "))
	case r.Error != "":
		return r.Result, errors.New(r.Error)
	}
	return r.Result, nil
}

func (c *Client) post(ctx context.Context, a Action) (r outcome, err error) {
	b, err := json.Marshal(a)
	if err != nil {
		return r, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+c.about.Control+"/act", bytes.NewReader(b))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	return r, json.NewDecoder(resp.Body).Decode(&r)
}

// Addr is where the bot finds Discord.
func (c *Client) Addr() string { return c.about.Addr }

// Token is the bot's token, without "Bot ".
func (c *Client) Token() string { return c.about.Token }

// close lets go of the stand-in, and ends it where Spawn started it.
func (c *Client) close() {
	c.stop()
	c.http.CloseIdleConnections()
}
