package view

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"tengen/bot/chat"
)

// Again adds to the refusal of a filled form the button that opens the form again as it was
// filled in.
func (t Tongue) Again(r chat.Request, err error, verb string, fields []string) error {
	if err == nil {
		return nil
	}
	return Offering(err, chat.Button{ID: Do(verb, Packed(r, fields)), Label: t.Say("button.change"), Style: chat.Primary})
}

// longestArg is the longest argument of a press that belongs to no match, in units of UTF-16.
var longestArg = 100 - len(Do("imported", ""))

// Packed is what a form was filled in with, in few characters. The last field alone may hold
// the separator. Where that is too long, fields are left out, from the last one on.
func Packed(r chat.Request, fields []string) string {
	filled := map[string]string{}
	for _, name := range fields {
		filled[name] = r.Text(name, "")
	}
	return Pack(filled, fields)
}

// Pack is the values of fields, in the form of Packed.
func Pack(filled map[string]string, fields []string) string {
	values := make([]string, len(fields))
	for i, name := range fields {
		values[i] = filled[name]
		if i < len(fields)-1 && strings.Contains(values[i], ".") {
			values[i] = ""
		}
	}
	arg := strings.Join(values, ".")
	for i := range slices.Backward(values) {
		if len(utf16.Encode([]rune(arg))) <= longestArg && utf8.ValidString(arg) {
			break
		}
		values[i] = ""
		arg = strings.Join(values, ".")
	}
	return arg
}

// Unpacked is what a form was filled in with, by Packed.
func Unpacked(arg string, fields []string) map[string]string {
	filled := map[string]string{}
	if arg == "" {
		return filled
	}
	for i, v := range strings.SplitN(arg, ".", len(fields)) {
		filled[fields[i]] = v
	}
	return filled
}
