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

// runState holds a run that is prepared, planned or in progress.
type runState struct {
	req    RunRequest
	job    *judging.RunJob
	set    *datasets.Set
	judges []backends.PoolMember // the servers to ask, usually one
	// concurrencyReason returns the reason for the last server's limit of requests in flight; nil if no server is
	// asked.
	concurrencyReason func() string
	completed         int          // number of judgments in the run already
	missing           atomic.Int64 // number of judgments still to make
	stopped           atomic.Bool  // the user stopped the run
	// gentleEnd is done when the run ends gently: no more requests and retries.
	gentleEnd           context.Context
	endGently           context.CancelFunc              // ends ending
	nonJudgmentRequests backends.RequestCounter         // requests other than for judgments
	out                 string                          // path of the run's folder
	dir                 *judging.Dir                    // the folder at out, while it is open
	watches             map[string]*backends.ModelWatch // checks of the servers' models, by the server's address
	checks              *identityChecks                 // nil until the run asks for judgments
	records             *scoring.Loader                 // all valid records, old and new
	liveScore           *scoring.LiveScore              // scores so far; nil without an observer

	clientOverride backends.Client // used instead of servers, such as a simulation; may be nil
	// isReplay says that the run repeats another from its records. copyRecords then makes the run's records from those of
	// the original; it is nil for a simulated judge.
	isReplay      bool
	copyRecords   func(ctx context.Context, use func(*judging.Record) error) error
	replayReaders judging.ReaderSet // the readers for the scores of a replay; "" for the default

	earlierManifest    *judging.Manifest                // manifest of an earlier try; nil for none
	systemFingerprints map[string]backends.Fingerprints // system fingerprints of its replies, by the server's address

	rule     *StoppingRule // may end the run before its last item; may be nil
	ruleFeed *ruleFeeder   // passes items to the rule; nil without a rule
}

// runItems holds the items of a run: a dataset and the rows chosen from it.
type runItems struct {
	set  *datasets.Set
	rows []int // indexes in set
	info judging.DatasetInfo

	mapping datasets.Mapping // the dataset's columns that hold the parts of items

	shard  *judging.Shard // describes the shard that rows are; nil if rows are all items of the request
	places []int          // of a shard: index of each row among all items of the request
}

// checkItems returns the protocol and the prompt of a request, and an error if the protocol does not take the items.
func checkItems(o RunRequest, subset runItems) (k judging.Protocol, t judging.Template, err error) {
	k, err = judging.ProtocolNamed(o.Protocol)
	if err != nil {
		return k, t, err
	}
	t, err = findTemplate(k, o.PromptNameOrFile)
	if err != nil {
		return k, t, err
	}
	return k, t, checkShape(k, subset)
}

// openItems finds the protocol, opens the dataset of a request and selects items from it.
func (e *Maker) openItems(o RunRequest) (subset runItems, k judging.Protocol, err error) {
	k, err = o.FindProtocol()
	if err != nil {
		return subset, k, err
	}
	set, err := e.Library.OpenWith(o.Dataset, o.OpenOptions())
	if err != nil {
		return subset, k, err
	}
	rows, err := e.pick(o, set)
	if err != nil {
		set.Close()
		return subset, k, err
	}
	subset = runItems{set: set, rows: rows, info: DatasetInfo(set, o), mapping: set.Mapping}
	asPairs := k.PresentationsPerItem == 2 && set.Format == datasets.OptionsFormat.Name
	if o.AddUnrelatedOption || o.MaxOptions > 0 || asPairs {
		defer set.Close()
		subset, err = changeItemOptions(subset, o, asPairs)
		if err != nil {
			return subset, k, err
		}
	}
	subset, err = o.selectShard(subset)
	return subset, k, err
}

// changeItemOptions cuts items down to --max-options options and puts an unrelated option before them or, with asPairs,
// makes all pairs of their options. The result consists of new dataset lines.
func changeItemOptions(subset runItems, o RunRequest, asPairs bool) (runItems, error) {
	var unrelated *datasets.UnrelatedOptions
	var lines [][]byte
	for _, row := range subset.rows {
		item, err := subset.set.Item(row)
		if err != nil {
			return runItems{}, err
		}
		if asPairs {
			lines = append(lines, item.PairLines()...)
			continue
		}
		if !item.Shape.Info().VariableCandidates {
			return runItems{}, InvalidField("unrelated", o.AddUnrelatedOption,
				"and --max-options are for items with options; %s has items of shape %s", subset.set.Name, item.Shape)
		}
		item = datasets.ReduceOptions(item, o.MaxOptions, o.Seed)
		if o.AddUnrelatedOption && unrelated == nil {
			unrelated, err = datasets.NewUnrelatedOptions(subset.set, o.Seed)
		}
		if o.AddUnrelatedOption && err == nil {
			item, err = unrelated.InsertInto(item)
		}
		var line []byte
		if err == nil {
			line, err = datasets.EncodeOptions(item)
		}
		if err != nil {
			return runItems{}, err
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return runItems{}, fmt.Errorf("%s: no items are left to judge", subset.set.Name)
	}
	format := datasets.OptionsFormat.Name
	if asPairs {
		format = datasets.JudgeBenchFormat.Name
		subset.info.Format = format
		subset.info.Rows = len(lines)
	}
	set, err := datasets.FromLines(subset.set.Name, format, lines)
	if err != nil {
		return runItems{}, err
	}
	subset.set = set
	subset.rows = datasets.FirstIndexes(set.Len())
	return subset, nil
}

// pick notes remarks on a dataset and returns the indexes of the items that the request selects.
func (e *Maker) pick(o RunRequest, set *datasets.Set) ([]int, error) {
	for _, line := range set.Remarks() {
		e.Notef("%s", line)
	}
	sel := o.Selection()
	if set.Format == datasets.JudgmentsFormat.Name { // the sample was drawn when the file was made
		if o.Sample != nil {
			return nil, InvalidField("sample", *o.Sample,
				": %s already holds judgments of a sample; use the flag when you make them", set.Name)
		}
		sel.ItemsPerGroup = 0
	}
	if o.IDsFile != "" {
		ids, err := datasets.ReadIDs(o.IDsFile)
		if err != nil {
			return nil, err
		}
		sel.IDs = ids
	}
	rows, err := sel.Pick(set)
	if err != nil && o.IDsFile != "" {
		return nil, fmt.Errorf("--ids %s: %w", o.IDsFile, err)
	}
	return rows, err
}

// findTemplate returns the prompt of a protocol with this name, or the one in the file at this path.
func findTemplate(protocol judging.Protocol, name string) (judging.Template, error) {
	t, err := protocol.Template(name)
	if err == nil {
		return t, nil
	}
	if !strings.ContainsAny(name, `/\.`) {
		return t, ErrorOfKind(ErrUsage, err)
	}
	return protocol.ReadTemplateFile(name)
}

// prepare prepares the run of a request from its items and judges. It asks for no judgment and writes nothing.
func (e *Maker) prepare(
	ctx context.Context, o RunRequest, subset runItems, judges []backends.PoolMember,
) (*runState, error) {
	protocol, template, err := checkItems(o, subset)
	if err != nil {
		return nil, err
	}
	template = protocol.AdaptTemplate(e.promptForModel(o, protocol, template, judges[0]), o.Options)
	p := &runState{req: o, set: subset.set, judges: judges}
	if o.Simulated() {
		p.clientOverride = judges[0].Client
	}
	ctx = backends.WithRequestCounter(ctx, &p.nonJudgmentRequests)
	server, model := p.judges[0].Server, JointModel(p.judges)
	asker := protocol.NewAsker(template, o.Options)
	params := o.CallParameters()
	if !protocol.HasFollowUpTurn {
		params.VerdictAttempts = 1
	}
	if err := checkAbilities(server, model, &params); err != nil {
		return nil, err
	}
	spec := judging.Spec{
		Protocol: protocol.Name, Goal: protocol.GoalOf(o.Options), Prompt: template, ProtocolOptions: o.Options,
		Dataset: judging.DatasetSpec{
			SHA256:        subset.set.SHA256,
			Items:         len(subset.rows),
			IDsHash:       judging.HashIDs(len(subset.rows), func(i int) string { return subset.set.ItemID(subset.rows[i]) }),
			IncludedTurns: o.Turns,
			Lang:          o.ItemLanguage,
			Unrelated:     o.AddUnrelatedOption,
			MaxOptions:    o.MaxOptions,
			FieldMapping:  strings.Join(subset.mapping.Fields, ","),
			LabelValues:   strings.Join(subset.mapping.LabelValues, ","),
		},
		Model:      ModelSpec(judges),
		Parameters: params,
	}
	if server.Can(backends.SetsContext) && params.NumCtx == 0 {
		n := 0
		if e.EarlierNumCtx != nil {
			n = e.EarlierNumCtx(o)
		}
		if n == 0 && subset.shard != nil && subset.shard.Dataset != subset.set.SHA256 {
			return nil, errShardContext
		}
		if n == 0 {
			longest := judging.MaxFirstTurnBytes(asker, p.set)
			n = judging.SizeContext(longest, params.MaxTokens, maxConversationReplies(protocol, params), model.TrainedContext)
		}
		spec.Parameters.NumCtx = n
	}
	p.job = &judging.RunJob{Asker: asker, Set: subset.set, Rows: subset.rows, Now: e.Now}
	if counter, ok := judges[0].Backend.(backends.TokenCounter); ok {
		p.job.CountTokens = counter.CountTokens
	}
	spec.Parameters.MaxTokens, err = e.fitReply(ctx, p, subset, spec, maxConversationReplies(protocol, params))
	if err != nil {
		return nil, err
	}
	m, out := e.newManifest(o, subset, spec)
	p.out = out
	p.job.Manifest = m
	presentations, err := judging.CountPresentations(asker, subset.set, subset.rows)
	if err != nil {
		return nil, err
	}
	m.Simulated, m.Judgments = server.Can(backends.IsSimulated), presentations*params.Repetitions()
	m.Model, m.Server = model, server
	m.Servers = allServers(p.judges)
	m.Concurrency = e.jointConcurrency(o, p.judges)
	if !m.Simulated {
		m.Timeout, m.RetryFor = o.Timeout.String(), o.RetryFor.String()
	}
	p.job.Concurrency = m.Concurrency
	if err := checkItemsHaveOptions(asker, subset, server, model); err != nil {
		return nil, err
	}
	return p, p.setPromptLimit()
}

// checkItemsHaveOptions returns an error if a decision model would have to answer a question without options.
func checkItemsHaveOptions(
	asker judging.Asker, subset runItems, server backends.ServerInfo, model backends.Model,
) error {
	if !server.Can(backends.HasDecisionModels) || len(subset.rows) == 0 {
		return nil
	}
	item, err := subset.firstItem()
	if err != nil {
		return err
	}
	presentations := asker.Presentations(item)
	if len(presentations) == 0 || len(asker.Prompt(item, presentations[0]).Labels) > 0 {
		return nil
	}
	return fmt.Errorf("%s is a decision model, which chooses among options: it cannot answer the questions of %s "+
		"(without its own answers: gavel run pairwise compares pairs, gavel run self-reference --mode cot judges those "+
		"of agents)", model.Name, subset.set.Name)
}

// promptForModel returns the prompt of a run: the protocol's prompt for decision models if the judge is one and the
// user chose no prompt, or else template.
func (e *Maker) promptForModel(
	o RunRequest, k judging.Protocol, template judging.Template, judge backends.PoolMember,
) judging.Template {
	if judge.Server.Can(backends.HasDecisionModels) && !o.PromptGiven {
		if t, err := k.Template(judging.DecisionPromptName); err == nil {
			e.Notef("%s is a decision model, which writes no reply: it is asked with --prompt %s", judge.Model.Name, t.Name)
			return t
		}
	}
	return template
}

// errShardContext is the error for a shard of items made from answers: the context depends on the items of all shards.
var errShardContext = InvalidField("num-ctx", 0,
	"is missing: the context has to be that of all judgments, and a shard has some of them")

// checkShape returns an error unless the protocol judges items of this shape.
func checkShape(protocol judging.Protocol, subset runItems) error {
	if len(subset.rows) == 0 {
		return nil
	}
	item, err := subset.firstItem()
	if err != nil {
		return err
	}
	if !protocol.Takes(item.Shape) {
		var shapes []string
		for _, s := range protocol.Shapes {
			shapes = append(shapes, string(s))
		}
		return usageError("%s judges items of shape %s; %s has items of shape %s (gavel run %s)",
			protocol.Name, strings.Join(shapes, " or "), subset.set.Name, item.Shape,
			strings.Join(judging.ProtocolNames(judging.ProtocolsFor(item.Shape)), ", gavel run "))
	}
	return nil
}

// checkAbilities returns an error if the server cannot do what params request, and adapts params to a decision model
// and to the probabilities that the server returns.
func checkAbilities(server backends.ServerInfo, model backends.Model, params *judging.Parameters) error {
	if server.Can(backends.TruncatesPrompts) && !server.Can(backends.RefusesLongPrompts) {
		return fmt.Errorf("%s silently truncates long prompts, and gavel cannot prevent it: "+
			"upgrade it to %s or later", DescribeServer(server), server.FirstVersionWith(backends.RefusesLongPrompts))
	}
	if !server.Can(backends.SetsContext) && !server.Can(backends.IsSimulated) && params.NumCtx > 0 {
		return InvalidField("num-ctx", params.NumCtx,
			": only Ollama lets the client set the context; start %s with the context you want", server.Name)
	}
	if server.FirstVersionWith(backends.ReportsLogprobs) != "" && !server.Can(backends.ReportsLogprobs) {
		model.Logprobs = backends.AbilityNo
	}
	if t := params.Think; t != backends.ThinkAuto && t != backends.ThinkOff && model.Thinks == backends.AbilityNo {
		return InvalidField("think", t,
			"%s: %s is not a thinking model, says %s; leave out the flag", t, model.Name, server.Name)
	}
	if params.ThinkBudget > 0 && !server.Can(backends.LimitsThinking) {
		return InvalidField("think-budget", params.ThinkBudget, ": %s takes no number of tokens in a request; "+
			"leave it out, and try --think low, medium or high", DescribeServer(server))
	}
	if params.StopRepetition && !server.Can(backends.StopsRepetition) {
		return InvalidField("stop-repetition", true,
			": %s cannot be asked to; vLLM 0.17 and later can. Leave it out, and lower --max-tokens", DescribeServer(server))
	}
	if server.Can(backends.HasDecisionModels) {
		params.Constrain, params.MaxTokens = true, 1 // it writes no text
		params.SystemTextRole = backends.RoleSystem  // the system text is the question
	}
	if params.Constrain && model.Logprobs == backends.AbilityYes {
		params.Logprobs = true
	}
	if params.Logprobs && model.Logprobs == backends.AbilityNo {
		return InvalidField("logprobs", true,
			": %s returns no token probabilities; leave out the flag", DescribeServer(server))
	}
	return nil
}

// setPromptLimit sets the largest number of tokens that a prompt of the job may have.
func (p *runState) setPromptLimit() error {
	j, m := p.job, p.job.Manifest
	maxTokens, context := m.Spec.Parameters.MaxTokens, p.contextTokens()
	if m.Server.Can(backends.ReservesReplyRoom) && context > 0 && maxTokens >= context {
		return InvalidField("max-tokens", maxTokens,
			"%d: %s reserves room for the whole reply, and its context of %d leaves none for a prompt; lower it",
			maxTokens, m.Server.Name, context)
	}
	j.MaxPromptTokens = m.Server.PromptLimit(context, maxTokens)
	return nil
}

// contextTokens returns the number of tokens that a prompt and its reply may have together, or 0 if unknown.
func (p *runState) contextTokens() int {
	m := p.job.Manifest
	return cmp.Or(m.Spec.Parameters.NumCtx, m.Model.Context)
}

// longestPromptLength returns the length of the longest prompt of a run that asks a server, and warns if the prompt
// leaves too little room for the reply. No request depends on the length.
func (e *Maker) longestPromptLength(ctx context.Context, p *runState) judging.PromptLength {
	j, m := p.job, p.job.Manifest
	if p.isReplay || m.Simulated || len(j.Rows) == 0 {
		return m.LongestPrompt
	}
	maxTokens, context := m.Spec.Parameters.MaxTokens, p.contextTokens()
	longest, _ := j.LongestPrompt(ctx, context, 0)
	if longest.Tokens == 0 { // an item cannot be read, which the run reports
		return m.LongestPrompt
	}
	room := context - longest.Tokens
	switch {
	case context == 0 || longest.Tokens > j.MaxPromptTokens && longest.CountMethod == judging.CountedByBytes:
	case longest.Tokens > j.MaxPromptTokens:
		e.Notef("the longest prompt has %d tokens, the server takes at most %d: "+
			"such items end as prompt-too-long (--dry-run counts them)", longest.Tokens, j.MaxPromptTokens)
	case room < maxTokens:
		e.Notef("the longest prompt has %d tokens (%s) and leaves %d of %d for its reply, "+
			"less than --max-tokens %d: serve more context, or expect truncated replies",
			longest.Tokens, longest.CountMethod, room, context, maxTokens)
	}
	return longest
}

// DatasetInfo describes the dataset of a request and how its items are chosen.
func DatasetInfo(set *datasets.Set, o RunRequest) judging.DatasetInfo {
	sel := o.Selection()
	info := judging.DatasetInfo{
		Name: set.Name, Format: set.Format, Rows: set.Len(), Skipped: set.Skipped,
		Sample: sel.Sample, ItemsPerGroup: sel.ItemsPerGroup, Limit: o.Limit, Groups: o.Groups,
	}
	if set.Path != "" && set.Name == set.Path {
		info.Name = datasets.ShortName(set.Path)
	}
	if info.Sample+info.ItemsPerGroup > 0 || o.AddUnrelatedOption || o.MaxOptions > 0 {
		info.Seed = o.Seed
	}
	if o.IDsFile != "" {
		info.IDsFile = filepath.Base(o.IDsFile)
	}
	for _, b := range set.SkipReasons {
		info.BadLines = append(info.BadLines, b.Error())
	}
	return info
}

// unsafeInNames matches characters that gavel does not use in the names of folders.
var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// FolderName returns a text as a folder's name, or "" if nothing is left of it.
func FolderName(text string) string {
	return strings.Trim(unsafeInNames.ReplaceAllString(text, "-"), "-.")
}

// runName returns the name of a run's folder: it describes the run, and is the same for the same run. try is the number
// of a shard's try.
func runName(m *judging.Manifest, try int) string {
	part := func(s string) string { return FolderName(filepath.Base(s)) }
	id, suffix := m.ID, ""
	if s := m.Shard; s != nil {
		id, suffix = s.WholeID, judging.ShardSuffix(s.Index, s.Count, try)
	}
	return strings.Join([]string{
		part(m.Dataset.Name), m.Spec.Protocol, part(m.Spec.Prompt.Name), part(m.Spec.Model.Name), id[:8],
	}, "_") + suffix
}
