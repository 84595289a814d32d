package puzzles

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/tasks"
	"tengen/storage"
)

// A run leads through the puzzles of a game, from the easiest on. A streak ends with the first
// wrong answer, a storm with its time. A run changes no rating.

const (
	stormTime = 3 * time.Minute
	mistake   = 10 * time.Second // what a wrong answer takes from a storm
)

// bonus is the time that so many right moves one after the other bring to a storm.
func bonus(combo int) time.Duration {
	switch {
	case combo == 5:
		return 3 * time.Second
	case combo == 12:
		return 5 * time.Second
	case combo == 20:
		return 7 * time.Second
	case combo >= 30 && combo%10 == 0:
		return 10 * time.Second
	}
	return 0
}

// mix spreads a number over all numbers.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// seedOf is a number for the puzzle of an id in an order.
func seedOf(id string, order uint64) uint64 {
	n := mix(order + 0x9E3779B97F4A7C15)
	for _, c := range []byte(id) {
		n = mix(n ^ uint64(c))
	}
	return n
}

// shuffled is list in an order that follows from a number.
func shuffled(list []puzzle.Puzzle, order uint64) []puzzle.Puzzle {
	type place struct {
		rank uint64
		at   int
	}
	places := make([]place, len(list))
	for i, z := range list {
		places[i] = place{seedOf(z.ID(), order), i}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	sorted := make([]puzzle.Puzzle, len(list))
	for i, p := range places {
		sorted[i] = list[p.at]
	}
	return sorted
}

// stampOf names a state of a run: a board that was shown before the last answer has another stamp.
func stampOf(v storage.Run) uint32 { return uint32(mix(v.Seed + uint64(v.Answers))) }

// longestStorm is longer than any storm: what ends later was begun by a clock that was ahead.
const longestStorm = time.Hour

// late reports whether the time of a run is over.
func late(v storage.Run, at time.Time) bool {
	return v.Kind == storage.StormRun && (!at.Before(v.Ends) || v.Ends.Sub(at) > longestStorm)
}

// led is a run at its next puzzle, which the solver has seen then. It is closed where there is none.
// today is the puzzle of the day, which does not come.
func (p *Puzzles) led(v storage.Run, s storage.Solver, today puzzle.Puzzle,
	at time.Time) (storage.Run, storage.Solver, storage.Best) {
	z, ok := next(shown(p.Collection, v.Rules), v, sparing(s, today, at), at)
	if !ok {
		v, best := closed(v, at)
		return v, s, best
	}
	v.Puzzle, v.Moves, v.Unsure = z.Number, nil, false
	return v, s.Showed(z.Number, at, false), storage.Best{}
}

// present is the board of a run as it stands. It is false where the collection has its puzzle no
// longer, or an older program has begun it.
func (p *Puzzles) present(v storage.Run) (board, bool) {
	list := shown(p.Collection, v.Rules)
	i := slices.IndexFunc(list, func(z puzzle.Puzzle) bool { return z.Number == v.Puzzle })
	if i < 0 {
		return board{}, false
	}
	return board{Puzzle: list[i], id: list[i].ID(), mode: inRun, stamp: stampOf(v), level: normal, unsure: v.Unsure,
		moves: v.Moves}, true
}

// answered is a run after a verdict. lost says that it ends with it.
func answered(v storage.Run, verdict puzzle.Verdict) (after storage.Run, lost bool) {
	v.Answers++
	if verdict == puzzle.Undecided && !v.Unsure {
		v.Unsure = true
		return v, false
	}
	v.Unsure = false
	switch verdict {
	case puzzle.Right, puzzle.Solved:
		v.Combo++
		if v.Kind == storage.StormRun {
			v.Ends = v.Ends.Add(bonus(v.Combo))
		}
		if verdict == puzzle.Solved {
			v.Step++
			v.Solved++
		}
		return v, false
	}
	v.Step++
	v.Combo = 0
	if v.Kind == storage.StormRun {
		v.Ends = v.Ends.Add(-mistake)
	}
	return v, v.Kind == storage.StreakRun
}

// closed is a run that ends, with its result among the best. One that is over stays as it is.
func closed(v storage.Run, at time.Time) (storage.Run, storage.Best) {
	if v.Kind == storage.NoRun {
		return v, storage.Best{}
	}
	i := slices.IndexFunc(v.Bests, func(b storage.Best) bool { return b.Kind == v.Kind && b.Rules == v.Rules })
	v.Bests = slices.Clone(v.Bests)
	if i < 0 {
		i = len(v.Bests)
		v.Bests = append(v.Bests, storage.Best{Kind: v.Kind, Rules: v.Rules})
	}
	b := aged(v.Bests[i], at)
	b.Ever, b.Week, b.Day, b.At = max(b.Ever, v.Solved), max(b.Week, v.Solved), max(b.Day, v.Solved), at
	v.Bests[i] = b
	return storage.Run{Member: v.Member, Bests: v.Bests}, b
}

// aged is a best one at a later time: a new day, or week, begins with nothing.
func aged(b storage.Best, at time.Time) storage.Best {
	is, was := at.UTC(), b.At.UTC()
	if is.Format(time.DateOnly) != was.Format(time.DateOnly) {
		b.Day = 0
	}
	year, week := is.ISOWeek()
	if y, w := was.ISOWeek(); y != year || w != week {
		b.Week = 0
	}
	return b
}

// runHead says how a run goes. Discord shows the time that is left.
func runHead(t view.Tongue, v storage.Run) string {
	if v.Kind == storage.StormRun {
		return t.Say("run.storm", "Count", v.Solved, "When", fmt.Sprintf("<t:%d:R>", v.Ends.Unix()))
	}
	return t.Say("run.streak", "Count", v.Solved)
}

// offerRun says what a run is, with a button that begins it.
func (p *Puzzles) offerRun(ctx context.Context, r chat.Request, kind string, of game.Rules) error {
	if kind != storage.StreakRun.String() && kind != storage.StormRun.String() {
		return view.No("unknown.button")
	}
	t := p.House.Tongue(r)
	msg := chat.Private("### " + t.Line(t.Say("choice.run."+kind), t.Rules(of)) + "\n" + t.Say("run.about."+kind))
	start := chat.Button{ID: goPress(kind, of), Label: t.Say("button.start"), Style: chat.Primary}
	return chat.Reply(ctx, p.Chat, r, msg.WithRow(start))
}

// goPress is the press that begins a run.
func goPress(kind string, of game.Rules) string {
	return board{id: kind + "-" + of.Name(), mode: inRun, level: normal}.press("go", "")
}

// goRun begins a run. One that goes on ends.
func (p *Puzzles) goRun(ctx context.Context, r chat.Request, what string) error {
	kind, name, _ := strings.Cut(what, "-")
	of, ok := game.RulesNamed(name)
	if !ok || !slices.Contains(rules, of) {
		return view.No("unknown.button")
	}
	seed := p.Random()
	today, err := p.todays(ctx, r)
	if err != nil {
		return err
	}
	v, err := p.Store.StepRun(ctx, r.By, of, r.Place.Server,
		func(v storage.Run, s storage.Solver) (storage.Run, storage.Solver, error) {
			v, _ = closed(v, r.At)
			v.Kind, v.Rules, v.Seed = storage.StreakRun, of, seed
			if kind == storage.StormRun.String() {
				v.Kind, v.Ends = storage.StormRun, r.At.Add(stormTime)
			}
			v, s, _ = p.led(v, s, today, r.At)
			return v, s, nil
		})
	if err != nil {
		return err
	}
	if err := p.askRun(ctx, r, v, ""); err != nil || v.Kind != storage.StormRun {
		return err
	}
	p.Tasks.Go(func() { p.await(r, seed) })
	return nil
}

// todays is the puzzle of the day that is going on where the member asks; the zero Puzzle where
// there is none.
func (p *Puzzles) todays(ctx context.Context, r chat.Request) (puzzle.Puzzle, error) {
	if r.Place.Server == 0 {
		return puzzle.Puzzle{}, nil
	}
	d, err := p.Store.Daily(ctx, r.Place.Server)
	z, _ := puzzle.Named(p.Collection(), d.Day.Puzzle)
	return z, err
}

// askRun shows a run as it stands.
func (p *Puzzles) askRun(ctx context.Context, r chat.Request, v storage.Run, said string) error {
	b, ok := p.present(v)
	if !ok {
		return view.No("puzzle.gone")
	}
	return p.ask(ctx, r, b, said)
}

// changeRun brings another puzzle for the one that a run has lost: the collection has changed.
func (p *Puzzles) changeRun(ctx context.Context, r chat.Request, was storage.Run) error {
	today, err := p.todays(ctx, r)
	if err != nil {
		return err
	}
	var best storage.Best
	v, err := p.Store.StepRun(ctx, r.By, was.Rules, 0,
		func(v storage.Run, s storage.Solver) (storage.Run, storage.Solver, error) {
			if best = (storage.Best{}); v.Kind == storage.NoRun || stampOf(v) != stampOf(was) {
				return v, s, view.No("puzzle.runOver")
			}
			v, s, best = p.led(v, s, today, r.At)
			return v, s, nil
		})
	switch t := p.House.Tongue(r); {
	case err != nil:
		return err
	case v.Kind == storage.NoRun:
		return chat.Reply(ctx, p.Chat, r, runOver(t, best, was.Solved, ""))
	default:
		return p.askRun(ctx, r, v, t.Say("run.changed"))
	}
}

// stepRun goes on after a verdict on an answer in a run. An answer on a board that is not the
// present one counts for nothing.
func (p *Puzzles) stepRun(ctx context.Context, r chat.Request, b, after board, verdict puzzle.Verdict,
	m game.Point) error {
	today, err := p.todays(ctx, r)
	if err != nil {
		return err
	}
	var best storage.Best
	lost, stale, solved := false, false, 0
	v, err := p.Store.StepRun(ctx, r.By, b.Game.Rules(), r.Place.Server,
		func(v storage.Run, s storage.Solver) (storage.Run, storage.Solver, error) {
			if lost, stale, best = false, false, (storage.Best{}); v.Kind == storage.NoRun {
				return v, s, view.No("puzzle.runOver")
			}
			if stale = stampOf(v) != b.stamp; stale {
				return v, s, nil
			}
			step := v.Step
			if !late(v, r.At) {
				if v, lost = answered(v, verdict); verdict == puzzle.Right {
					v.Moves = after.moves
				}
			}
			solved = v.Solved
			switch {
			case lost || late(v, r.At):
				v, best = closed(v, r.At)
			case v.Step > step:
				v, s, best = p.led(v, s, today, r.At)
			}
			return v, s, nil
		})
	t := p.House.Tongue(r)
	switch {
	case err != nil:
		return err
	case stale:
		return p.askRun(ctx, r, v, t.Say("run.stale"))
	case v.Kind == storage.NoRun:
		said := ""
		if lost {
			said = t.Say("run.wrong", "Point", m.String(), "Line", told(b.Game, b.Line))
		}
		return chat.Reply(ctx, p.Chat, r, runOver(t, best, solved, said))
	case v.Unsure:
		return p.askRun(ctx, r, v, t.Say("undecided", "Point", m.String()))
	case verdict == puzzle.Right:
		return p.askRun(ctx, r, v, t.Say("puzzle.right", "Point", m.String()))
	case verdict == puzzle.Solved:
		return p.askRun(ctx, r, v, t.Say("run.solved", "Point", m.String()))
	}
	return p.askRun(ctx, r, v, t.Say("run.mistake", "Point", m.String(), "Line", told(b.Game, b.Line)))
}

// endRun ends a run at the member's wish.
func (p *Puzzles) endRun(ctx context.Context, r chat.Request, b board) error {
	msg, err := p.finish(ctx, p.House.Tongue(r), r.By, func(v storage.Run) bool { return stampOf(v) == b.stamp })
	if err != nil {
		return err
	}
	return chat.Reply(ctx, p.Chat, r, msg)
}

// finish ends the run that is meant, and words its result.
func (p *Puzzles) finish(ctx context.Context, t view.Tongue, by game.MemberID,
	meant func(storage.Run) bool) (chat.Message, error) {
	var best storage.Best
	solved := 0
	_, err := p.Store.UpdateRun(ctx, by, 0, func(v storage.Run) (storage.Run, error) {
		if v.Kind == storage.NoRun || !meant(v) {
			return v, view.No("puzzle.runOver")
		}
		solved = v.Solved
		v, best = closed(v, p.Now())
		return v, nil
	})
	if err != nil {
		return chat.Message{}, err
	}
	return runOver(t, best, solved, ""), nil
}

// await ends a storm when its time is over, and shows the result in place of its board.
func (p *Puzzles) await(r chat.Request, seed uint64) {
	ctx, cancel := context.WithTimeout(p.Tasks.Life, chat.TokenLife)
	defer cancel()
	for {
		v, err := p.Store.Run(ctx, r.By)
		if err != nil || v.Kind != storage.StormRun || v.Seed != seed {
			return
		}
		left := v.Ends.Sub(p.Now())
		if left > 0 {
			if tasks.Sleep(ctx, left) != nil {
				return
			}
			continue
		}
		if _, busy := p.judging.Load(r.By); busy { // an answer that came in time is being judged
			if tasks.Sleep(ctx, 100*time.Millisecond) != nil {
				return
			}
			continue
		}
		msg, err := p.finish(ctx, p.House.Tongue(r), r.By, func(v storage.Run) bool {
			return v.Seed == seed && late(v, p.Now())
		})
		if err != nil {
			return
		}
		if _, err := p.Chat.Send(ctx, chat.To{Token: r.Token, Original: true, Channel: r.Place.Channel}, msg); err != nil {
			p.Log.Info("storm", "err", err)
		}
		return
	}
}

// runOver is the end of a run, with the member's best ones.
func runOver(t view.Tongue, best storage.Best, solved int, said string) chat.Message {
	kind := best.Kind.String()
	over, bests := t.Say("run.over", "Count", solved),
		t.Say("run.bests", "Day", best.Day, "Week", best.Week, "Ever", best.Ever)
	if solved == 0 {
		over = t.Say("run.over.none")
	}
	if best.Ever == 0 {
		bests = ""
	}
	lines := []string{"### " + t.Line(t.Say("choice.run."+kind), t.Rules(best.Rules)), said, over, bests}
	return chat.Private(joined(lines)).WithRow(
		chat.Button{ID: goPress(kind, best.Rules), Label: t.Say("button.runAgain"), Style: chat.Primary})
}
