package reversi

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"tengen/internal/testkit"
)

// trainedSmall is the hash of what TestTrain makes. When it changes, the command that made
// the embedded weights no longer makes the same: train them again.
const trainedSmall = "3b29aaa1144763f7"

// TestTrain trains on next to nothing: it must run through, make what it always made, and
// the file must be read back as it was written.
func TestTrain(t *testing.T) {
	small := DefaultTraining()
	small.Rounds, small.Positions, small.Depth, small.Exact, small.Cuts = 1, 150, 4, 8, 0
	small.Progress = t.Logf
	file := testkit.Got(Train(t.Context(), small))
	if got := fmt.Sprintf("%.8x", sha256.Sum256(file)); got != trainedSmall && runtime.GOARCH == "amd64" {
		t.Errorf("hash %s, want %s", got, trainedSmall)
	}
	if again := testkit.Got(unpackWeights(file)).pack(); string(again) != string(file) {
		t.Fatal("read and written again the file differs")
	}
}

func TestWeightsFile(t *testing.T) {
	if len(weightsFile) > 3<<20 {
		t.Errorf("%d bytes", len(weightsFile))
	}
	if _, err := unpackWeights(weightsFile[:len(weightsFile)/2]); err == nil {
		t.Error("half a file was accepted")
	}
	w := loadWeights()
	start := featuresOf(middles(1, 40)[0])
	if v := w.stage[stageOf(40)].eval(&start, 40); v == 0 || v < -4000 || v > 4000 {
		t.Errorf("a quiet position is worth %d", v)
	}
}
