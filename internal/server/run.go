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

// runView is the page of a run.
type runView struct {
	RunHead
	Headline *scoring.Result   `json:"headline"`
	Report   *scoring.Report   `json:"report" jsonschema:"as gavel score --format json; null while the run is being made"`
	Jury     *jury.Jury        `json:"jury,omitempty" jsonschema:"as gavel jury --format json; left out of others"`
	Analyses map[string]any    `json:"analyses,omitempty" jsonschema:"what analyses add, by name"`
	Page     *report.RunPage   `json:"-"` // what it comes to; nil while nobody knows
	Swaying  bool              `json:"-"` // what sways the judge is being worked out
	Warnings []string          `json:"warnings"`
	Counts   store.Counts      `json:"counts"`
	Damaged  []string          `json:"damaged,omitempty" jsonschema:"lines that cannot be read"`
	Problem  string            `json:"problem,omitempty" jsonschema:"why there are no numbers"`
	Manifest *judging.Manifest `json:"manifest" jsonschema:"run.json (docs/formats.md)"`
	Progress Progress          `json:"progress"`
	Job      *jobs.Job         `json:"job,omitempty" jsonschema:"that makes it"`
	Maker    *jobs.Job         `json:"-"` // the same, or the last that did
	Outcomes []string          `json:"-"` // in their order
}

func (s *Server) runView(r *http.Request) (runView, error) {
	name := r.PathValue("run")
	x, err := s.runs.Index(r.Context(), name)
	if err != nil {
		return runView{}, err
	}
	m := x.Manifest
	v := runView{
		RunHead:  s.head(name, m),
		Counts:   x.Counts,
		Damaged:  x.Damaged,
		Manifest: m,
		Progress: s.progress(x),
		Warnings: []string{},
		Outcomes: scoring.Outcomes,
	}
	v.Stalled = v.Progress.Stalled
	v.Job = v.Progress.Job
	v.Maker = s.lastJob(func(j jobs.Job) bool { return slices.Contains(j.Runs, name) })
	rep, err := s.numbers(r.Context(), name, m)
	if r.Context().Err() != nil {
		return v, err
	}
	if err != nil {
		v.Problem = err.Error()
	}
	if rep != nil {
		v.Report, v.Headline = rep, report.Headline(rep)
		v.Analyses = report.Further(*rep)
		v.Warnings = rep.Warnings
		v.Jury, err = s.jury(r.Context(), name, m)
		if err != nil {
			v.Problem = "What the jury gains cannot be said: " + err.Error()
		}
		if !isAPI(r) {
			v.Page = s.page(r.Context(), v.RunHead, x, rep)
			ctx, cancel := s.briefly(r.Context())
			defer cancel()
			v.Page.Sway, err = s.sway(ctx, name, m)
			v.Swaying = errors.Is(err, context.DeadlineExceeded)
			if v.Jury != nil {
				v.Page.TakeJury(v.Jury)
			}
		}
	}
	return v, nil
}

// page is what a run comes to, with links to its items and beside the other judges of them.
func (s *Server) page(ctx context.Context, head RunHead, x *store.Index, rep *scoring.Report) *report.RunPage {
	p := &report.RunPage{
		Run:      report.Run{Report: *rep, Metadata: scoring.Metadata(x.Manifest)},
		BoardRef: doc.Ref{Page: leaderboardOf(x.Manifest)},
		Lists:    s.lists(x),
		Command:  s.commandOf(ctx, head.Name, x.Manifest),
		Prompt:   x.Manifest.Spec.Prompt.Text(),
		Link:     address,
	}
	p.Name = head.AboutName()
	if rep.Run == "" {
		p.Run.Run = head.Name
	}
	p.Others = s.otherJudges(ctx, head.Name, x.Manifest)
	p.Twin = s.twin(ctx, RunRow{RunHead: head, manifest: x.Manifest})
	return p
}

// commandOf returns the command that makes a run where it is; "" of an imported one, and of a jury without its members.
func (s *Server) commandOf(ctx context.Context, run string, m *judging.Manifest) string {
	jurors := jury.Jurors(m)
	if jurors == nil {
		return jobs.CommandOf(m, s.folder(run))
	}
	members, err := s.membersOf(ctx, jurors)
	if err != nil || members == nil {
		return ""
	}
	words := jury.Command(m, s.folder(run))
	for _, member := range members {
		words = append(words, s.folder(member.Name))
	}
	return shellLine(words)
}

// sway is what sways the judge of a run; nil where nobody can tell, and of a run in progress or too large to read here.
func (s *Server) sway(ctx context.Context, run string, m *judging.Manifest) (*scoring.Sway, error) {
	state := s.runs.Stamps(run)
	if m.Status != judging.Complete || state.Records.Size > smallRun {
		return nil, nil
	}
	return memo.Get(ctx, s.background, "sway "+run, state, func() (*scoring.Sway, error) {
		loaded, err := s.runs.LoadOn(run, m, "")
		if err != nil {
			return nil, err
		}
		return loaded.Sway(scoring.DefaultOptions.Bootstrap)
	})
}

// twin is the run of a run's judge over its items that was asked the opposite, by the same prompt; nil where there is
// none.
func (s *Server) twin(ctx context.Context, run RunRow) *report.Twin {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil // the list of runs says why
	}
	items := s.runs.ItemSet(run.Name, run.manifest)
	var found *RunRow
	for i, row := range rows {
		if row.report == nil || row.Shard != "" || row.Goal == run.Goal || row.Protocol == run.Protocol ||
			!report.SameLayout(row.Protocol, run.Protocol) || row.items != items ||
			row.manifest.Spec.Model != run.manifest.Spec.Model || row.Prompt != run.Prompt || row.Settings != run.Settings {
			continue
		}
		if found == nil || row.standsFor(*found) {
			found = &rows[i]
		}
	}
	if found == nil {
		return nil
	}
	rep, err := s.numbers(ctx, found.Name, found.manifest)
	if err != nil || rep == nil {
		return nil
	}
	names := []string{run.Name, found.Name}
	if run.Goal > found.Goal { // best and better come first
		slices.Reverse(names)
	}
	t := &report.Twin{Report: rep, Run: found.Name}
	if c, err := s.compare(ctx, names); err == nil {
		t.Comparison = c.Comparisons[0]
	}
	return t
}

// otherJudges returns the other judges of the run's leaderboard, one run of each, the best first.
func (s *Server) otherJudges(ctx context.Context, run string, m *judging.Manifest) (all []report.Other) {
	c, pending := s.conditionOf(ctx, run)
	if c == nil || pending > 0 {
		return nil
	}
	judges := c.best()
	names := judgeNames(judges)
	for i, row := range judges {
		if judgeOf(row.manifest) == judgeOf(m) {
			continue
		}
		o := report.Other{Name: names[i], Level: scoring.Unknown, Reference: row.Imported != "", Value: *row.Headline.Value}
		if row.Diagnosis != nil {
			o.Level = row.Diagnosis.Level
		}
		all = append(all, o)
	}
	return all
}

// describe keeps what a form says of a run.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) error {
	name, err := s.runNamed(r)
	if err != nil {
		return err
	}
	said := judging.About{Name: r.PostForm.Get("name"), Tags: r.PostForm["tags"], Note: r.PostForm.Get("note")}
	if err := s.opts.Runner.Describe(name, said); err != nil {
		return err
	}
	return seeOther(w, r, runURL(name))
}

// listsEach is how many items of a kind are named.
const listsEach = 5

// listKinds are the filters of items that are listed, and what is said of them, in words that hold for judgments in
// several orders, in several modes, repeated, and for a single one. An item stands under each that holds for it.
var listKinds = []struct{ show, name, about string }{
	{show: "confident", name: "Wrong every time", about: "read these first: the label may be wrong"},
	{show: "inconsistent", name: "Flipped", about: "the judgments of the item do not agree"},
	{show: "open", name: "Without a verdict", about: "no verdict was found in a reply"},
}

// mostLists stand on a page: those of the first kinds that there are.
const mostLists = 2

// lists of the items of a run that one looks at first; empty kinds are left out.
func (s *Server) lists(x *store.Index) (all []doc.Block) {
	items := x.OpenItems()
	defer items.Close()
	run := headOf(x.Run, x.Manifest)
	for _, k := range listKinds {
		var taken []int
		for i := range x.Len() {
			if len(x.Judgments(i)) > 0 && x.Flags(i).Has(k.show) {
				taken = append(taken, i)
			}
		}
		if len(taken) == 0 || len(all) == mostLists {
			continue
		}
		list := doc.Block{
			ID: "list-" + k.show, Title: k.name, In: doc.Page, Half: true, Chart: doc.List, Table: &doc.Table{},
			Links: []doc.Link{{Words: "all of them", Target: doc.Ref{Runs: []string{x.Run}, Show: k.show}}},
			About: table.Count(len(taken), "item"),
		}
		if k.show != "confident" || !run.Simulated && len(taken)*doubtful <= run.Items {
			list.About += " · " + k.about // more would say more of the judge than of the labels
		}
		if run.Judgments <= run.Items { // each is asked once
			list.Title = strings.TrimSuffix(list.Title, " every time")
		}
		for _, i := range taken[:min(listsEach, len(taken))] {
			row := itemRowOf(x, items, i, run, ItemsFilter{Show: k.show})
			list.Table.Rows = append(list.Table.Rows, listedItem(row))
		}
		all = append(all, list)
	}
	return all
}

// listedItem is a row of a list as a run's page has it.
func listedItem(row itemRow) doc.Row {
	item := doc.Row{
		Name: markup.Shortened(cmp.Or(row.Question, row.ID), 110), Target: doc.Ref{Page: row.Link},
	}
	for _, j := range row.Judgments {
		m := j.Mark()
		item.Cells = append(item.Cells, doc.Value{Text: m.Sign, Look: m.Kind, Result: scoring.Result{Note: m.Words}})
	}
	return item
}

// Resumable reports whether a job can continue the run: nobody makes it, and it is not complete.
func (v runView) Resumable() bool {
	return v.Job == nil && v.Imported == "" && (v.Status == judging.Interrupted ||
		v.Status == judging.Incomplete || v.Status == judging.Running && v.Stalled)
}

// resumeForm goes on with a run.
func (s *Server) resumeForm(w http.ResponseWriter, r *http.Request) error {
	name, err := s.runNamed(r)
	if err != nil {
		return err
	}
	job, err := s.opts.Runner.Resume(r.Context(), name)
	if err != nil {
		return err
	}
	return seeOther(w, r, jobURL(job.ID))
}

// deleteRun deletes a run that nobody is writing to.
func (s *Server) deleteRun(name string) error {
	if _, err := s.runs.Manifest(name); err != nil {
		return err
	}
	if err := s.opts.Runner.Delete(name); err != nil {
		return err
	}
	s.runs.Drop(name)
	return nil
}

// jury compares a jury's run with its members; nil if the run is no jury's or a member is missing here.
func (s *Server) jury(ctx context.Context, name string, m *judging.Manifest) (*jury.Jury, error) {
	jurors := jury.Jurors(m)
	if jurors == nil {
		return nil, nil
	}
	members, err := s.membersOf(ctx, jurors)
	if err != nil || members == nil {
		return nil, err
	}
	names := judgeNames(members)
	all := append(namesOf(members), name)
	state := fmt.Sprint(names, s.state(all...))
	return memo.Get(ctx, s.memo, "jury "+name, state, func() (*jury.Jury, error) {
		runs, err := s.load(all...)
		if err != nil {
			return nil, err
		}
		last := len(members)
		return jury.Assess(runs[last], runs[:last], names, scoring.DefaultOptions.Bootstrap)
	})
}

// membersOf returns the runs of a jury's members in order; nil if one is missing here.
func (s *Server) membersOf(ctx context.Context, jurors []judging.StageOf) (members []RunRow, err error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, juror := range jurors {
		var found *RunRow
		for i := range rows {
			row := &rows[i]
			same := row.ID == juror.ID && row.manifest != nil
			if same && (found == nil || path.Base(row.Name) == path.Base(juror.Run)) {
				found = row
			}
		}
		if found == nil {
			return nil, nil
		}
		if found.report == nil { // scoring for leaderboards runs in the background
			rep, err := s.numbers(ctx, found.Name, found.manifest)
			if err != nil || rep == nil {
				return nil, err
			}
			found.report = rep
		}
		members = append(members, *found)
	}
	return members, nil
}
