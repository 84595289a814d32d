package bot

import (
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// TestSimulationOnPostgres is the simulator with its store on PostgreSQL outside the bubble, as TestSimulationOnEtcd.
// TENGEN_PG_SEEDS is the number of seeds; unset, 1.
func TestSimulationOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := pgtest.Start(t)
	wire()
	for seed := range uint64(testkit.Dose("TENGEN_PG_SEEDS", 1)) {
		seed++
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			db, err := pg.Open(t.Context(), pg.Options{Address: pgtest.Address(s), Schema: fmt.Sprint("seed", seed),
				Try: slowly, Patience: 10 * slowly, Absent: storage.Once})
			testkit.Must(t, err)
			o := outside{engine: db, calls: staff()}
			bad := simulateOn(t, seed, o)
			close(o.calls)
			if len(bad) > 0 {
				t.Errorf("seed %d: %s", seed, strings.Join(bad, "\n"))
			}
			testkit.Check(t, db.Close())
		})
	}
}
