package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"tengen/internal/tasks"
	"tengen/storage/bolt"
)

// errand is a command that the running bot carries out for whoever asks through its socket: the bot alone has the file
// of the store open, and speaks to Discord. The command runs in the bot as it would run here, with the bot behind its
// streams; what it writes comes back. Of the asking process the bot takes its arguments, and no file.
type errand interface {
	// fills is the file that the command writes, and its mode; empty: none, and - is stdout.
	fills() (file string, mode os.FileMode)
}

// inside is what a command has in an errand. The zero value is for a command in a process of its own.
type inside struct {
	bot  *hosting  // the running bot
	file io.Writer // the file at whoever gave the errand
}

// carry runs the chosen command: here, or, where only the running bot can do it, there.
func (in inside) carry(ctx context.Context, k *kong.Context, args []string, s streams) error {
	e, isErrand := k.Selected().Target.Addr().Interface().(errand)
	order, isOrder := e.(interface{ socket() (string, error) })
	switch {
	case in.bot != nil && !isErrand:
		return exit{2, "the running bot does not do this"}
	case in.bot == nil && isOrder:
		socket, err := order.socket()
		if err != nil {
			return err
		}
		return ask(ctx, socket, args, e, s)
	}
	err := k.Run()
	held := (*bolt.Held)(nil)
	if in.bot == nil && isErrand && errors.As(err, &held) && held.Socket != "" {
		return ask(ctx, held.Socket, args, e, s)
	}
	return err
}

// What is sent of an errand, an object of JSON a line: first the arguments, then parts until one has a code.
type (
	arguments []string
	part      struct {
		Out  []byte `json:"out,omitempty"`
		Err  []byte `json:"err,omitempty"`
		File []byte `json:"file,omitempty"`
		Code *int   `json:"code,omitempty"` // the exit code: all that came before is whole
	}
)

const (
	maxErrand    = 64 << 10         // bytes of the arguments
	socketMode   = 0o600            // as the file of the store
	askedWithin  = 5 * time.Second  // for the arguments to be there
	heardWithin  = 10 * time.Second // for a part to be taken: a reader that stops would hold the file's old pages
	longestPlace = 100              // bytes of a socket's path: systems allow a little more
)

// errands takes errands at a socket, each on a goroutine of its own.
type errands struct {
	h        *hosting
	path     string
	socket   os.FileInfo
	listener net.Listener
	tasks    *tasks.Group
}

// takeErrands begins to take errands at the configuration's socket; nil where it has none. Without a socket the bot
// does all else, so what fails is logged.
func (h *hosting) takeErrands() *errands {
	path := h.config.socket()
	if path == "" {
		return nil
	}
	e := &errands{h: h, path: path}
	var err error
	if e.listener, e.socket, err = listenAt(path); err != nil {
		h.log.Warn("the bot takes no errands (tengen store backup, say) while it runs", "socket", path, "err", err)
		return nil
	}
	e.tasks = tasks.New(func(what any, stack []byte) {
		h.log.Error("panic", "what", fmt.Sprint(what), "stack", string(stack))
	})
	e.tasks.Go(func() {
		for {
			conn, err := e.listener.Accept()
			if err != nil { // closed
				return
			}
			if !e.tasks.Go(func() { e.carryOut(conn) }) {
				conn.Close()
			}
		}
	})
	h.log.Info("listening", "for", "errands", "address", path)
	return e
}

// close ends the errands that are under way, and waits for them.
func (e *errands) close() {
	if e == nil {
		return
	}
	e.listener.Close()
	e.tasks.End()
	e.tasks.Wait()
	if now, err := os.Lstat(e.path); err == nil && os.SameFile(now, e.socket) {
		os.Remove(e.path)
	}
}

// listenAt listens at a socket that only its owner reaches. It takes the place of a socket that a process which died
// has left, and of nothing else.
func listenAt(path string) (net.Listener, os.FileInfo, error) {
	if len(path) > longestPlace {
		return nil, nil, fmt.Errorf("a path of %d bytes is too long for a socket: %d are the most", len(path), longestPlace)
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, nil, errors.New("there is a file, and no socket")
		}
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			return nil, nil, errors.New("another process listens there")
		}
	}
	// It gets its rights where nobody else can reach it, and only then its name.
	room := path + ".new"
	if err := errors.Join(os.RemoveAll(room), os.Mkdir(room, 0o700)); err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(room)
	made := filepath.Join(room, "s")
	l, err := net.Listen("unix", made)
	if err != nil {
		return nil, nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	var socket os.FileInfo
	if err = os.Chmod(made, socketMode); err == nil {
		err = os.Rename(made, path)
	}
	if err == nil {
		socket, err = os.Lstat(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, socket, nil
}

// socket is where the running bot takes errands; empty: nowhere.
func (c config) socket() string {
	path := c.Operations.Socket
	if path == "" && c.Store.Engine == onBolt {
		path = c.Store.File + ".socket"
	}
	if path == "" || runtime.GOOS == "windows" {
		return ""
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return whole
}

// carryOut does what a connection asks for, until it is done, or whoever asked has gone.
func (e *errands) carryOut(conn net.Conn) {
	var gone sync.WaitGroup
	defer gone.Wait()
	defer conn.Close()
	ctx, cancel := context.WithCancel(e.tasks.Life)
	defer cancel()
	conn.SetReadDeadline(time.Now().Add(askedWithin))
	var args arguments
	if err := json.NewDecoder(io.LimitReader(conn, maxErrand)).Decode(&args); err != nil {
		return
	}
	conn.SetReadDeadline(time.Time{})
	gone.Go(func() {
		defer cancel()
		io.Copy(io.Discard, conn)
	})
	back := &sender{conn: conn, broken: cancel}
	began := time.Now()
	code := 1
	e.tasks.Try(func() error {
		code = runIn(ctx, args, streams{in: strings.NewReader(""), out: back.to(func(p *part, b []byte) { p.Out = b }),
			err: back.to(func(p *part, b []byte) { p.Err = b })},
			inside{bot: e.h, file: back.to(func(p *part, b []byte) { p.File = b })})
		return nil
	})
	back.send(part{Code: &code})
	e.h.log.Info("errand", "command", commandOf(args), "code", code, "took", time.Since(began).Round(time.Millisecond))
}

// commandOf is a command without what it is about: an erased member is in no log.
func commandOf(args []string) string {
	words := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") })
	if words < 0 {
		words = len(args)
	}
	return strings.Join(args[:min(words, 2)], " ")
}

// sender sends the parts of one errand.
type sender struct {
	conn   net.Conn
	broken func() // hears that nobody takes them any more
	mu     sync.Mutex
}

func (s *sender) send(p part) error {
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.SetWriteDeadline(time.Now().Add(heardWithin))
	if _, err = s.conn.Write(append(line, '\n')); err != nil {
		s.broken()
	}
	return err
}

func (s *sender) to(set func(*part, []byte)) io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		var p part
		set(&p, b)
		if err := s.send(p); err != nil {
			return 0, err
		}
		return len(b), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// ask has the bot at a socket do what args say, as if this process did it. A file stands in its place whole, once the
// bot has said that it is done, or not at all.
func ask(ctx context.Context, socket string, args []string, e errand, s streams) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("asking the running bot: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(arguments(args)); err != nil {
		return fmt.Errorf("asking the running bot: %w", err)
	}
	file, mode := e.fills()
	if file == "" || file == "-" {
		return receive(ctx, conn, s.out, s.err, s.out)
	}
	var said bytes.Buffer // told once the file is there
	err = writeWhole(file, mode, func(w io.Writer) error { return receive(ctx, conn, &said, s.err, w) })
	if err == nil {
		_, err = said.WriteTo(s.out)
	}
	return err
}

// receive takes the parts of an errand until the last.
func receive(ctx context.Context, conn io.Reader, out, errs, file io.Writer) error {
	for parts := json.NewDecoder(conn); ; {
		var p part
		if err := parts.Decode(&p); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errors.New("the running bot broke off before it was done")
		}
		for _, to := range []struct {
			w    io.Writer
			text []byte
		}{{out, p.Out}, {errs, p.Err}, {file, p.File}} {
			if len(to.text) == 0 {
				continue
			}
			if _, err := to.w.Write(to.text); err != nil {
				return err
			}
		}
		switch {
		case p.Code == nil:
		case *p.Code == 0:
			return nil
		default:
			return exit{code: *p.Code} // the reason is among what the bot has said
		}
	}
}

// fill puts what write writes at path, whole or not at all; in an errand, at whoever gave it.
func (in inside) fill(path string, mode os.FileMode, write func(io.Writer) error) error {
	if in.bot != nil {
		return write(in.file)
	}
	return writeWhole(path, mode, write)
}
