package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/opening"
	"tengen/game/record"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/pg"
)

type storeCmd struct {
	Check   storeCheckCmd   `cmd:"" help:"Check a store: its file, every row, and how the rows fit together."`
	Backup  storeBackupCmd  `cmd:"" help:"Write a backup and verify it."`
	Restore storeRestoreCmd `cmd:"" help:"Put a backup in the place of a store."`
	Compact storeCompactCmd `cmd:"" help:"Give the free room in a store's file back to the disk."`
	Stats   storeStatsCmd   `cmd:"" help:"Count what is in a store."`
	Event   storeEventCmd   `cmd:"" help:"List the events in a store, or show one and draw it."`
	Export  storeExportCmd  `cmd:"" help:"Write what is in a store as JSON lines, or its games as SGF."`
	Copy    storeCopyCmd    `cmd:"" help:"Copy a store to another engine, and compare the two."`
}

// storeFlags say which store. These commands work on a store that nobody has open; those that change nothing are
// errands of the running bot otherwise.
type storeFlags struct {
	Data    string `required:"" placeholder:"FILE" help:"The file of the store; check, stats, event and export take pg:ADDRESS#SCHEMA too."`
	Backups string `placeholder:"DIR" help:"The folder of its backups; FILE.backups where nothing else is configured."`
}

func (f storeFlags) options(s streams) bolt.Options {
	return bolt.Options{
		Name: "tengen store", Backups: f.Backups, Grows: storage.Grows, Omit: storage.Omit, Mark: storage.WipedRow(),
		Log: s.warnings(),
	}
}

// lookFlags say which store is looked at, in a file or on PostgreSQL. There a bot may be running on it.
type lookFlags struct {
	storeFlags
	pgFlags
}

type looked struct {
	kv.Engine
	*storage.Store
	file   *bolt.DB    // nil: on PostgreSQL
	still  *bolt.Still // of the running bot's file; nil: nobody else has it open
	server *pg.DB      // nil: in a file
}

// look opens a store to look at it. In an errand it is the bot's, as it is at this moment.
func (f lookFlags) look(ctx context.Context, s streams, in inside) (l looked, err error) {
	if in.bot != nil {
		return in.bot.look(ctx)
	}
	if strings.HasPrefix(f.Data, pgPrefix) {
		return f.lookOnPg(ctx)
	}
	if l.file, err = bolt.Read(ctx, f.Data, f.options(s)); err != nil {
		return l, err
	}
	l.Engine = l.file
	if l.Store, err = storage.OpenRead(ctx, l.file, rowsVersion()); err != nil {
		return l, errors.Join(withBackup(err, f.Data, f.Backups), l.Close())
	}
	return l, nil
}

// look is the store of the running bot at this moment.
func (h *hosting) look(ctx context.Context) (l looked, err error) {
	if l.file, err = h.boltFile(); err != nil {
		return l, err
	}
	if l.still, err = l.file.Still(); err != nil {
		return l, err
	}
	l.Engine = l.still
	if l.Store, err = storage.OpenRead(ctx, l.Engine, rowsVersion()); err != nil {
		return l, errors.Join(err, l.Close())
	}
	return l, nil
}

// boltFile is the file of the running bot's store.
func (h *hosting) boltFile() (*bolt.DB, error) {
	if h.file == nil {
		return nil, errors.New("the bot has its store on PostgreSQL, where --data pg:ADDRESS#SCHEMA asks without it")
	}
	return h.file, nil
}

// lookOnPg is look for a store on PostgreSQL.
func (f lookFlags) lookOnPg(ctx context.Context) (l looked, err error) {
	if l.server, err = f.openPlace(ctx, f.Data); err != nil {
		return l, err
	}
	l.Engine = l.server
	if l.Store, err = storage.OpenRead(ctx, l.Engine, rowsVersion()); err != nil {
		return l, errors.Join(err, l.Close())
	}
	return l, nil
}

type storeCheckCmd struct {
	JSON bool `name:"json" help:"Answer in JSON."`
	lookFlags
}

func (storeCheckCmd) fills() (string, os.FileMode) { return "", 0 }

type checked struct {
	Good    bool   `json:"good"`
	Problem string `json:"problem,omitempty"`
	Size    int64  `json:"size"`
	Used    int64  `json:"used"`
	Rows    int64  `json:"rows"`
}

// Run checks the file, where it is one, then the rows.
func (c storeCheckCmd) Run(ctx context.Context, s streams, in inside) error {
	var found checked
	if in.bot == nil && !strings.HasPrefix(c.Data, pgPrefix) {
		report, err := bolt.Inspect(ctx, c.Data, c.options(s))
		if err != nil {
			return err
		}
		found = checked{Problem: report.Problem, Size: report.Size, Used: report.Used, Rows: report.Total()}
		if report.Newer != "" {
			found.Problem = fmt.Sprintf("the file has layout %s, which this program does not know; use a newer tengen",
				report.Newer)
		}
	}
	if found.Problem == "" {
		if err := c.rows(ctx, s, in, &found); err != nil {
			return err
		}
	}
	found.Good = found.Problem == ""
	switch {
	case c.JSON:
		if err := json.NewEncoder(s.out).Encode(found); err != nil {
			return err
		}
	case found.Good:
		fmt.Fprintf(s.out, "%s is good: %d rows in %s, %s of them in use\n", placeName(c.Data), found.Rows,
			size(found.Size), size(found.Used))
	default:
		fmt.Fprintf(s.out, "%s is damaged: %s\n", placeName(c.Data), found.Problem)
	}
	if !found.Good {
		return exit{code: 1}
	}
	return nil
}

func (c storeCheckCmd) rows(ctx context.Context, s streams, in inside, found *checked) error {
	l, err := c.look(ctx, s, in)
	if err != nil {
		return err
	}
	defer l.Close()
	if l.still != nil {
		report, err := l.still.Check(ctx)
		if err != nil {
			return err
		}
		*found = checked{Problem: report.Problem, Size: report.Size, Used: report.Used, Rows: report.Total()}
		if found.Problem != "" {
			return nil
		}
	}
	p := newProgress(s.err, "rows")
	defer p.done()
	rows, err := storage.VerifyWith(ctx, l.Engine, p.at)
	if l.server != nil {
		found.Rows = rows
		if size, err := l.server.Size(ctx); err == nil {
			found.Size, found.Used = size, size
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case pg.Unreachable(err): // nothing about the rows
		return err
	case err != nil:
		found.Problem = err.Error()
	}
	return nil
}

type storeBackupCmd struct {
	Out string `arg:"" optional:"" help:"The file to write; without it, one in the folder of the backups, where the oldest give way."`
	storeFlags
}

func (c storeBackupCmd) fills() (string, os.FileMode) { return c.Out, 0o600 }

// Run makes a backup of a store that nobody has open, or, in an errand, of the bot's.
func (c storeBackupCmd) Run(ctx context.Context, s streams, in inside) error {
	if in.bot != nil {
		return c.ofBot(ctx, s, in)
	}
	if c.Out != "" {
		if err := refuseOver(c.Out); err != nil {
			return err
		}
	}
	p := newProgress(s.err, "rows")
	defer p.done()
	o := c.options(s)
	o.Progress = p.at
	db, err := bolt.Read(ctx, c.Data, o)
	if err != nil {
		return err
	}
	defer db.Close()
	out := c.Out
	if out == "" {
		backup, err := db.Backup(ctx, time.Now())
		if err != nil {
			return err
		}
		out = backup.Path
	} else if err := db.CopyTo(ctx, out, p.at); err != nil {
		return fmt.Errorf("making a backup: %w", err)
	}
	p.done()
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	return backedUp(s.out, out, info.Size())
}

// ofBot makes a backup of the running bot's store: among its backups, or for whoever asks.
func (c storeBackupCmd) ofBot(ctx context.Context, s streams, in inside) error {
	db, err := in.bot.boltFile()
	if err != nil {
		return err
	}
	if c.Out == "" {
		made, err := db.Backup(ctx, time.Now())
		if err != nil {
			return err
		}
		return backedUp(s.out, made.Path, made.Size)
	}
	n, err := db.Stream(ctx, in.file)
	if err != nil {
		return err
	}
	return backedUp(s.out, c.Out, n)
}

func backedUp(w io.Writer, path string, bytes int64) error {
	_, err := fmt.Fprintf(w, "%s, %s, verified\n", path, size(bytes))
	return err
}

// refuseOver is an error when there is something at path.
func refuseOver(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists already", path)
	}
	return nil
}

type storeRestoreCmd struct {
	From string `arg:"" optional:"" help:"The backup; without it, the newest good one."`
	List bool   `help:"List the backups and change nothing."`
	storeFlags
}

func (c storeRestoreCmd) Run(ctx context.Context, s streams) error {
	o := c.options(s)
	dir := cmp.Or(o.Backups, c.Data+".backups")
	backups, err := bolt.Backups(c.Data, dir)
	if err != nil {
		return err
	}
	if c.List {
		for _, b := range backups {
			ahead := ""
			if b.Ahead {
				ahead = "  dated ahead"
			}
			fmt.Fprintf(s.out, "%s  %s  %s  %v%s\n", b.At.Format("2006-01-02 15:04:05 MST"), size(b.Size), b.Path, b.Last, ahead)
		}
		return nil
	}
	tries := []string{c.From}
	if c.From == "" {
		tries = nil
		for _, b := range backups {
			if ofNewer(b.Path) {
				fmt.Fprintf(s.err, "tengen: %s was written by a newer tengen, and this one cannot take it\n", b.Path)
				continue
			}
			tries = append(tries, b.Path)
		}
		if len(tries) == 0 {
			return fmt.Errorf("there is no backup in %s that this program can take", dir)
		}
	}
	for i, from := range tries {
		aside, err := bolt.Restore(ctx, c.Data, from, o)
		if err != nil {
			if i+1 < len(tries) && ctx.Err() == nil && !errors.As(err, new(*bolt.Held)) {
				fmt.Fprintln(s.err, "tengen:", err)
				continue
			}
			return err
		}
		fmt.Fprintf(s.out, "%s is now %s\n", c.Data, from)
		if aside != "" {
			fmt.Fprintf(s.out, "the file that was there is %s\n", aside)
		}
		return nil
	}
	return nil
}

// ofNewer reports whether a backup holds rows that this program does not know. One that cannot be
// read is found out elsewhere.
func ofNewer(path string) bool {
	row := func(key []byte) ([]byte, error) { return bolt.Row(path, key) }
	schema, err := row(storage.SchemaRow())
	return err == nil && schema != nil && !storage.Takes(row)
}

type storeCompactCmd struct{ storeFlags }

func (c storeCompactCmd) Run(ctx context.Context, s streams) error {
	p := newProgress(s.err, "rows")
	defer p.done()
	before, after, err := bolt.Compact(ctx, c.Data, c.options(s), p.at)
	if err != nil {
		return err
	}
	p.done()
	_, err = fmt.Fprintf(s.out, "%s: %s, was %s\n", c.Data, size(after), size(before))
	return err
}

type storeStatsCmd struct {
	JSON  bool `name:"json" help:"Answer in JSON."`
	Games bool `help:"Count also how many finished games are rated, and by which rules: reads them all."`
	lookFlags
}

func (storeStatsCmd) fills() (string, os.FileMode) { return "", 0 }

func (c storeStatsCmd) Run(ctx context.Context, s streams, in inside) error {
	l, err := c.look(ctx, s, in)
	if err != nil {
		return err
	}
	defer l.Close()
	stats, err := l.Stats(ctx)
	if err == nil && c.Games {
		stats, err = l.Store.Games(ctx, stats)
	}
	if err != nil {
		return err
	}
	answer := struct {
		storage.Stats
		Size, Free int64
		Backup     time.Time
	}{Stats: stats}
	where := ""
	if l.server != nil {
		if answer.Size, err = l.server.Size(ctx); err != nil {
			return err
		}
		where = fmt.Sprintf("PostgreSQL       %s\n", size(answer.Size))
	} else {
		status, err := l.file.Status()
		if err != nil {
			return err
		}
		answer.Size, answer.Free, answer.Backup = status.Size, status.Free, status.Backup
		backup := "none"
		if !status.Backup.IsZero() {
			backup = status.Backup.Format("2006-01-02 15:04:05 MST")
		}
		where = fmt.Sprintf("file             %s, %s free in it\nnewest backup    %s\n", size(status.Size),
			size(status.Free), backup)
	}
	if c.JSON {
		return json.NewEncoder(s.out).Encode(answer)
	}
	inGames := ""
	if c.Games {
		inGames = fmt.Sprintf(", %d rated%s", stats.Rated, byRules(stats.Rules))
	}
	many := func(name string, n int) string {
		if slices.Contains(stats.Estimates, name) {
			return fmt.Sprintf("about %d", n)
		}
		return strconv.Itoa(n)
	}
	_, err = fmt.Fprintf(s.out, `%schallenges       %d
running games    %d, the engine owes %d turns
finished games   %s%s
reviews          %s, %d more are owed
ratings          %s
events           %d, %d not over; %s
members          %s with settings
servers          %s with settings
application      %s
schema           %d
%s`, where, stats.Offered, stats.Playing, stats.Owed, many("Archived", stats.Archived), inGames,
		many("Reviews", stats.Reviews), stats.ReviewsOwed, many("Standings", stats.Standings), stats.Events, stats.Open,
		plural(stats.Ladders, "ladder"), many("Members", stats.Members), many("Servers", stats.Servers),
		belongs(stats.Application), stats.Schema, kindLines(stats.Kinds))
	return err
}

// kindLines are the kinds of rows that a store holds, a line for each program that first wrote some.
func kindLines(held []storage.Held) (lines string) {
	for len(held) > 0 {
		first, n := held[0], 0
		var names []string
		for ; n < len(held) && held[n].Program == first.Program; n++ {
			names = append(names, fmt.Sprintf("%s %d", held[n].Name, held[n].Version))
		}
		by := "programs of before the list"
		if first.Program != "" {
			by = first.Program + ", " + first.At.Format(time.DateOnly)
		}
		lines += fmt.Sprintf("kinds of rows    first written by %s: %s\n", by, strings.Join(names, ", "))
		held = held[n:]
	}
	return lines
}

// belongs is the application to which a store belongs, for people.
func belongs(app uint64) string {
	if app == 0 {
		return "none yet: the first that runs on this store"
	}
	return strconv.FormatUint(app, 10)
}

func byRules(n map[string]int) string {
	var parts []string
	for _, r := range game.AllRules {
		if n[r.Name()] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", r.Name(), n[r.Name()]))
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

type storeExportCmd struct {
	Out    string `arg:"" optional:"" help:"Where to write; without it or with -, stdout."`
	Format string `enum:"jsonl,sgf" default:"jsonl" help:"jsonl: all settings, ratings, results, events and games, an object a line; sgf: the finished games, as a collection."`
	lookFlags
}

func (c storeExportCmd) fills() (string, os.FileMode) { return c.Out, 0o600 }

func (c storeExportCmd) Run(ctx context.Context, s streams, in inside) error {
	l, err := c.look(ctx, s, in)
	if err != nil {
		return err
	}
	defer l.Close()
	p := newProgress(s.err, "lines")
	defer p.done()
	write := func(w io.Writer) error { return l.Export(ctx, w, p.at) }
	if c.Format == "sgf" {
		p.what = "games"
		write = func(w io.Writer) error { return exportSGF(ctx, l.Store, w, p) }
	}
	if c.Out == "" || c.Out == "-" {
		w := bufio.NewWriter(s.out)
		return errors.Join(write(w), w.Flush())
	}
	return in.fill(c.Out, 0o600, write)
}

func exportSGF(ctx context.Context, store *storage.Store, w io.Writer, p *progress) error {
	n := int64(0)
	var bad error
	err := store.Archive(ctx, func(r storage.Record) bool {
		var text []byte
		if bad = ctx.Err(); bad == nil {
			text, bad = record.Write(record.SGF, sgfRecord(r))
		}
		if bad == nil {
			_, bad = w.Write(append(text, '\n'))
		}
		n++
		p.at(n)
		return bad == nil
	})
	return errors.Join(bad, err)
}

// sgfRecord is a match as a record. Members are named by their ids: no other names are stored.
func sgfRecord(r storage.Record) record.Record {
	out := record.Record{Game: r.Game(), Date: r.Created.Format(time.DateOnly), Event: fmt.Sprintf("match %d", r.ID),
		Result: r.Result(), Clock: r.SharedClock()}
	names := [2]string{view.SeatName(r.Seats[0]), view.SeatName(r.Seats[1])}
	out.Black, out.White = names[r.SeatOfColor(game.Black)], names[r.SeatOfColor(game.White)]
	out.Opening, _ = opening.Of(r.Match)
	before := r.Created
	for _, e := range r.Stones() {
		out.Times = append(out.Times, max(e.At.Sub(before), 0).Truncate(time.Second))
		before = e.At
	}
	return out
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
