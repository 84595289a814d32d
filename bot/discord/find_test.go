package discord

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

// A message is found by its mark, if the bot itself has posted it, on whichever page it is. Nothing
// is said of a channel that looks empty, since the bot may not read it.
func TestFind(t *testing.T) {
	const mark, self, app = 77, 9, 5
	at := testkit.At("2026-03-01 12:00")
	message := func(i int, author, hook uint64, mark int64) string {
		return fmt.Sprintf(`{"id":"%d","author":{"id":"%d"},"webhook_id":"%d","components":[{"type":10,"id":%d}]}`, flakeAt(at.Add(time.Duration(i)*time.Second)), author, hook, mark)
	}
	odd := fmt.Sprintf(`{"id":"%d","author":{"id":"3"},"components":[{"id":-7},"x"]}`, flakeAt(at.Add(time.Second)))
	others := func(n int, every time.Duration) (page []string) {
		for i := range n {
			page = append(page, message(int(time.Duration(i)*every/time.Second), 3, 0, 1))
		}
		return page
	}
	for _, test := range []struct {
		name    string
		pages   [][]string
		found   bool
		trouble chat.Trouble
		calls   int
	}{
		{"by the bot's token", [][]string{{message(3, self, 0, mark)}}, true, 0, 1},
		{"by an interaction's token", [][]string{{odd, message(3, self, app, mark)}}, true, 0, 1},
		{"an application of old, whose user has another id", [][]string{{message(3, 4, app, mark)}}, true, 0, 1},
		{"on the second page", [][]string{others(findPage, time.Second), {message(101, self, 0, mark)}}, true, 0, 2},
		{"another mark", [][]string{{message(3, self, 0, mark+1)}}, false, 0, 1},
		{"another's message", [][]string{{message(3, 3, 3, mark)}}, false, 0, 1},
		{"nothing since", [][]string{{}, {odd}}, false, 0, 2},
		{"nothing at all", [][]string{{}, {}}, false, chat.Locked, 2},
		{"long after", [][]string{others(findPage, 10*time.Second)}, false, 0, 1},
		{"too many", [][]string{others(findPage, time.Second), others(findPage, time.Second), others(findPage, time.Second), others(findPage, time.Second), others(findPage, time.Second)}, false, chat.Locked, 5},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			f := &fakeAPI{answer: func(i int, q *http.Request, _ string) (*http.Response, error) {
				if q.Method != http.MethodGet || !strings.HasSuffix(q.URL.Path, "/channels/2/messages") {
					t.Errorf("%s %s", q.Method, q.URL)
				}
				return say(200, "["+strings.Join(test.pages[i], ",")+"]"), nil
			}}
			d := newFake(t, f)
			d.self.Store(self)
			d.app.Store(app)
			id, err := d.Find(t.Context(), 2, mark, at)
			var e *chat.Error
			if errors.As(err, &e) != (test.trouble != 0) || e != nil && e.Trouble != test.trouble || (id != 0) != test.found {
				t.Errorf("found %d, %v", id, err)
			}
			testkit.Want(t, "calls", f.made(), test.calls)
		})
	}
}
