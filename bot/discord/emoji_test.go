package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/internal/testkit"
	"tengen/storage/lease"
)

// someSigns are signs of a version of the drawings: "" of the first, "_2" of the second.
func someSigns(version string) []chat.Sign {
	var all []chat.Sign
	for i, char := range []string{"⚫", "◀", "⋯"} {
		all = append(all, chat.Sign{Char: char, Name: []string{"black_stone", "left", "more"}[i] + version,
			PNG: []byte(string(tinyPNG) + char + version)})
	}
	return all
}

// marked is a message with signs on buttons everywhere.
func marked() chat.Message {
	return chat.Message{Accent: 1, Blocks: []chat.Block{
		{Section: &chat.Section{Texts: []string{"⚫ in a text"}, Button: chat.Button{ID: "s", Label: "⋯"}}},
		{Row: []chat.Button{{ID: "a", Emoji: "⚫", Disabled: true}, {ID: "b", Label: "◀"}, {ID: "c", Label: "H8"}, {ID: "d", Label: "Go ◀"}}},
	}}
}

const (
	plainMarked = "    | ⚫ in a text\n    | [⋯]\n    | [⚫, off] [◀] [H8] [Go ◀]\n"
	drawnMarked = "    | ⚫ in a text\n    | [more]\n    | [black_stone, off] [left] [H8] [Go ◀]\n"
)

// signer answers every command and press with marks.
type signer struct{ *echo }

func (s signer) Handle(ctx context.Context, r chat.Request) string {
	s.d.Answer(ctx, r.Ticket(), chat.Answer{Kind: map[bool]chat.AnswerKind{false: chat.Say,
		true: chat.Replace}[r.Kind.Component()], Message: marked()})
	return ""
}

// seen is what ann sees of the newest message, with the signs by their names.
func (x *signing) seen() string {
	text := x.s.Member("ann").Sees("#gomoku")
	return text[strings.LastIndex(text, "tengen")+strings.Index(text[strings.LastIndex(text, "tengen"):], "\n")+1:]
}

// signing is an adapter with signs, against a stand-in.
type signing struct {
	t *testing.T
	s *standin.Server
	d *Adapter
}

func (x *signing) emojis() []string {
	return testkit.Got(x.s.Act(x.t.Context(), standin.Action{Do: "emojis"})).IDs
}

func (x *signing) act(do, name string) {
	testkit.Got(x.s.Act(x.t.Context(), standin.Action{Do: do, Name: name, Text: "x"}))
}

func (x *signing) inUse() bool { return x.d.signs.inUse.Load() != nil }

// uploads counts the uploads that Discord took.
func (x *signing) uploads() (n int) {
	for _, c := range x.s.Calls() {
		if c.Method == "POST" && strings.HasSuffix(c.Route, "/emojis") && c.Status == 201 {
			n++
		}
	}
	return n
}

// inBubble is a stand-in for a test in fake time.
func inBubble(t *testing.T, o standin.Options) *standin.Server {
	t.Helper()
	standin.EnterBubble()
	o.Heartbeat = 1000 * time.Hour // discordgo's beat wants a lock that it holds for a second when it closes
	return standin.New(t, o)
}

// sign runs an adapter with signs.
func sign(t *testing.T, s *standin.Server, change ...func(*Options)) *signing {
	t.Helper()
	o := Options{Token: s.Token(), Transport: s.Transport(), Dialer: s.Dialer(), Signs: someSigns(""),
		Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	d := testkit.Got(New(o))
	end := runs(t, d, signer{&echo{d: d}})
	t.Cleanup(func() { testkit.Check(t, end()) })
	register(t, d)
	return &signing{t, s, d}
}

// The signs are uploaded, and stand on buttons in answers, edits by token and messages of the
// bot. In a text, and within a label, the character stays.
func TestSigns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := sign(t, inBubble(t, standin.Options{Checker: schema.Shared(t)}))
		soon(t, time.Minute, "signs", x.inUse)
		x.s.Ready(1)
		if got := x.emojis(); len(got) != 3 || !slices.Contains(got, "black_stone") {
			t.Fatalf("emojis %v", got)
		}
		ann := x.s.Member("ann")
		ann.Slash("#gomoku", "/post")
		testkit.Want(t, "an answer", x.seen(), drawnMarked)
		body, _ := json.Marshal(ann.Last("#gomoku").Components)
		if !strings.Contains(string(body), `"emoji":{"id":"`) || strings.Contains(string(body), `"label":"◀"`) {
			t.Errorf("%s", body)
		}
		ann.Press("#gomoku", "H8")
		testkit.Want(t, "a pressed message", x.seen(), drawnMarked)
		place := testkit.Got(strconv.ParseUint(ann.Last("#gomoku").ChannelID, 10, 64))
		id, err := x.d.Send(t.Context(), chat.To{Channel: place}, marked())
		if got := x.seen(); err != nil || got != drawnMarked {
			t.Errorf("the bot's own message: %v\n%s", err, got)
		}
		_, err = x.d.Send(t.Context(), chat.To{Channel: place, Message: id}, marked())
		testkit.Check(t, err)
		testkit.Want(t, "an edit", x.seen(), drawnMarked)
		// Another start uploads nothing.
		again := sign(t, x.s)
		soon(t, time.Minute, "signs again", again.inUse)
		testkit.Want(t, "uploads", x.uploads(), 3)
		// Other drawings are other emojis. The old ones stay, since messages show them.
		x.act("add-emoji", "tengen_logo")
		other := sign(t, x.s, func(o *Options) { o.Signs = someSigns("_2") })
		soon(t, time.Minute, "other signs", other.inUse)
		if got := x.emojis(); len(got) != 7 {
			t.Errorf("emojis %v", got)
		}
	})
}

// Over HTTP the signs come as by the gateway.
func TestSignsOverHTTP(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Checker: schema.Shared(t)})
	l := testkit.Got(net.Listen("tcp", "127.0.0.1:0"))
	x := sign(t, s, func(o *Options) { o.Endpoint = &EndpointOptions{Listener: l} })
	testkit.Eventually(t, "signs", x.inUse)
	if got := x.emojis(); len(got) != 3 {
		t.Errorf("emojis %v", got)
	}
}

// While uploads are slow, fail or are refused, the bot runs and buttons show characters.
func TestSignsInTrouble(t *testing.T) {
	emojis := func(f standin.CallFault) standin.Plan {
		f.Route = "emojis"
		return standin.Plan{Calls: []standin.CallFault{f}}
	}
	for name, c := range map[string]struct {
		plan    standin.Plan
		portal  int           // emojis of the operator
		within  time.Duration // until the signs come; 0: they never do
		refusal bool
	}{
		"slow":             {plan: emojis(standin.CallFault{Kind: standin.Slow, For: 10 * time.Second}), within: 2 * time.Minute},
		"errors":           {plan: emojis(standin.CallFault{Kind: standin.ServerError, Times: 12}), within: 10 * time.Minute},
		"lost answers":     {plan: emojis(standin.CallFault{Kind: standin.ErrorAfter, Method: "POST", Times: 2}), within: 10 * time.Minute},
		"no answers":       {plan: emojis(standin.CallFault{Kind: standin.TimeoutAfter, Times: 4}), within: 10 * time.Minute},
		"too many a while": {plan: emojis(standin.CallFault{Kind: standin.RateShared, For: 10 * time.Minute, Times: 3}), within: time.Hour},
		"no room":          {portal: 1998, plan: standin.Plan{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				x := &signing{t: t, s: inBubble(t, standin.Options{Plan: c.plan, Lenient: c.portal > 0})}
				for i := range c.portal {
					x.act("add-emoji", fmt.Sprint("own", i))
				}
				x = sign(t, x.s)
				x.s.Ready(1)
				ann := x.s.Member("ann")
				if c.plan.Calls != nil || c.portal > 0 {
					ann.Slash("#gomoku", "/post")
					testkit.Want(t, "at the start", x.seen(), plainMarked)
				}
				if c.within > 0 {
					took := soon(t, c.within, "signs", x.inUse)
					t.Log("signs after", took)
				} else {
					time.Sleep(12 * time.Hour)
				}
				calls := 0
				for _, c := range x.s.Calls() {
					if strings.Contains(c.Route, "emojis") {
						calls++
					}
				}
				if calls > 60 {
					t.Errorf("%d calls for emojis", calls)
				}
				ann.Slash("#gomoku", "/post")
				testkit.Want(t, "in the end", x.seen(),
					map[bool]string{true: drawnMarked, false: plainMarked}[c.within > 0])
				for _, name := range x.emojis() {
					if ok, _ := path.Match("own*", name); !ok && !slices.Contains([]string{"black_stone", "left", "more"}, name) {
						t.Errorf("emoji %s", name)
					}
				}
			})
		})
	}
}

// A sign that Discord does not know, or that it denies to know now and then, costs no message.
// Signs that an operator has deleted are uploaded again.
func TestSignRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := sign(t, inBubble(t, standin.Options{}))
		soon(t, time.Minute, "signs", x.inUse)
		x.s.Ready(1)
		ann := x.s.Member("ann")
		shows := func(what, want string) {
			t.Helper()
			ann.Slash("#gomoku", "/post")
			if got := x.seen(); got != want {
				t.Errorf("%s:\n%swant\n%s", what, got, want)
			}
		}
		x.s.SetPlan(standin.Plan{Calls: []standin.CallFault{{Kind: standin.RefuseEmoji, Route: "callback", Times: 1}}})
		shows("refused once", plainMarked)
		shows("after that", drawnMarked)
		time.Sleep(time.Minute)
		x.s.SetPlan(standin.Plan{Calls: []standin.CallFault{{Kind: standin.RefuseEmoji}}})
		for range signsTrust {
			shows("refused again and again", plainMarked)
		}
		synctest.Wait()
		if x.inUse() {
			t.Error("the signs are still in use")
		}
		x.s.SetPlan(standin.Plan{})
		soon(t, 10*time.Minute, "signs again", x.inUse)
		shows("taken again", drawnMarked)
		x.act("delete-emoji", "*")
		shows("deleted by the operator", plainMarked)
		soon(t, 10*time.Minute, "signs uploaded again", func() bool { return len(x.emojis()) == 3 && x.inUse() })
		shows("uploaded again", drawnMarked)
	})
}

// Of three processes one uploads the signs, and all use them. Where that one dies before its time,
// another goes on.
func TestSignsOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inBubble(t, standin.Options{Plan: standin.Plan{Calls: []standin.CallFault{
			{Kind: standin.ServerError, Method: "POST", Route: "emojis", Skip: 1, Times: 8}}}})
		table := lease.NewTable()
		var all []*signing
		var deaths []func()
		var posts [3]atomic.Int32
		for i := range posts {
			leases, dead := table.Process()
			d := adapterOf(s, Options{Signs: someSigns(""),
				Leases: leases, Transport: counted{s.Transport(), &posts[i]}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go d.keepSigns(ctx)
			all, deaths = append(all, &signing{t, s, d}), append(deaths, dead)
		}
		synctest.Wait() // all take part: before that the lease went from one to the other
		for i := range posts {
			posts[i].Store(0)
		}
		soon(t, time.Minute, "a process with the lease", func() bool {
			return slices.ContainsFunc(all, func(x *signing) bool { return x.d.signs.keeping.Load() })
		})
		for i, x := range all {
			if x.d.signs.keeping.Load() {
				deaths[i]()
				all = slices.Delete(all, i, i+1)
				break
			}
		}
		soon(t, time.Hour, "signs everywhere", func() bool { return all[0].inUse() && all[1].inUse() })
		uploaders := 0
		for i := range posts {
			if posts[i].Load() > 0 {
				uploaders++
			}
		}
		if n := all[0].uploads(); n != 3 || uploaders > 2 {
			t.Errorf("%d uploads, want 3; %d processes have tried, 2 at most should", n, uploaders)
		}
	})
}

// counted counts the uploads that a process tries.
type counted struct {
	http.RoundTripper
	n *atomic.Int32
}

func (c counted) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/emojis") {
		c.n.Add(1)
	}
	return c.RoundTripper.RoundTrip(q)
}

// Signs of other versions are deleted when they are many and old, and nothing else ever is.
func TestOldSigns(t *testing.T) {
	now := testkit.At("2026-11-22 12:00")
	var listed []listedEmoji
	add := func(name string, byBot bool, age time.Duration) {
		e := listedEmoji{ID: flake(uint64(now.Add(-age).UnixMilli()-Epoch)<<22 | uint64(len(listed))), Name: name}
		e.User.Bot = byBot
		listed = append(listed, e)
	}
	const day = 24 * time.Hour
	for i := range oldSignsKept {
		add(fmt.Sprintf("black_stone_%d", i+4), true, time.Duration(i)*time.Hour)
	}
	add("black_stone_3", true, 200*day) // in use
	add("black_stone_2", true, 200*day)
	add("black_stone", true, 200*day)
	add("tengen_white_aaaaaaaa", true, 200*day) // of an earlier version
	add("black_stone_0", true, oldSignsFor-time.Hour)
	add("black_stone_1", false, 200*day) // made in the portal
	for _, name := range []string{"tengen", "tengen_logo", "tengen_white_1", "tengen_white_gggggggg",
		"tengen_white_aaaaaaaab", "my_tengen_white_aaaaaaaa", "tengen_w2_aaaaaaaa", "my_black_stone_2", "black_stone_x",
		"white_stone_2"} {
		add(name, true, 200*day)
	}
	current := map[string]bool{"black_stone_3": true}
	var names []string
	for _, e := range oldSigns(listed, current, now) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if fmt.Sprint(names) != "[black_stone black_stone_2 tengen_white_aaaaaaaa]" {
		t.Errorf("%v", names)
	}
	if old := oldSigns(listed[1:], current, now); len(old) != 3 {
		// The younger one is the hundredth now.
		t.Errorf("%v", old)
	}
}
