package bot

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/together"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// The message that /play opens: what is chosen stands in the ids of its menus, and what a member began last is
// chosen at first.

// picks is what is chosen in the menu, by the names of the options of /play. "more" is set where all of the
// menu is open.
type picks map[string]string

// menuFields are the fields of picks in the order in which ids have them.
var menuFields = []string{"with", "game", "level", "white", "color", "opening", "clock", "rated", "more", "opponent"}

// moreMenu is the setting of a member that holds what they began last.
const moreMenu = "menu"

// suitable is the choice of a level that leaves it to the member's last games.
const suitable = "suits"

// openMenu opens the menu. What is not in c is as the member chose it last.
func (b *Bot) openMenu(ctx context.Context, r chat.Request, c picks) error {
	m, err := b.store.Member(ctx, r.By)
	if err != nil {
		return err
	}
	last := picks(view.Unpacked(m.More[moreMenu], menuFields))
	for name, value := range c {
		if value != "" {
			last[name] = value
		}
	}
	return b.showMenu(ctx, r, last)
}

// chosenBy is what the options of r choose.
func chosenBy(r chat.Request) picks {
	c := picks{}
	for _, name := range menuFields {
		c[name] = r.Text(name, "")
	}
	if n := r.Number("level", 0); n > 0 {
		c["level"] = strconv.Itoa(n)
	}
	return c
}

// chosenAs is the menu with the terms of a match.
func chosenAs(m game.Match) picks {
	c := picks{"with": "bot", "game": m.Rules.Name(), "clock": m.Clock.String(),
		"opening": view.OpeningName(m.Terms)}
	for _, seat := range m.Seats {
		if seat.Kind == game.EngineSeat && seat.Guest == "" {
			c["level"] = strconv.Itoa(int(seat.Level))
		}
	}
	return c
}

// pressNew opens the menu: with the terms of the match whose board was pressed, or with what the button names.
func (b *Bot) pressNew(ctx context.Context, r chat.Request, p view.Press) error {
	if p.Match == 0 {
		return b.openMenu(ctx, r, view.Unpacked(p.Arg, newFields))
	}
	rec, err := b.finder.Readable(ctx, r, p.Match)
	if err != nil {
		return err
	}
	return b.openMenu(ctx, r, chosenAs(rec.Match))
}

// newFields are the fields of such a button.
var newFields = []string{"game", "opponent", "level", "opening", "clock"}

// submitNew begins the game of a form, which older buttons opened in place of the menu.
func (b *Bot) submitNew(ctx context.Context, r chat.Request, _ view.Press) error {
	if whom := r.Options["opponent"].Member; whom.ID == 0 || whom.Own {
		return b.playBot(ctx, r)
	}
	return b.playMember(ctx, r)
}

// pressMenu changes what is chosen, or begins the game. Its argument is the menu that was pressed, and what was
// chosen before.
func (b *Bot) pressMenu(ctx context.Context, r chat.Request, p view.Press) error {
	name, before, _ := strings.Cut(p.Arg, ".")
	c := picks(view.Unpacked(before, menuFields))
	switch {
	case name == "start":
		return b.startChosen(ctx, r, c)
	case name == "rated" || name == "more":
		c[name] = map[string]string{"": "1"}[c[name]]
	case name == "opponent" && r.Target.Own:
		c["with"] = "bot"
	case name == "opponent" && r.Target.Bot:
		return no("refused.bot")
	case name == "opponent":
		c[name] = strconv.FormatUint(uint64(r.Target.ID), 36)
	case len(r.Values) == 1 && slices.Contains(menuFields, name):
		c[name] = r.Values[0]
	default:
		return no("unknown.button")
	}
	return b.showMenu(ctx, r, c)
}

// startChosen begins what is chosen, and remembers it for the next time, but not with whom it was.
func (b *Bot) startChosen(ctx context.Context, r chat.Request, c picks) error {
	menus, err := b.menus(ctx, r, c)
	if err != nil {
		return err
	}
	begin := command.AsTyped(r, "play")
	begin.Options = map[string]chat.Option{"rated": {Yes: c["rated"] == ""}}
	for _, m := range menus {
		n, _ := strconv.ParseInt(c[m.name], 10, 64)
		begin.Options[m.name] = chat.Option{Text: c[m.name], Number: n}
	}
	begin.Options["black"] = begin.Options["level"] // of two engines
	begin.Options["opponent"] = chat.Option{Member: chat.MemberTarget{ID: opponentIn(c)}}
	if err := b.commands.Run(ctx, begin); err != nil {
		return err
	}
	delete(c, "opponent")
	_, err = b.store.SetMember(ctx, r.By, func(m storage.Member) (storage.Member, error) {
		m = m.With(moreMenu, view.Pack(c, menuFields))
		return m, nil
	})
	return err
}

func opponentIn(c picks) game.MemberID {
	id, _ := strconv.ParseUint(c["opponent"], 36, 64)
	return game.MemberID(id)
}

// showMenu shows the menu to the member alone. What is chosen in menus that are not open is said in a line.
func (b *Bot) showMenu(ctx context.Context, r chat.Request, c picks) error {
	menus, err := b.menus(ctx, r, c)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	id := func(name string) string { return view.Do("menu", name+"."+view.Pack(c, menuFields)) }
	lines := []string{"### " + t.Say("play.title")}
	if c["with"] == "bot" && c["level"] == suitable {
		rules, _ := game.RulesNamed(c["game"])
		lines = append(lines, "-# "+t.Suggested(b.host.Suggested(ctx, r.By, rules)))
	}
	msg := chat.Message{Private: true, Blocks: make([]chat.Block, 1)}
	var closed []string
	for _, m := range menus {
		if m.more && c["more"] == "" {
			if c[m.name] != m.usual {
				closed = append(closed, m.said(t, c))
			}
			continue
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Select: m.block(t, id(m.name), c)})
	}
	if len(closed) > 0 {
		lines = append(lines, "-# "+t.Line(closed...))
	}
	msg.Blocks[0].Text = strings.Join(lines, "\n")
	row := []chat.Button{{ID: id("start"), Label: t.Say("button.start"), Style: chat.Success,
		Disabled: c["with"] == "member" && opponentIn(c) == 0}}
	switch c["with"] {
	case "member", "anyone", "strength":
		key := map[string]string{"": "button.rated", "1": "button.casual"}[c["rated"]]
		row = append(row, chat.Button{ID: id("rated"), Label: t.Say(key)})
	}
	if slices.ContainsFunc(menus, func(m playMenu) bool { return m.more }) {
		key := map[string]string{"": "button.more", "1": "button.less"}[c["more"]]
		row = append(row, chat.Button{ID: id("more"), Label: t.Say(key)})
	}
	return b.reply(ctx, r, msg.WithRow(row...))
}

// A playMenu is one of the menus: the field that it sets, what it is called under "play.menu" in the catalogue,
// and its choices, none for one of members. One of more is only there where the menu is open.
type playMenu struct {
	name, text string
	choices    []chat.Choice
	usual      string
	more       bool
}

// said is what is chosen in a menu, with the menu's name.
func (m playMenu) said(t view.Tongue, c picks) string {
	for _, one := range m.choices {
		if one.Value == c[m.name] {
			return t.Valued("play.menu."+m.text, one.Label)
		}
	}
	return t.Say("play.menu." + m.text)
}

// block is a menu with its choice, which says what it is the choice of: it is all that a closed menu shows.
func (m playMenu) block(t view.Tongue, id string, c picks) *chat.Select {
	if len(m.choices) == 0 {
		return &chat.Select{ID: id, Hint: m.said(t, c), Members: true, Member: opponentIn(c)}
	}
	s := &chat.Select{ID: id, Hint: t.Say("play.menu." + m.text)}
	for _, one := range m.choices {
		one.Detail, one.Chosen = "", one.Value == c[m.name]
		if one.Chosen {
			one.Label = m.said(t, c)
		}
		s.Choice = append(s.Choice, one)
	}
	return s
}

// menus are the menus of what is chosen. Where c has no choice that is there, it gets the usual one.
func (b *Bot) menus(ctx context.Context, r chat.Request, c picks) (menus []playMenu, err error) {
	t := b.tongue(r)
	add := func(m playMenu) {
		if !slices.ContainsFunc(m.choices, func(one chat.Choice) bool { return one.Value == c[m.name] }) {
			c[m.name] = m.usual
		}
		menus = append(menus, m)
	}
	usualGame, err := b.host.UsualGame(ctx, r)
	if err != nil {
		return nil, err
	}
	add(playMenu{name: "with", text: "with", choices: t.Choices(playsWith(r), ""), usual: "bot"})
	if c["with"] == "member" {
		menus = append(menus, playMenu{name: "opponent", text: "opponent"})
	}
	add(playMenu{name: "game", text: "game", choices: t.Choices(command.GameChoices(), ""), usual: usualGame})
	rules, _ := game.RulesNamed(c["game"])
	levels := t.Choices(command.LevelChoices(), "")
	switch c["with"] {
	case "bot", "channel":
		suits := chat.Choice{Label: t.Say("play.suits", "Level", b.host.Suggested(ctx, r.By, rules).Level), Value: suitable}
		add(playMenu{name: "level", text: "level", choices: append([]chat.Choice{suits}, levels...), usual: suitable})
	case "engines":
		add(playMenu{name: "level", text: "black", choices: levels, usual: "5"})
		add(playMenu{name: "white", text: "white", choices: levels, usual: "5"})
		return menus, nil
	}
	if c["with"] != "strength" { // there colors are drawn by lot
		add(playMenu{name: "color", text: "color", choices: t.Choices(command.Color().Choices, ""), usual: "random",
			more: true})
	}
	if c["with"] == "channel" {
		add(playMenu{name: "clock", text: "every", choices: t.Choices(together.Every(), ""), usual: together.UsualEvery,
			more: true})
		return menus, nil
	}
	usualOpening, err := b.host.UsualOpening(ctx, r)
	if err != nil {
		return nil, err
	}
	var openings []chat.Choice
	for _, o := range t.OpeningMenu(usualOpening, "") {
		switch {
		case o.Value == "usual":
			openings = append(openings, o)
		case slices.Contains(host.Openings(rules), o.Value):
			openings = append(openings, chat.Choice{Label: t.Opening(o.Value), Value: o.Value})
		}
	}
	add(playMenu{name: "opening", text: "opening", choices: openings, usual: openings[0].Value, more: true})
	if r.Installed {
		all := host.ClockChoices(t, c["clock"], b.paint.Page, func(string, string) bool { return true })
		add(playMenu{name: "clock", text: "clock", choices: all, usual: "none", more: true})
	}
	return menus, nil
}

// playsWith are those with whom one can play in the place of r.
func playsWith(r chat.Request) []chat.Choice {
	ways := []string{"bot", "member", "anyone", "strength", "channel", "many", "engines"}
	switch {
	case r.Alone:
		ways = ways[:1]
	case r.Place.Server == 0 || !r.Installed:
		ways = ways[:3]
	}
	return command.Named("with", ways...)
}
