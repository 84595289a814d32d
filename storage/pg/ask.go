package pg

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
)

const (
	shortPause = time.Millisecond // before a second try; doubled for each further one
	longPause  = 64 * time.Millisecond
)

// away is an error of the connection: whoever was to answer did not.
type away struct{ error }

// Unwrap gives what it was.
func (a away) Unwrap() error { return a.error }

// reached tells an answer of the server, or what we make of one, from an error of the connection to it.
func reached(err error) error {
	if err == nil || errors.Is(err, errWarned) || errors.Is(err, errVersion) || errors.As(err, new(*pgconn.PgError)) ||
		errors.As(err, new(away)) {
		return err
	}
	return away{err}
}

// unsent is an error from before anything was sent.
type unsent struct{ error }

// Unwrap gives what it was.
func (u unsent) Unwrap() error { return u.error }

// ask asks until there is an answer or ctx ends. It may ask twice: question must allow that.
func (db *DB) ask(ctx context.Context, question func(context.Context) error) error {
	var before error
	for n := 0; ; n++ {
		began := time.Now()
		try, cancel := context.WithTimeout(ctx, db.options.Try)
		err := reached(question(try))
		cancel()
		if err == nil {
			db.answered()
		}
		db.forget(began, err)
		if ctx.Err() != nil && before != nil && passing(err) {
			return before // the last try was cut short, and says only that
		}
		if err == nil || !passing(err) || !pause(ctx, n) {
			return err
		}
		before = err
	}
}

// forget closes all connections if no server has answered anything since a request began that got no answer. Their
// server may be gone without a word, and each of them would take as long to find out.
func (db *DB) forget(began time.Time, err error) {
	if errors.As(err, new(away)) && db.heard.Load() < int64(began.Sub(db.opened)) {
		db.reads.Reset()
		db.writes.Reset()
	}
}

// once runs f on a connection for writes within the time for one answer.
func (db *DB) once(ctx context.Context, f func(context.Context, *pgxpool.Conn) error) error {
	try, cancel := context.WithTimeout(ctx, db.options.Try)
	defer cancel()
	began := time.Now()
	err := db.on(try, func(c *pgxpool.Conn) error { return f(try, c) })
	if err == nil {
		db.answered()
	}
	db.forget(began, err)
	return err
}

// on runs f on a connection for writes. A connection with an error is not used again: its server may be one that
// can only be read by now. errWarned says that the server has warned of a commit.
func (db *DB) on(ctx context.Context, f func(*pgxpool.Conn) error) error {
	c, err := db.writes.Acquire(ctx)
	if err != nil {
		return reached(unsent{err})
	}
	defer c.Release()
	marks := c.Conn().PgConn().CustomData()
	delete(marks, warned)
	err = f(c)
	if err == nil && marks[warned] != nil {
		err = errWarned
	}
	if err != nil {
		_ = c.Conn().Close(ctx)
	}
	return reached(err)
}

// unsure says that a change may have been made although there is an error.
func unsure(err error) bool {
	var refused *pgconn.PgError
	switch {
	case errors.As(err, new(unsent)) || pgconn.SafeToRetry(err):
		return false
	case errors.As(err, &refused): // a server that ends may do so after it has made the change
		return refused.SeverityUnlocalized != "ERROR"
	}
	return true
}

// passing says that the next try may go well, with another server.
func passing(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return !distrusted(err) && (errors.As(err, new(away)) || errors.Is(err, errWarned))
	}
	switch code := refused.Code; code {
	case "25006", // it is a standby by now
		"40001", "40P01", // what SQL calls a conflict
		"55P03", "57014", // it waited too long for a lock, or worked too long
		"53300", // it has too many connections
		"55006": // its schema is in use by older programs
		return true
	case "08P01": // all that a pooler says has this code
		return !shutOut(refused.Message)
	default: // the connection broke; the server ends, or starts
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P0")
	}
}

// shutOut says that a pooler does not let the bot in. Waiting does not help.
func shutOut(message string) bool {
	return slices.ContainsFunc([]string{"authentication failed", "SSL required", "no such database", "no such user",
		"unsupported startup parameter"}, func(s string) bool { return strings.Contains(message, s) })
}

// distrusted says that a server shows no certificate that the address asks for. Waiting does not help.
func distrusted(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.CertificateInvalidError)) || // these two where the name does not count
		err != nil && strings.Contains(err.Error(), "server refused TLS connection")
}

// Unreachable reports whether an error says that the servers could not be reached, or not in
// time: the same may go well later.
func Unreachable(err error) bool { return passing(err) }

// pause waits for a random moment, so that two processes seldom meet again; false when ctx
// ends. n counts the tries so far.
func pause(ctx context.Context, n int) bool {
	longest := longPause
	if n < 6 {
		longest = shortPause << n
	}
	timer := time.NewTimer(longest/2 + rand.N(longest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// outcome words an error for the caller of View or Update.
func (db *DB) outcome(caller context.Context, err error) error {
	var refused *pgconn.PgError
	theirs := errors.As(err, &refused)
	switch {
	case err == nil:
		return nil
	case theirs && refused.Code == "53100":
		return fmt.Errorf("%w: %w", kv.ErrFull, err)
	case !theirs && !passing(err) && !errors.Is(err, errUnknown):
		return err // the closure's own
	case caller.Err() != nil:
		return fmt.Errorf("%w: %w", caller.Err(), err)
	case db.life.Err() != nil:
		return fmt.Errorf("%w: %w", kv.ErrClosed, err)
	}
	return fmt.Errorf("asking PostgreSQL: %w", err)
}

func (db *DB) answered() { db.heard.Store(int64(time.Since(db.opened))) }

// Silent is for how long no server has answered. A process that has joined a group asks
// every half second.
func (db *DB) Silent() time.Duration { return time.Since(db.opened) - time.Duration(db.heard.Load()) }

// KeepHearing asks the servers something each two seconds until ctx ends, so that Silent is known where
// nothing else asks.
func (db *DB) KeepHearing(ctx context.Context) {
	tick := time.NewTicker(hearEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = db.View(ctx, func(r kv.Reader) error {
			_, err := r.Get([]byte{0})
			return err
		})
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

const hearEvery = 2 * time.Second
