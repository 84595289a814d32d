package view

import (
	"runtime"

	"tengen/game"
	"tengen/render"
)

// drawing holds one for each picture that is being drawn. It belongs to the process like the cores,
// and not to a bot.
var drawing = make(chan struct{}, runtime.GOMAXPROCS(0))

// Draw draws a picture, and at most as many at a time as there are cores. More would slow one another
// down, and would delay the answers to Discord, which need little of a core but need it at once.
func Draw(draw func(game.Game, render.Options) ([]byte, error), g game.Game, o render.Options) ([]byte, error) {
	drawing <- struct{}{}
	defer func() { <-drawing }()
	return draw(g, o)
}
