package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tengen/ai"
	"tengen/game"
	"tengen/game/record"
)

type arenaCmd struct {
	First    string    `arg:"" help:"A player: random, greedy, tengen,level=5, tengen,cpu=250ms, tengen,nodes=20000, gomocup,cpu=250ms:COMMAND LINE, gtp:COMMAND LINE, nboard,depth=8:COMMAND LINE."`
	Second   string    `arg:"" help:"The other."`
	Rules    string    `default:"gomoku" help:"The game, by its name in position lines."`
	Games    int       `default:"200" help:"How many games; each opening is played with both colours."`
	Openings string    `default:"balanced" help:"A file of openings, or balanced."`
	Jobs     int       `default:"1" help:"Games at a time."`
	Seed     uint64    `default:"1" help:"Seed of the openings and of the levels' choices."`
	SGF      string    `help:"Folder for the games."`
	SPRT     []float64 `placeholder:"ELO0,ELO1" help:"End as soon as one of two Elo differences is rejected (5 % each)."`
	Quiet    bool      `help:"No progress."`
	Max      int       `default:"225" help:"Moves after which a game is a draw."`
}

// score is how the games of the first player ended.
type score struct {
	won, drawn, lost int
	pairs            map[int]float64 // by opening, points of the first game of a pair
	both             []float64       // points of pairs, 0 to 1
	faults           [2]int          // games lost by a fault: no move, an illegal one
	cpu              [2]time.Duration
	most             [2]time.Duration // that one move took
	moves            [2]int
}

func (s *score) games() int { return s.won + s.drawn + s.lost }

func (s *score) rate() float64 {
	return (float64(s.won) + float64(s.drawn)/2) / float64(max(1, s.games()))
}

func elo(p float64) float64 {
	p = max(1e-4, min(1-1e-4, p))
	return 400 * math.Log10(p/(1-p))
}

// interval is the 95 % interval of the rate. Games of one opening hang together, so the
// pair is the unit; before there are pairs enough, and where all ended alike, it is
// Wilson's interval of the games.
func (s *score) interval() (lo, hi float64) {
	n, p := float64(s.games()), s.rate()
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	lo, hi = middle-half, middle+half
	if m, v := s.spread(); len(s.both) >= 10 && v > 0 {
		e := z * math.Sqrt(v/float64(len(s.both)-1)/float64(len(s.both)))
		lo, hi = m-e, m+e
	}
	return lo, hi
}

// spread is the mean of the pairs, and the sum of the squares of what they differ from it.
func (s *score) spread() (mean, squares float64) {
	for _, x := range s.both {
		mean += x
	}
	mean /= float64(len(s.both))
	for _, x := range s.both {
		squares += (x - mean) * (x - mean)
	}
	return mean, squares
}

// llr is the log likelihood ratio of two Elo differences, by the normal approximation.
func (s *score) llr(elo0, elo1 float64) float64 {
	if len(s.both) < 10 {
		return 0
	}
	m, v := s.spread()
	n := float64(len(s.both))
	v = max(v/n, 0.09) // few pairs can look steadier than they are
	p0, p1 := 1/(1+math.Pow(10, -elo0/400)), 1/(1+math.Pow(10, -elo1/400))
	return n * (p1 - p0) * (2*m - p0 - p1) / (2 * v)
}

func (s *score) String() string {
	lo, hi := s.interval()
	text := fmt.Sprintf("%d games: +%d =%d -%d, %.1f %% [%.1f, %.1f], Elo %+.0f [%+.0f, %+.0f]",
		s.games(), s.won, s.drawn, s.lost, 100*s.rate(), 100*lo, 100*hi, elo(s.rate()), elo(lo), elo(hi))
	for i, name := range []string{"first", "second"} {
		if s.moves[i] > 0 {
			text += fmt.Sprintf(", %s %.1f ms CPU a move, at most %.1f", name,
				float64(s.cpu[i].Microseconds())/1000/float64(s.moves[i]), float64(s.most[i].Microseconds())/1000)
		}
		if s.faults[i] > 0 {
			text += fmt.Sprintf(", %d FAULTS of the %s", s.faults[i], name)
		}
	}
	return text
}

// Run plays the match.
func (c *arenaCmd) Run(ctx context.Context) error {
	r, err := rulesNamed(c.Rules)
	if err != nil {
		return err
	}
	if len(c.SPRT) != 0 && len(c.SPRT) != 2 {
		return errors.New("--sprt wants two Elo differences")
	}
	if c.SGF != "" {
		if err := os.MkdirAll(c.SGF, 0o777); err != nil {
			return err
		}
	}
	openings, err := c.openings(r)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m := &match{arenaCmd: c, score: score{pairs: map[int]float64{}}, start: time.Now(), stop: stop}
	var wg sync.WaitGroup
	for job := range c.Jobs {
		wg.Go(func() { m.fail(c.job(ctx, r, openings, uint64(job), m)) })
	}
	wg.Wait()
	fmt.Printf("%s v %s, %s: %v\n", c.First, c.Second, c.Rules, &m.score)
	if len(c.SPRT) == 2 {
		fmt.Printf("log likelihood ratio of %+.0f against %+.0f Elo: %.2f (2.94 decides)\n", c.SPRT[1], c.SPRT[0],
			m.score.llr(c.SPRT[0], c.SPRT[1]))
	}
	return m.failed
}

func rulesNamed(name string) (game.Rules, error) {
	if r, ok := game.RulesNamed(name); ok {
		return r, nil
	}
	return nil, fmt.Errorf("no game is called %q", name)
}

// match hands the games out to the jobs and counts how they end.
type match struct {
	*arenaCmd
	start time.Time
	stop  func() // ends all jobs

	mu     sync.Mutex
	next   int
	score  score
	failed error
}

// take is the number of the next game to play, from 0.
func (m *match) take(ctx context.Context) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next >= m.Games || m.failed != nil || ctx.Err() != nil {
		return 0, false
	}
	m.next++
	return m.next - 1, true
}

// done counts game n. A likelihood ratio that decides ends the match.
func (m *match) done(n int, o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.score
	s.add(n, o)
	if !m.Quiet && (s.games()%10 == 0 || s.games() == m.Games) {
		fmt.Fprintf(os.Stderr, "%s %v\n", time.Since(m.start).Round(time.Second), s)
	}
	if len(m.SPRT) == 2 && math.Abs(s.llr(m.SPRT[0], m.SPRT[1])) > 2.94 {
		m.stop()
	}
}

func (m *match) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = errors.Join(m.failed, err)
}

func (s *score) add(n int, o outcome) {
	switch o.points {
	case 1:
		s.won++
	case 0:
		s.lost++
	default:
		s.drawn++
	}
	if first, ok := s.pairs[n/2]; ok {
		s.both = append(s.both, (first+o.points)/2)
	} else {
		s.pairs[n/2] = o.points
	}
	for i := range 2 {
		s.cpu[i] += o.cpu[i]
		s.most[i] = max(s.most[i], o.most[i])
		s.moves[i] += o.moves[i]
		if o.fault == i {
			s.faults[i]++
		}
	}
}

// outcome is one game from the view of the first player.
type outcome struct {
	points float64
	game   game.Game
	fault  int // the player whose fault ended it, -1 for none
	why    error
	cpu    [2]time.Duration
	most   [2]time.Duration // that one move took
	moves  [2]int
}

// job plays games until none is left, with two players of its own.
func (c *arenaCmd) job(ctx context.Context, r game.Rules, openings [][]game.Point, job uint64, m *match) error {
	var players [2]player
	defer func() {
		for _, p := range players {
			if p != nil {
				p.Close()
			}
		}
	}()
	for {
		n, ok := m.take(ctx)
		if !ok {
			return nil
		}
		for i, text := range []string{c.First, c.Second} {
			if players[i] != nil {
				continue
			}
			p, err := newPlayer(text, c.Seed<<40+job<<32+uint64(i))
			if err != nil {
				return err
			}
			players[i] = p
		}
		o := c.play(ctx, r, openings[n/2%len(openings)], n, players)
		if ctx.Err() != nil {
			return nil
		}
		if o.fault >= 0 { // a new process for the next game
			fmt.Fprintf(os.Stderr, "game %d: fault of the %s player: %v\n", n+1, []string{"first", "second"}[o.fault], o.why)
			players[o.fault].Close()
			players[o.fault] = nil
		}
		if err := c.save(n, o); err != nil {
			return err
		}
		m.done(n, o)
	}
}

// play plays game n: the first player is black in the even ones.
func (c *arenaCmd) play(ctx context.Context, r game.Rules, opening []game.Point, n int, players [2]player) outcome {
	o := outcome{fault: -1}
	g, err := game.New(r).PlayAll(opening...)
	if err != nil {
		g = game.New(r)
	}
	for i, p := range players {
		if err := p.Begin(ctx, r); err != nil {
			o.fault, o.why, o.points, o.game = i, err, float64(i), g
			return o
		}
	}
	for g.Turn() != game.Empty && g.Len() < c.Max {
		i := n % 2
		if g.Turn() == game.White {
			i ^= 1
		}
		p, cpu, err := players[i].Move(ctx, g)
		o.cpu[i] += cpu
		o.most[i] = max(o.most[i], cpu)
		o.moves[i]++
		next := g
		if err == nil {
			next, err = g.Play(p)
		}
		if err != nil {
			o.fault, o.why, o.points, o.game = i, err, float64(i), g
			return o
		}
		g = next
	}
	o.game, o.points = g, 0.5
	if w := g.Result().Winner; w != game.Empty {
		black := 1 - float64(n%2)
		o.points = black
		if w == game.White {
			o.points = 1 - black
		}
	}
	return o
}

// openings are the move lists that games start with.
func (c *arenaCmd) openings(r game.Rules) ([][]game.Point, error) {
	var list [][]game.Point
	if c.Openings == "balanced" {
		for i := range max(1, (c.Games+1)/2) {
			list = append(list, ai.Balanced(r, c.Seed<<20+uint64(i)))
		}
		return list, nil
	}
	text, err := os.ReadFile(c.Openings)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		moves, err := opening(line, r.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", c.Openings, line, err)
		}
		if _, err := game.New(r).PlayAll(moves...); err != nil {
			fmt.Fprintf(os.Stderr, "left out %q: %v\n", line, err) // made for a larger board
			continue
		}
		list = append(list, moves)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no openings", c.Openings)
	}
	return list, nil
}

// opening reads a line of offsets from the centre, or of points such as h8h9.
func opening(line string, size int) ([]game.Point, error) {
	if line[0] >= 'a' {
		return game.ParseMoves(line)
	}
	var moves []game.Point
	part := strings.Split(line, ",")
	for i := 0; i+1 < len(part); i += 2 {
		var x, y int
		if _, err := fmt.Sscan(part[i]+" "+part[i+1], &x, &y); err != nil {
			return nil, err
		}
		moves = append(moves, game.At(x+size/2, y+size/2))
	}
	return moves, nil
}

// save writes the game as SGF.
func (c *arenaCmd) save(n int, o outcome) error {
	if c.SGF == "" {
		return nil
	}
	r := record.Record{Game: o.game, Black: c.First, White: c.Second}
	if n%2 == 1 {
		r.Black, r.White = r.White, r.Black
	}
	switch { // where the board does not tell
	case o.points == 0.5:
		r.Result.Termination = game.ByAgreement
	case (o.points == 1) == (n%2 == 0):
		r.Result.Winner = game.Black
	default:
		r.Result.Winner = game.White
	}
	data, err := record.Write(record.SGF, r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.SGF, fmt.Sprintf("%04d.sgf", n+1)), data, 0o666)
}
