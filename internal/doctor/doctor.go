// Package doctor tests a server and a model before a run: what works, what does not, and how long a run would take.
// [Check] asks about a hundred short questions and reports findings with advice.
//
// It reads no flags, environment or clock itself. The advice names flags of the command line, where it is read.
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

// Examination holds the options of Check.
type Examination struct {
	SystemTextRole string        // role of the system text: backends.RoleSystem or backends.RoleUser
	Quick          bool          // leave out checks that put load on the server
	CallTimeout    time.Duration // limit of one call, more than 0
	Limit          time.Duration // limit of all checks together; 0: no limit
}

// Dependencies holds the judge and other things that Check needs.
type Dependencies struct {
	backends.PoolMember // the server and model to check; Client ends a call after Examination.CallTimeout

	ServerText       string            // the judge's server, in words
	StartConcurrency int               // number of concurrent requests with which a run starts
	SampleText       string            // text typical of judges' prompts; prompts of any length are made from it
	Now              func() time.Time  // the clock
	ShowProgress     func(text string) // shows the progress in one line; may be nil
}

// Status says how a check ended.
type Status string

// Values of [Finding].Status.
const (
	OK      Status = "ok"      // the ability checked works
	Warn    Status = "warn"    // a run works, but with a limitation
	Fail    Status = "fail"    // a run's scores would be wrong or missing
	Unknown Status = "unknown" // the check found no answer
	Skipped Status = "skipped" // the check was left out
)

// Finding holds the outcome of a check.
type Finding struct {
	Check  string `json:"check"` // name of the check
	Status Status `json:"status"`
	Value  any    `json:"value,omitempty"` // the numbers measured, for programs
	Text   string `json:"said"`            // the observation, in one line
	Advice string `json:"do,omitempty"`    // how to mend or avoid the problem; "" if there is none

	outOfTime bool // there was not enough time for the check
}

// withValue returns the finding with a value for programs.
func (f Finding) withValue(value any) Finding { f.Value = value; return f }

// okFinding returns a finding with the status OK.
func okFinding(format string, args ...any) Finding {
	return Finding{Status: OK, Text: fmt.Sprintf(format, args...)}
}

// problemFinding returns a finding with another status and the advice do.
func problemFinding(status Status, do, format string, args ...any) Finding {
	return Finding{Status: status, Text: fmt.Sprintf(format, args...), Advice: do}
}

// skipped returns the finding of a check that was left out, with the reason.
func skipped(errorText string) Finding { return Finding{Status: Skipped, Text: errorText} }

// Report holds the findings of all checks.
type Report struct {
	Server           backends.ServerInfo `json:"server"`
	Model            backends.Model      `json:"model"`
	Findings         []Finding           `json:"findings"`
	UnfinishedChecks []string            `json:"late,omitempty"`  // checks not made or finished within Examination.Limit
	Speed            *Speed              `json:"speed,omitempty"` // nil if it could not be measured
	Ready            bool                `json:"ready"`           // no check has the status Fail
}

// Err returns an error that names the failed checks, or nil.
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

// check describes one check. The check stores results that later ones need in doctor.
type check struct {
	name                string
	limit               time.Duration // limit of the whole check; 0: none
	loadsServer         bool          // the check puts load on the server; left out with Examination.Quick
	needsWrittenReplies bool          // the check needs written replies, which a decision model does not give
	run                 func(context.Context) Finding
}

// doctor runs the checks. Its fields hold results for later checks.
type doctor struct {
	Examination
	Dependencies

	mu         sync.Mutex
	unanswered int  // number of consecutive calls without any answer; a refusal is an answer
	gaveUp     bool // too many calls had no answer: the other checks are left out

	silent              bool           // the model does not answer: the other checks are left out
	numCtx              int            // context in tokens requested from Ollama; 0 if the server decides
	promptBytesPerToken float64        // bytes per token of judges' prompts, with the model's tokenizer; 0: not measured
	roughSpeed          float64        // rough estimate of prompt tokens read per second; 0: not measured
	leastThinkSetting   backends.Think // the value of --think that keeps the model from thinking, if there is one
	thinksByDefault     bool           // the model thinks by default
	thinksAlways        bool           // the model thinks even with --think off
	constrains          bool           // the server can constrain replies to labels
	speed               *Speed         // nil until measured
	callOverhead        time.Duration  // time of a request apart from its tokens
	timeNoise           time.Duration  // variation of the time of equal requests
}

// checks returns all checks in order: first the needs of a run, then those that put load on the server. To add a check,
// write a function and add a line here.
func (d *doctor) checks() []check {
	return []check{
		{name: "server", run: d.describeServer},
		{name: "model", run: d.describeModel},
		{name: "reply", run: d.checkReply},
		{name: "context", limit: 3 * time.Minute, run: d.checkContext},
		{name: "speed", limit: 2 * time.Minute, needsWrittenReplies: true, run: d.measureSpeed},
		{name: "system role", limit: time.Minute, run: d.checkSystemMessage},
		{name: "thinking", limit: time.Minute, needsWrittenReplies: true, run: d.checkThinking},
		{name: "constrained output", limit: time.Minute, needsWrittenReplies: true, run: d.checkConstrainedOutput},
		{name: "logprobs", limit: time.Minute, needsWrittenReplies: true, run: d.checkLogprobs},
		// A server that answers one request at a time may read on after the check has given up, so it comes late.
		{name: "over-long prompt", limit: 90 * time.Second, run: d.checkLongPrompt},
		{name: "throughput", limit: 2 * time.Minute, loadsServer: true, needsWrittenReplies: true, run: d.checkThroughput},
	}
}

// Check runs all checks. Problems of the judge are findings in the report; the error is the cause if ctx ended.
func Check(ctx context.Context, r Examination, t Dependencies) (*Report, error) {
	d := &doctor{Examination: r, Dependencies: t}
	d.constrains = d.isDecisionModel()
	out := &Report{Server: t.Server, Model: t.Model}
	limited, cancel := contextWithTimeLimit(ctx, r.Limit)
	defer cancel()
	checks := d.checks()
	for i, c := range checks { // all of them, even if one fails
		if t.ShowProgress != nil {
			t.ShowProgress(fmt.Sprintf("%2d/%d %s", i+1, len(checks), c.name))
		}
		finding := d.runCheck(limited, c)
		finding.Check = c.name
		if finding.outOfTime {
			out.UnfinishedChecks = append(out.UnfinishedChecks, c.name)
		}
		out.Findings = append(out.Findings, finding)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	out.Speed, out.Ready = d.speed, out.Err() == nil
	return out, nil
}

// contextWithTimeLimit returns a context that ends with ctx, and also after a time unless that is 0.
func contextWithTimeLimit(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if after <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, after)
}

// maxUnanswered is the number of consecutive calls without an answer after which the other checks are left out.
const maxUnanswered = 3

// runCheck runs a check, or returns the finding of one left out.
func (d *doctor) runCheck(ctx context.Context, c check) Finding {
	switch {
	case d.silent:
		return skipped("the model does not answer")
	case d.gaveUp:
		return skipped("the server stopped answering")
	case d.unanswered >= maxUnanswered:
		d.gaveUp = true
		return problemFinding(Fail, "check the server's log", "the server stopped answering")
	case c.needsWrittenReplies && d.isDecisionModel():
		return skipped("a decision model writes no reply")
	case d.Quick && c.loadsServer:
		return skipped("left out by --quick")
	case ctx.Err() != nil:
		return d.outOfTimeFinding("not made")
	}
	limited, cancel := contextWithTimeLimit(ctx, c.limit)
	defer cancel()
	finding := c.run(limited)
	if ctx.Err() != nil && finding.Status == Unknown {
		return d.outOfTimeFinding("not finished")
	}
	return finding
}

// outOfTimeFinding returns the finding of a check for which there was no time.
func (d *doctor) outOfTimeFinding(state string) Finding {
	f := skipped(fmt.Sprintf("%s: the time limit of %s was reached", state, d.Limit))
	f.outOfTime = true
	return f
}

// request returns a request with the parameters of a run, for a reply of at most maxTokens.
func (d *doctor) request(maxTokens int, messages ...backends.Message) backends.Request {
	p := judging.DefaultParameters
	req := backends.Request{
		Identity: d.Identity(), Model: d.Model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed, MaxTokens: maxTokens,
		NumCtx: d.numCtx, ReportedContextTokens: d.Model.Context,
	}
	if d.isDecisionModel() {
		req.AllowedReplies, req.Labels = implausibleLabels, implausibleLabels
	}
	return req
}

// isDecisionModel reports whether the judge is a decision model, which chooses among options and writes no text.
func (d *doctor) isDecisionModel() bool { return d.Server.Can(backends.HasDecisionModels) }

func user(text string) backends.Message {
	return backends.Message{Role: backends.RoleUser, Content: text}
}

// ask asks once and counts consecutive calls without an answer.
func (d *doctor) ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := d.Client.Ask(ctx, req)
	d.mu.Lock()
	defer d.mu.Unlock()
	if backends.IsKind(err, backends.ErrorTransport, backends.ErrorTimeout) || errors.Is(err, context.DeadlineExceeded) {
		d.unanswered++
	} else {
		d.unanswered = 0
	}
	return resp, err
}

// isRejected reports whether the server understood a request and rejected it.
func isRejected(err error) bool {
	var e *backends.Error
	return errors.As(err, &e) && (e.Kind == backends.ErrorBadRequest ||
		e.Status == http.StatusInternalServerError || e.Status == http.StatusNotImplemented)
}

// errorText returns an error in words for a finding.
func errorText(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in the time allowed for this check"
	}
	return err.Error()
}

// noAnswer returns the finding of a check whose question got no usable answer.
func noAnswer(err error) Finding {
	do := "check the server's log, and try again"
	if errors.Is(err, context.DeadlineExceeded) {
		do = "if the server is only slow, go on, and watch the first judgments of a run"
	}
	return problemFinding(Unknown, do, "%s", errorText(err))
}
