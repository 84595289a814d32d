package storage

import (
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/storage/codec"
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
	eMore // a part behind these, with parts of its own
	eBank // of the clock, what it has beside a time for each move
)

// The parts of eMore.
const (
	eWeekly = 1 << iota
	eUntold
	eWaiting
	eAudit    // nothing of its own: the history has entries of kinds that came after this part
	allBehind = 1<<iota - 1
)

// more are the parts that the event has.
func (e Event) more() flags {
	var f flags
	f.set(eThreads, e.Threads)
	f.set(eLook, e.Look.Theme != "" || e.Look.Language != "")
	f.set(eListing, e.Listing != Listing{})
	f.set(eMore, e.behindAll() != 0)
	f.set(eBank, e.Game.Clock.Bank > 0)
	return f
}

// behindAll are the parts of eMore that the event has.
func (e Event) behindAll() flags {
	var f flags
	f.set(eWeekly, e.Weekly)
	f.set(eUntold, e.Untold > 0)
	f.set(eWaiting, len(e.Waiting) > 0)
	f.set(eAudit, slices.ContainsFunc(e.History, func(d AuditEntry) bool { return d.What > Closed }))
	return f
}

// resultCodes are the numbers of the results in the store: add at the end only.
var resultCodes = []event.Result{"", event.Win, event.Draw, event.Loss, event.ForfeitWin, event.ForfeitLoss,
	event.FullBye, event.HalfBye, event.NoBye}

// Fields walks the row. The id is in the key. Times are steps from the ones before them.
func (e *Event) Fields(f *codec.Fields) {
	format, more := f.Format(eventFormat, eventFormat), e.more()
	codec.Part(f, "", 0, &e.ID)
	if format > 1 {
		codec.Small(f, "", &more, 255)
		f.Must(more&^partsOf[format] == 0)
	} else {
		more = 0
	}
	if more&eLook != 0 {
		f.Text("", &e.Look.Theme, codec.AnyLength)
		f.Text("", &e.Look.Language, codec.AnyLength)
	}
	if more&ePosting != 0 {
		f.Time("", &e.Posting)
	}
	if format > 2 {
		e.Notice.Fields(f)
	}
	if more&eListing != 0 {
		e.Listing.Fields(f)
	}
	codec.Number(f, "", &e.Version, codec.Any32)
	f.Place(&e.Place)
	if format < 3 {
		codec.ID(f, "", &e.Message)
		e.Notice = oldNotice(e.Message, e.Version, more, e.Posting)
	}
	codec.ID(f, "", &e.Owner)
	f.Time("", &e.Created)
	f.Time("", &e.Looked)
	f.Flag("", &e.Ended)
	e.Setup.Fields(f)
	e.Threads = more&eThreads != 0
	eventTerms(f, &e.Event.Terms)
	e.entrants(f)
	codec.Many(f, "", &e.Seeds, 1, len(e.Entrants), func(f *codec.Fields, n *int) { e.entrant(f, n, 1) })
	e.rounds(f)
	at := e.Created
	codec.Many(f, "", &e.History, 2, MaxHistory, func(f *codec.Fields, d *AuditEntry) { d.Fields(f, &at) })
	if more&eMore != 0 {
		e.parts(f)
	}
	if more&eBank != 0 {
		f.Bank(&e.Game.Clock)
	}
}

// parts are those of eMore.
func (e *Event) parts(f *codec.Fields) {
	has := e.behindAll()
	codec.Small(f, "", &has, allBehind)
	f.Must(has != 0)
	if e.Weekly = has&eWeekly != 0; has&eUntold != 0 {
		codec.Number(f, "", &e.Untold, uint64(len(e.History)))
	}
	if has&eWaiting != 0 {
		codec.Many(f, "", &e.Waiting, 16, MaxWaiting, func(f *codec.Fields, x *Waiter) {
			codec.ID(f, "", &x.Member)
			f.Strength(&x.Rating)
		})
	}
}

func (e *Event) entrants(f *codec.Fields) {
	at := e.Created
	if f.Writing() {
		e.Checked = append(slices.Clip(e.Checked), make([]bool, max(0, len(e.Entrants)-len(e.Checked)))...)
	}
	i := 0
	codec.Many(f, "", &e.Entrants, 10, event.MaxEntrants, func(f *codec.Fields, x *event.Entrant) {
		if f.Reading() {
			e.Checked = append(e.Checked, false)
		}
		head := codec.Bit(e.Checked[i])<<6 | byte(x.State)<<4 | byte(x.Seat.Kind)
		codec.Small(f, "", &head, 1<<7-1)
		if f.Reading() {
			e.Checked[i], x.State, x.Seat.Kind = head>>6&1 == 1, event.State(head>>4&3), game.SeatKind(head&15)
		}
		switch x.Seat.Kind {
		case game.MemberSeat:
			codec.ID(f, "", &x.Seat.Member)
		case game.EngineSeat:
			codec.Small(f, "", &x.Seat.Level, 255)
		}
		f.Strength(&x.Rating)
		f.Step(&at, &x.Since)
		f.Must(x.State <= event.Gone && x.Seat.Kind <= game.FormerSeat)
		i++
	})
}

// entrant is the number of an entrant from least on.
func (e *Event) entrant(f *codec.Fields, n *int, least int) {
	codec.Number(f, "", n, uint64(len(e.Entrants)))
	f.Must(*n >= least)
}

// partsOf are the parts that events of a format can have.
var partsOf = [...]flags{2: eLate | eThreads | eLook | ePosting,
	eventFormat: eThreads | eLook | eListing | eMore | eBank}

// oldNotice is the notice of an event of format 1 or 2. What is being posted was late there too.
func oldNotice(message uint64, version uint32, more flags, posting time.Time) Notice {
	n := Notice{Message: message, Shown: version}
	if message != 0 {
		n.Sent = venue.TimeOf(message)
	}
	if more&eLate != 0 {
		n.Shown, n.Posting = 0, posting
	}
	return n
}

func (s *Setup) Fields(f *codec.Fields) {
	f.Text("", &s.Name, codec.AnyLength)
	f.Terms(&s.Game)
	codec.Number(f, "", &s.Most, event.MaxEntrants)
	codec.Number(f, "", &s.Role, codec.Any64)
	f.Time("", &s.Starts)
	f.Shift(&s.CheckIn)
}

func eventTerms(f *codec.Fields, t *event.Terms) {
	const longest = 1 << 16
	codec.Small(f, "", &t.Kind, event.KindArena)
	b := codec.Bit(t.Twice) | codec.Bit(t.Third)<<1 | codec.Bit(t.Black)<<2 | codec.Bit(t.Streaks)<<3
	codec.Small(f, "", &b, 15)
	t.Twice, t.Third, t.Black, t.Streaks = b&1 != 0, b&2 != 0, b&4 != 0, b&8 != 0
	codec.Number(f, "", &t.Rounds, event.MaxRounds)
	codec.Number(f, "", &t.BestOf, event.MaxRounds)
	f.Shift(&t.Length)
	codec.Number(f, "", &t.Arena.BerserkMin, longest)
	codec.Number(f, "", &t.Arena.QuickDraw, longest)
	codec.Number(f, "", &t.Arena.LongDraw, longest)
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

func (e *Event) rounds(f *codec.Fields) {
	began, match := e.Created, uint64(0)
	round := 0
	codec.Many(f, "", &e.Paired, 1, maxPaired, func(f *codec.Fields, boards *[]event.Board) {
		if f.Reading() {
			e.Matches = append(e.Matches, nil)
		}
		i, games := 0, &e.Matches[round]
		codec.Many(f, "", boards, 4, codec.AnyLength, func(f *codec.Fields, b *event.Board) {
			if f.Reading() {
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
			codec.Small(f, "", &has, bPlies<<1-1)
			results := byte(resultCode(b.Results[0]))<<4 | byte(resultCode(b.Results[1]))
			codec.Small(f, "", &results, 255)
			if f.Must(max(results>>4, results&15) < byte(len(resultCodes))); f.Sound() {
				b.Results = [2]event.Result{resultCodes[results>>4], resultCodes[results&15]}
			}
			e.entrant(f, &b.White, 1)
			e.entrant(f, &b.Black, 0)
			if has&bTie != 0 {
				codec.Number(f, "", &b.Tie, event.MaxEntrants)
			}
			if has&bBegan != 0 {
				f.Step(&began, &b.Began)
			}
			if f.Reading() {
				b.Began, g.Over = began, has&bOver != 0
			}
			if has&bEnded != 0 {
				from := began
				f.Step(&from, &b.Ended)
			}
			if has&bPlies != 0 {
				codec.Number(f, "", &b.Plies, 1<<30)
			}
			if has&bMatch != 0 {
				step := int64(uint64(g.Match) - match)
				f.Signed(&step)
				if match += uint64(step); f.Reading() {
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

// Fields walks a line of history, which comes after the time at.
func (d *AuditEntry) Fields(f *codec.Fields, at *time.Time) {
	has := flags(d.What)
	has.set(dBy, d.By != 0)
	has.set(dReason, d.Reason != "")
	has.set(dBoard, d.Round != 0 || d.Board != 0)
	if codec.Small(f, "", &has, 255); f.Reading() {
		d.What = AuditKind(has & dWhat)
		f.Must(d.What < auditKinds)
	}
	f.Step(at, &d.At)
	codec.Number(f, "", &d.Number, event.MaxEntrants)
	if has&dBy != 0 {
		codec.ID(f, "", &d.By)
	}
	if has&dReason != 0 {
		f.Text("", &d.Reason, codec.AnyLength)
	}
	if has&dBoard != 0 {
		codec.Number(f, "", &d.Round, maxPaired)
		codec.Number(f, "", &d.Board, maxPaired)
	}
}
