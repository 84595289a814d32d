package main

import (
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/regulars"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/internal/browser"
	"tengen/internal/testkit"
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
	ann.Click("忽略") // what the bot answered
	ann.Misses("/settings")
	names := "tengen|Discord|Tengen Club|gomoku|renju|reversi|Ann|" + strings.Join(eightNames[1:], "|")
	english := `[document.body.innerText, ...[...document.querySelectorAll("[aria-label],[title],[placeholder]")].flatMap((n) =>
		["aria-label", "title", "placeholder"].map((a) => n.getAttribute(a) ?? ""))]
		.join("\n").replace(/` + names + `/g, "").match(/.*[A-Za-z]{2,}.*/g)?.join("\n") ?? ""`
	testkit.Want(t, "a page in Chinese says in English", ann.Eval(english), "")
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
	end := time.Now().Add(8 * time.Minute)
	for ; !cup().Ended && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, rec := range c.running() {
			if rec.Place == c.place {
				continue // its thread is not there yet
			}
			// other threads open meanwhile, and the list moves under the pointer
			in := fmt.Sprintf("in=%d", rec.Place.Channel)
			ann.Until(`(document.querySelector('.place[href$="` + in + `"]')?.click(), location.search.endsWith("` + in + `"))`)
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
	voted := vote + `?.innerText.match(/move (\d+)/)[1] > ` + move
	for range 40 { // a minute is longer than a tab waits
		if ann.Eval(`Boolean(`+voted+`)`) == "true" {
			break
		}
		time.Sleep(2 * time.Second)
	}
	ann.Until(voted)
	ann.Shot("club-vote")
}

// playMine has Ann play her newest game here to its end.
func playMine(ann *browser.Tab) {
	board := `[...document.querySelectorAll("#messages .body")].findLast((b) => b.querySelector("[data-key*=':play:']"))`
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
	const moves = 40
	mine, over := `/@Ann to move/.test(`+lastBoard+`?.innerText)`, `/wins|Draw/.test(`+lastBoard+`?.innerText)`
	for _, width := range []int{390, 1280} {
		c := openClub(t, regulars.Options{Ideas: regulars.Span{Least: time.Hour, Most: time.Hour}})
		web := httptest.NewServer(c.h.page)
		t.Cleanup(web.Close)
		ann := b.Tab("Ann", web.URL+"/?as=Ann&in=gomoku", width, 844)
		ann.Click("Usual level")
		ann.Click("4 · Club player")
		n := 0
		for game := 1; n < moves && game <= 12; game++ { // a game may be over before
			ann.Click("Play against the bot")
			ann.Until(mine)
			for n = 0; n < moves; {
				ann.Until(mine + ` || ` + over)
				if ann.Eval(over) == "true" {
					break
				}
				rec := c.running()[0]
				if n = rec.Game().Len(); n < 4 { // how to begin is said no more
					ann.Eval(frames)
				}
				c.annPresses(rec, "play", c.lasting(rec.Game()).String())
				ann.Until(over + ` || ` + fmt.Sprintf(`+%s.innerText.match(/move (\d+)/)?.[1] > %d`, lastBoard, n+1))
			}
			t.Logf("%d wide, game %d, %d moves: moves and heights %s", width, game, n, ann.Eval(`JSON.stringify(seen)`))
		}
		if got := ann.Eval(`[...new Set(seen.filter((now) => now[0]).map((now) => now[1]))].length`); got != "1" || n < moves {
			t.Errorf("%d wide, %d moves: heights by moves: %s", width, n, ann.Eval(`JSON.stringify(seen)`))
		}
		ann.Close()
	}
}

// lasting is a move of one who wants to play on rather than win: of those that either side would like, the one after
// which the chances are the most even.
func (c *club) lasting(g game.Game) (best game.Point) {
	other := testkit.Got(game.From(g.Rules(), g.Position(), g.Turn().Other()))
	least := 2.0
	for _, side := range []game.Game{g, other} {
		report := testkit.Got(ai.Search(c.t.Context(), side, ai.Limits{Nodes: 20_000}))
		for _, m := range append(report.Candidates, ai.Candidate{Move: report.Move}) {
			next, err := g.Play(m.Move)
			if err != nil {
				continue
			}
			uneven := 1.5 // where it ends the game
			if next.Turn() != game.Empty {
				answer := testkit.Got(ai.Search(c.t.Context(), next, ai.Limits{Nodes: 10_000}))
				if uneven = math.Abs(answer.Win - 0.5); answer.Proof == engine.Win {
					uneven = 1
				}
			}
			if uneven < least {
				best, least = m.Move, uneven
			}
		}
	}
	return best
}

// demoNewcomer is a server that has just got the bot, and a member who reads nothing: from the welcome by two presses
// to the first game, to its end, and to a profile after ten games. It takes a while: TENGEN_FULL=1.
func demoNewcomer(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	c := openClub(t, regulars.Options{Ideas: regulars.Span{Least: time.Hour, Most: time.Hour}})
	for _, a := range []standin.Action{{Do: "add-guild", Name: "Tavern", Values: []string{"hall"}},
		{Do: "system-channel", At: "Tavern#hall"}, {Do: "invite-bot", Name: "Tavern"}} {
		testkit.Got(c.h.discord.Act(t.Context(), a))
	}
	web := httptest.NewServer(c.h.page)
	t.Cleanup(web.Close)
	ann := b.Tab("Ann", web.URL+"/?as=Ann&in=gomoku", 1280, 860)
	ann.ClickAt(`[...document.querySelectorAll(".place")].find((n) => n.innerText.includes("hall"))`,
		"the hall")
	shows(ann, "I bring Gomoku, Renju and Reversi", "newcomer-welcome")
	ann.ClickAt(lastMessage+`.querySelector(".button")`, "Play")
	shows(ann, "With: The bot", "newcomer-play")
	ann.Click("Start")
	playMine(ann)
	shows(ann, "that was a first game here", "newcomer-end")
	for range 9 {
		tell(ann, "/play with:bot game:gomoku9 level:1 color:black ")
		playMine(ann)
	}
	tell(ann, "/profile ")
	shows(ann, "Level 1 of the bot", "newcomer-profile")
}
