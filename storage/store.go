// Package storage keeps matches, events, members, ratings and the archive in an ordered
// key-value store (package kv; storage/bolt is the engine for one machine). It knows
// game.Match and nothing of Discord but its numbers. Start from Open and Store.Update.
//
// # The way to change a match
//
// Update is the only way to change a match that exists, with Create before it, Rematch
// beside it, and Move and Restyle for where and how it is shown:
//
//	rec, err := s.Update(ctx, id, cause, func(m game.Match) (game.Match, error) {
//		return m.Play(by, p, at)
//	})
//
// The function is quick and pure and may run more than once; its error (a
// *game.Refusal, say) comes back as it is, and nothing is written. When Update returns
// without an error the change is on the disk. In the one transaction that changes the
// match the store derives all that follows from it: the index rows of place and
// members, the time at which the match wants to be looked at again, the work row if
// the engine is to move, the screen row with the version that is wanted, the move
// between live matches and archive, ratings, the histories of the players, and the
// mark that makes its cause apply once. No caller can forget any of these.
//
// UpdateEvent and UpdateLadder are the same for events and ladders. The end of a match that is
// played for one changes it in the same transaction.
//
// Errors to tell apart: ErrNotFound, *Limit, kv.ErrFull (nothing was changed; running
// matches may go on when new ones may not), kv.ErrBroken and kv.ErrClosed. All others
// are the function's own.
package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// ErrNotFound says that there is no such match.
var ErrNotFound = errors.New("no such match")

// Options are the choices of Open; the zero value works, without limits.
type Options struct {
	Node   int // 0-1023, another one for each process on the same store
	Limits Limits
	Chunk  int // rows that long work changes in one transaction; 0: 500

	// BeforeMigration is called before the first change to a store of an older schema,
	// to make a copy. It is not called otherwise.
	BeforeMigration func(from, to int) error

	Program string       // the version of this program
	Log     *slog.Logger // hears which kinds of rows are new to the store; nil: nobody does

	// Peers gives what each process on the store, this one too, has announced (Announcement), and
	// nil for one that has announced nothing. Where Peers is nil no other process has the store.
	Peers func(context.Context) ([][]byte, error)
}

// Store is the typed store. It is safe for use by many goroutines.
type Store struct {
	kv      *schedule
	options Options
	ids     ids
	turned  atomic.Int64                 // the hour in which the seasons of all ladders were looked at
	told    atomic.Pointer[func(Record)] // see Tell
	waits   atomic.Bool                  // the store keeps its schema while older programs have it open
}

// Open makes an engine a store: it writes the schema into an empty one, brings an older
// one up to date, and refuses one that a newer tengen has written. The engine is the
// caller's to close.
func Open(ctx context.Context, engine kv.Engine, options Options) (*Store, error) {
	if options.Node < 0 || options.Node > maxNode {
		return nil, fmt.Errorf("node %d is not in 0-%d", options.Node, maxNode)
	}
	if options.Chunk == 0 {
		options.Chunk = 500
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	g := &register{program: cmp.Or(options.Program, "tengen"), log: options.Log, peers: options.Peers}
	s := &Store{kv: &schedule{Engine: engine, register: g}, options: options, ids: ids{node: uint64(options.Node)}}
	if err := s.migrate(ctx, migrations); err != nil {
		return nil, err
	}
	if err := g.join(ctx, engine); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return s, nil
}

// OpenRead is Open for looking alone. It writes nothing: a store of an older schema, whose rows
// are the same, stays as it is.
func OpenRead(ctx context.Context, engine kv.Engine, program string) (*Store, error) {
	s := &Store{kv: &schedule{Engine: engine}, options: Options{Chunk: 500}}
	switch schema, err := s.refused(ctx, currentSchema, program); {
	case err != nil:
		return nil, fmt.Errorf("opening the store: %w", err)
	case schema == 0:
		return nil, errors.New("opening the store: there is nothing in it yet")
	}
	return s, nil
}

// refused is Newer where the store holds what a program does not know. It gives the schema.
func (s *Store) refused(ctx context.Context, current int, program string) (schema int, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		l, err := readList(r)
		if err != nil {
			return err
		}
		if schema, err = namedIn(r); err != nil {
			return err
		}
		return check(schema, current, l, program)
	})
	return schema, err
}

// Outdated is an error once another program has written to the store what this one does not know.
// No change is made from then on.
func (s *Store) Outdated() error {
	if n := s.kv.register.newer.Load(); n != nil {
		return n
	}
	return nil
}

// Cause is what brings a change about.
type Cause struct {
	// Interaction is Discord's id of the interaction. The same one is applied once,
	// however often it comes. 0 is for the engine's move and for what time brings.
	Interaction uint64

	// Number is the number that a page of By gave its act. The same one of a member is applied once, as an
	// interaction is. It counts where Interaction is 0, and has to be within NumberLate of now.
	Number uint64

	At time.Time // when: the moment of the interaction, else now

	// The interaction's token and until when it is good. It is kept for the screen when
	// the pressed message is the live one, or when there is no live message yet and no
	// token that is good.
	Token   string
	Expires time.Time
	Second  string // the token as the screen of a rematch keeps it, whose board is another message

	Message uint64 // whose button was pressed; 0 for a command

	By      game.MemberID // who acted; 0 for what no member did
	Look    Look          // of a match that is created
	Outside bool          // where the bot was only brought along
	Reads   bool          // where the bot may read what was posted

	// Sender is the process that is going to show the change, until Until; 0 where no
	// others share the store. It takes the screen where no other process holds it.
	Sender uint64
	Until  time.Time
}

// row is what notes that the cause was applied; nil where it may be applied again.
func (c Cause) row() []byte {
	switch {
	case c.Interaction != 0:
		return key(tSeen, c.Interaction)
	case c.Number != 0:
		return pageAct(c.By, c.Number)
	}
	return nil
}

// migrate brings the store to the schema of this program.
func (s *Store) migrate(ctx context.Context, steps []migration) error {
	current := len(steps) + 1
	schema, err := s.schema(ctx, current)
	if err == nil && schema >= current {
		_, err = s.refused(ctx, current, s.kv.register.program)
	}
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	if schema >= current {
		s.waits.Store(false)
		return nil
	}
	if older := (*NotYet)(nil); errors.As(s.kv.register.asked(ctx, []Kind{known[rowKind{string(kindsRow), 1}]}), &older) {
		if !s.waits.Swap(true) {
			s.options.Log.Warn("older programs have the store open: it keeps its schema, "+
				"and nothing is written that they do not know, until they are gone",
				"schema", schema, "next", current)
		}
		return nil
	}
	if s.options.BeforeMigration != nil {
		if err := s.options.BeforeMigration(schema, current); err != nil {
			return fmt.Errorf("copying the store before its migration from schema %d to %d: %w", schema, current, err)
		}
	}
	for ; schema < current; schema++ {
		step := steps[schema-1]
		err := s.kv.Engine.Update(ctx, func(tx kv.Tx) error {
			if now, err := namedIn(tx); err != nil || now != schema { // another process was first
				return err
			}
			if err := step(s.kv.register, tx); err != nil {
				return err
			}
			return tx.Put(metaKey("schema"), schemaValue(schema+1))
		})
		if err != nil {
			return fmt.Errorf("bringing the store from schema %d to %d: %w", schema, schema+1, err)
		}
		s.options.Log.Info("the store has a new schema: an older program refuses it from now on", "schema", schema+1)
	}
	s.waits.Store(false)
	return nil
}

// rise is the migration that waited for older programs to end.
func (s *Store) rise(ctx context.Context) error {
	if !s.waits.Load() {
		return nil
	}
	return s.migrate(ctx, migrations)
}

// migration brings a store from one schema to the next. It may run again.
type migration func(g *register, tx kv.Tx) error

// migrations are the steps from schema 1 on, in order. Records of an older format need
// none: they are read as they are and written in the newest. Schema 2 has the list of the kinds of
// rows, by which programs refuse a newer store from then on: the schema rises no more for that.
var migrations = []migration{(*register).begin}

// named is the schema that the store names, 0 if none.
func (s *Store) named(ctx context.Context) (schema int, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) (err error) {
		schema, err = namedIn(r)
		return err
	})
	return schema, err
}

func namedIn(r kv.Reader) (schema int, err error) {
	value, err := r.Get(metaKey("schema"))
	if err != nil || value == nil {
		return 0, err
	}
	return decodeSchema(value)
}

// schema is the schema of the store. An empty store gets the current one.
func (s *Store) schema(ctx context.Context, current int) (schema int, err error) {
	if schema, err = s.named(ctx); err != nil || schema != 0 {
		return schema, err
	}
	schema = current
	err = s.kv.Engine.Update(ctx, func(tx kv.Tx) error {
		if value, err := tx.Get(metaKey("schema")); err != nil || value != nil { // another process was first
			if err == nil {
				schema, err = decodeSchema(value)
			}
			return err
		}
		var found []byte
		if err := tx.Scan(nil, nil, func(key, _ []byte) bool { found = key; return false }); err != nil {
			return err
		}
		if found != nil {
			return errors.New("it holds rows but names no schema")
		}
		return errors.Join(s.kv.register.begin(tx), tx.Put(metaKey("schema"), schemaValue(current)))
	})
	return schema, err
}

func decodeSchema(value []byte) (int, error) {
	schema, err := codec.Decode[counter](SchemaRow(), value)
	if schema.n > 1<<20 {
		err = codec.ErrContent
	}
	return int(schema.n), err
}

func schemaValue(n int) []byte { return codec.Encode(counter{uint64(n)}) }

// SchemaRow is the key of the number of the schema, which every store has.
func SchemaRow() []byte { return metaKey("schema") }
