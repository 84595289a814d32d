// Package gomocup lets the engine for five in a row speak the Gomocup protocol: a text
// protocol of lines by which tournament managers ask programs for moves. Where Black has
// nothing but forbidden points left, the game is drawn by our rules and lost for Black by
// Gomocup's: the engine knows ours, and says so when it comes to that. Start from Serve.
package gomocup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

// Options choose how the engine plays.
type Options struct {
	Level int  // 1-8, 0 for full strength
	CPU   bool // read the manager's times as CPU time: for matches on a loaded machine
}

// Serve reads commands from in and answers on out until END, the end of in or of ctx.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{ctx: ctx, lines: make(chan string), out: out, engine: five.New(), options: options,
		turn: 5 * time.Second}
	go read(ctx, in, s.lines)
	for {
		line, ok := s.next()
		if !ok || !s.obey(line) {
			return ctx.Err()
		}
	}
}

// read sends the lines of in until its end.
func read(ctx context.Context, in io.Reader, lines chan<- string) {
	defer close(lines)
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		select {
		case lines <- strings.TrimSpace(sc.Text()):
		case <-ctx.Done():
			return
		}
	}
}

// session is one run of the protocol.
type session struct {
	ctx     context.Context
	lines   chan string
	pending []string // lines that came while the engine was thinking
	out     io.Writer
	engine  *five.Engine
	options Options

	size    int // 0 before START
	rule    int
	stones  []stone
	turn    time.Duration // for a move, 0 at once
	match   time.Duration // for a game, 0 without bound
	left    time.Duration
	leftSet bool
	memory  int64
	nodes   int64
	depth   int
	threads int
	seed    uint64
}

// stone is a stone as the manager counts: own or the opponent's.
type stone struct {
	p   game.Point
	own bool
}

func (s *session) next() (string, bool) {
	if len(s.pending) > 0 {
		line := s.pending[0]
		s.pending = s.pending[1:]
		return line, true
	}
	select {
	case line, ok := <-s.lines:
		return line, ok
	case <-s.ctx.Done():
		return "", false
	}
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\r\n", args...) }

// obey carries out one command. It reports false after END.
func (s *session) obey(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToUpper(word) {
	case "":
	case "ABOUT":
		s.say(`name="tengen", version="1.0", author="tengen", country="-"`)
	case "START":
		s.start(rest)
	case "RECTSTART":
		w, h, ok := pair(rest)
		if !ok || w != h {
			s.say("ERROR only square boards are played")
			break
		}
		s.start(strconv.Itoa(w))
	case "RESTART":
		if s.size == 0 {
			s.say("ERROR no game was started")
			break
		}
		s.begin()
		s.say("OK")
	case "INFO":
		key, value, _ := strings.Cut(rest, " ")
		s.info(strings.ToLower(key), strings.TrimSpace(value))
	case "END":
		return false
	case "BEGIN", "TURN", "BOARD", "TAKEBACK", "SWAP2BOARD", "YXBOARD", "PLAY":
		if s.size == 0 {
			s.say("ERROR no game was started")
			break
		}
		s.move(strings.ToUpper(word), rest)
	case "YXSTOP", "YXHASHCLEAR":
	case "YXSHOWFORBID":
		s.showForbidden()
	default:
		s.say("UNKNOWN command")
	}
	return true
}

func (s *session) start(rest string) {
	n, err := strconv.Atoi(rest)
	if err != nil || n != 15 && n != 9 {
		s.say("ERROR only boards of size 15 and 9 are played")
		return
	}
	s.size = n
	s.begin()
	for rule := range 5 { // the manager tells the rule later, and then counts the time
		if r, ok := rulesOf(rule, n); ok {
			five.Prepare(r)
		}
	}
	s.say("OK")
}

func (s *session) begin() {
	s.stones = nil
	s.leftSet = false
	s.engine.Clear()
}

func (s *session) info(key, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return
	}
	ms := time.Duration(min(n, 1<<31)) * time.Millisecond
	switch key {
	case "rule":
		s.rule = int(n)
	case "timeout_turn":
		s.turn = ms
	case "timeout_match":
		s.match = ms
	case "time_left":
		s.left, s.leftSet = ms, true
	case "max_memory":
		s.memory = n
	case "max_node":
		s.nodes = max(0, n)
	case "max_depth":
		s.depth = int(max(0, min(n, 200)))
	case "thread_num":
		s.threads = int(max(1, min(n, 64)))
	case "seed":
		s.seed = uint64(n)
	}
}

func (s *session) rules() (game.Rules, bool) { return rulesOf(s.rule, s.size) }

// rulesOf are the rules of a number of the protocol on a board.
func rulesOf(rule, size int) (game.Rules, bool) {
	switch {
	case rule == 4 || rule == 2:
		return game.Renju, size == 15
	case rule == 1 && size == 9:
		return game.Standard9, true
	case rule == 1:
		return game.Standard15, true
	case size == 9:
		return game.Gomoku9, true
	}
	return game.Gomoku15, true
}

// move carries out the commands that change the stones.
func (s *session) move(word, rest string) {
	switch word {
	case "BEGIN":
		s.stones = nil
		s.reply()
	case "TURN", "PLAY":
		p, ok := s.point(rest)
		if !ok {
			s.say("ERROR that is no empty point")
			return
		}
		ours := word == "PLAY"
		s.stones = append(s.stones, stone{p, ours})
		if ours {
			s.say("%d,%d", p.Col(), p.Row())
		} else {
			s.reply()
		}
	case "TAKEBACK":
		x, y, ok := pair(rest)
		for i := len(s.stones) - 1; ok && i >= 0; i-- {
			if s.stones[i].p == game.At(x, y) {
				s.stones = append(s.stones[:i], s.stones[i+1:]...)
				s.say("OK")
				return
			}
		}
		s.say("ERROR no stone is there")
	case "BOARD", "YXBOARD":
		if s.read() && word == "BOARD" {
			s.reply()
		}
	case "SWAP2BOARD":
		if s.read() {
			s.swap2()
		}
	}
}

// read takes the stones of a board, up to DONE.
func (s *session) read() bool {
	s.stones = nil
	bad := false
	for {
		line, ok := s.next()
		if !ok {
			return false
		}
		if strings.EqualFold(line, "DONE") {
			break
		}
		part := strings.Split(line, ",")
		p, fine := s.point(strings.Join(part[:min(2, len(part))], ","))
		who := "1"
		if len(part) > 2 {
			who = strings.TrimSpace(part[2])
		}
		switch {
		case !fine:
			bad = true
		case who == "1" || who == "2":
			s.stones = append(s.stones, stone{p, who == "1"})
		}
	}
	if bad {
		s.say("ERROR a line of the board is no empty point")
	}
	return !bad
}

func (s *session) point(text string) (game.Point, bool) {
	x, y, ok := pair(text)
	if !ok || x < 0 || y < 0 || x >= s.size || y >= s.size {
		return game.NoPoint, false
	}
	p := game.At(x, y)
	for _, st := range s.stones {
		if st.p == p {
			return p, false
		}
	}
	return p, true
}

func pair(text string) (x, y int, ok bool) {
	a, b, found := strings.Cut(text, ",")
	x, err1 := strconv.Atoi(strings.TrimSpace(a))
	y, err2 := strconv.Atoi(strings.TrimSpace(b))
	return x, y, found && err1 == nil && err2 == nil
}

// game is the position as the rules have it, the engine to move. The engine is black
// when it has as many stones as its opponent.
func (s *session) game() (game.Game, error) {
	r, ok := s.rules()
	if !ok {
		return game.Game{}, fmt.Errorf("renju is played on 15x15")
	}
	own, order := 0, make([]game.Point, len(s.stones))
	turns := true // the stones may have come in the order in which they were played
	for i, st := range s.stones {
		order[i] = st.p
		if st.own {
			own++
		}
		turns = turns && st.own == ((len(s.stones)-i)%2 == 0)
	}
	if turns {
		if g, err := game.New(r).PlayAll(order...); err == nil {
			return g, nil
		}
	}
	me := game.White
	if 2*own == len(s.stones) {
		me = game.Black
	}
	pos := game.Position{Size: s.size}
	for _, st := range s.stones {
		c := me
		if !st.own {
			c = me.Other()
		}
		pos = pos.Put(st.p, c)
	}
	return game.From(r, pos, me)
}

// reply thinks and answers with a move.
func (s *session) reply() {
	g, err := s.game()
	if err != nil {
		s.say("ERROR %v", err)
		return
	}
	r, err := s.think(func(ctx context.Context) (engine.Report, error) { return s.engine.Search(ctx, g, s.limits()) })
	p := r.Move
	if err != nil { // the game is over or black has no lawful move: any empty point will do
		if g.Result().Termination == game.ByNoMove {
			s.say("MESSAGE Black has no lawful move: a draw by the rules of this engine, a loss for Black by those of Gomocup")
		}
		p = game.NoPoint
		for _, q := range g.Position().Points() {
			if g.Position().At(q) == game.Empty {
				p = q
				break
			}
		}
		if p == game.NoPoint {
			s.say("ERROR %v", err)
			return
		}
	}
	s.stones = append(s.stones, stone{p, true})
	if err == nil {
		s.say("MESSAGE depth %d score %d win %.2f nodes %d ms %d line %s", r.Depth, r.Score, r.Win, r.Nodes,
			r.Elapsed.Milliseconds(), game.MoveList(r.Line))
	}
	s.say("%d,%d", p.Col(), p.Row())
}

// think runs a search. YXSTOP ends it; other lines wait.
func (s *session) think(search func(context.Context) (engine.Report, error)) (engine.Report, error) {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	type answer struct {
		r   engine.Report
		err error
	}
	done := make(chan answer, 1)
	go func() {
		r, err := search(ctx)
		done <- answer{r, err}
	}()
	lines := s.lines
	for {
		select {
		case a := <-done:
			return a.r, a.err
		case line, ok := <-lines:
			switch {
			case !ok:
				lines = nil // the end of the input: answer first
				continue
			case strings.EqualFold(line, "YXSTOP"):
				stop()
			case strings.EqualFold(line, "END"):
				stop()
				s.pending = append(s.pending, line)
			default:
				s.pending = append(s.pending, line)
			}
		}
	}
}

// The parts of the time for each move that are kept: of wall time for sending the answer on a busy
// machine, of CPU time for what the search does between two looks at the clock.
const (
	overhead    = 12 * time.Millisecond
	cpuOverhead = 4 * time.Millisecond
)

func (s *session) limits() engine.Limits {
	l := engine.Limits{Level: s.options.Level, Nodes: s.nodes, Depth: s.depth, Threads: s.threads,
		Seed: s.seed, Brief: true}
	if s.memory > 0 {
		l.Memory = s.memory
	}
	l.Spend = s.match == 0 && s.nodes == 0 // a clock for each move
	t := s.turn
	if s.match > 0 && s.leftSet {
		t = min(t, s.left/20+s.left/100)
	} else if s.leftSet {
		t = min(t, s.left)
	}
	if s.options.CPU {
		l.CPU, l.Process = max(t-cpuOverhead, 3*time.Millisecond), true
	} else {
		l.Time = max(t-overhead, 3*time.Millisecond)
	}
	return l
}

func (s *session) showForbidden() {
	g, err := s.game()
	if err != nil {
		s.say("FORBID .")
		return
	}
	pos := g.Position()
	pos.Turn = game.Black
	var list strings.Builder
	if black, err := game.From(g.Rules(), pos, game.Black); err == nil {
		for _, f := range black.Forbidden() {
			fmt.Fprintf(&list, "%02d%02d", f.Point.Col(), f.Point.Row())
		}
	}
	s.say("FORBID %s.", list.String())
}
