package storage

import (
	"context"

	"tengen/storage/codec"
	"tengen/storage/kv"
)

// The messages and servers that a store names are those of one application at Discord.
// Under another application's token they would all seem lost. So the store keeps the id
// of its application.

var applicationRow = metaKey("application")

// application is the one at Discord to which a store belongs.
type application struct{ id uint64 }

func (a *application) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.ID(f, "", &a.id)
}

func readApplication(r kv.Reader) (id uint64, err error) {
	app, err := get[application](r, applicationRow)
	return app.id, err
}

// Belongs gives the application to which the store belongs. A store that belongs to none
// yet is the given one's from now on.
func (s *Store) Belongs(ctx context.Context, app uint64) (to uint64, err error) {
	if to, err = s.application(ctx); err != nil || to != 0 {
		return to, err
	}
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if to, err = readApplication(tx); err != nil || to != 0 { // another process was first
			return err
		}
		to = app
		return tx.Put(applicationRow, codec.Encode(application{app}))
	})
	return to, err
}

// Adopt gives the store to another application, and gives the one to which it belonged.
// The sessions of the gateway were the former application's and go.
func (s *Store) Adopt(ctx context.Context, app uint64) (was uint64, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if was, err = readApplication(tx); err != nil || was == app {
			return err
		}
		return tx.Put(applicationRow, codec.Encode(application{app}))
	})
	if err != nil || was == app {
		return was, err
	}
	return was, s.deleteIn(ctx, under(tSession), nil)
}

// application is the one to which the store belongs, or 0.
func (s *Store) application(ctx context.Context) (uint64, error) {
	return look(ctx, s, readApplication)
}
