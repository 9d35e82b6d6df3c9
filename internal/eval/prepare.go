package eval

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// runState is a run that is ready to be made, planned or gone on with.
type runState struct {
	req    Request
	job    *judging.Job
	set    *datasets.Set
	judges []backends.Member // the servers to ask, mostly one
	// whyAtOnce says why no more is asked of the last of them at once; nil where no server is asked.
	whyAtOnce func() string
	completed int          // judgments that need not be made
	left      atomic.Int64 // that are still to be made
	stopped   atomic.Bool  // somebody told the run to stop
	// ending is done when the run ends gently: nothing more is asked, nor tried again.
	ending    context.Context
	endGently context.CancelFunc
	account   backends.Account
	out       string
	dir       *judging.Dir               // out, while it is open
	watches   map[string]*backends.Watch // of the servers, by address; none of those that cannot say which model they have
	checks    *checks                    // nil where nothing is asked
	records   *scoring.Loader            // all that stand or are made
	soFar     *scoring.SoFar             // what they come to; nil where nobody is told

	client backends.Client // asked instead of servers, such as a simulation; nil for none
	// Of a replay: the records that are made of those of the run; may be nil.
	replay  bool
	given   func(ctx context.Context, use func(*judging.Record) error) error
	reading judging.Readers // that it is scored by; "" for the usual one

	earlier *judging.Manifest                // of an earlier try; nil for none
	systems map[string]backends.Fingerprints // of the replies that it was given, by the server's address

	rule   *Rule     // that may end it before its last item; may be nil
	follow *follower // that tells the rule
}

// items are what a run is of: a dataset, and which of its rows.
type items struct {
	set  *datasets.Set
	rows []int
	info judging.DatasetInfo

	mapping datasets.Mapping // by which the dataset was read

	shard  *judging.Shard // which part of the items these are; nil for all
	places []int          // of each row among all
}

// ask finds the protocol and its prompt, and holds the items to what it takes.
func ask(o Request, its items) (k judging.Protocol, t judging.Template, err error) {
	k, err = judging.ProtocolNamed(o.Protocol)
	if err != nil {
		return k, t, err
	}
	t, err = findTemplate(k, o.Prompt)
	if err != nil {
		return k, t, err
	}
	return k, t, takes(k, its)
}

// openItems finds the protocol, opens the dataset of a request and selects items from it.
func (e *Maker) openItems(o Request) (its items, k judging.Protocol, err error) {
	k, err = o.FindProtocol()
	if err != nil {
		return its, k, err
	}
	set, err := e.Library.OpenWith(o.Dataset, o.Open())
	if err != nil {
		return its, k, err
	}
	rows, err := e.pick(o, set)
	if err != nil {
		set.Close()
		return its, k, err
	}
	its = items{set: set, rows: rows, info: DatasetInfo(set, o), mapping: set.Mapping}
	if o.Unrelated || o.MaxOptions > 0 {
		defer set.Close()
		its, err = changedOptions(its, o)
		if err != nil {
			return its, k, err
		}
	}
	its, err = o.sharded(its)
	return its, k, err
}

// changedOptions cuts items down to --max-options and puts an unrelated option
// before the rest. What comes out are lines of their own: the run's items.
func changedOptions(its items, o Request) (items, error) {
	var unrelated *datasets.Unrelated
	var lines [][]byte
	for _, row := range its.rows {
		item, err := its.set.Item(row)
		if err != nil {
			return items{}, err
		}
		if !item.Shape.Info().Cut {
			return items{}, Wrong("unrelated", o.Unrelated,
				"and --max-options are for items with options; %s has items of shape %s", its.set.Name, item.Shape)
		}
		item = datasets.TrimOptions(item, o.MaxOptions, o.Seed)
		if o.Unrelated {
			if unrelated == nil {
				unrelated, err = datasets.NewUnrelated(its.set, o.Seed)
				if err != nil {
					return items{}, err
				}
			}
			item, err = unrelated.Add(item)
			if err != nil {
				return items{}, err
			}
		}
		line, err := datasets.OptionsLine(item)
		if err != nil {
			return items{}, err
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return items{}, fmt.Errorf("%s: no items are left to judge", its.set.Name)
	}
	set, err := datasets.FromLines(its.set.Name, datasets.OptionLines.Name, lines)
	if err != nil {
		return items{}, err
	}
	return items{set: set, rows: all(set), info: its.info, mapping: its.mapping}, nil
}

func (e *Maker) pick(o Request, set *datasets.Set) ([]int, error) {
	for _, line := range set.Remarks() {
		e.say("%s", line)
	}
	sel := o.Selection()
	if set.Format == datasets.Judgments.Name { // its questions were drawn when it was made
		if o.Sample != nil {
			return nil, Wrong("sample", *o.Sample,
				": %s already holds judgments of a sample; use the flag when you make them", set.Name)
		}
		sel.SampleEach = 0
	}
	if o.IDs != "" {
		ids, err := datasets.ReadIDs(o.IDs)
		if err != nil {
			return nil, err
		}
		sel.IDs = ids
	}
	rows, err := sel.Pick(set)
	if err != nil && o.IDs != "" {
		return nil, fmt.Errorf("--ids %s: %w", o.IDs, err)
	}
	return rows, err
}

func findTemplate(protocol judging.Protocol, name string) (judging.Template, error) {
	t, err := protocol.Template(name)
	if err == nil {
		return t, nil
	}
	if !strings.ContainsAny(name, `/\.`) {
		return t, Failed(ErrUsage, err)
	}
	return protocol.TemplateFile(name)
}

// prepare works out the run of a request from its items and its judges. It asks for no judgment and writes nothing.
func (e *Maker) prepare(ctx context.Context, o Request, its items, judges []backends.Member) (*runState, error) {
	protocol, template, err := ask(o, its)
	if err != nil {
		return nil, err
	}
	template = protocol.Adapted(e.decision(o, protocol, template, judges[0]), o.Options)
	p := &runState{req: o, set: its.set, judges: judges}
	if o.Simulated() {
		p.client = judges[0].Client
	}
	ctx = backends.WithAccount(ctx, &p.account)
	server, model := p.judges[0].Server, JointModel(p.judges)
	asker := protocol.New(template, o.Options)
	params := o.CallParameters()
	if !protocol.FollowUps {
		params.Attempts = 1
	}
	if err := abilities(server, model, &params); err != nil {
		return nil, err
	}
	spec := judging.Spec{
		Protocol: protocol.Name, Goal: protocol.GoalOf(o.Options), Prompt: template, Options: o.Options,
		Dataset: judging.DatasetSpec{
			SHA256:      its.set.SHA256,
			Items:       len(its.rows),
			IDs:         judging.HashIDs(len(its.rows), func(i int) string { return its.set.ID(its.rows[i]) }),
			Turns:       o.Turns,
			Lang:        o.Lang,
			Unrelated:   o.Unrelated,
			MaxOptions:  o.MaxOptions,
			Field:       strings.Join(its.mapping.Fields, ","),
			LabelValues: strings.Join(its.mapping.LabelValues, ","),
		},
		Model:      ModelSpec(judges),
		Parameters: params,
	}
	if server.Can(backends.SetContext) && params.NumCtx == 0 {
		n := 0
		if e.NumCtx != nil {
			n = e.NumCtx(o)
		}
		if n == 0 && its.shard != nil && its.shard.Dataset != its.set.SHA256 {
			return nil, errShardContext
		}
		if n == 0 {
			longest := judging.LongestPrompt(asker, p.set)
			n = judging.SizeContext(longest, params.MaxTokens, turns(protocol, params), model.Trained)
		}
		spec.Parameters.NumCtx = n
	}
	spec.Parameters.MaxTokens, err = e.fitReply(ctx, o, its, judges, protocol, spec)
	if err != nil {
		return nil, err
	}
	m, out := e.runOf(o, its, spec)
	p.out = out
	presentations, err := judging.CountPresentations(asker, its.set, its.rows)
	if err != nil {
		return nil, err
	}
	m.Simulated, m.Judgments = server.Can(backends.Simulate), presentations*params.Repetitions()
	m.Model, m.Server = model, server
	m.Servers = allServers(p.judges)
	m.Concurrency = e.jointConcurrency(o, p.judges)
	if !m.Simulated {
		m.Timeout, m.RetryFor = o.Timeout.String(), o.RetryFor.String()
	}
	p.job = &judging.Job{
		Manifest: m, Asker: asker, Set: its.set, Rows: its.rows,
		Concurrency: m.Concurrency, Now: e.Now,
	}
	if err := offered(asker, its, server, model); err != nil {
		return nil, err
	}
	return p, p.limit()
}

// offered refuses a judge that chooses among options where a question has none.
func offered(asker judging.Asker, its items, server backends.Server, model backends.Model) error {
	if !server.Can(backends.Decide) || len(its.rows) == 0 {
		return nil
	}
	item, err := its.first()
	if err != nil {
		return err
	}
	shown := asker.Presentations(item)
	if len(shown) == 0 || len(asker.Prompt(item, shown[0]).Labels) > 0 {
		return nil
	}
	return fmt.Errorf("%s is a decision model, which chooses among options: it cannot answer the questions of %s "+
		"(without its own answers: gavel run pairwise compares pairs, gavel run self-reference --mode cot judges those "+
		"of agents)", model.Name, its.set.Name)
}

// decision returns the prompt of a run: for judges that write nothing the one made for them, where none was chosen.
func (e *Maker) decision(
	o Request, k judging.Protocol, chosen judging.Template, judge backends.Member,
) judging.Template {
	if judge.Server.Can(backends.Decide) && !o.PromptGiven {
		if t, err := k.Template(judging.Decision); err == nil {
			e.say("%s is a decision model, which writes no reply: it is asked with --prompt %s", judge.Model.Name, t.Name)
			return t
		}
	}
	return chosen
}

// errShardContext refuses a shard whose items are made of answers: the context is sized by the items of all shards.
var errShardContext = Wrong("num-ctx", 0,
	"is missing: the context has to be that of all judgments, and a shard has some of them")

// takes tells whether the protocol judges such items.
func takes(protocol judging.Protocol, its items) error {
	if len(its.rows) == 0 {
		return nil
	}
	item, err := its.first()
	if err != nil {
		return err
	}
	if !protocol.Takes(item.Shape) {
		var shapes []string
		for _, s := range protocol.Judges {
			shapes = append(shapes, string(s))
		}
		return usage("%s judges items of shape %s; %s has items of shape %s (gavel run %s)",
			protocol.Name, strings.Join(shapes, " or "), its.set.Name, item.Shape,
			strings.Join(judging.Names(judging.ProtocolsFor(item.Shape)), ", gavel run "))
	}
	return nil
}

// abilities settles what the server can be asked for, before anything is paid.
func abilities(server backends.Server, model backends.Model, params *judging.Parameters) error {
	if server.Can(backends.CutPrompts) && !server.Can(backends.RefuseLong) {
		return fmt.Errorf("%s silently truncates long prompts, and gavel cannot prevent it: "+
			"upgrade it to %s or later", Describe(server), server.Since(backends.RefuseLong))
	}
	if !server.Can(backends.SetContext) && !server.Can(backends.Simulate) && params.NumCtx > 0 {
		return Wrong("num-ctx", params.NumCtx,
			": only Ollama lets the client set the context; start %s with the context you want", server.Name)
	}
	if server.Since(backends.TellLogprobs) != "" && !server.Can(backends.TellLogprobs) {
		model.Logprobs = backends.No
	}
	if t := params.Think; t != backends.ThinkAuto && t != backends.ThinkOff && model.Thinks == backends.No {
		return Wrong("think", t, "%s: %s is not a thinking model, says %s; leave out the flag", t, model.Name, server.Name)
	}
	if params.ThinkBudget > 0 && !server.Can(backends.TakeBudget) {
		return Wrong("think-budget", params.ThinkBudget, ": %s takes no number of tokens in a request; "+
			"leave it out, and try --think low, medium or high", Describe(server))
	}
	if params.StopRepetition && !server.Can(backends.EndRepetition) {
		return Wrong("stop-repetition", true,
			": %s cannot be asked to; vLLM 0.17 and later can. Leave it out, and lower --max-tokens", Describe(server))
	}
	if server.Can(backends.Decide) {
		params.Constrain, params.MaxTokens = true, 1 // it writes none
		params.SystemRole = backends.System          // that is the question, and the rest is what it is about
	}
	if params.Constrain && model.Logprobs == backends.Yes {
		params.Logprobs = true
	}
	if params.Logprobs && model.Logprobs == backends.No {
		return Wrong("logprobs", true, ": %s returns no token probabilities; leave out the flag", Describe(server))
	}
	return nil
}

// limit sets how many tokens a prompt may have, and who counts them.
func (p *runState) limit() error {
	j, m := p.job, p.job.Manifest
	most, context := m.Spec.Parameters.MaxTokens, p.context()
	if m.Server.Can(backends.ReserveReply) && context > 0 && most >= context {
		return Wrong("max-tokens", most,
			"%d: %s reserves room for the whole reply, and its context of %d leaves none for a prompt; lower it",
			most, m.Server.Name, context)
	}
	j.Limit = m.Server.PromptLimit(context, most)
	if counter, ok := p.judges[0].Backend.(backends.Counter); ok {
		j.Count = counter.CountTokens
	}
	return nil
}

// context returns how many tokens a prompt and its reply may have; 0 where nobody knows.
func (p *runState) context() int {
	m := p.job.Manifest
	return cmp.Or(m.Spec.Parameters.NumCtx, m.Model.Context)
}

// longest counts the longest prompt of a run that asks a server, and says what it leaves for the reply. Nothing that is
// asked depends on it.
func (e *Maker) longest(ctx context.Context, p *runState) judging.Length {
	j, m := p.job, p.job.Manifest
	if p.replay || m.Simulated || len(j.Rows) == 0 {
		return m.Longest
	}
	most, context := m.Spec.Parameters.MaxTokens, p.context()
	longest, _ := j.LongestPrompt(ctx, context, 0)
	if longest.Tokens == 0 { // an item cannot be read, which is for the run to complain about
		return m.Longest
	}
	room := context - longest.Tokens
	switch {
	case context == 0 || longest.Tokens > j.Limit && longest.By == judging.CountedByBytes:
	case longest.Tokens > j.Limit:
		e.say("the longest prompt has %d tokens, the server takes at most %d: "+
			"such items end as prompt-too-long (--dry-run counts them)", longest.Tokens, j.Limit)
	case room < most:
		e.say("the longest prompt has %d tokens (%s) and leaves %d of %d for its reply, "+
			"less than --max-tokens %d: serve more context, or expect cut replies",
			longest.Tokens, longest.By, room, context, most)
	}
	return longest
}

// DatasetInfo says where the items of a request came from.
func DatasetInfo(set *datasets.Set, o Request) judging.DatasetInfo {
	sel := o.Selection()
	info := judging.DatasetInfo{
		Name: set.Name, Format: set.Format, Rows: set.Len(), Skipped: set.Skipped,
		Sample: sel.Sample, Each: sel.SampleEach, Limit: o.Limit, Groups: o.Groups,
	}
	if set.Path != "" && set.Name == set.Path {
		info.Name = datasets.Base(set.Path)
	}
	if info.Sample+info.Each > 0 || o.Unrelated || o.MaxOptions > 0 {
		info.Seed = o.Seed
	}
	if o.IDs != "" {
		info.IDs = filepath.Base(o.IDs)
	}
	for _, b := range set.Bad {
		info.Bad = append(info.Bad, b.Error())
	}
	return info
}

// UnsafeInNames are characters that the name of a folder is made without.
var UnsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// runName is a folder name that says what the run is and is the same for the same run.
func runName(m *judging.Manifest, try int) string {
	part := func(s string) string {
		return strings.Trim(UnsafeInNames.ReplaceAllString(filepath.Base(s), "-"), "-.")
	}
	id, suffix := m.ID, ""
	if s := m.Shard; s != nil {
		id, suffix = s.Whole, judging.ShardSuffix(s.Index, s.Of, try)
	}
	return strings.Join([]string{
		part(m.Dataset.Name), m.Spec.Protocol, part(m.Spec.Prompt.Name), part(m.Spec.Model.Name), id[:8],
	}, "_") + suffix
}
