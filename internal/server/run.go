package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// runView holds what a run's page shows, and what the API returns for the run.
type runView struct {
	RunHead
	Headline    *scoring.Result    `json:"headline"`
	Report      *scoring.Report    `json:"report" jsonschema:"as gavel score --format json; null during the run"`
	Jury        *jury.Jury         `json:"jury,omitempty" jsonschema:"as gavel jury --format json; for juries only"`
	Analyses    map[string]any     `json:"analyses,omitempty" jsonschema:"results of further analyses, by name"`
	Page        *report.RunPage    `json:"-"` // tables, charts and sentences of the page; nil before the run is scored
	BiasPending bool               `json:"-"` // the judge's biases are still being computed
	Warnings    []string           `json:"warnings"`
	Counts      store.RecordCounts `json:"counts"`
	Damaged     []string           `json:"damaged,omitempty" jsonschema:"lines that cannot be read"`
	Problem     string             `json:"problem,omitempty" jsonschema:"why there are no numbers"`
	Manifest    *judging.Manifest  `json:"manifest" jsonschema:"run.json (docs/formats.md)"`
	Progress    Progress           `json:"progress"`
	Job         *jobs.Job          `json:"job,omitempty" jsonschema:"the job that makes it"`
	LatestJob   *jobs.Job          `json:"-"` // Job, or else the last job that made the run
	Outcomes    []string           `json:"-"` // names of outcomes, in the order of pages
}

// runView returns the run that a request names.
func (s *Server) runView(r *http.Request) (runView, error) {
	name := r.PathValue("run")
	x, err := s.runs.Index(r.Context(), name)
	if err != nil {
		return runView{}, err
	}
	m := x.Manifest
	v := runView{
		RunHead:  s.runHead(name, m),
		Counts:   x.Counts,
		Damaged:  x.LineErrors,
		Manifest: m,
		Progress: s.indexedProgress(x),
		Warnings: []string{},
		Outcomes: scoring.Outcomes,
	}
	v.Stalled = v.Progress.Stalled
	v.Job = v.Progress.Job
	v.LatestJob = s.lastMatchingJob(func(j jobs.Job) bool { return slices.Contains(j.Runs, name) })
	rep, err := s.runReport(r.Context(), name)
	if r.Context().Err() != nil {
		return v, err
	}
	if err != nil {
		v.Problem = err.Error()
	}
	if rep != nil {
		v.Report, v.Headline = rep, report.Headline(rep)
		v.Analyses = report.AnalysisData(*rep)
		v.Warnings = rep.Warnings
		v.Jury, err = s.evaluateJury(r.Context(), name, m)
		if err != nil {
			v.Problem = "The jury cannot be compared with its members: " + err.Error()
		}
		if !isAPI(r) {
			v.Page = s.buildRunPage(r.Context(), v.RunHead, x, rep)
			ctx, cancel := s.pageWaitContext(r.Context())
			defer cancel()
			v.Page.BiasAnalysis, err = s.analyzeBias(ctx, name, m)
			v.BiasPending = errors.Is(err, context.DeadlineExceeded)
			if v.Jury != nil {
				v.Page.SetJury(v.Jury)
			}
		}
	}
	return v, nil
}

// buildRunPage returns the part of a run's page that is made from its report, with links to the run's items and to the
// other judges of the same items.
func (s *Server) buildRunPage(ctx context.Context, head RunHead, x *store.Index, rep *scoring.Report) *report.RunPage {
	board := comparableRuns{protocol: head.Protocol, goal: head.Goal, itemsHash: x.Manifest.ItemsFileKey()}
	p := &report.RunPage{
		Run:       report.Run{Report: *rep, Metadata: scoring.Metadata(x.Manifest)},
		BoardRef:  doc.Ref{Address: board.link()},
		ItemLists: s.itemLists(x),
		Command:   s.commandOfRun(ctx, head.Name, x.Manifest),
		Prompt:    x.Manifest.Spec.Prompt.AllTexts(),
		Link:      refURL,
	}
	p.Name = head.GivenJudgeName()
	if rep.Run == "" {
		p.Run.Run = head.Name
	}
	p.OtherJudges = s.otherJudges(ctx, head.Name, x.Manifest)
	p.Opposite = s.reversedRun(ctx, RunRow{RunHead: head, manifest: x.Manifest})
	return p
}

// commandOfRun returns the command line that makes the run in its folder; "" for an imported run, and for a jury of
// which a member's run is not in this folder.
func (s *Server) commandOfRun(ctx context.Context, run string, m *judging.Manifest) string {
	jurors := jury.MemberRuns(m)
	if jurors == nil {
		return jobs.RunCommand(m, s.folder(run))
	}
	members, err := s.membersOf(ctx, jurors)
	if err != nil || members == nil {
		return ""
	}
	words := jury.Command(m, s.folder(run))
	for _, member := range members {
		words = append(words, s.folder(member.Name))
	}
	return datasets.ShellLine(words...)
}

// analyzeBias returns the biases of a run's judge: what its verdicts correlate with, such as length. It returns nil for
// a run that is not complete, or is too large to be read for a page.
func (s *Server) analyzeBias(ctx context.Context, run string, m *judging.Manifest) (*scoring.BiasAnalysis, error) {
	state := s.runs.Stamps(run)
	if m.Status != judging.Complete || state.Records.Size > maxSmallRunBytes {
		return nil, nil
	}
	return memo.Get(ctx, s.backgroundMemo, "sway "+run, state, func() (*scoring.BiasAnalysis, error) {
		loaded, err := s.runs.LoadOneReading(run, "")
		if err != nil {
			return nil, err
		}
		return loaded.AnalyzeBias(scoring.DefaultOptions.Bootstrap)
	})
}

// reversedRun finds the same judge's run with the opposite goal on the same items and with the same prompt. It returns
// nil if there is none.
func (s *Server) reversedRun(ctx context.Context, run RunRow) *report.OppositeGoalRun {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil // the list of runs shows the error
	}
	items := s.runs.ItemSet(run.Name, run.manifest)
	var best *RunRow
	for i, row := range rows {
		if row.report == nil || row.Shard != "" || row.Goal == run.Goal || row.Protocol == run.Protocol ||
			!report.SameLayout(row.Protocol, run.Protocol) || row.itemSet != items ||
			row.manifest.Spec.Model != run.manifest.Spec.Model || row.Prompt != run.Prompt || row.Settings != run.Settings {
			continue
		}
		if best == nil || row.isPreferredTo(*best) {
			best = &rows[i]
		}
	}
	if best == nil {
		return nil
	}
	rep, err := s.runReport(ctx, best.Name)
	if err != nil || rep == nil {
		return nil
	}
	names := []string{run.Name, best.Name}
	if run.Goal > best.Goal { // the goals best and better come first
		slices.Reverse(names)
	}
	t := &report.OppositeGoalRun{Report: rep, Run: best.Name}
	if c, err := s.compareRuns(ctx, names); err == nil {
		t.Comparison = c.Comparisons[0]
	}
	return t
}

// otherJudges returns the other judges of the run's leaderboard with their scores, the best first. m is the run's
// manifest.
func (s *Server) otherJudges(ctx context.Context, run string, m *judging.Manifest) (all []report.OtherJudge) {
	judges, _ := s.judgesOfItems(ctx, run, true)
	names := judgeNames(judges)
	for i, row := range judges {
		if judgeOf(row.manifest) == judgeOf(m) {
			continue
		}
		o := report.OtherJudge{
			Name: names[i], Level: scoring.LevelUnknown, IsPublished: row.Imported != "", Value: *row.Headline.Value,
		}
		if row.Diagnosis != nil {
			o.Level = row.Diagnosis.Level
		}
		all = append(all, o)
	}
	return all
}

// storeRunAbout stores the name, tags and note that a posted form gives a run, and returns the address of its page.
func (s *Server) storeRunAbout(r *http.Request) (to string, err error) {
	name, err := s.requestedRunName(r)
	if err != nil {
		return "", err
	}
	details := judging.RunDescription{Name: r.PostForm.Get("name"), Tags: r.PostForm["tags"], Note: r.PostForm.Get("note")}
	return runURL(name), s.Runner.Describe(name, details)
}

// listsEach limits the items in each list of items on a run's page.
const listsEach = 5

// listKinds describes the lists of items on a run's page: the filter of each, its title, and a hint to the reader. An
// item may be in several lists. The words fit one judgment of an item as well as several.
var listKinds = []struct{ show, name, hint string }{
	{show: "confident", name: "Wrong every time", hint: "read these first: the label may be wrong"},
	{show: "inconsistent", name: "Flipped", hint: "the judgments of the item do not agree"},
	{show: "open", name: "Without a verdict", hint: "no verdict was found in a reply"},
}

// mostLists limits the lists of items on a run's page; those that listKinds has first are kept.
const mostLists = 2

// itemLists returns the lists of items on a run's page that are not empty.
func (s *Server) itemLists(x *store.Index) (all []doc.Block) {
	run := headOf(x.Run, x.Manifest)
	for _, k := range listKinds {
		var positions []int
		for i := range x.Len() {
			if len(x.Judgments(i)) > 0 && x.Flags(i).Has(k.show) {
				positions = append(positions, i)
			}
		}
		if len(positions) == 0 || len(all) == mostLists {
			continue
		}
		list := doc.Block{
			ID:       "list-" + k.show,
			Title:    k.name,
			Surfaces: doc.SurfacePage,
			Half:     true,
			Chart:    doc.ChartItemList,
			Table:    &doc.Table{},
			Links:    []doc.Link{{Words: "all of them", Target: doc.Ref{Runs: []string{x.Run}, Filter: k.show}}},
			About:    table.CountWithNoun(len(positions), "item"),
		}
		if k.show != "confident" || !run.Simulated && len(positions)*judgeFaultRatio <= run.Items {
			list.About += " · " + k.hint // if more are wrong, the judge is doubted rather than the labels
		}
		if run.Judgments <= run.Items { // each item is judged once
			list.Title = strings.TrimSuffix(list.Title, " every time")
		}
		for _, i := range positions[:min(listsEach, len(positions))] {
			row := itemRowOf(x, i, ItemsFilter{Show: k.show})
			list.Table.Rows = append(list.Table.Rows, listedItem(row))
		}
		all = append(all, list)
	}
	return all
}

// listedItem returns an item as a row of a list on a run's page, with a sign for each judgment.
func listedItem(row itemRow) doc.Row {
	item := doc.Row{
		Name: markup.Shorten(cmp.Or(row.Question, row.ID), 110), Target: doc.Ref{Address: row.Link},
	}
	for _, j := range row.Judgments {
		m := j.Mark()
		item.Cells = append(item.Cells, doc.Value{Text: m.Sign, Look: m.Kind, Result: scoring.Result{Note: m.Words}})
	}
	return item
}

// resumeForm begins a job that continues the run in a request's path, and returns the address of the job.
func (s *Server) resumeForm(r *http.Request) (to string, err error) {
	name, err := s.requestedRunName(r)
	if err != nil {
		return "", err
	}
	job, err := s.Runner.Resume(r.Context(), name)
	return jobURL(job.ID), err
}

// deleteRun deletes the run with this name, unless a process is writing to it.
func (s *Server) deleteRun(name string) error {
	if _, err := s.runs.Manifest(name); err != nil {
		return err
	}
	if err := s.Runner.Delete(name); err != nil {
		return err
	}
	s.runs.ForgetRun(name)
	return nil
}

// evaluateJury compares a jury's run with the runs of its members. It returns nil if the run is no jury's, or if the
// run of a member is not in this folder.
func (s *Server) evaluateJury(ctx context.Context, name string, m *judging.Manifest) (*jury.Jury, error) {
	jurors := jury.MemberRuns(m)
	if jurors == nil {
		return nil, nil
	}
	members, err := s.membersOf(ctx, jurors)
	if err != nil || members == nil {
		return nil, err
	}
	names := judgeNames(members)
	all := append(namesOf(members), name)
	state := fmt.Sprint(names, s.filesState(all...))
	return memo.Get(ctx, s.memo, "jury "+name, state, func() (*jury.Jury, error) {
		runs, err := s.load(all...)
		if err != nil {
			return nil, err
		}
		last := len(members)
		return jury.Evaluate(runs[last], runs[:last], names, scoring.DefaultOptions.Bootstrap)
	})
}

// membersOf returns the runs of a jury's members, in the order of jurors; nil if one is not in this folder, or is in
// progress.
func (s *Server) membersOf(ctx context.Context, jurors []judging.StageRun) (members []RunRow, err error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, juror := range jurors {
		var member *RunRow
		for i := range rows {
			row := &rows[i]
			same := row.ID == juror.ID && row.manifest != nil
			if same && (member == nil || path.Base(row.Name) == path.Base(juror.Run)) {
				member = row
			}
		}
		if member == nil {
			return nil, nil
		}
		if member.report == nil { // scoring for leaderboards runs in the background
			rep, err := s.runReport(ctx, member.Name)
			if err != nil || rep == nil {
				return nil, err
			}
			member.report = rep
		}
		members = append(members, *member)
	}
	return members, nil
}
