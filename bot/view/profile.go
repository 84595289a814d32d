package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/event"
	"tengen/render"
	"tengen/storage"
)

// ProfileParts are the parts of a profile, in their order. Each is a page of its message. The names stand in custom
// ids and in settings.
var ProfileParts = []string{"games", "opponents", "openings", "puzzles", "events", "feats"}

// MoreParts is the name of a setting of members: the parts of their profile that others do not see, with blanks
// between them.
const MoreParts = "profile"

// HiddenParts are the parts of a member's profile that others do not see: all of them where the member is not listed.
func HiddenParts(m storage.Member) []string {
	if m.More[MoreHidden] == "1" {
		return ProfileParts
	}
	return strings.Fields(m.More[MoreParts])
}

// TurnPart is m after they have hidden a part of their profile, or shown it again.
func TurnPart(m storage.Member, part string) storage.Member {
	hidden := strings.Fields(m.More[MoreParts])
	if i := slices.Index(hidden, part); i >= 0 {
		hidden = slices.Delete(hidden, i, i+1)
	} else if slices.Contains(ProfileParts, part) {
		hidden = append(hidden, part)
	}
	return m.With(MoreParts, strings.Join(hidden, " "))
}

// Profile is what a member has reached, as another one sees it, or they themselves. Its page is made of what its part
// needs; the rest may be empty.
type Profile struct {
	Who, Asks game.MemberID
	Part      string
	Hidden    []string // parts that nobody but Who sees

	Rated   []storage.Standing // in rated games, with the ratings of today
	Bot     []storage.Against
	Past    []storage.Record // their last games that ended, the newest first
	Older   bool             // there are games before those
	Graph   game.Rules       // whose ratings are drawn; nil: of the game that was rated last
	Theme   string           // of the graph
	Named   func(game.MemberID) bool
	Puzzles storage.OwnPuzzles
	Courses []Course
	Events  []storage.Event // the newest first
	Ladders []storage.Rung
}

// Course is how many exercises of a course a member has solved.
type Course struct {
	Rules    game.Rules
	Done, Of int
}

// Sees reports whether the member who asks sees a part.
func (p Profile) Sees(part string) bool { return p.Who == p.Asks || !slices.Contains(p.Hidden, part) }

// Seen are the parts that the member who asks sees.
func (p Profile) Seen() []string {
	return slices.DeleteFunc(slices.Clone(ProfileParts), func(part string) bool { return !p.Sees(part) })
}

// played calls f with the games of the profile that have a result, and the seat of its member.
func (p Profile) played(f func(rec storage.Record, seat int)) {
	for _, rec := range p.Past {
		if seat, ok := rec.SeatOf(p.Who); ok && rec.Result().Termination < game.Aborted {
			f(rec, seat)
		}
	}
}

// past are the games of the profile.
func (p Profile) past() (past game.Past) {
	for _, rec := range p.Past {
		past = append(past, rec.Match)
	}
	return past
}

// id is the custom id that leads to a part of the profile. It may have more behind it.
func (p Profile) id(more ...string) string {
	return Do("profile", strings.Join(append([]string{strconv.FormatUint(uint64(p.Who), 10)}, more...), "."))
}

// ParseProfile reads the argument of a button that leads to a profile: whose, which part, and whose ratings are drawn.
func ParseProfile(arg string) (who game.MemberID, part string, graph game.Rules, err error) {
	f := append(strings.SplitN(arg, ".", 3), "", "")
	id, err := strconv.ParseUint(f[0], 10, 64)
	if f[2] != "" {
		graph, _ = game.RulesNamed(f[2])
	}
	return game.MemberID(id), f[1], graph, err
}

// Profile is the page of a profile that shows its part.
func (t Tongue) Profile(p Profile) (chat.Message, error) {
	head := "### " + t.Line(Mention(p.Who), t.Say("profile."+p.Part))
	var blocks []chat.Block
	var lines []string
	switch p.Part {
	case "games":
		lines = t.profileGames(p)
		picture, err := t.ratingsPicture(p)
		if err != nil {
			return chat.Message{}, err
		}
		blocks = append(blocks, picture...)
	case "opponents":
		lines = t.profileOpponents(p)
	case "openings":
		lines = t.profileOpenings(p)
	case "puzzles":
		lines = t.profilePuzzles(p)
	case "events":
		lines = t.profileEvents(p)
	case "feats":
		lines = t.feats(p)
	}
	if len(lines) == 0 {
		lines = []string{t.Say("profile." + p.Part + ".none")}
	}
	if p.Older && slices.Contains([]string{"games", "opponents", "openings", "feats"}, p.Part) {
		lines = append(lines, "-# "+t.Say("profile.older", "Count", len(p.Past)))
	}
	if slices.Contains(p.Hidden, p.Part) {
		lines = append(lines, "-# "+t.Say("profile.private"))
	}
	msg := chat.Private(Clip(strings.Join(append([]string{head}, lines...), "\n"), 3500))
	msg.Blocks = append(msg.Blocks, blocks...)
	msg.Blocks = append(msg.Blocks, chat.Block{Select: t.partsMenu(p)})
	return msg.WithRow(t.profileRow(p)...), nil
}

// WithProfiles is a table of members with a menu below that leads to the profile of one of them. Where nobody stands
// in the table there is none.
func (t Tongue) WithProfiles(msg chat.Message) chat.Message {
	if !msg.Private {
		msg.Blocks = append(msg.Blocks,
			chat.Block{Select: &chat.Select{ID: Do("profile", ""), Hint: t.Say("profile.whose"), Members: true}})
	}
	return msg
}

// partsMenu leads to the other parts of a profile.
func (t Tongue) partsMenu(p Profile) *chat.Select {
	menu := &chat.Select{ID: p.id(), Hint: t.Say("profile.parts")}
	for _, part := range p.Seen() {
		menu.Choice = append(menu.Choice, chat.Choice{Label: t.Say("profile." + part), Value: part, Chosen: part == p.Part})
	}
	return menu
}

// profileRow is what one can do with a profile: with their own, see their week and choose what others see.
func (t Tongue) profileRow(p Profile) []chat.Button {
	if p.Who != p.Asks {
		return []chat.Button{{ID: Do("open", "profile"), Label: t.Say("button.profile.mine")}}
	}
	return []chat.Button{{ID: Do("recap", ""), Label: t.Say("button.recap")},
		{ID: Do("set", fmt.Sprint(slices.Index(SettingsPages[:], "people"))), Label: t.Say("button.profile.show")}}
}

// profileGames are the ratings and the results, game by game, and the longest streaks.
func (t Tongue) profileGames(p Profile) (lines []string) {
	casual, met := map[game.Rules]storage.Tally{}, storage.Tally{}
	p.played(func(rec storage.Record, seat int) {
		if other, ok := rec.SeatOf(p.Asks); ok && other != seat {
			met = met.With(rec.Score(other))
		}
		if !rec.AgainstEngine() && rec.Changes == [2]storage.Change{} {
			casual[rec.Rules] = casual[rec.Rules].With(rec.Score(seat))
		}
	})
	var ratings []event.Rating
	for _, rules := range game.AllRules {
		head, played := "**"+t.Rules(rules)+"**", []string(nil)
		for _, s := range p.Rated {
			if s.Rules == rules {
				head = t.Line(head, t.Rating(s.Rating))
				ratings = append(ratings, s.Rating)
				played = append(played, t.results("stats.rated", s.Tally))
			}
		}
		if n, ok := casual[rules]; ok {
			played = append(played, t.results("stats.casual", n))
		}
		for _, a := range p.Bot {
			if a.Rules == rules {
				played = append(played, t.results("stats.level", a.Tally, "Level", a.Level))
			}
		}
		if len(played) > 0 {
			lines = append(append(lines, head), played...)
		}
	}
	if len(p.Rated) == 0 {
		lines = append(lines, t.Say("stats.noRated"))
	}
	lines = append(lines, t.streaks(p)...)
	if met != (storage.Tally{}) {
		lines = append(lines, t.results("stats.headToHead", met, "Who", Mention(p.Who)))
	}
	return t.WhyNew(lines, ratings...)
}

// leastStreak is the shortest streak that is worth a line.
const leastStreak = 2

// streaks words the longest streaks.
func (t Tongue) streaks(p Profile) (lines []string) {
	past := p.past()
	for _, engine := range []bool{false, true} {
		key := map[bool]string{false: "profile.streak.members", true: "profile.streak.bot"}[engine]
		if n := past.Longest(p.Who, engine); n >= leastStreak {
			lines = append(lines, t.Say(key, "Count", n))
		}
	}
	return lines
}

// unsettledGames is how many rated games it takes, as a rule, until a rating has settled. A graph begins behind them:
// until then a rating is no number.
const unsettledGames = 10

// ratings are how the rating in a game went, as far as it was settled.
func (p Profile) ratings(rules game.Rules) (r render.Ratings) {
	total := 0
	for _, s := range p.Rated {
		if s.Rules == rules && !s.Rating.Provisional() {
			total = s.Won + s.Drawn + s.Lost
		}
	}
	var changed render.Ratings
	p.played(func(rec storage.Record, seat int) {
		if c := rec.Changes[seat]; rec.Rules == rules && c.After != 0 {
			changed = append(changed, render.Rated{At: rec.Ended, Rating: c.After})
		}
	})
	changed = changed[:min(len(changed), max(0, total-unsettledGames))]
	slices.SortStableFunc(changed, func(a, b render.Rated) int { return a.At.Compare(b.At) })
	return changed
}

// ratingsPicture is the graph of a rating, with buttons for those of other games. There is none where no rating has
// been settled for two games.
func (t Tongue) ratingsPicture(p Profile) (blocks []chat.Block, err error) {
	var drawn []game.Rules
	for _, s := range p.Rated {
		if len(p.ratings(s.Rules)) > 1 {
			drawn = append(drawn, s.Rules)
		}
	}
	if len(drawn) == 0 {
		return nil, nil
	}
	last := func(rules game.Rules) int64 { r := p.ratings(rules); return r[len(r)-1].At.Unix() }
	slices.SortStableFunc(drawn, func(a, b game.Rules) int { return cmp.Compare(last(b), last(a)) })
	rules := drawn[0]
	if slices.Contains(drawn, p.Graph) {
		rules = p.Graph
	}
	r := p.ratings(rules)
	png, err := r.PNG(render.ChartOptions{Theme: cmp.Or(p.Theme, render.DefaultTheme(rules)), Width: chartWidth})
	if err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	alt := t.ratingsAlt(rules, r)
	blocks = []chat.Block{{Text: t.Line("**"+t.Rules(rules)+"**", t.Say("profile.graph"))},
		{Picture: &chat.Picture{Name: "rating.png", Data: png, Alt: alt, Text: alt}}}
	var row []chat.Button
	for _, other := range drawn {
		if other != rules && len(row) < 5 {
			row = append(row, chat.Button{ID: p.id("games", other.Name()), Label: t.Rules(other)})
		}
	}
	if len(row) > 0 {
		blocks = append(blocks, chat.Block{Row: row})
	}
	return blocks, nil
}

// ratingsAlt says what the graph of a rating shows.
func (t Tongue) ratingsAlt(rules game.Rules, r render.Ratings) string {
	low, high := r.Bounds()
	whole := func(f float64) string { return fmt.Sprintf("%.0f", f) }
	first, last := r[0], r[len(r)-1]
	return t.Line(t.Rules(rules), t.Say("profile.alt", "Count", len(r), "Since", first.At.Format(time.DateOnly),
		"Until", last.At.Format(time.DateOnly), "From", whole(first.Rating), "To", whole(last.Rating), "Low", whole(low),
		"High", whole(high)))
}

// How much a page of a profile lists.
const (
	listedOpponents = 8
	listedOpenings  = 8
	listedEvents    = 12
)

// Opponents are those whom the member of a profile has met in its games, the one they met most first, with the results.
func (p Profile) Opponents() (who []game.MemberID, results map[game.MemberID]storage.Tally) {
	results = map[game.MemberID]storage.Tally{}
	p.played(func(rec storage.Record, seat int) {
		if other := rec.Seats[1-seat]; other.Kind == game.MemberSeat && other.Member != 0 {
			results[other.Member] = results[other.Member].With(rec.Score(seat))
		}
	})
	who = slices.Collect(maps.Keys(results))
	slices.SortFunc(who, func(a, b game.MemberID) int {
		return cmp.Or(cmp.Compare(games(results[b]), games(results[a])), cmp.Compare(a, b))
	})
	return who, results
}

// games is how many games a tally counts.
func games(t storage.Tally) int { return t.Won + t.Drawn + t.Lost }

// profileOpponents are the opponents met most. Those who are not to be named are counted together.
func (t Tongue) profileOpponents(p Profile) (lines []string) {
	who, results := p.Opponents()
	var rest storage.Tally
	for _, id := range who {
		n := results[id]
		if len(lines) < listedOpponents && p.Named != nil && p.Named(id) {
			lines = append(lines, t.results("profile.against", n, "Who", Mention(id)))
			continue
		}
		rest = storage.Tally{Won: rest.Won + n.Won, Drawn: rest.Drawn + n.Drawn, Lost: rest.Lost + n.Lost}
	}
	if games(rest) > 0 {
		lines = append(lines, t.results("profile.others", rest))
	}
	return lines
}

// profileOpenings are the openings played most, with the results.
func (t Tongue) profileOpenings(p Profile) (lines []string) {
	type opened struct {
		game.Rules
		first string
	}
	results, all := map[opened]map[game.Color]storage.Tally{}, map[opened]int{}
	p.played(func(rec storage.Record, seat int) {
		first := firstStones(rec.Match)
		if first == "" {
			return
		}
		k, color := opened{rec.Rules, first}, rec.ColorOf(seat)
		if results[k] == nil {
			results[k] = map[game.Color]storage.Tally{}
		}
		results[k][color] = results[k][color].With(rec.Score(seat))
		all[k]++
	})
	list := slices.SortedFunc(maps.Keys(all), func(a, b opened) int {
		return cmp.Or(cmp.Compare(all[b], all[a]),
			cmp.Compare(slices.Index(game.AllRules, a.Rules), slices.Index(game.AllRules, b.Rules)),
			cmp.Compare(a.first, b.first))
	})
	for _, k := range list[:min(len(list), listedOpenings)] {
		lines = append(lines, "**"+t.Line(t.Rules(k.Rules), k.first)+"**")
		for _, color := range []game.Color{game.Black, game.White} {
			if n, ok := results[k][color]; ok {
				lines = append(lines, t.results("profile.as."+color.String(), n))
			}
		}
	}
	return lines
}

// openingStones is how many stones make an opening.
const openingStones = 3

// firstStones are the first stones of a match that began on an empty board, or from the discs of Reversi: as they lie
// after the turn or mirroring in which they stand farthest up and right. Matches that differ by one are the same here.
// It is empty where there are fewer.
func firstStones(m game.Match) (best string) {
	g := m.Game()
	if g.Len() < openingStones || m.Start.Size != 0 || m.Opening == game.ImportedOpening {
		return ""
	}
	start, size := m.Rules.Start(), m.Rules.Size()
	var most []int
	for way := range uint64(8) {
		if !keeps(start.Stones[0], size, way) { // turned by a quarter, Reversi's discs change colors
			continue
		}
		var order []int
		var names []string
		for _, move := range g.Plies()[:openingStones] {
			q := move.Point.Turned(size, way)
			names = append(names, q.String())
			if m.Rules.TopDown() {
				q = game.At(q.Row(), q.Col())
			}
			order = append(order, int(q))
		}
		if slices.Compare(order, most) > 0 {
			most, best = order, strings.Join(names, " ")
		}
	}
	return best
}

// keeps reports whether a turn or mirroring of the board leaves stones where they are.
func keeps(stones game.Set, size int, way uint64) bool {
	for p := range stones.All() {
		if !stones.Has(p.Turned(size, way)) {
			return false
		}
	}
	return true
}

// profilePuzzles is what the member has reached in puzzles and lessons.
func (t Tongue) profilePuzzles(p Profile) (lines []string) {
	for _, s := range p.Puzzles.Solvers {
		if s.Tried > 0 {
			lines = append(lines, t.Line("**"+t.Rules(s.Rules)+"**", t.Rating(s.Rating),
				t.Say("top.solved", "Solved", s.Solved, "Count", s.Tried)))
		}
	}
	for _, b := range p.Puzzles.Run.Bests {
		if b.Ever > 0 {
			lines = append(lines, t.Line(t.Rules(b.Rules), t.Say("profile."+b.Kind.String(), "Count", b.Ever)))
		}
	}
	if days := bestDays(p.Puzzles); days > 0 {
		lines = append(lines, t.Say("profile.daily", "Count", days))
	}
	for _, c := range p.Courses {
		if c.Done > 0 {
			lines = append(lines, t.Line(t.Rules(c.Rules), t.Say("profile.course", "Done", c.Done, "Count", c.Of)))
		}
	}
	return lines
}

// bestDays is on how many days in a row the daily puzzle of a server was solved, at best.
func bestDays(p storage.OwnPuzzles) (most int) {
	for _, d := range p.Dailies {
		most = max(most, d.Best)
	}
	return most
}

// profileEvents are the tournaments of the member, the newest first, and their places on ladders.
func (t Tongue) profileEvents(p Profile) (lines []string) {
	for _, e := range p.Events {
		place, of, entered := placeIn(e, p.Who)
		name := "🏆 " + Escape(e.Name)
		switch {
		case !entered || len(lines) == listedEvents:
		case place == 0:
			lines = append(lines, t.Line(name, t.Say("profile.event.open")))
		default:
			lines = append(lines, t.Line(name, t.Say("profile.event.place", "Place", place, "Count", of)))
		}
	}
	for _, l := range p.Ladders {
		rules, ok := game.RulesNamed(l.Rules)
		if !ok {
			continue
		}
		said := []string{t.Say("ladder.title"), t.Rules(rules)}
		if l.Place > 0 {
			said = append(said, t.Say("profile.ladder.place", "Place", l.Place))
		}
		if best, n := bestSeason(l); n > 0 {
			said = append(said, t.Say("profile.ladder.best", "Place", best, "Count", n))
		}
		lines = append(lines, t.Line(said...))
	}
	return lines
}

// placeIn is the place of a member in a tournament that has ended, and of how many; place is 0 before, and where it was
// called off.
func placeIn(e storage.Event, who game.MemberID) (place, of int, entered bool) {
	number := 1 + slices.IndexFunc(e.Entrants, func(x event.Entrant) bool {
		return x.Seat.Kind == game.MemberSeat && x.Seat.Member == who
	})
	if number == 0 || !e.Ended || len(e.Paired) == 0 {
		return 0, 0, number > 0
	}
	all := e.Standings()
	for _, s := range all {
		if s.ID == number {
			place = s.Place
		}
	}
	return place, len(all), true
}

// bestSeason is the best place at the end of a season of a ladder, and in how many the member had one.
func bestSeason(l storage.Rung) (best, n int) {
	for _, place := range l.Seasons {
		if n++; n == 1 || place < best {
			best = place
		}
	}
	return best, n
}

// results words how many games were won, drawn and lost.
func (t Tongue) results(key string, n storage.Tally, args ...any) string {
	return t.Say(key, append(args, "Won", n.Won, "Drawn", n.Drawn, "Lost", n.Lost)...)
}
