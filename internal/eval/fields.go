package eval

import (
	"slices"
	"strconv"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// FieldsOf lists the fields of a protocol's requests, with the values of a new request.
func FieldsOf(k judging.Protocol) []Field {
	usual := New(k)
	return usual.fields(k)
}

// fields lists the protocol's fields, which read and write this request.
func (r *RunRequest) fields(k judging.Protocol) []Field {
	usual := New(k)
	fields := fieldsOf(k, r)
	for i, f := range fieldsOf(k, &usual) {
		fields[i].complete(f.texts())
	}
	return fields
}

// fieldsOf lists the fields of a protocol, bound to a request. To add a flag, add an entry here.
func fieldsOf(k judging.Protocol, r *RunRequest) []Field {
	d := judging.DefaultParameters
	turns := datasets.TurnsValues
	shares := scoring.Shares(k.Name)
	example := ""
	if len(shares) > 0 {
		example = shares[0] + ">=60"
	}
	sample := 0
	least := 1
	sampled := "`N` items drawn by --seed; the same ones for every judge"
	if hasTasks(k) {
		sample = SampleEach
		least = 0
		sampled = "`N` questions of each group; drawn by --seed; 0 is all; the same ones for every model and stage"
	}
	fields := slices.Concat(
		in(ItemsPart, []Field{
			{
				Name:  "model",
				Help:  "`NAME` of the model on its server; optional if there is only one; with --backend sim: " + backends.SimHelp,
				value: &r.Model,
				Local: true,
			},
			{
				Name:  "dataset",
				Help:  "`NAME` of a dataset, or a file of its shape; " + datasetsFor(k),
				value: &r.Dataset,
				Local: true,
			},
			{
				Name: "field",
				Help: "for a file with other columns: which column has which part, `PART=COLUMN,…`, such as " +
					"question=prompt,response_a=out_1,response_b=out_2,label=winner; plain names are guessed",
				value: &r.Fields,
				Local: true,
			},
			{
				Name: "label-values",
				Help: "which values in the label column mean which label: " +
					"`LABEL=VALUE,…`, such as A>B=model_a,B>A=model_b,tie=tie",
				value: &r.LabelValues,
				Local: true,
			},
			{
				Name:   "prompt",
				Files:  true,
				Label:  "Prompt",
				Help:   "`NAME` (" + strings.Join(k.TemplateNames(), ", ") + ") or a file with your system message",
				About:  "one of the protocol's own",
				Values: k.TemplateNames(),
				value:  &r.Prompt,
			},
			{
				Name:  "limit",
				Label: "Only the first items",
				Help:  "only the first `N` items, or the first of a sample",
				Min:   1,
				value: &r.Limit,
			},
			{
				Name:    "sample",
				Label:   "Items drawn at random",
				Default: strconv.Itoa(sample),
				Help:    sampled + ", and a larger sample holds the smaller",
				Min:     least,
				value:   &r.Sample,
			},
			{
				Name:  "seed",
				Label: "Seed of what is drawn",
				Help:  "`SEED` for drawing the sample, and the options of --unrelated and --max-options",
				About: "of the sample",
				value: &r.Seed,
			},
			{
				Name:  "ids",
				Help:  "only the items with an id in `FILE`, one per line",
				value: &r.IDs,
				Local: true,
			},
			{
				Name: "shard",
				Help: "only a part of the items, by a hash of their ids: `K/N`, such as 3/16; " +
					"auto takes K and N from Slurm, SkyPilot or dstack; " +
					"auto/N takes K from Kubernetes or GNU parallel; \"gavel merge\" makes one run of all parts",
				About: "one of several parts of the items, such as 3/16",
				Check: func(text string) error {
					_, _, err := ParseShard(text)
					return err
				},
				value: &r.Shard,
			},
		}),
		in(AskingPart, []Field{
			{
				Name:    "max-tokens",
				Label:   "Longest reply, in tokens",
				Default: strconv.Itoa(d.MaxTokens),
				Help: "at most `N` tokens per reply, thinking included; by default fewer if the server has no room for as many " +
					"beside the longest prompt",
				About: "at most N tokens per reply, thinking included",
				Min:   1,
				value: &r.MaxTokens,
			},
			{
				Name:  "num-ctx",
				Label: "Context of Ollama, in tokens",
				Help: "ask Ollama for a context of `N` tokens; 0: " +
					"long enough for the longest prompt and --max-tokens",
				Min:   1,
				value: &r.NumCtx,
			},
			{
				Name:   "system-role",
				Label:  "Who says the system text",
				Help:   "`ROLE` of the message with the system text: system, or user for models whose template rejects system",
				Values: []string{backends.System, backends.User},
				value:  &r.SystemRole,
			},
			{
				Name:  "accept-cut",
				Label: "Count verdicts of replies that were cut",
				Help:  "count a verdict that stands in a reply cut at the token limit",
				value: &r.AcceptCut,
			},
			{
				Name:        "think",
				NeedsServer: true,
				Label:       "Thinking",
				Zero:        "auto",
				Help: "think `HOW`: " + strings.Join(backends.Thinks[1:], ", ") +
					"; auto sends nothing and leaves it to the model",
				About:  "how much a thinking model thinks; auto sends nothing and leaves it to the model",
				Values: backends.Thinks,
				value:  (*string)(&r.Think),
			},
			{
				Name:        "think-budget",
				NeedsServer: true,
				Label:       "Tokens of thinking at most",
				Help: "let a thinking model think for at most `N` tokens; " +
					"llama.cpp, vLLM and SGLang take that, Ollama takes levels (--think low)",
				value: &r.ThinkBudget,
			},
			{
				Name:        "finish-thinking",
				NeedsServer: true,
				Label:       "Ask for the verdict after thinking that was cut",
				Help:        "if a reply thinks until the token limit, ask once more, only for the verdict, with the thinking so far",
				value:       &r.FinishThinking,
			},
			{
				Name:        "stop-repetition",
				NeedsServer: true,
				Help:        "have the server end a reply that repeats itself; it counts as cut. vLLM takes that since 0.17",
				value:       &r.StopRepetition,
			},
			{
				Name:        "constrain",
				NeedsServer: true,
				Label:       "Hold the verdict to the labels",
				Help: "constrain the verdict to the valid labels; " +
					"the whole reply with a direct prompt, else an extra turn after the reasoning",
				value: &r.Constrain,
			},
			{
				Name:        "logprobs",
				NeedsServer: true,
				Label:       "Ask how probable each label was",
				Help: "ask for the probability of each label; --constrain implies it if the server supports it. " +
					"Without --constrain, a label that is not among the likeliest tokens counts as 0 in the calibration",
				value: &r.Logprobs,
			},
			{
				Name:  "repeat",
				Label: "Ask each prompt so often",
				Help: "ask every prompt `K` times; " +
					"the table shows how often the judge agrees with itself, and how large a difference is noise",
				Min:   1,
				Max:   judging.MaxRepetitions,
				value: &r.NumRepetitions,
			},
			{
				Name:        "strict-determinism",
				NeedsServer: true,
				Label:       "One request at a time, no prompt cache",
				Help:        "one request at a time and, if the server supports it, no prompt cache",
				value:       &r.StrictDeterminism,
			},
			{
				Name:  "concurrency",
				Label: "Items judged at once",
				Zero:  "auto",
				Help:  "judge `N` items at once; auto: as many as the server reports, else as many as turn out fastest",
				Min:   1,
				Max:   judging.MaxConcurrency,
				value: &r.Concurrency,
			},
			{
				Name:  "max-concurrency",
				Label: "Most items judged at once",
				Zero:  "auto",
				Help:  "with --concurrency auto, ask one server at most `N` at once; auto: 256",
				Min:   1,
				Max:   judging.MaxConcurrency,
				value: &r.MaxConcurrency,
			},
			{
				Name:    "timeout",
				Label:   "Time limit of a call",
				Default: "10m",
				Help:    "time limit of one call: `D`, such as 90s or 10m",
				value:   &r.Timeout,
			},
			{
				Name:    "retry-for",
				Label:   "How long a failed call is tried again",
				Default: "2m",
				Help:    "retry a call for up to `D` if the failure may be temporary; 1ms: no retries",
				value:   &r.RetryFor,
			},
			{
				Name:  "stop-on-alarm",
				Label: "Stop when the first judgments say it is no use",
				Help: "end the run if the first judgments have no verdict, are cut or all have one label; " +
					"without it, the run prints a warning and goes on",
				About: "end the run if the first judgments have no verdict, are cut or all have one label",
				value: &r.StopOnAlarm,
			},
		}),
		in(FoldersPart, []Field{
			{
				Name:  "cache",
				Help:  "`DIR` of the cache of replies; default: see \"gavel cache path\"",
				value: &r.Cache,
				Local: true,
			},
			{
				Name:  "no-cache",
				Help:  "do not use the cache",
				value: &r.NoCache,
				Local: true,
			},
			{
				Name:  "ask-again",
				Label: "Ask again where there is no verdict",
				Help: "ask again for all judgments without a verdict, after a change to the server; " +
					"replies are not taken from the cache",
				value: &r.AskAgain,
			},
			{
				Name:  "out",
				Help:  "`DIR` of the run; default: runs/ and a name that describes the run",
				value: &r.Out,
				Local: true,
			},
		}),
		in(ItemsPart, []Field{
			{
				Name:  "group",
				Label: "Only one group",
				Help: "only items of the group `NAME`; \"gavel datasets show\" lists them; category=NAME works too; " +
					"may be given again",
				About: "only items of this group",
				split: func(value string) []string { return []string{strings.TrimPrefix(value, "category=")} },
				value: &r.Groups,
			},
		}),
		in(AskingPart, []Field{
			{
				Name: "until",
				Help: "end as soon as a `CONDITION` such as " + example + " is decided; at most 5 % error; " +
					"METRIC>=PERCENT or METRIC<=PERCENT, with METRIC one of " + strings.Join(shares, ", "),
				About: "a condition that ends the run as soon as it is decided, such as " + example,
				Check: func(text string) error {
					_, err := ParseUntil(text, k.Name)
					return err
				},
				value:  &r.Until,
				Absent: len(shares) == 0,
			},
		}),
		in(ItemsPart, []Field{
			{
				Name:  "agents",
				Label: "Whose answers are judged",
				Help: "`WHO` gave the answers: a file, an answer run, MODEL@URL or sim:…; " +
					"a file has published answers; several with commas between them; may be given again",
				About:  "who gave the answers to judge: a run on this server, MODEL@URL of an offered server, or sim:…",
				split:  splitAgents,
				value:  &r.Agents,
				Absent: !k.JudgesAgents(),
			},
			{
				Name:   "own",
				Label:  "The judge's own answers",
				Help:   "`RUN` with the judge's own answers; default: ask the judge",
				About:  "a run on this server with the judge's own answers; without one, the judge is asked",
				value:  &r.Own,
				Absent: !k.JudgesAgents(),
			},
			{
				Name:   "unrelated",
				Label:  "Add an unrelated option",
				Help:   "add an option of another item, drawn by --seed, before the others",
				value:  &r.Unrelated,
				Absent: !k.Takes(datasets.Options),
			},
			{
				Name:   "max-options",
				Label:  "Most options of an item",
				Help:   "at most `N` options per item: the best, and others drawn by --seed; default: all",
				Min:    2,
				value:  &r.MaxOptions,
				Absent: !k.Takes(datasets.Options),
			},
			{
				Name:   "lang",
				Zero:   "en",
				Help:   "`LANGUAGE` of message trees, or all",
				value:  &r.Lang,
				Local:  true,
				Absent: !k.Takes(datasets.Options),
			},
			{
				Name:   "turns",
				Label:  "Turns of a conversation",
				Zero:   turns[0],
				Help:   "`WHICH` turns of a conversation: first, or all",
				Values: turns,
				value:  &r.Turns,
				Absent: !hasTasks(k),
			},
		}),
		in(AskingPart, []Field{
			{
				Name:   "attempts",
				Label:  "Attempts at a verdict",
				Max:    judging.MaxAttempts,
				Help:   "ask up to `N` times per conversation until there is a verdict",
				Min:    1,
				value:  &r.Attempts,
				Absent: !k.FollowUps,
			},
		}),
	)
	for i := range k.Options {
		fields = append(fields, optionField(&k.Options[i], &r.Options))
	}
	fields = slices.DeleteFunc(fields, func(f Field) bool { return f.Absent })
	return append(fields, endpointFields(&r.Endpoint)...)
}

// EndpointFields lists the fields that say which server to ask; other commands have them too.
func EndpointFields() []Field {
	fields := endpointFields(&Endpoint{Backend: Backends[0]})
	for i := range fields {
		fields[i].complete(fields[i].texts())
	}
	return fields
}

func endpointFields(e *Endpoint) []Field {
	return in(ServerPart, []Field{
		{
			Name:   "backend",
			Values: Backends,
			Help: "`KIND` of server: " + strings.Join(Backends, ", ") +
				" (sim: a simulated judge, no server; systemone: decision models)",
			value: &e.Backend,
			Local: true,
		},
		{
			Name: "base-url",
			Help: "`URL` of the server; \"gavel run\" takes several, for servers of one and the same model; " +
				"default: OLLAMA_HOST, OPENAI_BASE_URL, else local ports " + strings.Join(backends.LocalPorts(), ", "),
			value: &e.BaseURLs,
			Local: true,
		},
		{
			Name: "api-key-env",
			Help: "`NAME` of the environment variable that holds the API key; " +
				"OPENAI_API_KEY is used with --base-url and OPENAI_BASE_URL, never with a server found on a port",
			value: &e.APIKeyEnv,
			Local: true,
		},
	})
}

// in sets the part of the request that fields belong to.
func in(part string, fields []Field) []Field {
	for i := range fields {
		fields[i].Part = part
	}
	return fields
}

// splitAgents takes names with commas between them. Those of a simulation are part of its name.
func splitAgents(names string) []string {
	if strings.HasPrefix(names, "sim:") {
		return []string{names}
	}
	return strings.Split(names, ",")
}
