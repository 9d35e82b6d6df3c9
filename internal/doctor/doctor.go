// Package doctor tries a server and a model before a run: what works, what does not, and how long a run would take.
// [Check] asks some hundred short questions and reports what they showed, with what to do about it.
//
// It reads no flags and no environment, and has no clock of its own. The words of
// its findings name the flags of the command line, which is where they are read.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"gavel/backends"
	"gavel/judging"
)

// Request says how a judge is looked over.
type Request struct {
	SystemRole string        // that carries the system text: backends.System or backends.User
	Quick      bool          // leave out what puts load on the server
	Timeout    time.Duration // of one call, more than 0
	Limit      time.Duration // of all checks; 0 for none
}

// Tools holds the judge and what else Check needs.
type Tools struct {
	Judge       backends.Member // its Client ends a call after Request.Timeout
	About       string          // the judge's server, in words
	Concurrency int             // requests at once that a run would send by itself
	Text        string          // such as judges read, for prompts of any length
	Now         func() time.Time
	Note        func(text string) // is told how far it is, in one line; may be nil
}

// Status of a finding.
type Status string

// Statuses of findings.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // a run works, but mind what is said
	Fail    Status = "fail"    // a run's numbers would be wrong or missing
	Unknown Status = "unknown" // it could not be told
	Skipped Status = "skipped" // it was not tried
)

// Finding holds the outcome of a check.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Value  any    `json:"value,omitempty"`
	Said   string `json:"said"`         // what was seen, in one line
	Do     string `json:"do,omitempty"` // what to do about it

	late bool // there was no time for it, or not enough
}

// with adds a value for programs to read.
func (f Finding) with(value any) Finding { f.Value = value; return f }

func good(format string, args ...any) Finding {
	return Finding{Status: OK, Said: fmt.Sprintf(format, args...)}
}

func bad(status Status, do, format string, args ...any) Finding {
	return Finding{Status: status, Said: fmt.Sprintf(format, args...), Do: do}
}

func skipped(why string) Finding { return Finding{Status: Skipped, Said: why} }

// Report holds the findings of all checks.
type Report struct {
	Server   backends.Server `json:"server"`
	Model    backends.Model  `json:"model"`
	Findings []Finding       `json:"findings"`
	Late     []string        `json:"late,omitempty"`  // checks that were not made or not finished in Request.Limit
	Speed    *Speed          `json:"speed,omitempty"` // nil where it could not be measured
	Ready    bool            `json:"ready"`           // nothing failed
}

// Err returns an error that names the checks that failed; nil where none did.
func (r *Report) Err() error {
	var failed []string
	for _, f := range r.Findings {
		if f.Status == Fail {
			failed = append(failed, f.Check)
		}
	}
	if failed == nil {
		return nil
	}
	return errors.New("not ready: " + strings.Join(failed, ", "))
}

// check is one thing to look at. What it needs of earlier ones is in doctor.
type check struct {
	name  string
	limit time.Duration // for all of it
	load  bool          // puts load on the server: Request.Quick leaves it out
	texts bool          // is of written replies: a decision model has none
	run   func(*doctor, context.Context) Finding
}

// checks lists them in order: first what a run needs, then what puts load on the server. A new one is a function and a
// line here.
var checks = []check{
	{name: "server", run: (*doctor).describeServer},
	{name: "model", run: (*doctor).describeModel},
	{name: "reply", run: (*doctor).reply},
	{name: "context", limit: 3 * time.Minute, run: (*doctor).context},
	{name: "speed", limit: 2 * time.Minute, texts: true, run: (*doctor).measureSpeed},
	{name: "system role", limit: time.Minute, run: (*doctor).systemText},
	{name: "thinking", limit: time.Minute, texts: true, run: (*doctor).thinking},
	{name: "constrained output", limit: time.Minute, texts: true, run: (*doctor).constrained},
	{name: "logprobs", limit: time.Minute, texts: true, run: (*doctor).logprobs},
	// A server that answers one request at a time may read on after the check has given up, so it comes late.
	{name: "over-long prompt", limit: 90 * time.Second, run: (*doctor).longPrompt},
	{name: "throughput", limit: 2 * time.Minute, load: true, texts: true, run: (*doctor).throughput},
}

// doctor looks a judge over. What a check learns stands here for later ones.
type doctor struct {
	Request
	Tools

	mu   sync.Mutex
	lost int  // calls in a row that got no answer at all; a refusal is an answer
	gone bool // too many of them: the rest is not tried

	dumb         bool           // the model does not answer: nothing can be tried
	numCtx       int            // context to ask Ollama for; 0 where the server decides
	bytesPerTok  float64        // of judge's prompts, by the model's own tokenizer
	roughly      float64        // prompt tokens a second, before they are measured
	think        backends.Think // keeps the model from thinking, where that can be
	thinksAnyway bool           // it thinks unless told not to
	thinksAlways bool           // it thinks whatever it is told
	constrains   bool           // it can be held to labels
	speed        *Speed
	call         time.Duration // that a request takes beside its tokens
	noise        time.Duration // by which the same request takes longer at times
}

// Check looks a judge over. What is wrong with the judge is in the report; the error is the cause why ctx ended.
func Check(ctx context.Context, r Request, t Tools) (*Report, error) {
	d := &doctor{Request: r, Tools: t}
	d.constrains = d.decides()
	out := &Report{Server: t.Judge.Server, Model: t.Judge.Model}
	limited := ctx
	if r.Limit > 0 {
		var cancel func()
		limited, cancel = context.WithTimeout(ctx, r.Limit)
		defer cancel()
	}
	for i, c := range checks { // one that finds nothing good does not stop the others
		if t.Note != nil {
			t.Note(fmt.Sprintf("%2d/%d %s", i+1, len(checks), c.name))
		}
		found := d.try(limited, c)
		found.Check = c.name
		if found.late {
			out.Late = append(out.Late, c.name)
		}
		out.Findings = append(out.Findings, found)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	out.Speed, out.Ready = d.speed, out.Err() == nil
	return out, nil
}

// giveUp is the number of calls in a row without an answer after which the rest is not tried.
const giveUp = 3

func (d *doctor) try(ctx context.Context, c check) Finding {
	switch {
	case d.dumb:
		return skipped("the model does not answer")
	case d.gone:
		return skipped("the server stopped answering")
	case d.lost >= giveUp:
		d.gone = true
		return bad(Fail, "check the server's log", "the server stopped answering")
	case c.texts && d.decides():
		return skipped("a decision model writes no reply")
	case d.Quick && c.load:
		return skipped("left out by --quick")
	case ctx.Err() != nil:
		return d.late("not made")
	}
	within := ctx
	if c.limit > 0 {
		var cancel func()
		within, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	found := c.run(d, within)
	if ctx.Err() != nil && found.Status == Unknown {
		return d.late("not finished")
	}
	return found
}

// late returns the finding of a check for which the time limit left no time.
func (d *doctor) late(what string) Finding {
	f := skipped(fmt.Sprintf("%s: the time limit of %s was reached", what, d.Limit))
	f.late = true
	return f
}

// request returns a request as a run makes it.
func (d *doctor) request(maxTokens int, messages ...backends.Message) backends.Request {
	p := judging.DefaultParameters
	req := backends.Request{
		Identity: d.Judge.Identity(), Model: d.Judge.Model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed, MaxTokens: maxTokens,
		NumCtx: d.numCtx, Context: d.Judge.Model.Context,
	}
	if d.decides() {
		req.Constrain, req.Labels = labels, labels
	}
	return req
}

// decides reports whether the judge is a decision model, which chooses among options and writes nothing.
func (d *doctor) decides() bool { return d.Judge.Server.Can(backends.Decide) }

func user(text string) backends.Message {
	return backends.Message{Role: backends.User, Content: text}
}

// ask asks once, and counts calls without an answer.
func (d *doctor) ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := d.Judge.Client.Ask(ctx, req)
	d.mu.Lock()
	defer d.mu.Unlock()
	if backends.IsKind(err, backends.Transport, backends.Timeout) || errors.Is(err, context.DeadlineExceeded) {
		d.lost++
	} else {
		d.lost = 0
	}
	return resp, err
}

// refused reports whether a server understood a request and rejected it.
func refused(err error) bool {
	var e *backends.Error
	return errors.As(err, &e) && (e.Kind == backends.BadRequest ||
		e.Status == http.StatusInternalServerError || e.Status == http.StatusNotImplemented)
}

// why returns an error in the words of a finding.
func why(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in the time allowed for this check"
	}
	return err.Error()
}

// untold returns the finding of a check whose question got no usable answer.
func untold(err error) Finding {
	do := "check the server's log, and try again"
	if errors.Is(err, context.DeadlineExceeded) {
		do = "if the server is only slow, go on, and watch the first judgments of a run"
	}
	return bad(Unknown, do, "%s", why(err))
}
