package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// secretText is how a secret stands in an address or a cookie.
var secretText = base64.RawURLEncoding.Strict()

// readSecret fills a secret from its text. It is false where the text is none.
func readSecret(secret []byte, text string) bool {
	if len(text) != secretText.EncodedLen(len(secret)) {
		return false
	}
	b, err := secretText.DecodeString(text)
	if err != nil {
		return false
	}
	copy(secret, b)
	return true
}

// Link gives an address that opens a match for a member: once, and within two minutes. Its secret stands behind the #,
// which browsers do not send: whoever merely fetches the address uses nothing up.
func (s *Server) Link(ctx context.Context, by game.MemberID, id game.MatchID) (string, error) {
	var secret storage.Secret
	_, _ = rand.Read(secret[:]) // never fails
	if err := s.Store.Link(ctx, secret, by, id, s.Now()); err != nil {
		return "", err
	}
	return s.URL + "/board#" + secretText.EncodeToString(secret[:]), nil
}

// End ends all of a member's pages: here at once, in other processes when these look again.
func (s *Server) End(ctx context.Context, by game.MemberID) error {
	err := s.Store.EndPasses(ctx, by, s.Now())
	s.boards.each(func(c *client) {
		if c.member() == by {
			c.bye("bye.ended", false)
		}
	})
	return err
}

// linksOff is the value of a server's view.MoreLinks by which none of its games may be shared.
const linksOff = "off"

// Shared gives the address under which everybody may look at a match, or ends it where on is false.
func (s *Server) Shared(ctx context.Context, by game.MemberID, id game.MatchID, on bool) (string, error) {
	if !on {
		err := s.Store.Unshare(ctx, id)
		s.boards.unshared(id)
		return "", err
	}
	rec, err := s.Store.Match(ctx, id)
	switch {
	case err != nil:
		return "", err
	case !view.Sits(rec.Match, by):
		return "", &game.Refusal{Code: game.NotSeated}
	case rec.Phase == game.Offered || rec.First == game.Empty:
		return "", view.No("refused.notShared")
	}
	if off, err := s.forbidsLinks(ctx, rec); err != nil || off {
		if err == nil {
			err = view.No("refused.linksOff")
		}
		return "", err
	}
	var fresh storage.ShareSecret
	_, _ = rand.Read(fresh[:]) // never fails
	secret, err := s.Store.Share(ctx, id, fresh)
	if err != nil {
		return "", err
	}
	return s.URL + "/g/" + secretText.EncodeToString(secret[:]), nil
}

// LinksOff ends the sharing of all matches of a server: no link of before is good when sharing is allowed again.
func (s *Server) LinksOff(ctx context.Context, server uint64) error {
	err := s.Store.UnshareAll(ctx, server)
	s.boards.each(func(c *client) {
		if b := c.looksAt(); c.share != "" && b != nil && b.place().Server == server {
			c.none()
		}
	})
	return err
}

func (s *Server) forbidsLinks(ctx context.Context, rec storage.Record) (bool, error) {
	if rec.Place.Server == 0 {
		return false, nil
	}
	server, err := s.Store.Server(ctx, rec.Place.Server)
	return err == nil && server.More[view.MoreLinks] == linksOff, err
}

// shared is the match that a secret shares; storage.ErrNotFound where it shares none, or not any more.
func (s *Server) shared(ctx context.Context, text string) (rec storage.Record, err error) {
	var secret storage.ShareSecret
	if !readSecret(secret[:], text) {
		return rec, storage.ErrNotFound
	}
	id, err := s.Store.Shared(ctx, secret)
	if err != nil {
		return rec, err
	}
	if rec, err = s.Store.Match(ctx, id); err != nil {
		return rec, err
	}
	off, err := s.forbidsLinks(ctx, rec)
	if err == nil && off {
		err = storage.ErrNotFound
	}
	return rec, err
}

// cookieName is that of the pass of a member's own browser: __Host- keeps it to this host and to https.
const cookieName = "__Host-tengen"

// sameOrigin reports whether a request comes from a page of this server.
func (s *Server) sameOrigin(r *http.Request) bool { return r.Header.Get("Origin") == s.URL }

// pass trades the secret of a link for a cookie.
func (s *Server) pass(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Secret string `json:"secret"`
		N      string `json:"n"` // a random number of the page
	}
	var link, pass storage.Secret
	var number [16]byte
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostMessage))
	if !s.bounds.ask(s.address(r), s.Now()) {
		tooMany(w)
		return
	}
	if err != nil || !s.sameOrigin(r) || json.Unmarshal(body, &asked) != nil || !readSecret(link[:], asked.Secret) {
		notFound(w, r)
		return
	}
	if readSecret(number[:], asked.N) { // the page asks again where it has not heard the answer: the pass is the same
		pass = sha256.Sum256(append(link[:], number[:]...))
	} else {
		_, _ = rand.Read(pass[:]) // never fails
	}
	was, err := s.Store.Trade(r.Context(), link, pass, s.Now())
	if err != nil {
		s.missing(w, r, "trading a link", err)
		return
	}
	http.SetCookie(w, s.cookie(pass))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"match": view.Key(was.Match)})
}

// cookie keeps a pass in a browser for as long as it is good from now on.
func (s *Server) cookie(pass storage.Secret) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: secretText.EncodeToString(pass[:]), Path: "/",
		MaxAge: int(storage.PassLife.Seconds()), HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode}
}

// bearer is the member of a request's cookie, and the pass in it; 0 where it has none that is good. The cookie counts
// for nothing in what comes from other pages.
func (s *Server) bearer(r *http.Request) (by game.MemberID, pass storage.Secret, err error) {
	cookie, err := r.Cookie(cookieName)
	if err != nil || !s.sameOrigin(r) || !readSecret(pass[:], cookie.Value) {
		return 0, pass, nil
	}
	if by, err = s.Store.Bearer(r.Context(), pass, s.Now()); errors.Is(err, storage.ErrNotFound) {
		err = nil
	}
	s.trouble("looking at a pass", err)
	return by, pass, err
}

// missing answers that something is not there, or that this is not known.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, what string, err error) {
	if errors.Is(err, storage.ErrNotFound) {
		notFound(w, r)
		return
	}
	s.trouble(what, err)
	unavailable(w)
}

// trouble logs an error that is none of who asks.
func (s *Server) trouble(what string, err error) {
	if err != nil && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, context.Canceled) {
		s.Log.Error("page: "+what, "err", err)
	}
}

// passes are those of Activities: in memory alone, by their text.
type passes struct {
	mu  sync.Mutex
	all map[string]activityPass
}

type activityPass struct {
	by       game.MemberID // 0: it is none
	instance string
	proven   time.Time // when Discord said who it is; a pass that is renewed keeps this time
	ends     time.Time
}

// activityLife is how long the pass of an Activity is good, and mostPasses how many there are.
const (
	activityLife = storage.MemoryLife
	mostPasses   = 50_000
)

// signedOut reports whether the member has ended the pass, in whichever process.
func (s *Server) signedOut(ctx context.Context, a activityPass) (bool, error) {
	if a.by == 0 {
		return false, nil
	}
	at, err := s.Store.PassesEnded(ctx, a.by, s.Now())
	return !a.proven.After(at), err
}

// give keeps a pass, and gives its text.
func (p *passes) give(given activityPass, now time.Time) string {
	text := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) >= mostPasses {
		for other, a := range p.all {
			if !now.Before(a.ends) {
				delete(p.all, other)
			}
		}
	}
	if p.all == nil || len(p.all) >= mostPasses {
		p.all = map[string]activityPass{}
	}
	p.all[text] = given
	return text
}

// bearer gives a pass of an instance; none where it is not good.
func (p *passes) bearer(text, instance string, now time.Time) activityPass {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.all[text]; text != "" && a.instance == instance && now.Before(a.ends) {
		return a
	}
	return activityPass{}
}
