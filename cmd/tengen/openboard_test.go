package main

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/browser"
	"tengen/internal/testkit"
)

// line leads from an address that stays to the pages of a bot that is started anew.
type line struct {
	net.Listener
	to     atomic.Value // the address of the bot, a string
	mute   atomic.Bool  // what the bot says is lost
	frozen atomic.Bool  // and so is what the page says

	mu   sync.Mutex
	open map[net.Conn]bool
}

func openLine(t *testing.T) *line {
	l := &line{Listener: testkit.Listen(t), open: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go l.carry(c)
		}
	}()
	return l
}

func (l *line) carry(page net.Conn) {
	defer page.Close()
	bot, err := net.Dial("tcp", l.to.Load().(string))
	if err != nil {
		return
	}
	defer bot.Close()
	l.mu.Lock()
	l.open[page] = true
	l.mu.Unlock()
	go func() {
		defer bot.Close()
		_, _ = io.Copy(audible{bot, &l.frozen}, page)
	}()
	_, _ = io.Copy(audible{page, &l.mute}, bot)
	l.mu.Lock()
	delete(l.open, page)
	l.mu.Unlock()
}

// freeze has the line stay open and carry nothing, until cut.
func (l *line) freeze() {
	l.mute.Store(true)
	l.frozen.Store(true)
}

// cut ends what is open, and carries what comes from now on.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		c.Close()
	}
	l.mute.Store(false)
	l.frozen.Store(false)
}

// audible is what comes through in one direction.
type audible struct {
	to   io.Writer
	mute *atomic.Bool
}

func (h audible) Write(b []byte) (int, error) {
	if h.mute.Load() {
		return len(b), nil
	}
	return h.to.Write(b)
}

// openBoard presses the button, and gives the link of the answer.
func openBoard(t *testing.T, m *standin.Member) string {
	t.Helper()
	newest := func() (link string) {
		for _, link = range boardLink.FindAllString(m.Sees("#gomoku"), -1) {
		}
		return link
	}
	before, link := newest(), ""
	m.Press("#gomoku", "Open board")
	testkit.Eventually(t, "a link", func() bool { link = newest(); return link != before }) // a busy bot sends it later
	return link
}

var boardLink = regexp.MustCompile(`https://127\.0\.0\.1:\d+/board#[\w-]+`)

// pageCell finds the button of a point.
func pageCell(point string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#grid button")].find((c) => c.ariaLabel?.split(",")[0] === %q)`, point)
}

// pageTaps plays a point with the mouse, once it is the member's turn, and for as long later as a tap asks again.
func pageTaps(tab *browser.Tab, point string) {
	tab.Until(`document.title.startsWith("●")`)
	tab.Eval(`new Promise((done) => setTimeout(done, 260))`)
	tab.ClickAt(pageCell(point), point)
	pageShows(tab, point)
}

// pageShows waits for a stone on a page.
func pageShows(tab *browser.Tab, points ...string) {
	for _, p := range points {
		tab.Until(pageCell(p) + `?.ariaLabel.match(/black|white/)`)
	}
}

// A game on pages and in the channel at once, from the button to the end. In its midst the bot is killed after it has
// stored a move and before the page has heard of it: the page sends it again, and it is played once.
func TestOpenBoard(t *testing.T) {
	t.Parallel()
	b := browser.Open(t).Apart() // members have no cookies in common
	s, l := tcpStandin(t, standin.Options{}), openLine(t)
	dir := t.TempDir()
	files := httpConfig{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	writeCertificate(t, files, "127.0.0.1")
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n  backup_every: 0s\nlog:\n  format: json\n"+
		"web:\n  address: 127.0.0.1:0\n  url: https://%s\n  cert: %s\n  key: %s\n",
		s.Token(), filepath.Join(dir, "games.db"), l.Addr(), files.Cert, files.Key)
	begin := func() (kill func()) {
		log, kill := startApart(t, s, config)
		l.to.Store(log.awaits(t, `"for":"pages","address":"([^"]+)"`))
		s.Ready(1)
		return kill
	}
	kill := begin()
	annHere, bobHere := s.Member("ann"), s.Member("bob")
	annHere.Slash("#gomoku", "/play opponent:@bob game:gomoku9 color:black")
	bobHere.Press("#gomoku", "Accept")

	// Ann by mouse, bob by the buttons of the message.
	link := openBoard(t, annHere)
	ann := b.Tab("ann", link, 1280, 800)
	pageTaps(ann, "E5")
	ann.Shot("openboard-desk")
	bobHere.Waits("#gomoku", "move 2 ")
	bobHere.Press("#gomoku", "D5")
	if strings.Contains(bobHere.Sees("#gomoku"), "[Play D5]") { // it came just after the board had changed
		bobHere.Press("#gomoku", "Play D5")
	}
	pageShows(ann, "D5")
	pageTaps(ann, "E6")
	bobHere.Waits("#gomoku", "move 4 ")

	// Both by pages. A link is good once.
	bob := b.Tab("bob", openBoard(t, bobHere), 390, 844)
	pageShows(bob, "E5", "D5", "E6")
	late := b.Tab("late", link, 390, 844)
	late.Sees("This link is used up.")
	late.Forgive("404")
	late.Shot("openboard-late")
	late.Close()
	pageTaps(bob, "D6")
	pageTaps(ann, "E4")
	bob.Shot("openboard-phone")

	// Who has the shared link watches, and sees no name.
	ann.Click("Share")
	ann.Until(`document.querySelector("#dialog input")?.value`)
	ann.Shot("openboard-share")
	watch := b.Tab("watch", ann.Eval(`document.querySelector("#dialog input").value`), 390, 844)
	ann.Click("Close")
	pageShows(watch, "E5", "D5", "E6", "D6", "E4")
	pageTaps(bob, "D4")
	pageShows(watch, "D4")
	watch.Shot("openboard-watch")
	if text := watch.Eval(`document.documentElement.outerHTML`); strings.Contains(strings.ToLower(text), `>ann<`) ||
		watch.Has("Resign") {
		t.Error("a watcher sees a name or the buttons of a player")
	}

	// The bot dies between the store and the answer.
	pageShows(ann, "D4")
	l.mute.Store(true)
	pageTaps(ann, "E7")
	bobHere.Waits("#gomoku", "move 8 ")
	kill()
	s.Ready(0)
	l.mute.Store(false)
	kill = begin()
	defer kill()
	for _, tab := range []*browser.Tab{bob, watch} {
		pageShows(tab, "E7")
	}
	ann.Until(`!document.title.startsWith("●") && document.getElementById("line").textContent === ""`)
	if n := ann.Eval(`document.querySelectorAll("#moves li").length + document.getElementById("note").textContent`); n != "7" {
		t.Errorf("after the start ann sees so many moves, and a note: %q", n)
	}

	pageTaps(bob, "A1")
	pageTaps(ann, "E3")
	for _, tab := range []*browser.Tab{ann, bob, watch} {
		tab.Until(`document.getElementById("page").dataset.phase === "over"`)
		tab.Forgive("WebSocket")
		tab.Forgive("ERR_")
	}
	annHere.Waits("#gomoku", "9 moves") // no more: what came twice was played once
	ann.Shot("openboard-end-desk")
	bob.Shot("openboard-end-phone")
	watch.Shot("openboard-end-watch")
	if watch.Has("Review") || watch.Has("Rematch") {
		t.Error("a watcher has the buttons of those who played")
	}

	// The review, and another game, to which both pages go.
	ann.Click("Review")
	ann.Click("Next remark")
	ann.Until(`!document.getElementById("graph").hidden && document.getElementById("remark").textContent`)
	ann.Shot("openboard-review")
	bob.Click("Rematch")
	ann.Sees("rematch")
	ann.Shot("openboard-wants")
	ann.Click("Rematch")
	for _, tab := range []*browser.Tab{ann, bob} {
		tab.Until(`document.getElementById("page").dataset.phase === "playing" && !document.querySelector("#moves li")`)
	}
	pageTaps(bob, "C3") // who had White begins
	pageShows(ann, "C3")
	annHere.Waits("#gomoku", "move 2 ")
	ann.Eval(`location.reload()`)
	pageShows(ann, "C3")
	ann.Shot("openboard-next")
}
