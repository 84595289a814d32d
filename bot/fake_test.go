package bot

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/host"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

// paper is a chat.Chat in memory, in fake time: it keeps the messages and the way in which
// each was last sent. Tokens expire after a quarter of an hour, as Discord's do.
type paper struct {
	mu       sync.Mutex
	last     uint64
	messages map[uint64]chat.Message
	original map[string]uint64 // by token: the answer to its interaction
	born     map[string]time.Time
	pings    []game.MemberID
	byToken  int
	byBot    int
	nonces   map[string]uint64
	slow     time.Duration
	lost     bool        // the channel is gone
	outside  bool        // the bot is in no server
	lapsed   int         // calls with an expired token
	threads  int         // opened
	answer   chat.Answer // the newest
	keep     int         // messages, the newest; 0: all
	instance string      // that the Activity opens; empty: none
	parent   uint64      // the channel of every thread; 0: the channels are none
}

func newPaper() *paper {
	return &paper{messages: map[uint64]chat.Message{}, original: map[string]uint64{}, born: map[string]time.Time{},
		nonces: map[string]uint64{}}
}

func (p *paper) put(m chat.Message) uint64 {
	p.last++
	p.set(p.last, m)
	if p.keep > 0 {
		p.forget()
	}
	if m.Mention != 0 {
		p.pings = append(p.pings, m.Mention)
	}
	return p.last
}

// set keeps a message. A paper that keeps few messages keeps no pictures either.
func (p *paper) set(id uint64, m chat.Message) {
	if p.keep > 0 {
		for i := range m.Blocks {
			if m.Blocks[i].Picture != nil {
				m.Blocks[i].Picture = &chat.Picture{Alt: m.Blocks[i].Picture.Alt}
			}
		}
	}
	p.messages[id] = m
}

// forget drops old messages and tokens, so that the paper does not grow.
func (p *paper) forget() {
	delete(p.messages, p.last-uint64(p.keep))
	p.pings = p.pings[:min(len(p.pings), p.keep)]
	for token, at := range p.born {
		if time.Since(at) > time.Hour {
			delete(p.born, token)
			delete(p.original, token)
		}
	}
}

// pressed notes which message an interaction came from.
func (p *paper) pressed(token string, message uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.born[token] = time.Now()
	if message != 0 {
		p.original[token] = message
	}
}

func (p *paper) Answer(_ context.Context, t chat.Ticket, a chat.Answer) (uint64, error) {
	p.mu.Lock()
	slow := p.slow
	p.mu.Unlock()
	time.Sleep(slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = a
	switch a.Kind {
	case chat.Say:
		id := p.put(a.Message)
		p.original[t.Token] = id
		return id, nil
	case chat.Replace:
		p.set(p.original[t.Token], a.Message)
		return p.original[t.Token], nil
	}
	return 0, nil
}

func (p *paper) Send(_ context.Context, to chat.To, m chat.Message) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.Token != "" {
		if time.Since(p.born[to.Token]) > 15*time.Minute {
			p.lapsed++
			return 0, &chat.Error{Trouble: chat.Lapsed}
		}
		p.byToken++
		switch {
		case to.Original && p.original[to.Token] == 0:
			return 0, &chat.Error{Trouble: chat.Gone}
		case to.Original:
			p.set(p.original[to.Token], m)
			return p.original[to.Token], nil
		}
	} else {
		p.byBot++
		switch id, posted := p.nonces[to.Nonce]; {
		case p.lost:
			return 0, &chat.Error{Trouble: chat.NoPlace}
		case to.Message == 0 && to.Nonce != "" && posted:
			return id, nil
		case to.Message == 0 && to.Nonce != "":
			p.nonces[to.Nonce] = p.last + 1
		}
	}
	if to.Message != 0 {
		p.set(to.Message, m)
		return to.Message, nil
	}
	return p.put(m), nil
}

// pinged are the members that messages pinged, in order.
func (p *paper) pinged() []game.MemberID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pings)
}

// sent counts the messages with the bot's own token.
func (p *paper) sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byBot
}

func (p *paper) Delete(_ context.Context, to chat.To) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.Original {
		to.Message = p.original[to.Token]
	}
	if to.Token == "" {
		p.byBot++
	}
	delete(p.messages, to.Message)
	return nil
}

func (p *paper) Find(context.Context, uint64, uint32, time.Time) (uint64, error) {
	return 0, &chat.Error{Trouble: chat.Locked}
}

func (p *paper) List(context.Context, uint64, chat.Listing) (uint64, error) {
	return 0, &chat.Error{Trouble: chat.Locked}
}

func (p *paper) Listings(context.Context, uint64) ([]chat.Listing, error) { return nil, nil }

func (p *paper) Launch(context.Context, chat.Ticket) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.instance == "" {
		return "", &chat.Error{Trouble: chat.Locked}
	}
	return p.instance, nil
}

func (p *paper) Leave(context.Context, uint64) error { return nil }

func (p *paper) Unlist(context.Context, uint64, uint64) error { return nil }

func (p *paper) Enter(context.Context, uint64, game.MemberID) error { return nil }

func (p *paper) Parent(context.Context, uint64) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parent, nil
}

func (p *paper) In(context.Context, uint64) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.outside, nil
}

func (p *paper) Direct(context.Context, game.MemberID) (uint64, error) { return 78, nil }

func (p *paper) Thread(context.Context, chat.ThreadPlace, string) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.threads++
	return 77, nil
}

// desktop is a bot on paper.
type desktop struct {
	t     *testing.T
	bot   *Bot
	paper *paper
	store *storage.Store
	n     uint64
}

const club, lounge = 900, 901

// onPaper is a bot on paper, which ends with the test.
// quickReview are means by which the end of a game is looked at in no time.
var quickReview = review.Means{Nodes: 300}

func onPaper(t *testing.T) *desktop { t.Helper(); return onPaperOver(t, kv.NewMemory()) }

func onPaperOver(t *testing.T, engine kv.Engine, change ...func(*Config)) *desktop {
	t.Helper()
	store := storagetest.Store(t, engine, storage.Options{Limits: storage.DefaultLimits})
	d := &desktop{t: t, paper: newPaper(), store: store}
	c := Config{Store: store, Chat: d.paper, Think: simple, Draw: drawn, Options: Options{ReviewMeans: quickReview}}
	for _, f := range change {
		f(&c)
	}
	d.bot = botOf(c)
	t.Cleanup(func() { d.bot.close() }) // the one that it has in the end
	testkit.Must(t, d.bot.start(t.Context()))
	return d
}

// botOf is a bot that is not at work yet.
func botOf(c Config) *Bot {
	return testkit.Got(newBot(c))
}

// twoOnPaper are two processes on one store, which have shared the channels, and what both send. The test
// is in a bubble.
func twoOnPaper(t *testing.T, more ...func(*Config)) (both [2]*desktop, p *paper) {
	t.Helper()
	standin.EnterBubble()
	engine, table := kv.NewMemory(), lease.NewTable()
	p = newPaper()
	for i := range both {
		ours := func(c *Config) { c.Leases, _ = table.Process(); c.Chat = p }
		both[i] = onPaperOver(t, engine, append([]func(*Config){ours}, more...)...)
	}
	time.Sleep(5 * time.Second)
	return both, p
}

func (d *desktop) request(by game.MemberID, kind chat.Kind) chat.Request {
	d.n++
	now := time.Now()
	id := uint64(now.UnixMilli()-discord.Epoch)<<22 | d.n&0x3fffff
	return chat.Request{ID: id, Token: fmt.Sprint("token", id), Kind: kind, At: now, By: by,
		Place: venue.Place{Server: club, Channel: lounge}, Installed: true, Options: map[string]chat.Option{},
		Allowed: chat.Permissions{View: true, Send: true, External: true}}
}

// calmAfter lets time pass in a bubble, and waits until all rest.
func calmAfter(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// handle hands a request to the bot, and waits until it rests.
func (d *desktop) handle(r chat.Request) (remark string) {
	d.paper.pressed(r.Token, r.Message)
	remark = d.bot.Handle(d.t.Context(), r)
	synctest.Wait()
	return remark
}

// betweenMembers begins a game in which 1 has black against 2: on the large board, unless the options say
// otherwise.
func (d *desktop) betweenMembers(options ...string) storage.Record {
	d.slash(1, "play member", append([]string{"opponent", "2", "game", "gomoku", "color", "black"}, options...)...)
	d.press(2, d.only(1), "accept", "")
	return d.only(1)
}

// plays plays points in the only match of 1, for whoever is to move.
func (d *desktop) plays(points ...string) {
	for _, p := range points {
		now := d.only(1)
		d.press(now.Match.Seats[now.Match.ToMove()].Member, now, "play", p)
	}
}

// slash runs a command and waits until the bot rests.
func (d *desktop) slash(by game.MemberID, name string, options ...string) {
	r := d.request(by, chat.Slash)
	r.Name = name
	for i := 0; i+1 < len(options); i += 2 {
		r.Options[options[i]] = chat.Option{Text: options[i+1], Number: int64(len(options[i+1])), Yes: options[i+1] == "yes"}
		if options[i] == "opponent" {
			var id game.MemberID
			fmt.Sscan(options[i+1], &id)
			r.Options["opponent"] = chat.Option{Member: chat.MemberTarget{ID: id}}
		}
	}
	d.handle(r)
}

// press presses a button of a match's live message.
func (d *desktop) press(by game.MemberID, rec storage.Record, verb, arg string) {
	sc := testkit.Got(d.store.Screen(d.t.Context(), rec.ID))
	r := d.request(by, chat.Press)
	r.Custom, r.Message = view.On(rec.Match, verb, arg), sc.Message
	d.handle(r)
}

// only is the one live match of a member.
func (d *desktop) only(by game.MemberID) storage.Record {
	d.t.Helper()
	recs, err := d.store.Of(d.t.Context(), by)
	if err != nil || len(recs) != 1 {
		d.t.Fatalf("%d matches %v", len(recs), err)
	}
	return recs[0]
}

func (d *desktop) shows(rec storage.Record) string {
	sc, err := d.store.Screen(d.t.Context(), rec.ID)
	if err != nil {
		return ""
	}
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	return wordsOf(d.paper.messages[sc.Message])
}

// wordsOf are the texts of a message.
func wordsOf(m chat.Message) string {
	var out strings.Builder
	for _, b := range m.Blocks {
		out.WriteString(b.Text + "\n")
	}
	return out.String()
}

// A clock pings the member to move at three quarters of the time, beside the call of who is
// away, and ends the game a little after its end, without any interaction.
func TestClockOfMonths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers("clock", "1d")
		d.plays("H8", "I9")
		before := len(d.paper.pinged())
		calmAfter(18*time.Hour + 2*time.Second)
		pings := d.paper.pinged()[before:]
		if rec := d.only(1); !rec.Reminded || len(pings) != 2 || pings[0] != 1 || pings[1] != 1 {
			t.Fatalf("reminded %v, pings %v", rec.Reminded, pings)
		}
		rec := d.only(1)
		calmAfter(6*time.Hour + game.Grace + 2*time.Second)
		rec, err := d.store.Match(t.Context(), rec.ID)
		if err != nil || rec.Result().Termination != game.ByTimeout || rec.Result().Winner != game.White {
			t.Fatalf("%+v %v", rec.Result(), err)
		}
		if s := d.shows(rec); !strings.Contains(s, "ran out of time") {
			t.Fatalf("the board says\n%s", s)
		}
	})
}

// After a quarter of an hour the bot edits by its own token, and after an hour it posts a new
// message.
func TestOldTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		first, _ := d.store.Screen(t.Context(), d.only(1).ID)
		time.Sleep(20 * time.Minute)
		byBot := d.paper.sent()
		d.slash(1, "move", "at", "H8") // the answer to a command is private, and so the bot's own token sends the board
		if sc, _ := d.store.Screen(t.Context(), d.only(1).ID); sc.Message != first.Message || sc.Late() ||
			d.paper.sent() == byBot {
			t.Fatalf("screen %+v after %+v, by bot %d after %d", sc, first, d.paper.sent(), byBot)
		}
		time.Sleep(time.Hour)
		d.slash(1, "move", "at", "K10")
		sc, _ := d.store.Screen(t.Context(), d.only(1).ID)
		if sc.Message == first.Message || sc.Late() {
			t.Fatalf("an old message was edited: %+v", sc)
		}
	})
}

// A board that is brought down twice at once is posted once, and stays a board.
func TestBoardPostedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		for range 2 {
			d.bot.screens.Refresh(rec.ID, true)
			synctest.Wait()
		}
		if s := d.shows(rec); !strings.Contains(s, "to move") {
			t.Errorf("the board says\n%s", s)
		}
	})
}

// The board of a rematch is a message of its own, also where the engine begins at once.
func TestBoardOfARematch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		d.press(1, d.only(1), "play", "H8")
		old := d.only(1)
		d.press(1, old, "resignsure", "")
		d.paper.mu.Lock()
		d.paper.slow = 50 * time.Millisecond // the engine is faster
		d.paper.mu.Unlock()
		d.press(1, old, "rematch", "")
		calmAfter(time.Second)
		made := d.only(1)
		one, err := d.store.Screen(t.Context(), old.ID)
		two, err2 := d.store.Screen(t.Context(), made.ID)
		if err != nil || err2 != nil || one.Message == two.Message || made.ID == old.ID {
			t.Fatalf("%+v %v, %+v %v", one, err, two, err2)
		}
		if s := d.shows(old); !strings.Contains(s, "resigned") {
			t.Errorf("the old board says\n%s", s)
		}
		if s := d.shows(made); !strings.Contains(s, "to move") {
			t.Errorf("the new board says\n%s", s)
		}
	})
}

// A game with a clock rests when its channel is gone and the token has expired.
func TestPlaceGoneWithItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		rec := d.betweenMembers("clock", "1d")
		d.press(1, rec, "play", "H8")
		d.paper.mu.Lock()
		d.paper.lost = true
		clear(d.paper.born) // all tokens have expired
		d.paper.mu.Unlock()
		d.bot.screens.Refresh(rec.ID, true)
		synctest.Wait()
		if rec := d.only(1); rec.Rested.IsZero() {
			t.Errorf("the clock runs: %+v", rec.Match)
		}
	})
}

// Bounds of what a day of games may leave behind.
const (
	dayHeap     = 1 << 20 // bytes that the heap may have more at the last hour than at the second
	dayRow      = 1 << 10 // bytes of a backup for each finished game
	dayRest     = 128 << 10
	dayFile     = 8 << 20 // bytes of the file
	dayBackups  = 26      // kept of the day: hourly for a day
	dayScreens  = 1       // a match
	dayAdvance  = 2 * time.Hour
	dayLasts    = 24 * time.Hour
	dayNine     = 9 * 24 * time.Hour // until what was forgotten is gone
	dayBetween  = 360                // seconds between two acts, on average
	dayMembers  = 24
	dayKept     = 200 // messages that the paper keeps
	dayBackupAt = time.Hour
)

// A day of games on a file of the real store: many members, games of all kinds, with clocks
// and without, offers, forgotten challenges, rematches, expired tokens, and a backup each
// hour. The process keeps its size, and the store deletes with each game what it needs only
// for running games. TENGEN_DAY=10 is a busier day, with an act each ten seconds.
func TestDay(t *testing.T) {
	path := filepath.Join(testkit.Scratch(t), "day.db")
	between := testkit.Dose("TENGEN_DAY", dayBetween)
	synctest.Test(t, func(t *testing.T) {
		today()
		quiet := slog.New(slog.DiscardHandler)
		db, err := bolt.Open(t.Context(), path, bolt.Options{Log: quiet, Grows: storage.Grows, Omit: storage.Omit,
			Check: bolt.CheckHere})
		testkit.Must(t, err)
		d := onPaperOver(t, db, func(c *Config) { c.Draw = nil }) // pictures that are kept would count
		d.paper.mu.Lock()
		d.paper.keep = dayKept
		d.paper.mu.Unlock()
		life, stop := context.WithCancel(t.Context())
		var backups sync.WaitGroup
		backups.Go(func() { db.KeepBackups(life, dayBackupAt) })
		defer func() { d.bot.close(); stop(); backups.Wait(); db.Close() }()

		for _, r := range game.AllRules { // what the engines load once is there from the beginning
			testkit.Got(ai.Search(t.Context(), game.New(r), ai.Limits{Nodes: 100}))
		}
		begun, rng := time.Now(), rand.New(rand.NewPCG(1, 2))
		early := d.play(rng, between, begun.Add(dayAdvance))
		late := d.play(rng, between, begun.Add(dayLasts))
		t.Logf("after %v: %v", dayAdvance, early)
		t.Logf("after %v: %v", dayLasts, late)
		if late.goroutines > early.goroutines {
			t.Errorf("%d goroutines after %d", late.goroutines, early.goroutines)
		}
		if late.heap > early.heap+dayHeap {
			t.Errorf("the heap grew from %d to %d bytes", early.heap, late.heap)
		}
		if late.Seen > 3600/between*3 {
			t.Errorf("%d causes are remembered; an hour has %d acts", late.Seen, 3600/between)
		}
		if late.Owed+late.Late != 0 {
			t.Errorf("%d turns owed, %d boards behind", late.Owed, late.Late)
		}
		d.paper.mu.Lock()
		n := d.paper.lapsed
		d.paper.mu.Unlock()
		testkit.Want(t, "calls with a token that had lapsed", n, 0)

		// All members leave. Nine days later no game is running any more.
		time.Sleep(dayNine)
		end := d.weigh()
		t.Logf("nine days later: %v", end)
		if end.Offered+end.Playing+end.Ended+end.Owed+end.Late+end.Seen != 0 || end.goroutines > early.goroutines ||
			end.heap > early.heap+dayHeap {
			t.Errorf("left: %+v", end)
		}
		testkit.Want(t, "senders are left", d.bot.screens.Busy(), 0)
		if waiting, thinking := d.bot.desk.Size(); waiting+thinking != 0 {
			t.Errorf("%d turns wait, %d are thought about", waiting, thinking)
		}
		_, err = storage.Verify(t.Context(), db)
		testkit.Check(t, err)
		made, err := bolt.Backups(path, path+".backups")
		if err != nil || len(made) == 0 || len(made) > dayBackups+14 {
			t.Fatalf("%d backups are kept: %v", len(made), err)
		}
		info := testkit.Got(os.Stat(path))
		t.Logf("the file has %d kB, its backup %d kB for %d finished games; %d backups", info.Size()>>10, made[0].Size>>10,
			end.Archived, len(made))
		if info.Size() > dayFile || made[0].Size > dayRest+dayRow*int64(end.Archived) {
			t.Errorf("the file has %d bytes, its backup %d", info.Size(), made[0].Size)
		}
	})
}

// weight is what an idle bot uses of memory and of the store.
type weight struct {
	storage.Stats
	goroutines int
	heap       uint64
	acts       uint64
}

func (w weight) String() string {
	return fmt.Sprintf("%d acts; %d goroutines, heap %d kB; %d offered, %d playing, %d ended, %d archived (%d rated), "+
		"%d causes, %d owed, %d late",
		w.acts, w.goroutines, w.heap>>10, w.Offered, w.Playing, w.Ended, w.Archived, w.Rated, w.Seen, w.Owed, w.Late)
}

func (d *desktop) weigh() weight {
	synctest.Wait()
	st := testkit.Got(d.store.Stats(d.t.Context()))
	n, heap := testkit.Settled()
	return weight{st, n, heap, d.n}
}

// play lets members act until a time, and weighs.
func (d *desktop) play(rng *rand.Rand, between int, end time.Time) weight {
	for ; time.Now().Before(end); time.Sleep(time.Duration(1+rng.IntN(2*between)) * time.Second) {
		by := game.MemberID(1 + rng.IntN(dayMembers))
		recs := testkit.Got(d.store.Of(d.t.Context(), by))
		if len(recs) == 0 || rng.IntN(10) == 0 {
			d.beginSome(rng, by)
			continue
		}
		d.actSome(rng, by, recs[rng.IntN(len(recs))])
	}
	return d.weigh()
}

func (d *desktop) beginSome(rng *rand.Rand, by game.MemberID) {
	kind := simKinds[rng.IntN(len(simKinds))]
	clock := host.Clocks[rng.IntN(len(host.Clocks))].Name
	other := fmt.Sprint(1 + rng.IntN(dayMembers))
	switch rng.IntN(4) {
	case 0:
		d.slash(by, "play bot", "game", kind, "clock", clock)
	case 1:
		d.slash(by, "play open", "game", kind, "clock", clock)
	case 2:
		d.slash(by, "play member", "opponent", other, "game", kind, "clock", clock, "rated", "yes")
	default:
		d.slash(by, "history")
	}
}

func (d *desktop) actSome(rng *rand.Rand, by game.MemberID, rec storage.Record) {
	m := rec.Match
	if m.Phase == game.Offered {
		d.press(game.MemberID(1+rng.IntN(dayMembers)), rec, "accept", "")
		return
	}
	if m.Phase != game.Playing {
		d.press(by, rec, "rematch", "")
		return
	}
	switch rng.IntN(30) {
	case 0:
		d.press(by, rec, "resignsure", "")
	case 1:
		d.slash(by, "undo")
	case 2:
		d.press(by, rec, "draw", "")
	case 3:
		d.slash(by, "board")
	case 4:
		d.press(by, rec, "allow", "")
	default:
		legal := m.Game().Legal().Points()
		d.press(m.Seats[m.ToMove()].Member, rec, "play", legal[rng.IntN(len(legal))].String())
	}
}
