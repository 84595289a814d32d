// Package schema checks the bodies that a bot sends against Discord's own
// OpenAPI description. Only tests import it, so that the programs do not carry
// a schema compiler. Start with Shared in a test, or from loadFile.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"tengen/bot/standin"
	"tengen/internal/shared"
)

const location = "mem:///openapi.json"

// schema is a loaded description. It may be used by several goroutines.
type schema struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	doc      map[string]any
	compiled map[string]*jsonschema.Schema // nil where the description has no body
}

// Shared gives Discord's description from the shared test data, for
// standin.Options, or nil where there is none: the stand-in's own rules are
// always checked.
func Shared(t testing.TB) standin.Checker {
	t.Helper()
	p := &probe{TB: t}
	file := filepath.Join(shared.Dir(p), "data", "discord", "openapi.json")
	if p.missing {
		t.Log("no OpenAPI description of Discord: bodies are checked by our own rules alone")
		return nil
	}
	s, err := loadOnce(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// probe asks for the shared folder without being skipped where it is missing.
type probe struct {
	testing.TB
	missing bool
}

func (p *probe) Skip(...any) { p.missing = true }

// loaded keeps each description for the life of a test binary: it takes 50 ms
// to load, and hundreds of tests use it.
var loaded sync.Map

func loadOnce(file string) (*schema, error) {
	if s, ok := loaded.Load(file); ok {
		return s.(*schema), nil
	}
	s, err := loadFile(file)
	if err != nil {
		return nil, err
	}
	kept, _ := loaded.LoadOrStore(file, s)
	return kept.(*schema), nil
}

// loadFile reads an OpenAPI 3.1 description.
func loadFile(file string) (*schema, error) {
	doc, err := read(file)
	if err != nil {
		return nil, err
	}
	prune(doc, doc)
	return load(file, doc)
}

func read(file string) (map[string]any, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("openapi description: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("openapi description %s: %w", file, err)
	}
	top, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("openapi description %s: no object", file)
	}
	return top, nil
}

func load(file string, doc map[string]any) (*schema, error) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource(location, doc); err != nil {
		return nil, fmt.Errorf("openapi description %s: %w", file, err)
	}
	return &schema{compiler: c, doc: doc, compiled: map[string]*jsonschema.Schema{}}, nil
}

// Check validates the JSON body of a call. A route that the description does
// not have, or that has no body there, passes.
func (s *schema) Check(method, route string, body []byte) error {
	sch, err := s.schema(strings.ToLower(method), route)
	if err != nil || sch == nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("openapi: %w", err)
	}
	if strings.Contains(route, "/commands") {
		v = coerce(v)
	}
	err = sch.Validate(v)
	if ve, ok := err.(*jsonschema.ValidationError); ok {
		return fmt.Errorf("openapi: %s", deepest(ve))
	}
	return err
}

// schema compiles the schema of one body when it is first asked for.
func (s *schema) schema(method, route string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := method + " " + route
	if sch, done := s.compiled[key]; done {
		return sch, nil
	}
	path := []string{"paths", route, method, "requestBody", "content", "application/json", "schema"}
	if at(s.doc, path) == nil {
		s.compiled[key] = nil
		return nil, nil
	}
	sch, err := s.compiler.Compile(location + "#" + pointer(path))
	if err != nil {
		return nil, fmt.Errorf("openapi: %s: %w", key, err)
	}
	s.compiled[key] = sch
	return sch, nil
}

// at gives what a path of names leads to, nil where it leads nowhere.
func at(doc any, path []string) any {
	for _, p := range path {
		m, _ := doc.(map[string]any)
		doc = m[p]
	}
	return doc
}

var escape = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "@", "%40")

func pointer(path []string) string {
	s := ""
	for _, p := range path {
		s += "/" + escape.Replace(p)
	}
	return s
}

// coerce turns default_member_permissions from a string into a number: the
// documentation says string, the description integer.
func coerce(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = coerce(v[i])
		}
	case map[string]any:
		if s, ok := v["default_member_permissions"].(string); ok {
			v["default_member_permissions"] = json.Number(s)
		}
	}
	return v
}

// deepest words the cause that lies deepest, within the branches of oneOf and
// anyOf whose type is the one of the value.
func deepest(e *jsonschema.ValidationError) string {
	leaf := cause(e)
	p := message.NewPrinter(language.English)
	return "at /" + strings.Join(leaf.InstanceLocation, "/") + ": " + leaf.ErrorKind.LocalizedString(p)
}

func cause(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	causes := e.Causes
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		var matching []*jsonschema.ValidationError
		for _, c := range causes {
			if !otherType(c, len(e.InstanceLocation)) {
				matching = append(matching, c)
			}
		}
		if len(matching) == 0 {
			return e
		}
		causes = matching
	}
	var best *jsonschema.ValidationError
	for _, c := range causes {
		if leaf := cause(c); best == nil || len(leaf.InstanceLocation) > len(best.InstanceLocation) {
			best = leaf
		}
	}
	return best
}

// otherType reports whether a branch fails because it is for another type: of
// component, option or callback, or of JSON value.
func otherType(e *jsonschema.ValidationError, depth int) bool {
	at := e.InstanceLocation
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(at) == depth+1 && at[depth] == "type"
	case *kind.Type, *kind.FalseSchema: // false is what prune has put there
		return len(at) == depth
	}
	for _, c := range e.Causes {
		if otherType(c, depth) {
			return true
		}
	}
	return false
}
