package discord

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/pace"
	"tengen/internal/testkit"
)

// bucketAPI is an API with a bucket for each channel and each interaction, of n calls a window. It
// answers in 100 ms.
func bucketAPI(n int, window time.Duration, refused *atomic.Int32) *fakeAPI {
	type bucket struct {
		reset time.Time
		left  int
	}
	var mu sync.Mutex
	buckets := map[string]*bucket{}
	return &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		time.Sleep(100 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		name := strings.Join(strings.Split(q.URL.Path, "/")[3:6], "-") // channels-2-messages, webhooks-1-TOKEN
		b := buckets[name]
		if now := time.Now(); b == nil || !now.Before(b.reset) {
			b = &bucket{now.Add(window), n}
			buckets[name] = b
		}
		after := strconv.FormatFloat(time.Until(b.reset).Seconds(), 'f', 3, 64)
		if b.left == 0 {
			refused.Add(1)
			return say(429, `{"message":"slow down","retry_after":`+after+`}`, "X-RateLimit-Bucket",
				name, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", after, "X-RateLimit-Scope", "user"), nil
		}
		b.left--
		return say(200, `{"id":"1"}`, "X-RateLimit-Bucket", name, "X-RateLimit-Remaining",
			strconv.Itoa(b.left), "X-RateLimit-Reset-After", after), nil
	}}
}

func TestPacerKeepsWithinABucket(t *testing.T) {
	for _, test := range []struct {
		name   string
		window time.Duration
		places []chat.To
	}{
		{"a channel", 5 * time.Second, []chat.To{{Channel: 2}}},
		{"channels that take turns", 5 * time.Second, []chat.To{{Channel: 2}, {Channel: 3}}},
		{"an interaction", time.Second, []chat.To{{Token: "t", Original: true}}},
		{"interactions that take turns", time.Second, []chat.To{{Token: "t", Original: true}, {Token: "u", Original: true}}},
	} {
		testkit.Bubble(t, test.name, func(t *testing.T) {
			var refused atomic.Int32
			d := newFake(t, bucketAPI(5, test.window, &refused))
			var all sync.WaitGroup
			start := time.Now()
			for range 20 {
				for _, to := range test.places {
					all.Go(func() {
						_, err := d.Send(t.Context(), to, chat.Text("x"))
						testkit.Check(t, err)
					})
				}
			}
			all.Wait()
			// 20 calls in windows of 5: the fourth window opens after three of them.
			if took := time.Since(start); took < 3*test.window || took > 3*test.window+2*time.Second {
				t.Errorf("took %v", took)
			}
			if n := refused.Load(); n > 0 {
				t.Errorf("%d calls came too early", n)
			}
		})
	}
}

func TestPacerOtherPlacesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			if q.URL.Path == "/api/v9/channels/2/messages" {
				return say(429, `{"retry_after":20}`, "X-RateLimit-Bucket", "b", "X-RateLimit-Scope", "user"), nil
			}
			return nil, nil
		}}
		d := newFake(t, f)
		go d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x"))
		time.Sleep(time.Second)
		start := time.Now()
		if _, err := d.Send(t.Context(), chat.To{Channel: 3}, chat.Text("x")); err != nil || time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		// A call whose context ends before the bucket opens fails at once.
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := d.Send(ctx, chat.To{Channel: 2}, chat.Text("x")); chat.TroubleOf(err) != chat.Busy ||
			time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		time.Sleep(5 * time.Minute) // the first call ends too: no endless retry
		synctest.Wait()
		n := 0
		for _, c := range f.calls {
			if len(c) > 25 && c[:25] == "POST /channels/2/messages" {
				n++
			}
		}
		if n > maxTries {
			t.Errorf("%d tries", n)
		}
	})
}

func TestPacerGlobal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n == 0 {
				return say(429, `{"retry_after":3,"global":true}`, "X-RateLimit-Global", "true", "Retry-After", "3"), nil
			}
			return nil, nil
		}}
		d := newFake(t, f)
		start := time.Now()
		go d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x"))
		time.Sleep(time.Second)
		if _, err := d.Send(t.Context(), chat.To{Channel: 3}, chat.Text("x")); err != nil ||
			time.Since(start) < 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		synctest.Wait()
		// There are never more than 50 calls within a second, and no rate limit is left behind.
		start = time.Now()
		var all sync.WaitGroup
		for i := range 10 * pace.PerSecond {
			all.Go(func() { d.Send(t.Context(), chat.To{Channel: uint64(100 + i)}, chat.Text("x")) })
		}
		all.Wait()
		if took := time.Since(start); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("%d calls took %v", 10*pace.PerSecond, took)
		}
	})
}

// Discord never gets more than 50 calls in a second, however long and however unevenly they are on
// their way.
func TestPacerEverySecond(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var arrived []time.Time
			rng := rand.New(rand.NewPCG(seed, 1))
			slow := func() time.Duration {
				mu.Lock()
				defer mu.Unlock()
				if rng.IntN(10) == 0 {
					return time.Duration(rng.IntN(1500)) * time.Millisecond
				}
				return time.Duration(rng.IntN(200)) * time.Millisecond
			}
			d := newFake(t, &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
				time.Sleep(slow())
				mu.Lock()
				arrived = append(arrived, time.Now())
				mu.Unlock()
				time.Sleep(slow())
				return nil, nil
			}})
			var all sync.WaitGroup
			for i := range 400 {
				if i%100 == 0 {
					time.Sleep(slow())
				}
				all.Go(func() {
					_, err := d.Send(t.Context(), chat.To{Channel: uint64(100 + i)}, chat.Text("x"))
					testkit.Check(t, err)
				})
			}
			all.Wait()
			most, from := 0, 0
			for i, at := range arrived {
				for at.Sub(arrived[from]) >= time.Second {
					from++
				}
				most = max(most, i-from+1)
			}
			if most > 50 {
				t.Errorf("seed %d: %d calls arrived within a second", seed, most)
			}
			if took := arrived[len(arrived)-1].Sub(arrived[0]); took > 20*time.Second {
				t.Errorf("seed %d: %d calls took %v", seed, len(arrived), took)
			}
		})
	}
}
