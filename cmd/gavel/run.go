package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/cache"
	"gavel/datasets"
	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

// runOptions are the flags of `gavel run PROTOCOL`.
type runOptions struct {
	endpointOptions
	protocol    string
	model       string
	dataset     string
	prompt      string
	selection   datasets.Selection
	idsFile     string
	concurrency int // 0: auto
	parameters  judging.Parameters
	timeout     time.Duration
	retryFor    time.Duration
	cacheDir    string
	noCache     bool
	out         string
	dryRun      bool
	format      string
}

func runCommand(e *env) *cli.Command {
	var names []string
	for _, k := range judging.Kinds {
		names = append(names, k.Name)
	}
	run := &cli.Command{
		Name:  "run",
		Usage: "ask a judge: " + strings.Join(names, ", "),
		Description: `Makes a run: a folder with run.json, records.jsonl, items.jsonl and results.json. The
same command again asks only for what is missing.`,
	}
	for _, k := range judging.Kinds {
		run.Subcommands = append(run.Subcommands, &cli.Command{
			Name:      k.Name,
			Usage:     k.About,
			UsageText: fmt.Sprintf("gavel run %s --model MODEL --dataset NAME|FILE [flags]", k.Name),
			Description: fmt.Sprintf(`Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is %s. Progress goes to standard error, the table to standard output.

Examples:
  gavel run %[2]s --model qwen3:8b --dataset sample
  gavel run %[2]s --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run %[2]s --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o
  gavel run %[2]s --backend sim --model accuracy=0.8,first=0.2 --dataset sample

Exit status: 0 every judgment was answered; 3 some failed or are missing, and the same
command goes on; 130 interrupted, and the same command goes on.`, k.Goal, k.Name),
			Flags: runFlags(k),
			Action: func(c *cli.Context) error {
				o, err := runOptionsFrom(c, k)
				if err != nil {
					return err
				}
				return e.runJudge(c.Context, o)
			},
		})
	}
	return run
}

func runFlags(k judging.Kind) []cli.Flag {
	d := judging.DefaultParameters
	flags := []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "judge, by the `NAME` its server knows; with --backend sim: " + backends.SimHelp, Category: "what"},
		&cli.StringFlag{Name: "dataset", Usage: "`NAME` (" + strings.Join(datasets.Names(), ", ") + ") or file of that shape", Category: "what"},
		&cli.StringFlag{Name: "prompt", Value: k.Templates[0].Name, Usage: "`NAME` (" + strings.Join(k.TemplateNames(), ", ") + ") or a file with a system message of your own", Category: "what"},
		&cli.IntFlag{Name: "limit", Usage: "only the first `N` items", Category: "what"},
		&cli.IntFlag{Name: "sample", Usage: "`N` items drawn by --seed: the same ones for every judge, and a larger sample holds the smaller", Category: "what"},
		&cli.Int64Flag{Name: "seed", Value: 1, Usage: "`SEED` of --sample", Category: "what"},
		&cli.StringFlag{Name: "ids", Usage: "only the items whose ids stand in `FILE`, one a line", Category: "what"},
		&cli.IntFlag{Name: "max-tokens", Value: d.MaxTokens, Usage: "at most `N` tokens a reply, thinking included", Category: "how"},
		&cli.IntFlag{Name: "num-ctx", Usage: "context of `N` tokens to ask Ollama for; 0: sized from the longest prompt and --max-tokens", Category: "how"},
		&cli.IntFlag{Name: "attempts", Value: d.Attempts, Usage: "ask at most `N` times in a conversation until there is a verdict", Category: "how"},
		&cli.StringFlag{Name: "system-role", Value: d.SystemRole, Usage: "`ROLE` that carries the system text: system, or user for models whose template refuses it", Category: "how"},
		&cli.BoolFlag{Name: "accept-cut", Usage: "count a verdict that was given before the token limit cut the reply", Category: "how"},
		&cli.StringFlag{Name: "think", Value: "auto", Usage: "`HOW` a thinking model thinks: " + strings.Join(backends.Thinks, ", ") + "; auto sends nothing and leaves it to the model", Category: "how"},
		&cli.BoolFlag{Name: "constrain", Usage: "have the server hold the verdict to the labels on offer: the whole reply with a direct prompt, else a turn of its own after the reasoning", Category: "how"},
		&cli.BoolFlag{Name: "logprobs", Usage: "ask how probable each label was; implied by --constrain where the server tells. Without --constrain a label that is not among the likeliest tokens counts as 0", Category: "how"},
		&cli.IntFlag{Name: "repeat", Value: 1, Usage: "ask every prompt `K` times: how often the judge agrees with itself, and how large a difference is noise", Category: "how"},
		&cli.BoolFlag{Name: "strict-determinism", Usage: "one request at a time and no prompt cache, where the server can be told", Category: "how"},
		&cli.StringFlag{Name: "concurrency", Value: "auto", Usage: "judge `N` items at once; auto: as many as the server says it serves, else 4", Category: "how"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "time limit of one call: `D`, such as 90s or 10m", Category: "how"},
		&cli.DurationFlag{Name: "retry-for", Value: 2 * time.Minute, Usage: "how long a call that may still pass is tried: `D`", Category: "how"},
		&cli.StringFlag{Name: "cache", Usage: "`DIR` in which replies are remembered; default: see \"gavel cache path\"", Category: "where"},
		&cli.BoolFlag{Name: "no-cache", Usage: "remember nothing and look nothing up", Category: "where"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` of the run; default: runs/ and a name made of what it is", Category: "where"},
		&cli.BoolFlag{Name: "dry-run", Usage: "say what would be asked, show the first prompt, and ask nothing", Category: "where"},
	}
	return append(append(flags, endpointFlags()...), formatFlags()...)
}

func runOptionsFrom(c *cli.Context, k judging.Kind) (o runOptions, err error) {
	if err := noArguments(c); err != nil {
		return o, err
	}
	if o.endpointOptions, err = endpointsFrom(c); err != nil {
		return o, err
	}
	if o.format, err = format(c); err != nil {
		return o, err
	}
	o.protocol, o.model, o.dataset, o.prompt = k.Name, c.String("model"), c.String("dataset"), c.String("prompt")
	o.selection = datasets.Selection{Sample: c.Int("sample"), Seed: c.Int64("seed"), Limit: c.Int("limit")}
	o.idsFile, o.timeout, o.retryFor = c.String("ids"), c.Duration("timeout"), c.Duration("retry-for")
	o.cacheDir, o.noCache, o.out, o.dryRun = c.String("cache"), c.Bool("no-cache"), c.String("out"), c.Bool("dry-run")
	o.parameters = judging.DefaultParameters
	o.parameters.MaxTokens, o.parameters.NumCtx = c.Int("max-tokens"), c.Int("num-ctx")
	o.parameters.Attempts, o.parameters.SystemRole = c.Int("attempts"), c.String("system-role")
	o.parameters.AcceptCut = c.Bool("accept-cut")
	o.parameters.Constrain, o.parameters.Logprobs = c.Bool("constrain"), c.Bool("logprobs")
	o.parameters.StrictDeterminism = c.Bool("strict-determinism")
	if k := c.Int("repeat"); k > 1 {
		o.parameters.Repeats = k
	}
	if err := oneOf("--think", c.String("think"), backends.Thinks); err != nil {
		return o, err
	}
	if t := backends.Think(c.String("think")); t != "auto" {
		o.parameters.Think = t
	}
	if o.dataset == "" {
		return o, usage("--dataset is missing: a file, or one of %s", strings.Join(datasets.Names(), ", "))
	}
	if err := oneOf("--system-role", o.parameters.SystemRole, []string{backends.System, backends.User}); err != nil {
		return o, err
	}
	for _, n := range []struct {
		flag  string
		least int
	}{{"limit", 0}, {"sample", 0}, {"max-tokens", 1}, {"num-ctx", 0}, {"attempts", 1}, {"repeat", 1}} {
		if c.Int(n.flag) < n.least || c.IsSet(n.flag) && c.Int(n.flag) == 0 {
			return o, usage("--%s %d: it must be at least 1", n.flag, c.Int(n.flag))
		}
	}
	if o.timeout <= 0 {
		return o, usage("--timeout %s: it must be more than 0", o.timeout)
	}
	if o.retryFor <= 0 {
		return o, usage("--retry-for %s: it must be more than 0; with 1ms nothing is tried again", o.retryFor)
	}
	if s := c.String("concurrency"); s != "auto" {
		o.concurrency, err = strconv.Atoi(s)
		if err != nil || o.concurrency < 1 {
			return o, usage("--concurrency %q: it is a number from 1, or auto", s)
		}
	}
	if k := c.Int("repeat"); k > judging.MaxRepeats {
		return o, usage("--repeat %d: it must be at most %d", k, judging.MaxRepeats)
	}
	if o.parameters.StrictDeterminism {
		if o.concurrency > 1 {
			return o, usage("--strict-determinism asks one request at a time: leave out --concurrency %d", o.concurrency)
		}
		if len(o.baseURLs) > 1 {
			return o, usage("--strict-determinism asks one server: leave out all --base-url but one")
		}
		o.concurrency = 1
	}
	if o.backend == "sim" {
		for _, f := range []string{"think", "constrain", "logprobs", "strict-determinism"} {
			if c.IsSet(f) {
				return o, usage("--%s has no meaning with --backend sim", f)
			}
		}
	}
	if o.dryRun && (o.format == "csv" || o.format == "markdown") {
		return o, usage("--dry-run prints text or --json, not --%s", o.format)
	}
	if o.noCache && o.cacheDir != "" {
		return o, usage("--cache and --no-cache: choose one")
	}
	return o, nil
}

// prepared is a run that is ready to be made, planned or gone on with.
type prepared struct {
	opts    runOptions
	job     *judging.Job
	set     *datasets.Set
	judges  []backends.Member // the servers to ask, mostly one
	out     string
	note    func(text string) // says something while the run is being made
	records *scoring.Loader   // all that stand or are made
}

// runJudge makes a run from flags and prints what it comes to.
func (e *env) runJudge(ctx context.Context, o runOptions) error {
	p, err := e.prepare(ctx, o)
	if err != nil {
		return err
	}
	defer p.set.Close()
	if o.dryRun {
		return e.plan(ctx, p)
	}
	rep, err := e.make(ctx, p)
	if rep != nil {
		if perr := e.print(o.format, report.Scores{Runs: []scoring.Report{*rep}}); perr != nil {
			return perr
		}
	}
	return err
}

// prepare opens the dataset, finds the judge and works out what the run is.
func (e *env) prepare(ctx context.Context, o runOptions) (*prepared, error) {
	kind, err := judging.KindNamed(o.protocol)
	if err != nil {
		return nil, err
	}
	template, err := findTemplate(kind, o.prompt)
	if err != nil {
		return nil, err
	}
	set, err := e.library().Open(o.dataset)
	if err != nil {
		return nil, err
	}
	p := &prepared{opts: o, set: set}
	if err := e.fill(ctx, p, kind, template); err != nil {
		set.Close()
		return nil, err
	}
	return p, nil
}

func findTemplate(kind judging.Kind, name string) (judging.Template, error) {
	t, err := kind.Template(name)
	if err == nil {
		return t, nil
	}
	if !strings.ContainsAny(name, `/\.`) {
		return t, usage("%v", err)
	}
	return kind.TemplateFile(name)
}

func (e *env) fill(ctx context.Context, p *prepared, kind judging.Kind, template judging.Template) error {
	o := p.opts
	for _, bad := range p.set.Bad {
		e.say("skipped: %v", bad)
	}
	if p.set.Skipped > 0 {
		e.say("%d lines of the dataset were skipped, %d are used", p.set.Skipped, p.set.Len())
	}
	sel := o.selection
	if o.idsFile != "" {
		ids, err := datasets.ReadIDs(o.idsFile)
		if err != nil {
			return err
		}
		sel.IDs = ids
	}
	rows, err := sel.Pick(p.set)
	if err != nil {
		return fmt.Errorf("--ids %s: %w", o.idsFile, err)
	}
	if p.judges, err = e.findJudges(ctx, o); err != nil {
		return err
	}
	server, model := p.judges[0].Server, jointModel(p.judges)
	protocol := kind.New(template, nil)
	params := o.parameters
	switch {
	case server.Kind == "ollama" && params.NumCtx == 0:
		turns := params.Attempts
		if params.Constrain {
			turns = max(turns, 2) // reasoning, then the label
		}
		params.NumCtx = judging.SizeContext(judging.LongestPrompt(protocol, p.set), params.MaxTokens, turns, model.Trained)
	case server.Kind == "openai" && params.NumCtx > 0:
		return usage("--num-ctx: only Ollama is told its context by the client; start %s with the context you want", server.Name)
	}
	if err := abilities(server, model, &params); err != nil {
		return err
	}
	ids, n := judging.HashIDs(func(yield func(string) bool) {
		for _, r := range rows {
			if !yield(p.set.ID(r)) {
				return
			}
		}
	})
	m := judging.NewManifest(version(), judging.Spec{
		Protocol: kind.Name, Goal: kind.Goal, Prompt: template,
		Dataset:    judging.DatasetSpec{SHA256: p.set.SHA256, Items: n, IDs: ids},
		Model:      judging.ModelSpec{Name: model.Name, Identity: model.Identity(server.Kind)},
		Parameters: params,
	})
	m.Simulated, m.Judgments = server.Kind == "sim", kind.Showings*n*params.Times()
	m.Model, m.Server, m.Servers = model, server, allServers(p.judges)
	m.Dataset = datasetInfo(p.set, o)
	m.Concurrency = jointConcurrency(o.concurrency, p.judges)
	if !m.Simulated {
		m.Timeout, m.RetryFor = o.timeout.String(), o.retryFor.String()
	}
	p.out = o.out
	if p.out == "" {
		p.out = filepath.Join("runs", runName(m))
	}
	p.job = &judging.Job{
		Manifest: m, Protocol: protocol, Set: p.set, Rows: rows, Context: max(model.Context, params.NumCtx),
		Concurrency: m.Concurrency, Now: e.now,
	}
	return e.measure(ctx, p)
}

// abilities settles what the server can be asked for, before anything is paid.
func abilities(server backends.Server, model backends.Model, params *judging.Parameters) error {
	if server.Kind == "ollama" {
		if backends.Before(server.Version, backends.OllamaTruncate) {
			return fmt.Errorf("%s cuts long prompts in silence and cannot be told not to: upgrade it to %s or later", describe(server), backends.OllamaTruncate)
		}
		if backends.Before(server.Version, backends.OllamaLogprobs) {
			model.Logprobs = backends.No
		}
	}
	if t := params.Think; t != backends.ThinkAuto && t != backends.ThinkOff && model.Thinks == backends.No {
		return usage("--think %s: %s does not think, says %s; leave the flag out", t, model.Name, server.Name)
	}
	if params.Constrain && model.Logprobs == backends.Yes {
		params.Logprobs = true
	}
	if params.Logprobs && model.Logprobs == backends.No {
		return usage("--logprobs: %s tells no token probabilities; leave the flag out", describe(server))
	}
	return nil
}

// measure counts the longest prompt and says what it leaves for the reply.
func (e *env) measure(ctx context.Context, p *prepared) error {
	j, m := p.job, p.job.Manifest
	params := m.Spec.Parameters
	context := cmp.Or(params.NumCtx, m.Model.Context)
	if m.Server.Name == backends.VLLM && context > 0 && params.MaxTokens >= context {
		return usage("--max-tokens %d: %s keeps room for the whole reply, and its context of %d has none left for a prompt; lower it", params.MaxTokens, m.Server.Name, context)
	}
	j.Limit = m.Server.PromptLimit(context, params.MaxTokens)
	if counter, ok := p.judges[0].Backend.(backends.Counter); ok {
		j.Count = counter.CountTokens
	}
	if m.Simulated || len(j.Rows) == 0 {
		return nil
	}
	longest, err := j.LongestPrompt(ctx, context)
	if err != nil {
		return err
	}
	m.Longest = longest
	room := context - longest.Tokens
	switch {
	case context == 0 || longest.Tokens > j.Limit && longest.By == judging.CountedByBytes:
	case longest.Tokens > j.Limit:
		e.say("the longest prompt has %d tokens, the server takes at most %d: such items end as prompt-too-long (--dry-run counts them)", longest.Tokens, j.Limit)
	case room < params.MaxTokens:
		e.say("the longest prompt has %d tokens (%s) and leaves %d of %d for its reply, less than --max-tokens %d: serve more context, or expect cut replies", longest.Tokens, longest.By, room, context, params.MaxTokens)
	}
	return nil
}

func datasetInfo(set *datasets.Set, o runOptions) judging.DatasetInfo {
	info := judging.DatasetInfo{
		Name: set.Name, Format: set.Format, Rows: set.Len(), Skipped: set.Skipped,
		Sample: o.selection.Sample, Limit: o.selection.Limit,
	}
	if set.Path != "" && set.Name == set.Path {
		info.Name = datasets.Base(set.Path)
	}
	if info.Sample > 0 {
		info.Seed = o.selection.Seed
	}
	if o.idsFile != "" {
		info.IDs = filepath.Base(o.idsFile)
	}
	for _, b := range set.Bad {
		info.Bad = append(info.Bad, b.Error())
	}
	return info
}

// fallbackConcurrency is for servers that do not say how many they serve at once.
const fallbackConcurrency = 4

func concurrency(asked int, s backends.Server, m backends.Model) int {
	switch {
	case asked > 0:
		return asked
	case m.Slots > 0:
		return m.Slots
	case s.Name == backends.VLLM:
		return 32 // it batches what comes
	}
	return fallbackConcurrency
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// runName is a folder name that says what the run is and is the same for the
// same run.
func runName(m *judging.Manifest) string {
	part := func(s string) string {
		return strings.Trim(unsafeInNames.ReplaceAllString(filepath.Base(s), "-"), "-.")
	}
	return strings.Join([]string{part(m.Dataset.Name), m.Spec.Protocol, part(m.Spec.Prompt.Name), part(m.Spec.Model.Name), m.ID[:8]}, "_")
}

// make asks for what is missing, writes the run and scores it. The report is
// there even where the error is not nil, if there was anything to score.
func (e *env) make(ctx context.Context, p *prepared) (*scoring.Report, error) {
	m := p.job.Manifest
	defer frugal(p.set.Len())()
	p.job.Standing = judging.Standing{}
	var err error
	if p.records, err = scoring.NewLoader(m, scoring.DefaultOptions.Reading, p.set.IDs()); err != nil {
		return nil, err
	}
	dir, old, err := judging.OpenDir(p.out, m, p.again, func(r *judging.Record) error {
		p.job.Standing.Add(r)
		return p.records.Add(r)
	})
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	m.Started = e.now().UTC().Truncate(time.Second)
	if old != nil {
		m.Started = old.Started
	}
	standing := p.job.Standing.Count()
	missing := m.Judgments - standing
	var runErr error
	if missing > 0 {
		client, closeClient, err := e.client(ctx, p)
		if err != nil {
			dir.Abandon()
			return nil, err
		}
		if err := dir.Start(m); err != nil {
			closeClient()
			return nil, err
		}
		p.job.Client = client
		asking, items := p.writeItemsBeside(ctx, dir)
		runErr = e.ask(asking, p, dir, missing, standing)
		p.job.Client = nil
		closed := make(chan error, 1)
		go func() { closed <- closeClient() }() // beside scoring
		defer func() {
			if err := <-closed; err != nil {
				e.say("warning: %v", err)
			}
		}()
		if err := <-items; err != nil && ctx.Err() == nil {
			return nil, err
		}
	} else {
		if err := p.writeItems(ctx, dir); err != nil {
			return nil, err
		}
		e.say("all %d judgments stand in %s: nothing to ask", m.Judgments, p.out)
		m.Ended = old.Ended
	}
	return e.finish(p, dir, missing, runErr)
}

// frugal gives garbage the same room beside the index of a large dataset as
// beside that of a small one, so that memory hardly grows with it: enough that
// collecting costs little, which in the default proportion to a small heap takes
// a fifth of the time of quick calls. The function returned undoes it.
func frugal(items int) func() {
	const ( // bytes
		room  = 12 << 20
		small = 6 << 20 // that a small run takes
		item  = 64
	)
	if items*item > small/8 {
		debug.FreeOSMemory() // what reading the file took
	}
	was := debug.SetGCPercent(100 * room / (small + items*item))
	return func() { debug.SetGCPercent(was) }
}

// again picks the records of an earlier try that are asked once more: failures,
// and prompts that did not fit a server that now serves more context.
func (p *prepared) again(r *judging.Record) bool {
	if r.Outcome == judging.TooLong && p.grown() {
		return true
	}
	return r.Outcome == judging.Failed
}

func (p *prepared) grown() bool {
	old, err := judging.ReadManifest(p.out)
	return err == nil && old.Model.Context > 0 && p.job.Manifest.Model.Context > old.Model.Context
}

// writeItemsBeside writes items.jsonl while calls are made, which mostly wait:
// a run that is killed before it is there has it written when it goes on. If it
// cannot be written, the context returned ends, and with it the calls.
func (p *prepared) writeItemsBeside(ctx context.Context, dir *judging.Dir) (context.Context, <-chan error) {
	asking, stop := context.WithCancelCause(ctx)
	done := make(chan error, 1)
	go func() {
		err := p.writeItems(ctx, dir)
		if err != nil {
			stop(err)
		}
		done <- err
	}()
	return asking, done
}

func (p *prepared) writeItems(ctx context.Context, dir *judging.Dir) error {
	return dir.WriteItems(func(line func([]byte) error) error {
		var raw []byte
		for _, row := range p.job.Rows {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			if raw, err = p.set.RawIn(raw, row); err != nil {
				return err
			}
			if err := line(raw); err != nil {
				return err
			}
		}
		return nil
	})
}

// client wraps the backend with retries, a time limit and the cache; several
// are a pool inside the retries. The returned function closes what needs it.
func (e *env) client(ctx context.Context, p *prepared) (backends.Client, func() error, error) {
	if p.opts.backend == "sim" {
		return p.judges[0].Client, func() error { return nil }, nil
	}
	client, closePool := p.pooled(ctx)
	client = backends.WithRetry(client, backends.Retry{For: p.opts.retryFor})
	if p.opts.noCache {
		return client, func() error { closePool(); return nil }, nil
	}
	store, err := e.openCache(p.opts.cacheDir)
	if err != nil {
		closePool()
		return nil, nil, err
	}
	return cache.Wrap(client, store), func() error {
		closePool()
		return store.Close()
	}, nil
}

// ask runs the job, with progress and a gentle Ctrl-C.
func (e *env) ask(ctx context.Context, p *prepared, dir *judging.Dir, missing, standing int) error {
	stop := make(chan struct{})
	progress := e.newProgress(missing, standing)
	done := e.interrupts.handle(func() {
		progress.note("stopping: waiting for what is in flight; Ctrl-C again to give that up")
		close(stop)
	})
	defer done()
	p.note = progress.note
	p.job.Write = func(r *judging.Record) error {
		if err := dir.Write(r); err != nil {
			return err
		}
		return p.records.Add(r)
	}
	p.job.Progress, p.job.Stop = progress.add, stop
	err := p.job.Run(ctx)
	progress.end()
	return err
}

// finish writes how the run ended and scores it.
func (e *env) finish(p *prepared, dir *judging.Dir, asked int, runErr error) (*scoring.Report, error) {
	m := p.job.Manifest
	run := p.records.Run()
	games := 0
	for _, n := range run.Outcomes {
		games += n
	}
	left := m.Judgments - run.Answered
	m.Status = judging.Complete
	switch {
	case left == 0: // also where it was told to stop when nothing was left to do
	case errors.Is(runErr, judging.ErrStopped) || errors.Is(runErr, errInterrupted):
		m.Status = judging.Interrupted
	default:
		m.Status = judging.Incomplete
	}
	if asked > 0 {
		m.Ended = e.now().UTC().Truncate(time.Second)
	}
	rep := run.Score(scoring.DefaultOptions.Bootstrap)
	err := judging.WriteJSON(filepath.Join(p.out, judging.ResultsFile), rep)
	if err == nil {
		run.Manifest.Status = m.Status
		err = dir.WriteManifest(m)
	}
	rep.Run = p.out
	if err != nil {
		return &rep, errors.Join(runErr, err)
	}
	if asked > 0 || m.Status != judging.Complete {
		e.say("run written to %s", p.out)
	}
	if games == 0 {
		return nil, ending(m.Status, left, m.Judgments, runErr)
	}
	return &rep, ending(m.Status, left, m.Judgments, runErr)
}

// ending is the error that a run ends with: what is left, and how to go on.
func ending(status string, left, expected int, runErr error) error {
	const goOn = "run the same command again to go on"
	var gaveUp *judging.GaveUpError
	switch {
	case status == judging.Complete && errors.Is(runErr, judging.ErrStopped):
		return nil
	case status == judging.Interrupted:
		return &exitCodeError{code: exitInterrupted, err: fmt.Errorf("interrupted: %d of %d judgments are left; %s", left, expected, goOn)}
	case errors.As(runErr, &gaveUp):
		return &exitCodeError{code: exitIncomplete, err: fmt.Errorf("the server stopped answering: %w; %d of %d judgments are left; %s", runErr, left, expected, goOn)}
	case runErr != nil:
		return fmt.Errorf("%w; %d of %d judgments are left; %s", runErr, left, expected, goOn)
	case left > 0:
		return &exitCodeError{code: exitIncomplete, err: fmt.Errorf("%d of %d judgments failed or are missing; %s", left, expected, goOn)}
	}
	return nil
}

// plan prints what a run would do.
func (e *env) plan(ctx context.Context, p *prepared) error {
	p.job.Standing = judging.Standing{}
	if old, err := judging.ReadManifest(p.out); err == nil {
		if old.ID != p.job.Manifest.ID {
			return judging.OtherRun(p.out, old, p.job.Manifest)
		}
		err := judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
			if !p.again(r) {
				p.job.Standing.Add(r)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var cached func(backends.Request) bool
	note := ""
	switch {
	case p.opts.noCache || p.opts.backend == "sim":
		note = "the cache is not used"
	default:
		store, err := e.openCache(p.opts.cacheDir)
		if err != nil {
			note = "unknown: " + err.Error()
		} else {
			defer store.Close()
			cached = store.Peek
		}
	}
	plan, err := p.job.MakePlan(ctx, cached)
	if err != nil {
		return err
	}
	plan.CacheNote = note
	return e.printPlan(p, plan)
}

func (e *env) printPlan(p *prepared, plan judging.Plan) error {
	if p.opts.format == "json" {
		return report.WriteJSON(e.stdout, struct {
			Manifest *judging.Manifest `json:"manifest"`
			Out      string            `json:"out"`
			Plan     judging.Plan      `json:"plan"`
		}{p.job.Manifest, p.out, plan})
	}
	m := p.job.Manifest
	calls := plan.Calls()
	cached := strconv.Itoa(plan.Cached)
	if plan.CacheNote != "" {
		cached += " (" + plan.CacheNote + ")"
	}
	rows := [][]string{
		{"protocol", fmt.Sprintf("%s (which is %s?)", m.Spec.Protocol, m.Spec.Goal)},
		{"prompt", m.Spec.Prompt.Name},
		{"judge", strings.TrimSpace(strings.Join([]string{m.Model.Name, m.Model.Parameters, m.Model.Quantisation}, " ")) + " on " + describeAll(p.judges)},
		{"dataset", fmt.Sprintf("%s: %d of %d items", m.Dataset.Name, plan.Items, m.Dataset.Rows)},
		{"judgments", strconv.Itoa(plan.Judgments)},
		{"  in the run already", strconv.Itoa(plan.Standing)},
		{"  in the cache", cached},
		{"  calls to make", callRange(calls, plan.CallsAtMost)},
		{"prompt tokens", fmt.Sprintf("about %d (4 bytes a token)", plan.Tokens)},
		{"reply tokens", fmt.Sprintf("at most %d, %s", plan.MaxTokens, furtherTurns(m.Spec.Parameters, plan))},
		{"concurrency", strconv.Itoa(m.Concurrency)},
		{"run", p.out},
	}
	if plan.TooLong > 0 {
		rows = slices.Insert(rows, 7, []string{"  too long to be asked", fmt.Sprintf("%d (counted by the server)", plan.TooLong)})
	}
	if m.Longest.Tokens > 0 {
		rows = slices.Insert(rows, len(rows)-3, []string{"longest prompt", fmt.Sprintf("%d tokens (%s)", m.Longest.Tokens, m.Longest.By)})
	}
	if plan.MayNotFit > 0 {
		rows = slices.Insert(rows, len(rows)-3, []string{"  of them may not fit", fmt.Sprintf("%d (more bytes than the context has tokens; the server will tell)", plan.MayNotFit)})
	}
	rows = slices.Insert(rows, 3, serverRows(p.judges)...)
	if n := m.Spec.Parameters.NumCtx; n > 0 {
		rows = slices.Insert(rows, len(rows)-2, []string{"num_ctx", fmt.Sprintf("%d tokens, for the longest prompt and %d replies", n, m.Spec.Parameters.Attempts)})
	}
	if err := report.Text(e.stdout, report.Table{Title: "plan: nothing is asked", Columns: []report.Column{{Name: ""}, {Name: ""}}, Rows: rows}); err != nil {
		return err
	}
	for _, msg := range plan.First {
		fmt.Fprintf(e.stdout, "--- first prompt, %s ---\n%s\n", msg.Role, msg.Content)
	}
	return nil
}

func callRange(least, most int) string {
	if most <= least {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d, at most %d", least, most)
}

// furtherTurns says what a judgment may ask for beyond its first turn.
func furtherTurns(p judging.Parameters, plan judging.Plan) string {
	var more []string
	switch {
	case p.Constrain && plan.LabelTurns:
		more = append(more, "and a short turn each for the label")
	case !p.Constrain:
		more = append(more, "once more as many where a second attempt is needed")
	}
	if p.Constrain && p.Logprobs {
		more = append(more, "and a short call for each label that the server does not list by itself")
	}
	return cmp.Or(strings.Join(more, ", "), "in one turn")
}
