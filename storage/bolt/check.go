package bolt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"tengen/storage/kv"
)

// Report is what a check of a file found.
type Report struct {
	Problem string           `json:"problem,omitempty"` // the first thing wrong, in words; empty: the file is good
	Newer   string           `json:"newer,omitempty"`   // the layout of a file of a later version, which is no damage
	Size    int64            `json:"size"`              // bytes of the file
	Used    int64            `json:"used"`              // bytes of it that hold something
	Rows    map[string]int64 `json:"rows"`              // number of rows by table
}

// Good reports whether the file can be used.
func (r Report) Good() bool { return r.Problem == "" && r.Newer == "" }

// Total is the number of rows of all tables.
func (r Report) Total() int64 {
	n := int64(0)
	for _, rows := range r.Rows {
		n += rows
	}
	return n
}

// A check of a damaged file may go on for ever and eat all memory on the way. So it may
// use so much of the processor, and as much more as a file of its size takes to read; a
// million games in memory take a quarter of a second. A check that merely waits, because
// the machine is busy, is given far longer, and then says nothing of the file.
const (
	checkTime = 20 * time.Second
	checkRate = 20 << 20 // bytes in a second
	checkWait = 20       // times as long by the clock
)

// childEnv names the file that a process was started to check, and greeting is its
// first line, by which the parent knows that it was understood.
const (
	childEnv   = "TENGEN_CHECK_FILE"
	secondsEnv = "TENGEN_CHECK_SECONDS" // how much of the processor it may use
	greeting   = "tengen check 1"
)

// hooked says that this program has called Child: it can start itself as a checker.
var hooked atomic.Bool

// Child belongs at the start of main: when this process was started to check a file it
// does that and ends, otherwise it returns at once. Some damage makes bbolt kill the
// process, so the check runs in a process that nobody misses.
func Child() {
	hooked.Store(true)
	path := os.Getenv(childEnv)
	if path == "" {
		return
	}
	if seconds, err := strconv.Atoi(os.Getenv(secondsEnv)); err == nil {
		limitSelf(seconds, sizeOf(path))
	}
	fmt.Println(greeting)
	report, err := CheckHere(context.Background(), path)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// checkChild checks a file in a process of its own. A death of that process is a
// problem of the file; an error says that there was no check.
func checkChild(ctx context.Context, path string) (Report, error) {
	return checkChildFor(ctx, path, checkTime+time.Duration(sizeOf(path)/checkRate)*time.Second)
}

func checkChildFor(ctx context.Context, path string, most time.Duration) (Report, error) {
	if !hooked.Load() || os.Getenv(childEnv) != "" {
		return Report{}, errors.New("this program cannot check a store in a child process (bolt.Child is not called)")
	}
	exe, err := ownProgram()
	if err != nil {
		return Report{}, fmt.Errorf("checking %s: %w", path, err)
	}
	limited, cancel := context.WithTimeout(ctx, checkWait*most)
	defer cancel()
	var out, text bytes.Buffer
	cmd := exec.CommandContext(limited, exe)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), childEnv+"="+path, fmt.Sprintf("%s=%d", secondsEnv, int(most.Seconds())))
	cmd.Stdout, cmd.Stderr = &out, &limit{&text, 64 << 10}
	died := cmd.Run()
	if ctx.Err() != nil {
		return Report{}, ctx.Err()
	}
	answer, greeted := strings.CutPrefix(out.String(), greeting+"\n")
	var report Report
	switch exit := (*exec.ExitError)(nil); {
	case !greeted && died != nil:
		return Report{}, fmt.Errorf("checking %s: %w", path, died)
	case !greeted:
		return Report{}, fmt.Errorf("checking %s: the checker did not start", path)
	case limited.Err() != nil:
		return Report{}, fmt.Errorf("checking %s: the check did not come to an end in %v", path, checkWait*most)
	case errors.As(died, &exit) && exit.ExitCode() == 3:
		return Report{}, errors.New(firstLine(text.String())) // CheckHere names the file
	case died != nil && stopped(died):
		// A signal from outside, or a lack of memory, says nothing of the file.
		return Report{}, fmt.Errorf("checking %s: the check was ended from outside (%w)", path, died)
	case died != nil:
		return sized(path, Report{Problem: unfit(firstLine(text.String()))})
	}
	if err := json.Unmarshal([]byte(answer), &report); err != nil {
		return sized(path, Report{Problem: "the check broke off"})
	}
	return report, nil
}

// ownProgram is the program that runs, even after its file was replaced by a newer one.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// stopped reports whether a process ended by a signal that its own mistakes do not raise.
func stopped(died error) bool {
	var exit *exec.ExitError
	if !errors.As(died, &exit) {
		return true
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	return !slices.Contains(ownSignals, status.Signal())
}

// worded says in words what bbolt's check gives as an error when it panics itself.
func worded(err error) error {
	said := err.Error()
	if strings.HasPrefix(said, "panic") || strings.Contains(said, "assertion failed") ||
		strings.Contains(said, "runtime error") {
		return fmt.Errorf("%w: %s", kv.ErrDamaged, unfit(said))
	}
	return err
}

// unfit says in words what bbolt says of damaged pages by a panic, of which said is the text.
func unfit(said string) string {
	const words = "its pages do not fit together"
	for _, raw := range []string{"panic: ", "fatal error: ", "assertion failed: "} {
		said = strings.TrimPrefix(said, raw)
	}
	said, _, _ = strings.Cut(said, " [recovered")
	if said == "" || strings.Contains(said, "runtime error") || strings.Contains(said, "fault") ||
		strings.Contains(said, "goroutine") {
		return words // Go's own, which says nothing of the file
	}
	return words + " (" + said + ")"
}

func sized(path string, r Report) (Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Report{}, err
	}
	r.Size = info.Size()
	return r, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if len(line) > 200 {
		line = line[:200]
	}
	return line
}

// limit drops what is written beyond n bytes.
type limit struct {
	w io.Writer
	n int
}

// Write is io.Writer.Write. What it drops counts as written.
func (l *limit) Write(b []byte) (int, error) {
	keep := b[:min(len(b), l.n)]
	l.n -= len(keep)
	_, err := l.w.Write(keep)
	return len(b), err
}

// CheckHere checks a file in this process, which a damaged one may kill. An error says
// that there was no check; what is wrong with the file is in the report.
func CheckHere(ctx context.Context, path string) (Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Report{}, err
	}
	report := Report{Size: info.Size(), Rows: map[string]int64{}}
	if info.Size() == 0 {
		report.Problem = "the file is empty"
		return report, nil
	}
	if err := checkRows(ctx, path, &report); err != nil {
		if ctx.Err() != nil || errors.Is(err, berrors.ErrTimeout) || errors.Is(err, os.ErrPermission) {
			return Report{}, fmt.Errorf("checking %s: %w", path, err)
		}
		report.Problem = err.Error()
	}
	return report, nil
}

func checkRows(ctx context.Context, path string, report *Report) (err error) {
	defer caught(&err)()
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: openTimeout})
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin(false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if tx.Size() > report.Size {
		return fmt.Errorf("the file ends at byte %d of %d", report.Size, tx.Size())
	}
	if err := checkHeaders(path, db.Info().PageSize); err != nil {
		return err
	}
	var first error
	for err := range tx.Check() { // to the end, or its goroutine would wait for ever
		if first == nil {
			first = worded(err)
		}
	}
	if first != nil {
		return first
	}
	report.Used = tx.Size() - freeBytes(db, db.Info().PageSize)
	if err := checkOwn(tx); err != nil {
		layout := newerLayout("")
		if errors.As(err, &layout) {
			report.Newer, err = string(layout), nil
		}
		return err
	}
	return report.count(tx, ctx.Err)
}

// count reads all rows, and compares them with the sums.
func (r *Report) count(tx *bbolt.Tx, every func() error) error {
	found, err := count(tx, every)
	if err != nil {
		return err
	}
	for table, of := range found {
		if of.rows > 0 {
			r.Rows[string([]byte{byte(table)})] = int64(of.rows)
		}
	}
	saved, err := savedSums(tx)
	if saved == nil || err != nil {
		return err
	}
	return saved.missed(found)
}

func freeBytes(db *bbolt.DB, page int) int64 {
	stats := db.Stats()
	return int64(stats.FreePageN+stats.PendingPageN) * int64(page)
}
