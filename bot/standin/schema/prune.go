package schema

import "strings"

// prune rewrites the choices in v, a part of doc, so that they are quicker to check. It changes nothing of
// what they accept. As the description has them, a component is checked against all kinds of components,
// and so is each component in it, again and again.
func prune(doc map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, part := range v {
			prune(doc, part)
		}
	case map[string]any:
		for _, part := range v {
			prune(doc, part)
		}
		for _, word := range []string{"oneOf", "anyOf"} {
			if branches, ok := v[word].([]any); ok {
				typesFirst(doc, branches)
			}
		}
		if values := constants(v["oneOf"]); values != nil && v["enum"] == nil {
			delete(v, "oneOf")
			v["enum"] = values
		}
	}
}

// typesFirst lets a branch that is for objects of some types alone look at the type first, and at nothing
// else where it is another.
func typesFirst(doc map[string]any, branches []any) {
	for i, branch := range branches {
		if types := typesOf(doc, branch); types != nil {
			branches[i] = map[string]any{
				"if": map[string]any{"required": []any{"type"},
					"properties": map[string]any{"type": map[string]any{"enum": types}}},
				"then": branch, "else": false,
			}
		}
	}
}

// typesOf are the values of "type" that a branch insists on; nil: on none.
func typesOf(doc map[string]any, branch any) any {
	b, _ := branch.(map[string]any)
	if ref, ok := b["$ref"].(string); ok {
		if b, _ = at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")).(map[string]any); b == nil {
			return nil
		}
	}
	required, _ := b["required"].([]any)
	for _, name := range required {
		if name == "type" {
			return at(b, []string{"properties", "type", "enum"})
		}
	}
	return nil
}

// constants are the values of a choice of values, of which each has a description; nil where it is another
// choice.
func constants(choice any) (values []any) {
	branches, _ := choice.([]any)
	for _, branch := range branches {
		b, _ := branch.(map[string]any)
		value, ok := b["const"]
		if !ok {
			return nil
		}
		for word := range b {
			if word != "const" && word != "title" && word != "description" {
				return nil
			}
		}
		values = append(values, value)
	}
	return values
}
