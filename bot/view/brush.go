package view

import (
	"runtime"

	"tengen/game"
	"tengen/render"
)

// brushes are the pictures that may be drawn at a time. Cores belong to the process, not
// to a bot, and so do these.
var brushes = make(chan struct{}, runtime.GOMAXPROCS(0))

// Draw draws while it holds one of the brushes, of which there are as many as
// cores. With more at work than that everybody would wait for everybody, and so would the
// answers to Discord, which need next to nothing of a core but that at once.
func Draw(draw func(game.Game, render.Options) ([]byte, error), g game.Game, o render.Options) ([]byte, error) {
	brushes <- struct{}{}
	defer func() { <-brushes }()
	return draw(g, o)
}
