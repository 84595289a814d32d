package storage

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/game/venue"
	"tengen/storage/codec"
)

// FuzzRecord: no bytes make the decoder panic, and what it takes it writes and takes again.
func FuzzRecord(f *testing.F) {
	for _, s := range samples(f) {
		if s.key[0] == tLive || s.key[0] == tArchive {
			f.Add(part(s.key, 0), s.value)
		}
	}
	f.Fuzz(func(t *testing.T, id uint64, value []byte) {
		r, err := decodeRecord(game.MatchID(id), value)
		if err != nil {
			return
		}
		again, err := r.encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		r2, err := decodeRecord(game.MatchID(id), again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		third, err := r2.encode()
		if err != nil || !bytes.Equal(again, third) {
			t.Errorf("written twice: %v\n%x\n%x", err, again, third)
		}
	})
}

// FuzzRows: no bytes under any key make a decoder panic.
func FuzzRows(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.key, s.value)
	}
	f.Fuzz(func(t *testing.T, k, value []byte) {
		if len(k) > 0 {
			_, _ = valueOf(k, value)
		}
	})
}

// FuzzPlay: whatever is played, the record comes back as it was stored, live and in the
// archive.
func FuzzPlay(f *testing.F) {
	f.Add(uint8(0), uint8(3), []byte("\x77\x78\x67\x68 play some moves and then more"))
	f.Add(uint8(5), uint8(0), []byte{0x23, 0x22, 0x24, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5})
	f.Add(uint8(4), uint8(0xE2), []byte{0x77, 0x78, 0x79, 1, 0x11, 0xF1, 0xF2, 2, 0x12, 0x13})
	f.Add(uint8(4), uint8(0xA0), []byte{0x77, 0x78, 0x79, 3, 0, 0x22, 0x33, 0x44, 0x55, 0x66, 0x44, 0x10,
		0xF1, 0xF2, 0xF5})
	f.Fuzz(func(t *testing.T, rules, kind uint8, script []byte) {
		now := noon
		r, err := fuzzed(game.AllRules[int(rules)%len(game.AllRules)], kind, now)
		if err != nil {
			return
		}
		for _, b := range script {
			now = now.Add(time.Duration(b)*731*time.Millisecond + 1)
			if m, err := step(r.Match, b, now); err == nil {
				r.Match = m
			}
			if b == 0xF9 {
				r.Look = Look{Theme: "x", Numbers: b & 127, Engine: true}
			}
		}
		if r.Phase == game.Over {
			r.Ended = r.Updated
		}
		if r.archived() {
			r = r.settled()
		}
		got := first(decodeRecord(r.ID, first(r.encode())))
		equalRecords(t, "the match", got, r)
	})
}

func fuzzed(rules game.Rules, kind uint8, now time.Time) (Record, error) {
	terms := game.Terms{Rules: rules, First: game.Color(kind & 1), Seed: uint64(kind) << 56, Rated: kind&2 != 0}
	if kind&0x18 == 0 && kind>>5 != 0 && rules != game.Reversi && rules.Size() == 15 {
		terms.Protocol = opening.All[int(kind>>5+kind&2)%len(opening.All)]
	}
	if kind&4 != 0 {
		terms.Clock = game.Clock{Each: time.Duration(kind) * time.Second, Bank: time.Duration(kind&3) * time.Minute,
			Gain: time.Duration(kind&1) * time.Second}
	}
	second := game.SeatFor(bob)
	if kind&8 != 0 {
		second = game.SeatEngine(int(kind) % 9)
		if kind&0x40 != 0 {
			second = game.SeatGuest("Visitor")
		}
	}
	first := game.SeatFor(ann)
	if kind&0x18 == 0x18 {
		first = game.SeatEngine(1)
	}
	m, err := game.NewMatch(game.MatchID(venue.IDAt(now)), terms, ann, first, second, now, now.Add(time.Hour))
	if err == nil && m.Phase == game.Offered {
		m, err = m.Accept(bob, now)
	}
	return Record{Match: m, Place: venue.Place{Server: uint64(kind), Channel: 200}}, err
}

// step is one thing that may happen to a match.
func step(m game.Match, b byte, now time.Time) (game.Match, error) {
	by := ann
	if b&1 != 0 {
		by = bob
	}
	switch b {
	case 0xF1:
		return m.Undo(by, now)
	case 0xF2:
		return m.AnswerUndo(bob, true, now)
	case 0xF3:
		return m.AnswerUndo(bob, false, now)
	case 0xF4:
		return m.Draw(by, now)
	case 0xF5:
		return m.Resign(by, now)
	case 0xF6:
		return m.Hinted(by, now)
	case 0xF7:
		return m.Rest(now)
	case 0xF8:
		return m.Wake(now)
	case 0xF9:
		return m.Anew(now), nil
	case 0xFA:
		return m.Rematch(by, 99, now)
	case 0xFB:
		m, _, err := m.Tick(now.Add(400 * time.Hour))
		return m, err
	case 0xFC:
		return m.Forget(by, now)
	case 0xFD:
		return m.Postpone(time.Hour, now, now)
	}
	if m.EngineToMove() {
		return m.Reply(m.Stamp(), game.Point(b), game.Note{Depth: uint16(b), Nodes: uint64(b) * 1e9, Millis: uint32(b),
			Score: -int32(b), Win: uint16(b) * 4, Cut: b > 99}, now)
	}
	if m.Phase != game.Playing {
		return m, nil
	}
	d := m.Question().At(game.Point(b))
	if options := m.Question().Options; len(options) > 0 {
		d = options[int(b)%len(options)]
	}
	return m.Decide(m.Seats[m.ToMove()].Member, d, now)
}

// FuzzKeys: a key gives back its parts, and keys sort as their parts do.
func FuzzKeys(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(1), uint64(3))
	f.Add(uint64(0), ^uint64(0), uint64(1)<<63, uint64(255))
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 uint64) {
		a, b := key(tSeat, a1, a2), key(tSeat, b1, b2)
		if part(a, 0) != a1 || part(a, 1) != a2 || part(a, 2) != 0 || a[0] != tSeat {
			t.Errorf("key %x of %d and %d", a, a1, a2)
		}
		want := 0
		switch {
		case a1 < b1 || a1 == b1 && a2 < b2:
			want = -1
		case a1 > b1 || a2 > b2:
			want = 1
		}
		if got := bytes.Compare(a, b); got != want {
			t.Errorf("keys of (%d, %d) and (%d, %d) compare %d", a1, a2, b1, b2, got)
		}
		if member, id := game.MemberID(a1), game.MatchID(a2); ^part(bundleKey(member, id), 1) != a2 {
			t.Errorf("the key of a bundle of %d", a2)
		}
	})
}

// FuzzBundle: a bundle comes back; no bytes make its decoder panic.
func FuzzBundle(f *testing.F) {
	f.Add([]byte{1, 5, 200, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		if ids, err := codec.Decode[bundle](nil, b); err == nil {
			if again, err := codec.Decode[bundle](nil, codec.Encode(ids)); err != nil || len(again) != len(ids) {
				t.Errorf("%v comes back as %v, %v", ids, again, err)
			}
		}
		var ids bundle
		last := game.MatchID(0)
		for len(b) >= 2 {
			last += game.MatchID(binary.LittleEndian.Uint16(b)) + 1
			ids = append(ids, last)
			b = b[2:]
		}
		got, err := codec.Decode[bundle](nil, codec.Encode(ids))
		if err != nil || len(got) != len(ids) {
			t.Errorf("%v comes back as %v, %v", ids, got, err)
		}
	})
}
