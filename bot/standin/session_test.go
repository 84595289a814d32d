package standin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
	"tengen/bot/standin/schema"
)

// TestConversation is a whole conversation with a real discordgo session, over
// pipes and over TCP.
func TestConversation(t *testing.T) {
	for _, net := range []string{"pipes", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			o := standin.Options{Checker: schema.Shared(t)}
			if net == "tcp" {
				o.Listener = tcp(t)
			}
			s := standin.New(t, o)
			b := connect(t, s, player(t))
			b.register(t, table()...)
			ann, bob := s.Member("ann"), s.Member("bob")
			ann.Slash("#gomoku", "/play bot", standin.Opt{"game", "Renju"}, standin.Opt{"level", 3})
			want := `
tengen (to ann's /play bot):
    | **Renju** your turn
    | {picture: Board: **Renju** your turn}
    | [H8] [J9] [More]
`
			see(t, want, ann.Sees("#gomoku"))
			ann.Press("#gomoku", "H8")
			see(t, `
tengen (to ann's /play bot):
    | played at:H8
    | {picture: Board: played at:H8}
    | [J9]
`, bob.Sees("#gomoku"))
			bob.Slash("#gomoku", "/move at:h8")
			if got := bob.Sees("#gomoku"); !strings.Contains(got,
				"tengen (to bob's /move, only you):\n    no game here for @bob") {
				t.Errorf("bob sees\n%s", got)
			}
			if got := ann.Sees("#gomoku"); strings.Contains(got, "no game here") {
				t.Errorf("ann sees bob's private message:\n%s", got)
			}
			var names []string
			for _, c := range ann.Types("#gomoku", "/move", standin.Opt{"at", "H"}) {
				names = append(names, c.Name)
			}
			if diff := cmp.Diff([]string{"H8", "H9"}, names); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormAndMenuAndThinking(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Checker: schema.Shared(t), AnswerWithin: time.Minute})
	b := connect(t, s, player(t))
	b.register(t, table()...)
	ann, bob := s.Member("ann"), s.Member("bob")
	ann.Slash("@bot", "/play bot game:renju")
	form := ann.Press("@bot", "More")
	if form.Modal == nil || form.Modal.Title != "Type a move" {
		t.Fatalf("no form but %v", form)
	}
	form.Submit(standin.Opt{"Move", "K10"})
	ann.Waits("@bot", "typed K10")

	ann.UserMenu("#gomoku", "Challenge", bob)
	see(t, `
tengen (to ann's /Challenge):
    @bob, you are challenged
`, bob.Sees("#gomoku"))
	if n := len(bob.Pings()); n != 1 {
		t.Errorf("bob was notified %d times", n)
	}
	ann.Slash("#renju", "/slow") // the bot thinks first: who acts waits for what it says then
	has(t, ann.Sees("#renju"), "done")
	ann.Waits("#renju", "and more")
	see(t, `
tengen (to ann's /slow):
    done
tengen (only you):
    and more
`, ann.Sees("#renju"))
	see(t, "\ntengen (to ann's /slow):\n    done\n", bob.Sees("#renju"))
}

func TestClientRefuses(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := connect(t, s, player(t))
	b.register(t, table()...)
	ann := s.Member("ann").Try()
	for _, c := range []struct{ line, why string }{
		{"/nothing", "no command"},
		{"/play", "subcommands"},
		{"/play bot", "required"},
		{"/play bot game:chess", "none of the choices"},
		{"/play bot game:renju level:9", "out of range"},
		{"/play bot game:renju level:many", "not a number"},
		{"/play bot game:renju colour:black", "none of the choices"}, // part of the value before it
		{"/play member opponent:@nobody", "no member"},
		{"/move", "required"},
	} {
		if a := ann.Slash("#gomoku", c.line); !strings.Contains(a.Failed, c.why) {
			t.Errorf("%s: %q, want %q", c.line, a.Failed, c.why)
		}
	}
	if a := ann.Press("#gomoku", "H8"); !strings.Contains(a.Failed, "sees no") {
		t.Errorf("a button that is not there: %q", a.Failed)
	}
	if n := s.Stats().Interactions; n != 0 {
		t.Errorf("the bot heard of %d", n)
	}
}

func see(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
