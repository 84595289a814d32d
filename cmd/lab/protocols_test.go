package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	book "tengen/game/opening"
	"tengen/internal/testkit"
)

// A run goes on where an earlier one ended, in the middle of a line too, and plays the same games.
func TestOpeningProtocols(t *testing.T) {
	c := protocolsCmd{Protocol: []string{"empty-renju", "swap2", "taraguchi10"}, Games: 2, Nodes: 150,
		Decide: 300, Seed: 4, Out: filepath.Join(t.TempDir(), "games")}
	run := func() string {
		testkit.Must(t, c.Run(context.Background()))
		data := testkit.Read(t, c.Out)
		return string(data)
	}
	all := run()
	if n := strings.Count(all, "\n"); n != 6 || run() != all {
		t.Fatalf("%d lines:\n%s", n, all)
	}
	cut := len(all) - 20
	testkit.Must(t, os.WriteFile(c.Out, []byte(all[:cut]), 0o666))
	last := all[strings.LastIndexByte(all[:cut], '\n')+1:]
	if again := run(); again != all[:cut]+"\n"+last || run() != again {
		t.Errorf("after a cut:\n%s", again)
	}
	if _, err := arrangements([]string{"swap3"}); err == nil {
		t.Error("swap3 is an opening")
	}
	if all, _ := arrangements(nil); len(all) != 2+len(book.All) {
		t.Errorf("%d openings", len(all))
	}
}
