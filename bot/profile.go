package bot

import (
	"context"
	"slices"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/learn"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) profileCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "profile", Alone: true,
			Options: []chat.OptionSpec{{Name: "member", Type: chat.MemberOption}}},
		Was:     []string{"stats"},
		Opens:   true,
		Run:     b.profile,
		Presses: map[string]command.Pressed{"profile": b.pressProfile, "recap": b.pressRecap},
	}
}

func (b *Bot) profile(ctx context.Context, r chat.Request) error {
	who := r.By
	if m := r.Options["member"].Member; m.ID != 0 {
		who = m.ID
	}
	return b.profilePage(ctx, r, view.Profile{Who: who})
}

// pressProfile shows the profile of the member who is chosen under a table, of one who has played the match whose end
// card has the button, or another page of one.
func (b *Bot) pressProfile(ctx context.Context, r chat.Request, press view.Press) error {
	switch {
	case press.Match != 0:
		rec, err := b.finder.Readable(ctx, r, press.Match)
		if err != nil {
			return err
		}
		return b.profilePage(ctx, r, view.Profile{Who: whoseProfile(rec.Match, r.By)})
	case r.Target.ID != 0:
		return b.profilePage(ctx, r, view.Profile{Who: r.Target.ID})
	}
	who, part, graph, err := view.ParseProfile(press.Arg)
	if err != nil || who == 0 {
		return no("unknown.button")
	}
	if len(r.Values) == 1 {
		part = r.Values[0]
	}
	return b.profilePage(ctx, r, view.Profile{Who: who, Part: part, Graph: graph})
}

// whoseProfile is whose profile the end card of a match leads a member to: to the other one's where they have played in
// it, else to one who has won or lost against the bot, or won.
func whoseProfile(m game.Match, by game.MemberID) game.MemberID {
	if seat, ok := m.SeatOf(by); ok && m.Seats[1-seat].Member != 0 {
		return m.Seats[1-seat].Member
	} else if ok {
		return by
	}
	if seat := m.SeatOfColor(m.Result().Winner); m.Result().Winner != game.Empty && m.Seats[seat].Member != 0 {
		return m.Seats[seat].Member
	}
	if m.Seats[0].Member != 0 {
		return m.Seats[0].Member
	}
	return m.Seats[1].Member
}

// profileGames is how many of a member's last games their profile looks at. It bounds what a profile costs.
const profileGames = 500

// profileEvents is how many of their last tournaments.
const profileEvents = 20

// profilePage answers r with a page of a profile. Where the part is not named, it is the first that r's member sees.
func (b *Bot) profilePage(ctx context.Context, r chat.Request, p view.Profile) error {
	member, err := b.store.Member(ctx, p.Who)
	if err != nil {
		return err
	}
	p.Asks, p.Hidden = r.By, view.HiddenParts(member)
	seen := p.Seen()
	switch {
	case len(seen) == 0:
		return no("refused.statsHidden", "Who", view.Mention(p.Who))
	case !slices.Contains(view.ProfileParts, p.Part):
		p.Part = seen[0]
	case !p.Sees(p.Part):
		return no("refused.partHidden", "Who", view.Mention(p.Who))
	}
	if p, err = b.reached(ctx, r, p); err != nil {
		return err
	}
	asks, err := b.store.Member(ctx, r.By)
	if err != nil {
		return err
	}
	p.Theme = asks.Look.Theme
	msg, err := b.tongue(r).Profile(p)
	if err != nil {
		return err
	}
	return b.reply(ctx, r, msg)
}

// reached is p with what the member has reached, as far as the part of p that is shown needs it.
func (b *Bot) reached(ctx context.Context, r chat.Request, p view.Profile) (_ view.Profile, err error) {
	all := p.Part == "feats"
	if all || p.Part == "games" {
		if p.Rated, err = b.store.Standings(ctx, p.Who); err != nil {
			return p, err
		}
		for i, s := range p.Rated {
			p.Rated[i].Rating = s.Aged(b.now())
		}
		if p.Bot, err = b.store.AgainstEngine(ctx, p.Who); err != nil {
			return p, err
		}
	}
	if all || slices.Contains([]string{"games", "opponents", "openings"}, p.Part) {
		if p.Past, err = b.store.History(ctx, p.Who, 0, profileGames+1); err != nil {
			return p, err
		}
		p.Older = len(p.Past) > profileGames
		p.Past = p.Past[:min(len(p.Past), profileGames)]
	}
	if p.Part == "opponents" {
		if p.Named, err = b.named(ctx, r, p); err != nil {
			return p, err
		}
	}
	if all || p.Part == "puzzles" {
		if p.Puzzles, err = b.store.PuzzlesOf(ctx, p.Who); err != nil {
			return p, err
		}
		done, err := b.store.Progress(ctx, p.Who)
		if err != nil {
			return p, err
		}
		p.Courses = learn.Done(done)
	}
	if all || p.Part == "events" {
		return b.entered(ctx, r, p)
	}
	return p, nil
}

// entered is p with the tournaments and ladders of its member. Others see those of the server in which they ask.
func (b *Bot) entered(ctx context.Context, r chat.Request, p view.Profile) (_ view.Profile, err error) {
	if p.Events, err = b.store.EventsOf(ctx, p.Who, profileEvents); err != nil {
		return p, err
	}
	if p.Ladders, err = b.store.LaddersOf(ctx, p.Who); err != nil || p.Who == r.By {
		return p, err
	}
	here := r.Place.Server
	p.Events = slices.DeleteFunc(p.Events, func(e storage.Event) bool { return here == 0 || e.Place.Server != here })
	p.Ladders = slices.DeleteFunc(p.Ladders, func(l storage.Rung) bool {
		return here == 0 || l.Server != strconv.FormatUint(here, 10)
	})
	return p, nil
}

// mostNamed is of how many opponents it is asked whether they may be named: of those met most.
const mostNamed = 30

// named says whether an opponent may be named to r's member. In one's own profile all may, and else those that /top
// shows here too.
func (b *Bot) named(ctx context.Context, r chat.Request, p view.Profile) (func(game.MemberID) bool, error) {
	if p.Who == r.By {
		return func(game.MemberID) bool { return true }, nil
	}
	here := map[game.MemberID]bool{}
	if r.Place.Server != 0 {
		var err error
		if here, err = b.store.Players(ctx, r.Place.Server); err != nil {
			return nil, err
		}
	}
	may := map[game.MemberID]bool{r.By: true}
	met, _ := p.Opponents()
	for _, id := range met[:min(len(met), mostNamed)] {
		m, err := b.store.Member(ctx, id)
		if err != nil {
			return nil, err
		}
		if shownTo(m, here) {
			may[id] = true
		}
	}
	return func(id game.MemberID) bool { return may[id] }, nil
}

// shownTo reports whether a member is shown in lists to those of a server: as one of its players, or as one who wants
// to be shown everywhere.
func shownTo(m storage.Member, here map[game.MemberID]bool) bool {
	return m.More[view.MoreHidden] != "1" && (m.More[view.MoreEverywhere] == "1" || here[m.ID])
}
