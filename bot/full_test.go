package bot

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// troubled is an engine whose changes fail.
type troubled struct {
	kv.Engine
	err atomic.Pointer[error] // nil: all is well
}

func (e *troubled) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := e.err.Load(); err != nil {
		return *err
	}
	return e.Engine.Update(ctx, fn)
}

// Room is what bolt.DB.Room says of a full disk.
func (e *troubled) Room() error {
	if err := e.err.Load(); err != nil {
		return *err
	}
	return nil
}

// A member who does something that cannot be kept reads why, in plain words and in their language.
func TestWhatCannotBeKept(t *testing.T) {
	full := fmt.Errorf("%w: %d bytes left on the disk", kv.ErrFull, 0)
	for _, test := range []struct {
		err  error
		says string
	}{
		{full, "refused.diskFull"},
		{&storage.NotYet{}, "refused.notYet"},
		{&storage.Newer{}, "refused.notYet"},
	} {
		for _, locale := range texts.Tags() {
			testkit.Bubble(t, test.says+" "+locale, func(t *testing.T) { cannotBeKept(t, test.err, locale, test.says) })
		}
	}
}

func cannotBeKept(t *testing.T, trouble error, locale, says string) {
	want := texts.In(locale).Say(says)
	engine := &troubled{Engine: kv.NewMemory()}
	d := onPaperOver(t, engine)
	d.slash(1, "play bot", "game", "gomoku")
	engine.err.Store(&trouble)
	said := func(what string, r chat.Request) {
		t.Helper()
		d.paper.pressed(r.Token, 0)
		r.Locale = locale
		remark := d.bot.Handle(t.Context(), r)
		synctest.Wait()
		d.paper.mu.Lock()
		defer d.paper.mu.Unlock()
		if text := wordsOf(d.paper.answer.Message); !strings.Contains(text, want) || !d.paper.answer.Message.Private {
			t.Errorf("%s: the member reads %q, want %q (%s)", what, text, want, remark)
		}
		d.paper.answer = chat.Answer{}
	}
	command := func(name string, options map[string]chat.Option) {
		t.Helper()
		r := d.request(1, chat.Slash)
		r.Name, r.Options = name, options
		r.Manages = true
		said("/"+name, r)
	}
	word := func(s string) chat.Option { return chat.Option{Text: s} }
	command("move", map[string]chat.Option{"at": word("a1")})
	command("undo", nil)
	command("play bot", map[string]chat.Option{"game": word("renju")})
	command("settings", map[string]chat.Option{"theme": word("ink")})
	command("together", map[string]chat.Option{"game": word("gomoku")})
	command("hint", nil)

	// A point that is typed has no private answer: a line stands for some seconds.
	r := d.request(1, chat.Said)
	r.Token, r.Said, r.Locale = "", "a1", locale
	remark := d.bot.Handle(t.Context(), r)
	synctest.Wait()
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	told := false
	for _, m := range d.paper.messages {
		told = told || strings.Contains(wordsOf(m), texts.In("en").Say(says)) // the game's language
	}
	if !told {
		t.Errorf("who typed a point reads nothing (%s)", remark)
	}
}

// A record that goes on after a win is told so: it need not be of another game.
func TestRecordAfterItsEnd(t *testing.T) {
	for locale, want := range map[string]string{"en": "over after move 9", "zh-CN": "第 9 手之后"} {
		_, _, err := view.ReadRecord([]byte("h8 a1 i8 a2 j8 a3 k8 a4 l8 a5"), game.Gomoku15)
		text, known := view.In(locale).Reason(err)
		if !known || !strings.Contains(text, want) || strings.Contains(text, "another game") {
			t.Errorf("%s: %q", locale, text)
		}
	}
}

// The engine's move cannot be kept: the board says so, and the move comes once there is room.
func TestEnginesMoveCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &troubled{Engine: kv.NewMemory()}
		full := fmt.Errorf("%w: nothing left", kv.ErrFull)
		var once atomic.Bool
		d := onPaperOver(t, engine, func(c *Config) {
			c.Think = func(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
				if once.CompareAndSwap(false, g.Len() == 1) && g.Len() == 1 {
					engine.err.Store(&full)
				}
				return simple(ctx, g, l)
			}
		})
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		d.press(1, rec, "play", "h8")
		calmAfter(5 * time.Minute)
		says := texts.In("en").Say("play.stuck")
		if got := d.shows(rec); !strings.Contains(got, says) {
			t.Errorf("the board says nothing of the full disk:\n%s", got)
		}
		engine.err.Store(nil)
		for range 60 {
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if rec = d.only(1); rec.Played() < 2 {
			t.Errorf("the engine has not moved: %d moves", rec.Played())
		}
		if got := d.shows(rec); strings.Contains(got, says) {
			t.Errorf("the board still speaks of a full disk:\n%s", got)
		}
	})
}
