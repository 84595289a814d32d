package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Simul is the simul of a channel.
type Simul struct {
	Gathering
	Linked  int  // boards to which its message can lead
	Threads bool // each match gets a thread of its own
	simul.Simul
}

// simulEdits is how often the message of a simul is edited at most.
const simulEdits = 5 * time.Second

// Wants is when the message is to be brought up to date; zero: it need not be.
func (x Simul) Wants() time.Time {
	switch {
	case !x.Notice.behind(x.Version) && (x.Over() || x.Linked >= x.Made()):
		return time.Time{}
	case x.Message == 0:
		return x.Updated
	}
	return x.At.Add(simulEdits)
}

// due is when something is to be done; zero: nothing is.
func (x Simul) due() time.Time { return sooner(x.Wants(), x.Due()) }

func (x *Simul) Fields(f *codec.Fields) {
	format := f.Format(1+codec.Bit(x.Game.Clock.Bank > 0 || x.Game.Odds != game.Clock{}), 2)
	f.Say("kind", "simul")
	x.Gathering.Fields(f)
	codec.Number(f, "", &x.Linked, simul.MaxOpponents)
	codec.ID(f, "giver?", &x.Giver)
	f.Terms(&x.Game)
	if codec.Small(f, "", &x.Game.First, game.White); f.Exporting() && x.Game.First != game.Empty {
		f.Say("color", x.Game.First.String())
	}
	f.Flag("", &x.Threads)
	f.Text("", &x.Look.Theme, codec.AnyLength)
	f.Text("", &x.Look.Language, codec.AnyLength)
	f.Time("", &x.Updated)
	f.Time("", &x.Until)
	f.Time("started?", &x.Started)
	f.Flag("stopped?", &x.Stopped)
	codec.Many(f, "opponents", &x.Opponents, 17, simul.MaxOpponents, func(f *codec.Fields, o *simul.Opponent) {
		codec.ID(f, "member?", &o.Member)
		codec.ID(f, "match?", &o.Match)
		codec.Small(f, "result", &o.Result, simul.None)
	})
	if format > 1 { // an export has them among the terms
		f.Bank(&x.Game.Clock)
		f.Clock(&x.Game.Odds)
	}
}

func (x Simul) MarshalJSON() ([]byte, error) { return codec.Export(x) }

// shown leaves out where the message stands.
func (x Simul) shown() []byte {
	x.Notice = Notice{}
	return codec.Encode(x)
}

// SettleSimul makes one match that a simul owes, or ends one where the simul was stopped. It gives
// the match; 0 where nothing is owed. terms are those of a match that is made.
func (s *Store) SettleSimul(ctx context.Context, p venue.Place, now time.Time,
	terms game.Terms) (x Simul, id game.MatchID, err error) {
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		id = 0
		if x, err = Simuls.read(t, p); err != nil {
			return err
		}
		if i := x.Owed(); i >= 0 && x.Stopped {
			id = x.Opponents[i].Match
			x, err = t.endOfSimul(x, id)
		} else if i >= 0 {
			x, id, err = t.makeOfSimul(x, i, terms)
		}
		return err
	})
	return x, id, err
}

// endOfSimul ends a match, which reports that.
func (t *txn) endOfSimul(x Simul, id game.MatchID) (Simul, error) {
	old, err := t.record(id)
	next := old
	if err == nil {
		next.Match, err = old.Close(game.Aborted, t.cause.At)
	}
	if err == nil {
		_, err = t.save(&old, next)
	}
	if err != nil {
		return x, err
	}
	return Simuls.read(t, x.Place)
}

// makeOfSimul makes the match of an opponent.
func (t *txn) makeOfSimul(x Simul, i int, terms game.Terms) (Simul, game.MatchID, error) {
	id, err := t.unused(t.s.ids.next(t.cause.At))
	if err != nil {
		return x, 0, err
	}
	next, r := x, Record{Place: x.Place, Look: x.Look, Link: Link{Simul: x.Place}}
	if next.Simul, r.Match, err = x.Begin(i, id, terms, t.cause.At); err != nil {
		return x, 0, err
	}
	if _, err = t.save(nil, r); err != nil {
		return x, 0, err
	}
	next, err = Simuls.save(t, x, next)
	return next, id, err
}

// reportSimul brings the end of a match to its simul.
func (t *txn) reportSimul(r Record) error {
	x, err := Simuls.read(t, r.Link.Simul)
	if errors.Is(err, ErrNotFound) { // deleted with its server
		return nil
	}
	if err != nil {
		return err
	}
	next := x
	next.Simul = x.Ended(r.Match)
	_, err = Simuls.save(t, x, next)
	return err
}

func (x Simul) begun() (Simul, error) {
	_, err := codec.RulesCode(x.Game.Rules)
	return x, err
}

func (x Simul) without(member game.MemberID, now time.Time) Simul {
	x.Simul = x.Without(member, now)
	return x
}

func (x Simul) left(now time.Time) Simul {
	x.Simul = x.Stop(now)
	return x
}

func (x Simul) takenBack(now time.Time) Simul {
	x.Updated, x.Started, x.Notice = happened(x.Updated, now), happened(x.Started, now), x.Notice.takenBack(now)
	if x.Until.Sub(now) > simul.StartWithin+game.ClockError {
		x.Until = millis(now.Add(simul.StartWithin).UnixMilli())
	}
	return x
}

func (x Simul) matches(r kv.Reader) error {
	for _, o := range x.Opponents {
		rec, err := readRecord(r, o.Match)
		switch over := o.Result != simul.Open; {
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
	if rec.Link.Simul == (venue.Place{}) || rec.Phase == game.Over {
		return nil
	}
	x, err := Simuls.read(r, rec.Link.Simul)
	if errors.Is(err, ErrNotFound) { // it goes before its matches when a server's data is deleted
		return nil
	}
	if err == nil && !slices.ContainsFunc(x.Opponents, func(o simul.Opponent) bool { return o.Match == rec.ID }) {
		err = fmt.Errorf("match %d is played for the simul of channel %d, which does not know it", rec.ID, x.Channel)
	}
	return err
}

func (x Simul) own(member game.MemberID) any {
	own := struct {
		Server  string `json:"server"`
		Channel string `json:"channel"`
		Giver   bool   `json:"giver,omitempty"`
		Match   string `json:"match,omitempty"`
		Result  string `json:"result,omitempty"` // of the giver, where the member joined
	}{Server: codec.IDText(x.Server), Channel: codec.IDText(x.Channel), Giver: x.Giver == member}
	i := x.Find(member)
	if i >= 0 {
		own.Match, own.Result = codec.IDText(uint64(x.Opponents[i].Match)), x.Opponents[i].Result.String()
	}
	if i < 0 && !own.Giver {
		return nil
	}
	return own
}
