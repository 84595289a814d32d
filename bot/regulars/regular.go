package regulars

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"tengen/bot/standin"
	"tengen/game"
)

// regular is one of them. All but idea and nudge belongs to its own goroutine.
type regular struct {
	*Regulars
	name  string
	id    game.MemberID
	level int
	rng   *rand.Rand
	nudge chan struct{} // somebody has begun to act as the member, or has ended
	idea  chan idea

	todo map[string]errand // by message
	back time.Time         // when the member comes back; zero: is there
}

// errand is what the member is about to do because of a message.
type errand struct {
	do    func(context.Context) error
	due   time.Time
	tries int
}

// mostTries is how often a regular does anew what fails.
const mostTries = 5

// errFailed says that the bot has not answered.
var errFailed = errors.New("the bot has not answered")

// live looks at what is there, and then at what the stand-in tells, until the end.
func (r *regular) live(ctx context.Context, feed <-chan standin.Event) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	r.lookAround(ctx)
	for {
		timer.Stop()
		if next := r.next(); !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		select {
		case e, ok := <-feed:
			if !ok {
				return
			}
			r.hears(ctx, e)
		case <-timer.C:
			r.acts(ctx)
		case i := <-r.idea:
			r.has(ctx, i)
		case <-r.nudge:
			r.returns(ctx)
		case <-ctx.Done():
			return
		}
		r.woken.Add(1)
	}
}

// next is when the member is to do something; zero: they sleep until they are woken.
func (r *regular) next() (next time.Time) {
	switch {
	case r.actedAs(r.name):
		return time.Time{}
	case !r.back.IsZero():
		return r.back
	}
	for _, e := range r.todo {
		if next.IsZero() || e.due.Before(next) {
			next = e.due
		}
	}
	return next
}

// returns has the member be there again, and take up what has waited.
func (r *regular) returns(ctx context.Context) {
	if !r.back.IsZero() {
		r.back = time.Time{}
		if err := r.shows(ctx, ""); err != nil && ctx.Err() == nil {
			r.Log.Warn("a regular cannot come back", "member", r.name, "err", err)
		}
	}
	for id, e := range r.todo {
		e.due = r.soon()
		r.todo[id] = e
	}
}

func (r *regular) soon() time.Time { return time.Now().Add(r.Pace.draw(r.rng)) }

// hears takes one thing that the stand-in tells.
func (r *regular) hears(ctx context.Context, e standin.Event) {
	switch e.Kind {
	case "message", "edit":
		r.sees(*e.Message)
	case "delete":
		delete(r.todo, e.ID)
	case "lost":
		r.lookAround(ctx)
	}
}

// lookAround reads everything that the member sees.
func (r *regular) lookAround(ctx context.Context) {
	clear(r.todo)
	places, err := r.act(ctx, standin.Action{Do: "places"})
	if err != nil {
		return // the demo ends
	}
	for _, p := range places.Places {
		there, err := r.act(ctx, standin.Action{Do: "messages", At: p.ID})
		if err != nil {
			continue // the place has gone meanwhile
		}
		for _, m := range there.Messages {
			r.sees(m)
		}
	}
}

// sees plans what a message has the member do. A message that changes meanwhile keeps its time.
func (r *regular) sees(m standin.Message) {
	do := r.wants(m)
	if do == nil {
		delete(r.todo, m.ID)
		return
	}
	e, planned := r.todo[m.ID]
	if !planned {
		e.due = r.soon()
	}
	e.do = do
	r.todo[m.ID] = e
}

// acts does what is due.
func (r *regular) acts(ctx context.Context) {
	now := time.Now()
	if !r.back.IsZero() {
		if !now.Before(r.back) {
			r.returns(ctx)
		}
		return
	}
	due := slices.SortedFunc(maps.Keys(r.todo), func(a, b string) int {
		return cmp.Or(r.todo[a].due.Compare(r.todo[b].due), cmp.Compare(a, b))
	})
	for _, id := range due {
		e := r.todo[id]
		if e.due.After(now) {
			return
		}
		delete(r.todo, id)
		if err := e.do(ctx); err != nil && ctx.Err() == nil {
			if e.tries++; e.tries < mostTries {
				e.due = r.soon()
				r.todo[id] = e
				continue
			}
			r.Log.Warn("a regular gives up", "member", r.name, "message", id, "err", err)
		}
	}
}

// act does something as the member.
func (r *regular) act(ctx context.Context, a standin.Action) (standin.Result, error) {
	a.As = r.name
	res, err := r.discord.Act(ctx, a)
	if err == nil && res.Answer != nil && res.Answer.Failed != "" {
		err = errFailed
	}
	return res, err
}

// press presses a button of a message. The board has more points than its pad: it is pressed as by a member who has
// led the pad there.
func (r *regular) press(ctx context.Context, m standin.Message, custom string) error {
	_, err := r.act(ctx, standin.Action{Do: "press", At: m.ID, Name: custom, Raw: true})
	if standin.Refused(err) {
		return nil // the message has gone meanwhile
	}
	return err
}

// chance is true once in n times.
func (r *regular) chance(n int) bool { return r.rng.IntN(n) == 0 }
