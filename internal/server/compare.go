package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/scoring"
)

// compareView returns the comparison of the runs that a request names. If it names fewer than two, the page has only
// the form for choosing runs.
func (s *Server) compareView(r *http.Request) (v compareView, err error) {
	q := r.URL.Query()
	v = compareView{
		Filter: compareFilter{Show: "differ", Page: 1},
		Items:  []CompareRow{},
		Pages:  1,
		First:  !isAPI(r) && !q.Has("show") && !q.Has("page"),
	}
	f := &v.Filter
	if err := readQuery(q, f); err != nil {
		return v, err
	}
	if isAPI(r) && (f.A == "" || f.B == "") {
		return v, failure.BadRequest("which runs? Name both, as a and b")
	}
	f.Runs, err = runsOf(q)
	if err != nil {
		return v, err
	}
	if !isAPI(r) {
		if err := s.fillForm(r.Context(), &v, q.Has("more")); err != nil {
			return v, err
		}
	}
	if len(f.Runs) < 2 {
		return v, nil
	}
	runs, err := s.runs.Indexes(r.Context(), f.Runs)
	if err != nil {
		return v, err
	}
	if err := s.fillItems(&v, runs); err != nil {
		return v, err
	}
	c, err := s.compareRuns(r.Context(), f.Runs)
	if r.Context().Err() != nil {
		return v, err
	}
	if err != nil {
		v.Problem = err.Error()
		return v, nil
	}
	v.Comparison = c
	if isAPI(r) {
		return v, nil
	}
	return v, s.fillResults(r.Context(), &v)
}

// fillResults fills in what a comparison's page shows besides its items: the headline, sentences, tables and charts.
func (s *Server) fillResults(ctx context.Context, v *compareView) (err error) {
	c := report.Comparison{Comparisons: v.Comparison}
	words := []string{"gavel", "compare"}
	for _, chosen := range v.Chosen {
		run := chosen.Head.Name
		rep, _ := s.runReport(ctx, run) // the page of the run shows the error
		c.Names = append(c.Names, chosen.Name)
		c.Reports = append(c.Reports, rep)
		words = append(words, s.folder(run))
	}
	c.Command = datasets.ShellLine(words...)
	d := c.Document()
	above, below := d.SplitBefore("made")
	paper := doc.PageContext{Link: refURL, Terms: scoring.MetricsOf(v.A.Protocol)}
	v.Meta = v.meta()
	v.Answer = d.Answer
	v.Also = d.Also
	v.Above, err = paper.RenderBlocks(above)
	if err == nil {
		v.Below, err = paper.RenderBlocks(below)
	}
	return cmp.Or(ctx.Err(), err)
}

// meta returns a line with the questions and datasets of the compared runs.
func (v *compareView) meta() string {
	stored := true
	each := func(text func(h RunHead) string) string {
		var all []string
		for _, c := range v.Chosen {
			stored = stored && c.Head.Imported != ""
			if value := text(c.Head); !slices.Contains(all, value) {
				all = append(all, value)
			}
		}
		return strings.Join(all, " and ")
	}
	line := each(RunHead.asks) + report.QuestionSuffix(v.A.Protocol) + " · " +
		each(func(h RunHead) string { return h.Dataset })
	if stored {
		line += " · published results: stored replies"
	}
	return line
}

// compareRuns compares every two of the runs with these names over the items that both judged.
func (s *Server) compareRuns(ctx context.Context, names []string) (*scoring.Comparisons, error) {
	return memo.Get(ctx, s.memo, "comparison "+strings.Join(names, "\x00"), s.filesState(names...),
		func() (*scoring.Comparisons, error) {
			runs, err := s.load(names...)
			if err != nil {
				return nil, err
			}
			c, err := scoring.Compare(runs, scoring.DefaultOptions.Bootstrap)
			return c, failure.WithStatus(http.StatusUnprocessableEntity, err)
		})
}

// load reads the records of the runs with these names.
func (s *Server) load(names ...string) (runs []*scoring.Run, err error) {
	for _, name := range names {
		run, err := s.runs.Load(name, "")
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// maxOfferedRuns limits the runs that the form of the comparison lists; others can be typed in.
const maxOfferedRuns = 400

// fillForm fills in the page's form, its list of runs, and links to other comparisons. In the filter it replaces a
// judge's name that a person typed by the name of that judge's run, if there is only one. more adds an empty field to
// the form.
func (s *Server) fillForm(ctx context.Context, v *compareView, more bool) error {
	rows, err := s.listRunsForPages(ctx)
	if err != nil {
		return err
	}
	runs := slices.DeleteFunc(slices.Clone(rows), func(r RunRow) bool { return r.manifest == nil })
	folders := map[string][]string{} // run names, by each name that a person may type
	for _, r := range runs {
		for _, name := range append(typableRunNames(r), r.Name) {
			folders[name] = append(folders[name], r.Name)
		}
	}
	nameOf := func(r RunRow) string {
		for _, name := range typableRunNames(r) {
			if len(folders[name]) == 1 {
				return name
			}
		}
		return markup.MakeVisible(r.Name)
	}
	f := &v.Filter
	for i, run := range f.Runs {
		if to := folders[run]; len(to) == 1 {
			f.Runs[i] = to[0]
		}
		field := Choice{Value: markup.MakeVisible(run)}
		k := slices.IndexFunc(runs, func(r RunRow) bool { return r.Name == f.Runs[i] })
		if k >= 0 {
			field.Value = nameOf(runs[k])
		}
		v.Fields = append(v.Fields, field)
		if i == 0 && k >= 0 { // runs of the same protocol and dataset come first
			first := runs[k]
			near := func(r RunRow) float64 {
				return scoring.Indicator(r.Protocol == first.Protocol) + scoring.Indicator(r.Dataset == first.Dataset)
			}
			slices.SortStableFunc(runs, func(a, b RunRow) int { return cmp.Compare(near(b), near(a)) })
		}
	}
	for _, r := range runs[:min(len(runs), maxOfferedRuns)] {
		v.Runs = append(v.Runs, Choice{Value: nameOf(r), Name: r.Protocol + " · " + r.Dataset + " · " + r.Model})
	}
	for len(v.Fields) < 2 || more && len(v.Fields) == len(f.Runs) && len(v.Fields) < maxCompared {
		v.Fields = append(v.Fields, Choice{})
	}
	s.offerLinks(v, rows)
	return nil
}

// offerLinks adds links to other comparisons: with another run, with the runs swapped, or with the best judges of the
// same items.
func (s *Server) offerLinks(v *compareView, rows []RunRow) {
	f := v.Filter
	offer := func(name, query string) {
		v.Links = append(v.Links, Choice{Name: name, Link: "/compare" + query})
	}
	if n := len(f.Runs); n >= 2 && n < maxCompared && len(v.Fields) == n {
		offer("+ another run", f.Query("more", "1"))
	}
	if len(f.Runs) == 2 {
		offer("swap", query("a", f.Runs[1], "b", f.Runs[0]))
	}
	if len(f.Runs) > 2 {
		return
	}
	for _, c := range conditions(rows) {
		judges := c.best()
		if len(judges) < 2 {
			continue
		}
		best, second := judges[0], judges[1]
		if len(f.Runs) == 0 && len(v.Links) < 3 {
			offer("The best two: "+best.Judge()+" and "+second.Judge()+", "+c.question()+" on "+c.dataset,
				query("a", best.Name, "b", second.Name))
		}
		if len(f.Runs) == 0 || !c.has(f.Runs[0]) {
			continue
		}
		if best.Name == f.Runs[0] {
			best = second
		}
		if !slices.Contains(f.Runs, best.Name) {
			offer("best against "+v.Fields[0].Value, query("a", f.Runs[0], "b", best.Name))
		}
		return
	}
}

// typableRunNames returns the names that a person may type for a run, the shortest first: its judge, and the judge with
// the dataset and question.
func typableRunNames(r RunRow) []string {
	name := markup.MakeVisible(r.Judge())
	data := name + ", " + markup.MakeVisible(r.Dataset)
	return []string{name, data, data + ", " + markup.MakeVisible(r.asks())}
}
