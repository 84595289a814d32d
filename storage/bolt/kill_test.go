package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// The workload that is killed: commands with a number each, made by eight writers. One
// writes a row and its entry in a second table, counts itself, and takes away command
// number-behind. A command that finds its row was made before and changes nothing.
const (
	behind     = 700
	killers    = 8
	retryAfter = 24 // commands that a new process repeats, because it cannot know whether they were made
)

func command(ctx context.Context, e kv.Engine, n int) error {
	return e.Update(ctx, func(tx kv.Tx) error {
		row := fmt.Appendf(nil, "d%08d", n) // done: the idempotency key
		if done, err := tx.Get(row); err != nil || done != nil {
			return err
		}
		count, err := tx.Get([]byte("n"))
		if err != nil {
			return err
		}
		total, _ := strconv.Atoi(string(count))
		payload := killPayload(n)
		return errors.Join(
			tx.Put(row, nil),
			tx.Put(fmt.Appendf(nil, "g%08d", n), payload),
			tx.Put(fmt.Appendf(nil, "x%03d/%08d", n*7919%1000, n), nil),
			tx.Put([]byte("n"), []byte(strconv.Itoa(total+1))),
			tx.Delete(fmt.Appendf(nil, "g%08d", n-behind)),
			tx.Delete(fmt.Appendf(nil, "x%03d/%08d", (n-behind)*7919%1000, n-behind)),
		)
	})
}

func killPayload(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	size := 200 + rng.IntN(600)
	if n%50 == 0 {
		size = 5000 + rng.IntN(60000)
	}
	return []byte(strings.Repeat(fmt.Sprintf("%08d ", n), size/9+1)[:size])
}

// killChild works until it is killed. It says "A n" when command n was acknowledged.
func killChild(path string) error {
	from, err := strconv.Atoi(os.Getenv("TENGEN_KILL_FROM"))
	if err != nil {
		return err
	}
	db, err := Open(context.Background(), path, Options{Log: quiet})
	if err != nil {
		return err
	}
	fmt.Println("open")
	var next atomic.Int64
	next.Store(int64(from))
	var wg sync.WaitGroup
	for range killers {
		wg.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if err := command(context.Background(), db, n); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Printf("A %d\n", n)
			}
		})
	}
	wg.Wait()
	return nil
}

func init() { children["TENGEN_KILL_CHILD"] = killChild }

// killed runs rounds of work and sudden death on one store and says what it found.
type killed struct {
	rounds, acked, unheard, lost, doubled, damaged int
}

func (k killed) good() bool { return k.lost+k.doubled+k.damaged == 0 }

func killing(t *testing.T, rounds int) (k killed) {
	path := filepath.Join(t.TempDir(), "store.db")
	committed := map[int]bool{} // acknowledged, or seen after a death
	rng := rand.New(rand.NewPCG(11, uint64(rounds)))
	next := behind + 1
	for k.rounds = range rounds {
		acked := runAndKill(t, path, max(next-retryAfter, behind+1), time.Duration(rng.IntN(250))*time.Millisecond)
		for _, n := range acked {
			if !committed[n] {
				k.acked++
			}
			committed[n] = true
			next = max(next, n+1)
		}
		db, err := Open(t.Context(), path, Options{Log: quiet})
		if err != nil {
			t.Errorf("round %d: %v", k.rounds, err)
			k.damaged++
			return k
		}
		if db.Recovery().Happened() {
			t.Errorf("round %d: %v", k.rounds, db.Recovery())
			k.damaged++
		}
		next = max(next, k.inspect(t, db, committed)+1)
		testkit.Must(t, db.Close())
		if !k.good() {
			break
		}
		os.Remove(cleanPath(path)) // so that the child checks as well
	}
	k.rounds++
	return k
}

// inspect holds the store against the set of the commands that were committed. It gives
// the highest number seen.
func (k *killed) inspect(t *testing.T, db *DB, committed map[int]bool) (most int) {
	payloads, entries, total := map[int][]byte{}, map[int]bool{}, 0
	err := db.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(key, v []byte) bool {
			n, _ := strconv.Atoi(string(key[max(len(key)-8, 0):]))
			switch key[0] {
			case 'd':
				most = max(most, n)
				if !committed[n] { // made, and its caller never heard of it
					committed[n] = true
					k.unheard++
				}
			case 'g':
				payloads[n] = v
			case 'x':
				entries[n] = true
			case 'n':
				total, _ = strconv.Atoi(string(v))
			}
			return true
		})
	})
	if err != nil {
		t.Errorf("reading: %v", err)
		k.damaged++
	}
	for n := range committed {
		payload, there := payloads[n]
		want := !committed[n+behind]
		if there != want || entries[n] != want || there && string(payload) != string(killPayload(n)) {
			k.lost++
		}
	}
	for n := range payloads {
		if !committed[n] {
			k.damaged++
		}
	}
	if total > len(committed) {
		k.doubled += total - len(committed)
	} else if total < len(committed) {
		k.lost += len(committed) - total
	}
	return most
}

func runAndKill(t *testing.T, path string, from int, after time.Duration) (acked []int) {
	t.Helper()
	for _, line := range testkit.KilledAfter(t, after, "TENGEN_KILL_CHILD="+path,
		fmt.Sprint("TENGEN_KILL_FROM=", from)) {
		n, err := strconv.Atoi(strings.TrimPrefix(line, "A "))
		if err != nil {
			t.Errorf("the process said %q", line)
		}
		acked = append(acked, n)
	}
	return acked
}

// Whatever was acknowledged before a kill -9 is there afterwards, once.
func TestKill(t *testing.T) {
	t.Parallel()
	k := killing(t, testkit.Dose("TENGEN_KILLS", 4))
	t.Logf("%d kills, %d acknowledged, %d made but not acknowledged: lost %d, doubled %d, damaged %d",
		k.rounds, k.acked, k.unheard, k.lost, k.doubled, k.damaged)
	if !k.good() || k.acked == 0 {
		t.Error("the store did not hold")
	}
}
