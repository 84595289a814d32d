package guest

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// alone gives a process a group of its own, and has the system kill it when we end in any way.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// endFirst has the system end the process before us where memory runs out. A failure leaves the
// system its own choice, which is mostly the largest process.
func endFirst(cmd *exec.Cmd) {
	os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", cmd.Process.Pid), []byte("1000"), 0)
}

// endGroup kills the process and all others of its group.
func endGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// cpu is the CPU time that the process has used, by the clock that the system keeps of it.
func (p *process) cpu() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|2), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
