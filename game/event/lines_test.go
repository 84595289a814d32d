package event

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// ask is Answer's answer as text, or its error.
func ask(t testing.TB, kind, line string) string {
	a, err := Answer(t.Context(), kind, []byte(line))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(testkit.Got(json.Marshal(a)))
}

// Lines that are wrong are refused with the place that is.
func TestBadLines(t *testing.T) {
	player := func(id, games string) string {
		return `{"id":` + id + `,"games":[` + games + `]}`
	}
	round2 := func(players ...string) string {
		return `{"round":2,"rounds":3,"initial":"w","players":[` + strings.Join(players, ",") + `]}`
	}
	for _, c := range []struct{ kind, line, want string }{
		{"chess", `{}`, `"chess" is no kind of line`},
		{"pair", ``, `byte 0: unexpected end of JSON input`},
		{"pair", `{} {}`, `byte 4: invalid character '{' after top-level value`},
		{"pair", `{"round":"1"}`, `byte 12: found string where another value belongs`},
		{"pair", `{"round":1}`, `0 rounds: want 1 to 200`},
		{"pair", `{"round":4,"rounds":3}`, `round 4 of 3`},
		{"pair", `{"round":1,"rounds":3}`, `initial is "": want w or b`},
		{"pair", `{"round":1,"rounds":3,"initial":"w"}`, `0 players: want 1 to 1000`},
		{"pair", `{"round":1,"rounds":3,"initial":"w","players":[` + strings.Repeat(`{},`, 1000) + `{}]}`, `1001 players: want 1 to 1000`},
		{"pair", round2(player("2", "")), `player 1 has the id 2: ids run from 1 without holes`},
		{"pair", round2(player("1", "")), `player 1 has 0 games: want one for each of 1 rounds`},
		{"pair", round2(player("1", `{"result":"2"}`)), `player 1, round 1: "2" is no result`},
		{"pair", round2(player("1", `{"result":"bye1","opp":1}`)), `player 1, round 1: a bye has no opponent and no colour`},
		{"pair", round2(player("1", `{"result":"1","opp":1}`)), `player 1, round 1: there is no opponent 1`},
		{"pair", round2(player("1", `{"result":"1","opp":2,"color":"w"}`), player("2", `{"result":"0","opp":1,"color":"w"}`)), `player 1, round 1: the opponent 2 has the same colour`},
		{"pair", round2(player("1", `{"result":"1","opp":2,"color":"w"}`), player("2", `{"result":"1","opp":1,"color":"b"}`)), `player 1, round 1: the result does not fit that of the opponent 2`},
		{"pair", round2(player("1", `{"result":"1","opp":2,"color":"w"}`), player("2", `{"result":"bye0","color":"-"}`)), `player 1, round 1: the opponent 2 played another`},
		{"standings", `{"rounds":201,"players":[]}`, `201 rounds: want at most 200`},
		{"glicko", `{}`, `the player's vol is to be from 0.000001 to 10`},
		{"glicko", `{"player":{"r":1500,"rd":0,"vol":0.06},"tau":0.5}`, `player: rd is to be from 0.001 to 10000`},
		{"glicko", `{"player":{"r":1500,"rd":50,"vol":0.06},"tau":0.5,"games":[{"r":1500,"rd":50,"score":2}]}`, `game 1: a score is from 0 to 1`},
		{"arena", `{"results":["W"]}`, `1 results, 0 plies, 0 opponents: want as many of each, at most 10000`},
		{"arena", `{"results":["X"],"plies":[1],"opp":[1]}`, `game 1: "X" is no result`},
		{"ladder", `{"kind":"up"}`, `"up" is no kind of question: want may or move`},
		{"ladder", `{"kind":"may","player":7}`, `7 is not on the ladder`},
		{"ladder", `{"kind":"move","ladder":[1,1]}`, `1 is on the ladder twice`},
		{"ladder", `{"kind":"move","events":[{"type":"sink"}]}`, `event 1: "sink" is nothing that happens on a ladder`},
		{"ladder", `{"kind":"may","finished":[[1,2]]}`, `a finished game is two ids and a day`},
		{"whr", `{}`, `w2 must be from 0.001 to 1000000`},
		{"whr", `{"w2":14,"virtual":0}`, `virtual must be from 0.001 to 1000`},
		{"whr", `{"w2":14,"virtual":2,"games":[{"a":1,"b":1}]}`, `game 1: 1 plays against itself`},
		{"whr", `{"w2":14,"virtual":2,"games":[{"a":1,"b":2,"day":0},{"a":1,"b":2,"day":0.0001}]}`, `two days of 1 are nearer than 0.001`},
	} {
		if got := ask(t, c.kind, c.line); got != "error: "+c.want {
			t.Errorf("%s %.200s: %s, want %s", c.kind, c.line, got, c.want)
		}
	}
}

// What is at the edge is answered.
func TestEdges(t *testing.T) {
	for _, c := range []struct{ kind, line, want string }{
		{"pair", `{"round":1,"rounds":1,"initial":"w","players":[{"id":1}]}`, `{"pairs":[[1,0]]}`},
		{"pair", `{"round":1,"rounds":1,"initial":"w","players":[{"id":1,"absent":true}]}`, `{"pairs":[]}`},
		{"pair", `{"round":2,"rounds":2,"initial":"w","players":[{"id":1,"games":[{"opp":0,"color":"-","result":"bye1"}]}]}`, `{"pairs":null}`},
		{"standings", `{"rounds":0,"players":[{"id":1}]}`, `{"standings":[{"rank":1,"id":1,"points":0,"bhc1":0,"bh":0,"sb":0,"wins":0,"adj":0,"de":1}]}`},
		{"arena", `{}`, `{"points":[],"total":0,"fire":false,"perf":null}`},
		{"ladder", `{"kind":"move"}`, `{"ids":[]}`},
		{"ladder", `{"kind":"may","ladder":[{"id":3}],"player":3}`, `{"ids":[]}`},
		{"whr", `{"w2":14,"virtual":2}`, `{"ratings":[]}`},
	} {
		if got := ask(t, c.kind, c.line); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.line, got, c.want)
		}
	}
}

// someGames are games of players whose strength grows with their id.
func someGames(rng *rand.Rand, players, days, n int) (games []ratedGame) {
	for range n {
		a, b := 1+rng.IntN(players), 1+rng.IntN(players)
		if a != b {
			score := float64(rng.IntN(3)) / 2
			if rng.IntN(players) < a-b {
				score = 1
			}
			games = append(games, ratedGame{float64(rng.IntN(days)), game.MemberID(a), game.MemberID(b), score})
		}
	}
	return games
}

// The same games in another order give the same numbers, to the last bit.
func TestHistoriesAreReproducible(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	games := someGames(rng, 20, 10, 400)
	p := prior{W2: 14, Virtual: 2, Adv: 10}
	want := testkit.Got(histories(t.Context(), games, p))
	for range 5 {
		rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		got := testkit.Got(histories(t.Context(), games, p))
		for i := range want {
			if got[i].ID != want[i].ID || !slices.Equal(got[i].Elo, want[i].Elo) || !slices.Equal(got[i].SD, want[i].SD) {
				t.Fatalf("%v, want %v", got[i], want[i])
			}
		}
	}
}

func TestHistoriesStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	games := someGames(rand.New(rand.NewPCG(3, 3)), 20, 400, 400)
	if _, err := histories(ctx, games, prior{W2: 14, Virtual: 2}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// An archive of 20,000 games of 500 players.
func BenchmarkHistories(b *testing.B) {
	games := someGames(rand.New(rand.NewPCG(3, 3)), 500, 400, 20_000)
	for b.Loop() {
		testkit.Got(histories(b.Context(), games, prior{W2: 14, Virtual: 2}))
	}
}

// FuzzAnswer: no line of input makes Answer panic, and what it answers can be written. Pairs
// are of those who are present, each once.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`{"round":2,"rounds":3,"initial":"b","players":[{"id":1,"games":[{"opp":2,"color":"w","result":"1"}]},{"id":2,"games":[{"opp":1,"color":"b","result":"0"}]},{"id":3,"games":[{"opp":0,"color":"-","result":"bye1"}]}]}`,
		`{"rounds":1,"players":[{"id":1,"games":[{"opp":2,"color":"w","result":"-"}]},{"id":2,"games":[{"opp":1,"color":"b","result":"-"}]}]}`,
		`{"player":{"r":1500,"rd":200,"vol":0.06},"periods":1,"tau":0.5,"games":[{"r":1400,"rd":30,"score":1}]}`,
		`{"rules":{"berserkMin":10,"quickDraw":10,"longDraw":60},"streaks":true,"results":["W","WB","D"],"plies":[30,30,30],"opp":[1500,1500,1500]}`,
		`{"kind":"may","ladder":[{"id":6,"rating":2116},{"id":1,"rating":2000}],"active":[[1,6]],"finished":[[1,6,3.5]],"now":9,"player":1}`,
		`{"kind":"move","ladder":[1,2],"events":[{"type":"join","id":3},{"type":"timeout","winner":3,"loser":1}]}`,
		`{"w2":300,"virtual":2,"adv":0,"games":[{"day":1,"a":1,"b":2,"score":1},{"day":2,"a":1,"b":2,"score":0.5}]}`,
	} {
		for kind := range Lines {
			f.Add(uint8(kind), []byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, line []byte) {
		k := Lines[int(kind)%len(Lines)]
		a, err := Answer(t.Context(), k, line)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("%q", err)
			}
			return
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		if k != "pair" {
			return
		}
		var h hall
		testkit.Must(t, json.Unmarshal(line, &h.swiss))
		pairs, _ := h.pairNext()
		if h.rng = rand.New(rand.NewPCG(1, 1)); len(h.Players) < 30 {
			testkit.Check(t, h.broken(pairs))
		}
	})
}
