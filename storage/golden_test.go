package storage

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/ifthen"
	"tengen/game/opening"
	"tengen/game/seek"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/codec"
)

// The golden files are values as some version of this program wrote them. They stand
// for the files of our users: a new format gets new ones beside them, and none is ever
// written again. -golden writes those that are missing, and nothing else.
var writeGolden = flag.Bool("golden", false, "write the golden files that are missing")

// sample is a value with its row.
type sample struct {
	name  string
	key   []byte
	value []byte // as it is written today
	same  func(t *testing.T, value []byte)
	want  any // what the row says
}

func record(t testing.TB, name string, r Record) sample {
	value, err := r.encode()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k := liveKey(r.ID)
	return sample{name, k, value, func(t *testing.T, value []byte) {
		got, err := decodeRecord(r.ID, value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		equalRecords(t, name, got, r)
	}, r}
}

// of is a value as it is written today.
func of[T any, P codec.Value[T]](name string, k []byte, want T) sample {
	return plain[T, P](name, k, want, codec.Encode[T, P](want))
}

func plain[T any, P codec.Value[T]](name string, k []byte, want T, value []byte) sample {
	return by(name, k, want, value, func(v []byte) (T, error) { return codec.Decode[T, P](k, v) })
}

func by[T any](name string, k []byte, want T, value []byte, decode func([]byte) (T, error)) sample {
	return sample{name, k, value, func(t *testing.T, value []byte) {
		got, err := decode(value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		if d := cmp.Diff(want, got, all, cmp.Comparer(func(a, b game.Rules) bool { return a == b })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}, want}
}

// samples are values of all kinds of rows. They are fixed: what is in a golden file is
// the encoding of what stands here.
func samples(t testing.TB) []sample {
	at := time.Date(2026, 7, 1, 10, 20, 30, 123e6, time.UTC)
	id := game.MatchID(venue.IDAt(at) | 7)
	must := func(m game.Match, err error) game.Match {
		t.Helper()
		testkit.Must(t, err)
		return m
	}
	step := func() time.Time { at = at.Add(12345 * time.Millisecond); return at }
	terms := game.Terms{Rules: game.Gomoku15, First: game.White, Clock: game.PerMove(90 * time.Second),
		Rated: true, Note: "Grüße", Seed: 0x0123456789ABCDEF}

	offered := must(game.NewMatch(id, terms, ann, game.SeatFor(ann), game.Seat{}, at, at.Add(time.Hour)))
	playing := must(offered.Accept(bob, step()))
	for i := range 12 {
		playing = must(playing.Play(playing.Seats[playing.ToMove()].Member, game.At(i, i%3), step()))
	}
	playing = must(playing.Draw(ann, step()))
	playing = must(playing.Undo(bob, step()))
	taken := must(playing.AnswerUndo(ann, true, step()))
	taken.DrawBy = 0 // as it was once written: an undo that was granted ended the draw offer
	taken = must(taken.Undo(ann, step()))
	taken = must(taken.AnswerUndo(bob, false, step()))
	resting := must(playing.Anew(step()).Rest(step()))

	engine := must(game.NewMatch(id+1, game.Terms{Rules: game.Renju, Given: []game.Point{0x77, 0x78},
		Opening: game.BalancedOpening, First: game.Black}, ann,
		game.SeatFor(ann), game.SeatEngine(8), at, time.Time{}))
	for i := range 14 {
		p := game.At(i%7*2, 1+i/7*3+i%2)
		if engine.EngineToMove() {
			engine = must(engine.Reply(engine.Stamp(), p,
				game.Note{Depth: uint16(9 + i), Nodes: uint64(50000 + i*i), Millis: uint32(900 + i), Score: int32(30 - i*9),
					Win: uint16(500 - i), Proof: uint8(i / 12), In: uint16(i / 12 * 5), Cut: i > 9}, step()))
		} else {
			engine = must(engine.Play(ann, p, step()))
		}
	}
	hinted := must(engine.Hinted(ann, step()))
	resigned := must(hinted.Resign(ann, step()))
	again := must(resigned.Rematch(ann, id+99, step()))
	fairer := must(resigned.RematchBalanced(ann, id+99, at.Add(time.Hour)))
	former := must(again.Forget(ann, step()))

	board := game.Reversi.Start()
	imported := must(game.NewMatch(id+2, game.Terms{Rules: game.Reversi, Start: board.Put(0x00, game.White),
		Opening: game.ImportedOpening, First: game.Black}, cat,
		game.SeatEngine(2), game.SeatEngine(5), at, time.Time{}))

	// An opening halfway: every kind of decision is in the log, and colors have changed hands.
	opened := must(must(game.NewMatch(id+3, game.Terms{Rules: game.Renju, Protocol: opening.Soosyrv8, First: game.White},
		ann, game.SeatFor(ann), game.SeatFor(bob), at, at.Add(time.Hour))).Accept(bob, at))
	for i, d := range []game.Decision{0x77, 0x88, 0x99, game.Swap, 0x76, game.Declare(4), game.Stay, game.Offer(0x11),
		game.Offer(0xEE)} {
		opened = must(opened.Decide(opened.Seats[opened.ToMove()].Member, d, at.Add(time.Duration(i)*time.Second)))
	}
	xot := must(game.NewMatch(id+4, game.Terms{Rules: game.Reversi, Given: opening.XOTLines()[0], Opening: game.XOTOpening,
		First: game.Black}, ann,
		game.SeatFor(ann), game.SeatEngine(2), at, time.Time{}))

	guest := must(game.NewMatch(id+5, game.Terms{Rules: game.Gomoku15, First: game.White}, ann, game.SeatFor(ann),
		game.SeatGuest("Visitor 2.1"), at, time.Time{}))
	guest = must(guest.Reply(guest.Stamp(), 0x77, game.Note{Millis: 812}, at.Add(1*time.Second)))
	guest = must(guest.Play(ann, 0x78, at.Add(2*time.Second)))
	// made for it
	guest = must(guest.Reply(guest.Stamp(), 0x79, game.Note{Level: 8, Depth: 9, Nodes: 12345, Millis: 250},
		at.Add(3*time.Second)))

	// Clocks for the whole game, with odds in time.
	whole := must(must(game.NewMatch(id+6, game.Terms{Rules: game.Gomoku15, First: game.Black,
		Clock: game.Clock{Bank: 10 * time.Minute, Gain: 5 * time.Second},
		Odds:  game.Clock{Each: 24 * time.Hour, Bank: 5 * 24 * time.Hour}}, ann, game.SeatFor(ann), game.SeatFor(bob), at,
		at.Add(time.Hour))).Accept(bob, at))
	reserved := must(game.NewMatch(id+7, game.Terms{Rules: game.Gomoku15, First: game.Black,
		Clock: game.Clock{Each: 24 * time.Hour, Bank: 5 * 24 * time.Hour}}, ann, game.SeatFor(ann), game.SeatFor(bob), at,
		at.Add(time.Hour)))
	odds := reserved
	odds.Odds = game.Clock{Each: time.Hour}
	away := must(must(reserved.Accept(bob, at)).Play(ann, 0x77, at.Add(time.Minute)))
	away = must(away.OnVacation(bob, at.Add(3*24*time.Hour), at.Add(time.Hour)))
	for i := range 5 {
		whole = must(whole.Play(whole.Seats[i%2].Member, game.At(i, i), at.Add(time.Duration(i*i)*time.Second)))
	}

	rec := func(m game.Match, more func(*Record)) Record {
		r := Record{Match: m, Place: here}
		if m.Phase == game.Over {
			r.Ended = m.Updated
		}
		if more != nil {
			more(&r)
		}
		if r.archived() {
			r = r.settled()
		}
		return r
	}
	work := Work{Match: id, Stamp: 1<<16 | 9, Since: at, Tries: 2}
	reviewed := Review{Match: id, Stamp: 1<<16 | 9, Data: []byte{1, 0, 7, 255}}
	screen := Screen{Match: id, Channel: 200, Message: 77, Posted: at, Shown: 3, Wanted: 300}
	moving := Screen{Match: id, Channel: 200, Message: 77, Posted: at, Shown: 3, Wanted: 3, Nonce: 2,
		Retired: []MessageRef{{200, 75}, {201, 76}}}
	claimed := screen
	claimed.Sender, claimed.Until, claimed.Anew = 5, at, true
	called := moving
	called.Acted, called.CallAt, called.Last, called.Outside, called.Calls = [2]time.Time{at, at.Add(time.Minute)},
		at.Add(time.Hour), 80, true, true
	called.Call = Call{Seat: 2, Channel: 200, Nonce: 12, Message: 80, Board: 77}
	found := called
	found.Reads, found.Call.ByToken = true, true
	left := Screen{Token: "secret", Expires: at, Awaited: []AwaitedAnswer{{Token: "other", Expires: at, Calls: true}},
		Keys: []MessageKey{{75, "older", at}}}
	token := Screen{Token: "secret", Expires: at}
	answers := Screen{Token: "secret", Expires: at,
		Awaited: []AwaitedAnswer{{Token: "other", Expires: at}, {Token: "third", Expires: at.Add(time.Second)}}}
	member := Member{ID: ann, Look: Look{Theme: "ink", Numbers: 1, Language: "ja"}, Challenges: FromNobody,
		Blocked: []game.MemberID{bob, cat}, More: map[string]string{"quiet": "yes", "zone": "Europe/Berlin"}}
	rested := member
	rested.Vacations = game.Vacations{{From: at, Until: at.Add(10 * time.Hour)},
		{From: at.AddDate(0, 1, 0), Until: at.AddDate(0, 1, 9)}}
	progress := Progress{Member: ann, Offered: true,
		Solved: map[string]uint64{"gomoku.five": 3, "reversi.corner": 1 << 63}}
	server := Server{ID: 100, Look: Look{Theme: "wood"}, Channels: []uint64{200, 201}, Left: at,
		More: map[string]string{"a": "b"}}
	missed := server
	missed.Left, missed.Missed = time.Time{}, at
	meeting := sampleEvent(t, id+5, at)
	firstMeeting := meeting
	firstMeeting.Sent = venue.TimeOf(77)
	late := meeting
	late.Posting, late.Retired, late.Shown, late.Sent, late.At = at.Add(time.Hour), 76, 3, at, at.Add(time.Minute)
	late.Threads, late.Look = true, Look{Theme: "ink", Language: "zh-CN"}
	late.Listing = Listing{Wanted: true, ID: 99, Making: at.Add(time.Second), Said: 1 << 63}
	secondLate := late
	secondLate.Notice, secondLate.Listing = Notice{Message: 77, Sent: venue.TimeOf(77), Posting: late.Posting}, Listing{}
	weekly := meeting
	weekly.Weekly, weekly.Untold, weekly.Waiting = true, 2, []Waiter{{1007, 1512.5}, {1008, 1498.25}}
	timed := meeting
	timed.Game.Clock = whole.Clock
	linked := rec(playing, func(r *Record) { r.Link = Link{Event: EventID(id + 5), Round: 2, Board: 31} })
	waiting :=
		rec(must(must(game.NewMatch(id+6, game.Terms{Rules: game.Renju, First: game.Black, Begin: 12 * time.Hour}, cat,
			game.SeatFor(ann), game.SeatFor(bob), at, time.Time{})).Accept(bob, at)), func(r *Record) {
			r.There, r.Link = [2]bool{true, false}, linked.Link
		})
	wished := rec(must(must(game.NewMatch(id+7, game.Terms{Rules: game.Renju}, cat, game.SeatFor(cat), game.SeatFor(bob),
		at, at.Add(time.Hour))).Rate(bob, at)), nil)
	climbing := rec(playing, func(r *Record) { r.Link.Ladder = true })
	giving := rec(playing, func(r *Record) { r.Link.Simul = venue.Place{Server: 100, Channel: 200} })
	firstLadder := Ladder{Server: 100, Version: 3, Channel: 200, Notice: Notice{Message: 78}, Ladder: event.Ladder{
		Rules: game.Renju, Month: event.MonthOf(at),
		Rungs:  []event.Rung{{ID: bob, Rating: 1700.5}, {ID: ann, Rating: 1500}},
		Active: []event.Challenge{{Match: id, By: ann, Whom: bob}},
		Met:    []event.Met{{A: bob, B: cat, At: at}, {A: ann, B: cat, At: at.Add(time.Hour)}}}}
	ladder := firstLadder
	ladder.Notice = Notice{Message: 78, Retired: 77, Shown: 2, Sent: at.Add(-time.Hour), At: at,
		Posting: at.Add(time.Minute)}
	ladder.Off, ladder.Clock, ladder.Opening, ladder.Language = true, 24*time.Hour, "swap2", "zh-CN"
	ladderKey := key(tLadder, 100, 4)
	gathering := Gathering{venue.Place{Server: 100, Channel: 200}, 9, 4, Notice{Message: 78, Shown: 3, At: at}, late.Look}
	voted := Together{gathering, 2, together.Game{Owner: ann, Rules: game.Gomoku9, Level: 3,
		Color: game.White, Every: 30 * time.Second, Seed: 5, Moves: []game.Point{game.At(4, 4), game.At(3, 4), game.At(0, 0)},
		Updated: at, Deadline: at.Add(time.Minute), Votes: []together.Vote{{Member: bob, Point: game.At(1, 1), At: at},
			{Member: ann, Point: game.At(1, 2), At: at.Add(time.Second)}}, Stopped: true}}
	votedKey := key(tTogether, 100, 200)
	given := Simul{Gathering: gathering, Linked: 1, Threads: true, Simul: simul.Simul{Giver: ann,
		Game: game.Terms{Rules: game.Renju, Opening: game.ProtocolOpening, Protocol: opening.Soosyrv8,
			Clock: game.PerMove(time.Hour), First: game.White},
		Updated: at, Until: at.Add(24 * time.Hour), Started: at, Stopped: true,
		Opponents: []simul.Opponent{{Member: bob, Match: id, Result: simul.Lost}, {Match: id + 1, Result: simul.Drawn},
			{Member: cat, Result: simul.None}}}}
	handicap := given
	handicap.Game.Clock, handicap.Game.Odds = whole.Clock, whole.Odds
	simulKey := key(tSimul, 100, 200)
	rowsListed := list{starts: 300, held: []Held{{Row: "g", Version: 1, Name: "game"},
		{"G", 2, "channel that plays together", "v1.2.3", at}}}
	season := Season{100, game.Renju, event.MonthOf(at) - 1, []game.MemberID{bob, 0, ann}}
	seasonKey := key(tSeason, 100, 4, ^uint64(season.Month))
	ratingKey := key(tRating, uint64(ann), 4)
	standing2 := Standing{Member: ann, Rules: game.Renju, Rating: event.Rating{R: 1612.5, RD: 75.25, Vol: 0.0625, At: at},
		Tally: Tally{12, 3, 400}}
	day := testkit.At("2026-11-23 08:00")
	solver := Solver{Member: ann, Rules: game.Renju, Rating: event.Rating{R: 1623.5, RD: 87.25, Vol: 0.0625, At: day},
		Tried: 31, Solved: 17}.With(3, day).With(200, day)
	showing := solver.Showed(1000, day.Add(48*time.Hour), true)
	solverKey := key(tSolver, uint64(ann), 4)
	run := Run{Member: ann, Kind: StormRun, Rules: game.Reversi, Seed: 1 << 63, Step: 9, Solved: 7, Combo: 12,
		Ends: day, Unsure: true, Bests: []Best{{StormRun, game.Reversi, 21, 17, 7, day},
			{StreakRun, game.Gomoku15, 12, 3, 2, day}}}
	running := run
	running.Puzzle, running.Moves, running.Answers = 3133, []game.Point{0x77, 0}, 31
	run.Answers = run.Step // as an older program counted
	looking := Seek{Look: Look{Theme: "ink", Numbers: 2, Language: "zh-CN", Engine: true}, Seek: seek.Seek{Member: ann,
		ID: 1 << 60, Place: here, Game: game.Terms{Rules: game.Renju, Opening: game.ProtocolOpening,
			Protocol: opening.Soosyrv8, Clock: game.Clock{Bank: 10 * time.Minute, Gain: 5 * time.Second}, Rated: true},
		Rating: 1612.5, New: true, Since: day, Until: day.Add(30 * time.Minute), Next: day.Add(15 * time.Second),
		Met: []seek.Meeting{{With: bob, Rules: game.Reversi, At: day.Add(-time.Hour), Waited: 90 * time.Second},
			{With: dan, Rules: game.Gomoku9, At: day.Add(-time.Minute)}}}}
	taking := Taking{100, daily.Taking{Member: ann, Begins: day, Tries: "xho", Interaction: 1 << 62,
		Last: day.Add(-24 * time.Hour), Streak: 4, Best: 40}}
	daily := Daily{Server: 100, Daily: daily.Daily{Channel: 200, Hour: 9, Zone: "Europe/Berlin",
		Next: day.Add(24 * time.Hour), Count: 300,
		Day: daily.Day{Puzzle: "g00123", Begins: day, Made: day.Add(time.Second), Nonce: 1 << 61, State: daily.Owed,
			Tried: 3, Solved: 2, Streak: 5, First: []game.MemberID{bob, ann}},
		Before: daily.Day{Puzzle: "o00001", Begins: day.Add(-24 * time.Hour), Made: day.Add(-24 * time.Hour), Nonce: 5,
			State: daily.Posted, Tried: 1}},
		Stands: MessageRef{200, 77}, Goes: MessageRef{201, 76}}
	return append(edges(t), []sample{
		record(t, "record-offered", rec(offered, nil)),
		record(t, "record-playing", rec(playing, nil)),
		record(t, "record-undone", rec(taken, nil)),
		record(t, "record-resting", rec(resting, func(r *Record) {
			r.Look = Look{Theme: "ink", Numbers: 2, Language: "de"}
		})),
		record(t, "record-engine", rec(engine, nil)),
		record(t, "record-archived", rec(resigned, func(r *Record) {
			r.Changes = [2]Change{{1500, 1484.5}, {1600, 1615.25}}
		})),
		record(t, "record-rematch", rec(again, nil)),
		record(t, "record-fairer", rec(fairer, nil)),
		record(t, "record-former", rec(former, nil)),
		record(t, "record-imported", rec(imported, nil)),
		record(t, "record-opening", rec(opened, nil)),
		record(t, "record-xot", rec(xot, nil)),
		record(t, "record-event", linked),
		record(t, "record-waiting", waiting),
		record(t, "record-wished", wished),
		record(t, "record-ladder", climbing),
		record(t, "record-simul", giving),
		plain("event", key(tEvent, uint64(meeting.ID)), firstMeeting, goldenBytes(t, "event-1")),
		plain("event-late", key(tEvent, uint64(late.ID)), secondLate, goldenBytes(t, "event-late-2")),
		of("event", key(tEvent, uint64(meeting.ID)), meeting),
		of("event-late", key(tEvent, uint64(late.ID)), late),
		of("event-weekly", key(tEvent, uint64(weekly.ID)), weekly),
		of("event-whole", key(tEvent, uint64(timed.ID)), timed),
		of("event-place", key(tEventAt, 100, 200, 9), placedEvent{9, true, 77}),
		plain("ladder", ladderKey, firstLadder, goldenBytes(t, "ladder-1")),
		of("ladder", ladderKey, ladder),
		of("together", votedKey, voted),
		of("simul", simulKey, given),
		of("simul-handicap", simulKey, handicap),
		of("season", seasonKey, season),
		record(t, "record-guest", rec(guest, nil)),
		record(t, "record-whole", rec(whole, nil)),
		record(t, "record-whole-ended", rec(must(whole.Resign(bob, at.Add(time.Minute))), nil)),
		record(t, "record-reserve", rec(reserved, nil)),
		record(t, "record-reserve-ended", rec(must(reserved.Close(game.Canceled, at.Add(time.Minute))), nil)),
		record(t, "record-odds", rec(odds, nil)),
		record(t, "record-vacation", rec(away, nil)),
		record(t, "record-odds-ended", rec(must(odds.Close(game.Canceled, at.Add(time.Minute))), nil)),
		of("standing", key(tSeat, uint64(ann), uint64(id)), role{isAgainst, bob}),
		of("history", bundleKey(ann, 5), bundle{5, 300, 1 << 40}),
		of("seen", key(tSeen, 9), done{id}),
		of("work", key(tWork, uint64(id)), work),
		of("review", reviewKey(id), reviewed),
		of("screen", key(tScreen, uint64(id)), screen),
		of("screen-moving", key(tScreen, uint64(id)), moving),
		of("screen-claimed", key(tScreen, uint64(id)), claimed),
		of("screen-called", key(tScreen, uint64(id)), called),
		of("screen-called", key(tScreen, uint64(id)), found),
		of("session", sessionKey(16, 3),
			Session{ID: "0123456789abcdef", Seq: 4711, URL: "wss://gateway-us-east1-b.discord.gg"}),
		by("token", key(tToken, uint64(id)), token, encodeTokens(token), func(v []byte) (Screen, error) {
			return decodeTokens(Screen{}, v)
		}),
		by("token-answers", key(tToken, uint64(id)), answers, encodeTokens(answers), func(v []byte) (Screen, error) {
			return decodeTokens(Screen{}, v)
		}),
		by("token-left", key(tToken, uint64(id)), left, encodeTokens(left), func(v []byte) (Screen, error) {
			return decodeTokens(Screen{}, v)
		}),
		of("member", key(tMember, uint64(ann)), member),
		of("recap", recapKey(ann), Recap{ann, at}),
		of("member-vacation", key(tMember, uint64(ann)), rested),
		of("progress", progressKey(ann), progress),
		of("server", key(tServer, 100), server),
		of("server-missed", key(tServer, 100), missed),
		of("application", applicationRow, application{1 << 60}),
		of("welcomes", welcomesRow, moment{at}),
		of("orders", ordersRow, Orders{[]game.MemberID{ann, 1 << 61}, []uint64{100}, "Back at noon. 中午回来", at}),
		of("rating", ratingKey, standing2),
		of("tally", key(tLevel, uint64(ann), 0, 3), Against{ann, game.Gomoku15, 3, Tally{1, 2, 300}}),
		of("count", key(tPair, 20000, 1, 2), counter{3}),
		plain("solver", solverKey, solver, goldenBytes(t, "solver-1")),
		of("solver", solverKey, showing),
		of("run", key(tRun, uint64(ann)), running),
		of("run", key(tRun, uint64(ann)), run),
		of("run-over", key(tRun, uint64(ann)), Run{Member: ann}),
		of("taking", takingKey(ann, 100), taking),
		of("daily", key(tDaily, 100), daily),
		of("salt", key(tSalt, 20000), salt([]byte(strings.Repeat("k", saltSize)))),
		of("outlived", key(tOutlived, 20000, outlivePair, 1, 2), counter{3}),
		of("pass", Secret{1}.key(), Pass{ann, id, at}),
		of("share", shareKey(id), Share{id, ShareSecret([]byte("0123456789abcdef"))}),
		of("study", studyKey(ann, 1<<60), Study{ann, 1 << 60, 3, "四三 ideas", at, 2,
			"(;FF[4]GM[4]SZ[15]CA[UTF-8]AP[tengen]RU[renju];B[hh](;W[ig]C[safe?])(;W[ih]N[direct]))\n"}),
		of("study-new", studyKey(ann, 1), Study{Member: ann, Number: 1}),
		of("ifthen", ifThenKey(ann, id), IfThen{ann, id, 1<<16 | 12, 3, 2, ifthen.Plan{
			Lines: ifthen.Lines{{0x75, 0x86}, {0x76, 0x68, 0x11}}}}),
		of("ifthen-refused", ifThenKey(bob, id), IfThen{bob, id, 12, 4, 0, ifthen.Plan{Refused: true, Reply: 0x86}}),
		of("seek", seekKey(ann), looking),
		of("seek-met", seekKey(ann), Seek{Seek: seek.Seek{Member: ann, Place: here, Met: looking.Met}}),
		of("kinds", kindsRow, rowsListed),
		of("schema", SchemaRow(), counter{1}),
	}...)
}

// sampleEvent has something in every field.
func sampleEvent(t testing.TB, id game.MatchID, at time.Time) Event {
	t.Helper()
	e := Event{ID: EventID(id), Version: 7, Place: here, Notice: Notice{Message: 77, Shown: 7}, Owner: ann, Created: at,
		Looked: at.Add(time.Minute),
		Setup: Setup{Name: "Открытый 五子棋", Game: game.Terms{Rules: game.Renju, Opening: game.ProtocolOpening,
			Protocol: opening.Soosyrv8, Clock: game.PerMove(time.Hour), Rated: true},
			Most: 64, Role: 5, Starts: at.Add(time.Hour), CheckIn: 10 * time.Minute}}
	e.Event.Terms = event.Terms{Kind: event.KindKnockout, Rounds: 9, Twice: true, BestOf: 3, Third: true, Black: true,
		Length: 48 * time.Hour, Arena: event.ArenaRules{BerserkMin: 10, QuickDraw: 11, LongDraw: 60}, Streaks: true}
	step := func(f func(Event) (Event, error)) {
		t.Helper()
		var err error
		e, err = f(e)
		testkit.Must(t, err)
		at = at.Add(90 * time.Second)
	}
	for i, seat := range []game.Seat{game.SeatFor(ann), game.SeatFor(bob), game.SeatEngine(4), game.SeatFor(cat),
		game.SeatFor(dan)} {
		step(func(e Event) (Event, error) { return e.Join(ann, seat, 1600.25-float64(i), at) })
	}
	for _, m := range []game.MemberID{ann, bob, cat, dan} {
		step(func(e Event) (Event, error) { return e.CheckInNow(m, at) })
	}
	step(func(e Event) (Event, error) { return e.Begin(ann, nil, at) })
	for i := range e.fitted().Matches[0] {
		if e = e.fitted(); e.Paired[0][i].Open() {
			e.Matches[0][i] = BoardMatch{id + 10 + game.MatchID(i), i > 1}
		}
	}
	step(func(e Event) (Event, error) { return e.Pause(bob, 2, at) })
	step(func(e Event) (Event, error) { return e.Remove(ann, 5, "too late", at) })
	e.Untold = 0 // as it was once written: nobody counted
	return e.without([]game.MemberID{dan}, at).fitted()
}

const dan = game.MemberID(1004)

func TestGolden(t *testing.T) {
	for _, s := range samples(t) {
		path := filepath.Join("testdata", "golden", fmt.Sprintf("%s-%d.hex", s.name, s.value[0]))
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && *writeGolden {
			testkit.Must(t, os.WriteFile(path, []byte(hexLines(s.value)), 0o644))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; -golden writes what is missing", err)
			continue
		}
		golden, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		s.same(t, golden)
		if string(golden) != string(s.value) {
			t.Errorf("%s is no longer what is written:\n%swas\n%s", s.name, hexLines(s.value), hexLines(golden))
		}
		if _, err := valueOf(s.key, golden); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	// Every file is somebody's data: it must be read by a sample.
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.hex"))
	if err != nil || len(files) != len(samples(t)) {
		t.Errorf("%d golden files for %d samples, %v", len(files), len(samples(t)), err)
	}
}

// goldenBytes are the bytes of a golden file, of a format that is no longer written.
func goldenBytes(t testing.TB, name string) []byte {
	t.Helper()
	text := testkit.Read(t, filepath.Join("testdata", "golden", name+".hex"))
	return first(hex.DecodeString(strings.Join(strings.Fields(string(text)), "")))
}

func hexLines(b []byte) string {
	var s strings.Builder
	for len(b) > 0 {
		n := min(32, len(b))
		fmt.Fprintf(&s, "%x\n", b[:n])
		b = b[n:]
	}
	return s.String()
}
