package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// FIDE's tables as they are printed, and what holds for every size.
func TestBerger(t *testing.T) {
	for n, want := range map[int]string{
		4: "1-4 2-3, 4-3 1-2, 2-4 3-1",
		6: "1-6 2-5 3-4, 6-4 5-3 1-2, 2-6 3-1 4-5, 6-5 1-4 2-3, 3-6 4-2 5-1",
		3: "1-0 2-3, 3-0 1-2, 2-0 3-1",
	} {
		var rounds []string
		for r := range n - 1 + n%2 {
			var pairs []string
			for _, p := range berger(n, r) {
				pairs = append(pairs, fmt.Sprintf("%d-%d", p[0], p[1]))
			}
			rounds = append(rounds, strings.Join(pairs, " "))
		}
		if got := strings.Join(rounds, ", "); got != want {
			t.Errorf("%d players: %s, want %s", n, got, want)
		}
	}
	for n := 2; n < 40; n++ {
		met := map[[2]int]int{}
		whites := map[int]int{}
		for r := range n - 1 + n%2 {
			for _, p := range berger(n, r) {
				met[[2]int{min(p[0], p[1]), max(p[0], p[1])}]++
				if p[1] != 0 {
					whites[p[0]]++
					whites[p[1]]--
				}
			}
		}
		if want := n*(n-1)/2 + n%2*n; len(met) != want {
			t.Errorf("%d players: %d pairs, want %d", n, len(met), want)
		}
		for p, times := range met {
			if times != 1 {
				t.Errorf("%d players: %v %d times", n, p, times)
			}
		}
		for p, w := range whites {
			if abs(w) > 1 {
				t.Errorf("%d players: %d has %d whites in excess", n, p, w)
			}
		}
	}
}

// play is an event in a test; each act must succeed and must leave the event before it as it was.
type play struct {
	t   *testing.T
	e   Event
	was string // e as it was shown at first
	now time.Time
}

func newPlay(t *testing.T, terms Terms, ratings ...float64) *play {
	p := playOf(t, Event{Terms: terms})
	for i, r := range ratings {
		p.act(p.enter(game.MemberID(100+i), r))
	}
	return p
}

func playOf(t *testing.T, e Event) *play {
	p := &play{t: t, now: day}
	p.is(e)
	return p
}

func (p *play) is(e Event) { p.e, p.was = e, shown(e) }

func (p *play) enter(m game.MemberID, rating float64) (Event, error) {
	e, _, err := p.e.Enter(game.SeatFor(m), rating, p.now)
	return e, err
}

func (p *play) act(e Event, err error) {
	p.t.Helper()
	testkit.Must(p.t, err)
	if after := shown(p.e); after != p.was {
		p.t.Fatalf("a change altered the event before it:\n%s\n%s", p.was, after)
	}
	p.is(e)
	p.now = p.now.Add(time.Minute)
}

func (p *play) refused(want Code) func(Event, error) {
	return func(e Event, err error) {
		p.t.Helper()
		if !errors.Is(err, want) || shown(e) != p.was || shown(p.e) != p.was {
			p.t.Fatalf("%v, want %v", err, want)
		}
	}
}

func shown(e Event) string {
	return string(testkit.Got(json.Marshal(e)))
}

func (p *play) next(pairs ...string) {
	p.t.Helper()
	p.act(p.e.Next(nil, p.now))
	for _, want := range pairs {
		p.want(want)
	}
}

func (p *play) set(number int, s State) {
	p.t.Helper()
	p.act(p.e.Set(number, s, p.now))
}

// record ends the open game of two in the last round, as white's result.
func (p *play) record(white, black int, r Result) {
	p.t.Helper()
	for round, boards := range slices.Backward(p.e.Paired) {
		for i, b := range boards {
			if b.White == white && b.Black == black && b.Open() {
				report := Report{Round: round, Board: i, White: r, Black: r.turned(), Plies: 30}
				p.act(p.e.Record(report, p.now))
				return
			}
		}
	}
	p.t.Fatalf("%d and %d do not play: %s", white, black, p.pairs())
}

// pairs are the boards of the last round: W-B, with the result where there is one.
func (p *play) pairs() string {
	var out []string
	if len(p.e.Paired) > 0 {
		for _, b := range p.e.Paired[len(p.e.Paired)-1] {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%d-%d:%s", b.White, b.Black, b.Results[0]), ":"))
		}
	}
	return strings.Join(out, " ")
}

func (p *play) want(pairs string) {
	p.t.Helper()
	if got := p.pairs(); got != pairs {
		p.t.Fatalf("round %d: %s, want %s", len(p.e.Paired), got, pairs)
	}
}

// table is the standings: number:points.
func (p *play) table() string {
	var out []string
	for _, s := range p.e.Standings() {
		out = append(out, fmt.Sprintf("%d.%d:%v", s.Rank, s.ID, s.Points))
	}
	return strings.Join(out, " ")
}

func (p *play) wantTable(want string) {
	p.t.Helper()
	testkit.Want(p.t, "standings", p.table(), want)
}

func TestSwissEvent(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindSwiss, Rounds: 3, Length: 10 * time.Hour}, 1500, 1900, 1700, 1600)
	p.refused(AlreadyIn)(p.enter(100, 1500))
	began := p.now
	p.next("2-4 1-3") // 1900-1600, 1500-1700: by rank 1-3 and 4-2
	b := p.e.Paired[0][0]
	if got, want := p.e.Deadline(b), began.Add(10*time.Hour); !got.Equal(want) {
		t.Errorf("deadline %v, want %v", got, want)
	}
	if r := p.e.Reminders(b); !r[0].Equal(began.Add(5*time.Hour)) || !r[1].Equal(began.Add(9*time.Hour)) {
		t.Errorf("reminders %v", r)
	}
	p.refused(RoundRunning)(p.e.Next(nil, p.now))
	p.refused(NoResult)(p.e.Record(Report{White: Win, Black: Draw}, p.now))
	p.refused(NoBoard)(p.e.Record(Report{Board: 2, White: Win, Black: Loss}, p.now))
	p.record(2, 4, Win)
	// The same report again changes nothing; another one is refused, or is a correction.
	same := Report{White: Win, Black: Loss, Plies: 30}
	before := shown(p.e)
	if p.act(p.e.Record(same, p.now)); shown(p.e) != before {
		t.Error("the same report changed the event")
	}
	other := Report{White: ForfeitLoss, Black: ForfeitLoss}
	p.refused(ResultStands)(p.e.Record(other, p.now))
	other.Correct = true
	p.act(p.e.Record(other, p.now))
	same.Correct = true
	p.act(p.e.Record(same, p.now))
	// One who leaves loses the game under way.
	p.set(3, Gone)
	p.want("2-4:1 1-3:+")
	p.refused(NoEntrant)(p.e.Set(3, Active, p.now))
	// One comes late and stands by rating; the numbers of the others stay.
	late, number, err := p.e.Enter(game.SeatFor(200), 1800, p.now)
	p.act(late, err)
	testkit.Want(t, "the latecomer has number", number, 5)
	p.next("1-2 4-5")
	p.record(1, 2, Draw)
	p.record(4, 5, Loss)
	p.set(4, Paused)
	p.next("5-1 2-0:bye1") // 2 and 1 have 1.5, 5 has 1; 1 won by forfeit and cannot have the bye
	p.record(5, 1, Win)
	p.next()
	if !p.e.Ended {
		t.Error("the event goes on after its last round")
	}
	p.wantTable("1.2:2.5 2.5:2 3.1:1.5 4.4:0 5.3:0")
	p.refused(EventOver)(p.e.Next(nil, p.now))
}

// Blocked members do not meet; where nothing else is left, there is no pairing but the manager's.
func TestApart(t *testing.T) {
	p := newPlay(t, Terms{Rounds: 3}, 4, 3, 2, 1)
	apart := func(a, b int) bool { return a+b == 4 } // 1 and 3
	p.act(p.e.Next(apart, p.now))
	p.want("1-4 3-2")
	p.record(1, 4, Win)
	p.record(3, 2, Win)
	p.act(p.e.Next(apart, p.now))
	p.want("2-1 4-3")
	p.record(2, 1, Draw)
	p.record(4, 3, Draw)
	p.refused(NoPairing)(p.e.Next(apart, p.now))
	p.set(3, Gone)
	for _, pairs := range [][][2]int{{{1, 2}, {2, 4}}, {{1, 3}}} {
		p.refused(BadPairs)(p.e.PairBy(pairs, p.now))
	}
	p.act(p.e.PairBy([][2]int{{1, 2}, {4, 0}}, p.now))
	p.want("1-2 4-0:bye1")
	bye := Report{Round: 2, Board: 1, White: Loss, Black: Win, Correct: true}
	p.refused(NoResult)(p.e.Record(bye, p.now))
}

func TestFull(t *testing.T) {
	p := playOf(t, Event{Entrants: make([]Entrant, MaxEntrants-1)})
	enter := func() (Event, error) {
		e, n, err := p.e.Enter(game.SeatFor(game.MemberID(len(p.e.Entrants)+1)), 1500, p.now)
		if err == nil && n != MaxEntrants {
			t.Errorf("number %d", n)
		}
		return e, err
	}
	p.act(enter())
	p.refused(TooManyEntrants)(enter())
}

func TestRoundRobin(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindRoundRobin}, 40, 30, 20)
	p.next("1-0:bye0 2-3")
	p.refused(TooLateToEnter)(p.enter(5, 1))
	p.record(2, 3, Draw)
	p.next("3-0:bye0 1-2")
	p.set(3, Gone)
	p.record(1, 2, Win)
	p.next("2-0:bye0 3-1:-") // 3 is not there any more
	p.next()
	p.wantTable("1.1:2 2.2:0.5 3.3:0.5")
	if !p.e.Ended {
		t.Error("it does not end")
	}
}

// In a double round robin each pair meets with both colours, and nobody has a colour three times in a
// row where the cycles meet.
func TestTwice(t *testing.T) {
	for n := 2; n < 12; n++ {
		p := newPlay(t, Terms{Kind: KindRoundRobin, Twice: true}, make([]float64, n)...)
		met, colors := map[[2]int]int{}, make([]string, n+1)
		for p.next(); !p.e.Ended; p.next() {
			for _, b := range p.e.Paired[len(p.e.Paired)-1] {
				met[[2]int{b.White, b.Black}]++
				if b.Black != 0 {
					colors[b.White] += "w"
					colors[b.Black] += "b"
					p.record(b.White, b.Black, Draw)
				}
			}
		}
		if want := n * (n - 1); len(met) != want+n%2*n {
			t.Errorf("%d players: %d meetings, want %d", n, len(met), want)
		}
		for i, c := range colors {
			if n%2 == 0 && n > 2 && (strings.Contains(c, "www") || strings.Contains(c, "bbb")) {
				t.Errorf("%d players: %d has %s", n, i, c)
			}
		}
	}
}

func TestKnockout(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindKnockout, Third: true}, 10, 80, 70, 60, 50, 40, 30)
	// The seeds: 2 3 4 5 6 7 1.
	p.next("2-0:bye1 6-5 3-1 7-4")
	p.record(6, 5, Draw) // replayed with colours turned
	p.next("2-0:bye1 6-5:= 3-1 7-4 5-6")
	p.refused(RoundRunning)(p.e.Next(nil, p.now))
	p.record(5, 6, Draw) // and again; then the higher seed passes
	p.record(3, 1, Win)
	p.record(7, 4, Win)
	p.next()
	p.record(6, 5, Draw)
	p.next()
	late := Report{Board: 2, White: Loss, Black: Win, Correct: true} // 1 would have passed in the place of 3
	p.refused(ResultStands)(p.e.Record(late, p.now))
	p.want("2-5 7-3")
	p.record(2, 5, Win)
	p.set(7, Gone)
	p.next("2-3 7-5:-") // the final, and the third place without a game
	p.record(2, 3, Loss)
	p.next()
	if !p.e.Ended {
		t.Error("it does not end")
	}
	testkit.Want(t, "standings", p.table(), "1.3:3 2.2:1 3.5:2.5 4.7:1 5.4:0 5.6:1.5 5.1:0")
}

// A board that both let run out is not played again: who leads passes, else the higher seed. Where neither is
// there to begin a game, nobody passes.
func TestBothAway(t *testing.T) {
	away := func(p *play, white, black int) {
		boards := p.e.Paired[len(p.e.Paired)-1]
		for i, b := range boards {
			if b.White == white && b.Black == black && b.Open() {
				p.act(p.e.Record(Report{Round: len(p.e.Paired) - 1, Board: i, White: ForfeitLoss, Black: ForfeitLoss}, p.now))
				return
			}
		}
		t.Fatalf("%d and %d do not play: %s", white, black, p.pairs())
	}
	p := newPlay(t, Terms{Kind: KindKnockout}, 4, 3, 2, 1)
	p.next("1-4 3-2")
	away(p, 1, 4)
	p.record(3, 2, Draw)
	p.next("1-4:- 3-2:= 2-3") // the drawn game is played again, the other is not
	away(p, 2, 3)
	p.next("1-2")
	away(p, 1, 2)
	p.next()
	if !p.e.Ended {
		t.Error("it does not end")
	}
	p.wantTable("1.1:0 2.2:0.5 3.3:0.5 3.4:0")

	p = newPlay(t, Terms{Kind: KindKnockout, BestOf: 3}, 2, 1)
	p.next()
	p.record(1, 2, Loss)
	p.next()
	away(p, 2, 1)
	p.next()
	p.wantTable("1.2:1 2.1:0")

	p = newPlay(t, Terms{Kind: KindKnockout}, 4, 3, 2, 1)
	p.next()
	p.set(1, Paused)
	p.set(2, Paused)
	p.record(1, 4, Win)
	p.record(3, 2, Loss)
	p.next("1-2:- 2-1:- 1-2:-")
	if got := p.e.Standings()[0].Rank; !p.e.Ended || got != 1 {
		t.Errorf("ended %v, rank %d", p.e.Ended, got)
	}
}

// A Swiss event in which all have met ends. It waits for those who pause, as long as a pairing is left with
// them, and for who has blocked whom.
func TestExhausted(t *testing.T) {
	p := newPlay(t, Terms{Rounds: 9}, 4, 3, 2, 1)
	for round := range 3 {
		p.next()
		if len(p.e.Paired) != round+1 || p.e.Ended {
			t.Fatalf("round %d: %s, ended %v", round+1, p.pairs(), p.e.Ended)
		}
		for _, b := range p.e.Paired[round] {
			p.record(b.White, b.Black, Draw)
		}
	}
	p.next()
	if !p.e.Ended || len(p.e.Paired) != 3 {
		t.Errorf("all have met; ended %v, %d rounds", p.e.Ended, len(p.e.Paired))
	}

	p = newPlay(t, Terms{Rounds: 9}, 4, 3, 2, 1)
	p.next("1-3 4-2")
	p.record(1, 3, Win)
	p.record(4, 2, Win)
	p.set(2, Paused)
	p.set(4, Paused)
	p.refused(NoPairing)(p.e.Next(nil, p.now))
	p.set(3, Paused)
	p.refused(TooFewEntrants)(p.e.Next(nil, p.now))
	p.set(2, Gone)
	p.set(4, Gone)
	alone := *p
	alone.set(1, Gone)
	alone.refused(TooFewEntrants)(alone.e.Next(nil, p.now))
	p.next()
	if !p.e.Ended {
		t.Error("the last two have met, and it goes on")
	}
}

// The better of several games passes; a decided tie is not played on.
func TestBestOfThree(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindKnockout, BestOf: 3}, 2, 1)
	p.next("1-2")
	p.record(1, 2, Loss)
	p.next("1-2:0 2-1")
	p.record(2, 1, Draw)
	p.next()
	p.record(1, 2, Win)
	p.next("1-2:0 2-1:= 1-2:1 2-1") // 1.5 each
	p.record(2, 1, Win)
	p.next()
	p.wantTable("1.2:2.5 2.1:1.5")
	q := newPlay(t, Terms{Kind: KindKnockout, BestOf: 3}, 2, 1)
	q.next()
	q.record(1, 2, Win)
	q.next()
	q.record(2, 1, Loss)
	q.next()
	q.want("1-2:1 2-1:0")
	if !q.e.Ended {
		t.Error("it goes on at 2:0")
	}
	// A correction may open it again.
	q.act(q.e.Record(Report{Board: 1, White: Win, Black: Loss, Correct: true}, q.now))
	q.next()
	q.want("1-2:1 2-1:1 1-2")
}

func TestArena(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindArena, Length: time.Hour, Streaks: true,
		Arena: ArenaRules{QuickDraw: 10, LongDraw: 60}}, 40, 30, 20, 10, 5)
	p.next("1-2 3-4") // by rating; 5 came last
	p.record(1, 2, Win)
	p.record(3, 4, Win)
	p.next()
	for range 3 {
		for _, b := range p.e.Paired[len(p.e.Paired)-1] {
			if b.Open() {
				p.record(b.White, b.Black, Draw)
			}
		}
		p.next()
	}
	last := map[int]int{}
	for _, boards := range p.e.Paired {
		for _, b := range boards {
			if last[b.White] == b.Black || last[b.Black] == b.White {
				t.Errorf("%d and %d meet again at once", b.White, b.Black)
			}
			last[b.White], last[b.Black] = b.Black, b.White
		}
	}
	if s := p.e.Standings()[0]; s.Points < 3 || s.Perf == 0 || s.Rank != 1 {
		t.Errorf("the first has %+v", s)
	}
	p.set(5, Paused)
	p.now = day.Add(2 * time.Hour)
	open := p.e.Paired[len(p.e.Paired)-1][0]
	p.refused(EventOver)(p.e.Record(Report{Round: len(p.e.Paired) - 1, White: Win, Black: Loss}, p.now))
	p.next()
	if !p.e.Ended || !open.Open() {
		t.Error("the arena goes on after its time")
	}
}

// The last two who play meet again with the colours turned; three do not meet so.
func TestLastTwo(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindArena}, 2, 1)
	p.next("1-2")
	p.record(1, 2, Win)
	p.next("2-1")
	p.record(2, 1, Win)
	for id := range 2 {
		p.act(p.enter(game.MemberID(7+id), 3))
	}
	p.set(4, Paused)
	third := p.e
	third.Entrants = slices.Clone(third.Entrants)
	third.Entrants[2].Since = day
	p.act(third, nil)
	p.next("1-3") // the third came first, and who waits for the shortest time waits on
	p.refused(TooFewEntrants)(p.e.Next(nil, p.now))
}

// Two who have both had one colour three times too often do not meet; they wait for others.
func TestWaveColors(t *testing.T) {
	waiting := []waiter{{ID: 1, Whites: 3}, {ID: 2, Whites: 3}}
	if got := wave(waiting, false, nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
	waiting = append(waiting, waiter{ID: 3, Whites: -3}, waiter{ID: 4, Whites: -3})
	if got := wave(waiting, false, nil); !slices.Equal(got, [][2]int{{3, 1}, {4, 2}}) {
		t.Errorf("%v", got)
	}
}

// Two events that go on from the same one do not share a board, even where there is room behind the
// boards that they share.
func TestTwoFutures(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindKnockout}, make([]float64, 64)...)
	p.next()
	for i, b := range p.e.Paired[0] {
		result := Win
		if i == 0 {
			result = Draw
		}
		p.record(b.White, b.Black, result)
	}
	one := testkit.Got(p.e.Next(nil, day))
	before := shown(one)
	if _, err := p.e.Next(nil, day.Add(time.Hour)); err != nil || shown(one) != before {
		t.Errorf("the one changed the other: %v", err)
	}
}

// A hundred who play at once: nobody meets the last opponent again, and colours stay even.
func TestWaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := newPlay(t, Terms{Kind: KindArena})
	for i := range 151 {
		e, _, err := p.e.Enter(game.SeatEngine(1), 1000+float64(i*7%151), day.Add(time.Duration(i)))
		testkit.Must(t, err)
		p.is(e)
	}
	last, whites := map[int]int{}, map[int]int{}
	for range 20 {
		e, err := p.e.Next(nil, p.now)
		testkit.Must(t, err)
		p.e, p.now = e, p.now.Add(20*time.Second)
		round := len(e.Paired) - 1
		if round == 0 && len(e.Paired[0]) != 75 {
			t.Errorf("the first wave has %d games", len(e.Paired[0]))
		}
		for _, b := range e.Paired[round] {
			if last[b.White] == b.Black && last[b.Black] == b.White {
				t.Errorf("%d and %d meet again at once", b.White, b.Black)
			}
			last[b.White], last[b.Black] = b.Black, b.White
			whites[b.White]++
			whites[b.Black]--
			if abs(whites[b.White]) > 3 || abs(whites[b.Black]) > 3 {
				t.Errorf("%v: a colour too often", b)
			}
		}
		for r, boards := range p.e.Paired {
			for i, b := range boards {
				if result := []Result{Win, Draw, Loss}[rng.IntN(3)]; b.Open() && rng.IntN(3) > 0 {
					p.e, err = p.e.Record(Report{Round: r, Board: i, White: result, Black: result.turned()}, p.now)
					testkit.Must(t, err)
				}
			}
		}
	}
}

// Events of every kind and size come to their end, with entrants who pause and leave.
func TestEventsEnd(t *testing.T) {
	for seed := range dose("TENGEN_ENDS", 120) {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		n := 2 + rng.IntN(30)
		kind := []Kind{KindSwiss, KindRoundRobin, KindKnockout}[seed%3]
		terms := Terms{Kind: kind, Rounds: 1 + rng.IntN(6), BestOf: rng.IntN(4), Third: rng.IntN(2) == 0,
			Twice: rng.IntN(2) == 0, Black: rng.IntN(2) == 0}
		p := newPlay(t, terms, make([]float64, n)...)
		for steps := 0; !p.e.Ended; steps++ {
			if steps > 500 {
				t.Fatalf("seed %d: no end", seed)
			}
			if e, err := p.e.Next(nil, p.now); err == nil {
				p.is(e)
			} else if errors.Is(err, NoPairing) || errors.Is(err, TooFewEntrants) {
				p.is(p.e.End())
				continue
			} else if !errors.Is(err, RoundRunning) {
				t.Fatal(err)
			}
			if p.e.Ended {
				break
			}
			if x := 1 + rng.IntN(n); p.e.Entrants[x-1].State != Gone && rng.IntN(4) == 0 {
				p.set(x, State(rng.IntN(3)))
			}
			for round, boards := range p.e.Paired {
				for i, b := range boards {
					if r := []Result{Win, Draw, Loss, ForfeitWin, ForfeitLoss}[rng.IntN(5)]; b.Open() && rng.IntN(2) == 0 {
						p.act(p.e.Record(Report{Round: round, Board: i, White: r, Black: r.turned()}, p.now))
					}
				}
			}
		}
		ids := map[int]bool{}
		for i, s := range p.e.Standings() {
			if s.Rank > i+1 || ids[s.ID] {
				t.Errorf("seed %d: %+v at place %d", seed, s, i+1)
			}
			ids[s.ID] = true
		}
	}
}

// places is the standings as members read them: place.number.
func (p *play) places() string {
	var out []string
	for _, s := range p.e.Standings() {
		out = append(out, fmt.Sprintf("%d.%d", s.Place, s.ID))
	}
	return strings.Join(out, " ")
}

func (p *play) wantPlaces(want string) {
	p.t.Helper()
	testkit.Want(p.t, "places", p.places(), want)
}

// Those whom nothing that was played separates share their place, whatever their ratings and numbers
// are; the ranks of programs stay apart.
func TestSharedPlaces(t *testing.T) {
	circle := func(terms Terms) *play {
		p := newPlay(t, terms, 1500, 1900, 1700)
		for range 3 {
			p.next()
			for _, b := range p.e.Paired[len(p.e.Paired)-1] {
				if b.Open() { // 1 beats 2, 2 beats 3, 3 beats 1
					p.record(b.White, b.Black, map[bool]Result{true: Win, false: Loss}[b.Black == b.White%3+1])
				}
			}
		}
		return p
	}
	robin := circle(Terms{Kind: KindRoundRobin})
	robin.wantPlaces("1.2 1.3 1.1")
	robin.wantTable("1.2:1 2.3:1 3.1:1")
	circle(Terms{Kind: KindSwiss, Rounds: 3}).wantPlaces("1.2 1.3 1.1")

	// Before a game all share, and those who drew do.
	swiss := newPlay(t, Terms{Kind: KindSwiss, Rounds: 1}, 4, 3, 2, 1)
	swiss.wantPlaces("1.1 1.2 1.3 1.4")
	swiss.next()
	swiss.record(1, 3, Draw)
	swiss.wantPlaces("1.1 1.3 3.2 3.4")
	swiss.record(4, 2, Win)
	swiss.wantPlaces("1.4 2.1 2.3 4.2")

	arena := newPlay(t, Terms{Kind: KindArena, Length: time.Hour}, 40, 40, 40, 40)
	arena.next()
	for _, b := range arena.e.Paired[0] {
		arena.record(b.White, b.Black, Win)
	}
	arena.wantPlaces("1.1 1.3 3.2 3.4")
}

// In a knockout those who are beaten stand behind those who still play, also while the round goes on.
func TestKnockoutPlaces(t *testing.T) {
	p := newPlay(t, Terms{Kind: KindKnockout}, 4, 3, 2, 1)
	p.next()
	p.wantPlaces("1.1 1.2 1.3 1.4")
	p.record(1, 4, Win)
	p.wantPlaces("1.1 1.2 1.3 4.4")
	p.record(3, 2, Win)
	p.wantPlaces("1.1 1.3 3.2 3.4")
	p.next()
	p.wantPlaces("1.1 1.3 3.2 3.4")
	p.record(1, 3, Loss)
	p.wantPlaces("1.3 2.1 3.2 3.4")
}
