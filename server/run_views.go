package server

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/jobs"
)

// RunHead is what every page says of a run.
type RunHead struct {
	Name      string    `json:"run"`
	ID        string    `json:"id,omitempty"`
	Model     string    `json:"model,omitempty"`
	Protocol  string    `json:"protocol,omitempty"`
	Goal      string    `json:"goal,omitempty"`
	Prompt    string    `json:"prompt,omitempty"`
	Settings  string    `json:"settings,omitempty"`
	Dataset   string    `json:"dataset,omitempty"`
	Simulated bool      `json:"simulated"`
	Imported  string    `json:"imported,omitempty"`
	Status    string    `json:"status"`
	Stalled   bool      `json:"stalled,omitempty"` // said to be running, and silent for long
	Items     int       `json:"items"`
	Judgments int       `json:"judgments"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`
}

// damagedStatus is that of a folder whose run cannot be read.
const damagedStatus = "damaged"

func headOf(name string, m *judging.Manifest) RunHead {
	p := m.Spec.Parameters
	var settings []string
	for _, k := range slices.Sorted(maps.Keys(m.Spec.Options)) {
		settings = append(settings, k+" "+m.Spec.Options[k])
	}
	if p.Constrain {
		settings = append(settings, "constrained")
	}
	if p.Think != "" {
		settings = append(settings, "think "+string(p.Think))
	}
	if p.StrictDeterminism {
		settings = append(settings, "strict determinism")
	}
	if p.Repetitions() > 1 {
		settings = append(settings, fmt.Sprintf("asked %d times", p.Repetitions()))
	}
	return RunHead{
		Name: name, ID: m.ID, Model: m.Spec.Model.Name, Protocol: m.Spec.Protocol, Goal: m.Spec.Goal, Prompt: m.Spec.Prompt.Name,
		Settings: strings.Join(settings, ", "), Dataset: m.Dataset.Name, Simulated: m.Simulated, Imported: m.Imported,
		Status: m.Status, Items: m.Spec.Dataset.Items, Judgments: m.Judgments, Started: m.Started, Ended: m.Ended,
	}
}

// URL of the run's page.
func (h RunHead) URL() string { return "/runs/" + escaped(h.Name) }

// RunRow is a run in the list.
type RunRow struct {
	RunHead
	Headline *scoring.Result `json:"headline"` // null where there is none yet
	// Diagnosis says what the judge is good for; null where there are no numbers yet.
	Diagnosis *scoring.Diagnosis `json:"diagnosis"`
	Outcomes  map[string]int     `json:"outcomes,omitempty"`
	Records   int                `json:"records"`
	Warnings  int                `json:"warnings"` // how many
	Job       string             `json:"job,omitempty"`
	Error     string             `json:"error,omitempty"` // why the folder is no run
}

// runsView is the list of runs.
type runsView struct {
	Runs   []RunRow   `json:"runs"`
	Total  int        `json:"total"` // before filters
	Filter runsFilter `json:"filter"`
}

// runsFilter is what the list of runs was asked to show.
type runsFilter struct {
	Text     string `json:"q,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Model    string `json:"model,omitempty"`
	Dataset  string `json:"dataset,omitempty"`
	Status   string `json:"status,omitempty"`
	Sort     string `json:"sort"`

	Protocols []string `json:"-"` // on offer
	Models    []string `json:"-"`
	Datasets  []string `json:"-"`
	Statuses  []string `json:"-"`
}

// orders are what the list may be sorted by; each begins with what one mostly looks for.
var orders = map[string]func(a, b RunRow) int{
	"when":     func(a, b RunRow) int { return b.Started.Compare(a.Started) },
	"name":     func(a, b RunRow) int { return strings.Compare(a.Name, b.Name) },
	"model":    func(a, b RunRow) int { return strings.Compare(a.Model, b.Model) },
	"protocol": func(a, b RunRow) int { return strings.Compare(a.Protocol+a.Prompt, b.Protocol+b.Prompt) },
	"dataset":  func(a, b RunRow) int { return strings.Compare(a.Dataset, b.Dataset) },
	"status":   func(a, b RunRow) int { return strings.Compare(a.Status, b.Status) },
	"headline": func(a, b RunRow) int { return cmp.Compare(b.value(), a.value()) },
}

// sorts are the orders by name, and the other way round.
var sorts = []Option{
	{"when", "newest first", -1}, {"-when", "oldest first", -1}, {"headline", "headline, highest first", -1}, {"-headline", "headline, lowest first", -1},
	{"name", "run", -1}, {"-name", "run, Z to A", -1}, {"model", "model", -1}, {"-model", "model, Z to A", -1},
	{"protocol", "protocol and prompt", -1}, {"-protocol", "protocol and prompt, Z to A", -1},
	{"dataset", "dataset", -1}, {"-dataset", "dataset, Z to A", -1}, {"status", "status", -1}, {"-status", "status, Z to A", -1},
}

// Orders are what the list can be sorted by.
func (f runsFilter) Orders() []Option { return sorts }

// value is the headline, below all others where there is none.
func (r RunRow) value() float64 {
	if r.Headline == nil || r.Headline.Value == nil {
		return -1e18
	}
	return *r.Headline.Value
}

func (s *Server) runsView(r *http.Request) (runsView, error) {
	runs, err := s.runs.list()
	if err != nil {
		return runsView{}, err
	}
	q := r.URL.Query()
	f := runsFilter{Text: q.Get("q"), Protocol: q.Get("protocol"), Model: q.Get("model"), Dataset: q.Get("dataset"), Status: q.Get("status"), Sort: cmp.Or(q.Get("sort"), "when")}
	order, ok := orders[strings.TrimPrefix(f.Sort, "-")]
	if !ok {
		return runsView{}, bad("sort %q: it is one of %s, with - in front for the other way round", visible(f.Sort), strings.Join(slices.Sorted(maps.Keys(orders)), ", "))
	}
	view := runsView{Runs: []RunRow{}, Total: len(runs)}
	at := map[string]string{}
	for _, j := range s.activeJobs() {
		at[j.Run()] = j.ID
	}
	for _, run := range runs {
		row := s.row(r, run)
		row.Job = at[run.name]
		f.offer(row)
		if f.takes(row) {
			view.Runs = append(view.Runs, row)
		}
	}
	slices.SortStableFunc(view.Runs, order)
	if strings.HasPrefix(f.Sort, "-") {
		slices.Reverse(view.Runs)
	}
	view.Filter = f
	s.prefetch.begin(runs)
	return view, nil
}

// offer adds what a row can be filtered by.
func (f *runsFilter) offer(row RunRow) {
	for _, o := range []struct {
		list  *[]string
		value string
	}{{&f.Protocols, row.Protocol}, {&f.Models, row.Model}, {&f.Datasets, row.Dataset}, {&f.Statuses, row.Status}} {
		if i, has := slices.BinarySearch(*o.list, o.value); !has && o.value != "" {
			*o.list = slices.Insert(*o.list, i, o.value)
		}
	}
}

func (f *runsFilter) takes(row RunRow) bool {
	is := func(want, value string) bool { return want == "" || want == value }
	if !is(f.Protocol, row.Protocol) || !is(f.Model, row.Model) || !is(f.Dataset, row.Dataset) || !is(f.Status, row.Status) {
		return false
	}
	all := strings.ToLower(strings.Join([]string{row.Name, row.Model, row.Protocol, row.Prompt, row.Dataset, row.Settings, row.Status}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.Text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

func (s *Server) row(r *http.Request, run found) RunRow {
	if run.err != nil {
		return RunRow{RunHead: RunHead{Name: run.name, Status: damagedStatus}, Error: run.err.Error()}
	}
	row := RunRow{RunHead: headOf(run.name, run.m)}
	if row.Status == judging.Running {
		info, err := s.runs.root.Stat(path.Join(run.name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, done, err := s.index(r.Context(), run.name); err == nil {
			row.Records, row.Outcomes = x.counts.Records, maps.Clone(x.counts.Outcomes)
			row.Stalled = s.silent(info)
			done()
		} else {
			row.Error = err.Error()
		}
		return row
	}
	sum := s.sum(run)
	row.Headline, row.Diagnosis, row.Outcomes, row.Warnings = sum.headline, sum.diagnosis, sum.outcomes, sum.warnings
	for _, n := range sum.outcomes {
		row.Records += n
	}
	return row
}

// silent tells whether nothing was written for long.
func (s *Server) silent(info os.FileInfo) bool { return s.now().Sub(info.ModTime()) > stalledAfter }

// sum is what the list says of a run that has ended. Runs that wrote no numbers
// are not read for it; once their page was opened it is known.
func (s *Server) sum(run found) summed {
	now := s.stampsOf(run.name)
	if at, ok := s.summed.get(run.name); ok && at.of == now {
		return at
	}
	out := summed{of: now}
	rep := s.written(run.name, run.m, now)
	if rep == nil {
		at, ok := s.scores.get(run.name)
		if !ok || at.of != now || at.v.rep == nil {
			return out // not kept: it may be known later
		}
		rep = at.v.rep
	}
	if x := report.Headline(rep); x != nil {
		kept := *x
		out.headline = &kept
	}
	out.diagnosis, out.outcomes, out.warnings = rep.Diagnosis, maps.Clone(rep.Outcomes), rep.Caveats()
	s.summed.put(run.name, out)
	return out
}

// runView is the page of a run.
type runView struct {
	RunHead
	Headline  *scoring.Result   `json:"headline"`
	Report    *scoring.Report   `json:"report"` // null while the run is being made
	Answer    template.HTML     `json:"-"`      // what it comes to, with one figure
	Rest      template.HTML     `json:"-"`      // its other figures and tables, folded
	Warnings  []string          `json:"warnings"`
	Counts    counts            `json:"counts"`
	Damaged   []string          `json:"damaged,omitempty"` // lines that cannot be read
	Problem   string            `json:"problem,omitempty"` // why there are no numbers
	Manifest  *judging.Manifest `json:"manifest"`
	Progress  Progress          `json:"progress"`
	Job       *jobs.Job         `json:"job,omitempty"`
	CanDelete bool              `json:"-"`
	CanResume bool              `json:"-"`
	Outcomes  []string          `json:"-"` // in their order
	Matters   []Highlights      `json:"-"`
	Command   string            `json:"-"` // line of a shell that makes it again
}

func (s *Server) runView(r *http.Request) (runView, error) {
	name := r.PathValue("run")
	x, done, err := s.index(r.Context(), name)
	if err != nil {
		return runView{}, err
	}
	m := x.m
	v := runView{RunHead: headOf(name, m), Counts: x.counts, Damaged: x.damaged, Manifest: m, Progress: x.progress(s.now()), Warnings: []string{}, Outcomes: scoring.Outcomes}
	v.Counts.Outcomes = maps.Clone(x.counts.Outcomes)
	if !isAPI(r) {
		v.Matters, v.Command = s.highlights(x), jobs.CommandOf(m)
	}
	done()
	s.withJob(&v.Progress)
	s.withScore(&v.Progress, m)
	v.Stalled = v.Progress.Stalled
	if v.Progress.Job != nil {
		v.Job = v.Progress.Job
	}
	v.CanDelete, v.CanResume = s.opts.Runner != nil && v.Job == nil, s.opts.Runner != nil && v.resumable()
	n, err := s.numbers(name, m)
	if err != nil {
		v.Problem = err.Error()
	}
	if n.rep != nil {
		v.Report, v.Headline, v.Warnings, v.Answer, v.Rest = n.rep, report.Headline(n.rep), n.rep.Warnings, n.answer, n.rest
	}
	return v, nil
}

// query makes a link's query of pairs, leaving out what is empty.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}
