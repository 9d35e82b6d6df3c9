package server

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/scoring"
)

func init() {
	addRoutes(
		route{
			pattern:    "GET /compare",
			template:   "compare",
			navigation: "Compare",
			place:      3,
			view:       viewOf((*Server).compareView),
			api:        "/compare",
			about:      "Two runs beside each other",
			query:      compareFilter{},
		},
		route{pattern: "GET /compare/figures/{file}", handle: (*Server).compareFigure},
	)
}

// maxCompared is how many runs can be compared at once: there are as many indexes at hand, and more are better ranked.
const maxCompared = 6

// compareFilter is what a comparison was asked to show.
type compareFilter struct {
	A    string `json:"a" required:"true" jsonschema:"a run"`
	B    string `json:"b" required:"true" jsonschema:"another"`
	Show string `json:"show" jsonschema:"differ, a, b, none, verdicts or all"`
	Page int    `json:"page" jsonschema:"from 1"`

	Runs []string `json:"-"` // A, B and further ones
}

// Query of a link to these runs, with more of its own.
func (f compareFilter) Query(more ...string) string {
	if len(f.Runs) == 2 {
		return query(append([]string{"a", f.Runs[0], "b", f.Runs[1]}, more...)...)
	}
	q := url.Values{"run": f.Runs}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "?" + q.Encode()
}

// At is the query of another page.
func (f compareFilter) At(page int) string {
	return f.Query("show", f.Show, "page", fmt.Sprint(page))
}

// runsOf are the runs that a query names: as a and b, or each as run.
func runsOf(q url.Values) (runs []string, err error) {
	again := !q.Has("run") // a run may be held against itself
	for _, name := range slices.Concat([]string{q.Get("a"), q.Get("b")}, q["run"]) {
		if name != "" && (again || !slices.Contains(runs, name)) {
			runs = append(runs, name)
		}
	}
	if len(runs) > maxCompared {
		return nil, failure.Bad("%d runs: compare at most %d at once", len(runs), maxCompared)
	}
	return runs, nil
}

// CompareRow is an item that all runs have.
type CompareRow struct {
	ID     string          `json:"item"`
	Group  string          `json:"group,omitempty"`
	A      []JudgmentBrief `json:"a"`
	B      []JudgmentBrief `json:"b"`
	FlagsA []string        `json:"a_facts"`
	FlagsB []string        `json:"b_facts"`

	Question string        `json:"-"`
	Cells    []compareCell `json:"-"` // of each run
	Link     string        `json:"-"`
}

// compareCell is what a run came to on an item.
type compareCell struct {
	Letter    string
	Judgments []JudgmentBrief
	Flags     []string
}

// comparedRun is a run of a comparison, by a letter.
type comparedRun struct {
	Letter    string
	Head      RunHead
	Headline  *scoring.Result
	Diagnosis *scoring.Diagnosis
}

// comparedPair are two of more than two runs.
type comparedPair struct {
	A, B string // letters
	Link string
	*scoring.Difference
	Words string // of the difference, in points, with its interval
}

// compareView is several runs beside each other.
type compareView struct {
	Filter     compareFilter        `json:"filter"`
	A          *RunHead             `json:"a"`
	B          *RunHead             `json:"b"`
	Comparison *scoring.Comparisons `json:"comparison" jsonschema:"as gavel compare --json; null where there is none"`
	Problem    string               `json:"problem,omitempty" jsonschema:"why there is none"`
	Tables     []table.Table        `json:"-"`
	Shared     int                  `json:"shared" jsonschema:"items that all have"`
	Matches    int                  `json:"matches"`
	Pages      int                  `json:"pages"`
	Items      []CompareRow         `json:"items"`
	Shows      []Option             `json:"-"`
	Runs       []RunHead            `json:"-"` // to choose from
	Chosen     []comparedRun        `json:"-"`
	Pairs      []comparedPair       `json:"-"` // of more than two runs
	Figure     template.HTML        `json:"-"`
	Explained  template.HTML        `json:"-"` // what the metrics mean
	pictures   report.Pictures      // of the figure
}

// letterOf the run at a place: A to Z, then AA.
func letterOf(place int) string {
	if place >= 26 {
		return letterOf(place/26-1) + letterOf(place%26)
	}
	return string('A' + rune(place))
}

// Fields of the form: the runs chosen, and one more.
func (v compareView) Fields() []string {
	fields := slices.Clone(v.Filter.Runs)
	for len(fields) < 2 || len(fields) < maxCompared && fields[len(fields)-1] != "" {
		fields = append(fields, "")
	}
	return fields
}

// Warnings of all comparisons, each once.
func (v compareView) Warnings() (all []string) {
	if v.Comparison == nil {
		return nil
	}
	for _, c := range v.Comparison.Comparisons {
		for _, w := range c.Warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

func (s *Server) compareView(r *http.Request) (v compareView, err error) {
	q := r.URL.Query()
	v = compareView{
		Filter: compareFilter{A: q.Get("a"), B: q.Get("b"), Show: cmp.Or(q.Get("show"), "differ")},
		Items:  []CompareRow{},
		Pages:  1,
	}
	f := &v.Filter
	f.Page, err = counted(q, "page", 1)
	if err != nil {
		return v, err
	}
	if isAPI(r) && (f.A == "" || f.B == "") {
		return v, failure.Bad("which runs? Name both, as a and b")
	}
	f.Runs, err = runsOf(q)
	if err != nil {
		return v, err
	}
	if !isAPI(r) {
		runs, err := s.runs.List()
		if err != nil {
			return v, err
		}
		for _, run := range runs {
			if run.Err == nil {
				v.Runs = append(v.Runs, headOf(run.Name, run.Manifest))
			}
		}
	}
	if len(f.Runs) < 2 {
		return v, nil
	}
	runs, err := s.runs.Indexes(r.Context(), f.Runs)
	if err != nil {
		return v, err
	}
	if err := s.beside(&v, runs); err != nil {
		return v, err
	}
	c, err := s.compare(r.Context(), f.Runs)
	if r.Context().Err() != nil {
		return v, err
	}
	if err != nil {
		v.Problem = err.Error()
		return v, nil
	}
	v.Comparison = c
	v.Tables = slices.DeleteFunc(report.Comparison{Comparisons: c}.Tables(), func(t table.Table) bool {
		return len(t.Columns) == 0 // sentences: they stand above
	})
	if isAPI(r) {
		return v, nil
	}
	return v, s.draw(r.Context(), &v)
}

// draw adds the figure, and of more than two runs every two of them in a line.
func (s *Server) draw(ctx context.Context, v *compareView) error {
	var runs []report.Run
	for i := range v.Chosen {
		c := &v.Chosen[i]
		m, err := s.runs.Manifest(c.Head.Name)
		if err != nil {
			return err
		}
		n, err := s.numbers(ctx, c.Head.Name, m)
		if err != nil {
			v.Problem = err.Error()
			return nil
		}
		if n.rep == nil { // it is being made
			continue
		}
		rep := *n.rep
		c.Headline, c.Diagnosis = report.Headline(n.rep), rep.Diagnosis
		runs = append(runs, report.Run{Report: rep})
	}
	var err error
	if len(runs) == len(v.Chosen) {
		v.Figure, v.pictures, err = report.Beside(runs, func(file string) string {
			return "/compare/figures/" + file + v.Filter.Query()
		})
	}
	if err == nil {
		v.Explained, err = report.Explanations(v.Tables)
	}
	if len(v.Chosen) == 2 {
		return err
	}
	k := 0
	for i := range v.Chosen {
		for j := range v.Chosen[i+1:] {
			p := comparedPair{A: letterOf(i), B: letterOf(i + 1 + j)}
			p.Link = "/compare" + query("a", v.Filter.Runs[i], "b", v.Filter.Runs[i+1+j])
			p.Difference, p.Words = report.HeadlineDifference(v.Comparison.Comparisons[k])
			v.Pairs = append(v.Pairs, p)
			k++
		}
	}
	return err
}

// compareFigure writes a picture of a comparison.
func (s *Server) compareFigure(w http.ResponseWriter, r *http.Request) error {
	v, err := s.compareView(r)
	if err != nil {
		return err
	}
	return s.handOut(w, r, v.pictures, "compare")
}

// compare is the paired comparison of every two runs.
func (s *Server) compare(ctx context.Context, names []string) (*scoring.Comparisons, error) {
	var state strings.Builder
	for _, name := range names {
		fmt.Fprintln(&state, s.runs.Stamps(name))
	}
	return memo.Get(ctx, s.memo, "comparison "+strings.Join(names, "\x00"), state.String(),
		func() (*scoring.Comparisons, error) { return s.compareNow(names) })
}

func (s *Server) compareNow(names []string) (*scoring.Comparisons, error) {
	var runs []*scoring.Run
	for _, name := range names {
		m, err := s.runs.Manifest(name)
		if err != nil {
			return nil, err
		}
		run, err := s.runs.Load(name, m)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	c, err := scoring.Compare(runs, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return nil, failure.New(http.StatusUnprocessableEntity, "%v", err)
	}
	return c, nil
}

// sameVerdicts tells whether two runs came to the same on an item, in all judgments that stand beside each other: of
// the same order, asked for the same time. What one of them alone has tells nothing.
func sameVerdicts(a, b []store.Judgment) bool {
	of := func(judgments []store.Judgment) map[aligned]store.Judgment {
		out := map[aligned]store.Judgment{}
		for _, g := range judgments {
			at := aligned{order: g.Shown, repetition: g.Repetition}
			for _, again := out[at]; again; _, again = out[at] {
				at.nth++
			}
			out[at] = g
		}
		return out
	}
	other := of(b)
	for at, g := range of(a) {
		if h, both := other[at]; both && (g.Outcome != h.Outcome || g.Choice != h.Choice || g.Right != h.Right) {
			return false
		}
	}
	return true
}
