package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// FieldKind is what the values of a field look like.
type FieldKind string

// Kinds of fields.
const (
	Text     FieldKind = "text"
	Number   FieldKind = "number"
	Switch   FieldKind = "switch"
	Duration FieldKind = "duration"
	List     FieldKind = "list" // texts; may be given more than once
)

// Parts of a request, as help and forms group the fields.
const (
	What   = "what"
	How    = "how"
	Where  = "where"
	Server = "server"

	Retired = "retired" // no part any more, and in no help or form
)

// Field is one thing that a request says: a flag of the command line, a key of a
// suite's file, a field of a form and of the API.
type Field struct {
	Name    string
	Kind    FieldKind
	Part    string
	Default string   // as people write it; "" for none
	Help    string   // of the command line, the value's name in backquotes
	About   string   // of a form, where it is another than Help
	Values  []string // all that it may have, where they are a list
	Offered bool     // a browser may set it as it is
	set     func(*Request, []string) error
}

// fieldsOf has each field of a request, for the protocols that have it. To add a
// flag is to add a line here, and to say in eval what it does.
func fieldsOf(k judging.Protocol) []Field {
	d := judging.DefaultParameters
	turns := datasets.TurnsValues
	fields := []Field{
		{
			Name: "model",
			Kind: Text,
			Part: What,
			Help: "`NAME` of the model on its server; optional if there is only one; with --backend sim: " + backends.SimHelp,
			set:  text(func(r *Request) *string { return &r.Model }),
		},
		{
			Name: "dataset",
			Kind: Text,
			Part: What,
			Help: "`NAME` (" + datasetsFor(k) + ") or file of that shape",
			set:  text(func(r *Request) *string { return &r.Dataset }),
		},
		{
			Name: "field",
			Kind: List,
			Part: What,
			Help: "for a file with other columns: which column has which part, `PART=COLUMN,…`, such as " +
				"question=prompt,response_a=out_1,response_b=out_2,label=winner; plain names are guessed",
			set: func(r *Request, v []string) error { r.Fields = v; return nil },
		},
		{
			Name: "label-values",
			Kind: List,
			Part: What,
			Help: "which values in the label column mean which label: " +
				"`LABEL=VALUE,…`, such as A>B=model_a,B>A=model_b,tie=tie",
			set: func(r *Request, v []string) error { r.LabelValues = v; return nil },
		},
		{
			Name:    "prompt",
			Kind:    Text,
			Part:    What,
			Default: k.Templates[0].Name,
			Help:    "`NAME` (" + strings.Join(k.TemplateNames(), ", ") + ") or a file with a system message of your own",
			About:   "one of the protocol's own",
			Values:  k.TemplateNames(),
			Offered: true,
			set:     text(func(r *Request) *string { return &r.Prompt }),
		},
		{
			Name:    "limit",
			Kind:    Number,
			Part:    What,
			Default: "0",
			Help:    "only the first `N` items, or the first of a sample",
			Offered: true,
			set:     number(1, func(r *Request) *int { return &r.Limit }),
		},
		sampleField(k),
		{
			Name:    "seed",
			Kind:    Number,
			Part:    What,
			Default: "1",
			Help:    "`SEED` for drawing the sample, and the options of --unrelated and --max-options",
			About:   "of the sample",
			Offered: true,
			set:     func(r *Request, v []string) (err error) { r.Seed, err = integer(last(v)); return err },
		},
		{
			Name: "ids",
			Kind: Text,
			Part: What,
			Help: "only the items with an id in `FILE`, one per line",
			set:  text(func(r *Request) *string { return &r.IDs }),
		},
		{
			Name: "shard",
			Kind: Text,
			Part: What,
			Help: "only a part of the items, by a hash of their ids: `K/N`, such as 3/16; " +
				"auto takes K and N from Slurm, SkyPilot or dstack; " +
				"auto/N takes K from Kubernetes or GNU parallel; \"gavel merge\" makes one run of all parts",
			About:   "one of several parts of the items, such as 3/16",
			Offered: true,
			set:     setShard,
		},
		{
			Name:    "max-tokens",
			Kind:    Number,
			Part:    How,
			Default: strconv.Itoa(d.MaxTokens),
			Help: "at most `N` tokens per reply, thinking included; by default fewer if the server has no room for as many " +
				"beside the longest prompt",
			About:   "at most N tokens per reply, thinking included",
			Offered: true,
			set:     number(1, func(r *Request) *int { return &r.MaxTokens }),
		},
		{
			Name:    "num-ctx",
			Kind:    Number,
			Part:    How,
			Default: "0",
			Help: "ask Ollama for a context of `N` tokens; 0: " +
				"long enough for the longest prompt and --max-tokens, in a suite for those of all its runs",
			Offered: true,
			set:     number(1, func(r *Request) *int { return &r.NumCtx }),
		},
		{
			Name:    "system-role",
			Kind:    Text,
			Part:    How,
			Default: d.SystemRole,
			Help:    "`ROLE` of the message with the system text: system, or user for models whose template rejects system",
			Values:  systemRoles,
			Offered: true,
			set:     text(func(r *Request) *string { return &r.SystemRole }),
		},
		{
			Name:    "accept-cut",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help:    "count a verdict that stands in a reply cut at the token limit",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.AcceptCut }),
		},
		{
			Name:    "think",
			Kind:    Text,
			Part:    How,
			Default: "auto",
			Help: "`HOW` much a thinking model thinks: " +
				strings.Join(backends.Thinks, ", ") + "; auto sends nothing and leaves it to the model",
			Values:  backends.Thinks,
			Offered: true,
			set:     setThink,
		},
		{
			Name:    "think-budget",
			Kind:    Number,
			Part:    How,
			Default: "0",
			Help: "let a thinking model think for at most `N` tokens; " +
				"llama.cpp, vLLM and SGLang take that, Ollama takes levels (--think low)",
			Offered: true,
			set:     number(0, func(r *Request) *int { return &r.ThinkBudget }),
		},
		{
			Name:    "finish-thinking",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help:    "if a reply thinks until the token limit, ask once more, only for the verdict, with the thinking so far",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.FinishThinking }),
		},
		{
			Name:    "stop-repetition",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help:    "have the server end a reply that repeats itself; it counts as cut. vLLM takes that since 0.17",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.StopRepetition }),
		},
		{
			Name:    "constrain",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help: "constrain the verdict to the valid labels: " +
				"the whole reply with a direct prompt, else an extra turn after the reasoning",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.Constrain }),
		},
		{
			Name:    "logprobs",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help: "ask for the probability of each label; --constrain implies it if the server supports it. " +
				"Without --constrain, a label that is not among the likeliest tokens counts as 0 in the calibration",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.Logprobs }),
		},
		{
			Name:    "repeat",
			Kind:    Number,
			Part:    How,
			Default: "1",
			Help: "ask every prompt `K` times; " +
				"the table shows how often the judge agrees with itself, and how large a difference is noise",
			Offered: true,
			set:     number(1, func(r *Request) *int { return &r.Repetitions }),
		},
		{
			Name:    "strict-determinism",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help:    "one request at a time and, if the server supports it, no prompt cache",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.StrictDeterminism }),
		},
		{
			Name:    "concurrency",
			Kind:    Text,
			Part:    How,
			Default: "auto",
			Help:    "judge `N` items at once; auto: as many as the server reports, else 4",
			Offered: true,
			set:     setConcurrency,
		},
		{
			Name:    "timeout",
			Kind:    Duration,
			Part:    How,
			Default: "10m",
			Help:    "time limit of one call: `D`, such as 90s or 10m",
			Offered: true,
			set:     duration(func(r *Request) *time.Duration { return &r.Timeout }),
		},
		{
			Name:    "retry-for",
			Kind:    Duration,
			Part:    How,
			Default: "2m",
			Help:    "retry a call for up to `D` if the failure may be temporary",
			Offered: true,
			set:     duration(func(r *Request) *time.Duration { return &r.RetryFor }),
		},
		{
			Name:    "stop-on-alarm",
			Kind:    Switch,
			Part:    How,
			Default: "false",
			Help: "end the run if the first judgments have no verdict, are cut or all have one label; " +
				"without it, the run prints a warning and goes on",
			About:   "end the run if the first judgments have no verdict, are cut or all have one label",
			Offered: true,
			set:     truth(func(r *Request) *bool { return &r.StopOnAlarm }),
		},
		{
			Name: "cache",
			Kind: Text,
			Part: Where,
			Help: "`DIR` of the cache of replies; default: see \"gavel cache path\"",
			set:  text(func(r *Request) *string { return &r.Cache }),
		},
		{
			Name:    "no-cache",
			Kind:    Switch,
			Part:    Where,
			Default: "false",
			Help:    "do not use the cache",
			set:     truth(func(r *Request) *bool { return &r.NoCache }),
		},
		{
			Name: "ask-again", Kind: Switch, Part: Where, Default: "false", Offered: true,
			Help: "ask again for all judgments without a verdict, after a change to the server; " +
				"replies are not taken from the cache",
			set: truth(func(r *Request) *bool { return &r.AskAgain }),
		},
		{
			Name: "out",
			Kind: Text,
			Part: Where,
			Help: "`DIR` of the run; default: runs/ and a name that describes the run",
			set:  text(func(r *Request) *string { return &r.Out }),
		},
		{
			Name:    "group",
			Kind:    List,
			Part:    What,
			Help:    "only items of the group `NAME` (\"gavel datasets show\" lists them), or category=NAME; may be given again",
			About:   "only items of this group",
			Offered: true,
			set:     setGroups,
		},
	}
	if shares := scoring.Shares(k.Name); len(shares) > 0 {
		fields = append(fields, Field{
			Name: "until",
			Kind: Text,
			Part: How,
			Help: "end the run as soon as the `CONDITION` is decided, with at most 5 % error: " +
				"METRIC>=PERCENT or METRIC<=PERCENT, with METRIC one of " + strings.Join(shares, ", "),
			About:   "a condition that ends the run as soon as it is decided, such as " + shares[0] + ">=60",
			Offered: true,
			set:     text(func(r *Request) *string { return &r.Until }),
		})
	}
	if k.JudgesAgents() {
		fields = append(fields,
			Field{
				Name: "agents",
				Kind: List,
				Part: What,
				Help: "`WHO` gave the answers to judge: a file of published answers, an answer run or " +
					"MODEL@URL, also several with commas between them, or sim:…; may be given again",
				About:   "who gave the answers to judge: a run on this server, MODEL@URL of an offered server, or sim:…",
				Offered: true,
				set:     setAgents,
			},
			Field{
				Name:    "own",
				Kind:    Text,
				Part:    What,
				Help:    "`RUN` with the judge's own answers; default: ask the judge",
				About:   "a run on this server with the judge's own answers; without one, the judge is asked",
				Offered: true,
				set:     text(func(r *Request) *string { return &r.Own }),
			})
	}
	if k.Takes(datasets.Options) {
		fields = append(fields,
			Field{
				Name:    "unrelated",
				Kind:    Switch,
				Part:    What,
				Default: "false",
				Help:    "add an option of another item, drawn by --seed, before the others",
				Offered: true,
				set:     truth(func(r *Request) *bool { return &r.Unrelated }),
			},
			Field{
				Name:    "max-options",
				Kind:    Number,
				Part:    What,
				Default: "0",
				Help:    "at most `N` options per item: the best, and others drawn by --seed; default: all",
				Offered: true,
				set:     number(2, func(r *Request) *int { return &r.MaxOptions }),
			},
			Field{
				Name:    "lang",
				Kind:    Text,
				Part:    What,
				Default: defaultLang,
				Help:    "`LANGUAGE` of message trees, or all",
				set:     text(func(r *Request) *string { return &r.Lang }),
			})
	}
	if hasTasks(k) {
		fields = append(fields, Field{
			Name:    "turns",
			Kind:    Text,
			Part:    What,
			Default: turnsFirst,
			Help:    "`WHICH` turns of a conversation: first, or all",
			Values:  turns,
			Offered: true,
			set:     choice(turns, func(r *Request) *string { return &r.Turns }),
		})
	}
	if k.FollowUps {
		fields = append(fields, Field{
			Name:    "attempts",
			Kind:    Number,
			Part:    How,
			Default: strconv.Itoa(d.Attempts),
			Help:    "ask up to `N` times per conversation until there is a verdict",
			Offered: true,
			set:     number(1, func(r *Request) *int { return &r.Attempts }),
		})
	}
	for _, o := range k.Options {
		fields = append(fields, optionField(o))
	}
	return append(append(fields, EndpointFields...), canaries)
}

var canaries = retired("canaries", Number, "0", "\"gavel doctor\" tests whether the server mixes conversations up")

// retired is a field that earlier versions had: it may be given, does nothing, and who gives it is told what does
// instead.
func retired(name string, kind FieldKind, usual, instead string) Field {
	f := Field{Name: name, Kind: kind, Part: Retired, Default: usual, Offered: true}
	f.set = func(r *Request, _ []string) error {
		r.Retired = append(r.Retired, fmt.Sprintf("--%s was taken out and does nothing: %s", name, instead))
		return nil
	}
	return f
}

// EndpointFields say which server to ask; other commands have them too.
var EndpointFields = []Field{
	{
		Name:    "backend",
		Kind:    Text,
		Part:    Server,
		Default: Backends[0],
		Help:    "`KIND` of server: " + strings.Join(Backends, ", ") + " (sim: a simulated judge, no server)",
		set:     text(func(r *Request) *string { return &r.Backend }),
	},
	{
		Name: "base-url",
		Kind: List,
		Part: Server,
		Help: "`URL` of the server; \"gavel run\" takes several, for servers of one and the same model; " +
			"default: OLLAMA_HOST, OPENAI_BASE_URL, else local ports 11434, 8000, 8080, 9931, 30000, 1234",
		set: func(r *Request, v []string) error { r.BaseURLs = v; return nil },
	},
	{
		Name: "api-key-env",
		Kind: Text,
		Part: Server,
		Help: "`NAME` of the environment variable that holds the API key; " +
			"OPENAI_API_KEY is used with --base-url and OPENAI_BASE_URL, never with a server found on a port",
		set: text(func(r *Request) *string { return &r.APIKeyEnv }),
	},
}

// FieldsOf lists the fields of a protocol.
func FieldsOf(k judging.Protocol) []Field { return append(fieldsOf(k), extensions...) }

var extensions []Field

// Extend adds a field to every protocol, for a program that makes more of gavel: set is what its values do to a
// request. The function that it returns takes the field away again. Neither may be called while requests are read.
func Extend(f Field, set func(r *Request, values []string) error) (undo func()) {
	f.set = set
	was := extensions
	extensions = append(slices.Clip(was), f)
	return func() { extensions = was }
}

// FieldNamed finds a field of a protocol.
func FieldNamed(k judging.Protocol, name string) (Field, bool) {
	fields := FieldsOf(k)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

const (
	turnsFirst  = "first"
	defaultLang = "en"
)

var systemRoles = []string{backends.System, backends.User}

func sampleField(k judging.Protocol) Field {
	f := Field{
		Name:    "sample",
		Kind:    Number,
		Part:    What,
		Default: "0",
		Help:    "`N` items drawn by --seed: the same ones for every judge, and a larger sample holds the smaller",
		Offered: true,
		set:     setSample(1),
	}
	if hasTasks(k) {
		f.Default, f.set = strconv.Itoa(SampleEach), setSample(0)
		f.Help = "`N` questions of each group drawn by --seed, 0 for all: " +
			"the same ones for every model and stage, and a larger sample holds the smaller"
	}
	return f
}

// optionField is an option of a protocol as a field.
func optionField(o judging.Option) Field {
	f := Field{Name: o.Name, Kind: Text, Part: What, Default: o.Default, Help: o.Usage, Values: o.Values, Offered: true}
	f.set = func(r *Request, values []string) error {
		value := last(values)
		if f.Kind == Switch {
			b, err := strconv.ParseBool(value)
			if err != nil {
				return notAValue(value)
			}
			value = strconv.FormatBool(b)
		}
		if value == o.Default {
			return nil
		}
		if r.Options == nil {
			r.Options = judging.Settings{}
		}
		r.Options[o.Name] = value
		return nil
	}
	if o.Default == "false" {
		f.Kind, f.Values = Switch, nil
	}
	return f
}

func last(values []string) string { return values[len(values)-1] }

func notAValue(value string) error {
	return fmt.Errorf("%q: expected a number, a duration such as 90s, or true or false", value)
}

func text(of func(*Request) *string) func(*Request, []string) error {
	return func(r *Request, values []string) error {
		*of(r) = last(values)
		return nil
	}
}

func choice(allowed []string, of func(*Request) *string) func(*Request, []string) error {
	return func(r *Request, values []string) error {
		*of(r) = last(values)
		if !slices.Contains(allowed, last(values)) {
			return fmt.Errorf("%q is not one of %s", last(values), strings.Join(allowed, ", "))
		}
		return nil
	}
}

func number(least int, of func(*Request) *int) func(*Request, []string) error {
	return func(r *Request, values []string) error {
		n, err := integer(last(values))
		*of(r) = int(n)
		if err == nil && int(n) < least {
			err = fmt.Errorf("%d: it must be at least %d", n, least)
		}
		return err
	}
}

func integer(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q: the number is out of range", value)
	case err != nil:
		return 0, notAValue(value)
	}
	return n, nil
}

func truth(of func(*Request) *bool) func(*Request, []string) error {
	return func(r *Request, values []string) (err error) {
		*of(r), err = strconv.ParseBool(last(values))
		if err != nil {
			return notAValue(last(values))
		}
		return nil
	}
}

func duration(of func(*Request) *time.Duration) func(*Request, []string) error {
	return func(r *Request, values []string) (err error) {
		*of(r), err = time.ParseDuration(last(values))
		if err != nil {
			return notAValue(last(values))
		}
		return nil
	}
}

func setSample(least int) func(*Request, []string) error {
	return func(r *Request, values []string) error {
		r.Sample = new(int)
		err := number(least, func(r *Request) *int { return r.Sample })(r, values)
		if err != nil && least == 0 && *r.Sample < 0 {
			return fmt.Errorf("%d: it must be at least 1", *r.Sample)
		}
		return err
	}
}

func setThink(r *Request, values []string) error {
	if !slices.Contains(backends.Thinks, last(values)) {
		return fmt.Errorf("%q is not one of %s", last(values), strings.Join(backends.Thinks, ", "))
	}
	r.Think = backends.Think(last(values))
	if last(values) == backends.Thinks[0] {
		r.Think = backends.ThinkAuto
	}
	return nil
}

func setConcurrency(r *Request, values []string) error {
	value := last(values)
	r.Concurrency = 0
	if value == "auto" {
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > judging.MaxConcurrency {
		return fmt.Errorf("%q: expected a number from 1 to %d, or auto", value, judging.MaxConcurrency)
	}
	r.Concurrency = n
	return nil
}

func setShard(r *Request, values []string) error {
	r.Shard = last(values)
	_, _, err := parseShard(r.Shard)
	return err
}

func setGroups(r *Request, values []string) error {
	r.Groups = nil
	for _, g := range values {
		r.Groups = append(r.Groups, strings.TrimPrefix(g, "category="))
	}
	return nil
}

// setAgents takes names with commas between them. Those of a simulation are part of its name.
func setAgents(r *Request, values []string) error {
	r.Agents = nil
	for _, a := range values {
		if strings.HasPrefix(a, "sim:") {
			r.Agents = append(r.Agents, a)
		} else {
			r.Agents = append(r.Agents, strings.Split(a, ",")...)
		}
	}
	return nil
}
