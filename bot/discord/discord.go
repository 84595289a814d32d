// Package discord is the adapter to Discord. It alone knows Discord's wire: the gateway and its
// shards, the HTTP endpoint, the calls and their limits, and the bodies of messages and
// commands. It feeds a chat.Handler and is a chat.Chat. It knows nothing of games or of the
// bot's own commands. Start from New and Adapter.Run.
package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/discord/pace"
	"tengen/bot/metrics"
	"tengen/bot/texts"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// Options are what an adapter to Discord needs. Only Token is required.
type Options struct {
	Token     string
	Transport http.RoundTripper // of the REST calls; nil: the network
	Dialer    *websocket.Dialer // of the gateway; nil: the network
	Shards    int               // gateway connections; 0: as many as Discord advises
	Leases    lease.Leases      // share the gateway connections with other processes; nil: this process has all
	// keeps gateway sessions, so that a restart or another process resumes them; nil: none are kept
	Store    *storage.Store
	Endpoint *EndpointOptions // interactions come over HTTP, without a gateway; nil: they come by the gateway
	Log      *slog.Logger     // nil: slog.Default
	Metrics  *metrics.Figures // nil: none
	Patience time.Duration    // of the watchdog, before it acknowledges; 0: a second and a half
	Pause    time.Duration    // the first pause between two tries to connect, which grows to 120 times this; 0: a second
	Grace    time.Duration    // how long Run waits for the handlers at the end; 0: five seconds
	AnswerIn time.Duration    // how long Discord takes a first answer; 0: 2.9 seconds
	OpenIn   time.Duration    // how soon a gateway connection must be up; 0: 45 seconds
	Pulse    *pulse.Pulse     // tells the time; nil: a new one
	Listen   bool             // members may speak to the bot in messages; not with Endpoint
	Signs    []chat.Sign      // are uploaded, and stand on buttons in place of characters; nil: characters do
	// ClientSecret proves to Discord that the application asks who a member is. With it the application's Activity is
	// our page, where the Activity is switched on; empty: the Activity, if there is one, is another's.
	ClientSecret string
}

// Adapter is the adapter to Discord: it feeds a Handler and is a Chat.
type Adapter struct {
	options Options
	log     *slog.Logger
	metrics *metrics.Figures
	wire    wire
	pacer   *pace.Pacer // of calls with the bot's token
	hooks   *pace.Pacer // of calls with an interaction's token
	refused pace.Refusals
	invalid pace.Spent
	tickets *tickets
	signs   *signs
	app     atomic.Uint64
	self    atomic.Uint64 // the bot's id as a member, which is another than app where the application is old
	lookups lookups
	embeds  atomic.Bool // the application's Activity is switched on
	servers servers
	up      atomic.Int32 // gateway connections that are up
	shards  atomic.Int32 // connections that this process is to keep up
	joined  atomic.Bool  // the share of the shards is known, or the endpoint serves
	blind   atomic.Bool  // a resumed session did not list its servers

	commands    atomic.Pointer[map[string]uint64] // the ids of our commands by name; nil: not known yet
	concurrency atomic.Int32                      // shards that may identify at a time
	starts      atomic.Int32                      // sessions that Discord allows a day
	address     atomic.Pointer[string]            // of the gateway

	now         func() time.Time // the pulse's; measures the age of an interaction
	identifyGap time.Duration    // between two identifications of a bucket

	ending sync.Mutex
	end    context.CancelCauseFunc // ends Run

	work    sync.WaitGroup // handlers
	gate    sync.Mutex     // guards closed
	closed  bool           // the adapter takes no more interactions
	handler chat.Handler
	life    context.Context // of the handlers
	news    *news           // of servers and channels, for the handler, in order
}

var _ chat.Chat = (*Adapter)(nil)

var quietOnce sync.Once

// New makes the adapter. It sends nothing before Run or another call.
func New(o Options) (*Adapter, error) {
	o.Token = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(o.Token), "Bot "))
	if o.Token == "" {
		return nil, errors.New("no token")
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	o.Pause = cmp.Or(o.Pause, firstPause)
	o.Patience = cmp.Or(o.Patience, patience)
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	o.AnswerIn = cmp.Or(o.AnswerIn, answerLimit)
	o.OpenIn = cmp.Or(o.OpenIn, openLimit)
	if o.Pulse == nil {
		o.Pulse = pulse.New(pulse.Options{})
	}
	if o.Endpoint != nil {
		if err := o.Endpoint.check(); err != nil {
			return nil, err
		}
		if o.Listen {
			return nil, errors.New("messages come by the gateway alone")
		}
	}
	w, err := newWire(o.Token, o.Transport)
	if err != nil {
		return nil, err
	}
	w.secrets = append(w.secrets, o.ClientSecret)
	quietOnce.Do(func() { discordgo.Logger = logLibrary })
	if o.Leases == nil {
		o.Leases = lease.Alone{}
	}
	if o.Store == nil {
		if o.Store, err = storage.Open(context.Background(), kv.NewMemory(), storage.Options{}); err != nil {
			return nil, err
		}
	}
	d := &Adapter{
		options: o, log: o.Log, metrics: o.Metrics, wire: w,
		pacer: pace.ByBot(), hooks: pace.ByToken(), tickets: newTickets(), signs: newSigns(), news: newNews(),
		now: o.Pulse.Now, identifyGap: identifyGap,
	}
	w.session.Client.Transport = meter{transport{w.session.Client.Transport}, d}
	return d, nil
}

// logLibrary is discordgo's logger: it writes errors to our log.
func logLibrary(level, _ int, format string, args ...any) {
	if line, ok := libraryLine(level, format, args); ok {
		slog.Default().Warn(line)
	}
}

// libraryLine is what discordgo wants to log, where it is of use: an error. All lower levels
// are dropped, whose arguments may hold tokens or what members wrote.
func libraryLine(level int, format string, args []any) (line string, ok bool) {
	if level > discordgo.LogError {
		return "", false
	}
	if strings.HasPrefix(format, "error unmarshalling") && len(args) > 0 && args[0] == "INTERACTION_CREATE" {
		return "", false // it does not know the labels of forms; we decode interactions ourselves
	}
	for i, a := range args {
		if err, ok := a.(error); ok {
			if errors.Is(err, websocket.ErrCloseSent) {
				return "", false // a heartbeat after our own close
			}
			args[i] = plain(err)
		}
	}
	return "discordgo: " + strings.TrimSpace(fmt.Sprintf(format, args...)), true
}

// errEnding refuses an interaction that comes after the adapter has closed.
var errEnding = errors.New("no interactions are taken any more")

// dispatch decodes a raw interaction and handles it in a goroutine of its own. An interaction that
// was delivered twice is no error. dispatch keeps nothing of raw.
func (d *Adapter) dispatch(raw []byte) error {
	r, err := decode(raw, d.isIn)
	if err != nil {
		if !errors.Is(err, errPing) {
			d.log.Warn("interaction not understood", "id", r.ID, "error", err)
			d.metrics.Error("decoder")
		}
		return err
	}
	if r.app != 0 {
		d.app.CompareAndSwap(0, r.app)
	}
	r.Launches = r.Launches && d.launches()
	d.options.Pulse.Seen(r.At)
	if late := d.now().Sub(r.At); late > tooLate {
		// Discord told the member long ago that it failed, and they may have tried again.
		d.log.Warn("interaction delivered too late: dropped (or the clock of this machine is wrong)",
			"id", r.ID, "late", late.Round(time.Second).String())
		d.metrics.Error("late")
		return nil
	}
	t := &ticket{
		Ticket: chat.Ticket{ID: r.ID, Token: r.Token}, kind: r.Kind, numbers: r.numbers,
		form: r.Kind == chat.Submit && r.Message != 0, pressed: r.Message, locale: r.Locale, arrived: time.Now(),
	}
	if r.Thread && r.Installed {
		t.thread = r.Place.Channel
	}
	d.refused.Heard(r.Request)
	if !d.begin() {
		return errEnding
	}
	if !d.tickets.add(t) {
		d.work.Done()
		d.log.Info("interaction delivered twice", "id", r.ID)
		return nil
	}
	go d.handle(t, r.Request)
	return nil
}

// isIn reports whether the bot itself is in a server. Discord is asked about a server that has
// installed the application, as the interaction says, and of which the bot does not know.
// Until it has answered, the server counts where nobody told the bot its servers. With a
// gateway that did, the bot can only have missed an event.
func (d *Adapter) isIn(server uint64, authorized bool) bool {
	in, ask := d.servers.believed(server, authorized)
	if ask {
		d.askServer(server)
	}
	if d.options.Endpoint == nil && !d.blind.Load() {
		return d.servers.has(server)
	}
	return in
}

// InHand is the number of interactions that are being handled.
func (d *Adapter) InHand() int {
	d.tickets.mu.Lock()
	defer d.tickets.mu.Unlock()
	return len(d.tickets.open)
}

// begin counts a handler in, unless the adapter is closing.
func (d *Adapter) begin() bool {
	d.gate.Lock()
	defer d.gate.Unlock()
	if d.closed {
		return false
	}
	d.work.Add(1)
	return true
}

// handle runs the handler on one interaction, with the watchdog beside it.
func (d *Adapter) handle(t *ticket, r chat.Request) {
	defer d.work.Done()
	defer d.tickets.remove(t)
	ctx, cancel := context.WithTimeout(context.WithValue(d.life, ticketKey{}, t), handleLimit)
	defer cancel()

	done := make(chan bool, 1)
	go func() {
		sound := false
		defer func() { done <- sound }()
		defer d.recover("handler", r.Token, "id", r.ID, "command", d.handler.Spoken(r))
		t.note(d.handler.Handle(ctx, r))
		sound = true
	}()

	timer := time.NewTimer(d.options.Patience)
	defer timer.Stop()
	var sound bool
	select {
	case sound = <-done:
	case <-timer.C:
		d.watchdog(ctx, t)
		sound = <-done
	}
	word, ack := t.outcome()
	d.finish(t, sound)
	if !sound {
		word = "panic"
	}
	d.logInteraction(t, r, word, ack)
}

// logInteraction writes the one log line of an interaction. The line never holds what a member
// wrote.
func (d *Adapter) logInteraction(t *ticket, r chat.Request, word string, ack time.Duration) {
	took := time.Since(t.arrived)
	t.mu.Lock()
	note := t.remark
	t.mu.Unlock()
	level := slog.LevelInfo
	if word == "panic" || word == "unanswered" || word == "lapsed" {
		level = slog.LevelWarn
	}
	args := []any{"id", r.ID, "kind", r.Kind.String(), "command", d.handler.Spoken(r), "outcome", word,
		"ack_ms", ack.Milliseconds(), "ms", took.Milliseconds()}
	if note != "" {
		args = append(args, "remark", note)
	}
	d.log.Log(context.Background(), level, "interaction", args...)
	d.metrics.Interaction(r.Kind, word, took)
	if ack > 0 {
		d.metrics.Ack(ack)
	}
}

// recover keeps a panic from ending the process, and logs its stack.
func (d *Adapter) recover(where, secret string, args ...any) {
	if p := recover(); p != nil {
		d.metrics.Error(where)
		text := d.wire.scrub(fmt.Sprint(p), secret)
		d.log.Error("panic in "+where, append(args, "panic", text, "stack", string(debug.Stack()))...)
	}
}

// watchdog acknowledges an interaction that nobody has answered yet.
func (d *Adapter) watchdog(ctx context.Context, t *ticket) {
	if t.kind == chat.Complete {
		return
	}
	mine, _ := t.claim(ctx)
	if !mine {
		return
	}
	state, payload := deferredPrivate, answerPayload{Type: 5, Data: map[string]int{"flags": body.FlagPrivate}}
	if t.kind.Component() || t.form {
		state, payload = deferredPress, answerPayload{Type: 6}
	}
	if _, err := d.callback(ctx, t, payload, nil); err != nil {
		state = afterFailure(err)
		d.log.Warn("the watchdog could not acknowledge", "id", t.ID, "error", err)
	}
	t.settle(state)
}

// afterFailure is the state of an interaction whose first answer failed.
func afterFailure(err error) ticketState {
	switch chat.TroubleOf(err) {
	case chat.Lapsed:
		return lapsed
	case chat.Answered:
		return answered
	}
	return unanswered
}

// finish answers an interaction whose handler has returned without doing so.
func (d *Adapter) finish(t *ticket, sound bool) {
	ctx, cancel := context.WithTimeout(d.life, d.options.AnswerIn)
	defer cancel()
	t.mu.Lock()
	state := t.state
	t.mu.Unlock()
	var err error
	switch {
	case t.kind == chat.Complete:
		if state == unanswered {
			_, err = d.Answer(ctx, t.Ticket, chat.Answer{Kind: chat.Offer})
		}
	case state == unanswered && sound && (t.kind.Component() || t.form):
		_, err = d.Answer(ctx, t.Ticket, chat.Answer{Kind: chat.DeferPress})
	case !sound || state == unanswered:
		sorry := chat.Private(texts.In(t.locale).Say("sorry"))
		if _, err = d.Answer(ctx, t.Ticket,
			chat.Answer{Kind: chat.Say, Message: sorry}); chat.TroubleOf(err) == chat.Answered {
			_, err = d.Send(ctx, chat.To{Token: t.Token}, sorry)
		}
	case state == deferredPrivate:
		d.resolve(ctx, t)
	}
	if err != nil {
		d.log.Warn("finishing an interaction", "id", t.ID, "error", err)
	}
}

// resolve replaces the watchdog's "is thinking" by a short line. Deleting it would not do: Discord
// then refuses every follow-up.
func (d *Adapter) resolve(ctx context.Context, t *ticket) {
	if !t.resolve() {
		return
	}
	ctx = context.WithValue(ctx, ticketKey{}, t) // which knows the thread
	_, err := d.sendByToken(ctx, chat.To{Token: t.Token, Original: true}, chat.Text(texts.In(t.locale).Say("done")))
	if err != nil {
		d.log.Warn("replacing is-thinking by a line", "id", t.ID, "error", err)
	}
}

// answerPayload is the body of a first answer.
type answerPayload struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// payloadOf makes the body of an answer.
func payloadOf(a chat.Answer, numbers bool) (answerPayload, []body.File, error) {
	switch a.Kind {
	case chat.Say, chat.Replace:
		if err := body.Check(a.Message); err != nil {
			return answerPayload{}, nil, err
		}
		kind, b := 4, body.New(a.Message, a.Kind == chat.Replace)
		if a.Kind == chat.Replace {
			kind = 7
		}
		return answerPayload{kind, b}, b.Files, nil
	case chat.DeferSay:
		return answerPayload{5, map[string]int{"flags": body.FlagPrivate}}, nil, nil
	case chat.DeferPress:
		return answerPayload{Type: 6}, nil, nil
	case chat.Offer:
		return answerPayload{8, body.Choices(a.Choices, numbers)}, nil, nil
	case chat.Ask:
		return answerPayload{9, body.Form(a.Form)}, nil, body.CheckForm(a.Form)
	}
	return answerPayload{}, nil, fmt.Errorf("unknown kind of answer %d", a.Kind)
}

// refusal is our own mistake in a body, found before the body was sent.
func refusal(err error) *chat.Error { return &chat.Error{Trouble: chat.Refused, Text: err.Error()} }

// Answer answers an interaction, once.
func (d *Adapter) Answer(ctx context.Context, k chat.Ticket, a chat.Answer) (uint64, error) {
	t := d.tickets.byID(k.ID)
	if t == nil {
		t = &ticket{Ticket: k, arrived: time.Now()}
	}
	a.Message = d.linked(a.Message)
	if _, _, err := payloadOf(a, t.numbers); err != nil {
		return 0, refusal(err)
	}
	mine, state := t.claim(ctx)
	if !mine {
		return d.answerLate(ctx, t, state, a)
	}
	id, err := d.orPlain(a.Message, func(m chat.Message) (uint64, error) {
		a.Message = m
		payload, files, err := payloadOf(a, t.numbers)
		if err != nil {
			return 0, refusal(err)
		}
		return d.answerOnce(ctx, t, payload, files)
	})
	if err != nil {
		t.settle(afterFailure(err))
		return 0, err
	}
	t.settle(answered)
	return id, nil
}

// answerLate carries an answer out after the watchdog's, as far as Discord still lets it.
func (d *Adapter) answerLate(ctx context.Context, t *ticket, state ticketState, a chat.Answer) (uint64, error) {
	switch {
	case state == deferredPress && a.Kind == chat.Replace:
		return d.sendByToken(ctx, chat.To{Token: t.Token, Original: true}, a.Message)
	case state == deferredPress && a.Kind == chat.Say && !a.Itself:
		return d.sendByToken(ctx, chat.To{Token: t.Token}, a.Message)
	case state == deferredPress && a.Kind == chat.DeferPress, state == deferredPrivate && a.Kind == chat.DeferSay:
		return 0, nil
	case state == deferredPrivate && a.Kind == chat.Say && a.Message.Private && t.resolve():
		return d.sendByToken(ctx, chat.To{Token: t.Token, Original: true}, a.Message)
	case state == lapsed:
		return 0, &chat.Error{Trouble: chat.Lapsed, Text: "the interaction is over"}
	case state == underWay:
		return 0, &chat.Error{Trouble: chat.Failed, Text: "another answer is under way: " + ctx.Err().Error()}
	}
	return 0, &chat.Error{Trouble: chat.Answered, Text: "already acknowledged by us"}
}

// ownAnswer is an age of interactions. When Discord says "already answered" after a try of ours, that
// try has answered an interaction younger than this: Discord takes answers for three seconds, and
// clocks differ. An older interaction was answered long ago, by the process that got it first.
const ownAnswer = time.Minute

// answerOnce answers an interaction, with signs where the message has any.
func (d *Adapter) answerOnce(ctx context.Context, t *ticket, payload answerPayload, files []body.File) (uint64, error) {
	b, ok := payload.Data.(body.Message)
	if !ok {
		made, err := d.callback(ctx, t, payload, files)
		return made.message, err
	}
	return signed(d, b, func(b body.Message) (uint64, error) {
		made, err := d.callback(ctx, t, answerPayload{payload.Type, b}, files)
		return made.message, err
	})
}

// made is what a first answer has made: a message, or a member's part in an instance of the Activity.
type made struct {
	message  uint64
	instance string
}

// callback sends a first answer, and tries again as long as Discord takes one. Discord takes only
// one, so "already answered" after a try of unknown outcome is success.
func (d *Adapter) callback(ctx context.Context, t *ticket, payload answerPayload, files []body.File) (made, error) {
	ctx, cancel := context.WithDeadline(ctx, t.arrived.Add(d.options.AnswerIn))
	defer cancel()
	c := call{
		method: http.MethodPost, payload: payload, files: files, public: true, secret: t.Token,
		path: fmt.Sprintf("interactions/%d/%s/callback?with_response=true", t.ID, t.Token),
	}
	doubt, woken := false, false
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		r, err := d.wire.do(ctx, c)
		if err == nil {
			return madeBy(r.body), nil
		}
		e := err.(*chat.Error)
		switch {
		case e.Trouble == chat.Answered && doubt && time.Since(flakeTime(t.ID)) < ownAnswer:
			if message, ours := d.original(ctx, t, payload); ours {
				return made{message: message}, nil
			}
			d.metrics.Call(e.Trouble)
			return made{}, err
		case e.Trouble == chat.Failed:
			doubt = doubt || !e.Unsent
		case e.Trouble == chat.Busy:
			wait = max(wait, e.After)
		case !woken && d.wakes(ctx, t.thread, err):
			woken = true
			continue
		default:
			d.metrics.Call(e.Trouble)
			return made{}, err
		}
		if tasks.Sleep(ctx, wait) != nil {
			d.metrics.Call(e.Trouble)
			return made{}, err
		}
	}
}

// madeBy is what a first answer has made, by Discord's reply to it.
func madeBy(body []byte) made {
	var told struct {
		Interaction struct {
			Message flake `json:"response_message_id"`
		} `json:"interaction"`
		Resource struct {
			Message struct {
				ID flake `json:"id"`
			} `json:"message"`
			Instance struct {
				ID loose `json:"id"`
			} `json:"activity_instance"`
		} `json:"resource"`
	}
	json.Unmarshal(body, &told)
	return made{uint64(cmp.Or(told.Resource.Message.ID, told.Interaction.Message)), string(told.Resource.Instance.ID)}
}

// loading is the flag of a message that says "is thinking".
const loading = 1 << 7

// original asks Discord for the message of a first answer whose reply was lost. It is zero where
// there is no message. ours is false where another process gave that answer before us: then the
// message has other buttons, is not "thinking", or is not the pressed one. It is false too where Discord
// does not say in time.
func (d *Adapter) original(ctx context.Context, t *ticket, payload answerPayload) (message uint64, ours bool) {
	if payload.Type < 4 || payload.Type > 7 {
		return 0, true
	}
	c := call{
		method: http.MethodGet, public: true, secret: t.Token,
		path: fmt.Sprintf("webhooks/%d/%s/messages/@original", d.app.Load(), t.Token),
	}
	r, err := d.wire.do(ctx, c)
	for wait := 50 * time.Millisecond; chat.Temporary(err); wait *= 2 {
		var e *chat.Error
		if errors.As(err, &e) {
			wait = max(wait, e.After)
		}
		if tasks.Sleep(ctx, wait) != nil {
			return 0, false
		}
		r, err = d.wire.do(ctx, c)
	}
	if err != nil {
		return 0, true
	}
	switch payload.Type {
	case 5:
		var m struct{ Flags int }
		json.Unmarshal(r.body, &m)
		return 0, m.Flags&loading != 0
	case 6:
		return 0, t.pressed == 0 || messageID(r.body) == t.pressed
	}
	sent, err := json.Marshal(payload.Data)
	return messageID(r.body), err == nil && slices.Equal(customIDs(sent), customIDs(r.body))
}

// customIDs gives the custom ids of all components of a message, sorted.
func customIDs(message []byte) []string {
	var ids []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				walk(each)
			}
		case map[string]any:
			if id, ok := v["custom_id"].(string); ok {
				ids = append(ids, id)
			}
			walk(v["components"])
			walk(v["accessory"])
		}
	}
	var m any
	json.Unmarshal(message, &m)
	walk(m)
	slices.Sort(ids)
	return ids
}

func messageID(body []byte) uint64 {
	var m struct {
		ID flake `json:"id"`
	}
	json.Unmarshal(body, &m)
	return uint64(m.ID)
}

// Send posts or edits a message by the way that to names and gives its id.
func (d *Adapter) Send(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	if to.Token == "" {
		return d.sendByBot(ctx, to, m)
	}
	if t := d.tickets.byToken(to.Token); t != nil {
		switch mine, _ := ctx.Value(ticketKey{}).(*ticket); {
		case to.Original && mine != t && t.open():
			// The interaction's own handler is still at work: only it may fill its answer, or
			// the watchdog's "is thinking".
			return 0, &chat.Error{Trouble: chat.Busy, After: 300 * time.Millisecond, Text: "the interaction is being answered"}
		case to.Original:
			t.resolve()
		default:
			d.resolve(ctx, t)
		}
	}
	return d.sendByToken(ctx, to, m)
}

func (d *Adapter) sendByBot(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	if err := body.Check(m); err != nil {
		return 0, refusal(err)
	}
	edit := to.Message != 0
	b := body.New(d.linked(m), edit)
	place := digits(to.Channel)
	c := call{method: http.MethodPost, path: "channels/" + place + "/messages", files: b.Files, server: to.Server}
	route, again := "POST messages", to.Nonce != ""
	if edit {
		c.method, c.path = http.MethodPatch, c.path+"/"+digits(to.Message)
		route, again = "PATCH message", true
	} else if to.Nonce != "" {
		b.Nonce, b.Once = body.Cut(to.Nonce, 25), true
	}
	thread := uint64(0) // to be woken: what is new wakes a thread by itself
	if edit {
		thread = to.Channel
	}
	kind := pace.CallKind{Channel: to.Channel, Edit: edit, Files: len(b.Files) > 0}
	return d.try(kind, to.Server, func() (uint64, error) {
		r, err := signed(d, b, func(b body.Message) (reply, error) {
			c.payload = b
			return awake(ctx, d, thread, func() (reply, error) { return d.paced(ctx, route, place, again, c) })
		})
		return messageID(r.body), err
	})
}

// try makes a call in a channel, unless Discord refused such a call there a short while ago.
func (d *Adapter) try(this pace.CallKind, server uint64, call func() (uint64, error)) (uint64, error) {
	if err := d.refused.Of(this, time.Now()); err != nil {
		d.metrics.Withheld("refused")
		return 0, err
	}
	end := d.refused.Begin(this, server)
	id, err := call()
	end(err, time.Now())
	return id, err
}

// sendByToken posts or edits a message with an interaction's token: as text where Discord refuses
// its files, and again once the archived thread of the interaction at hand is awake.
func (d *Adapter) sendByToken(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	thread := to.Channel
	if t, _ := ctx.Value(ticketKey{}).(*ticket); t != nil {
		thread = t.thread
	}
	return d.orPlain(m, func(m chat.Message) (uint64, error) {
		return awake(ctx, d, thread, func() (uint64, error) { return d.sendOnceByToken(ctx, to, m) })
	})
}

// orPlain sends a message, and sends it again as text where Discord refuses its files.
func (d *Adapter) orPlain(m chat.Message, send func(chat.Message) (uint64, error)) (uint64, error) {
	id, err := send(m)
	if plain, ok := m.Plain(); ok && filesRefused(err) {
		return send(plain)
	}
	return id, err
}

func (d *Adapter) sendOnceByToken(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	if err := body.Check(m); err != nil {
		return 0, refusal(err)
	}
	path, err := d.tokenPath(ctx, to)
	if err != nil {
		return 0, err
	}
	edit := to.Original || to.Message != 0
	b := body.New(d.linked(m), edit)
	c := call{method: http.MethodPost, files: b.Files, path: path}
	if edit {
		c.method = http.MethodPatch
	} else {
		c.path += "?wait=true"
	}
	r, err := signed(d, b, func(b body.Message) (reply, error) {
		c.payload = b
		return d.byToken(ctx, to.Token, edit, c)
	})
	return messageID(r.body), err
}

// tokenPath is the path of an interaction's messages, or of the message that to names.
func (d *Adapter) tokenPath(ctx context.Context, to chat.To) (string, error) {
	if err := d.knowApp(ctx); err != nil { // a call before Run
		return "", err
	}
	path := fmt.Sprintf("webhooks/%d/%s", d.app.Load(), to.Token)
	switch {
	case to.Original:
		path += "/messages/@original"
	case to.Message != 0:
		path = fmt.Sprintf("%s/messages/%d", path, to.Message)
	}
	return path, nil
}

// byToken makes a call with an interaction's token.
func (d *Adapter) byToken(ctx context.Context, token string, again bool, c call) (reply, error) {
	c.public, c.secret = true, token
	return d.paced(ctx, c.method+" by token", token, again, c)
}

// Delete deletes a message. A message that is gone already is no error.
func (d *Adapter) Delete(ctx context.Context, to chat.To) error {
	var err error
	if to.Token != "" {
		if t := d.tickets.byToken(to.Token); t != nil {
			d.resolve(ctx, t)
		}
		var path string
		if path, err = d.tokenPath(ctx, to); err == nil {
			_, err = d.byToken(ctx, to.Token, true, call{method: http.MethodDelete, path: path})
		}
	} else {
		err = d.deleteByBot(ctx, to)
	}
	if chat.TroubleOf(err) == chat.Gone && err != nil {
		return nil
	}
	return err
}

func (d *Adapter) deleteByBot(ctx context.Context, to chat.To) error {
	place := digits(to.Channel)
	_, err := d.try(pace.CallKind{Channel: to.Channel, Delete: true}, to.Server, func() (uint64, error) {
		return awake(ctx, d, to.Channel, func() (uint64, error) {
			_, err := d.paced(ctx, "DELETE message", place, true, call{
				method: http.MethodDelete, path: "channels/" + place + "/messages/" + digits(to.Message), server: to.Server,
			})
			return 0, err
		})
	})
	return err
}

// Up reports whether all gateway connections of this process are up, or the endpoint serves.
func (d *Adapter) Up() bool { return d.joined.Load() && d.up.Load() == d.shards.Load() }

// Connected reports whether at least one gateway connection is up, or this process has none.
func (d *Adapter) Connected() bool { return d.up.Load() > 0 || d.joined.Load() && d.shards.Load() == 0 }
