package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"tengen/ai"
	"tengen/ai/puzzle"
	"tengen/game"
)

type puzzlesCmd struct {
	Find  puzzlesFindCmd  `cmd:"" default:"withargs" help:"Play games against itself and keep the puzzles in them."`
	Pack  puzzlesPackCmd  `cmd:"" help:"Make the collection that the program carries."`
	Bands puzzlesBandsCmd `cmd:"" help:"Tell how players that rated no puzzle fare with those of each band of ratings."`
}

type puzzlesFindCmd struct {
	Rules  string        `default:"gomoku" enum:"gomoku,renju,reversi" help:"Which game: gomoku, renju or reversi."`
	Out    string        `required:"" placeholder:"FILE" help:"What was found, a game a line. Several processes may write to one file, and a killed one is taken up again."`
	Seed   uint64        `default:"1" help:"Seed of the games."`
	Part   int           `default:"0" help:"Which part of the games is this process's, from 0."`
	Parts  int           `default:"1" help:"How many processes share the games."`
	Games  int           `default:"1000000" help:"How many games, by all processes."`
	Target int           `default:"300" help:"Puzzles for each band of ratings, half of them of one kind and length at most; further ones are left out."`
	Below  int           `placeholder:"R" help:"Only puzzles rated below so, from games of weaker levels: a position is proven where level 1 finds the same move each time."`
	Kind   string        `enum:"win,defend,best," default:"" help:"Look for win, defend or best alone."`
	For    time.Duration `help:"End after this time; 0: when the games are played."`
}

// foundIn are the puzzles of one game, a line of the file.
type foundIn struct {
	Game    int            `json:"game"`
	Rules   string         `json:"rules"`
	Seed    uint64         `json:"seed"`
	Puzzles []puzzle.Entry `json:"puzzles"`
}

// Run plays the games that the file lacks, and writes a line for each.
func (c *puzzlesFindCmd) Run(ctx context.Context) error {
	if c.Parts < 1 || c.Part < 0 || c.Part >= c.Parts {
		return errors.New("--part is from 0 to --parts less one")
	}
	rules, err := rulesNamed(c.Rules)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.Out, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	h := newHunt(f, rules, *c)
	end, said := time.Now().Add(c.For), time.Time{}
	for n := c.Part; n < c.Games; n += c.Parts {
		if err := h.catchUp(); err != nil {
			return err
		}
		if h.done[n] {
			continue
		}
		if c.For > 0 && time.Now().After(end) {
			break
		}
		if err := h.play(ctx, n); err != nil {
			return err
		}
		if time.Since(said) > 10*time.Second {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "%s: %d games, %s\n", c.Rules, len(h.done), h)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d games, %s\n", c.Rules, len(h.done), h)
	return nil
}

// hunt is the state of a search for puzzles: what the file holds.
type hunt struct {
	puzzlesFindCmd
	file  *os.File
	read  int64 // how far the file was read
	rules game.Rules
	done  map[int]bool
	seen  map[puzzle.Key]bool
	cells map[cell]int
	bands [len(puzzle.Bands)]int
	kinds map[puzzle.Kind]int
	found int
}

func newHunt(f *os.File, r game.Rules, c puzzlesFindCmd) *hunt {
	return &hunt{
		puzzlesFindCmd: c, file: f, rules: r, done: map[int]bool{}, seen: map[puzzle.Key]bool{},
		cells: map[cell]int{}, kinds: map[puzzle.Kind]int{},
	}
}

// cell is what puzzles are counted by, so that they spread.
type cell struct {
	kind         puzzle.Kind
	length, band int
}

// lengthOf is a class of lengths: pairs of moves of a win, or threes of
// empty points.
func lengthOf(p puzzle.Puzzle) int {
	if p.Kind == puzzle.Best {
		return empties(p) / 3
	}
	return min(p.Moves, 20) / 2
}

func empties(p puzzle.Puzzle) int {
	b := p.Game.Position()
	return b.Size*b.Size - b.Count(game.Black) - b.Count(game.White)
}

// enough is how many puzzles of a kind and length tell which ratings they get, and seldom is
// the part of them that a band has at least to be hoped for.
const (
	enough = 60
	seldom = 30
)

// wants reports whether the collection has room for p. Where its rating is not known yet, there
// has to be room in a band where puzzles of its kind and length are found. There is about one
// defence for nine wins where both are looked for.
func (h *hunt) wants(p puzzle.Puzzle) bool {
	if h.Kind != "" && h.Kind != p.Kind.String() {
		return false
	}
	if h.Kind == "" && p.Kind == puzzle.Defend && h.kinds[puzzle.Defend] > h.kinds[puzzle.Win]/9 {
		return false
	}
	if p.Rating > 0 {
		return (h.Below == 0 || p.Rating < h.Below) && h.room(p, puzzle.Band(p.Rating))
	}
	if h.Below > 0 {
		return (p.Kind != puzzle.Best || empties(p) <= plainEmpties) && plain(p.Game)
	}
	all := 0
	for band := range puzzle.Bands {
		all += h.cells[cell{p.Kind, lengthOf(p), band}]
	}
	for band := range puzzle.Bands {
		if (all < enough || h.cells[cell{p.Kind, lengthOf(p), band}]*seldom >= all) && h.room(p, band) {
			return true
		}
	}
	return false
}

// plainTries is how often level 1 has to find the same move in a position that is plain. In
// Reversi such a position has plainEmpties empty points at most: the others take most of the
// time and are seldom rated low.
const (
	plainTries   = 4
	plainEmpties = 16
)

// plain reports whether the weakest level finds the same move in g each time. A puzzle that is
// rated low is such a position, and to ask level 1 costs much less than a proof.
func plain(g game.Game) bool {
	first := game.NoPoint
	for seed := range uint64(plainTries) {
		rep, err := ai.Search(context.Background(), g, ai.Limits{Level: 1, Seed: seed, Brief: true})
		if err != nil || seed > 0 && rep.Move != first {
			return false
		}
		first = rep.Move
	}
	return true
}

// room reports whether there is room for p in a band of ratings.
func (h *hunt) room(p puzzle.Puzzle, band int) bool {
	return h.bands[band] < h.Target && h.cells[cell{p.Kind, lengthOf(p), band}] < max(h.Target/2, 1)
}

// catchUp reads what this process and others have written since.
func (h *hunt) catchUp() error {
	r := bufio.NewReader(io.NewSectionReader(h.file, h.read, 1<<40))
	for {
		line, err := r.ReadBytes('\n')
		if err != nil { // the rest is no whole line yet
			return eof(err)
		}
		h.read += int64(len(line))
		var in foundIn
		if json.Unmarshal(line, &in) != nil || in.Rules != h.rules.Name() {
			continue // an empty line, or one that was cut short: its game is played again
		}
		if in.Seed == h.Seed {
			h.done[in.Game] = true
		}
		for _, e := range in.Puzzles {
			p, err := e.Puzzle()
			if err != nil {
				return fmt.Errorf("game %d: %w", in.Game, err)
			}
			h.seen[p.Key()] = true
			h.count(p)
		}
	}
}

func (h *hunt) count(p puzzle.Puzzle) {
	band := puzzle.Band(p.Rating)
	h.cells[cell{p.Kind, lengthOf(p), band}]++
	h.bands[band]++
	h.kinds[p.Kind]++
	h.found++
}

func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// play plays game n and writes its puzzles. A line begins with a line break too, so that one
// which another process left half written spoils no second one.
func (h *hunt) play(ctx context.Context, n int) error {
	strongest := 5
	if h.Below > 0 {
		strongest = 3
	}
	g, err := selfPlay(ctx, h.rules, h.Seed<<32+uint64(n), strongest)
	if err != nil {
		return err
	}
	list, err := puzzle.Finder{Wants: h.wants, Seen: h.seen}.Find(ctx, g)
	if err != nil {
		return err
	}
	in := foundIn{Game: n, Rules: h.rules.Name(), Seed: h.Seed, Puzzles: []puzzle.Entry{}}
	for _, p := range list {
		in.Puzzles = append(in.Puzzles, p.Entry())
	}
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	_, err = h.file.Write(slices.Concat([]byte("\n"), text, []byte("\n")))
	return err
}

// selfPlay is a game between two levels of the bot, from level 2 to the strongest. The middle
// levels err often enough, and play well enough that what they allow is worth finding.
func selfPlay(ctx context.Context, r game.Rules, seed uint64, strongest int) (game.Game, error) {
	rnd := rand.New(rand.NewPCG(seed, 0x70757A))
	levels := [2]int{2 + rnd.IntN(strongest-1), 2 + rnd.IntN(strongest-1)}
	g := game.New(r)
	if opening := ai.Balanced(r, rnd.Uint64()); len(opening) > 0 && rnd.IntN(3) > 0 {
		var err error
		if g, err = g.PlayAll(opening...); err != nil {
			return g, err
		}
	}
	for g.Turn() != game.Empty && g.Len() < 100 {
		rep, err := ai.Search(ctx, g, ai.Limits{Level: levels[g.Turn()-game.Black], Seed: rnd.Uint64(), Brief: true})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return g, err
		}
		if g, err = g.Play(rep.Move); err != nil {
			return g, err
		}
	}
	return g, nil
}

// String is how many puzzles there are of each kind and in each band.
func (h *hunt) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d puzzles:", h.found)
	for k := puzzle.Win; k <= puzzle.Best; k++ {
		if h.kinds[k] > 0 {
			fmt.Fprintf(&s, " %d %v", h.kinds[k], k)
		}
	}
	s.WriteString("; by rating")
	for i, n := range h.bands {
		fmt.Fprintf(&s, " %d+:%d", puzzle.Bands[i], n)
	}
	return s.String()
}

type puzzlesPackCmd struct {
	Files []string `arg:"" optional:"" help:"Files of found puzzles."`
	Out   string   `default:"ai/puzzle/collection.bin" help:"File to write."`
	Check bool     `help:"Prove each new puzzle again, and leave out those that do not hold."`
	Rate  bool     `help:"Rate every puzzle again, those of the collection too."`
	Drop  []string `placeholder:"ID" help:"Puzzles of the collection to leave out, since 'tengen puzzle check --all' found a flaw. The others keep their numbers."`
}

// Run adds the puzzles of files to the collection that the program carries, in the order in
// which they stand there, without doubles and without those that are much alike. A puzzle of
// the collection keeps its number and its line, since members have them in their rows.
func (c *puzzlesPackCmd) Run(ctx context.Context) error {
	known := puzzle.Collection()
	seen := map[puzzle.Key]bool{}
	for _, p := range known {
		seen[p.Key()] = true // one that is dropped does not come back either
	}
	list, err := without(known, c.Drop)
	if err != nil {
		return err
	}
	kept := len(list)
	for _, name := range c.Files {
		found, err := readFound(name)
		if err != nil {
			return err
		}
		for _, p := range found {
			k := p.Key()
			if seen[k] || slices.ContainsFunc(list, p.Alike) || c.Check && !holds(ctx, p, name) {
				continue
			}
			seen[k] = true
			list = append(list, p)
		}
	}
	if c.Rate {
		if err := rerate(ctx, list); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	data, err := puzzle.Encode(puzzle.Numbered(list, known))
	if err != nil {
		return err
	}
	fmt.Println(len(list), "puzzles in", len(data), "bytes,", len(list)-kept, "of them new")
	return replace(c.Out, data)
}

func without(list []puzzle.Puzzle, ids []string) ([]puzzle.Puzzle, error) {
	for _, id := range ids {
		if _, ok := puzzle.Named(list, id); !ok {
			return nil, fmt.Errorf("no puzzle %s", id)
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(p puzzle.Puzzle) bool { return slices.Contains(ids, p.ID()) }), nil
}

// rerate rates the puzzles of list again.
func rerate(ctx context.Context, list []puzzle.Puzzle) error {
	said := time.Now()
	for i, p := range list {
		rating, err := puzzle.Rate(ctx, p)
		if err != nil {
			return err
		}
		list[i].Rating = rating
		if time.Since(said) > 10*time.Second {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "rated %d of %d\n", i+1, len(list))
		}
	}
	return nil
}

// readFound are the puzzles of a file, but for lines that were cut short.
func readFound(name string) (list []puzzle.Puzzle, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var in foundIn
		if json.Unmarshal(line, &in) != nil {
			continue
		}
		for _, e := range in.Puzzles {
			p, err := e.Puzzle()
			if err != nil {
				return nil, fmt.Errorf("%s: game %d: %w", name, in.Game, err)
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// holds proves p again.
func holds(ctx context.Context, p puzzle.Puzzle, from string) bool {
	err := p.Check(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: left out: %s: %v\n", from, p.Entry().Line, err)
	}
	return err == nil
}
