package view

import (
	"tengen/game"
	"tengen/storage"
)

// round numbers that are worth a feat.
var milestones = []int{10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000}

// The least that is a feat.
const (
	leastUpset  = 100 // points by which a beaten opponent was rated higher
	leastWins   = 3   // in a row
	leastRun    = 10  // puzzles of a streak or a storm
	leastDays   = 3   // in a row with the daily puzzle solved
	leastSolved = 10
)

// milestone is the largest round number that is reached; 0: none.
func milestone(n int) (reached int) {
	for _, m := range milestones {
		if n >= m {
			reached = m
		}
	}
	return reached
}

// feats are what the member has achieved, all of it computed from what is stored anyway. What follows from a part that
// who asks does not see is left out.
func (t Tongue) feats(p Profile) (lines []string) {
	add := func(key string, n, least int) {
		if n >= least {
			lines = append(lines, "★ "+t.Say("feat."+key, "Count", n))
		}
	}
	if p.Sees("games") {
		if level := highestBeaten(p.Bot); level > 0 {
			lines = append(lines, "★ "+t.Say("feat.level", "Level", level))
		}
		rated := 0
		for _, s := range p.Rated {
			rated += games(s.Tally)
		}
		add("rated", milestone(rated), 1)
		add("streak", p.past().Longest(p.Who, false), leastWins)
		add("upset", p.upset(), leastUpset)
	}
	if p.Sees("puzzles") {
		solved := 0
		for _, s := range p.Puzzles.Solvers {
			solved += s.Solved
		}
		add("solved", milestone(solved), leastSolved)
		best := map[storage.RunKind]int{}
		for _, b := range p.Puzzles.Run.Bests {
			best[b.Kind] = max(best[b.Kind], b.Ever)
		}
		add("run", best[storage.StreakRun], leastRun)
		add("storm", best[storage.StormRun], leastRun)
		add("daily", bestDays(p.Puzzles), leastDays)
		for _, c := range p.Courses {
			if c.Of > 0 && c.Done == c.Of {
				lines = append(lines, "★ "+t.Line(t.Rules(c.Rules), t.Say("feat.course")))
			}
		}
	}
	if p.Sees("events") {
		won, seasons := 0, 0
		for _, e := range p.Events {
			if place, of, _ := placeIn(e, p.Who); place == 1 && of > 1 {
				won++
			}
		}
		for _, l := range p.Ladders {
			for _, place := range l.Seasons {
				if place == 1 {
					seasons++
				}
			}
		}
		add("event", won, 1)
		add("season", seasons, 1)
	}
	return lines
}

// highestBeaten is the highest level of the bot that was beaten; 0: none.
func highestBeaten(bot []storage.Against) (level int) {
	for _, a := range bot {
		if a.Won > 0 {
			level = max(level, a.Level)
		}
	}
	return level
}

// upset is by how many points a member was rated higher whom the member of the profile has beaten, at most.
func (p Profile) upset() (most int) {
	p.played(func(rec storage.Record, seat int) {
		own, other := rec.Changes[seat], rec.Changes[1-seat]
		if own.Before != 0 && other.Before != 0 && rec.Result().Winner != game.Empty && rec.Score(seat) == 1 {
			most = max(most, int(other.Before-own.Before))
		}
	})
	return most
}
