package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// What comments promise as safety, where no other test missed it when it was switched off.

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// A file is fetched from Discord's own hosts alone, by https, without a redirect, in three
// seconds, and with no more bytes than a record may have. No error tells its address.
func TestFetchedFromDiscordAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			name, url string
			answer    roundTrip
			ok        bool
		}{
			{"a file", "https://cdn.discordapp.com/a/secret", nil, true},
			{"the other host", "https://media.discordapp.net/a/secret", nil, true},
			{"another host", "https://example.com/a/secret", nil, false},
			{"a host that ends like ours", "https://cdn.discordapp.com.example.com/secret", nil, false},
			{"another port", "https://cdn.discordapp.com:8443/secret", nil, false},
			{"no TLS", "http://cdn.discordapp.com/a/secret", nil, false},
			{"a user in the address", "https://secret@cdn.discordapp.com/a", nil, false},
			{"the largest", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return say(200, strings.Repeat("x", largestFile)), nil
			}, true},
			{"too large", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return say(200, strings.Repeat("x", largestFile+1)), nil
			}, false},
			{"endless", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				p := say(200, "")
				p.Body = io.NopCloser(bottomless{})
				return p, nil
			}, false},
			{"redirected", "https://cdn.discordapp.com/a/secret", func(q *http.Request) (*http.Response, error) {
				if strings.HasSuffix(q.URL.Path, "b") {
					return say(200, "x"), nil
				}
				return say(302, "", "Location", "https://cdn.discordapp.com/b"), nil
			}, false},
			{"no network", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return nil, errors.New("no route")
			}, false},
			{"slow", "https://cdn.discordapp.com/a/secret", func(q *http.Request) (*http.Response, error) {
				select {
				case <-time.After(time.Minute):
					return say(200, "x"), nil
				case <-q.Context().Done():
					return nil, q.Context().Err()
				}
			}, false},
		} {
			began := time.Now()
			_, err := FetchWith(roundTrip(func(q *http.Request) (*http.Response, error) {
				if test.answer != nil {
					return test.answer(q)
				}
				return say(200, "h8"), nil
			}))(t.Context(), FileTarget{URL: test.url})
			if (err == nil) != test.ok {
				t.Errorf("%s: %v", test.name, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: the address is told: %v", test.name, err)
			}
			if took := time.Since(began); took > fetchTime {
				t.Errorf("%s: took %v", test.name, took)
			}
		}
	})
}

// bottomless is a file without an end.
type bottomless struct{}

func (bottomless) Read(b []byte) (int, error) { return len(b), nil }

// A call whose outcome is not known is made again only where twice is once.
func TestRepeatedOnlyWhereTwiceIsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := func(to To) func(context.Context, *Discord) error {
			return func(ctx context.Context, d *Discord) error { _, err := d.Send(ctx, to, text("x")); return err }
		}
		for _, test := range []struct {
			name  string
			do    func(context.Context, *Discord) error
			again bool
		}{
			{"a message", send(To{Channel: 2}), false},
			{"a message with a nonce", send(To{Channel: 2, Nonce: "n"}), true},
			{"an edit", send(To{Channel: 2, Message: 3}), true},
			{"a follow-up", send(To{Token: pressToken}), false},
			{"an edit by token", send(To{Token: pressToken, Original: true}), true},
			{"a thread", func(ctx context.Context, d *Discord) error { _, err := d.Thread(ctx, 2, "x"); return err }, false},
			{"a deletion", func(ctx context.Context, d *Discord) error { return d.Delete(ctx, To{Channel: 2, Message: 3}) }, true},
		} {
			f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) { return say(502, ""), nil }}
			d, _ := newFake(t, f, nil)
			if err := test.do(t.Context(), d); err == nil {
				t.Errorf("%s: no error", test.name)
			}
			if calls := len(f.calls); (calls > 1) != test.again {
				t.Errorf("%s: %d calls", test.name, calls)
			}
		}
	})
}

// "Already answered" is our own answer only where a try of ours may have made it, and lately.
func TestAnsweredByAnother(t *testing.T) {
	now := uint64(time.Now().UnixMilli()-discordEpoch) << 22
	for _, test := range []struct {
		name  string
		id    uint64
		lost  bool // the answer to our first try
		other bool
	}{
		{"ours", now, true, false},
		{"another's, before we tried", now, false, true},
		{"another's, long ago", now - uint64((2*time.Minute).Milliseconds())<<22, true, true},
	} {
		f := &fakeAPI{answer: func(n int, q *http.Request, _ string) (*http.Response, error) {
			if n == 0 && test.lost {
				return nil, errors.New("connection reset")
			}
			if q.Method == http.MethodPost {
				return say(400, `{"code":40060,"message":"Interaction has already been acknowledged."}`), nil
			}
			return nil, nil
		}}
		d, _ := newFake(t, f, nil)
		_, err := d.Answer(t.Context(), Ticket{test.id, pressToken}, Answer{Kind: Say, Message: text("x")})
		if (err != nil) != test.other || err != nil && trouble(err) != Answered {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// An error of the network does not tell the address, in which tokens stand.
func TestErrorTellsNoAddress(t *testing.T) {
	f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
		return nil, errors.New("no route") // the client puts the address before it
	}}
	d, _ := newFake(t, f, nil)
	_, err := d.wire.do(t.Context(), call{method: http.MethodPost, path: "webhooks/4/another-token", payload: 1})
	if err == nil || strings.Contains(err.Error(), "another-token") {
		t.Error(err)
	}
}

// While an interaction's handler is at work, nobody else fills its answer in.
func TestAnswerOfAnotherIsNotFilledIn(t *testing.T) {
	f := &fakeAPI{}
	at, done := make(chan struct{}), make(chan struct{})
	d, _ := newFake(t, f, func(context.Context, Request) { close(at); <-done })
	if err := d.dispatch(interaction(5, 2)); err != nil {
		t.Fatal(err)
	}
	<-at
	_, err := d.Send(t.Context(), To{Token: pressToken, Original: true}, text("x"))
	if trouble(err) != Busy || err == nil {
		t.Error(err)
	}
	if got := f.log(); got != "" {
		t.Errorf("sent: %s", got)
	}
	close(done)
	d.work.Wait()
}

// The log tells of a press what it was for, and never what the client sent.
func TestLogHasNothingOfMembers(t *testing.T) {
	d, log := newFake(t, &fakeAPI{}, func(context.Context, Request) {})
	if err := d.dispatch(bytes.ReplaceAll(interaction(5, 3), []byte("m:1"), []byte("typed by a member"))); err != nil {
		t.Fatal(err)
	}
	d.work.Wait()
	if !strings.Contains(log.String(), "command=?") || strings.Contains(log.String(), "typed") {
		t.Errorf("log: %s", log)
	}
}

// Discord takes 25 choices and refuses all where there are more.
func TestNoMoreChoicesThanDiscordTakes(t *testing.T) {
	var choices []Choice
	for i := range maxChoices + 1 {
		choices = append(choices, Choice{Label: strconv.Itoa(i), Value: strconv.Itoa(i)})
	}
	for _, numbers := range []bool{false, true} {
		list := fmt.Sprint(choicesBody(choices, numbers))
		if n := strings.Count(list, "{"); n != maxChoices {
			t.Errorf("%d choices: %s", n, list)
		}
	}
}

// A custom id has 100 characters at most.
func TestLongCustomID(t *testing.T) {
	id := press{1, 2, "typed", ""}.id()
	if _, err := parsePress(id + strings.Repeat("x", 100-len(id))); err != nil {
		t.Error(err)
	}
	if p, err := parsePress(id + strings.Repeat("x", 101-len(id))); err == nil {
		t.Errorf("%+v", p)
	}
}

// Arrows are for those who play, on the board as it is; others change nothing.
func TestArrowsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "color", "black")
		d.press(2, d.only(1), "accept", "")
		old := d.only(1)
		d.press(1, old, "play", "H8")
		rec := d.only(1)
		board := func() string {
			sc, err := d.store.Screen(t.Context(), rec.ID)
			if err != nil {
				t.Fatal(err)
			}
			d.paper.mu.Lock()
			defer d.paper.mu.Unlock()
			return fmt.Sprint(d.paper.messages[sc.Message].Blocks)
		}
		was := board()
		d.press(3, rec, "pad", "0.0.0.▲")
		if board() != was || !d.paper.answer.Message.Private {
			t.Error("an arrow of somebody who does not play moved the pad")
		}
		d.press(2, old, "pad", "0.0.0.▲")
		if at := d.paper.answer.Message.Blocks; len(at) == 0 || strings.Contains(fmt.Sprint(at), "A1") {
			t.Error("an arrow of an old board moved the pad")
		}
		d.press(2, rec, "pad", "0.0.0.▲")
		if !strings.Contains(fmt.Sprint(d.paper.answer.Message.Blocks), "A1") {
			t.Error("the pad does not look where the arrow led")
		}
	})
}

// What is known to be shown never goes back to an older version.
func TestShownNeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		sc, err := d.store.Screen(t.Context(), rec.ID)
		if err != nil || sc.Shown == 0 {
			t.Fatalf("%+v %v", sc, err)
		}
		rec.Match.Version = sc.Shown - 1
		now, err := d.bot.shown(t.Context(), rec, sc.Channel, sc.Message, token{})
		if err != nil || now.Shown != sc.Shown {
			t.Errorf("shown: version %d, was %d, %v", now.Shown, sc.Shown, err)
		}
	})
}

// A new board calls the side to move, unless it acted a moment ago.
func TestCourtesy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "color", "black")
		d.press(2, d.only(1), "accept", "")
		d.press(1, d.only(1), "play", "H8")
		d.press(2, d.only(1), "play", "I9")
		for _, test := range []struct {
			wait time.Duration
			want game.MemberID
		}{{politeAfter - time.Second, 0}, {2 * time.Second, 1}} {
			time.Sleep(test.wait)
			var msg Message
			if d.bot.courtesy(d.only(1).Match, &msg); msg.Mention != test.want {
				t.Errorf("after %v: calls %d, want %d", test.wait, msg.Mention, test.want)
			}
		}
	})
}

// A post that a dead process may have made has the same nonce, and is not made again.
func TestPostKeepsItsNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		if _, err := d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc.Nonce, sc.Shown = 7, 0
			return sc, nil
		}); err != nil {
			t.Fatal(err)
		}
		d.paper.mu.Lock()
		made := d.paper.put(text("made before the death"))
		d.paper.nonces[fmt.Sprintf("%s-7", matchKey(rec.ID))] = made
		d.paper.mu.Unlock()
		d.bot.refresh(rec.ID, false)
		synctest.Wait()
		if sc, err := d.store.Screen(t.Context(), rec.ID); err != nil || sc.Message != made || sc.Nonce != 0 || d.paper.last != made {
			t.Errorf("%+v, the newest message is %d, want %d; %v", sc, d.paper.last, made, err)
		}
	})
}

// Nothing is asked of a token that is over.
func TestTokenThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		time.Sleep(20*time.Minute + 30*time.Second) // between two rounds of tidying, which would take it
		if _, err := d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc = sc.Await(storage.Answer{Token: "unheard", Expires: time.Now().Add(-time.Minute)})
			sc.Shown = 0
			return sc, nil
		}); err != nil {
			t.Fatal(err)
		}
		d.bot.refresh(rec.ID, false)
		synctest.Wait()
		if sc, err := d.store.Screen(t.Context(), rec.ID); err != nil || sc.Late() || len(sc.Answers) > 0 || d.paper.lapsed > 0 {
			t.Errorf("%+v, %d calls by tokens that are over; %v", sc, d.paper.lapsed, err)
		}
		if tok := tokenOf(storage.Screen{Token: "x", Expires: time.Now()}, time.Now()); tok.value != "" {
			t.Errorf("%+v is good for nothing", tok)
		}
	})
}

// A board that cannot be sent is tried again for a while, and anew when it changes.
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

// An engine that fails or panics again and again does not hold up the game: a move is
// played without it.
func TestEngineThatFails(t *testing.T) {
	for name, think := range map[string]Thinker{
		"fails":  func(context.Context, game.Game, ai.Limits) (ai.Report, error) { return ai.Report{}, errors.New("no") },
		"panics": func(context.Context, game.Game, ai.Limits) (ai.Report, error) { panic("no") },
		"is absurd": func(context.Context, game.Game, ai.Limits) (ai.Report, error) {
			return ai.Report{Move: game.At(7, 7)}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Think = think })
				defer d.bot.Close()
				d.slash(1, "play bot", "game", "gomoku", "color", "black")
				d.press(1, d.only(1), "play", "H8")
				time.Sleep(time.Minute)
				synctest.Wait()
				if rec := d.only(1); len(rec.Log) != 2 {
					t.Errorf("%d moves", len(rec.Log))
				} else if p := rec.Game().Last(); !near(p, game.At(7, 7)) {
					t.Errorf("%v is played, as if the engine had found it", p)
				}
			})
		})
	}
}

// A match waits in the engine's queue once.
func TestQueuedOnce(t *testing.T) {
	desk := newDesk(Options{}.filled())
	for range 3 {
		desk.ask(turn{match: 1})
	}
	desk.ask(turn{match: 2})
	if waiting, _ := desk.size(); waiting != 2 || len(desk.queues[0]) != 2 {
		t.Errorf("%d wait, %d are queued", waiting, len(desk.queues[0]))
	}
}

// What a member writes beside a challenge has 100 characters at most.
func TestNoteIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "note", strings.Repeat("é", 200))
		if n := len([]rune(d.only(1).Note)); n != 100 {
			t.Errorf("%d characters", n)
		}
	})
}

// A file that is said to be too large is not fetched.
func TestTooLargeIsNotFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Fetch = func(context.Context, FileTarget) ([]byte, error) { fetched++; return []byte("h8"), nil }
		})
		defer d.bot.Close()
		for _, size := range []int64{largestFile, largestFile + 1} {
			_, err := d.bot.load(t.Context(), "", []FileTarget{{URL: "x", Size: size}}, nil)
			if isRefused(err, "import.large") != (size > largestFile) {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		if fetched != 1 {
			t.Errorf("fetched %d times", fetched)
		}
	})
}

// A server that is not on the list of one connection, and not one of that connection, was
// not left.
func TestServersOfOtherConnectionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		defer d.bot.Close()
		for _, server := range []uint64{1, 2} {
			d.bot.Joined(t.Context(), server)
		}
		d.bot.Present(t.Context(), nil, func(server uint64) bool { return server == 1 })
		for server, left := range map[uint64]bool{1: true, 2: false} {
			if s, err := d.store.Server(t.Context(), server); err != nil || s.Left.IsZero() == left {
				t.Errorf("server %d: left %v, %v", server, s.Left, err)
			}
		}
	})
}

// What one member alone is shown is no board of a game: neither its token nor its message.
func TestPrivateMessageIsNoBoard(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := Request{ID: 1, Token: "x", Kind: Press, Private: private, Message: 9, Place: Place{Channel: 2},
			Custom: press{5, 0, "play", "H8"}.id()}
		if got := r.cause().Token; (got == "") != private {
			t.Errorf("private %v: the cause has the token %q", private, got)
		}
		if got := r.pressed(5, storage.Screen{Channel: 2}); got == private {
			t.Errorf("private %v: taken for the live message: %v", private, got)
		}
	}
}
