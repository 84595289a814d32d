package pace

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

func answer(status int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h}
}

// Rate limits that limit nothing any more are forgotten, and no others.
func TestForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := ByBot()
		leave := testkit.Got(p.Enter(t.Context(), "POST messages", "0"))
		leave(200, answer(200, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "3600").Header, 0)
		said := answer(200, "X-RateLimit-Bucket", "b", "X-RateLimit-Remaining", "4", "X-RateLimit-Reset-After", "1").Header
		for i := range 5000 {
			testkit.Got(p.Enter(t.Context(), "POST messages", strconv.Itoa(i+1)))(200, said, 0)
		}
		if n := p.Limits(); n > manyLimits+2 {
			t.Errorf("%d limits", n)
		}
		if _, err := p.Enter(t.Context(), "POST messages", "0"); chat.TroubleOf(err) != chat.Busy || err == nil {
			t.Errorf("a limit that holds: %v", err)
		}
	})
}

// Routes of one bucket share its limit.
func TestRoutesOfABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ByToken()
		routes := []string{"PATCH message", "DELETE message"}
		none := answer(200, "X-RateLimit-Bucket", "b", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "60").Header
		for _, route := range routes {
			testkit.Got(p.Enter(t.Context(), route, "1"))(200, none, 0)
		}
		for _, route := range routes {
			if _, err := p.Enter(t.Context(), route, "1"); err == nil {
				t.Errorf("%s goes on", route)
			}
		}
	})
}

// An answer that another has overtaken is older than it says, and leaves no more calls than there were.
func TestOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ByToken()
		left := func(n int) http.Header {
			return answer(200, "X-RateLimit-Remaining", strconv.Itoa(n), "X-RateLimit-Reset-After", "60").Header
		}
		enter := func() func(int, http.Header, time.Duration) {
			return testkit.Got(p.Enter(t.Context(), "PATCH message", "1"))
		}
		enter()(200, left(5), 0)
		first, second := enter(), enter()
		second(200, left(3), 0)
		first(200, left(4), 0)
		for n := 0; ; n++ {
			if leave, err := p.Enter(t.Context(), "PATCH message", "1"); err != nil {
				break
			} else if n == 3 {
				leave(0, nil, 0)
				t.Fatal("a fourth call where three are left")
			}
		}
	})
}

// Discord's headers round a time to milliseconds: a call in the last part of one would still
// be too early.
func TestRoundedReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ByBot()
		leave, err := p.Enter(t.Context(), "PATCH message", "1")
		testkit.Must(t, err)
		began := time.Now()
		leave(200, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {"0.100"}}, 0)
		if _, err = p.Enter(t.Context(), "PATCH message", "1"); err != nil || time.Since(began) < 101*time.Millisecond {
			t.Errorf("the next call goes after %v: %v", time.Since(began), err)
		}
	})
}

// What is remembered of refused places is bounded.
func TestRefusalsBounded(t *testing.T) {
	var r Refusals
	now := time.Now()
	for i := range 3 * manyRefusals {
		r.Begin(CallKind{Channel: uint64(i + 1)}, 1)(&chat.Error{Trouble: chat.Locked}, now)
		now = now.Add(time.Millisecond)
	}
	if n := len(r.since); n > manyRefusals+2 {
		t.Errorf("%d are remembered", n)
	}
}

// Discord counts 401, 403 and 429, unless the limit is one that others have used up.
func TestInvalidKinds(t *testing.T) {
	for _, test := range []struct {
		status int
		header []string
		want   bool
	}{
		{200, nil, false}, {404, nil, false}, {500, nil, false}, {401, nil, true}, {403, nil, true}, {429, nil, true},
		{429, []string{"X-Ratelimit-Scope", "user"}, true}, {429, []string{"X-Ratelimit-Scope", "shared"}, false},
	} {
		if got := Invalid(answer(test.status, test.header...)); got != test.want {
			t.Errorf("%d %v: %v", test.status, test.header, got)
		}
	}
}
