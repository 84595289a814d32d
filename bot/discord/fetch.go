package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tengen/bot/chat"
)

// fetchHosts are where Discord keeps what members attach. Nothing is fetched from
// anywhere else.
var fetchHosts = map[string]bool{"cdn.discordapp.com": true, "media.discordapp.net": true}

// fetchTime is how long fetching a file may take.
const fetchTime = 3 * time.Second

// Fetch makes a chat.Fetcher. It fetches by https from Discord's own hosts alone, follows no
// redirect, and takes at most chat.LargestFile bytes.
func Fetch(transport http.RoundTripper) chat.Fetcher {
	client := &http.Client{Transport: transport, Timeout: fetchTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirected") }}
	return func(ctx context.Context, f chat.FileTarget) ([]byte, error) {
		u, err := url.Parse(f.URL)
		if err != nil || u.Scheme != "https" || !fetchHosts[u.Host] || u.User != nil {
			return nil, errors.New("fetching a file: not on a host of Discord")
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, errors.New("fetching a file: bad address")
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, fmt.Errorf("fetching a file: %w", errors.Unwrap(err)) // the address is signed: not for the log
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("fetching a file: status %d", resp.StatusCode)
		}
		data, err := io.ReadAll(io.LimitReader(resp.Body, chat.LargestFile+1))
		if err != nil {
			return nil, fmt.Errorf("fetching a file: %w", err)
		}
		if len(data) > chat.LargestFile {
			return nil, errors.New("fetching a file: too large")
		}
		return data, nil
	}
}
