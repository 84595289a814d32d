package guest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testguest"
	"tengen/internal/testkit"
)

// host is a process that has a guest and is killed: see TestGuestEndsWithUs.
func host() {
	if len(os.Args) != 2 || os.Args[1] != "host" {
		return
	}
	p, err := start(Command{Args: testguest.Command("gomocup", "deaf")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.cmd.Process.Pid)
	time.Sleep(time.Hour)
}

// gone waits for the end of a process.
func gone(pid int) bool {
	for range 1000 {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || len(stat) == 0 || isZombie(stat) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// isZombie reports whether a process has ended and waits for its parent, which may be anybody.
func isZombie(stat []byte) bool {
	for i := len(stat) - 1; i > 1; i-- {
		if stat[i] == ')' {
			return i+2 < len(stat) && stat[i+2] == 'Z'
		}
	}
	return false
}

// A guest ends with the process that has it, however that ends.
func TestGuestEndsWithUs(t *testing.T) {
	t.Parallel()
	h := exec.Command(os.Args[0], "host")
	out, err := h.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, h.Start())
	defer h.Wait()
	var pid int
	line := bufio.NewScanner(out)
	line.Scan()
	if pid, err = strconv.Atoi(line.Text()); err != nil {
		h.Process.Kill()
		t.Fatal(err)
	}
	h.Process.Kill()
	if !gone(pid) {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the guest lives on")
	}
}

// Where memory runs out, the system ends a guest before us.
func TestGuestEndsFirst(t *testing.T) {
	t.Parallel()
	p := testkit.Got(start(Command{Args: testguest.Command("gomocup", "deaf")}))
	defer p.Close()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.cmd.Process.Pid))
	if got := strings.TrimSpace(string(text)); err != nil || got != "1000" {
		t.Errorf("%s %v", got, err)
	}
}

// The processes of a guest end with it.
func TestGuestGroupIsKilled(t *testing.T) {
	t.Parallel()
	s := spec(Gomocup, "child")
	s.Dir, s.Wall = t.TempDir(), 3*time.Second
	gs := invite(t, os.Stderr, s)
	if _, err := gs.Move(t.Context(), "Visitor", game.New(game.Gomoku15)); err == nil {
		t.Fatal("it moved")
	}
	text := testkit.Read(t, filepath.Join(s.Dir, "child"))
	pid := testkit.Got(strconv.Atoi(string(text)))
	if !gone(pid) {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("a process of the guest lives on")
	}
}
