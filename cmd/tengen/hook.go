package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"tengen/storage/bolt"
)

// hookSays is how much of what a hook writes its error repeats, in bytes.
const hookSays = 2000

// hookEnds is how long a hook that was killed may keep its output open.
const hookEnds = 5 * time.Second

// hook is a command of the operator's, for copies elsewhere, say. It is called with the path of each backup behind its
// own arguments, and by no shell.
type hook struct {
	command []string
	within  time.Duration
}

// after is the hook of the configuration for bolt; nil where there is none.
func (c storeConfig) after() func(context.Context, bolt.Backup) error {
	if len(c.AfterBackup) == 0 {
		return nil
	}
	h := hook{c.AfterBackup, c.AfterBackupWithin}
	return func(ctx context.Context, made bolt.Backup) error { return h.run(ctx, made.Path) }
}

func (h hook) run(ctx context.Context, path string) error {
	limited, cancel := context.WithTimeout(ctx, h.within)
	defer cancel()
	cmd := exec.CommandContext(limited, h.command[0], append(h.command[1:len(h.command):len(h.command)], path)...)
	cmd.WaitDelay = hookEnds
	said := &clipped{most: hookSays}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		err = fmt.Errorf("it did not end within %v and was killed", h.within)
	}
	return fmt.Errorf("after_backup: %s: %w: %q", h.command[0], err, bytes.TrimSpace(said.text))
}

// clipped keeps the beginning of what is written.
type clipped struct {
	text []byte
	most int
}

// Write is io.Writer.Write. What it drops counts as written.
func (c *clipped) Write(b []byte) (int, error) {
	c.text = append(c.text, b[:min(len(b), c.most-len(c.text))]...)
	return len(b), nil
}
