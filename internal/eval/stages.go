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

// A protocol with stages is a chain of runs, each in its own folder: the answers of one become the dataset lines of the
// next. Existing answers of this judge or an agent are not asked again.

// stages holds the runs on which a judging run depends: those in which the judge and agents answer its questions.
type stages struct {
	request           RunRequest // the request for the judging run
	stage             *judging.Stage
	folder            string                  // folder of all these runs and of the judging run
	questionItems     runItems                // the items of the request, which the models answer
	judgeServers      []backends.PoolMember   // the servers of the judge
	ownAnswers        *judging.ModelAnswers   // the judge's own answers; nil until they are there
	needsNoOwnAnswers bool                    // the judge has and needs no answers of its own
	agentAnswers      []*judging.ModelAnswers // the answers of each agent that are there
	reports           []scoring.Report        // scores of the answer runs, for tables
	tempDir           string                  // folder for imports in a dry run, removed afterwards
}

// requestWork holds the state of a request that is made or planned.
type requestWork struct {
	*Maker
	plan    *Plan            // the plan to fill; nil if the request is made
	reports []scoring.Report // scores of the runs made

	incompleteAnswersError error // error of a finished run of answers that lacks some
}

// Run makes or continues the run of a request, after its stages: runs in which models give the answers that some
// protocols need. It returns the reports of the stages and then of the run itself, even with an error, as far as there
// was anything to score. The error may be ErrUsage, ErrIncomplete or ErrInterrupted.
func (e *Maker) Run(ctx context.Context, o RunRequest) ([]scoring.Report, error) {
	w := &requestWork{Maker: e}
	err := w.processRequest(ctx, o)
	if err == nil {
		err = w.incompleteAnswersError
	}
	return w.reports, err
}

// Plan returns what Run would do.
func (e *Maker) Plan(ctx context.Context, o RunRequest) (*Plan, error) {
	w := &requestWork{Maker: e, plan: new(Plan)}
	err := w.processRequest(ctx, o)
	return w.plan, err
}

// processRequest plans or makes the runs of a request.
func (w *requestWork) processRequest(ctx context.Context, o RunRequest) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Shard != "" {
		if err := w.resolveShard(&o); err != nil {
			return err
		}
	}
	subset, protocol, err := w.openItems(o)
	if err != nil {
		return err
	}
	defer subset.set.Close()
	if stage := protocol.FirstStage(o.Options, o.PromptNameOrFile); stage != nil {
		return w.runStages(ctx, o, stage, subset)
	}
	return w.runDirect(ctx, o, subset)
}

// runDirect plans or makes the run of a request that needs no other run's answers. It checks the items before it looks
// for a server.
func (w *requestWork) runDirect(ctx context.Context, o RunRequest, subset runItems) error {
	if _, _, err := checkItems(o, subset); err != nil {
		return err
	}
	judges, err := w.FindJudges(ctx, o)
	if err != nil {
		return err
	}
	p, err := w.prepare(ctx, o, subset, judges)
	if err != nil {
		return err
	}
	return w.planOrMake(ctx, p)
}

// note adds a line about a stage to the plan's notes, or shows it to people.
func (w *requestWork) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); w.plan != nil {
		w.plan.Notes = append(w.plan.Notes, text)
	} else {
		w.Notef("%s", text)
	}
}

// runStages asks the judge for its own answers, collects those of agents if it judges them, and then asks it to judge.
func (w *requestWork) runStages(ctx context.Context, o RunRequest, stage *judging.Stage, subset runItems) error {
	s := &stages{request: o, stage: stage, folder: w.runsFolder(), questionItems: subset}
	if o.Out != "" {
		s.folder = filepath.Dir(filepath.Clean(o.Out))
	}
	needed, err := s.needsAnswers()
	if err != nil {
		return err
	}
	if !needed {
		return w.runDirect(ctx, o, subset)
	}
	if w.plan != nil {
		s.tempDir, err = os.MkdirTemp("", "gavel-plan-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(s.tempDir)
	}
	if err := w.collectAnswers(ctx, s); err != nil {
		return err
	}
	p, err := w.prepareJudging(ctx, s)
	if p == nil || err != nil {
		return err
	}
	if stage.JudgesAgents { // the questions of pairs have no published answers, so answers to them have no score
		w.reports = s.reports
	}
	return w.planOrMake(ctx, p)
}

// needsAnswers reports whether answers must be made or found, which is not so if the dataset has them. It returns an
// error if the request allows neither.
func (s *stages) needsAnswers() (bool, error) {
	subset := s.questionItems
	if len(subset.rows) == 0 && subset.shard == nil {
		return false, fmt.Errorf("%s: no items are left to judge", subset.set.Name)
	}
	item, err := subset.firstItem()
	if err != nil {
		return false, err
	}
	answered, agents := item.Answered != nil, s.request.Agents
	if !s.stage.JudgesAgents || answered && len(agents) == 0 && !s.stage.JudgesOptions {
		_, _, err := checkItems(s.request, subset)
		return !answered, err
	}
	if answered {
		return false, InvalidField("agents", strings.Join(agents, ","),
			": %s already holds agents' answers", s.request.Dataset)
	}
	if err := s.stage.CheckQuestion(item); err != nil {
		return true, usageError("%s has items of shape %s, %w", subset.set.Name, item.Shape, err)
	}
	if len(agents) == 0 && !s.stage.JudgesOptions {
		return true, InvalidField("agents", "", "is missing: give a file of answers, an answer run, or MODEL@URL")
	}
	_, _, err = checkItems(s.answerRequest(), subset)
	return true, err
}

// collectAnswers makes or reads the judge's own answers, then each agent's, and sets them in s.
func (w *requestWork) collectAnswers(ctx context.Context, s *stages) (err error) {
	answering := s.answerRequest()
	var agents []agentSource // checked before anything is asked, so that a typo costs nothing
	for _, a := range s.request.Agents {
		source, err := w.findAgent(ctx, s, a)
		if err != nil {
			return fmt.Errorf("--agents %s: %w", a, err)
		}
		agents = append(agents, source)
	}
	s.judgeServers, err = w.FindJudges(ctx, s.request)
	if err != nil {
		return err
	}
	_, readErr := judging.ReadManifest(s.request.Out)
	if s.questionItems.shard != nil && s.request.NumCtx == 0 &&
		s.judgeServers[0].Server.Can(backends.SetsContext) && readErr != nil {
		return errShardContext // before anything is asked
	}
	switch {
	case s.request.Own != "":
		s.ownAnswers, err = w.readAnswers(s, s.request.Own)
	case s.judgeServers[0].Server.Can(backends.HasDecisionModels) && s.stage.HidesOwnAnswers:
		s.needsNoOwnAnswers = true
		w.note("stage: the judge writes no answers of its own")
	default:
		err = w.makeOwnAnswers(ctx, s, answering)
	}
	if dir := s.stage.Reference; s.ownAnswers != nil && dir != "" {
		s.ownAnswers.Reference, err = w.readAnswers(s, dir)
		s.request.Options = s.stage.JudgingSettings
	}
	if err != nil {
		return err
	}
	for i, answers := range agents {
		agent, err := answers()
		if err != nil {
			return fmt.Errorf("--agents %s: %w", s.request.Agents[i], err)
		}
		if agent != nil {
			s.agentAnswers = append(s.agentAnswers, agent)
		}
	}
	return nil
}

// makeOwnAnswers makes the judge's own answers by each prompt of the stage, and sets them in s: those of the last
// prompt, with the others as their Reference. It sets none if some are not there yet.
func (w *requestWork) makeOwnAnswers(ctx context.Context, s *stages, o RunRequest) error {
	prompts := s.stage.AnswerPrompts
	if prompts == nil {
		prompts = []string{o.PromptNameOrFile}
	}
	for i, prompt := range prompts {
		o.PromptNameOrFile = prompt
		answers, err := w.makeAnswers(ctx, s, o, s.judgeServers, "the judge's own answers")
		if err != nil {
			return err
		}
		if answers != nil && (i == 0 || s.ownAnswers != nil) {
			answers.Reference = s.ownAnswers
		} else {
			answers = nil
		}
		s.ownAnswers = answers
	}
	return nil
}

// answerRequest returns the request for a run of answers to the questions, with the settings of the judging run.
func (s *stages) answerRequest() RunRequest {
	o := s.request
	answering := judging.AnswerProtocol()
	o.Protocol = answering.Name
	o.Options = nil
	o.PromptNameOrFile = answering.Templates[0].Name
	o.Out, o.Until = "", ""
	if len(o.Agents) > 0 {
		o.NumRepetitions = 1 // only the first answer is judged
	}
	return o
}

// makeAnswers makes or continues a run of answers next to the judging run. In a dry run it plans that run, and returns
// nil answers unless the run is complete.
func (w *requestWork) makeAnswers(
	ctx context.Context, s *stages, o RunRequest, judges []backends.PoolMember, title string,
) (*judging.ModelAnswers, error) {
	p, err := w.prepare(ctx, o, s.questionItems, judges)
	if err != nil {
		return nil, err
	}
	p.out = filepath.Join(s.folder, filepath.Base(p.out))
	w.note("stage: %s, in %s", title, p.out)
	if w.plan != nil {
		if m, err := judging.ReadManifest(p.out); err != nil || m.ID != p.job.Manifest.ID || m.Status != judging.Complete {
			return nil, w.planRun(ctx, p)
		}
		return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
	}
	rep, err := w.continueRun(ctx, p)
	if errors.Is(err, ErrServerNoVerdict) { // the questions that have an answer are judged
		w.Notef("warning: %v", err)
		w.incompleteAnswersError = err
	} else if err != nil {
		return nil, err
	}
	if rep != nil { // nil for a shard without items
		s.reports = append(s.reports, *rep)
	}
	if p.stopped.Load() { // at a time when nothing of this stage was left to do
		return nil, ErrorOfKind(ErrInterrupted, fmt.Errorf("interrupted after %s; %s", title, w.Hints.GoOn))
	}
	return judging.ReadAnswers(p.out, scoring.DefaultOptions.Reading)
}

// readAnswers reads the answers in the folder of an existing run, and adds the run's scores to s.reports. It returns an
// error if answers are missing.
func (w *requestWork) readAnswers(s *stages, dir string) (*judging.ModelAnswers, error) {
	rep, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	if shard, answersShard := s.questionItems.shard, rep.Manifest.Shard; shard != nil && answersShard != nil &&
		(answersShard.Index != shard.Index || answersShard.Count != shard.Count) {
		return nil, usageError("%s has the answers of shard %s, but this is shard %s: "+
			"name the answers of this shard, or of the whole run", dir, answersShard, shard)
	}
	scored := rep.Score(scoring.DefaultOptions.Bootstrap)
	scored.Run = dir
	answers, err := judging.ReadAnswers(dir, scoring.DefaultOptions.Reading)
	if err == nil && answers.Unfinished() && rep.Manifest.Imported == "" {
		return nil, fmt.Errorf("%s is not finished (%d answers failed or are missing): "+
			"repeat its command to complete it first", dir, answers.Failed+answers.Missing)
	}
	s.reports = append(s.reports, scored)
	return answers, err
}

// agentSource returns an agent's answers. It asks for them if the agent is a model on a server; answers in a run or
// file have been read before.
type agentSource func() (*judging.ModelAnswers, error)

// findAgent finds the answers of an agent: in a run, in a file of outputs, or from a model that will be asked.
func (w *requestWork) findAgent(ctx context.Context, s *stages, agent string) (agentSource, error) {
	if info, err := os.Stat(agent); err == nil {
		dir := agent
		if !info.IsDir() {
			dir, err = w.importAgent(s, agent)
			if err != nil {
				return nil, err
			}
		}
		answers, err := w.readAnswers(s, dir)
		return func() (*judging.ModelAnswers, error) { return answers, nil }, err
	}
	o := s.answerRequest()
	model, url, ok := strings.Cut(agent, "@")
	switch {
	case strings.HasPrefix(agent, "sim:"):
		o.Endpoint = SimulatedEndpoint
		model = agent
	case !ok:
		return nil, usageError("not a file, a run or MODEL@URL")
	default:
		o.Endpoint = Endpoint{Backend: "auto", BaseURLs: []string{url}, APIKeyEnv: o.APIKeyEnv}
	}
	o.Model = model
	judges, err := w.FindJudges(ctx, o)
	if err != nil {
		return nil, err
	}
	return func() (*judging.ModelAnswers, error) {
		return w.makeAnswers(ctx, s, o, judges, "answers of the agent "+model)
	}, nil
}

// importAgent makes an answer run from a file: published MMLU-Pro outputs, or gavel's lines of answers to the same
// questions. It returns the run's folder.
func (w *requestWork) importAgent(s *stages, file string) (dir string, err error) {
	name := FolderName(datasets.ShortName(file))
	importTo := func(dir string) error {
		if err := answer.ImportFile(file, dir, s.questionItems.set, s.questionItems.info, w.Version); err != nil {
			return fmt.Errorf("%w; \"gavel import\" makes a run of other files", err)
		}
		return nil
	}
	if w.plan != nil {
		dir = filepath.Join(s.tempDir, name)
		return dir, importTo(dir)
	}
	dir = filepath.Join(s.folder, name+"_answer_imported")
	if s.questionItems.shard != nil {
		err = importOnce(dir, importTo)
	} else {
		err = importTo(dir)
	}
	if err == nil {
		w.Notef("stage: answers of %s, in %s", file, dir)
	}
	return dir, err
}

// importOnce makes an imported run that several shards may make at the same time. The first to finish names the folder,
// and the others use it.
func importOnce(dir string, importTo func(dir string) error) error {
	var imported *judging.Manifest
	makeErr := disk.MakeDir(dir, func(part string) error {
		err := importTo(part)
		if err == nil {
			imported, err = judging.ReadManifest(part)
		}
		return err
	})
	if makeErr == nil || imported == nil {
		return makeErr
	}
	existing, err := judging.ReadManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeErr
	case err != nil:
		return err
	case existing.ID != imported.ID:
		return judging.OtherRun(dir, existing, imported)
	case existing.Status == judging.Running: // an import without shards was interrupted
		return importTo(dir)
	}
	return nil
}
