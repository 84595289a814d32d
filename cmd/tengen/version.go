package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime/debug"

	"tengen/storage"
)

type versionCmd struct {
	Licenses bool `help:"Print the licences of all that the program is made of."`
}

// licenses is the licence of each module in the program; a test writes it.
//
//go:embed licenses.txt
var licenses string

// Run prints the version that the build carries.
func (c versionCmd) Run(s streams) error {
	if c.Licenses {
		_, err := io.WriteString(s.out, licenses)
		return err
	}
	_, err := fmt.Fprintln(s.out, "tengen", version())
	return err
}

// rowsVersion tells programs apart by the rows that they know, too: a build without a version control
// system behind it carries no version.
func rowsVersion() string { return version() + ", rows of " + storage.RowsOf() }

// version is the one that the build carries.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
