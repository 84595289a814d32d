package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"
)

// report prints the table.
func (b *bench) report(w io.Writer, u usage) {
	st := b.server.Stats()
	fmt.Fprintf(w, "%d games against the bot (%s, levels %v), %d between members; members think %v to %v",
		b.Games, b.Game, b.Levels, b.Pairs, b.loadCmd.Think, b.Most)
	if b.Rush {
		fmt.Fprint(w, ", pairs not at all")
	}
	fmt.Fprintf(w, "; burst %d; %v a call; measured %v after %v\n", b.Burst, b.Latency, u.took.Round(time.Second), b.Warm)
	fmt.Fprintf(w, "The bot, the stand-in (no body checks) and the members share %d threads; "+
		"load of the machine %s before, %s after.\n\n",
		runtime.GOMAXPROCS(0), u.loadFrom, u.loadTo)
	fmt.Fprintf(w, "%-30s %9s %9s %9s %9s\n", "", "count", "p50", "p99", "max")
	for _, kind := range []string{"acknowledged", "engine's answer", "member's move", "member's move, the board read"} {
		reportTimes(w, kind, b.since(kind, 0))
	}
	reportTimes(w, "answers, 30 s from the burst", b.afterBurst())
	b.reportEngine(w)
	secs := max(u.took.Seconds(), 1e-9)
	fmt.Fprintf(w, "\nmoves of members %.1f/s; CPU %.0f %%; heap at most %d MB, resident at most %d MB\n",
		float64(u.moves)/secs, 100*u.cpu.Seconds()/secs, u.heap>>20, u.resident>>20)
	if b.Reviews {
		fmt.Fprintf(w, "reviews made %d, from the first game on\n", b.reviews.Load())
	}
	fmt.Fprintf(w, "interactions %d, without an answer in time %d; calls %d, rate limited %d; "+
		"calls under the global limit: at most %d in any second\n",
		st.Interactions, st.Failures, st.Calls, st.RateLimited, st.GlobalPeak)
	b.reportCalls(w, u)
	b.reportAims(w, float64(u.moves)/secs, st.GlobalPeak)
}

// reportTimes prints a line of the table, where there is something to tell.
func reportTimes(w io.Writer, kind string, t []time.Duration) {
	if len(t) > 0 {
		fmt.Fprintf(w, "%-30s %9d %9s %9s %9s\n", kind, len(t), ms(quantile(t, .5)), ms(quantile(t, .99)), ms(t[len(t)-1]))
	}
}

// reportCalls tells of the calls with the bot's token, by what they do.
func (b *bench) reportCalls(w io.Writer, u usage) {
	each := func(n int64) float64 { return float64(n) / max(float64(u.moves), 1) }
	all := int64(0)
	for _, n := range u.byBot {
		all += n
	}
	fmt.Fprintf(w, "calls about messages with the bot's token %d, %.3f for each move of a member\n", all, each(all))
	for _, what := range slices.Sorted(maps.Keys(u.byBot)) {
		if n := u.byBot[what]; n > 0 {
			fmt.Fprintf(w, "  %-44s %9d %9.3f\n", what, n, each(n))
		}
	}
}

// afterBurst are the engine's answers in the half minute from the burst on.
func (b *bench) afterBurst() (t []time.Duration) {
	if b.Burst == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	half := b.For / 2
	for _, s := range b.samples["engine's answer"] {
		if s.at >= half && s.at < half+30*time.Second {
			t = append(t, s.took)
		}
	}
	slices.Sort(t)
	return t
}

// reportAims compares the run with the aims.
func (b *bench) reportAims(w io.Writer, rate float64, peak int) {
	fmt.Fprintln(w)
	aim := func(met bool, format string, args ...any) {
		word := "met   "
		if !met {
			word = "MISSED"
		}
		fmt.Fprintf(w, "%s %s\n", word, fmt.Sprintf(format, args...))
	}
	under := func(what string, t []time.Duration, q float64, most time.Duration) {
		if len(t) > 0 {
			is := quantile(t, q)
			mark := fmt.Sprintf("p%g", 100*q)
			if q == 1 {
				mark = "max"
			}
			aim(is < most, "%s %s %s, aim under %s", what, mark, ms(is), ms(most))
		}
	}
	if b.Rush {
		aim(rate >= 300, "moves %.0f/s, aim 300/s", rate)
		under("member's move", b.since("member's move", 0), .99, 250*time.Millisecond)
	} else {
		under("acknowledged", b.since("acknowledged", 0), .99, 150*time.Millisecond)
		under("engine's answer", b.since("engine's answer", 0), .99, 2500*time.Millisecond)
		under("answers from the burst", b.afterBurst(), 1, 2500*time.Millisecond)
		under("member's move", b.since("member's move", 0), .99, 150*time.Millisecond)
	}
	aim(peak <= 50, "calls under the global limit in any second %d, aim at most 50", peak)
}

// reportEngine tells, by level, what the engine had for its turns.
func (b *bench) reportEngine(w io.Writer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	byLevel := map[int][]thought{}
	for _, t := range b.turns {
		if t.at >= 0 {
			byLevel[t.level] = append(byLevel[t.level], t)
		}
	}
	if len(byLevel) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-8s %9s %11s %11s %11s %11s %11s %11s %10s\n", "engine", "turns", "budget p10", "p50", "p90",
		"used p50", "p99", "max", "full count")
	for _, level := range slices.Sorted(maps.Keys(byLevel)) {
		var budgets, took []time.Duration
		full := 0
		for _, t := range byLevel[level] {
			budgets, took = append(budgets, t.budget), append(took, t.took)
			if !t.cut {
				full++
			}
		}
		slices.Sort(budgets)
		slices.Sort(took)
		given := func(q float64) string {
			if d := quantile(budgets, q); d > 0 {
				return ms(d)
			}
			return "-" // these levels are played in full always
		}
		fmt.Fprintf(w, "level %-2d %9d %11s %11s %11s %11s %11s %11s %8.1f %%\n", level, len(took), given(.1),
			given(.5), given(.9), ms(quantile(took, .5)), ms(quantile(took, .99)), ms(took[len(took)-1]),
			100*float64(full)/float64(len(took)))
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }
