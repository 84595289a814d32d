//go:build linux && (amd64 || arm64)

package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// event is one thing that a traced process did to a file, or one line that it wrote to
// its standard output. The events are in the order in which the calls came back.
type event struct {
	kind   eventKind
	name   string // of the file or folder; the new name of one that was named
	was    string // the old one; empty for a new folder
	at     int64  // where it wrote, or the length that it gave to the file
	data   []byte // what it wrote, to the file or to its output
	covers int    // sync: the events before this index are on the disk when it is back
}

type eventKind uint8

const (
	wrote eventKind = iota
	resized
	synced
	said
	named // renamed, linked, or made, if it is a folder
)

// trace runs a command to its end and gives what it did to one file, or to a folder and
// all that is in it. It watches the
// system calls themselves, so what it sees is what the kernel was asked for, whoever
// asked. errNoTrace says that this system lets nobody watch.
func trace(cmd *exec.Cmd, path string) (events []event, err error) {
	runtime.LockOSThread() // the thread that starts the process is the one that may watch it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoTrace, err)
	}
	defer cmd.Process.Release()
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		return nil, fmt.Errorf("%w: %v %v", errNoTrace, err, status)
	}
	const options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | 0x100000 // and kill it when we die
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		cmd.Process.Kill()
		return nil, fmt.Errorf("%w: %w", errNoTrace, err)
	}
	t := tracer{pid: pid, path: path, entered: map[int]entry{}, files: map[uint64]string{}}
	if err := syscall.PtraceSyscall(pid, 0); err != nil {
		return nil, err
	}
	for {
		// its group: other tests have children too
		tid, err := syscall.Wait4(-pid, &status, syscall.WALL|syscall.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, fmt.Errorf("waiting for the traced process: %w", err)
		case status.Exited() || status.Signaled():
			if tid != pid {
				continue
			}
			if status.ExitStatus() != 0 {
				return nil, fmt.Errorf("the traced process ended with %v", status)
			}
			return t.events, nil
		}
		signal := 0
		switch stop := status.StopSignal(); {
		case stop == syscall.SIGTRAP|0x80:
			if err := t.stopped(tid); err != nil {
				return nil, err
			}
		case stop == syscall.SIGTRAP || stop == syscall.SIGSTOP: // a new thread
		default:
			signal = int(stop)
		}
		if err := syscall.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return nil, fmt.Errorf("letting the traced process go on: %w", err)
		}
	}
}

type tracer struct {
	pid     int
	path    string
	files   map[uint64]string // by descriptor: its name, empty when it is another's
	entered map[int]entry     // by thread: the call that it is in
	events  []event
}

type entry struct {
	number uint64
	args   [6]uint64
	data   []byte
	covers int
	names  [2]string
}

// naming are the calls that give names: where their arguments have the old one, or -1,
// and the new one.
var naming = map[string]map[uint64][2]int{
	"amd64": {82: {0, 1}, 264: {1, 3}, 316: {1, 3}, 86: {0, 1}, 265: {1, 3}, 83: {-1, 0}, 258: {-1, 1}},
	"arm64": {38: {1, 3}, 276: {1, 3}, 37: {1, 3}, 34: {-1, 1}},
}[runtime.GOARCH]

// syscallInfo is struct ptrace_syscall_info.
type syscallInfo struct {
	op     uint8
	_      [3]byte
	arch   uint32
	ip, sp uint64
	words  [7]uint64 // at entry: number and arguments; at exit: the result
}

// stopped is told that a thread stands at the entry or at the exit of a call.
func (t *tracer) stopped(tid int) error {
	const getSyscallInfo = 0x420e
	var info syscallInfo
	if _, _, e := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info),
		uintptr(unsafe.Pointer(&info)), 0, 0); e != 0 {
		return fmt.Errorf("%w: %w", errNoTrace, e)
	}
	switch info.op {
	case 1:
		return t.enter(tid, info.words)
	case 2:
		t.leave(tid, int64(info.words[0]))
	}
	return nil
}

func (t *tracer) enter(tid int, words [7]uint64) (err error) {
	c := entry{number: words[0], args: [6]uint64(words[1:])}
	switch c.number {
	case syscall.SYS_PWRITE64:
		if t.ours(c.args[0]) != "" {
			c.data, err = t.memory(c.args[1], c.args[2])
		}
	case syscall.SYS_WRITE:
		if c.args[0] == 1 || t.ours(c.args[0]) != "" {
			c.data, err = t.memory(c.args[1], c.args[2])
		}
	case syscall.SYS_FDATASYNC, syscall.SYS_FSYNC:
		c.covers = len(t.events)
	}
	if at, ok := naming[c.number]; ok {
		for i, arg := range at {
			if arg >= 0 && err == nil {
				c.names[i], err = t.text(c.args[arg])
			}
		}
	}
	t.entered[tid] = c
	return err
}

func (t *tracer) leave(tid int, result int64) {
	c := t.entered[tid]
	delete(t.entered, tid)
	if result < 0 {
		return
	}
	name := t.ours(c.args[0])
	_, names := naming[c.number]
	switch {
	case names:
		t.events = append(t.events, event{kind: named, was: c.names[0], name: c.names[1]})
	case c.number == syscall.SYS_CLOSE:
		delete(t.files, c.args[0])
	case c.number == syscall.SYS_WRITE && c.args[0] == 1:
		t.events = append(t.events, event{kind: said, data: c.data})
	case name == "":
	case c.number == syscall.SYS_PWRITE64:
		t.events = append(t.events, event{kind: wrote, name: name, at: int64(c.args[3]), data: c.data[:result]})
	case c.number == syscall.SYS_WRITE: // where to is not known: of a folder only
		t.events = append(t.events, event{kind: wrote, name: name, data: c.data[:result]})
	case c.number == syscall.SYS_FTRUNCATE:
		t.events = append(t.events, event{kind: resized, name: name, at: int64(c.args[1])})
	case c.number == syscall.SYS_FDATASYNC || c.number == syscall.SYS_FSYNC:
		t.events = append(t.events, event{kind: synced, name: name, covers: c.covers})
	}
}

// ours is the name of a descriptor's file, where it is one that is watched.
func (t *tracer) ours(fd uint64) string {
	name, known := t.files[fd]
	if !known {
		var err error
		name, err = os.Readlink("/proc/" + strconv.Itoa(t.pid) + "/fd/" + strconv.FormatUint(fd, 10))
		if err != nil {
			return ""
		}
		if name != t.path && !strings.HasPrefix(name, t.path+"/") {
			name = ""
		}
		t.files[fd] = name
	}
	return name
}

// text is a string of the process, which ends with a zero byte.
func (t *tracer) text(at uint64) (string, error) {
	b, err := t.memory(at, 4096)
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return string(b[:i]), nil // beyond it there need be no memory
	}
	return "", err
}

func (t *tracer) memory(at, n uint64) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(t.pid) + "/mem")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	read, err := f.ReadAt(b, int64(at))
	return b[:read], err
}

var errNoTrace = errors.New("this system does not let one process watch another")

// content is that of a file: some bytes, and zeros up to its size.
type content struct {
	bytes []byte
	size  int64
}

func (c content) clone() content { return content{bytes.Clone(c.bytes), c.size} }

func (c *content) apply(e event) {
	if e.kind == resized {
		c.bytes = c.bytes[:min(int64(len(c.bytes)), e.at)]
		c.size = e.at
		return
	}
	end := e.at + int64(len(e.data))
	if more := end - int64(len(c.bytes)); more > 0 {
		c.bytes = append(c.bytes, make([]byte, more)...)
	}
	copy(c.bytes[e.at:], e.data)
	c.size = max(c.size, end)
}

// A disk holds what was written to a file, some of it for certain and some not yet.
type disk struct {
	durable content
	pending []event
	acked   int // the highest number that was acknowledged so far
}

const sector = 512 // what a disk writes whole or not at all

// replay calls f with the disk as it was after each of the events. It belongs to f only
// until f returns.
func replay(start content, events []event, f func(n int, d disk)) {
	d := disk{durable: start.clone()}
	certain := 0 // the events before it are on the disk
	for n, e := range events {
		switch e.kind {
		case said:
			d.acked = max(d.acked, number(e.data))
		case synced:
			for ; certain < e.covers; certain++ {
				if e := events[certain]; e.kind == wrote || e.kind == resized {
					d.durable.apply(e)
				}
			}
		}
		d.pending = d.pending[:0]
		for _, e := range events[certain : n+1] {
			if e.kind == wrote || e.kind == resized {
				d.pending = append(d.pending, e)
			}
		}
		f(n+1, d)
	}
}

// number is the highest number in lines like "A 12".
func number(text []byte) (most int) {
	for line := range strings.Lines(string(text)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "A "); ok {
			if n, err := strconv.Atoi(text); err == nil {
				most = max(most, n)
			}
		}
	}
	return most
}

// crash gives what is on the disk when the power fails: all that is durable, and of the
// rest the sectors for which keep says so, in the order that order gives.
func (d disk) crash(order []int, keep func() bool, torn bool) content {
	c := d.durable.clone()
	for _, i := range order {
		e := d.pending[i]
		if e.kind == resized || !torn {
			if keep() {
				c.apply(e)
			}
			continue
		}
		for from := 0; from < len(e.data); from += sector {
			if keep() {
				c.apply(event{kind: wrote, at: e.at + int64(from), data: e.data[from:min(from+sector, len(e.data))]})
			}
		}
	}
	return c
}

// digest is a number for a set of rows, whatever their order.
func digest(key, value []byte) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(key)))
	h := fnv1a(fnv1a(fnv1a(fnvBasis, b[:]), key), value)
	return h ^ h>>29
}
