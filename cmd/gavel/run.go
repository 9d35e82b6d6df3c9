package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
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
	if o.endpointOptions, err = endpointFrom(c); err != nil {
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
	if o.dataset == "" {
		return o, usage("--dataset is missing: a file, or one of %s", strings.Join(datasets.Names(), ", "))
	}
	if err := oneOf("--system-role", o.parameters.SystemRole, []string{backends.System, backends.User}); err != nil {
		return o, err
	}
	for _, n := range []struct {
		flag  string
		least int
	}{{"limit", 0}, {"sample", 0}, {"max-tokens", 1}, {"num-ctx", 0}, {"attempts", 1}} {
		if c.Int(n.flag) < n.least || c.IsSet(n.flag) && c.Int(n.flag) == 0 {
			return o, usage("--%s %d: it must be at least 1", n.flag, c.Int(n.flag))
		}
	}
	if o.timeout <= 0 {
		return o, usage("--timeout %s: it must be more than 0", o.timeout)
	}
	if s := c.String("concurrency"); s != "auto" {
		o.concurrency, err = strconv.Atoi(s)
		if err != nil || o.concurrency < 1 {
			return o, usage("--concurrency %q: it is a number from 1, or auto", s)
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
	backend backends.Backend
	out     string
}

// runJudge makes a run from flags and prints what it comes to.
func (e *env) runJudge(ctx context.Context, o runOptions) error {
	p, err := e.prepare(ctx, o)
	if err != nil {
		return err
	}
	defer p.set.Close()
	if o.dryRun {
		return e.plan(p)
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
	return judging.TemplateFile(name)
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
	var server backends.Server
	if o.backend == "sim" {
		p.backend, server, err = e.simulated(o.model)
	} else {
		p.backend, server, err = e.connect(ctx, o.endpointOptions)
	}
	if err != nil {
		return err
	}
	said := false
	waiting := func(err error, _ time.Duration) {
		if !said {
			e.say("waiting for the server, up to %s: %v", o.retryFor, err)
			said = true
		}
	}
	model, err := backends.Try(ctx, backends.Retry{For: o.retryFor, Waiting: waiting}, func() (backends.Model, error) {
		return pickModel(ctx, p.backend, o.model)
	})
	if err != nil {
		return err
	}
	protocol := kind.New(template)
	params := o.parameters
	switch {
	case server.Kind == "ollama" && params.NumCtx == 0:
		params.NumCtx = judging.SizeContext(judging.LongestPrompt(protocol, p.set), params.MaxTokens, params.Attempts, model.Trained)
	case server.Kind == "openai" && params.NumCtx > 0:
		return usage("--num-ctx: only Ollama is told its context by the client; start %s with the context you want", server.Name)
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
	m.Simulated, m.Judgments = server.Kind == "sim", kind.Showings*n
	m.Model, m.Server = model, server
	m.Dataset = datasetInfo(p.set, o)
	m.Concurrency = concurrency(o.concurrency, server, model)
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
	p.job.Standing = judging.Standing{}
	dir, old, err := judging.OpenDir(p.out, m, p.again, func(r *judging.Record) error {
		p.job.Standing.Add(r)
		return nil
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
		client, closeCache, err := e.client(p)
		if err != nil {
			dir.Abandon()
			return nil, err
		}
		if err := begin(dir, p); err != nil {
			closeCache()
			return nil, err
		}
		p.job.Client = client
		runErr = e.ask(ctx, p, dir, missing, standing)
		closeCache() // before scoring, which needs the memory
		p.job.Client = nil
	} else {
		e.say("all %d judgments stand in %s: nothing to ask", m.Judgments, p.out)
		m.Ended = old.Ended
	}
	return e.finish(p, dir, missing, runErr)
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

func begin(dir *judging.Dir, p *prepared) error {
	return dir.Begin(p.job.Manifest, func(line func([]byte) error) error {
		for _, row := range p.job.Rows {
			raw, err := p.set.Raw(row)
			if err != nil {
				return err
			}
			if err := line(raw); err != nil {
				return err
			}
		}
		return nil
	})
}

// client wraps the backend with retries, a time limit and the cache; the
// returned function closes the cache.
func (e *env) client(p *prepared) (backends.Client, func(), error) {
	if p.opts.backend == "sim" {
		return p.backend, func() {}, nil
	}
	client := backends.WithRetry(backends.WithTimeout(p.backend, p.opts.timeout), backends.Retry{For: p.opts.retryFor})
	if p.opts.noCache {
		return client, func() {}, nil
	}
	store, err := e.openCache(p.opts.cacheDir)
	if err != nil {
		return nil, nil, err
	}
	return cache.Wrap(client, store), func() {
		if err := store.Close(); err != nil {
			e.say("warning: %v", err)
		}
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
	p.job.Write, p.job.Progress, p.job.Stop = dir.Write, progress.add, stop
	err := p.job.Run(ctx)
	progress.end()
	return err
}

// finish writes how the run ended and scores it.
func (e *env) finish(p *prepared, dir *judging.Dir, asked int, runErr error) (*scoring.Report, error) {
	m := p.job.Manifest
	how := scoring.DefaultOptions
	run, err := scoring.Load(p.out, how.Reading)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	games := 0
	for _, n := range run.Outcomes {
		games += n
	}
	left := m.Judgments - games + run.Outcomes[judging.Failed]
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
	rep := run.Score(how.Bootstrap)
	err = judging.WriteJSON(filepath.Join(p.out, judging.ResultsFile), rep)
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
func (e *env) plan(p *prepared) error {
	p.job.Standing = judging.Standing{}
	if old, err := judging.ReadManifest(p.out); err == nil {
		if old.ID != p.job.Manifest.ID {
			return fmt.Errorf("%s: %w: name another folder with --out", p.out, judging.ErrOtherRun)
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
	plan, err := p.job.MakePlan(cached)
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
	calls := plan.Judgments - plan.Standing - plan.Cached
	cached := strconv.Itoa(plan.Cached)
	if plan.CacheNote != "" {
		cached += " (" + plan.CacheNote + ")"
	}
	rows := [][]string{
		{"protocol", fmt.Sprintf("%s (which is %s?)", m.Spec.Protocol, m.Spec.Goal)},
		{"prompt", m.Spec.Prompt.Name},
		{"judge", strings.TrimSpace(strings.Join([]string{m.Model.Name, m.Model.Parameters, m.Model.Quantisation}, " ")) + " on " + describe(m.Server)},
		{"dataset", fmt.Sprintf("%s: %d of %d items", m.Dataset.Name, plan.Items, m.Dataset.Rows)},
		{"judgments", strconv.Itoa(plan.Judgments)},
		{"  in the run already", strconv.Itoa(plan.Standing)},
		{"  in the cache", cached},
		{"  calls to make", strconv.Itoa(calls)},
		{"prompt tokens", fmt.Sprintf("about %d (4 bytes a token)", plan.Tokens)},
		{"reply tokens", fmt.Sprintf("at most %d, once more as many where a second attempt is needed", plan.MaxTokens)},
		{"concurrency", strconv.Itoa(m.Concurrency)},
		{"run", p.out},
	}
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
