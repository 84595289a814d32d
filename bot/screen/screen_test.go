package screen

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// house is a bot without other processes.
type house struct{ House }

func (house) Alone() bool { return true }

func (house) Calls(context.Context, storage.Record, int) (Calls, error) { return WhenAway, nil }

func (house) Turning(context.Context, game.Match) *review.Ply { return nil }

// between makes screens over a store in memory with one match between two members. Each of them
// has moved once, at began.
func between(t *testing.T, began time.Time) (*Screens, storage.Record) {
	t.Helper()
	store := storagetest.Memory(t)
	place := venue.Place{Server: 1, Channel: 2}
	rec, err := store.Create(t.Context(), storage.Cause{Interaction: 1, At: began}, place,
		func(id game.MatchID) (game.Match, error) {
			m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15}, 1, game.Seat{Kind: game.MemberSeat, Member: 1},
				game.Seat{Kind: game.MemberSeat, Member: 2}, began, began.Add(time.Hour))
			if err != nil {
				return m, err
			}
			if m, err = m.Accept(2, began); err != nil {
				return m, err
			}
			for i, p := range []game.Point{game.At(7, 7), game.At(8, 8)} {
				seat := m.Seats[m.ToMove()]
				if m, err = m.Play(seat.Member, p, began); err != nil {
					t.Fatalf("move %d: %v", i, err)
				}
			}
			return m, nil
		})
	testkit.Must(t, err)
	return New(Config{Base: room.Base{Store: store, Now: func() time.Time { return began }}, House: house{}}), rec
}

// The version that is noted as shown never goes back to an older one.
func TestShownNeverGoesBack(t *testing.T) {
	s, rec := between(t, time.Now())
	rec.Version = 5
	sc, err := s.shown(t.Context(), rec, rec.Place.Channel, 7, token{})
	if err != nil || sc.Shown != 5 {
		t.Fatalf("%+v %v", sc, err)
	}
	rec.Version = 4
	if sc, err = s.shown(t.Context(), rec, rec.Place.Channel, 7, token{}); err != nil || sc.Shown != 5 {
		t.Errorf("shown: version %d, was 5, %v", sc.Shown, err)
	}
}

// An expired token is not used.
func TestTokenThatIsOver(t *testing.T) {
	now := time.Now()
	if tok := tokenOf(storage.Screen{Token: "x", Expires: now.Add(time.Second)}, now); tok.value != "x" {
		t.Errorf("%+v, want the token", tok)
	}
	if tok := tokenOf(storage.Screen{Token: "x", Expires: now}, now); tok.value != "" {
		t.Errorf("%+v, want no token", tok)
	}
}

// A board that cannot be sent is tried again for a while, and from the start when it changes.
func TestNotForEver(t *testing.T) {
	var l behind
	now := time.Now()
	late := []storage.Screen{{Match: 1, Wanted: 2}}
	for _, test := range []struct {
		after  time.Duration
		wanted uint32
		young  int
	}{{0, 2, 1}, {retryFor - time.Second, 2, 1}, {retryFor, 2, 0}, {retryFor + time.Minute, 3, 1}} {
		late[0].Wanted = test.wanted
		if got := l.since(late, now.Add(test.after)); len(got) != test.young {
			t.Errorf("after %v, version %d: %d", test.after, test.wanted, len(got))
		}
	}
}

// What one member alone is shown is no board of a game: neither its token nor its message.
func TestPrivateMessageIsNoBoard(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := chat.Request{ID: 1, Token: "x", Kind: chat.Press, Private: private, Message: 9, Place: venue.Place{Channel: 2},
			Custom: view.Press{Match: 5, Verb: "play", Arg: "H8"}.ID()}
		if got := causeOf(r).Token; (got == "") != private {
			t.Errorf("private %v: the cause has the token %q", private, got)
		}
		if got := onLive(r, storage.Record{Match: game.Match{ID: 5}}, storage.Screen{Channel: 2}); got == private {
			t.Errorf("private %v: taken for the live message: %v", private, got)
		}
	}
}

// deletions is a chat that deletes what it is told to, and refuses everything else.
type deletions struct {
	chat.Chat
	of []chat.To
}

func (d *deletions) Delete(_ context.Context, to chat.To) error {
	d.of = append(d.of, to)
	return nil
}

// Messages are deleted even while the bot seems only brought along: after a connection is lost it may
// not know yet that it is in the server. So are answers that a move to another channel left behind.
func TestLeftMessagesAreDeleted(t *testing.T) {
	s, rec := between(t, time.Now())
	log := &deletions{}
	s.Chat = log
	call := storage.MessageRef{Channel: rec.Place.Channel, ID: 70}
	testkit.Got(s.setScreen(t.Context(), rec.ID, func(sc storage.Screen) storage.Screen {
		sc.Outside = true
		return sc.Retire(call).Await(storage.AwaitedAnswer{Token: "unheard", Expires: time.Now().Add(time.Minute)})
	}))
	there := rec.Place
	there.Channel++
	rec = testkit.Got(s.Store.Move(t.Context(), rec.ID, storage.Cause{At: time.Now()}, there, nil))
	sc, err := s.Store.Screen(t.Context(), rec.ID)
	testkit.Must(t, err)
	testkit.Must(t, s.closeLeft(t.Context(), rec, sc))
	want := []chat.To{{Server: rec.Place.Server, Channel: call.Channel, Message: call.ID},
		{Token: "unheard", Original: true}}
	if !slices.Equal(log.of, want) {
		t.Errorf("deleted %+v, want %+v", log.of, want)
	}
	if sc, err = s.Store.Screen(t.Context(), rec.ID); err != nil || len(sc.Retired) > 0 || len(sc.Keys) > 0 {
		t.Errorf("left: %+v %v", sc, err)
	}
}

// While one goroutine of a process sends for a match, no other does.
func TestOneSenderAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rec := between(t, time.Now())
		held := make(chan func(), 2)
		hold := func() {
			if release, err := s.HoldHere(t.Context(), rec.ID); err == nil {
				held <- release
			}
		}
		go hold()
		go hold()
		for range 2 {
			if synctest.Wait(); len(held) != 1 {
				t.Fatalf("%d hold the match", len(held))
			}
			(<-held)()
		}
		if s.Busy() > 0 {
			t.Errorf("%d are at work", s.Busy())
		}
	})
}

// A board that arrives in a channel which its match has left meanwhile is left behind, and not the live one.
func TestMovedWhileShown(t *testing.T) {
	s, rec := between(t, time.Now())
	there := rec.Place
	there.Channel++
	testkit.Got(s.Store.Move(t.Context(), rec.ID, storage.Cause{At: time.Now()}, there, nil))
	sc, err := s.shown(t.Context(), rec, rec.Place.Channel, 7, token{})
	left := storage.MessageRef{Channel: rec.Place.Channel, ID: 7}
	if err != nil || sc.Message == 7 || !slices.Contains(sc.Retired, left) {
		t.Errorf("%+v, %v", sc, err)
	}
}
