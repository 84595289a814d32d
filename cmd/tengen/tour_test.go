package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

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
	black, white := twoSeats(b, address, "gomoku", "/play member opponent:@Ben ")
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
