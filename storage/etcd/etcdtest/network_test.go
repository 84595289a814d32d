package etcdtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"tengen/internal/testkit"
)

func TestMain(m *testing.M) {
	OwnNetwork()
	os.Exit(m.Run())
}

// TestOwnNetwork: it is another one than that of whoever started us, and loopback works.
func TestOwnNetwork(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil || runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux, and ip")
	}
	ours := testkit.Got(os.Readlink("/proc/self/ns/net"))
	if caller, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", os.Getppid())); err != nil || ours == caller {
		t.Errorf("our network is %s, our caller's %s, %v", ours, caller, err)
	}
	l := testkit.Listen(t)
	defer l.Close()
	testkit.Got(net.Dial("tcp", l.Addr().String())).Close()
}
