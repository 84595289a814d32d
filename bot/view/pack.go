package view

import (
	"encoding/base64"
	"fmt"
	"slices"

	"tengen/game"
)

// A game with a start of its own has these bits beside the number of its rules: stones stand there, and
// White is to move.
const (
	packedStones = 0x80
	packedWhite  = 0x40
)

// PackGame encodes a game for a button: the number of its rules, the stones that it starts with where its
// rules do not say so, four to a byte, and its moves. It is false for a game that is too long.
func PackGame(g game.Game) (string, bool) {
	i := slices.Index(game.AllRules, g.Rules())
	if i < 0 {
		return "", false
	}
	data := []byte{byte(i)}
	if start := g.Start(); start != g.Rules().Start() {
		data[0] |= packedStones
		if start.Turn == game.White {
			data[0] |= packedWhite
		}
		cells := start.Size * start.Size
		data = append(data, make([]byte, (cells+3)/4)...)
		for n := range cells {
			data[1+n/4] |= byte(start.At(game.At(n%start.Size, n/start.Size))) << (n % 4 * 2)
		}
	}
	for _, p := range g.Moves() {
		data = append(data, byte(p))
	}
	s := base64.RawURLEncoding.EncodeToString(data)
	return s, len(Do("study", s)) <= 100 // the longest of the verbs with a game
}

// UnpackGame is the game that PackGame encoded.
func UnpackGame(s string) (game.Game, error) {
	data, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(data) == 0 || int(data[0]&^(packedStones|packedWhite)) >= len(game.AllRules) {
		return game.Game{}, fmt.Errorf("packed game %q", s)
	}
	g := game.New(game.AllRules[data[0]&^(packedStones|packedWhite)])
	if head, size := data[0], g.Rules().Size(); head&packedStones != 0 {
		start, side := game.Position{Size: size}, game.Black
		if head&packedWhite != 0 {
			side = game.White
		}
		if len(data) < 1+(size*size+3)/4 {
			return game.Game{}, fmt.Errorf("packed game %q", s)
		}
		for n := range size * size {
			if c := game.Color(data[1+n/4] >> (n % 4 * 2) & 3); c == game.Black || c == game.White {
				start = start.Put(game.At(n%size, n/size), c)
			}
		}
		if g, err = game.From(g.Rules(), start, side); err != nil {
			return game.Game{}, err
		}
		data = data[(size*size+3)/4:]
	}
	for _, p := range data[1:] {
		if g, err = g.Play(game.Point(p)); err != nil {
			return game.Game{}, err
		}
	}
	return g, nil
}
