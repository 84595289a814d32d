//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// as has a program run as somebody else where the test is root's: PostgreSQL does not run as root.
func as(c *exec.Cmd) *exec.Cmd {
	if uid, gid, ok := other(); ok {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return c
}

// Own gives a folder or a file to the server.
func Own(dir string) error {
	if uid, gid, ok := other(); ok {
		return os.Chown(dir, uid, gid)
	}
	return nil
}

func other() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid, true
		}
	}
	return 0, 0, false
}

// halt stops a process and its children, at once as far as that can be.
func halt(t testing.TB, pid int) {
	t.Helper()
	stop := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	stop(pid) // it starts no more
	out, err := exec.Command("ps", "-o", "pid=", "--ppid", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Skip("no ps here that lists children")
	}
	for _, child := range strings.Fields(string(out)) {
		child, _ := strconv.Atoi(child)
		stop(child)
		t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	}
}
