// Package metrics holds the figures that an operator watches, of the adapter and of the bot. It
// counts and times what other packages report, and decides nothing. Start from New.
package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/chat"
)

// Figures are the figures that an operator watches. A nil *Figures counts nothing.
type Figures struct {
	interactions *prometheus.CounterVec
	acks         prometheus.Histogram
	answers      prometheus.Histogram
	waiting      prometheus.Gauge
	thinking     prometheus.Gauge
	budget       prometheus.Histogram
	late         prometheus.Histogram
	cutShort     prometheus.Counter
	turns        *prometheus.CounterVec
	renders      prometheus.Histogram
	commits      *prometheus.HistogramVec
	gateway      prometheus.Gauge
	connects     *prometheus.CounterVec
	calls        *prometheus.CounterVec
	invalid      *prometheus.CounterVec
	withheld     *prometheus.CounterVec
	errors       *prometheus.CounterVec
	requests     *prometheus.CounterVec
	signs        prometheus.Gauge
}

// New makes the figures and registers them.
func New(r prometheus.Registerer) *Figures {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "tengen", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "tengen", Name: name, Help: help})
	}
	times := func(name, help string, buckets ...float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "tengen", Name: name, Help: help,
			Buckets: buckets})
	}
	m := &Figures{
		interactions: counter("interactions_total", "Interactions by kind and outcome.", "kind", "outcome"),
		acks: times("ack_seconds", "From the arrival of an interaction to its acknowledgement; "+
			"Discord gives up at 3.", .01, .025, .05, .1, .2, .4, .8, 1.5, 2, 2.5, 3),
		answers: times("answer_seconds", "From the arrival of an interaction to the end of its handling.", .01,
			.025, .05, .1, .2, .4, .8, 1.5, 3, 10),
		waiting:  gauge("engine_queue", "Engine turns that wait for a worker."),
		thinking: gauge("engine_busy", "Engine workers at work."),
		budget: times("engine_budget_seconds", "Time that the engine was given for a move.", .002, .005, .01, .025,
			.05, .1, .25, .5, 1),
		late: times("engine_turn_seconds", "From the turn of the engine to its move.", .05, .1, .25, .5, 1,
			1.5, 2, 2.5, 5, 30),
		cutShort: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "tengen", Name: "engine_cut_short_total",
			Help: "Engine moves cut short of their level by load."}),
		turns:   counter("engine_turns_total", "Engine turns by outcome.", "outcome"),
		renders: times("render_seconds", "Time to draw a board.", .002, .005, .01, .02, .05, .1, .25, 1),
		commits: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "tengen", Name: "store_commit_seconds",
			Help:    "Time of a transaction of the store, by outcome.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5}},
			[]string{"outcome"}),
		gateway:  gauge("gateway_up", "Connections to Discord's gateway that are up."),
		connects: counter("gateway_connects_total", "Connections to Discord's gateway by how they came about.", "how"),
		calls:    counter("discord_calls_failed_total", "Calls to Discord that failed, by trouble.", "trouble"),
		invalid: counter("discord_invalid_total", "Answers of Discord that count against the address, by HTTP status; "+
			"10,000 in ten minutes have it blocked.", "status"),
		withheld: counter("discord_withheld_total", "Calls to Discord that were not made, by why: "+
			"the place refused such a call a short while ago, or too many calls were refused.", "why"),
		errors:   counter("errors_total", "Errors by where they happened.", "where"),
		signs:    gauge("signs", "Drawn signs in use on buttons; 0: characters stand there."),
		requests: counter("endpoint_requests_total", "Requests to the interactions endpoint by HTTP status.", "status"),
	}
	r.MustRegister(m.interactions, m.acks, m.answers, m.waiting, m.thinking, m.budget, m.late, m.cutShort,
		m.turns, m.renders, m.commits, m.gateway, m.connects, m.calls, m.invalid, m.withheld, m.errors, m.requests, m.signs)
	return m
}

// The adapter's own figures.

// Interaction counts an interaction that has been handled, with its outcome and the time since it
// arrived.
func (m *Figures) Interaction(kind chat.Kind, outcome string, took time.Duration) {
	if m != nil {
		m.interactions.WithLabelValues(kind.String(), outcome).Inc()
		m.answers.Observe(took.Seconds())
	}
}

// Ack notes how long an interaction waited for its acknowledgement.
func (m *Figures) Ack(took time.Duration) {
	if m != nil {
		m.acks.Observe(took.Seconds())
	}
}

// Call counts a call to Discord that failed.
func (m *Figures) Call(t chat.Trouble) {
	if m != nil {
		m.calls.WithLabelValues(t.String()).Inc()
	}
}

// Invalid counts an answer of Discord that counts against the address, by its HTTP status.
func (m *Figures) Invalid(status int) {
	if m != nil {
		m.invalid.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

// Withheld counts a call to Discord that was not made, and why: "refused", "budget".
func (m *Figures) Withheld(why string) {
	if m != nil {
		m.withheld.WithLabelValues(why).Inc()
	}
}

// Connected counts a new connection to the gateway, by how it came about.
func (m *Figures) Connected(how string) {
	if m != nil {
		m.gateway.Inc()
		m.connects.WithLabelValues(how).Inc()
	}
}

// Disconnected counts the end of a connection to the gateway.
func (m *Figures) Disconnected() {
	if m != nil {
		m.gateway.Dec()
	}
}

// Endpoint counts a request to the interactions endpoint by the status of its answer.
func (m *Figures) Endpoint(status int) {
	if m != nil {
		m.requests.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

// Signs notes how many drawn signs the buttons show.
func (m *Figures) Signs(n int) {
	if m != nil {
		m.signs.Set(float64(n))
	}
}

// The bot's own figures.

// Queue notes how many engine turns wait and how many are being searched.
func (m *Figures) Queue(waiting, thinking int) {
	if m != nil {
		m.waiting.Set(float64(waiting))
		m.thinking.Set(float64(thinking))
	}
}

// Turn counts an engine turn that is over: its outcome ("played"), the time that it was given, the
// time since it was due, and whether load cut it short of its level.
func (m *Figures) Turn(outcome string, budget, since time.Duration, cutShort bool) {
	if m == nil {
		return
	}
	m.turns.WithLabelValues(outcome).Inc()
	m.budget.Observe(budget.Seconds())
	m.late.Observe(since.Seconds())
	if cutShort {
		m.cutShort.Inc()
	}
}

// Visit counts a turn of a guest, who made its move ("guest") or for whom our engine made it
// ("replaced").
func (m *Figures) Visit(outcome string) {
	if m != nil {
		m.turns.WithLabelValues(outcome).Inc()
	}
}

// Render notes how long drawing a board took.
func (m *Figures) Render(took time.Duration) {
	if m != nil {
		m.renders.Observe(took.Seconds())
	}
}

// Commit notes a transaction of the store. A refusal by the rules is not a failure.
func (m *Figures) Commit(took time.Duration, failed bool) {
	if m != nil {
		outcome := "done"
		if failed {
			outcome = "failed"
		}
		m.commits.WithLabelValues(outcome).Observe(took.Seconds())
	}
}

// Error counts an error that was logged, by the part of the program: "store", "engine", "screen",
// "handler", "gateway".
func (m *Figures) Error(where string) {
	if m != nil {
		m.errors.WithLabelValues(where).Inc()
	}
}
