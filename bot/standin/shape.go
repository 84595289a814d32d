package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shapes are the objects that a bot may send, by Discord's documentation: each with its fields and what is in
// them. An exclamation mark says that a field must be there, a question mark that it may be null. What is
// in a field:
//
//	text 1 80      a text of so many characters
//	string         any text
//	int 0 5        a whole number between these, enum the same where each number has a name
//	word a|b       one of these texts
//	value 1 100    a text of so many characters, or a number
//	id, time       a number in a text, a moment
//	list 1 5 x     so many of what follows
//	set 1 5 x      the same, and none of them twice
//	map x          one of what follows for each locale
//	x              an object
//	x 2 3          an object with a type, which is one of these: "x 2" is its shape, or "component 2" where there is none
//
// A hyphen is a bound that is none, or is checked where more is known. What is a matter of several fields, or of
// what stands elsewhere, is checked in rules.go, component.go, form.go and command.go. Discord
// passes over a field that it does not know; here one that says something is a mistake.
var shapes = parsed(`
message: content? text 0 2000; tts bool; flags? int 0 -; embeds? list 0 10 embed
message: components? list 0 40 component 1 9 10 12 13 14 17
message: allowed_mentions? mentions; attachments? list 0 10 file; nonce? value 0 25; enforce_nonce bool
message: message_reference reply; sticker_ids? list 0 3 id; poll any
edit: content? text 0 2000; flags? int 0 -; embeds? list 0 10 embed
edit: components? list 0 40 component 1 9 10 12 13 14 17
edit: allowed_mentions? mentions; attachments? list 0 10 file
mentions: parse? list 0 3 word users|roles|everyone; users? list 0 100 id; roles? list 0 100 id; replied_user bool
reply: type enum 0 1; message_id! id; channel_id id; guild_id id; fail_if_not_exists bool
file: id! id; filename text 1 1024; title text 0 1024; description? text 0 1024

embed: type string; title text 0 256; description text 0 4096; url text 0 2048; timestamp time; color int 0 16777215
embed: footer footer; author author
embed: image picture; thumbnail picture; fields list 0 25 embedfield
footer: text! text 1 2048; icon_url text 0 2048
author: name! text 1 256; url text 0 2048; icon_url text 0 2048
picture: url! text 1 2048
embedfield: name! text 1 256; value! text 1 1024; inline bool

component 1: components! list 1 5 component 2 3 5 6 7 8
component 2: style! enum 1 6; label text 0 80; emoji emoji; custom_id text 1 100; url text 0 512; sku_id text 1 20
component 2: disabled bool
component 3: custom_id! text 1 100; options! list 1 25 choosable; placeholder text 0 150; min_values int 0 25
component 3: max_values int 1 25; disabled bool; required bool
component 4: custom_id! text 1 100; style! enum 1 2; label text 0 45; min_length int 0 4000; max_length int 1 4000
component 4: required bool; value text 0 4000; placeholder text 0 100
component 5: custom_id! text 1 100; placeholder text 0 150; min_values int 0 25; max_values int 1 25; disabled bool
component 5: required bool; default_values list 0 25 chosen
component 6: = component 5
component 7: = component 5
component 8: = component 5; channel_types set 0 - int 0 16
component 9: components! list 1 3 component 10; accessory! component 2 11
component 10: content! text 1 4000
component 11: media! media; description? text 1 1024; spoiler bool
component 12: items! list 1 10 shown
component 13: file! media; spoiler bool; name string; size int 0 -
component 14: divider bool; spacing enum 1 2
component 17: components! list 1 40 component 1 9 10 12 13 14; accent_color? int 0 16777215; spoiler bool
component 18: label! text 1 45; description? text 1 100; component! component 3 4 5 6 7 8 19 21 22 23
component 19: custom_id! text 1 100; min_values int 0 10; max_values int 1 10; required bool
component 21: custom_id! text 1 100; options! list 2 10 choosable; required bool
component 22: custom_id! text 1 100; options! list 1 10 choosable; min_values int 0 10; max_values int 1 10
component 22: required bool
component 23: custom_id! text 1 100; default bool
form 1: id int 0 2147483647; components! list 1 1 labelled 4
labelled 4: = component 4; label! text 1 45
choosable: label! text 1 100; value! text 1 100; description text 0 100; emoji emoji; default bool
chosen: id! id; type! word user|role|channel
emoji: id? id; name! text 1 32; animated bool
media: url! text 1 2048
shown: media! media; description? text 1 1024; spoiler bool

callback 1:
callback 4: data! message
callback 5: data message
callback 6:
callback 7: data message
callback 8: data! offer
callback 9: data! modal
callback 12:
offer: choices list 0 25 choice
choice: name! text 1 100; name_localizations? map text 1 100; value! value 1 100
modal: custom_id! text 1 100; title! text 1 45; components! list 1 5 form 1 10 18

command: id id; type enum 1 4; name! text 1 32; name_localizations? map text 1 32; description text 0 100
command: description_localizations? map text 1 100
command: options? list 0 25 option 1 2 3 4 5 6 7 8 9 10 11; default_member_permissions? bits; dm_permission? bool
command: nsfw bool; handler enum 1 2
command: contexts? set 1 3 enum 0 2; integration_types set 1 2 enum 0 1
option 5: name! text 1 32; name_localizations? map text 1 32; description! text 1 100
option 5: description_localizations? map text 1 100; required bool
option 1: = option 5; options? list 0 25 option 3 4 5 6 7 8 9 10 11
option 2: = option 5; options? list 0 25 option 1
option 3: = option 5; choices? list 0 25 textchoice; autocomplete bool; min_length int 0 6000; max_length int 1 6000
option 4: = option 5; choices? list 0 25 intchoice; autocomplete bool; min_value int - -; max_value int - -
option 6: = option 5
option 7: = option 5; channel_types? set 0 - int 0 16
option 8: = option 5
option 9: = option 5
option 10: = option 5; choices? list 0 25 numberchoice; autocomplete bool; min_value number; max_value number
option 11: = option 5
textchoice: = choice; value! text 1 100
intchoice: = choice; value! int -9007199254740992 9007199254740992
numberchoice: = choice; value! number

thread: name! text 1 100; type enum 10 12; auto_archive_duration int 60 10080
channeledit: name text 1 100; archived bool; locked bool
direct: recipient_id! id
newemoji: name! text 2 32; image! string
listing: name! text 1 100; description text 0 1000; scheduled_start_time! time; scheduled_end_time! time
listing: privacy_level! enum 2 2; entity_type! enum 1 3
listing: entity_metadata! location; channel_id? id
listingedit: name text 1 100; description text 0 1000; scheduled_start_time time; scheduled_end_time time
listingedit: privacy_level enum 2 2; entity_type enum 1 3
listingedit: entity_metadata location; channel_id? id; status enum 1 4
location: location! text 1 100
`)

// bodies are the shapes of the bodies of calls, by method and route.
var bodies = map[string]string{
	"POST " + routeCallback: "callback 1 4 5 6 7 8 9 12",
	"POST " + routeHook:     "message", "PATCH " + routeOriginal: "edit", "PATCH " + routeHookMsg: "edit",
	"POST " + routeMessages: "message", "PATCH " + routeMessage: "edit",
	"POST /channels/{channel_id}/threads":                       "thread",
	"POST /channels/{channel_id}/messages/{message_id}/threads": "thread",
	"PATCH /channels/{channel_id}":                              "channeledit",
	"POST /users/@me/channels":                                  "direct",
	"POST /applications/{application_id}/emojis":                "newemoji",
	"POST /guilds/{guild_id}/scheduled-events":                  "listing",
	"PATCH /guilds/{guild_id}/scheduled-events/{event_id}":      "listingedit",

	"PUT " + routeCommands: "list 0 - command", "PUT " + routeGuildCommands: "list 0 - command",
}

// shape is an object: its fields by their names.
type shape map[string]kind

// kind is what may be in a field.
type kind struct {
	name       string // a word of the table, or that of a shape
	least      int
	most       int
	words      []string
	of         *kind // of each in a list or a map
	types      []int // of an object that has one
	must, null bool
}

// parsed reads the table.
func parsed(table string) map[string]shape {
	all := map[string]shape{}
	for line := range strings.Lines(table) {
		name, fields, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if all[name] == nil {
			all[name] = shape{}
		}
		if strings.Contains(name, " ") {
			all[name]["type"] = read("int 1 23")
		}
		if strings.HasPrefix(name, "component ") {
			all[name]["id"] = read("int 0 2147483647")
		}
		for _, field := range strings.Split(fields, ";") {
			if like, ok := strings.CutPrefix(strings.TrimSpace(field), "= "); ok {
				maps.Copy(all[name], all[like])
				continue
			}
			key, what, ok := strings.Cut(strings.TrimSpace(field), " ")
			if !ok {
				continue
			}
			k := read(what)
			k.must, k.null = strings.HasSuffix(key, "!"), strings.HasSuffix(key, "?")
			all[name][strings.TrimRight(key, "!?")] = k
		}
	}
	return all
}

// read reads what may be in a field.
func read(what string) kind {
	words := strings.Fields(what)
	k := kind{name: words[0], most: math.MaxInt}
	switch k.name {
	case "text", "value", "int", "enum", "list", "set":
		k.least = numberOr(words[1], math.MinInt)
		k.most = numberOr(words[2], math.MaxInt)
		if k.name == "list" || k.name == "set" {
			of := read(strings.Join(words[3:], " "))
			k.of = &of
		}
	case "map":
		of := read(strings.Join(words[1:], " "))
		k.of = &of
	case "word":
		k.words = strings.Split(words[1], "|")
	default:
		for _, w := range words[1:] {
			k.types = append(k.types, numberOr(w, 0))
		}
	}
	return k
}

func numberOr(s string, or int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return or
}

// CheckBody checks the JSON body of a call by what a bot may send there. Route is as that of a Checker.
func CheckBody(method, route string, body []byte) error {
	what, ok := bodies[method+" "+route]
	if !ok {
		return invalidForm(Problem{"", "UNKNOWN_BODY", "This call takes no body."})
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return errBadJSON
	}
	p := &problems{}
	read(what).check(p, "", v)
	return p.err()
}

// check adds what is wrong with a value.
func (k kind) check(p *problems, path string, v any) {
	bad := func() {
		p.add(path, "BASE_TYPE_BAD_TYPE", "Could not interpret %.40v as %s.", v, k.name)
	}
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch k.name {
	case "any":
	case "text", "string", "value":
		switch {
		case isNumber && k.name == "value":
		case !isText:
			bad()
		case k.name != "string":
			p.length(path, text, k.least, k.most)
		}
	case "word":
		if !slices.Contains(k.words, text) {
			p.add(path, "BASE_TYPE_CHOICES", "Value must be one of %v.", k.words)
		}
	case "id":
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			p.add(path, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", fmt.Sprint(v))
		}
	case "bits":
		if _, err := strconv.ParseUint(fmt.Sprint(v), 10, 64); err != nil {
			bad()
		}
	case "time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			bad()
		}
	case "bool":
		if _, ok := v.(bool); !ok {
			bad()
		}
	case "number":
		if !isNumber {
			bad()
		}
	case "int", "enum":
		n, err := strconv.Atoi(number.String())
		switch {
		case !isNumber || err != nil:
			bad()
		case n >= k.least && n <= k.most:
		case k.name == "enum":
			p.add(path, "BASE_TYPE_CHOICES", "Value must be one of %d to %d.", k.least, k.most)
		case n < k.least:
			p.add(path, "NUMBER_TYPE_MIN", "int value should be greater than or equal to %d.", k.least)
		default:
			p.add(path, "NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", k.most)
		}
	case "list", "set":
		k.list(p, path, v, bad)
	case "map":
		m, ok := v.(map[string]any)
		if !ok {
			bad()
		}
		for locale, one := range m {
			if !slices.Contains(locales, locale) {
				p.add(join(path, locale), "BASE_TYPE_CHOICES", "%q is no locale of Discord.", locale)
			}
			k.of.check(p, join(path, locale), one)
		}
	default:
		k.object(p, path, v, bad)
	}
}

func (k kind) list(p *problems, path string, v any, bad func()) {
	all, ok := v.([]any)
	switch {
	case !ok:
		bad()
	case len(all) > k.most && k.least == 0:
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", k.most)
	case len(all) < k.least || len(all) > k.most:
		p.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", k.least, k.most)
	}
	for i, one := range all {
		same := func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(one) }
		if k.name == "set" && slices.IndexFunc(all, same) != i {
			p.add(join(path, i), "BASE_TYPE_CHOICES", "Value must be unique.")
		}
		k.of.check(p, join(path, i), one)
	}
}

func (k kind) object(p *problems, path string, v any, bad func()) {
	m, ok := v.(map[string]any)
	if !ok {
		bad()
		return
	}
	fields := shapes[k.name]
	if k.types != nil {
		t := numberOr(fmt.Sprint(m["type"]), 0)
		if !slices.Contains(k.types, t) {
			p.add(join(path, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of %s, not %v.",
				tuple(k.types), m["type"])
			return
		}
		if fields = shapes[fmt.Sprint(k.name, " ", t)]; fields == nil {
			fields = shapes[fmt.Sprint("component ", t)]
		}
	}
	for name, one := range m {
		field, known := fields[name]
		switch {
		case !known && (one == nil || one == "" || one == false): // it says nothing: discordgo sends such
		case !known:
			p.add(join(path, name), "UNKNOWN_FIELD", "There is no such field here.")
		case one == nil && field.null:
		default:
			field.check(p, join(path, name), one)
		}
	}
	for name, field := range fields {
		if _, there := m[name]; field.must && !there {
			p.add(join(path, name), "BASE_TYPE_REQUIRED", "This field is required")
		}
	}
}
