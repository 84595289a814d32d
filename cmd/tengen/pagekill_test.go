package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/bot/web/peer"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/pg/pgtest"
)

// seated is the page of a player who comes again by itself and sends what was not answered again, as the page in a
// browser does.
type seated struct {
	t      *testing.T
	site   peer.Site
	from   net.IP
	cookie string
	page   *peer.Page
	match  string
	last   peer.Heard // state or change
	moves  []string
	again  int // so many acts were sent again
}

// takesSeat opens the page of a link.
func takesSeat(t *testing.T, l *line, m *standin.Member, from int) *seated {
	t.Helper()
	p := &seated{t: t, site: peer.Site{URL: "https://" + l.Addr().String(), Addr: l.Addr().String()},
		from: peer.From(from)}
	p.cookie = testkit.Got(p.site.Trade(t.Context(), p.from, openBoard(t, m)))
	p.comes()
	t.Cleanup(func() { p.page.Close() })
	return p
}

// comes opens the socket anew until it has the board.
func (p *seated) comes() {
	p.t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if p.page != nil {
			p.page.Close()
		}
		if p.page, err = p.site.Join(p.t.Context(), p.from, p.cookie, peer.Hello{Way: "member", Match: p.match}); err != nil {
			continue
		}
		if err = p.hears(func(h peer.Heard) bool { return h.T == "state" }); err == nil {
			return
		}
	}
	p.t.Fatalf("the page does not come again: %v", err)
}

// pageWaits is how long a page of the test waits; that in a browser has more patience.
const pageWaits = 3 * time.Second

// hears takes messages until one fits.
func (p *seated) hears(fits func(peer.Heard) bool) error {
	_ = p.page.SetReadDeadline(time.Now().Add(pageWaits))
	for {
		h, err := p.page.Hear()
		if err != nil {
			return err
		}
		switch h.T {
		case "state":
			p.last, p.match, p.moves = h, h.Match, strings.Fields(h.Moves)
		case "change":
			p.last = h
			p.moves = append(p.moves, strings.Fields(h.Add)...)
		}
		if fits(h) {
			return nil
		}
	}
}

// plays taps a point, and meanwhile something happens. It sends the tap again until it is answered.
func (p *seated) plays(point string, meanwhile func()) {
	p.t.Helper()
	a := peer.Act{N: peer.Number(storage.NumberAt(time.Now())), Match: p.match, Stamp: p.last.Stamp,
		Verb: "play", Arg: point}
	_ = p.page.Send(a)
	meanwhile()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		var no string
		if p.hears(func(h peer.Heard) bool { no = h.No; return h.T == "done" && h.N == a.N }) == nil {
			if no != "" {
				p.t.Fatalf("%s is refused: %s", point, no)
			}
			return
		}
		p.comes()
		_ = p.page.Send(a)
		p.again++
	}
	p.t.Fatalf("%s is not answered", point)
}

// sees waits for moves; the page comes again where its socket is cut.
func (p *seated) sees(want []string) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !slices.Equal(p.moves, want); {
		if len(p.moves) > len(want) || time.Now().After(end) {
			p.t.Fatalf("a page shows %v, want %v", p.moves, want)
		}
		if p.hears(func(peer.Heard) bool { return slices.Equal(p.moves, want) }) != nil {
			p.comes()
		}
	}
}

// quiet are the points of a color of 15x15 in an order in which nobody makes a row of five.
func quiet(seat int) (points []string) {
	for row := range 15 {
		for col := range 15 {
			if (col/2+row)%2 == seat {
				points = append(points, strings.ToLower(game.At(col, row).String()))
			}
		}
	}
	return points
}

// pageConfig is a configuration with pages at the address of a line.
func pageConfig(s *standin.Server, l *line, store string) string {
	return fmt.Sprintf("token: %s\nstore:\n%slog:\n  format: json\nweb:\n  address: 127.0.0.1:0\n  url: https://%s\n",
		s.Token(), store, l.Addr())
}

// inPostgres is a store whose processes are dead when nothing is heard of them for the lease.
func inPostgres(server *pgtest.Server, lease time.Duration) string {
	return fmt.Sprintf("  engine: postgres\n  postgres:\n    address: %s\n    lease: %v\n", pgtest.Address(server), lease)
}

// pageAddress waits for a process to serve pages.
func pageAddress(t *testing.T, log *output) string {
	t.Helper()
	log.awaits(t, `"msg":"started"`)
	return log.awaits(t, `"for":"pages","address":"([^"]+)"`)
}

// bothSeated begins a game of ann and bob, and opens both pages, black first.
func bothSeated(t *testing.T, s *standin.Server, lines ...*line) [2]*seated {
	t.Helper()
	ann, bob := s.Member("ann"), s.Member("bob")
	ann.Slash("#gomoku", "/play opponent:@bob game:gomoku color:black")
	bob.Press("#gomoku", "Accept")
	return [2]*seated{takesSeat(t, lines[0], ann, 1), takesSeat(t, lines[len(lines)-1], bob, 2)}
}

// The bot is killed between a tap and its answer, the sockets are cut and frozen, again and again: the pages go on by
// themselves, no move is lost, and none is made twice. TENGEN_PAGE_KILLS is how often something happens; a third of
// this are kills.
func TestPagesKilled(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(t *testing.T) string{
		"bolt": func(t *testing.T) string {
			return fmt.Sprintf("  file: %s\n  backup_every: 0s\n", filepath.Join(t.TempDir(), "games.db"))
		},
		"postgres": func(t *testing.T) string { return inPostgres(pgtest.Start(t), 2*time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, l := tcpStandin(t, standin.Options{}), openLine(t)
			config := pageConfig(s, l, store(t))
			begin := func() (kill func()) {
				log, kill := startApart(t, s, config)
				l.to.Store(pageAddress(t, log))
				s.Ready(1)
				return kill
			}
			kill := begin()
			dice := rand.New(rand.NewPCG(uint64(testkit.Dose("TENGEN_SEED", 1)), 0))
			pages, played := bothSeated(t, s, l), []string(nil)
			kills, moves, again := 0, 0, 0
			soon := func() { time.Sleep(time.Duration(dice.IntN(6000)) * time.Microsecond) }
			points := [2][]string{quiet(0), quiet(1)}
			for n := range testkit.Dose("TENGEN_PAGE_KILLS", 6) {
				seat := len(played) % 2
				point := points[seat][len(played)/2]
				pages[seat].plays(point, [...]func(){
					func() { // it dies at any moment
						soon()
						kill()
						s.Ready(0)
						kill = begin()
						kills++
					},
					func() { // sockets are cut
						soon()
						l.cut()
					},
					func() { // or carry nothing any more
						soon()
						l.freeze()
						time.AfterFunc(pageWaits, l.cut)
					},
				}[n%3])
				played = append(played, [2]string{"b", "w"}[seat]+point)
				for _, p := range pages {
					p.sees(played) // each of them once: none is lost, none doubled
				}
				moves, again, pages[seat].again = moves+1, again+pages[seat].again, 0
				if len(played) == 200 { // the board is nearly full
					s.Member("ann").Slash("#gomoku", "/game do:resign")
					s.Member("ann").Press("#gomoku", "Resign")
					pages, played = bothSeated(t, s, l), nil
				}
			}
			kill()
			t.Logf("%d kills, %d moves acknowledged, %d of them sent again; none lost, none doubled", kills, moves, again)
		})
	}
}

// Two versions of the program serve pages behind one address, at the same time and one after the other: the pages go on
// by themselves. TENGEN_PAGE_OLDER is a commit whose program is the older one.
func TestPagesOfTwoVersions(t *testing.T) {
	t.Parallel()
	commit := os.Getenv("TENGEN_PAGE_OLDER")
	if commit == "" {
		t.Skip("TENGEN_PAGE_OLDER names no commit")
	}
	older := buildOf(t, commit)
	s, l := tcpStandin(t, standin.Options{}), openLine(t)
	config := pageConfig(s, l, inPostgres(pgtest.Start(t), 2*time.Second))
	begin := func(program string) (address string, kill func()) {
		log, kill := startProgram(t, program, s, config)
		return pageAddress(t, log), kill
	}
	one, killOne := begin(older)
	l.to.Store(one)
	s.Ready(1)
	pages, played := bothSeated(t, s, l), []string(nil)
	points := [2][]string{quiet(0), quiet(1)}
	move := func(meanwhile func()) {
		t.Helper()
		seat := len(played) % 2
		point := points[seat][len(played)/2]
		pages[seat].sees(played) // who has just come may be behind for a moment
		pages[seat].plays(point, meanwhile)
		played = append(played, [2]string{"b", "w"}[seat]+point)
		for _, p := range pages {
			p.sees(played)
		}
	}
	move(func() {})
	two, killTwo := begin(os.Args[0])
	for n := range 10 { // each time a page comes again it may meet another version
		to := [2]string{two, one}[n%2]
		move(func() { l.to.Store(to); l.cut() })
		l.to.Store([2]string{one, two}[n%2]) // and the other page meets the other one
		pages[n%2].comes()
	}
	l.to.Store(two)
	move(killOne)
	move(func() {})
	three, _ := begin(os.Args[0])
	l.to.Store(three)
	move(killTwo)
	move(func() {})
}

// buildOf builds the program of a commit.
func buildOf(t *testing.T, commit string) string {
	t.Helper()
	dir := testkit.Scratch(t)
	program := filepath.Join(dir, "tengen")
	c := exec.Command("sh", "-c", "git -C ../.. archive "+commit+" | tar -x -C "+dir+" && cd "+dir+
		" && go build -o tengen ./cmd/tengen")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", commit, err, out)
	}
	return program
}

// Three processes share a store on PostgreSQL. The players have their pages on two of them, those who watch on the
// third. One is killed: every page has the move, and its player comes to another one. TENGEN_PAGE_WATCHERS is how many
// watch; with TENGEN_FIGURES, for a quiet machine, no page may be more than three seconds behind.
func TestPagesOfThreeProcesses(t *testing.T) {
	t.Parallel()
	behind := testkit.Limit(3 * time.Second)
	s := tcpStandin(t, standin.Options{})
	store := inPostgres(pgtest.Start(t), 30*time.Second) // a busy process is not dead
	here := openLine(t)                                  // whose address is that of the links
	lines := [3]*line{here, openLine(t), openLine(t)}
	var kills [3]func()
	for i, l := range lines {
		log, kill := startApart(t, s, pageConfig(s, here, store))
		l.to.Store(pageAddress(t, log))
		kills[i] = kill
		if i == 0 {
			s.Ready(1)
		}
	}
	pages := bothSeated(t, s, here)
	pages[1].site.Addr = lines[1].Addr().String()
	pages[1].comes()
	testkit.Must(t, pages[0].page.Share())
	var url string
	testkit.Must(t, pages[0].hears(func(h peer.Heard) bool { url = h.URL; return h.T == "shared" }))
	_, share, _ := strings.Cut(url, "/g/")
	n := testkit.Dose("TENGEN_PAGE_WATCHERS", 20)
	heard := make(chan uint32, 1000*n)
	site := peer.Site{URL: pages[0].site.URL, Addr: lines[2].to.Load().(string)}
	var watching sync.WaitGroup
	t.Cleanup(watching.Wait) // after all sockets are closed
	for i := range n {
		p := testkit.Got(site.Join(t.Context(), peer.From(100+i), "", peer.Hello{Way: "watch", Share: share}))
		first := testkit.Got(p.Hear())
		testkit.Want(t, "a watcher hears first", first.T, "state")
		watching.Go(func() {
			for {
				h, err := p.Hear()
				if err != nil {
					return
				}
				if h.T == "change" {
					heard <- h.V
				}
			}
		})
		t.Cleanup(func() { p.Close() })
	}
	points, played := [2][]string{quiet(0), quiet(1)}, []string(nil)
	var most time.Duration
	for move := range 12 {
		seat := move % 2
		point := points[seat][move/2]
		meanwhile := func() {}
		if move == 6 { // the process of who moves
			meanwhile = func() {
				here.to.Store(lines[1].to.Load())
				kills[0]()
			}
		}
		begun := time.Now()
		pages[seat].plays(point, meanwhile)
		played = append(played, [2]string{"b", "w"}[seat]+point)
		pages[1-seat].sees(played)
		end := time.After(behind)
		for range n {
			select {
			case <-heard:
			case <-end:
				t.Fatalf("move %d: not all who watch have it in time", move+1)
			}
		}
		most = max(most, time.Since(begun))
	}
	t.Logf("%d watchers; the last page has a move after %v at most", n, most.Round(time.Millisecond))
}
