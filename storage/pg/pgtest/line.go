package pgtest

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tengen/internal/testkit"
)

// Line is a way to a server that can be cut, as a network can: neither end hears of it, and what is on its
// way arrives when the line is mended.
type Line struct {
	Dir string // with the socket at which the server is reached
	to  string
	cut sync.RWMutex // held by whoever has cut it
}

const socket = ".s.PGSQL.5432"

// Line makes a line to s, which ends with the test.
func (s *Server) Line(t testing.TB) *Line {
	t.Helper()
	l := &Line{Dir: Dir(t), to: filepath.Join(s.Dir, socket)}
	listener, err := net.Listen("unix", filepath.Join(l.Dir, socket))
	testkit.Must(t, err)
	testkit.Must(t, os.Chmod(filepath.Join(l.Dir, socket), 0o777)) // servers may be another user's
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", l.to)
			if err != nil {
				near.Close()
				continue
			}
			go l.carry(near, far)
			go l.carry(far, near)
		}
	}()
	return l
}

// carry takes bytes from one end to the other, and its end too.
func (l *Line) carry(from io.Reader, to io.WriteCloser) {
	for b := make([]byte, 32<<10); ; {
		n, err := from.Read(b)
		l.cut.RLock()
		if err == nil {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			to.Close()
		}
		l.cut.RUnlock()
		if err != nil {
			return
		}
	}
}

// Cut cuts the line until Mend.
func (l *Line) Cut() { l.cut.Lock() }

// Mend mends the line, which is cut.
func (l *Line) Mend() { l.cut.Unlock() }

// Through is the address of the servers at the other ends of lines.
func Through(lines ...*Line) string {
	var dirs []string
	for _, l := range lines {
		dirs = append(dirs, l.Dir)
	}
	return at(dirs)
}
