package learn

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/storage"
)

// course is the steps by which a game is taught, from its rules to winning by force.
type course struct {
	name  string // of the game
	steps []step
}

// step is a lesson of a course: a few pages, then exercises. Its title stands under
// "lesson.COURSE.NAME" in the catalogue. Progress is kept by that name, so it stays as it is.
type step struct {
	name      string
	pages     []page
	exercises []exercise
}

// exercise is a position with something to find. Its answers are named here and proven by a
// test.
type exercise struct {
	ask   ask
	line  string // the position, for board
	about string // the points that a question is about
	right string // the right first moves; of a forced win, its moves; of a question, the choice
}

// courses are all courses, the one for newcomers first.
var courses = []course{gomoku, renju, reversi}

func newCourse(name, table string) course { return course{name, read(table, rulePages[name])} }

// read reads a table of lessons. A line that is not indented is the name of a step, or of the game whose
// pages follow. The others are its pages and exercises, and rules are pages that need their name alone:
//
//	five
//		gomoku.1
//		gomoku.five.2: gomoku f7 g8 h9 i10 | g7 h7 g9 i8; marks e6 j11
//		ask five: gomoku h8 i8 j8 k8 | g8 h9 i9 j10; right l8
func read(table string, rules []page) (steps []step) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		name, rest, own := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.HasPrefix(line, "\t") {
			steps = append(steps, step{name: name})
			continue
		}
		position, parts := partsOf(rest)
		s := &steps[len(steps)-1]
		if asked, ok := strings.CutPrefix(name, "ask "); ok {
			s.exercises = append(s.exercises, exercise{ask(asked), position, parts["about"], parts["right"]})
			continue
		}
		square, _ := strconv.Atoi(parts["square"])
		p := page{name, position, parts["marks"], parts["offers"], square}
		if !own {
			p = rules[slices.IndexFunc(rules, func(r page) bool { return r.name == name })]
		}
		s.pages = append(s.pages, p)
	}
	return steps
}

// partsOf are a position, and what follows it by the names of the parts: "gomoku h8; marks k8".
func partsOf(line string) (position string, parts map[string]string) {
	position, rest, _ := strings.Cut(line, "; ")
	parts = map[string]string{}
	for part := range strings.SplitSeq(rest, "; ") {
		name, value, _ := strings.Cut(part, " ")
		parts[name] = value
	}
	return position, parts
}

func courseNamed(name string) (course, bool) {
	i := slices.IndexFunc(courses, func(c course) bool { return c.name == name })
	if i < 0 {
		return course{}, false
	}
	return courses[i], true
}

func (c course) rules() game.Rules {
	r, _ := game.RulesNamed(c.name)
	return r
}

// key is where the title of a step stands in the catalogue, without its prefix, and its
// progress in the store.
func (c course) key(s step) string { return c.name + "." + s.name }

// solved are how many exercises of a step a member has solved.
func (c course) solved(s step, p storage.Progress) (n int) {
	for i := range s.exercises {
		if p.Has(c.key(s), i) {
			n++
		}
	}
	return n
}

// Done are the courses, with how many exercises of each a member has solved.
func Done(p storage.Progress) (done []view.Course) {
	for _, c := range courses {
		of := view.Course{Rules: c.rules()}
		for _, s := range c.steps {
			of.Done += c.solved(s, p)
			of.Of += len(s.exercises)
		}
		done = append(done, of)
	}
	return done
}

// next is the first step with an exercise to solve; the number of steps where there is none.
func (c course) next(p storage.Progress) int {
	i := slices.IndexFunc(c.steps, func(s step) bool { return c.solved(s, p) < len(s.exercises) })
	if i < 0 {
		return len(c.steps)
	}
	return i
}

// place is a step of a course.
type place struct {
	course course
	n      int
}

func (p place) step() step { return p.course.steps[p.n] }

// id is the custom id of a press in the step: Arg is COURSE.STEP.WHAT.NUMBER.REST.
func (p place) id(stamp uint32, what string, number int, rest string) string {
	return view.Press{Stamp: stamp, Verb: "learn",
		Arg: fmt.Sprintf("%s.%d.%s.%d.%s", p.course.name, p.n, what, number, rest)}.ID()
}

// page is the id of a button for a page. The tag keeps the ids of one message apart.
func (p place) page(n int, tag string) string { return p.id(0, "page", n, tag) }

// stamp changes with the exercise, so that a button of an older program is known as such.
func (x exercise) stamp() uint32 {
	return crc32.ChecksumIEEE([]byte(strings.Join([]string{string(x.ask), x.line, x.about, x.right}, "\n")))
}

// board is a game from a position line, or from the stones that stand there, Black's first:
// "gomoku h8 h9 | g7". Where both sides have as many, Black is to move, else White is.
func board(line string) (game.Game, error) {
	black, white, ok := strings.Cut(line, "|")
	if !ok {
		return record.ParseLine(line)
	}
	name, black, _ := strings.Cut(black, " ")
	rules, ok := game.RulesNamed(name)
	if !ok {
		return game.Game{}, fmt.Errorf("no rules: %s", line)
	}
	var b game.Position
	for i, side := range []string{black, white} {
		points, err := game.ParseMoves(side)
		if err != nil {
			return game.Game{}, err
		}
		for _, p := range points {
			b = b.Put(p, game.Black+game.Color(i))
		}
	}
	turn := game.Black
	if b.Count(game.Black) > b.Count(game.White) {
		turn = game.White
	}
	return game.From(rules, b, turn)
}
