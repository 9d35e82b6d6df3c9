package server

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gavel/judging"
)

// Metrics are counts in Prometheus's text format, version 0.0.4. There are a
// dozen of them and the format is a line a number, so no library is needed.
type Metrics struct {
	mu       sync.Mutex
	series   map[string]float64    // by name and labels, as they are printed
	families map[string]family     // by name
	spreads  map[string]*histogram // by name
}

type family struct{ kind, help string }

// histogram counts what is at most each bound.
type histogram struct {
	bounds []float64
	counts []int // of each bound, and of all
	sum    float64
}

var (
	requestBounds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30}
	replyBounds   = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
)

// NewMetrics begins at zero. What can be known before anything happens is there
// from the start, so that a rate has something to begin with.
func NewMetrics() *Metrics {
	m := &Metrics{series: map[string]float64{}, spreads: map[string]*histogram{}, families: map[string]family{
		"gavel_http_requests_total":       {"counter", "Requests answered, by route and status."},
		"gavel_http_request_seconds":      {"histogram", "Time until a request was answered, streams apart."},
		"gavel_judgments_total":           {"counter", "Judgments made by this server's runs, by outcome."},
		"gavel_replies_total":             {"counter", "Replies of judges to this server's runs, by whether they were remembered."},
		"gavel_prompt_tokens_total":       {"counter", "Tokens of the prompts that judges read, those of remembered replies apart."},
		"gavel_reply_tokens_total":        {"counter", "Tokens that judges wrote, those of remembered replies apart."},
		"gavel_reply_seconds":             {"histogram", "Time until a reply was there, remembered ones apart."},
		"gavel_judge_requests_in_flight":  {"gauge", "Requests to judges that are being answered."},
		"gavel_judge_requests_total":      {"counter", "Requests sent to judges, tries that failed included."},
		"gavel_judge_request_fails_total": {"counter", "Requests to judges that got no answer."},
		"gavel_runs_active":               {"gauge", "Runs that this server is making."},
	}}
	for _, o := range judging.Outcomes {
		m.series[labelled("gavel_judgments_total", "outcome", string(o))] = 0
	}
	for _, from := range []string{"judge", "cache"} {
		m.series[labelled("gavel_replies_total", "from", from)] = 0
	}
	for _, name := range []string{"gavel_prompt_tokens_total", "gavel_reply_tokens_total", "gavel_judge_requests_in_flight", "gavel_judge_requests_total", "gavel_judge_request_fails_total", "gavel_runs_active"} {
		m.series[name] = 0
	}
	m.spreads["gavel_http_request_seconds"], m.spreads["gavel_reply_seconds"] = newHistogram(requestBounds), newHistogram(replyBounds)
	return m
}

// labelled is a series as it is printed.
func labelled(name string, pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		parts = append(parts, pairs[i]+`="`+labelValue.Replace(pairs[i+1])+`"`)
	}
	return name + "{" + strings.Join(parts, ",") + "}"
}

var labelValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]int, len(bounds)+1)}
}

func (h *histogram) add(v float64) {
	for i, bound := range h.bounds {
		if v <= bound {
			h.counts[i]++
		}
	}
	h.counts[len(h.bounds)]++
	h.sum += v
}

// request counts one that this server answered.
func (m *Metrics) request(route string, status int, took time.Duration, stream bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[labelled("gavel_http_requests_total", "route", route, "code", strconv.Itoa(status))]++
	if !stream {
		m.spreads["gavel_http_request_seconds"].add(took.Seconds())
	}
}

// Record counts a judgment that a run of this server made.
func (m *Metrics) Record(r *judging.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[labelled("gavel_judgments_total", "outcome", string(r.Outcome))]++
	for _, reply := range r.Replies {
		switch {
		case reply.Unasked():
		case reply.Cached:
			m.series[labelled("gavel_replies_total", "from", "cache")]++
		default:
			m.series[labelled("gavel_replies_total", "from", "judge")]++
			m.series["gavel_prompt_tokens_total"] += float64(reply.PromptTokens)
			m.series["gavel_reply_tokens_total"] += float64(reply.ReplyTokens)
			m.spreads["gavel_reply_seconds"].add(reply.Milliseconds / 1000)
		}
	}
}

// Asking counts a request to a judge; the function returned says how it ended.
func (m *Metrics) Asking() func(err error) {
	m.add("gavel_judge_requests_in_flight", 1)
	m.add("gavel_judge_requests_total", 1)
	return func(err error) {
		m.add("gavel_judge_requests_in_flight", -1)
		if err != nil {
			m.add("gavel_judge_request_fails_total", 1)
		}
	}
}

// Making counts a run that is being made, until the function returned is called.
func (m *Metrics) Making() func() {
	m.add("gavel_runs_active", 1)
	return func() { m.add("gavel_runs_active", -1) }
}

func (m *Metrics) add(series string, by float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[series] += by
}

// text is all of them, always in the same order.
func (m *Metrics) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := map[string][]string{}
	for _, series := range slices.Sorted(maps.Keys(m.series)) {
		name, _, _ := strings.Cut(series, "{")
		lines[name] = append(lines[name], series+" "+sample(m.series[series]))
	}
	for name, h := range m.spreads {
		for i, n := range h.counts {
			bound := math.Inf(1)
			if i < len(h.bounds) {
				bound = h.bounds[i]
			}
			lines[name] = append(lines[name], fmt.Sprintf("%s %d", labelled(name+"_bucket", "le", sample(bound)), n))
		}
		lines[name] = append(lines[name], name+"_sum "+sample(h.sum), fmt.Sprintf("%s_count %d", name, h.counts[len(h.bounds)]))
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m.families)) {
		if len(lines[name]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, m.families[name].help, name, m.families[name].kind)
		for _, line := range lines[name] {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}

func sample(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (s *Server) serveMetrics(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err := w.Write(s.metrics.text())
	return err
}
