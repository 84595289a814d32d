//go:build !unix

package pgtest

import (
	"os/exec"
	"testing"
)

func as(c *exec.Cmd) *exec.Cmd { return c }

// Own gives a folder to the server.
func Own(string) error { return nil }

func halt(t testing.TB, _ int) { t.Skip("no signals here that stop a process") }
