package storage

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/storage/kv"
)

// Agenda is the tables, by letter, whose rows tell when a kind of work is due: Store.Next.
type Agenda string

// The agendas of what is no gathering: each of those has its own.
const (
	MatchAgenda  = Agenda(tDue)
	EventAgenda  = Agenda(tEventDue) + Agenda(tEventWork) + Agenda(tEventLate)
	LadderAgenda = Agenda(tLadderBehind)
	DailyAgenda  = Agenda(tDailyDue)
)

// timeless are the tables of agendas whose keys begin with no time: their rows are due as soon as they are
// written.
const timeless = string(tEventWork) + string(tEventLate) + string(tLadderBehind)

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
		for _, table := range []byte(a) {
			if err := r.Scan(key(table), key(table+1), func(k, _ []byte) bool {
				at := time.UnixMilli(0)
				if !strings.Contains(timeless, string(table)) {
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
	pages map[Agenda]page
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
	var wrote letters
	defer func() { d.forget(&wrote) }()
	return d.register.update(ctx, d.Engine, func(tx kv.Tx) error { return fn(noting{tx, &wrote}) })
}

// forget forgets what it knew of the agendas to whose tables something was written.
func (d *schedule) forget(wrote *letters) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for a, p := range d.pages {
		if slices.ContainsFunc([]byte(a), wrote.has) {
			d.pages[a] = page{writes: p.writes + 1}
		}
	}
}

func (d *schedule) next(a Agenda) (next time.Time, writes int, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, asked := d.pages[a]
	if !asked { // from now on what is written to it counts
		if d.pages == nil {
			d.pages = map[Agenda]page{}
		}
		d.pages[a] = p
	}
	return p.next, p.writes, p.known
}

// learn notes what was read, unless it may be older than the last write.
func (d *schedule) learn(a Agenda, next time.Time, writes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pages[a].writes == writes {
		d.pages[a] = page{next, true, writes}
	}
}

// noting is a transaction that notes to which tables it writes.
type noting struct {
	kv.Tx
	wrote *letters
}

// letters are some of the 256 tables.
type letters [4]uint64

func (l *letters) add(table byte)      { l[table/64] |= 1 << (table % 64) }
func (l *letters) has(table byte) bool { return l[table/64]>>(table%64)&1 == 1 }

func (n noting) Put(key, value []byte) error {
	n.note(key)
	return n.Tx.Put(key, value)
}

func (n noting) Delete(key []byte) error {
	n.note(key)
	return n.Tx.Delete(key)
}

func (n noting) note(key []byte) {
	if len(key) > 0 {
		n.wrote.add(key[0])
	}
}
