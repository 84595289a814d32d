// Package lease shares out numbered slots of work among the processes on one store: the
// bot's channels, or the connections to the gateway. One process at a time holds a slot,
// under a lease that ends when the store no longer hears of the process. A holder's writes
// under its Share are made only while it holds the slot, so that a process that wakes up too
// late changes nothing. Alone is for one process, Table for tests, pg.DB for many
// machines. Start from Leases.
package lease

import (
	"context"
	"slices"
)

// Leases lets a process take part.
type Leases interface {
	// Join takes part in a group until the Share is closed. It returns when the other
	// processes know of this one. Gained tells then and later which slots it holds.
	Join(ctx context.Context, g Group) (Share, error)
}

// Group is work in Slots slots, numbered from 0, that all processes share that join a group
// of the same Name. All must give the same Slots.
type Group struct {
	Name  string
	Slots int

	// Gained and Lost are called for every change, one call after the other, from one
	// goroutine, and must be quick: start what takes long elsewhere. A slot that is handed
	// over on purpose is given up after Lost has returned; a slot whose lease expired
	// because the store did not answer is gone before Lost is called. Either may be nil.
	Gained, Lost func(s Share, slots []int)
}

// Share is what one process holds of a group.
type Share interface {
	// Holds says whether the process holds a slot, as far as it can know without asking.
	Holds(slot int) bool

	// Under gives a context whose transactions (kv.Engine.Update) are made only while
	// the process holds the slot; they fail with kv.ErrFenced otherwise. The second result
	// is false where the process does not hold the slot now.
	Under(ctx context.Context, slot int) (context.Context, bool)

	// Shared says whether other processes may take part.
	Shared() bool

	// Close calls Lost for all slots, gives them up and leaves the group.
	Close()
}

// Alone is the Leases of a process that shares with no other: it always holds every slot.
type Alone struct{}

// Join is Leases.Join. Gained is called before it returns.
func (Alone) Join(_ context.Context, g Group) (Share, error) {
	if g.Gained != nil {
		g.Gained(alone{}, all(g.Slots))
	}
	return alone{}, nil
}

type alone struct{}

// Holds is Share.Holds.
func (alone) Holds(int) bool { return true }

// Under is Share.Under.
func (alone) Under(ctx context.Context, _ int) (context.Context, bool) { return ctx, true }

// Shared is Share.Shared.
func (alone) Shared() bool { return false }

// Close is Share.Close.
func (alone) Close() {}

func all(n int) []int {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = i
	}
	return slots
}

// Assign says which member is to hold each of n slots: each member about as many, and few
// slots change hands when a member comes or goes. The same members give the same result,
// whatever their order.
func Assign(members []string, n int) []string {
	holders := make([]string, n)
	if len(members) == 0 {
		return holders
	}
	members = slices.Compact(slices.Sorted(slices.Values(members)))
	room := (n + len(members) - 1) / len(members)
	has := map[string]int{}
	for slot := range holders {
		best, most := "", uint64(0)
		for _, m := range members {
			if s := score(m, slot); has[m] < room && (best == "" || s > most) {
				best, most = m, s
			}
		}
		holders[slot] = best
		has[best]++
	}
	return holders
}

// score is a member's claim to a slot: the highest takes it.
func score(member string, slot int) uint64 {
	h := uint64(14695981039346656037) // FNV-1a, and a finalizer, since it mixes short texts badly
	for _, c := range []byte(member) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= uint64(slot) * 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// SlotOf is the slot of a key, such as the number of a channel.
func SlotOf(key uint64, slots int) int {
	key = (key ^ key>>33) * 0xFF51AFD7ED558CCD
	key = (key ^ key>>33) * 0xC4CEB9FE1A85EC53
	return int((key ^ key>>33) % uint64(slots))
}
