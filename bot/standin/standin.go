package standin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// DefaultToken is the bot's token where Options name no other.
const DefaultToken = "MTAw.stand-in.token"

const (
	cdnBase   = "https://cdn.discordapp.com"
	mediaBase = "https://media.discordapp.net"
	gateway   = "wss://gateway.discord.gg"

	resumeHost = "gateway-stand-in.discord.gg" // where a session is resumed: Discord gives another address for that
)

// Options configure a stand-in. The zero value is a server "Club" with the
// channels #general, #gomoku, #renju and #reversi, the bot in it, body checks
// on, rate limits, faults and latency off, reached over in-memory pipes.
type Options struct {
	Listener  net.Listener `json:"-"` // nil: pipes of its own
	Token     string       // the bot's, without "Bot "; "": DefaultToken
	BotName   string       // "": tengen
	NoGuild   bool         // start without the server "Club"
	BotAbsent bool         // the bot is not in "Club"

	Shards int // that /gateway/bot advises; 0: 1
	// the application's interactions endpoint, as if it had been verified; where set, interactions are posted there and
	// the gateway stays silent about them
	Endpoint       string
	Events         string        // where the application's events are posted, as if it had been verified
	NoUserInstall  bool          // the application cannot be installed by a member
	NoGuildInstall bool          // it cannot be installed to a server
	BareInstall    bool          // its Default Install Settings bring a server its commands without the bot
	Activity       bool          // it has an Activity, and so a command as its entry point
	ClientSecret   string        // the application's, by which it trades codes; empty: it cannot
	UsersLate      time.Duration // after which an instance's list names who has joined
	// Outdated are commands that members' clients still show although they are registered no more.
	Outdated []Command `json:"-"`

	Checker   Checker `json:"-"` // a further check of every body, as by the OpenAPI description
	Unchecked bool    // no body checks at all, for load tests
	Lenient   bool    // violations are answered and kept, but do not fail the test

	Limits  Limits        // rate limits
	Plan    Plan          // faults
	Latency time.Duration // of each call, half before and half after its effect

	AnswerWithin     time.Duration // time for the first answer to an interaction; 0: Discord's 3 s
	Heartbeat        time.Duration // interval that HELLO asks for; 0: 41.25 s
	Keep             int           // messages kept per channel; 0: 1000
	KeepBytes        int64         // bytes of attachments kept in all; 0: 256 MB
	KeepInteractions int           // interactions kept; 0: 100,000
	ResumeEvents     int           // events kept per gateway session for RESUME; 0: 4000
	Privileged       bool          // the privileged intents are granted
	OldEdits         int           // edits allowed to a message older than an hour before error 30046; 0: 3

	// an INTERACTION_CREATE frame is being written, maybe not for the first time
	Sent   func(interaction string, at time.Time) `json:"-"`
	Called func(Call)                             `json:"-"` // a REST call was answered
	Posted func(Message)                          `json:"-"` // a message was posted; must not call the server

	// the way to the endpoint; nil: by its address, on the loopback interface
	EndpointDial func(context.Context) (net.Conn, error) `json:"-"`
}

// Checker is a further check of the bodies that a bot sends. Route is the path
// with its parameters named as in Discord's description:
// /channels/{channel_id}/messages.
type Checker interface {
	Check(method, route string, body []byte) error
}

// TB is the part of testing.TB that New needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
}

// Server is a Discord of our own. Its World acts on it.
type Server struct {
	World
	opts     Options
	clock    *clock
	ids      ids
	app      string
	listener net.Listener
	dial     dialFunc
	http     *http.Server
	served   sync.WaitGroup
	stop     context.CancelFunc
	ctx      context.Context
	faults   *faults
	limiter  *limiter
	poster   poster

	mu               sync.Mutex
	rng              *rand.Rand
	closed           bool
	bot              *person
	people           map[string]*person // by id
	byName           map[string]*person
	guilds           []*guild
	channels         map[string]*channel
	directs          map[string]*channel
	given            map[string]bool // fixed ids in use or used before
	messages         map[string]*record
	nonces           map[string]*record
	blobs            map[string]*blob
	blobOrder        []*blob
	blobBytes        int64
	interactions     map[string]*interaction
	tokens           map[string]*interaction
	interactionOrder []*interaction
	failures         int
	pings            map[string][]string
	emojis           []*appEmoji
	lostEmojis       map[string]bool // ids of emojis that were deleted
	globalTable      []Command
	guildTable       map[string][]Command
	instances        map[string]*instance // of the Activity, by channel
	codes, bearers   map[string]grant     // of OAuth2
	creates          map[string]int       // commands made today, by scope
	createDay        time.Time
	sessions         map[string]*session
	conns            map[*gatewayConn]bool
	identified       map[int]time.Time // last IDENTIFY by the shard's remainder
	leastShards      int               // of an IDENTIFY; fewer are refused
	startDay         time.Time
	starts           int         // of sessions, since startDay
	tokenReset       atomic.Bool // no token is good any more
	feeds            map[*Feed]bool
	changes          chan struct{}
	violations       []Violation
	calls            []Call
	stats            Stats
	transports       []rewrite
}

// Violation is a body that Discord would refuse, or should.
type Violation struct {
	Method, Route string
	Problems      []Problem
	Words         string // of the Checker
}

// String is the violation for the log of a test: a line a problem.
func (v Violation) String() string {
	s := v.Method + " " + v.Route
	for _, p := range v.Problems {
		s += "\n\t" + p.String()
	}
	if v.Words != "" {
		s += "\n\t" + v.Words
	}
	return s
}

// Call is one REST call, as it was answered.
type Call struct {
	Method, Route string
	Path          string    `json:"path"` // without tokens
	Interaction   string    `json:"interaction,omitempty"`
	Status        int       `json:"status"`
	Code          int       `json:"code,omitempty"`  // of Discord's error
	Fault         string    `json:"fault,omitempty"` // that the plan put in
	Type          int       `json:"type,omitempty"`  // of a callback
	Received      time.Time `json:"received"`        // the whole body was there
	Answered      time.Time `json:"answered"`
}

// Stats counts what happened since the start.
type Stats struct {
	Calls         int
	Interactions  int
	Failures      int // interactions without an answer in time
	Identifies    int
	TooFast       int // of these, refused because another came less than 5 s before
	Resumes       int
	RateLimited   int
	Invalid       int // answers 401, 403 and 429, which Discord counts against an address
	GlobalPeak    int // most calls within a second that count for the global limit
	Faults        int
	Messages      int // kept now
	Attachments   int // kept now
	AttachedBytes int64
	Posts         map[int]int // requests to the endpoint by HTTP status; 0: none came
}

// Start serves a stand-in until Close.
func Start(o Options) *Server {
	s := &Server{opts: defaults(o), clock: newClock(), people: map[string]*person{}, byName: map[string]*person{},
		channels: map[string]*channel{}, directs: map[string]*channel{}, messages: map[string]*record{},
		nonces: map[string]*record{}, blobs: map[string]*blob{}, interactions: map[string]*interaction{},
		tokens: map[string]*interaction{}, guildTable: map[string][]Command{}, sessions: map[string]*session{},
		conns: map[*gatewayConn]bool{}, feeds: map[*Feed]bool{}, pings: map[string][]string{}, given: map[string]bool{},
		instances: map[string]*instance{}, codes: map[string]grant{}, bearers: map[string]grant{},
		lostEmojis: map[string]bool{}, identified: map[int]time.Time{}}
	s.rng = rand.New(rand.NewPCG(s.opts.Plan.Seed, 0x5eed))
	s.faults = newFaults(s.opts.Plan)
	s.limiter = newLimiter(s.opts.Limits)
	s.poster = newPoster(s.opts.BotName, s.opts.EndpointDial)
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.World = World{do: s.act, t: silent{}}
	s.app = s.fixedID("app", s.opts.BotName)
	name := s.opts.BotName
	s.bot = &person{User: User{ID: s.app, Username: name, Discriminator: "0", GlobalName: &name, Bot: true}}
	s.people[s.app], s.byName[name] = s.bot, s.bot
	if !s.opts.NoGuild {
		g := s.addGuild("Club", !s.opts.BotAbsent)
		for _, c := range []string{"general", "gomoku", "renju", "reversi"} {
			s.addChannel(g, c)
		}
	}
	if s.opts.Activity {
		s.globalTable = []Command{s.entryPoint()}
	}
	s.listen()
	return s
}

func defaults(o Options) Options {
	o.Keep = cmp.Or(o.Keep, 1000)
	o.KeepInteractions = cmp.Or(o.KeepInteractions, 100_000)
	o.ResumeEvents = cmp.Or(o.ResumeEvents, 4000)
	o.OldEdits = cmp.Or(o.OldEdits, 3)
	o.Shards = cmp.Or(o.Shards, 1)
	o.KeepBytes = cmp.Or(o.KeepBytes, 256<<20)
	o.AnswerWithin = cmp.Or(o.AnswerWithin, answerWithin)
	o.Heartbeat = cmp.Or(o.Heartbeat, 41250*time.Millisecond)
	o.Token = cmp.Or(o.Token, DefaultToken)
	o.BotName = cmp.Or(o.BotName, "tengen")
	return o
}

func (s *Server) listen() {
	s.listener = s.opts.Listener
	if s.listener == nil {
		s.listener = NewPipes()
	}
	if p, ok := s.listener.(*Pipes); ok {
		s.dial = p.Dial
	} else {
		s.dial = dialTCP(s.listener.Addr().String())
	}
	s.http = &http.Server{Handler: s}
	s.served.Go(func() { s.http.Serve(s.listener) })
}

// New serves a stand-in for one test: it ends with the test, and a body that
// Discord would refuse fails the test.
func New(t TB, o Options) *Server {
	t.Helper()
	s := Start(o)
	s.World.t = t
	t.Cleanup(func() {
		if f, ok := t.(interface{ Failed() bool }); ok && f.Failed() {
			t.Logf("the bot's last calls:\n%s", s.lastCalls(20))
		}
		s.Close()
	})
	return s
}

// lastCalls lists the newest calls for a test that failed.
func (s *Server) lastCalls(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, c := range s.calls[max(0, len(s.calls)-n):] {
		fmt.Fprintf(&b, "\t%s %s %s: %d", c.Received.Format("15:04:05.000"), c.Method, c.Path, c.Status)
		if c.Code != 0 {
			fmt.Fprintf(&b, " (%d)", c.Code)
		}
		if c.Fault != "" {
			fmt.Fprintf(&b, ", fault %s", c.Fault)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Close ends the stand-in and waits until nothing of it runs.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	for _, i := range s.interactionOrder {
		i.timer.Stop()
	}
	conns := slices.Collect(maps.Keys(s.conns))
	for f := range s.feeds {
		f.end()
	}
	s.changed()
	s.mu.Unlock()
	s.stop()
	for _, c := range conns {
		c.drop()
	}
	s.http.Close()
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
	s.poster.client.CloseIdleConnections()
	s.served.Wait()
}

// Addr is the address of a stand-in that listens on TCP.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Token is the bot's token, without "Bot ".
func (s *Server) Token() string { return s.opts.Token }

// AppID is the id of the application and of its bot.
func (s *Server) AppID() string { return s.app }

// Transport is for the http.Client of a discordgo session, or any other client
// of Discord's REST API; it also reaches attachments.
func (s *Server) Transport() http.RoundTripper {
	t := transport(s.dial)
	s.mu.Lock()
	s.transports = append(s.transports, t)
	s.mu.Unlock()
	return t
}

// Dialer is for the gateway connection of a discordgo session.
func (s *Server) Dialer() *websocket.Dialer { return dialer(s.dial) }

func (s *Server) now() time.Time { return s.clock.now() }
func (s *Server) id() string     { return s.ids.next(s.clock.now()) }

// changed wakes the goroutines that wait for a change; the caller holds s.mu.
func (s *Server) changed() {
	if s.changes != nil {
		close(s.changes)
		s.changes = nil
	}
}

// change returns a channel that closes at the next change; the caller holds s.mu.
func (s *Server) change() <-chan struct{} {
	if s.changes == nil {
		s.changes = make(chan struct{})
	}
	return s.changes
}

// violated keeps a violation, and fails the test.
func (s *Server) violated(v Violation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.violations) < 1000 {
		s.violations = append(s.violations, v)
	}
	if !s.opts.Lenient && !s.closed {
		s.t.Errorf("Discord would refuse this body: %s", v)
	}
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own types come here
	}
	return b
}
