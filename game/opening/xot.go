package opening

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// xotPlies is how many moves an XOT opening gives.
const xotPlies = 8

// xotList is the list of XOT openings, as PackXOT writes it. `go run ./cmd/lab xot` makes it.
//
//go:embed xot.bin
var xotList []byte

// XOT is an opening of Reversi from our list, turned in one of the four ways that keep the
// start; seed chooses both. Neither side is more than two discs ahead after it.
func XOT(seed uint64) []game.Point {
	rng := rand.New(rand.NewPCG(seed, 11))
	numbers := unpack(xotList)
	moves := numbered(numbers[rng.IntN(len(numbers))])
	turn := turns[rng.IntN(len(turns))]
	for i, p := range moves {
		moves[i] = turn(p)
	}
	return moves
}

// XOTLines are all openings of our list, each as it begins with D3.
func XOTLines() [][]game.Point {
	var lines [][]game.Point
	for _, n := range unpack(xotList) {
		lines = append(lines, numbered(n))
	}
	return lines
}

// turns are the four ways to turn Reversi's board that keep its start, colors included.
var turns = [4]func(game.Point) game.Point{
	func(p game.Point) game.Point { return p },
	func(p game.Point) game.Point { return game.At(7-p.Col(), 7-p.Row()) },
	func(p game.Point) game.Point { return game.At(p.Row(), p.Col()) },
	func(p game.Point) game.Point { return game.At(7-p.Row(), 7-p.Col()) },
}

// PackXOT packs lines of eight moves, less than two bytes for most. Each line is turned to
// begin with D3, and its other moves are the digits of a number: a digit says which of the
// legal moves it is, so its base is their count. The numbers stand in order, and of each
// only the distance from the one before is written.
func PackXOT(lines [][]game.Point) ([]byte, error) {
	numbers := make([]uint64, 0, len(lines))
	for _, line := range lines {
		n, err := numberOf(line)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var list []byte
	was := uint64(0)
	for _, n := range slices.Compact(numbers) {
		list = binary.AppendUvarint(list, n-was)
		was = n
	}
	return list, nil
}

// unpack gives the numbers of a list that PackXOT wrote.
func unpack(list []byte) []uint64 {
	var numbers []uint64
	n := uint64(0)
	for len(list) > 0 {
		step, size := binary.Uvarint(list)
		n += step
		numbers = append(numbers, n)
		list = list[size:]
	}
	return numbers
}

// d3 is the first move of every line in the list.
var d3 = game.At(3, 2)

// numberOf is the number of a line; numbered turns it back. The second move is the lowest
// digit.
func numberOf(line []game.Point) (uint64, error) {
	if len(line) != xotPlies {
		return 0, fmt.Errorf("%s: not a line of eight moves", game.MoveList(line))
	}
	for _, turn := range turns {
		if turn(line[0]) != d3 {
			continue
		}
		g := game.New(game.Reversi)
		n, unit := uint64(0), uint64(1)
		for i, p := range line {
			legal := g.Legal().Points()
			digit := slices.Index(legal, turn(p))
			if digit < 0 {
				return 0, fmt.Errorf("%s: move %d is not legal", game.MoveList(line), i+1)
			}
			if i > 0 {
				n += uint64(digit) * unit
				unit *= uint64(len(legal))
			}
			g, _ = g.Play(turn(p))
		}
		return n, nil
	}
	return 0, fmt.Errorf("%s: no first move", game.MoveList(line))
}

func numbered(n uint64) []game.Point {
	g, _ := game.New(game.Reversi).Play(d3)
	for range xotPlies - 1 {
		legal := g.Legal().Points()
		base := uint64(len(legal))
		g, _ = g.Play(legal[n%base])
		n /= base
	}
	return g.Moves()
}
