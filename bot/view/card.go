package view

import (
	"fmt"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// Card is what the rest of the store says of a match, above all its member's earlier games: why a new one has its
// level, and what was achieved in a finished one. The zero Card says nothing.
type Card struct {
	Ruling    Ruling
	Who       game.MemberID    // whom it is about: who plays the engine, or else won
	Next      game.Suggestion  // the level for a game against the engine: of a new match, else of the one after it
	First     bool             // the first win at this level
	Streak    int              // games in a row that were won
	Lopsided  bool             // Black wins quickly from empty boards
	New       [2]game.MemberID // those, by seats, who have finished no other game here; 0: somebody else
	Outside   bool             // the bot was only brought along to where a match between members begins
	Unsettled [2]bool          // by seat: whose rating is not settled
	Turning   *review.Ply      // the move at which the game turned for good; nil: it is not known
}

// CardWho is the member whom the card of a match is about: the one who plays the engine, else
// the one who won. It is 0 where the match has no card.
func CardWho(m game.Match) game.MemberID {
	switch {
	case BetweenEngines(m) || m.Opening == game.ImportedOpening:
		return 0
	case m.Phase == game.Over && m.Result().Termination >= game.Aborted:
		return 0
	case m.AgainstEngine() && (m.Phase == game.Over || fresh(m)):
		return m.Seats[0].Member + m.Seats[1].Member // the engine's id is 0
	case m.Phase == game.Over && m.Result().Winner != game.Empty:
		return m.Seats[m.SeatOfColor(m.Result().Winner)].Member
	}
	return 0
}

// fresh reports whether the member of a match against the engine has not moved yet.
func fresh(m game.Match) bool {
	return m.Phase == game.Playing && (m.Played() == 0 || m.Played() == 1 && !m.EngineToMove())
}

// CardFor is the card of a match by the games of its member before it, newest first, and by
// the member's results against the engine, this one included.
func CardFor(m game.Match, past game.Past, results []storage.Against) Card {
	c := Card{Who: CardWho(m)}
	switch {
	case c.Who == 0:
		return c
	case m.Phase == game.Over:
		c.Streak, c.Lopsided = past.Streak(c.Who, m), past.Lopsided(m)
		past = append(game.Past{m}, past...)
	}
	if !m.AgainstEngine() || m.Guest() != "" { // a guest has no levels
		return c
	}
	c.Next = past.Suggest(c.Who, m.Rules)
	for _, r := range results {
		if r.Rules == m.Rules && r.Level == engineOf(m) && r.Won == 1 {
			c.First = c.Streak > 0
		}
	}
	return c
}

// engineOf is the level of the engine in a match against a member.
func engineOf(m game.Match) int { return int(max(m.Seats[0].Level, m.Seats[1].Level)) }

// Turns reports whether the end of a match says where it turned: somebody has won, and members see themselves in it.
func Turns(m game.Match) bool {
	r := m.Result()
	return m.Phase == game.Over && r.Winner != game.Empty && r.Termination < game.Aborted && !BetweenEngines(m)
}

// Suggested says why a level is suggested; empty where that needs no word.
func (t Tongue) Suggested(s game.Suggestion) string {
	switch s.Why {
	case game.NoGames:
		return t.Say("level.first", "Level", s.Level)
	case game.TwoWon:
		return t.Say("level.up", "Level", s.Level, "Before", s.Level-1)
	case game.TwoLost:
		return t.Say("level.down", "Level", s.Level, "Before", s.Level+1)
	}
	return ""
}

// cardLines are the lines of a finished match's card: what was achieved, where the game
// turned, and what to play next.
func (t Tongue) cardLines(m game.Match, c Card) (lines []string) {
	var feats []string
	if c.First {
		feats = append(feats, t.Say("card.first", "Level", engineOf(m)))
	}
	if c.Streak >= 3 {
		feats = append(feats, t.Say("card.streak", "Count", c.Streak))
	}
	if len(feats) > 0 {
		lines = append(lines, t.Say("card.feats", "Who", Mention(c.Who), "Feats", t.Line(feats...)))
	}
	if c.Turning != nil {
		lines = append(lines, t.Say("card.turning", "Fault", t.fault(*c.Turning)))
	}
	if m.Next != 0 {
		return lines
	}
	switch {
	case c.Next.Why == game.TwoWon:
		lines = append(lines, t.Say("card.up", "Level", c.Next.Level-1))
	case c.Next.Why == game.TwoLost:
		lines = append(lines, t.Say("card.down", "Level", c.Next.Level+1))
	}
	if c.Lopsided {
		lines = append(lines, t.Say("card.balanced"))
	}
	if who := mentions(c.New[:]); who != "" {
		lines = append(lines, t.Say("card.newcomer", "Who", who))
	}
	return lines
}

// againRow are the buttons for playing on at once: the same game again, easier and harder
// against the engine, and from a balanced opening where Black wins too quickly.
func againRow(t Tongue, m game.Match, c Card) (row []chat.Button) {
	if m.Next != 0 || m.Seats[0].Kind == game.FormerSeat || m.Seats[1].Kind == game.FormerSeat || BetweenEngines(m) {
		return nil
	}
	again := func(key, arg string, first bool) {
		b := chat.Button{ID: On(m, "rematch", arg), Label: t.Say(key)}
		if first {
			b.Style = chat.Primary
		}
		row = append(row, b)
	}
	if !m.AgainstEngine() || m.Guest() != "" {
		again("button.rematch", "", !m.AgainBalanced)
	} else {
		for _, by := range []int{-1, 0, 1} {
			level := engineOf(m) + by
			if level < 1 || level > game.Levels {
				continue
			}
			arg := map[int]string{-1: "-1", 1: "1"}[by]
			key := [...]string{"button.easier", "button.same", "button.harder"}[by+1]
			again(key, arg, level == c.Next.Level || c.Next.Level == 0 && by == 0)
		}
	}
	if c.Lopsided || m.AgainBalanced {
		again("button.balanced", "balanced", m.AgainBalanced)
	}
	return row
}

// endRows are the two rows of buttons under a finished match: playing on, and looking back.
// The rest is in the menu.
func endRows(t Tongue, rec storage.Record, c Card) (rows []chat.Block) {
	m := rec.Match
	back := []chat.Button{
		{ID: On(m, "replay", fmt.Sprint(m.Game().Len())), Label: t.Say("button.replay")},
		t.ReviewButton(m, ""),
		{ID: On(m, "post", ""), Label: t.Say("button.share")},
	}
	around := aroundButton(t, rec)
	if around.ID != "" {
		back = append(back, around)
	} else if m.Next == 0 && m.AgainstEngine() && m.Result().Termination < game.Aborted {
		back = append(back, chat.Button{ID: On(m, "undo", ""), Label: t.Say("button.undo")})
	}
	if row := againRow(t, m, c); row != nil {
		row = append(row, chat.Button{ID: On(m, "profile", ""), Label: t.Say("button.profile")}) // the fifth at most
		rows = append(rows, chat.Block{Row: row})
	} else if around.ID == "" {
		back = append([]chat.Button{{ID: On(m, "new", ""), Label: t.Say("button.newGame")}}, back...)
	}
	return append(rows, chat.Block{Row: append(back, moreButton(m))})
}

// aroundButton leads to the tournament or the ladder for which a match was played; the zero Button: none.
func aroundButton(t Tongue, rec storage.Record) chat.Button {
	switch link := rec.Link; {
	case link.Event != 0:
		return chat.Button{ID: Press{Match: game.MatchID(link.Event), Verb: "evstand"}.ID(),
			Label: t.Say("event.button.standings")}
	case link.Ladder:
		return chat.Button{ID: Do("ladder", rec.Rules.Name()+".mine"), Label: t.Say("button.ladder.mine")}
	}
	return chat.Button{}
}

// AskPost asks how a finished game shall be shown to everybody.
func (t Tongue) AskPost(m game.Match) chat.Message {
	return chat.Private(t.Say("share.how")).WithRow(
		chat.Button{ID: On(m, "post", "png"), Label: t.Say("button.share.board")},
		chat.Button{ID: On(m, "post", "gif"), Label: t.Say("button.share.replay")})
}

// Posted is the line above a game that a member shows to everybody.
func (t Tongue) Posted(m game.Match, by game.MemberID, end Ruling) string {
	return t.Say("share.line", "Who", Mention(by), "Rules", t.Rules(m.Rules), "Count", m.Game().Len(),
		"Outcome", t.outcome(m, end))
}
