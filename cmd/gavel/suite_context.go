package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// suiteContexts chooses the context that a suite's runs ask Ollama for. Ollama
// loads a model anew for every other one, so that all runs that ask a model have
// the same: what the largest of them needs. It follows from the file, the
// datasets and the runs that were there before, and from nothing that the suite
// itself comes to know on its way: so the plan, the run, and the run that goes on
// after a crash have the same. Runs whose num-ctx is set by hand are left alone.
type suiteContexts struct {
	suite *suite
	needs map[string]int       // of a model, see asked
	cells map[string]cellNeeds // by what is asked, whoever is
	read  bool                 // what was in the suite's folder: the two below
	had   map[judging.ModelSpec][]int
	same  map[string][]int // of runs that differ in nothing else
}

// cellNeeds are the contexts that the prompts of a cell need.
type cellNeeds struct {
	judge   int // of the judgments
	answers int // of stages before them: the judge's own answers, those of agents
}

func newSuiteContexts(s *suite) *suiteContexts {
	return &suiteContexts{suite: s, needs: map[string]int{}, cells: map[string]cellNeeds{}, had: map[judging.ModelSpec][]int{}, same: map[string][]int{}}
}

// of is the context of a run whose spec, but for that, is known. One that has
// begun keeps its own, since with another it would be another run: that in the
// run's folder or, where the folder is named after what the run is, that of a run
// which differs in nothing else.
func (c *suiteContexts) of(e *env, o runOptions, spec judging.Spec, trained int) int {
	c.look()
	all := c.ofModel(e, o, spec.Model, trained)
	if n := begunContext(o.out); n > 0 {
		return n
	}
	if same := c.chosen(o, c.same[withoutContext(spec)]); len(same) > 0 {
		return slices.Max(same)
	}
	return all
}

// begunContext is that of the run in a folder; 0 where there is none.
func begunContext(dir string) int {
	if dir == "" {
		return 0
	}
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return 0
	}
	return m.Spec.Parameters.NumCtx
}

// ofModel is that of all runs that ask one model and have not begun.
func (c *suiteContexts) ofModel(e *env, o runOptions, model judging.ModelSpec, trained int) int {
	c.look()
	n := slices.Max(append(c.chosen(o, c.had[model]), c.need(e, asked(o.baseURLs, o.model))))
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}

// following is that of judgments whose dataset is not there yet; 0 where the
// server is not told any.
func (c *suiteContexts) following(e *env, s *stages) int {
	if s.judges[0].Server.Kind != "ollama" {
		return 0
	}
	if n := cmp.Or(s.opts.parameters.NumCtx, begunContext(s.opts.out)); n > 0 {
		return n
	}
	return c.ofModel(e, s.opts, modelSpec(s.judges), jointModel(s.judges).Trained)
}

// load adds a context to those that a model is loaded for.
func (a *amounts) load(n int) {
	if n > 0 && !slices.Contains(a.NumCtx, n) {
		a.NumCtx = append(a.NumCtx, n)
		slices.Sort(a.NumCtx)
	}
}

func (a amounts) numCtx() string {
	var list []string
	for _, n := range a.NumCtx {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, " ")
}

// chosen leaves out what a cell of the same model has set by hand.
func (c *suiteContexts) chosen(o runOptions, contexts []int) []int {
	return slices.DeleteFunc(slices.Clone(contexts), func(n int) bool {
		return slices.ContainsFunc(c.suite.cells, func(cell *suiteCell) bool {
			return cell.opts.parameters.NumCtx == n && cell.opts.asks(asked(o.baseURLs, o.model))
		})
	})
}

// look reads what runs the suite's folder has, the first time somebody wants to
// know: those that come later have been given their context here.
func (c *suiteContexts) look() {
	if c.read {
		return
	}
	c.read = true
	dir := filepath.Dir(filepath.Clean(c.suite.cells[0].opts.out))
	entries, _ := os.ReadDir(dir) // there is none before the suite has begun
	for _, entry := range entries {
		m, err := judging.ReadManifest(filepath.Join(dir, entry.Name()))
		if err != nil || m.Spec.Parameters.NumCtx == 0 {
			continue
		}
		n, id := m.Spec.Parameters.NumCtx, withoutContext(m.Spec)
		c.had[m.Spec.Model], c.same[id] = append(c.had[m.Spec.Model], n), append(c.same[id], n)
	}
}

// withoutContext names a run's spec, whatever its context.
func withoutContext(s judging.Spec) string {
	s.Parameters.NumCtx = 0
	return judging.NewManifest("", s).ID
}

// asked names a model at its servers, however both are written.
func asked(urls []string, model string) string {
	var at []string
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil {
			text = sameURL(u)
		}
		at = append(at, text)
	}
	slices.Sort(at)
	return strings.TrimSuffix(model, ":latest") + "@" + strings.Join(at, ",")
}

// asks tells whether a run asks a model, as its judge or as an agent.
func (o runOptions) asks(who string) bool {
	return asked(o.baseURLs, o.model) == who || slices.ContainsFunc(o.agents, func(a string) bool { return askedAgent(a) == who })
}

// askedAgent is who is asked for an agent's answers; "" where nobody is.
func askedAgent(agent string) string {
	model, at, named := strings.Cut(agent, "@")
	if !named {
		return ""
	}
	return asked([]string{at}, model)
}

// need is the most that any cell needs of a model. A cell that cannot be told
// needs nothing: it says itself what is wrong with it.
func (c *suiteContexts) need(e *env, who string) int {
	if n, known := c.needs[who]; known {
		return n
	}
	n := 0
	for _, cell := range c.suite.cells {
		o := cell.opts
		if o.parameters.NumCtx > 0 || !o.asks(who) {
			continue
		}
		needs := c.cell(e, o)
		if n = max(n, needs.answers); asked(o.baseURLs, o.model) == who {
			n = max(n, needs.judge)
		}
	}
	c.needs[who] = n
	return n
}

// cell is what a cell needs, worked out once for all judges.
func (c *suiteContexts) cell(e *env, o runOptions) cellNeeds {
	key := o.apart()
	if n, known := c.cells[key]; known {
		return n
	}
	quiet := *e
	quiet.stderr = io.Discard
	n, err := quiet.needsOf(o)
	if err != nil {
		n = cellNeeds{}
	}
	c.cells[key] = n
	return n
}

// needsOf writes the prompts of a cell, and bounds those that stand on answers
// which are still to be given.
func (e *env) needsOf(o runOptions) (n cellNeeds, err error) {
	its, err := e.openItems(o)
	if err != nil {
		return n, err
	}
	defer its.set.Close()
	kind, err := judging.KindNamed(o.protocol)
	if err != nil {
		return n, err
	}
	template, err := findTemplate(kind, o.prompt)
	if err != nil {
		return n, err
	}
	protocol := kind.New(kind.Adapted(template, o.settings), o.settings)
	s := &stages{opts: o, questions: its}
	staged, err := s.before(kind)
	if err != nil {
		return n, err
	}
	if !staged {
		n.judge = sizeContext(kind, o.parameters, judging.LongestPrompt(protocol, its.set), 0)
		return n, nil
	}
	longest, err := e.longestStaged(s, protocol)
	if err != nil {
		return n, err
	}
	n.judge = sizeContext(kind, o.parameters, longest, 0)
	n.answers, err = s.needOfAnswers()
	return n, err
}

// apart names what is asked, whoever is asked and wherever the run is.
func (o runOptions) apart() string {
	o.endpointOptions, o.model, o.out = endpointOptions{}, "", ""
	return fmt.Sprintf("%+v", o)
}

// before tells whether there are stages before the judgments.
func (s *stages) before(kind judging.Kind) (bool, error) {
	if s.opts.settings.Get(judging.ReferenceOption) == "true" {
		answered, err := answeredPairs(s.questions)
		return !answered, err
	}
	if !kind.Takes(datasets.Judgment) {
		return false, nil
	}
	return stagesOf(s.opts, s.questions)
}

// needOfAnswers is the context that answers to the questions need.
func (s *stages) needOfAnswers() (int, error) {
	o := s.answerOptions()
	q, err := ask(o, s.questions)
	if err != nil {
		return 0, err
	}
	return sizeContext(q.kind, o.parameters, judging.LongestPrompt(q.kind.New(q.template, nil), s.questions.set), 0), nil
}

// longestStaged bounds the prompts of judgments by the answers that were there
// before the suite, and by --max-tokens for each that the suite asks for.
func (e *env) longestStaged(s *stages, protocol judging.Protocol) (int, error) {
	defer func() { os.RemoveAll(s.passing) }()
	s.opts.dryRun = true // an agent's file is taken in for a moment only
	set := s.questions.set
	toCome := judging.Unanswered("(to come)", set, s.opts.mostOfAnswer())
	own, agents := toCome, []*judging.Answers(nil)
	if s.opts.own != "" {
		var err error
		if own, err = judging.ReadAnswers(s.opts.own, scoring.DefaultOptions.Reading); err != nil {
			return 0, err
		}
	}
	if len(s.opts.agents) == 0 {
		return judging.LongestReferenced(protocol, set, own)
	}
	for _, a := range s.opts.agents {
		answers, err := e.givenBy(s, a)
		if err != nil {
			return 0, err
		}
		if answers == nil { // one stands for all of them
			answers = toCome
		}
		if !slices.Contains(agents, answers) {
			agents = append(agents, answers)
		}
	}
	return judging.LongestJudgment(protocol, set, own, agents)
}

// givenBy reads an agent's answers; nil where they are to be asked for.
func (e *env) givenBy(s *stages, agent string) (*judging.Answers, error) {
	info, err := os.Stat(agent)
	if err != nil {
		return nil, nil
	}
	if !info.IsDir() {
		if agent, err = e.importAgent(s, agent); err != nil {
			return nil, err
		}
	}
	return judging.ReadAnswers(agent, scoring.DefaultOptions.Reading)
}

// mostOfAnswer is how many tokens an answer has at most: a reply, and with
// --constrain the label in a line of its own.
func (o runOptions) mostOfAnswer() int {
	const label = 32 // bytes, which are tokens at most
	if o.parameters.Constrain {
		return o.parameters.MaxTokens + label
	}
	return o.parameters.MaxTokens
}
