package bot

import (
	"context"
	"errors"
	"time"

	"tengen/bot/chat"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func playCommand() command {
	return command{
		Command:   chat.Command{Name: "play", About: "Begin a game", Alone: true},
		paragraph: true,
		subs: []command{
			{Command: chat.Command{Name: "bot", About: "Play against the bot", Options: []chat.OptionSpec{
				kindOption(), levelOption(), colorOption(), openingOption(), clockOption(), threadOption()}},
				run: (*Bot).playBot},
			{Command: chat.Command{Name: "member", About: "Challenge another member", Options: []chat.OptionSpec{
				{Name: "opponent", About: "Whom to challenge", Type: chat.MemberOption, Required: true},
				kindOption(), colorOption(), openingOption(), clockOption(), ratedOption(), threadOption(), noteOption()}},
				run: (*Bot).playMember},
			{Command: chat.Command{Name: "open", About: "Offer a game to whoever wants to play", Options: []chat.OptionSpec{
				kindOption(), colorOption(), openingOption(), clockOption(), ratedOption(), threadOption(), noteOption()}},
				run: (*Bot).playOpen},
		},
		presses: map[string]pressed{
			"accept":  (*Bot).pressAccept,
			"decline": (*Bot).pressDecline,
			"cancel":  (*Bot).pressCancel,
			"color":   (*Bot).pressColor,
			"rematch": (*Bot).pressRematch,
		},
	}
}

// clocks are the times per move that can be chosen.
var clocks = []struct {
	name string
	each time.Duration
}{
	{"none", 0}, {"1m", time.Minute}, {"5m", 5 * time.Minute}, {"15m", 15 * time.Minute},
	{"1h", time.Hour}, {"1d", 24 * time.Hour}, {"3d", 3 * 24 * time.Hour},
}

// clockNamed is the name of a time per move; empty where it cannot be chosen.
func clockNamed(each time.Duration) string {
	for _, c := range clocks {
		if c.each == each {
			return c.name
		}
	}
	return ""
}

// challengeLife is how long a challenge waits for its answer.
const challengeLife = 24 * time.Hour

// terms reads the options that all commands which begin a game share.
func (b *Bot) terms(ctx context.Context, r chat.Request) (game.Terms, error) {
	usual, err := b.usualGame(ctx, r)
	if err != nil {
		return game.Terms{}, err
	}
	t := game.Terms{Seed: b.random(), Rated: r.Yes("rated", false), Note: view.Clip(r.Text("note", ""), 100)}
	var ok bool
	if t.Rules, ok = game.RulesNamed(r.Text("game", usual)); !ok {
		return t, no("unknown.game")
	}
	switch r.Text("color", "random") {
	case "black":
		t.First = game.Black
	case "white":
		t.First = game.White
	}
	if r.Text("opening", "free") == "balanced" {
		t.Opening, t.Given = game.BalancedOpening, b.balanced(t.Rules, t.Seed)
	}
	for _, c := range clocks {
		if c.name == r.Text("clock", "none") {
			t.PerMove = c.each
		}
	}
	if t.PerMove > 0 && !r.Installed {
		return t, no("refused.clockAway")
	}
	return t, nil
}

// usualGame is the game that is played where none is named: the member's choice, else the server's.
func (b *Bot) usualGame(ctx context.Context, r chat.Request) (string, error) {
	member, err := b.store.Member(ctx, r.By)
	if err != nil || member.More[moreGame] != "" {
		return member.More[moreGame], err
	}
	if r.Place.Server != 0 {
		server, err := b.store.Server(ctx, r.Place.Server)
		if err != nil || server.More[moreGame] != "" {
			return server.More[moreGame], err
		}
	}
	return "gomoku", nil
}

func (b *Bot) playBot(ctx context.Context, r chat.Request) error {
	t, err := b.terms(ctx, r)
	if err != nil {
		return err
	}
	t.Rated = false
	level := min(max(r.Number("level", 3), 1), 8)
	return b.begin(ctx, r, t, game.SeatEngine(level))
}

func (b *Bot) playMember(ctx context.Context, r chat.Request) error {
	return b.challenge(ctx, r, r.Options["opponent"].Member)
}

// mayChallenge refuses a challenge that nobody could accept, or that its member does not want.
func (b *Bot) mayChallenge(ctx context.Context, r chat.Request, whom chat.MemberTarget) error {
	switch {
	case whom.ID == 0:
		return no("challenge.whom")
	case whom.ID == r.By:
		return &game.Refusal{Code: game.Yourself}
	case whom.Bot:
		return no("refused.bot")
	}
	if err := overheard(r); err != nil {
		return err
	}
	return b.welcome(ctx, r.By, whom.ID, false)
}

func (b *Bot) challenge(ctx context.Context, r chat.Request, whom chat.MemberTarget) error {
	if err := b.mayChallenge(ctx, r, whom); err != nil {
		return err
	}
	t, err := b.terms(ctx, r)
	if err != nil {
		return err
	}
	if err := b.rateable(ctx, r, t.Rated, whom.ID); err != nil {
		return err
	}
	return b.begin(ctx, r, t, game.SeatFor(whom.ID))
}

func (b *Bot) playOpen(ctx context.Context, r chat.Request) error {
	if err := overheard(r); err != nil {
		return err
	}
	t, err := b.terms(ctx, r)
	if err != nil {
		return err
	}
	return b.begin(ctx, r, t, game.Seat{})
}

// overheard refuses a challenge that nobody else could see: in the bot's own direct messages,
// and where Discord shows the bot's answers to the asking member alone.
func overheard(r chat.Request) error {
	switch {
	case r.Alone:
		return no("refused.alone")
	case !r.Installed && !r.Direct && !r.Allowed.External:
		return no("refused.hidden")
	}
	return nil
}

// welcome refuses a challenge that the other member does not want. With open the other member
// has offered the game to all, and only a block counts.
func (b *Bot) welcome(ctx context.Context, from, to game.MemberID, open bool) error {
	member, err := b.store.Member(ctx, to)
	if err != nil {
		return err
	}
	if member.Challenges == storage.FromNobody && !open || member.Blocks(from) {
		return no("refused.unwelcome", "Who", view.Mention(to))
	}
	return nil
}

// rateable refuses a rated game of two members who have played as many today as may count.
func (b *Bot) rateable(ctx context.Context, r chat.Request, rated bool, other game.MemberID) error {
	if !rated {
		return nil
	}
	n, err := b.store.RatedToday(ctx, r.By, other, r.At)
	if err == nil && n >= storage.RatedPerDay {
		return no("limit.rated")
	}
	return err
}

// begin makes a match in which the asking member has the first seat.
func (b *Bot) begin(ctx context.Context, r chat.Request, t game.Terms, second game.Seat) error {
	return b.beginBetween(ctx, r, t, game.SeatFor(r.By), second)
}

// beginBetween makes the match and shows it, in a thread of its own where that is wanted.
func (b *Bot) beginBetween(ctx context.Context, r chat.Request, t game.Terms, first, second game.Seat) error {
	if err := b.allowedHere(ctx, r); err != nil {
		return err
	}
	threaded := r.Yes("thread", false) && !r.Thread
	if threaded && !r.Installed {
		return no("refused.threadAway")
	}
	look, err := b.firstLook(ctx, r)
	if err != nil {
		return err
	}
	cause := b.screens.Cause(r)
	cause.Token, cause.Expires = r.Token, r.At.Add(chat.TokenLife) // the answer is a message of its own
	if threaded {
		cause.Token = ""
	}
	rec, err := b.store.Create(ctx, cause, r.Place, func(id game.MatchID) (game.Match, error) {
		m, err := game.NewMatch(id, t, r.By, first, second, r.At, r.At.Add(challengeLife))
		m.Look = look
		return b.clocks.OnTime(m), err
	})
	if err != nil {
		return b.limit(err)
	}
	if threaded {
		rec = b.intoThread(ctx, r, rec)
	}
	b.desk.Changed(rec)
	if rec.Place != r.Place {
		b.screens.Refresh(rec.ID, true)
		return b.say(ctx, r, chat.Text(b.tongue(r).Say("play.inThread", "Thread", view.Channel(rec.Place.Channel))))
	}
	return b.screens.Show(ctx, r, rec.ID, "")
}

// intoThread moves a new match into a thread of its own, where one can be opened. The match is stored
// before, so that no thread is opened for a refused match, or twice.
func (b *Bot) intoThread(ctx context.Context, r chat.Request, rec storage.Record) storage.Record {
	if !r.Allowed.CreateThreads || rec.Place != r.Place {
		return rec
	}
	release, err := b.screens.HoldHere(ctx, rec.ID) // until it is moved, nothing may show it here
	if err != nil {
		return rec
	}
	defer release()
	place := rec.Place
	in := chat.ThreadPlace{Channel: place.Channel, News: r.News}
	if place.Channel, err = b.chat.Thread(ctx, in, view.In(rec.Look.Language).Rules(rec.Rules)); err == nil {
		var moved storage.Record
		if moved, err = b.store.Move(ctx, rec.ID, b.screens.Claiming(storage.Cause{At: r.At}), place, nil); err == nil {
			b.enter(moved)
			return moved
		}
	}
	b.log.Info("thread", "err", err)
	return rec
}

// enter adds the players of a match to its thread, beside the answer that a member waits for. Else
// the thread would not stand in their lists of channels.
func (b *Bot) enter(rec storage.Record) {
	b.tasks.Go(func() {
		for _, s := range rec.Seats {
			if s.Kind != game.MemberSeat {
				continue
			}
			if err := b.chat.Enter(b.tasks.Life, rec.Place.Channel, s.Member); err != nil {
				b.log.Info("adding a player to the thread", "match", view.Name(rec.ID), "err", err)
			}
		}
	})
}

// firstLook is the look of a new match: its owner's settings, and the server's language.
func (b *Bot) firstLook(ctx context.Context, r chat.Request) (game.Look, error) {
	member, err := b.store.Member(ctx, r.By)
	if err != nil {
		return game.Look{}, err
	}
	look := member.Look
	if r.Place.Server != 0 {
		server, err := b.store.Server(ctx, r.Place.Server)
		if err != nil {
			return look, err
		}
		if look.Theme == "" {
			look.Theme = server.Look.Theme
		}
		if server.Look.Language != "" {
			look.Language = server.Look.Language
		}
	}
	if look.Language == "" {
		look.Language = r.ServerLocale
	}
	if look.Language == "" {
		look.Language = r.Locale
	}
	look.Language = view.In(look.Language).Lang
	return look, nil
}

// limit words the store's refusals by a limit on games.
func (b *Bot) limit(err error) error {
	var l *storage.Limit
	if errors.As(err, &l) {
		return no("limit."+limitNames[l.Kind], "Count", l.Max)
	}
	return err
}

// limitNames are the catalogue's names of the store's limits.
var limitNames = [...]string{storage.OpenLimit: "challenges", storage.PairLimit: "pair", storage.RunningLimit: "games", storage.EngineLimit: "engineGames"}

func (b *Bot) pressAccept(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.match(ctx, p.Match)
	if err != nil {
		return err
	}
	if m := rec.Match; m.Phase == game.Offered && m.Seats[0].Member != r.By {
		host := m.Seats[0].Member
		if m.Seats[1].Kind != game.MemberSeat {
			if err := b.welcome(ctx, r.By, host, true); err != nil {
				return err
			}
		}
		if err := b.rateable(ctx, r, m.Rated, host); err != nil {
			return err
		}
	}
	open := rec.Match.Phase == game.Offered && rec.Match.Seats[1].Kind != game.MemberSeat
	err = b.act(ctx, r, p.Match, nil, func(m game.Match) (game.Match, error) {
		if p.Arg != "" && p.Arg != view.ColorArg(m.First) && m.Phase == game.Offered {
			return game.Match{}, &game.Refusal{Code: game.Moved} // they have agreed to other colors
		}
		return m.Accept(r.By, r.At)
	})
	if rec, e := b.store.Match(ctx, p.Match); open && r.Thread && r.Installed && err == nil && e == nil && view.Playing(rec.Match) {
		b.enter(rec)
	}
	return b.limit(err)
}

func (b *Bot) pressDecline(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, func(m game.Match) (game.Match, error) { return m.Decline(r.By, r.At) })
}

func (b *Bot) pressCancel(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, func(m game.Match) (game.Match, error) { return m.Cancel(r.By, r.At) })
}

// pressColor gives who challenges the color that the button names.
func (b *Bot) pressColor(ctx context.Context, r chat.Request, p view.Press) error {
	c, ok := view.ColorOfArg(p.Arg)
	if !ok {
		return no("unknown.button")
	}
	return b.act(ctx, r, p.Match, nil, func(m game.Match) (game.Match, error) { return m.Color(r.By, c, r.At) })
}

func (b *Bot) pressRematch(ctx context.Context, r chat.Request, p view.Press) error {
	seed := b.random()
	cause := b.screens.Cause(r)
	if cause.Token != "" {
		cause.Second = screen.FollowUp(cause.Token) // the interaction's own answer stays the old board
	}
	before, err := b.match(ctx, p.Match)
	if err != nil {
		return err
	}
	rated := before.Rated
	if seat, ok := before.SeatOf(r.By); ok && rated {
		rated = !isRefused(b.rateable(ctx, r, rated, before.Seats[1-seat].Member), "limit.rated")
	}
	old, made, err := b.store.Rematch(ctx, p.Match, cause, func(m game.Match, next game.MatchID) (game.Match, game.Match, error) {
		m, err := m.Rematch(r.By, next, r.At)
		if err != nil || m.Next == 0 {
			return m, game.Match{}, err
		}
		s, err := m.Successor(b.balanced(m.Rules, seed), seed, r.At)
		s.Rated = s.Rated && rated
		return m, b.clocks.OnTime(s), err
	})
	if err != nil {
		return b.stale(ctx, r, p.Match, b.limit(err))
	}
	if made.ID == 0 {
		return b.screens.Show(ctx, r, old.ID, b.tongue(r).Say("done"))
	}
	b.desk.Changed(made)
	if err := b.screens.Show(ctx, r, old.ID, b.tongue(r).Say("done")); err != nil {
		return err
	}
	b.screens.Refresh(made.ID, true)
	return nil
}
