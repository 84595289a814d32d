package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// posted is a message that mentioned somebody as it was posted.
type posted struct {
	at   time.Time
	id   string
	text string
	whom []string // members' names
	ids  []string
	of   game.MatchID
}

// call notes a new message. The stand-in's lock is held.
func (l *ledger) call(m standin.Message) {
	p := posted{at: time.Now(), id: m.ID, text: textOf(m.Components)}
	for _, u := range m.Mentions {
		p.whom, p.ids = append(p.whom, u.Username), append(p.ids, u.ID)
	}
	for _, press := range buttonsOf(m.Components) {
		p.of = press.Match
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Author.Bot && len(p.whom) > 0 {
		l.posted = append(l.posted, p)
	}
}

// actedBy notes that a member acts.
func (l *ledger) actedBy(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts[name] = append(l.acts[name], time.Now())
}

// reacted notes an answer to an interaction.
func (l *ledger) reacted(c standin.Call) {
	id, err := strconv.ParseUint(c.Interaction, 10, 64)
	if err != nil || !strings.HasSuffix(c.Route, "/callback") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.taken[id] { // what a process that died had heard may be lost
		l.heard[id], l.taken[id] = c.Received, c.Status/100 == 2
	}
}

// late reports whether Discord delivered an act only after a time: an event that a broken
// connection lost comes again when the bot resumes, which may be minutes after the member acted. So
// it may after an act that failed. The caller holds l.mu.
func (l *ledger) late(act, than time.Time) bool {
	for id := range l.actsAt(act) {
		if name := fmt.Sprint(id); l.heard[id].After(than) || l.sorry[name] || l.unkept[name] {
			return true
		}
		if l.heard[id].IsZero() && l.again[id].After(than) { // the bot died with it, at least once
			return true
		}
		if at := l.sent[id]; at.IsZero() || at.After(than.Add(-patienceOfDiscord)) {
			return true
		}
	}
	return false
}

// heardBetween reports whether the bot heard between two times of an act that a member made long
// before: what comes late ends a call as well. The caller holds l.mu.
func (l *ledger) heardBetween(name string, from, to time.Time) bool {
	between := func(at time.Time) bool { return at.After(from) && !at.After(to) }
	for _, act := range l.acts[name] {
		for id := range l.actsAt(act) {
			if between(l.sent[id]) || between(l.heard[id]) {
				return true
			}
		}
	}
	return false
}

// movedBetween reports whether anybody moved in a match between two times.
func movedBetween(rec storage.Record, from, to time.Time) bool {
	return slices.ContainsFunc(rec.Made()[len(rec.Given):], func(made game.Made) bool {
		return made.At.After(from.Add(-time.Second)) && !made.At.After(to) // the archive keeps seconds
	})
}

// betweenActs reports whether a member acted between two times. The caller holds l.mu.
func (l *ledger) betweenActs(name string, from, to time.Time) bool {
	return slices.ContainsFunc(l.acts[name], func(at time.Time) bool { return !at.Before(from) && !at.After(to) })
}

// standing are the messages of a match that stand in some place: its boards, and its calls.
type standing struct{ boards, calls []standin.Message }

// standing sorts all messages to all by their matches. A call names its match.
func (s *simulation) standing(recs []storage.Record) map[game.MatchID]*standing {
	all := map[game.MatchID]*standing{}
	names := map[string]game.MatchID{}
	for _, rec := range recs {
		all[rec.ID] = &standing{}
		names[callOf(rec)] = rec.ID
	}
	for _, p := range s.Places() {
		there, err := s.Act(context.Background(), standin.Action{Do: "messages", At: p.ID})
		if err != nil {
			continue
		}
		for _, m := range there.Messages {
			if !m.Author.Bot || m.Private() {
				continue
			}
			presses := buttonsOf(m.Components)
			for name, id := range names {
				if len(presses) == 0 && strings.Contains(textOf(m.Components), name) {
					all[id].calls = append(all[id].calls, m)
				}
			}
			if len(presses) > 0 && all[presses[0].Match] != nil {
				all[presses[0].Match].boards = append(all[presses[0].Match].boards, m)
			}
		}
	}
	return all
}

// judgeCalls checks that each match is one message, and that nobody is called whom no match waits
// for, who is there, or who was called before.
func (s *simulation) judgeCalls(recs []storage.Record, bad *wrongs) {
	all := s.standing(recs)
	for _, rec := range recs {
		there, name := all[rec.ID], view.Key(rec.ID)
		if n := len(there.boards); n > 1 {
			bad.add("match %s has %d boards: %v", name, n, whereabouts(there.boards))
		}
		if n := len(there.calls); n > 1 {
			bad.add("match %s has %d calls: %v", name, n, whereabouts(there.calls))
		}
		sc, err := s.store.Screen(context.Background(), rec.ID)
		if err != nil {
			continue
		}
		for _, m := range there.calls {
			s.judgeCall(rec, sc, m, bad)
		}
		s.judgeCalled(rec, bad)
		if sc.CallDue(time.Now().Add(-2*time.Minute)) && rec.Rested.IsZero() && s.there(rec.Place) {
			bad.add("match %s has not called seat %d since %v", name, rec.ToMove(), sc.CallAt.UTC().Format(clockFace))
		}
	}
}

// whereabouts says which messages stand where.
func whereabouts(messages []standin.Message) (all []string) {
	for _, m := range messages {
		all = append(all, m.ID+" in "+m.ChannelID)
	}
	return all
}

// there reports whether a place still exists.
func (s *simulation) there(p venue.Place) bool {
	_, err := s.Act(context.Background(), standin.Action{Do: "messages", At: fmt.Sprint(p.Channel)})
	return err == nil
}

// judgeCall checks a call that stands.
func (s *simulation) judgeCall(rec storage.Record, sc storage.Screen, m standin.Message, bad *wrongs) {
	name := view.Key(rec.ID)
	waited, ok := rec.WaitsFor()
	if !ok {
		bad.add("match %s waits for nobody, and a call stands: %s", name, textOf(m.Components))
		return
	}
	for seat, sits := range rec.Seats {
		called := slices.ContainsFunc(m.Mentions, func(u standin.User) bool { return u.ID == fmt.Sprint(sits.Member) })
		fresh := rec.Played() == 0
		if called && (seat != waited && !fresh || time.Since(sc.Acted[seat]) < storage.AwayAfter) {
			bad.add("match %s calls seat %d, who acted %v ago, and waits for %d", name, seat, time.Since(sc.Acted[seat]), waited)
		}
	}
}

// callOf is what stands in a call to a match, and in no other message.
func callOf(rec storage.Record) string {
	t := view.In(rec.Look.Language)
	return t.Line(t.Named(rec.Match), "https://")
}

// calls reports whether a message called somebody to a match, and was no challenge and no reminder.
func (p posted) calls(rec storage.Record) bool {
	if strings.Contains(p.text, "it is still your turn") || strings.Contains(p.text, "A challenge") {
		return false
	}
	return p.of == rec.ID || p.of == 0 && strings.Contains(p.text, callOf(rec))
}

// judgeCalled checks that nobody was called by a match in which they had moved within two minutes,
// or twice without having acted in between, while nobody moved: a challenger is told that the game
// began, and is called when it is their turn.
func (s *simulation) judgeCalled(rec storage.Record, bad *wrongs) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	last := map[string]time.Time{}
	// So long a call may have been on its way when the bot heard of the move: it waits for its turn
	// under a rate limit, and the move for a slow disk or a broken socket.
	onItsWay := 10 * time.Second
	if s.faulty {
		onItsWay = 30 * time.Second
	}
	for _, p := range s.ledger.posted {
		if !p.calls(rec) {
			continue
		}
		for i, who := range p.whom {
			before, again := last[who]
			if last[who] = p.at; again && !s.ledger.betweenActs(who, before.Add(-time.Minute), p.at) &&
				!s.ledger.heardBetween(who, before, p.at) && !movedBetween(rec, before, p.at) {
				bad.add("match %s called %s at %s and again at %s", view.Key(rec.ID), who, before.UTC().Format(clockFace),
					p.at.UTC().Format(clockFace))
			}
			for n, made := range rec.Made()[len(rec.Given):] {
				ago := p.at.Sub(made.At)
				if s.ledger.replied(rec, n+len(rec.Given)) || ago < onItsWay || s.ledger.late(made.At, p.at.Add(-onItsWay)) {
					continue
				}
				if fmt.Sprint(rec.Seats[made.Seat].Member) == p.ids[i] && ago > 0 && ago < storage.AwayAfter-time.Second {
					bad.add("match %s called %s at %s, %v after their move", view.Key(rec.ID), who, p.at.UTC().Format(clockFace), ago)
				}
			}
		}
	}
}
