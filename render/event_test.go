package render

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
)

// names are such as members have: long ones, of other scripts, with signs.
var eventNames = []string{"Ann", "Борис Иванович", "Δημήτρης", "五子棋大师", "A very long name indeed", "Zoë 🎲", "مريم",
	"<@&123> @everyone", "line\nbreak", "ﷺ\u200b", "Łukasz", "x", "陈一 Chen", "Nguyễn Văn A", "🀄🀄🀄", "Søren"}

func eventName(number int) string {
	if number <= len(eventNames) {
		return eventNames[number-1]
	}
	return fmt.Sprintf("Player %d", number)
}

// A bracket of two with a match for the third place has room for it.
func TestBracketThird(t *testing.T) {
	b := BracketOf(tournament(event.Terms{Kind: event.KindKnockout, Third: true}, 4, 3), eventName)
	c, err := png.DecodeConfig(bytes.NewReader(must(b.PNG(EventOptions{Width: 350}))))
	if want := int(b.middle(b.Facts(0), 1, 1)) + tieHeight/2 + edge; err != nil || c.Height < want {
		t.Errorf("the picture is %d high, the last match ends at %d", c.Height, want)
	}
}

// tournament plays an event of so many entrants for so many rounds; the stronger wins, now and then not.
func tournament(terms event.Terms, entrants, rounds int) event.Event {
	e, now := event.Event{Terms: terms}, testkit.At("2026-03-01 12:00")
	for i := range entrants {
		e, _, _ = e.Enter(game.SeatFor(game.MemberID(i+1)), float64(2000-i), now)
	}
	for range rounds {
		e = testkit.Got(e.Next(nil, now))
		if e.Ended {
			break
		}
		last := len(e.Paired) - 1
		for i, b := range e.Paired[last] {
			if !b.Open() {
				continue
			}
			r := event.Report{Round: last, Board: i, White: event.Win, Black: event.Loss}
			switch k := (b.White*7 + b.Black*5 + last) % 11; {
			case k == 0 && terms.Kind != event.KindKnockout:
				r.White, r.Black = event.Draw, event.Draw
			case k == 1:
				r.White, r.Black = event.ForfeitLoss, event.ForfeitWin
			case (b.White > b.Black) == (k > 2):
				r.White, r.Black = event.Loss, event.Win
			}
			e = testkit.Got(e.Record(r, now))
		}
	}
	return e
}

// TestEventGolden draws events in all themes, and of all sizes in one.
func TestEventGolden(t *testing.T) {
	t.Parallel()
	slow(t)
	cross := TableOf(tournament(event.Terms{Kind: event.KindRoundRobin}, 8, 6), eventName)
	small := BracketOf(tournament(event.Terms{Kind: event.KindKnockout, Third: true}, 8, 2), eventName)
	for _, name := range Themes() {
		golden(t, "crosstable-"+name, must(cross.PNG(EventOptions{Theme: name, Width: 525})))
		golden(t, "bracket-"+name, must(small.PNG(EventOptions{Theme: name, Width: 525})))
	}
	swiss := TableOf(tournament(event.Terms{Rounds: 9}, 64, 9), eventName)
	for _, page := range []int{0, 3} {
		golden(t, fmt.Sprintf("standings-64-%d", page+1), must(swiss.PNG(EventOptions{Width: 350, Page: page})))
	}
	golden(t, "standings-4", must(TableOf(tournament(event.Terms{Rounds: 3}, 4, 2),
		eventName).PNG(EventOptions{Width: 350, Theme: "contrast"})))
	for name, kind := range map[string]event.Kind{"crosstable-shared": event.KindRoundRobin,
		"standings-shared": event.KindSwiss} {
		golden(t, name, must(TableOf(circle(kind), nameless).PNG(EventOptions{Width: 350, Theme: "night"})))
	}
	golden(t, "standings-start", must(TableOf(tournament(event.Terms{Rounds: 3}, 5, 0), eventName).PNG(EventOptions{})))
	for _, entrants := range []int{4, 6, 16, 64} {
		b := BracketOf(tournament(event.Terms{Kind: event.KindKnockout, Third: entrants == 4}, entrants, 8), eventName)
		for page := range b.Pages() {
			if page == 0 || page == b.Pages()-1 {
				golden(t, fmt.Sprintf("bracket-%d-%d", entrants, page+1),
					must(b.PNG(EventOptions{Width: 350, Page: page, Theme: "night"})))
			}
		}
	}
}

// Every size of event gives pages that fit a telephone: about as high as wide, and every entrant
// and every tie is on one of them.
func TestEventPages(t *testing.T) {
	for entrants := 2; entrants <= 64; entrants++ {
		table := TableOf(tournament(event.Terms{Rounds: 1}, entrants, 1), eventName)
		rows := 0
		for page := range table.Pages() {
			fits(t, must(table.PNG(EventOptions{Width: 350, Page: page})))
			rows += len(table.Facts(page).Rows)
		}
		if rows != entrants {
			t.Errorf("%d rows of %d entrants", rows, entrants)
		}
		b := BracketOf(tournament(event.Terms{Kind: event.KindKnockout, Third: entrants%2 == 0}, entrants, 8), eventName)
		ties, all := 0, 0
		for _, r := range b.Rounds {
			all += len(r)
		}
		for page := range b.Pages() {
			fits(t, must(b.PNG(EventOptions{Width: 350, Page: page})))
			for _, r := range b.Facts(page).Rounds {
				ties += len(r)
			}
		}
		if ties != all {
			t.Errorf("%d entrants: %d of %d ties are on a page", entrants, ties, all)
		}
	}
}

func fits(t *testing.T, data []byte) {
	t.Helper()
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width != 350 || c.Height > 440 {
		t.Errorf("a picture of %d x %d, %v", c.Width, c.Height, err)
	}
}

// A name that the font can write for the most part stands without the rest; another is a number.
func TestEventNames(t *testing.T) {
	d := newSheetOf(&themes[0], 350, 100)
	for _, c := range []struct {
		name string
		room float64
		want string
	}{
		{"Ann", 100, "Ann"}, {"Борис", 100, "Борис"}, {"Δημήτρης", 100, "Δημήτρης"},
		{"五子棋大师", 100, "#7"}, {"陈一 Chen", 100, "Chen"}, {"五子棋大师 A", 100, "#7"}, {"مريم", 100, "#7"}, {"🎲", 100, "#7"},
		{"", 100, "#7"}, {"...", 100, "#7"}, {"a\nb\t c", 100, "a b c"}, {"\u202eabc", 100, "abc"}, {"Zoë 🎲", 100, "Zoë"},
		{"Nguyễn", 100, "Nguyen"}, {"한국어", 100, "#7"}, {"A very long name indeed", 80, "A very lon…"},
		{strings.Repeat("W", 1<<20), 40, "WW…"},
	} {
		if got := d.fit(c.name, 7, c.room); got != c.want {
			t.Errorf("%.20q in %v: %q, want %q", c.name, c.room, got, c.want)
		}
	}
}

func TestEventErrors(t *testing.T) {
	row := Row{Place: 1, Cells: make([]Cell, 2)}
	for want, f := range map[string]func() ([]byte, error){
		"row 1 does not fit":  func() ([]byte, error) { return Table{Rows: []Row{row}}.PNG(EventOptions{}) },
		"no page 2 of 1":      func() ([]byte, error) { return Table{}.PNG(EventOptions{Page: 1}) },
		`no theme "plaid"`:    func() ([]byte, error) { return Table{}.PNG(EventOptions{Theme: "plaid"}) },
		"size 10":             func() ([]byte, error) { return Table{}.PNG(EventOptions{Width: 10}) },
		"a head of the table": func() ([]byte, error) { return Table{Heads: []string{"1234567"}}.PNG(EventOptions{}) },
		"1001 rows":           func() ([]byte, error) { return Table{Rows: make([]Row, 1001)}.PNG(EventOptions{}) },
		"a bracket of 0":      func() ([]byte, error) { return Bracket{}.PNG(EventOptions{}) },
		"round 1 of 1 has 3":  func() ([]byte, error) { return Bracket{[][]Tie{make([]Tie, 3)}}.PNG(EventOptions{}) },
		"a score has more":    func() ([]byte, error) { return Bracket{[][]Tie{{{[2]Side{{Score: "1234567"}}}}}}.PNG(EventOptions{}) },
		"no page 3 of 1":      func() ([]byte, error) { return Bracket{[][]Tie{make([]Tie, 1)}}.PNG(EventOptions{Page: 2}) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// The facts are what the picture shows.
func TestEventFacts(t *testing.T) {
	swiss := TableOf(tournament(event.Terms{Rounds: 11}, 40, 11), eventName)
	f := swiss.Facts(2)
	if len(f.Rows) != 8 || f.Of != 40 || f.Rows[0].Place != 33 || f.From == 0 || f.From > 4 {
		t.Errorf("%d rows of %d from place %d, columns from %d", len(f.Rows), f.Of, f.Rows[0].Place, f.From)
	}
	b := BracketOf(tournament(event.Terms{Kind: event.KindKnockout}, 32, 8), eventName)
	last := b.Facts(b.Pages() - 1)
	if last.From != 3 || last.Of != 5 || len(last.Rounds) != 3 {
		t.Errorf("the last page begins with round %d of %d, and has %d", last.From, last.Of, len(last.Rounds))
	}
	final := last.Rounds[2][0]
	if final.Sides[0].Won == final.Sides[1].Won || final.Sides[0].Score == "" {
		t.Errorf("the final: %+v", final)
	}
}

// Text stands out from its ground in every theme, for the colour-blind and in grey too.
func TestEventContrast(t *testing.T) {
	for i := range themes {
		d := newSheetOf(&themes[i], 350, 100)
		for _, see := range sights {
			for what, pair := range map[string][2]rgb{"text": {d.ink, d.ground}, "a stripe": {d.ink, d.stripe}} {
				if got := contrast(see.see(pair[0]), see.see(pair[1])); got < 4.5 {
					t.Errorf("%s, %s: %s has a contrast of %.2f, want 4.5", themes[i].name, see.name, what, got)
				}
			}
		}
	}
}

// circle is an event of three in which 1 beats 2, 2 beats 3 and 3 beats 1.
func circle(kind event.Kind) event.Event {
	e, now := event.Event{Terms: event.Terms{Kind: kind, Rounds: 3}}, testkit.At("2026-03-01 12:00")
	for i, rating := range []float64{1500, 1900, 1700} {
		e, _, _ = e.Enter(game.SeatFor(game.MemberID(i+1)), rating, now)
	}
	for round := range 3 {
		e = must(e.Next(nil, now))
		for i, b := range e.Paired[round] {
			r := event.Report{Round: round, Board: i, White: event.Win, Black: event.Loss}
			if b.White == b.Black%3+1 {
				r.White, r.Black = event.Loss, event.Win
			}
			if b.Open() {
				e = must(e.Record(r, now))
			}
		}
	}
	return e
}

func nameless(int) string { return "" }

// Those who share a place have the same number in front, and cells name opponents by what is never
// shared.
func TestSharedTable(t *testing.T) {
	for kind, want := range map[event.Kind][3]string{
		event.KindRoundRobin: {" 1 0", "0  1", "1 0 "},
		event.KindSwiss:      {"3 1 +", "2 + 1", "+ 2 3"},
	} {
		table := TableOf(circle(kind), nameless)
		for i, r := range table.Rows {
			cells := []string{}
			for _, c := range r.Cells {
				cells = append(cells, c.Text)
			}
			if got := strings.Join(cells, " "); r.Place != 1 || got != want[i] {
				t.Errorf("%v: row %d has the place %d and %q, want %q", kind, i, r.Place, got, want[i])
			}
		}
		if got := strings.Join(table.Heads, " "); kind == event.KindRoundRobin && got != "2 3 1" {
			t.Errorf("the columns are %s", got)
		}
	}
}

// A game that was won, one that a side forfeited, and one that both did are told apart.
func TestForfeits(t *testing.T) {
	won, forfeited := [2]event.Result{event.Win, event.Loss}, [2]event.Result{event.ForfeitWin, event.ForfeitLoss}
	both := [2]event.Result{event.ForfeitLoss, event.ForfeitLoss}
	play := func(terms event.Terms, results ...[2]event.Result) event.Event {
		e, now := event.Event{Terms: terms}, testkit.At("2026-03-01 12:00")
		for i := range 2 * len(results) {
			e, _, _ = e.Enter(game.SeatFor(game.MemberID(i+1)), float64(-i), now)
		}
		e = must(e.Next(nil, now))
		for i, r := range results {
			e = must(e.Record(event.Report{Board: i, White: r[0], Black: r[1]}, now))
		}
		return e
	}
	e := play(event.Terms{Rounds: 1}, won, forfeited, both)
	want := map[int]Cell{}
	for i, signs := range [][2]Cell{{{"", Won}, {"", Lost}}, {{"+", Plain}, {"−", Plain}}, {{"−", Plain}, {"−", Plain}}} {
		b := e.Paired[0][i]
		want[b.White] = Cell{signs[0].Text + fmt.Sprint(b.Black), signs[0].Outcome}
		want[b.Black] = Cell{signs[1].Text + fmt.Sprint(b.White), signs[1].Outcome}
	}
	for _, r := range TableOf(e, eventName).Rows {
		if r.Cells[0] != want[r.Number] {
			t.Errorf("number %d: %v, want %v", r.Number, r.Cells[0], want[r.Number])
		}
	}
	e = play(event.Terms{Kind: event.KindKnockout}, won, forfeited)
	for i, want := range [][2]string{{"1", "0"}, {"1+", "0−"}} {
		for k, side := range BracketOf(e, eventName).Rounds[0][i].Sides {
			if white := side.Number == e.Paired[0][i].White; side.Score != want[map[bool]int{true: 0, false: 1}[white]] {
				t.Errorf("tie %d, side %d: %q", i, k, side.Score)
			}
		}
	}
	d := newSheetOf(&themes[0], 350, 100)
	if at, err := d.names.GlyphIndex(nil, '−'); at == 0 || err != nil {
		t.Error("the font has no minus")
	}
}
