package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// runOptions are the flags of `gavel run PROTOCOL`.
type runOptions struct {
	endpointOptions
	protocol    string
	model       string
	dataset     string
	prompt      string
	settings    judging.Settings // options of the protocol that were chosen
	selection   datasets.Selection
	open        datasets.OpenOptions
	idsFile     string
	agents      []string // whose answers are judged
	own         string   // run of the judge's own answers
	sampled     bool     // --sample was given
	unrelated   bool     // an option of another item is put first
	maxOptions  int      // 0 for all
	concurrency int      // 0: auto
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
	run := &cli.Command{
		Name:  "run",
		Usage: "ask a model to judge or to answer: " + strings.Join(namesOf(judging.Kinds), ", "),
		Description: `Makes a run: a folder with run.json, records.jsonl, items.jsonl and results.json. The
same command again asks only for what is missing. Which datasets a protocol takes depends
on their shape, which "gavel datasets show" tells: pairs for pairwise and reversed,
questions for answer and self-reference, ranked options for multi-option.`,
	}
	for _, k := range judging.Kinds {
		run.Subcommands = append(run.Subcommands, &cli.Command{
			Name:        k.Name,
			Usage:       k.About,
			UsageText:   fmt.Sprintf("gavel run %s --model MODEL --dataset NAME|FILE [flags]", k.Name),
			Description: describeKind(k),
			Flags:       runFlags(k),
			Action: func(c *cli.Context) error {
				o, err := runOptionsFrom(c, k)
				if err != nil {
					return err
				}
				return e.runAny(c.Context, o)
			},
		})
	}
	return run
}

// descriptions of the protocols for their help, by name; each is followed by
// how a run ends.
var descriptions = map[string]string{
	"pairwise": pairsHelp,
	"reversed": pairsHelp,
	"answer": `Asks a model the questions of a dataset and reads its answers: generation accuracy, by
group. An answer run is also a stage: as --agents of "gavel run self-reference" it is
judged, as --own it is the judge's own.

Examples:
  gavel run answer --model qwen3:8b --dataset gsm8k
  gavel run answer --model qwen3:8b --dataset mmlu-pro --group law --sample 50
  gavel run answer --backend sim --model accuracy=0.6 --dataset sample-choice`,
	"self-reference": `Has a judge say of agents' answers whether they are correct: once by reasoning alone
(mode cot), once with the judge's own answer as a reference (mode self). The judge is
asked the questions first; agents are files of published answers (MMLU-Pro's outputs, or
lines with id and answer), answer runs, or models that are asked now. Every stage is a run
of its own beside this one, and none is asked for twice. Judgments begin once all answers
that are asked for are there. --prompt is that of the judgments.

Examples:
  gavel run self-reference --model qwen3:8b --dataset mmlu-pro --agents model_outputs_Llama-3.1-8B_5shots.zip
  gavel run self-reference --model qwen3:8b --dataset gsm8k --agents llama3.1:8b@http://127.0.0.1:11434 --sample 100
  gavel run self-reference --backend sim --model accuracy=0.8 --dataset sample-number --agents sim:accuracy=0.6,seed=2`,
	"multi-option": `Has a judge pick the best of several options, once in every rotation of their order, so
that each stands at each place once: does it choose an option, or a place? The table has
what a judge that picks at random would score beside it.

Examples:
  gavel run multi-option --model qwen3:8b --dataset sample-options
  gavel run multi-option --model qwen3:8b --dataset oasst1 --sample 200 --prompt 3 --unrelated
  gavel run multi-option --model qwen3:8b --dataset oasst1 --goal worst --orders all --max-options 4`,
}

const pairsHelp = `Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is GOAL. Progress goes to standard error, the table to standard output.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run NAME --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o
  gavel run NAME --backend sim --model accuracy=0.8,first=0.2 --dataset sample`

func describeKind(k judging.Kind) string {
	return strings.NewReplacer("NAME", k.Name, "GOAL", k.Goal).Replace(descriptions[k.Name]) + `

Exit status: 0 every judgment was answered; 3 some failed or are missing, and the same
command goes on; 130 interrupted, and the same command goes on.`
}

// optionFlags are the options of a protocol as flags.
func optionFlags(k judging.Kind) (flags []cli.Flag) {
	for _, o := range k.Options {
		if o.Default == "false" {
			flags = append(flags, &cli.BoolFlag{Name: o.Name, Usage: o.Usage, Category: "what"})
		} else {
			flags = append(flags, &cli.StringFlag{Name: o.Name, Value: o.Default, Usage: o.Usage, Category: "what"})
		}
	}
	return flags
}

// settingsFrom reads them.
func settingsFrom(c *cli.Context, k judging.Kind) (judging.Settings, error) {
	var chosen judging.Settings
	for _, o := range k.Options {
		value := c.String(o.Name)
		if o.Default == "false" {
			value = strconv.FormatBool(c.Bool(o.Name))
		} else if len(o.Values) > 0 {
			if err := oneOf("--"+o.Name, value, o.Values); err != nil {
				return nil, err
			}
		}
		if o.Check != nil && value != o.Default {
			if err := o.Check(value); err != nil {
				return nil, usage("--%s %s: %v", o.Name, value, err)
			}
		}
		if value != o.Default {
			if chosen == nil {
				chosen = judging.Settings{}
			}
			chosen[o.Name] = value
		}
	}
	return chosen, nil
}

func runFlags(k judging.Kind) []cli.Flag {
	d := judging.DefaultParameters
	flags := []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "the model to ask, by the `NAME` its server knows; may be left out where there is only one; with --backend sim: " + backends.SimHelp, Category: "what"},
		&cli.StringFlag{Name: "dataset", Usage: "`NAME` (" + strings.Join(datasets.Names(), ", ") + ") or file of that shape", Category: "what"},
		&cli.StringFlag{Name: "prompt", Value: k.Templates[0].Name, Usage: "`NAME` (" + strings.Join(k.TemplateNames(), ", ") + ") or a file with a system message of your own", Category: "what"},
		&cli.IntFlag{Name: "limit", Usage: "only the first `N` items, of a sample the first of it", Category: "what"},
		sampleFlag(k),
		&cli.Int64Flag{Name: "seed", Value: 1, Usage: "`SEED` of what is drawn: the sample and, of options, those of --unrelated and --max-options", Category: "what"},
		&cli.StringFlag{Name: "ids", Usage: "only the items whose ids stand in `FILE`, one a line", Category: "what"},
		&cli.IntFlag{Name: "max-tokens", Value: d.MaxTokens, Usage: "at most `N` tokens a reply, thinking included", Category: "how"},
		&cli.IntFlag{Name: "num-ctx", Usage: "context of `N` tokens to ask Ollama for; 0: sized from the longest prompt and --max-tokens, in a suite from those of all its runs", Category: "how"},
		&cli.StringFlag{Name: "system-role", Value: d.SystemRole, Usage: "`ROLE` that carries the system text: system, or user for models whose template refuses it", Category: "how"},
		&cli.BoolFlag{Name: "accept-cut", Usage: "count a verdict that was given before the token limit cut the reply", Category: "how"},
		&cli.StringFlag{Name: "think", Value: "auto", Usage: "`HOW` a thinking model thinks: " + strings.Join(backends.Thinks, ", ") + "; auto sends nothing and leaves it to the model", Category: "how"},
		&cli.BoolFlag{Name: "constrain", Usage: "have the server hold the verdict to the labels on offer: the whole reply with a direct prompt, else a turn of its own after the reasoning", Category: "how"},
		&cli.BoolFlag{Name: "logprobs", Usage: "ask how probable each label was; implied by --constrain where the server tells. Without --constrain a label that is not among the likeliest tokens counts as 0 in the calibration, which is of pairs", Category: "how"},
		&cli.IntFlag{Name: "repeat", Value: 1, Usage: "ask every prompt `K` times; of pairs the table says how often the judge agrees with itself, and how large a difference is noise", Category: "how"},
		&cli.BoolFlag{Name: "strict-determinism", Usage: "one request at a time and no prompt cache, where the server can be told", Category: "how"},
		&cli.StringFlag{Name: "concurrency", Value: "auto", Usage: "judge `N` items at once; auto: as many as the server says it serves, else 4", Category: "how"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "time limit of one call: `D`, such as 90s or 10m", Category: "how"},
		&cli.DurationFlag{Name: "retry-for", Value: 2 * time.Minute, Usage: "how long a call that may still pass is tried: `D`", Category: "how"},
		&cli.StringFlag{Name: "cache", Usage: "`DIR` in which replies are remembered; default: see \"gavel cache path\"", Category: "where"},
		&cli.BoolFlag{Name: "no-cache", Usage: "remember nothing and look nothing up", Category: "where"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` of the run; default: runs/ and a name made of what it is", Category: "where"},
		&cli.BoolFlag{Name: "dry-run", Usage: "say what would be asked, show the first prompt, and ask nothing", Category: "where"},
	}
	flags = append(flags, shapeFlags(k)...)
	if k.FollowUps {
		flags = append(flags, &cli.IntFlag{Name: "attempts", Value: d.Attempts, Usage: "ask at most `N` times in a conversation until there is a verdict", Category: "how"})
	}
	return slices.Concat(flags, optionFlags(k), endpointFlags(), formatFlags())
}

// sampleEach is how many questions of each group the protocols with tasks take
// by default (PROTOCOLS.md §2).
const sampleEach = 100

// hasTasks tells whether a protocol samples each group for itself: its groups
// are tasks.
func hasTasks(k judging.Kind) bool {
	return k.Takes(datasets.Judgment) || k.Takes(datasets.Choice)
}

func sampleFlag(k judging.Kind) cli.Flag {
	if hasTasks(k) {
		return &cli.IntFlag{Name: "sample", Value: sampleEach, Usage: "`N` questions of each group drawn by --seed, 0 for all: the same ones for every model and stage, and a larger sample holds the smaller", Category: "what"}
	}
	return &cli.IntFlag{Name: "sample", Usage: "`N` items drawn by --seed: the same ones for every judge, and a larger sample holds the smaller", Category: "what"}
}

// shapeFlags are flags that have a meaning for some shapes of items.
func shapeFlags(k judging.Kind) []cli.Flag {
	flags := []cli.Flag{
		&cli.StringSliceFlag{Name: "group", Usage: "only items of the group `NAME` (\"gavel datasets show\" lists them), or category=NAME; may be given again", Category: "what"},
	}
	if k.Takes(datasets.Judgment) {
		flags = append(flags,
			&cli.StringSliceFlag{Name: "agents", Usage: "`WHO` answered what is judged: a file of published answers, an answer run, MODEL@URL, all of these also with commas between them, or sim:…; may be given again", Category: "what"},
			&cli.StringFlag{Name: "own", Usage: "`RUN` with the judge's own answers; default: the judge is asked", Category: "what"})
	}
	if k.Takes(datasets.Options) {
		flags = append(flags,
			&cli.BoolFlag{Name: "unrelated", Usage: "put an option of another item first, drawn by --seed: items then have one option more", Category: "what"},
			&cli.IntFlag{Name: "max-options", Usage: "at most `N` options of an item: the best and others drawn by --seed; default: all", Category: "what"},
			&cli.StringFlag{Name: "lang", Value: "en", Usage: "`LANGUAGE` of message trees, or all", Category: "what"})
	}
	if hasTasks(k) {
		flags = append(flags, &cli.StringFlag{Name: "turns", Value: "first", Usage: "`WHICH` turns of a conversation: first, or all", Category: "what"})
	}
	return flags
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
	o.sampled = c.IsSet("sample")
	if hasTasks(k) {
		o.selection.Sample, o.selection.SampleEach = 0, c.Int("sample")
		if err := oneOf("--turns", c.String("turns"), []string{"first", "all"}); err != nil {
			return o, err
		}
		if c.String("turns") == "all" {
			o.open.Turns = datasets.TurnsAll
		}
		o.own = c.String("own")
		for _, a := range c.StringSlice("agents") {
			if strings.HasPrefix(a, "sim:") { // commas are part of it
				o.agents = append(o.agents, a)
			} else {
				o.agents = append(o.agents, strings.Split(a, ",")...)
			}
		}
	}
	if k.Takes(datasets.Options) {
		o.unrelated, o.maxOptions = c.Bool("unrelated"), c.Int("max-options")
		if c.IsSet("max-options") && o.maxOptions < 2 {
			return o, usage("--max-options %d: it must be at least 2", o.maxOptions)
		}
		if l := c.String("lang"); l != "en" {
			o.open.Lang = l
		}
	}
	for _, g := range c.StringSlice("group") {
		o.open.Groups = append(o.open.Groups, strings.TrimPrefix(g, "category="))
	}
	o.idsFile, o.timeout, o.retryFor = c.String("ids"), c.Duration("timeout"), c.Duration("retry-for")
	o.cacheDir, o.noCache, o.out, o.dryRun = c.String("cache"), c.Bool("no-cache"), c.String("out"), c.Bool("dry-run")
	o.parameters = judging.DefaultParameters
	o.parameters.MaxTokens, o.parameters.NumCtx = c.Int("max-tokens"), c.Int("num-ctx")
	o.parameters.SystemRole = c.String("system-role")
	if k.FollowUps {
		o.parameters.Attempts = c.Int("attempts")
	}
	if o.settings, err = settingsFrom(c, k); err != nil {
		return o, err
	}
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
		if n.flag == "attempts" && !k.FollowUps || n.flag == "sample" && hasTasks(k) && c.Int("sample") == 0 {
			continue
		}
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
		if err != nil || o.concurrency < 1 || o.concurrency > judging.MaxConcurrency {
			return o, usage("--concurrency %q: it is a number from 1 to %d, or auto", s, judging.MaxConcurrency)
		}
	}
	if n := o.parameters.Attempts; n > judging.MaxAttempts {
		return o, usage("--attempts %d: it must be at most %d", n, judging.MaxAttempts)
	}
	if k := c.Int("repeat"); k > judging.MaxRepeats {
		return o, usage("--repeat %d: it must be at most %d", k, judging.MaxRepeats)
	}
	if c.Int("repeat") > 1 && !k.FollowUps { // of the comparisons alone there are scores over repeats
		return o, usage("--repeat: what repeats say is reported for pairwise and reversed alone; leave it out")
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
