package view

import (
	"encoding/base64"
	"fmt"
	"slices"

	"tengen/game"
)

// packGame encodes a game for a button: the number of its rules, then its moves. It is false for a
// game that is too long, or does not start as its rules do.
func packGame(g game.Game) (string, bool) {
	i := slices.Index(game.AllRules, g.Rules())
	if i < 0 || g.Start() != g.Rules().Start() {
		return "", false
	}
	data := []byte{byte(i)}
	for _, p := range g.Moves() {
		data = append(data, byte(p))
	}
	s := base64.RawURLEncoding.EncodeToString(data)
	return s, len(Do("study", s)) <= 100 // the longest of the verbs with a game
}

// UnpackGame is the game that packGame encoded.
func UnpackGame(s string) (game.Game, error) {
	data, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(data) == 0 || int(data[0]) >= len(game.AllRules) {
		return game.Game{}, fmt.Errorf("packed game %q", s)
	}
	g := game.New(game.AllRules[data[0]])
	for _, p := range data[1:] {
		if g, err = g.Play(game.Point(p)); err != nil {
			return game.Game{}, err
		}
	}
	return g, nil
}
