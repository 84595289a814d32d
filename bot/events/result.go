package events

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game/event"
	"tengen/storage"
)

// results are the results that a manager can set, as the menu names them: of the member that the form names, else
// of white, and of the other one.
var results = []struct {
	name       string
	one, other event.Result
}{
	{"white", event.Win, event.Loss}, {"draw", event.Draw, event.Draw}, {"black", event.Loss, event.Win},
	{"whiteForfeit", event.ForfeitWin, event.ForfeitLoss}, {"blackForfeit", event.ForfeitLoss, event.ForfeitWin},
	{"nobody", event.ForfeitLoss, event.ForfeitLoss},
}

// resulted takes the form of a result, and says by name what stands now.
func (v *Events) resulted(ctx context.Context, r chat.Request, p view.Press, reason string) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	var set event.Report
	next, err := v.update(ctx, r, e, func(e storage.Event) (storage.Event, error) {
		if set, err = report(e, r); err != nil {
			return e, err
		}
		if reason == "" {
			return e, view.No("event.refused.reason")
		}
		return e.Settle(r.By, set, reason, r.At)
	})
	if err != nil {
		return v.anew(r, e, actResult, err)
	}
	t := v.House.Tongue(r)
	said, _ := t.BoardEnd(next, set.Round, set.Board, view.LongReason)
	said = t.Line(t.Say("event.inRound", "Number", set.Round+1), said)
	return v.page(ctx, r, chat.Text(t.Say("event.done.result")+"\n"+said))
}

// report is the result that a form gives, and the board that it is of.
func report(e storage.Event, r chat.Request) (set event.Report, err error) {
	at, turned, ok := boardMeant(e, r)
	i := slices.IndexFunc(results, func(x struct {
		name       string
		one, other event.Result
	}) bool {
		return x.name == r.Text("result", "")
	})
	if !ok || i < 0 {
		return set, event.NoBoard
	}
	set = event.Report{Round: at[0], Board: at[1], White: results[i].one, Black: results[i].other}
	if turned {
		set.White, set.Black = set.Black, set.White
	}
	return set, nil
}

// boardMeant is the board that a form names, by round and place: the last one of a member, theirs of a round, or one by
// its number. turned says that the member has black.
func boardMeant(e storage.Event, r chat.Request) (at [2]int, turned, ok bool) {
	round, board, dotted := strings.Cut(strings.TrimSpace(r.Text("board", "")), ".")
	n, errRound := strconv.Atoi(round)
	m, errBoard := strconv.Atoi(board)
	member := r.Options["member"].Member.ID
	number := entrant(e, member)
	switch {
	case member == 0 && !dotted: // the number of a board of the last round
		return [2]int{len(e.Paired) - 1, n - 1}, false, errRound == nil
	case member == 0:
		return [2]int{n - 1, m - 1}, false, errRound == nil && errBoard == nil
	case number == 0 || round != "" && errRound != nil || dotted && errBoard != nil:
		return at, false, false
	}
	for i, boards := range slices.Backward(e.Paired) {
		for k, b := range slices.Backward(boards) {
			theirs := b.Black != 0 && (b.White == number || b.Black == number)
			if theirs && (round == "" || i == n-1) && (!dotted || k == m-1) {
				return [2]int{i, k}, b.Black == number, true
			}
		}
	}
	return at, false, false
}
