package storage

import (
	"context"
	"sync"
	"time"

	"tengen/storage/kv"
)

// Agenda is a kind of work whose rows tell when it is due: Store.Next.
type Agenda int

// The agendas.
const (
	MatchAgenda Agenda = iota
	EventAgenda
	LadderAgenda
	TogetherAgenda
	SimulAgenda
	DailyAgenda
	agendas
)

// agendaTables are the tables of the agendas. A row of a table without times is due as soon as it is
// written.
var agendaTables = map[byte]struct {
	of    Agenda
	timed bool // keys begin with a time
}{
	tDue:          {MatchAgenda, true},
	tEventDue:     {EventAgenda, true},
	tEventWork:    {EventAgenda, false},
	tEventLate:    {EventAgenda, false},
	tLadderBehind: {LadderAgenda, false},
	tTogetherDue:  {TogetherAgenda, true},
	tSimulDue:     {SimulAgenda, true},
	tDailyDue:     {DailyAgenda, true},
}

// Next is when something is due next in an agenda; zero where nothing ever is. It reads the store only
// after this Store has written to the agenda: where other processes write too, what they have
// written is missing.
func (s *Store) Next(ctx context.Context, a Agenda) (time.Time, error) {
	next, writes, known := s.kv.next(a)
	if known {
		return next, nil
	}
	next = time.Time{}
	err := s.kv.View(ctx, func(r kv.Reader) error {
		next = time.Time{}
		for table, t := range agendaTables {
			if t.of != a {
				continue
			}
			if err := r.Scan([]byte{table}, []byte{table + 1}, func(k, _ []byte) bool {
				at := time.UnixMilli(0)
				if t.timed {
					at = millis(int64(part(k, 0)))
				}
				next = sooner(next, at)
				return false
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.kv.learn(a, next, writes)
	}
	return next, err
}

// schedule is an engine with a cached schedule: it remembers when something is due next in each agenda,
// until a transaction writes to that agenda.
type schedule struct {
	kv.Engine
	register *register // of the kinds of rows that are written; nil where nothing is written

	mu    sync.Mutex
	pages [agendas]page
}

// page is what the schedule knows of an agenda.
type page struct {
	next   time.Time
	known  bool
	writes int // transactions that wrote to the agenda
}

// Update is kv.Engine.Update. Once it has returned its writes are made, or never will be: an
// agenda that is read from then on has them. What was read of the agenda before counts for
// nothing.
func (d *schedule) Update(ctx context.Context, fn func(kv.Tx) error) error {
	var wrote [agendas]bool
	defer func() {
		if wrote != [agendas]bool{} {
			d.forget(wrote)
		}
	}()
	return d.register.update(ctx, d.Engine, func(tx kv.Tx) error { return fn(noting{tx, &wrote}) })
}

func (d *schedule) forget(wrote [agendas]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for a, yes := range wrote {
		if yes {
			d.pages[a].known = false
			d.pages[a].writes++
		}
	}
}

func (d *schedule) next(a Agenda) (next time.Time, writes int, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pages[a]
	return p.next, p.writes, p.known
}

// learn notes what was read, unless it may be older than the last write.
func (d *schedule) learn(a Agenda, next time.Time, writes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := &d.pages[a]; p.writes == writes {
		p.next, p.known = next, true
	}
}

// noting is a transaction that notes to which agendas it writes.
type noting struct {
	kv.Tx
	wrote *[agendas]bool
}

func (n noting) Put(key, value []byte) error {
	n.note(key)
	return n.Tx.Put(key, value)
}

func (n noting) Delete(key []byte) error {
	n.note(key)
	return n.Tx.Delete(key)
}

func (n noting) note(key []byte) {
	if len(key) == 0 {
		return
	}
	if t, ok := agendaTables[key[0]]; ok {
		n.wrote[t.of] = true
	}
}
