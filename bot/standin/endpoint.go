package standin

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Interactions go to the application's endpoint where one is set: signed, one POST each,
// never sent again. An interaction that the endpoint answers late, or with anything but 202,
// has failed for the member at once. The stand-in takes no answer in the response itself.

// verifyWithin is how long the endpoint has for each question when it is set.
const verifyWithin = 5 * time.Second

// poster sends to the endpoint and signs what it sends.
type poster struct {
	key    ed25519.PrivateKey
	client *http.Client
}

// newPoster derives the application's key from its name: it is the same in every stand-in.
func newPoster(bot string, dial dialFunc) poster {
	seed := sha256.Sum256([]byte("stand-in key of " + bot))
	return poster{ed25519.NewKeyFromSeed(seed[:]), &http.Client{
		Transport: &http.Transport{DialContext: toEndpoint(dial), MaxIdleConnsPerHost: 256,
			IdleConnTimeout: 90 * time.Second, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// toEndpoint dials the endpoint with dial or, where that is nil, at its address, which must be
// on the loopback interface.
func toEndpoint(dial dialFunc) func(context.Context, string, string) (net.Conn, error) {
	if dial != nil {
		return dial.always
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return nil, fmt.Errorf("%s is not on the loopback interface", address)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
}

// PublicKey is the application's key, by which the endpoint verifies what it gets.
func (s *Server) PublicKey() ed25519.PublicKey { return s.poster.key.Public().(ed25519.PublicKey) }

// Sign makes a request to the endpoint as Discord would sign it at that time. A test changes
// something about it and sends it.
func (s *Server) Sign(ctx context.Context, url string, body []byte, at time.Time) (*http.Request, error) {
	return s.poster.request(ctx, url, body, at)
}

func (p poster) request(ctx context.Context, url string, body []byte, at time.Time) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Discord-Interactions/1.0 (stand-in)")
	r.Header.Set("X-Signature-Timestamp", stamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(p.key, append([]byte(stamp), body...))))
	return r, nil
}

// post makes one request and gives the status, the content type and the start of the answer.
func (p poster) post(r *http.Request) (status int, kind string, body []byte, err error) {
	resp, err := p.client.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return resp.StatusCode, resp.Header.Get("Content-Type"), body, err
}

// setEndpoint sets the endpoint as the Developer Portal does: first it must answer a PING and
// refuse a forged one.
func (s *Server) setEndpoint(ctx context.Context, a Action) error {
	ping := raw(map[string]any{"id": s.id(), "application_id": s.app, "type": 1, "token": s.pingToken(), "version": 1,
		"user": s.botUser()})
	return s.setURL(ctx, &s.opts.Endpoint, "interactions_endpoint_url", a.Text, ping, func(status int, body []byte) bool {
		var answer struct {
			Type int `json:"type"`
		}
		return status == http.StatusOK && json.Unmarshal(body, &answer) == nil && answer.Type == 1
	})
}

// setURL sets one of the application's addresses once what is there has answered a PING as it must, and refused a
// forged one.
func (s *Server) setURL(ctx context.Context, at *string, field, to string, ping []byte,
	pong func(status int, body []byte) bool) error {
	if to != "" {
		if u, err := url.Parse(to); err != nil || u.Host == "" {
			return refuse("%s: Not a well formed URL.", field)
		}
		ctx, cancel := context.WithTimeout(ctx, verifyWithin)
		defer cancel()
		if err := s.verify(ctx, to, ping, pong); err != nil {
			return refuse("%s: The specified url could not be verified: %v", field, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*at = to
	s.changed()
	return nil
}

func (s *Server) verify(ctx context.Context, to string, ping []byte, pong func(status int, body []byte) bool) error {
	good, err := s.poster.request(ctx, to, ping, time.Now())
	if err != nil {
		return err
	}
	status, kind, body, err := s.poster.post(good)
	switch {
	case err != nil:
		return plain(err)
	case !pong(status, body):
		return fmt.Errorf("a PING was answered by %d %q", status, body)
	case !strings.HasPrefix(kind, "application/json"):
		return fmt.Errorf("PONG came as %q", kind)
	}
	forged, err := s.poster.request(ctx, to, ping, time.Now())
	if err != nil {
		return err
	}
	forged.Header.Set("X-Signature-Ed25519", strings.Repeat("5e", ed25519.SignatureSize))
	if status, _, _, err := s.poster.post(forged); err != nil || status != http.StatusUnauthorized {
		return errors.Join(plain(err), fmt.Errorf("a forged PING was answered by %d", status))
	}
	return nil
}

func (s *Server) pingToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newToken("ping")
}

// plain is a network error without the address that http.Client puts before it.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// send posts an interaction to the endpoint; the caller holds s.mu.
func (s *Server) send(i *interaction, encoded json.RawMessage) {
	to := s.opts.Endpoint
	s.served.Go(func() {
		s.sleep(s.opts.Latency / 2)
		ctx, cancel := context.WithTimeout(s.ctx, s.opts.AnswerWithin)
		defer cancel()
		status := 0
		// The signature holds the machine's time, which is the bot's too: the stand-in's clock
		// may have been put forward.
		r, err := s.poster.request(ctx, to, encoded, time.Now())
		if err == nil {
			s.writing(i)
			status, _, _, err = s.poster.post(r)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.stats.Posts == nil {
			s.stats.Posts = map[int]int{}
		}
		s.stats.Posts[status]++
		if err != nil || status != http.StatusAccepted {
			i.timer.Stop()
			s.expire(i)
		}
	})
}
