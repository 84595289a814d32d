package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// ledger keeps what was done and seen: the interactions of members by their millisecond, what
// was pressed, what the engine found in each position, and how far each match was on the
// boards that members saw.
type ledger struct {
	mu      sync.Mutex
	acted   map[int64]map[uint64]bool
	typed   map[uint64]bool      // messages among them
	sent    map[uint64]time.Time // when Discord delivered it
	again   map[uint64]time.Time // when Discord delivered it last
	heard   map[uint64]time.Time // when the bot answered, or last tried to: it may have come late
	taken   map[uint64]bool      // Discord took the answer
	pressed map[uint64]view.Press
	thought map[string]bool // the moves before and the engine's own
	saw     map[game.MatchID]uint32
	open    map[string]bool        // interactions that were not answered
	sorry   map[string]bool        // interactions that were answered by an apology
	unkept  map[string]bool        // interactions whose act the store had no room for, or was not there for
	tokens  map[string]bool        // of interactions
	slipped map[uint64]bool        // interactions in which the bot panicked, and which so did nothing
	deleted map[game.MatchID]bool  // of which a message was deleted
	posted  []posted               // messages that mentioned somebody
	acts    map[string][]time.Time // of members
	limited []string               // calls that Discord refused because there were too many
}

func newLedger() *ledger {
	return &ledger{acts: map[string][]time.Time{}, acted: map[int64]map[uint64]bool{}, typed: map[uint64]bool{},
		sent: map[uint64]time.Time{}, again: map[uint64]time.Time{}, heard: map[uint64]time.Time{},
		taken: map[uint64]bool{}, pressed: map[uint64]view.Press{},
		thought: map[string]bool{}, saw: map[game.MatchID]uint32{}, deleted: map[game.MatchID]bool{},
		slipped: map[uint64]bool{}, tokens: map[string]bool{}, open: map[string]bool{}, sorry: map[string]bool{},
		unkept: map[string]bool{}}
}

// see notes the positions for which the buttons of a message were made.
func (l *ledger) see(cs []standin.Component) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range buttonsOf(cs) {
		l.saw[p.Match] = max(l.saw[p.Match], p.Stamp)
	}
}

// delete notes that a message is deleted.
func (l *ledger) delete(m standin.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range buttonsOf(m.Components) {
		l.deleted[p.Match] = true
	}
}

// gone reports whether a message of the match was deleted.
func (l *ledger) gone(id game.MatchID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deleted[id]
}

// seen is how far each match had come on the boards that members saw.
func (l *ledger) seen() map[game.MatchID]uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.saw)
}

func (l *ledger) token(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens[text] = true
}

// begun is when an interaction was made.
func begun(id uint64) time.Time { return time.UnixMilli(int64(id>>22) + discord.Epoch) }

func (l *ledger) note(interaction string, at time.Time) {
	id, err := strconv.ParseUint(interaction, 10, 64)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sent[id].IsZero() {
		l.sent[id] = at
	}
	l.again[id] = at
	ms := int64(id>>22) + discord.Epoch
	if l.acted[ms] == nil {
		l.acted[ms] = map[uint64]bool{}
	}
	l.acted[ms][id] = true
}

// actsAt are the acts by which a move can have been made at a time. The archive keeps whole
// seconds, and an undo takes a match back from there. The caller holds l.mu.
func (l *ledger) actsAt(at time.Time) map[uint64]bool {
	ms := at.UnixMilli()
	if ms%1000 != 0 {
		return l.acted[ms]
	}
	all := map[uint64]bool{}
	for end := ms + 1000; ms < end; ms++ {
		maps.Copy(all, l.acted[ms])
	}
	return all
}

// typePoint notes a message that holds a point. Nobody repeats it as an interaction.
func (l *ledger) typePoint(message string) {
	id, err := strconv.ParseUint(message, 10, 64)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ms := int64(id>>22) + discord.Epoch
	if l.acted[ms] == nil {
		l.acted[ms] = map[uint64]bool{}
	}
	l.acted[ms][id], l.typed[id] = true, true
}

// press notes what a member pressed.
func (l *ledger) press(interaction, custom string) {
	id, err := strconv.ParseUint(interaction, 10, 64)
	p, wrong := view.ParsePress(custom)
	if err != nil || wrong != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pressed[id] = p
}

// any is a past interaction, recent enough for the store to know that it was carried out.
// Discord repeats an interaction within minutes, if at all.
func (l *ledger) any(rng *rand.Rand) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []uint64
	for ms, at := range l.acted {
		for id := range at {
			if l.slipped[id] || l.typed[id] || time.Since(time.UnixMilli(ms)) > storage.KeepSeen-time.Minute {
				continue
			}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return fmt.Sprint(ids[rng.IntN(len(ids))])
}

// heed notes how an act was answered.
func (s *simulation) heed(a *standin.Answer) {
	switch {
	case a == nil || a.Interaction == "":
	case a.Failed != "":
		s.trace("unanswered", a.Interaction, a.Failed)
		s.ledger.mu.Lock()
		s.ledger.open[a.Interaction] = true
		s.ledger.mu.Unlock()
	case a.Message != nil:
		s.ledger.see(a.Message.Components)
		said := textOf(a.Message.Components)
		if strings.Contains(said, texts.In("en").Say("refused.diskFull")) {
			s.ledger.mu.Lock()
			s.ledger.unkept[a.Interaction] = true
			s.ledger.mu.Unlock()
		}
		if strings.Contains(said, apology) {
			s.trace("apology", a.Interaction)
			s.ledger.mu.Lock()
			s.ledger.sorry[a.Interaction] = true
			s.ledger.mu.Unlock()
		}
	}
}

// apology is part of what a member reads when the bot failed.
const apology = "Something went wrong"

// textOf is all text of a message.
func textOf(cs []standin.Component) (text string) {
	for c := range each(cs) {
		text += c.Content + "\n"
	}
	return text
}

// each is every component of a message, each before those that it holds.
func each(cs []standin.Component) iter.Seq[standin.Component] {
	return func(yield func(standin.Component) bool) {
		for _, c := range cs {
			if !yield(c) {
				return
			}
			for inner := range each(c.Components) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

// judgeApologies checks that the bot failed only where something has failed it.
func (s *simulation) judgeApologies(bad *wrongs) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for name := range s.ledger.sorry {
		id, _ := strconv.ParseUint(name, 10, 64)
		from := begun(id)
		if s.faulty || s.ledger.slipped[id] || s.mishapBetween(from.Add(-6*time.Second), from.Add(6*time.Second)) {
			continue
		}
		bad.add("interaction %s of %s got an apology, and there is no reason for it", name, from.UTC().Format(clockFace))
	}
}

// Discord tells an interaction's end after three seconds.
const patienceOfDiscord = 3 * time.Second

// judgeAnswers checks that every act without an answer has a reason: Discord delivered the
// interaction too late or never, the bot was down, its connection was broken, or the log names
// a failure.
func (s *simulation) judgeAnswers(bad *wrongs) {
	log := s.logs.String()
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for name := range s.ledger.open {
		id, _ := strconv.ParseUint(name, 10, 64)
		from, sent := begun(id), s.ledger.sent[id]
		switch {
		case sent.IsZero(), sent.Sub(from) > time.Second:
		case s.mishapBetween(from.Add(-20*time.Second), from.Add(patienceOfDiscord+time.Second)):
		case s.faulty && strings.Contains(log, "id="+name), sameLine(log, "id="+name, "discord: no place"):
		default:
			bad.add("interaction %s of %s has no answer, and no reason for it", name, from.UTC().Format(clockFace))
		}
	}
}

// sameLine reports whether one line of a log has two words.
func sameLine(log, one, two string) bool {
	for line := range strings.SplitSeq(log, "\n") {
		if strings.Contains(line, one) && strings.Contains(line, two) {
			return true
		}
	}
	return false
}

func (s *simulation) mishapBetween(from, to time.Time) bool {
	s.mishapMu.Lock()
	defer s.mishapMu.Unlock()
	for _, at := range s.mishaps {
		if at.After(from) && at.Before(to) {
			return true
		}
	}
	return false
}

// judge checks that everything is right. The bot may act meanwhile, since reading takes time
// and a clock may run out.
func (s *simulation) judge(bad *wrongs) {
	s.judgeMatches(bad)
	s.judgeAnswers(bad)
	s.judgeApologies(bad)
	s.judgeLimits(bad)
	s.judgeSecrets(bad)
	s.judgeThreads(bad)
	s.judgeServers(bad)
	s.judgeVacations(bad)
}

// judgeVacations checks that the time of who is on vacation stands still, in all games that honour it, and no other's.
func (s *simulation) judgeVacations(bad *wrongs) {
	ctx, now := context.Background(), s.bot.now()
	err := s.store.Live(ctx, func(rec storage.Record) bool {
		for _, seat := range rec.Seats {
			member, err := s.store.Member(ctx, seat.Member)
			if err != nil {
				bad.add("settings: %v", err)
			}
			next, err := rec.OnVacation(seat.Member, member.Vacations.Until(now), now)
			if event, _ := rec.Due(); err == nil && event != game.ReturnEvent && next.Version != rec.Version {
				bad.add("match %s: vacations %v, and the member's are %v", view.Key(rec.ID), rec.Vacation, member.Vacations)
			}
		}
		return true
	})
	if err != nil {
		bad.add("reading: %v", err)
	}
}

// judgeMatches compares what is stored with what was done and what is shown.
func (s *simulation) judgeMatches(bad *wrongs) {
	ctx := context.Background()
	owed := map[game.MatchID]bool{}
	rows, err := s.store.Owed(ctx)
	if err != nil {
		bad.add("owed: %v", err)
	}
	for _, w := range rows {
		owed[w.Match] = true
	}
	saw := s.ledger.seen()
	var recs []storage.Record
	collect := func(rec storage.Record) bool { recs = append(recs, rec); return true }
	if err := errors.Join(s.store.Live(ctx, collect), s.store.Archive(ctx, collect)); err != nil {
		bad.add("reading: %v", err)
	}
	begun := map[int64]int{} // matches by the millisecond of the act that began them
	for _, rec := range recs {
		name := view.Key(rec.ID)
		if _, err := rec.Match.Replay(); err != nil {
			bad.add("match %s does not replay: %v", name, err)
		}
		if rec.EngineToMove() != owed[rec.ID] {
			bad.add("match %s: engine to move %v, owed %v", name, rec.EngineToMove(), owed[rec.ID])
		}
		if rec.EngineToMove() {
			bad.add("match %s still waits for the engine", name)
		}
		begun[rec.Created.UnixMilli()]++
		if seen := saw[rec.ID]; seen > rec.Stamp() {
			bad.add("match %s: members saw %d moves after %d undos, stored are %d after %d", name, seen&0xFFFF, seen>>16,
				len(rec.Log), rec.Undos)
		}
		delete(saw, rec.ID)
		s.judgeLog(rec, bad)
		judgeClock(rec.Match, bad)
		s.judgeScreen(ctx, rec, bad)
	}
	s.judgeCalls(recs, bad)
	for id, seen := range saw {
		if seen>>16 > 0 || seen&0xFFFF < 3 {
			continue // what nobody accepted, was aborted, or has less than two moves left is not kept
		}
		bad.add("match %s, of which members saw %d moves, is not stored", view.Key(id), seen&0xFFFF)
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for ms, n := range begun {
		if acts := len(s.ledger.acted[ms]); n > acts {
			bad.add("%d acts began %d matches at %v", acts, n, time.UnixMilli(ms).UTC().Format(clockFace))
		}
	}
}

// judgeLimits compares the calls with Discord's limits.
func (s *simulation) judgeLimits(bad *wrongs) {
	st := s.Stats()
	if st.GlobalPeak > 50 {
		bad.add("%d calls in a second", st.GlobalPeak)
	}
	if st.Invalid > 5000 { // 10,000 in ten minutes have an address banned
		bad.add("%d calls were refused", st.Invalid)
	}
	if st.Identifies > 500 { // 1,000 a day, then the token is reset
		bad.add("%d identifications", st.Identifies)
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for _, c := range s.ledger.limited {
		bad.add("one call too many: %s", c)
	}
}

// judgeSecrets searches the log for tokens, and for what must never be there.
func (s *simulation) judgeSecrets(bad *wrongs) {
	log := s.logs.String()
	if strings.Contains(log, s.Token()) {
		bad.add("the bot's token is in the log")
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for token := range s.ledger.tokens {
		if strings.Contains(log, token) {
			bad.add("an interaction's token is in the log")
		}
	}
	for line := range strings.SplitSeq(log, "\n") {
		if strings.Contains(line, "/callback") || strings.Contains(line, "/webhooks/") {
			bad.add("an address with a token is in the log: %s", line)
		}
		if strings.Contains(line, "msg=panic") && !strings.Contains(line, "a command that panics") { // ours, in a sweep
			bad.add("panic: %s", line)
		}
	}
}

// judgeLog compares the moves of a match with what was done. Each move of a member is one act,
// made for that position, and the engine has found each of its moves there.
func (s *simulation) judgeLog(rec storage.Record, bad *wrongs) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	plies, moves := rec.Game().Plies(), rec.Game().Moves()
	made := map[time.Time]int{}
	for i := len(rec.Given); i < len(rec.Log); i++ {
		if rec.Seats[rec.SeatOfColor(plies[i].Color)].Kind != game.MemberSeat {
			if !s.found(rec.Rules, moves[:i], moves[i]) {
				bad.add("match %s: the engine did not find move %d there", view.Key(rec.ID), i+1)
			}
			continue
		}
		at := rec.Log[i].At
		acted := s.ledger.actsAt(at)
		if s.ledger.replied(rec, i) {
			continue
		}
		if made[at]++; made[at] > len(acted) {
			bad.add("match %s: %d acts made %d moves, move %d the last", view.Key(rec.ID), len(acted), made[at], i+1)
		}
		meant := len(acted) == 0
		for id := range acted {
			p, ok := s.ledger.pressed[id]
			point, _, _ := strings.Cut(p.Arg, ".") // then comes when an arrow moved the pad
			meant = meant || !ok || p.Verb != "play" ||
				p.Match == rec.ID && int(p.Stamp&0xFFFF) == i && strings.EqualFold(point, moves[i].String())
		}
		if !meant {
			bad.add("match %s: move %d was pressed for another position", view.Key(rec.ID), i+1)
		}
	}
}

// replied reports whether an entry of a match may be a reply that its member had laid down: nobody acted then but the
// other side, whose move may have come late. The caller holds l.mu.
func (l *ledger) replied(rec storage.Record, i int) bool {
	at := rec.Log[i].At
	if i == 0 || !at.Equal(rec.Log[i-1].At) && len(l.actsAt(at)) > 0 {
		return false
	}
	for _, press := range l.pressed {
		if press.Match == rec.ID && press.Verb == view.IfThenVerb &&
			strings.HasSuffix(press.Arg, ".at."+rec.Log[i].Decision().String()) {
			return true
		}
	}
	return false
}

// judgeClock looks at what is left of the banks: nothing but moves, each of which is a change, adds to them.
func judgeClock(m game.Match, bad *wrongs) {
	for seat, left := range m.Left {
		if c := m.ClockOf(seat); left < 0 || left > c.Bank+time.Duration(m.Version)*c.Gain {
			bad.add("match %s: seat %d of a clock of %v has %v left", view.Key(m.ID), seat, c, left)
		}
	}
}

// judgeScreen compares what is shown with what is stored.
func (s *simulation) judgeScreen(ctx context.Context, rec storage.Record, bad *wrongs) {
	name := view.Key(rec.ID)
	sc, err := s.store.Screen(ctx, rec.ID)
	if errors.Is(err, storage.ErrNotFound) {
		if rec.Phase != game.Over {
			bad.add("match %s has no screen", name)
		}
		return
	}
	if err != nil {
		bad.add("screen of %s: %v", name, err)
		return
	}
	there, err := s.Act(ctx, standin.Action{Do: "messages", At: fmt.Sprint(rec.Place.Channel)})
	if err != nil { // the channel is gone, and only /board brings the match to another
		if rec.Phase == game.Playing && !rec.Deadline.IsZero() && rec.Rested.IsZero() && !s.misses &&
			!s.orphaned(rec.Place.Channel) {
			bad.add("match %s: its channel %d is gone, its clock runs", name, rec.Place.Channel)
		}
		return
	}
	if sc.Late() {
		bad.add("match %s: version %d is shown, %d wanted", name, sc.Shown, sc.Wanted)
		return
	}
	var e storage.Event
	if rec.Link.Event != 0 {
		if e, err = s.store.Event(ctx, rec.Link.Event); err != nil {
			bad.add("event of %s: %v", name, err)
			return
		}
	}
	t := view.In(rec.Look.Language)
	want := t.Alt(rec.Match, t.RulingOf(rec, e))
	for _, m := range there.Messages {
		if m.ID != fmt.Sprint(sc.Message) {
			continue
		}
		if rec.Phase == game.Offered || rec.Result().Termination >= game.Declined {
			return
		}
		if got := altOf(m.Components); got != want && rec.Game().Len() > 0 && !s.inWords(m, rec) {
			text, _ := json.Marshal(m.Components)
			bad.add("match %s shows %q, stored is %q\n%.600s", name, got, want, text)
		}
		return
	}
	if sc.Message == 0 && !s.ledger.gone(rec.ID) && !shownBy(there.Messages, rec, want) {
		bad.add("match %s is shown nowhere: version %d of %d in %d, phase %v, %d moves, created %v, updated %v", name,
			sc.Shown, sc.Wanted, sc.Channel, rec.Phase, rec.Game().Len(), rec.Created.UTC().Format(clockFace),
			rec.Updated.UTC().Format(clockFace))
	} // else the message was deleted, and nothing has happened since
}

// inWords reports whether a message shows the board as text, since Discord refused the picture.
func (s *simulation) inWords(m standin.Message, rec storage.Record) bool {
	return s.noFiles && altOf(m.Components) == "" &&
		strings.Contains(textOf(m.Components), view.PlainBoard(rec.Match.Game()))
}

// shownBy reports whether one of the messages shows the match: the answer that made it was
// lost, so that the bot does not know which.
func shownBy(ms []standin.Message, rec storage.Record, want string) bool {
	for _, m := range ms {
		if altOf(m.Components) == want || slices.ContainsFunc(buttonsOf(m.Components),
			func(p view.Press) bool { return p.Match == rec.ID }) {
			return true
		}
	}
	return false
}

func buttonsOf(cs []standin.Component) (all []view.Press) {
	for c := range each(cs) {
		if p, err := view.ParsePress(c.CustomID); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func altOf(cs []standin.Component) string {
	for c := range each(cs) {
		for _, i := range c.Items {
			return i.Description
		}
	}
	return ""
}
