package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tengen/ai/guest"
	"tengen/bot"
	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/metrics"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/bolt"
)

type runCmd struct {
	Config      string `placeholder:"FILE" help:"The configuration; without it, config.yaml where there is one, else the defaults."`
	Check       bool   `help:"Check the configuration and the store's place, ask Discord for the application of the token, try the engines, and start nothing."`
	Unregister  bool   `help:"Take the bot's commands away from Discord (those of discord.commands_server where that is set, else those everywhere), and end."`
	Adopt       bool   `help:"Give the store, which belongs to another application of Discord, to the application of the token, and end."`
	AcceptOlder bool   `help:"Go on with an older copy of the store where a backup holds a later change, and give up what came after it."`
	StandIn     string `hidden:"" help:"Address of a stand-in for Discord."`
}

// endLimit is how long the end may take after SIGTERM.
const endLimit = 9500 * time.Millisecond

// Exit codes of run: 1 for an error that a restart may cure, 2 for one that a person has to
// mend first.
const exitSetup = 2

func setup(err error) exit { return exit{exitSetup, err.Error()} }

// Run is the bot on Discord. It ends with ctx, which is no error.
func (c runCmd) Run(ctx context.Context, s streams) error {
	cfg, err := await(ctx, func() (config, error) { return loadConfig(c.Config) })
	if ctx.Err() != nil {
		return nil
	}
	wrong := faults(nil)
	if err != nil && !errors.As(err, &wrong) {
		return setup(err)
	}
	token, err := cfg.token(os.Getenv)
	for _, err := range []error{err, checkPlace(cfg.Store)} {
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) > 0 {
		return setup(wrong)
	}
	cfg.Store.AcceptOlder = c.AcceptOlder
	log := cfg.logger(s.err)
	cfg.warn(log, cmp.Or(c.Config, defaultFile))
	h := &hosting{config: cfg, token: token, log: log}
	if c.StandIn != "" {
		h.transport, h.dialer = standin.TransportTo(c.StandIn), standin.DialerTo(c.StandIn)
	}
	if c.Check {
		return h.check(ctx, s)
	}
	if c.Unregister {
		return h.unregister(ctx, s)
	}
	slog.SetDefault(h.log)
	if c.Adopt {
		return h.adopt(ctx, s)
	}
	return withinLimit(ctx, h.run)
}

// withinLimit runs f. Where f does not end in time after ctx, withinLimit returns without it:
// all that counts is in the store by then.
func withinLimit(ctx context.Context, f func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		return exit{1, fmt.Sprintf("did not end within %v and was broken off; nothing stored is lost", endLimit)}
	}
}

// hosting is one run of the bot with all that it needs.
type hosting struct {
	config    config
	token     string
	log       *slog.Logger
	transport http.RoundTripper // nil: the network
	dialer    *websocket.Dialer // nil: the network

	file    *bolt.DB                // of the store, while it is open; nil: on PostgreSQL
	serving atomic.Pointer[bot.Bot] // while it serves
	guests  *guest.Guests
	wait    sync.WaitGroup // what runs beside the bot
}

// run opens everything in order, serves until ctx ends, and closes in reverse order.
func (h *hosting) run(ctx context.Context) error {
	registry := prometheus.NewRegistry()
	figures := metrics.New(registry)
	db, store, err := hostStore(ctx, h.config, h.log, figures)
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return setup(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			h.log.Error("closing the store", "error", err)
		}
	}()
	h.file = db.file
	defer h.takeErrands().close() // before the store
	endpoint, err := h.config.endpoint()
	if err != nil {
		return setup(err)
	}
	secret, err := h.config.pageSecret(os.Getenv)
	if err != nil {
		return setup(err)
	}
	pages, listener, err := h.pages(store)
	if err != nil {
		return setup(err)
	}
	h.guests = guest.Invite(h.config.guests(), h.log)
	defer h.guests.Close()
	heart := pulse.New(pulse.Options{Ran: pulse.BootTime()})
	adapter, err := discord.New(discord.Options{
		Store: store, Leases: db.leases, Endpoint: endpoint, Token: h.token, Transport: h.transport, Dialer: h.dialer,
		Shards: h.config.Discord.Shards, Listen: h.config.Discord.Listen,
		Log: h.log, Metrics: figures, Grace: 3 * time.Second, Pulse: heart, Signs: view.Signs(),
		ClientSecret: secret,
	})
	if err != nil {
		return setup(err)
	}
	beside, stop := context.WithCancel(ctx)
	defer h.wait.Wait()
	defer stop()
	ops, err := serveOps(h.config.Operations, registry, &health{store: db, discord: adapter}, h.log)
	if err != nil {
		return setup(err)
	}
	defer ops.close()
	h.wait.Go(func() { db.care(beside) })
	if err := h.meet(ctx, adapter, store); err != nil || ctx.Err() != nil {
		return err
	}
	heart.Restart() // the clock may have been put right meanwhile
	options := bot.Config{Store: store, Options: h.config.options(), Fetch: discord.Fetch(h.transport), Log: h.log,
		Metrics: figures, Leases: db.leases, Pulse: heart, Guests: h.guests, Version: version()}
	if pages != nil {
		options.Page, options.Told, pages.Name = pages, pages.Told, adapter.Name
		if secret != "" {
			pages.App, pages.Activity = adapter.App, adapter
		}
	}
	service, err := bot.Serve(ctx, adapter, options)
	if err != nil {
		return err
	}
	defer service.Close()
	h.serving.Store(service.Bot)
	defer h.serving.Store(nil)
	if pages != nil {
		pages.Host(service)
		pages.Serve(listener)
		defer pages.Close()
	}
	h.wait.Go(func() { giveMemoryBack(beside) })
	h.wait.Go(func() { h.introduce(beside, adapter) })
	h.log.Info("started", "version", version(), "store", db.name)
	if err := service.Wait(ctx); err != nil {
		var fatal *discord.Fatal
		if errors.As(err, &fatal) {
			return setup(err)
		}
		return err
	}
	h.log.Info("ending")
	return nil
}

// giveMemoryBack returns to the system the memory that the start and busy times needed; Go
// would keep it for long. How long a start takes depends on the machine, so it does this often at
// first, and then seldom.
func giveMemoryBack(ctx context.Context) {
	for wait := 8 * time.Second; ; wait = min(2*wait, 10*time.Minute) {
		if tasks.Sleep(ctx, wait) != nil {
			return
		}
		runtime.GC() // pools keep what they hold for one collection
		debug.FreeOSMemory()
	}
}

// meet looks at the bot's own entry at Discord, and says what its operator may have to do about
// it. Without network, and while this machine's clock is wrong, it tries again. It is an error where the store
// belongs to another application, or where a clock that is far from the store's cannot be checked: no
// game is touched then.
func (h *hosting) meet(ctx context.Context, d *discord.Adapter, store *storage.Store) error {
	last, err := store.Alive(ctx)
	if err != nil {
		return setup(err)
	}
	var another *discord.Fatal
	var seen *discord.Application
	h.untilDone(ctx, "reading the application", func() error {
		a, err := d.Application(ctx)
		switch {
		case errors.As(err, &another):
			return nil
		case err != nil:
			return err
		}
		if err := checkClock(time.Now(), a.At, last); err != nil {
			return err
		}
		seen = &a
		h.describe(a)
		return nil
	})
	switch away := time.Since(last); {
	case another != nil:
		return setup(another)
	case ctx.Err() != nil || last.IsZero() || away.Abs() < farOff:
	case seen == nil:
		return exit{exitSetup, fmt.Sprintf("this machine's clock says %v, the store's last sign of life is of %v, and "+
			"Discord was not asked which is right: no game is touched", time.Now().UTC().Round(time.Second), last)}
	default:
		h.log.Warn("this machine's clock is far from the store's last sign of life; games get the time back",
			"clock", time.Now().UTC().Round(time.Second), "last", last, "discord", seen.At)
	}
	return nil
}

// farOff is how far the clock may be from the store's last sign of life without a word.
const farOff = 24 * time.Hour

// clockError says that this machine's clock is wrong.
type clockError struct{ here, discord, last time.Time }

// Error names the clocks.
func (e *clockError) Error() string {
	s := fmt.Sprintf("this machine's clock says %v, and Discord's %v", e.here.UTC().Round(time.Second), e.discord)
	if !e.last.IsZero() {
		s += fmt.Sprintf("; the store's last sign of life is of %v", e.last)
	}
	return s
}

// checkClock compares this machine's clock with that of Discord's last answer, where it says one.
func checkClock(here, discord, last time.Time) error {
	if discord.IsZero() || here.Sub(discord).Abs() <= game.ClockError {
		return nil
	}
	return &clockError{here, discord, last}
}

// asker is an adapter for a question or two.
func (h *hosting) asker() (*discord.Adapter, error) {
	d, err := discord.New(discord.Options{Token: h.token, Transport: h.transport, Dialer: h.dialer, Log: h.log})
	if err != nil {
		return nil, setup(err)
	}
	return d, nil
}

// advised ends the program with an error of Discord's and what can be done about it.
func advised(err error) exit {
	advice, _ := advise(err)
	return exit{1, err.Error() + "; " + advice}
}

// check says whether a start would find what it needs, and of the application what a start says. It is an error
// where Discord does not take the token; where Discord does not answer, the token is judged by its form, and the rest
// is checked.
func (h *hosting) check(ctx context.Context, s streams) error {
	d, err := h.asker()
	if err != nil {
		return err
	}
	a, err := d.Application(ctx)
	var e *chat.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	}
	odd := unlikeToken(h.token)
	if errors.As(err, &e) && e.Code == 401 {
		if odd != "" {
			err = fmt.Errorf("%w (%s)", err, odd)
		}
		return setup(advised(err))
	}
	fmt.Fprintf(s.out, "The configuration is good. The store is %s.\n", h.config.Store.place())
	if err == nil {
		fmt.Fprintf(s.out, "Discord knows the token: it is that of %s (%d).\n", a.Name, a.ID)
		h.describe(a)
	} else {
		fmt.Fprintf(s.out, "The token was found and not tried: Discord could not be asked (%v).\n", err)
	}
	h.checkPage(ctx, s.out, d, a)
	tryGuests(ctx, s.out, h.config.guests(), h.log)
	if err != nil && odd != "" {
		return exit{exitSetup, "the token cannot be one: " + odd}
	}
	return nil
}

// adopt gives the store to the application of the token.
func (h *hosting) adopt(ctx context.Context, s streams) error {
	d, err := h.asker()
	if err != nil {
		return err
	}
	a, err := d.Application(ctx)
	if err != nil {
		return advised(err)
	}
	db, store, err := hostStore(ctx, h.config, h.log, nil)
	if err != nil {
		return setup(err)
	}
	was, err := store.Adopt(ctx, a.ID)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	switch was {
	case a.ID:
		fmt.Fprintf(s.out, "The store belongs to the application %d (%s) already.\n", a.ID, a.Name)
	case 0:
		fmt.Fprintf(s.out, "The store belonged to no application; it now belongs to %d (%s).\n", a.ID, a.Name)
	default:
		fmt.Fprintf(s.out, "The store belonged to the application %d; it now belongs to %d (%s).\n", was, a.ID, a.Name)
	}
	return nil
}

// introduce registers the commands. Without network it tries again.
func (h *hosting) introduce(ctx context.Context, d *discord.Adapter) {
	server := h.config.Discord.CommandsServer
	h.untilDone(ctx, "registering the commands", func() error {
		wrote, err := d.Register(ctx, bot.Commands(len(h.guests.Names(nil)) > 0), texts.Local, texts.Locales(), server)
		if err == nil {
			h.log.Info("commands", "registered_anew", wrote, "server", server)
		}
		return err
	})
}

// unregister takes the commands away.
func (h *hosting) unregister(ctx context.Context, s streams) error {
	d, err := h.asker()
	if err != nil {
		return err
	}
	wrote, err := d.Register(ctx, nil, nil, nil, h.config.Discord.CommandsServer)
	if err != nil {
		return advised(err)
	}
	fmt.Fprintln(s.out, map[bool]string{true: "The commands are taken away.", false: "There were none."}[wrote])
	return nil
}

// describe says what there is to say of the application.
func (h *hosting) describe(a discord.Application) {
	h.log.Info("application", "id", a.ID, "name", a.Name)
	h.describeEndpoint(a)
	if a.Server {
		h.log.Info("this link adds the bot to a server", "link", a.InviteServer())
	} else {
		h.log.Warn("the bot cannot be installed in servers: " +
			"on the Installation page of the Developer Portal tick Guild Install, and start again")
	}
	if a.Server && a.Bare {
		h.log.Warn("servers that add the bot from its profile or from the App Directory get its commands without the bot: "+
			"on the Installation"+
			" page of the Developer Portal choose the scope bot and the permissions of this link as Default Install Settings",
			"link", a.InviteServer())
	}
	if a.User {
		h.log.Info("this link installs the bot for yourself, to play anywhere", "link", a.InviteMember())
	} else {
		h.log.Info("members cannot install the bot for themselves: on the Installation page of the Developer Portal" +
			" tick User Install and start again, so that they can play anywhere")
	}
}

// untilDone tries again, at longer and longer intervals, and gives up where trying again
// cannot help.
func (h *hosting) untilDone(ctx context.Context, what string, f func() error) {
	for wait := 2 * time.Second; ; wait = min(2*wait, 5*time.Minute) {
		err := f()
		if err == nil || ctx.Err() != nil {
			return
		}
		advice, hopeless := advise(err)
		h.log.Error(what, "error", err, "advice", advice)
		if hopeless || tasks.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// advise words what an operator can do about an error of Discord's; hopeless: trying
// again cannot help.
func advise(err error) (advice string, hopeless bool) {
	var e *chat.Error
	switch {
	case errors.As(err, new(*clockError)):
		return "no game is touched until the clock is right: set it (timedatectl); this goes on by itself", false
	case !errors.As(err, &e):
		return "this is a mistake of the program: please report it", true
	case e.Code == 401:
		return "the token is not accepted: copy the present one from the Bot page of the Developer Portal", true
	case e.Code == 40333:
		return "Cloudflare, which stands before Discord, turns calls from this machine's address away; " +
			"this goes on by itself", false
	case e.Code == 50240:
		return "an Activity has got its entry point meanwhile; this goes on by itself", false
	case e.Trouble == chat.NoPlace:
		return "the bot is not in that server, or was invited without applications.commands: use the invite link", true
	case e.Trouble == chat.Locked:
		return "a permission is missing: invite the bot again by the link in this log", true
	case e.Trouble == chat.Refused:
		return "Discord does not take what was sent: please report it", true
	case e.Trouble == chat.Busy:
		return fmt.Sprintf("Discord asks to wait %v; this goes on by itself", e.After.Round(time.Second)), false
	case strings.Contains(e.Text, "certificate has expired or is not yet valid"):
		return "is this machine's clock right (timedatectl)? this goes on by itself", false
	case strings.Contains(e.Text, "no such host"), strings.Contains(e.Text, "connect"):
		return "is there a way to discord.com from here? this goes on by itself", false
	}
	return "this goes on by itself", false
}
