//go:build !unix

package pgtest

import "os/exec"

func as(c *exec.Cmd) *exec.Cmd { return c }

func own(string) error { return nil }
