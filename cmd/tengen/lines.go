package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine is the length at which a line of input is cut. A line that was cut is too long for
// every command.
const maxLine = 1 << 16

// answerLines reads position lines from s.in and writes what answer says of each to
// s.out, at once when no further line is waiting. Blank lines and those that begin with #
// are skipped. A line that answer calls bad does not stop the others; the error comes at
// the end.
func answerLines(ctx context.Context, s streams, answer func(line string) (text string, bad bool)) error {
	return answerNumbered(ctx, s, maxLine, plainText, func(l inputLine) (string, bool) { return answer(l.text) })
}

// inputLine is a line of input with its number, from 1.
type inputLine struct {
	number int
	text   string
	cut    bool // it was too long
}

// answerNumbered is answerLines for lines that are cut at another length. pick gives a line
// as answer is to see it, or that it gets no answer.
func answerNumbered(ctx context.Context, s streams, longest int, pick func(line string) (text string, ok bool),
	answer func(inputLine) (text string, bad bool)) error {
	lines := make(chan inputLine, max(1, 64*maxLine/longest))
	broken := make(chan error, 1)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The reader outlives the command when a signal ends it: nothing else can end a read
	// from a terminal.
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(s.in, maxLine)
		for number := 1; ; number++ {
			line, cut, err := readLine(r, longest)
			if text, ok := pick(line); ok && (line != "" || err == nil) {
				select {
				case lines <- inputLine{number, text, cut}:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					broken <- err
				}
				return
			}
		}
	}()
	out := bufio.NewWriter(s.out)
	total, wrong := 0, 0
	for {
		select {
		case <-ctx.Done():
			out.Flush()
			return interrupted(ctx)
		case line, ok := <-lines:
			if !ok {
				return endLines(out, broken, total, wrong)
			}
			text, bad := answer(line)
			if ctx.Err() != nil {
				continue
			}
			total++
			if bad {
				wrong++
			}
			out.WriteString(text + "\n")
			if len(lines) == 0 {
				if err := out.Flush(); err != nil {
					return fmt.Errorf("writing: %w", err)
				}
			}
		}
	}
}

func endLines(out *bufio.Writer, broken chan error, total, wrong int) error {
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	select {
	case err := <-broken:
		return fmt.Errorf("reading: %w", err)
	default:
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d lines could not be answered", wrong, total)
	}
	return nil
}

// answerText is the answer to a line, or its error, for people or as JSON.
func answerText(answer fmt.Stringer, err error, asJSON bool) (text string, bad bool) {
	switch {
	case err != nil && asJSON:
		return toJSON(map[string]string{"error": err.Error()}), true
	case err != nil:
		return "error: " + err.Error(), true
	case asJSON:
		return toJSON(answer), false
	}
	return answer.String(), false
}

// plainText picks the lines that are neither blank nor a comment, without the blanks around
// them.
func plainText(line string) (text string, ok bool) {
	text = strings.TrimSpace(line)
	return text, text != "" && text[0] != '#'
}

// readLine is the next line. Of a line that is too long it keeps the beginning.
func readLine(r *bufio.Reader, longest int) (line string, cut bool, err error) {
	part, more, err := r.ReadLine()
	line = string(part)
	if more {
		var b strings.Builder
		for b.WriteString(line); more && err == nil; {
			part, more, err = r.ReadLine()
			keep := min(len(part), max(longest-b.Len(), 0))
			b.Write(part[:keep])
			cut = cut || keep < len(part)
		}
		line = b.String()
	}
	return line, cut, err
}

// interrupted is the end of a command that a signal stopped.
func interrupted(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), "terminated") {
		return exit{143, "terminated"}
	}
	return exit{130, "interrupted"}
}
