// Package five plays five in a row: freestyle, exact five and Renju, on boards up to
// 15x15. Its own board keeps the patterns of every empty point up to date; its tests
// compare that board with package game. Start from Search; an Engine is for a whole game
// and keeps what it learned from move to move.
package five

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// ErrRules is the answer to a game that is not five in a row.
var ErrRules = errors.New("not a game of five in a row")

// Search finds a move in g with fresh tables.
func Search(ctx context.Context, g game.Game, limits engine.Limits) (engine.Report, error) {
	e := engines.Get().(*Engine)
	defer engines.Put(e)
	e.Clear()
	return e.Search(ctx, g, limits)
}

// engines keeps engines for reuse: the tables of one take a megabyte or more.
var engines = sync.Pool{New: func() any { return New() }}

// Engine is the memory of one player. It is for one search at a time.
type Engine struct {
	tt    *table
	bytes int64
	main  *searcher
	more  []*searcher // threads beside the main one
}

// New is an engine that has seen nothing.
func New() *Engine { return &Engine{main: newSearcher()} }

func newSearcher() *searcher {
	return &searcher{by: tuned, solved: make(solved, 1<<14), proofs: make(proofs, 1<<15)}
}

// Clear forgets what was learned.
func (e *Engine) Clear() {
	if e.tt != nil {
		e.tt.clear()
	}
	e.main.forget()
	for _, s := range e.more {
		s.forget()
	}
}

func (s *searcher) forget() {
	clear(s.solved)
	clear(s.proofs)
	s.cont, s.plan = [2][256][256]int16{}, [2][256][256]int16{}
	s.history, s.counter = [2][256]int32{}, [2][256]uint8{}
	for i := range s.stack {
		s.stack[i].killers = [2]uint8{}
	}
}

// defaultMemory is for the transposition table; a search of few nodes or little time takes less.
const defaultMemory = 64 << 20

// room makes the table. One for a clock may be larger than the search asks for: the clock of a game
// gives each move another time.
func (e *Engine) room(limits engine.Limits) {
	most := int64(defaultMemory)
	if limits.Memory > 0 {
		most = max(1<<20, limits.Memory-8<<20)
	}
	bytes := most
	if limits.Memory == 0 && limits.Nodes > 0 {
		bytes = min(bytes, max(1<<20, limits.Nodes*64))
	}
	clock := max(limits.Time, limits.CPU)
	if clock > 0 { // the first search has to fetch all of it from the system, while its clock runs
		bytes = min(bytes, max(1<<20, int64(clock/time.Millisecond)<<17))
	}
	if e.tt == nil || e.bytes != bytes && (clock == 0 || e.bytes < bytes || e.bytes > most) {
		e.tt, e.bytes = newTable(bytes), bytes
	}
}

// Search finds a move in g for the side to move.
func (e *Engine) Search(ctx context.Context, g game.Game, limits engine.Limits) (engine.Report, error) {
	return e.search(ctx, g, limits, levelOf(limits))
}

// search is Search as the level sees the board; nil is full strength.
func (e *Engine) search(ctx context.Context, g game.Game, limits engine.Limits, level *level) (engine.Report, error) {
	v, ok := variantOf(g.Rules())
	if !ok {
		return engine.Report{}, ErrRules
	}
	if g.Turn() == game.Empty {
		return engine.Report{}, engine.ErrOver
	}
	full := int64(0)
	if level != nil {
		full = level.nodes
		if limits.Nodes == 0 || limits.Nodes > full {
			limits.Nodes = full
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := engine.NewWatch(ctx, limits) // first, since a new table takes time
	defer w.Close()
	e.room(limits)
	e.tt.older()
	s := e.main
	sh := shapeOf(v, g.Rules().Size())
	s.prepare(sh, e.tt, w, limits)
	s.b.follow(g)
	if p := g.Last(); p != game.NoPoint {
		s.stack[0].move = uint8(p)
	}
	wait := e.help(sh, g, w, limits)
	r := s.think(limits, level, g)
	w.Stop()
	r.Nodes += wait()
	if r.Proof != engine.Unproven && !limits.Brief && ctx.Err() == nil {
		s.complete(ctx, &r, limits, level == nil)
	}
	r.Elapsed = w.Elapsed()
	r.Cut = r.Cut && full > 0 && s.nodes < full
	return r, nil
}

// help starts the other threads on the same position. They share what they find through
// the table alone, and start at different depths, so that they do not all do the same
// work. The function that help gives waits for their end and counts their nodes.
func (e *Engine) help(sh *shape, g game.Game, w *engine.Watch, limits engine.Limits) func() int64 {
	if limits.Level > 0 || limits.Threads < 2 {
		return func() int64 { return 0 }
	}
	for len(e.more) < limits.Threads-1 {
		e.more = append(e.more, newSearcher())
	}
	var wg sync.WaitGroup
	helpers := e.more[:limits.Threads-1]
	for i, s := range helpers {
		wg.Go(func() {
			s.prepare(sh, e.tt, w, engine.Limits{})
			s.helper, s.skip = true, 1+i%2
			s.b.follow(g)
			if s.b.near != (pointSet{}) {
				s.listRoot()
				s.deepen(engine.Limits{})
			}
		})
	}
	return func() (nodes int64) {
		wg.Wait()
		for _, s := range helpers {
			nodes += s.nodes
		}
		return nodes
	}
}

// Prepare makes what the first search under r would have to make first: some tenths of a second of
// work, which no limit ends.
func Prepare(r game.Rules) {
	if v, ok := variantOf(r); ok {
		shapeOf(v, r.Size())
	}
}

var shapes sync.Map

type shapeKey struct {
	v    variant
	size int
}

// shapeOf is the shape with the fitted weights, made once.
func shapeOf(v variant, size int) *shape {
	if s, ok := shapes.Load(shapeKey{v, size}); ok {
		return s.(*shape)
	}
	s, _ := shapes.LoadOrStore(shapeKey{v, size}, newShape(v, size, fitted(v)))
	return s.(*shape)
}

func (s *searcher) prepare(sh *shape, tt *table, w *engine.Watch, limits engine.Limits) {
	s.tt, s.watch, s.limit = tt, w, limits.Nodes
	s.nodes, s.stopped, s.seldep = 0, false, 0
	s.helper, s.skip = false, 0
	s.vcfDepth, s.heat = 0, 0
	s.root = s.root[:0]
	s.b.reset(sh)
	for i := range s.stack {
		s.stack[i].excluded = 0
		s.stack[i].eval = 0
		s.stack[i].move = 0xFF
	}
}

// win is the expected result that a score stands for.
func win(score int) float64 {
	switch {
	case score > mateEdge:
		return 1
	case score < -mateEdge:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(score)/unit))
}
