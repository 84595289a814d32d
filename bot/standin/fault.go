package standin

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Plan says what goes wrong. Every decision follows from the seed, the route
// (or kind of event) and how many such calls there were before, so that the
// same calls in the same order have the same faults.
type Plan struct {
	Seed   uint64
	Calls  []CallFault
	Events EventFaults
}

// FaultKind is a way in which a REST call goes wrong.
type FaultKind string

// Ways in which a call goes wrong.
const (
	RateUser      FaultKind = "rate-user"      // 429 of the bot's own bucket
	RateShared    FaultKind = "rate-shared"    // 429 of a shared resource
	RateGlobal    FaultKind = "rate-global"    // 429 of the global limit
	RateHTML      FaultKind = "rate-html"      // 429 from the proxy before Discord, in HTML
	ServerError   FaultKind = "500"            // before the effect
	BadGateway    FaultKind = "502"            // before the effect
	Unavailable   FaultKind = "503"            // before the effect
	TimeoutBefore FaultKind = "timeout-before" // no answer, nothing was done
	TimeoutAfter  FaultKind = "timeout-after"  // no answer, but it was done
	ErrorAfter    FaultKind = "error-after"    // 500, but it was done
	DropBefore    FaultKind = "drop-before"    // the connection breaks, nothing was done
	DropAfter     FaultKind = "drop-after"     // the connection breaks, but it was done
	Slow          FaultKind = "slow"           // answered after the time For
	ListEmpty     FaultKind = "list-empty"     // a list comes without anything in it
	ListPartial   FaultKind = "list-partial"   // a list comes without its second half
	RefuseEmoji   FaultKind = "refuse-emoji"   // where the body shows an emoji of the application, it is not taken
	FilesRefused  FaultKind = "files-refused"  // a call with files: uploads are limited for the server
	Blocked       FaultKind = "blocked"        // Cloudflare turns the call away
)

// CallFault puts one kind of fault into calls of one kind. A download of an attachment is a
// call too, of the route "/attachments".
type CallFault struct {
	Kind   FaultKind `json:"kind"`
	Method string    `json:"method,omitempty"` // "": any
	Route  string    `json:"route,omitempty"`  // part of the route, as "callback" or "/messages/@original"; "": any
	P      float64   `json:"p,omitempty"`      // probability; 0: always
	Skip   int       `json:"skip,omitempty"`   // calls that are let through first
	Times  int       `json:"times,omitempty"`  // faults at most; 0: no end
	// Retry-After of a 429, how long a time-out hangs, how slow; 0: 1 s, 1 minute, 1 s
	For time.Duration `json:"for,omitempty"`
}

// duration is For, or what stands for 0.
func (f CallFault) duration() time.Duration {
	switch {
	case f.For > 0:
		return f.For
	case f.Kind == TimeoutBefore || f.Kind == TimeoutAfter:
		return time.Minute
	}
	return time.Second
}

// EventFaults are faults of the gateway.
type EventFaults struct {
	Duplicate    float64       // probability that INTERACTION_CREATE comes twice
	Delay        float64       // probability that it comes late
	DelayBy      time.Duration // at most; 0: 500 ms
	Reorder      float64       // probability that it comes after the one that follows (held back 30 ms)
	DropHello    int           // connections that break before HELLO
	DropIdentify int           // connections that break after IDENTIFY, before READY
	DropReady    int           // connections that break after READY
	DropResume   int           // connections that break after RESUME, before RESUMED
	Drop         float64       // probability that all connections break after an interaction was sent
	MuteBeats    int           // heartbeats that are not acknowledged
	EmptyReady   float64       // probability that READY lists no server, and none is told of after it
	PartialReady float64       // probability that READY lists the first half of the servers alone
	MuteResume   int           // RESUMEs that are not answered
	DeadURL      int           // connections to the address for resuming that break before they are up
	MuteURL      int           // connections to the address for resuming that are never answered
	Twice        float64       // probability that an event of a server, channel or thread comes twice
	Miss         float64       // probability that such an event never comes

	KeepForReplay bool // keep each INTERACTION_CREATE for Replay
}

type faults struct {
	mu     sync.Mutex
	plan   Plan
	counts map[string]uint64
	used   []int // faults given so far, by rule
	passed []int // calls seen so far, by rule
}

func newFaults(p Plan) *faults {
	f := &faults{counts: map[string]uint64{}}
	f.set(p)
	return f
}

// set changes the plan during a run.
func (f *faults) set(p Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan, f.used, f.passed = p, make([]int, len(p.Calls)), make([]int, len(p.Calls))
}

// roll returns the next random source of a kind of event.
func (f *faults) roll(key string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(key))
	n := f.counts[key]
	f.counts[key]++
	return rand.New(rand.NewPCG(f.plan.Seed^h.Sum64(), n))
}

// call decides whether a REST call goes wrong, and how.
func (f *faults) call(method, route string, files bool) (CallFault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.plan.Calls) == 0 {
		return CallFault{}, false
	}
	r := f.roll(method + " " + route)
	for i, c := range f.plan.Calls {
		draw := r.Float64() // every rule draws, so that one does not shift another
		if c.Method != "" && c.Method != method || !strings.Contains(route, c.Route) || c.Kind == FilesRefused && !files {
			continue
		}
		f.passed[i]++
		if f.passed[i] <= c.Skip || c.Times > 0 && f.used[i] >= c.Times || c.P > 0 && draw >= c.P {
			continue
		}
		f.used[i]++
		return c, true
	}
	return CallFault{}, false
}

// gatewayFault reports whether a connection goes wrong at this point; each fault of the plan
// is given once.
func (f *faults) gatewayFault(at string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := &f.plan.Events
	n := map[string]*int{"hello": &e.DropHello, "before-ready": &e.DropIdentify, "after-ready": &e.DropReady,
		"before-resumed": &e.DropResume, "url": &e.DeadURL, "url-silence": &e.MuteURL, "resume-silence": &e.MuteResume,
		"beat-silence": &e.MuteBeats}[at]
	if *n > 0 {
		*n--
		return true
	}
	return false
}

// copies is how often an event of a server, channel or thread comes: once, unless the plan
// says otherwise.
func (f *faults) copies(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.plan.Events
	if e.Twice == 0 && e.Miss == 0 || !strings.HasPrefix(name, "GUILD_") && !strings.HasPrefix(name, "CHANNEL_") &&
		!strings.HasPrefix(name, "THREAD_") {
		return 1
	}
	r := f.roll(name)
	twice, miss := r.Float64() < e.Twice, r.Float64() < e.Miss
	switch {
	case miss:
		return 0
	case twice:
		return 2
	}
	return 1
}

// shown cuts the list of a fault.
func (f CallFault) shown(answer any) any {
	all, ok := answer.([]any)
	switch {
	case ok && f.Kind == ListEmpty:
		return []any{}
	case ok && f.Kind == ListPartial:
		return all[:len(all)/2]
	}
	return answer
}

// listed is how many of n servers READY lists.
func (f *faults) listed(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.plan.Events
	if e.EmptyReady == 0 && e.PartialReady == 0 {
		return n
	}
	switch draw := f.roll("READY").Float64(); {
	case draw < e.EmptyReady:
		return 0
	case draw < e.EmptyReady+e.PartialReady:
		return n / 2
	}
	return n
}

// delivery says how long an interaction waits until it is sent, perhaps more than once.
func (f *faults) delivery() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.plan.Events
	if e.Duplicate == 0 && e.Delay == 0 && e.Reorder == 0 {
		return []time.Duration{0}
	}
	r := f.roll("INTERACTION_CREATE")
	var first time.Duration
	late := cmp.Or(e.DelayBy, 500*time.Millisecond)
	delay, reorder, double := r.Float64(), r.Float64(), r.Float64()
	amount := time.Duration(r.Int64N(int64(late)) + 1)
	switch {
	case delay < e.Delay:
		first = amount
	case reorder < e.Reorder:
		first = 30 * time.Millisecond
	}
	if double >= e.Duplicate {
		return []time.Duration{first}
	}
	return []time.Duration{first, first + time.Duration(r.Int64N(int64(20*time.Millisecond)))}
}

// breaks decides whether the connections break after an interaction.
func (f *faults) breaks() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plan.Events.Drop > 0 && f.roll("drop").Float64() < f.plan.Events.Drop
}

func (f *faults) keeps() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plan.Events.KeepForReplay
}

// writeFault answers a call that goes wrong.
func (c *call) writeFault(f CallFault) {
	wait := f.duration()
	switch f.Kind {
	case RateUser, RateShared, RateGlobal:
		c.tooMany(wait, strings.TrimPrefix(string(f.Kind), "rate-"))
	case RateHTML:
		h := c.w.Header()
		h.Set("Content-Type", "text/html; charset=UTF-8")
		h.Set("Retry-After", seconds(wait))
		c.status = http.StatusTooManyRequests
		c.w.WriteHeader(c.status)
		c.w.Write([]byte("<html><head><title>429 Too Many Requests</title></head><body><center><h1>429 Too Many " +
			"Requests</h1></center><hr><center>cloudflare</center></body></html>\n"))
	case FilesRefused:
		c.fail(errFilesRefused)
	case Blocked:
		c.fail(errBlocked)
	case ServerError, ErrorAfter:
		c.fail(apiError(500, 0, "500: Internal Server Error"))
	case BadGateway:
		c.fail(apiError(502, 0, "502: Bad Gateway"))
	case Unavailable:
		c.fail(apiError(503, 0, "503: Service Unavailable"))
	case TimeoutBefore, TimeoutAfter:
		c.hang(wait)
	case DropBefore, DropAfter:
		c.hangUp()
	case RefuseEmoji:
		c.refuseEmoji()
	}
}

// hang gives no answer until the caller goes away or the time is over.
func (c *call) hang(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.r.Context().Done():
	case <-c.s.ctx.Done():
	}
	c.hangUp()
}

// hangUp breaks the connection.
func (c *call) hangUp() {
	if conn, _, err := http.NewResponseController(c.w).Hijack(); err == nil {
		conn.Close()
	}
}
