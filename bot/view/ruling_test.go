package view

import (
	"strings"
	"testing"
	"time"

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
		e = testkit.Got(e.Begin(0, nil, now))
		return e
	}
	settle := func(white, black event.Result, reason string) storage.Event {
		e := testkit.Got(start().Settle(9, event.Report{White: white, Black: black}, reason, now))
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
		"set":           {settle(event.Loss, event.Win, "told me"), "<@2> beat <@1> · decided by <@9> · reason: told me", true},
		"set drawn":     {settle(event.Draw, event.Draw, ""), "<@1> and <@2> drew · decided by <@9>", true},
		"set forfeit":   {settle(event.ForfeitWin, event.ForfeitLoss, "x"), "<@1> wins by forfeit against <@2> · decided by <@9> · reason: x", true},
		"set nobody":    {settle(event.ForfeitLoss, event.ForfeitLoss, "x"), "<@1> and <@2> both lost by forfeit · decided by <@9> · reason: x", true},
		"removed":       {removed, `<@1> wins by forfeit: <@2> was removed · decided by <@9> · reason: never \*there\*`, true},
		"left":          {left, "<@1> wins by forfeit: <@2> left", true},
		"forfeited":     {gaveUp, "<@1> wins: <@2> forfeited", true},
		"late":          {late, "<@1> and <@2> both lost by forfeit", true},
		"forgotten":     {forgotten, "<@1> wins by forfeit against <@2>", true},
		"host is gone":  {deleted, "<@1> and <@2> drew · decided by a manager", true},
		"a long reason": {settle(event.Draw, event.Draw, "abcdefghijklmnopqrstuvwxyz0123456789"), "<@1> and <@2> drew · decided by <@9> · reason: abcdefghijklmnopqrstuvwxyz0123…", true},
	} {
		if got, ruled := In("en").BoardEnd(c.e, 0, 0, 30); got != c.want || ruled != c.ruled {
			t.Errorf("%s: %q %v, want %q", what, got, ruled, c.want)
		}
	}
}

// A match of a ladder that ends before both have moved costs the place of who gave it up or let the time run out.
func TestLadderEnd(t *testing.T) {
	begun := testkit.At("2026-11-01 12:00")
	terms := game.Terms{Rules: game.Gomoku9, First: game.Black, Clock: game.PerMove(time.Hour)}
	m := testkit.Got(game.NewMatch(1, terms, 1, game.SeatFor(1), game.SeatFor(2), begun, time.Time{}))
	m = testkit.Got(m.Accept(2, begun))
	gaveUp := testkit.Got(m.Resign(1, begun))
	late, _, err := m.Tick(begun.Add(45 * time.Minute))
	testkit.Must(t, err)
	late, _, err = late.Tick(begun.Add(time.Hour + game.Grace))
	testkit.Must(t, err)
	stopped := testkit.Got(m.Close(game.Aborted, begun.Add(time.Minute)))
	replayed := late
	replayed.Next = 7
	onLadder := storage.Link{Ladder: true}
	for what, c := range map[string]struct {
		m    game.Match
		link storage.Link
		want string
	}{
		"given up":    {gaveUp, onLadder, "<@2> wins: <@1> forfeited"},
		"out of time": {late, onLadder, "<@2> wins: <@1> did not begin in time, and leaves the ladder"},
		"stopped":     {stopped, onLadder, ""},
		"replayed":    {replayed, onLadder, ""},
		"no ladder":   {late, storage.Link{}, ""},
	} {
		end := In("en").RulingOf(storage.Record{Match: c.m, Link: c.link}, storage.Event{})
		testkit.Want(t, what, string(end), c.want)
	}
}

// What is ruled is said wherever a game is shown. A picture's description, which cannot name members, then leaves to
// the text above it who has won.
func TestRuledEverywhere(t *testing.T) {
	now := testkit.At("2026-11-01 12:00")
	e := storage.Event{}
	e.Rounds = 3
	for m := game.MemberID(1); m <= 2; m++ {
		e, _ = e.Join(m, game.SeatFor(m), 1500, now)
	}
	begun := testkit.Got(e.Begin(0, nil, now))
	begun.Matches = [][]storage.BoardMatch{{{Match: 1}}}
	set, err := begun.Settle(9, event.Report{White: event.ForfeitWin, Black: event.ForfeitLoss}, "*never* there", now)
	testkit.Must(t, err)
	played := begun
	played.Event = testkit.Got(played.Record(event.Report{White: event.Win, Black: event.Loss}, now))
	m := matchOf(t, game.Gomoku9)
	m.Seats = [2]game.Seat{game.SeatFor(2), game.SeatFor(1)} // black sits first
	given := testkit.Got(m.Resign(2, now))
	say, link := In("en"), storage.Link{Event: 5}
	said := func(e storage.Event) []string {
		rec := storage.Record{Match: given, Link: link}
		end := say.RulingOf(rec, e)
		replay := testkit.Got(say.Replay(rec, end, 0, game.Match{}))
		history := Painter{}.History(say, rec, end, 0, false, game.Match{})
		return []string{say.Heading(rec, end), say.GameLine(given, 1, "", end), say.Posted(given, 1, end),
			replay.Blocks[0].Text, history.Blocks[0].Text, say.Alt(given, end)}
	}
	for i, s := range said(set) {
		want := "<@1> wins by forfeit against <@2> · decided by <@9>"
		if i == 5 {
			want = "Gomoku 9×9, move "
		}
		if !strings.Contains(s, want) || strings.Contains(s, "resigned") ||
			i == 5 && (strings.Contains(s, "<@") || strings.Contains(s, "won")) {
			t.Errorf("ruled, %d: %q", i, s)
		}
	}
	replayed := set
	replayed.Matches = [][]storage.BoardMatch{{{Match: 2}}}
	for _, e := range []storage.Event{played, begun, replayed} {
		for i, s := range said(e) {
			want := "resigned."
			if i == 5 {
				want = "White has won."
			}
			if !strings.Contains(s, want) {
				t.Errorf("not ruled, %d: %q", i, s)
			}
		}
	}
	testkit.Want(t, "one that goes on", say.RulingOf(storage.Record{Match: m, Link: link}, set), "")
}
