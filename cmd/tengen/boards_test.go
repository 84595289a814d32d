package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tengen/internal/browser"
	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// inFrame is the document in the frame of the Activity, where the frame has an origin.
const inFrame = `document.querySelector("#activity iframe")?.contentDocument`

// challenged begins a game of Gomoku between Ann, who has Black and a window of that size, and Ben.
func challenged(b *browser.Browser, address string, width, height int) (ann, ben *browser.Tab) {
	ann = b.Tab("Ann", address+"?as=Ann&in=gomoku", width, height)
	ben = b.Tab("Ben", address+"?as=Ben&in=gomoku", 1280, 860)
	ann.Sees("Play against the bot")
	ben.Sees("Play against the bot")
	tell(ann, "/play opponent:Ben game:gomoku color:black ")
	ben.Click("Accept")
	for _, tab := range []*browser.Tab{ann, ben} {
		tab.Until(lastBoard + `?.querySelector(".pad")`)
	}
	return ann, ben
}

// playsOn has Ben press the last point of the pad, once it is his turn, which is the move of that number.
func playsOn(ben *browser.Tab, move int) {
	ben.Until(fmt.Sprintf(`%s?.innerText.includes("move %d ")`, lastBoard, move))
	ben.Eval(`new Promise((done) => setTimeout(done, 300))`)
	ben.ClickAt(`[...`+lastBoard+
		`.querySelectorAll(".pad .button[data-key*=':play:']:not(:disabled)")].pop()`, "a point")
	ben.Until(fmt.Sprintf(`%s?.innerText.includes("move %d ")`, lastBoard, move+1))
}

// tapH taps the point of column H in a row of the board in the frame.
func tapH(ann *browser.Tab, desk bool, row int) {
	frame := `document.querySelector("#activity iframe").getBoundingClientRect()`
	var x, y float64
	if desk {
		ann.Until(inFrame + `?.querySelector("#grid button")`)
		find := fmt.Sprintf(`[...%s.querySelectorAll("#grid button")]
			.find((c) => c.ariaLabel?.split(",")[0] === "H%d")`, inFrame, row)
		testkit.Got(fmt.Sscan(ann.Eval(`((f, r) => (f.left + r.left + r.width / 2) + " " + (f.top + r.top + r.height / 2))(`+
			frame+`, `+find+`.getBoundingClientRect())`), &x, &y))
		ann.Point(x, y)
		return
	}
	// Nobody looks into a frame without an origin: the board lies below the edge, the head and the plate.
	testkit.Got(fmt.Sscan(ann.Eval(frame+`.top + 24 + 88`), &y))
	ann.Finger([2]float64{180, y + float64(15-row)*24 + 12})
}

// A whole game in the frame of the Activity, with an origin on a desk and without one on a telephone, against the
// buttons of the message. The first tap asks for consent; the frame becomes small, is closed and opened again.
func demoActivity(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	for _, c := range []struct {
		name          string
		width, height int
	}{{"desk", 1280, 800}, {"phone", 360, 740}} {
		desk := c.name == "desk"
		ann, ben := challenged(b, address, c.width, c.height)
		opens := func() {
			ann.Click("Open board")
			ann.Until(`document.querySelector("#activity iframe")`)
			ann.Eval(`new Promise((done) => setTimeout(done, 1500))`) // the edge of a telephone comes late
		}
		plays := func(row, move int) {
			moved := fmt.Sprintf(`/move %d |wins/.test(%s?.innerText)`, move+1, lastBoard)
			for end := time.Now().Add(40 * time.Second); ann.Eval(moved) != "true"; {
				if time.Now().After(end) {
					ann.Shot("failed-activity-" + c.name)
					t.Fatalf("%s: H%d is not played", c.name, row)
				}
				tapH(ann, desk, row)
				ann.Eval(`new Promise((done) => setTimeout(done, 400))`)
				if ann.Has("Authorize") {
					ann.Shot("activity-consent-" + c.name)
					ann.Click("Authorize")
				}
			}
		}
		opens()
		ann.Shot("activity-" + c.name)
		plays(8, 1)
		playsOn(ben, 2)
		plays(9, 3)
		ann.Click("Small, beside the chat")
		if desk {
			ann.Until(inFrame + `.documentElement.dataset.layout === "pip"`)
		}
		playsOn(ben, 4)
		ann.Eval(`new Promise((done) => setTimeout(done, 1200))`)
		ann.Shot("activity-small-" + c.name)
		ann.Click("Large")
		ann.Click("Leave the Activity")
		ann.Until(`document.getElementById("activity").hidden && !document.querySelector("iframe")`)
		opens()
		plays(10, 5)
		playsOn(ben, 6)
		plays(11, 7)
		playsOn(ben, 8)
		plays(12, 9)
		if desk {
			ann.Until(inFrame + `.getElementById("page").dataset.phase === "over"`)
		}
		ann.Shot("activity-end-" + c.name)
		ann.Click("Leave the Activity")
		ann.Close()
		ben.Close()
	}
}

// The dialogs that the board in the frame asks for: consent, an invitation, which is a link in direct messages, and
// another site; then the button by which an empty place closes the frame.
func demoDialogs(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	for _, width := range []int{1280, 360} {
		ann, ben := challenged(b, address, width, 760)
		ann.Eval(`localStorage.setItem("boards", "computer")`) // the test looks into the frame
		presses := func(selector, name string) {
			ann.Until(fmt.Sprintf(`((n) => n && (n.click(), true))([...(%s?.querySelectorAll(%q) ?? [])]
				.find((n) => n.textContent === %q))`, inFrame, selector, name))
		}
		answers := func(title, answer string) {
			ann.Sees(title)
			ann.Shot(fmt.Sprintf("%s-%d", strings.ToLower(strings.Fields(title)[0]), width))
			ann.Click(answer)
			ann.Until(`!document.querySelector("dialog")`)
		}
		ann.Click("Open board")
		presses("#acts button", "Play here")
		answers("Let the bot know who you are?", "Authorize")
		presses("#acts button", "Share")
		presses("#dialog a", "SGF file")
		answers("Open another site?", "Cancel")
		presses("#dialog button", "Close")
		presses("#acts button", "Invite")
		answers("A message in the channel invites the others", "Cancel")
		presses("#acts button", "Invite")
		answers("A message in the channel invites the others", "Send")
		ben.Sees("https://discord.com/activities/")

		ann.Go(address + "?as=Ann&in=bot")
		tell(ann, "/play game:gomoku color:black ")
		ann.Until(lastMessage + `?.querySelector(".pad")`) // of this game, and nothing moves before the press
		ann.Click("Open board")
		presses("#acts button", "Invite")
		answers("Come to the board!", "Send")
		ann.Sees("Come to the board! https://discord.com/activities/")

		ann.Go(address + "?as=Ann&in=reversi")
		ann.Sees("Welcome to #reversi")
		if width < 1200 {
			ann.ClickAt(`document.getElementById("who")`, "the members")
		}
		ann.ClickAt(`[...document.querySelectorAll("#members button")].pop()`, "the bot")
		ann.Click("Open the boards of this channel")
		ann.Until(inFrame + `?.body?.innerText.includes("There is no game here.")`)
		ann.Shot(fmt.Sprintf("none-%d", width))
		presses("#list button", "Close")
		ann.Until(`document.getElementById("activity").hidden`)
		ann.Close()
		ben.Close()
	}
}

// Boards in tabs of their own, by links: two members in one browser each keep their own.
func demoBoardTab(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann, ben := challenged(b, address, 1280, 860)
	link := func(tab *browser.Tab) string {
		tab.Click("Open board")
		tab.Until(lastMessage + `?.querySelector("a.button[href*='/board#']")`)
		return tab.Eval(lastMessage + `.querySelector("a.button[href*='/board#']").href`)
	}
	ann.Click("Boards open here, as on a computer")
	ann.ClickAt(`[...document.querySelectorAll("[role=menuitemradio]")].pop()`, "in a tab")
	ann.Sees("Boards open in a tab, by a link")
	annHas := b.Tab("Ann's board", link(ann), 1280, 800)
	ann.Shot("board-link")
	annHas.Until(`document.querySelector("#grid button")`)
	ben.Eval(`location.reload()`) // the browser has one choice for all members
	ben.Until(`document.body?.innerText.includes("Boards open in a tab, by a link")`)
	benHas := b.Tab("Ben's board", link(ben), 390, 844)
	pageTaps(annHas, "H8")
	pageTaps(benHas, "H9")
	pageShows(annHas, "H9")
	for _, tab := range []*browser.Tab{annHas, benHas} {
		tab.Eval(`location.reload()`)
		pageShows(tab, "H8", "H9")
		tab.Until(`/you/i.test(document.querySelector("#plate-near .also")?.textContent)`)
	}
	pageTaps(annHas, "I8")
	pageShows(benHas, "I8")
	annHas.Shot("board-tab")
}

// Each member has a port of their own, and this machine alone reaches the boards.
func TestMemberPorts(t *testing.T) {
	b := testkit.Got(openBoards(storagetest.Memory(t), nil))
	defer b.close()
	ann, ben := testkit.Got(b.site(1)), testkit.Got(b.site(2))
	if again := testkit.Got(b.site(1)); ann == ben || ann != again {
		t.Errorf("ann has %s, then %s; ben has %s", ann, again, ben)
	}
	for _, address := range []string{ann, ben, b.address().String()} {
		if host := testkit.Got(url.Parse(address)).Hostname(); host != "127.0.0.1" {
			t.Errorf("%s is open to others", address)
		}
	}
}

// What a browser sends to a member's port, and what it gets: it has the cookies of all members, since ports share them.
func TestMemberSite(t *testing.T) {
	const at = "127.0.0.1:4711"
	var got http.Header
	boards := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Content-Security-Policy", "connect-src ws://"+r.Host)
		http.SetCookie(w, &http.Cookie{Name: boardCookie, Value: "new", Path: "/", Secure: true, HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
	}))
	defer boards.Close()
	site := memberSite(testkit.Got(url.Parse(boards.URL)), at)
	for _, c := range []struct{ host, origin, cookies, wantOrigin, wantCookies string }{
		{at, "http://" + at, "tengen-4711=ann; tengen-4712=ben", boards.URL, boardCookie + "=ann"},
		{at, "http://" + at, "tengen-4712=ben; " + boardCookie + "=other", boards.URL, ""},
		{at, "http://127.0.0.1:4712", "tengen-4711=ann", "http://127.0.0.1:4712", boardCookie + "=ann"},
		{"evil.example:4711", "http://" + at, "", "http://" + at, ""},
		{"evil.example:4711", "http://evil.example:4711", "", "http://evil.example:4711", ""},
	} {
		r, w := httptest.NewRequest("POST", "http://"+c.host+"/pass", nil), httptest.NewRecorder()
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Cookie", c.cookies)
		site.ServeHTTP(w, r)
		testkit.Want(t, c.cookies+" is told as", got.Get("Cookie"), c.wantCookies)
		testkit.Want(t, c.origin+" is told as", got.Get("Origin"), c.wantOrigin)
		testkit.Want(t, "the cookie", w.Header().Get("Set-Cookie"), "tengen-4711=new; Path=/; HttpOnly; SameSite=Strict")
		testkit.Want(t, "the policy", w.Header().Get("Content-Security-Policy"), "connect-src ws://"+at)
	}
}
