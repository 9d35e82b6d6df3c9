package server

import (
	"cmp"
	"net/http"
	"strings"

	"gavel/judging"
	"gavel/server/markup"
	"gavel/server/store"
)

// Highlights are items that matter most, of a kind.
type Highlights struct {
	Name  string     `json:"name"`
	About string     `json:"about"`
	Show  string     `json:"show"` // the filter of items that has them all
	Total int        `json:"total"`
	Items []Mattered `json:"items"` // the first of them
}

// Mattered is an item that matters.
type Mattered struct {
	ID       string          `json:"item"`
	Group    string          `json:"group,omitempty"`
	Question string          `json:"question"` // its beginning
	Games    []JudgmentBrief `json:"games"`
	Link     string          `json:"-"`
}

// highlightsEach is how many items of a kind are named.
const highlightsEach = 5

// highlightKinds are the filters of items whose items matter, and what is said of them. An item stands under each that
// holds for it.
var highlightKinds = []struct{ show, name, about string }{
	{"confident", "Wrong every time", "each judgment names a wrong candidate, in every order: read these first"},
	{"inconsistent", "Flipped", "the verdict changed with the order of the candidates"},
	{"open", "Unread", "no verdict was found in a reply"},
}

// highlights of a run; empty kinds are left out.
func (s *Server) highlights(x *store.Index) []Highlights {
	out := []Highlights{}
	items := x.OpenItems()
	defer items.Close()
	for _, k := range highlightKinds {
		is := store.FilterNamed(k.show).Is
		h := Highlights{Name: k.name, About: k.about, Show: k.show}
		for i := range x.Len() {
			if !x.Judged(i) || !is(x.Flags(i)) {
				continue
			}
			if h.Total++; h.Total > highlightsEach {
				continue
			}
			id, item := strings.Clone(x.ID(i)), x.ItemIfThere(items, i)
			m := Mattered{ID: id, Group: x.Group(i), Question: markup.Shortened(cmp.Or(item.Question, answered(item.Answered), id), 110), Games: briefs(x, i, item)}
			m.Link = itemURL(x.Run, m.ID, query("show", k.show))
			h.Items = append(h.Items, m)
		}
		if h.Total > 0 {
			out = append(out, h)
		}
	}
	return out
}

// resumable tells whether a run is one that a job can go on with: nobody makes it, and it is not complete.
func (v runView) resumable() bool {
	return v.Job == nil && v.Imported == "" && (v.Status == judging.Interrupted || v.Status == judging.Incomplete || v.Status == judging.Running && v.Stalled)
}

// resumeForm goes on with a run.
func (s *Server) resumeForm(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("run")
	if _, err := s.runs.Manifest(name); err != nil {
		return err
	}
	job, err := s.opts.Runner.Resume(r.Context(), name)
	if err != nil {
		return err
	}
	return toJob(w, r, job.ID)
}
