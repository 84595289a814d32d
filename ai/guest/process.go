package guest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Command says how a program is started.
type Command struct {
	Args  []string
	Env   []string          // all of it: nothing of ours is added
	Dir   string            // empty: ours
	Heard func(line string) // hears the program's standard error, within bounds; nil: nobody does
}

// Bounds of what a program may say.
const (
	maxLine   = 64 << 10 // bytes of a line of standard output
	maxAnswer = 1 << 20  // bytes until the line that was asked for
	maxHeard  = 200      // bytes of a line of standard error, characters of an answer in an error
	heardEach = 20       // lines of standard error between two questions
)

// lingers is how long the end of a process waits for its standard error, which a process that
// it has started may hold.
const lingers = time.Second

var errNoCommand = errors.New("no command line")

// process is a program as a child process that is spoken to in lines. It ends with us, and with
// it all processes of its group.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // of standard output; closed at its end
	broken error       // why we stopped reading; set before lines is closed
	heard  *whisper
	kill   func()        // ends the process soon; it may be called again
	killed chan struct{} // closed by kill
	ended  chan struct{} // closed when the process is gone
}

func start(c Command) (*process, error) {
	if len(c.Args) == 0 {
		return nil, errNoCommand
	}
	p := &process{cmd: exec.Command(c.Args[0], c.Args[1:]...), heard: &whisper{to: c.Heard},
		lines: make(chan string, 64), killed: make(chan struct{}), ended: make(chan struct{})}
	p.kill = sync.OnceFunc(func() { close(p.killed) })
	p.cmd.Env = append([]string{}, c.Env...) // not nil, which would mean our own
	p.cmd.Dir = c.Dir
	p.cmd.Stderr = p.heard
	p.cmd.WaitDelay = lingers
	alone(p.cmd)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go p.live(out, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// live starts the process and sees it to its end. It keeps its thread: the system ends the
// process together with the thread that has started it.
func (p *process) live(out io.Reader, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		endFirst(p.cmd)
	}
	started <- err
	if err != nil {
		return
	}
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		p.read(out)
	}()
	select {
	case <-silent:
	case <-p.killed:
	}
	p.kill()
	endGroup(p.cmd) // before Wait: until then nobody else can have the group's number
	p.cmd.Wait()
	p.heard.end()
	close(p.ended)
}

// read sends the lines of standard output until its end, a line that is too long, or kill.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, maxLine)
	for sc.Scan() {
		select {
		case p.lines <- strings.TrimSpace(sc.Text()):
		case <-p.killed:
			return
		}
	}
	p.broken = sc.Err()
}

// under has the process killed where ctx ends before the function that it gives is called: that
// also ends a write that the program does not read.
func (p *process) under(ctx context.Context) (done func() bool) {
	p.heard.more()
	return context.AfterFunc(ctx, p.kill)
}

// say sends a line. That a program does not hear it shows in the answer, which says why.
func (p *process) say(format string, args ...any) {
	fmt.Fprintf(p.in, format+"\n", args...)
}

// answer is the next line that want accepts.
func (p *process) answer(ctx context.Context, want func(string) bool) (string, error) {
	for said := 0; said <= maxAnswer; {
		select {
		case line, ok := <-p.lines:
			switch said += len(line) + 1; {
			case !ok && ctx.Err() != nil:
				return "", context.Cause(ctx)
			case !ok && p.broken != nil:
				return "", fmt.Errorf("reading what it says: %w", p.broken)
			case !ok:
				<-p.ended
				return "", fmt.Errorf("the program has ended: %v", p.cmd.ProcessState)
			case want(line):
				return line, nil
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return "", errors.New("too much was said before the answer")
}

// Ended reports whether the program is gone.
func (p *process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Close ends the program and waits for its end.
func (p *process) Close() {
	p.kill()
	<-p.ended
}

// whisper takes standard error and passes the first lines of each question on, each cut short.
type whisper struct {
	to func(string)

	mu   sync.Mutex
	line []byte
	left int // lines that may still be passed on
}

func (w *whisper) more() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = heardEach
}

func (w *whisper) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := b; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		w.line = append(w.line, part[:min(len(part), maxHeard-len(w.line))]...)
		if rest = after; whole {
			w.pass()
		}
	}
	return len(b), nil
}

// pass passes the line on, where that may be, and begins another.
func (w *whisper) pass() {
	if w.to != nil && w.left > 0 && len(bytes.TrimSpace(w.line)) > 0 {
		w.left--
		w.to(quote(string(bytes.TrimSpace(w.line))))
	}
	w.line = w.line[:0]
}

// end passes the last line on, which a program that dies may leave open.
func (w *whisper) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass()
}

// quote is what a program said, escaped and cut short.
func quote(s string) string { return fmt.Sprintf("%+.*q", maxHeard, s) }
