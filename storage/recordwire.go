package storage

import (
	"fmt"
	"math/bits"
	"time"

	"tengen/game"
	"tengen/game/opening"
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
	allFlags = 1<<iota - 1
)

// rulesCodes are the numbers of the rules in the store: add at the end only.
var rulesCodes = []game.Rules{game.Gomoku15, game.Gomoku9, game.Standard15, game.Standard9, game.Renju, game.Reversi}

func rulesCode(r game.Rules) (uint64, error) {
	for i, known := range rulesCodes {
		if r == known {
			return uint64(i), nil
		}
	}
	return 0, fmt.Errorf("%w: rules that the store does not know", errContent)
}

// rulesOf gives the rules of a number. It is false where the store knows none.
func rulesOf(code uint64) (game.Rules, bool) {
	if code >= uint64(len(rulesCodes)) {
		return nil, false
	}
	return rulesCodes[code], true
}

// rules gives the rules of a number that was read.
func (r *reader) rules(code uint64) game.Rules {
	rules, ok := rulesOf(code)
	if !ok {
		r.fail(errContent)
	}
	return rules
}

// flags is a bit for each condition that holds.
type flags uint64

func (f *flags) set(bit flags, if_ bool) {
	if if_ {
		*f |= bit
	}
}

// encode is r as a value. The id is in the key.
func (r Record) encode() ([]byte, error) {
	rules, err := rulesCode(r.Rules)
	if err != nil {
		return nil, err
	}
	if _, ok := r.Protocol.(opening.Protocol); !ok && r.Protocol != nil {
		return nil, fmt.Errorf("%w: an opening protocol that the store does not know", errContent)
	}
	f := r.flags()
	w := &writer{b: make([]byte, 0, 128+5*len(r.Log))}
	w.byte(recordFormat)
	w.uint(uint64(f))
	w.byte(byte(rules)<<4 | byte(r.Phase)<<2 | byte(r.First))
	r.writeSeats(w, f)
	r.writeOrigin(w, f)
	r.writeSetup(w, f)
	writeLog(w, r.Log, r.Created, f)
	r.writeTimes(w, f)
	r.writeOffers(w, f)
	r.writeEnd(w, f)
	return w.b, nil
}

// decodeRecord is the record of a match from its value.
func decodeRecord(id game.MatchID, value []byte) (Record, error) {
	d := open(value, recordFormat)
	var r Record
	r.ID = id
	f := flags(d.uint())
	if f > allFlags {
		d.fail(errFormat)
	}
	head := d.byte()
	if int(head>>4) >= len(rulesCodes) || game.Phase(head>>2&3) > game.Over || head&3 > byte(game.White) {
		d.fail(errContent)
	} else {
		r.Rules = rulesCodes[head>>4]
		r.Phase, r.First = game.Phase(head>>2&3), game.Color(head&3)
	}
	r.readSeats(d, f)
	r.readOrigin(d, f)
	r.readSetup(d, f)
	r.Log = readLog(d, r.Created, f)
	r.readTimes(d, f)
	r.readOffers(d, f)
	r.readEnd(d, f)
	if err := d.end(); err != nil {
		return Record{}, fmt.Errorf("match %d: %w", id, err)
	}
	m, err := r.Replay()
	if err != nil {
		return Record{}, err
	}
	r.Match = m
	return r, nil
}

// flags says which fields r has and which follow from others.
func (r *Record) flags() (f flags) {
	last := r.Created
	if n := len(r.Log); n > 0 {
		last = r.Log[n-1].At
	}
	f.set(hasStart, r.Start != game.Position{})
	f.set(hasGiven, len(r.Given) > 0)
	f.set(hasPerMove, r.PerMove != 0)
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
	f.set(ownStamp, r.Created.Equal(TimeOf(uint64(r.ID))))
	f.set(turnedNow, r.Turned.Equal(last))
	f.set(updateNow, r.Updated.Equal(r.Turned))
	f.set(endedNow, r.Ended.Equal(r.Updated))
	f.set(hasLine, !r.End.Line.Empty())
	f.set(hasProtocol, r.Protocol != nil)
	f.set(hasEvent, r.Link.Event != 0)
	f.set(onLadder, r.Link.Ladder)
	f.set(inSimul, r.Link.Simul != Place{})
	f.set(hasGuest, r.Guest() != "")
	f.set(hasBegin, r.Begin != 0)
	f.set(hasThere, r.There != [2]bool{})
	for _, e := range r.Log {
		f.set(hasNotes, e.Note != game.Note{})
	}
	return f
}

// writeSeats writes the opening, who sits in each seat, and the version.
func (r *Record) writeSeats(w *writer, f flags) {
	w.byte(byte(r.Opening)<<4 | byte(r.Seats[0].Kind)<<2 | byte(r.Seats[1].Kind))
	w.uint(uint64(r.Version))
	for _, s := range r.Seats {
		switch s.Kind {
		case game.MemberSeat:
			w.fixed(uint64(s.Member))
		case game.EngineSeat:
			w.byte(s.Level)
			if f&hasGuest != 0 {
				w.text(s.Guest)
			}
		}
	}
}

func (r *Record) readSeats(d *reader, f flags) {
	head := d.byte()
	r.Opening = game.Opening(head >> 4)
	r.Seats[0].Kind, r.Seats[1].Kind = game.SeatKind(head>>2&3), game.SeatKind(head&3)
	r.Version = uint32(d.upTo(1<<32 - 1))
	for i := range r.Seats {
		switch r.Seats[i].Kind {
		case game.MemberSeat:
			r.Seats[i].Member = game.MemberID(d.fixed())
		case game.EngineSeat:
			r.Seats[i].Level = d.byte()
			if f&hasGuest != 0 {
				r.Seats[i].Guest = d.text()
			}
		}
	}
}

// writeOrigin writes where, by whom and when the match was made.
func (r *Record) writeOrigin(w *writer, f flags) {
	w.fixed(r.Place.Server)
	w.fixed(r.Place.Channel)
	if f&ownerSits == 0 {
		w.fixed(uint64(r.Owner))
	}
	if f&ownStamp == 0 {
		w.time(r.Created)
	}
	if f&hasEvent != 0 {
		w.fixed(uint64(r.Link.Event))
		w.uint(uint64(r.Link.Round))
		w.uint(uint64(r.Link.Board))
	}
	if f&inSimul != 0 {
		w.fixed(r.Link.Simul.Server)
		w.fixed(r.Link.Simul.Channel)
	}
}

func (r *Record) readOrigin(d *reader, f flags) {
	r.Place = Place{d.fixed(), d.fixed()}
	r.Owner = r.Seats[0].Member
	if f&ownerSits == 0 {
		r.Owner = game.MemberID(d.fixed())
	}
	r.Created = TimeOf(uint64(r.ID))
	if f&ownStamp == 0 {
		r.Created = d.time()
	}
	if f&hasEvent != 0 {
		r.Link = Link{Event: EventID(d.fixed()), Round: int(d.upTo(maxPaired)), Board: int(d.upTo(maxPaired))}
	}
	r.Link.Ladder = f&onLadder != 0
	if f&inSimul != 0 {
		r.Link.Simul = Place{d.fixed(), d.fixed()}
	}
}

// writeSetup writes what the members agreed on before the first move.
func (r *Record) writeSetup(w *writer, f flags) {
	if f&hasStart != 0 {
		writePosition(w, r.Start)
	}
	if f&hasGiven != 0 {
		w.uint(uint64(len(r.Given)))
		for _, p := range r.Given {
			w.byte(byte(p))
		}
	}
	if f&hasPerMove != 0 {
		w.int(int64(r.PerMove / time.Millisecond))
	}
	if f&hasText != 0 {
		w.text(r.Note)
	}
	if f&hasSeed != 0 {
		w.fixed(r.Seed)
	}
	if p, ok := r.Protocol.(opening.Protocol); ok {
		w.byte(byte(p))
	}
	if f&hasBegin != 0 {
		w.int(int64(r.Begin / time.Millisecond))
	}
}

func (r *Record) readSetup(d *reader, f flags) {
	if f&hasStart != 0 {
		r.Start = readPosition(d)
	}
	if f&hasGiven != 0 {
		for _, p := range d.take(d.count(1)) {
			r.Given = append(r.Given, game.Point(p))
		}
	}
	if f&hasPerMove != 0 {
		r.PerMove = time.Duration(d.within(maxTime)) * time.Millisecond
	}
	r.Rated = f&isRated != 0
	if f&hasText != 0 {
		r.Note = d.text()
	}
	if f&hasSeed != 0 {
		r.Seed = d.fixed()
	}
	if f&hasProtocol != 0 {
		p := opening.Protocol(d.byte())
		if !p.Valid() {
			d.fail(errContent)
			return
		}
		r.Protocol = p
	}
	if f&hasBegin != 0 {
		r.Begin = time.Duration(d.within(maxTime)) * time.Millisecond
	}
}

func (r *Record) writeTimes(w *writer, f flags) {
	if f&turnedNow == 0 {
		w.time(r.Turned)
	}
	if f&updateNow == 0 {
		w.time(r.Updated)
	}
	if f&endedNow == 0 {
		w.time(r.Ended)
	}
	if f&hasExpires != 0 {
		w.time(r.Expires)
	}
	if f&hasDeadline != 0 {
		w.time(r.Deadline)
	}
	if f&hasRested != 0 {
		w.time(r.Rested)
	}
}

func (r *Record) readTimes(d *reader, f flags) {
	r.Turned = r.Created
	if n := len(r.Log); n > 0 {
		r.Turned = r.Log[n-1].At
	}
	if f&turnedNow == 0 {
		r.Turned = d.time()
	}
	r.Updated = r.Turned
	if f&updateNow == 0 {
		r.Updated = d.time()
	}
	r.Ended = r.Updated
	if f&endedNow == 0 {
		r.Ended = d.time()
	}
	if f&hasExpires != 0 {
		r.Expires = d.time()
	}
	if f&hasDeadline != 0 {
		r.Deadline = d.time()
	}
	if f&hasRested != 0 {
		r.Rested = d.time()
	}
}

func (r *Record) writeOffers(w *writer, f flags) {
	if f&isUndoing != 0 {
		w.byte(bit(r.Undoing.Open)<<1 | r.Undoing.By&1)
		w.int(int64(r.Undoing.To))
	}
	if f&hasDenied != 0 {
		w.uint(uint64(r.Denied[0]))
		w.uint(uint64(r.Denied[1]))
	}
	if f&hasDrawBy != 0 {
		w.byte(r.DrawBy)
	}
	if f&hasDrawAt != 0 {
		w.uint(uint64(r.DrawAt[0]))
		w.uint(uint64(r.DrawAt[1]))
	}
	if f&hasHints != 0 {
		w.uint(uint64(r.Hints))
	}
	if f&hasUndos != 0 {
		w.uint(uint64(r.Undos))
	}
	if f&hasAgain != 0 {
		w.byte(bit(r.AgainBalanced)<<2 | bit(r.Again[0])<<1 | bit(r.Again[1]))
	}
	if f&hasThere != 0 {
		w.byte(bit(r.There[0])<<1 | bit(r.There[1]))
	}
}

func (r *Record) readOffers(d *reader, f flags) {
	short := func() uint16 { return uint16(d.upTo(1<<16 - 1)) }
	r.Reminded, r.Spoiled = f&isReminded != 0, f&isSpoiled != 0
	if f&isUndoing != 0 {
		b := d.byte()
		r.Undoing = game.UndoRequest{Open: b&2 != 0, By: b & 1, To: int(int32(d.int()))}
	}
	if f&hasDenied != 0 {
		r.Denied = [2]uint16{short(), short()}
	}
	if f&hasDrawBy != 0 {
		r.DrawBy = d.byte()
	}
	if f&hasDrawAt != 0 {
		r.DrawAt = [2]uint16{short(), short()}
	}
	if f&hasHints != 0 {
		r.Hints = short()
	}
	if f&hasUndos != 0 {
		r.Undos = short()
	}
	if f&hasAgain != 0 {
		b := d.byte()
		r.Again, r.AgainBalanced = [2]bool{b&2 != 0, b&1 != 0}, b&4 != 0
	}
	if f&hasThere != 0 {
		b := d.byte()
		r.There = [2]bool{b&2 != 0, b&1 != 0}
	}
}

// writeEnd writes the result and what came of it.
func (r *Record) writeEnd(w *writer, f flags) {
	if f&hasEnd != 0 {
		w.byte(byte(r.End.Cause))
		w.byte(byte(r.End.Winner))
		if f&hasLine != 0 {
			writeSet(w, r.End.Line)
		}
	}
	if f&hasNext != 0 {
		w.fixed(uint64(r.Next))
	}
	if f&hasLook != 0 {
		writeLook(w, r.Look)
	}
	if f&hasChanges != 0 {
		for _, c := range r.Changes {
			w.float(c.Before)
			w.float(c.After)
		}
	}
}

func (r *Record) readEnd(d *reader, f flags) {
	if f&hasEnd != 0 {
		r.End.Cause, r.End.Winner = game.Cause(d.byte()), game.Color(d.byte())
		if r.End.Winner > game.White || r.End.Cause > game.Expired {
			d.fail(errContent)
		}
		if f&hasLine != 0 {
			r.End.Line = readSet(d)
		}
	}
	if f&hasNext != 0 {
		r.Next = game.MatchID(d.fixed())
	}
	if f&hasLook != 0 {
		r.Look = readLook(d)
	}
	if f&hasChanges != 0 {
		for i := range r.Changes {
			r.Changes[i] = Change{d.float(), d.float()}
		}
	}
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
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

// writeLog writes the codes, then the times between the entries, then the notes.
func writeLog(w *writer, log []game.Entry, from time.Time, f flags) {
	w.uint(uint64(len(log)))
	for _, e := range log {
		if e.Code >= escape {
			w.byte(escape)
			w.uint(uint64(e.Code))
		} else {
			w.byte(byte(e.Code))
		}
	}
	unit := unitOf(f)
	before := from.UnixMilli() / unit
	for _, e := range log {
		at := e.At.UnixMilli() / unit
		w.int(at - before)
		before = at
	}
	if f&hasNotes != 0 {
		writeNotes(w, log)
	}
}

func unitOf(f flags) int64 {
	if f&inSeconds != 0 {
		return 1000
	}
	return 1
}

func readLog(d *reader, from time.Time, f flags) []game.Entry {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	log := make([]game.Entry, n)
	for i := range log {
		log[i].Code = uint16(d.byte())
		if log[i].Code == escape {
			log[i].Code = uint16(d.upTo(1<<16 - 1))
		}
	}
	unit := unitOf(f)
	at := from.UnixMilli() / unit
	for i := range log {
		at += d.within(maxTime)
		if at > maxTime || at < -maxTime {
			d.fail(errContent)
			at = 0
		}
		log[i].At = millis(at * unit)
	}
	if f&hasNotes != 0 {
		readNotes(d, log)
	}
	return log
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

// writeNotes writes a bit for each entry that has a note, and of each note what differs
// from the one before.
func writeNotes(w *writer, log []game.Entry) {
	mask := make([]byte, (len(log)+7)/8)
	for i, e := range log {
		if (e.Note != game.Note{}) {
			mask[i/8] |= 1 << (i % 8)
		}
	}
	w.b = append(w.b, mask...)
	var was game.Note
	for _, e := range log {
		n := e.Note
		if (n == game.Note{}) {
			continue
		}
		var f flags
		f.set(nLevel, n.Level != was.Level)
		f.set(nDepth, n.Depth != was.Depth)
		f.set(nNodes, n.Nodes != was.Nodes)
		f.set(nMillis, n.Millis != was.Millis)
		f.set(nScore, n.Score != was.Score)
		f.set(nWin, n.Win != was.Win)
		f.set(nProof, n.Proof != was.Proof || n.In != was.In)
		f.set(nCut, n.Cut)
		w.byte(byte(f))
		if f&nLevel != 0 {
			w.byte(n.Level)
		}
		if f&nDepth != 0 {
			w.int(int64(n.Depth) - int64(was.Depth))
		}
		if f&nNodes != 0 {
			w.int(int64(n.Nodes - was.Nodes))
		}
		if f&nMillis != 0 {
			w.int(int64(n.Millis) - int64(was.Millis))
		}
		if f&nScore != 0 {
			w.int(int64(n.Score) - int64(was.Score))
		}
		if f&nWin != 0 {
			w.int(int64(n.Win) - int64(was.Win))
		}
		if f&nProof != 0 {
			w.byte(n.Proof)
			w.uint(uint64(n.In))
		}
		was = n
	}
}

func readNotes(d *reader, log []game.Entry) {
	mask := d.take((len(log) + 7) / 8)
	if d.err != nil {
		return
	}
	var was game.Note
	for i := range log {
		if mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		n := was
		f := d.byte()
		if f&nLevel != 0 {
			n.Level = d.byte()
		}
		if f&nDepth != 0 {
			n.Depth = uint16(int64(was.Depth) + d.int())
		}
		if f&nNodes != 0 {
			n.Nodes = was.Nodes + uint64(d.int())
		}
		if f&nMillis != 0 {
			n.Millis = uint32(int64(was.Millis) + d.int())
		}
		if f&nScore != 0 {
			n.Score = int32(int64(was.Score) + d.int())
		}
		if f&nWin != 0 {
			n.Win = uint16(int64(was.Win) + d.int())
		}
		if f&nProof != 0 {
			n.Proof, n.In = d.byte(), uint16(d.upTo(1<<16-1))
		}
		n.Cut = f&nCut != 0
		log[i].Note = n
		was = n
	}
}

func writePosition(w *writer, p game.Position) {
	w.uint(uint64(p.Size))
	w.byte(byte(p.Turn))
	writeSet(w, p.Stones[0])
	writeSet(w, p.Stones[1])
}

func readPosition(d *reader) game.Position {
	p := game.Position{Size: int(d.upTo(15)), Turn: game.Color(d.byte())}
	if p.Turn > game.White {
		d.fail(errContent)
		p.Turn = game.Empty
	}
	p.Stones[0], p.Stones[1] = readSet(d), readSet(d)
	return p
}

// writeSet writes the words of a set that are not empty.
func writeSet(w *writer, s game.Set) {
	mask := byte(0)
	for i, word := range s {
		if word != 0 {
			mask |= 1 << i
		}
	}
	w.byte(mask)
	for _, word := range s {
		if word != 0 {
			w.fixed(word)
		}
	}
}

func readSet(d *reader) (s game.Set) {
	mask := d.byte()
	if bits.Len8(mask) > len(s) {
		d.fail(errContent)
		return s
	}
	for i := range s {
		if mask>>i&1 != 0 {
			s[i] = d.fixed()
		}
	}
	return s
}
