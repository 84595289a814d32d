package event

import "slices"

// Tie is a pairing of a knockout, which games decide: numbers of entrants, 0 for nobody or nobody yet.
type Tie struct {
	Players [2]int
	Points  [2]float64
	Played  bool      // a game of it has ended
	Forfeit [2]Result // of the last game of it that was forfeited; empty where none was
	Winner  int       // 0: not decided, or nobody
}

// Bracket gives the ties of a knockout by rounds, those that are still to come too; none before the
// seeds are settled. The last round has the final and, where it is played, the match for the third
// place behind it.
func (e Event) Bracket() (rounds [][]Tie) {
	if e.Kind != KindKnockout || len(e.Seeds) < 2 {
		return nil
	}
	for round := 0; ; round++ {
		var ties []Tie
		for i, t := range e.ties(round) {
			tie := Tie{Players: t}
			if known := round < len(e.Paired); known {
				tie.Winner, _ = e.winner(round, i, t)
				e.score(&tie, round, i)
			}
			ties = append(ties, tie)
		}
		rounds = append(rounds, ties)
		if e.isFinal(round) {
			return rounds
		}
	}
}

// score writes what the two of a tie have scored in it.
func (e Event) score(t *Tie, round, tie int) {
	for _, b := range e.Paired[round] {
		if b.Tie != tie || b.Black == 0 || b.Open() {
			continue
		}
		t.Played = true
		for k, number := range [2]int{b.White, b.Black} {
			side := slices.Index(t.Players[:], number)
			t.Points[side] += float64(halves[b.Results[k]]) / 2
			if b.Results[k] == ForfeitWin || b.Results[k] == ForfeitLoss {
				t.Forfeit[side] = b.Results[k]
			}
		}
	}
}
