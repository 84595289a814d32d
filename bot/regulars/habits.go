package regulars

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/ai"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/opening"
	"tengen/game/venue"
	"tengen/storage"
)

// habit is what a regular does where they see a button.
type habit struct {
	verb, arg string // of the button; no arg: any
	named     bool   // only where the message names the regular
	do        func(*regular, context.Context, standin.Message, view.Press) error
}

// habits are those of all regulars. Of several whose buttons a message has, the first one holds.
var habits = []habit{
	{"accept", "", false, (*regular).takes},
	{"rematch", "", true, (*regular).plays},
	{"undoyes", "", true, (*regular).plays},
	{"drawyes", "", true, (*regular).plays},
	{"decide", "", true, (*regular).plays},
	{"play", "", true, (*regular).plays},
	{"pad", "", true, (*regular).plays},
	{"vote", "", false, (*regular).votes},
	{"simul", "join", false, (*regular).joinsSimul},
	{"evhere", "", false, (*regular).enters},
	{"evjoin", "", false, (*regular).enters},
	{"ladder", "", false, (*regular).joinsLadder},
}

// wants is what a message has the member do; nil: nothing.
func (r *regular) wants(m standin.Message) func(context.Context) error {
	if m.Author.ID != r.discord.AppID() || len(m.Components) == 0 {
		return nil
	}
	best, pressed := len(habits), view.Press{}
	named, me := false, "<@"+strconv.FormatUint(uint64(r.id), 10)+">"
	standin.Walk(m.Components, func(c *standin.Component) {
		named = named || strings.Contains(c.Content, me)
		if c.CustomID == "" || c.Disabled {
			return
		}
		p, err := view.ParsePress(c.CustomID)
		if err != nil {
			return
		}
		i := slices.IndexFunc(habits, func(h habit) bool { return h.verb == p.Verb && (h.arg == "" || h.arg == p.Arg) })
		if i >= 0 && i < best {
			best, pressed = i, p
		}
	})
	if best == len(habits) || habits[best].named && !named {
		if m.Private() && !m.Thinking() {
			return func(ctx context.Context) error { return r.dismisses(ctx, m) }
		}
		return nil
	}
	return func(ctx context.Context) error { return habits[best].do(r, ctx, m, pressed) }
}

// dismisses takes away what was said to the member alone: a place keeps only so many messages.
func (r *regular) dismisses(ctx context.Context, m standin.Message) error {
	_, _ = r.act(ctx, standin.Action{Do: "delete-message", At: m.ID}) // it may be gone already
	return nil
}

// takes accepts a challenge to the member, or one of a visitor to everybody.
func (r *regular) takes(ctx context.Context, m standin.Message, p view.Press) error {
	rec, err := r.store.Match(ctx, p.Match)
	if err != nil || rec.Phase != game.Offered {
		return known(err)
	}
	whom, by := rec.Seats[1], rec.Seats[0].Member
	if whom.Member == r.id || whom.Kind == game.OpenSeat && !r.knows(by) {
		return r.press(ctx, m, p.ID())
	}
	return nil
}

// known is an error, unless it says that there is no such thing any more.
func known(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

// plays does what a match waits for the member to do.
func (r *regular) plays(ctx context.Context, m standin.Message, p view.Press) error {
	rec, err := r.store.Match(ctx, p.Match)
	if err != nil {
		return known(err)
	}
	seat, sits := rec.SeatOf(r.id)
	if waits, ok := rec.WaitsFor(); !sits || !ok || waits != seat {
		return nil
	}
	switch {
	case rec.Phase == game.Over:
		return r.press(ctx, m, view.On(rec.Match, "rematch", ""))
	case rec.Undoing.Open:
		return r.press(ctx, m, view.On(rec.Match, answer("undo", !r.chance(5)), ""))
	}
	d, report, err := r.thinks(ctx, rec.Match)
	switch {
	case err != nil:
		return err
	case rec.DrawBy != 0:
		return r.press(ctx, m, view.On(rec.Match, answer("draw", agrees(rec.Match, report)), ""))
	}
	verb := "play"
	if rec.Deciding() {
		verb = "decide"
	}
	if err = r.press(ctx, m, view.On(rec.Match, verb, d.String())); err != nil {
		return err
	}
	if verb == "play" && rec.Undos == 0 && rec.Played() > 6 && r.chance(60) {
		r.regrets(m, rec.ID)
	}
	return nil
}

// answer is the verb of the button that answers an offer.
func answer(offer string, yes bool) string {
	if yes {
		return offer + "yes"
	}
	return offer + "no"
}

// agrees reports whether one to whom a draw is offered takes it: who stands badly does, and who stands evenly after a
// long game.
func agrees(m game.Match, r ai.Report) bool { return r.Win < 0.2 || r.Win < 0.6 && m.Played() >= 40 }

// regrets has the member ask soon to take the last move back.
func (r *regular) regrets(m standin.Message, id game.MatchID) {
	r.todo["undo "+m.ID] = errand{due: r.soon(), do: func(ctx context.Context) error {
		rec, err := r.store.Match(ctx, id)
		if err != nil || rec.Phase != game.Playing {
			return known(err)
		}
		return r.types(ctx, m.ChannelID, undo, standin.Value{Name: "game", Value: view.Key(id)})
	}}
}

// thinks finds a move, or the answer that an opening asks for. Its tables are small, since its searches are.
func (r *regular) thinks(ctx context.Context, m game.Match) (game.Decision, ai.Report, error) {
	limits := ai.Limits{Level: r.level, Seed: r.rng.Uint64(), Memory: 1 << 20, Brief: true}
	if line, _ := opening.Of(m); m.Deciding() {
		return ai.Decide(ctx, m.Rules, line.State, limits)
	}
	report, err := ai.Search(ctx, m.Game(), limits)
	return game.Decision(report.Move), report, err
}

// votes votes for a move of a game that the channel plays together.
func (r *regular) votes(ctx context.Context, m standin.Message, p view.Press) error {
	one, err := storage.Togethers.In(ctx, r.store, r.place(m))
	if err != nil || one.Over() || one.EngineToMove() || one.Find(r.id) >= 0 {
		return known(err)
	}
	g, err := one.Replay()
	if err != nil {
		return err
	}
	report, err := ai.Search(ctx, g, ai.Limits{Level: r.level, Seed: r.rng.Uint64(), Memory: 1 << 20, Brief: true})
	if err != nil {
		return err
	}
	p.Stamp, p.Arg = uint32(len(one.Moves)), report.Move.String()
	return r.press(ctx, m, p.ID())
}

// place is where a message stands.
func (r *regular) place(m standin.Message) venue.Place {
	channel, _ := strconv.ParseUint(m.ChannelID, 10, 64) // zero: nothing is found there
	return venue.Place{Server: r.server, Channel: channel}
}

// joinsSimul joins a simul of somebody else.
func (r *regular) joinsSimul(ctx context.Context, m standin.Message, p view.Press) error {
	one, err := storage.Simuls.In(ctx, r.store, r.place(m))
	if err != nil || one.Over() || !one.Started.IsZero() || one.Giver == r.id || one.Find(r.id) >= 0 {
		return known(err)
	}
	return r.press(ctx, m, p.ID())
}

// enters enters a tournament, and says before its first round that the member is there.
func (r *regular) enters(ctx context.Context, m standin.Message, p view.Press) error {
	e, err := r.store.Event(ctx, storage.EventID(p.Match))
	if err != nil {
		return known(err)
	}
	i := slices.IndexFunc(e.Entrants, func(x event.Entrant) bool { return x.Seat.Member == r.id })
	switch {
	case i < 0 && e.Takes():
		p.Verb = "evjoin"
	case i >= 0 && e.CheckingIn(time.Now()) && !(i < len(e.Checked) && e.Checked[i]):
		p.Verb = "evhere"
	default:
		return nil
	}
	return r.press(ctx, m, p.ID())
}

// joinsLadder joins a ladder.
func (r *regular) joinsLadder(ctx context.Context, m standin.Message, p view.Press) error {
	name, _, _ := strings.Cut(p.Arg, ".")
	rules, ok := game.RulesNamed(name)
	if !ok {
		return nil
	}
	one, err := r.store.Ladder(ctx, r.server, rules)
	if err != nil || one.Off || one.Place(r.id) > 0 || strconv.FormatUint(one.Message, 10) != m.ID {
		return known(err)
	}
	return r.press(ctx, m, view.Do("ladder", name+".join"))
}
