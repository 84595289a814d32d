package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version that the build carries.
func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, "tengen", version())
	return err
}

// version is the one that the build carries.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
