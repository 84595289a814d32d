package record

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/study"
	"tengen/internal/testkit"
)

// branched is a study with branches by chance, of a game or of a position that is set up.
func branched(random *rand.Rand) study.Study {
	g := game.New(game.AllRules[random.IntN(len(game.AllRules))])
	for range random.IntN(30) {
		if legal := g.Legal().Points(); len(legal) > 0 {
			g = testkit.Got(g.Play(legal[random.IntN(len(legal))]))
		}
	}
	if random.IntN(3) == 0 && g.Turn() != game.Empty {
		g = testkit.Got(game.From(g.Rules(), g.Position(), g.Turn()))
	}
	s := testkit.Got(study.Of(g))
	texts := []string{"", "a ] b", `c \`, "两行\n\\]", "x:[y]"}
	for range random.IntN(80) {
		switch legal := s.Game().Legal().Points(); {
		case random.IntN(5) == 0:
			s = s.Go(random.IntN(s.Len()))
		case random.IntN(5) == 0:
			s = testkit.Got(s.Written(texts[random.IntN(len(texts))], texts[random.IntN(len(texts))]))
		case len(legal) > 0:
			s = testkit.Got(s.Play(legal[random.IntN(len(legal))]))
		}
	}
	return s
}

// What is written of a study is read back as the same study, and its main line by who reads no variations.
func TestRandomStudies(t *testing.T) {
	for seed := range uint64(500) {
		s := branched(rand.New(rand.NewPCG(seed, 9)))
		data := WriteStudy(s, Record{Black: "a member", Event: "[x]"})
		back, whole, err := ReadStudy(data, Hints{})
		if err != nil || !whole || !back.Equal(s) || back.At() != 0 {
			t.Fatalf("study %d: whole %v, %v\n%s", seed, whole, err, data)
		}
		if again := WriteStudy(back, Record{Black: "a member", Event: "[x]"}); string(again) != string(data) {
			t.Fatalf("study %d is written as\n%s\nand then as\n%s", seed, data, again)
		}
		r, err := Read(data, Hints{})
		if err != nil || !r.Game.Equal(s.First().Last().Game()) || r.Black != "a member" {
			t.Fatalf("study %d: the main line: %v\n%s", seed, err, data)
		}
	}
}

// Variations of other programs are read as far as the rules allow. What is left out is said.
func TestReadStudy(t *testing.T) {
	for text, want := range map[string]string{
		"(;GM[4]SZ[15]RU[gomoku];B[hh];W[ig](;B[hg]C[so])(;B[hf]N[my idea](;W[aa])(;W[bb])))": "6 true my idea",
		"(;GM[4]SZ[15]RU[gomoku];B[hh](;W[ig])(;W[hh];B[aa]))":                                "2 false ",
		"(;GM[4]SZ[15]RU[gomoku];B[hh](;W[ig])(;W[aa]AB[bb];B[cc])(;W[ig];B[dd]))":            "4 false ",
		"(;GM[4]SZ[15]RU[gomoku];B[hh](;W[ig])(;W[aa]":                                        "error",
		"gomoku h8i9": "2 true ",
	} {
		s, whole, err := ReadStudy([]byte(text), Hints{})
		got := "error"
		if err == nil {
			var names []string
			for n := range s.Len() {
				names = append(names, s.Name(n))
			}
			got = fmt.Sprintf("%d %v %s", s.Len()-1, whole, strings.Join(names, ""))
		}
		testkit.Want(t, text, got, want)
	}
}

func FuzzStudy(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(WriteStudy(branched(rand.New(rand.NewPCG(seed, 9))), Record{}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := ReadStudy(data, Hints{})
		if err != nil {
			return
		}
		back, whole, err := ReadStudy(WriteStudy(s, Record{}), Hints{})
		if err != nil || !whole || !back.Equal(s) {
			t.Fatalf("%v, whole %v\n%s", err, whole, WriteStudy(s, Record{}))
		}
	})
}
