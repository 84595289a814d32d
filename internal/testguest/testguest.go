// Package testguest makes a test binary a program of another maker, which plays badly or worse.
// Start from Main.
package testguest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"tengen/game"
	"tengen/game/record"
)

// Main is for the beginning of TestMain: where the binary was started as a program by Command, it
// speaks until its input ends, and Main ends the process.
func Main() {
	if len(os.Args) == 3 && os.Args[1] == "speak" {
		protocol, mode, _ := strings.Cut(os.Args[2], "-")
		speak(protocol, mode)
		os.Exit(0)
	}
}

// Command starts the test binary as a program that speaks a protocol and behaves as mode says.
func Command(protocol, mode string) []string {
	return []string{os.Args[0], "speak", protocol + "-" + mode}
}

// speaker is a program that speaks a protocol. Asked for a move, it plays the first legal
// point, or what mode says: an illegal or an unreadable one, none, or it dies.
type speaker struct {
	protocol, mode string
	g              game.Game
	board          []game.Point // what Gomocup's BOARD has told so far
}

// speak speaks a protocol until its input ends.
func speak(protocol, mode string) {
	if mode == "dead" { // at its start
		fmt.Fprint(os.Stderr, "Cannot open data")
		os.Exit(1)
	}
	if mode == "deaf" { // does not even see the end of its input
		time.Sleep(time.Hour)
	}
	s := &speaker{protocol: protocol, mode: mode, g: game.New(game.Gomoku15)}
	hears := s.gomocup
	switch protocol {
	case "gtp":
		s.g, hears = game.New(game.Reversi), s.gtp
	case "nboard":
		s.g, hears = game.New(game.Reversi), s.nboard
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		word, rest, _ := strings.Cut(in.Text(), " ")
		hears(word, rest)
	}
}

func (s *speaker) play(p game.Point) {
	if next, err := s.g.Play(p); err == nil {
		s.g = next
	}
}

// choose gives a move, after all that mode does before.
func (s *speaker) choose() game.Point {
	s.misbehave()
	if s.mode == "illegal" {
		if s.protocol != "gomocup" {
			return game.At(3, 3)
		}
		return s.g.Last()
	}
	p := s.g.Legal().Points()[0]
	s.play(p)
	return p
}

func (s *speaker) misbehave() {
	switch s.mode {
	case "death":
		fmt.Fprint(os.Stderr, "my last words")
		os.Exit(1)
	case "stall":
		time.Sleep(time.Hour)
	case "once": // dies at the first question, and answers when it is started again
		if _, err := os.Stat("died"); err != nil {
			os.WriteFile("died", nil, 0o600)
			os.Exit(1)
		}
	case "flood":
		for {
			fmt.Println(strings.Repeat("x", 1000))
		}
	case "endless":
		for {
			fmt.Print("x")
		}
	case "look":
		dir, _ := os.Getwd()
		fmt.Fprintln(os.Stderr, len(os.Environ()), dir)
	case "noise":
		for i := range 1000 {
			fmt.Fprintln(os.Stderr, i, "\x1b[31m", strings.Repeat("y", 1000))
		}
	case "child": // leaves the thinking to a process of its own
		child := exec.Command(os.Args[0], "speak", s.protocol+"-deaf")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		if child.Start() == nil {
			os.WriteFile("child", fmt.Append(nil, child.Process.Pid), 0o600)
		}
		child.Wait()
	}
}

func (s *speaker) gomocup(word, rest string) {
	switch word {
	case "START":
		s.g = game.New(game.Gomoku15)
		fmt.Println("OK")
	case "BOARD":
		s.board, s.g = nil, game.New(game.Gomoku15)
	case "TURN", "BEGIN", "DONE":
		if p, ok := commaPoint(rest); ok {
			s.board = append(s.board, p)
		}
		for _, p := range s.board {
			s.play(p)
		}
		s.board = nil
		if p := s.choose(); s.mode == "outside" {
			fmt.Println("99,99")
		} else {
			fmt.Printf("%d,%d\n", p.Col(), p.Row())
		}
	default:
		if p, ok := commaPoint(word); ok {
			s.board = append(s.board, p)
		}
	}
}

// says gives the answers to GTP in some modes, without their ends.
var says = map[string]map[string]string{
	"small":    {"boardsize": "? unacceptable size"},
	"sizeless": {"boardsize": "? Unknown command: boardsize"},
	"timeless": {"time_settings": "? unknown command"},
	"refuse":   {"genmove": "? out of ideas"},
	"resign":   {"genmove": "= Resign"},
	"pass":     {"genmove": "= PASS"},
	"babble":   {"genmove": "? \"\u202e" + strings.Repeat("D3 ", 5000)},
	"go":       {"play": "="}, // takes any stone, as a program for Go does
	"long":     {"boardsize": "=\nok\n= ok\n? ok", "clear_board": "# not yet\n\ncleared:\n=\tyes\n? no"},
}

func (s *speaker) gtp(word, rest string) {
	text := "= "
	switch word {
	case "clear_board":
		s.g = game.New(game.Reversi)
	case "play":
		_, at, _ := strings.Cut(rest, " ")
		p, _ := game.ParsePoint(at, 8)
		if s.g.Check(p) != nil {
			text = "? illegal move"
		}
		s.play(p)
	case "genmove":
		if says[s.mode][word] == "" {
			text += s.choose().String()
		}
		if s.mode == "long" {
			text = "\a\r\n=\t" + strings.ToLower(text[2:]) + "\x7f\r"
		}
	}
	if said, ok := says[s.mode][word]; ok {
		text = said
	}
	fmt.Print(text, "\n\n")
}

func (s *speaker) nboard(word, rest string) {
	switch word {
	case "ping":
		fmt.Println("pong", rest)
	case "set":
		text, ok := strings.CutPrefix(rest, "game ")
		if !ok {
			return
		}
		r, err := record.Read([]byte(text), record.Hints{Format: record.GGF})
		if err != nil {
			fmt.Println("===", err)
			return
		}
		s.g = r.Game
	case "go":
		format := "=== %v/0.00/0.1\n"
		if s.mode == "blanks" {
			format = "=== %v 0.00 0.1\n"
		}
		fmt.Printf(format, s.choose())
	}
}

func commaPoint(s string) (game.Point, bool) {
	var x, y int
	n, _ := fmt.Sscanf(s, "%d,%d", &x, &y)
	return game.At(x, y), n == 2
}
