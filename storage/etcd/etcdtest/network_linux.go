package etcdtest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// networkEnv says in a process that it already has a network of its own.
const networkEnv = "TENGEN_OWN_NETWORK"

// OwnNetwork starts this test binary anew in a network that only it and its children see,
// where this machine allows that: a TestMain begins with it. The networks of StartApart come
// and go there. On the machine's own they would disturb other tests: a browser gives up
// what it is loading whenever any network changes.
func OwnNetwork() {
	if os.Getenv(networkEnv) != "" || os.Getuid() != 0 {
		return
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return
	}
	runtime.LockOSThread() // the new network is this thread's, and Exec makes it the process's
	defer runtime.UnlockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		fmt.Fprintln(os.Stderr, "no network of its own:", err)
		return
	}
	if err := ip("link", "set", "lo", "up"); err != nil {
		fmt.Fprintln(os.Stderr, "no network of its own:", err)
		os.Exit(1) // there is no way back to the machine's
	}
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, os.Args, append(os.Environ(), networkEnv+"=1"))
	}
	fmt.Fprintln(os.Stderr, "no network of its own:", err)
	os.Exit(1)
}
