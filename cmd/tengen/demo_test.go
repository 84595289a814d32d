package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/ai/guest"
	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/internal/browser"
	"tengen/internal/testkit"
)

// startDemo runs `tengen demo` without members who answer, as runDemo does.
func startDemo(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	return runDemo(t, append([]string{"--alone"}, args...)...)
}

// runDemo runs `tengen demo` and gives the page's address and the function that stops it,
// which gives the exit code.
func runDemo(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"demo", "--addr", ":0"}, args...), streams{nil, &out, &errs})
	}()
	stop = sync.OnceValue(func() int {
		cancel()
		code := <-ended
		testkit.Want(t, "the demo complains", errs.String(), "")
		return code
	})
	t.Cleanup(func() { stop() })
	return out.awaits(t, `http://\S+/`), stop
}

// lastBoard is the newest board on a page.
const lastBoard = `[...document.querySelectorAll("#messages .body:has(.box, .gallery)")].pop()`

// lastMessage is the newest message on a page.
const lastMessage = `[...document.querySelectorAll("#messages .message")].pop()`

// playOut presses points of the pad until the game is over, which one of the words tells.
func playOut(tab *browser.Tab, words ...string) {
	over := fmt.Sprintf(`/%s/.test(%s?.innerText)`, strings.Join(words, "|"), lastBoard)
	for range 70 {
		tab.Until(fmt.Sprintf(`%s || %s?.querySelector(".row button:not(:disabled)[data-key*=play]")`, over, lastBoard))
		if tab.Eval(over) == "true" {
			return
		}
		before := tab.Eval(lastBoard + `.innerText.match(/move (\d+)/)[1]`)
		points := lastBoard + `.querySelectorAll(".row button:not(:disabled)[data-key*=play]")`
		tab.ClickAt(`(() => { const l = [...`+points+`]; return l[Math.floor(l.length / 2)]; })()`, "a point")
		tab.Until(fmt.Sprintf(`%s || Number(%s.innerText.match(/move (\d+)/)[1]) > %s`, over, lastBoard, before))
	}
}

// keyPoint types the rest of a point into a command, waits until the point is the first that
// is proposed, and sends the command.
func keyPoint(tab *browser.Tab, rest, point string) {
	tab.Keys(rest)
	tab.Until(fmt.Sprintf(`document.querySelector(".suggest [role=option]")?.innerText.startsWith(%q)`, point))
	tab.Keys(browser.Enter + browser.Enter)
}

// The whole of the demo, the real bot in a real browser. TENGEN_EVERY_PART=1 plays all of its parts.
func TestDemo(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	for i, part := range []struct {
		name string
		test func(*testing.T, *browser.Browser)
	}{
		{"against the bot", demoAgainstBot},
		{"stands still", demoStandsStill},
		{"two members", demoTwoMembers},
		{"strength", demoStrength},
		{"one message", demoOneMessage},
		{"records", demoRecords},
		{"review", demoReview},
		{"analysis board", demoAnalyze},
		{"return", demoReturn},
		{"language", demoLanguage},
		{"forms", demoForms},
		{"thread", demoThread},
		{"reversi", demoReversi},
		{"first page", demoFirst},
		{"Activity", demoActivity},
		{"board in a tab", demoBoardTab},
		{"dialogs of the board", demoDialogs},
		{"club", demoClub},
		{"whole game", demoWholeGame},
		{"newcomer", demoNewcomer},
		{"signs and sections", demoSigns},
		{"puzzles and lessons", demoPuzzles},
		{"tournament", demoTournament},
		{"ladder", demoLadder},
		{"eight members", demoEight},
		{"eight members, some away", demoAway},
	} {
		if i%testkit.Dose("TENGEN_EVERY_PART", 3) != 0 {
			continue
		}
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, b.For(t))
		})
	}
}

func demoAgainstBot(t *testing.T, b *browser.Browser) {
	address, stop := startDemo(t)
	ann := b.Tab("Ann", address, 1280, 860)
	ann.Click("Usual level")
	ann.Click("5 · Advanced")
	ann.Click("Play against the bot")
	ann.Until(lastBoard)
	ann.Shot("game-start")
	ann.Resize(320, 640)
	ann.Until(`document.documentElement.scrollWidth === 320 && document.getElementById("log").scrollWidth === 320`)
	ann.Until(`[...document.querySelectorAll(".pad")].every((r) => new Set([...r.children].map((b) => b.offsetTop)).size === 1)`)
	ann.Shot("game-phone")
	ann.Resize(1280, 860)
	playOut(ann, "wins")
	ann.Shot("game-end")
	ann.Close()
	testkit.Want(t, "exit code", stop(), 0)
}

// frames notes in window.seen the number of the move and the height of the board, whenever one of them is
// another than in the frame before.
const frames = `(window.seen = [], (function frame() {
	const box = ` + lastBoard + `
	const now = [+(box.innerText.match(/move (\d+)/) ?? [])[1], Math.round(box.getBoundingClientRect().height)]
	if (String(now) !== String(seen.at(-1))) seen.push(now)
	requestAnimationFrame(frame)
})(), 1)`

// Between plain moves the board keeps its height, whether the engine is there at once or thinks for a while. On
// a telephone the line that says whose turn it is and the whole pad are on the screen together.
func demoStandsStill(t *testing.T, b *browser.Browser) {
	for _, level := range []string{"2 · Novice", "6 · Expert"} {
		for _, width := range []int{390, 1280} {
			address, _ := startDemo(t)
			ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", width, 844)
			ann.Click("Usual level")
			ann.Click(level)
			ann.Click("Play against the bot")
			number := `+(` + lastBoard + `?.innerText.match(/move (\d+)/) ?? [])[1]`
			mine := `/@Ann to move/.test(` + lastBoard + `?.innerText)`
			ann.Until(mine)
			for move := range 3 {
				if move == 1 { // how to begin is said no more
					ann.Eval(frames)
				}
				before := ann.Eval(number)
				ann.ClickAt(lastBoard+`.querySelector(".pad .button[data-key*=play]:not(:disabled)")`, "a point")
				ann.Until(mine + ` && ` + number + ` > ` + before)
			}
			heights := `[...new Set(seen.map((now) => now[1]))]`
			if got := ann.Eval(heights + `.length`); got != "1" {
				t.Errorf("level %s, %d wide: heights by moves: %s", level, width, ann.Eval(`JSON.stringify(seen)`))
			}
			ann.Eval(lastBoard + `.scrollIntoView({block: "end"})`)
			turn := `[...` + lastBoard + `.querySelectorAll("*")].findLast((e) => /to move/.test(e.innerText))`
			if got := ann.Eval(turn + `.getBoundingClientRect().top >= document.getElementById("log").getBoundingClientRect().top`); got != "true" {
				t.Errorf("level %s, %d wide: the turn is above the screen where the pad is on it", level, width)
			}
			t.Logf("level %s, %d wide, moves and heights: %s", level, width, ann.Eval(`JSON.stringify(seen)`))
			ann.Shot(fmt.Sprintf("still-%d-%s", width, level[:1]))
			ann.Close()
		}
	}
}

// The buttons show the signs that the bot has drawn, and have names for those who cannot see
// them. The lists of games and of commands have a button beside each.
func demoSigns(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	ann.Click("Usual level")
	ann.Click("1 · Beginner")
	ann.Click("Play against the bot")
	ann.Until(`/@Ann to move/.test(` + lastBoard + `?.innerText)`) // the colors are drawn by lot
	ann.ClickAt(lastBoard+`.querySelector(".pad .button:not(:disabled)")`, "a point")
	names := `[...` + lastBoard + `.querySelectorAll(".button:has(img)")].map((b) => b.getAttribute("aria-label"))`
	ann.Until(names + `.every((n) => /^(Left|Up|Down|Right|More|(Black|White) stone)$/.test(n))`) // the pad need not show both
	ann.Until(`["Left", "Up", "Down", "Right", "More"].every((n) => ` + names + `.includes(n))`)
	ann.Until(`[...` + lastBoard + `.querySelectorAll(".button img")].every((i) => i.naturalWidth === 128)`)
	for _, width := range []int{390, 1280} {
		ann.Resize(width, 860)
		ann.Until(`document.documentElement.scrollWidth === innerWidth`)
		ann.Eval(lastBoard + `.scrollIntoView({block: "end"})`)
		ann.Shot(fmt.Sprintf("signs-%d", width))
	}
	ann.Dark(true)
	ann.Shot("signs-dark")
	ann.Dark(false)
	for _, list := range []string{"games", "help"} {
		title := map[string]string{"games": "You have 1 game", "help": "I host Gomoku, Renju and Reversi"}[list]
		ann.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
		ann.Keys("/" + list + browser.Enter + browser.Enter)
		ann.Until(lastMessage + `.innerText.includes("` + title + `")`)
		ann.Until(lastMessage + `.querySelector(".section .button")`)
		for _, width := range []int{390, 1280} {
			ann.Resize(width, 860)
			ann.Until(`document.documentElement.scrollWidth === innerWidth`)
			ann.Eval(lastMessage + `.scrollIntoView({block: "end"})`)
			if got := ann.Eval(`[...` + lastMessage +
				`.querySelectorAll(".section")].every((s) => s.scrollWidth <= s.clientWidth)`); got != "true" {
				t.Errorf("/%s at %d: a section sticks out", list, width)
			}
			ann.Shot(fmt.Sprintf("%s-%d", list, width))
		}
	}
	ann.Click("My games")
	ann.Click("Go to the board")
	ann.Until(`document.activeElement.closest(".message")?.querySelector(".pad")`)
}

// Who looks for somebody of their strength waits, on a phone, until another asks.
func demoStrength(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 390, 844)
	ben := b.Tab("Ben", address+"?as=Ben&in=gomoku", 1280, 860)
	ann.Sees("Play against the bot")
	ben.Sees("Play against the bot")
	tell(ann, "/play with:strength ")
	ann.Sees("Looking for an opponent")
	ann.Shot("strength-waits")
	tell(ben, "/play with:strength ")
	ben.Until(lastBoard + `?.querySelector(".picture")`)
	ann.Until(lastBoard + `?.querySelector(".picture")`)
	ann.Shot("strength-found")
	ben.Shot("strength-board")
}

// Two members, each in a tab: a challenge, moves, a move taken back by consent, the end.
func demoTwoMembers(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	ben := b.Tab("Ben", address+"?as=Ben&in=gomoku", 1280, 860)
	ann.Sees("Play against the bot")
	ben.Sees("Play against the bot")

	tell(ann, "/play opponent:Ben ")
	ben.Sees("Ann challenges you")
	ben.Shot("challenge")
	ben.Click("Accept")
	ben.Until(lastBoard + `?.querySelector(".picture")`)
	ann.Until(lastBoard + `?.querySelector(".picture")`)
	black, white := ann, ben
	if strings.Contains(ann.Eval(lastBoard+`.innerText`), "⚫ @Ben") {
		black, white = ben, ann
	}
	turn := func(tab *browser.Tab, n int) {
		tab.Until(fmt.Sprintf(`%s?.innerText.includes("move %d ")`, lastBoard, n))
	}
	black.Click("H8")
	turn(white, 2)
	white.Click("H9")
	turn(black, 3)

	// A move by command, with what the bot proposes for it.
	black.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	black.Keys("/move g")
	black.Until(`[...document.querySelectorAll(".suggest [role=option]")].some((o) => /^G\d/.test(o.innerText))`)
	black.Shot("autocomplete")
	keyPoint(black, "8", "G8")
	turn(white, 4)

	// The other is asked before a move is taken back.
	black.Keys("/undo" + browser.Enter + browser.Enter)
	white.Sees("asks")
	white.Shot("undo-asked")
	white.Click("Allow")
	turn(black, 3)
	turn(white, 3)

	// The moves, privately.
	black.Keys("/history" + browser.Enter + browser.Enter)
	black.Sees("Only you can see this")
	black.Shot("history")
	if white.Has("Dismiss") {
		t.Error("a private answer is seen by the other member")
	}
	black.Click("Dismiss")
	black.Misses("Only you can see this")

	tell(white, "/game do:resign ")
	white.Sees("Do you really want to resign?")
	white.Click("Resign")
	black.Sees("resigned.")
	white.Sees("resigned.")
	black.Shot("resigned")
}

// What is left of a game: the replay, and the record as a file.
func demoRecords(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	ann.Click("Gomoku 15×15")
	ann.Click("Gomoku 9×9")
	ann.Click("Usual level")
	ann.Click("5 · Advanced")
	ann.Click("Play against the bot")
	playOut(ann, "wins", "Draw")
	ann.Shot("small-end")
	ann.Click("Replay")
	ann.Sees("Only you can see this")
	ann.Shot("replay")

	dir := t.TempDir()
	ann.Downloads(dir)
	ann.Click("More")
	ann.Click("SGF")
	ann.Until(`[...document.querySelectorAll(".filename")].some((n) => n.innerText.endsWith(".sgf"))`)
	name := ann.Eval(`[...document.querySelectorAll(".filename")].pop().innerText`)
	ann.Shot("export")
	ann.Click("Save " + name)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && strings.HasSuffix(strings.TrimSpace(string(data)), ")") {
			if !strings.HasPrefix(string(data), "(;") {
				t.Errorf("the file is no record: %.80q", data)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the record was not saved: %v", err)
		}
	}
}

// With a folder, a game goes on where it was: the board is there, and its buttons work.
func TestDemoKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, stop := startDemo(t, "--data", dir)
	act := func(address, body string) string {
		t.Helper()
		resp := testkit.Got(http.Post(address+"api/do?as=Ann", "application/json", strings.NewReader(body)))
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s %v", body, resp.StatusCode, data, err)
		}
		if strings.Contains(string(data), `"failed"`) {
			t.Errorf("%s: %s", body, data)
		}
		return string(data)
	}
	act(address, `{"do":"slash","at":"#gomoku","name":"/play with:bot","options":[{"name":"game","value":"gomoku"},{"name":"level","value":1},{"name":"color","value":"black"}]}`)
	if code := stop(); code != 0 {
		t.Fatalf("exit code %d, want 0", code)
	}

	address, stop = startDemo(t, "--data", dir)
	if got := act(address, `{"do":"slash","at":"#gomoku","name":"/games"}`); !strings.Contains(got, "1 game") {
		t.Errorf("the game is not there any more: %s", got)
	}
	resp := testkit.Got(http.Get(address + "api/messages?as=Ann&at=%23gomoku"))
	defer resp.Body.Close()
	var messages []standin.Message
	testkit.Must(t, json.NewDecoder(resp.Body).Decode(&messages))
	press := ""
	var walk func([]standin.Component)
	walk = func(list []standin.Component) {
		for _, c := range list {
			if c.Label == "H8" {
				press = c.CustomID
			}
			walk(c.Components)
		}
	}
	walk(messages[0].Components)
	act(address, fmt.Sprintf(`{"do":"press","at":%q,"name":%q}`, messages[0].ID, press))
	testkit.Want(t, "exit code", stop(), 0)
}

func TestDemoUsage(t *testing.T) {
	taken := testkit.Listen(t)
	defer taken.Close()
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"taken", []string{"--addr", taken.Addr().String()}, 1, "is taken by another program"},
		{"no address", []string{"--addr", "a:b:c"}, 2, "HOST:PORT"},
		{"no folder", []string{"--addr", ":0", "--data", "/dev/null/x"}, 1, "folder"},
		{"too much", []string{"now"}, 2, "unexpected argument"},
		{"alone", []string{"--addr", ":0", "--members", "1"}, 2, "--members 1: write a number from 2 to 16"},
		{"a crowd", []string{"--addr", ":0", "--members", "17"}, 2, "--members 17: write a number from 2 to 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"demo"}, c.args...), streams{nil, &out, &errs})
			if code != c.code || !strings.Contains(errs.String(), c.want) ||
				strings.Count(strings.TrimSpace(errs.String()), "\n") > 1 {
				t.Errorf("%d %q, want %d with %q", code, &errs, c.code, c.want)
			}
		})
	}
}

// The demo has as many members as asked for. Those of earlier days stay, since they may have games.
func TestDemoMembers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--members", "2"}, "Ann Ben"},
		{[]string{"--members", "3"}, "Ann Ben Cleo"},
		{[]string{"--members", "5"}, "Ann Ben Cleo Dan Eva"},
		{[]string{"--members", "2"}, "Ann Ben Cleo Dan Eva"},
		{nil, "Ann Ben Cleo Dan Eva Finn Gwen Hugo"},
		{[]string{"--members", "16"}, "Ann Ben Cleo Dan Eva Finn Gwen Hugo Iris Jack Kim Leo Mia Noah Olga Paul"},
	} {
		address, stop := startDemo(t, append([]string{"--data", dir}, c.args...)...)
		resp := testkit.Got(http.Get(address + "api/world?as=Ben"))
		var world struct {
			People []struct {
				Name string
				Bot  bool
			}
			Places []struct{ Name string }
		}
		err := json.NewDecoder(resp.Body).Decode(&world)
		resp.Body.Close()
		var names []string
		for _, p := range world.People {
			if !p.Bot {
				names = append(names, p.Name)
			}
		}
		if got := strings.Join(names, " "); err != nil || got != c.want || len(names)+1 != len(world.People) {
			t.Errorf("%v: %s, %v; want %s and the bot", c.args, got, err, c.want)
		}
		stop()
	}
}

// From start to a page that can be played on: the figure is in the log (go test -v).
func TestDemoStart(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	address, _ := startDemo(t)
	resp := testkit.Got(http.Get(address + "api/commands?as=Ann&at=%23gomoku"))
	defer resp.Body.Close()
	var commands []standin.Command
	if err := json.NewDecoder(resp.Body).Decode(&commands); err != nil || len(commands) == 0 {
		t.Errorf("the bot has no commands when the address is printed: %v", err)
	}
	t.Logf("playable after %v", time.Since(begun).Round(time.Millisecond))
}

// The demo ends and comes back: an open page says so, and goes on where it was.
func demoReturn(t *testing.T, b *browser.Browser) {
	dir := t.TempDir()
	address, stop := startDemo(t, "--data", dir)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1100, 800)
	ann.Click("Play against the bot")
	ann.Until(lastBoard + `?.querySelector(".row button:not(:disabled)[data-key*=play]")`)
	ann.Keys("/move c")
	stop()
	ann.Sees("The connection to the demo is lost")
	if got := ann.Eval(`document.querySelector("#composer input").value`); got != "c" {
		t.Errorf("what was half written is %q now", got)
	}
	startDemo(t, "--data", dir, "--addr", testkit.Got(url.Parse(address)).Host)
	ann.Misses("The connection to the demo is lost")
	ann.Until(`document.querySelectorAll("#messages .message").length === 1`)
	keyPoint(ann, "3", "C3")
	// the bot, which may be Black, never begins there
	ann.Until(`[...document.querySelectorAll("#messages img")].some((i) => /\bC3\b/.test(i.alt))`)
	ann.Close()
	ann.Forgive("WebSocket")
	ann.Forgive("ERR_CONNECTION_REFUSED")
}

// A member's language is theirs alone, in the commands, in what the bot says of them, and on
// their boards against the bot.
func demoLanguage(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=renju", 1100, 800)
	ann.Sees("Play against the bot")
	tell(ann, "/play with:bot ")
	ann.Sees("Level 2 to begin with")
	ann.Click("Language: English")
	ann.Click("简体中文")
	ann.Sees("语言：简体中文")
	// The board that is there is in Chinese, and so are the commands that the help names.
	ann.Sees("先从 2 级开始")
	ann.Shot("chinese-board")
	ann.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	ann.Keys("/help")
	ann.Until(`/\p{Script=Han}/u.test(document.querySelector(".suggest .detail")?.innerText)`)
	ann.Shot("chinese")
	ann.Keys(browser.Enter + browser.Enter)
	ann.Until(`/\p{Script=Han}/u.test([...document.querySelectorAll("#messages .prose")].pop()?.innerText)`)
	names := func(command string) string {
		return `[...document.querySelectorAll("#messages .prose .mention")].some((m) => m.innerText === "` + command + `")`
	}
	ann.Until(names("/落子"))
	ben := b.Tab("Ben", address+"?as=Ben&in=renju", 1100, 800)
	ben.Sees("Language: English")
}

// A new game by the menu of /play, and a record from a file by a form.
func demoForms(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 960)
	tell(ann, "/play ")
	ann.Sees("With: The bot")
	ann.Shot("play")
	pick(ann, "With: The bot", "A member")
	pick(ann, "Whom to challenge", "Ann")
	pick(ann, "Game: Gomoku", "Renju")
	ann.Click("More choices")
	pick(ann, "Clock: No clock", "1 hour")
	pick(ann, "Opening: Free", "Balanced")
	for _, width := range []int{390, 1280} {
		ann.Resize(width, 860)
		ann.Until(`document.documentElement.scrollWidth === innerWidth`)
		shows(ann, "Opening: Balanced", fmt.Sprintf("play-menu-%d", width))
	}
	ann.Click("Start")
	ann.Sees("You cannot challenge yourself.")
	ann.Click("Dismiss")
	ann.ClickAt(`[...document.querySelectorAll("#messages .select")].find((n) => n.innerText.trim() === "Ann")`, "the opponent")
	ann.ClickAt(`[...document.querySelectorAll("[role=option]")].find((o) => o.innerText.includes("Ben"))`, "Ben")
	ann.Until(`[...document.querySelectorAll("#messages .select")].some((n) => n.innerText.trim() === "Ben")`)
	ann.Click("Start")
	ann.Sees("Ann challenges you")
	ann.Sees("Renju · balanced opening · random colors · 1 hour per move")
	tell(ann, "/play opponent:@Eva game:gomoku9 color:black clock:5+10 odds:30+20 ")
	ann.Sees("the other side: 30 min + 20 s per move")
	ann.Shot("play-odds")
	tell(ann, "/play opponent:@Finn game:gomoku9 color:black clock:3+2 ")
	ann.Sees("you both play on the page")
	ann.Shot("play-fast")

	path := filepath.Join(t.TempDir(), "game.sgf")
	testkit.Write(t, path, []byte("(;FF[4]GM[4]SZ[15]RU[freestyle];B[hh];W[ig])"))
	tell(ann, "/analyze ")
	ann.Until(`document.querySelector("dialog.form")`)
	ann.Files("dialog.form input[type=file]", path)
	ann.Click("Submit")
	ann.Click("Play on against the bot")
	ann.Sees("Last move I9")
}

// A game in a thread of its own: below its channel in the list, a press away.
func demoThread(t *testing.T, b *browser.Browser) {
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=gomoku", 1280, 860)
	ann.Sees("Play against the bot")
	ann.ClickAt(`document.querySelector("#composer textarea")`, "the message box")
	ann.Paste("/play with:bot thread:true")
	ann.Click("Send /play")
	ann.Sees("Your game is in")
	ann.Until(`document.querySelector(".place.inner")`)
	ann.Shot("thread-told")
	ann.ClickAt(`[...document.querySelectorAll("#messages button.mention")].pop()`, "the thread")
	ann.Until(lastBoard + `?.querySelector(".row button:not(:disabled)[data-key*=play]")`)
	ann.Until(`document.querySelector(".place.inner[aria-current]")`)
	ann.Shot("thread")
}

// Reversi from the first to the last disc by its pad. It takes a while: TENGEN_FULL=1.
func demoReversi(t *testing.T, b *browser.Browser) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	address, _ := startDemo(t)
	ann := b.Tab("Ann", address+"?as=Ann&in=reversi", 1280, 860)
	ann.Click("Usual level")
	ann.Click("2 · Novice")
	ann.Click("Play against the bot")
	ann.Until(lastBoard + `?.querySelector(".row button:not(:disabled)[data-key*=play]")`)
	ann.Shot("reversi")
	playOut(ann, "wins", "Draw")
	ann.Shot("reversi-end")
}

// A demo that is killed has kept its conversations, except for the last seconds.
func TestDemoKeepsConversations(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	h := testkit.Got(openDemo(t.Context(), dir, demo.Options{}, &guest.Guests{}, log))
	defer h.close()
	h.keepSaving(5*time.Millisecond, log)
	testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "slash", As: "Ann", At: "#gomoku",
		Name: "/play with:bot"}))
	deadline := time.Now().Add(20 * time.Second)
	for {
		again := standin.Start(standin.Options{NoGuild: true, BotName: botName})
		f, err := os.Open(filepath.Join(dir, worldName))
		if err == nil {
			err = again.Restore(f, func(id string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, filesName, id)) })
			f.Close()
		}
		if err == nil {
			if r, err := again.Act(t.Context(), standin.Action{Do: "messages", As: "Ann", At: "#gomoku"}); err == nil &&
				len(r.Messages) > 0 {
				again.Close()
				return
			}
		}
		again.Close()
		if time.Now().After(deadline) {
			t.Fatalf("nothing kept: %v", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A demo whose address names no host is this machine's own.
func TestDemoIsOurs(t *testing.T) {
	for _, addr := range []string{":0", "0", "127.0.0.1:0", "localhost:0"} {
		l := testkit.Got(listenDemo(addr))
		l.Close()
		if !local(l) {
			t.Errorf("%q: %v", addr, l.Addr())
		}
	}
}

// Conversations that cannot be read are kept beside.
func TestDemoSetsAside(t *testing.T) {
	h := &demoHouse{dir: t.TempDir(), discord: standin.Start(standin.Options{NoGuild: true})}
	defer h.discord.Close()
	file := filepath.Join(h.dir, worldName)
	testkit.Write(t, file, []byte("cut o"))
	h.recall(slog.New(slog.DiscardHandler))
	if text, err := os.ReadFile(file + ".damaged"); string(text) != "cut o" {
		t.Errorf("%q, %v", text, err)
	}
}

// A file that belongs to no message is deleted.
func TestDemoDeletesFiles(t *testing.T) {
	h := &demoHouse{dir: t.TempDir(), discord: standin.Start(standin.Options{NoGuild: true})}
	defer h.discord.Close()
	left := filepath.Join(h.dir, filesName, "1")
	testkit.Must(t, errors.Join(os.Mkdir(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600), h.write()))
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}
