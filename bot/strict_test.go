package bot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// spoiler checks bodies by Discord's OpenAPI description. It also checks what becomes of them by one small fault:
// what the description refuses, the stand-in's own table has to refuse as well. A fault is tried once at each
// place: a field of a kind of object.
type spoiler struct {
	standin.Checker
	t     *testing.T
	tried *sync.Map
}

// spoiled are the places that conversations have tried, over all tests of the process.
var spoiled sync.Map

// spoiling is a spoiler, or nothing where there is no description.
func spoiling(t *testing.T, c standin.Checker) standin.Checker {
	if c == nil {
		return nil
	}
	return spoiler{c, t, &spoiled}
}

func (s spoiler) Check(method, route string, body []byte) error {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	parts, several := v.([]any) // the table of commands: one by one, or each fault would cost the whole of it
	if !several {
		parts = []any{v}
	}
	for _, part := range parts {
		whole := part
		if several {
			whole = []any{part}
		}
		spoilt(part, method+" "+route, func(place string) bool {
			_, tried := s.tried.LoadOrStore(place, true)
			return !tried
		}, func(place, fault string) {
			bad, err := json.Marshal(whole)
			testkit.Check(s.t, err)
			why := s.Checker.Check(method, route, bad)
			if why != nil && standin.CheckBody(method, route, bad) == nil && place != beside {
				s.t.Errorf("%s: the table takes %s, and Discord says %v", place, fault, why)
			}
		})
	}
	return s.Checker.Check(method, route, body)
}

// beside is the place where the stand-in knows more than its table: whether a suggestion is a text or a number
// follows from the option that a member types.
const beside = "POST /interactions/{interaction_id}/{interaction_token}/callback(8).data.choices[].value"

// spoilt puts each fault into each place of v that is new, one at a time, and calls try while it is there.
func spoilt(v any, place string, fresh func(place string) bool, try func(place, fault string)) {
	switch v := v.(type) {
	case map[string]any:
		kind := ""
		if t, ok := v["type"]; ok {
			kind = fmt.Sprintf("(%v)", t)
		}
		for name, was := range v {
			at := place + kind + "." + name
			spoilt(was, at, fresh, try)
			if !fresh(at) {
				continue
			}
			for fault, bad := range faults(was) {
				v[name] = bad
				try(at, fault)
			}
			delete(v, name)
			try(at, "nothing")
			v[name] = was
		}
	case []any:
		for _, one := range v {
			spoilt(one, place+"[]", fresh, try)
		}
	}
}

// faults are values that may be wrong in place of another.
func faults(was any) map[string]any {
	bad := map[string]any{"null": nil, "a number": 7, "a text": "x", "yes": true, "a list": []any{},
		"an object": map[string]any{}}
	switch was := was.(type) {
	case string:
		bad["an empty text"], bad["a long text"] = "", strings.Repeat("x", 7000)
	case float64:
		bad["a small number"], bad["a large number"], bad["a fraction"] = -1, 99_000_000, 0.5
	case []any:
		if len(was) > 0 {
			bad["a long list"], bad["a list of null"] = slices.Repeat(was, 150/len(was)+1), []any{nil}
		}
	}
	return bad
}
