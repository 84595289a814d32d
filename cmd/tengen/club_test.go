package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/regulars"
	"tengen/game"
	"tengen/internal/browser"
	"tengen/internal/testkit"
	"tengen/storage"
)

// offer presses a tile of the first page.
func offer(tab *browser.Tab, name string) {
	tab.ClickAt(`document.querySelector("[data-offer='offer.`+name+`']")`, name)
}

// demoFirst looks at the first page: all that there is, in one look, on a desk and on a telephone, in both languages.
func demoFirst(t *testing.T, b *browser.Browser) {
	address, _ := runDemo(t)
	ann := b.Tab("Ann", address, 1280, 860)
	fits := func(name string) {
		for _, size := range [][2]int{{1280, 860}, {390, 844}} {
			ann.Resize(size[0], size[1])
			ann.Until(`document.documentElement.scrollWidth === innerWidth`)
			ann.Until(`document.querySelectorAll(".offer").length === 8`)
			ann.Eval(`document.getElementById("log").scrollTop = 0`)
			for _, what := range []string{".greeting", "#start", ".offer:last-child"} {
				ann.Until(fmt.Sprintf(`((r) => r.top >= 0 && r.bottom <= document.getElementById("composer").getBoundingClientRect().top)(document.querySelector(%q).getBoundingClientRect())`, what))
			}
			ann.Shot(fmt.Sprintf("%s-%d", name, size[0]))
		}
		ann.Resize(1280, 860)
	}
	ann.Sees("Play against the bot")
	fits("first")
	ann.Click("Language: English")
	ann.Click("简体中文")
	ann.Sees("与机器人对局")
	fits("first-chinese")
}

// demoClub is a visitor alone among members who answer: a challenge, a knockout of eight, a ladder and a vote. It takes
// some minutes: TENGEN_FULL=1.
func demoClub(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	c := openClub(t, regulars.Options{Pace: regulars.Span{Least: 100 * time.Millisecond, Most: 300 * time.Millisecond},
		Ideas: regulars.Span{Least: time.Hour, Most: time.Hour}})
	web := httptest.NewServer(c.h.page)
	t.Cleanup(web.Close)
	ann := b.Tab("Ann", web.URL+"/?as=Ann&in=gomoku", 1280, 860)
	ann.Click("Gomoku 15×15")
	ann.Click("Gomoku 9×9")

	offer(ann, "challenge")
	playMine(ann)
	ann.Shot("club-challenge")

	offer(ann, "cup")
	ann.Sees("Cup of eight is open")
	ann.Click("Join")
	ann.Sees("8 joined")
	ann.Shot("club-joined")
	cup := c.event()
	for end := time.Now().Add(8 * time.Minute); !cup().Ended && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, rec := range c.running() {
			ann.ClickAt(fmt.Sprintf(`document.querySelector('.place[href$="in=%d"]')`, rec.Place.Channel), "the thread")
			playMine(ann)
		}
	}
	if !cup().Ended || len(cup().Paired) != 3 {
		t.Errorf("the knockout: ended %v after %d rounds", cup().Ended, len(cup().Paired))
	}
	ann.ClickAt(`document.querySelector('.place[href$="in=gomoku"]')`, "the channel")
	ann.Sees("won, out of 8 players")
	ann.Shot("club-cup")

	offer(ann, "ladder")
	ann.Until(`/7\.\s*@/.test(document.getElementById("messages").innerText)`) // all others have joined
	ann.Click("Join")
	ann.Sees("You are at place 8")
	pick(ann, "Whom do you challenge", "Place 7")
	playMine(ann)
	ann.Shot("club-ladder")

	offer(ann, "together")
	vote := `[...document.querySelectorAll("#messages .message")].findLast((b) => b.querySelector("[data-key*=':vote:']"))`
	ann.Until(vote)
	move := ann.Eval(vote + `.innerText.match(/move (\d+)/)[1]`)
	ann.ClickAt(vote+`.querySelector(".pad .button[data-key*=':vote:']:not(:disabled)")`, "a point")
	ann.Sees("You vote for")
	ann.Until(vote + `?.innerText.match(/move (\d+)/)[1] > ` + move)
	ann.Shot("club-vote")
}

// playMine has Ann play her newest game here to its end.
func playMine(ann *browser.Tab) {
	board := `[...document.querySelectorAll("#messages .box")].findLast((b) => b.querySelector("[data-key*=':play:']"))`
	mine := `/@Ann to move/.test(` + board + `?.innerText)`
	number := `(` + board + `?.innerText.match(/move (\d+)/)?.[1])`
	asked := `document.querySelector("#messages [data-key*=undoyes]")`
	ann.Until(board)
	for ann.Eval(`Boolean(`+board+`)`) == "true" {
		ann.Until(`!(` + board + `) || ` + mine + ` || ` + asked)
		switch {
		case ann.Eval(`Boolean(`+asked+`)`) == "true":
			ann.ClickAt(asked, "Allow")
			ann.Until(`!` + asked)
		case ann.Eval(mine) == "true":
			before := ann.Eval(number)
			points := board + `?.querySelectorAll(".pad .button[data-key*=':play:']:not(:disabled)")`
			ann.ClickAt(`((l) => l[Math.floor(l.length / 2)])(`+points+` ?? [])`, "a point")
			ann.Until(number + ` !== ` + strconv.Quote(before))
		}
	}
}

// demoWholeGame is a game of forty moves against the bot: the board keeps its height from the second move to the last,
// frame by frame. It takes a while: TENGEN_FULL=1.
func demoWholeGame(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	for _, width := range []int{390, 1280} {
		c := openClub(t, regulars.Options{Ideas: regulars.Span{Least: time.Hour, Most: time.Hour}})
		web := httptest.NewServer(c.h.page)
		t.Cleanup(web.Close)
		ann := b.Tab("Ann", web.URL+"/?as=Ann&in=gomoku", width, 844)
		ann.Click("Usual level")
		ann.Click("2 · Novice")
		ann.Click("Play against the bot")
		mine := `/@Ann to move/.test(` + lastBoard + `?.innerText)`
		number := `+(` + lastBoard + `?.innerText.match(/move (\d+)/) ?? [])[1]`
		const moves = 40
		for n := 0; n < moves; {
			ann.Until(mine)
			rec := c.running()[0]
			if n = rec.Game().Len(); n >= 2 && ann.Eval(`window.seen === undefined`) == "true" {
				ann.Eval(frames) // how to begin is said no more
			}
			c.annPresses(rec, "play", c.lasting(rec).String())
			ann.Until(number + fmt.Sprintf(` > %d`, n+1))
		}
		ann.Until(mine)
		if got := ann.Eval(`[...new Set(seen.map((now) => now[1]))].length`); got != "1" {
			t.Errorf("%d wide: heights by moves: %s", width, ann.Eval(`JSON.stringify(seen)`))
		}
		t.Logf("%d wide, %s moves, %s changes, heights %s", width, ann.Eval(number), ann.Eval(`seen.length`),
			ann.Eval(`JSON.stringify([...new Set(seen.map((now) => now[1]))])`))
		ann.Close()
	}
}

// lasting is a move after which the game goes on: the best one that neither wins nor lets the other side win.
func (c *club) lasting(rec storage.Record) game.Point {
	c.t.Helper()
	report, err := ai.Search(c.t.Context(), rec.Game(), ai.Limits{Nodes: 20_000})
	testkit.Must(c.t, err)
	moves := []game.Point{report.Move}
	for _, m := range report.Candidates {
		moves = append(moves, m.Move)
	}
	for _, p := range append(moves, rec.Game().Legal().Points()...) {
		g, err := rec.Game().Play(p)
		if err != nil || g.Turn() == game.Empty {
			continue
		}
		if answer, err := ai.Search(c.t.Context(), g, ai.Limits{Nodes: 3000}); err == nil && answer.Proof != engine.Win {
			return p
		}
	}
	return report.Move
}
