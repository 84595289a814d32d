package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/desk"
	"tengen/bot/view"
	"tengen/game"
	openings "tengen/game/opening"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// Tests of what comments promise as safety, where no other test failed when the protection was
// switched off.

// The log says what a press was for, and never what the client sent.
func TestLogHasNothingOfMembers(t *testing.T) {
	d := onPaper(t)
	for custom, want := range map[string]string{"typed by a member": "?", view.Do("help", ""): "help"} {
		if got := d.bot.Spoken(chat.Request{Kind: chat.Press, Custom: custom}); got != want {
			t.Errorf("%q is %q in the log, want %q", custom, got, want)
		}
	}
}

// Only the players' arrows work, and only on the present board.
func TestArrowsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		old := d.betweenMembers()
		d.press(1, old, "play", "H8")
		rec := d.only(1)
		board := func() string {
			sc := testkit.Got(d.store.Screen(t.Context(), rec.ID))
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
			t.Error("the pad is not where the arrow led")
		}
	})
}

// A post that a dead process may have made has the same nonce, and is not made again.
func TestPostKeepsItsNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		testkit.Got(d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc.Nonce, sc.Shown = 7, 0
			return sc, nil
		}))
		d.paper.mu.Lock()
		made := d.paper.put(chat.Text("made before the death"))
		d.paper.nonces[fmt.Sprintf("%s-7", view.Key(rec.ID))] = made
		d.paper.mu.Unlock()
		d.bot.screens.Refresh(rec.ID, false)
		synctest.Wait()
		if sc, err := d.store.Screen(t.Context(), rec.ID); err != nil || sc.Message != made || sc.Nonce != 0 ||
			d.paper.last != made {
			t.Errorf("%+v, the newest message is %d, want %d; %v", sc, d.paper.last, made, err)
		}
	})
}

// A request for a board that Discord delivers again does not take the board back.
func TestBoardAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		time.Sleep(time.Minute)
		here := d.request(1, chat.Slash)
		here.Name = "board"
		there := here
		there.ID, there.Token, there.Place.Channel, there.At = 99, "there", here.Place.Channel+1, here.At.Add(16*time.Second)
		for _, r := range []chat.Request{here, there, here} {
			time.Sleep(time.Until(r.At))
			d.handle(r)
		}
		if rec := d.only(1); rec.Place != there.Place {
			t.Errorf("the match is at %v, want %v", rec.Place, there.Place)
		}
	})
}

// An expired token is not used.
func TestTokenThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		time.Sleep(20*time.Minute + 30*time.Second) // between two rounds of tidying, which would take it
		testkit.Got(d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
			sc = sc.Await(storage.AwaitedAnswer{Token: "unheard", Expires: time.Now().Add(-time.Minute)})
			sc.Shown = 0
			return sc, nil
		}))
		d.bot.screens.Refresh(rec.ID, false)
		synctest.Wait()
		if sc, err := d.store.Screen(t.Context(), rec.ID); err != nil || sc.Late() || len(sc.Awaited) > 0 ||
			d.paper.lapsed > 0 {
			t.Errorf("%+v, %d calls by tokens that are over; %v", sc, d.paper.lapsed, err)
		}
	})
}

// An engine that fails or panics again and again does not hold up the game: the desk plays a
// move without it.
func TestEngineThatFails(t *testing.T) {
	for name, think := range map[string]desk.Thinker{
		"fails":  func(context.Context, game.Game, ai.Limits) (ai.Report, error) { return ai.Report{}, errors.New("no") },
		"panics": func(context.Context, game.Game, ai.Limits) (ai.Report, error) { panic("no") },
		"is absurd": func(context.Context, game.Game, ai.Limits) (ai.Report, error) {
			return ai.Report{Move: game.At(7, 7)}, nil
		},
	} {
		testkit.Bubble(t, name, func(t *testing.T) {
			d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Think = think })
			d.slash(1, "play bot", "game", "gomoku", "color", "black")
			d.press(1, d.only(1), "play", "H8")
			calmAfter(time.Minute)
			if rec := d.only(1); len(rec.Log) != 2 {
				t.Errorf("%d moves", len(rec.Log))
			} else if p := rec.Game().Last(); p.Col() < 3 || p.Col() > 11 || p.Row() < 4 || p.Row() > 10 {
				t.Errorf("%v is played, as if the engine had found it", p)
			}
		})
	}
}

// An engine that fails in an opening does not hold it up either: the desk gives the first answer that is
// allowed, for the colors and for the stones.
func TestEngineThatFailsInAnOpening(t *testing.T) {
	for name, decide := range map[string]desk.Decider{
		"fails": func(context.Context, game.Rules, openings.State, ai.Limits) (game.Decision, ai.Report, error) {
			return 0, ai.Report{}, errors.New("no")
		},
		"panics": func(context.Context, game.Rules, openings.State, ai.Limits) (game.Decision, ai.Report, error) {
			panic("no")
		},
		"is absurd": func(context.Context, game.Rules, openings.State, ai.Limits) (game.Decision, ai.Report, error) {
			return game.Offer(game.At(0, 0)), ai.Report{}, nil
		},
	} {
		testkit.Bubble(t, name, func(t *testing.T) {
			d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Decide = decide })
			d.slash(1, "play bot", "game", "renju", "opening", "yamaguchi", "color", "white")
			calmAfter(5 * time.Minute)
			if m := d.only(1).Match; m.Question().Kind != game.AskSwap || m.Question().Declared == 0 || m.EngineToMove() {
				t.Errorf("%+v after %d decisions", m.Question(), len(m.Log))
			}
		})
	}
}

// The engine itself decides in every protocol, against itself and at a low level.
func TestEngineDecides(t *testing.T) {
	for _, p := range openings.All {
		rules := game.Renju
		if p < openings.RIF {
			rules = game.Gomoku15
		}
		synctest.Test(t, func(t *testing.T) {
			d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Decide = nil })
			d.slash(1, "play bot", "game", rules.Name(), "opening", p.Name(), "color", "black", "level", "1")
			for range 30 {
				calmAfter(time.Minute)
				m := d.only(1).Match
				if !m.Deciding() {
					return
				}
				q := m.Question()
				word := ""
				if len(q.Options) > 0 {
					word = q.Options[len(q.Options)-1].String()
				} else {
					word = q.Points.Points()[q.Points.Len()/2].String()
				}
				d.slash(1, "move", "at", word)
			}
			t.Errorf("%s does not end: %v", p.Name(), d.only(1).Log)
		})
	}
}

// What a member writes beside a challenge has 100 characters at most.
func TestNoteIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play member", "opponent", "2", "game", "gomoku", "note", strings.Repeat("é", 200))
		testkit.Want(t, "characters", len([]rune(d.only(1).Note)), 100)
	})
}

// A file that is said to be too large is not fetched.
func TestTooLargeIsNotFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Fetch = func(context.Context, chat.FileTarget) ([]byte, error) { fetched++; return []byte("h8"), nil }
		})
		for _, size := range []int64{chat.LargestFile, chat.LargestFile + 1} {
			_, _, err := d.bot.load(t.Context(), "", []chat.FileTarget{{URL: "x", Size: size}}, nil)
			if view.IsRefused(err, "import.large") != (size > chat.LargestFile) {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		if fetched != 1 {
			t.Errorf("fetched %d times", fetched)
		}
	})
}

// A server that is not on the list of one connection, and not one of that connection, is not
// missed.
func TestServersOfOtherConnectionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for _, server := range []uint64{1, 2} {
			d.bot.Joined(t.Context(), server)
		}
		d.paper.mu.Lock()
		d.paper.outside = true
		d.paper.mu.Unlock()
		d.bot.Present(t.Context(), nil, func(server uint64) bool { return server == 1 })
		synctest.Wait()
		for server, missed := range map[uint64]bool{1: true, 2: false} {
			if s, err := d.store.Server(t.Context(), server); err != nil || s.Missed.IsZero() == missed || !s.Left.IsZero() {
				t.Errorf("server %d: missed %v, left %v, %v", server, s.Missed, s.Left, err)
			}
		}
	})
}

// A member has one hint searched at a time, and may ask again once it is there.
func TestTwoHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				time.Sleep(300 * time.Millisecond)
				return simple(ctx, g, l)
			}
		})
		d.slash(1, "play bot", "game", "gomoku9", "color", "black")
		rec := d.only(1)
		ask := func() error { return d.bot.hintIn(t.Context(), d.request(1, chat.Slash), rec.ID) }
		first := make(chan error, 1)
		go func() { first <- ask() }()
		synctest.Wait()
		if err := ask(); !view.IsRefused(err, "refused.hintComing") {
			t.Errorf("a second one meanwhile: %v", err)
		}
		testkit.Check(t, errors.Join(<-first, ask()))
	})
}

// Buttons that nobody made show no running game to all, and end none that members play.
func TestForgedButtonsOfAGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		for _, verb := range []string{"stop", "pause", "resume", "post"} {
			d.press(1, d.only(1), verb, "png")
			if rec := d.only(1); !view.Playing(rec.Match) || !rec.Rested.IsZero() || !d.paper.answer.Message.Private {
				t.Errorf("%s: phase %v, rests %v, answered %+v", verb, rec.Phase, !rec.Rested.IsZero(), d.paper.answer.Message)
			}
		}
	})
}

// An undo button of an earlier position takes nothing back, and asks for nothing.
func TestUndoButtonOfBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		d.slash(1, "move", "at", "H8")
		before := d.only(1)
		d.slash(2, "move", "at", "H9")
		d.slash(1, "move", "at", "H10")
		d.press(1, before, "undo", "")
		if rec := d.only(1); rec.Played() != 3 || rec.Undoing.Open {
			t.Errorf("after the button of before: %d moves, undo asked %v", rec.Played(), rec.Undoing.Open)
		}
		d.press(1, d.only(1), "undo", "")
		if rec := d.only(1); rec.Played() != 3 || !rec.Undoing.Open {
			t.Errorf("after the button of now: %d moves, undo asked %v", rec.Played(), rec.Undoing.Open)
		}
	})
}

// What a member and a server may list has a bound.
func TestListsOfSettingsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for n := range 101 {
			r := d.request(1, chat.Slash)
			whom := chat.MemberTarget{ID: game.MemberID(100 + n)}
			r.Name, r.Options = "settings", map[string]chat.Option{"block": {Member: whom}}
			if err := d.bot.dispatch(t.Context(), r); view.IsRefused(err, "refused.blocks") != (n == 100) {
				t.Fatalf("block %d: %v", n+1, err)
			}
			r = d.request(1, chat.Slash)
			r.Name, r.Governs, r.Options = "server", true, map[string]chat.Option{"channel": {Channel: uint64(100 + n)}}
			if err := d.bot.dispatch(t.Context(), r); view.IsRefused(err, "refused.channels") != (n >= 50) {
				t.Fatalf("channel %d: %v", n+1, err)
			}
		}
	})
}

// A failure of the bot is an apology to the member, and stands in the log with its cause.
func TestFailureIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		outcome := d.bot.apologize(t.Context(), d.request(1, chat.Slash), errors.New("the cause"))
		if outcome != "error" || !strings.Contains(log.String(), "the cause") {
			t.Errorf("%s: %s", outcome, log.String())
		}
		if said := fmt.Sprint(d.paper.answer.Message.Blocks); strings.Contains(said, "the cause") {
			t.Errorf("the member reads %s", said)
		}
	})
}

// A board comes only into channels for games.
func TestBoardKeepsToChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		testkit.Got(d.store.SetServer(t.Context(), club, func(s storage.Server) (storage.Server, error) {
			s.Channels = []uint64{lounge}
			return s, nil
		}))
		s := d.asked(1, venue.Place{Server: club, Channel: lounge + 1}, "board")
		if !strings.Contains(s, "games are played in") || d.only(1).Place.Channel != lounge {
			t.Errorf("the board is in %v: %s", d.only(1).Place, s)
		}
	})
}

// An engine whose search ends the process is not asked again and again.
func TestEngineThatKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		var d *desktop
		d = onPaperOver(t, kv.NewMemory(), func(c *Config) {
			c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				rec := d.only(1)
				for searches++; searches > 0; { // the processes that come after this one die too
					if work, err := d.store.Try(ctx, rec.ID, rec.Stamp()); err != nil || work.Tries > 3 {
						return ai.Report{}, errors.New("dead")
					}
				}
				return ai.Report{}, nil
			}
		})
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		d.press(1, d.only(1), "play", "H8")
		time.Sleep(time.Minute)
		if synctest.Wait(); searches != 1 || len(d.only(1).Log) != 2 {
			t.Errorf("%d searches, %d moves", searches, len(d.only(1).Log))
		}
	})
}

// Who wants to stand in no list stands in none, and who has not asked for it in none of another server.
func TestTopHides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.settled(func(storage.Record, bool) {})
		here, away := venue.Place{Server: club, Channel: lounge}, venue.Place{Server: club + 1, Channel: lounge + 1}
		sees := func(place venue.Place, scope string) (both string) {
			said := d.asked(3, place, "top", "game", "gomoku9", "scope", scope)
			for _, m := range []game.MemberID{1, 2} {
				if strings.Contains(said, view.Mention(m)) {
					both += fmt.Sprint(m)
				}
			}
			return both
		}
		hide := func(listed string) { d.asked(2, here, "settings", "listed", listed) }
		for _, c := range []struct{ listed, server, overall, elsewhere string }{
			{"servers", "12", "12", ""}, {"everywhere", "12", "12", "2"}, {"nowhere", "1", "1", ""},
		} {
			hide(c.listed)
			s, o, e := sees(here, "server"), sees(here, "overall"), sees(away, "overall")
			if s != c.server || o != c.overall || e != c.elsewhere {
				t.Errorf("%s: %q here, %q of all, %q elsewhere; want %+v", c.listed, s, o, e, c)
			}
		}
	})
}

// Buttons of a vote or a simul that is over do nothing to the one of today.
func TestButtonsOfFormerGatherings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		now, place := time.Now(), venue.Place{Server: club, Channel: lounge}
		gathering := storage.Gathering{Place: place, ID: 5}
		_, err := storage.Togethers.Begin(t.Context(), d.store, time.Now(), storage.Together{Gathering: gathering,
			Game: together.Game{Owner: 1, Rules: game.Gomoku15, Level: 1, Color: game.Black, Every: time.Minute, Updated: now}})
		testkit.Must(t, err)
		testkit.Got(storage.Simuls.Begin(t.Context(), d.store, time.Now(), storage.Simul{Gathering: gathering,
			Simul: simul.New(1, game.Terms{Rules: game.Gomoku9}, now)}))
		for id := range game.MatchID(2) {
			for verb, arg := range map[string]string{"vote": "E5", "simul": "join"} {
				r := d.request(2, chat.Press)
				r.Custom = view.Press{Match: 4 + id, Verb: verb, Arg: arg}.ID()
				d.said(r)
			}
			votes, err := storage.Togethers.In(t.Context(), d.store, place)
			joined, err2 := storage.Simuls.In(t.Context(), d.store, place)
			if err := errors.Join(err, err2); err != nil || len(votes.Votes) != int(id) || len(joined.Opponents) != int(id) {
				t.Errorf("gathering %d: %d votes, %d opponents, %v", 4+id, len(votes.Votes), len(joined.Opponents), err)
			}
		}
	})
}

// No member challenges a bot, and none has another's game played again.
func TestWhoMayNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		err := d.bot.host.MayChallenge(t.Context(), d.request(1, chat.Slash), chat.MemberTarget{ID: 9, Bot: true})
		if !view.IsRefused(err, "refused.bot") {
			t.Errorf("a bot is challenged: %v", err)
		}
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		r := d.request(7, chat.Press)
		var rule *game.Refusal
		_, err = d.bot.Act(t.Context(), act.Asked(r, d.only(1).ID, "abortsure", ""), storage.Cause{At: r.At})
		if !errors.As(err, &rule) || rule.Code != game.NotSeated {
			t.Errorf("a stranger ends a game: %v", err)
		}
	})
}
