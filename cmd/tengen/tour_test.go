package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tengen/internal/browser"
)

// boardHere is the newest message on a page with a picture.
const boardHere = `[...document.querySelectorAll("#messages .message:has(.picture)")].pop()`

// everyMessage is how many messages a place has on a page.
const everyMessage = `document.querySelectorAll("#messages .message").length`

// twoSeats are two members in one place, each in a tab, whose game by a command has begun.
func twoSeats(b *browser.Browser, address, at, command string) (black, white *browser.Tab) {
	ann := b.Tab("Ann", address+"?as=Ann&in="+at, 1280, 900)
	ben := b.Tab("Ben", address+"?as=Ben&in="+at, 390, 844)
	ben.Sees("Play against the bot")
	tell(ann, command)
	ben.Click("Accept")
	ben.Until(boardHere + `?.querySelector(".pad")`)
	ann.Until(boardHere + `?.querySelector(".pad")`)
	if strings.Contains(ann.Eval(boardHere+`.innerText`), "⚫ @Ben") {
		return ben, ann
	}
	return ann, ben
}

// tell sends a line as a member types it.
func tell(tab *browser.Tab, line string) {
	tab.Sees("Play against the bot")
	tab.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	tab.Paste(line)
	if strings.HasPrefix(line, "/") {
		tab.ClickAt(`document.querySelector("#composer [aria-label^='Send']:not(:disabled)")`, "Send")
		return
	}
	tab.Keys(browser.Enter)
}

// Nobody gets five in a row who takes points of these alone, each their own.
const quietPoints = `((mine) => [...%s.querySelectorAll("button:not(:disabled)[data-key*=play]")].find((n) => {
	const p = n.innerText.trim(), col = p.charCodeAt(0) - 65, row = Number(p.slice(1));
	return (((col >> 1) + row) & 1) === mine;
}))(%d)`

// moveQuietly makes the move of that number, by the pad, wherever it has to be moved to.
func moveQuietly(tab *browser.Tab, n int) {
	tab.Until(fmt.Sprintf(`%s?.innerText.includes("move %d ")`, boardHere, n))
	point := fmt.Sprintf(quietPoints, boardHere, n%2)
	for try := 0; tab.Eval(`Boolean(`+point+`)`) != "true"; try++ {
		before := tab.Eval(boardHere + `.innerText`)
		arrows := boardHere + `.querySelectorAll("button[data-key*=pad]:not([data-key*=parts])")`
		tab.ClickAt(fmt.Sprintf(`((l) => l[%d %% l.length])([...%s])`, n+try, arrows), "an arrow")
		tab.Until(fmt.Sprintf(`%s.innerText !== %q`, boardHere, before))
	}
	tab.ClickAt(point, "a point")
	tab.Until(fmt.Sprintf(`%s?.innerText.includes("move %d ")`, boardHere, n+1))
}

// demoOneMessage: forty moves between two members, on a desktop and on a phone, leave one message
// and no call. It takes a while: TENGEN_FULL=1.
func demoOneMessage(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	address, _ := startDemo(t)
	black, white := twoSeats(b, address, "gomoku", "/play opponent:@Ben ")
	for n := 1; n <= 40; n++ {
		moveQuietly([]*browser.Tab{white, black}[n%2], n)
	}
	for name, tab := range map[string]*browser.Tab{"black": black, "white": white} {
		if n := tab.Eval(everyMessage); n != "1" {
			t.Errorf("%s sees %s messages:\n%s", name, n, tab.Eval(`document.getElementById("messages").innerText`))
		}
		tab.Shot("forty-" + name)
	}
}

// reviewedGame is a game with faults of both sides.
const reviewedGame = "h8i9g7i7i8g8h9f7h7h10h6h5g6i6g9f10f5e4k8j8j7l9i5j4g4k10f6e6g5g3e7d8d6c5f8j10k9l11e9"

// demoReview: a game is played on a phone, reviewed, a fault tried again, played on from there,
// and the review shared. It takes a while: TENGEN_FULL=1.
func demoReview(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	address, _ := startDemo(t)
	say := func(s string) string { return s }
	for _, lang := range []string{"en", "zh"} {
		ann := b.Tab("Ann"+lang, address+"?as=Ann"+lang+"&in=gomoku", 390, 844)
		tell(ann, "/analyze text:gomoku "+reviewedGame)
		ann.Sees("Gomoku 15×15 · 39 moves")
		if lang == "zh" {
			ann.Resize(1000, 844)
			ann.Click("Language: English")
			ann.Click("简体中文")
			ann.Sees("语言：简体中文")
			ann.Click("忽略")
			ann.Resize(390, 844)
			words := map[string]string{"Review": "复盘", "Try again": "再试一次", "Hint": "提示", "Solution": "答案",
				"Next fault": "下一处失误", "Step through": "逐手查看", "Share": "分享", "Play on from here against …": "从这里继续对战…",
				"Bot (level 1)": "机器人（1 级）"}
			say = func(s string) string { return cmp.Or(words[s], s) }
		}
		ann.Click("Review")
		ann.Shot("review-" + lang + "-00")
		for range 100 {
			if ann.Has(say("Step through")) {
				break
			}
			time.Sleep(2 * time.Second)
		}
		ann.Shot("review-" + lang + "-01")
		for i, step := range []string{"Try again", "Hint", "Solution", "Next fault", "Review", "Step through", "Next fault",
			"Play on from here against …", "Bot (level 1)", "Review", "Share"} {
			ann.Click(say(step))
			time.Sleep(2 * time.Second) // for those who read the pictures
			ann.Until(`[...document.querySelectorAll("#messages img")].every((n) => n.complete)`)
			ann.Shot(fmt.Sprintf("review-%s-%02d", lang, i+2))
			t.Log(ann.Eval(lastMessage + `.innerText`))
		}
		ann.Sees("shows a review")
	}
}
