package reversi

import "time"

// share is the part of the time left for the game that a move gets: an equal part for each
// own move before the endgame, and much of the rest for solving it; moves after that take
// no time. After soft no further round of deepening starts; at hard the search ends where
// it is.
func share(left time.Duration, b board) (soft, hard time.Duration) {
	const solvedFrom = 18 // empties
	m := b.moves()
	if m&(m-1) == 0 {
		return 1, max(left/100, 1) // nothing to choose
	}
	n := b.empties()
	if n <= solvedFrom {
		return left / 4, max(left*6/10, 1)
	}
	moves := time.Duration(n-solvedFrom+1) / 2
	part := left / (moves + 4)
	return part * 6 / 10, max(min(part*2, left*6/10), 1)
}
