package discord

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/lease"
)

// Times of the gateway.
const (
	openLimit    = 45 * time.Second // for a connection to come up
	resumeLimit  = 30 * time.Second // for all tries to resume a session
	resumeTries  = 3                // that Discord does not answer, before a session is given up
	firstPause   = time.Second      // between two tries
	longestPause = 120              // times the first, between two identifications
	longestRest  = 30               // times the first, before a try to resume: nobody is heard meanwhile
	shortestRest = 5                // times the first, from the fourth connection in a row that does not live
	lived        = time.Minute      // a connection that lasts as long begins the pauses anew
	budgetFor    = 3600             // times the first: an hour, which has a budget of identifications
	leastBudget  = 6                // identifications of a shard in that time
	burst        = 2                // identifications of a shard in a day for which all of Discord's may be used
	startsADay   = 1000             // identifications of all shards, where Discord does not say
	// between two identifications of a bucket: Discord's 5 s, and the network's delay
	identifyGap = 5500 * time.Millisecond
	turnLimit   = 15 * time.Second // from the turn to identify to the IDENTIFY
	noteEvery   = 5 * time.Second  // between two notes of a session
	noteLimit   = 2 * time.Second  // for one note
	recallTries = 3                // to read the last note
)

// Fatal is an error that trying again would not mend.
type Fatal struct {
	Code int // Discord's close code, or an HTTP status
	Text string
}

func (f *Fatal) Error() string { return f.Text }

// fatalCodes are the close codes after which a bot must not connect again.
var fatalCodes = map[int]string{
	4004: "Discord does not accept the token: it is wrong or has been reset. Copy the present one from the Bot page of your application in the Developer Portal",
	4010: "Discord does not accept the shard: this is a mistake of the program",
	4011: "the bot is in too many servers for so few connections: leave the number of shards to Discord (0)",
	4012: "Discord does not speak this version of the gateway any more: a newer version of the program is needed",
	4013: "Discord does not know the intents that were asked for: a newer version of the program is needed",
	4014: "Discord does not allow the intents that were asked for: this is a mistake of the program, it needs no privileged intent",
}

// errToken is an HTTP 401 on a call with the bot's token.
func errToken() *Fatal { return &Fatal{Code: 401, Text: fatalCodes[4004]} }

// Run connects to Discord and feeds the handler until ctx ends, which is no error, or until a Fatal
// error. All handlers have returned when Run returns.
func (d *Adapter) Run(ctx context.Context, h chat.Handler) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	d.handler, d.life = h, life
	d.gate.Lock()
	d.closed = false
	d.gate.Unlock()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.ending.Lock()
	d.end = cancel
	d.ending.Unlock()

	var told sync.WaitGroup
	told.Go(d.tell)
	withSigns, stopSigns := context.WithCancel(ctx)
	defer stopSigns()
	if len(d.options.Signs) > 0 {
		told.Go(func() { d.keepSigns(withSigns) })
	}
	listen := d.listen
	if d.options.Endpoint != nil {
		listen = d.serve
	}
	if err := listen(ctx); err != nil && ctx.Err() == nil {
		cancel(err)
	}
	stopSigns()
	d.close(stop)
	d.news.add(nil)
	told.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// listen keeps up this process's share of the connections to the gateway until ctx ends. Where the bot
// has outgrown its shards, and Discord chooses their number, it opens as many as Discord wants now,
// and closes the old ones when the new ones are up. What both hear is handled once.
func (d *Adapter) listen(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	shards, err := d.wanted(ctx)
	if err != nil {
		return err
	}
	l, err := d.join(ctx, fail, shards)
	if err != nil {
		return err
	}
	d.joined.Store(true)
	defer d.joined.Store(false)
	for {
		select {
		case <-ctx.Done():
			l.leave()
			return context.Cause(ctx)
		case <-l.outgrown:
		}
		more, err := d.grow(ctx, fail, l)
		if err != nil {
			fail(err)
		}
		if more != l {
			l.leave()
			l = more
		}
	}
}

// grow opens as many shards as Discord wants now beside those of l, and gives them when they are up.
// Discord may want yet another number before they are: then they go, and others come in their
// place. It gives l where Discord wants the number that l has: the shard that was refused tries again.
func (d *Adapter) grow(ctx context.Context, fail func(error), l *heldShards) (*heldShards, error) {
	for more := l; ; {
		shards, err := d.wanted(ctx)
		if err != nil {
			return more, err
		}
		if shards != more.shards {
			d.log.Warn("Discord wants another number of shards: changing to it", "from", more.shards, "to", shards)
			if more != l {
				more.leave()
				more = l
			}
			if shards != l.shards {
				if more, err = d.join(ctx, fail, shards); err != nil {
					return l, err
				}
			}
		}
		if more == l || more.comesUp(ctx) {
			return more, nil
		}
	}
}

// wanted is how many shards there are to be.
func (d *Adapter) wanted(ctx context.Context) (shards int, err error) {
	err = d.prepare(ctx, func(ctx context.Context) (err error) {
		shards, err = d.introduce(ctx)
		return err
	})
	return shards, err
}

// join takes a share of the shards.
func (d *Adapter) join(ctx context.Context, fail func(error), shards int) (*heldShards, error) {
	l := newHeldShards(ctx, d, shards, fail)
	err := d.prepare(ctx, func(ctx context.Context) (err error) {
		l.share, err = d.options.Leases.Join(ctx, l.group())
		return err
	})
	l.joined = time.Now()
	return l, err
}

// close waits for the handlers, and ends their context after Options.Grace.
func (d *Adapter) close(stop func()) {
	d.gate.Lock()
	d.closed = true
	d.gate.Unlock()
	done := make(chan struct{})
	go func() { d.work.Wait(); close(done) }()
	for _, wait := range []time.Duration{d.options.Grace, 2 * time.Second} {
		select {
		case <-done:
			return
		case <-time.After(wait):
			d.log.Warn("handlers are still at work: ending their context")
			stop()
		}
	}
}

// tell gives the news of servers and channels to the handler, in order.
func (d *Adapter) tell() {
	for p := d.news.next(); p.mine != nil || p.tell != nil; p = d.news.next() {
		func() {
			defer d.recover("handler", "")
			if p.mine != nil {
				d.handler.Present(d.life, p.servers, p.mine)
				return
			}
			p.tell()
		}()
	}
}

// giveUp ends Run: Discord blocks the address of a bot that goes on with calls that it refuses.
func (d *Adapter) giveUp(f *Fatal) {
	d.ending.Lock()
	defer d.ending.Unlock()
	if d.end != nil {
		d.end(f)
	}
}

// prepare repeats ask until it succeeds. Only a Fatal error, such as a wrong token, ends it.
func (d *Adapter) prepare(ctx context.Context, ask func(context.Context) error) error {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := ask(ctx)
		var e *chat.Error
		var fatal *Fatal
		switch {
		case err == nil:
			return nil
		case errors.As(err, &fatal):
			return fatal
		case errors.As(err, &e) && e.Code == 401:
			return errToken()
		case e != nil && e.Trouble == chat.Busy:
			wait = max(wait, e.After)
		}
		d.log.Warn("Discord does not answer: trying again", "in", wait.String(), "error", err)
		if err := tasks.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// introduce learns the application's id, and how many shards there are to be.
func (d *Adapter) introduce(ctx context.Context) (int, error) {
	if err := d.knowApp(ctx); err != nil {
		return 0, err
	}
	a, err := d.advice(ctx)
	if err != nil {
		return 0, err
	}
	if d.options.Shards > 0 {
		return d.options.Shards, nil
	}
	return max(a.Shards, 1), nil
}

// advice is what Discord says of connections to the gateway.
type advice struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Start  struct {
		Total       int   `json:"total"`       // sessions a day; 0: not said
		Remaining   *int  `json:"remaining"`   // sessions that may still be started; nil: not said
		After       int64 `json:"reset_after"` // ms
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// routeGateway is the call without which no connection comes up.
const routeGateway = "GET gateway"

// advice asks Discord for its advice.
func (d *Adapter) advice(ctx context.Context) (a advice, err error) {
	r, err := d.get(ctx, routeGateway, "", "gateway/bot")
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(r.body, &a); err != nil {
		return a, fmt.Errorf("reading Discord's answer: %w", err)
	}
	a.Start.Concurrency = max(a.Start.Concurrency, 1)
	d.concurrency.Store(int32(a.Start.Concurrency))
	if a.Start.Total <= 0 {
		a.Start.Total = startsADay
	}
	d.starts.Store(int32(min(a.Start.Total, 1<<30)))
	if strings.HasPrefix(a.URL, "wss://") {
		d.address.Store(&a.URL)
	}
	return a, nil
}

// App is the application's id; 0 until Discord has said it.
func (d *Adapter) App() uint64 { return d.app.Load() }

// Application is the bot's entry at Discord, as far as it matters to an operator.
type Application struct {
	ID       uint64
	Name     string
	Endpoint string            // if set, Discord sends interactions there and none by the gateway
	Key      ed25519.PublicKey // by which Discord signs what it sends there
	Public   bool
	Server   bool // it can be installed to servers
	User     bool // it can be installed by a member for themselves
	Activity bool // its Activity is switched on
	Bare     bool // its Default Install Settings bring no bot to a server, or one without the permissions that it needs

	At time.Time // when Discord said so, by its own clock to the second; zero: it did not say
}

// Application asks Discord for the bot's own entry. It is a Fatal error where the store belongs to
// another application.
func (d *Adapter) Application(ctx context.Context) (Application, error) {
	var raw struct {
		ID       flake                      `json:"id"`
		Name     string                     `json:"name"`
		Endpoint loose                      `json:"interactions_endpoint_url"`
		Key      loose                      `json:"verify_key"`
		Public   bool                       `json:"bot_public"`
		Flags    flake                      `json:"flags"`
		Installs map[string]json.RawMessage `json:"integration_types_config"`
		Bot      struct {
			ID flake `json:"id"`
		} `json:"bot"`
	}
	at, err := d.wire.get(ctx, "applications/@me", &raw)
	if err != nil {
		return Application{}, err
	}
	if raw.ID == 0 {
		return Application{}, &chat.Error{Trouble: chat.Failed, Text: "an answer without an application"}
	}
	if err := d.belongs(ctx, uint64(raw.ID)); err != nil {
		return Application{}, err
	}
	d.app.Store(uint64(raw.ID))
	d.self.CompareAndSwap(0, uint64(raw.Bot.ID))
	a := Application{ID: uint64(raw.ID), Name: raw.Name, Endpoint: string(raw.Endpoint), Public: raw.Public, At: at}
	if key, err := hex.DecodeString(string(raw.Key)); err == nil && len(key) == ed25519.PublicKeySize {
		a.Key = key
	}
	var byDefault struct {
		Params *struct {
			Scopes      []string `json:"scopes"`
			Permissions flake    `json:"permissions"`
		} `json:"oauth2_install_params"` // null: nobody adds the bot from there
	}
	if json.Unmarshal(raw.Installs["0"], &byDefault) == nil && byDefault.Params != nil {
		may := uint64(byDefault.Params.Permissions)
		a.Bare = !slices.Contains(byDefault.Params.Scopes, "bot") || may&botNeeds != botNeeds && may&mayAdministrate == 0
	}
	_, a.Server = raw.Installs["0"]
	_, a.User = raw.Installs["1"]
	a.Activity = raw.Flags&flagEmbedded != 0
	d.embeds.Store(a.Activity)
	if len(raw.Installs) == 0 { // not told: as every application once was, and a new one is
		a.Server = true
	}
	return a, nil
}

// knowApp asks Discord for the application, unless it is known.
func (d *Adapter) knowApp(ctx context.Context) (err error) {
	if d.app.Load() == 0 {
		_, err = d.Application(ctx)
	}
	return err
}

// botNeeds are the permissions with which the bot is added to a server.
const botNeeds uint64 = mayView | maySend | mayEmbed | mayAttach | mayOpenThreads | maySendInThreads

// InviteServer is the address that adds the bot to a server, with the permissions to see channels, to
// send messages there and in threads, to open threads, and to show pictures. It is empty where the
// application cannot be installed to servers.
func (a Application) InviteServer() string {
	if !a.Server {
		return ""
	}
	return fmt.Sprintf(
		"https://discord.com/oauth2/authorize?client_id=%d&scope=bot+applications.commands&permissions=%d&integration_type=0",
		a.ID, botNeeds)
}

// InviteMember is the address by which a member installs the application for themselves; empty where
// that cannot be.
func (a Application) InviteMember() string {
	if !a.User {
		return ""
	}
	return fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%d&scope=applications.commands&integration_type=1",
		a.ID)
}

// gateway keeps one shard connected to Discord's gateway. Each connection has a discordgo session of
// its own behind a relay, since discordgo's own way to reconnect goes on after close codes that
// forbid it, identifies out of turn, waits without a limit for a connection to come up, and
// pauses for up to ten minutes.
type gateway struct {
	d             *Adapter
	share         lease.Share
	shard, shards int
	outgrown      func() // asks Discord for the number of shards; nil: the number is the operator's
	stop          context.CancelFunc
	released      chan struct{}   // closed when the connection is down and noted
	closing       sync.WaitGroup  // discordgo sessions that are being closed
	noted         storage.Session // as the store has it
	unanswered    int             // tries to resume the present session that Discord has not answered
	since         time.Time       // when the first of them began
	rests         rests
	identified    []time.Time // when the shard identified last, the latest at the end
	up            bool
	upMu          sync.Mutex
}

// run keeps the connection up until ctx ends or Discord forbids it.
func (g *gateway) run(ctx context.Context) error {
	defer g.closing.Wait()
	defer close(g.released)
	session := g.recall(ctx)
	first := g.d.options.Pause
	for ctx.Err() == nil {
		if !g.share.Holds(g.shard) { // another process owns the shard now; our own notice of that is on its way
			tasks.Sleep(ctx, first/4)
			continue
		}
		var mine *permit // resuming a session needs none
		if session.ID == "" {
			if g.keepBudget(ctx) != nil {
				return nil
			}
			var err error
			if mine, err = g.d.permit(ctx, g.shard, g.isBeyondBurst()); err != nil {
				return fatalOrNil(err)
			}
		}
		began := time.Now()
		was := session
		now, answered, err := g.connect(ctx, was, mine)
		mine.giveBack()
		if mine.isTaken() {
			g.identified = append(g.identified, time.Now())
		}
		if session = now; ctx.Err() == nil { // else the try was broken off by us
			session = g.tried(was, now, answered, began)
		}
		g.note(session)
		var closed *websocket.CloseError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &closed) && g.outgrown != nil && (closed.Code == 4010 || closed.Code == 4011):
			session = storage.Session{}
			g.outgrown()
		case errors.As(err, &closed) && fatalCodes[closed.Code] != "":
			return &Fatal{Code: closed.Code, Text: fatalCodes[closed.Code] + fmt.Sprintf(" (close code %d)", closed.Code)}
		case errors.As(err, &closed) && (closed.Code == 4007 || closed.Code == 4009):
			session = storage.Session{}
		}
		lasted := time.Since(began)
		g.rests.count(was.ID == "", lasted, first)
		g.d.log.Warn("gateway connection lost", "shard", g.shard,
			"error", g.d.wire.scrub(plain(err).Error(), ""), "after", lasted.Round(time.Second).String())
		if err != errReconnect {
			g.d.metrics.Error("gateway")
		}
		pause := g.rests.next(session.ID == "", first)
		if session.ID != "" && g.unanswered > 0 { // the tries are to keep to resumeLimit
			pause = min(pause, 2*shortestRest*first)
		}
		if tasks.Sleep(ctx, pause) != nil {
			return nil
		}
	}
	return nil
}

// rests counts the connections of a shard in a row that have not lived, however they ended, and says
// how long the shard rests before the next one.
type rests struct {
	short      int // connections
	hasty      int // those of them that lasted no longer than the shortest rest
	identified int // those of them that began a session, or were to
}

// count counts a connection that is over.
func (r *rests) count(identified bool, lasted, first time.Duration) {
	if lasted >= lived {
		*r = rests{}
		return
	}
	r.short++
	if lasted < shortestRest*first {
		r.hasty++
	}
	if identified {
		r.identified++
	}
}

// next is the pause before a connection that identifies, or resumes a session. It doubles with each one in the
// row, up to a limit. Before a session is resumed, it does so for hasty ones alone: the others hear more than they
// miss, and Discord does not count them. The first try to resume is made at once.
func (r *rests) next(identify bool, first time.Duration) time.Duration {
	row, longest := max(r.hasty, 2), longestRest*first
	if identify {
		row, longest = max(r.identified, 1), longestPause*first
	} else if r.short <= 1 {
		return 0
	}
	pause := min(first<<min(row-1, 10), longest)
	pause = pause/2 + rand.N(pause)
	if r.short >= 3 {
		pause = max(pause, shortestRest*first+rand.N(shortestRest*first))
	}
	return pause
}

// keepBudget waits until the shard may identify once more. In an hour the shards use at most half of
// what Discord allows them for that time, so that a gateway that ends every session at once does not
// cost the day's identifications, after which Discord resets the token. Each shard may use leastBudget of
// them: where many shards would use up the day's together, permit makes them wait. So does it where a process
// that is started again and again begins each hour's budget anew: it asks Discord what is left of the day.
func (g *gateway) keepBudget(ctx context.Context) error {
	hour := budgetFor * g.d.options.Pause
	budget := max(int(g.d.starts.Load())/24/2/g.shards, leastBudget)
	if g.identified = g.identified[max(0, len(g.identified)-budget):]; len(g.identified) < budget {
		return nil
	}
	wait := time.Until(g.identified[0].Add(hour))
	if wait > 0 {
		g.d.log.Error("the shard has used its identifications of an hour: waiting",
			"shard", g.shard, "used", budget, "in", wait.Round(time.Second).String())
	}
	return tasks.Sleep(ctx, wait)
}

// isBeyondBurst reports whether the shard has identified as often in a day as a start, and a little
// trouble after it, needs.
func (g *gateway) isBeyondBurst() bool {
	n := len(g.identified) - burst
	return n >= 0 && time.Since(g.identified[n]) < 24*budgetFor*g.d.options.Pause
}

// fatalOrNil gives an error that ends the program; the end of a context does not.
func fatalOrNil(err error) error {
	var fatal *Fatal
	if errors.As(err, &fatal) {
		return fatal
	}
	return nil
}

// recall gives the session that an earlier connection of the shard has left. It asks again when the
// store does not answer: a new session would cost one of the day's, and the events since the old
// one.
func (g *gateway) recall(ctx context.Context) storage.Session {
	for try := 1; ; try++ {
		s, err := g.d.options.Store.Session(ctx, g.shards, g.shard)
		if err == nil {
			if g.noted = s; s.ID != "" {
				g.d.blind.Store(true) // a resumed session does not list its servers
			}
			return s
		}
		g.d.log.Warn("reading the kept gateway session", "shard", g.shard, "error", err)
		if try == recallTries || tasks.Sleep(ctx, g.d.options.Pause) != nil {
			return storage.Session{}
		}
	}
}

// note keeps the session in the store for the next connection, as long as the shard is ours.
func (g *gateway) note(s storage.Session) {
	if s == g.noted {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.d.life), noteLimit)
	defer cancel()
	ctx, ours := g.share.Under(ctx, g.shard)
	if !ours {
		return
	}
	if err := g.d.options.Store.SetSession(ctx, g.shards, g.shard, s); err != nil {
		g.d.log.Warn("keeping the gateway session", "shard", g.shard, "error", err)
		return
	}
	g.noted = s
}

// tried gives the session for the next connection, after one that began with the session was. After a
// try to resume it that Discord has not answered, the session loses its own address, so that the
// next try goes to the main one. After resumeTries such tries, or resumeLimit, the session is given
// up: a new one costs an identification, and without one the bot would hear nothing for ever.
func (g *gateway) tried(was, now storage.Session, answered bool, began time.Time) storage.Session {
	if answered || was.ID == "" || now.ID == "" {
		g.unanswered = 0
		return now
	}
	if g.unanswered == 0 {
		g.since = began
	}
	if g.unanswered++; g.unanswered == resumeTries || time.Since(g.since) >= resumeLimit {
		g.unanswered = 0
		g.d.log.Warn("gateway session given up: Discord does not let it be resumed", "shard", g.shard)
		return storage.Session{}
	}
	now.URL = ""
	return now
}

// connect brings a connection up and waits for its end. It gives the session for the next connection
// to resume; where that has no id, the next connection identifies. answered reports whether
// Discord has let the session begin or go on.
func (g *gateway) connect(ctx context.Context, from storage.Session,
	mine *permit) (_ storage.Session, answered bool, _ error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := g.relay(ctx, from, mine)
	s, err := g.session(r)
	if err != nil {
		return from, false, &Fatal{Text: err.Error()}
	}
	if err := g.open(ctx, s, r); err != nil {
		cancel()
		if r.passed.Load() { // discordgo takes it for open, or will in a moment
			g.closing.Go(func() { hangUp(s) })
		} else {
			r.cut()
		}
		select {
		case <-r.done:
			err = r.err
		case <-time.After(time.Second): // discordgo has not dialed yet
		}
		return r.kept(), r.isAnswered(), err
	}
	g.watch(r)
	if !r.hungUp.Load() {
		g.closing.Go(func() { hangUp(s) })
	}
	return r.kept(), true, r.err
}

// hangUp closes a connection of discordgo, which takes a second, and holds a lock for it that the
// heartbeat takes as it begins. Hence the moment before: who waits at a lock holds up a test's clock.
func hangUp(s *discordgo.Session) {
	time.Sleep(time.Millisecond)
	s.Close()
}

// relay makes the relay for one connection.
func (g *gateway) relay(ctx context.Context, from storage.Session, mine *permit) *relay {
	base := g.d.options.Dialer
	if base == nil {
		base = websocket.DefaultDialer
	}
	dialer := *base
	dialer.HandshakeTimeout = cmp.Or(dialer.HandshakeTimeout, 20*time.Second)
	return &relay{dialer: &dialer, ctx: ctx, sending: mine.take, session: from,
		said: g.d.hear, answered: make(chan struct{}), done: make(chan struct{})}
}

// errLost is the end of a connection that was not up yet.
var errLost = errors.New("lost while it came up")

// openIn is how soon a connection must be up: within Options.OpenIn, and where it resumes a
// session within a share of resumeLimit, and of what is left of that.
func (g *gateway) openIn(r *relay) time.Duration {
	within := g.d.options.OpenIn
	if r.kept().ID == "" {
		return within
	}
	within = min(within, resumeLimit/resumeTries)
	if g.unanswered > 0 {
		within = min(within, max(time.Until(g.since.Add(resumeLimit)), time.Second))
	}
	return within
}

// open waits until a connection is up.
func (g *gateway) open(ctx context.Context, s *discordgo.Session, r *relay) error {
	opened := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				opened <- fmt.Errorf("panic while opening: %v", p)
			}
		}()
		err := s.Open()
		if err == nil { // after any message
			select {
			case <-r.answered:
			case <-r.done:
				err = errLost
			}
		}
		opened <- err
	}()
	limit := time.NewTimer(g.openIn(r))
	defer limit.Stop()
	select {
	case err := <-opened:
		return err
	case <-r.done:
		return errLost
	case <-limit.C:
		return errors.New("does not come up")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch waits for the end of a connection, and notes how far its session is.
func (g *gateway) watch(r *relay) {
	g.note(r.kept())
	notes := time.NewTicker(noteEvery)
	defer notes.Stop()
	for {
		select {
		case <-r.done:
			g.setUp(false, "")
			return
		case <-notes.C:
			g.note(r.kept())
		}
	}
}

// session makes a discordgo session for one connection of this shard.
func (g *gateway) session(r *relay) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + g.d.options.Token)
	if err != nil {
		return nil, err
	}
	s.Client = &http.Client{Transport: gatewayAddress{g.d.address.Load()}}
	s.Dialer = r.near()
	s.Identify.Intents = discordgo.IntentsGuilds
	if g.d.options.Listen {
		s.Identify.Intents |= discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages
	}
	s.ShardID, s.ShardCount = g.shard, g.shards
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	s.LogLevel = discordgo.LogError
	s.SyncEvents = true // event returns at once, and so events keep their order
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { g.event(e) })
	return s, nil
}

// gatewayAddress answers the one request that a session makes before it dials: for the gateway's
// address, which Discord's advice has told already.
type gatewayAddress struct{ url *string }

func (w gatewayAddress) RoundTrip(q *http.Request) (*http.Response, error) {
	where := "wss://gateway.discord.gg"
	if w.url != nil {
		where = *w.url
	}
	body, err := json.Marshal(map[string]string{"url": where})
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Request: q, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body))}, err
}

// setUp notes that the connection is up or down.
func (g *gateway) setUp(up bool, how string) {
	g.upMu.Lock()
	defer g.upMu.Unlock()
	if up == g.up {
		return
	}
	g.up = up
	if up {
		g.d.up.Add(1)
		g.d.metrics.Connected(how)
		g.d.log.Info("gateway connection up", "shard", g.shard, "how", how)
	} else {
		g.d.up.Add(-1)
		g.d.metrics.Disconnected()
	}
}

func (g *gateway) isUp() bool {
	g.upMu.Lock()
	defer g.upMu.Unlock()
	return g.up
}

// event handles a raw event. It runs in the goroutine that reads the socket, and so must neither
// block nor panic.
func (g *gateway) event(e *discordgo.Event) {
	defer g.d.recover("gateway", "")
	var o struct {
		ID          flake `json:"id"`
		Server      flake `json:"guild_id"` // of a channel, a role, a member
		Unavailable bool  `json:"unavailable"`
		User        struct {
			ID flake `json:"id"`
		} `json:"user"` // of READY: the bot; of GUILD_MEMBER_UPDATE
		Guilds []struct {
			ID flake `json:"id"`
		} `json:"guilds"`
	}
	d := g.d
	switch e.Type {
	case "INTERACTION_CREATE":
		d.dispatch(e.RawData)
		return
	case "RESUMED":
		g.setUp(true, "resumed")
		return
	case "READY", "GUILD_CREATE", "GUILD_DELETE", "CHANNEL_DELETE", "THREAD_DELETE", "CHANNEL_UPDATE", "THREAD_UPDATE",
		"GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE", "THREAD_LIST_SYNC":
		json.Unmarshal(e.RawData, &o)
	default:
		return
	}
	id := uint64(o.ID)
	switch e.Type {
	case "READY":
		d.self.Store(uint64(o.User.ID))
		var ids []uint64
		for _, s := range o.Guilds {
			ids = append(ids, uint64(s.ID))
		}
		d.servers.list(ids)
		d.refused.Forget(0, true) // permissions may have changed unheard
		d.news.addList(ids, func(id uint64) bool { return ofShard(id, g.shard, g.shards) })
		g.setUp(true, "identified")
	case "GUILD_CREATE":
		if id == 0 || o.Unavailable {
			return
		}
		d.refused.ForgetServer(id) // the bot may have been away unheard
		if len(d.servers.add(id)) > 0 {
			d.news.add(func() { d.handler.Joined(d.life, id) })
		}
		d.arrived(e.RawData)
	case "GUILD_DELETE":
		if id != 0 && !o.Unavailable { // even if the bot has missed that it came there
			d.servers.remove(id)
			d.news.add(func() { d.handler.Removed(d.life, id) })
		}
	case "THREAD_UPDATE":
		d.refused.Forget(id, true)
	case "CHANNEL_UPDATE": // its threads have its permissions
		d.refused.Forget(id, true)
		d.refused.ForgetServer(uint64(o.Server))
	case "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "THREAD_LIST_SYNC": // the last: the bot sees more than before
		d.refused.ForgetServer(uint64(o.Server))
	case "GUILD_MEMBER_UPDATE": // without the intent of members Discord tells of the bot itself alone
		if uint64(o.User.ID) == d.self.Load() {
			d.refused.ForgetServer(uint64(o.Server))
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		if id != 0 {
			d.news.add(func() { d.handler.ChannelGone(d.life, venue.Place{Server: uint64(o.Server), Channel: id}) })
		}
	}
}
