package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"tengen/storage/kv"
)

// Asker brings a question to another process and gives that process's answer.
type Asker interface {
	Ask(ctx context.Context, kind string, question []byte) ([]byte, error)
}

// Kind is the kind of the questions to the process with the archive's files.
const Kind = "archive"

const (
	answerWithin = 2 * time.Second
	answerRows   = 200
	answerBytes  = 256 << 10
)

// Remote is the archive whose files another process has; that process answers with serve.
// A Remote can only be read. It is empty while the store has no archive, and until Exists
// is set.
type Remote struct {
	Asker
	Exists func(ctx context.Context) (bool, error)

	found atomic.Bool // Exists was true once
}

func (e *Remote) there(ctx context.Context) (bool, error) {
	if e.found.Load() || e.Exists == nil {
		return e.Exists != nil, nil
	}
	found, err := e.Exists(ctx)
	if found {
		e.found.Store(true)
	}
	return found, err
}

type question struct {
	Key      []byte `json:",omitempty"`
	From, To []byte `json:",omitempty"`
}

type answer struct {
	Rows  []Row
	More  bool   `json:",omitempty"`
	Error string `json:",omitempty"`
}

func (e *Remote) ask(ctx context.Context, q question) (a answer, err error) {
	if there, err := e.there(ctx); err != nil || !there {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	text, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	got, err := e.Ask(ctx, Kind, text)
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := json.Unmarshal(got, &a); err != nil {
		return a, fmt.Errorf("the archive's answer: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// Get is Archive.Get.
func (e *Remote) Get(ctx context.Context, key []byte) ([]byte, error) {
	a, err := e.ask(ctx, question{Key: key})
	if err != nil || len(a.Rows) == 0 {
		return nil, err
	}
	return a.Rows[0].Value, nil
}

// Scan is Archive.Scan.
func (e *Remote) Scan(ctx context.Context, from, to []byte, fn func(key, value []byte) bool) error {
	for {
		a, err := e.ask(ctx, question{From: from, To: to})
		if err != nil {
			return err
		}
		for _, row := range a.Rows {
			if !fn(row.Key, row.Value) {
				return nil
			}
		}
		if !a.More || len(a.Rows) == 0 {
			return nil
		}
		from = append(a.Rows[len(a.Rows)-1].Key, 0)
	}
}

// Write is Archive.Write.
func (e *Remote) Write(context.Context, []Row) error { return ErrUnreachable }

// serve answers one question of a Remote.
func serve(ctx context.Context, a Archive, text []byte) []byte {
	var q question
	var out answer
	err := json.Unmarshal(text, &q)
	switch {
	case err != nil:
	case q.Key != nil:
		var value []byte
		if value, err = a.Get(ctx, q.Key); value != nil {
			out.Rows = []Row{{q.Key, value}}
		}
	default:
		size := 0
		err = a.Scan(ctx, q.From, q.To, func(key, value []byte) bool {
			out.Rows = append(out.Rows, Row{key, value})
			size += len(key) + len(value)
			out.More = len(out.Rows) == answerRows || size > answerBytes
			return !out.More
		})
	}
	if err != nil {
		out = answer{Error: err.Error()}
	}
	text, err = json.Marshal(out)
	if err != nil {
		return nil
	}
	return text
}

// Unreachable is the archive whose files no process has.
type Unreachable struct{}

// Get is Archive.Get.
func (Unreachable) Get(context.Context, []byte) ([]byte, error) { return nil, ErrUnreachable }

// Scan is Archive.Scan.
func (Unreachable) Scan(context.Context, []byte, []byte, func(key, value []byte) bool) error {
	return ErrUnreachable
}

// Write is Archive.Write.
func (Unreachable) Write(context.Context, []Row) error { return ErrUnreachable }

var _ kv.Engine = (*Engine)(nil)
