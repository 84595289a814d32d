package view

import (
	"testing"

	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A result that no game gave is said as what it is: set, removed, left, forfeited, or time.
func TestBoardEnd(t *testing.T) {
	now := testkit.At("2026-11-01 12:00")
	start := func() storage.Event {
		e := storage.Event{}
		e.Rounds = 3
		for m := game.MemberID(1); m <= 2; m++ {
			e, _ = e.Join(m, game.SeatFor(m), 1500, now)
		}
		e, err := e.Begin(0, nil, now)
		testkit.Must(t, err)
		return e
	}
	settle := func(white, black event.Result, reason string) storage.Event {
		e, err := start().Settle(9, event.Report{White: white, Black: black}, reason, now)
		testkit.Must(t, err)
		return e
	}
	removed, _ := start().Remove(9, 2, "never *there*", now)
	left, _ := start().Leave(2, now)
	played := start()
	played.Event, _ = played.Record(event.Report{White: event.Win, Black: event.Loss}, now)
	late := start()
	late.Event, _ = late.Record(event.Report{White: event.ForfeitLoss, Black: event.ForfeitLoss}, now)
	late.History = append(late.History, storage.AuditEntry{What: storage.Forfeited, Round: 1, Board: 1})
	gaveUp := left
	gaveUp.History = append(gaveUp.History[:len(gaveUp.History)-1:len(gaveUp.History)-1],
		storage.AuditEntry{What: storage.Forfeited, Round: 1, Board: 1, By: 2})
	forgotten := removed
	forgotten.History = nil
	deleted := settle(event.Draw, event.Draw, "")
	deleted.History[len(deleted.History)-1].By = 0
	for what, c := range map[string]struct {
		e     storage.Event
		want  string
		ruled bool
	}{
		"played":        {played, "<@1> beat <@2>", false},
		"set":           {settle(event.Loss, event.Win, "told me"), "<@2> beat <@1>, set by <@9> (reason: told me)", true},
		"set drawn":     {settle(event.Draw, event.Draw, ""), "<@1> and <@2> drew, set by <@9>", true},
		"set forfeit":   {settle(event.ForfeitWin, event.ForfeitLoss, "x"), "<@1> wins by forfeit against <@2>, set by <@9> (reason: x)", true},
		"set nobody":    {settle(event.ForfeitLoss, event.ForfeitLoss, "x"), "<@1> and <@2> both lost by forfeit, set by <@9> (reason: x)", true},
		"removed":       {removed, `<@1> wins by forfeit: <@9> removed <@2> (reason: never \*there\*)`, true},
		"left":          {left, "<@1> wins by forfeit: <@2> left", true},
		"forfeited":     {gaveUp, "<@1> wins: <@2> forfeited", true},
		"late":          {late, "<@1> and <@2>: neither played in time", true},
		"forgotten":     {forgotten, "<@1> wins: <@2> did not play it out", true},
		"host is gone":  {deleted, "<@1> and <@2> drew, set by a manager", true},
		"a long reason": {settle(event.Draw, event.Draw, "abcdefghijklmnopqrstuvwxyz0123456789"), "<@1> and <@2> drew, set by <@9> (reason: abcdefghijklmnopqrstuvwxyz0123…)", true},
	} {
		if got, ruled := In("en").BoardEnd(c.e, 0, 0, 30); got != c.want || ruled != c.ruled {
			t.Errorf("%s: %q %v, want %q", what, got, ruled, c.want)
		}
	}
}
