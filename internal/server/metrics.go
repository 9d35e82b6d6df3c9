package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gavel/judging"
)

// Metrics are counts for Prometheus.
type Metrics struct {
	all                                     *prometheus.Registry
	requests, judgments, replies            *prometheus.CounterVec
	requestTime, replyTime                  prometheus.Histogram
	promptTokens, replyTokens, asked, fails prometheus.Counter
	inFlight, active                        prometheus.Gauge
}

// NewMetrics begins at zero. What can be known before anything happens is there
// from the start, so that a rate has something to begin with.
func NewMetrics() *Metrics {
	m := &Metrics{
		all: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gavel_http_requests_total",
			Help: "Requests answered, by route and status.",
		}, []string{"route", "code"}),
		requestTime: histogram("gavel_http_request_seconds", "Time until a request was answered, without streams.",
			0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30),
		judgments: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gavel_judgments_total",
			Help: "Judgments made by this server's runs, by outcome.",
		}, []string{"outcome"}),
		replies: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gavel_replies_total",
			Help: "Replies of judges to this server's runs, by whether they came from the cache.",
		}, []string{"from"}),
		promptTokens: counter("gavel_prompt_tokens_total", "Tokens of the prompts that judges read, without cached replies."),
		replyTokens:  counter("gavel_reply_tokens_total", "Tokens that judges wrote, without cached replies."),
		replyTime: histogram("gavel_reply_seconds", "Time until a reply was there, without cached replies.",
			0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gavel_judge_requests_in_flight",
			Help: "Requests to judges that are being answered.",
		}),
		asked: counter("gavel_judge_requests_total", "Requests sent to judges, tries that failed included."),
		fails: counter("gavel_judge_request_fails_total", "Requests to judges that got no answer."),
		active: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gavel_runs_active",
			Help: "Runs that this server is making.",
		}),
	}
	m.all.MustRegister(m.requests, m.requestTime, m.judgments, m.replies, m.promptTokens, m.replyTokens,
		m.replyTime, m.inFlight, m.asked, m.fails, m.active)
	for _, o := range judging.Outcomes {
		m.judgments.WithLabelValues(string(o))
	}
	for _, from := range []string{"judge", "cache"} {
		m.replies.WithLabelValues(from)
	}
	return m
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func histogram(name, help string, bounds ...float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds})
}

// request counts one that this server answered.
func (m *Metrics) request(route string, status int, took time.Duration, stream bool) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	if !stream {
		m.requestTime.Observe(took.Seconds())
	}
}

// Record counts a judgment that a run of this server made.
func (m *Metrics) Record(r *judging.Record) {
	m.judgments.WithLabelValues(string(r.Outcome)).Inc()
	for _, reply := range r.Replies {
		switch {
		case reply.Unasked():
		case reply.Cached:
			m.replies.WithLabelValues("cache").Inc()
		default:
			m.replies.WithLabelValues("judge").Inc()
			m.promptTokens.Add(float64(max(0, reply.PromptTokens)))
			m.replyTokens.Add(float64(max(0, reply.ReplyTokens)))
			m.replyTime.Observe(reply.Milliseconds / 1000)
		}
	}
}

// Asking counts a request to a judge; the function returned says how it ended.
func (m *Metrics) Asking() func(err error) {
	m.inFlight.Inc()
	m.asked.Inc()
	return func(err error) {
		m.inFlight.Dec()
		if err != nil {
			m.fails.Inc()
		}
	}
}

// Making counts a run that is being made, until the function returned is called.
func (m *Metrics) Making() func() {
	m.active.Inc()
	return m.active.Dec
}

func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(s.metrics.all, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(w, r)
	return nil
}
