package pg

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed schema.sql
var schema string

// steps raise a schema by a version each: schema.sql makes version 1, the first step makes 2 of it. A new schema takes
// them all, so a step that was released stays as it is. It takes no second, however many rows there are.
var steps []string

// raise is a step with its version before and after, in one transaction. It waits for its turn, and leaves a schema
// alone that has been raised meanwhile, or has a process of an older program on it.
const raise = `SELECT {}.begin();
DO $check$ BEGIN
	IF (SELECT number FROM {}.version) <> %[1]d THEN
		RAISE 'another process has raised the schema' USING ERRCODE = 'serialization_failure';
	END IF;
	IF EXISTS (` + processes + `) THEN
		RAISE 'older programs have it open' USING ERRCODE = 'object_in_use';
	END IF;
END $check$;
%[2]s;
UPDATE {}.version SET number = %[1]d + 1`

// processes gives what each process on the schema has announced.
const processes = "SELECT announce FROM {}.senders WHERE until > clock_timestamp() " +
	"UNION ALL SELECT announce FROM {}.members WHERE until > clock_timestamp()"

// size gives the bytes of a schema's tables with their indexes.
const size = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c " +
	"JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'"

// statements are the texts that are sent, with the name of the schema in them.
type statements struct {
	here, create, version                                 string
	get, scan, firsts, commit, settle, beat, prune, leave string
	share, take, give, depart, processes                  string
	newest, changes, size, status, count, about           string
	raise                                                 []string
}

func statementsOf(name string, steps []string) statements {
	quoted := pgx.Identifier{name}.Sanitize()
	in := func(text string) string { return strings.ReplaceAll(text, "{}", quoted) }
	var raises []string
	for i, step := range steps {
		raises = append(raises, in(fmt.Sprintf(raise, i+1, step)))
	}
	return statements{
		raise: raises,
		here: "SELECT to_regnamespace($1) IS NOT NULL, to_regclass($2) IS NOT NULL, " +
			"current_setting('transaction_isolation')",
		create:  in(schema),
		version: in("SELECT number FROM {}.version"),
		get:     in("SELECT value, revision FROM {}.rows WHERE key = $1"),
		scan:    in("SELECT key, value, revision FROM {}.rows WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3"),
		firsts: in("SELECT n, key, value FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS span (f, t, n), " +
			"LATERAL (SELECT key, value FROM {}.rows WHERE key >= f AND key < t ORDER BY key LIMIT 1) AS first"),
		commit: in("SELECT * FROM {}.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, " +
			"$18, $19)"),
		settle: in("SELECT * FROM {}.settle($1, $2, $3)"),
		beat:   in("SELECT {}.beat($1, $2, $3, $4)"),
		// What its sender has settled is no receipt any more. The newest of the old changes stays: it says how far the
		// revisions are, and a Watch that has looked of late finds where it was.
		prune: in("DELETE FROM {}.changes WHERE revision < " +
			"(SELECT max(revision) FROM {}.changes WHERE at < clock_timestamp() - $3::interval) " +
			"AND (sender = $1 AND batch < $2 OR NOT EXISTS (SELECT FROM {}.senders WHERE id = sender))"),
		leave:     in("DELETE FROM {}.senders WHERE id = $1"),
		share:     in("SELECT * FROM {}.share($1, $2, $3, $4, $5)"),
		take:      in("SELECT * FROM {}.take($1, $2, $3, $4)"),
		give:      in("DELETE FROM {}.slots WHERE team = $1 AND holder = $2 AND slot = ANY ($3)"),
		depart:    in("DELETE FROM {}.members WHERE team = $1 AND name = $2"),
		processes: in(processes),
		size:      size,
		status: "SELECT (" + size + "), current_setting('synchronous_standby_names') <> '' AND " +
			"current_setting('synchronous_commit') NOT IN ('off', 'local')",
		count:  in("SELECT count(*) FROM (SELECT FROM {}.rows WHERE key >= $1 AND key < $2 LIMIT $3) AS few"),
		about:  in("EXPLAIN (FORMAT JSON) SELECT FROM {}.rows WHERE key >= $1 AND key < $2"),
		newest: in("SELECT revision, at FROM {}.changes ORDER BY 1 DESC LIMIT 1"),
		changes: in("SELECT c.revision, c.at, r.key, r.value FROM {}.changes c LEFT JOIN LATERAL (SELECT key, value " +
			"FROM unnest(c.keys) AS k (key) JOIN {}.rows USING (key) WHERE key >= $2 AND key < $3 AND revision = c.revision) " +
			"AS r ON c.revision > $1 WHERE c.revision >= $1 ORDER BY 1, 3"),
	}
}

// prepare makes the schema where there is none, raises an older one, and refuses a newer one.
func (db *DB) prepare(ctx context.Context) error {
	var isolation string
	err := db.ask(ctx, func(ctx context.Context) error {
		return db.on(ctx, func(c *pgxpool.Conn) error {
			name := pgx.Identifier{db.options.Schema}.Sanitize()
			var there, made bool
			if err := c.QueryRow(ctx, db.sql.here, name, name+".version").Scan(&there, &made, &isolation); err != nil {
				return err
			}
			if !made {
				create := db.sql.create
				if !there {
					create = "CREATE SCHEMA " + name + ";\n" + create
				}
				// One message of several statements is one transaction.
				_, err := c.Conn().PgConn().Exec(ctx, create).ReadAll()
				if err != nil && !existing(err) { // another process may make it at this moment
					return fmt.Errorf("making the schema: %w", err)
				}
			}
			return db.raise(ctx, c)
		})
	})
	switch {
	case err != nil:
		return err
	case isolation != "read committed": // a statement that waits for its turn must see what was written meanwhile
		return fmt.Errorf("default_transaction_isolation is %s there and must be read committed", isolation)
	}
	return nil
}

// raise takes the steps that a schema lacks, and refuses a schema that this program does not know.
func (db *DB) raise(ctx context.Context, c *pgxpool.Conn) error {
	for newest := db.newest(); ; {
		var version int
		err := c.QueryRow(ctx, db.sql.version).Scan(&version)
		switch {
		case err != nil || version == newest:
			return err
		case version < 1 || version > newest:
			return fmt.Errorf("%w: it has version %d, and this one knows up to %d", errVersion, version, newest)
		}
		if _, err := c.Conn().PgConn().Exec(ctx, db.sql.raise[version-1]).ReadAll(); err != nil {
			return fmt.Errorf("raising the schema: %w", err)
		}
	}
}

// newest is the version of the schema to which this program raises it.
func (db *DB) newest() int { return 1 + len(db.sql.raise) }

// knows is what a sender or a member says of its program when it is new.
func (db *DB) knows(isNew bool) *int {
	if !isNew {
		return nil
	}
	newest := db.newest()
	return &newest
}

// existing says that something that was to be made is there already.
func existing(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "42P06" || e.Code == "42P07" || e.Code == "42710" || e.Code == "23505")
}
