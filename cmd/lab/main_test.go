package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/record"
)

// TestMain makes the test binary an engine when LAB_ENGINE says which: a protocol and how
// it behaves, such as gtp-stall.
func TestMain(m *testing.M) {
	if script := os.Getenv("LAB_ENGINE"); script != "" {
		protocol, mode, _ := strings.Cut(script, "-")
		scripted(protocol, mode)
		return
	}
	os.Exit(m.Run())
}

// scripted speaks a protocol until its input ends. Asked for a move, it plays the first
// legal point, or what mode says: an illegal or an unreadable one, none, or it dies.
func scripted(protocol, mode string) {
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
			select {}
		case "illegal":
			return game.At(3, 3) // a disc stands there in Reversi; see the test for the others
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
