package discord

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/game"
	"tengen/internal/testkit"
)

const clientSecret = "the-application's-own-secret"

// launcher opens the Activity for each interaction, and where that fails gives a text.
type launcher struct {
	*echo
	instances chan string
	launches  chan bool
}

func (l launcher) Handle(ctx context.Context, r chat.Request) string {
	l.launches <- r.Launches
	instance, err := l.d.Launch(ctx, r.Ticket())
	if err != nil {
		l.d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private("a link")})
	}
	l.instances <- instance
	return ""
}

// launching is an adapter whose handler opens the Activity.
func launching(t *testing.T, o standin.Options, secret string) (*online, launcher) {
	t.Helper()
	s := standin.New(t, o)
	on := &online{s: s, log: &testkit.Log{}, echo: &echo{}}
	on.d = adapterOf(s, Options{Log: slog.New(slog.NewTextHandler(on.log, nil)), ClientSecret: secret})
	l := launcher{on.echo, make(chan string, 1), make(chan bool, 1)}
	on.end = runs(t, on.d, l)
	on.register(t)
	return on, l
}

// The Activity opens where the application has one, the bot can ask who members are, and the member may open it; the
// instance is known at once. Any refusal leaves the answer free for another.
func TestLaunch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o        standin.Options
		secret   string
		deny     bool
		launches bool
		want     int
	}{
		"opens":         {standin.Options{Activity: true}, clientSecret, false, true, 12},
		"no Activity":   {standin.Options{Lenient: true}, clientSecret, false, false, 4},
		"no secret":     {standin.Options{Activity: true}, "", false, false, 12},
		"no permission": {standin.Options{Activity: true}, clientSecret, true, false, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Checker = schema.Shared(t)
			on, l := launching(t, c.o, c.secret)
			ann := on.s.Member("ann")
			if c.deny {
				on.s.Deny("#gomoku", "ann", standin.PermActivities)
			}
			a := ann.Slash("#gomoku", "/play")
			launches, instance := <-l.launches, <-l.instances
			if a.Type != c.want || launches != c.launches || (instance != "") != (c.want == 12) {
				t.Errorf("answer %d, launches %v, instance %q", a.Type, launches, instance)
			}
		})
	}
}

// A refused answer is no answer: the next one counts. An instance ends with the last who has it open.
func TestInstance(t *testing.T) {
	t.Parallel()
	on, l := launching(t, standin.Options{Activity: true, Checker: schema.Shared(t)}, clientSecret)
	ann, bob := on.s.Member("ann"), on.s.Member("bob")
	ann.Slash("#gomoku", "/play")
	<-l.launches
	id := <-l.instances
	testkit.Want(t, "bob's instance is that of the channel", bob.Opens("#gomoku"), id)
	i, err := on.d.Instance(t.Context(), id)
	testkit.Must(t, err)
	if len(i.Users) != 2 || i.Place.Channel == 0 || i.Place.Server == 0 || i.ID != id {
		t.Errorf("%+v", i)
	}
	ann.Closes("#gomoku")
	bob.Closes("#gomoku")
	for _, over := range []string{id, "i-1-gc-2-3", "", "../@me", strings.Repeat("i", 300)} {
		if _, err := on.d.Instance(t.Context(), over); chat.TroubleOf(err) != chat.Gone {
			t.Errorf("%.20q: %v", over, err)
		}
	}
}

// Discord has named participants by ids and by objects, and its list lags.
func TestParticipants(t *testing.T) {
	t.Parallel()
	got := listOf[participant]([]byte(`["17", 18, {"id":"19"}, {}, null, true]`))
	testkit.Want(t, "participants", fmt.Sprint(got), "[17 18 19 0 0 0]")
}

// Questions for instances are asked twice a second; those that would wait too long are not asked.
func TestLookups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l lookups
		begun := time.Now()
		var waited []string
		for range 5 {
			testkit.Must(t, l.enter(t.Context(), time.Now()))
			waited = append(waited, time.Since(begun).String())
		}
		if want := []string{"0s", "500ms", "1s", "1.5s", "2s"}; !slices.Equal(waited, want) {
			t.Errorf("asked after %v, want %v", waited, want)
		}
		now := time.Now()
		l.next = now.Add(lookupWait + time.Millisecond)
		if err := l.enter(t.Context(), now); chat.TroubleOf(err) != chat.Busy {
			t.Errorf("a question that comes too late: %v", err)
		}
	})
}

// A code tells who a member is, once. Nothing of the token is left, at Discord or in the log.
func TestMember(t *testing.T) {
	t.Parallel()
	on, _ := launching(t, standin.Options{Activity: true, ClientSecret: clientSecret}, clientSecret)
	ann := on.s.Member("ann")
	code := ann.Authorizes()
	who, err := on.d.Member(t.Context(), code)
	known, e := on.s.Act(t.Context(), standin.Action{Do: "member", As: "ann"})
	testkit.Must(t, e)
	if err != nil || who != game.MemberID(parseID(known.IDs[0])) {
		t.Fatalf("%d %v", who, err)
	}
	testkit.Want(t, "tokens that are good", on.s.Bearers(), 0)
	for _, bad := range []string{code, "made-up", ""} {
		if who, err := on.d.Member(t.Context(), bad); err == nil || who != 0 || chat.Temporary(err) {
			t.Errorf("%q is %d, %v", bad, who, err)
		}
	}
	other := adapterOf(on.s, Options{ClientSecret: "another"})
	if _, err := other.Member(t.Context(), ann.Authorizes()); err == nil || chat.Temporary(err) ||
		strings.Contains(err.Error(), "another") {
		t.Errorf("a wrong secret: %v", err)
	}
	if text := on.log.String(); strings.Contains(text, code) || strings.Contains(text, clientSecret) {
		t.Errorf("the log tells a secret:\n%s", text)
	}
}

// Where Discord does not say who the member is, their token is taken back too.
func TestMemberTokenIsTakenBack(t *testing.T) {
	t.Parallel()
	on, _ := launching(t, standin.Options{Activity: true, ClientSecret: clientSecret, Plan: standin.Plan{
		Calls: []standin.CallFault{{Kind: standin.ServerError, Method: "GET", Route: "/users/@me"}}}}, clientSecret)
	if who, err := on.d.Member(t.Context(), on.s.Member("ann").Authorizes()); err == nil {
		t.Errorf("member %d", who)
	}
	testkit.Want(t, "tokens that are good", on.s.Bearers(), 0)
}

// The entry point becomes ours where the page is the Activity: pressing it is an interaction. Elsewhere it stays.
func TestEntryPointIsAnswered(t *testing.T) {
	t.Parallel()
	on, l := launching(t, standin.Options{Activity: true, Checker: schema.Shared(t)}, clientSecret)
	if wrote, err := on.d.Register(t.Context(), echoTable(), about, nil, 0); err != nil || wrote {
		t.Errorf("the second start: wrote %v, %v", wrote, err)
	}
	on.s.Member("ann").Launches("#gomoku")
	<-l.launches
	if <-l.instances == "" {
		t.Error("the entry point opened nothing")
	}
	other, _ := launching(t, standin.Options{Activity: true}, "")
	if a := other.s.Member("ann").Launches("#gomoku"); a.Interaction != "" {
		t.Errorf("the entry point of another's Activity came to us: %+v", a)
	}
}
