package demo_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/internal/browser"
	"tengen/internal/testkit"
)

const lastMessage = `[...document.querySelectorAll("#messages .message")].pop()`

// The page in a real browser, one for all parts.
func TestPage(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *browser.Browser)
	}{
		{"shows everything", pageShowsEverything},
		{"private", pagePrivate},
		{"keyboard", pageKeyboard},
		{"pad", pagePad},
		{"menus and files", pageMenusAndFiles},
		{"phone", pagePhone},
		{"places", pagePlaces},
		{"long", pageLong},
		{"members", pageMembers},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, b.For(t))
		})
	}
}

// Everything that a bot can show, in both colors, and nothing of it as markup.
func pageShowsEverything(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1280, 860)
	ann.Sees("Play against the bot")
	ann.Shot("welcome")
	member := s.world.Member("Ann")
	member.Slash("#gomoku", "/markdown")
	ann.Sees("small print")
	ann.Shot("markdown")
	for what, js := range map[string]string{
		"headings":                `[..."123"].every((n) => document.querySelector(".prose .h" + n + "[role=heading]"))`,
		"bold":                    `document.querySelector(".prose strong").innerText === "bold"`,
		"italic":                  `document.querySelector(".prose em").innerText === "italic"`,
		"code":                    `document.querySelector(".prose p code").innerText === "code"`,
		"code block":              `document.querySelector(".prose pre").innerText.trim() === "x := <b>1</b>"`,
		"quote":                   `document.querySelector(".prose blockquote").innerText.trim() === "quoted\ntwice"`,
		"list":                    `document.querySelectorAll(".prose ul li").length === 2`,
		"relative time":           `/^\d+ years ago$/.test(document.querySelector("time[data-relative]").innerText)`,
		"nearly a day":            `(await import("./text.js")).mark("<t:" + Math.floor(Date.now() / 1000 + 86400) + ":R>", {})[0].innerText === "tomorrow"`,
		"lines are apart":         `(await import("./text.js")).flat("**one**\ntwo", {}) === "one two"`,
		"escaped":                 `document.querySelector(".prose").innerText.includes("*not italic*")`,
		"link":                    `document.querySelector(".prose a").href === "https://example.com/a?b=c" && document.querySelector(".prose a").rel.includes("noopener")`,
		"bare link":               `[...document.querySelectorAll(".prose a")].pop().innerText === "https://example.com/plain"`,
		"snake case":              `document.querySelector(".prose").innerText.includes("snake_case_name")`,
		"markup stays text":       `document.querySelector(".prose").innerText.includes("<img src=x onerror=alert(1)>") && !document.querySelector(".prose img, .prose script")`,
		"stones, and their words": `document.querySelector(".stone.black").innerText === "⚫"`,
	} {
		if ann.Eval(js) != "true" {
			t.Errorf("%s: not so", what)
		}
	}
	ann.Until(`document.querySelector(".spoiler")`)
	ann.ClickAt(`document.querySelector(".spoiler")`, "the hidden text")
	ann.Until(`document.querySelector(".spoiler.shown")`)

	member.Slash("#gomoku", "/everything")
	ann.Sees("game.sgf")
	ann.Until(`document.querySelector(".thumb img")?.naturalWidth === 60`)
	testkit.Want(t, "alt text", ann.Eval(`document.querySelector(".thumb img").alt`), "A thumbnail")
	beside := `[...document.querySelectorAll(".section .button")].pop()`
	if got := ann.Eval(beside + `.getBoundingClientRect().left >= ` + beside +
		`.parentNode.firstChild.getBoundingClientRect().right`); got != "true" {
		t.Error("the button of a section does not stand beside its texts")
	}
	if got := ann.Eval(beside + `.offsetHeight < 44`); got != "true" {
		t.Error("the label of a section's button is broken over lines")
	}
	ann.Click("Success")
	ann.Sees("pressed b2")
	pageEmoji(t, s, ann)
	ann.Click("Choose a game")
	ann.Sees("The first of them")
	ann.Keys("s")
	ann.Shot("select")
	ann.Keys(browser.Enter)
	ann.Sees("chosen 2")
	member.Try().Slash("#gomoku", "/think") // Try: it thinks for ever
	ann.Sees("tengen is thinking…")
	ann.Shot("everything")
	nameless := `[...document.querySelectorAll("button, a, input, textarea, [role=dialog], dialog, [role=listbox]")]
		.filter((n) => !n.closest("[aria-hidden=true]") && n.checkVisibility())
		.filter((n) => !(n.getAttribute("aria-label") || n.getAttribute("aria-labelledby") || n.innerText.trim() || n.labels?.length || n.querySelector("img[alt]:not([alt=''])")))`
	if got := ann.Eval(nameless + `.map((n) => n.outerHTML).join("\n")`); got != "" {
		t.Errorf("without a name for those who cannot see them:\n%s", got)
	}
	testkit.Want(t, "ids that occur twice", ann.Eval(`[...document.querySelectorAll("[id]")].map((n) => n.id).filter((id, i, all) => all.indexOf(id) !== i).join()`), "")
	ann.Dark(true)
	ann.Until(`getComputedStyle(document.body).backgroundColor === "rgb(36, 34, 31)"`)
	ann.Shot("dark")
	ann.Click("Colors: as the system has them")
	ann.Until(`getComputedStyle(document.body).backgroundColor === "rgb(255, 253, 249)"`)
	ann.Click("Colors: light")
	ann.Until(`getComputedStyle(document.body).backgroundColor === "rgb(36, 34, 31)"`)
}

// An emoji of the application is its picture; one that is gone is its name.
func pageEmoji(t *testing.T, s site, ann *browser.Tab) {
	made := testkit.Got(s.world.Act(t.Context(), standin.Action{Do: "add-emoji", Name: "black_stone",
		Text: string(picture(128))}))
	s.world.Member("Ann").Says("#gomoku", "drawn <:black_stone:"+made.IDs[0]+
		"> and lost <:white_stone:1>")
	ann.Until(lastMessage + `.querySelector(".emoji img")?.naturalWidth === 128`)
	testkit.Want(t, "the emoji is called", ann.Eval(lastMessage+`.querySelector(".emoji img").alt`), "black stone")
	ann.Sees(":white_stone:")
}

// A private answer is for one member; the other tab of the same member has it too.
func pagePrivate(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1100, 800)
	ben := b.Tab("Ben", s.URL+"/?as=Ben&in=gomoku", 1100, 800)
	ann.Sees("Play against the bot")
	ben.Sees("Play against the bot")
	ann.Keys("/private" + browser.Enter + browser.Enter)
	ann.Sees("Only you can see this")
	ann.Keys("/ping" + browser.Enter + browser.Enter)
	ben.Sees("here")
	if ben.Eval(`document.body.innerText.includes("Only you")`) != "false" {
		t.Error("Ben sees Ann's private answer")
	}
	ann.Click("Dismiss")
	ann.Misses("Only you can see this")
}

// The whole of a command from the keyboard, with what is announced to those who listen.
func pageKeyboard(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1100, 800)
	ann.Sees("Play against the bot")
	active := `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText`

	ann.Keys("/")
	ann.Until(`document.activeElement.getAttribute("aria-expanded") === "true"`)
	ann.Shot("commands-all")
	first := ann.Eval(active)
	ann.Keys(browser.Down + browser.Down + browser.Up)
	if ann.Eval(active) == first {
		t.Error("the arrows do not move")
	}
	ann.Keys(browser.Escape)
	ann.Until(`document.activeElement.getAttribute("aria-expanded") === "false"`)
	ann.Keys("move ")
	ann.Until(`document.activeElement.id === "option-at"`)
	ann.Keys("h")
	ann.Until(active + ` === "H8"`)
	ann.Keys(browser.Down + browser.Tabs + browser.Enter)
	ann.Sees("moved to H9")
	ann.Until(`document.getElementById("announce").innerText.includes("moved to H9")`)

	// Free text, which is none of what is proposed.
	ann.Keys("/move z9")
	ann.Sees("Nothing to propose.")
	ann.Keys(browser.Enter)
	ann.Sees("moved to z9")

	// A missing option, and one that is wrong.
	ann.Keys("/ask member ")
	ann.Until(`document.activeElement.id === "option-opponent"`)
	ann.Keys("nobody" + browser.Enter)
	ann.Sees("none of the choices")
	ann.Keys(browser.Escape)
	ann.Keys(browser.Escape)
	ann.Until(`document.querySelector("#composer textarea") === document.activeElement`)

	// Options by name, choices, a truth value.
	ann.Paste("/ask member opponent:Ben rated:true note:good luck to you")
	ann.Shot("options")
	ann.Keys(browser.Enter)
	ann.Until(`!document.querySelector(".suggest")`)
	ann.Keys(browser.Enter)
	ann.Sees("rated=true note=good luck to you")

	// An optional one is added, and taken away again by going back.
	ann.Keys("/play ")
	ann.Click("3 optional")
	ann.Keys(browser.Down + browser.Enter)
	ann.Until(`document.activeElement.id === "option-game"`)
	ann.Keys("ren" + browser.Enter + browser.Enter)
	ann.Sees("game=renju")
	ann.Keys("/nothing" + browser.Enter)
	ann.Sees("There is no command /nothing")
}

// The pad from the keyboard: the arrows move as the points lie, and a board that changes
// under the finger keeps it.
func pagePad(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1100, 900)
	ann.Click("Play against the bot")
	ann.Until(`document.querySelector('[data-key="play.F9"]')`)
	ann.Eval(`document.querySelector('[data-key="play.F9"]').focus()`)
	ann.Keys(browser.Right + browser.Right + browser.Down) // H8 is taken: beyond it
	testkit.Want(t, "the arrows lead to", ann.Eval(`document.activeElement.dataset.key`), "play.H7")
	ann.Keys(browser.Enter)
	ann.Sees("pressed play.H7")
	testkit.Want(t, "after the press the keyboard is at", ann.Eval(`document.activeElement.dataset.key`), "play.H7")
	ann.Until(`document.getElementById("announce").innerText.includes("pressed play.H7")`)

	// The picture, large, and back.
	ann.ClickAt(lastMessage+`.querySelector(".picture")`, "the board")
	ann.Sees("Open in a tab of its own")
	ann.Shot("enlarged")
	ann.Keys(browser.Escape)
	ann.Misses("Open in a tab of its own")

	// The form.
	ann.Click("More")
	ann.Sees("Type your move")
	ann.Keys(browser.Enter)
	ann.Sees("must be filled in")
	ann.Keys("G7")
	ann.Shot("form")
	ann.Keys(browser.Enter)
	ann.Sees("typed G7")
	ann.Misses("Type your move")
}

// Menus on members and messages, files there and back.
func pageMenusAndFiles(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1280, 800)
	ann.Sees("Play against the bot")
	ann.ClickAt(`[...document.querySelectorAll(".person")].find((p) => p.innerText.includes("Ben"))`, "Ben")
	ann.Click("Challenge to a game")
	ann.Sees("@Ben is challenged")
	ann.Sees("Ann used Challenge to a game")

	ann.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	ann.Keys("(;GM[4]SZ[15]) **mine**" + browser.Enter)
	ann.Sees("mine")
	ann.ClickAt(lastMessage+`.querySelector(".more")`, "the message's menu")
	ann.Shot("message-menu")
	ann.Click("Load this record")
	ann.Sees("loaded (;GM[4]SZ[15])")

	path := filepath.Join(t.TempDir(), "game.sgf")
	testkit.Write(t, path, []byte("(;GM[4]SZ[15])"))
	ann.Keys("/import ")
	ann.Until(`document.querySelector("#composer .field input[type=file]")`)
	ann.Files("#composer .field input[type=file]", path)
	ann.Until(`document.querySelector("#composer .choose").innerText.includes("game.sgf")`)
	ann.Click("Send /import")
	ann.Sees("got game.sgf of 14 bytes")
}

// A phone of the narrowest kind: nothing sticks out, the rows of the pad stay whole, and
// the channel list is a drawer.
func pagePhone(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 320, 640)
	ann.Sees("Play against the bot")
	ann.Shot("phone-welcome")
	ann.Click("Play against the bot")
	ann.Until(`document.querySelector('[data-key="play.F9"]')`)
	s.world.Member("Ann").Slash("#gomoku", "/everything")
	ann.Sees("game.sgf")
	ann.Shot("phone-everything")
	ann.Eval(`document.querySelector('[data-key="play.F6"]').scrollIntoView({block: "end"})`)
	ann.Shot("phone-board")
	if got := ann.Eval(`document.documentElement.scrollWidth + " " + document.getElementById("log").scrollWidth`); got != "320 320" {
		t.Errorf("the page is %s wide, want 320", got)
	}
	if got := ann.Eval(`[...document.querySelectorAll(".pad")].every((r) => new Set([...r.children].map((b) => b.offsetTop)).size === 1)`); got != "true" {
		t.Error("a row of the pad is broken")
	}
	if got := ann.Eval(`Math.min(...[...document.querySelectorAll(".button")].map((b) => Math.min(b.offsetWidth, b.offsetHeight)))`); got < "44" {
		t.Errorf("the smallest button is %s pixels, want 44", got)
	}
	ann.Click("Channels")
	ann.Until(`!document.querySelector("#side").getAnimations().length`)
	ann.Shot("phone-drawer")
	ann.Click("renju")
	ann.Sees("Welcome to #renju")
	ann.Until(`!document.body.classList.contains("drawn")`)
	ann.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	ann.Keys("/p")
	ann.Until(`document.querySelector(".suggest")`)
	ann.Shot("phone-commands")
}

// What happens elsewhere is shown in the list of places; the address leads back there.
func pagePlaces(t *testing.T, b *browser.Browser) {
	s := open(t)
	ann := b.Tab("Ann", s.URL+"/", 1280, 800)
	ann.Sees("Welcome to #gomoku")
	s.world.Member("Ben").Says("#renju", "hello <@"+
		ann.Eval(`(await fetch("api/world?as=Ann").then((r) => r.json())).me.id`)+">")
	ann.Until(`document.querySelector(".place.unread")?.innerText.includes("renju")`)
	ann.Click("renju")
	ann.Sees("hello @Ann")
	ann.Until(`location.search === "?as=Ann&in=renju" && !document.querySelector(".place.unread")`)
	ann.ClickAt(`[...document.querySelectorAll(".place")].pop()`, "the bot's direct messages")
	ann.Sees("seen by you alone")
	ann.Eval(`history.back()`)
	ann.Sees("hello @Ann")

	// A thread opens below its channel.
	s.world.Act(t.Context(), standin.Action{Do: "add-channel", At: "Tengen Club#analysis"})
	ann.Sees("analysis")
	ann.ClickAt(`document.querySelector('.selves [data-name="Ben"]')`, "Ben")
	ann.Until(`location.search === "?as=Ben&in=renju"`)
	ann.Until(`document.querySelector('.selves [aria-checked="true"]')?.innerText.includes("Ben")`)
}

// Many messages: the newest are drawn, the others on demand.
func pageLong(t *testing.T, b *browser.Browser) {
	s := open(t)
	ben := s.world.Member("Ben")
	for n := range 150 {
		ben.Says("#gomoku", fmt.Sprintf("line %d", n))
	}
	ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1100, 700)
	ann.Sees("line 149")
	testkit.Want(t, "messages drawn", ann.Eval(`document.querySelectorAll(".message").length`), "60")
	ann.Eval(`document.getElementById("log").scrollTop = 0`)
	ann.Click("Show earlier messages")
	ann.Sees("line 30")
	ben.Says("#gomoku", "news")
	ann.Click("New messages")
	ann.Sees("news")
	if y := ann.Eval(lastMessage + `.getBoundingClientRect().bottom < innerHeight`); y != "true" {
		t.Error("the newest message is not in view")
	}
	if strings.Contains(ann.Eval(`document.body.innerText`), "line 5\n") {
		t.Error("all messages are drawn")
	}
}

// As few and as many members as there can be: each can be chosen, and is in the list, on a wide and a narrow
// window, and the channels stay in sight.
func pageMembers(t *testing.T, b *browser.Browser) {
	for _, members := range []int{demo.MinMembers, 8, demo.MaxMembers} {
		s := openFor(t, members)
		ann := b.Tab("Ann", s.URL+"/?as=Ann&in=gomoku", 1280, 800)
		ann.Sees("Play against the bot")
		for _, list := range []string{".selves button", "#members .person:not(:has(.tag))"} {
			if n := ann.Eval(`document.querySelectorAll("` + list + `").length`); n != fmt.Sprint(members) {
				t.Errorf("%s has %s of %d members", list, n, members)
			}
		}
		for _, size := range [][2]int{{1280, 800}, {390, 844}, {320, 568}} {
			ann.Resize(size[0], size[1])
			if size[0] == 390 { // and it stays open
				ann.Click("Channels")
				ann.Until(`!document.querySelector("#side").getAnimations().length`)
			}
			if got := ann.Eval(`document.documentElement.scrollWidth`); got != fmt.Sprint(size[0]) {
				t.Errorf("%d members: the page is %s wide, want %d", members, got, size[0])
			}
			if got := ann.Eval(`[...document.querySelectorAll(".selves button")].filter((b) => b.scrollWidth > b.clientWidth || b.offsetHeight < 44).map((b) => b.innerText + b.offsetHeight).join()`); got != "" {
				t.Errorf("%d members, %d wide: too small for their names, or for a finger: %s", members, size[0], got)
			}
			if got := ann.Eval(`document.querySelector("#places").clientHeight >= 120`); got != "true" {
				t.Errorf("%d members, %v: no room is left for the channels", members, size)
			}
			ann.Shot(fmt.Sprintf("members-%d-%d", members, size[0]))
		}
		last := ann.Eval(`[...document.querySelectorAll(".selves button")].pop().dataset.name`)
		ann.ClickAt(`[...document.querySelectorAll(".selves button")].pop()`, last)
		ann.Until(`location.search === "?as=` + last + `&in=gomoku"`)
		ann.Close()
	}
}
