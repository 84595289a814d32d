package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Simul is one member, the giver, who plays everybody that joins: ordinary matches, unrated, at one
// time. A simul is a value: each operation gives a new one or an error of simuls.
type Simul struct {
	Gathering
	Linked    int           // boards to which its message can lead
	Giver     game.MemberID // 0: has deleted their data
	Game      game.Terms    // of each match: Rules, Opening, Protocol, PerMove, and First, the giver's color; Empty: by lot
	Threads   bool          // each match gets a thread of its own
	Look      game.Look     // of the message and of the matches: Theme and Language
	Updated   time.Time
	Until     time.Time // the giver may start it
	Started   time.Time // zero: it gathers opponents
	Stopped   bool
	Opponents []Opponent // as they joined
}

// Opponent is a member who has joined a simul.
type Opponent struct {
	Member game.MemberID // 0: has deleted their data
	Match  game.MatchID  // 0: none yet
	Result SimulResult
}

// SimulResult is how a match of a simul ended.
type SimulResult uint8

// The results of a simul's matches. Their numbers are in the store.
const (
	SimulOpen SimulResult = iota
	SimulWon              // by the giver
	SimulDrawn
	SimulLost
	SimulNone // ended without a result, or never made
)

var simulResults = [...]string{"open", "won", "drawn", "lost", "none"}

func (r SimulResult) String() string { return simulResults[min(r, SimulNone)] }

// The bounds of simuls.
const (
	MaxOpponents = 20
	startWithin  = 24 * time.Hour  // so long a simul may wait for its start
	simulEdits   = 5 * time.Second // a message is edited at most so often
)

// Errors of simuls.
var (
	ErrSimulHere     = errors.New("the channel has a simul already")
	ErrSimulFull     = errors.New("the simul has as many opponents as it can hold")
	ErrSimulStarted  = errors.New("the simul has begun")
	ErrSimulOver     = errors.New("the simul is over")
	ErrSimulAlone    = errors.New("nobody has joined the simul")
	ErrSimulNotYours = errors.New("the giver alone may do this")
)

// Over reports whether nothing of a simul goes on.
func (x Simul) Over() bool {
	return (x.Stopped || !x.Started.IsZero()) && !slices.ContainsFunc(x.Opponents, func(o Opponent) bool { return o.Result == SimulOpen })
}

// Find is the place of a member among the opponents; -1: none.
func (x Simul) Find(member game.MemberID) int {
	return slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Member == member && member != 0 })
}

// open is an error where nobody may join or leave any more.
func (x Simul) open() error {
	switch {
	case x.Stopped || x.Over():
		return ErrSimulOver
	case !x.Started.IsZero():
		return ErrSimulStarted
	}
	return nil
}

// Join is x with one more opponent; nothing changes for one who has joined.
func (x Simul) Join(member game.MemberID, now time.Time) (Simul, error) {
	switch {
	case x.Find(member) >= 0:
		return x, nil
	case x.open() != nil:
		return x, x.open()
	case member == x.Giver:
		return x, &game.Refusal{Code: game.Yourself}
	case len(x.Opponents) >= MaxOpponents:
		return x, ErrSimulFull
	}
	x.Opponents = append(slices.Clip(x.Opponents), Opponent{Member: member})
	return x.changed(now), nil
}

// Leave is x without an opponent, before it starts.
func (x Simul) Leave(member game.MemberID, now time.Time) (Simul, error) {
	i := x.Find(member)
	if err := x.open(); err != nil || i < 0 {
		return x, err
	}
	x.Opponents = slices.Delete(slices.Clone(x.Opponents), i, i+1)
	return x.changed(now), nil
}

// Start has the matches made; the giver alone may.
func (x Simul) Start(by game.MemberID, now time.Time) (Simul, error) {
	switch {
	case by != x.Giver:
		return x, ErrSimulNotYours
	case x.open() != nil:
		return x, x.open()
	case len(x.Opponents) == 0:
		return x, ErrSimulAlone
	}
	x.Started = millis(now.UnixMilli())
	return x.changed(now), nil
}

// Stop ends x. Matches that go on are ended without a result; see SettleSimul.
func (x Simul) Stop(now time.Time) Simul {
	if x.Stopped || x.Over() {
		return x
	}
	x.Stopped = true
	return x.unmade().changed(now)
}

// Tick ends a simul whose giver has not started it in time.
func (x Simul) Tick(now time.Time) Simul {
	if x.open() == nil && !now.Before(x.Until) {
		return x.Stop(now)
	}
	return x
}

func (x Simul) changed(now time.Time) Simul {
	x.Updated = millis(now.UnixMilli())
	return x
}

// unmade is x where no more matches are made.
func (x Simul) unmade() Simul {
	x.Opponents = slices.Clone(x.Opponents)
	for i := range x.Opponents {
		if o := &x.Opponents[i]; o.Match == 0 && o.Result == SimulOpen {
			o.Result = SimulNone
		}
	}
	return x
}

// without is x after a member has deleted their data.
func (x Simul) without(member game.MemberID, now time.Time) Simul {
	if x.Giver == member {
		x.Giver = 0
		if x.open() == nil {
			return x.Stop(now)
		}
		return x.unmade()
	}
	i := x.Find(member)
	switch {
	case i < 0:
		return x
	case x.open() == nil:
		x.Opponents = slices.Delete(slices.Clone(x.Opponents), i, i+1)
		return x
	}
	x.Opponents = slices.Clone(x.Opponents)
	o := &x.Opponents[i]
	if o.Member = 0; o.Match == 0 && o.Result == SimulOpen {
		o.Result = SimulNone
	}
	return x
}

// owed is the place of an opponent whose match is to be made, or to be ended; -1: none.
func (x Simul) owed() int {
	if x.Started.IsZero() {
		return -1
	}
	return slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Result == SimulOpen && (o.Match == 0) != x.Stopped })
}

// made counts the matches.
func (x Simul) made() (n int) {
	for _, o := range x.Opponents {
		if o.Match != 0 {
			n++
		}
	}
	return n
}

// Wants is when the message is to be brought up to date; zero: it need not be.
func (x Simul) Wants() time.Time {
	switch {
	case !x.Notice.behind(x.Version) && (x.Over() || x.Linked >= x.made()):
		return time.Time{}
	case x.Message == 0:
		return x.Updated
	}
	return x.At.Add(simulEdits)
}

// due is when something is to be done; zero: nothing is.
func (x Simul) due() time.Time {
	due := x.Wants()
	if x.owed() >= 0 {
		due = sooner(due, x.Updated)
	}
	if x.open() == nil {
		due = sooner(due, x.Until)
	}
	return due
}

func (x *Simul) fields(f *fields) {
	f.format(1, 1)
	f.say("kind", "simul")
	x.Gathering.fields(f)
	number(f, "", &x.Linked, MaxOpponents)
	id(f, "giver?", &x.Giver)
	f.terms(&x.Game)
	if small(f, "", &x.Game.First, game.White); x.Game.First != game.Empty {
		f.say("color", x.Game.First.String())
	}
	f.flag("", &x.Threads)
	f.text("", &x.Look.Theme, anyLength)
	f.text("", &x.Look.Language, anyLength)
	f.time("", &x.Updated)
	f.time("", &x.Until)
	f.time("started?", &x.Started)
	f.flag("stopped?", &x.Stopped)
	many(f, "opponents", &x.Opponents, 17, MaxOpponents, func(f *fields, o *Opponent) {
		id(f, "member?", &o.Member)
		id(f, "match?", &o.Match)
		small(f, "result", &o.Result, SimulNone)
	})
}

// MarshalJSON gives the simul as an export shows it.
func (x Simul) MarshalJSON() ([]byte, error) { return export(x) }

// shown leaves out where the message stands.
func (x Simul) shown() []byte {
	x.Notice = Notice{}
	return encode(x)
}

// BeginSimul stores a simul in a place that has none, or one that is over. It is ErrSimulHere, with
// the simul, where one goes on. The interaction that begins it names it: again it changes nothing.
func (s *Store) BeginSimul(ctx context.Context, next Simul) (Simul, error) {
	if _, err := rulesCode(next.Game.Rules); err != nil {
		return Simul{}, err
	}
	next.Until = millis(next.Updated.Add(startWithin).UnixMilli())
	next = next.changed(next.Updated)
	return simuls.begin(ctx, s, next.Updated, next)
}

// UpdateSimul changes the simul of a place by f, which is quick and pure, unless the cause did so
// before. ErrNotFound says that there is none.
func (s *Store) UpdateSimul(ctx context.Context, p Place, cause Cause, f func(Simul) (Simul, error)) (Simul, error) {
	return simuls.update(ctx, s, p, cause, f)
}

// SettleSimul makes one match that a simul owes, or ends one where the simul was stopped. It gives
// the match; 0 where nothing is owed. terms are those of a match that is made.
func (s *Store) SettleSimul(ctx context.Context, p Place, now time.Time, terms game.Terms) (x Simul, id game.MatchID, err error) {
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		id = 0
		if x, err = simuls.read(t, p); err != nil {
			return err
		}
		i := x.owed()
		if i < 0 {
			return nil
		}
		if x.Stopped {
			id = x.Opponents[i].Match
			x, err = t.endOfSimul(x, i)
			return err
		}
		x, id, err = t.makeOfSimul(x, i, terms)
		return err
	})
	return x, id, err
}

// endOfSimul ends the match of an opponent, which reports that.
func (t *txn) endOfSimul(x Simul, i int) (Simul, error) {
	old, err := t.record(x.Opponents[i].Match)
	if err != nil {
		return x, err
	}
	next := old
	if next.Match, err = old.Close(game.Aborted, t.cause.At); err != nil {
		return x, err
	}
	if _, err := t.save(&old, next); err != nil {
		return x, err
	}
	return simuls.read(t, x.Place)
}

// makeOfSimul makes the match of an opponent. The giver sits first, and both sit already: who joined has
// accepted.
func (t *txn) makeOfSimul(x Simul, i int, terms game.Terms) (Simul, game.MatchID, error) {
	at, opponent := t.cause.At, x.Opponents[i].Member
	id, err := t.unused(t.s.ids.next(at))
	if err != nil {
		return x, 0, err
	}
	m, err := game.NewMatch(id, terms, x.Giver, game.SeatFor(x.Giver), game.SeatFor(opponent), at, time.Time{})
	if err == nil {
		m, err = m.Accept(opponent, at)
	}
	if err != nil {
		return x, 0, err
	}
	m.Look.Theme, m.Look.Language = x.Look.Theme, x.Look.Language
	if _, err = t.save(nil, Record{Match: m, Place: x.Place, Link: Link{Simul: x.Place}}); err != nil {
		return x, 0, err
	}
	next := x
	next.Opponents = slices.Clone(x.Opponents)
	next.Opponents[i].Match = id
	next, err = simuls.save(t, x, next)
	return next, id, err
}

// reportSimul brings the end of a match to its simul. The giver sits first.
func (t *txn) reportSimul(r Record) error {
	x, err := simuls.read(t, r.Link.Simul)
	if errors.Is(err, ErrNotFound) { // deleted with its server
		return nil
	}
	if err != nil {
		return err
	}
	i := slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Match == r.ID })
	if i < 0 {
		return nil
	}
	next := x.changed(r.Updated)
	next.Opponents = slices.Clone(x.Opponents)
	o := &next.Opponents[i]
	switch result := r.Result(); {
	case result.Cause >= game.Aborted:
		o.Result = SimulNone
	case result.Winner == game.Empty:
		o.Result = SimulDrawn
	case result.Winner == r.ColorOf(0):
		o.Result = SimulWon
	default:
		o.Result = SimulLost
	}
	_, err = simuls.save(t, x, next)
	return err
}

// Simul gives the simul of a place; ErrNotFound where there is none.
func (s *Store) Simul(ctx context.Context, p Place) (Simul, error) { return simuls.one(ctx, s, p) }

// SimulsDue gives at most n places with a simul in which something is due by now. It leaves
// out those for which want is false: they keep no other waiting, nor does a simul that cannot
// be read.
func (s *Store) SimulsDue(ctx context.Context, now time.Time, n int, want func(Place) bool) ([]Place, error) {
	return simuls.due(ctx, s, now, n, want)
}

// forgetSimuls takes a member out of the simuls. It goes before the member's matches, so that none is made
// after them.
func (s *Store) forgetSimuls(ctx context.Context, member game.MemberID, now time.Time) error {
	return simuls.change(ctx, s, now, func(x Simul) Simul { return x.without(member, now) })
}

// stopSimuls stops the simuls of a server that the bot has left.
func (s *Store) stopSimuls(ctx context.Context, server uint64, now time.Time) error {
	return simuls.change(ctx, s, now, func(x Simul) Simul {
		if x.Server == server {
			return x.Stop(now)
		}
		return x
	})
}

// verifySimul looks for the rows that follow from a simul, and for its matches.
func verifySimul(r kv.Reader, k []byte) error {
	x, err := simuls.verify(r, k)
	if err != nil {
		return err
	}
	for _, o := range x.Opponents {
		rec, err := readRecord(r, o.Match)
		switch over := o.Result != SimulOpen; {
		case o.Match == 0, over && errors.Is(err, ErrNotFound): // ended before it got going
		case err != nil:
			return fmt.Errorf("the simul of channel %d, match %d: %w", x.Channel, o.Match, err)
		case rec.Link != Link{Simul: x.Place}:
			return fmt.Errorf("the simul of channel %d has match %d, which is not played for it", x.Channel, o.Match)
		case over != (rec.Phase == game.Over):
			return fmt.Errorf("the simul of channel %d is wrong about the end of match %d", x.Channel, o.Match)
		}
	}
	return nil
}

// simulKnows looks for a match that is being played in its simul.
func simulKnows(r kv.Reader, rec Record) error {
	if rec.Link.Simul == (Place{}) || rec.Phase == game.Over {
		return nil
	}
	x, err := simuls.read(r, rec.Link.Simul)
	if errors.Is(err, ErrNotFound) { // it goes before its matches when a server's data is deleted
		return nil
	}
	if err == nil && !slices.ContainsFunc(x.Opponents, func(o Opponent) bool { return o.Match == rec.ID }) {
		err = fmt.Errorf("match %d is played for the simul of channel %d, which does not know it", rec.ID, x.Channel)
	}
	return err
}

// OwnSimul is what a simul knows of a member.
type OwnSimul struct {
	Server  string `json:"server"`
	Channel string `json:"channel"`
	Giver   bool   `json:"giver,omitempty"`
	Match   string `json:"match,omitempty"`
	Result  string `json:"result,omitempty"` // of the giver, where the member joined
}

// simulsOf gives what the simuls know of a member.
func simulsOf(r kv.Reader, member game.MemberID) (of []OwnSimul, err error) {
	all, err := simuls.all(r)
	for _, x := range all {
		own := OwnSimul{Server: idText(x.Server), Channel: idText(x.Channel), Giver: x.Giver == member}
		i := x.Find(member)
		if i >= 0 {
			own.Match, own.Result = idText(uint64(x.Opponents[i].Match)), x.Opponents[i].Result.String()
		}
		if i >= 0 || own.Giver {
			of = append(of, own)
		}
	}
	return of, err
}
