// Package imports holds tests of the source as a whole. Imports point one way: game, then ai,
// render and storage, then bot, then cmd; and inside bot from the contract to the commands.
// Exported names have a comment, and lines are not too long.
package imports

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// floors are the folders from the ground up. A package imports what lies on a floor below,
// or in its own folder.
var floors = [][]string{
	{"game"},
	{"ai", "render", "storage"},
	{"bot"},
	{"cmd"},
}

// rooms are the packages of bot, each with those of them that it may import. The adapter to
// Discord and the bot know one another by bot/chat alone; the stand-in, which plays Discord,
// knows none of them.
var rooms = map[string][]string{
	"bot/chat":           {},
	"bot/texts":          {},
	"bot/metrics":        {"bot/chat"},
	"bot/discord/body":   {"bot/chat"},
	"bot/discord/pace":   {"bot/chat"},
	"bot/discord":        {"bot/chat", "bot/texts", "bot/metrics", "bot/discord/body", "bot/discord/pace"},
	"bot/pad":            {"bot/chat"},
	"bot/view":           {"bot/chat", "bot/texts", "bot/pad"},
	"bot/room":           {"bot/chat", "bot/metrics", "bot/view"},
	"bot/screen":         {"bot/chat", "bot/room", "bot/metrics", "bot/view", "bot/pad", "bot/outbox"},
	"bot/clock":          {"bot/chat", "bot/view"},
	"bot/desk":           {"bot/chat", "bot/room", "bot/metrics", "bot/view"},
	"bot/finder":         {"bot/chat", "bot/room", "bot/view"},
	"bot/host":           {"bot/chat", "bot/room", "bot/view", "bot/clock", "bot/screen"},
	"bot/servers":        {"bot/chat", "bot/room"},
	"bot/command":        {"bot/chat", "bot/texts", "bot/view", "bot/host"},
	"bot/pool":           {"bot/chat", "bot/room"},
	"bot/outbox":         {"bot/chat", "bot/room"},
	"bot/ladder":         {"bot/chat", "bot/room", "bot/view", "bot/host", "bot/command", "bot/pool", "bot/outbox"},
	"bot/live":           {"bot/chat", "bot/room", "bot/view", "bot/host", "bot/command", "bot/pool", "bot/outbox"},
	"bot/together":       {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/desk", "bot/host", "bot/command", "bot/live"},
	"bot/simul":          {"bot/chat", "bot/room", "bot/view", "bot/screen", "bot/host", "bot/command", "bot/live"},
	"bot/events":         {"bot/chat", "bot/texts", "bot/room", "bot/view", "bot/screen", "bot/host", "bot/command", "bot/pool", "bot/outbox"},
	"bot/review":         {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/desk", "bot/finder"},
	"bot/seek":           {"bot/chat", "bot/room", "bot/view", "bot/command", "bot/host", "bot/pool", "bot/screen"},
	"bot/study":          {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/desk", "bot/finder", "bot/host"},
	"bot/ifthen":         {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/finder", "bot/host"}, // no desk: no engine helps there
	"bot/puzzles":        {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/desk", "bot/host", "bot/command", "bot/outbox", "bot/study"},
	"bot/learn":          {"bot/chat", "bot/room", "bot/view", "bot/pad", "bot/command"},
	"bot/act":            {"bot/chat", "bot/view"},
	"bot/clerk":          {"bot/act", "bot/clock", "bot/events", "bot/host", "bot/room", "bot/view"},
	"bot/typed":          {"bot/act", "bot/chat", "bot/clerk", "bot/room", "bot/metrics", "bot/view", "bot/screen"},
	"bot/web":            {"bot/chat", "bot/view", "bot/web/page"},
	"bot/web/peer":       {},
	"bot/welcome":        {"bot/chat", "bot/room", "bot/view", "bot/outbox"},
	"bot/upkeep":         {"bot/chat", "bot/room", "bot/metrics", "bot/view", "bot/clock", "bot/desk", "bot/screen", "bot/servers"},
	"bot":                {"bot/act", "bot/chat", "bot/clerk", "bot/room", "bot/texts", "bot/metrics", "bot/view", "bot/pad", "bot/clock", "bot/command", "bot/desk", "bot/screen", "bot/finder", "bot/host", "bot/ifthen", "bot/events", "bot/ladder", "bot/learn", "bot/live", "bot/pool", "bot/puzzles", "bot/review", "bot/seek", "bot/servers", "bot/simul", "bot/study", "bot/together", "bot/typed", "bot/upkeep", "bot/welcome"},
	"bot/standin":        {},
	"bot/standin/schema": {"bot/standin"},
	"bot/demo":           {"bot/standin", "bot/texts"},
	"bot/web/page":       {"bot/texts"},
	"bot/regulars":       {"bot/standin", "bot/view"},
}

// homes are the folders that alone may import a library, so that a change of library is a
// change of one folder.
var homes = map[string]string{
	"github.com/bwmarrin/discordgo": "bot/discord",
	"github.com/fogleman/gg":        "render",
	"go.etcd.io/bbolt":              "storage",
	"github.com/jackc/pgx/v5":       "storage",
	"github.com/alecthomas/kong":    "cmd",
}

type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

func TestImports(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "tengen/...")
	var said bytes.Buffer
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, said.String())
	}
	standard := map[string]bool{"C": true}
	var ours []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		testkit.Must(t, dec.Decode(&p))
		if p.Standard {
			standard[p.ImportPath] = true
		}
		if strings.HasPrefix(p.ImportPath, "tengen/") {
			ours = append(ours, p)
		}
	}
	if len(ours) < 3 {
		t.Fatalf("go list knows only %d packages of ours", len(ours))
	}
	for _, p := range ours {
		for _, q := range p.Imports {
			if why := objection(p.ImportPath, q, standard[q]); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, q, why)
			}
		}
	}
}

// objection is what speaks against p importing q; empty when nothing does.
func objection(p, q string, standard bool) string {
	folder, floor := place(p)
	if ours := strings.HasPrefix(q, "tengen/"); !ours {
		for library, home := range homes {
			bench := p == "tengen/cmd/lab" // the developers' bench draws its own graphs
			at := strings.TrimPrefix(p, "tengen/")
			_, room := rooms[at] // is at home in itself alone
			athome := at == home || strings.HasPrefix(at, home+"/") && !room
			if (q == library || strings.HasPrefix(q, library+"/")) && !athome && !bench {
				return "only " + home + " may"
			}
		}
		if folder == "game" && !standard {
			return "game imports the standard library alone"
		}
		return ""
	}
	other, below := place(q)
	switch {
	case p == "tengen/game":
		return "the rules know nothing but themselves"
	case other == "internal":
		return ""
	case p == "tengen/bot/chat" && other != "game" && other != folder:
		return "the contract of chats knows the rules and venue alone"
	case folder != other && below >= floor:
		return "imports point from " + other + " to " + folder + ", if at all"
	case folder == "bot" && other == "bot" && !slices.Contains(rooms[strings.TrimPrefix(p, "tengen/")],
		strings.TrimPrefix(q, "tengen/")):
		return "the table of rooms does not allow it"
	}
	return ""
}

// place is the top folder of a package and its floor. No package may import one that is on no
// floor.
func place(path string) (folder string, floor int) {
	folder, _, _ = strings.Cut(strings.TrimPrefix(path, "tengen/"), "/")
	for i, folders := range floors {
		if slices.Contains(folders, folder) {
			return folder, i
		}
	}
	return folder, len(floors)
}

// The test itself objects to what it should.
func TestObjection(t *testing.T) {
	for _, c := range []struct {
		p, q     string
		standard bool
		ok       bool
	}{
		{"tengen/game", "fmt", true, true},
		{"tengen/game", "golang.org/x/sync/errgroup", false, false},
		{"tengen/game", "tengen/game/record", false, false},
		{"tengen/game", "tengen/ai", false, false},
		{"tengen/game/record", "tengen/game", false, true},
		{"tengen/game/record", "github.com/goccy/go-yaml", false, false},
		{"tengen/ai", "tengen/game", false, true},
		{"tengen/ai", "tengen/ai/five", false, true},
		{"tengen/ai", "tengen/render", false, false},
		{"tengen/storage", "tengen/bot", false, false},
		{"tengen/storage/bolt", "go.etcd.io/bbolt", false, true},
		{"tengen/bot", "go.etcd.io/bbolt", false, false},
		{"tengen/bot", "tengen/storage", false, true},
		{"tengen/bot/standin", "tengen/bot", false, false},
		{"tengen/bot/standin/schema", "tengen/bot/standin", false, true},
		{"tengen/bot/demo", "tengen/bot/standin", false, true},
		{"tengen/bot", "tengen/bot/standin", false, false},
		{"tengen/bot", "tengen/bot/demo", false, false},
		{"tengen/bot", "tengen/bot/discord", false, false},
		{"tengen/bot", "github.com/bwmarrin/discordgo", false, false},
		{"tengen/bot/discord", "github.com/bwmarrin/discordgo", false, true},
		{"tengen/bot/discord/body", "github.com/bwmarrin/discordgo", false, false},
		{"tengen/bot/discord", "tengen/bot/discord/body", false, true},
		{"tengen/bot/discord/body", "tengen/bot/discord", false, false},
		{"tengen/bot/discord/pace", "tengen/bot/discord/body", false, false},
		{"tengen/bot", "tengen/bot/discord/pace", false, false},
		{"tengen/bot/discord", "tengen/bot/metrics", false, true},
		{"tengen/bot/discord", "tengen/bot", false, false},
		{"tengen/bot/discord", "tengen/bot/view", false, false},
		{"tengen/bot/view", "tengen/bot/discord", false, false},
		{"tengen/bot/view", "tengen/bot/screen", false, false},
		{"tengen/bot/screen", "tengen/bot/view", false, true},
		{"tengen/bot/screen", "tengen/bot/desk", false, false},
		{"tengen/bot/desk", "tengen/bot/screen", false, false},
		{"tengen/bot/finder", "tengen/bot/host", false, false},
		{"tengen/bot/host", "tengen/bot/screen", false, true},
		{"tengen/bot/host", "tengen/bot/desk", false, false},
		{"tengen/bot/servers", "tengen/bot/screen", false, false},
		{"tengen/bot/upkeep", "tengen/bot/screen", false, true},
		{"tengen/bot/screen", "tengen/bot/upkeep", false, false},
		{"tengen/bot/upkeep", "tengen/bot", false, false},
		{"tengen/bot/chat", "tengen/bot/texts", false, false},
		{"tengen/bot/chat", "tengen/storage", false, false},
		{"tengen/bot/chat", "tengen/game/venue", false, true},
		{"tengen/game/venue", "tengen/storage", false, false},
		{"tengen/bot", "tengen/bot/chat", false, true},
		{"tengen/bot/extra", "tengen/bot/chat", false, false},
		{"tengen/bot", "tengen/cmd/tengen", false, false},
		{"tengen/cmd/tengen", "tengen/bot", false, true},
		{"tengen/cmd/tengen", "github.com/bwmarrin/discordgo", false, false},
		{"tengen/render", "tengen/internal/pens", false, true},
		{"tengen/game", "tengen/internal/pens", false, false},
		{"tengen/ai", "tengen/extra", false, false},
	} {
		if why := objection(c.p, c.q, c.standard); (why == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.p, c.q, why)
		}
	}
}
