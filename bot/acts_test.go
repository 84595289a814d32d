package bot

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/act"
	"tengen/bot/view"
	"tengen/game"
	book "tengen/game/opening"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// player drives a match by acts alone, without a chat.
type player struct {
	*desktop
	now storage.Record
}

// table is a match that is offered by 1 to a seat.
func table(t *testing.T, terms game.Terms, second game.Seat) *player {
	t.Helper()
	p := &player{desktop: onPaper(t)}
	var err error
	now := time.Now()
	p.now, err = p.store.Create(t.Context(), storage.Cause{At: now}, venue.Place{Server: club, Channel: lounge},
		func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, terms, 1, game.SeatFor(1), second, now, now.Add(time.Hour))
		})
	testkit.Must(t, err)
	return p
}

// seen is an act of a member who sees the match as it stands.
func (p *player) seen(by game.MemberID, verb, arg string) act.Act {
	return act.Act{Match: p.now.ID, Verb: verb, Arg: arg, By: by, At: time.Now()}.For(p.now.Stamp())
}

// once carries an act out under a number, and waits until the bot rests.
func (p *player) once(number uint64, a act.Act) (act.Outcome, error) {
	out, err := p.bot.Act(p.t.Context(), a, storage.Cause{Interaction: number, At: a.At, By: a.By})
	synctest.Wait()
	if err == nil {
		p.now = out.Record
	}
	return out, err
}

// does has a member do something.
func (p *player) does(by game.MemberID, verb, arg string) act.Outcome {
	p.t.Helper()
	p.n++
	out, err := p.once(p.n, p.seen(by, verb, arg))
	if err != nil {
		p.t.Fatalf("%d %s %s: %v", by, verb, arg, err)
	}
	return out
}

// refused checks that an act is refused, and that the member can be told why.
func (p *player) refused(a act.Act, why game.Code) {
	p.t.Helper()
	p.n++
	_, err := p.once(p.n, a)
	var rule *game.Refusal
	if reason, ok := view.In("en").Reason(err); !errors.As(err, &rule) || rule.Code != why || !ok || reason == "" {
		p.t.Errorf("%s %s: %v, %q, want code %d", a.Verb, a.Arg, err, reason, why)
	}
}

// Two members play a game and its rematch.
func TestGamesByActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := table(t, game.Terms{Rules: game.Gomoku15, First: game.White, Rated: true}, game.SeatFor(2))
		p.refused(p.seen(3, "accept", ""), game.NotForYou)
		p.does(1, "color", "black")
		p.does(1, "casual", "")
		p.does(2, "accept", "black")
		early := p.seen(1, "play", "H8")
		p.does(1, "play", "H8")
		p.refused(early, game.Moved)
		p.refused(p.seen(1, "play", "A1"), game.NotYourTurn)
		p.refused(p.seen(2, "play", "H8"), game.Occupied)
		p.does(2, "play", "A1")
		p.does(2, "undo", "")
		if p.does(1, "undoyes", ""); p.now.Played() != 1 {
			t.Errorf("%d moves after the undo", p.now.Played())
		}
		a := p.seen(2, "play", "B1")
		for range 2 { // it comes twice
			if _, err := p.once(500, a); err != nil || p.now.Played() != 2 {
				t.Errorf("%d moves, %v", p.now.Played(), err)
			}
		}
		p.does(2, "undo", "")
		p.does(1, "undono", "")
		p.does(1, "draw", "")
		p.does(2, "drawno", "")
		p.does(1, "numbers", "")
		if p.does(2, "resignsure", ""); p.now.Phase != game.Over {
			t.Fatalf("%+v", p.now.Result())
		}
		if out := p.does(1, "rematch", ""); out.Next.ID != 0 {
			t.Error("one member begins a rematch")
		}
		out := p.does(2, "rematch", "")
		if out.Next.ID == 0 || out.Record.Next != out.Next.ID {
			t.Fatalf("after %v comes %v", out.Record.Next, out.Next.ID)
		}
		p.now = out.Next
		if p.shows(p.now) == "" {
			t.Error("no board shows the rematch")
		}
		p.does(2, "play", "H8") // the colors have changed
		p.does(1, "draw", "")
		p.does(2, "drawyes", "")
		testkit.Want(t, "the end", p.now.Result().Termination, game.ByAgreement)
		p.refused(p.seen(1, "play", "A2"), game.NotPlaying)
	})
}

// The engine answers a move and an offer. What the board does not say, the outcome does.
func TestEngineByActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := table(t, game.Terms{Rules: game.Gomoku9, First: game.Black}, game.SeatEngine(1))
		p.does(1, "play", "E5")
		p.now = p.only(1)
		testkit.Want(t, "moves after the engine's", p.now.Played(), 2)
		if out := p.does(1, "draw", ""); out.Remark(view.In("en")) == "" {
			t.Error("the engine has declined, and nobody says so")
		}
		p.does(1, "undo", "")
		p.does(1, "hint", "")
		testkit.Want(t, "moves after the undo", p.now.Played(), 0)
		p.does(1, "resignsure", "")
		testkit.Want(t, "the end", p.now.Result().Termination, game.ByResignation)
	})
}

// Every way through the openings is open to acts.
func TestOpeningsByActs(t *testing.T) {
	for _, protocol := range book.All {
		rules := protocolRules(protocol)
		for _, path := range openingPaths(protocol) {
			synctest.Test(t, func(t *testing.T) {
				p := table(t, game.Terms{Rules: rules, First: game.Black, Protocol: protocol}, game.SeatFor(2))
				p.does(2, "accept", "")
				for _, d := range path {
					press := decisive(p.now.Match, d)
					what, err := view.ParsePress(press.Custom)
					testkit.Must(t, err)
					p.does(p.now.Seats[p.now.ToMove()].Member, what.Verb, append(press.Values, what.Arg)[0])
				}
				if p.now.Deciding() {
					t.Errorf("after %v the opening goes on", path)
				}
			})
		}
	}
}
