package storage

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage/codec"
)

func TestExport(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	rated := b.ratedGame(ann, bob)
	won := b.engineGame(ann)
	for i := 0; won.Phase != game.Over; i++ {
		won = b.play(won, blackWins[i])
	}
	c := b.cause()
	c.Token, c.Expires = "a-token-that-stays-here", c.At.Add(15*60e9)
	b.made(c, game.Terms{Rules: game.Reversi, Note: "hi"}, cat, game.Seat{}, c.At.Add(60e9))
	// What ended before it got going is stored for a day.
	declined := b.offer(game.Reversi, bob, ann)
	b.act(declined, ann, game.Match.Decline)
	first(b.SetMember(t.Context(), ann, func(m Member) (Member, error) {
		m.Look.Theme = "ink"
		return m, nil
	}))
	first(b.SetServer(t.Context(), here.Server, func(s Server) (Server, error) {
		s.Look.Theme = "ink"
		return s, nil
	}))
	var out bytes.Buffer
	testkit.Must(t, b.Export(t.Context(), &out, func(int64) {}))
	if !strings.Contains(out.String(), codec.IDText(uint64(declined.ID))) {
		t.Error("the declined challenge is not in the export")
	}
	kinds := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var v struct {
			Kind    string
			ID      string
			Moves   []struct{ At string }
			Winner  string
			Ratings []struct{ After float64 }
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		kinds[v.Kind]++
		if v.ID == codec.IDText(uint64(rated.ID)) && (len(v.Moves) != 10 || len(v.Ratings) != 2 ||
			v.Ratings[1].After != rated.Changes[1].After) {
			t.Errorf("the rated game: %s", line)
		}
		if v.ID == codec.IDText(uint64(won.ID)) && (v.Winner != "black" || v.Moves[0].At != "H8") {
			t.Errorf("the won game: %s", line)
		}
	}
	b.want("what is exported", kinds, map[string]int{"match": 4, "member": 1, "server": 1, "rating": 2, "engine": 1})
	if strings.Contains(out.String(), "a-token") {
		t.Error("a token is in the export")
	}
	dossier, err := json.Marshal(first(b.Everything(t.Context(), ann)))
	if err != nil || !strings.Contains(string(dossier), codec.IDText(uint64(declined.ID))) ||
		!strings.Contains(string(dossier), `"theme":"ink"`) || strings.Contains(string(dossier), `"hi"`) {
		t.Errorf("ann's own file: %v\n%s", err, dossier)
	}
	empty, err := json.Marshal(Dossier{})
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("an empty file: %v %s", err, empty)
	}
}
