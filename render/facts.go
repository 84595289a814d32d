package render

import "tengen/game"

// Facts are what a description of the picture in words is made of. They hold no
// sentences: whoever speaks to people has the words.
type Facts struct {
	Rules string // by Rules.Name
	Size  int
	Moves int        // played so far
	Turn  game.Color // Empty after the end
	Last  game.Ply   // the last move; its Number is 0 when there is none

	// Passed says that the side that would be next had to pass, so that the last mover
	// moves again (Reversi).
	Passed bool

	Black, White           []game.Point // their stones, by row from 1, then by column
	BlackCount, WhiteCount int          // the score: at the end of Reversi with the empties
	Legal                  []game.Point // Reversi: where the side to move may play
	Forbidden              []*game.Refusal
	Result                 game.Result
	Rows                   []game.Row // the winning rows, from end to end
}

// FactsOf gathers what is to be said about g.
func FactsOf(g game.Game) Facts {
	now := g.Position()
	f := Facts{
		Rules: g.Rules().Name(), Size: now.Size, Moves: g.Len(), Turn: now.Turn,
		Black: now.Of(game.Black).Points(), White: now.Of(game.White).Points(),
		BlackCount: now.Count(game.Black), WhiteCount: now.Count(game.White),
		Forbidden: g.Forbidden(), Result: g.Result(), Rows: g.Rows(),
	}
	if g.Rules() == game.Reversi {
		f.BlackCount, f.WhiteCount = game.Score(now)
		f.Legal = g.Legal().Points()
	}
	f.Last.Point = game.NoPoint
	if plies := g.Plies(); len(plies) > 0 {
		f.Last = plies[len(plies)-1]
		f.Passed = now.Turn == f.Last.Color
	}
	return f
}
