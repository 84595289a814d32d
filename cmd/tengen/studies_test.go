package main

import (
	"testing"

	"tengen/internal/browser"
)

// demoAnalyze: a record on the analysis board, on a desktop and on a phone: the engine's line, a proven win by its
// name, a move that is tried.
func demoAnalyze(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 900)
	tell(ann, "/analyze text:gomoku h8i9h9h10i8i7g8 ")
	shows(ann, "Gomoku 15×15 · 7 moves", "analyze-record")
	ann.Click("Analyze")
	shows(ann, "After move 7 of 7", "analyze-board")
	ann.Click("Engine")
	shows(ann, "I searched", "analyze-engine")
	ann.Click("Keep this line")
	ann.Until(`!` + lastMessage + `.innerText.includes("I searched")`)
	ann.Click("Try moves")
	shows(ann, "Press a point", "analyze-pad")
	pressLast(ann)
	ann.Until(lastMessage + `.innerText.includes("branch 2 of 2")`)
	ann.Click("Done")
	ann.Until(`!` + lastMessage + `.innerText.includes("Press a point")`)
	shows(ann, "branch 2 of 2", "analyze-branch")
	ann.Click("My studies")
	shows(ann, "no study", "analyze-studies")
}
