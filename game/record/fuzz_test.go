package record

import (
	"testing"

	"tengen/game"
)

// fuzzFormat feeds a parser: it gives an error or a game that converts to each format that can
// hold it and back.
func fuzzFormat(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(data, Hints{Format: format})
		if err != nil {
			return
		}
		if again, err := game.From(r.Game.Rules(), r.Game.Start(), r.Game.Start().Turn); r.Game.Start().Turn != game.Empty &&
			(err != nil || again.Start() != r.Game.Start()) {
			t.Fatalf("start %+v: %v", r.Game.Start(), err)
		}
		convert(t, r)
	})
}

func FuzzRead(f *testing.F) {
	fuzzFormat(f, "",
		"renju h8 i9", "f5d6c3", "1. h8 i9 2. h9", "F5 D6 pass",
		"(;GM[4]SZ[15];B[hh](;W[ig])(;W[ih]))", "Piskvorky 15x15, 11:11, 0\n8,8,0\n-1",
		"(;GM[Othello]TY[8]B[f5//1]W[d6];)", "\x78\x00\x69\xc0\x68\x40", "\x78\x08text\x00\x00\x69\x40",
		"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x78\x40",
		"---------------------------OX------XO--------------------------- X;")
}

func FuzzSGF(f *testing.F) {
	fuzzFormat(f, SGF,
		`(;FF[4]GM[4]SZ[15]RU[renju]PB[a\]b]C[x\
y];B[hh];W[ig]C[c](;B[hg])(;B[hf](;W[aa])(;W[bb])))`,
		"(;GM[4]SZ[9]RU[exact]AB[aa:cc][dd]AW[ee]AE[bb]PL[W];W[ff];B[gg])",
		"(;GM[2]SZ[8]AB[e4][d5]AW[d4][e5];B[f5];W[PA])", "(;GM[2]SZ[8];B[fe];W[df];B[])",
		"(GM[4](B[hh]W[ig]))(;GM[4])", "junk (;GM[4]SZ[15:15]RE[B+R];B[tt])",
		"(;GM[4]SZ[15]RU[renju]C[Opening: soosyrv8 h8 i9 j10 swap g8 declare=2 swap k10 c3 c3\n"+
			"x];B[hh];W[ig];B[jf];W[gh];B[cm];W[ii])")
}

func FuzzPSQ(f *testing.F) {
	fuzzFormat(f, PSQ,
		"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,100\n-1\n",
		"Piskvorky 9x9, 0:0, 1\r\n5,5\r\n1,1,7\r\none\r\ntwo\r\n0,Standard9_1\r\n")
}

func FuzzGGF(f *testing.F) {
	fuzzFormat(f, GGF,
		"(;GM[Othello]PC[GGS/os]PB[a]PW[b]RE[+2.000:r]TI[5]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- "+
			"-------- -------- -------- *]B[d3//0.01]W[c5/0.3];)",
		"(;GM[Othello]TY[8r20]BO[8 *O------ -------- -------- -------- -------- -------- -------- -------O O]W[PA]B[c1];)(;)")
}

func FuzzLib(f *testing.F) {
	fuzzFormat(f, Lib,
		"\x78\x00\x69\xc0\x68\x40", "\x78\x20o\xec\x69\x40", "\x78\x09\x00\x01text\x00\x00A\x00\x69\x40",
		"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x08rules: "+
			"gomoku\x08x\x00\x78\x80\x69\x40\x68\x40")
}

func FuzzOBF(f *testing.F) {
	fuzzFormat(f, OBF,
		"---------------------------OX------XO--------------------------- X;",
		"*O------------------------------------------------------------o O; C1:+3;\n% end\n")
}

func FuzzTranscript(f *testing.F) {
	fuzzFormat(f, Transcript, "F5D6C3D3C4", "1. f5 2. d6 3) c3", "f5 -- d6",
		"D3C5E6D2C6D6B5F5E7F6F4F3G4D7G3G5H6H5H4E8C7H3C3H7E3B6G6F7D8C2D1C4B4A5F8F2E2A4A3B3F1G7B7C8A6A7C1B2A8B8A2E1H8G8"+
			"H2G1H1G2PAA1B1")
}

func FuzzMoves(f *testing.F) {
	fuzzFormat(f, Moves, "h8i9h10", "1. h8 i9 2. h9", "A1,B1,A2,B2,A3,B3,A4,B4,A5", "f5d6c3")
}

// Games from all rules, from their own start and from others, convert to each format that
// can hold them and back.
func FuzzConvert(f *testing.F) {
	f.Add(uint8(0), []byte{}, []byte{0x77, 0x68, 0x88})
	f.Add(uint8(4), []byte{0x11, 0x22, 0x33}, []byte{0x77})
	f.Add(uint8(5), []byte{}, []byte{0x35, 0x53, 0x22})
	f.Add(uint8(13), []byte{0x00, 0x01}, []byte{0x02})
	f.Fuzz(func(t *testing.T, kind uint8, stones, moves []byte) {
		rules := game.AllRules[int(kind)%len(game.AllRules)]
		g := game.New(rules)
		if len(stones) > 0 {
			b := game.Position{Size: rules.Size()}
			for i, p := range stones {
				b = b.Put(game.Point(p), game.Black+game.Color(i%2))
			}
			var err error
			if g, err = game.From(rules, b, game.Black+game.Color(kind>>7)); err != nil {
				return
			}
		}
		for _, p := range moves {
			if next, err := g.Play(game.Point(p)); err == nil {
				g = next
			}
		}
		convert(t, Record{Game: g, Black: string(stones), White: string(moves),
			Comments: []Comment{{0, string(moves)}, {g.Len(), string(stones)}}})
	})
}
