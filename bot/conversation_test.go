package bot

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/game"
	"tengen/internal/testkit"
)

var update = flag.Bool("update", false, "write what was said into the conversations")

// A conversation in testdata/talk is a test of the bot and its manual at once. Lines that
// begin at the margin are acts, and "#" lines are comments. The indented lines after an act
// are all messages that are new or changed since, as the members of the conversation see them.
// With -update the test writes them: read them before you commit.
//
//	ann #gomoku /play bot game:renju level:3    a command
//	ann #gomoku [H8]                            a button
//	ann #gomoku <Choose a game: Renju>          a select
//	ann #gomoku form Point=H8                   the form that was opened, by labels or ids; the rest as proposed
//	ann #gomoku form file=a.sgf (;GM[4])        the same with a file
//	ann #gomoku types /move at:H                autocomplete
//	ann #gomoku says text                       a plain message; @tengen in it is a mention
//	ann #gomoku replies H8                      a reply to the newest board
//	ann #gomoku replies silently H8             the same without the mention of the bot
//	ann #gomoku launches                        the application's entry point
//	ann #gomoku looks                           all that stands there, a line for each message, and whom it notifies
//	ann menu bob / Challenge to a game          a member's menu
//	ann menu last #gomoku / Load this record    the menu of the newest message
//	ann #gomoku remembers [H8]                  a button of the newest message that has it
//	ann #gomoku presses the remembered          that button, whatever has become of it
//	bob #gomoku presses the remembered elsewhere    the same on the newest message that bob sees
//	ann #gomoku presses the unknown             a button that we do not know
//	$GAME                                       the name of the game that was seen last
//	at once ann #gomoku [H8] / bob #gomoku [I9] two buttons, the second while the first is taken in hand
//	later 3d                                    time passes, without anybody at work
//	wait 3s                                     time passes, and the bot works
//	restart                                     the bot ends and starts again
//	events                                      what Discord lists as events of the first server
//	world kick-bot Club                         an act of the stand-in
func TestConversations(t *testing.T) {
	if !*update { // the tests beside it read what it writes
		t.Parallel()
	}
	for _, f := range conversations(t) {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			t.Parallel()
			// In fake time: what the bot may take is not what the machine takes.
			synctest.Test(t, func(t *testing.T) {
				standin.EnterBubble()
				converse(t, f, nil, standin.Options{}, nil)
			})
		})
	}
}

// conversations are the files of all conversations.
func conversations(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/talk/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	return files
}

func converse(t *testing.T, file string, d *door, o standin.Options, between wrapping) {
	data := testkit.Read(t, file)
	var out strings.Builder
	o.Checker = sampled{spoiling(t, schema.Shared(t))}
	o.Latency = 2 * time.Millisecond // else two posts of a board in one millisecond would have one nonce
	var change []func(*Config)
	name := filepath.Base(file)
	if name == "guest.txt" {
		change = append(change, func(c *Config) { c.Guests = visitors{} })
	}
	if strings.HasPrefix(name, "page") {
		change = append(change, func(c *Config) { c.Page = &fakePage{open: map[game.MemberID]bool{}} })
		o.Activity, o.ClientSecret = name == "pageactivity.txt", "the application's own"
	}
	c := &talk{house: openThrough(t, d, between, o, change...), seen: map[string]string{}, tamed: map[string]string{},
		forms: map[string]*standin.Answer{}}
	for _, name := range []string{"ann", "bob", "cyd", "dan"} {
		c.Member(name)
	}
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line + "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, said := range strings.Split(strings.TrimRight(c.act(line), "\n"), "\n") {
			if said != "" {
				out.WriteString("\t" + said + "\n")
			}
		}
	}
	got := out.String()
	if d != nil && strings.Contains(string(data), "world delete-channel") {
		data = []byte(untold.Replace(string(data)))
	}
	if got == string(data) {
		return
	}
	if *update && d == nil {
		testkit.Must(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(data), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := lineAt(gotLines, i), lineAt(wantLines, i)
		if g != w {
			t.Fatalf("line %d:\n got %s\nwant %s\n\nafter:\n%s", i+1, g, w,
				strings.Join(gotLines[max(0, i-12):min(len(gotLines), i+8)], "\n"))
		}
	}
}

// untold changes a conversation for a bot without a gateway, which hears of no deleted
// channel: the channel's games rest only once the bot next wants to show one.
var untold = strings.NewReplacer(
	"*3** (resting: `/game` brings it back) · <#ID>\n\t    [Open here]",
	"*3** · Bot (level 1) is thinking… · <#ID>\n\t    [Go to the board -> https://discord.com/channels/ID/ID/ID]",
	"*3** (resting: `/game` brings it back) · <#ID>\n\t    [Stop]",
	"*3** · Bot (level 1) is thinking… · <#ID>\n\t    [Stop]",
	" (resting: `/game` brings it back) · <#ID>\n\t    [Open here]",
	" · <#ID>\n\t    [Go to the board -> https://discord.com/channels/ID/ID/ID]")

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// talk is a conversation that goes on.
type talk struct {
	*house
	actors []string
	places []string
	seen   map[string]string // by actor and place: what they saw last
	tamed  map[string]string // by a message: the same, tamed
	forms  map[string]*standin.Answer
	game   string    // the name of the game that was seen last
	held   [2]string // the button that is remembered: its message and its id
}

// act does one line, and gives the messages that are new for the members.
func (c *talk) act(line string) string {
	c.t.Helper()
	who, rest, _ := strings.Cut(line, " ")
	answer := ""
	switch who {
	case "later":
		d, err := time.ParseDuration(rest)
		if days, ok := strings.CutSuffix(rest, "d"); ok {
			d, err = time.ParseDuration(days + "h")
			d *= 24
		}
		if err != nil {
			c.t.Fatalf("%q: %v", line, err)
		}
		c.later(d)
		testkit.Must(c.t, c.bot.upkeep.BringDue(c.bot.tasks.Life, c.bot.now()))
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			c.t.Fatalf("%q: %v", line, err)
		}
		time.Sleep(d)
	case "at":
		c.atOnce(strings.TrimPrefix(rest, "once "))
	case "restart":
		c.restart()
	case "world":
		c.world(rest)
	case "events":
		answer = c.scheduled()
	default:
		answer = c.member(who, rest)
	}
	c.settle()
	return answer + c.news()
}

// scheduled is what Discord lists as events of the first server.
func (c *talk) scheduled() string {
	var list strings.Builder
	status := [...]string{standin.EventScheduled: "scheduled", standin.EventActive: "active",
		standin.EventCompleted: "completed", standin.EventCanceled: "cancelled"}
	for _, e := range c.Scheduled("") {
		text := fmt.Sprintf("%s: %s, starts in %v, lasts %v\n%s\n%s", e.Name, status[e.Status],
			e.Starts.Sub(c.bot.now()).Round(10*time.Minute), e.Ends.Sub(e.Starts).Round(10*time.Minute),
			e.Metadata.Location, e.Description)
		list.WriteString(strings.ReplaceAll(tame(text), "\n", "\n    ") + "\n")
	}
	return cmp.Or(list.String(), "(no events)\n")
}

// atOnce lets two members press at the same moment: the second press comes while the
// first is being written.
func (c *talk) atOnce(line string) {
	c.lag.Store(int64(5 * time.Millisecond))
	var both sync.WaitGroup
	for _, act := range strings.Split(line, " / ") {
		who, rest, _ := strings.Cut(act, " ")
		place, button, _ := strings.Cut(rest, " ")
		m := c.Member(who).Try()
		c.see(who, place)
		both.Go(func() { m.Press(place, strings.Trim(button, "[]")) })
		time.Sleep(time.Millisecond)
	}
	both.Wait()
	c.lag.Store(0)
}

// permissions are the names of those that can be denied.
var permissions = map[string]uint64{"view": standin.PermViewChannel, "send": standin.PermSendMessages,
	"attach": standin.PermAttachFiles, "threads": standin.PermPublicThreads, "speak-in-threads": standin.PermSendInThreads,
	"external": standin.PermExternalApps, "activities": standin.PermActivities}

func (c *talk) world(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	a, b, _ := strings.Cut(rest, " ")
	switch verb {
	case "kick-bot":
		c.KickBot(rest)
	case "invite-bot":
		c.InviteBot(rest)
	case "delete-channel":
		c.DeleteChannel(rest)
	case "delete-last":
		c.DeleteMessage(c.Member(a).Last(b).ID)
	case "archive":
		c.Archive(rest)
	case "lock":
		c.Lock(rest)
	case "moderator": // world moderator ann Tavern
		c.Member(a).Moderates(b, standin.PermManageMessages|standin.PermManageGuild)
	case "system-channel":
		c.SystemChannel(rest)
	case "role": // world role bob players
		c.Member(a).HasRole("", b)
	case "bot-lists": // the bot may make events of the server
		c.Member("bot").Moderates("", standin.PermCreateEvents)
	case "unlist": // a moderator deletes the first event of the server
		c.Unschedule("", c.Scheduled("")[0].ID)
	case "speaks":
		c.Member(a).Speaks(b)
	case "installs":
		c.Member(rest).Installs()
	case "deny": // world deny #gomoku bot send
		whom, what, _ := strings.Cut(b, " ")
		if permissions[what] == 0 {
			c.t.Fatalf("%q is no permission", what)
		}
		c.Deny(a, whom, permissions[what])
	case "permit":
		c.Permit(a, b)
	case "no-files": // uploads are limited: everywhere, and "files" ends that
		c.SetPlan(standin.Plan{Calls: []standin.CallFault{{Kind: standin.FilesRefused}}})
	case "files":
		c.SetPlan(standin.Plan{})
	case "close-dms":
		c.Member(rest).ClosesDMs()
	case "engine-takes":
		c.thinks.Store(int64(testkit.Got(time.ParseDuration(rest))))
	case "add-channel":
		c.AddChannel(rest)
	case "add-news-channel":
		c.AddNewsChannel(rest)
	case "add-guild":
		c.AddGuild(a, false, strings.Fields(b)...)
	default:
		c.t.Fatalf("the world knows no %q", line)
	}
}

// member does what a member does.
func (c *talk) member(who, rest string) string {
	m := c.Member(who).Try()
	c.note(&c.actors, who)
	rest = strings.ReplaceAll(rest, "$GAME", c.game)
	place, what, _ := strings.Cut(rest, " ")
	// "#gomoku/Gomoku 15×15"
	if quoted, after, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `" `); ok && rest[0] == '"' {
		place, what = quoted, after
	}
	if place == "menu" {
		target, command, _ := strings.Cut(what, " / ")
		if last, ok := strings.CutPrefix(target, "last "); ok {
			return c.failure(m.MessageMenu(m.Last(last).ID, command))
		}
		return c.failure(m.UserMenu(c.places[0], command, c.Member(target)))
	}
	c.see(who, place)
	var a *standin.Answer
	switch {
	case strings.HasPrefix(what, "/"):
		a = m.Slash(place, what)
	case what == "launches":
		a = m.Launches(place)
	case strings.HasPrefix(what, "["):
		a = m.Press(place, strings.Trim(what, "[]"))
	case strings.HasPrefix(what, "remembers "):
		c.remember(m, place, strings.Trim(strings.TrimPrefix(what, "remembers "), "[]"))
		return ""
	case what == "presses the unknown":
		a = m.PressStale(m.Last(place).ID, "made by another version")
	case what == "presses the remembered elsewhere":
		a = m.PressStale(m.Last(place).ID, c.held[1])
	case what == "presses the remembered":
		a = m.PressStale(c.held[0], c.held[1])
	case strings.HasPrefix(what, "<"):
		sel, value, _ := strings.Cut(strings.Trim(what, "<>"), ": ")
		a = m.Choose(place, sel, option(m, place, value))
	case what == "form" || strings.HasPrefix(what, "form "):
		a = c.forms[who].Submit(filledIn(c.forms[who].Modal, strings.TrimPrefix(what, "form"))...)
	case strings.HasPrefix(what, "types "):
		return tame((&standin.Answer{Choices: m.Types(place, strings.TrimPrefix(what, "types "))}).String()) + "\n"
	case strings.HasPrefix(what, "replies "), strings.HasPrefix(what, "replies silently "):
		text, silently := strings.CutPrefix(strings.TrimPrefix(what, "replies "), "silently ")
		m.Replies(place, c.board(m, place), text, silently)
		return ""
	case what == "looks":
		return c.looks(who, place)
	case strings.HasPrefix(what, "says "):
		m.Says(place, strings.TrimPrefix(what, "says "))
		return ""
	default:
		c.t.Fatalf("%s does not know how to %q", who, what)
	}
	if a.Modal != nil {
		c.forms[who] = a
		return tame(a.String()) + "\n"
	}
	if a.Type == opensActivity {
		return "(the Activity opens)\n"
	}
	return c.failure(a)
}

// looks gives the messages that a member sees in a place, by their authors and first lines.
func (c *talk) looks(who, place string) string {
	text, err := c.sees(who, place)
	if err != nil {
		return "(" + tame(err.Error()) + ")\n"
	}
	c.seen[who+place] = text
	var out strings.Builder
	all := c.Member(who).Messages(place)
	for i, m := range messagesIn(text) {
		lines := strings.SplitN(tame(m), "\n", 3)
		out.WriteString(lines[0] + " " + strings.TrimSpace(lines[1]))
		for _, called := range all[i].Mentions {
			out.WriteString(" (notifies " + called.Username + ")")
		}
		out.WriteString("\n")
	}
	return out.String()
}

// opensActivity is Discord's number of an answer that opens the Activity.
const opensActivity = 12

// fileField is Discord's number of a field for files.
const fileField = 19

// filledIn reads what a member fills a form in with: labels or ids with their values. A value
// goes on until the next field; that of a file is its name, and then what is in it.
func filledIn(form *standin.Modal, line string) []standin.Opt {
	kinds := map[string]int{}
	for _, row := range form.Components {
		if row.Inner != nil {
			kinds[row.Label], kinds[row.Inner.CustomID] = row.Inner.Type, row.Inner.Type
		}
	}
	var fields []standin.Opt
	for _, word := range strings.Fields(line) {
		name, value, ok := strings.Cut(word, "=")
		if _, field := kinds[name]; ok && field {
			fields = append(fields, standin.Opt{name, value})
			continue
		}
		last := &fields[len(fields)-1]
		last[1] = fmt.Sprint(last[1], " ", word)
	}
	for i, f := range fields {
		if kinds[f[0].(string)] == fileField {
			name, data, _ := strings.Cut(f[1].(string), " ")
			fields[i][1] = standin.File{Name: name, Data: []byte(data)}
		}
	}
	return fields
}

// see notes what a member sees in a place.
func (c *talk) see(who, place string) {
	c.note(&c.actors, who)
	c.note(&c.places, place)
	for _, who := range c.actors {
		for _, place := range c.places {
			if _, ok := c.seen[who+place]; !ok {
				c.seen[who+place], _ = c.sees(who, place)
			}
		}
	}
}

// remember notes a button of the newest message that has it.
func (c *talk) remember(m *standin.Member, place, label string) {
	for _, msg := range m.Messages(place) {
		for one := range each(msg.Components) {
			if one.Label == label && one.CustomID != "" {
				c.held = [2]string{msg.ID, one.CustomID}
			}
		}
	}
}

func (c *talk) failure(a *standin.Answer) string {
	if a.Failed == "" {
		return ""
	}
	return "(" + tame(a.Failed) + ")\n"
}

func (c *talk) note(list *[]string, s string) {
	if slices.Contains(*list, s) {
		return
	}
	*list = append(*list, s)
}

// news are the messages that are new or changed for the members. A message that all see alike
// stands there once.
func (c *talk) news() string {
	var public, private strings.Builder // the order of the two depends on chance
	told := map[string]bool{}
	for _, place := range c.places {
		for _, who := range c.actors {
			text, err := c.sees(who, place)
			if err != nil {
				continue
			}
			before := map[string]int{}
			for _, m := range messagesIn(c.seen[who+place]) {
				before[c.tame(m)]++
			}
			c.seen[who+place] = text
			for _, m := range messagesIn(text) {
				if names := wild[0].re.FindAllString(m, -1); len(names) > 0 {
					c.game = strings.TrimPrefix(names[len(names)-1], "#")
				}
				m = c.tame(m)
				if before[m]--; before[m] < 0 && !told[m] {
					told[m] = true
					out := &public
					if strings.Contains(strings.SplitN(m, "\n", 2)[0], "only you") {
						out = &private
					}
					if place != c.places[0] {
						out.WriteString(place + " ")
					}
					out.WriteString(m)
				}
			}
		}
	}
	return public.String() + private.String()
}

func (c *talk) sees(who, place string) (string, error) {
	r, err := c.Act(c.t.Context(), standin.Action{Do: "see", As: who, At: place})
	return r.Text, err
}

// messagesIn splits what a member sees into messages.
func messagesIn(text string) []string {
	var ms []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if !strings.ContainsRune("\t \n", rune(line[0])) || len(ms) == 0 {
			ms = append(ms, "")
		}
		ms[len(ms)-1] += line
	}
	return ms
}

var wild = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`#[2-9A-Z]{4}\b`), "#GAME"},
	{regexp.MustCompile(`<t:\d+(:\w)?>`), "<time$1>"},
	{regexp.MustCompile(`\b\d{17,20}\b`), "ID"},
	{regexp.MustCompile(`\b[0-9A-Z]{12,13}\b`), "KEY"},
	{regexp.MustCompile(`\bevent:[0-9a-z]{11,13}\b`), "event:KEY"},
	{regexp.MustCompile(`nodes, [\d.]+\x{a0}s`), "nodes, TIME"},
	{regexp.MustCompile(`tengen-[2-9a-z]{4}\.`), "tengen-game."},
	{regexp.MustCompile(`\b\d+ ms`), "N ms"},
	{regexp.MustCompile(`节点，[\d.]+ 秒`), "节点，TIME"},
	{regexp.MustCompile(`\b\d+ 毫秒`), "N 毫秒"},
}

// tame removes what differs from run to run.
func tame(s string) string {
	for _, w := range wild {
		s = w.re.ReplaceAllString(s, w.to)
	}
	return s
}

// tame is tame for what members see again and again.
func (c *talk) tame(m string) string {
	s, known := c.tamed[m]
	if !known {
		s = tame(m)
		c.tamed[m] = s
	}
	return s
}

// board is the newest message at a place that has a picture.
func (c *talk) board(m *standin.Member, place string) string {
	c.t.Helper()
	list := m.Messages(place)
	for i := len(list) - 1; i >= 0; i-- {
		if len(list[i].Attachments) > 0 {
			return list[i].ID
		}
	}
	c.t.Fatalf("%s sees no board at %s", m.Name, place)
	return ""
}
