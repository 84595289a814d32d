package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/game/record"
)

type judgeCmd struct {
	JSON bool `name:"json" help:"Answer with one JSON object a line."`
}

// Help is the longer help of the command.
func (judgeCmd) Help() string {
	return `Reads one position a line from stdin and tells of each whose turn it is, what may be
played, what is forbidden and how the game stands. A line is RULES [ROWS [SIDE]] [MOVES]:

  renju h8i9h10
  gomoku9 ........./........./........./........./....X..../........./........./........./......... O
  reversi start

RULES: gomoku, gomoku9, standard, standard9, renju or reversi. ROWS: from the top of the
picture, X black, O white, . or - empty. Lines that begin with # are skipped. A bad line
gets an error in its place, and the exit code is 1 at the end.`
}

// Run answers each line of stdin with one line on stdout.
func (c judgeCmd) Run(ctx context.Context, s streams) error {
	return answerLines(ctx, s, func(line string) (string, bool) {
		g, err := record.ParseLine(line)
		if err != nil {
			return answerText(nil, err, c.JSON)
		}
		return answerText(judge(g), nil, c.JSON)
	})
}

// toJSON is v on one line. Our own structs cannot fail to be written.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// verdict is what judge says of a position. The names are those of rules that scripts rely on.
type verdict struct {
	Turn      string      `json:"turn"`
	Result    string      `json:"result"`
	Board     string      `json:"board"`
	Legal     []string    `json:"legal"`
	Forbidden []forbidden `json:"forbidden"`
	Line      []string    `json:"line"`
	*count
}

type forbidden struct {
	At  string `json:"at"`
	Why string `json:"why"`
}

// count is the discs on a board of Reversi, and black's margin. At the end of a game the empty
// points count for the winner.
type count struct {
	Black  int `json:"black"`
	White  int `json:"white"`
	Margin int `json:"margin"`
}

func judge(g game.Game) verdict {
	b := g.Position()
	v := verdict{
		Turn:      g.Turn().String(),
		Result:    resultWord(g.Result()),
		Board:     b.Rows(g.Rules().TopDown()),
		Forbidden: []forbidden{},
		Line:      pointList(g.Result().Line),
	}
	var barred game.Set
	for _, r := range g.Forbidden() {
		barred = barred.With(r.Point)
		v.Forbidden = append(v.Forbidden, forbidden{r.Point.String(), r.Code.Why()})
	}
	v.Legal = pointList(legal(g, barred))
	if g.Rules() == game.Reversi {
		black, white := game.Score(b)
		v.count = &count{b.Count(game.Black), b.Count(game.White), black - white}
	}
	return v
}

// legal is g.Legal for a caller that knows the forbidden points already: in Renju they are the
// only empty points that are not legal, and they cost the most to find.
func legal(g game.Game, barred game.Set) game.Set {
	if g.Rules() != game.Renju || g.Turn() == game.Empty {
		return g.Legal()
	}
	var s game.Set
	for _, p := range g.Position().Points() {
		if g.Position().At(p) == game.Empty && !barred.Has(p) {
			s = s.With(p)
		}
	}
	return s
}

func resultWord(r game.Result) string {
	if r.Draw() {
		return "draw"
	}
	return r.Winner.String()
}

// pointList are the points of s by row and column; never nil.
func pointList(s game.Set) []string {
	names := make([]string, 0, s.Len())
	for p := range s.All() {
		names = append(names, p.String())
	}
	return names
}

func (v verdict) String() string {
	var parts []string
	switch v.Result {
	case "none":
		parts = append(parts, v.Turn+" to move, "+plural(len(v.Legal), "legal point"))
	case "draw":
		parts = append(parts, "draw")
	default:
		parts = append(parts, v.Result+" wins")
	}
	if len(v.Line) > 0 {
		parts = append(parts, "row "+strings.Join(v.Line, " "))
	}
	for i, f := range v.Forbidden {
		if i == 0 {
			parts = append(parts, "forbidden:")
		}
		parts[len(parts)-1] += " " + f.At + " " + f.Why
		if i < len(v.Forbidden)-1 {
			parts[len(parts)-1] += ","
		}
	}
	if v.count != nil {
		parts = append(parts, fmt.Sprintf("discs %d-%d, margin %+d", v.Black, v.White, v.Margin))
	}
	return strings.Join(parts, "; ")
}
