package bot

import (
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/internal/testkit"
)

// learning is the button whose id contains a text, in the answer that was shown last.
func (d *desktop) learning(part string) string {
	d.t.Helper()
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	for _, b := range d.paper.answer.Message.Blocks {
		for _, button := range b.Row {
			if strings.Contains(button.ID, part) {
				return button.ID
			}
		}
	}
	d.t.Fatalf("no button %s", part)
	return ""
}

// pressLearn dispatches a press in a course.
func (d *desktop) pressLearn(custom string) error {
	r := d.request(1, chat.Press)
	r.Private, r.Custom = true, custom
	return d.bot.dispatch(d.t.Context(), r)
}

// What no button of ours says is refused, changes nothing, and needs no apology.
func TestForgedLearning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		stamp := func(step string) uint32 {
			r := d.request(1, chat.Press)
			r.Private, r.Custom = true, view.Do("learn", step+".page.1.")
			d.said(r)
			return testkit.Got(view.ParsePress(d.learning(".do.0.ask"))).Stamp
		}
		for _, arg := range []string{"", "chess.0.page.0.", "gomoku.99.page.0.", "gomoku.-1.page.0.", "gomoku.0.page.7.",
			"gomoku.0.page.-1.", "gomoku.0.dance.0.", "gomoku.0.do.0.", "gomoku.0.do.0.at..Q99", "gomoku.0.do.0.at.zz.H8",
			"gomoku.0.do.0.at.ff.H8", "gomoku.0.do.0.at.00.H8",
			"gomoku.0.do.0.at." + strings.Repeat("00", 20) + ".H8", "gomoku.0.do.0.pad..x", "gomoku.0.do.0.say..allowed",
			"gomoku.9.do.0.at.00.H9",
			"gomoku.9.do.0.ask.00", "renju.0.do.0.at..A1"} {
			forged := view.Press{Verb: "learn", Arg: arg}
			if step, _, exercise := strings.Cut(arg, ".do."); exercise {
				forged.Stamp = stamp(step)
			}
			if err := d.pressLearn(forged.ID()); !view.IsRefused(err, "unknown.button") {
				t.Errorf("%q: %v", arg, err)
			}
		}
		if err := d.pressLearn(view.Do("learn", "gomoku.0.do.9.ask")); !view.IsRefused(err, "learn.changed") {
			t.Errorf("an exercise that is gone: %v", err)
		}
		p, err := d.store.Progress(t.Context(), 1)
		if err != nil || len(p.Solved) > 0 {
			t.Errorf("progress %v, %v", p, err)
		}
	})
}

// A button of an exercise that has changed since is refused, and the same button of the
// present one is not.
func TestChangedExercise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		r := d.request(1, chat.Press)
		r.Private, r.Custom = true, view.Do("learn", "gomoku.0.page.1.")
		d.said(r)
		p := testkit.Got(view.ParsePress(d.learning(".do.0.ask")))
		p.Arg = "gomoku.0.do.0.at..L8"
		right := p.ID()
		p.Stamp++
		if err := d.pressLearn(p.ID()); !view.IsRefused(err, "learn.changed") {
			t.Errorf("another position: %v", err)
		}
		testkit.Check(t, d.pressLearn(right))
		if done, err := d.store.Progress(t.Context(), 1); err != nil || !done.Has("gomoku.five", 0) {
			t.Errorf("solved: %v, %v", done, err)
		}
	})
}
