//go:build linux && (amd64 || arm64)

package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// Killing a process leaves what it wrote in the memory of the kernel, so it says nothing
// about a power failure. These tests record what the store asks the kernel for, write by
// write and sync by sync, and then look at the disks that a power failure at any moment
// could have left behind: what was synced is there; of the rest any part may be, in
// units of a sector, in any order.

// The transactions of the workload are numbered by a counter in the store: number n
// writes what follows from n. So the content of a store follows from its counter.
var counterKey = []byte("n")

const window = 150 // number n takes away what number n-window wrote

// numbered is transaction number n.
func numbered(n int) (puts map[string]string, deletes []string) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	puts = map[string]string{}
	size := 100 + rng.IntN(500)
	if n%50 == 0 {
		size = 5000 + rng.IntN(20000) // overflow pages
	}
	puts[rowKey(n)] = strings.Repeat(strconv.Itoa(n)+" ", size/len(strconv.Itoa(n)+" "))
	puts[fmt.Sprintf("x%05d/%d", n*7919%10007, n)] = ""
	puts[fmt.Sprintf("h%d", n%20)] = strconv.Itoa(n)
	if n > window {
		deletes = []string{rowKey(n - window), fmt.Sprintf("x%05d/%d", (n-window)*7919%10007, n-window)}
	}
	return puts, deletes
}

func rowKey(n int) string { return fmt.Sprintf("g%05d", n*613%20011) }

// addNumbered makes the next numbered transaction and says its number.
func addNumbered(ctx context.Context, e kv.Engine) (n int, err error) {
	err = e.Update(ctx, func(tx kv.Tx) error {
		v, err := tx.Get(counterKey)
		if err != nil {
			return err
		}
		n, _ = strconv.Atoi(string(v))
		n++
		puts, deletes := numbered(n)
		for _, k := range deletes {
			if err := tx.Delete([]byte(k)); err != nil {
				return err
			}
		}
		for k, v := range puts {
			if err := tx.Put([]byte(k), []byte(v)); err != nil {
				return err
			}
		}
		return tx.Put(counterKey, []byte(strconv.Itoa(n)))
	})
	return n, err
}

// digests are those of the store after 0, 1, 2 ... numbered transactions.
func digests(most int) []uint64 {
	all := make([]uint64, most+1)
	state := map[string]string{}
	sum := uint64(0)
	set := func(k, v string, there bool) {
		if old, ok := state[k]; ok {
			sum -= digest([]byte(k), []byte(old))
			delete(state, k)
		}
		if there {
			state[k] = v
			sum += digest([]byte(k), []byte(v))
		}
	}
	for n := 1; n <= most; n++ {
		puts, deletes := numbered(n)
		for _, k := range deletes {
			set(k, "", false)
		}
		for k, v := range puts {
			set(k, v, true)
		}
		set(string(counterKey), strconv.Itoa(n), true)
		all[n] = sum
	}
	return all
}

// powerChild is the process that is watched: some writers, a few hundred transactions.
func powerChild(path string) error {
	writers, each := 1, 0
	fmt.Sscanf(os.Getenv("TENGEN_POWER_LOAD"), "%d %d", &writers, &each)
	db, err := Open(context.Background(), path, Options{Log: quiet})
	if err != nil {
		return err
	}
	errs := make(chan error, writers)
	for range writers {
		go func() {
			for range each {
				n, err := addNumbered(context.Background(), db)
				if err != nil {
					errs <- err
					return
				}
				fmt.Printf("A %d\n", n)
			}
			errs <- nil
		}()
	}
	for range writers {
		err = errors.Join(err, <-errs)
	}
	return errors.Join(err, db.Close())
}

func init() { children["TENGEN_POWER_CHILD"] = powerChild }

// recorded runs the workload under watch.
func recorded(t *testing.T, writers, each int) (start []byte, events []event) {
	t.Helper()
	path := newPath(t)
	db := open(t, path)
	testkit.Must(t, db.Close())
	start = testkit.Read(t, path)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TENGEN_POWER_CHILD="+path, fmt.Sprintf("TENGEN_POWER_LOAD=%d %d", writers, each))
	events, err := trace(cmd, path)
	if errors.Is(err, errNoTrace) {
		t.Skip(err)
	}
	testkit.Must(t, err)
	return start, events
}

// An explorer looks at states.
type explorer struct {
	t       *testing.T
	path    string
	rng     *rand.Rand
	digests []uint64

	states, ahead int
	wrong         bool // one problem is enough: the next states may be deadly
}

// look opens what a power failure left and says what is wrong with it.
func (x *explorer) look(c content, acked int) string {
	testkit.Must(x.t, os.WriteFile(x.path, c.bytes, fileMode))
	testkit.Must(x.t, os.Truncate(x.path, c.size))
	report := testkit.Got(CheckHere(x.t.Context(), x.path))
	if !report.Good() {
		return "damaged: " + report.Problem
	}
	db, err := bbolt.Open(x.path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true})
	if err != nil {
		return "not opened: " + err.Error()
	}
	defer db.Close()
	var sum uint64
	n := 0
	err = db.View(func(tx *bbolt.Tx) error {
		return reader{tx}.Scan(nil, nil, func(k, v []byte) bool {
			sum += digest(k, v)
			if string(k) == string(counterKey) {
				n, _ = strconv.Atoi(string(v))
			}
			return true
		})
	})
	switch {
	case err != nil:
		return "not read: " + err.Error()
	case n >= len(x.digests) || sum != x.digests[n]:
		return fmt.Sprintf("the content is not that of transaction %d", n)
	case n < acked:
		return fmt.Sprintf("lost: transaction %d was acknowledged and the store ends with %d", acked, n)
	case n > acked:
		x.ahead++
	}
	return ""
}

func trimmed(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return b[:n]
}

// explore looks at so many states, spread evenly over all moments of the record.
func (x *explorer) explore(start []byte, events []event, most int) {
	begin := content{trimmed(start), int64(len(start))}
	moments := 0
	replay(begin, events, func(_ int, d disk) {
		if len(d.pending) > 0 {
			moments++
		}
	})
	for round := 0; x.states < most && moments > 0 && !x.wrong; round++ {
		share := float64(most-x.states) / float64(moments)
		replay(begin, events, func(n int, d disk) {
			if len(d.pending) > 0 && x.states < most && !x.wrong && x.rng.Float64() < share {
				x.state(d, fmt.Sprintf("after event %d of %d", n, len(events)))
			}
		})
	}
}

// state looks at one state that d could be in.
func (x *explorer) state(d disk, when string) {
	share := x.rng.Float64()
	keep := func() bool { return x.rng.Float64() < share }
	kind := x.states % 8
	switch kind {
	case 0:
		keep = func() bool { return false }
	case 1:
		keep = func() bool { return true }
	}
	x.states++
	problem := x.look(d.crash(x.rng.Perm(len(d.pending)), keep, kind != 2), d.acked)
	if problem != "" {
		x.wrong = true
		x.t.Errorf("%s: %s", when, problem)
	}
}

// states is the number of disk states to look at.
func states() int {
	if s := os.Getenv("TENGEN_STATES"); s != "" {
		return testkit.Got(strconv.Atoi(s))
	}
	return 2000
}

// Whatever a power failure leaves holds every acknowledged transaction, whole, and no
// half of another.
func TestPowerFailure(t *testing.T) {
	t.Parallel()
	for _, load := range []struct{ writers, each int }{{1, 130}, {8, 50}} {
		t.Run(fmt.Sprintf("%d writers", load.writers), func(t *testing.T) {
			start, events := recorded(t, load.writers, load.each)
			x := &explorer{t: t, path: filepath.Join(scratch(t), "state.db"), rng: rand.New(rand.NewPCG(7, 7)),
				digests: digests(load.writers * load.each)}
			x.explore(start, events, (states()+1)/2)
			writes, syncs := 0, 0
			for _, e := range events {
				switch e.kind {
				case wrote:
					writes++
				case synced:
					syncs++
				}
			}
			// bbolt syncs twice for a commit: the pages, then the page that points to them. A
			// lone transaction costs one commit, no more. Some are for the growing file.
			if n := load.each; load.writers == 1 && syncs > 2*n+8 {
				t.Errorf("%d lone transactions cost %d syncs", n, syncs)
			}
			t.Logf("%d transactions, %d writes, %d syncs; %d states, in %d of them more than was acknowledged",
				load.writers*load.each, writes, syncs, x.states, x.ahead)
		})
	}
}
