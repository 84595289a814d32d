package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tengen/storage/codec"
	"tengen/storage/kv"
)

// A store lists the kinds of rows that it holds, so that a program that does not know one of them
// refuses the store in place of taking the rows for damage. A program writes a row of a kind only
// when the store lists the kind, and it lists a kind only when all programs on the store have
// announced that they know it: so an update of one process after the other breaks none of them.

// kindsRow is the list, and the number of programs that have opened the store since it began.
var kindsRow = metaKey("kinds")

// Held is a kind of row that a store holds, or has held.
type Held struct {
	Row     string
	Version int
	Name    string
	Program string    // that first wrote it; empty: one of before the list
	At      time.Time // when; zero: before the list
}

func (h Held) id() rowKind { return rowKind{h.Row, h.Version} }

// String is the text for logs and errors.
func (h Held) String() string { return fmt.Sprintf("%s (%s %d)", h.Name, h.Row, h.Version) }

// list is a store's list as it was read.
type list struct {
	raw    []byte // nil: the store keeps no list yet
	starts uint64
	held   []Held
	has    map[rowKind]bool
}

// fields writes each line as a text, so that a program can read the lines of newer ones, which
// may be longer.
func (l *list) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Number(f, "", &l.starts, codec.Any64)
	codec.Many(f, "", &l.held, 1, codec.AnyLength, func(f *codec.Fields, h *Held) {
		line := string(codec.Encode(*h))
		if f.Text("", &line, codec.AnyLength); f.Reading() {
			in := codec.ToRead([]byte(line))
			h.Fields(&in)
			f.Must(!in.Failed())
		}
	})
}

func (h *Held) Fields(f *codec.Fields) {
	f.Text("", &h.Row, codec.AnyLength)
	codec.Number(f, "", &h.Version, 1<<30)
	f.Text("", &h.Name, codec.AnyLength)
	f.Text("", &h.Program, codec.AnyLength)
	f.Time("", &h.At)
}

func decodeList(value []byte) (l list, err error) {
	if value != nil {
		l, err = codec.Decode[list](kindsRow, value)
	}
	l.raw, l.has = value, map[rowKind]bool{}
	for _, h := range l.held {
		l.has[h.id()] = true
	}
	return l, err
}

// with is l with the kinds that it lacks.
func (l list) with(more []Kind, program string, at time.Time) list {
	l.held = slices.Clone(l.held)
	for _, k := range more {
		h := Held{k.Row, k.Version, k.Name, program, at}
		if !slices.ContainsFunc(l.held, func(other Held) bool { return other.id() == h.id() }) {
			l.held = append(l.held, h)
		}
	}
	l.raw = codec.Encode(l)
	l, _ = decodeList(l.raw)
	return l
}

// unknown are the lines that this program does not know.
func (l list) unknown() (unknown []Held) {
	for _, h := range l.held {
		if _, ok := known[h.id()]; !ok {
			unknown = append(unknown, h)
		}
	}
	return unknown
}

func readList(r kv.Reader) (list, error) {
	value, err := r.Get(kindsRow)
	if err != nil {
		return list{}, err
	}
	return decodeList(value)
}

// Announcement is what a program announces to the others on its store: the kinds that it knows.
func Announcement() []byte { return list{}.with(kinds, "", time.Time{}).raw }

// understands reports whether a program with an announcement knows all of some kinds. One that
// announces nothing knows those of before the list.
func understands(announcement []byte, some []Kind) bool {
	theirs, err := decodeList(announcement)
	for _, k := range some {
		old := announcement == nil && k.Since < firstListed
		if err != nil || !old && !theirs.has[k.id()] {
			return false
		}
	}
	return true
}

// Newer says that a store holds what this program does not know.
type Newer struct {
	Schema  int    // of the store, where that is newer; else 0
	Program string // this one
	Writer  string // the newest program that wrote what this one does not know; empty: not known
	Unknown []Held
}

// Error also tells what an operator can do.
func (n *Newer) Error() string {
	what := make([]string, len(n.Unknown))
	for i, h := range n.Unknown {
		what[i] = h.String()
	}
	if n.Schema > 0 {
		what = append(what, fmt.Sprintf("schema %d", n.Schema))
	}
	return fmt.Sprintf("the store was written by a newer tengen (%s); this one is %s, and does not know: %s; "+
		"use a newer tengen",
		cmp.Or(n.Writer, "version not known"), n.Program, strings.Join(what, ", "))
}

// currentSchema is the schema of the stores that this program writes.
var currentSchema = len(migrations) + 1

// check refuses a store that holds what this program does not know, which has a schema newer than
// current, or kinds that it has no line for.
func check(schema, current int, l list, program string) error {
	n := &Newer{Program: program, Unknown: l.unknown()}
	if schema > current {
		n.Schema = schema
	}
	if n.Schema == 0 && n.Unknown == nil {
		return nil
	}
	var at time.Time
	for _, h := range n.Unknown {
		if !h.At.Before(at) {
			n.Writer, at = h.Program, h.At
		}
	}
	return n
}

// Takes reports whether this program can open a store of which get gives rows.
func Takes(get func(key []byte) ([]byte, error)) bool {
	schema, err := get(metaKey("schema"))
	if err != nil || schema == nil {
		return false
	}
	n, err := decodeSchema(schema)
	value, bad := get(kindsRow)
	l, worse := decodeList(value)
	return errors.Join(err, bad, worse) == nil && check(n, currentSchema, l, "") == nil
}

// NotYet refuses a row of a kind that another process on the store does not know.
type NotYet struct{ Kinds []Kind }

// Error is the English text for logs.
func (n *NotYet) Error() string {
	what := make([]string, len(n.Kinds))
	for i, k := range n.Kinds {
		what[i] = Held{Row: k.Row, Version: k.Version, Name: k.Name}.String()
	}
	return "an older program on the store does not know: " + strings.Join(what, ", ")
}

// register keeps the list of a store.
type register struct {
	program string
	log     *slog.Logger
	peers   func(context.Context) ([][]byte, error) // nil: no other process has the store

	list  atomic.Pointer[list] // as it was last read
	newer atomic.Pointer[Newer]
}

// The errors by which a closure of register's ends that is to run again.
var (
	errUnlisted = errors.New("rows of a kind that is not listed")
	errRelisted = errors.New("the list has changed")
)

// update is kv.Engine.Update for a closure that writes rows of kinds. Kinds that the store does not
// list yet are listed in the same transaction. Where other processes have the store too, they are
// asked first: nothing is written, and once the kinds are listed the closure runs again.
func (g *register) update(ctx context.Context, e kv.Engine, fn func(kv.Tx) error) error {
	for {
		var missing []Kind
		var now *list
		err := e.Update(ctx, func(tx kv.Tx) (err error) {
			missing = nil
			if now, err = g.current(tx); err != nil {
				return err
			}
			k := &kept{Tx: tx, list: now}
			if err = fn(k); k.bad != nil {
				return k.bad
			}
			if missing = k.missing; missing == nil || err != nil {
				return err
			}
			if g.peers != nil {
				return errUnlisted
			}
			now, err = g.put(tx, missing)
			return err
		})
		switch {
		case missing == nil || err != nil && !errors.Is(err, errUnlisted):
			return err
		case err == nil:
			g.listed(now, missing)
			return nil
		}
		if err := g.enter(ctx, e, missing); err != nil {
			return err
		}
	}
}

// put lists kinds.
func (g *register) put(tx kv.Tx, some []Kind) (*list, error) {
	now, err := readList(tx)
	if err != nil {
		return nil, err
	}
	if more := now.with(some, g.program, millis(time.Now().UnixMilli())); len(more.held) > len(now.held) {
		return &more, tx.Put(kindsRow, more.raw)
	}
	return &now, nil
}

// listed notes a list that was written, and that some of its kinds are new.
func (g *register) listed(l *list, some []Kind) {
	g.list.Store(l)
	for _, k := range some {
		if k.Since >= firstListed {
			g.log.Info("the store holds a new kind of rows: a program that does not know it refuses the store from now on",
				"kind", k.Name, "row", k.Row, "version", k.Version, "since", k.Since)
		}
	}
}

// current is the list that a transaction goes by. Where other processes have the store too, the
// transaction reads the list, and so is not made when the list changes.
func (g *register) current(tx kv.Tx) (*list, error) {
	was := g.list.Load()
	if g.peers == nil && was != nil {
		return was, nil
	}
	value, err := tx.Get(kindsRow)
	if err != nil || was != nil && bytes.Equal(was.raw, value) {
		return was, err
	}
	l, err := decodeList(value)
	if err = firstOf(err, g.knows(l)); err == nil {
		g.list.Store(&l)
	}
	return &l, err
}

// knows refuses a list with kinds that this program does not know.
func (g *register) knows(l list) error {
	err := check(0, 0, l, g.program)
	if n := (*Newer)(nil); errors.As(err, &n) {
		g.newer.Store(n)
	}
	return err
}

// kept is a transaction that writes rows of listed kinds alone.
type kept struct {
	kv.Tx
	list    *list
	missing []Kind
	bad     error
}

func (k *kept) Put(key, value []byte) error {
	if err := kv.CheckKey(key); err != nil {
		return err
	}
	kind, err := kindOf(key, value)
	if err != nil {
		k.bad = err
		return err
	}
	// A store without a list is one of before the list, which programs of then may still have open.
	if !k.list.has[kind.id()] && (k.list.raw != nil || kind.Since >= firstListed) {
		k.missing = append(k.missing, kind)
	}
	return k.Tx.Put(key, value)
}

// enter lists kinds of which the store has no row yet, if all processes on it know them. A process
// that starts meanwhile changes the list (join): then all are asked again.
func (g *register) enter(ctx context.Context, e kv.Engine, some []Kind) error {
	for {
		var l list
		if err := e.View(ctx, func(r kv.Reader) (err error) { l, err = readList(r); return err }); err != nil {
			return err
		}
		if l.raw == nil {
			return &NotYet{some}
		}
		if err := g.asked(ctx, some); err != nil {
			return err
		}
		var written *list
		err := e.Update(ctx, func(tx kv.Tx) error {
			now, err := readList(tx)
			if err != nil {
				return err
			}
			if !bytes.Equal(now.raw, l.raw) {
				return errRelisted
			}
			written, err = g.put(tx, some)
			return err
		})
		if errors.Is(err, errRelisted) {
			continue
		}
		if err == nil {
			g.listed(written, some)
		}
		return err
	}
}

// asked is a refusal where a process on the store does not know some kinds.
func (g *register) asked(ctx context.Context, some []Kind) error {
	if g.peers == nil {
		return nil
	}
	all, err := g.peers(ctx)
	for _, announcement := range all {
		if !understands(announcement, some) {
			return &NotYet{some}
		}
	}
	return err
}

// join reads the list at the start and refuses a newer store. Where other processes have the store
// too, this one has announced what it knows by then, and changes the list: a process that is about
// to list a kind asks all again.
func (g *register) join(ctx context.Context, e kv.Engine) error {
	var l list
	if g.peers == nil {
		err := e.View(ctx, func(r kv.Reader) (err error) { l, err = readList(r); return err })
		g.list.Store(&l)
		if err = firstOf(err, g.knows(l)); err == nil {
			g.says(l)
		}
		return err
	}
	err := e.Update(ctx, func(tx kv.Tx) (err error) {
		if l, err = readList(tx); err != nil || l.raw == nil {
			return err
		}
		if err := g.knows(l); err != nil {
			return err
		}
		l.starts++
		return tx.Put(kindsRow, codec.Encode(l))
	})
	if err == nil {
		g.says(l)
	}
	return err
}

// says tells the log what the store holds.
func (g *register) says(l list) {
	if n := len(l.held); n > 0 {
		last := l.held[n-1]
		g.log.Info("rows of the store", "kinds", n, "newest", last.String(), "by", last.Program, "at", last.At)
	}
}

// begin writes the list of a store that has none: the kinds of which the store has rows, which
// programs of before the list wrote, and the list itself.
func (g *register) begin(tx kv.Tx) error {
	var have []Kind
	for _, k := range kinds {
		from, found := []byte(k.Row), false
		if err := tx.Scan(from, kv.After(from), func(key, _ []byte) bool {
			found = rowOf(key) == k.Row
			return false
		}); err != nil {
			return err
		}
		if found && k.Since < firstListed {
			have = append(have, k)
		}
	}
	own := []Kind{known[rowKind{"mschema", 1}], known[rowKind{string(kindsRow), 1}]}
	l := list{}.with(have, "", time.Time{}).with(own, g.program, millis(time.Now().UnixMilli()))
	return tx.Put(kindsRow, l.raw)
}
