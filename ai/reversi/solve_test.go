package reversi

import (
	"bufio"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tengen/ai/engine"
	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// problem is a line of an OBF file.
type problem struct {
	b      board
	scores map[square]int
	best   int
}

func problems(t testing.TB, name string) (list []problem) {
	file := testkit.Got(os.Open(filepath.Join(shared.Dir(t), "data", "reversi", name)))
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		list = append(list, testkit.Got(parseProblem(lines.Text())))
	}
	return list
}

func parseProblem(line string) (problem, error) {
	p := problem{scores: map[square]int{}, best: -100}
	if len(line) < 66 {
		return p, fmt.Errorf("line too short: %q", line)
	}
	for i, c := range line[:64] {
		switch c {
		case 'X':
			p.b.own |= 1 << i
		case 'O':
			p.b.opp |= 1 << i
		}
	}
	if line[65] == 'O' {
		p.b = p.b.swap()
	}
	for _, item := range strings.Split(line[67:], ";") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		at, score, ok := strings.Cut(item, ":")
		v, err := strconv.Atoi(score)
		if !ok || err != nil || len(at) != 2 {
			continue
		}
		x := square(at[0]|32-'a') + 8*square(at[1]-'1')
		p.scores[x] = v
		p.best = max(p.best, v)
	}
	return p, nil
}

// slow is exact play by the plainest search that ends in time.
func slow(b board, alpha, beta int) int {
	m := b.moves()
	if m == 0 {
		if b.swap().moves() == 0 {
			return b.final()
		}
		return -slow(b.swap(), -beta, -alpha)
	}
	best := -100
	for ; m != 0; m &= m - 1 {
		best = max(best, -slow(b.play(square(bits.TrailingZeros64(m))), -beta, -alpha))
		if alpha = max(alpha, best); alpha >= beta {
			break
		}
	}
	return best
}

func TestSolveAgainstSlow(t *testing.T) {
	s := testSearcher()
	count := 0
	randomBoards(11, 300, func(b board, _ square) {
		n := b.empties()
		if n > 9 || n > 6 && count%4 != 0 {
			count++
			return
		}
		count++
		want := slow(b, -64, 64)
		f := featuresOf(b)
		for _, alpha := range []int{want - 1, want, -65, 10, -10, 40} {
			got := s.solve(b, &f, alpha, n, 0)
			if (got > alpha) != (want > alpha) || got > alpha && got > want || got <= alpha && got < want {
				t.Fatalf("%d empties, alpha %d: got %d, want %d", n, alpha, got, want)
			}
		}
	})
}

func testSearcher() *searcher { return newSearcher(loadWeights(), newTable(32<<20)) }

// TestForum solves the positions of the FFO test, those of up to 18 empty squares as a
// small dose.
func TestForum(t *testing.T) {
	positions := problems(t, "fforum-20-39.obf")
	positions = append(positions, problems(t, "fforum-40-59.obf")[:10]...)
	for i, p := range positions {
		if p.b.empties() > 18 && !full() {
			continue
		}
		from := cpuNow()
		th := solved(t, p.b)
		if got := th.list[0].score / 100; got != p.best || p.scores[th.list[0].x] != p.best {
			t.Errorf("#%d: got %v %+d, want %+d", 20+i, pointOf(th.list[0].x), got, p.best)
		}
		t.Logf("#%d: %d empties, %+d, %d nodes, %v", 20+i, p.b.empties(), p.best, th.nodes, cpuNow()-from)
	}
}

func full() bool { return os.Getenv("TENGEN_FULL") != "" }

// solved searches as the bot does, without bound, from the middle game to the last disc.
func solved(t testing.TB, b board) *thinker {
	th := newThinker(t.Context(), new(Engine), b, engine.Limits{Depth: 64}, 1)
	defer th.watch.Close()
	th.think()
	if !th.solved {
		t.Fatalf("not solved: %+v", b)
	}
	return th
}

// BenchmarkForum solves #40-44 one after the other and prints the CPU time and the
// nodes of each.
func BenchmarkForum(b *testing.B) {
	list := problems(b, "fforum-40-59.obf")[:5]
	for b.Loop() {
		for i, p := range list {
			from := cpuNow()
			th := solved(b, p.b)
			d := cpuNow() - from
			if got := th.list[0].score / 100; got != p.best || p.scores[th.list[0].x] != p.best {
				b.Errorf("#%d: got %+d, want %+d", 40+i, got, p.best)
			}
			b.ReportMetric(d.Seconds(), fmt.Sprintf("s/#%d", 40+i))
			b.ReportMetric(float64(th.nodes)/1e6, fmt.Sprintf("Mn/#%d", 40+i))
		}
	}
}
