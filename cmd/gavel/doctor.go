package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/eval"
	"gavel/judging"
)

// doctorOptions are the flags of `gavel doctor`.
type doctorOptions struct {
	eval.Endpoint
	model      string
	systemRole string
	quick      bool
	timeout    time.Duration
	json       bool
}

func doctorCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "try a server and a model before a run: what works, what does not, how long a run would take",
		UsageText: "gavel doctor --model MODEL [flags]",
		Description: `Finds the server as "gavel run" does and tries on it what a run needs: whether a prompt
that is too long is refused or cut, whether system text, constrained output, token
probabilities and thinking control work, how fast it reads and writes, how many requests
at once pay, how long JudgeBench would take, and whether the same prompt gets the same
reply, alone and under load. Each finding comes with what to do about it.

It asks some hundred short questions, in two minutes or less on most servers, and neither
uses nor fills the cache. Ollama loads the model twice for it: once with a small context,
to have a prompt that is too long at little cost, and once with that of a JudgeBench run.

Findings: ok; warn: a run works, mind what is said; fail: its numbers would be wrong or
missing; unknown: it could not be told; skipped.

Examples:
  gavel doctor --model qwen3:8b
  gavel doctor --base-url http://127.0.0.1:8080 --quick
  gavel doctor --model gemma2:9b --system-role user --json

Exit status: 0 ready, warnings or not; 1 not ready: something failed, or there is no such
server or model; 130 interrupted.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "model", Usage: "judge, by the `NAME` its server knows; may be left out where there is only one"},
			&cli.StringFlag{Name: "system-role", Value: backends.System, Usage: "`ROLE` that carries the system text: system, or user for models whose template refuses it"},
			&cli.BoolFlag{Name: "quick", Usage: "leave out what puts load on the server: requests at once, the estimate's rows for them, replies asked again"},
			&cli.DurationFlag{Name: "timeout", Value: 2 * time.Minute, Usage: "time limit of one call: `D`, such as 90s or 10m"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		}, endpointFlags()...),
		Action: func(c *cli.Context) error {
			o, err := doctorOptionsFrom(c)
			if err != nil {
				return err
			}
			return e.doctor(c.Context, o)
		},
	}
}

func doctorOptionsFrom(c *cli.Context) (o doctorOptions, err error) {
	if err := noArguments(c); err != nil {
		return o, err
	}
	if o.Endpoint, err = endpointFrom(c); err != nil {
		return o, err
	}
	o.model, o.systemRole, o.quick = c.String("model"), c.String("system-role"), c.Bool("quick")
	o.timeout, o.json = c.Duration("timeout"), c.Bool("json")
	if err := oneOf("--system-role", o.systemRole, []string{backends.System, backends.User}); err != nil {
		return o, err
	}
	if o.timeout <= 0 {
		return o, usage("--timeout %s: it must be more than 0", o.timeout)
	}
	if o.Backend == "sim" {
		return o, usage("--backend sim is no server: there is nothing to look over")
	}
	return o, nil
}

// Statuses of a finding.
const (
	statusOK      = "ok"
	statusWarn    = "warn"    // a run works, but mind what is said
	statusFail    = "fail"    // a run's numbers would be wrong or missing
	statusUnknown = "unknown" // it could not be told
	statusSkipped = "skipped" // it was not tried
)

// finding is what a check found.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Value  any    `json:"value,omitempty"`
	Said   string `json:"said"`         // what was seen, in one line
	Do     string `json:"do,omitempty"` // what to do about it
}

// with adds a value for programs to read.
func (f finding) with(value any) finding { f.Value = value; return f }

func good(format string, args ...any) finding {
	return finding{Status: statusOK, Said: fmt.Sprintf(format, args...)}
}

func bad(status, do, format string, args ...any) finding {
	return finding{Status: status, Said: fmt.Sprintf(format, args...), Do: do}
}

func skipped(format string, args ...any) finding { return bad(statusSkipped, "", format, args...) }

// check is one thing to look at. What it needs of earlier ones is in doctor.
type check struct {
	name  string
	limit time.Duration // for all of it
	load  bool          // puts load on the server: --quick leaves it out
	run   func(*doctor, context.Context) []finding
}

// checks lists them in order. A new one is a function and a line here.
var checks = []check{
	{"server", minute, false, (*doctor).describeServer},
	{"model", minute, false, (*doctor).describeModel},
	{"reply", 0, false, (*doctor).reply},
	{"over-long prompt", 90 * time.Second, false, (*doctor).longPrompt},
	{"context", 3 * minute, false, (*doctor).context},
	{"system role", minute, false, (*doctor).systemText},
	{"speed", minute, false, (*doctor).measureSpeed},
	{"thinking", minute, false, (*doctor).thinking},
	{"constrained output", minute, false, (*doctor).constrained},
	{"logprobs", minute, false, (*doctor).logprobs},
	{"parallel requests", minute, true, (*doctor).parallel},
	{"shared context", 30 * time.Second, true, (*doctor).sharedContext},
	{"throughput", minute, true, (*doctor).throughput},
	{"same reply again", minute, true, (*doctor).sameAgain},
}

const minute = time.Minute

// doctor looks a server over. What a check learns stands here for later ones.
type doctor struct {
	env     *env
	opts    doctorOptions
	backend backends.Backend
	client  backends.Client // the backend with the time limit of one call
	server  backends.Server
	model   backends.Model

	mu       sync.Mutex
	answered int  // calls of the check in hand that the server answered, refusals included
	lost     int  // calls of it that got no answer at all
	silent   int  // checks in a row of which no call was answered
	gone     bool // too many of them: the rest is not tried

	dumb         bool           // the model does not answer: nothing can be tried
	numCtx       int            // context to ask Ollama for; 0 where the server decides
	systemRole   string         // role that carries the system text
	bytesPerTok  float64        // of judge's prompts, by the model's own tokenizer
	roughly      float64        // prompt tokens a second, before they are measured
	think        backends.Think // keeps the model from thinking, where that can be
	thinksAnyway bool           // it thinks unless told not to
	thinksAlways bool           // it thinks whatever it is told
	constrains   bool           // it can be held to labels
	wordy        string         // a question that takes a long reply
	shortReplies bool           // but the model's were short
	speed        *speed

	findings []finding
}

// diagnosis is what the doctor prints.
type diagnosis struct {
	Server   backends.Server `json:"server"`
	Model    backends.Model  `json:"model"`
	Findings []finding       `json:"findings"`
	Speed    *speed          `json:"speed,omitempty"`
	Ready    bool            `json:"ready"`
}

// doctor looks a server over and prints what it found.
func (e *env) doctor(ctx context.Context, o doctorOptions) error {
	b, server, err := e.maker().Connect(ctx, o.Endpoint)
	if err != nil {
		return err
	}
	said := false
	waiting := func(err error, _ time.Duration) {
		if !said {
			e.say("waiting for the server, up to %s: %v", o.timeout, err)
			said = true
		}
	}
	model, err := backends.Try(ctx, backends.Retry{For: o.timeout, Waiting: waiting}, func() (backends.Model, error) {
		return eval.PickModel(ctx, b, o.model)
	})
	if err != nil {
		return err
	}
	d := &doctor{
		env: e, opts: o, backend: b, client: backends.WithTimeout(b, o.timeout), server: server, model: model, systemRole: o.systemRole,
	}
	if err := d.examine(ctx); err != nil {
		return err
	}
	return d.conclude()
}

// examine makes every check; one that finds nothing good does not stop the
// others.
func (d *doctor) examine(ctx context.Context) error {
	for i, c := range checks {
		d.env.say("%2d/%d %s", i+1, len(checks), c.name)
		for _, f := range d.try(ctx, c) {
			if f.Check == "" {
				f.Check = c.name
			}
			d.findings = append(d.findings, f)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// giveUp is after how many checks without any answer the rest is not tried.
const giveUp = 3

func (d *doctor) try(ctx context.Context, c check) []finding {
	switch {
	case d.dumb:
		return []finding{skipped("the model does not answer")}
	case d.gone:
		return []finding{skipped("the server stopped answering")}
	case d.silent >= giveUp:
		d.gone = true
		return []finding{bad(statusFail, "look at the server's log", "the server stopped answering")}
	case d.opts.quick && c.load:
		return []finding{skipped("left out by --quick")}
	}
	if c.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	d.answered, d.lost = 0, 0
	found := c.run(d, ctx)
	switch {
	case d.answered > 0:
		d.silent = 0
	case d.lost > 0:
		d.silent++
	}
	return found
}

// conclude prints the findings; the error says what failed.
func (d *doctor) conclude() error {
	var failed []string
	for _, f := range d.findings {
		if f.Status == statusFail && !slices.Contains(failed, f.Check) {
			failed = append(failed, f.Check)
		}
	}
	out := diagnosis{d.server, d.model, d.findings, d.speed, len(failed) == 0}
	if err := d.env.printDiagnosis(out, d.opts.json); err != nil {
		return err
	}
	if !out.Ready {
		return fmt.Errorf("not ready: %s", strings.Join(failed, ", "))
	}
	return nil
}

// request is a request as a run makes it.
func (d *doctor) request(maxTokens int, messages ...backends.Message) backends.Request {
	p := judging.DefaultParameters
	return backends.Request{
		Identity: d.model.Identity(d.server.Kind), Model: d.model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed, MaxTokens: maxTokens,
		NumCtx: d.numCtx, Context: d.model.Context, Timed: true,
	}
}

func user(text string) backends.Message {
	return backends.Message{Role: backends.User, Content: text}
}

// ask asks once, and counts.
func (d *doctor) ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := d.client.Ask(ctx, req)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil || !backends.IsKind(err, backends.Transport, backends.Timeout) && !errors.Is(err, context.DeadlineExceeded) {
		d.answered++
	} else {
		d.lost++
	}
	return resp, err
}

// refused tells whether a server understood a request and did not want it.
func refused(err error) bool {
	var e *backends.Error
	return errors.As(err, &e) && (e.Kind == backends.BadRequest || e.Status == http.StatusInternalServerError || e.Status == http.StatusNotImplemented)
}

// why is what an error comes to, for a finding.
func why(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in the time set aside for this check"
	}
	return err.Error()
}

// untold is the finding of a check whose question got no usable answer.
func untold(err error) []finding {
	return []finding{bad(statusUnknown, "look at the server's log, and ask again", "%s", why(err))}
}
