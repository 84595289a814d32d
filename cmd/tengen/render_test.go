package main

import (
	"bytes"
	"context"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

func TestRender(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "game.txt")
	testkit.Must(t, os.WriteFile(in, []byte("gomoku9 e5d6d5f5e4e6\n"), 0o644))
	out := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args string
		in   string
		code int
		says string // in the last line of stderr
	}{
		{args: "FILE -o a.png"},
		{args: "- -o b.png --size 300 --theme slate --numbers all --turned", in: "reversi d3c3"},
		{args: "FILE -o a.gif --size 200 --numbers last --delay 100ms"},
		{args: "FILE -o a.txt --move 2"},
		{args: "FILE -o a.jpg", code: 2, says: "must end in .png, .gif or .txt"},
		{args: "FILE", code: 2, says: "must end in"},
		{args: "-o a.png", code: 2, says: "which game"},
		{args: "FILE -o x.png --theme plaid", code: 2, says: `no theme "plaid"; the themes are wood,`},
		{args: "FILE -o x.png --size 100000", code: 2, says: "size 100000"},
		{args: "FILE -o x.png --rules chess", code: 2, says: `unknown rules "chess"`},
		{args: "FILE -o x.png --numbers some", code: 2, says: "tengen --help"},
		{args: "- -o x.png", in: "gomoku9 e5e5", code: 1, says: "move 2"},
		{args: "- -o x.png", in: " \n", code: 1, says: "stdin is empty"},
		{args: "missing.txt -o x.png", code: 1, says: "missing.txt"},
		{args: "FILE -o no/such/folder/x.png", code: 1, says: "no/such/folder"},
	} {
		var args []string
		for _, a := range strings.Fields("render " + c.args) {
			switch {
			case a == "FILE":
				a = in
			case strings.Contains(a, "x.") || strings.HasPrefix(a, "a.") || strings.HasPrefix(a, "b."):
				a = out(a)
			}
			args = append(args, a)
		}
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args, streams{strings.NewReader(c.in), &stdout, &stderr})
		if code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: code %d, want %d; %s", c.args, code, c.code, stderr.String())
		}
	}
	for name, size := range map[string]int{"a.png": 1050, "b.png": 300} {
		data := testkit.Read(t, out(name))
		im, err := png.Decode(bytes.NewReader(data))
		if err != nil || im.Bounds().Dx() != size {
			t.Errorf("%s: %v, want %d pixels", name, err, size)
		}
	}
	film := testkit.Got(os.Open(out("a.gif")))
	defer film.Close()
	if g, err := gif.DecodeAll(film); err != nil || len(g.Image) != 8 || g.Delay[1] != 10 {
		t.Errorf("a.gif: %v", err)
	}
	if text, err := os.ReadFile(out("a.txt")); err != nil || strings.Count(string(text), "X") != 1 {
		t.Errorf("a.txt: %v\n%s", err, text)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".render-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, err := os.Stat(out("x.png")); err == nil {
		t.Error("a refused picture was written")
	}
}

func TestRenderStdout(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"render", "-", "-o", "-"},
		streams{strings.NewReader("renju h8"), &stdout, &stderr})
	if _, err := png.Decode(&stdout); code != 0 || err != nil {
		t.Errorf("code %d, %v, %s", code, err, stderr.String())
	}
}

// A picture of Renju marks what is forbidden unless it is asked not to.
func TestRenderForbidden(t *testing.T) {
	const line = "renju h8g9i8h9i9j10g7f6j7k6" // Black is to move, and some points are forbidden
	draw := func(flags ...string) (text string) {
		out := filepath.Join(t.TempDir(), "board.txt")
		var stderr bytes.Buffer
		args := append([]string{"render", "-", "-o", out}, flags...)
		if code := run(context.Background(), args, streams{strings.NewReader(line), io.Discard, &stderr}); code != 0 {
			t.Fatalf("%v: code %d, %s", args, code, stderr.String())
		}
		data := testkit.Read(t, out)
		return string(data)
	}
	marked, bare := draw(), draw("--no-forbidden")
	if !strings.Contains(marked, "!") || strings.Contains(bare, "!") {
		t.Errorf("marked:\n%s\nbare:\n%s", marked, bare)
	}
	if draw("--forbidden") != marked {
		t.Error("--forbidden, which used to ask for the marks, draws another board")
	}
}

func TestListThemes(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"render", "--list-themes"},
		streams{strings.NewReader(""), &stdout, &stderr})
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if code != 0 || len(lines) < 9 || !strings.HasPrefix(lines[0], "wood ") {
		t.Errorf("code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}
