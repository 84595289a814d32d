package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// A release is built twice, and is the same; its package holds the program, the unit and a token's place, and its bill
// of materials every module that the program tells of.
func TestRelease(t *testing.T) {
	t.Parallel()
	if testkit.Dose("TENGEN_RELEASE", 0) == 0 {
		t.Skip("builds the program: TENGEN_RELEASE=1")
	}
	for _, tool := range []string{"git", "ar", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool + " here")
		}
	}
	one, two := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, out := range []string{one, two} {
		c := exec.Command("deploy/release", out)
		c.Dir = "../.."
		c.Env = append(os.Environ(), "TARGETS=linux/amd64")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	sums := testkit.Read(t, filepath.Join(one, "SHA256SUMS"))
	if again := testkit.Read(t, filepath.Join(two, "SHA256SUMS")); !bytes.Equal(sums, again) {
		t.Errorf("two builds differ:\n%s\n%s", sums, again)
	}
	if n := bytes.Count(sums, []byte("\n")); n != 3 {
		t.Errorf("%d files:\n%s", n, sums)
	}
	only := func(pattern string) string {
		t.Helper()
		found := testkit.Got(filepath.Glob(filepath.Join(one, pattern)))
		if len(found) != 1 {
			t.Fatalf("%s: %v", pattern, found)
		}
		return found[0]
	}
	root := t.TempDir()
	if said, err := exec.Command("dpkg-deb", "-x", only("*.deb"), root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	unit := string(testkit.Read(t, filepath.Join(root, "lib/systemd/system/tengen.service")))
	if !strings.Contains(unit, "ExecStart=/usr/bin/tengen run\n") || strings.Contains(unit, "local") {
		t.Errorf("the unit of the package:\n%s", unit)
	}
	said := testkit.Got(exec.Command(filepath.Join(root, "usr/bin/tengen"), "version", "--licenses").Output())
	spdx := testkit.Read(t, only("*.spdx"))
	for line := range strings.Lines(string(said)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "github.com/")
		if ok && !strings.Contains(name, " ") && !bytes.Contains(spdx, []byte("PackageName: github.com/"+name+"\n")) {
			t.Errorf("the bill of materials lacks github.com/%s", name)
		}
	}
	if !bytes.Contains(spdx, []byte("PackageName: go standard library\n")) {
		t.Error("the bill of materials lacks Go")
	}
}

// The scripts of a release are shell that runs, and the package asks for nothing that is not there.
func TestReleaseScripts(t *testing.T) {
	for _, file := range []string{"release", "deb/postinst", "deb/prerm", "deb/postrm"} {
		if said, err := exec.Command("sh", "-n", "../../deploy/"+file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", file, err, said)
		}
		if info, err := os.Stat("../../deploy/" + file); err != nil || info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s cannot be run: %v", file, err)
		}
	}
	release := string(testkit.Read(t, "../../deploy/release"))
	ci := string(testkit.Read(t, "../../.ci/run"))
	for _, text := range []string{
		"linux/amd64 linux/arm64 linux/arm linux/386 darwin/amd64 darwin/arm64 windows/amd64 freebsd/amd64",
	} {
		if !strings.Contains(release, text) || !strings.Contains(ci, text) {
			t.Errorf("a release is for other machines than .ci/run builds for: %s", text)
		}
	}
	if !strings.Contains(release, `-trimpath -tags grpcnotrace -ldflags "-s -w"`) {
		t.Error("a release is built otherwise than the image")
	}
}
