package five

import (
	"testing"

	"tengen/game"
)

func TestStarts26(t *testing.T) {
	if n := len(starts26()); n != 26 {
		t.Errorf("%d standard openings, want 26", n)
	}
}

func TestBalanced(t *testing.T) {
	for _, r := range game.AllRules {
		for seed := range uint64(300) {
			if _, err := game.New(r).PlayAll(Balanced(r, seed)...); err != nil {
				t.Errorf("%s, seed %d: %v", r.Name(), seed, err)
			}
		}
	}
}
