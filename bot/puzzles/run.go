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
// wrong answer, a storm with its time. A run changes no rating, and the puzzles of a run may be met
// again.

const (
	stormTime = 3 * time.Minute
	mistake   = 10 * time.Second // what a wrong answer takes from a storm
	jitter    = 120              // by how many points the order of a run may differ from that of the ratings
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
	return ranked(list, func(z puzzle.Puzzle) uint64 { return seedOf(z.ID(), order) })
}

// ranked is list by rank, which is asked once for each puzzle.
func ranked(list []puzzle.Puzzle, rank func(puzzle.Puzzle) uint64) []puzzle.Puzzle {
	type place struct {
		rank uint64
		at   int
	}
	places := make([]place, len(list))
	for i, z := range list {
		places[i] = place{rank(z), i}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	sorted := make([]puzzle.Puzzle, len(list))
	for i, p := range places {
		sorted[i] = list[p.at]
	}
	return sorted
}

// A run takes so many puzzles of each step of ratings at most, so that it leads upwards however
// many there are.
const (
	step     = 100
	eachStep = 5
)

// ladder is the puzzles of a run, from the easiest on.
func ladder(all shelf, v storage.Run) []puzzle.Puzzle {
	steps := map[int]int{}
	list := slices.DeleteFunc(shuffled(shown(all, v.Rules), v.Seed), func(z puzzle.Puzzle) bool {
		steps[z.Rating/step]++
		return steps[z.Rating/step] > eachStep
	})
	return ranked(list, func(z puzzle.Puzzle) uint64 { return uint64(z.Rating) + seedOf(z.ID(), v.Seed)%jitter })
}

// stampOf names a step of a run.
func stampOf(v storage.Run) uint32 { return uint32(mix(v.Seed + uint64(v.Step))) }

// ended reports whether a run is over at a time.
func ended(all shelf, v storage.Run, at time.Time) bool {
	return v.Kind == storage.StormRun && !at.Before(v.Ends) || v.Step >= len(ladder(all, v))
}

// answered is a run after a verdict. lost says that it ends with it.
func answered(v storage.Run, verdict puzzle.Verdict) (after storage.Run, lost bool) {
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
	msg := chat.Private("### " + t.Say("choice.run."+kind) + " · " + t.Rules(of) + "\n" + t.Say("run.about."+kind))
	msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{{ID: goPress(kind, of), Label: t.Say("button.startRun"), Style: chat.Primary}}})
	return chat.Reply(ctx, p.Chat, r, msg)
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
	v, err := p.Store.UpdateRun(ctx, r.By, r.Place.Server, func(v storage.Run) (storage.Run, error) {
		v, _ = closed(v, r.At)
		v.Kind, v.Rules, v.Seed = storage.StreakRun, of, seed
		if kind == storage.StormRun.String() {
			v.Kind, v.Ends = storage.StormRun, r.At.Add(stormTime)
		}
		return v, nil
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

// askRun shows the puzzle of a run.
func (p *Puzzles) askRun(ctx context.Context, r chat.Request, v storage.Run, said string) error {
	z := ladder(p.Collection, v)[v.Step]
	return p.ask(ctx, r, board{Puzzle: z, id: z.ID(), mode: inRun, stamp: stampOf(v), level: normal}, said)
}

// stepRun goes on after a verdict on an answer in a run.
func (p *Puzzles) stepRun(ctx context.Context, r chat.Request, b, after board, verdict puzzle.Verdict, m game.Point) error {
	var best storage.Best
	lost, solved := false, 0
	v, err := p.Store.UpdateRun(ctx, r.By, r.Place.Server, func(v storage.Run) (storage.Run, error) {
		if lost, best = false, (storage.Best{}); v.Kind == storage.NoRun || stampOf(v) != b.stamp {
			return v, view.No("puzzle.runOver")
		}
		if !ended(p.Collection, v, r.At) {
			v, lost = answered(v, verdict)
		}
		solved = v.Solved
		if lost || ended(p.Collection, v, r.At) {
			v, best = closed(v, r.At)
		}
		return v, nil
	})
	if err != nil {
		return err
	}
	t := p.House.Tongue(r)
	if v.Kind == storage.NoRun {
		said := ""
		if lost {
			said = t.Say("run.wrong", "Point", m.String(), "Line", told(b.Game, b.Line))
		}
		return chat.Reply(ctx, p.Chat, r, runOver(t, best, solved, said))
	}
	switch {
	case stampOf(v) == b.stamp && verdict == puzzle.Undecided:
		return p.ask(ctx, r, b, t.Say("puzzle.undecided", "Point", m.String()))
	case stampOf(v) == b.stamp:
		return p.ask(ctx, r, after, t.Say("puzzle.right", "Point", m.String()))
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
func (p *Puzzles) finish(ctx context.Context, t view.Tongue, by game.MemberID, meant func(storage.Run) bool) (chat.Message, error) {
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
		msg, err := p.finish(ctx, p.House.Tongue(r), r.By, func(v storage.Run) bool { return v.Seed == seed && ended(p.Collection, v, p.Now()) })
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
	over, bests := t.Say("run.over", "Count", solved), t.Say("run.bests", "Day", best.Day, "Week", best.Week, "Ever", best.Ever)
	if solved == 0 {
		over = t.Say("run.over.none")
	}
	if best.Ever == 0 {
		bests = ""
	}
	lines := []string{"### " + t.Say("choice.run."+kind) + " · " + t.Rules(best.Rules), said, over, bests}
	msg := chat.Private(joined(lines))
	msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{{ID: goPress(kind, best.Rules), Label: t.Say("button.runAgain"), Style: chat.Primary}}})
	return msg
}
