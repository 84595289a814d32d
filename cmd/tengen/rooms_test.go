package main

import (
	"fmt"
	"os"
	"testing"

	"tengen/internal/browser"
)

// shows waits until the newest message has a text, on a phone and on a desk, where nothing sticks
// out at the side.
func shows(tab *browser.Tab, text, name string) {
	for _, width := range []int{390, 1280} {
		tab.Resize(width, 860)
		tab.Until(fmt.Sprintf(`%s?.innerText.includes(%q) && document.documentElement.scrollWidth === innerWidth`,
			lastMessage, text))
		tab.Eval(lastMessage + `.scrollIntoView({block: "end"})`)
		tab.Shot(fmt.Sprintf("%s-%d", name, width))
	}
}

// pick chooses from the newest menu of that hint.
func pick(tab *browser.Tab, hint, choice string) {
	tab.ClickAt(fmt.Sprintf(`[...document.querySelectorAll("#messages button")].filter((n) => n.innerText.includes(%q)).pop()`, hint), hint)
	tab.ClickAt(fmt.Sprintf(`[...document.querySelectorAll("[role=option]")].find((o) => o.innerText.includes(%q))`, choice), choice)
}

// pressLast presses the last point of the newest pad.
func pressLast(tab *browser.Tab) {
	tab.ClickAt(`[...`+lastMessage+`.querySelectorAll(".pad .button:not(:disabled)")].findLast((b) => /^[A-O]\d+$/.test(b.innerText))`, "a point")
}

// forfeit ends a game of a ladder without a move.
func forfeit(tab *browser.Tab) {
	tell(tab, "/game do:resign ")
	tab.Click("Forfeit")
	tab.Sees("forfeited")
}

// A puzzle with a hint, a wrong answer and the solution; the puzzle of the day; a step of a course.
func demoPuzzles(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	tell(ann, "/puzzle game:gomoku ")
	shows(ann, "to move", "puzzle")
	if ann.Eval(lastMessage+`.querySelectorAll(".pad .button:disabled").length > 0`) != "true" {
		t.Error("the pad lies where no stones are")
	}
	ann.Click("Hint")
	shows(ann, "Hint: look", "puzzle-hint")
	pressLast(ann)
	shows(ann, "Try again", "puzzle-wrong")
	ann.Click("Solution")
	shows(ann, "This is the solution", "puzzle-solution")
	tell(ann, "/server daily:here hour:09:00 zone:Europe/Berlin ")
	shows(ann, "Daily puzzle: in", "daily-server")
	tell(ann, "/puzzle do:daily ")
	shows(ann, "Daily puzzle of", "daily")
	tell(ann, "/learn game:gomoku step:1 ")
	shows(ann, "Five in a row", "learn")
	ann.ClickAt(lastMessage+`.querySelector(".button[aria-label^=Right]")`, "the next page")
	ann.Click("Your turn")
	shows(ann, "Exercise 1", "learn-exercise")
	ann.Click("L8")
	shows(ann, "Right! Well done.", "learn-right")
}

// A tournament of two from the form to its end.
func demoTournament(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	ben := b.Tab("Ben", address+"?as=Ben&in=gomoku", 1280, 860)
	tell(ann, "/event ")
	ann.Click("New tournament")
	ann.Until(`document.querySelector("dialog.form")`)
	ann.Shot("event-form")
	ann.ClickAt(`document.querySelector("dialog.form input")`, "the name")
	ann.Paste("Autumn cup")
	ann.Click("Submit")
	ann.Sees("Autumn cup is open")
	ann.Click("Join")
	ann.Sees("1 joined")
	ben.Click("Join")
	ann.Sees("2 joined")
	ann.Click("Manage")
	shows(ann, "Numbers:", "event-manage")
	pick(ann, "What would you like", "Start")
	ann.Sees("at most 1")
	ann.Click("Play 1 round")
	ann.Sees("0 of 1 game is over")
	ben.ClickAt(`document.querySelector(".place.inner")`, "the thread")
	ben.Until(lastBoard + `?.querySelector(".pad")`)
	tell(ben, "/game do:resign ")
	ben.Click("Forfeit")
	ben.Sees("Ben forfeited")
	ann.Sees("Ann won, out of 2 players") // its only round is over
	ann.Click("Standings")
	shows(ann, "@Ben", "event-end")
}

// A ladder on which a win changes the places, a storm, a streak, and a channel that votes. It takes a while:
// TENGEN_FULL=1.
func demoLadder(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=renju", 1280, 860)
	ben := b.Tab("Ben", address+"?as=Ben&in=renju", 1280, 860)
	tell(ann, "/ladder game:renju ")
	ann.Click("Set up")
	ann.Until(`document.querySelector("dialog.form")`)
	ann.Click("Submit")
	ann.Sees("Be the first: press Join")
	ann.Click("Join")
	shows(ann, "You are at place 1", "ladder-first")
	ben.Click("Join")
	shows(ben, "You are at place 2", "ladder-second")
	pick(ben, "Whom do you challenge", "Place 1")
	ann.Click("Accept")
	ann.Sees("move 1")
	forfeit(ann)
	ann.Until(`/1\.\s*@Ben/.test(document.getElementById("messages").innerText)`)
	tell(ben, "/ladder ")
	shows(ben, "You are at place 1", "ladder-won")

	for kind, text := range map[string]string{"storm": "Ends", "streak": "Streak: 0"} {
		tell(ann, "/puzzle do:"+kind+" game:gomoku ")
		shows(ann, "Start", kind+"-offered")
		ann.Click("Start")
		shows(ann, text, kind)
		if kind == "storm" {
			ann.Click("End run")
		} else {
			pressLast(ann)
		}
		shows(ann, "Once more", kind+"-over")
	}

	tell(ann, "/play with:member ")
	pick(ann, "With: A member", "The channel together")
	pick(ann, "Game: Gomoku", "Gomoku 9×9")
	ann.Click("More choices")
	pick(ann, "Your color: Random", "Black")
	pick(ann, "Time to vote", "30 seconds")
	shows(ann, "Your color: Black", "play-menu")
	ann.Click("Start")
	ann.Sees("Everybody may vote: press")
	ben.Click("E5")
	ben.Sees("You vote for E5")
	ann.Click("E5")
	ann.Sees("You vote for E5")
	ann.Click("Other points")
	shows(ann, "Press a point to vote for it", "together-elsewhere")
	ben.Until(`/Gomoku 9×9 · move 3/.test(document.getElementById("messages").innerText)`)
	ben.Resize(390, 860)
	ben.Shot("together-played")
}
