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

// fields walks the row. The id is in the key. Times are steps from the ones before them.
func (e *Event) fields(f *fields) {
	format, more := f.format(eventFormat, eventFormat), e.more()
	part64(f, "", 0, &e.ID)
	if format > 1 {
		small(f, "", &more, 255)
		f.must(more&^partsOf[format] == 0)
	} else {
		more = 0
	}
	if more&eLook != 0 {
		f.text("", &e.Look.Theme, anyLength)
		f.text("", &e.Look.Language, anyLength)
	}
	if more&ePosting != 0 {
		f.time("", &e.Posting)
	}
	if format > 2 {
		e.Notice.fields(f)
	}
	if more&eListing != 0 {
		e.Listing.fields(f)
	}
	number(f, "", &e.Version, any32)
	e.Place.fields(f)
	if format < 3 {
		id(f, "", &e.Message)
		e.Notice = oldNotice(e.Message, e.Version, more, e.Posting)
	}
	id(f, "", &e.Owner)
	f.time("", &e.Created)
	f.time("", &e.Looked)
	f.flag("", &e.Ended)
	e.Setup.fields(f)
	e.Threads = more&eThreads != 0
	eventTerms(f, &e.Event.Terms)
	e.entrants(f)
	many(f, "", &e.Seeds, 1, len(e.Entrants), func(f *fields, n *int) { e.entrant(f, n, 1) })
	e.rounds(f)
	at := e.Created
	many(f, "", &e.History, 2, MaxHistory, func(f *fields, d *Done) { d.fields(f, &at) })
	if more&eMore != 0 {
		e.parts(f)
	}
}

// parts are those behind all others.
func (e *Event) parts(f *fields) {
	has := e.behindAll()
	small(f, "", &has, allBehind)
	f.must(has != 0)
	if e.Weekly = has&eWeekly != 0; has&eUntold != 0 {
		number(f, "", &e.Untold, uint64(len(e.History)))
	}
	if has&eWaiting != 0 {
		many(f, "", &e.Waiting, 16, MaxWaiting, func(f *fields, x *Waiter) {
			id(f, "", &x.Member)
			f.strength(&x.Rating)
		})
	}
}

func (e *Event) entrants(f *fields) {
	at := e.Created
	if f.way == writing {
		e.Checked = append(slices.Clip(e.Checked), make([]bool, max(0, len(e.Entrants)-len(e.Checked)))...)
	}
	i := 0
	many(f, "", &e.Entrants, 10, event.MaxEntrants, func(f *fields, x *event.Entrant) {
		if f.way == reading {
			e.Checked = append(e.Checked, false)
		}
		head := bit(e.Checked[i])<<6 | byte(x.State)<<4 | byte(x.Seat.Kind)
		small(f, "", &head, 1<<7-1)
		if f.way == reading {
			e.Checked[i], x.State, x.Seat.Kind = head>>6&1 == 1, event.State(head>>4&3), game.SeatKind(head&15)
		}
		switch x.Seat.Kind {
		case game.MemberSeat:
			id(f, "", &x.Seat.Member)
		case game.EngineSeat:
			small(f, "", &x.Seat.Level, 255)
		}
		f.strength(&x.Rating)
		f.step(&at, &x.Since)
		f.must(x.State <= event.Gone && x.Seat.Kind <= game.FormerSeat)
		i++
	})
}

// strength is a rating of eight bytes.
func (f *fields) strength(v *float64) {
	bits := math.Float64bits(*v)
	if id(f, "", &bits); f.way == reading {
		*v = math.Float64frombits(bits)
		f.must(math.Abs(*v) <= maxRating)
	}
}

// entrant is the number of an entrant from least on.
func (e *Event) entrant(f *fields, n *int, least int) {
	number(f, "", n, uint64(len(e.Entrants)))
	f.must(*n >= least)
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

func (s *Setup) fields(f *fields) {
	f.text("", &s.Name, anyLength)
	f.terms(&s.Game)
	number(f, "", &s.Most, event.MaxEntrants)
	number(f, "", &s.Role, any64)
	f.time("", &s.Starts)
	f.shift(&s.CheckIn)
}

// terms are what the matches of an event or a simul have in common. A match that is stored keeps more; see
// writeSetup of a record.
func (f *fields) terms(t *game.Terms) {
	if f.way == exporting {
		f.j.put("rules", t.Rules.Name())
		f.j.put("opening", openingName(*t))
		f.j.put("seconds_per_move?", t.PerMove.Seconds())
		return
	}
	rules, _ := rulesCode(t.Rules) // others were refused before
	code, protocol := byte(rules), byte(0)
	if p, ok := t.Protocol.(opening.Protocol); ok {
		protocol = byte(p) + 1
	}
	small(f, "", &code, 255)
	small(f, "", &t.Opening, 255)
	if small(f, "", &protocol, 255); f.way == reading {
		t.Rules = f.r.rules(uint64(code))
		if p := opening.Protocol(protocol - 1); protocol > 0 {
			f.must(p.Valid())
			t.Protocol = p
		}
	}
	f.shift(&t.PerMove)
	f.flag("", &t.Rated)
}

// shift is a span of time that may be negative.
func (f *fields) shift(v *time.Duration) {
	ms := v.Milliseconds()
	f.signed(&ms)
	if f.must(ms <= maxTime && ms >= -maxTime); f.way == reading {
		*v = time.Duration(ms) * time.Millisecond
	}
}

func eventTerms(f *fields, t *event.Terms) {
	const longest = 1 << 16
	small(f, "", &t.Kind, event.KindArena)
	b := bit(t.Twice) | bit(t.Third)<<1 | bit(t.Black)<<2 | bit(t.Streaks)<<3
	small(f, "", &b, 15)
	t.Twice, t.Third, t.Black, t.Streaks = b&1 != 0, b&2 != 0, b&4 != 0, b&8 != 0
	number(f, "", &t.Rounds, event.MaxRounds)
	number(f, "", &t.BestOf, event.MaxRounds)
	f.shift(&t.Length)
	number(f, "", &t.Arena.BerserkMin, longest)
	number(f, "", &t.Arena.QuickDraw, longest)
	number(f, "", &t.Arena.LongDraw, longest)
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

func (e *Event) rounds(f *fields) {
	began, match := e.Created, uint64(0)
	round := 0
	many(f, "", &e.Paired, 1, maxPaired, func(f *fields, boards *[]event.Board) {
		if f.way == reading {
			e.Matches = append(e.Matches, nil)
		}
		i, games := 0, &e.Matches[round]
		many(f, "", boards, 4, anyLength, func(f *fields, b *event.Board) {
			if f.way == reading {
				*games = append(*games, BoardMatch{})
			}
			g := &(*games)[i]
			var has flags
			has.set(bTie, b.Tie != 0)
			has.set(bMatch, g.Match != 0)
			has.set(bOver, g.Over)
			has.set(bBegan, !b.Began.Equal(began))
			has.set(bEnded, !b.Ended.IsZero())
			has.set(bPlies, b.Plies != 0)
			small(f, "", &has, bPlies<<1-1)
			results := byte(resultCode(b.Results[0]))<<4 | byte(resultCode(b.Results[1]))
			small(f, "", &results, 255)
			if f.must(max(results>>4, results&15) < byte(len(resultCodes))); f.way == reading && f.r.err == nil {
				b.Results = [2]event.Result{resultCodes[results>>4], resultCodes[results&15]}
			}
			e.entrant(f, &b.White, 1)
			e.entrant(f, &b.Black, 0)
			if has&bTie != 0 {
				number(f, "", &b.Tie, event.MaxEntrants)
			}
			if has&bBegan != 0 {
				f.step(&began, &b.Began)
			}
			if f.way == reading {
				b.Began, g.Over = began, has&bOver != 0
			}
			if has&bEnded != 0 {
				from := began
				f.step(&from, &b.Ended)
			}
			if has&bPlies != 0 {
				number(f, "", &b.Plies, 1<<30)
			}
			if has&bMatch != 0 {
				step := int64(uint64(g.Match) - match)
				f.signed(&step)
				if match += uint64(step); f.way == reading {
					g.Match = game.MatchID(match)
				}
			}
			i++
		})
		round++
	})
}

// resultCode is the place of a result in resultCodes.
func resultCode(r event.Result) int { return max(slices.Index(resultCodes, r), 0) }

// What a line of history has, beside what was done.
const (
	dBy = 0x80 >> iota
	dReason
	dBoard
	dWhat = dBoard - 1
)

// fields walks a line of history, which comes after the time at.
func (d *Done) fields(f *fields, at *time.Time) {
	has := flags(d.What)
	has.set(dBy, d.By != 0)
	has.set(dReason, d.Reason != "")
	has.set(dBoard, d.Round != 0 || d.Board != 0)
	if small(f, "", &has, 255); f.way == reading {
		d.What = Deed(has & dWhat)
		f.must(d.What < deeds)
	}
	f.step(at, &d.At)
	number(f, "", &d.Number, event.MaxEntrants)
	if has&dBy != 0 {
		id(f, "", &d.By)
	}
	if has&dReason != 0 {
		f.text("", &d.Reason, anyLength)
	}
	if has&dBoard != 0 {
		number(f, "", &d.Round, maxPaired)
		number(f, "", &d.Board, maxPaired)
	}
}
