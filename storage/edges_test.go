package storage

import (
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/opening"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// edges are values at the ends of what a row may hold: new ones, in which nearly all is zero, and those with
// the longest lists and the largest numbers. They are fixed, as the samples are.
func edges(t testing.TB) []sample {
	t.Helper()
	const most, most32, who = uint64(1<<64 - 1), 1<<32 - 1, game.MemberID(1<<64 - 1)
	last := time.Date(2199, 12, 31, 23, 59, 59, 999e6, time.UTC)
	id := game.MatchID(venue.IDAt(last) | maxSeq)
	channels, members := make([]uint64, 100), make([]game.MemberID, 100)
	for i := range channels {
		channels[i], members[i] = most-uint64(99-i), who-game.MemberID(99-i)
	}
	place := venue.Place{Server: 1 << 62, Channel: most}
	placeKey := func(table byte) []byte { return key(table, place.Server, place.Channel) }
	notice := Notice{Message: most, Retired: most - 1, Shown: most32, Sent: last, At: last, Posting: last}
	gathering := Gathering{Place: place, ID: most, Version: most32, Notice: notice}

	offered := first(game.NewMatch(id, game.Terms{Rules: game.Gomoku15}, who, game.SeatFor(who), game.Seat{},
		last, time.Time{}))
	full, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku9, First: game.White,
		Clock: game.PerMove(14 * 24 * time.Hour), Rated: true,
		Note: strings.Repeat("ж", 100), Seed: most}, who, game.SeatFor(who), game.SeatFor(who-1), last,
		last.Add(time.Hour))
	if err == nil {
		full, err = full.Accept(who-1, last)
	}
	for err == nil && full.Phase == game.Playing {
		points, n := full.Game().Legal().Points(), full.Game().Len()
		full, err = full.Play(full.Seats[full.ToMove()].Member, points[n*7%len(points)],
			last.Add(time.Duration(n)*time.Hour))
	}
	testkit.Must(t, err)
	fairer := first(full.RematchBalanced(who, id-1, last))
	begin := first(game.NewMatch(id, game.Terms{Rules: game.Renju, First: game.Black, Begin: 12 * time.Hour}, who,
		game.SeatFor(who), game.SeatFor(who-1), last, time.Time{}))
	reminded := offered
	reminded.Reminded = true
	closed := sampleEvent(t, id, last.Add(-time.Hour))
	closed.Paired[0][0].Plies = 31
	closed = closed.did(AuditEntry{What: Settled, By: ann, At: last, Round: 1, Board: 1, Reason: "agreed"})
	closed = first(closed.Close(ann, last))
	over := Record{Match: full, Place: place, Ended: full.Updated}.settled()

	voted := Together{Gathering: gathering, Drawn: 225, Game: together.Game{Owner: who, Rules: game.Renju, Level: 8,
		Color: game.Black, Every: 24 * time.Hour, Seed: most, Updated: last, Deadline: last}}
	voted.Look = Look{Theme: "contrast", Language: "zh-CN"}
	gives := Simul{Gathering: gathering, Linked: simul.MaxOpponents, Simul: simul.Simul{Giver: who,
		Game: game.Terms{Rules: game.Renju, Opening: game.ProtocolOpening, Protocol: opening.Taraguchi10,
			Clock: game.PerMove(72 * time.Hour), First: game.Black}, Updated: last, Until: last}}
	ladder := Ladder{Server: place.Server, Version: most32, Channel: most, Notice: notice,
		Ladder: event.Ladder{Rules: game.Renju, Month: event.MonthOf(last)}}
	for i, m := range members[:40] {
		voted.Votes = append(voted.Votes, together.Vote{Member: m, Point: game.At(i%15, i/15), At: last})
		ladder.Rungs = append(ladder.Rungs, event.Rung{ID: m, Rating: 3000 - float64(i)})
		ladder.Met = append(ladder.Met, event.Met{A: m, B: who - 200, At: last})
	}
	for i, m := range members[:simul.MaxOpponents] {
		gives.Opponents = append(gives.Opponents,
			simul.Opponent{Member: m, Match: id - game.MatchID(i), Result: simul.Result(i % 5)})
	}
	solver := Solver{Member: who, Rules: game.Reversi, Tried: 1 << 30, Solved: 1 << 30}.With(8*mostSeen-1, last)
	for i := range 200 {
		solver = solver.Showed(i*37, last, i%2 == 0)
	}
	day := daily.Day{Puzzle: strings.Repeat("z", mostPuzzleID), Begins: last, Made: last, Nonce: most,
		State: daily.Posted, Tried: 1 << 30,
		Solved: 1 << 30, Streak: 1 << 30, First: members[:daily.MostFirst]}
	progress := Progress{Member: who, Offered: true, Solved: map[string]uint64{}}
	for i := range 40 {
		progress.Solved[strings.Repeat(string(rune('a'+i%26)), 1+i)] = most >> i
	}
	sc := Screen{Match: id, Channel: most, Message: most, Posted: last, Shown: most32, Wanted: most32, Nonce: most32}
	for i := range 30 {
		sc.Retired = append(sc.Retired, MessageRef{most, most - uint64(i)})
	}
	season := Season{Server: most, Rules: game.Renju, Month: event.MonthOf(last), Members: members}
	seasonKey := key(tSeason, most, 4, ^uint64(season.Month))
	solverKey, runKey := key(tSolver, uint64(who), 5), key(tRun, uint64(who))
	edge := func(value Screen) Screen { value.Match = id; return value }
	newTogether := Together{Gathering: Gathering{Place: place},
		Game: together.Game{Rules: game.Gomoku15, Color: game.Black}}
	newSimul := Simul{Gathering: Gathering{Place: place}, Simul: simul.Simul{Game: game.Terms{Rules: game.Gomoku15}}}
	newLadder := Ladder{Server: place.Server, Ladder: event.Ladder{Rules: game.Renju}}
	run := Run{Member: who, Kind: StormRun, Rules: game.Renju, Seed: most, Step: 1 << 30, Solved: 1 << 30,
		Combo: 1 << 30, Ends: last,
		Puzzle: 1 << 30, Answers: 1 << 30, Moves: full.Game().Moves()[:10]}
	longDaily := Daily{Server: most, Daily: daily.Daily{Channel: most, Hour: 23, Zone: strings.Repeat("z", mostZone),
		Next: last, Count: 1 << 30, Day: day, Before: day},
		Stands: MessageRef{most, most}, Goes: MessageRef{most, most}}
	newTaking := Taking{most, daily.Taking{Member: who}}
	longTaking := Taking{most, daily.Taking{Member: who, Begins: last, Tries: strings.Repeat("x", mostTries),
		Interaction: most, Last: last, Streak: 1 << 30, Best: 1 << 30}}
	longMember := Member{ID: who, Look: Look{Theme: "contrast", Numbers: 3, Language: "zh-CN",
		Engine: true}, Blocked: members}
	longServer := Server{ID: most, Channels: channels, More: map[string]string{"": "", strings.Repeat("k",
		100): strings.Repeat("v", 1000)}}
	return []sample{
		record(t, "record-new", Record{Match: offered}),
		record(t, "record-long", over),
		record(t, "record-begin", Record{Match: begin, Place: place}),
		record(t, "record-reminded", Record{Match: reminded}),
		record(t, "record-balanced", Record{Match: fairer, Place: place, Ended: full.Updated}.settled()),
		of("event-closed", key(tEvent, uint64(closed.ID)), closed),
		of("member-new", key(tMember, uint64(who)), Member{ID: who}),
		of("member-long", key(tMember, uint64(who)), longMember),
		of("server-new", key(tServer, most), Server{ID: most}),
		of("server-long", key(tServer, most), longServer),
		of("screen-new", key(tScreen, uint64(id)), edge(Screen{})),
		of("screen-long", key(tScreen, uint64(id)), sc),
		of("together-new", placeKey(tTogether), newTogether),
		of("together-long", placeKey(tTogether), voted),
		of("simul-new", placeKey(tSimul), newSimul),
		of("simul-long", placeKey(tSimul), gives),
		of("ladder-new", key(tLadder, place.Server, 4), newLadder),
		of("ladder-long", key(tLadder, place.Server, 4), ladder),
		of("season-long", seasonKey, season),
		of("solver-long", solverKey, solver),
		of("run-long", runKey, run),
		of("daily-new", key(tDaily, most), Daily{Server: most}),
		of("daily-long", key(tDaily, most), longDaily),
		of("taking-new", takingKey(who, most), newTaking),
		of("taking-long", takingKey(who, most), longTaking),
		of("progress-new", progressKey(who), Progress{Member: who}),
		of("progress-long", progressKey(who), progress),
		of("work-new", key(tWork, uint64(id)), Work{Match: id}),
	}
}
