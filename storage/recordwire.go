package storage

import (
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/game/venue"
	"tengen/storage/codec"
)

// recordFormat is the format of records that is written.
const recordFormat = 1

// The fields of a record that are left out when they say nothing. A bit's place is
// part of the format.
const (
	hasStart = 1 << iota
	hasGiven
	hasPerMove
	isRated
	hasText
	hasSeed
	ownerSits // the owner is the member of the first seat
	hasExpires
	hasDeadline
	isReminded
	hasRested
	isUndoing
	hasDenied
	hasDrawBy
	hasDrawAt
	hasHints
	isSpoiled
	hasEnd
	hasAgain
	hasNext
	hasLook
	hasUndos
	hasChanges
	hasNotes
	inSeconds // the times of the moves are whole seconds
	ownStamp  // Created is the moment of the id
	turnedNow // Turned is the moment of the last entry
	updateNow // Updated is Turned
	endedNow  // Ended is Updated
	hasLine
	hasProtocol
	hasEvent
	onLadder
	hasGuest // each engine's seat has the name of a guest, which may be empty
	inSimul
	hasBegin
	hasThere
	hasRatedBy
	hasBank // the clock is there for the whole game, or has a reserve
	hasOdds // the second seat has another clock
	hasLeft
	onVacation // one of the members is, or both are
	allFlags   = 1<<iota - 1
)

// flags is a bit for each condition that holds.
type flags uint64

func (f *flags) set(bit flags, if_ bool) {
	if if_ {
		*f |= bit
	}
}

// encode is r as a value. The id is in the key.
func (r Record) encode() ([]byte, error) {
	if _, err := codec.RulesCode(r.Rules); err != nil {
		return nil, err
	}
	if _, ok := r.Protocol.(opening.Protocol); !ok && r.Protocol != nil {
		return nil, fmt.Errorf("%w: an opening protocol that the store does not know", codec.ErrContent)
	}
	f := codec.ToWrite(128 + 5*len(r.Log)) // as codec.Encode, but this row is hot
	r.Fields(&f)
	return f.Row(), nil
}

// decodeRecord is the record of a match from its value.
func decodeRecord(id game.MatchID, value []byte) (Record, error) {
	r := Record{Match: game.Match{ID: id}}
	f := codec.ToRead(value)
	if r.Fields(&f); f.End() != nil {
		return Record{}, fmt.Errorf("match %d: %w", id, f.End())
	}
	m, err := r.Replay()
	if err != nil {
		return Record{}, err
	}
	r.Match = m
	return r, nil
}

func (r *Record) Fields(f *codec.Fields) {
	f.Format(recordFormat, recordFormat)
	codec.Part(f, "", 0, &r.ID)
	var has flags
	if f.Writing() {
		has = r.flags()
	}
	if codec.Number(f, "", &has, codec.Any64); has > allFlags {
		f.Fail(codec.ErrFormat)
	}
	code, _ := codec.RulesCode(r.Rules) // others were refused before
	head := byte(code)<<4 | byte(r.Phase)<<2 | byte(r.First)
	if codec.Small(f, "", &head, 255); f.Reading() {
		rules, ok := codec.RulesOf(uint64(head >> 4))
		r.Rules, r.Phase, r.First = rules, game.Phase(head>>2&3), game.Color(head&3)
		f.Must(ok && r.Phase <= game.Over && r.First <= game.White)
	}
	r.seats(f, has)
	r.origin(f, has)
	r.setup(f, has)
	r.log(f, has)
	r.times(f, has)
	r.offers(f, has)
	r.end(f, has)
}

// flags says which fields r has and which follow from others.
func (r *Record) flags() (f flags) {
	last := r.Created
	if n := len(r.Log); n > 0 {
		last = r.Log[n-1].At
	}
	f.set(hasStart, r.Start != game.Position{})
	f.set(hasGiven, len(r.Given) > 0)
	f.set(hasPerMove, r.Clock.Each != 0)
	f.set(isRated, r.Rated)
	f.set(hasText, r.Note != "")
	f.set(hasSeed, r.Seed != 0)
	f.set(ownerSits, r.Owner == r.Seats[0].Member)
	f.set(hasExpires, !r.Expires.IsZero())
	f.set(hasDeadline, !r.Deadline.IsZero())
	f.set(isReminded, r.Reminded)
	f.set(hasRested, !r.Rested.IsZero())
	f.set(isUndoing, r.Undoing != game.UndoRequest{})
	f.set(hasDenied, r.Denied != [2]uint16{})
	f.set(hasDrawBy, r.DrawBy != 0)
	f.set(hasDrawAt, r.DrawAt != [2]uint16{})
	f.set(hasHints, r.Hints != 0)
	f.set(isSpoiled, r.Spoiled)
	f.set(hasEnd, r.End != game.Result{})
	f.set(hasAgain, r.Again != [2]bool{})
	f.set(hasNext, r.Next != 0)
	f.set(hasLook, r.Look != Look{})
	f.set(hasUndos, r.Undos != 0)
	f.set(hasChanges, r.Changes != [2]Change{})
	f.set(inSeconds, r.wholeSeconds())
	f.set(ownStamp, r.Created.Equal(venue.TimeOf(uint64(r.ID))))
	f.set(turnedNow, r.Turned.Equal(last))
	f.set(updateNow, r.Updated.Equal(r.Turned))
	f.set(endedNow, r.Ended.Equal(r.Updated))
	f.set(hasLine, !r.End.Line.Empty())
	f.set(hasProtocol, r.Protocol != nil)
	f.set(hasEvent, r.Link.Event != 0)
	f.set(onLadder, r.Link.Ladder)
	f.set(inSimul, r.Link.Simul != venue.Place{})
	f.set(hasGuest, r.Guest() != "")
	f.set(hasBegin, r.Begin != 0)
	f.set(hasThere, r.There != [2]bool{})
	f.set(hasRatedBy, r.RatedBy != 0)
	f.set(hasBank, r.Clock.Bank != 0 || r.Clock.Gain != 0)
	f.set(hasOdds, r.Odds != game.Clock{})
	f.set(hasLeft, r.Left != [2]time.Duration{})
	f.set(onVacation, r.Vacation != [2]time.Time{})
	for _, e := range r.Log {
		f.set(hasNotes, e.Note != game.Note{})
	}
	return f
}

// seats are the opening, the version, and who sits in each seat.
func (r *Record) seats(f *codec.Fields, has flags) {
	head := byte(r.Opening)<<4 | byte(r.Seats[0].Kind)<<2 | byte(r.Seats[1].Kind)
	codec.Small(f, "", &head, 255)
	r.Opening, r.Seats[0].Kind, r.Seats[1].Kind = game.Opening(head>>4), game.SeatKind(head>>2&3), game.SeatKind(head&3)
	codec.Number(f, "", &r.Version, codec.Any32)
	for i := range r.Seats {
		switch s := &r.Seats[i]; s.Kind {
		case game.MemberSeat:
			codec.ID(f, "", &s.Member)
		case game.EngineSeat:
			if codec.Small(f, "", &s.Level, 255); has&hasGuest != 0 {
				f.Text("", &s.Guest, codec.AnyLength)
			}
		}
	}
}

// origin is where, by whom and when the match was made.
func (r *Record) origin(f *codec.Fields, has flags) {
	if f.Place(&r.Place); has&ownerSits == 0 {
		codec.ID(f, "", &r.Owner)
	} else {
		r.Owner = r.Seats[0].Member
	}
	if has&ownStamp == 0 {
		f.Time("", &r.Created)
	} else {
		r.Created = venue.TimeOf(uint64(r.ID))
	}
	if has&hasEvent != 0 {
		codec.ID(f, "", &r.Link.Event)
		codec.Number(f, "", &r.Link.Round, maxPaired)
		codec.Number(f, "", &r.Link.Board, maxPaired)
	}
	if r.Link.Ladder = has&onLadder != 0; has&inSimul != 0 {
		f.Place(&r.Link.Simul)
	}
}

// setup is what the members agreed on before the first move.
func (r *Record) setup(f *codec.Fields, has flags) {
	if has&hasStart != 0 {
		position(f, &r.Start)
	}
	if has&hasGiven != 0 {
		f.Points("", &r.Given, codec.AnyLength)
	}
	if has&hasPerMove != 0 {
		f.Shift(&r.Clock.Each)
	}
	if r.Rated = has&isRated != 0; has&hasText != 0 {
		f.Text("", &r.Note, codec.AnyLength)
	}
	if has&hasSeed != 0 {
		codec.ID(f, "", &r.Seed)
	}
	if has&hasProtocol != 0 {
		p, _ := r.Protocol.(opening.Protocol)
		codec.Small(f, "", &p, 255)
		f.Must(p.Valid())
		r.Protocol = p
	}
	if has&hasBegin != 0 {
		f.Shift(&r.Begin)
	}
	if has&hasBank != 0 {
		f.Shift(&r.Clock.Bank)
		f.Shift(&r.Clock.Gain)
	}
	if has&hasOdds != 0 {
		f.Clock(&r.Odds)
	}
}

// times are those that do not follow from one another.
func (r *Record) times(f *codec.Fields, has flags) {
	last := r.Created
	if n := len(r.Log); n > 0 {
		last = r.Log[n-1].At
	}
	for _, t := range []struct {
		follows flags
		v       *time.Time
	}{{turnedNow, &r.Turned}, {updateNow, &r.Updated}, {endedNow, &r.Ended}} {
		if has&t.follows == 0 {
			f.Time("", t.v)
		} else {
			*t.v = last
		}
		last = *t.v
	}
	if has&hasExpires != 0 {
		f.Time("", &r.Expires)
	}
	if has&hasDeadline != 0 {
		f.Time("", &r.Deadline)
	}
	if has&hasRested != 0 {
		f.Time("", &r.Rested)
	}
	if has&hasLeft != 0 {
		f.Shift(&r.Left[0])
		f.Shift(&r.Left[1])
	}
	if has&onVacation != 0 {
		f.Time("", &r.Vacation[0])
		f.Time("", &r.Vacation[1])
	}
}

func (r *Record) offers(f *codec.Fields, has flags) {
	const short = 1<<16 - 1
	r.Reminded, r.Spoiled = has&isReminded != 0, has&isSpoiled != 0
	if has&isUndoing != 0 {
		b, to := codec.Bit(r.Undoing.Open)<<1|r.Undoing.By&1, int64(r.Undoing.To)
		codec.Small(f, "", &b, 255)
		f.Signed(&to)
		r.Undoing = game.UndoRequest{Open: b&2 != 0, By: b & 1, To: int(int32(to))}
	}
	if has&hasDenied != 0 {
		codec.Number(f, "", &r.Denied[0], short)
		codec.Number(f, "", &r.Denied[1], short)
	}
	if has&hasDrawBy != 0 {
		codec.Small(f, "", &r.DrawBy, 255)
	}
	if has&hasDrawAt != 0 {
		codec.Number(f, "", &r.DrawAt[0], short)
		codec.Number(f, "", &r.DrawAt[1], short)
	}
	if has&hasHints != 0 {
		codec.Number(f, "", &r.Hints, short)
	}
	if has&hasUndos != 0 {
		codec.Number(f, "", &r.Undos, short)
	}
	if has&hasAgain != 0 {
		b := codec.Bit(r.AgainBalanced)<<2 | codec.Bit(r.Again[0])<<1 | codec.Bit(r.Again[1])
		codec.Small(f, "", &b, 255)
		r.Again, r.AgainBalanced = [2]bool{b&2 != 0, b&1 != 0}, b&4 != 0
	}
	if has&hasThere != 0 {
		b := codec.Bit(r.There[0])<<1 | codec.Bit(r.There[1])
		codec.Small(f, "", &b, 255)
		r.There = [2]bool{b&2 != 0, b&1 != 0}
	}
	if has&hasRatedBy != 0 {
		codec.Small(f, "", &r.RatedBy, 2)
	}
}

// end is the result and what came of it.
func (r *Record) end(f *codec.Fields, has flags) {
	if has&hasEnd != 0 {
		codec.Small(f, "", &r.End.Termination, game.Expired)
		codec.Small(f, "", &r.End.Winner, game.White)
		if has&hasLine != 0 {
			set(f, &r.End.Line)
		}
	}
	if has&hasNext != 0 {
		codec.ID(f, "", &r.Next)
	}
	if has&hasLook != 0 {
		r.Look.Fields(f)
	}
	if has&hasChanges != 0 {
		for i := range r.Changes {
			f.Float("", &r.Changes[i].Before)
			f.Float("", &r.Changes[i].After)
		}
	}
}

func (r Record) wholeSeconds() bool {
	for _, e := range r.Log {
		if e.At.UnixMilli()%1000 != 0 {
			return false
		}
	}
	return len(r.Log) > 0
}

// escape stands before codes that are no points.
const escape = 0xFF

// log is the codes, then the times between the entries, then the notes.
func (r *Record) log(f *codec.Fields, has flags) {
	n := f.Count(len(r.Log), 2, codec.AnyLength)
	if f.Reading() && n > 0 {
		r.Log = make([]game.Entry, n)
	}
	for i := range n {
		code := uint64(min(r.Log[i].Code, escape))
		if codec.Small(f, "", &code, 255); code == escape {
			codec.Number(f, "", &r.Log[i].Code, 1<<16-1)
		} else if f.Reading() {
			r.Log[i].Code = uint16(code)
		}
	}
	unit := int64(1)
	if has&inSeconds != 0 {
		unit = 1000
	}
	at := r.Created.UnixMilli() / unit
	for i := range n {
		step := int64(0)
		if f.Writing() {
			step = r.Log[i].At.UnixMilli()/unit - at
		}
		f.Signed(&step)
		if at += step; f.Reading() {
			f.Must(max(step, -step, at, -at) <= codec.MaxTime)
			if f.Failed() {
				at = 0
			}
			r.Log[i].At = millis(at * unit)
		}
	}
	if has&hasNotes != 0 {
		notes(f, r.Log)
	}
}

// The fields of a note that differ from the note before it, by bit.
const (
	nLevel = 1 << iota
	nDepth
	nNodes
	nMillis
	nScore
	nWin
	nProof
	nCut
)

// notes are a bit for each entry that has a note, and of each note what differs from the one before.
func notes(f *codec.Fields, log []game.Entry) {
	mask := make([]byte, (len(log)+7)/8)
	for i, e := range log {
		if (e.Note != game.Note{}) {
			mask[i/8] |= 1 << (i % 8)
		}
	}
	for i := range mask {
		codec.Small(f, "", &mask[i], 255)
	}
	var was game.Note
	for i := range log {
		if mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		n, has := was, flags(0)
		if f.Writing() {
			n = log[i].Note
			has.set(nLevel, n.Level != was.Level)
			has.set(nDepth, n.Depth != was.Depth)
			has.set(nNodes, n.Nodes != was.Nodes)
			has.set(nMillis, n.Millis != was.Millis)
			has.set(nScore, n.Score != was.Score)
			has.set(nWin, n.Win != was.Win)
			has.set(nProof, n.Proof != was.Proof || n.In != was.In)
			has.set(nCut, n.Cut)
		}
		if codec.Small(f, "", &has, 255); has&nLevel != 0 {
			codec.Small(f, "", &n.Level, 255)
		}
		if has&nDepth != 0 {
			change(f, &n.Depth, was.Depth)
		}
		if has&nNodes != 0 {
			change(f, &n.Nodes, was.Nodes)
		}
		if has&nMillis != 0 {
			change(f, &n.Millis, was.Millis)
		}
		if has&nScore != 0 {
			change(f, &n.Score, was.Score)
		}
		if has&nWin != 0 {
			change(f, &n.Win, was.Win)
		}
		if has&nProof != 0 {
			codec.Small(f, "", &n.Proof, 255)
			codec.Number(f, "", &n.In, 1<<16-1)
		}
		n.Cut = has&nCut != 0
		if was = n; f.Reading() {
			log[i].Note = n
		}
	}
}

// change is a number as its difference from another.
func change[T ~int32 | ~uint16 | ~uint32 | ~uint64](f *codec.Fields, v *T, was T) {
	step := int64(*v) - int64(was)
	f.Signed(&step)
	*v = T(int64(was) + step)
}

func position(f *codec.Fields, p *game.Position) {
	codec.Number(f, "", &p.Size, 15)
	codec.Small(f, "", &p.Turn, game.White)
	set(f, &p.Stones[0])
	set(f, &p.Stones[1])
}

// set is the words of a set that are not empty.
func set(f *codec.Fields, s *game.Set) {
	mask := byte(0)
	for i, word := range s {
		if word != 0 {
			mask |= 1 << i
		}
	}
	codec.Small(f, "", &mask, 1<<len(s)-1)
	for i := range s {
		if mask>>i&1 != 0 {
			codec.ID(f, "", &s[i])
		}
	}
}
