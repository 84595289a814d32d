package bot

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// What the rows of stories say: scenes and acts, and what holds at the end.

const (
	callPlace  = "#gomoku"
	tavern     = "Tavern#hall"
	manageMenu = "What would you like to do?"
)

// after is one thing after the other.
func after(all ...func(*world)) func(*world) {
	return func(w *world) {
		for _, f := range all {
			f(w)
		}
	}
}

func passes(d time.Duration) func(*world) { return func(*world) { time.Sleep(d) } }

func press(who, label string) func(*world) {
	return func(w *world) { w.by(who).Press(callPlace, label) }
}

func slash(who, line string) func(*world) { return func(w *world) { w.by(who).Slash(callPlace, line) } }

// denied takes a permission from the bot.
func denied(permission uint64) func(*world) {
	return func(w *world) { w.Deny(callPlace, "tengen", permission) }
}

// by is a member, who may meet refusals.
func (w *world) by(name string) *standin.Member { return w.Member(name).Try() }

// settles gives the bot so long for what nobody asks for.
func (w *world) settles(d time.Duration) {
	time.Sleep(d)
	w.calm()
}

// option is the value of the newest menu entry whose label begins so, else the label.
func option(m *standin.Member, place, label string) string {
	value := label
	for _, msg := range m.Messages(place) {
		for c := range each(msg.Components) {
			for _, o := range c.Options {
				if strings.HasPrefix(o.Label, label) {
					value = o.Value
				}
			}
		}
	}
	return value
}

// club is the place of the stories.
func (s *simulation) club() venue.Place {
	server, _ := strconv.ParseUint(s.ServerID("Club"), 10, 64)
	var channel uint64
	if all := s.Messages(callPlace); len(all) > 0 {
		channel, _ = strconv.ParseUint(all[0].ChannelID, 10, 64)
	}
	return venue.Place{Server: server, Channel: channel}
}

// verifies judges the store.
func (w *world) verifies() {
	if _, err := storage.Verify(w.t.Context(), w.engine); err != nil {
		w.bad.add("%v", err)
	}
}

// public are the messages that a member sees and that are not for one member alone.
func (w *world) public(who string) (all []string) {
	for _, text := range messagesIn(w.by(who).Sees(callPlace)) {
		if !strings.Contains(text, "only you") {
			all = append(all, text)
		}
	}
	return all
}

// notice judges the message of something in the channel, of which there is to be one, up to date, and the
// store. It gives the message.
func (w *world) notice(title string, n storage.Notice, version uint32) (message string) {
	if n.Shown != version || n.Retired != 0 || !n.Posting.IsZero() {
		w.bad.add("the message is behind version %d: %+v", version, n)
	}
	found := 0
	for _, text := range w.public("ann") {
		if strings.Contains(text, title) {
			found++
			message = text
		}
	}
	if found != 1 {
		w.bad.add("%d messages:\n%s", found, w.by("ann").Sees(callPlace))
	}
	w.verifies()
	return message
}

// Calls of the member to move.

// either is a call or none: a bot that came up again does not know who wrote below a board.
const either = -1

var (
	pressesD4     = press("ann", "D4")
	typesD4       = slash("ann", "/move at:D4")
	annChallenges = slash("ann", "/play opponent:@bob game:gomoku9 color:black")
	bobCalled     = after(midGame(3*time.Minute), pressesD4, passes(time.Second))
	buried        = after(midGame(100*time.Second), cydTalks, slash("cyd", "/ping")) // soon before Ann is called
)

// midGame is a game in which Bob has moved last, and which Ann has then let wait for so long.
func midGame(wait time.Duration) func(*world) {
	return after(annChallenges, press("bob", "Accept"), press("ann", "E5"), press("bob", "F6"), passes(wait))
}

// The engine's turns.

func annPlaysTheBot(w *world) {
	w.by("ann").Slash(callPlace, "/play with:bot game:gomoku9 level:1 color:black")
	w.calm()
}

// theBotHasAnswered wants one move of the member and one of the engine.
func theBotHasAnswered(w *world) {
	w.calm()
	if rec := w.match(); rec.Played() != 2 || rec.EngineToMove() {
		w.t.Errorf("%d moves, the engine to move: %v", rec.Played(), rec.EngineToMove())
	}
}

func cydTalks(w *world) { w.by("cyd").Says(callPlace, "Who is winning?") }

// called judges that the act had one member called, once, or nobody, and that a board and so many calls stand
// in the channel.
func called(who string, calls int) func(*world) {
	return func(w *world) {
		for range 2 {
			w.calm()
			w.bot.screens.RetryLate(w.bot.now())
		}
		w.calm()
		recs := w.house.live()
		w.judgeCalls(recs, &w.bad)
		for _, rec := range recs {
			w.judgeScreen(w.t.Context(), rec, &w.bad)
			all := w.standing(recs)[rec.ID]
			if len(all.boards) != 1 || len(all.calls) != calls && calls != either {
				w.bad.add("%d boards and %d calls, want 1 and %d\n%s", len(all.boards), len(all.calls), calls,
					w.by("ann").Sees(callPlace))
			}
		}
		pings := ""
		for _, p := range w.ledger.posted[w.posted:] {
			pings += strings.Join(p.whom, " ")
		}
		if pings != who {
			w.bad.add("%q was called, want %q", pings, who)
		}
		if len(recs) != 1 {
			w.bad.add("%d matches", len(recs))
		}
	}
}

// Where the bot was only brought along, and the board's token is over, a move that calls sends the board by a
// follow-up, which nobody can find whose reply was lost.

func broughtAlong(w *world) {
	w.AddGuild("Tavern", false, "hall")
	ann, bob := w.by("ann"), w.by("bob")
	ann.Installs()
	bob.Installs()
	ann.Slash(tavern, "/play with:anyone game:gomoku9 color:black")
	bob.Press(tavern, "Play")
	ann.Press(tavern, "E5")
	bob.Press(tavern, "F6")
	time.Sleep(20 * time.Minute)
}

func pressesD4InTheTavern(w *world) { w.by("ann").Press(tavern, "D4") }

// boards counts the messages with a board that a member sees: one for each match.
func boards(m *standin.Member, place string) int {
	return strings.Count(m.Sees(place), "{picture:")
}

// boardsIn are the messages with points to press.
func boardsIn(messages []standin.Message) (boards []standin.Message) {
	for _, m := range messages {
		if len(customIDs(m.Components, ":play:")) > 0 {
			boards = append(boards, m)
		}
	}
	return boards
}

// oneBoardOnceTheyArePressed judges that a board is there, at most two, and one once each was pressed: the one
// that went is no board any more, whatever was pressed there, or the other can be edited no more.
func oneBoardOnceTheyArePressed(w *world) {
	w.calm()
	ann, bob := w.by("ann"), w.by("bob")
	boards := boardsIn(bob.Messages(tavern))
	if len(boards) == 0 && w.down > 0 { // a line of the old one stands, and its token is over
		ann.Slash(tavern, "/game do:board")
		boards = boardsIn(bob.Messages(tavern))
	}
	if len(boards) == 0 || len(boards) > 2 {
		w.t.Fatalf("%d boards\n%s", len(boards), bob.Sees(tavern))
	}
	for i, m := range boards {
		by := []*standin.Member{bob, ann}[i%2]
		by.PressStale(m.ID, customIDs(m.Components, ":play:")[i])
		w.calm()
	}
	boards = boardsIn(bob.Messages(tavern))
	if len(boards) != 1 || !strings.Contains(textOf(boards[0].Components), "move 5") &&
		!strings.Contains(textOf(boards[0].Components), "move 6") {
		w.bad.add("then\n%s", bob.Sees(tavern))
	}
}

// Tournaments, of which Dan is the host.

func danManages(w *world) {
	w.by("dan").Moderates("", standin.PermManageGuild)
	w.Member("bot").Moderates("", standin.PermCreateEvents)
}

func makesCup(w *world) {
	w.by("dan").Slash(callPlace, "/event create").Submit(standin.Opt{"name", "Cup"}, standin.Opt{"kind", "knockout"},
		standin.Opt{"game", "gomoku9"}, standin.Opt{"starts", "2h"})
}

// twoJoin is what Ann and Bob do once there is something to join.
var twoJoin = after(passes(3*time.Second), press("ann", "Join"), press("bob", "Join"))

var cupOfTwo = after(danManages, makesCup, twoJoin, passes(10*time.Second))

// managesCup chooses something of the host's menu; its form is filled in where it has one.
func managesCup(act string, form ...standin.Opt) func(*world) {
	return func(w *world) {
		w.by("dan").Press(callPlace, "Manage")
		if a := w.by("dan").Choose(callPlace, manageMenu, act); len(form) > 0 {
			a.Submit(form...)
		}
	}
}

func setsCup(name, listed string) func(*world) {
	return managesCup("when", standin.Opt{"name", name}, standin.Opt{"starts", "3h"}, standin.Opt{"listed", listed})
}

var (
	endsCup    = after(managesCup("end"), press("dan", "End the tournament…"))
	removesCyd = managesCup("remove", standin.Opt{"number", "2"}, standin.Opt{"reason", "never there"})
)

// cups are the events that are stored.
func (w *world) cups() (all []storage.Event) {
	testkit.Must(w.t, w.store.Events(w.t.Context(), func(e storage.Event) bool { all = append(all, e); return true }))
	return all
}

func cupIsThere(w *world) bool { return len(w.cups()) > 0 }

// listed judges the message of the only cup, and the server's list of events.
func listed(want string) func(*world) {
	return func(w *world) {
		w.settles(20 * time.Second)
		cups := w.cups()
		if len(cups) != 1 {
			w.t.Fatalf("%d cups", len(cups))
		}
		if cups[0].ListingLate() {
			w.bad.add("its listing is behind: %+v", cups[0].Listing)
		}
		w.notice("### 🏆", cups[0].Notice, cups[0].Version)
		var list []string
		for _, e := range w.Scheduled("") {
			list = append(list, fmt.Sprint(e.Name, " ", e.Status))
		}
		if got := strings.Join(list, ", "); got != want {
			w.bad.add("the list has %q, want %q", got, want)
		}
	}
}

var (
	weeklyCup = after(danManages, makesCup, twoJoin, press("cyd", "Join"), managesCup("when",
		standin.Opt{"name", "Cup"}, standin.Opt{"starts", "3h"},
		standin.Opt{"repeat", "weekly"}, standin.Opt{"listed", "no"}))
	aboutToBegin = after(weeklyCup, passes(3*time.Hour-20*time.Second))
)

// cupsAre judges that there are so many cups with a message each, one of them weekly, and that something was told
// once, unless it is "".
func cupsAre(n int, said string) func(*world) {
	return func(w *world) {
		w.settles(time.Minute)
		weekly, messages, told := 0, 0, 0
		for _, e := range w.cups() {
			if e.Weekly {
				weekly++
			}
			if e.Untold > 0 || e.Late() {
				w.bad.add("%d lines are untold, late %v", e.Untold, e.Late())
			}
		}
		if found := len(w.cups()); found != n || weekly != 1 {
			w.bad.add("%d cups, %d of them weekly, want %d", found, weekly, n)
		}
		for _, text := range w.public("ann") {
			messages += strings.Count(text, "### 🏆")
			told += strings.Count(text, said)
		}
		if messages != n || said != "" && told != 1 {
			w.bad.add("%d messages, want %d; told %d times\n%s", messages, n, told, w.by("ann").Sees(callPlace))
		}
		w.verifies()
	}
}

// Rounds of a day.

// round is a round between Ann and Bob, two minutes before a part of it is over.
func round(part time.Duration) func(*world) {
	return after(danManages, func(w *world) {
		w.by("dan").Slash(callPlace, "/event create").Submit(standin.Opt{"name", "Cup"}, standin.Opt{"kind", "swiss"},
			standin.Opt{"game", "gomoku9"}, standin.Opt{"pace", "r1d"})
	}, twoJoin, managesCup("start"), press("dan", "Play 1 round"),
		passes(part-2*time.Minute), func(w *world) { w.version = w.match().Version })
}

// match is the only match.
func (w *world) match() storage.Record {
	recs := w.house.live()
	if len(recs) != 1 {
		w.t.Fatalf("%d matches", len(recs))
	}
	return recs[0]
}

// remindedOnce judges that the match has counted one reminder.
func remindedOnce(w *world) {
	w.settles(20 * time.Second)
	if n := w.match().Version - w.version; n != 1 {
		w.bad.add("%d reminders", n)
	}
}

// whiteIsHere has white say so before the half of a round.
func whiteIsHere(w *world) {
	cup := w.cups()[0]
	w.by(w.who(cup.Entrants[cup.Paired[0][0].White-1].Seat.Member)).Press(callPlace, "I am here")
}

// whiteHasThePoint judges that black has forfeited, once, and that with it the tournament of two is over.
func whiteHasThePoint(w *world) {
	w.settles(50 * time.Second)
	cup := w.cups()[0]
	if cup.Paired[0][0].Results != [2]event.Result{event.ForfeitWin, event.ForfeitLoss} ||
		count(cup, storage.Forfeited) != 1 || len(cup.Paired) != 1 || !cup.Ended || len(w.house.live()) != 0 {
		w.bad.add("%+v", cup)
	}
}

func replaysTheBoard(w *world) {
	w.by("dan").Slash(callPlace, "/game do:abort game:#"+keyOf(w.cups()[0].Matches[0][0].Match))
	w.by("dan").Press(callPlace, "Replay the board")
}

func boardIsReplayed(w *world) bool { return count(w.cups()[0], storage.Replayed) > 0 }

// oneFreshBoard judges that the board was replayed once, and that its new match is played and shown.
func oneFreshBoard(w *world) {
	w.settles(3 * time.Minute)
	cup, rec := w.cups()[0], w.match()
	if count(cup, storage.Replayed) != 1 || !cup.Paired[0][0].Open() || rec.ID != cup.Matches[0][0].Match ||
		rec.Phase != game.Playing {
		w.bad.add("%+v, match %d is %v", cup, rec.ID, rec.Phase)
	}
	w.judgeScreen(w.t.Context(), rec, &w.bad)
}

// Ladders.

var ladderOfTwo = after(danManages, slash("dan", "/ladder setup game:gomoku"), twoJoin)

func bobChallenges(w *world) {
	bob := w.by("bob")
	bob.Slash(callPlace, "/ladder")
	bob.Choose(callPlace, "Whom do you challenge?", option(bob, callPlace, "Place 1"))
}

// ladderIs judges the order of the ladder, how many games are under way, and its message.
func ladderIs(want string) func(*world) {
	return func(w *world) {
		w.settles(15 * time.Second)
		l := testkit.Got(w.store.Ladder(w.t.Context(), w.club().Server, game.Gomoku15))
		if got := fmt.Sprintf("%s, %d", w.names(l), len(l.Active)); got != want {
			w.bad.add("the ladder is %s, want %s", got, want)
		}
		standings := w.notice("### Ladder", l.Notice, l.Version)
		if strings.Count(standings, "**new**") != len(l.Rungs) {
			w.bad.add("these are not %d members:\n%s", len(l.Rungs), standings)
		}
	}
}

// who is the name of a member.
func (h *house) who(id game.MemberID) string {
	for _, p := range h.People() {
		if p.ID == fmt.Sprint(uint64(id)) {
			return p.Username
		}
	}
	return ""
}

// names are the members of a ladder, first place first.
func (w *world) names(l storage.Ladder) string {
	var names []string
	for _, r := range l.Rungs {
		names = append(names, w.who(r.ID))
	}
	return strings.Join(names, " ")
}

// Games together.

var voting = after(slash("ann", "/together game:gomoku9 color:black level:1 every:30s"), passes(5*time.Second))

// threeVote has three members vote, and notes whom the bot has answered.
func threeVote(w *world) {
	for point, name := range map[string]string{"D5": "ann", "E5": "bob", "F5": "cyd"} {
		if a := w.by(name).Press(callPlace, point); strings.Contains(a.String(), "You vote for") {
			w.heard[name] = true
		}
	}
}

// together is the game together in a store.
func (w *world) together(store *storage.Store) storage.Together {
	return testkit.Got(storage.Togethers.In(w.t.Context(), store, w.club()))
}

// votesAreIn reports that the votes need not be repeated; else a vote that is there changes nothing.
func votesAreIn(w *world) bool {
	c := w.together(w.store)
	return len(c.Moves) > 0 || len(c.Votes) == 3
}

func noVoteIsLost(w *world) {
	store := storagetest.Store(w.t, w.engine)
	if c := w.together(store); len(c.Moves) == 0 && len(w.heard) > len(c.Votes) {
		w.bad.add("%d votes were taken, and %d are stored", len(w.heard), len(c.Votes))
	}
}

func twoMovesOnOneBoard(w *world) {
	w.settles(90 * time.Second)
	c := w.together(w.store)
	if len(c.Moves) != 2 || len(c.Votes) != 0 {
		w.bad.add("the game is at %v with %d votes", c.Moves, len(c.Votes))
	}
	w.notice("### Together", c.Notice, c.Version)
}

// Simuls.

var simulOfTwo = after(slash("ann", "/play with:many game:gomoku9 color:black thread:false"), passes(5*time.Second),
	press("bob", "Join"))

var cydJoinsAndAnnStarts = after(press("cyd", "Join"), press("ann", "Start"))

func (w *world) simul() storage.Simul {
	return testkit.Got(storage.Simuls.In(w.t.Context(), w.store, w.club()))
}

func simulHasBegun(w *world) bool { return !w.simul().Started.IsZero() }

func eachOpponentHasABoard(w *world) {
	w.settles(90 * time.Second)
	x := w.simul()
	for _, o := range x.Opponents {
		if o.Match == 0 || o.Result != simul.Open {
			w.bad.add("an opponent has no game: %+v", o)
		}
	}
	if len(x.Opponents) == 0 || x.Linked != len(x.Opponents) {
		w.bad.add("the message has %d links: %+v", x.Linked, x)
	}
	w.notice("### Simul", x.Notice, x.Version)
	if boards := strings.Count(w.by("ann").Sees(callPlace), "· move 1"); boards != len(x.Opponents) {
		w.bad.add("%d boards:\n%s", boards, w.by("ann").Sees(callPlace))
	}
}

// Openings.

// decision is what a member presses, chooses or types, and what the log then ends with.
type decision struct{ who, act, want string }

// openingOf is a story of an opening between Ann and Bob, in each decision of which the bot dies.
func openingOf(begin string, decisions []decision) story {
	want := make([]string, len(decisions))
	for i, d := range decisions {
		want[i] = " " + d.want
		if i > 0 {
			want[i] = want[i-1] + want[i]
		}
	}
	return story{
		name:  "opening/" + strings.Fields(begin)[1],
		scene: after(slash("ann", "/play opponent:@bob color:black "+begin), press("bob", "Accept")),
		act:   func(w *world) { w.decides(decisions[w.round]) },
		done: func(w *world) bool { // a last offer may take a second press, and a death another
			w.calm()
			w.bot.screens.RetryLate(w.bot.now())
			w.calm()
			return w.decided() == want[w.round]
		},
		within: 2 * time.Second, rounds: len(decisions), most: 8,
		holds: func(w *world) {
			if got := w.decided(); got != want[len(want)-1] {
				w.bad.add("decided%s, want%s; ann sees\n%s", got, want[len(want)-1], w.by("ann").Sees(callPlace))
			}
			if n := boards(w.by("ann"), callPlace); n != 1 {
				w.bad.add("%d boards:\n%s", n, w.by("ann").Sees(callPlace))
			}
		},
	}
}

// decides lets a member type a command, choose a number, or press a button and confirm a last offer.
func (w *world) decides(d decision) {
	who := w.by(d.who)
	switch _, err := strconv.Atoi(d.act); {
	case strings.HasPrefix(d.act, "/"):
		who.Slash(callPlace, d.act)
	case err == nil:
		who.Choose(callPlace, "How many points?", d.act)
	default:
		who.Press(callPlace, d.act)
		if _, done, ok := strings.Cut(who.Sees(callPlace), "[Done"); ok {
			rest, _, _ := strings.Cut(done, "]")
			who.Press(callPlace, "Done"+rest)
		}
	}
}

// decided are the decisions of the only match, each after a space.
func (w *world) decided() string {
	var out strings.Builder
	for _, e := range w.match().Log {
		out.WriteString(" " + strings.ToLower(e.Decision().String()))
	}
	return out.String()
}

// In an opening, each decision is in the log once. The member acts again on what they still see.
var openingStories = []story{
	openingOf("game:gomoku opening:swap2", []decision{
		{"ann", "H8", "h8"}, {"ann", "H9", "h9"}, {"ann", "I8", "i8"}, {"bob", "Two more stones", "two"},
		{"bob", "I9", "i9"}, {"bob", "G7", "g7"}, {"ann", "Take White", "white"}, {"ann", "G8", "g8"},
	}),
	openingOf("game:renju opening:taraguchi10", []decision{
		{"ann", "H8", "h8"}, {"bob", "Swap: take Black", "swap"}, {"ann", "I9", "i9"}, {"bob", "Keep Black", "stay"},
		{"bob", "J10", "j10"}, {"ann", "Keep White", "stay"}, {"ann", "K9", "k9"}, {"bob", "Offer ten points", "ten"},
		{"bob", "H10", "h10"}, {"bob", "H11", "h11"}, {"bob", "I10", "i10"}, {"bob", "I11", "i11"}, {"bob", "J11", "j11"},
		{"bob", "K10", "k10"}, {"bob", "K11", "k11"}, {"bob", "L11", "l11"}, {"bob", "L10", "l10"}, {"bob", "L9", "l9"},
		{"ann", "10 · L9", "l9"}, {"ann", "K8", "k8"},
	}),
	openingOf("game:gomoku opening:swap", []decision{
		{"ann", "H8", "h8"}, {"ann", "H9", "h9"}, {"ann", "I8", "i8"}, {"bob", "Swap: take Black", "swap"},
		{"ann", "G7", "g7"},
	}),
	openingOf("game:gomoku opening:pro", []decision{
		{"ann", "H8", "h8"}, {"bob", "H9", "h9"}, {"ann", "/move at:K11", "k11"}, {"bob", "I8", "i8"},
	}),
	openingOf("game:gomoku opening:longpro", []decision{
		{"ann", "H8", "h8"}, {"bob", "H9", "h9"}, {"ann", "/move at:L12", "l12"}, {"bob", "I9", "i9"},
	}),
	openingOf("game:renju opening:rif", []decision{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"bob", "Keep White", "stay"}, {"bob", "I8", "i8"},
		{"ann", "H9", "h9"}, {"ann", "I10", "i10"}, {"bob", "2 · I10", "i10"}, {"bob", "G8", "g8"},
	}),
	openingOf("game:renju opening:yamaguchi", []decision{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"ann", "2", "declare=2"},
		{"bob", "Swap: take Black", "swap"}, {"ann", "I8", "i8"}, {"bob", "H9", "h9"}, {"bob", "I10", "i10"},
		{"ann", "1 · H9", "h9"}, {"ann", "G8", "g8"},
	}),
	openingOf("game:renju opening:soosyrv8", []decision{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"bob", "Swap: take Black", "swap"},
		{"ann", "I8", "i8"}, {"ann", "2", "declare=2"}, {"bob", "Swap: take White", "swap"}, {"ann", "H9", "h9"},
		{"ann", "I10", "i10"}, {"bob", "2 · I10", "i10"}, {"bob", "G8", "g8"},
	}),
	openingOf("game:renju opening:tarannikov", []decision{
		{"ann", "H8", "h8"}, {"bob", "Swap: take Black", "swap"}, {"ann", "I9", "i9"}, {"bob", "Swap: take White", "swap"},
		{"ann", "J10", "j10"}, {"bob", "Keep White", "stay"}, {"bob", "I8", "i8"}, {"ann", "Keep Black", "stay"},
		{"ann", "H9", "h9"}, {"bob", "Swap: take Black", "swap"}, {"ann", "G8", "g8"},
	}),
}
