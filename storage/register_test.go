package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// listed gives the program that first wrote each kind, by its row and version.
func (b *bench) listed() map[string]string {
	by := map[string]string{}
	for _, h := range first(b.Stats(b.t.Context())).Kinds {
		by[fmt.Sprint(h.Row, h.Version)] = h.Program
	}
	return by
}

// raw changes the store as another program would.
func (b *bench) raw(f func(tx kv.Tx) error) {
	b.t.Helper()
	testkit.Must(b.t, b.engine.Update(b.t.Context(), f))
}

// olden makes the store one of before the list, as a program of then left it.
func (b *bench) olden() {
	b.t.Helper()
	b.raw(func(tx kv.Tx) error {
		return errors.Join(tx.Put(metaKey("schema"), schemaValue(1)), tx.Delete(kindsRow))
	})
}

func (b *bench) schema() (schema int) {
	b.t.Helper()
	b.raw(func(tx kv.Tx) (err error) { schema, err = namedIn(tx); return err })
	return schema
}

// A store says which kinds of rows it holds, and which program first wrote each.
func TestListOfKinds(t *testing.T) {
	b := newBench(t, Options{Program: "v1"})
	b.want("kinds of a new store", b.listed(), map[string]string{"mschema1": "v1", "mkinds1": "v1"})
	b.offer(game.Renju, ann, bob)
	b.open(Options{Program: "v2"})
	b.offer(game.Renju, ann, cat)
	testkit.Must(t, b.Forget(t.Context(), dan, b.now))
	by := b.listed()
	for kind, want := range map[string]string{"mschema1": "v1", "g1": "v1", "p1": "v1", "f1": "v2",
		"mwiped1": "v2", "E3": ""} {
		if by[kind] != want {
			t.Errorf("%s was first written by %q, want %q", kind, by[kind], want)
		}
	}
	b.sound()
	b.raw(func(tx kv.Tx) error { return tx.Put(kindsRow, list{}.with(kinds[:1], "v1", b.now).raw) })
	if _, err := Verify(t.Context(), b.engine); err == nil || !strings.Contains(err.Error(), "does not list the kind") {
		t.Errorf("rows of kinds that are not listed: %v", err)
	}
}

// What a program has no line for it does not write.
func TestRowOfNoKind(t *testing.T) {
	b := newBench(t)
	for _, k := range []string{"!", "mnothing", string(key(tEvent, 1))} {
		err := b.kv.Update(t.Context(), func(tx kv.Tx) error {
			_ = tx.Put([]byte(k), []byte{99})
			return nil
		})
		if err == nil {
			t.Errorf("a row %q was written", k)
		}
	}
	b.want("rows", len(b.keys()), 2)
}

// A program refuses a store that holds what it does not know, whichever way it opens it.
func TestNewerStore(t *testing.T) {
	b := newBench(t, Options{Program: "v1"})
	b.offer(game.Renju, ann, bob)
	l := list{}
	b.raw(func(tx kv.Tx) (err error) {
		if l, err = readList(tx); err != nil {
			return err
		}
		l = l.with([]Kind{{string(tEvent), 99, "tournament", "2030-01-01"}}, "v3",
			b.now).with([]Kind{{"?", 1, "chess", "2030-01-01"}}, "v4", b.now.Add(1e9))
		return tx.Put(kindsRow, l.raw)
	})
	opens := map[string]func() error{
		"open":        func() error { _, err := Open(t.Context(), b.engine, Options{Program: "v2"}); return err },
		"look":        func() error { _, err := OpenRead(t.Context(), b.engine, "v2"); return err },
		"copy":        func() error { _, err := Copy(t.Context(), kv.NewMemory(), b.engine, "v2", nil); return err },
		"open shared": func() error { _, err := Open(t.Context(), b.engine, Options{Program: "v2", Peers: alone}); return err },
	}
	for how, open := range opens {
		err := open()
		var n *Newer
		if !errors.As(err, &n) || n.Writer != "v4" || n.Program != "v2" || len(n.Unknown) != 2 {
			t.Errorf("%s: %v", how, err)
			continue
		}
		for _, says := range []string{"v2", "v4", "tournament (E 99)", "chess (? 1)"} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %q does not say %q", how, err, says)
			}
		}
	}
	get := func(key []byte) (value []byte, err error) {
		err = b.engine.View(t.Context(), func(r kv.Reader) error { value, err = r.Get(key); return err })
		return value, err
	}
	if Takes(get) {
		t.Error("a newer store is said to be one that this program can take")
	}
	b.raw(func(tx kv.Tx) error { return tx.Put(kindsRow, list{}.with(kinds, "v1", b.now).raw) })
	if !Takes(get) {
		t.Error("a store of known kinds is said to be one that this program cannot take")
	}
	b.raw(func(tx kv.Tx) error { return tx.Put(metaKey("schema"), schemaValue(3)) })
	if err := opens["open"](); Takes(get) || err == nil || !strings.Contains(err.Error(), "schema 3") {
		t.Errorf("a newer schema: %v", err)
	}
}

func alone(context.Context) ([][]byte, error) { return [][]byte{Announcement()}, nil }

// A store of before the list gets it with schema 2: an older program refuses the schema.
func TestSchemaRises(t *testing.T) {
	b := newBench(t)
	b.ratedGame(ann, bob)
	b.olden()
	if s, err := OpenRead(t.Context(), b.engine, "v1"); err != nil || first(s.Stats(t.Context())).Schema != 1 {
		t.Errorf("looking at a store of before the list: %v", err)
	}
	var log bytes.Buffer
	b.open(Options{Program: "v1", Log: slog.New(slog.NewTextHandler(&log, nil))})
	b.want("schema", b.schema(), 2)
	by := b.listed()
	for _, kind := range []string{"g1", "k1", "r1", "z1", "h1"} {
		if who, ok := by[kind]; !ok || who != "" {
			t.Errorf("%s: listed %v, by %q", kind, ok, who)
		}
	}
	if _, ok := by["E1"]; ok || by["mkinds1"] != "v1" {
		t.Errorf("the list of an older store: %v", by)
	}
	if !strings.Contains(log.String(), "schema=2") {
		t.Errorf("the log says nothing: %s", log.String())
	}
	b.sound()
}

// While an older program has the store open, the schema stays, and nothing is written that the
// older program does not know. When it is gone, the next Sweep raises the schema.
func TestRollingUpdate(t *testing.T) {
	b := newBench(t)
	b.olden()
	ctx := t.Context()
	peers := [][]byte{Announcement(), nil}
	o := Options{Program: "v2", Peers: func(context.Context) ([][]byte, error) { return peers, nil }}
	b.open(o)
	b.want("schema beside an older program", b.schema(), 1)
	b.ratedGame(ann, bob) // what the older one knows
	novel := func() error {
		return b.kv.Update(ctx, func(tx kv.Tx) error { return tx.Put(key(tSalt, 1), codec.Encode(salt{})) })
	}
	notYet := func(what string) {
		t.Helper()
		if err := novel(); !errors.As(err, new(*NotYet)) || b.rows(tSalt) != 0 {
			t.Errorf("%s: a row that the other program does not know: %v, %d rows", what, err, b.rows(tSalt))
		}
	}
	notYet("before the list")
	if err := b.Forget(ctx, ann, b.now); err != nil {
		t.Errorf("a deletion beside an older program: %v", err)
	}
	b.want("rows of the deleted member's pair", b.rows(tPair), 0)
	if err := b.Sweep(ctx, b.now); err != nil || b.schema() != 1 {
		t.Errorf("beside the older program: schema %d, %v", b.schema(), err)
	}

	peers = peers[:1]
	if err := b.Sweep(ctx, b.now); err != nil || b.schema() != 2 {
		t.Errorf("after the older program: schema %d, %v", b.schema(), err)
	}
	// One that knows all but one kind, as the program of the next update will find.
	old := list{}.with(slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k.Row == string(tSalt) }), "",
		b.now)
	peers = append(peers, old.raw)
	notYet("with the list")
	b.offer(game.Renju, bob, cat)

	peers = peers[:1]
	if err := novel(); err != nil || b.rows(tSalt) != 1 {
		t.Errorf("when all know the kind: %v", err)
	}
	b.want("who first wrote it", b.listed()["y1"], "v2")
	b.sound()
}

// A program that starts while another one is about to list a kind is asked too.
func TestStartBesideNewKind(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	peers := [][]byte{Announcement()}
	starts := 0
	b.open(Options{Peers: func(context.Context) ([][]byte, error) {
		now := slices.Clone(peers)
		if starts++; starts == 1 { // it announces itself just after it was asked who is there, and opens the store
			peers = append(peers, list{}.with(kinds[:10], "", b.now).raw)
			_, err := Open(ctx, b.engine, Options{Peers: alone})
			testkit.Check(t, err)
		}
		return now, nil
	}})
	err := b.kv.Update(ctx, func(tx kv.Tx) error { return tx.Put(key(tSalt, 1), codec.Encode(salt{})) })
	if !errors.As(err, new(*NotYet)) || starts != 2 || b.rows(tSalt) != 0 {
		t.Errorf("%v, asked %d times", err, starts)
	}
}

// Where the others cannot be asked what they know, nothing is written that they may not know.
func TestPeersUnknown(t *testing.T) {
	b := newBench(t)
	lost := errors.New("no answer")
	b.open(Options{Peers: func(context.Context) ([][]byte, error) { return nil, lost }})
	err := b.kv.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(key(tSalt, 1), codec.Encode(salt{})) })
	if !errors.Is(err, lost) || b.rows(tSalt) != 0 {
		t.Errorf("%v, %d rows", err, b.rows(tSalt))
	}
}

// A program that runs while a newer one lists what it does not know writes no more.
func TestOutdated(t *testing.T) {
	b := newBench(t)
	b.open(Options{Peers: alone})
	b.offer(game.Renju, ann, bob)
	testkit.Check(t, b.Outdated())
	b.raw(func(tx kv.Tx) error {
		l, err := readList(tx)
		return errors.Join(err, tx.Put(kindsRow, l.with([]Kind{{"?", 1, "chess", "2030-01-01"}}, "v4", b.now).raw))
	})
	if err := b.tryOffer(ann, cat); !errors.As(err, new(*Newer)) {
		t.Errorf("a change after it: %v", err)
	}
	if err := b.Outdated(); err == nil {
		t.Error("the program does not know that it is outdated")
	}
}
