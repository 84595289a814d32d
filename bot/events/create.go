package events

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/zone"
	"tengen/storage"
)

// kinds are the names of the kinds that can be chosen, in the order of event.Kind.
var kinds = []string{"swiss", "robin", "knockout", "arena"}

// paces are the times that can be chosen. A round ends by its length however long its games are.
var paces = []struct {
	name  string // a clock, or "r" and the length of a round without one
	round time.Duration
}{
	{"1m", 2 * time.Hour}, {"5m", 6 * time.Hour}, {"15m", 12 * time.Hour}, {"1h", 3 * 24 * time.Hour},
	{"5+10", 2 * time.Hour}, {"10+5", 2 * time.Hour}, {"30+20", 6 * time.Hour}, {"60+30", 6 * time.Hour},
	{"r1d", 24 * time.Hour}, {"r3d", 3 * 24 * time.Hour}, {"r7d", 7 * 24 * time.Hour},
}

// paceOf words an event's time.
func paceOf(t view.Tongue, e storage.Event) string {
	if e.Game.Clock != (game.Clock{}) {
		return t.Clock(e.Game.Clock)
	}
	for _, p := range paces {
		if p.round == e.Length && p.name[0] == 'r' {
			return t.Say("event.pace." + p.name)
		}
	}
	return t.Say("event.pace.other")
}

// paceChoices are the times of the form.
func paceChoices(t view.Tongue, chosen string) (choices []chat.Choice) {
	for _, p := range paces {
		label := ""
		if c, ok := game.ParseClock(p.name); ok {
			label = t.Clock(c)
		} else {
			label = t.Say("event.pace." + p.name)
		}
		choices = append(choices, chat.Choice{Label: label, Value: p.name, Chosen: p.name == chosen})
	}
	return choices
}

// What an event has unless its host chooses otherwise.
const (
	usualRounds  = 5
	usualArena   = time.Hour
	longestSwiss = 30 // rounds
	longestName  = 60
	longestStart = 40
)

// newFields are the fields of the form of a new event. The name is the last: it may hold anything.
var newFields = []string{"kind", "game", "pace", "starts", "name"}

// create opens the form of a new event.
func (v *Events) create(ctx context.Context, r chat.Request) error { return v.askNew(ctx, r, nil) }

// again opens the form of a new event as it was filled in before.
func (v *Events) again(ctx context.Context, r chat.Request, p view.Press) error {
	return v.askNew(ctx, r, view.Unpacked(p.Arg, newFields))
}

// askNew opens the form of a new event, filled in with what is known.
func (v *Events) askNew(ctx context.Context, r chat.Request, known map[string]string) error {
	if err := v.mayHost(ctx, r); err != nil {
		return err
	}
	t := v.House.Tongue(r)
	usual, err := v.Host.UsualGame(ctx, r)
	if err != nil {
		return err
	}
	return v.ask(ctx, r, chat.Form{ID: view.Do("evmake", ""), Title: t.Say("event.form"), Fields: []chat.Field{
		{ID: "name", Label: t.Say("event.form.name"), Kind: chat.Line, Max: longestName,
			Text: view.Clip(known["name"], longestName)},
		{ID: "kind", Label: t.Say("event.form.kind"), Kind: chat.Menu,
			Choice: choices(t, "event.kind.", kinds, cmp.Or(known["kind"], kinds[0]))},
		{ID: "game", Label: t.Say("new.game"), Kind: chat.Menu,
			Choice: t.Choices(command.GameChoices(), cmp.Or(known["game"], usual))},
		{ID: "pace", Label: t.Say("event.form.pace"), Kind: chat.Menu,
			Choice: paceChoices(t, cmp.Or(known["pace"], "r1d"))},
		{ID: "starts", Label: t.Say("event.form.starts"), About: t.Say("event.form.starts.about"), Kind: chat.Line,
			Optional: true, Max: longestStart, Text: view.Clip(known["starts"], longestStart)},
	}})
}

// choices are the choices of a menu, by the catalogue.
func choices(t view.Tongue, group string, names []string, chosen string) []chat.Choice {
	var cs []chat.Choice
	for _, name := range names {
		cs = append(cs, chat.Choice{Label: t.Say(group + name), Value: name, Chosen: name == chosen})
	}
	return cs
}

func (v *Events) ask(ctx context.Context, r chat.Request, f chat.Form) error {
	_, err := v.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Form: f})
	return err
}

// made makes the event of the filled form. Its message follows by itself.
func (v *Events) made(ctx context.Context, r chat.Request, _ view.Press) error {
	if err := v.mayHost(ctx, r); err != nil {
		return err
	}
	in, err := v.zone(ctx, r)
	if err != nil {
		return err
	}
	e, s, err := filled(r, in)
	switch t := v.House.Tongue(r); {
	case err != nil:
		return t.Again(r, err, "evnew", newFields)
	case s.asks:
		yes := spelled(r, s, newFields)
		return v.page(ctx, r, sure(t, nameOf(yes), s, view.Do("evsure", view.Packed(yes, newFields)),
			view.Do("evnew", view.Packed(r, newFields))))
	}
	server, err := v.Store.Server(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	e.Listing.Wanted = r.Allowed.List && !e.Starts.IsZero()
	e.Look.Theme, e.Look.Language = server.Look.Theme, server.Look.Language
	for _, locale := range []string{r.ServerLocale, r.Locale} {
		if e.Look.Language == "" && locale != "" {
			e.Look.Language = view.In(locale).Lang
		}
	}
	c := cause(r)
	if r.Kind == chat.Press { // of a page that asked: two presses are one
		c.Interaction = r.Message
	}
	e, err = v.Store.CreateEvent(ctx, c, r.Place, func() (storage.Event, error) { return e, nil })
	if err != nil {
		return refused(err)
	}
	v.Kick()
	msg := chat.Private(v.House.Tongue(r).Say("event.made", "Name", view.Escape(e.Name)))
	return v.page(ctx, r, msg.WithRow(v.askButton(r, e, "settings")))
}

// surely makes the event of a form whose start was shown back.
func (v *Events) surely(ctx context.Context, r chat.Request, p view.Press) error {
	return v.made(ctx, filledBy(r, view.Unpacked(p.Arg, newFields)), p)
}

// filledBy is a press as the form whose fields its argument holds.
func filledBy(r chat.Request, fields map[string]string) chat.Request {
	r.Options = map[string]chat.Option{}
	for name, text := range fields {
		r.Options[name] = chat.Option{Text: text}
	}
	return r
}

// spelled is the form r with its start written so that it means the same everywhere, and is not asked again.
// The name, which is the last of the fields, is as long as a button can hold.
func spelled(r chat.Request, s start, fields []string) chat.Request {
	r.Options = maps.Clone(r.Options)
	r.Options["starts"] = chat.Option{Text: s.String()}
	name := nameOf(r)
	for n := longestName; n > 0; n-- {
		r.Options["name"] = chat.Option{Text: view.Clip(name, n)}
		if view.Unpacked(view.Packed(r, fields), fields)["name"] != "" {
			break
		}
	}
	return r
}

// sure shows back when an event is to begin, before that is final.
func sure(t view.Tongue, name string, s start, yes, change string) chat.Message {
	lines := []string{"### " + view.Escape(name), t.Say("event.starts", "When", mark(s.at, "F"), "In", mark(s.at, "R"))}
	if s.weekly {
		lines = append(lines, t.Say("event.weekly"))
	}
	lines = append(lines, "-# "+t.Say("event.sure", "Zone", s.in.String()))
	return chat.Private(strings.Join(lines, "\n")).WithRow(
		chat.Button{ID: yes, Label: t.Say("event.button.sure"), Style: chat.Success},
		chat.Button{ID: change, Label: t.Say("button.change")})
}

func (v *Events) zone(ctx context.Context, r chat.Request) (*time.Location, error) {
	d, err := v.Store.Daily(ctx, r.Place.Server)
	return zone.Or(d.Zone), err
}

// nameOf is the name that a form gives an event.
func nameOf(r chat.Request) string {
	return view.Typed(r.Text("name", ""), longestName)
}

// filled is the event that a form describes, and its start as the form says it.
func filled(r chat.Request, in *time.Location) (e storage.Event, s start, err error) {
	e.Owner, e.Name, e.Threads = r.By, nameOf(r), true
	if e.Name == "" {
		return e, s, view.No("event.refused.name")
	}
	kind := slices.Index(kinds, r.Text("kind", kinds[0]))
	rules, ok := game.RulesNamed(r.Text("game", "gomoku"))
	if kind < 0 || !ok {
		return e, s, event.BadTerms
	}
	e.Kind, e.Rounds, e.Game.Rules, e.Game.Rated = event.Kind(kind), usualRounds, rules, true
	for _, p := range paces {
		if p.name == r.Text("pace", "r1d") {
			e.Game.Clock, _ = game.ParseClock(p.name)
			e.Length = p.round
		}
	}
	if e.Kind == event.KindArena {
		if e.Game.Clock == (game.Clock{}) {
			return e, s, view.No("event.refused.arena")
		}
		e.Length, e.Streaks, e.Arena = usualArena, true, arenaRules(rules)
	}
	if s, ok = when(r.Text("starts", ""), r.Locale, r.At, in); !ok {
		return e, s, view.No("event.refused.when")
	}
	e.Starts, e.Weekly = s.at, s.weekly
	return e, s, nil
}

// arenaRules are the lengths of games that count in an arena.
func arenaRules(rules game.Rules) event.ArenaRules {
	if rules == game.Reversi {
		return event.ArenaRules{BerserkMin: 14, LongDraw: 60}
	}
	return event.ArenaRules{BerserkMin: 10, QuickDraw: 10, LongDraw: 60}
}

// The settings that the second form has beside the opening.
var (
	extras   = []string{"rated", "casual", "ratedHere", "casualHere"} // rated or not, in threads or in the channel
	checkIns = []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour}
)

// settings is the form of what a host can change until the first round.
func settings(t view.Tongue, e storage.Event) chat.Form {
	var openings, checks []chat.Choice
	for _, name := range host.Openings(e.Game.Rules) {
		openings = append(openings, chat.Choice{Label: t.Opening(name), Value: name,
			Chosen: name == view.OpeningName(e.Game)})
	}
	for _, d := range checkIns {
		label := t.Say("event.checkIn.none")
		if d > 0 {
			label = t.Say("event.checkIn", "Count", int(d/time.Minute))
		}
		checks = append(checks, chat.Choice{Label: label, Value: strconv.Itoa(int(d / time.Minute)), Chosen: d == e.CheckIn})
	}
	most := ""
	if e.Most > 0 {
		most = strconv.Itoa(e.Most)
	}
	return chat.Form{ID: do(e, "evset", actSettings), Title: t.Say("event.settings"), Fields: []chat.Field{
		{ID: "opening", Label: t.Say("new.opening"), Kind: chat.Menu, Choice: openings},
		{ID: "rounds", Label: t.Say("event.rounds." + kinds[e.Kind]), About: advised(t, e), Kind: chat.Line, Max: 3,
			Text: strconv.Itoa(count(e))},
		{ID: "most", Label: t.Say("event.form.most"), About: t.Say("event.form.most.about"), Kind: chat.Line,
			Optional: true, Max: 4, Text: most},
		{ID: "extra", Label: t.Say("event.form.extra"), Kind: chat.Menu,
			Choice: choices(t, "event.extra.", extras, extras[bit(!e.Game.Rated)+2*bit(!e.Threads)])},
		{ID: "checkin", Label: t.Say("event.form.checkIn"), Kind: chat.Menu, Choice: checks},
	}}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// advised says how many rounds fit those who have joined a Swiss event; empty where nobody can say.
func advised(t view.Tongue, e storage.Event) string {
	here, missing := e.Here()
	n := len(here) + len(missing)
	if e.Kind != event.KindSwiss || n < 2 || len(e.Paired) > 0 {
		return ""
	}
	return t.Say("event.advised", "Count", n, "Fit", event.FitRounds(n), "Most", event.MostRounds(n))
}

// count is the number that says how long an event is: rounds, cycles, games of a tie, or minutes.
func count(e storage.Event) int {
	switch e.Kind {
	case event.KindRoundRobin:
		return 1 + bit(e.Twice)
	case event.KindKnockout:
		return max(e.BestOf, 1)
	case event.KindArena:
		return int(e.Length / time.Minute)
	}
	if len(e.Paired) > 0 {
		return e.Total()
	}
	return e.Rounds
}

// counted is e with the number of the form.
func counted(e storage.Event, n int) (storage.Event, bool) {
	switch e.Kind {
	case event.KindRoundRobin:
		e.Twice = n == 2
		return e, n == 1 || n == 2
	case event.KindKnockout:
		e.BestOf, e.Third = n, true
		return e, n >= 1 && n <= 9 && n%2 == 1
	case event.KindArena:
		e.Length = time.Duration(n) * time.Minute
		return e, n >= 10 && n <= 720
	}
	e.Rounds = n
	return e, n >= 1 && n <= longestSwiss
}

// changed takes the form of the settings.
func (v *Events) changed(ctx context.Context, r chat.Request, p view.Press) error {
	return v.managed(ctx, r, p, "event.done.settings", func(e storage.Event) (storage.Event, error) {
		if len(e.Paired) > 0 {
			return e, event.TooLateToEnter
		}
		n, err := strconv.Atoi(strings.TrimSpace(r.Text("rounds", "")))
		e, ok := counted(e, n)
		if err != nil || !ok {
			return e, view.No("event.refused.rounds." + kinds[e.Kind])
		}
		if e.Most, err = strconv.Atoi(strings.TrimSpace(r.Text("most", "0"))); err != nil || e.Most < 0 ||
			e.Most > event.MaxEntrants || e.Most == 1 {
			return e, view.No("event.refused.most", "Most", event.MaxEntrants)
		}
		if n := e.There(); e.Most > 0 && e.Most < n {
			return e, view.No("event.refused.mostIn", "Count", n)
		}
		if name := r.Text("opening", "free"); slices.Contains(host.Openings(e.Game.Rules), name) {
			e.Game = host.Opened(e.Game, name)
		}
		extra := max(slices.Index(extras, r.Text("extra", extras[0])), 0)
		e.Game.Rated, e.Threads = extra%2 == 0, extra < 2
		minutes, _ := strconv.Atoi(r.Text("checkin", "0"))
		if d := time.Duration(minutes) * time.Minute; slices.Contains(checkIns, d) {
			e.CheckIn = d
		}
		return e, nil
	})
}

// repeatings are how often an event comes, as the form names it.
var repeatings = []string{"once", "weekly"}

// whenFields are the fields of the form of a name and a start. The name is the last: it may hold anything.
var whenFields = []string{"listed", "repeat", "starts", "name"}

// timed takes the form of a name and a start. A start that was read with a zone is shown back first.
func (v *Events) timed(ctx context.Context, r chat.Request, p view.Press) error {
	e, err := v.managing(ctx, r, p)
	if err != nil {
		return err
	}
	in, err := v.zone(ctx, r)
	if err != nil {
		return err
	}
	s, ok := when(r.Text("starts", ""), r.Locale, r.At, in)
	if ok && s.asks && nameOf(r) != "" && len(e.Paired) == 0 && !e.Ended {
		s.weekly = s.weekly || r.Text("repeat", "") == repeatings[1]
		yes := spelled(r, start{at: s.at}, whenFields)
		yes.Options["repeat"] = chat.Option{Text: repeatings[bit(s.weekly)]}
		return v.page(ctx, r, sure(v.House.Tongue(r), nameOf(yes), s, do(e, "evwhen", view.Packed(yes, whenFields)),
			do(e, "evask", actWhen)))
	}
	return v.retimed(ctx, r, p)
}

// surelyTimed takes the form of a name and a start after that was shown back.
func (v *Events) surelyTimed(ctx context.Context, r chat.Request, p view.Press) error {
	r = filledBy(r, view.Unpacked(p.Arg, whenFields))
	p.Arg = actWhen
	return v.retimed(ctx, r, p)
}

// retimed gives an event the name and the start of a form. One that comes again every week brings new ones here.
func (v *Events) retimed(ctx context.Context, r chat.Request, p view.Press) error {
	if r.Text("repeat", "") == repeatings[1] {
		if err := v.Host.AllowedHere(ctx, r); err != nil {
			return err
		}
	}
	return v.managed(ctx, r, p, "event.done.when", func(e storage.Event) (storage.Event, error) { return withTime(e, r) })
}

// timing is the form of an event's name and start, and whether Discord's list of events has it. may says
// that the bot may put it there.
func timing(t view.Tongue, e storage.Event, may bool) chat.Form {
	listed := "no"
	if e.Listing.Wanted || may && e.Starts.IsZero() {
		listed = "yes"
	}
	return chat.Form{ID: do(e, "evdo", actWhen), Title: t.Say("event.act.when"), Fields: []chat.Field{
		{ID: "name", Label: t.Say("event.form.name"), Kind: chat.Line, Max: longestName, Text: e.Name},
		{ID: "starts", Label: t.Say("event.form.starts"), About: t.Say("event.form.starts.about"), Kind: chat.Line,
			Optional: true, Max: longestStart, Text: startOf(e)},
		{ID: "repeat", Label: t.Say("event.form.repeat"), Kind: chat.Menu,
			Choice: choices(t, "event.repeat.", repeatings, repeatings[bit(e.Weekly)])},
		{ID: "listed", Label: t.Say("event.form.listed"), About: t.Say("event.form.listed.about"), Kind: chat.Menu,
			Choice: choices(t, "event.listed.", []string{"yes", "no"}, listed)},
	}}
}

// startOf is the start of an event as the form has it; empty: none.
func startOf(e storage.Event) string {
	if e.Starts.IsZero() {
		return ""
	}
	return mark(e.Starts, "F")
}

// withTime is e with the name and the start of the form.
func withTime(e storage.Event, r chat.Request) (storage.Event, error) {
	if len(e.Paired) > 0 {
		return e, event.TooLateToEnter
	}
	if e.Name = nameOf(r); e.Name == "" {
		return e, view.No("event.refused.name")
	}
	if text := r.Text("starts", ""); text != startOf(e) { // else it stays to the millisecond
		s, ok := when(text, r.Locale, r.At, time.UTC)
		if !ok {
			return e, view.No("event.refused.when")
		}
		e.Starts = s.at
	}
	if e.Weekly = r.Text("repeat", repeatings[0]) == repeatings[1]; e.Weekly && e.Starts.IsZero() {
		return e, view.No("event.refused.weekly")
	}
	wanted := r.Text("listed", "no") == "yes" && !e.Starts.IsZero()
	if wanted && !e.Listing.Wanted && !r.Allowed.List {
		return e, view.No("event.refused.listing")
	}
	e.Listing.Wanted = wanted
	return e, nil
}
