package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"tengen/ai/puzzle"
	"tengen/game"
	"tengen/render"
)

type puzzleCmd struct {
	List  puzzleListCmd  `cmd:"" help:"List the puzzles."`
	Show  puzzleShowCmd  `cmd:"" help:"Show one, without its solution."`
	Try   puzzleTryCmd   `cmd:"" help:"Judge an answer: the solver's moves in order."`
	Check puzzleCheckCmd `cmd:"" help:"Prove puzzles again."`
	Make  puzzleMakeCmd  `cmd:"" help:"Find puzzles in the finished games of a store."`
}

type puzzleFlags struct {
	JSON bool   `name:"json" help:"Answer in JSON, an object a line."`
	From string `placeholder:"FILE" help:"Puzzles that make has written, in place of those that the program carries."`
}

// mostPuzzleBytes bounds a file of puzzles.
const mostPuzzleBytes = 64 << 20

func (f puzzleFlags) puzzles() ([]puzzle.Puzzle, error) {
	if f.From == "" {
		return puzzle.Collection(), nil
	}
	data, err := readRegular(f.From, mostPuzzleBytes)
	if err != nil {
		return nil, err
	}
	var list []puzzle.Puzzle
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e puzzle.Entry
		err := json.Unmarshal(line, &e)
		var p puzzle.Puzzle
		if err == nil {
			p, err = e.Puzzle()
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", f.From, n, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func (f puzzleFlags) named(id string) (puzzle.Puzzle, error) {
	list, err := f.puzzles()
	if err != nil {
		return puzzle.Puzzle{}, err
	}
	return named(list, id)
}

func named(list []puzzle.Puzzle, id string) (puzzle.Puzzle, error) {
	p, ok := puzzle.Named(list, strings.ToLower(id))
	if !ok {
		return p, fmt.Errorf("there is no puzzle %.20q", id)
	}
	return p, nil
}

// told gives err to scripts as JSON on stdout too, and ends with 1.
func (f puzzleFlags) told(s streams, err error) error {
	if err != nil && f.JSON {
		fmt.Fprintln(s.out, toJSON(map[string]string{"error": err.Error()}))
		return exit{code: 1}
	}
	return err
}

type puzzleListCmd struct {
	puzzleFlags
	Game  string `enum:"gomoku,renju,reversi," default:"" help:"Only those of gomoku, renju or reversi."`
	Kind  string `enum:"win,defend,best," default:"" help:"Only win, defend or best."`
	Theme string `placeholder:"T" help:"Only those with this theme, such as four-three, vcf or vcf-3."`
	Least int    `placeholder:"R" help:"Only those rated at least so."`
	Most  int    `placeholder:"R" default:"9999" help:"Only those rated at most so."`
}

// Run lists the puzzles that the flags leave.
func (c puzzleListCmd) Run(ctx context.Context, s streams) error {
	if c.Theme != "" && !puzzle.KnownTheme(c.Theme) {
		return exit{2, fmt.Sprintf("puzzle list: there is no theme %.20q; themes are %s, and vcf-3 and the like",
			c.Theme, strings.Join(puzzle.ThemeNames, ", "))}
	}
	list, err := c.puzzles()
	if err != nil {
		return c.told(s, err)
	}
	var out strings.Builder
	for _, p := range list {
		if c.Game != "" && c.Game != p.Game.Rules().Name() || c.Kind != "" && c.Kind != p.Kind.String() ||
			p.Rating < c.Least || p.Rating > c.Most || c.Theme != "" && !p.About(c.Theme) {
			continue
		}
		e := p.Entry()
		if c.JSON {
			out.WriteString(toJSON(e) + "\n")
			continue
		}
		fmt.Fprintf(&out, "%s  %-7s  %-6s  %-5s  %4d  %s\n", e.ID, p.Game.Rules().Name(), e.Kind, e.Turn, e.Rating,
			strings.Join(e.Themes, " "))
	}
	_, err = s.out.Write([]byte(out.String()))
	return err
}

type puzzleShowCmd struct {
	puzzleFlags
	ID    string `arg:"" name:"id" help:"Which puzzle, such as g00001."`
	Out   string `short:"o" placeholder:"OUT.png" help:"Draw it into this file."`
	Theme string `placeholder:"T" help:"Theme of the picture: tengen render --list-themes."`
}

func (c puzzleShowCmd) Run(ctx context.Context, s streams) error {
	p, err := c.named(c.ID)
	if err != nil {
		return c.told(s, err)
	}
	o := render.Options{Theme: c.Theme, Forbidden: p.Game.Rules() == game.Renju}
	if c.Out != "" {
		if err := o.Check(); err != nil {
			return exit{2, "puzzle show: " + err.Error()}
		}
		picture, err := render.PNG(p.Game, o)
		if err != nil {
			return err
		}
		return writeFile(c.Out, picture)
	}
	e := p.Entry()
	if c.JSON {
		e.Solution = []puzzle.EntryStep{}
		fmt.Fprintln(s.out, toJSON(e))
		return nil
	}
	fmt.Fprintf(s.out, "%s, rated %d: %s\n%s%s\n", e.ID, e.Rating, asksFor(p), render.Text(p.Game, o), e.Line)
	return nil
}

// asksFor says what is to be found.
func asksFor(p puzzle.Puzzle) string {
	turn := p.Turn().String()
	switch p.Kind {
	case puzzle.Win:
		return fmt.Sprintf("%s wins, %s to find", turn, plural(p.Solver(), "move"))
	case puzzle.Defend:
		return turn + " has one move that does not lose"
	}
	return fmt.Sprintf("the best for %s, %s to find", turn, plural(p.Solver(), "move"))
}

type puzzleTryCmd struct {
	puzzleFlags
	ID    string   `arg:"" name:"id" help:"Which puzzle, such as g00001."`
	Moves []string `arg:"" name:"move" help:"The solver's moves, in order."`
}

// tried is an answer as scripts read it.
type tried struct {
	Verdict string   `json:"verdict"`
	Reply   []string `json:"reply"`
	Why     string   `json:"why"`
	Left    int      `json:"left"`
}

func (t tried) String() string {
	text := t.Verdict
	if t.Why != "" {
		text += ": " + t.Why
	}
	if len(t.Reply) > 0 {
		text += "; reply " + strings.Join(t.Reply, " ")
	}
	if t.Left > 0 {
		text += "; " + plural(t.Left, "move") + " left"
	}
	return text
}

// Run judges the moves.
func (c puzzleTryCmd) Run(ctx context.Context, s streams) error {
	t, err := c.answer(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return c.told(s, err)
	}
	text, _ := answerText(t, nil, c.JSON)
	_, err = fmt.Fprintln(s.out, text)
	return err
}

func (c puzzleTryCmd) answer(ctx context.Context) (t tried, err error) {
	p, err := c.named(c.ID)
	if err != nil {
		return t, err
	}
	var moves []game.Point
	for _, m := range c.Moves {
		at, err := game.ParsePoint(m, p.Game.Rules().Size())
		if err != nil {
			return t, err
		}
		moves = append(moves, at)
	}
	a, err := p.Try(ctx, moves)
	if err != nil {
		return t, err
	}
	t = tried{Verdict: string(a.Verdict), Reply: []string{}, Why: a.Why, Left: a.Left}
	for _, r := range a.Reply {
		t.Reply = append(t.Reply, r.String())
	}
	return t, nil
}

type puzzleCheckCmd struct {
	puzzleFlags
	IDs    []string `arg:"" optional:"" name:"id" help:"Which puzzles."`
	All    bool     `help:"All of them."`
	Sample int      `placeholder:"N" help:"So many, spread over all; 20 where nothing else is asked for."`
	Seed   uint64   `default:"1" help:"Which ones a sample takes."`
}

// failure is a puzzle that does not hold.
type failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

type checkedPuzzles struct {
	Checked int       `json:"checked"`
	Failed  []failure `json:"failed"`
}

func (c checkedPuzzles) String() string {
	var out strings.Builder
	for _, f := range c.Failed {
		fmt.Fprintf(&out, "%s does not hold: %s\n", f.ID, f.Error)
	}
	fmt.Fprintf(&out, "%s checked, %d do not hold", plural(c.Checked, "puzzle"), len(c.Failed))
	return out.String()
}

// Run proves puzzles again, as many at a time as there are processors.
func (c puzzleCheckCmd) Run(ctx context.Context, s streams) error {
	list, err := c.chosen()
	if err != nil {
		return c.told(s, err)
	}
	p := newProgress(s.err, "puzzles")
	found := checkedPuzzles{Failed: []failure{}}
	var mu sync.Mutex
	group, ctx2 := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, one := range list {
		group.Go(func() error {
			err := one.Check(ctx2)
			mu.Lock()
			defer mu.Unlock()
			if ctx2.Err() != nil {
				return ctx2.Err()
			}
			found.Checked++
			p.at(int64(found.Checked))
			if err != nil {
				found.Failed = append(found.Failed, failure{one.ID(), err.Error()})
			}
			return nil
		})
	}
	err = group.Wait()
	p.done()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	slices.SortFunc(found.Failed, func(a, b failure) int { return strings.Compare(a.ID, b.ID) })
	text, _ := answerText(found, nil, c.JSON)
	fmt.Fprintln(s.out, text)
	if len(found.Failed) > 0 {
		return exit{code: 1}
	}
	return nil
}

// chosen are the puzzles to check.
func (c puzzleCheckCmd) chosen() ([]puzzle.Puzzle, error) {
	list, err := c.puzzles()
	if err != nil || c.All {
		return list, err
	}
	if len(c.IDs) > 0 {
		var some []puzzle.Puzzle
		for _, id := range c.IDs {
			p, err := named(list, id)
			if err != nil {
				return nil, err
			}
			some = append(some, p)
		}
		return some, nil
	}
	n := c.Sample
	if n <= 0 {
		n = 20
	}
	rnd := rand.New(rand.NewPCG(c.Seed, 1))
	list = slices.Clone(list)
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))], nil
}
