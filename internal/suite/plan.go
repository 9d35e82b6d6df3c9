package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/internal/eval"
	"gavel/judging"
)

// cellPlan is the plan of one cell (run) of a suite, with the runs of models' answers that it needs.
type cellPlan struct {
	Cell      string `json:"cell"`
	Judge     string `json:"judge"`
	Condition string `json:"condition"`
	amounts
	Error string `json:"error,omitempty"` // the reason why the cell cannot be planned
	// AgentAmounts has the amounts of models other than the judge.
	AgentAmounts map[string]*amounts `json:"agents,omitempty"`
}

// amounts holds numbers of judgments and calls, and what the calls cost in tokens and time.
type amounts struct {
	Judgments       int `json:"judgments"`                 // judgments of the runs
	Completed       int `json:"standing"`                  // judgments that the runs have already
	CachedJudgments int `json:"cached"`                    // judgments in the cache, or that an earlier cell asks for
	TooLong         int `json:"prompt_too_long,omitempty"` // judgments not asked, as their prompt does not fit the context
	Calls           int `json:"calls"`                     // requests to make: one for each judgment to ask
	MaxCalls        int `json:"calls_at_most"`             // calls if every judgment takes as many turns as it may
	// CallsOfLaterStages counts the calls that need answers of a stage to come, so that their prompts' length is unknown.
	CallsOfLaterStages int      `json:"later,omitempty"`
	PromptTokens       int      `json:"prompt_tokens"`          // estimate for all calls except CallsOfLaterStages
	ReplyTokens        int      `json:"reply_tokens"`           // estimate, without UnmeasuredCalls
	Hours              float64  `json:"hours"`                  // time of the calls, without UnmeasuredCalls
	UnmeasuredCalls    int      `json:"calls_of_unknown_speed"` // calls of models whose speed was not measured
	SpeedSources       []string `json:"measured_by,omitempty"`  // what the speeds were measured by
	// ContextSizes lists the context sizes in tokens requested from Ollama, which loads the model anew for each.
	ContextSizes []int `json:"num_ctx,omitempty"`
}

func (a *amounts) add(b amounts) {
	a.Judgments += b.Judgments
	a.Completed += b.Completed
	a.CachedJudgments += b.CachedJudgments
	a.TooLong += b.TooLong
	a.Calls += b.Calls
	a.MaxCalls += b.MaxCalls
	a.CallsOfLaterStages += b.CallsOfLaterStages
	a.PromptTokens += b.PromptTokens
	a.ReplyTokens += b.ReplyTokens
	a.Hours += b.Hours
	a.UnmeasuredCalls += b.UnmeasuredCalls
	for _, basis := range b.SpeedSources {
		if !slices.Contains(a.SpeedSources, basis) {
			a.SpeedSources = append(a.SpeedSources, basis)
		}
	}
	for _, n := range b.ContextSizes {
		if !slices.Contains(a.ContextSizes, n) {
			a.ContextSizes = append(a.ContextSizes, n)
		}
	}
	slices.Sort(a.ContextSizes)
}

// setCosts sets the time of the calls and the tokens of their replies by pace, the measured cost of
// a judgment; nil: unknown.
func (a *amounts) setCosts(pace *eval.JudgmentTime) {
	if pace == nil {
		a.UnmeasuredCalls = a.Calls
		return
	}
	a.Hours = float64(a.Calls) * pace.Seconds / 3600
	a.ReplyTokens = int(float64(a.Calls) * pace.ReplyTokens)
	a.SpeedSources = []string{pace.Basis}
}

// Plan says how many judgments and calls a suite needs, by cell and by judge.
type Plan struct {
	Suite      string      `json:"suite"`
	Out        string      `json:"out"`
	Conditions int         `json:"conditions"`
	Judges     []judgePlan `json:"judges"`
	Cells      []*cellPlan `json:"cells"`
	Total      amounts     `json:"total"`
	Limits     *Limits     `json:"limits,omitempty"`
	Exceeded   []string    `json:"above,omitempty"` // descriptions of limits that the total exceeds
}

// judgePlan sums up the cells of one judge, or the answers of a model that is only an agent.
type judgePlan struct {
	Judge string `json:"judge"`
	Cells int    `json:"cells"`
	amounts
}

// count adds the amounts in p, the plan of the request o, to the cell. It skips runs whose folder is in done, since an
// earlier cell counts them, and adds the others to done.
func (c *cellPlan) count(o eval.RunRequest, p *eval.Plan, speeds *eval.Speeds, done map[string]bool) {
	for _, run := range p.Runs {
		if done[run.Dir] {
			continue
		}
		done[run.Dir] = true
		plan := run.Plan
		a := amounts{
			Judgments:       plan.Judgments,
			Completed:       plan.Completed,
			CachedJudgments: plan.Cached,
			TooLong:         plan.TooLong,
			Calls:           plan.Calls(),
			MaxCalls:        plan.CallsAtMost,
			PromptTokens:    plan.PromptTokens,
		}
		if a.Calls > 0 {
			if n := run.Manifest.Spec.Parameters.NumCtx; n > 0 {
				a.ContextSizes = []int{n}
			}
			a.setCosts(run.Pace)
		}
		c.stageAmounts(o, run.Request).add(a)
	}
	if later := p.Later; later != nil {
		n := later.Judgments * later.Request.CallParameters().Repetitions()
		a := amounts{Judgments: n, Calls: n, MaxCalls: n, CallsOfLaterStages: n}
		pace := &eval.SimulatedPace
		if !later.Request.Simulated() {
			pace = speeds.Pace(eval.ModelSpec(later.JudgeServers), later.Request.Protocol, later.Request.PromptNameOrFile)
		}
		a.setCosts(pace)
		c.add(a)
	}
}

// stageAmounts returns where the amounts of stage, a run for the cell's request o, are added: the judge's or, if stage
// asks another model, that model's.
func (c *cellPlan) stageAmounts(o, stage eval.RunRequest) *amounts {
	if stage.Model == o.Model && stage.Backend == o.Backend && slices.Equal(stage.BaseURLs, o.BaseURLs) {
		return &c.amounts
	}
	name := "agent " + strings.Join(append([]string{stage.Model}, stage.BaseURLs...), " at ")
	if c.AgentAmounts[name] == nil {
		c.AgentAmounts[name] = &amounts{}
	}
	return c.AgentAmounts[name]
}

// Plan plans every cell of the suite and asks no judge for judgments. An error about a judge is stored
// in the plans of its cells.
func (s *Suite) Plan(ctx context.Context, e *eval.Maker) (*Plan, error) {
	maker := *e
	if release, err := maker.OpenSharedCache(s.requests); err == nil {
		defer release()
	} else {
		e.Notef("warning: cannot look up what the cache would answer: %v", err)
	}
	maker.Observer = &distinctNotes{Observer: cmp.Or[eval.Observer](e.Observer, eval.SilentObserver{})}
	maker.EarlierNumCtx = earlierNumCtx
	maker.PlannedKeys = map[[32]byte]bool{}
	maker.Speeds = eval.SpeedsIn(s.Out, filepath.Dir(filepath.Clean(s.Out)))
	plan := &Plan{Suite: s.Name, Out: s.Out, Conditions: len(s.conditions)}
	if s.limits.any() {
		plan.Limits = &s.limits
	}
	unreachable := map[*Judge]error{}
	done := map[string]bool{}
	for _, c := range s.Cells {
		cp := &cellPlan{Cell: c.name, Judge: c.judge.name, Condition: c.condition.Name, AgentAmounts: map[string]*amounts{}}
		plan.Cells = append(plan.Cells, cp)
		err := unreachable[c.judge]
		if err == nil {
			var p *eval.Plan
			p, err = maker.Plan(ctx, c.Request)
			switch {
			case err == nil:
				cp.count(c.Request, p, maker.Speeds, done)
			case maker.CheckJudge(ctx, c.Request) != nil:
				unreachable[c.judge] = err
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			cp.Error = s.explain(err)
		}
		plan.addCell(cp)
	}
	plan.checkLimits()
	return plan, nil
}

// distinctNotes is an observer that passes on each message for people only once.
type distinctNotes struct {
	eval.Observer
	notes sync.Map
}

func (o *distinctNotes) Note(text string) {
	if _, repeated := o.notes.LoadOrStore(text, true); !repeated {
		o.Observer.Note(text)
	}
}

// explain returns the text of an error, with advice where a suite needs other advice than a run.
func (s *Suite) explain(err error) string {
	if errors.Is(err, judging.ErrOtherRun) {
		return fmt.Sprintf("%v, or, in a suite, give %s another name or out: the file has changed", err, s.path)
	}
	return err.Error()
}

// addCell adds the amounts of a cell to those of its judge, its agents and the total.
func (p *Plan) addCell(c *cellPlan) {
	row := func(name string) *judgePlan {
		i := slices.IndexFunc(p.Judges, func(j judgePlan) bool { return j.Judge == name })
		if i < 0 {
			i, p.Judges = len(p.Judges), append(p.Judges, judgePlan{Judge: name})
		}
		return &p.Judges[i]
	}
	j := row(c.Judge)
	j.Cells++
	j.add(c.amounts)
	p.Total.add(c.amounts)
	for _, name := range slices.Sorted(maps.Keys(c.AgentAmounts)) {
		row(name).add(*c.AgentAmounts[name])
		p.Total.add(*c.AgentAmounts[name])
	}
	p.Total.ContextSizes = nil // contexts of different models
}

// checkLimits adds to p.Exceeded the limits that the total exceeds.
func (p *Plan) checkLimits() {
	if p.Limits == nil {
		return
	}
	if l := p.Limits.Calls; l > 0 && p.Total.Calls > l {
		p.Exceeded = append(p.Exceeded, fmt.Sprintf("%d calls, the limit is %d", p.Total.Calls, l))
	}
	switch l := p.Limits.Hours; {
	case l > 0 && p.Total.Hours > l:
		p.Exceeded = append(p.Exceeded, fmt.Sprintf("%s, the limit is %s",
			eval.DurationText(3600*p.Total.Hours), eval.DurationText(3600*l)))
	case l > 0 && p.Total.UnmeasuredCalls > 0:
		p.Exceeded = append(p.Exceeded, fmt.Sprintf("the time of %d calls is unknown, the limit is %s: "+
			"a short run of the judge measures it", p.Total.UnmeasuredCalls, eval.DurationText(3600*l)))
	}
}
