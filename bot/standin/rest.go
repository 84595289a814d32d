package standin

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	routeCommands      = "/applications/{application_id}/commands"
	routeGuildCommands = "/applications/{application_id}/guilds/{guild_id}/commands"
	routeMessages      = "/channels/{channel_id}/messages"
	routeMessage       = "/channels/{channel_id}/messages/{message_id}"
	routeHook          = "/webhooks/{webhook_id}/{webhook_token}"
	routeHookMsg       = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
	routeOriginal      = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
	routeToken         = "/oauth2/token"
	routeRevoke        = "/oauth2/token/revoke"
	routeCallback      = "/interactions/{interaction_id}/{interaction_token}/callback"
)

// agent is the form of a bot's User-Agent: the address of its library and a version, then what
// it likes.
var agent = regexp.MustCompile(`^DiscordBot \(https?://[^ ,]+, [^ )]+\)( .*)?$`)

// call is one REST call on its way.
type call struct {
	s           *Server
	w           http.ResponseWriter
	r           *http.Request
	method      string
	route       string
	version     int
	raw         []byte // JSON body, or payload_json
	files       []upload
	fields      url.Values // of a form of OAuth2
	received    time.Time
	status      int
	code        int
	interaction string // id
	callback    int    // type
	created     bool   // answered by 201
}

// ServeHTTP serves everything: the REST API below /api, the gateway, and
// attachments.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		s.serveGateway(w, r)
	case strings.HasPrefix(r.URL.Path, "/attachments/"):
		s.ServeMedia(w, r)
	case strings.HasPrefix(r.URL.Path, "/emojis/"):
		s.ServeEmoji(w, r)
	case strings.HasPrefix(r.URL.Path, "/api"):
		s.serveAPI(w, r)
	default:
		c := &call{s: s, w: w, r: r}
		c.fail(errNotFound)
	}
}

// ServeMedia serves attachments at /attachments/CHANNEL/ID/NAME.
func (s *Server) ServeMedia(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/")
	s.mu.Lock()
	var data []byte
	var kind string
	if len(parts) == 3 {
		if b := s.blobs[parts[1]]; b != nil && b.channel == parts[0] {
			data, kind = b.data, b.ctype
		}
	}
	s.mu.Unlock()
	if kind == "" {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	if c := (&call{s: s, w: w, r: r}); c.slowed() {
		return
	}
	writeFile(w, kind, data)
}

// writeFile answers with a file that never changes; net/http leaves its content out for a HEAD.
func writeFile(w http.ResponseWriter, kind string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "private, max-age=31536000")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(data)
}

// slowed gives a download the fault of the plan, if there is one. It is true where that was
// the answer.
func (c *call) slowed() bool {
	fault, faulty := c.s.faults.call(c.r.Method, "/attachments", false)
	if faulty && fault.Kind == Slow {
		c.s.sleep(fault.duration())
	} else if faulty {
		c.writeFault(fault)
		return true
	}
	return false
}

// findRoute finds a path in the table and fills in the request's path values. known says that
// the path is there, if not with the request's method.
func findRoute(r *http.Request, path string) (_ *route, known bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i := range routes {
		e := &routes[i]
		if !e.matches(parts) {
			continue
		}
		known = true
		if e.method != r.Method {
			continue
		}
		for j, p := range e.parts {
			if name, ok := strings.CutPrefix(p, "{"); ok {
				r.SetPathValue(strings.TrimSuffix(name, "}"), parts[j])
			}
		}
		return e, true
	}
	return nil, known
}

func (e *route) matches(parts []string) bool {
	if len(parts) != len(e.parts) {
		return false
	}
	for i, p := range e.parts {
		if p != parts[i] && !strings.HasPrefix(p, "{") {
			return false
		}
	}
	return true
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	c := &call{s: s, w: w, r: r, method: r.Method, version: 9}
	path := strings.TrimPrefix(r.URL.Path, "/api")
	if rest, ok := strings.CutPrefix(path, "/v"); ok {
		n, tail, _ := strings.Cut(rest, "/")
		c.version, _ = strconv.Atoi(n)
		path = "/" + tail
		if c.version != 9 && c.version != 10 {
			c.fail(apiError(400, 50041, "Invalid API version provided"))
			return
		}
	}
	e, known := findRoute(r, path)
	if e == nil {
		io.Copy(io.Discard, r.Body)
		if known {
			c.fail(errMethod)
		} else {
			c.fail(errNotFound)
		}
		return
	}
	c.route = e.pattern
	if err := c.read(); err != nil {
		c.fail(err)
		s.keepCall(c, "")
		return
	}
	c.received = time.Now()
	c.serve(e)
}

// serve runs a call whose body has been read.
func (c *call) serve(e *route) {
	s := c.s
	fault, faulty := s.faults.call(c.method, c.route, len(c.files) > 0)
	if fault.Kind == RefuseEmoji && !c.holdsEmoji() {
		fault, faulty = CallFault{}, false
	}
	defer func() { s.keepCall(c, string(fault.Kind)) }()
	s.sleep(s.opts.Latency / 2)
	if !agent.MatchString(c.r.UserAgent()) {
		c.fail(errBlocked)
		return
	}
	auth := c.r.Header.Get("Authorization")
	if byMember := e.pattern == "/users/@me" && s.knows(auth); !e.open() && !byMember && !s.validToken(auth) {
		c.fail(errUnauthorized)
		return
	}
	if faulty && !fault.after() {
		c.writeFault(fault)
		return
	}
	if !s.limiter.enter(c) {
		return
	}
	answer, err := c.run(e)
	s.sleep(s.opts.Latency - s.opts.Latency/2)
	switch {
	case faulty && fault.Kind == Slow:
		s.sleep(fault.duration())
	case faulty && (fault.Kind == ListEmpty || fault.Kind == ListPartial):
		answer = fault.shown(answer)
	case faulty && err == nil:
		c.writeFault(fault)
		return
	}
	c.finish(answer, err)
}

// after reports whether the effect of the call happens in spite of the fault.
func (f CallFault) after() bool {
	switch f.Kind {
	case TimeoutAfter, ErrorAfter, DropAfter, Slow, ListEmpty, ListPartial:
		return true
	}
	return false
}

func (c *call) run(e *route) (any, error) {
	s := c.s
	var words string
	if s.opts.Checker != nil && !s.opts.Unchecked && len(c.raw) > 0 {
		if err := s.opts.Checker.Check(c.method, c.route, c.raw); err != nil {
			words = err.Error()
		}
	}
	answer, err := any(nil), error(nil)
	if !s.opts.Unchecked && len(c.raw) > 0 {
		err = CheckBody(c.method, c.route, c.raw)
	}
	if err == nil {
		answer, err = e.run(s, c)
	}
	var de *Error
	if errors.As(err, &de) && !excused(de.Problems) && (de.Code == 50035 || de.Code == 50006 || de.Code == 50109) ||
		words != "" {
		v := Violation{Method: c.method, Route: c.route, Words: words}
		if de != nil {
			v.Problems = de.Problems
			if len(v.Problems) == 0 {
				v.Problems = []Problem{{"", strconv.Itoa(de.Code), de.Message}}
			}
		}
		s.violated(v)
	}
	return answer, err
}

func (c *call) finish(answer any, err error) {
	switch {
	case err != nil:
		c.fail(err)
	case answer == nil:
		c.status = http.StatusNoContent
		c.w.WriteHeader(c.status)
	case c.created:
		c.send(http.StatusCreated, answer)
	default:
		c.send(http.StatusOK, answer)
	}
}

func (s *Server) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// keepCall keeps the outcome of a call.
func (s *Server) keepCall(c *call, fault string) {
	out := Call{Method: c.method, Route: c.route, Path: c.path(), Interaction: c.interaction, Status: c.status,
		Code: c.code, Fault: fault, Type: c.callback, Received: c.received, Answered: time.Now()}
	s.mu.Lock()
	s.stats.Calls++
	if fault != "" {
		s.stats.Faults++
	}
	switch c.status {
	case 401, 403:
		s.stats.Invalid++
	case 429:
		s.stats.Invalid++
		s.stats.RateLimited++
	}
	s.calls = append(s.calls, out)
	if len(s.calls) > 2*keepCalls {
		s.calls = append(s.calls[:0], s.calls[keepCalls:]...)
	}
	s.mu.Unlock()
	if s.opts.Called != nil {
		s.opts.Called(out)
	}
}

const keepCalls = 2000

// path is the call's path without an interaction's token.
func (c *call) path() string {
	p := c.route
	for _, name := range []string{"channel_id", "message_id", "guild_id", "emoji_id", "interaction_id",
		"application_id", "user_id", "webhook_id"} {
		if v := c.r.PathValue(name); v != "" {
			p = strings.ReplaceAll(p, "{"+name+"}", v)
		}
	}
	return p
}

func (c *call) fail(err error) {
	var of *oauthError
	if errors.As(err, &of) {
		c.send(of.status, map[string]string{"error": of.name})
		return
	}
	var de *Error
	if !errors.As(err, &de) {
		de = apiError(500, 0, err.Error())
	}
	c.code = de.Code
	c.send(de.Status, de)
}

func (c *call) send(status int, v any) {
	b := raw(v)
	c.status = status
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	c.w.WriteHeader(status)
	c.w.Write(b)
}

// read takes the body: JSON, or a form with payload_json and files.
func (c *call) read() error {
	defer c.r.Body.Close()
	body := http.MaxBytesReader(nil, c.r.Body, maxRequestSize+1<<20)
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return c.form(multipart.NewReader(body, params["boundary"]))
	}
	b, err := io.ReadAll(body)
	var tooBig *http.MaxBytesError
	if errors.As(err, &tooBig) {
		return errTooLarge
	}
	if err != nil {
		return errBadJSON
	}
	if c.route == routeToken || c.route == routeRevoke {
		if kind != "application/x-www-form-urlencoded" {
			return &oauthError{400, "invalid_request"}
		}
		if c.fields, err = url.ParseQuery(string(b)); err != nil {
			return &oauthError{400, "invalid_request"}
		}
		return nil
	}
	if len(b) > 0 && kind != "application/json" {
		return invalidForm(Problem{"", "CONTENT_TYPE_INVALID",
			`Expected "Content-Type" header to be one of {'application/json', 'multipart/form-data'}.`})
	}
	c.raw = b
	return nil
}

func (c *call) form(m *multipart.Reader) error {
	total := 0
	for {
		part, err := m.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errBadJSON
		}
		data, err := io.ReadAll(part)
		total += len(data)
		if err != nil || total > maxRequestSize {
			return errTooLarge
		}
		name := part.FormName()
		if name == "payload_json" {
			c.raw = data
			continue
		}
		if part.FileName() == "" {
			continue
		}
		if len(data) > MaxFileSize {
			return errTooLarge
		}
		index := strings.Trim(strings.TrimPrefix(strings.TrimPrefix(name, "files"), "file"), "[]")
		if index == "" {
			index = strconv.Itoa(len(c.files))
		}
		c.files = append(c.files, upload{index, part.FileName(), part.Header.Get("Content-Type"), data})
	}
}
