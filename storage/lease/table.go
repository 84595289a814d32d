package lease

import (
	"context"
	"fmt"
	"sync"

	"tengen/storage/kv"
)

// Table is the leases of several processes that are really one, for tests over a
// kv.Memory: nothing waits and nothing ends by itself.
type Table struct {
	mu      sync.Mutex
	next    int
	members map[string]*process
}

// NewTable gives a Table without processes.
func NewTable() *Table { return &Table{members: map[string]*process{}} }

// Process gives the leases of one more process. dead makes the others take it for dead.
func (t *Table) Process() (l Leases, dead func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	p := &process{table: t, name: fmt.Sprint("process ", t.next), groups: map[string]*part{}}
	t.members[p.name] = p
	return p, func() { t.leave(p, "") }
}

type process struct {
	table  *Table
	name   string
	groups map[string]*part // guarded by the table's
}

type part struct {
	process *process
	group   Group
	calls   sync.Mutex // keeps the calls of Gained and Lost in order
	held    map[int]uint64
	turn    uint64
}

// Join is Leases.Join.
func (p *process) Join(_ context.Context, g Group) (Share, error) {
	part := &part{process: p, group: g, held: map[int]uint64{}}
	p.table.mu.Lock()
	p.groups[g.Name] = part
	p.table.mu.Unlock()
	p.table.settle(g.Name)
	return part, nil
}

// leave takes a process out of a group, or of all.
func (t *Table) leave(p *process, group string) {
	t.mu.Lock()
	var names []string
	for name, part := range p.groups {
		if group == "" || group == name {
			names = append(names, name)
			clear(part.held)
			delete(p.groups, name)
		}
	}
	t.mu.Unlock()
	for _, name := range names {
		t.settle(name)
	}
}

// settle assigns a group's slots anew: it calls Lost of all members, then Gained.
func (t *Table) settle(group string) {
	t.mu.Lock()
	var members []string
	slots := 0
	for name, p := range t.members {
		if part := p.groups[group]; part != nil {
			members, slots = append(members, name), part.group.Slots
		}
	}
	holders := Assign(members, slots)
	gained, lost := map[*part][]int{}, map[*part][]int{}
	for _, name := range members {
		part := t.members[name].groups[group]
		for slot, holder := range holders {
			_, has := part.held[slot]
			switch {
			case holder == name && !has:
				part.turn++
				part.held[slot] = part.turn
				gained[part] = append(gained[part], slot)
			case holder != name && has:
				lost[part] = append(lost[part], slot)
			}
		}
	}
	t.mu.Unlock()
	for part, slots := range lost {
		part.tell(part.group.Lost, slots)
		t.mu.Lock()
		for _, slot := range slots { // given up after Lost has returned
			delete(part.held, slot)
		}
		t.mu.Unlock()
	}
	for part, slots := range gained {
		part.tell(part.group.Gained, slots)
	}
}

func (p *part) tell(f func(Share, []int), slots []int) {
	p.calls.Lock()
	defer p.calls.Unlock()
	if f != nil {
		f(p, slots)
	}
}

func (p *part) turnOf(slot int) uint64 {
	p.process.table.mu.Lock()
	defer p.process.table.mu.Unlock()
	return p.held[slot]
}

// Holds is Share.Holds.
func (p *part) Holds(slot int) bool { return p.turnOf(slot) != 0 }

// Under is Share.Under.
func (p *part) Under(ctx context.Context, slot int) (context.Context, bool) {
	turn := p.turnOf(slot)
	return kv.Under(ctx, held(func() bool { return p.turnOf(slot) == turn })), turn != 0
}

// Shared is Share.Shared.
func (p *part) Shared() bool { return true }

// Close is Share.Close.
func (p *part) Close() {
	p.process.table.mu.Lock()
	var slots []int
	for slot := range p.held {
		slots = append(slots, slot)
	}
	p.process.table.mu.Unlock()
	p.tell(p.group.Lost, slots)
	p.process.table.leave(p.process, p.group.Name)
}

// held is a fence for kv.Memory.
type held func() bool

// Held reports whether the fence holds.
func (h held) Held() bool { return h() }
