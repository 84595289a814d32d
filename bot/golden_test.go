package bot

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/host"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

var writeGolden = flag.Bool("golden", false, "write the golden rows that are missing")

// A scene is a file testdata/golden/NAME.txt with the store testdata/golden/NAME.rows. It holds custom ids that
// stand in messages of our users, and what pressing each one does. The store is one that the program of that day
// wrote: its keys and values in hexadecimal. Neither a row nor an id of a scene is ever changed; what comes of a
// press is written by -update, and read before the commit.
//
//	set ann #games /play bot game:gomoku    how the rows came about: a command,
//	set bob #games [accept:black]           a custom id that ends so, on the newest message that has one,
//	set bob #games 1:0:0:set:1.calls = never    a custom id with what was chosen,
//	wait 5s                                 time in which the bot works
//	at 2026-01-01T00:02:00Z                 the time of the rows
//	ID  ann #games 3  = never               a press on message 3; fields are separated by tabs
//	ID  ann #games 3  form name=Cup; at=2h  a filled form
//
// The lines that begin with a tab say what came of the press on a fresh copy of the store: messages that
// are new or stand in place of others, the form that opened, what is offered. To add an id, add its line.
// To add what the store lacks, add a scene: -golden plays its "set" lines and writes its rows.
// The ids under the comment goldenUnknown are understood no longer, or never were; all others are for ever.
const goldenUnknown = "# Not understood: no id of ours, of another member, or of a button that is never enabled.\n"

const goldenScenes = "testdata/golden/*.txt"

func TestGoldenIDs(t *testing.T) {
	files, err := filepath.Glob(goldenScenes)
	if err != nil || len(files) == 0 {
		t.Fatal("no scenes", err)
	}
	for _, file := range files {
		data := testkit.Read(t, file)
		rows := strings.TrimSuffix(file, ".txt") + ".rows"
		if _, err := os.Stat(rows); errors.Is(err, fs.ErrNotExist) && *writeGolden {
			synctest.Test(t, func(t *testing.T) { setScene(t, string(data), rows) })
		}
		var out strings.Builder
		at, section := time.Time{}, ""
		for line := range strings.Lines(string(data)) {
			switch {
			case strings.HasPrefix(line, "\t"):
				continue
			case strings.HasPrefix(line, "at "):
				at = testkit.Got(time.Parse(time.RFC3339, strings.TrimSpace(line[3:])))
			}
			out.WriteString(line)
			if line[0] == '#' {
				section = line
			}
			if !strings.HasPrefix(line, "1:") {
				continue
			}
			came := ""
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(at))
				s := newScene(t, loadRows(t, rows))
				calmAfter(settled)
				came = s.act(strings.TrimSuffix(line, "\n"))
			})
			if strings.Contains(came, texts.In("en").Say("unknown.button")) != (section == goldenUnknown) {
				t.Errorf("%s\n%s", line, came)
			}
			out.WriteString(indented(came))
		}
		if out.String() == string(data) {
			continue
		}
		if *update {
			testkit.Must(t, os.WriteFile(file, []byte(out.String()), 0o644))
			continue
		}
		got, want := strings.Split(out.String(), "\n"), strings.Split(string(data), "\n")
		for i := range want {
			if lineAt(got, i) != want[i] {
				after := strings.Join(got[max(0, i-6):min(i, len(got))], "\n")
				t.Fatalf("%s:%d:\n got %s\nwant %s\nafter\n%s", file, i+1, lineAt(got, i), want[i], after)
			}
		}
	}
}

// settled is how long the bot works before a press, so that what comes after it comes of it; acted, how long after it.
const (
	settled = 15 * time.Second
	acted   = 20 * time.Second
)

// tokens are what an argument of a custom id may hold that is no word: their forms by how they are written.
var tokens = []struct {
	form string
	re   *regexp.Regexp
}{
	{"N", regexp.MustCompile(`^(-?\d+|[0-9a-f]{2,})$`)}, // a number, or moves in hexadecimal
	{"P", regexp.MustCompile(`^[A-O]\d{1,2}$`)},
	{"A", regexp.MustCompile(`^[▲▶▼◀◢◣◤◥]$`)},
	{"Z", regexp.MustCompile(`^[a-z]\d{5}$`)},               // a puzzle
	{"B", regexp.MustCompile(`^[\w-]*[A-Z_\d-][\w-]*$`)},    // moves in base64
	{"M", regexp.MustCompile(`^[pdro][0-9a-z][0-9a-z]u?$`)}, // what a puzzle is solved for
}

// formOf is a custom id without what differs from one game to another. That of a field is its name.
func formOf(id string) string {
	f := strings.SplitN(id, ":", 5)
	if len(f) < 5 || f[0] != "1" {
		return id
	}
	switch f[3] {
	// a filled form, a game
	case "new", "evnew", "evsure", "evwhen", "import", "imported", "load", "study", "tree", "look", "lend", "lent":
		return f[3]
	case "menu": // what was pressed, and all that was chosen before
		name, _, _ := strings.Cut(f[4], ".")
		return f[3] + " " + name
	}
	args := strings.Split(f[4], ".")
	for i, arg := range args {
		if _, ok := game.RulesNamed(arg); ok || slices.Contains(host.AllOpenings(), arg) {
			args[i] = "G"
			continue
		}
		for _, t := range tokens {
			if t.re.MatchString(arg) {
				args[i] = t.form
				if t.form == "M" {
					args[i] += arg[:1] + arg[3:]
				}
				break
			}
		}
	}
	return fmt.Sprint(f[3], " ", f[1] != "0", " ", strings.Join(args, "."))
}

// goldenForms are the forms of all custom ids of the scenes, and of the forms and fields that opened.
var goldenForms = sync.OnceValues(func() (map[string]bool, error) {
	forms := map[string]bool{}
	files, err := filepath.Glob(goldenScenes)
	for _, file := range files {
		data, e := os.ReadFile(file)
		err = errors.Join(err, e)
		opened := false
		for line := range strings.Lines(string(data)) {
			if id, _, ok := strings.Cut(line, "\t"); ok && id != "" {
				forms[formOf(id)] = true
			} else if id, ok := strings.CutPrefix(line, "\tform "); ok {
				forms[formOf(strings.TrimSpace(id))], opened = true, true
			} else if field, _, ok := strings.Cut(line, " = "); ok && opened && strings.HasPrefix(line, "\t    ") {
				forms[strings.TrimSpace(field)] = true
			} else {
				opened = false
			}
		}
	}
	return forms, err
})

// sampled is a check of bodies that refuses custom ids of a form that no scene has: a message with one
// stays in our users' channels, so that it needs a sample before it goes out.
type sampled struct{ standin.Checker }

var customIDText = regexp.MustCompile(`"custom_id":("(?:[^"\\]|\\.)*")`)

// Check is Checker.Check.
func (s sampled) Check(method, route string, body []byte) error {
	forms, err := goldenForms()
	for _, m := range customIDText.FindAllSubmatch(body, -1) {
		var id string
		err = errors.Join(err, json.Unmarshal(m[1], &id))
		if !forms[formOf(id)] {
			err = errors.Join(err, fmt.Errorf("custom id %q (form %q) is in no scene of %s: "+
				"add a line with it, who presses it and where (golden_test.go says how)", id, formOf(id), goldenScenes))
		}
	}
	if err != nil || s.Checker == nil {
		return err
	}
	return s.Checker.Check(method, route, body)
}

// A custom id of a new form is found in the first message that has it.
func TestGoldenForms(t *testing.T) {
	for _, body := range []string{`{"custom_id":"1:0:0:coin:toss"}`, `{"custom_id":"1:abc:3:play:H8.sure"}`,
		`{"custom_id":"2:abc:3:play:H8"}`, `{"custom_id":"field\u0041"}`} {
		if err := (sampled{}).Check("", "", []byte(body)); err == nil {
			t.Errorf("%s has a sample", body)
		}
	}
	known := `[{"custom_id":"1:abc:3:play:H8"},{"custom_id":"1:0:0:puzzle:at.p02u.g00013.lTY.A1"},{"custom_id":"at"}]`
	testkit.Check(t, (sampled{}).Check("", "", []byte(known)))
}

// scene is a bot on paper over the rows of a scene.
type scene struct {
	*desktop
	engine *kv.Memory
}

func newScene(t *testing.T, engine *kv.Memory) *scene {
	seeds := uint64(0)
	return &scene{engine: engine, desktop: onPaperOver(t, engine, func(c *Config) {
		c.Decide, c.Balanced, c.Puzzles, c.Draw = simplyDecide, plainOpening, fewPuzzles, undrawn
		c.Random = func() uint64 { seeds++; return seeds }
		c.Options = Options{ReviewMeans: review.Means{Nodes: 1500}}
	})}
}

// undrawn is no picture: a scene is about words and buttons.
func undrawn(game.Game, render.Options) ([]byte, error) { return []byte("picture"), nil }

// Who acts in scenes, and where.
var (
	sceneMembers = map[string]game.MemberID{
		"ann": 884877508718102950, "bob": 379630393610695956, "cyd": 1076571341846596268, "dan": 551203948120938475}
	scenePlaces = strings.Fields("#open #offer #asked #bot #swap #declare #watch #over #joining #here #round #weekly " +
		"#ladder #crowd #call #simul #daily #ten #run")
)

const sceneServer = 1104877508718102900

// ask is a request of a member, by "ann #games" and a message.
func (s *scene) ask(by string, kind chat.Kind) chat.Request {
	s.t.Helper()
	f := append(strings.Fields(by), "")
	r := s.request(sceneMembers[f[0]], kind)
	r.Place = venue.Place{Server: sceneServer, Channel: sceneServer + 1 + uint64(slices.Index(scenePlaces, f[1]))}
	r.Manages, r.Governs = f[0] == "ann", f[0] == "ann"
	r.Allowed = chat.Permissions{View: true, Send: true, SendInThreads: true, Embed: true, Attach: true,
		CreateThreads: true, Read: true, External: true}
	if _, err := fmt.Sscan(f[2], &r.Message); err != nil && f[2] != "" || r.By == 0 || r.Place.Channel == sceneServer {
		s.t.Fatalf("%q: who, where, and a message", by)
	}
	return r
}

// send hands a request to the bot and waits until it has done its work.
func (s *scene) send(r chat.Request) {
	s.paper.pressed(r.Token, r.Message)
	s.bot.Handle(s.t.Context(), r)
	calmAfter(3 * time.Second)
}

// act presses the custom id of a line, and gives what came of it.
func (s *scene) act(line string) string {
	s.t.Helper()
	f := append(strings.Split(line, "\t"), "", "")
	r := s.ask(f[1], chat.Press)
	r.Custom = f[0]
	s.filled(&r, f[2])
	_, board := s.paper.messages[r.Message]
	r.Private = !board
	s.paper.mu.Lock()
	before := maps.Clone(s.paper.messages)
	s.paper.answer = chat.Answer{}
	s.paper.mu.Unlock()
	s.send(r)
	calmAfter(acted)
	return s.came(r, before)
}

// filled adds to a request what was chosen or filled in: "= value", "member bob", or "form a=b; c=d".
func (s *scene) filled(r *chat.Request, more string) {
	if value, ok := strings.CutPrefix(more, "= "); ok {
		r.Kind, r.Values = chat.Choose, []string{value}
	} else if who, ok := strings.CutPrefix(more, "member "); ok {
		r.Kind, r.Target = chat.Choose, chat.MemberTarget{ID: sceneMembers[who]}
	} else if fields, ok := strings.CutPrefix(more, "form "); ok {
		r.Kind = chat.Submit
		for _, field := range strings.Split(fields, "; ") {
			name, value, _ := strings.Cut(field, "=")
			r.Options[name] = sceneOption(value)
		}
	}
}

func sceneOption(value string) chat.Option {
	o := chat.Option{Text: value, Yes: value == "true", Member: chat.MemberTarget{ID: sceneMembers[value]}}
	fmt.Sscan(value, &o.Number)
	return o
}

// came is what is new since before.
func (s *scene) came(r chat.Request, before map[uint64]chat.Message) string {
	s.paper.mu.Lock()
	defer s.paper.mu.Unlock()
	var all []string // in no order of time: two messages may be sent at once
	if a := s.paper.answer; a.Kind == chat.Ask {
		form := fmt.Sprintf("form %s\n", a.Form.ID)
		for _, f := range a.Form.Fields {
			form += fmt.Sprintf("    %s = %s%s\n", f.ID, f.Text, chosen(f.Choice))
		}
		all = append(all, form)
	}
	for id, m := range s.paper.messages {
		if was, ok := before[id]; ok && brief(was) == brief(m) {
			continue
		}
		how := "message"
		if id == r.Message {
			how = "in its place"
		}
		if m.Private {
			how += " (only you)"
		}
		all = append(all, how+"\n"+brief(m))
	}
	slices.Sort(all)
	return cmp.Or(strings.Join(all, ""), "nothing\n")
}

// brief is a message in few words: the first lines of its texts, its buttons and menus.
func brief(m chat.Message) string {
	var out strings.Builder
	var row []string
	for _, b := range append(m.Blocks, chat.Block{}) {
		for _, button := range b.Row {
			row = append(row, "["+button.Label+"]")
		}
		if b.Row == nil && row != nil {
			if n := len(row); n > 12 { // of a board
				row = []string{row[0], "…", row[n-7], row[n-6], row[n-5], row[n-4], row[n-3], row[n-2], row[n-1], fmt.Sprint(n)}
			}
			out.WriteString("    " + strings.Join(row, " ") + "\n")
			row = nil
		}
		switch {
		case b.Text != "":
			lines := strings.SplitN(b.Text, "\n", 4)
			out.WriteString("    " + strings.Join(lines[:min(3, len(lines))], "\n    ") + "\n")
		case b.File != nil:
			fmt.Fprintf(&out, "    file %s\n", b.File.Name)
		case b.Section != nil:
			fmt.Fprintf(&out, "    %s [%s]\n", b.Section.Texts[0], b.Section.Button.Label)
		case b.Select != nil:
			fmt.Fprintf(&out, "    <%s>%s\n", b.Select.Hint, chosen(b.Select.Choice))
		}
	}
	return sceneTimes.ReplaceAllString(out.String(), "<time>")
}

var sceneTimes = regexp.MustCompile(`<t:\d+:\w>`)

// chosen is what a menu shows as chosen.
func chosen(choices []chat.Choice) string {
	for _, c := range choices {
		if c.Chosen {
			return " " + c.Label
		}
	}
	return ""
}

func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("\t" + line)
	}
	return out.String()
}

// setScene plays the "set" lines of a scene and writes the rows.
func setScene(t *testing.T, text, path string) {
	standin.EnterBubble()
	s := newScene(t, kv.NewMemory())
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "wait":
			calmAfter(testkit.Got(time.ParseDuration(rest)))
		case "set":
			s.set(rest)
		}
	}
	t.Logf("at %s", time.Now().UTC().Format(time.RFC3339))
	for id, m := range s.paper.messages {
		for _, b := range m.Blocks {
			for _, button := range b.Row {
				t.Logf("%d %s %s", id, button.Label, button.ID)
			}
		}
	}
	var out bytes.Buffer
	err := s.engine.View(t.Context(), func(r kv.Reader) error {
		return r.Scan([]byte{0}, nil, func(k, v []byte) bool { fmt.Fprintf(&out, "%x %x\n", k, v); return true })
	})
	if err == nil {
		err = os.WriteFile(path, out.Bytes(), 0o644)
	}
	testkit.Must(t, err)
}

// set does a "set" line.
func (s *scene) set(line string) {
	f := strings.SplitN(line, " ", 3)
	by, what := f[0]+" "+f[1], f[2]
	switch {
	case what[0] == '/':
		words := strings.Fields(what[1:])
		r := s.ask(by, chat.Slash)
		r.Name = words[0]
		for _, w := range words[1:] {
			if name, value, ok := strings.Cut(w, ":"); ok {
				r.Options[name] = sceneOption(strings.ReplaceAll(value, "_", " "))
			} else {
				r.Name += " " + w
			}
		}
		s.send(r)
	case what[0] == '[':
		end, more, _ := strings.Cut(what[1:], "]")
		id, message := s.button(end)
		r := s.ask(fmt.Sprint(by, " ", message), chat.Press)
		r.Custom = id
		s.filled(&r, strings.TrimSpace(more))
		s.send(r)
	default:
		custom, more, _ := strings.Cut(what, " ")
		r := s.ask(by, chat.Press)
		r.Custom, r.Private = custom, true
		s.filled(&r, more)
		s.send(r)
	}
	if refused := brief(s.paper.answer.Message); testing.Verbose() {
		s.t.Logf("%s\n%s", line, refused)
	}
}

// button is the custom id that ends so, of the form that was opened, or of the newest message that has one.
func (s *scene) button(end string) (id string, message uint64) {
	s.paper.mu.Lock()
	defer s.paper.mu.Unlock()
	if form := s.paper.answer.Form.ID; ends(form, end) {
		return form, 0
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(s.paper.messages))) {
		for _, b := range s.paper.messages[n].Blocks {
			for _, button := range b.Row {
				if ends(button.ID, end) {
					return button.ID, n
				}
			}
			if b.Select != nil && ends(b.Select.ID, end) {
				return b.Select.ID, n
			}
		}
	}
	s.t.Fatalf("no custom id ends in %q", end)
	return "", 0
}

// ends reports whether a custom id ends so; after a star it may go on.
func ends(id, end string) bool {
	if verb, open := strings.CutSuffix(end, "*"); open {
		return strings.Contains(id, ":"+verb)
	}
	return strings.HasSuffix(id, ":"+end)
}

// loadRows is a store in memory with the rows of a file.
func loadRows(t *testing.T, path string) *kv.Memory {
	f := testkit.Got(os.Open(path))
	defer f.Close()
	m := kv.NewMemory()
	testkit.Must(t, m.Update(t.Context(), func(tx kv.Tx) error {
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 2*kv.MaxValue+2*kv.MaxKey+2)
		for lines.Scan() {
			k, v, _ := strings.Cut(lines.Text(), " ")
			key, err := hex.DecodeString(k)
			value, err2 := hex.DecodeString(v)
			if err := errors.Join(err, err2, tx.Put(key, value)); err != nil {
				return err
			}
		}
		return lines.Err()
	}))
	return m
}

// The store of a scene is whole, and what is exported of it does not change: testdata/golden/NAME.jsonl.
func TestGoldenStore(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.rows")
	if err != nil || len(files) == 0 {
		t.Fatal("no stores", err)
	}
	for _, file := range files {
		engine := loadRows(t, file)
		if _, err := storage.Verify(t.Context(), engine); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		store := storagetest.Store(t, engine, storage.Options{Limits: storage.DefaultLimits})
		var out bytes.Buffer
		testkit.Must(t, store.Export(t.Context(), &out, nil))
		compareGolden(t, strings.TrimSuffix(file, ".rows")+".jsonl", out.String())
	}
}

// Names and links that members keep: of games, of messages, of puzzles, to add the bot.
func TestGoldenLinks(t *testing.T) {
	var out strings.Builder
	for _, id := range []game.MatchID{1, 1 << 22, 884877508718102950, 1384877508718104576, 1<<64 - 1} {
		key := view.Key(id)
		back, ok := view.ParseKey("#" + strings.ToLower(key))
		fmt.Fprintf(&out, "game %d #%s %s %v\n", id, view.Name(id), key, ok && back == id)
	}
	place := venue.Place{Server: sceneServer, Channel: sceneServer + 1}
	fmt.Fprintf(&out, "message %s\nmessage %s\n", view.Jump(place, 77), view.Jump(venue.Place{Channel: 5}, 77))
	bot := discord.Application{ID: 1004877508718102900, Server: true, User: true}
	fmt.Fprintf(&out, "invite %s\ninvite %s\n", bot.InviteServer(), bot.InviteMember())
	for _, z := range fewPuzzles()[:3] {
		fmt.Fprintf(&out, "puzzle %s %s\n", z.ID(), record.FormatLine(z.Game))
	}
	compareGolden(t, "testdata/golden/links.text", out.String())
}

// compareGolden compares with a golden file, which -golden writes if it is missing.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && *writeGolden {
		want, err = []byte(got), os.WriteFile(path, []byte(got), 0o644)
	}
	if err != nil {
		t.Fatalf("%v; -golden writes what is missing", err)
	}
	lines, were := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(lines), len(were)) {
		if lineAt(lines, i) != lineAt(were, i) {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, lineAt(lines, i), lineAt(were, i))
		}
	}
}
