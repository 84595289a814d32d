package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/bot/regulars"
	"tengen/internal/browser"
	"tengen/internal/testkit"
)

// pictures are those of the documentation, each of one press on the first page: how it comes about, and what is on it
// then. This makes them anew:
//
//	DEMO_SHOTS=$PWD/docs go test ./cmd/tengen -run TestPictures
var pictures = []struct {
	name string
	make func(ann *browser.Tab)
	then string // JavaScript
}{
	{"demo", func(ann *browser.Tab) {
		tell(ann, "/analyze text:gomoku h8i9g7i7g9i8i6i10i11g8f10j9h9f9h7h10j11f7k9 ")
		ann.Click("Play on against the bot")
	}, lastBoard + `?.querySelector(".row button:not(:disabled)[data-key*=play]")`},
	{"demo-first", func(*browser.Tab) {}, `document.querySelectorAll(".offer").length === 8`},
	{"demo-challenge", func(ann *browser.Tab) { offer(ann, "challenge") }, lastMessage + `?.querySelector(".pad")`},
	{"demo-puzzle", func(ann *browser.Tab) { offer(ann, "puzzle") }, lastMessage + `?.innerText.includes("to move")`},
	{"demo-learn", func(ann *browser.Tab) { offer(ann, "learn") }, lastMessage + `?.querySelector(".picture, .button")`},
	{"demo-cup", func(ann *browser.Tab) {
		offer(ann, "cup")
		ann.Click("Join")
	}, lastMessage + `?.innerText.includes("8 joined")`},
	{"demo-watch", func(ann *browser.Tab) { offer(ann, "watch") }, `/move ([5-9]|\d\d)/.test(` + lastMessage + `?.innerText)`},
	{"demo-together", func(ann *browser.Tab) { offer(ann, "together") },
		`(` + lastMessage + `?.innerText.match(/[A-O]\d+ \d/g) ?? []).length > 3`},
	{"demo-simul", func(ann *browser.Tab) { offer(ann, "simul") }, lastMessage + `?.innerText.includes("@Hugo")`},
	{"demo-ladder", func(ann *browser.Tab) { offer(ann, "ladder") }, `/7\.\s*@/.test(` + lastMessage + `?.innerText)`},
}

// Each press of the first page gives what it says, as the pictures of the documentation show. TENGEN_EVERY_PART=1 has
// all of them.
func TestPictures(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	for i, p := range pictures {
		if i%testkit.Dose("TENGEN_EVERY_PART", 3) != 0 && os.Getenv("DEMO_SHOTS") == "" {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			c := openClub(t, regulars.Options{Ideas: regulars.Span{Least: time.Hour, Most: time.Hour}})
			web := httptest.NewServer(c.h.page)
			t.Cleanup(web.Close)
			ann := b.For(t).Tab("Ann", web.URL+"/?as=Ann&in=gomoku", 1000, 920)
			ann.Sees("Play against the bot")
			p.make(ann)
			ann.Until(p.then + ` && [...document.querySelectorAll("#messages img")].every((i) => i.complete)`)
			ann.ClickAt(`document.getElementById("topic")`, "nothing, to take the pointer away")
			ann.Eval(`document.getElementById("log").scrollTop = 1e6`)
			ann.Shot(p.name)
			if p.name == "demo" {
				ann.Resize(390, 844)
				ann.Eval(lastBoard + `.scrollIntoView({block: "end"})`)
				ann.Shot("demo-phone")
			}
		})
	}
}

// The documentation shows these pictures, and no others of the demo.
func TestPicturesAreShown(t *testing.T) {
	want := []string{"demo-phone"}
	for _, p := range pictures {
		want = append(want, p.name)
	}
	files := testkit.Got(filepath.Glob("../../docs/demo*.png"))
	page := string(testkit.Read(t, "../../docs/demo.md"))
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".png")
		if !slices.Contains(want, name) {
			t.Errorf("nothing makes %s", f)
		}
	}
	for _, name := range want {
		if !strings.Contains(page, "("+name+".png)") || !slices.Contains(files, "../../docs/"+name+".png") {
			t.Errorf("docs/demo.md does not show %s.png, or it is not there", name)
		}
	}
}
