package render

import "tengen/game"

// Facts are what a description of the picture in words is made of. They hold no sentences:
// their user has the words.
type Facts struct {
	Rules        game.Rules
	Moves        int          // played so far
	Turn         game.Color   // Empty after the end
	Last         game.Point   // where the last stone was set; NoPoint before the first
	Black, White []game.Point // their stones, by row from 1, then by column
	Result       game.Result  // by the rules; a match can end without them
}

// FactsOf gathers what is to be said about g.
func FactsOf(g game.Game) Facts {
	now := g.Position()
	return Facts{
		Rules: g.Rules(), Moves: g.Len(), Turn: now.Turn, Last: g.Last(),
		Black: now.Of(game.Black).Points(), White: now.Of(game.White).Points(),
		Result: g.Result(),
	}
}
