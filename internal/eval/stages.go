package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/scoring"
)

// A protocol with stages is a chain of runs, each in a folder of its own beside the others: what one has answered are
// the dataset lines of the next. Whatever is there already, of this judge or of an agent, is not asked for again.

// stages are the runs that a judging run stands on.
type stages struct {
	opts      Request
	stage     *judging.Stage
	folder    string // of their runs, beside the judging run
	questions items
	judges    []backends.Member
	own       *judging.Answers
	ownless   bool // the judge has no answers of its own, and needs none
	agents    []*judging.Answers
	reports   []scoring.Report // of the answer runs, for the tables
	passing   string           // of a dry run: folder for imports, which is gone after it
}

// work is a request that is being made, or planned.
type work struct {
	*Maker
	plan *Plan // nil where it is made
	made []scoring.Report

	lacking error // of a stage that is at its end, but lacks answers
}

// Run makes the run of a request, with the stages it stands on where its protocol has some, or goes on with it. The
// reports are those of the stages and then of the run itself; they are there even where the error is not nil, as far as
// there was anything to score. The error may be ErrUsage, ErrIncomplete or ErrInterrupted.
func (e *Maker) Run(ctx context.Context, o Request) ([]scoring.Report, error) {
	w := &work{Maker: e}
	err := w.any(ctx, o)
	if err == nil {
		err = w.lacking
	}
	return w.made, err
}

// Plan says what Run would do.
func (e *Maker) Plan(ctx context.Context, o Request) (*Plan, error) {
	w := &work{Maker: e, plan: new(Plan)}
	err := w.any(ctx, o)
	return w.plan, err
}

func (w *work) any(ctx context.Context, o Request) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Shard != "" {
		if err := w.settle(&o); err != nil {
			return err
		}
	}
	its, protocol, err := w.openItems(o)
	if err != nil {
		return err
	}
	defer its.set.Close()
	if stage := protocol.Before(o.Options); stage != nil {
		return w.staged(ctx, o, stage, its)
	}
	return w.direct(ctx, o, its)
}

// direct has items judged that need no stage before. What they are asked is checked before a server is looked for.
func (w *work) direct(ctx context.Context, o Request, its items) error {
	if _, _, err := ask(o, its); err != nil {
		return err
	}
	judges, err := w.FindJudges(ctx, o)
	if err != nil {
		return err
	}
	p, err := w.prepare(ctx, o, its, judges)
	if err != nil {
		return err
	}
	return w.planOrMake(ctx, p)
}

// note says something of a stage.
func (w *work) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); w.plan != nil {
		w.plan.Notes = append(w.plan.Notes, text)
	} else {
		w.say("%s", text)
	}
}

// staged asks the judge for its own answers, gathers those of agents where it judges them, and has it judge.
func (w *work) staged(ctx context.Context, o Request, stage *judging.Stage, its items) error {
	s := &stages{opts: o, stage: stage, folder: w.folder(), questions: its}
	if o.Out != "" {
		s.folder = filepath.Dir(filepath.Clean(o.Out))
	}
	before, err := s.before()
	if err != nil {
		return err
	}
	if !before {
		return w.direct(ctx, o, its)
	}
	if w.plan != nil {
		s.passing, err = os.MkdirTemp("", "gavel-plan-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(s.passing)
	}
	if err := w.answerStages(ctx, s); err != nil {
		return err
	}
	p, err := w.judgeStage(ctx, s)
	if p == nil || err != nil {
		return err
	}
	if stage.Agents { // what is right to a pair's question nobody has published: answers to it have no score
		w.made = s.reports
	}
	return w.planOrMake(ctx, p)
}

// before tells whether the stages are still to come, or are in the dataset, and refuses what can be neither.
func (s *stages) before() (bool, error) {
	its := s.questions
	if len(its.rows) == 0 && its.shard == nil {
		return false, fmt.Errorf("%s: no items are left to judge", its.set.Name)
	}
	item, err := its.first()
	if err != nil {
		return false, err
	}
	answered, agents := item.Answered != nil, s.opts.Agents
	if !s.stage.Agents || answered && len(agents) == 0 {
		_, _, err := ask(s.opts, its)
		return !answered, err
	}
	if answered {
		return false, Wrong("agents", strings.Join(agents, ","), ": %s already holds agents' answers", s.opts.Dataset)
	}
	if err := s.stage.Check(item); err != nil {
		return true, usage("%s has items of shape %s, %w", its.set.Name, item.Shape, err)
	}
	if len(agents) == 0 {
		return true, Wrong("agents", "", "is missing: give a file of answers, an answer run, or MODEL@URL")
	}
	_, _, err = ask(s.answerOptions(), its)
	return true, err
}

// answerStages sees to the judge's own answers, then to each agent's.
func (w *work) answerStages(ctx context.Context, s *stages) (err error) {
	answering := s.answerOptions()
	var agents []agentSource // found before anything is asked: what is mistyped costs nothing
	for _, a := range s.opts.Agents {
		source, err := w.findAgent(ctx, s, a)
		if err != nil {
			return fmt.Errorf("--agents %s: %w", a, err)
		}
		agents = append(agents, source)
	}
	s.judges, err = w.FindJudges(ctx, s.opts)
	if err != nil {
		return err
	}
	_, begun := judging.ReadManifest(s.opts.Out)
	if s.questions.shard != nil && s.opts.NumCtx == 0 && s.judges[0].Server.Can(backends.SetContext) && begun != nil {
		return errShardContext // before anything is asked
	}
	switch {
	case s.opts.Own != "":
		s.own, err = w.readAnswers(s, s.opts.Own)
	case s.judges[0].Server.Can(backends.Decide) && s.stage.Ownless:
		s.ownless = true
		w.note("stage: no answers of the judge's own, which writes none")
	default:
		s.own, err = w.makeAnswers(ctx, s, answering, s.judges, "the judge's own answers")
	}
	if err != nil {
		return err
	}
	for i, answers := range agents {
		agent, err := answers()
		if err != nil {
			return fmt.Errorf("--agents %s: %w", s.opts.Agents[i], err)
		}
		if agent != nil {
			s.agents = append(s.agents, agent)
		}
	}
	return nil
}

// answerOptions returns the request of an answer run under the same flags.
func (s *stages) answerOptions() Request {
	o := s.opts
	answering := judging.Answering()
	o.Protocol = answering.Name
	o.Options = nil
	o.Prompt = answering.Templates[0].Name
	o.Out, o.Until = "", ""
	if len(o.Agents) > 0 {
		o.NumRepetitions = 1 // of answers only the first time is judged
	}
	return o
}

// makeAnswers makes an answer run, or goes on with it, beside the judging run. In
// a dry run it is planned, and its answers are nil unless they are all there.
func (w *work) makeAnswers(
	ctx context.Context, s *stages, o Request, judges []backends.Member, what string,
) (*judging.Answers, error) {
	p, err := w.prepare(ctx, o, s.questions, judges)
	if err != nil {
		return nil, err
	}
	p.out = filepath.Join(s.folder, filepath.Base(p.out))
	w.note("stage: %s, in %s", what, p.out)
	if w.plan != nil {
		if m, err := judging.ReadManifest(p.out); err != nil || m.ID != p.job.Manifest.ID || m.Status != judging.Complete {
			return nil, w.planRun(ctx, p)
		}
		return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
	}
	rep, err := w.continueRun(ctx, p)
	if errors.Is(err, ErrUnserved) { // those that have an answer are judged
		w.say("warning: %v", err)
		w.lacking = err
	} else if err != nil {
		return nil, err
	}
	if rep != nil { // there is none of a shard without an item
		s.reports = append(s.reports, *rep)
	}
	if p.stopped.Load() { // when nothing of this stage was left to do
		return nil, Failed(ErrInterrupted, fmt.Errorf("interrupted after %s; %s", what, w.Words.GoOn))
	}
	return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
}

// readAnswers reads an answer run that is there.
func (w *work) readAnswers(s *stages, dir string) (*judging.Answers, error) {
	rep, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	if its, of := s.questions.shard, rep.Manifest.Shard; its != nil && of != nil &&
		(of.Index != its.Index || of.Of != its.Of) {
		return nil, usage("%s has the answers of shard %s, but this is shard %s: "+
			"name the answers of this shard, or of the whole run", dir, of, its)
	}
	scored := rep.Score(scoring.DefaultOptions.Bootstrap)
	scored.Run = dir
	answers, err := judging.ReadAnswers(dir, scoring.DefaultOptions.Reading)
	if err == nil && answers.Unfinished() && rep.Manifest.Imported == "" {
		return nil, fmt.Errorf("%s is not finished (%d answers failed or are missing): "+
			"repeat its command to complete it first", dir, answers.Failed+answers.Lacking)
	}
	s.reports = append(s.reports, scored)
	return answers, err
}

// agentSource returns an agent's answers. Only that of a model asks for any.
type agentSource func() (*judging.Answers, error)

// findAgent finds the answers of an agent: of a run, of a file of outputs, or of a model that is to be asked.
func (w *work) findAgent(ctx context.Context, s *stages, agent string) (agentSource, error) {
	if info, err := os.Stat(agent); err == nil {
		dir := agent
		if !info.IsDir() {
			dir, err = w.importAgent(s, agent)
			if err != nil {
				return nil, err
			}
		}
		answers, err := w.readAnswers(s, dir)
		return func() (*judging.Answers, error) { return answers, nil }, err
	}
	o := s.answerOptions()
	model, at, named := strings.Cut(agent, "@")
	switch {
	case strings.HasPrefix(agent, "sim:"):
		o.Endpoint = Simulation
		model = agent
	case !named:
		return nil, usage("not a file, a run or MODEL@URL")
	default:
		o.Endpoint = Endpoint{Backend: "auto", BaseURLs: []string{at}, APIKeyEnv: o.APIKeyEnv}
	}
	o.Model = model
	judges, err := w.FindJudges(ctx, o)
	if err != nil {
		return nil, err
	}
	return func() (*judging.Answers, error) {
		return w.makeAnswers(ctx, s, o, judges, "answers of the agent "+model)
	}, nil
}

// importAgent makes an answer run of a file of answers: published MMLU-Pro outputs, or gavel's own lines of answers to
// the questions at hand. It returns the run's folder.
func (w *work) importAgent(s *stages, file string) (dir string, err error) {
	name := strings.Trim(UnsafeInNames.ReplaceAllString(datasets.Base(file), "-"), "-.")
	importTo := func(dir string) error {
		if err := answer.ImportFile(file, dir, s.questions.set, s.questions.info, w.Version); err != nil {
			return fmt.Errorf("%w; \"gavel import\" makes a run of other files", err)
		}
		return nil
	}
	if w.plan != nil {
		dir = filepath.Join(s.passing, name)
		return dir, importTo(dir)
	}
	dir = filepath.Join(s.folder, name+"_answer_imported")
	if s.questions.shard != nil {
		err = once(dir, importTo)
	} else {
		err = importTo(dir)
	}
	if err == nil {
		w.say("stage: answers of %s, in %s", file, dir)
	}
	return dir, err
}

// once makes an imported run that shards make at the same time: the first to be done gives it its name, and the others
// find it there.
func once(dir string, importTo func(dir string) error) error {
	var made *judging.Manifest
	failed := disk.MakeDir(dir, func(part string) error {
		err := importTo(part)
		if err == nil {
			made, err = judging.ReadManifest(part)
		}
		return err
	})
	if failed == nil || made == nil {
		return failed
	}
	there, err := judging.ReadManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed
	case err != nil:
		return err
	case there.ID != made.ID:
		return judging.OtherRun(dir, there, made)
	case there.Status == judging.Running: // one that was not shared was cut short
		return importTo(dir)
	}
	return nil
}
