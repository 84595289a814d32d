package reversi

import (
	"context"
	"math/bits"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// TestPlaysToTheEnd plays whole games at a fixed node count: every move and every line
// legal, and the same again with the same nodes.
func TestPlaysToTheEnd(t *testing.T) {
	g := game.New(game.Reversi)
	for g.Turn() != game.Empty {
		limits := engine.Limits{Nodes: 3000}
		r := testkit.Got(Search(t.Context(), g, limits))
		again, _ := Search(t.Context(), g, limits)
		if again.Move != r.Move || again.Nodes != r.Nodes || again.Score != r.Score {
			t.Fatalf("move %d: %v %+d in %d nodes, then %v %+d in %d", g.Len()+1, r.Move, r.Score, r.Nodes, again.Move,
				again.Score, again.Nodes)
		}
		if _, err := g.PlayAll(r.Line...); err != nil {
			t.Fatalf("move %d: line %v: %v", g.Len()+1, r.Line, err)
		}
		g = testkit.Got(g.Play(r.Move))
	}
}

// TestExactPlay compares the score and the move of solved positions with those of the
// plainest search there is.
func TestExactPlay(t *testing.T) {
	empties := 10
	if full() {
		empties = 14
	}
	for _, b := range middles(20, empties) {
		th := solved(t, b)
		want := slow(b, -64, 64)
		if got := th.list[0].score / 100; got != want {
			t.Errorf("score %+d, want %+d: %+v", got, want, b)
		}
		if got := -slow(b.play(th.list[0].x), -64, 64); got != want {
			t.Errorf("the move scores %+d, want %+d: %+v", got, want, b)
		}
	}
}

// TestStops cancels a search without bound, which must end soon and give a legal move.
func TestStops(t *testing.T) {
	g := game.New(game.Reversi)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	from := time.Now()
	r, err := Search(ctx, g, engine.Limits{Nodes: 1 << 40})
	if err != nil || g.Check(r.Move) != nil {
		t.Fatalf("%v %v", r.Move, err)
	}
	if d := time.Since(from); d > 10*time.Second { // 40 ms on an idle machine
		t.Errorf("it took %v", d)
	}
	if _, err := Search(ctx, g, engine.Limits{}); err == nil {
		t.Error("a search whose context had ended gave no error")
	}
}

// TestStopsSoon holds that a search ends within 20 ms of CPU time after it is told to,
// wherever it is: in the middle game, before the endgame, in it.
func TestStopsSoon(t *testing.T) {
	var worst time.Duration
	for _, n := range []int{52, 40, 34, 28, 24} {
		for _, b := range middles(3, n) {
			th := newThinker(t.Context(), new(Engine), b, engine.Limits{Nodes: 1 << 40}, 1)
			var told time.Duration
			timer := time.AfterFunc(30*time.Millisecond, func() {
				told = cpuNow()
				th.watch.Stop()
			})
			th.think()
			ended := cpuNow()
			if timer.Stop() {
				t.Fatalf("%d empties were solved at once", n)
			}
			th.watch.Close()
			worst = max(worst, ended-told)
			if th.report().Move == game.NoPoint {
				t.Error("no move")
			}
		}
	}
	t.Logf("at most %v", worst)
	if worst > 20*time.Millisecond {
		t.Errorf("a search went on for %v", worst)
	}
}

func TestThreads(t *testing.T) {
	b := middles(1, 15)[0]
	one := solved(t, b)
	e := new(Engine)
	th := newThinker(t.Context(), e, b, engine.Limits{Depth: 64, Threads: 3}, 1)
	defer th.watch.Close()
	helpers := th.help()
	th.think()
	th.watch.Stop()
	helpers.Wait()
	if th.list[0].score != one.list[0].score || !th.solved {
		t.Errorf("three threads: %+d, one: %+d", th.list[0].score, one.list[0].score)
	}
}

// BenchmarkThreads solves two positions of 22 empty squares with one thread and with two.
// Both are busy to the end, so that half the CPU time of two is the time they would take
// on two free cores: how the speed-up is told on a machine that has none.
func BenchmarkThreads(b *testing.B) {
	list := middles(2, 22)
	for b.Loop() {
		var cpu, wall [3]float64
		for _, threads := range []int{1, 2} {
			for _, p := range list {
				th := newThinker(b.Context(), new(Engine), p, engine.Limits{Depth: 64, Threads: threads}, 1)
				begin, from := time.Now(), cpuNow()
				helpers := th.help()
				th.think()
				th.watch.Stop()
				helpers.Wait()
				cpu[threads] += (cpuNow() - from).Seconds()
				wall[threads] += time.Since(begin).Seconds()
				th.watch.Close()
			}
		}
		b.ReportMetric(cpu[1], "cpu-s/1")
		b.ReportMetric(cpu[2], "cpu-s/2")
		b.ReportMetric(2*cpu[1]/cpu[2], "speed-up")
		b.ReportMetric(wall[1]/wall[2], "speed-up-by-the-wall")
	}
}

// TestNoAllocation holds the searches to the memory that they begin with.
func TestNoAllocation(t *testing.T) {
	s := testSearcher()
	b := middles(1, 30)[0]
	f := featuresOf(b)
	end := middles(1, 13)[0]
	g := featuresOf(end)
	if n := testing.AllocsPerRun(3, func() {
		s.mid(b, &f, 6, -20000, 20000, 30, 0)
		s.solve(end, &g, 1, 13, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLevels holds that a level is bounded by its nodes, repeats with its seed, and that
// the first, other than the last, grabs discs.
func TestLevels(t *testing.T) {
	g := game.New(game.Reversi)
	g, _ = g.PlayAll(Balanced(5)...)
	for l := 1; l <= 6; l++ {
		limits := engine.Limits{Level: l, Seed: 7}
		r, err := Search(t.Context(), g, limits)
		if err != nil || g.Check(r.Move) != nil {
			t.Fatalf("level %d: %v %v", l, r.Move, err)
		}
		if again, _ := Search(t.Context(), g, limits); again.Move != r.Move || again.Nodes != r.Nodes {
			t.Errorf("level %d does not repeat", l)
		}
		if r.Nodes > levels[l-1].nodes+2*lookEvery {
			t.Errorf("level %d used %d nodes", l, r.Nodes)
		}
		if r.Cut {
			t.Errorf("level %d was cut", l)
		}
	}
	// Black may take five discs in the middle, or one and keep quiet.
	taken := func(level int) (n int) {
		for seed := range uint64(20) {
			for _, b := range middles(3, 45) {
				th := newThinker(t.Context(), new(Engine), b, engine.Limits{Level: level, Seed: seed}, 1)
				th.think()
				th.watch.Close()
				th.report()
				n += bits.OnesCount64(flips(b.own, b.opp, th.list[0].x))
			}
		}
		return n
	}
	if novice, expert := taken(1), taken(5); novice <= expert {
		t.Errorf("level 1 turned %d discs, level 5 %d", novice, expert)
	}
}

// TestShare holds that a clock is never overspent and never starves a move.
func TestShare(t *testing.T) {
	for n := 56; n > 4; n-- {
		for _, b := range middles(3, n) {
			for left := time.Duration(1); left < 24*time.Hour; left *= 3 {
				soft, hard := share(left, b)
				if hard > left*6/10+1 || hard <= 0 || soft > hard {
					t.Errorf("%d empties: %v and %v of %v", n, soft, hard, left)
				}
			}
		}
	}
}
