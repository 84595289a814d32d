package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// RecapDays is how many days a recap looks back.
const RecapDays = 7

// Recap is what a member has played in the last days.
type Recap struct {
	Who   game.MemberID
	Since time.Time
	Games []storage.Record // with a result, that ended since then, the newest first
}

// RecapOf is the recap at a time of a member with these games, the newest first.
func RecapOf(who game.MemberID, recs []storage.Record, now time.Time) Recap {
	c := Recap{Who: who, Since: now.AddDate(0, 0, -RecapDays)}
	for _, rec := range recs {
		if _, sits := rec.SeatOf(who); sits && !rec.Ended.Before(c.Since) && rec.Result().Termination < game.Aborted {
			c.Games = append(c.Games, rec)
		}
	}
	return c
}

// Best is the best win: against members before the bot, and the stronger the better; of equals the shorter. Wins with
// help are none. It is false where there is none.
func (c Recap) Best() (best storage.Record, ok bool) {
	for _, rec := range c.Games {
		seat, _ := rec.SeatOf(c.Who)
		if rec.Score(seat) == 1 && !rec.Spoiled && rec.Opening != game.ImportedOpening &&
			(!ok || better(rec, best, c.Who) > 0) {
			best, ok = rec, true
		}
	}
	return best, ok
}

// better compares two wins.
func better(a, b storage.Record, who game.MemberID) int {
	strength := func(rec storage.Record) (members bool, by float64) {
		seat, _ := rec.SeatOf(who)
		if rec.AgainstEngine() {
			return false, float64(rec.Seats[1-seat].Level)
		}
		return true, rec.Changes[1-seat].Before
	}
	membersA, byA := strength(a)
	membersB, byB := strength(b)
	switch {
	case membersA != membersB && membersA:
		return 1
	case membersA != membersB:
		return -1
	}
	return cmp.Or(cmp.Compare(byA, byB), cmp.Compare(b.Game().Len(), a.Game().Len()))
}

// Recap is the message of a recap: results by game, the best win with its picture, and buttons that lead on, missed
// among them where it has an id: to a win that was missed.
func (t Tongue) Recap(c Recap, picture chat.Block, end Ruling, missed chat.Button) chat.Message {
	lines := []string{"### " + t.Say("recap.title"), t.Say("recap.since", "When", fmt.Sprintf("<t:%d:D>", c.Since.Unix()))}
	if len(c.Games) == 0 {
		return chat.Private(strings.Join(append(lines, t.Say("recap.none")), "\n")).WithRow(
			chat.Button{ID: Do("new", ""), Label: t.Say("button.newGame"), Style: chat.Primary},
			chat.Button{ID: Do("open", "puzzle"), Label: t.Say("button.help.solve")})
	}
	for _, rules := range game.AllRules {
		lines = append(lines, t.recapOf(c, rules)...)
	}
	row := []chat.Button{}
	best, won := c.Best()
	if won {
		lines = append(lines, t.Line(t.Say("recap.best"), t.GameLine(best.Match, c.Who, "", end)))
	}
	msg := chat.Private(strings.Join(lines, "\n"))
	if won {
		if picture.Picture != nil {
			msg.Blocks = append(msg.Blocks, picture)
		}
		row = append(row, chat.Button{ID: On(best.Match, "replay", fmt.Sprintf("%d.new", best.Game().Len())),
			Label: t.Say("button.replay")})
	}
	if missed.ID != "" {
		row = append(row, missed)
	}
	return msg.WithRow(append(row, chat.Button{ID: Do("open", "profile"), Label: t.Say("button.profile.mine")})...)
}

// recapOf words the results in one game.
func (t Tongue) recapOf(c Recap, rules game.Rules) (lines []string) {
	var members, bot storage.Tally
	for _, rec := range c.Games {
		if rec.Rules != rules {
			continue
		}
		seat, _ := rec.SeatOf(c.Who)
		if rec.AgainstEngine() {
			bot = bot.With(rec.Score(seat))
		} else {
			members = members.With(rec.Score(seat))
		}
	}
	if games(members)+games(bot) == 0 {
		return nil
	}
	lines = append(lines, "**"+t.Rules(rules)+"**")
	if games(members) > 0 {
		lines = append(lines, t.results("recap.members", members))
	}
	if games(bot) > 0 {
		lines = append(lines, t.results("recap.bot", bot))
	}
	return lines
}
