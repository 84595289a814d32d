package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

type storeCopyCmd struct {
	From string `required:"" placeholder:"STORE" help:"Where it is: bolt:FILE or pg:ADDRESS#SCHEMA."`
	To   string `required:"" placeholder:"STORE" help:"Where it goes: the same. What is there must be no store, but may be a copy that was cut short."`
	pgFlags
}

// Run copies one store to another and compares them.
func (c storeCopyCmd) Run(ctx context.Context, s streams) (err error) {
	src, err := c.open(ctx, s, c.From, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := c.open(ctx, s, c.To, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	p := newProgress(s.err, "rows")
	rows, err := storage.Copy(ctx, dst, src, rowsVersion(), p.at)
	p.done()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d rows, compared\n", placeName(c.To), rows)
	return err
}

func (c storeCopyCmd) open(ctx context.Context, s streams, place string, read bool) (kv.Engine, error) {
	kind, rest, _ := strings.Cut(place, ":")
	switch {
	case kind == "bolt" && rest != "" && read:
		return bolt.Read(ctx, rest, storeFlags{}.options(s))
	case kind == "bolt" && rest != "":
		return bolt.Open(ctx, rest, storeFlags{}.options(s))
	case kind == "pg" && rest != "":
		return c.openPlace(ctx, place)
	case kind == "etcd":
		return nil, errors.New(wasEtcd)
	}
	return nil, fmt.Errorf("%q is no store: bolt:FILE or pg:ADDRESS#SCHEMA", kind)
}
