package bot

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// inn and taproom are a server that the bot comes to, and its channel for notices.
const inn, taproom = 700, 701

// came tells the bot of an arrival in the inn, and waits until it rests.
func (d *desktop) came(change func(*chat.Arrival)) {
	a := chat.Arrival{Server: inn, At: time.Now(), Notices: taproom}
	if change != nil {
		change(&a)
	}
	d.bot.Came(d.t.Context(), a)
	synctest.Wait()
}

// with are the messages on a paper that begin with a text.
func (p *paper) with(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.messages {
		if len(m.Blocks) > 0 && strings.HasPrefix(m.Blocks[0].Text, text) {
			n++
		}
	}
	return n
}

// setServer changes what the store knows of the inn.
func (d *desktop) setServer(change func(*storage.Server)) {
	testkit.Got(d.store.SetServer(d.t.Context(), inn, func(s storage.Server) (storage.Server, error) {
		change(&s)
		return s, nil
	}))
}

// Which servers are welcomed, and in which language. The bot has run for an hour.
func TestWelcomed(t *testing.T) {
	const english, chinese = "### Hello!", "### 大家好！"
	for _, c := range []struct {
		name string
		news func(d *desktop)
		want string // what the only message begins with; empty: there is none
	}{
		{"the bot comes", func(d *desktop) { d.came(nil) }, english},
		{"and is told so again", func(d *desktop) { d.came(nil); d.came(nil) }, english},
		{"and is removed, and comes again", func(d *desktop) {
			d.came(nil)
			d.bot.Removed(d.t.Context(), inn)
			time.Sleep(24 * time.Hour)
			d.bot.Joined(d.t.Context(), inn)
			d.came(nil)
		}, english},
		{"it came while it was down", func(d *desktop) {
			d.bot.Present(d.t.Context(), []uint64{inn}, func(uint64) bool { return true })
			d.came(func(a *chat.Arrival) { a.At = a.At.Add(-9 * time.Minute) })
		}, english},
		{"it came before servers were welcomed", func(d *desktop) {
			d.came(func(a *chat.Arrival) { a.At = a.At.Add(-61 * time.Minute) })
		}, ""},
		{"no channel for notices", func(d *desktop) { d.came(func(a *chat.Arrival) { a.Notices = 0 }) }, ""},
		{"which is named a little later", func(d *desktop) {
			d.came(func(a *chat.Arrival) { a.Notices = 0 })
			d.came(nil)
		}, english},
		{"games are wanted elsewhere", func(d *desktop) {
			d.setServer(func(s *storage.Server) { s.Channels = []uint64{taproom + 1} })
			d.came(nil)
		}, ""},
		{"games are wanted there", func(d *desktop) {
			d.setServer(func(s *storage.Server) { s.Channels = []uint64{taproom} })
			d.came(nil)
		}, english},
		{"a Chinese server", func(d *desktop) { d.came(func(a *chat.Arrival) { a.Locale = "zh-CN" }) }, chinese},
		{"whose language was set", func(d *desktop) {
			d.setServer(func(s *storage.Server) { s.Look.Language = "en" })
			d.came(func(a *chat.Arrival) { a.Locale = "zh-CN" })
		}, english},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := onPaper(t)
				time.Sleep(time.Hour)
				c.news(d)
				all := d.paper.with("### ")
				switch {
				case c.want == "" && all > 0, c.want != "" && (all != 1 || d.paper.with(c.want) != 1):
					t.Errorf("%d messages, %d of them %q", all, d.paper.with(c.want), c.want)
				}
			})
		})
	}
}

// unsteady is a paper on which sending fails at first.
type unsteady struct {
	*paper
	mu       sync.Mutex
	fails    int
	trouble  chat.Trouble
	arrives  bool // although it fails
	attempts []string
}

func (p *unsteady) Send(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempts = append(p.attempts, to.Nonce)
	if len(p.attempts) > p.fails {
		return p.paper.Send(ctx, to, m)
	}
	if p.arrives {
		p.paper.Send(ctx, to, m)
	}
	return 0, &chat.Error{Trouble: p.trouble}
}

// A welcome is sent again while Discord surely takes it for the same message, and no longer. Where the bot may not
// write, it is not sent at all.
func TestWelcomeFails(t *testing.T) {
	for _, c := range []struct {
		name           string
		fails          int
		trouble        chat.Trouble
		arrives        bool
		attempts, want int
	}{
		{"for a short while", 3, chat.Failed, false, 4, 1},
		{"only seemingly", 3, chat.Failed, true, 4, 1},
		{"for long", 1000, chat.Busy, false, 7, 0},
		{"for good", 1000, chat.Locked, false, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p *unsteady
				d := onPaperOver(t, kv.NewMemory(), func(o *Config) {
					p = &unsteady{paper: o.Chat.(*paper), fails: c.fails, trouble: c.trouble, arrives: c.arrives}
					o.Chat = p
				})
				d.came(nil)
				time.Sleep(time.Hour)
				d.came(nil)
				p.mu.Lock()
				defer p.mu.Unlock()
				for _, nonce := range p.attempts {
					if nonce != p.attempts[0] || len(nonce) > 25 || nonce == "" {
						t.Errorf("nonces %q", p.attempts)
					}
				}
				testkit.Want(t, "attempts", len(p.attempts), c.attempts)
				testkit.Want(t, "welcomes", p.with("### "), c.want)
			})
		})
	}
}

// Of two processes that hear of a server one welcomes it.
func TestWelcomeOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		sent := paper.sent()
		a := chat.Arrival{Server: inn, At: time.Now(), Notices: taproom}
		for _, d := range both {
			go d.bot.Came(t.Context(), a)
		}
		time.Sleep(time.Minute)
		testkit.Want(t, "welcomes", paper.with("### "), 1)
		testkit.Want(t, "calls", paper.sent()-sent, 1)
	})
}

// Who mentions the bot gets no line where the server wants no games, and one in ten minutes elsewhere: whoever asks,
// and in each channel of its own.
func TestSpokenTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.setServer(func(s *storage.Server) { s.Channels = []uint64{taproom} })
		speaks := func(by game.MemberID, said string, channel uint64) string {
			r := d.request(by, chat.Said)
			r.Token, r.Said, r.Called = "", said, true
			r.Place = venue.Place{Server: inn, Channel: channel}
			return d.handle(r)
		}
		testkit.Want(t, "elsewhere", speaks(1, "hello", taproom+1), "")
		testkit.Want(t, "there", speaks(1, "hello", taproom), "welcomed")
		testkit.Want(t, "by another member", speaks(2, "", taproom), "")
		time.Sleep(9 * time.Minute)
		testkit.Want(t, "nine minutes later", speaks(2, "hello", taproom), "")
		testkit.Want(t, "a point of who does not play", speaks(2, "H8", taproom), "")
		time.Sleep(time.Minute)
		testkit.Want(t, "a point, ten minutes later", speaks(2, "H8", taproom), "")
		testkit.Want(t, "ten minutes later", speaks(2, "hello", taproom), "welcomed")
		d.setServer(func(s *storage.Server) { s.Channels = nil })
		testkit.Want(t, "in another channel", speaks(2, "hello", taproom+1), "welcomed")
		testkit.Want(t, "lines", d.paper.with("Gomoku, Renju or Reversi?"), 3)
	})
}

// welcomeStories: a bot that dies while it welcomes a server leaves at most one message there.
var welcomeStories = []story{
	{name: "welcome/the bot comes", scene: innOpens, act: botComes, holds: welcomedAtMostOnce},
	{name: "welcome/the bot comes and is down for a while", scene: innOpens, act: botComes, down: minutes(5), holds: welcomedAtMostOnce},
}

func innOpens(w *world) {
	w.AddGuild("Inn", false, "taproom")
	w.SystemChannel("Inn#taproom")
}

func botComes(w *world) { w.InviteBot("Inn") }

func welcomedAtMostOnce(w *world) {
	w.calm()
	if all := w.Messages("Inn#taproom"); len(all) > 1 {
		w.bad.add("%d welcomes", len(all))
	}
}
