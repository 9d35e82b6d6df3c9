package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
)

func init() {
	addRoutes(route{pattern: "GET /hardest", template: "hardest", view: viewOf((*Server).hardestView)})
}

// alike are runs of one dataset under one protocol, by different judges or prompts.
type alike struct{ Protocol, Dataset string }

func alikeOf(m *judging.Manifest) alike { return alike{m.Spec.Protocol, m.Dataset.Name} }

// Query of a link to its items.
func (a alike) Query(more ...string) string {
	return query(append([]string{"protocol", a.Protocol, "dataset", a.Dataset}, more...)...)
}

// alikeGroup is a choice of the page.
type alikeGroup struct {
	alike
	Runs int
}

// maxAlike is how many runs of a group are looked at.
const maxAlike = 100

// alikes are the groups of at least two runs that nobody is making, and their runs by name.
func (s *Server) alikes() (groups []alikeGroup, runs map[alike][]store.Found, err error) {
	all, err := s.runs.List()
	if err != nil {
		return nil, nil, err
	}
	runs = map[alike][]store.Found{}
	for _, run := range all {
		if run.Err != nil || run.Manifest.Status == judging.Running {
			continue
		}
		if a := alikeOf(run.Manifest); len(runs[a]) < maxAlike {
			runs[a] = append(runs[a], run)
		}
	}
	for a, of := range runs {
		if len(of) > 1 {
			groups = append(groups, alikeGroup{a, len(of)})
		}
	}
	slices.SortFunc(groups, func(a, b alikeGroup) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Protocol, b.Protocol))
	})
	return groups, runs, nil
}

// hardestURL is the page of the hardest items of a run's group; "" where it has no other run.
func (s *Server) hardestURL(m *judging.Manifest) string {
	if _, runs, err := s.alikes(); err == nil && len(runs[alikeOf(m)]) > 1 {
		return "/hardest" + alikeOf(m).Query()
	}
	return ""
}

// besideURL is the page of an item as a run and others of its group judged it; "" where there is no other.
func (s *Server) besideURL(run string, m *judging.Manifest, id string) string {
	_, runs, err := s.alikes()
	if err != nil {
		return ""
	}
	return compareItemURL(run, runs[alikeOf(m)], id)
}

// compareItemURL is the page of an item as a run, where one is named, and others judged it; "" where there are not two.
func compareItemURL(first string, others []store.Found, id string) string {
	var names []string
	if first != "" {
		names = append(names, first)
	}
	for _, run := range others {
		if run.Name != first && len(names) < maxCompared {
			names = append(names, run.Name)
		}
	}
	if len(names) < 2 {
		return ""
	}
	return "/compare/item" + compareFilter{Runs: names}.Query("item", id)
}

// tally is how the runs of a group did on an item.
type tally struct {
	id           string
	wrong, right int
	by           []*bool // whether each run is right; nil where it has not judged the item, or nobody can say
}

// tallies are the items of a group, the hardest first: of which most runs are wrong.
func (s *Server) tallies(ctx context.Context, a alike, runs []store.Found) ([]tally, error) {
	var state strings.Builder
	for _, run := range runs {
		fmt.Fprintln(&state, run.Name, s.runs.Stamps(run.Name))
	}
	return memo.Get(ctx, s.memo, "tallies "+a.Query(), state.String(), func() ([]tally, error) {
		var ids judging.IDs
		var all []tally
		yes, no := true, false
		for k, run := range runs {
			x, err := s.runs.Index(s.runs.Closing, run.Name)
			if err != nil {
				return nil, err
			}
			for i := range x.Len() {
				n, added := ids.Add(x.ID(i))
				if added {
					all = append(all, tally{id: x.ID(i), by: make([]*bool, len(runs))})
				}
				switch f := x.Flags(i); {
				case f.Right:
					all[n].right++
					all[n].by[k] = &yes
				case f.Wrong:
					all[n].wrong++
					all[n].by[k] = &no
				}
			}
		}
		all = slices.DeleteFunc(all, func(t tally) bool { return t.wrong+t.right == 0 })
		slices.SortStableFunc(all, func(a, b tally) int { // by the share that is wrong, then by how many say so
			return cmp.Or(cmp.Compare(b.wrong*(a.wrong+a.right), a.wrong*(b.wrong+b.right)),
				cmp.Compare(b.wrong, a.wrong), cmp.Compare(a.right, b.right))
		})
		return all, nil
	})
}

// hardRow is an item of the page.
type hardRow struct {
	ID, Question, Link string
	Wrong, Judged      int
	Marks              []hardMark
}

// hardMark is how a run did.
type hardMark struct {
	report.ItemMark
	Run string
}

// hardestFilter is what the page was asked to show.
type hardestFilter struct {
	alike
	Page int
}

// At is the query of another page.
func (f hardestFilter) At(page int) string { return f.Query("page", strconv.Itoa(page)) }

// hardestView are the items of a group.
type hardestView struct {
	Filter hardestFilter
	Groups []alikeGroup
	Runs   []RunHead
	Items  []hardRow
	Total  int
	Pages  int
}

// group reads which runs a query is about.
func (s *Server) group(r *http.Request) (a alike, groups []alikeGroup, runs []store.Found, err error) {
	q := r.URL.Query()
	groups, all, err := s.alikes()
	a = alike{q.Get("protocol"), q.Get("dataset")}
	if err == nil && a != (alike{}) && len(all[a]) < 2 {
		err = failure.New(http.StatusNotFound, "fewer than two runs of %s on %q have ended",
			markup.Shortened(a.Protocol, 40), markup.Shortened(a.Dataset, 100))
	}
	return a, groups, all[a], err
}

func (s *Server) hardestView(r *http.Request) (v hardestView, err error) {
	a, groups, runs, err := s.group(r)
	v = hardestView{Filter: hardestFilter{alike: a, Page: 1}, Groups: groups, Pages: 1}
	if err == nil {
		v.Filter.Page, err = counted(r.URL.Query(), "page", 1)
	}
	if err != nil || len(runs) == 0 {
		return v, err
	}
	for _, run := range runs {
		v.Runs = append(v.Runs, headOf(run.Name, run.Manifest))
	}
	all, err := s.tallies(r.Context(), a, runs)
	if err != nil {
		return v, err
	}
	v.Total = len(all)
	part, pages, err := pageOf(all, v.Filter.Page, perPage)
	v.Pages = pages
	if err != nil {
		return v, err
	}
	for _, t := range part {
		row := hardRow{ID: t.id, Wrong: t.wrong, Judged: t.wrong + t.right, Link: compareItemURL("", runs, t.id)}
		for k, is := range t.by {
			mark := report.ItemMark{Kind: "open", Sign: "–", Words: "not scored"}
			if is != nil {
				mark = JudgmentBrief{Outcome: string(judging.Decided), Right: is}.Mark()
			}
			row.Marks = append(row.Marks, hardMark{mark, runs[k].Name})
		}
		v.Items = append(v.Items, row)
	}
	return v, s.addQuestions(r.Context(), runs, v.Items)
}

// addQuestions fills in the questions, each from the first run that has it.
func (s *Server) addQuestions(ctx context.Context, runs []store.Found, rows []hardRow) error {
	for _, run := range runs {
		if !slices.ContainsFunc(rows, func(r hardRow) bool { return r.Question == "" }) {
			return nil
		}
		x, err := s.runs.Index(ctx, run.Name)
		if err != nil {
			return err
		}
		texts := x.OpenItems()
		for i := range rows {
			if at, ok := x.Find(rows[i].ID); ok && rows[i].Question == "" {
				rows[i].Question = questionOf(x.ItemIfThere(texts, at))
			}
		}
		texts.Close()
	}
	return nil
}
