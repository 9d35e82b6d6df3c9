package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

// A protocol with stages is a chain of runs, each in a folder of its own beside
// the others: what one has answered are the dataset lines of the next. Whatever
// is there already, of this judge or of an agent, is not asked for again.

// stages are the runs that a judging run stands on.
type stages struct {
	opts      runOptions
	runs      string // folder of runs, where --out names none
	questions items
	judges    []backends.Member
	own       *judging.Answers
	agents    []*judging.Answers
	reports   []scoring.Report // of the answer runs, for the tables
	passing   string           // of a dry run: folder for what is gone after it
}

// runStaged asks the judge for its own answers, gathers those of the agents and
// has the judge judge them.
func (e *env) runStaged(ctx context.Context, o runOptions) error {
	its, err := e.openItems(o)
	if err != nil {
		return err
	}
	defer its.set.Close()
	staged, err := stagesOf(o, its)
	if err != nil {
		return err
	}
	if !staged {
		p, err := e.prepareWith(ctx, o, its)
		if err != nil {
			return err
		}
		return e.planOrMake(ctx, p, nil)
	}
	s := &stages{opts: o, runs: e.hooks.folder(), questions: its}
	defer func() { os.RemoveAll(s.passing) }()
	if err := e.answerStages(ctx, s); err != nil {
		return err
	}
	p, err := e.judgeStage(ctx, s)
	if p == nil || err != nil {
		return err
	}
	defer p.set.Close()
	return e.planOrMake(ctx, p, s.reports)
}

// stagesOf tells whether a judging run of the items has stages before it, or
// whether those are in its dataset, and refuses what can be neither.
func stagesOf(o runOptions, its items) (staged bool, err error) {
	shape, err := its.shape()
	switch {
	case err != nil:
		return false, err
	case shape == datasets.Judgment && len(o.agents) > 0:
		return false, usage("--agents: %s holds agents' answers already", o.dataset)
	case shape == datasets.Judgment:
		_, err = ask(o, its)
		return false, err
	case shape == datasets.Pair: // its questions can be answered, but nobody says what is right
		return true, usage("%s has items of shape %s, without an answer that is right: gavel run pairwise --self-reference has a judge compare them with its own answer as reference", its.set.Name, shape)
	case len(o.agents) == 0:
		return true, usage("--agents is missing: whose answers are to be judged? A file of answers, an answer run, or MODEL@URL")
	}
	_, err = ask((&stages{opts: o}).answerOptions(), its)
	return true, err
}

func (e *env) planOrMake(ctx context.Context, p *prepared, before []scoring.Report) error {
	if p.opts.dryRun {
		return e.plan(ctx, p)
	}
	rep, err := e.make(ctx, p)
	if rep != nil {
		if perr := e.print(p.opts.format, report.Scores{Runs: append(before, *rep)}); perr != nil {
			return perr
		}
	}
	return err
}

func (its items) shape() (datasets.Shape, error) {
	if len(its.rows) == 0 {
		return "", fmt.Errorf("%s: no items are left to judge", its.set.Name)
	}
	item, err := its.set.Item(its.rows[0])
	return item.Shape, err
}

// answerStages sees to the judge's own answers, then to each agent's.
func (e *env) answerStages(ctx context.Context, s *stages) (err error) {
	answering := s.answerOptions()
	var agents []agentSource // found before anything is asked: what is mistyped costs nothing
	for _, a := range s.opts.agents {
		source, err := e.findAgent(ctx, s, a)
		if err != nil {
			return fmt.Errorf("--agents %s: %w", a, err)
		}
		agents = append(agents, source)
	}
	if s.judges, err = e.findJudges(ctx, s.opts); err != nil {
		return err
	}
	if s.opts.own != "" {
		s.own, err = e.readAnswers(s, s.opts.own)
	} else {
		s.own, err = e.makeAnswers(ctx, s, answering, s.judges, "the judge's own answers")
	}
	if err != nil {
		return err
	}
	for i, answers := range agents {
		agent, err := answers()
		if err != nil {
			return fmt.Errorf("--agents %s: %w", s.opts.agents[i], err)
		}
		if agent != nil {
			s.agents = append(s.agents, agent)
		}
	}
	return nil
}

// answerOptions are those of an answer run under the same flags.
func (s *stages) answerOptions() runOptions {
	o := s.opts
	o.protocol, o.settings = "answer", nil
	kind, _ := judging.KindNamed(o.protocol)
	o.prompt = kind.Templates[0].Name
	o.out = ""
	return o
}

// makeAnswers makes an answer run, or goes on with it, beside the judging run. In
// a dry run it is planned, and its answers are nil unless they are all there.
func (e *env) makeAnswers(ctx context.Context, s *stages, o runOptions, judges []backends.Member, what string) (*judging.Answers, error) {
	q, err := ask(o, s.questions)
	if err != nil {
		return nil, err
	}
	p, err := e.equip(ctx, o, q, s.questions, judges)
	if err != nil {
		return nil, err
	}
	p.out = filepath.Join(s.folder(), filepath.Base(p.out))
	if e.hooks.planner == nil {
		e.say("stage: %s, in %s", what, p.out)
	}
	if o.dryRun {
		if m, err := judging.ReadManifest(p.out); err != nil || m.ID != p.job.Manifest.ID || m.Status != judging.Complete {
			return nil, e.plan(ctx, p)
		}
		return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
	}
	rep, err := e.make(ctx, p)
	if err != nil {
		return nil, err
	}
	s.reports = append(s.reports, *rep)
	return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
}

// folder is where the stages' runs are: beside the judging run.
func (s *stages) folder() string {
	if s.opts.out == "" {
		return s.runs
	}
	return filepath.Dir(filepath.Clean(s.opts.out))
}

// readAnswers reads an answer run that is there.
func (e *env) readAnswers(s *stages, dir string) (*judging.Answers, error) {
	rep, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	scored := rep.Score(scoring.DefaultOptions.Bootstrap)
	scored.Run = dir
	answers, err := judging.ReadAnswers(dir, scoring.DefaultOptions.Reading)
	if err == nil && answers.Unfinished() && rep.Manifest.Imported == "" {
		return nil, fmt.Errorf("%s is not finished (%d answers failed or are missing): run its command again first, or the judgments would be another run's later", dir, answers.Failed+answers.Lacking)
	}
	s.reports = append(s.reports, scored)
	return answers, err
}

// agentSource gives an agent's answers. Only that of a model asks for any.
type agentSource func() (*judging.Answers, error)

// findAgent finds the answers of an agent: of a run, of a file of outputs, or of
// a model that is to be asked.
func (e *env) findAgent(ctx context.Context, s *stages, agent string) (agentSource, error) {
	if info, err := os.Stat(agent); err == nil {
		dir := agent
		if !info.IsDir() {
			if dir, err = e.importAgent(s, agent); err != nil {
				return nil, err
			}
		}
		answers, err := e.readAnswers(s, dir)
		return func() (*judging.Answers, error) { return answers, nil }, err
	}
	o := s.answerOptions()
	model, at, named := strings.Cut(agent, "@")
	switch {
	case strings.HasPrefix(agent, "sim:"):
		o.endpointOptions = endpointOptions{backend: "sim"}
		model = agent
	case !named:
		return nil, usage("neither a file, nor a run, nor MODEL@URL")
	default:
		o.endpointOptions = endpointOptions{backend: "auto", baseURLs: []string{at}, apiKeyEnv: o.apiKeyEnv}
	}
	o.model = model
	judges, err := e.findJudges(ctx, o)
	if err != nil {
		return nil, err
	}
	return func() (*judging.Answers, error) {
		return e.makeAnswers(ctx, s, o, judges, "answers of the agent "+model)
	}, nil
}

// named lists the runs that the judging run stands on.
func (s *stages) named() []judging.StageOf {
	of := func(role string, a *judging.Answers) judging.StageOf {
		return judging.StageOf{Role: role, Run: a.Run, ID: a.ID, Model: a.Name}
	}
	list := []judging.StageOf{of("judge", s.own)}
	for _, a := range s.agents {
		list = append(list, of("agent", a))
	}
	return list
}

// importAgent makes an answer run of a file of answers: published MMLU-Pro
// outputs, or gavel's own lines of answers to the questions at hand.
func (e *env) importAgent(s *stages, file string) (dir string, err error) {
	name := strings.Trim(unsafeInNames.ReplaceAllString(datasets.Base(file), "-"), "-.")
	dir = filepath.Join(s.folder(), name+"_answer_imported")
	if s.opts.dryRun {
		if s.passing == "" {
			if s.passing, err = os.MkdirTemp("", "gavel-plan-"); err != nil {
				return "", err
			}
		}
		dir = filepath.Join(s.passing, name)
	}
	switch {
	case strings.HasSuffix(file, ".zip") || strings.HasSuffix(file, ".json"):
		_, err = judging.ImportMMLUPro(file, dir, "", version())
	default:
		_, err = judging.ImportAnswers(file, dir, judging.AnswersOptions{Questions: s.questions.set, Dataset: s.questions.info}, version())
	}
	if err != nil {
		return "", fmt.Errorf("%w; \"gavel import\" makes a run of other files", err)
	}
	if !s.opts.dryRun {
		e.say("stage: answers of %s, in %s", file, dir)
	}
	return dir, nil
}

// judgeStage makes the dataset of the judging run out of the stages before it. In
// a dry run with stages that are not there yet there is none.
func (e *env) judgeStage(ctx context.Context, s *stages) (*prepared, error) {
	if s.own == nil || len(s.agents) < len(s.opts.agents) {
		if pl := e.hooks.planner; pl != nil {
			pl.follow(s, len(s.questions.rows)*len(s.opts.agents)*modesOf(s.opts))
			return nil, nil
		}
		e.say("%d × %d judgments follow in each mode once the stages before are there", len(s.questions.rows), len(s.opts.agents))
		return nil, nil
	}
	lines, staged, err := judging.Stage(s.questions.set, s.questions.rows, s.own, s.agents)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("there is nothing to judge: no question of %s has an answer of the judge's and of an agent's", s.questions.set.Name)
	}
	p, err := e.fromStage(ctx, s, string(datasets.Judgment), lines, staged.Warnings)
	if err != nil {
		return nil, err
	}
	p.job.Manifest.Staged = staged
	return p, nil
}

// fromStage is the judging run on lines that were made of the stages before it.
func (e *env) fromStage(ctx context.Context, s *stages, format string, lines [][]byte, warnings []string) (*prepared, error) {
	for _, w := range warnings {
		e.say("warning: %s", w)
	}
	set, err := datasets.FromLines(s.questions.set.Name, format, lines)
	if err != nil {
		return nil, err
	}
	info := s.questions.info
	info.Format, info.Rows = set.Format, set.Len()
	its := items{set, all(set), info}
	q, err := ask(s.opts, its)
	if err != nil {
		return nil, err
	}
	p, err := e.equip(ctx, s.opts, q, its, s.judges)
	if err != nil {
		set.Close()
		return nil, err
	}
	p.job.Manifest.Stages = s.named()
	return p, nil
}
