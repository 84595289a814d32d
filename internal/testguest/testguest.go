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

// speak speaks a protocol until its input ends. Asked for a move, it plays the first
// legal point, or what mode says: an illegal or an unreadable one, none, or it dies.
func speak(protocol, mode string) {
	if mode == "deaf" { // does not even see the end of its input
		time.Sleep(time.Hour)
	}
	g := game.New(game.Gomoku15)
	if protocol != "gomocup" {
		g = game.New(game.Reversi)
	}
	play := func(p game.Point) {
		if next, err := g.Play(p); err == nil {
			g = next
		}
	}
	choose := func() game.Point {
		switch mode {
		case "death":
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
			child := exec.Command(os.Args[0], "speak", protocol+"-deaf")
			child.Stdin, child.Stdout = os.Stdin, os.Stdout
			if child.Start() == nil {
				os.WriteFile("child", []byte(fmt.Sprint(child.Process.Pid)), 0o600)
			}
			child.Wait()
		case "illegal":
			if protocol != "gomocup" {
				return game.At(3, 3)
			}
			return g.Last()
		}
		p := g.Legal().Points()[0]
		play(p)
		return p
	}
	in := bufio.NewScanner(os.Stdin)
	var board []game.Point
	for in.Scan() {
		word, rest, _ := strings.Cut(in.Text(), " ")
		switch protocol + " " + word {
		case "gomocup START":
			g = game.New(game.Gomoku15)
			fmt.Println("OK")
		case "gomocup BOARD":
			board = nil
			g = game.New(game.Gomoku15)
		case "gomocup TURN", "gomocup BEGIN", "gomocup DONE":
			if p, ok := commaPoint(rest); ok {
				board = append(board, p)
			}
			for _, p := range board {
				play(p)
			}
			board = nil
			if p := choose(); mode == "outside" {
				fmt.Println("99,99")
			} else {
				fmt.Printf("%d,%d\n", p.Col(), p.Row())
			}
		case "gtp clear_board":
			g = game.New(game.Reversi)
			fmt.Print("= \n\n")
		case "gtp play":
			_, at, _ := strings.Cut(rest, " ")
			p, _ := game.ParsePoint(at, 8)
			play(p)
			fmt.Print("= \n\n")
		case "gtp genmove":
			if mode == "refuse" {
				fmt.Print("? out of ideas\n\n")
				continue
			}
			fmt.Printf("= %v\n\n", choose())
		case "gtp time_settings":
			fmt.Print("= \n\n")
		case "nboard ping":
			fmt.Println("pong", rest)
		case "nboard set":
			if text, ok := strings.CutPrefix(rest, "game "); ok {
				r, err := record.Read([]byte(text), record.Hints{Format: record.GGF})
				if err != nil {
					fmt.Println("===", err)
					continue
				}
				g = r.Game
			}
		case "nboard go":
			fmt.Printf("=== %v/0.00/0.1\n", choose())
		default:
			if p, ok := commaPoint(in.Text()); ok && protocol == "gomocup" {
				board = append(board, p)
			}
		}
	}
}

func commaPoint(s string) (game.Point, bool) {
	var x, y int
	n, _ := fmt.Sscanf(s, "%d,%d", &x, &y)
	return game.At(x, y), n == 2
}
