package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tengen/ai/guest"
	"tengen/bot"
	"tengen/bot/demo"
	"tengen/bot/discord"
	"tengen/bot/regulars"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/internal/pulse"
	"tengen/storage"
	"tengen/storage/bolt"
)

type demoCmd struct {
	Addr   string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where the page is served (${default}). Port 0 takes a free one; without a host only this machine is served."`
	Config string `placeholder:"FILE" help:"Let the engines of this configuration play, too. Nothing else of it is read."`
	Data   string `type:"path" placeholder:"DIR" help:"Keep games and conversations in this folder. Without it they are gone at the end."`

	Members     int  `default:"8" placeholder:"N" help:"How many members there are to be, 2 to 16. All but the first answer by themselves."`
	Alone       bool `help:"Nobody answers by themselves: you are all the members."`
	AcceptOlder bool `help:"Go on with an older copy of the games where a backup of them holds a later change."`
}

// Run serves the page until it is told to stop, which is no error.
func (c demoCmd) Run(ctx context.Context, s streams) error {
	log := s.warnings()
	if c.Members < demo.MinMembers || c.Members > demo.MaxMembers {
		return exit{2, fmt.Sprintf("--members %d: write a number from %d to %d", c.Members, demo.MinMembers, demo.MaxMembers)}
	}
	listener, err := listenDemo(c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	dir, done, err := demoData(c.Data)
	if err != nil {
		return err
	}
	defer done()

	if c.AcceptOlder {
		db, err := bolt.Open(ctx, filepath.Join(dir, demoStore),
			bolt.Options{Log: log, Name: "tengen demo", AcceptOlder: true})
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			return stopped(ctx, err)
		}
	}

	guests, err := c.guests(log)
	if err != nil {
		return err
	}
	defer guests.Close()
	house, err := openDemo(ctx, dir, demo.Options{Public: !local(listener), Members: c.Members}, guests, log)
	if err != nil {
		return stopped(ctx, err)
	}
	defer house.close()
	if !c.Alone {
		if err := house.meet(ctx, regulars.Options{Seed: rand.Uint64(), Log: log}); err != nil {
			return stopped(ctx, err)
		}
	}
	defer house.confess(log)
	if c.Data != "" {
		defer house.keep(log)
		house.keepSaving(keepEvery, log)
	}
	web := &http.Server{Handler: house.page, ReadHeaderTimeout: headerLimit, ReadTimeout: requestLimit,
		WriteTimeout: answerLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	defer web.Close()
	ended := make(chan error, 1)
	go func(b *bot.Service) { ended <- b.Wait(ctx) }(house.bot) // end takes it out of the house

	fmt.Fprintf(s.out, "tengen demo: open http://%s/ in a browser. Ctrl-C ends it.\n", shownAddress(listener))
	if !local(listener) {
		fmt.Fprintln(s.err, "tengen: others can reach this page: everyone who does can act as any of its members")
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-served:
		return fmt.Errorf("serving the page: %w", err)
	case err := <-ended:
		return stopped(ctx, fmt.Errorf("the bot ended: %w", err))
	}
}

// guests are the engines of the configuration that is named.
func (c demoCmd) guests(log *slog.Logger) (*guest.Guests, error) {
	if c.Config == "" {
		return &guest.Guests{}, nil
	}
	cfg, err := loadConfig(c.Config)
	if err != nil {
		return nil, setup(err)
	}
	return guest.Invite(cfg.guests(), log), nil
}

const botName = "tengen"

// demoSecret is the application's client secret, for the stand-in alone.
const demoSecret = "demo"

// demoStore is the name of the store's file.
const demoStore = "demo.db"

// Bounds of the page's server. An action has its own, in bot/demo; a feed has none of these.
const (
	headerLimit  = 3 * time.Second
	requestLimit = 10 * time.Second
	answerLimit  = time.Minute // a picture may go to another machine
	idleLimit    = 2 * time.Minute
	maxHeaders   = 16 << 10 // bytes
)

// Bounds of what the stand-in keeps.
const (
	keepMessages     = 300      // of each channel and thread
	keepFiles        = 64 << 20 // bytes of all attachments; the oldest go
	keepInteractions = 10_000
)

// stopped is err, unless it came of being told to stop.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// listenDemo listens on an address. One without a host is this machine's own.
func listenDemo(addr string) (net.Listener, error) {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr // a port alone
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, exit{2, fmt.Sprintf("--addr %s: write it as HOST:PORT", addr)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %s of %s is taken by another program; choose another with --addr %s:PORT, "+
			"or a free one with --addr %s:0", port, host, host, host)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on port %s; choose one above 1023 with --addr %s:PORT", port, host)
	case err != nil:
		return nil, fmt.Errorf("listening on %s: %w", addr, err)
	}
	return l, nil
}

// local reports whether only this machine reaches a listener.
func local(l net.Listener) bool {
	a, ok := l.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// shownAddress is the address as one types it into a browser on this machine.
func shownAddress(l net.Listener) string {
	a, ok := l.Addr().(*net.TCPAddr)
	if ok && a.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", a.Port)
	}
	return l.Addr().String()
}

// demoData is the folder for the games, and a function that cleans up at the end.
func demoData(dir string) (string, func(), error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", nil, fmt.Errorf("making the folder for the games: %w", err)
		}
		return dir, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "tengen-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the games: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// demoHouse is the bot, as it runs on Discord, and the stand-in that it is connected to.
type demoHouse struct {
	discord *standin.Server
	page    *demo.Page
	others  *regulars.Regulars // nil: nobody answers by themselves
	store   *storage.Store
	boards  *demoBoards
	dir     string
	saved   [sha256.Size]byte
	file    *bolt.DB
	bot     *bot.Service
	life    context.Context // until end
	stop    context.CancelFunc
	running sync.WaitGroup
}

// openDemo starts everything in a folder. The bot's connection is a real session that leads
// to the stand-in. All places are made before the bot connects, even where the conversations
// are lost: a bot ends its games in servers that it does not find.
func openDemo(ctx context.Context, dir string, o demo.Options, guests *guest.Guests,
	log *slog.Logger) (_ *demoHouse, err error) {
	h := &demoHouse{dir: dir}
	h.discord = standin.Start(standin.Options{NoGuild: true, BotName: botName, Lenient: true,
		Activity: true, ClientSecret: demoSecret,
		Keep: keepMessages, KeepBytes: keepFiles, KeepInteractions: keepInteractions})
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	// The store's lock keeps a second demo away from the conversations too.
	if h.file, err = bolt.Open(ctx, filepath.Join(dir, demoStore), bolt.Options{
		Log: log, Name: "tengen demo", Grows: storage.Grows, Omit: storage.Omit, Mark: storage.WipedRow()}); err != nil {
		return nil, err
	}
	h.store, err = storage.Open(ctx, h.file, storage.Options{Limits: storage.DefaultLimits,
		Program: rowsVersion(), Log: log})
	if err == nil {
		err = renew(ctx, h.file, h.store, log)
	}
	if err != nil {
		return nil, err
	}
	if h.boards, err = openBoards(h.store, log); err != nil {
		return nil, fmt.Errorf("opening the port of the boards: %w", err)
	}
	o.Boards = h.boards.address()
	if h.page, err = demo.New(ctx, h.discord, botName, o); err != nil {
		return nil, err
	}
	h.recall(log)
	if err = h.page.Recall(ctx); err != nil {
		return nil, err
	}
	if err = h.mend(ctx); err != nil {
		return nil, fmt.Errorf("bringing games and conversations together: %w", err)
	}
	adapter, err := discord.New(discord.Options{Token: h.discord.Token(), Transport: h.discord.Transport(),
		Dialer: h.discord.Dialer(), Shards: 1, Listen: true, Log: log, Signs: view.Signs(),
		ClientSecret: demoSecret})
	if err != nil {
		return nil, err
	}
	if _, err = adapter.Register(ctx, bot.Commands(len(guests.Names(nil)) > 0), texts.Local, texts.Locales(),
		0); err != nil {
		return nil, err
	}
	h.boards.App, h.boards.Activity = adapter.App, adapter
	if h.bot, err = bot.Serve(ctx, adapter, bot.Config{Store: h.store, Log: log, Guests: guests,
		Fetch: discord.Fetch(h.discord.Transport()), Page: h.boards, Told: h.boards.Told,
		Pulse: pulse.New(pulse.Options{Ran: pulse.BootTime()})}); err != nil {
		return nil, err
	}
	h.boards.serve(h.bot)
	h.life, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	// A command that is used before the bot listens would be lost.
	if _, err = h.discord.Act(ctx, standin.Action{Do: "ready", Count: 1, For: 30 * time.Second}); err != nil {
		return nil, fmt.Errorf("the bot does not connect: %w", err)
	}
	return h, nil
}

// meet has all members but the first answer by themselves.
func (h *demoHouse) meet(ctx context.Context, o regulars.Options) (err error) {
	o.Names, o.Home = h.page.Others(), demo.Home
	if h.others, err = regulars.Start(ctx, h.discord, h.store, o); err != nil {
		return fmt.Errorf("bringing the members to life: %w", err)
	}
	h.page.Watch(h.others)
	return nil
}

// Names in the folder of --data.
const (
	worldName = "conversations.json"
	filesName = "files" // a folder: attachments by their ids
)

// maxWorld bounds the file of the conversations, in bytes.
const maxWorld = 1 << 29

// recall restores the saved conversations. A file that cannot be read is set aside: the games
// are in the store.
func (h *demoHouse) recall(log *slog.Logger) {
	file := filepath.Join(h.dir, worldName)
	unfinished, _ := filepath.Glob(filepath.Join(h.dir, "."+worldName+".*")) // of a demo that was killed
	for _, name := range unfinished {
		os.Remove(name)
	}
	text, err := readRegular(file, maxWorld)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = h.discord.Restore(bytes.NewReader(text), func(id string) ([]byte, error) {
			return readRegular(filepath.Join(h.dir, filesName, id), standin.MaxFileSize)
		})
	}
	if err == nil {
		return
	}
	aside := file + ".damaged"
	os.RemoveAll(aside)
	if failed := os.Rename(file, aside); failed != nil {
		err = errors.Join(err, failed)
	}
	log.Warn("the saved conversations cannot be read and are set aside; the games run on", "as", aside, "error", err)
}

// mend restores what running games need and the conversations have lost: threads are opened
// again, a board that is gone is forgotten, so that the bot posts it anew, and the others are
// brought up to date.
func (h *demoHouse) mend(ctx context.Context) error {
	var live []storage.Record
	if err := h.store.Live(ctx, func(rec storage.Record) bool { live = append(live, rec); return true }); err != nil {
		return err
	}
	for _, rec := range live {
		place := strconv.FormatUint(rec.Place.Channel, 10)
		r, err := h.discord.Act(ctx, standin.Action{Do: "messages", At: place})
		if err != nil {
			again := standin.Action{Do: "add-thread", At: demo.Home, Name: rec.Rules.Name(), Target: place}
			if _, err := h.discord.Act(ctx, again); err != nil {
				return err
			}
		}
		there := func(message uint64) bool {
			id := strconv.FormatUint(message, 10)
			return slices.ContainsFunc(r.Messages, func(m standin.Message) bool { return m.ID == id })
		}
		_, err = h.store.SetScreen(ctx, rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			if sc.Channel == rec.Place.Channel && sc.Message != 0 && !there(sc.Message) {
				sc.Message, sc.Token = 0, ""
			}
			sc.Shown = 0 // the conversations may have been saved before the last moves
			return sc, nil
		})
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
	}
	return nil
}

// keepEvery is the time between two saves of the conversations: what a killed demo loses at
// most. The games lose nothing.
const keepEvery = 15 * time.Second

// keep writes the conversations once the bot has ended.
func (h *demoHouse) keep(log *slog.Logger) {
	h.end()
	h.save(log)
}

func (h *demoHouse) save(log *slog.Logger) {
	if err := h.write(); err != nil {
		log.Warn("the conversations are not kept; the games are", "error", err)
	}
}

// write writes new attachments into their folder, then the conversations, where they have
// changed, into their file, whole or not at all. Then it deletes the attachments that no
// message has any more.
func (h *demoHouse) write() error {
	folder := filepath.Join(h.dir, filesName)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	needed := map[string]bool{}
	var world bytes.Buffer
	err := h.discord.Save(&world, func(id string, data []byte) error {
		needed[id] = true
		name := filepath.Join(folder, id)
		if info, err := os.Stat(name); err == nil && info.Size() == int64(len(data)) {
			return nil
		}
		return writeWhole(name, 0o600, content(data))
	})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(world.Bytes())
	if sum == h.saved {
		return nil
	}
	if err := writeWhole(filepath.Join(h.dir, worldName), 0o600, content(world.Bytes())); err != nil {
		return err
	}
	h.saved = sum
	kept, err := os.ReadDir(folder)
	for _, e := range kept {
		if !needed[e.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// keepSaving writes the conversations now and from time to time while the bot runs.
func (h *demoHouse) keepSaving(d time.Duration, log *slog.Logger) {
	h.running.Go(func() {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			h.save(log)
			select {
			case <-tick.C:
			case <-h.life.Done():
				return
			}
		}
	})
}

// confess logs the messages of the bot that Discord would have refused: the stand-in lets our
// mistakes pass.
func (h *demoHouse) confess(log *slog.Logger) {
	for _, v := range h.discord.Violations() {
		log.Warn("Discord would have refused a message of the bot: please report this", "what", v.String())
	}
}

// end ends the bot. It may be called again.
func (h *demoHouse) end() {
	if h.others != nil {
		h.others.Close()
	}
	if h.stop != nil {
		h.stop()
	}
	h.running.Wait()
	if h.boards != nil {
		h.boards.close()
		h.boards = nil
	}
	if h.bot != nil {
		h.bot.Close()
		h.bot = nil
	}
}

// close ends everything, each thing before those that it needs.
func (h *demoHouse) close() {
	h.end()
	if h.file != nil {
		h.file.Close()
	}
	h.discord.Close()
}
