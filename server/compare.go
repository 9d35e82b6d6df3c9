package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"gavel/report"
	"gavel/report/table"
	"gavel/scoring"
)

// compareFilter is what a comparison was asked to show.
type compareFilter struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Show string `json:"show"`
	Page int    `json:"page"`
}

// At is the query of another page.
func (f compareFilter) At(page int) string {
	return query("a", f.A, "b", f.B, "show", f.Show, "page", fmt.Sprint(page))
}

// CompareRow is an item that both runs have.
type CompareRow struct {
	ID     string          `json:"item"`
	Group  string          `json:"group,omitempty"`
	A      []JudgmentBrief `json:"a"`
	B      []JudgmentBrief `json:"b"`
	FlagsA []string        `json:"a_facts"`
	FlagsB []string        `json:"b_facts"`
	Link   string          `json:"-"`
}

// compareView is two runs beside each other.
type compareView struct {
	Filter     compareFilter        `json:"filter"`
	A          *RunHead             `json:"a"`
	B          *RunHead             `json:"b"`
	Comparison *scoring.Comparisons `json:"comparison"`
	Problem    string               `json:"problem,omitempty"` // why there is none
	Tables     []table.Table        `json:"-"`
	Shared     int                  `json:"shared"` // items that both have
	Matches    int                  `json:"matches"`
	Pages      int                  `json:"pages"`
	Items      []CompareRow         `json:"items"`
	Shows      []Option             `json:"-"`
	Runs       []RunHead            `json:"-"` // to choose from
}

// differences are the filters of a comparison by name, in the order of the form.
var differences = []struct {
	name, about string
	is          func(a, b flags, same bool) bool
}{
	{"differ", "right in one and not in the other", func(a, b flags, _ bool) bool { return a.right != b.right }},
	{"a", "right in A alone", func(a, b flags, _ bool) bool { return a.right && !b.right }},
	{"b", "right in B alone", func(a, b flags, _ bool) bool { return b.right && !a.right }},
	{"verdicts", "any verdict differs", func(_, _ flags, same bool) bool { return !same }},
	{"all", "all", func(flags, flags, bool) bool { return true }},
}

func (s *Server) compareView(r *http.Request) (v compareView, err error) {
	q := r.URL.Query()
	v = compareView{Filter: compareFilter{A: q.Get("a"), B: q.Get("b"), Show: q.Get("show")}, Items: []CompareRow{}, Pages: 1}
	f := &v.Filter
	if f.Show == "" {
		f.Show = differences[0].name
	}
	if f.Page, err = counted(q, "page", 1); err != nil {
		return v, err
	}
	if isAPI(r) && (f.A == "" || f.B == "") {
		return v, bad("which runs? Name both, as a and b")
	}
	if !isAPI(r) {
		runs, err := s.runs.list()
		if err != nil {
			return v, err
		}
		for _, run := range runs {
			if run.err == nil {
				v.Runs = append(v.Runs, headOf(run.name, run.m))
			}
		}
	}
	if f.A == "" || f.B == "" {
		return v, nil
	}
	err = s.both(r.Context(), f.A, f.B, func(a, b *index) error { return s.beside(&v, a, b) })
	if err != nil {
		return v, err
	}
	c, err := s.compare(f.A, f.B)
	if err != nil {
		v.Problem = err.Error()
		return v, nil
	}
	v.Comparison, v.Tables = c, report.Comparison{Comparisons: c}.Tables()
	return v, nil
}

// both hands out two runs, held for reading: in the order of their names, since
// two who hold one each and wait for the other's would wait for ever.
func (s *Server) both(ctx context.Context, nameA, nameB string, use func(a, b *index) error) error {
	a, err := s.fresh(ctx, nameA)
	if err != nil {
		return err
	}
	b, err := s.fresh(ctx, nameB)
	if err != nil {
		return err
	}
	held := []*index{a, b}
	switch {
	case a == b:
		held = held[:1]
	case nameA > nameB:
		held[0], held[1] = b, a
	}
	for _, x := range held {
		x.mu.RLock()
		defer x.mu.RUnlock()
		if x.m == nil {
			return errChanged
		}
	}
	return use(a, b)
}

// beside lists the items that the filter takes.
func (s *Server) beside(v *compareView, a, b *index) error {
	f := v.Filter
	headA, headB := headOf(a.run, a.m), headOf(b.run, b.m)
	v.A, v.B = &headA, &headB
	counts, chosen := make([]int, len(differences)), -1
	for k, d := range differences {
		if d.name == f.Show {
			chosen = k
		}
	}
	if chosen < 0 {
		return bad("show %q: it is one of differ, a, b, verdicts, all", visible(f.Show))
	}
	itemsA, itemsB := s.openItems(a), s.openItems(b)
	defer itemsA.Close()
	defer itemsB.Close()
	begin, end := (f.Page-1)*perPage, f.Page*perPage
	for i := range a.items {
		j, ok := b.ids.Find(a.ids.At(i))
		if !ok || j >= len(b.items) || a.items[i].first == 0 || b.items[j].first == 0 {
			continue
		}
		v.Shared++
		fa, fb := a.flags(i), b.flags(j)
		same := sameVerdicts(a.of(i), b.of(j))
		for k, d := range differences {
			if d.is(fa, fb, same) {
				if counts[k]++; k == chosen && counts[k] > begin && counts[k] <= end {
					row := compareRow(a, b, i, fa, fb)
					row.A, row.B = a.briefs(i, a.textsIfThere(itemsA, i)), b.briefs(j, b.textsIfThere(itemsB, j))
					v.Items = append(v.Items, row)
				}
			}
		}
	}
	for k, d := range differences {
		v.Shows = append(v.Shows, Option{d.name, d.about, counts[k]})
	}
	v.Matches = counts[chosen]
	v.Pages = max(1, (v.Matches+perPage-1)/perPage)
	if f.Page > v.Pages {
		return &failure{http.StatusNotFound, fmt.Sprintf("there is no page %d: there are %d", f.Page, v.Pages)}
	}
	return nil
}

func compareRow(a, b *index, i int, fa, fb flags) CompareRow {
	row := CompareRow{ID: strings.Clone(a.ids.At(i)), Group: a.groups[a.items[i].group], FlagsA: fa.names(), FlagsB: fb.names()}
	row.Link = "/compare/item" + query("a", a.run, "b", b.run, "item", row.ID)
	return row
}

// sameVerdicts tells whether two runs came to the same on an item, the first time that they asked: of what both showed
// in the same orders, the candidates chosen. Runs with other presentations are the same where every verdict is.
func sameVerdicts(a, b []judgment) bool {
	of := func(judgments []judgment) map[uint16]judgment {
		out := map[uint16]judgment{}
		for _, g := range judgments {
			if g.repetition == 0 {
				out[g.presentation] = g
			}
		}
		return out
	}
	return maps.EqualFunc(of(a), of(b), func(g, h judgment) bool {
		return g.outcome == h.outcome && g.choice == h.choice && g.right == h.right
	})
}

// compare is the paired comparison of two runs.
func (s *Server) compare(a, b string) (*scoring.Comparisons, error) {
	return made(s, s.compared, a+"\x00"+b, [2]stamps{s.stampsOf(a), s.stampsOf(b)}, func() (*scoring.Comparisons, error) { return s.compareNow(a, b) })
}

func (s *Server) compareNow(names ...string) (*scoring.Comparisons, error) {
	var runs []*scoring.Run
	for _, name := range names {
		m, err := s.runs.manifest(name)
		if err != nil {
			return nil, err
		}
		run, err := s.load(name, m)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	c, err := scoring.Compare(runs, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return nil, &failure{http.StatusUnprocessableEntity, err.Error()}
	}
	return c, nil
}

// compareItemView is an item with both runs' judgments of it.
type compareItemView struct {
	A    ItemView       `json:"a"`
	B    ItemView       `json:"b"`
	Rows []judgmentPair `json:"-"`
	Back string         `json:"-"`
}

// judgmentPair is a judgment of each run, where it has one.
type judgmentPair struct{ A, B *JudgmentView }

func (s *Server) compareItemView(r *http.Request) (v compareItemView, err error) {
	q := r.URL.Query()
	err = s.both(r.Context(), q.Get("a"), q.Get("b"), func(a, b *index) error {
		i, ok := a.ids.Find(q.Get("item"))
		j, too := b.ids.Find(q.Get("item"))
		if !ok || !too || i >= len(a.items) || j >= len(b.items) {
			return &failure{http.StatusNotFound, fmt.Sprintf("there is no item %q that both runs have", shortened(q.Get("item"), 100))}
		}
		var err error
		if v.A, err = s.itemOf(a, i); err != nil {
			return err
		}
		v.B, err = s.itemOf(b, j)
		return err
	})
	v.Back = "/compare" + query("a", q.Get("a"), "b", q.Get("b"))
	v.Rows = make([]judgmentPair, max(len(v.A.Judgments), len(v.B.Judgments)))
	for k := range v.A.Judgments {
		v.Rows[k].A = &v.A.Judgments[k]
	}
	for k := range v.B.Judgments {
		v.Rows[k].B = &v.B.Judgments[k]
	}
	return v, err
}
