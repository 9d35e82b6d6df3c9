package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/internal/eval"
	"gavel/judging"
)

// planner takes the plans of several runs: what one asks, the next has from the
// cache, and a stage that several stand on is asked once.
type planner struct {
	speeds *eval.Speeds
	cell   *Cell
	plan   *cellPlan // of the cell at hand
	stages map[string]bool
}

// cellPlan is what a cell would do, its stages included.
type cellPlan struct {
	Cell      string `json:"cell"`
	Judge     string `json:"judge"`
	Condition string `json:"condition"`
	amounts
	Error string `json:"error,omitempty"` // why it cannot be planned
	// Agents are what is asked of models other than the judge.
	Agents map[string]*amounts `json:"agents,omitempty"`
}

// amounts are what is to be asked.
type amounts struct {
	Judgments int `json:"judgments"`
	Completed int `json:"standing"` // in the runs already
	Cached    int `json:"cached"`   // in the cache, or asked by a cell before
	TooLong   int `json:"prompt_too_long,omitempty"`
	Calls     int `json:"calls"` // one for each judgment to be asked for
	AtMost    int `json:"calls_at_most"`
	// Later is how many of the calls stand on stages that are not there yet: how
	// long their prompts will be, nobody knows.
	Later        int      `json:"later,omitempty"`
	PromptTokens int      `json:"prompt_tokens"`          // about, without those of Later
	ReplyTokens  int      `json:"reply_tokens"`           // about, as far as measured
	Hours        float64  `json:"hours"`                  // as far as measured
	Unmeasured   int      `json:"calls_of_unknown_speed"` // that Hours and ReplyTokens leave out
	Basis        []string `json:"measured_by,omitempty"`
	// NumCtx are the contexts that Ollama is asked for: it loads the model for each.
	NumCtx []int `json:"num_ctx,omitempty"`
}

func (a *amounts) add(b amounts) {
	a.Judgments += b.Judgments
	a.Completed += b.Completed
	a.Cached += b.Cached
	a.TooLong += b.TooLong
	a.Calls += b.Calls
	a.AtMost += b.AtMost
	a.Later += b.Later
	a.PromptTokens += b.PromptTokens
	a.ReplyTokens += b.ReplyTokens
	a.Hours += b.Hours
	a.Unmeasured += b.Unmeasured
	for _, basis := range b.Basis {
		if !slices.Contains(a.Basis, basis) {
			a.Basis = append(a.Basis, basis)
		}
	}
	for _, n := range b.NumCtx {
		a.load(n)
	}
}

// load adds a context to those that a model is loaded for.
func (a *amounts) load(n int) {
	if n > 0 && !slices.Contains(a.NumCtx, n) {
		a.NumCtx = append(a.NumCtx, n)
		slices.Sort(a.NumCtx)
	}
}

// Plan is what a suite would do.
type Plan struct {
	Suite      string      `json:"suite"`
	Out        string      `json:"out"`
	Conditions int         `json:"conditions"`
	Judges     []judgePlan `json:"judges"`
	Cells      []*cellPlan `json:"cells"`
	Total      amounts     `json:"total"`
	Limits     *Limits     `json:"limits,omitempty"`
	Above      []string    `json:"above,omitempty"` // the limits that it is above
}

// judgePlan is all of one judge, or of a model that is asked for answers alone.
type judgePlan struct {
	Judge string `json:"judge"`
	Cells int    `json:"cells"`
	amounts
}

// count adds the plan of a cell's runs.
func (pl *planner) count(p *eval.Plan) {
	for _, run := range p.Runs {
		pl.take(run)
	}
	if p.Later != nil {
		pl.follow(p.Later)
	}
}

// take adds the plan of a run to its cell.
func (pl *planner) take(run *eval.RunPlan) {
	if run.Request.Protocol != pl.cell.Request.Protocol { // a stage
		if pl.stages[run.Dir] {
			return
		}
		pl.stages[run.Dir] = true
	}
	plan := run.Plan
	a := amounts{
		Judgments: plan.Judgments, Completed: plan.Completed, Cached: plan.Cached, TooLong: plan.TooLong,
		Calls: plan.Calls(), AtMost: plan.CallsAtMost, PromptTokens: plan.Tokens,
	}
	if a.Calls > 0 {
		a.load(run.Manifest.Spec.Parameters.NumCtx)
		a.charge(run.Pace)
	}
	pl.amountsOf(run.Request).add(a)
}

// amountsOf are the judge's or, where another model is asked, that model's.
func (pl *planner) amountsOf(r eval.Request) *amounts {
	if o := pl.cell.Request; r.Model == o.Model && r.Backend == o.Backend && slices.Equal(r.BaseURLs, o.BaseURLs) {
		return &pl.plan.amounts
	}
	name := "agent " + strings.Join(append([]string{r.Model}, r.BaseURLs...), " at ")
	if pl.plan.Agents[name] == nil {
		pl.plan.Agents[name] = &amounts{}
	}
	return pl.plan.Agents[name]
}

// charge says how long the calls take and how much is written, where the pace is known.
func (a *amounts) charge(pace *eval.Pace) {
	if pace == nil {
		a.Unmeasured = a.Calls
		return
	}
	a.Hours = float64(a.Calls) * pace.Seconds / 3600
	a.ReplyTokens = int(float64(a.Calls) * pace.ReplyTokens)
	a.Basis = []string{pace.Basis}
}

// follow counts judgments that stand on stages which are not there yet.
func (pl *planner) follow(later *eval.Later) {
	n := later.Judgments * later.Request.CallParameters().Repetitions()
	a := amounts{Judgments: n, Calls: n, AtMost: n, Later: n}
	pace := &eval.SimulatedPace
	if !later.Request.Simulated() {
		pace = pl.speeds.Of(eval.ModelSpec(later.Judges), later.Request.Protocol, later.Request.Prompt)
	}
	a.charge(pace)
	pl.plan.add(a)
}

// Plan plans every cell. A judge that cannot be found is said with its cells.
func (s *Suite) Plan(ctx context.Context, e *eval.Maker) (*Plan, error) {
	pl := &planner{
		speeds: eval.SpeedsIn(s.Out, filepath.Dir(filepath.Clean(s.Out))),
		stages: map[string]bool{},
	}
	once := *e
	if release, err := once.Hold(s.requests); err == nil {
		defer release()
	} else if e.Observer != nil {
		e.Observer.Note(fmt.Sprintf("warning: cannot look up what the cache would answer: %v", err))
	}
	once.Observer = &onlyOnce{Observer: cmp.Or[eval.Observer](e.Observer, eval.Quiet{})}
	once.NumCtx = contextOf
	once.Planned = map[[32]byte]bool{}
	once.Speeds = pl.speeds
	plan := &Plan{Suite: s.Name, Out: s.Out, Conditions: len(s.conditions)}
	if s.limits.any() {
		plan.Limits = &s.limits
	}
	unreachable := map[*Judge]error{}
	for _, c := range s.Cells {
		cp := &cellPlan{Cell: c.name, Judge: c.judge.name, Condition: c.condition.Name, Agents: map[string]*amounts{}}
		plan.Cells = append(plan.Cells, cp)
		pl.cell, pl.plan = c, cp
		err := unreachable[c.judge]
		if err == nil {
			var p *eval.Plan
			p, err = once.Plan(ctx, c.Request)
			switch {
			case err == nil:
				pl.count(p)
			case once.CheckJudge(ctx, c.Request) != nil:
				unreachable[c.judge] = err
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			cp.Error = s.explain(err)
		}
		plan.count(cp)
	}
	plan.hold()
	return plan, nil
}

// onlyOnce says everything once.
type onlyOnce struct {
	eval.Observer
	said sync.Map
}

func (o *onlyOnce) Note(text string) {
	if _, again := o.said.LoadOrStore(text, true); !again {
		o.Observer.Note(text)
	}
}

// explain adds to an error what to do about it in a suite.
func (s *Suite) explain(err error) string {
	if errors.Is(err, judging.ErrOtherRun) {
		return fmt.Sprintf("%v, or, in a suite, give %s another name or out: the file has changed", err, s.path)
	}
	return err.Error()
}

// count adds a cell to its judge, its agents and the total.
func (p *Plan) count(c *cellPlan) {
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
	for _, name := range sorted(c.Agents) {
		row(name).add(*c.Agents[name])
		p.Total.add(*c.Agents[name])
	}
	p.Total.NumCtx = nil // of one model with those of another: nobody loads that
}

// hold compares the total with the limits.
func (p *Plan) hold() {
	if p.Limits == nil {
		return
	}
	if l := p.Limits.Calls; l > 0 && p.Total.Calls > l {
		p.Above = append(p.Above, fmt.Sprintf("%d calls, the limit is %d", p.Total.Calls, l))
	}
	switch l := p.Limits.Hours; {
	case l > 0 && p.Total.Hours > l:
		p.Above = append(p.Above, fmt.Sprintf("%s, the limit is %s", eval.Span(3600*p.Total.Hours), eval.Span(3600*l)))
	case l > 0 && p.Total.Unmeasured > 0:
		p.Above = append(p.Above, fmt.Sprintf("the time of %d calls is unknown, the limit is %s: "+
			"a short run of the judge measures it", p.Total.Unmeasured, eval.Span(3600*l)))
	}
}
