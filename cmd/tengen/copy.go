package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tengen/storage"
	"tengen/storage/archive"
	"tengen/storage/bolt"
	"tengen/storage/etcd"
	"tengen/storage/kv"
)

// etcdFlags say how a store on etcd is reached.
type etcdFlags struct {
	User     string `placeholder:"NAME" help:"User of etcd."`
	Password string `env:"TENGEN_ETCD_PASSWORD" placeholder:"WORD" help:"Password of etcd; better in the environment."`
	CA       string `name:"ca" placeholder:"FILE" help:"Certificates (PEM) that etcd's servers are checked against; without it, those of the system."`
	Cert     string `placeholder:"FILE" help:"Certificate (PEM) to show to etcd."`
	Key      string `placeholder:"FILE" help:"Its key (PEM)."`
	Archive  string `placeholder:"DIR" help:"Folder of the finished games beside etcd, as store.etcd.archive in the configuration; its bot must be stopped."`
}

type storeCopyCmd struct {
	From string `required:"" placeholder:"STORE" help:"Where it is: bolt:FILE, etcd:ENDPOINT,.../PREFIX or pg:ADDRESS#SCHEMA."`
	To   string `required:"" placeholder:"STORE" help:"Where it goes: the same. What is there must be no store, but may be a copy that was cut short."`
	etcdFlags
	pgFlags
}

// Run copies one store to another and compares them.
func (c storeCopyCmd) Run(ctx context.Context, s streams) (err error) {
	from, to := afterEtcd(c.From), afterEtcd(c.To)
	if from != "" && to != "" && c.Archive != "" {
		return errors.New("both are on etcd: leave --archive out, and give the copy the same folder")
	}
	src, err := c.open(ctx, s, c.From, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if from != "" && to == "" && c.Archive == "" {
		beside, err := archive.HasArchive(ctx, src)
		if err == nil && beside {
			err = errors.New("the finished games are in an archive beside etcd: name its folder with --archive")
		}
		if err != nil {
			return err
		}
	}
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
	_, err = fmt.Fprintf(s.out, "%s: %d rows, compared\n", c.To, rows)
	return err
}

// afterEtcd is the rest of a place that begins with etcd:, empty for others.
func afterEtcd(place string) string {
	rest, _ := strings.CutPrefix(place, "etcd:")
	if rest == place {
		return ""
	}
	return rest
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
	case afterEtcd(place) != "":
		db, err := c.etcd(ctx, rest)
		if err != nil || c.Archive == "" {
			return db, err
		}
		return c.withArchive(ctx, s, db)
	}
	return nil, fmt.Errorf("%q is no store: bolt:FILE, etcd:ENDPOINT,.../PREFIX or pg:ADDRESS#SCHEMA", place)
}

// withArchive lays the archive that is named beside a store on etcd.
func (f etcdFlags) withArchive(ctx context.Context, s streams, db *etcd.DB) (kv.Engine, error) {
	files, err := archive.OpenFiles(f.Archive, bolt.Options{Name: "tengen store", Grows: storage.Grows, Log: s.warnings()})
	if err == nil {
		err = files.Belongs(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return archive.NewCopyEngine(db, storage.Finished, files), nil
}

// etcd opens ENDPOINT,.../PREFIX. An endpoint may begin with http:// or https://.
func (f etcdFlags) etcd(ctx context.Context, place string) (*etcd.DB, error) {
	o := etcd.Options{User: f.User, Password: f.Password, Announce: storage.Announcement()}
	last := strings.LastIndex(place, ",") + 1
	host := last
	if i := strings.Index(place[last:], "://"); i >= 0 {
		host = last + i + len("://")
	}
	if i := strings.Index(place[host:], "/"); i >= 0 {
		place, o.Prefix = place[:host+i], place[host+i+1:]
	}
	o.Endpoints = strings.Split(place, ",")
	var err error
	if o.TLS, err = tlsFiles(f.CA, f.Cert, f.Key); err != nil {
		return nil, err
	}
	return etcd.Open(ctx, o)
}
