package storage

import (
	"math"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/opening"
)

// eventFormat is the format in which events are written. Format 1 has no parts; formats 1 and 2 have
// of the notice its message alone, format 2 that it is late, and since when one is being posted.
const eventFormat = 3

// The parts that an event can have.
const (
	eLate = 1 << iota // of format 2
	eThreads
	eLook
	ePosting // of format 2
	eListing
	eMore // a part behind all others, with parts of its own
)

// The parts that stand behind all others.
const (
	eWeekly = 1 << iota
	eUntold
	eWaiting
	eDeeds    // nothing of its own: the history has deeds that came after this part
	allBehind = 1<<iota - 1
)

// more are the parts that the event has.
func (e Event) more() flags {
	var f flags
	f.set(eThreads, e.Threads)
	f.set(eLook, e.Look.Theme != "" || e.Look.Language != "")
	f.set(eListing, e.Listing != Listing{})
	f.set(eMore, e.behindAll() != 0)
	return f
}

// behindAll are the parts behind all others that the event has.
func (e Event) behindAll() flags {
	var f flags
	f.set(eWeekly, e.Weekly)
	f.set(eUntold, e.Untold > 0)
	f.set(eWaiting, len(e.Waiting) > 0)
	f.set(eDeeds, slices.ContainsFunc(e.History, func(d Done) bool { return d.What > Closed }))
	return f
}

// resultCodes are the numbers of the results in the store: add at the end only.
var resultCodes = []event.Result{"", event.Win, event.Draw, event.Loss, event.ForfeitWin, event.ForfeitLoss, event.FullBye, event.HalfBye, event.NoBye}

// encode is e as a value. The id is in the key. Times are steps from the ones before them.
func (e Event) encode() []byte {
	w := &writer{b: make([]byte, 0, 256+20*len(e.Entrants)+16*e.boards()+16*len(e.History))}
	more := e.more()
	w.byte(eventFormat)
	w.byte(byte(more))
	if more&eLook != 0 {
		w.text(e.Look.Theme)
		w.text(e.Look.Language)
	}
	w.notice(e.Notice)
	if more&eListing != 0 {
		w.listing(e.Listing)
	}
	w.uint(uint64(e.Version))
	w.fixed(e.Place.Server)
	w.fixed(e.Place.Channel)
	w.fixed(uint64(e.Owner))
	w.time(e.Created)
	w.time(e.Looked)
	w.bool(e.Ended)
	writeSetup(w, e.Setup)
	writeEventTerms(w, e.Event.Terms)
	w.uint(uint64(len(e.Entrants)))
	at := e.Created
	for i, x := range e.Entrants {
		checked := i < len(e.Checked) && e.Checked[i]
		w.byte(bit(checked)<<6 | byte(x.State)<<4 | byte(x.Seat.Kind))
		switch x.Seat.Kind {
		case game.MemberSeat:
			w.fixed(uint64(x.Seat.Member))
		case game.EngineSeat:
			w.byte(x.Seat.Level)
		}
		w.fixed(math.Float64bits(x.Rating))
		at = w.step(at, x.Since)
	}
	w.uint(uint64(len(e.Seeds)))
	for _, n := range e.Seeds {
		w.uint(uint64(n))
	}
	e.writeBoards(w)
	w.uint(uint64(len(e.History)))
	at = e.Created
	for _, d := range e.History {
		at = d.write(w, at)
	}
	if more&eMore != 0 {
		e.writeBehind(w)
	}
	return w.b
}

func (e Event) writeBehind(w *writer) {
	f := e.behindAll()
	w.byte(byte(f))
	if f&eUntold != 0 {
		w.uint(uint64(e.Untold))
	}
	if f&eWaiting != 0 {
		w.uint(uint64(len(e.Waiting)))
		for _, x := range e.Waiting {
			w.fixed(uint64(x.Member))
			w.fixed(math.Float64bits(x.Rating))
		}
	}
}

func (e *Event) readBehind(d *reader) {
	f := flags(d.byte())
	if f == 0 || f&^allBehind != 0 {
		d.fail(errContent)
	}
	e.Weekly = f&eWeekly != 0
	if f&eUntold != 0 {
		e.Untold = int(d.upTo(uint64(len(e.History))))
	}
	if f&eWaiting != 0 {
		for range d.bounded(16, MaxWaiting) {
			x := Waiter{game.MemberID(d.fixed()), math.Float64frombits(d.fixed())}
			if !(math.Abs(x.Rating) <= maxRating) {
				d.fail(errContent)
			}
			e.Waiting = append(e.Waiting, x)
		}
	}
}

func decodeEvent(id EventID, value []byte) (Event, error) {
	d, format := openUpTo(value, eventFormat)
	e := Event{ID: id}
	var more flags
	var look Look
	if format > 1 {
		if more = flags(d.byte()); more&^partsOf[format] != 0 {
			d.fail(errContent)
		}
		if more&eLook != 0 {
			look.Theme, look.Language = d.text(), d.text()
		}
		if more&ePosting != 0 {
			e.Posting = d.time()
		}
	}
	if format > 2 {
		e.Notice = d.notice()
	}
	if more&eListing != 0 {
		e.Listing = d.listing()
	}
	e.Version = uint32(d.upTo(1<<32 - 1))
	e.Place = Place{d.fixed(), d.fixed()}
	if format < 3 {
		e.Notice = oldNotice(d.fixed(), e.Version, more, e.Posting)
	}
	e.Owner = game.MemberID(d.fixed())
	e.Created, e.Looked, e.Ended = d.time(), d.time(), d.bool()
	e.Setup = readSetup(d)
	e.Threads, e.Look = more&eThreads != 0, look
	e.Event.Terms = readEventTerms(d)
	e.readEntrants(d)
	for range d.bounded(1, len(e.Entrants)) {
		e.Seeds = append(e.Seeds, d.entrant(e, 1))
	}
	e.readBoards(d)
	at := e.Created
	for range d.bounded(2, MaxHistory) {
		done := readDone(d, at)
		at = done.At
		e.History = append(e.History, done)
	}
	if more&eMore != 0 {
		e.readBehind(d)
	}
	return e, d.end()
}

func (e *Event) readEntrants(d *reader) {
	at := e.Created
	for range d.bounded(10, event.MaxEntrants) {
		head := d.byte()
		x := event.Entrant{State: event.State(head >> 4 & 3), Seat: game.Seat{Kind: game.SeatKind(head & 15)}}
		switch x.Seat.Kind {
		case game.MemberSeat:
			x.Seat.Member = game.MemberID(d.fixed())
		case game.EngineSeat:
			x.Seat.Level = d.byte()
		}
		x.Rating = math.Float64frombits(d.fixed())
		x.Since = d.step(at)
		at = x.Since
		if head>>7 != 0 || x.State > event.Gone || x.Seat.Kind > game.FormerSeat || !(math.Abs(x.Rating) <= maxRating) {
			d.fail(errContent)
		}
		e.Entrants, e.Checked = append(e.Entrants, x), append(e.Checked, head>>6&1 == 1)
	}
}

// partsOf are the parts that events of a format can have.
var partsOf = [...]flags{2: eLate | eThreads | eLook | ePosting, eventFormat: eThreads | eLook | eListing | eMore}

// oldNotice is the notice of an event of format 1 or 2. What is being posted was late there too.
func oldNotice(message uint64, version uint32, more flags, posting time.Time) Notice {
	n := Notice{Message: message, Shown: version}
	if message != 0 {
		n.Sent = TimeOf(message)
	}
	if more&eLate != 0 {
		n.Shown, n.Posting = 0, posting
	}
	return n
}

// maxRating is far above any rating.
const maxRating = 1e6

// bounded reads the number of things of at least size bytes, which must not exceed most.
func (r *reader) bounded(size, most int) int {
	n := r.count(size)
	if n > most {
		r.fail(errContent)
		return 0
	}
	return n
}

// entrant reads the number of an entrant from least on.
func (r *reader) entrant(e Event, least int) int {
	n := int(r.upTo(uint64(len(e.Entrants))))
	if n < least {
		r.fail(errContent)
	}
	return n
}

// step writes a time as the way from another; it gives t, from where the next one steps.
func (w *writer) step(from, t time.Time) time.Time {
	if t.IsZero() {
		w.byte(0)
		return t
	}
	ms := t.UnixMilli() - unixMilli(from)
	w.uint(uint64(ms<<1^ms>>63) + 1)
	return millis(t.UnixMilli())
}

func (r *reader) step(from time.Time) time.Time {
	n := r.uint()
	if n == 0 {
		return time.Time{}
	}
	n--
	ms := unixMilli(from) + (int64(n>>1) ^ -int64(n&1))
	if n>>1 > 2*maxTime || ms > maxTime || ms < -maxTime {
		r.fail(errContent)
		return time.Time{}
	}
	return millis(ms)
}

// unixMilli is 0 for the zero time.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func writeSetup(w *writer, s Setup) {
	w.text(s.Name)
	w.terms(s.Game)
	w.uint(uint64(s.Most))
	w.uint(s.Role)
	w.time(s.Starts)
	w.int(int64(s.CheckIn / time.Millisecond))
}

func readSetup(d *reader) (s Setup) {
	s.Name, s.Game = d.text(), d.terms()
	s.Most, s.Role, s.Starts = int(d.upTo(event.MaxEntrants)), d.uint(), d.time()
	s.CheckIn = time.Duration(d.within(maxTime)) * time.Millisecond
	return s
}

// terms writes what the matches of an event or a simul have in common. A match that is stored keeps
// more; see writeSetup of a record.
func (w *writer) terms(t game.Terms) {
	rules, _ := rulesCode(t.Rules) // others were refused before
	protocol := byte(0)
	if p, ok := t.Protocol.(opening.Protocol); ok {
		protocol = byte(p) + 1
	}
	w.byte(byte(rules))
	w.byte(byte(t.Opening))
	w.byte(protocol)
	w.int(int64(t.PerMove / time.Millisecond))
	w.bool(t.Rated)
}

func (r *reader) terms() (t game.Terms) {
	t.Rules = r.rules(uint64(r.byte()))
	t.Opening = game.Opening(r.byte())
	if n := r.byte(); n > 0 {
		p := opening.Protocol(n - 1)
		if !p.Valid() {
			r.fail(errContent)
		}
		t.Protocol = p
	}
	t.PerMove = time.Duration(r.within(maxTime)) * time.Millisecond
	t.Rated = r.bool()
	return t
}

func writeEventTerms(w *writer, t event.Terms) {
	w.byte(byte(t.Kind))
	w.byte(bit(t.Twice) | bit(t.Third)<<1 | bit(t.Black)<<2 | bit(t.Streaks)<<3)
	w.uint(uint64(t.Rounds))
	w.uint(uint64(t.BestOf))
	w.int(int64(t.Length / time.Millisecond))
	for _, n := range []int{t.Arena.BerserkMin, t.Arena.QuickDraw, t.Arena.LongDraw} {
		w.uint(uint64(n))
	}
}

func readEventTerms(d *reader) (t event.Terms) {
	t.Kind = event.Kind(d.byte())
	b := d.byte()
	if t.Kind > event.KindArena || b > 15 {
		d.fail(errContent)
	}
	t.Twice, t.Third, t.Black, t.Streaks = b&1 != 0, b&2 != 0, b&4 != 0, b&8 != 0
	t.Rounds, t.BestOf = int(d.upTo(event.MaxRounds)), int(d.upTo(event.MaxRounds))
	t.Length = time.Duration(d.within(maxTime)) * time.Millisecond
	const longest = 1 << 16
	t.Arena = event.ArenaRules{BerserkMin: int(d.upTo(longest)), QuickDraw: int(d.upTo(longest)), LongDraw: int(d.upTo(longest))}
	return t
}

// The fields of a board that say something, by bit.
const (
	bTie = 1 << iota
	bMatch
	bOver
	bBegan // differs from the board before
	bEnded
	bPlies
)

func (e Event) writeBoards(w *writer) {
	began, match := e.Created, uint64(0)
	w.uint(uint64(len(e.Paired)))
	for r, boards := range e.Paired {
		w.uint(uint64(len(boards)))
		for i, b := range boards {
			g := e.Matches[r][i]
			var f flags
			f.set(bTie, b.Tie != 0)
			f.set(bMatch, g.Match != 0)
			f.set(bOver, g.Over)
			f.set(bBegan, !b.Began.Equal(began))
			f.set(bEnded, !b.Ended.IsZero())
			f.set(bPlies, b.Plies != 0)
			w.byte(byte(f))
			w.byte(byte(resultCode(b.Results[0]))<<4 | byte(resultCode(b.Results[1])))
			w.uint(uint64(b.White))
			w.uint(uint64(b.Black))
			if f&bTie != 0 {
				w.uint(uint64(b.Tie))
			}
			if f&bBegan != 0 {
				began = w.step(began, b.Began)
			}
			if f&bEnded != 0 {
				w.step(began, b.Ended)
			}
			if f&bPlies != 0 {
				w.uint(uint64(b.Plies))
			}
			if f&bMatch != 0 {
				w.int(int64(uint64(g.Match) - match))
				match = uint64(g.Match)
			}
		}
	}
}

// resultCode is the place of a result in resultCodes.
func resultCode(r event.Result) int { return max(slices.Index(resultCodes, r), 0) }

func (e *Event) readBoards(d *reader) {
	began, match := e.Created, uint64(0)
	for range d.bounded(1, maxPaired) {
		var boards []event.Board
		var games []BoardMatch
		for range d.count(4) {
			f, results := d.byte(), d.byte()
			b := event.Board{White: d.entrant(*e, 1), Black: d.entrant(*e, 0)}
			var g BoardMatch
			if f >= bPlies<<1 || int(results>>4) >= len(resultCodes) || int(results&15) >= len(resultCodes) {
				d.fail(errContent)
				return
			}
			b.Results = [2]event.Result{resultCodes[results>>4], resultCodes[results&15]}
			if f&bTie != 0 {
				b.Tie = int(d.upTo(event.MaxEntrants))
			}
			if f&bBegan != 0 {
				began = d.step(began)
			}
			if b.Began = began; f&bEnded != 0 {
				b.Ended = d.step(began)
			}
			if f&bPlies != 0 {
				b.Plies = int(d.upTo(1 << 30))
			}
			if f&bMatch != 0 {
				match += uint64(d.int())
				g.Match = game.MatchID(match)
			}
			g.Over = f&bOver != 0
			boards, games = append(boards, b), append(games, g)
		}
		e.Paired, e.Matches = append(e.Paired, boards), append(e.Matches, games)
	}
}

// What a line of history has, beside what was done.
const (
	dBy = 0x80 >> iota
	dReason
	dBoard
	dWhat = dBoard - 1
)

func (d Done) write(w *writer, from time.Time) time.Time {
	f := flags(d.What)
	f.set(dBy, d.By != 0)
	f.set(dReason, d.Reason != "")
	f.set(dBoard, d.Round != 0 || d.Board != 0)
	w.byte(byte(f))
	at := w.step(from, d.At)
	w.uint(uint64(d.Number))
	if f&dBy != 0 {
		w.fixed(uint64(d.By))
	}
	if f&dReason != 0 {
		w.text(d.Reason)
	}
	if f&dBoard != 0 {
		w.uint(uint64(d.Round))
		w.uint(uint64(d.Board))
	}
	return at
}

func readDone(r *reader, from time.Time) (d Done) {
	f := r.byte()
	d.What = Deed(f & dWhat)
	if d.What >= deeds {
		r.fail(errContent)
	}
	d.At = r.step(from)
	d.Number = int(r.upTo(event.MaxEntrants))
	if f&dBy != 0 {
		d.By = game.MemberID(r.fixed())
	}
	if f&dReason != 0 {
		d.Reason = r.text()
	}
	if f&dBoard != 0 {
		d.Round, d.Board = int(r.upTo(maxPaired)), int(r.upTo(maxPaired))
	}
	return d
}
