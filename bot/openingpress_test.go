package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	book "tengen/game/opening"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// openingPaths are ways through a protocol that together meet each of its questions.
func openingPaths(p book.Protocol) (paths [][]game.Decision) {
	met := map[string]bool{}
	var walk func(book.State, []game.Decision, bool)
	walk = func(s book.State, path []game.Decision, fresh bool) {
		q := s.Question()
		if s.Over() {
			if fresh {
				paths = append(paths, slices.Clone(path))
			}
			return
		}
		key := fmt.Sprint(q.Kind, q.Options, s.Stones(), len(q.Offered) > 0, q.LastOffer())
		fresh, met[key] = fresh || !met[key], true
		ways := q.Options
		switch {
		case q.Kind == game.AskDeclare:
			ways = []game.Decision{game.Declare(3)}
		case len(ways) == 0:
			ways = []game.Decision{q.At(q.Points.Points()[0])}
		}
		for _, d := range ways {
			next, err := s.Decide(d)
			if err != nil {
				panic(err)
			}
			walk(next, append(path, d), fresh)
			fresh = q.Kind == game.AskChoose // another way through questions that are known is not taken
		}
	}
	walk(p.Begin(), nil, false)
	return paths
}

// decisive is the press that takes a decision.
func decisive(m game.Match, d game.Decision) chat.Request {
	switch q := m.Question(); {
	case q.Kind == game.AskDeclare:
		return chat.Request{Kind: chat.Choose, Custom: view.On(m, "decide", "declare"), Values: []string{d.String()}}
	case q.Points.Empty():
		return chat.Request{Kind: chat.Press, Custom: view.On(m, "decide", d.String())}
	case q.LastOffer():
		p, _ := d.Offered()
		return chat.Request{Kind: chat.Press, Custom: view.On(m, "sure", p.String())}
	case q.Kind == game.AskOffer:
		p, _ := d.Offered()
		return chat.Request{Kind: chat.Press, Custom: view.On(m, "play", p.String())}
	}
	return chat.Request{Kind: chat.Press, Custom: view.On(m, "play", d.String())}
}

// protocolRules are rules of the game that a protocol opens.
func protocolRules(p book.Protocol) game.Rules {
	if p <= book.LongPro {
		return game.Gomoku15
	}
	return game.Renju
}

// tells presses on the live board, all at once, and gives the words of the answers.
func (d *desktop) tells(by game.MemberID, presses ...chat.Request) string {
	d.t.Helper()
	d.paper.mu.Lock()
	before := d.paper.last
	d.paper.mu.Unlock()
	for _, p := range presses {
		r := d.request(by, p.Kind)
		r.Custom, r.Values, r.Message = p.Custom, p.Values, p.Message
		d.paper.pressed(r.Token, p.Message)
		go d.bot.Handle(d.t.Context(), r)
	}
	synctest.Wait()
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	var out strings.Builder
	for id := before + 1; id <= d.paper.last; id++ {
		out.WriteString(wordsOf(d.paper.messages[id]))
	}
	return out.String()
}

// At every question of every protocol, a press of a stranger, one of the other side, and one
// on a button of the question before is refused with a word and changes nothing; a board that
// was out of date is brought up to date. Two presses at once decide once.
func TestWrongPressesInOpenings(t *testing.T) {
	t.Parallel()
	for _, p := range book.All {
		for _, path := range openingPaths(p) {
			synctest.Test(t, func(t *testing.T) {
				if bad := pressWrongly(t, p, path); bad != "" {
					t.Errorf("%s %v: %s", p.Name(), path, bad)
				}
			})
		}
	}
}

// pressWrongly takes a way through a protocol and gives what was not as it should be.
func pressWrongly(t *testing.T, p book.Protocol, path []game.Decision) string {
	d := onPaperOver(t, kv.NewMemory())
	d.betweenMembers("game", protocolRules(p).Name(), "opening", p.Name())
	const stranger = 7
	var old chat.Request // what was pressed for the question before
	for i, decision := range path {
		rec := d.only(1)
		sc := testkit.Got(d.store.Screen(t.Context(), rec.ID))
		asked, press := game.MemberID(1+rec.ToMove()), decisive(rec.Match, decision)
		press.Message = sc.Message
		shown := d.shows(rec)
		time.Sleep(10 * time.Second) // later than a double click
		for _, wrong := range []struct {
			what, want string
			by         game.MemberID
			press      chat.Request
		}{
			{"a stranger", "You do not play in this game.", stranger, press},
			{"the other side", "It is not your turn.", 3 - asked, press},
			{"an old button", "The game has moved on.", asked, old},
		} {
			if wrong.press.Custom == "" {
				continue
			}
			if wrong.press.Custom == old.Custom {
				d.paper.mu.Lock()
				d.paper.set(sc.Message, chat.Text("an old board"))
				d.paper.mu.Unlock()
			}
			said := d.tells(wrong.by, wrong.press)
			if now := d.only(1); now.Version != rec.Version || !strings.Contains(said, wrong.want) || d.shows(rec) != shown {
				return fmt.Sprintf("%s, decision %d: version %d after %d, said %q, and the board shows\n%s", wrong.what,
					i+1, now.Version, rec.Version, said, d.shows(rec))
			}
		}
		d.tells(asked, press, press)
		if now := d.only(1); len(now.Log) != len(rec.Log)+1 {
			return fmt.Sprintf("two presses at once, decision %d: %d decisions", i+1, len(now.Log)-len(rec.Log))
		}
		old = press
	}
	if d.only(1).Deciding() {
		return "the opening goes on"
	}
	return ""
}
