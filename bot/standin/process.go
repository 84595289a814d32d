package standin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

// Main serves a stand-in in a process of its own, on the loopback interface:
// it reads its Options as one line of JSON, writes its addresses as another,
// and ends when the input ends. A test binary runs itself again with it:
//
//	func TestMain(m *testing.M) {
//		if os.Getenv("STANDIN") != "" {
//			if err := standin.Main(os.Stdin, os.Stdout); err != nil {
//				log.Fatal(err)
//			}
//			return
//		}
//		os.Exit(m.Run())
//	}
func Main(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("stand-in options: %w", err)
	}
	var o Options
	if err := json.Unmarshal(first, &o); err != nil {
		return fmt.Errorf("stand-in options: %w", err)
	}
	if o.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("stand-in: %w", err)
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("stand-in control: %w", err)
	}
	s := Start(o)
	defer s.Close()
	c := &http.Server{Handler: s.Control()}
	go c.Serve(control)
	defer c.Close()
	if err := json.NewEncoder(out).Encode(s.about(control.Addr().String())); err != nil {
		return fmt.Errorf("stand-in: %w", err)
	}
	io.Copy(io.Discard, lines)
	return nil
}

func (s *Server) about(control string) about {
	return about{Token: s.opts.Token, App: s.app, Addr: s.Addr(), Control: control}
}

// Spawn starts a command that calls Main and acts in its stand-in. The process
// ends with the test, which fails if the bot sent what Discord would refuse.
func Spawn(t TB, cmd *exec.Cmd, o Options) *Client {
	t.Helper()
	a, stop, err := spawn(cmd, o)
	if err != nil {
		t.Fatalf("stand-in: %v", err)
	}
	c := newClient(t, a, stop)
	t.Cleanup(func() {
		r, err := c.act(context.Background(), Action{Do: "violations"})
		if err != nil {
			t.Errorf("stand-in: %v", err)
		}
		for _, v := range r.Violations {
			if !o.Lenient {
				t.Errorf("Discord would refuse this body: %s", v)
			}
		}
		c.close()
	})
	return c
}

// spawn starts a stand-in in a process, and gives where it is and what ends it.
func spawn(cmd *exec.Cmd, o Options) (a about, stop func(), err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return a, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return a, nil, err
	}
	if err := cmd.Start(); err != nil {
		return a, nil, err
	}
	stop = func() {
		in.Close()
		killer := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		defer killer.Stop()
		cmd.Wait()
	}
	if err = json.NewEncoder(in).Encode(o); err == nil {
		err = json.NewDecoder(out).Decode(&a)
	}
	if err != nil {
		stop()
	}
	return a, stop, err
}
