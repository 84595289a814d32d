package record_test

import (
	"fmt"

	"tengen/game/record"
)

func ExampleRead() {
	r, err := record.Read([]byte("(;GM[4]SZ[15]RU[renju]PB[Ann]RE[B+R];B[hh];W[ig](;B[hf])(;B[hg]))"), record.Hints{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Black, r.Game.Len(), r.Game.Last(), r.Result.Winner)
	fmt.Println(r.Notes)
	// Output:
	// Ann 3 H10 black
	// [1 variation left out: only the main line is read]
}

func ExampleWrite() {
	g, err := record.ParseLine("renju h8i9h10")
	if err != nil {
		fmt.Println(err)
		return
	}
	psq, err := record.Write(record.PSQ, record.Record{Game: g})
	fmt.Printf("%s%v\n", psq, err)
	_, err = record.Write(record.GGF, record.Record{Game: g})
	fmt.Println(err)
	// Output:
	// Piskvorky 15x15, 0:0, 0
	// 8,8,0
	// 9,7,0
	// 8,6,0
	// -1,Renju15
	// <nil>
	// ggf cannot hold this game: it knows Reversi alone; line, sgf, psq, lib can
}

func ExampleParseLine() {
	g, err := record.ParseLine("reversi F5 D6 c3")
	fmt.Println(record.FormatLine(g), g.Turn(), err)
	_, err = record.ParseLine("renju h8i9h8")
	fmt.Println(err)
	// Output:
	// reversi f5d6c3 white <nil>
	// move 3 (H8): H8 is already taken
}
