package ladder

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// Commands are the commands of the ladder. They can be registered without a bot.
func (l *Ladders) Commands() []command.Command {
	return []command.Command{{
		Command: chat.Command{Name: "ladder", Options: []chat.OptionSpec{command.Kind()}},
		Ways:    []command.Command{{Command: chat.Command{Name: "ladder setup"}, Run: l.setup}},
		Was:     []string{"ladder show"},
		Opens:   true,
		Run:     l.show,
		Presses: map[string]command.Pressed{"ladder": l.press, "ladderset": l.submitSetup},
	}}
}

// usualClock is the time for each move where the manager names none: a ladder needs an end of its
// games.
const usualClock = "1d"

func clockNamed(l storage.Ladder) string { return cmp.Or(host.ClockNamed(l.Clock), "none") }

// find gives the ladder that r names; without a name that of the usual game, else one that is on.
func (l *Ladders) find(ctx context.Context, r chat.Request) (storage.Ladder, error) {
	if r.Place.Server == 0 {
		return storage.Ladder{}, view.No("refused.ladderHere")
	}
	ladders, err := l.Store.LaddersIn(ctx, r.Place.Server)
	if err != nil {
		return storage.Ladder{}, err
	}
	usual, err := l.Host.UsualGame(ctx, r)
	if err != nil {
		return storage.Ladder{}, err
	}
	name := r.Text("game", "")
	fit := func(one storage.Ladder) int {
		n := 1
		if one.Off {
			n += 2
		}
		if one.Rules.Name() == usual {
			n--
		}
		return n
	}
	ladders = slices.DeleteFunc(ladders, func(one storage.Ladder) bool {
		return one.Channel == 0 || name != "" && one.Rules.Name() != name
	})
	if len(ladders) == 0 {
		return storage.Ladder{}, view.No("refused.ladderNone")
	}
	return slices.MinFunc(ladders, func(a, b storage.Ladder) int { return fit(a) - fit(b) }), nil
}

// show shows a member their place.
func (l *Ladders) show(ctx context.Context, r chat.Request) error {
	one, err := l.find(ctx, r)
	if view.IsRefused(err, "refused.ladderNone") && r.Governs {
		return view.Offering(err, setupButton(l.House.Tongue(r), r.Text("game", "")))
	}
	if err != nil {
		return err
	}
	return l.showMine(ctx, r, one)
}

// Places shows all places of the ladder that r names.
func (l *Ladders) Places(ctx context.Context, r chat.Request) error {
	one, err := l.find(ctx, r)
	if err != nil {
		return err
	}
	return l.lookUp(ctx, r, one, "all", "0")
}

func (l *Ladders) showMine(ctx context.Context, r chat.Request, one storage.Ladder) error {
	may, err := l.may(ctx, one, r)
	if err != nil {
		return err
	}
	t := l.House.Tongue(r)
	isNew, err := l.newcomers(ctx, one.Rules, may)
	if err != nil {
		return err
	}
	msg := mine(t, one, isNew, r.By, may)
	if r.Governs {
		row := &msg.Blocks[len(msg.Blocks)-1].Row
		*row = append(*row, setupButton(t, one.Rules.Name()))
	}
	return chat.Reply(ctx, l.Chat, r, msg)
}

// newcomersOn are the newcomers on a page of a ladder.
func (l *Ladders) newcomersOn(ctx context.Context, one storage.Ladder, n int) (newcomers, error) {
	var members []game.MemberID
	from, to := placesOf(one, n)
	for _, r := range one.Rungs[from:to] {
		members = append(members, r.ID)
	}
	return l.newcomers(ctx, one.Rules, members)
}

// newcomers are those of members whose ratings are not settled.
func (l *Ladders) newcomers(ctx context.Context, rules game.Rules, members []game.MemberID) (newcomers, error) {
	isNew := newcomers{}
	for _, m := range members {
		st, err := l.Store.Standing(ctx, m, rules)
		if err != nil {
			return nil, err
		}
		isNew[m] = st.Aged(l.Now()).Provisional()
	}
	return isNew, nil
}

// may lists whom the asking member may challenge, without those who have blocked them or whom they
// have blocked.
func (l *Ladders) may(ctx context.Context, one storage.Ladder, r chat.Request) ([]game.MemberID, error) {
	if one.Place(r.By) == 0 || one.Off {
		return nil, nil
	}
	own, err := l.Store.Member(ctx, r.By)
	if err != nil {
		return nil, err
	}
	kept := []game.MemberID{}
	for _, m := range one.May(r.By, r.At) {
		other, err := l.Store.Member(ctx, m)
		if err != nil {
			return nil, err
		}
		if !own.Blocks(m) && !other.Blocks(r.By) {
			kept = append(kept, m)
		}
		if len(kept) == mostChoices {
			break
		}
	}
	return kept, nil
}

// press carries out a button of a ladder. What it does depends on the ladder as it stands, so an old
// button does no harm.
func (l *Ladders) press(ctx context.Context, r chat.Request, p view.Press) error {
	name, action, _ := strings.Cut(p.Arg, ".")
	action, arg, _ := strings.Cut(action, ".")
	if action == "setup" {
		return l.askSetup(ctx, r, name)
	}
	rules, ok := game.RulesNamed(name)
	if !ok || r.Place.Server == 0 {
		return view.No("unknown.button")
	}
	one, err := l.Store.Ladder(ctx, r.Place.Server, rules)
	if errors.Is(err, storage.ErrNotFound) {
		return view.No("refused.ladderNone")
	}
	if err != nil {
		return err
	}
	switch action {
	case "mine":
		return l.showMine(ctx, r, one)
	case "join":
		return l.join(ctx, r, one)
	case "leave":
		return l.leave(ctx, r, one, arg == "sure")
	case "whom":
		return l.challenge(ctx, r, one)
	case "all", "hall":
		return l.lookUp(ctx, r, one, action, arg)
	}
	return view.No("unknown.button")
}

// lookUp shows a page of all places, or the hall of fame.
func (l *Ladders) lookUp(ctx context.Context, r chat.Request, one storage.Ladder, what, arg string) error {
	seasons, err := l.Store.Seasons(ctx, one.Server, one.Rules)
	if err != nil {
		return err
	}
	if what == "hall" {
		return chat.Reply(ctx, l.Chat, r, hall(l.House.Tongue(r), one, seasons))
	}
	server, err := l.Store.Server(ctx, one.Server)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(arg)
	isNew, err := l.newcomersOn(ctx, one, n)
	if err != nil {
		return err
	}
	msg, err := all(l.House.Tongue(r), one, isNew, seasons, server.Look.Theme, n)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, l.Chat, r, msg)
}

func (l *Ladders) join(ctx context.Context, r chat.Request, one storage.Ladder) error {
	standing, err := l.Store.Standing(ctx, r.By, one.Rules)
	if err != nil {
		return err
	}
	one, err = l.change(ctx, r, one, func(now event.Ladder) (event.Ladder, error) {
		return now.Join(r.By, standing.Rating.R)
	})
	if err != nil {
		return err
	}
	return l.showMine(ctx, r, one)
}

// leave takes a member off, who is asked first.
func (l *Ladders) leave(ctx context.Context, r chat.Request, one storage.Ladder, sure bool) error {
	t := l.House.Tongue(r)
	if place := one.Place(r.By); !sure && place > 0 {
		msg := chat.Private(t.Say("ladder.leave", "Place", place, "Of", len(one.Rungs)))
		msg = msg.WithRow(
			chat.Button{ID: do(one, "leave.sure"), Label: t.Say("button.leave"), Style: chat.Danger},
			chat.Button{ID: do(one, "mine"), Label: t.Say("button.back")})
		return chat.Reply(ctx, l.Chat, r, msg)
	}
	one, err := l.change(ctx, r, one, func(now event.Ladder) (event.Ladder, error) { return now.Leave(r.By), nil })
	if err != nil {
		return err
	}
	return l.showMine(ctx, r, one)
}

func (l *Ladders) change(ctx context.Context, r chat.Request, one storage.Ladder,
	f func(event.Ladder) (event.Ladder, error)) (storage.Ladder, error) {
	one, err := l.Store.UpdateLadder(ctx, one.Server, one.Rules, r.At,
		func(now storage.Ladder) (_ storage.Ladder, err error) {
			now.Ladder, err = f(now.Ladder)
			return now, err
		})
	return one, refusal(err)
}

// refusal words what a ladder refuses.
func refusal(err error) error {
	switch {
	case errors.Is(err, event.ErrLadderOff):
		return view.No("refused.ladderOff")
	case errors.Is(err, event.ErrLadderFull):
		return view.No("refused.ladderFull")
	case errors.Is(err, event.ErrOutOfReach):
		return view.No("refused.ladderReach")
	}
	return err
}

// challenge challenges the member that was chosen.
func (l *Ladders) challenge(ctx context.Context, r chat.Request, one storage.Ladder) error {
	if len(r.Values) != 1 {
		return view.No("refused.ladderReach")
	}
	n, err := strconv.ParseUint(r.Values[0], 10, 64)
	whom := game.MemberID(n)
	may, mayErr := l.may(ctx, one, r)
	switch {
	case mayErr != nil:
		return mayErr
	case err != nil || !slices.Contains(may, whom) && !alreadyAsked(one, r.By, whom):
		return view.No("refused.ladderReach")
	}
	if r.Place.Channel != one.Channel {
		if err := l.Host.AllowedHere(ctx, r); err != nil {
			return err
		}
	}
	t, err := l.terms(ctx, r, one)
	if err != nil {
		return err
	}
	t.Note = view.Clip(view.In(one.Language).Say("ladder.note", "From", one.Place(r.By), "To", one.Place(whom)), 100)
	return refusal(l.Host.BeginOnLadder(ctx, r, t, whom))
}

// alreadyAsked reports whether the one has challenged the other. The store knows whether the same
// press has done so, and then answers it again.
func alreadyAsked(l storage.Ladder, by, whom game.MemberID) bool {
	return slices.ContainsFunc(l.Active, func(c event.Challenge) bool { return c.By == by && c.Whom == whom })
}

// terms are those of a ladder's matches.
func (l *Ladders) terms(ctx context.Context, r chat.Request, one storage.Ladder) (game.Terms, error) {
	r.Options = map[string]chat.Option{"game": {Text: one.Rules.Name()}, "clock": {Text: clockNamed(one)},
		"opening": {Text: cmp.Or(one.Opening, "free")}, "rated": {Yes: true}}
	return l.Host.Terms(ctx, r)
}
