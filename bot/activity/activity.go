// Package activity knows which matches whoever is in an instance of the application's Activity may look at, and who
// they are. It believes Discord alone: what a page says of its instance is asked there. It serves no page, and changes
// no match. Start from New and Activity.Games.
package activity

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// Times of an Activity.
const (
	pressLife  = 2 * time.Minute        // how long a press says which match is meant
	launchLife = 24 * time.Hour         // of an instance: an older one is not asked for
	freshFor   = 2 * time.Second        // how long an answer of Discord's is believed
	lagsFor    = 3 * time.Second        // by which Discord's list of participants may lag
	askAgain   = 500 * time.Millisecond // while it may
)

// mostKept is how many presses, and how many answers, are kept.
const mostKept = 4096

// Config is what an Activity needs.
type Config struct {
	Discord chat.Activity
	Store   *storage.Store
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error // tasks.Sleep
}

// Activity knows the instances of the application's Activity. Any number of goroutines may call its methods.
type Activity struct {
	Config
	mu      sync.Mutex
	presses map[presser]press
	answers map[string]answer
}

// presser is a member in an instance. Where Discord's answer to a press was lost, the instance is empty.
type presser struct {
	by       game.MemberID
	instance string
}

type press struct {
	match   game.MatchID
	channel uint64
	at      time.Time
}

// answer is what Discord said of an instance.
type answer struct {
	chat.Instance
	err error
	at  time.Time
}

// New makes an Activity.
func New(c Config) *Activity {
	return &Activity{Config: c, presses: map[presser]press{}, answers: map[string]answer{}}
}

// Launched hears that a member's press on a match has opened the Activity.
func (a *Activity) Launched(by game.MemberID, id game.MatchID, instance string, channel uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Now()
	tidy(a.presses, func(p press) bool { return now.Sub(p.at) >= pressLife })
	a.presses[presser{by, instance}] = press{id, channel, now}
}

// tidy makes room in a map that is full: what is over goes, and where that is nothing, all of it.
func tidy[K comparable, V any](m map[K]V, over func(V) bool) {
	if len(m) < mostKept {
		return
	}
	for k, v := range m {
		if over(v) {
			delete(m, k)
		}
	}
	if len(m) >= mostKept {
		clear(m)
	}
}

// pressed is the match on which a member has pressed for an instance of a channel; 0: none, or too long ago.
func (a *Activity) pressed(by game.MemberID, instance string, channel uint64) game.MatchID {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, who := range []presser{{by, instance}, {by, ""}} {
		if p, ok := a.presses[who]; ok && by != 0 && p.channel == channel && a.Now().Sub(p.at) < pressLife {
			return p.match
		}
	}
	return 0
}

// instanceForm is how Discord names an instance: by its launch, the kind of its place, and its place.
var instanceForm = regexp.MustCompile(`^i-(\d{1,20})-(gc|pc)-(?:(\d{1,20})-)?(\d{1,20})$`)

// placed is the place that an instance's name claims, and whether it is worth a question: it is of the last day, and
// there are matches in that place.
func (a *Activity) placed(ctx context.Context, instance string) (games []storage.Record, place venue.Place, err error) {
	f := instanceForm.FindStringSubmatch(instance)
	if f == nil || (f[2] == "gc") != (f[3] != "") {
		return nil, place, nil
	}
	number := func(s string) uint64 { n, _ := strconv.ParseUint(s, 10, 64); return n }
	if age := a.Now().Sub(venue.TimeOf(number(f[1]))); age > launchLife || age < -time.Hour {
		return nil, place, nil
	}
	place = venue.Place{Server: number(f[3]), Channel: number(f[4])}
	games, err = a.Store.InChannel(ctx, place)
	return games, place, err
}

// Games are the matches that whoever is in an instance may look at: first the one on which by, who may be 0, has
// pressed, then the running ones, the newest first, then the challenges. There are none where the instance is not
// live, or is not where a match is.
func (a *Activity) Games(ctx context.Context, instance string, by game.MemberID) ([]game.MatchID, error) {
	recs, place, err := a.placed(ctx, instance)
	pressed := a.pressed(by, instance, place.Channel)
	if err != nil || len(recs) == 0 && pressed == 0 {
		return nil, err
	}
	in, err := a.ask(ctx, instance, freshFor)
	if err != nil || in.Place != place {
		return nil, gone(err)
	}
	slices.SortStableFunc(recs, func(x, y storage.Record) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.ID, x.ID))
	})
	var ids []game.MatchID
	for _, rec := range recs {
		if rec.Phase != game.Over && rec.ID != pressed {
			ids = append(ids, rec.ID)
		}
	}
	if pressed == 0 {
		return ids, nil
	}
	rec, err := a.Store.Match(ctx, pressed)
	if err == nil && rec.Place == place { // it may have moved, or be deleted
		ids = slices.Insert(ids, 0, pressed)
	}
	return ids, nil
}

// rank is where a match stands in a list: what is played, then what is offered.
func rank(rec storage.Record) int {
	if rec.Phase == game.Playing {
		return 0
	}
	return 1
}

// Member trades a code of Discord's for the member who is in the instance; 0 where they are not. Discord's list lags:
// for a moment it is asked again.
func (a *Activity) Member(ctx context.Context, instance, code string) (game.MemberID, error) {
	if _, err := a.ask(ctx, instance, freshFor); err != nil {
		return 0, gone(err)
	}
	by, err := a.Discord.Member(ctx, code)
	if err != nil {
		return 0, err
	}
	for until := a.Now().Add(lagsFor); ; {
		in, err := a.ask(ctx, instance, askAgain/2)
		switch {
		case err == nil && slices.Contains(in.Users, by):
			return by, nil
		case err != nil && !chat.Temporary(err), !a.Now().Before(until):
			return 0, gone(err)
		}
		if err := a.Sleep(ctx, askAgain); err != nil {
			return 0, err
		}
	}
}

// Present reports whether a member is in an instance, as far as Discord says.
func (a *Activity) Present(ctx context.Context, instance string, by game.MemberID) bool {
	in, err := a.ask(ctx, instance, freshFor)
	return err == nil && by != 0 && slices.Contains(in.Users, by)
}

// ask is what Discord says of an instance, or said no longer ago than fresh.
func (a *Activity) ask(ctx context.Context, instance string, fresh time.Duration) (chat.Instance, error) {
	a.mu.Lock()
	known, ok := a.answers[instance]
	a.mu.Unlock()
	if ok && a.Now().Sub(known.at) < fresh {
		return known.Instance, known.err
	}
	in, err := a.Discord.Instance(ctx, instance)
	if chat.Temporary(err) || ctx.Err() != nil {
		return in, err // nothing is known now
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Now()
	tidy(a.answers, func(known answer) bool { return now.Sub(known.at) >= freshFor })
	a.answers[instance] = answer{in, err, now}
	return in, err
}

// gone is err, and none where it says that there is no such instance.
func gone(err error) error {
	if err != nil && chat.TroubleOf(err) == chat.Gone {
		return nil
	}
	return err
}
