package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/discord/pace"
)

// callLimit bounds one HTTP exchange.
const callLimit = 15 * time.Second

// reply is what Discord said to one call.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// wire makes the calls to Discord's REST interface. A discordgo session makes the request, and wire
// keeps the status and the headers, which the session does not give.
type wire struct {
	session *discordgo.Session
	secrets []string // scrubbed from every error
}

// newWire makes a wire with a bot's token. Without a transport (nil) it uses the network.
func newWire(token string, by http.RoundTripper) (wire, error) {
	if by == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64
		by = t
	}
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return wire{}, err
	}
	s.Client = &http.Client{Transport: noter{transport{by}}, Timeout: callLimit}
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	s.StateEnabled = false
	s.LogLevel = -1 // a call returns what there is to log
	// library, then program: see Discord's reference
	s.UserAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, " + discordgo.VERSION + ") tengen"
	return wire{session: s, secrets: []string{token}}, nil
}

// keptKey is the key of the *reply in a call's context that noter fills.
type keptKey struct{}

// noter notes the status and the headers of a response for its call. It hides the rate limit
// headers from discordgo, whose limiter fails where it cannot read one.
type noter struct{ transport }

func (k noter) RoundTrip(q *http.Request) (*http.Response, error) {
	p, err := k.RoundTripper.RoundTrip(q)
	kept, _ := q.Context().Value(keptKey{}).(*reply)
	if err != nil || kept == nil {
		return p, err
	}
	kept.status, kept.header = p.StatusCode, p.Header
	visible := p.Header.Clone()
	for name := range visible {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			delete(visible, name)
		}
	}
	p.Header = visible
	return p, nil
}

// call is one request to Discord, by a path below the API's root.
type call struct {
	method, path string
	payload      any
	files        []body.File
	public       bool       // made by an interaction's token, and so without the bot's own
	secret       string     // the interaction's token in the path
	bearer       string     // a member's token, in place of the bot's own
	fields       url.Values // in place of payload: a form
	server       uint64     // of the channel in the path, where it is known
}

// do makes the call once. Each call has a discordgo limiter of its own, which is then thrown away.
// With a shared one the calls of a bucket would wait for one another's round trips, and it would
// keep a bucket, with a token in its name, for each interaction.
func (w wire) do(ctx context.Context, c call) (reply, error) {
	contentType, content, err := "", []byte(nil), error(nil)
	if c.payload != nil {
		if contentType, content, err = body.Encode(c.payload, c.files); err != nil {
			return reply{}, &chat.Error{Trouble: chat.Refused, Text: "encoding the body: " + err.Error()}
		}
	}
	if c.fields != nil {
		contentType, content = "application/x-www-form-urlencoded", []byte(c.fields.Encode())
	}
	var kept reply
	ctx = context.WithValue(ctx, keptKey{}, &kept)
	options := []discordgo.RequestOption{discordgo.WithContext(ctx)}
	if c.public {
		options = append(options, func(cfg *discordgo.RequestConfig) { cfg.Request.Header.Del("Authorization") })
	}
	if c.bearer != "" {
		options = append(options, discordgo.WithHeader("Authorization", "Bearer "+c.bearer))
	}
	bucket := discordgo.NewRatelimiter().LockBucket("")
	kept.body, err = w.session.RequestWithLockedBucket(c.method, discordgo.EndpointAPI+c.path, contentType, content,
		bucket, 0, options...)
	if kept.status >= 200 && kept.status < 300 && err == nil {
		return kept, nil
	}
	return kept, w.trouble(kept, err, c.secret)
}

// trouble makes a chat.Error of a failed call. Its text holds no token.
func (w wire) trouble(r reply, err error, secret string) *chat.Error {
	e := &chat.Error{Trouble: chat.Failed, Code: r.status}
	var said struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
		After   float64         `json:"retry_after"`
	}
	content := r.body
	var rest *discordgo.RESTError
	if errors.As(err, &rest) {
		content = rest.ResponseBody
	}
	var limit *discordgo.RateLimitError
	if errors.As(err, &limit) && limit.RateLimit != nil && limit.TooManyRequests != nil {
		said.Message, e.After = limit.Message, limit.RetryAfter
	} else {
		json.Unmarshal(content, &said)
		e.After = time.Duration(said.After * float64(time.Second))
	}
	switch {
	case r.status == 0:
		e.Text, e.Unsent = plain(err).Error(), unsent(err)
	case said.Message != "":
		e.Text = body.Cut(strings.TrimSpace(said.Message+" "+string(said.Errors)), 600)
	default:
		e.Text = "HTTP " + strconv.Itoa(r.status)
	}
	e.Archived = said.Code == codeArchived
	e.Text = w.scrub(e.Text, secret)
	if said.Code != 0 {
		e.Code = said.Code
	}
	e.Trouble = troubleOf(r.status, said.Code)
	if said.Code == cloudflare || r.status == http.StatusForbidden && !json.Valid(content) {
		e.Trouble, e.Code, e.After = chat.Busy, cloudflare, max(e.After, blockedFor)
	}
	if e.Trouble == chat.Busy {
		e.After = max(e.After, pace.Seconds(r.header.Get("Retry-After")), 100*time.Millisecond)
	}
	return e
}

// Cloudflare stands before Discord. Where it turns a call away, it does so with all calls from
// this address for a while: no permission is missing.
const (
	cloudflare = 40333 // Discord's code for it; it may also answer 403 with a page
	blockedFor = 30 * time.Second
)

// filesRefused reports whether Discord has refused a message because of its files, or may
// have: as text it may be taken.
func filesRefused(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && (e.Trouble == chat.Locked || e.Trouble == chat.Refused) && fileCodes[e.Code]
}

// fileCodes are the codes with which Discord refuses files.
var fileCodes = map[int]bool{
	http.StatusForbidden:             true, // without a code of Discord's own
	http.StatusRequestEntityTooLarge: true,
	40005:                            true, // too large
	50013:                            true, // missing permission: to attach files, where the text is not refused too
	50045:                            true, // larger than the place allows
	50046:                            true, // invalid file
	400001:                           true, // uploads have been limited for the server
}

// scrub removes the tokens from a text.
func (w wire) scrub(text, secret string) string {
	for _, s := range append([]string{secret}, w.secrets...) {
		if s != "" {
			text = strings.ReplaceAll(text, s, "…")
			text = strings.ReplaceAll(text, url.PathEscape(s), "…")
		}
	}
	return text
}

// plain is the cause of a network error, without the address, which may hold a token.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if err == nil {
		err = errors.New("no answer")
	}
	return err
}

// unsent reports whether a call certainly did not reach Discord.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// troubles are the troubles of Discord's error codes.
var troubles = map[int]chat.Trouble{
	10003:  chat.NoPlace, // unknown channel
	10004:  chat.NoPlace, // unknown server
	10008:  chat.Gone,    // unknown message
	10015:  chat.Lapsed,  // unknown webhook: an interaction's token that has expired
	10062:  chat.Lapsed,  // unknown interaction
	10070:  chat.Gone,    // unknown listing
	20016:  chat.Busy,    // slow mode
	20028:  chat.Busy,    // the channel's rate limit
	30046:  chat.TooOld,  // the limit of edits to messages older than an hour
	40004:  chat.Locked,  // sending is switched off for now
	40060:  chat.Answered,
	40094:  chat.Lapsed, // an interaction's token that has made all the follow-ups that it may
	40062:  chat.Busy,
	50001:  chat.NoPlace, // missing access
	50005:  chat.Gone,    // another's message: of the application that had the store before
	50007:  chat.Locked,  // the member takes no direct messages
	50008:  chat.Locked,  // not in a channel of this type
	50013:  chat.Locked,  // missing permission
	50021:  chat.Locked,  // a system message
	50024:  chat.Locked,  // not on a channel of this type
	50027:  chat.Lapsed,  // invalid webhook token
	50083:  chat.Locked,  // archived thread
	130000: chat.Failed,  // overloaded
	160005: chat.Locked,  // locked thread
	160006: chat.Locked,  // too many threads
	200000: chat.Locked,  // the server's own filter
	200001: chat.Locked,
	180000: chat.Gone, // a listing that is over
	220001: chat.Locked,
	400001: chat.Locked, // no files in this server
}

// troubleOf judges a response by Discord's code, then by its HTTP status.
func troubleOf(status, code int) chat.Trouble {
	if t, ok := troubles[code]; ok && status != http.StatusTooManyRequests {
		return t
	}
	switch {
	case status == http.StatusTooManyRequests:
		return chat.Busy
	case status == http.StatusForbidden:
		return chat.Locked
	case status == http.StatusNotFound:
		return chat.Gone
	case status >= 400 && status < 500:
		return chat.Refused
	}
	return chat.Failed
}

// get reads a JSON answer into v. at is when it was given by Discord's clock; zero: it does not say.
func (w wire) get(ctx context.Context, path string, v any) (at time.Time, err error) {
	r, err := w.do(ctx, call{method: http.MethodGet, path: path})
	if err != nil {
		return at, err
	}
	at, _ = http.ParseTime(r.header.Get("Date"))
	if err := json.Unmarshal(r.body, v); err != nil {
		return at, fmt.Errorf("reading Discord's answer: %w", err)
	}
	return at, nil
}
