package events

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

var noon = testkit.At("2026-11-01 12:00")

// Pairs by hand are read a line each, whatever stands between the numbers.
func TestReadPairs(t *testing.T) {
	pairs, out, err := readPairs("3-7\n 12 v. 1 ; 5,\n\n#8 – #9; 0-4, 6-0")
	if want := [][2]int{{3, 7}, {12, 1}, {5, 0}, {8, 9}}; err != nil || !reflect.DeepEqual(pairs, want) ||
		!reflect.DeepEqual(out, []int{4, 6}) {
		t.Errorf("%v %v %v, want %v", pairs, out, err, want)
	}
	if again, ok := unpackPairs(packPairs(pairs)); !ok || !reflect.DeepEqual(again, pairs) {
		t.Errorf("%v came back as %v", pairs, again)
	}
	for _, s := range []string{"", "1", "0a", "0102x", "0102?102", "-1+2"} {
		if pairs, ok := unpackPairs(s); ok {
			t.Errorf("%q: %v", s, pairs)
		}
	}
	for _, text := range []string{"1-2-3", "ann bob", "0", "0-0", "99999999999999999999 1"} {
		if pairs, _, err := readPairs(text); !errors.Is(err, event.BadPairs) {
			t.Errorf("%q: %v %v", text, pairs, err)
		}
	}
}

// Name and start change until the first round; a start that nobody touches stays to the millisecond.
// Discord's list has the event where the host wants that, the event has a start, and the bot may.
func TestTiming(t *testing.T) {
	starts := noon.Add(time.Hour + 5*time.Millisecond)
	set := func(name, starts, listed string, may bool) chat.Request {
		return chat.Request{At: noon, Allowed: chat.Permissions{List: may},
			Options: map[string]chat.Option{"name": {Text: name}, "starts": {Text: starts}, "listed": {Text: listed}}}
	}
	same := startOf(storage.Event{Setup: storage.Setup{Starts: starts}})
	for _, c := range []struct {
		r              chat.Request
		listed, begun  bool // before
		want           time.Time
		wanted, refuse bool
	}{
		{r: set(" Spring  Cup ", same, "yes", true), want: starts, wanted: true},
		{r: set("Spring Cup", "2h", "no", true), listed: true, want: noon.Add(2 * time.Hour)},
		{r: set("Spring Cup", "2h", "yes", false), listed: true, want: noon.Add(2 * time.Hour), wanted: true},
		{r: set("Spring Cup", "2h", "yes", false), refuse: true},
		{r: set("Spring Cup", "", "yes", false)},
		{r: set("Spring Cup", "yesterday", "no", true), refuse: true},
		{r: set("  ", same, "no", true), refuse: true},
		{r: set("Spring Cup", same, "no", true), begun: true, refuse: true},
	} {
		e := storage.Event{Setup: storage.Setup{Name: "Cup", Starts: starts}, Listing: storage.Listing{Wanted: c.listed}}
		if c.begun {
			e.Paired = [][]event.Board{{}}
		}
		e, err := withTime(e, c.r)
		if (err != nil) != c.refuse || err == nil &&
			(e.Name != "Spring Cup" || !e.Starts.Equal(c.want) || e.Listing.Wanted != c.wanted) {
			t.Errorf("%+v: %q %v %v, %v", c.r.Options, e.Name, e.Starts, e.Listing, err)
		}
	}
}

// A role is chosen, or none: the role that everybody has bears the id of the server, and no member of
// an interaction lists it.
func TestRoles(t *testing.T) {
	r := chat.Request{Place: venue.Place{Server: 5}, Roles: []uint64{7},
		Options: map[string]chat.Option{"one": {Role: 7}, "all": {Role: 5}}}
	for field, want := range map[string]uint64{"one": 7, "all": 0, "none": 0} {
		if got := chosen(r, field); got != want {
			t.Errorf("%s: role %d, want %d", field, got, want)
		}
	}
	if !may(r, 0) || !may(r, 7) || may(r, 8) || may(chat.Request{}, 7) {
		t.Error("who may is not who has the role")
	}
	for _, text := range []string{"", "x", "-1", "99999999999999999999"} {
		if role := hostRole(storage.Server{More: map[string]string{moreHosts: text}}); role != 0 {
			t.Errorf("%q: role %d", text, role)
		}
	}
}

// Every refusal of an event has words that say what to do.
func TestRefusals(t *testing.T) {
	for code := event.EventOver; code <= event.BadTerms; code++ {
		err := refused(fmt.Errorf("joining: %w", code))
		text, ok := view.In("en").Reason(err)
		if !ok || strings.HasPrefix(text, "event.") {
			t.Errorf("%v: %q", code, text)
		}
	}
	if other := errors.New("disk"); refused(other) != other {
		t.Error("an error of the store is worded as a refusal")
	}
}

// sample is an event of n members that has begun.
func sample(t *testing.T, kind event.Kind, n int) storage.Event {
	t.Helper()
	e := storage.Event{ID: 1 << 60, Place: venue.Place{Server: 1 << 59, Channel: 1 << 59},
		Notice: storage.Notice{Message: 1 << 59}, Setup: storage.Setup{Name: strings.Repeat("*", longestName),
			Game: game.Terms{Rules: game.Reversi, Rated: true}, Most: 1000, Starts: noon, CheckIn: time.Hour}}
	e.Kind, e.Rounds, e.Length = kind, 9, 24*time.Hour
	for i := range n {
		var err error
		e, err = e.Join(1, game.SeatFor(game.MemberID(1<<59+i)), 1500, noon)
		testkit.Must(t, err)
	}
	e.Checked = make([]bool, n)
	return e
}

// The message of a large event stays within what Discord takes, in both languages.
func TestLiveFits(t *testing.T) {
	for _, kind := range []event.Kind{event.KindSwiss, event.KindRoundRobin, event.KindKnockout, event.KindArena} {
		for _, lang := range texts.Tags() {
			e := sample(t, kind, 100)
			e.Look.Language = lang
			for m := range game.MemberID(storage.MaxWaiting) {
				e.Waiting = append(e.Waiting, storage.Waiter{Member: 1<<60 + m})
			}
			e.Weekly, e.Looked = true, noon
			fits(t, e, before(view.In(lang), e))
			e.Waiting = nil
			e.CheckIn = 0
			e = testkit.Got(e.Begin(0, nil, noon))
			for len(e.Matches) < len(e.Paired) {
				e.Matches = append(e.Matches, make([]storage.BoardMatch, len(e.Paired[0])))
			}
			lines, err := new(Events).round(t.Context(), view.In(lang), e)
			testkit.Must(t, err)
			for range listedBoards { // the links are not there yet
				lines = append(lines, strings.Repeat("x", 110))
			}
			fits(t, e, append(lines, leaders(view.In(lang), e)...))
			ruled := e
			for i := range e.Paired[0] { // every board has a result with a reason, and a link
				if ruled, err = ruled.Settle(1<<59, event.Report{Board: i, White: event.ForfeitLoss, Black: event.ForfeitLoss},
					strings.Repeat("*", 100), noon); err != nil && e.Paired[0][i].Black != 0 {
					t.Fatal(err)
				}
			}
			lines = testkit.Got(new(Events).round(t.Context(), view.In(lang), ruled))
			for range listedBoards {
				lines = append(lines, strings.Repeat("x", 110))
			}
			fits(t, e, append(lines, leaders(view.In(lang), e)...))
			msg, _ := notification(view.In(lang), ruled, ruled.History[len(ruled.History)-told:])
			if n := len([]rune(msg.Blocks[0].Text)); n > 4000 || len(msg.Mentions) < 2 {
				t.Errorf("%d characters that tell %d members", n, len(msg.Mentions))
			}
			_, legend, _, err := standingsPicture(view.In(lang), e, 0)
			testkit.Must(t, err)
			fits(t, e, []string{winners(view.In(lang), e), legend})
			if n := len(liveRow(view.In(lang), e)); n > 5 {
				t.Errorf("%d buttons in a row", n)
			}
			msg = new(Events).menu(view.In(lang), e, "")
			fits(t, e, []string{msg.Blocks[0].Text})
		}
	}
}

// Who did not begin a game of an arena hears that they pause, as long as they do.
func TestPauseIsTold(t *testing.T) {
	e := sample(t, event.KindArena, 2)
	e.CheckIn = 0
	e = testkit.Got(e.Begin(0, nil, noon))
	e.Event = testkit.Got(e.Record(event.Report{White: event.ForfeitLoss, Black: event.ForfeitLoss}, noon))
	forfeit := storage.AuditEntry{What: storage.Forfeited, At: noon, Round: 1, Board: 1}
	late := testkit.Got(e.Pause(0, 2, noon))
	back := testkit.Got(late.Resume(0, 2, noon))
	ended := testkit.Got(late.Close(0, noon))
	for what, c := range map[string]struct {
		e    storage.Event
		want bool
	}{
		"late": {late, true}, "back again": {back, false}, "the event is over": {ended, false},
		"by its host": {testkit.Got(e.Pause(1, 2, noon)), false},
	} {
		said, _ := notificationLine(view.In("en"), c.e, forfeit)
		told := view.Mention(c.e.Entrants[1].Seat.Member) + ", you pause: press **I am back** to be paired again."
		testkit.Want(t, what, strings.Contains(said, told), c.want)
		testkit.Want(t, what+": lines", strings.Count(said, "you pause"), map[bool]int{true: 1}[c.want])
	}
}

func fits(t *testing.T, e storage.Event, lines []string) {
	t.Helper()
	text := view.Escape(e.Name) + terms(view.In(e.Look.Language), e) + strings.Join(lines, "\n")
	if n := len([]rune(text)); n > 4000 {
		t.Errorf("%v: %d characters: %.200s", e.Kind, n, text)
	}
}

// Forms are within Discord's limits: five fields, short labels, and ids of 100 characters.
func TestForms(t *testing.T) {
	e := sample(t, event.KindSwiss, 2)
	for _, lang := range texts.Tags() {
		forms := []chat.Form{settings(view.In(lang), e), timing(view.In(lang), e, true)}
		for _, act := range []string{actBot, actPause, actRemove, actPair, actResult} {
			forms = append(forms, form(view.In(lang), e, act))
		}
		for _, f := range forms {
			if len(f.ID) > 100 || len([]rune(f.Title)) > 45 || len(f.Fields) == 0 || len(f.Fields) > 5 {
				t.Errorf("%+v", f)
			}
			for _, field := range f.Fields {
				if len([]rune(field.Label)) > 45 || len([]rune(field.About)) > 100 {
					t.Errorf("%q: %q", field.Label, field.About)
				}
			}
		}
	}
}

// However calls come, no second has more than it may, and five in a second go at least.
func TestGate(t *testing.T) {
	var g gate
	now, rng := noon, rand.New(rand.NewPCG(1, 2))
	var all []time.Time
	for range 1000 {
		now = now.Add(time.Duration(rng.IntN(600)) * time.Millisecond)
		n := 1 + rng.IntN(4)
		at := now.Add(g.wait(n, now))
		g.note(n, at)
		for range n {
			all = append(all, at)
		}
		if k := len(all) - 1 - callsASecond; k >= 0 && at.Sub(all[k]) < aSecond {
			t.Fatalf("%d calls within %v", callsASecond+1, at.Sub(all[k]))
		}
	}
	if took := all[len(all)-1].Sub(noon); took > time.Duration(len(all))*time.Second/5 {
		t.Errorf("%d calls take %v", len(all), took)
	}
}

// A reminder is known again by its id, and forgotten when it is old.
func TestNamesOfWhatIsSentOnce(t *testing.T) {
	seen := map[uint64]bool{}
	for id := range game.MatchID(200) {
		for part := range 2 {
			at := noon.Add(time.Duration(part) * time.Hour)
			c := reminder(id<<40, at, part)
			if seen[c] || c != reminder(id<<40, at, part) || !venue.TimeOf(c).Equal(at) {
				t.Errorf("match %d, reminder %d: %d", id, part, c)
			}
			seen[c] = true
		}
	}
}

// Nor do the lists of events, and those who share the first place.
func TestListsFit(t *testing.T) {
	for _, lang := range texts.Tags() {
		var lines []string
		for range 2 * listed {
			lines = append(lines, line(view.In(lang), sample(t, event.KindSwiss, 2), 1))
		}
		text := page(lines).Blocks[0].Text
		if n := len([]rune(text)); n > 4000 || !strings.HasPrefix(text, lines[0]+"\n") {
			t.Errorf("%s: a list of %d characters", lang, n)
		}
		var e storage.Event // a knockout that a manager has ended after its first round
		var shared []event.Standing
		for i := range event.MaxEntrants / 2 {
			e.Entrants = append(e.Entrants, event.Entrant{Seat: game.SeatFor(1 << 63)})
			shared = append(shared, event.Standing{ID: i + 1})
		}
		if n := len([]rune(names(view.In(lang), e, shared))); n > 1000 {
			t.Errorf("%s: winners of %d characters", lang, n)
		}
	}
}

// The name of an event is what a member typed.
func TestNamesAreEscaped(t *testing.T) {
	e := sample(t, event.KindSwiss, 2)
	e.Name, e.Paired = "[a](b)", nil
	live := testkit.Got(new(Events).live(t.Context(), e))
	for _, msg := range []chat.Message{live, new(Events).menu(view.In("en"), e, "")} {
		if text := msg.Blocks[0].Text; !strings.Contains(text, `\[a\]\(b\)`) {
			t.Error(text)
		}
	}
}
