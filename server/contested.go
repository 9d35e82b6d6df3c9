package server

import (
	"fmt"
	"net/http"
	"path/filepath"

	"gavel/labels"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/failure"
	"gavel/server/kept"
	"gavel/server/markup"
	"gavel/server/store"
)

// contested are the labels that people say are wrong.
func (s *Server) contested() (labels.Contested, store.Stamp, error) {
	info, err := s.runs.Stat(labels.ContestedFile)
	if err != nil || !info.Mode().IsRegular() {
		return nil, store.Stamp{}, nil
	}
	c, err := labels.ReadContested(filepath.Join(s.opts.Runs, labels.ContestedFile))
	return c, store.StampOf(info), err
}

// sumOf is what a contested label says of an item's line; "" where the run has no texts.
func (s *Server) sumOf(x *store.Index, i int) (string, error) {
	items := x.OpenItems()
	defer items.Close()
	line, err := x.ItemLine(items, i)
	if line == nil {
		return "", err
	}
	return labels.Sum(line), nil
}

// contest keeps that the label of an item is wrong, or no longer.
func (s *Server) contest(w http.ResponseWriter, r *http.Request) error {
	run, item := r.PathValue("run"), r.PostForm.Get("item")
	x, done, err := s.runs.Index(r.Context(), run)
	if err != nil {
		return err
	}
	defer done()
	i, ok := x.Find(item)
	if !ok {
		return failure.New(http.StatusNotFound, "the run %q has no item %q", run, markup.Shortened(item, 100))
	}
	sum, err := s.sumOf(x, i)
	if err != nil {
		return err
	}
	if sum == "" {
		return failure.New(http.StatusConflict, "the run's folder does not have the texts of its items: nobody could tell later which label was meant")
	}
	if err := s.opts.Runner.Contest(item, sum, unixLines(r.PostForm.Get("note")), r.PostForm.Get("undo") != ""); err != nil {
		return err
	}
	http.Redirect(w, r, itemURL(run, item, ""), http.StatusSeeOther)
	return nil
}

// without is what a run comes to without the items whose labels are contested.
type without struct {
	N        int // items
	Headline *scoring.Result
}

// without scores a run again, without contested labels; nil where it has none.
func (s *Server) without(x *store.Index) (*without, error) {
	c, at, err := s.contested()
	if err != nil || len(c) == 0 {
		return nil, err
	}
	leave := map[string]bool{}
	for item, sums := range c {
		if i, is := x.Find(item); is {
			sum, err := s.sumOf(x, i)
			if err != nil {
				return nil, err
			}
			if _, is := sums[sum]; is {
				leave[item] = true
			}
		}
	}
	if len(leave) == 0 {
		return nil, nil
	}
	run, m := x.Run, x.Manifest
	return kept.Made(&s.scoring, s.lessened, run, fmt.Sprint(at, s.runs.Stamps(run)), func() (*without, error) {
		loaded, err := s.runs.LoadBy(run, m, scoring.DefaultOptions.Reading, leave)
		if err != nil {
			return nil, err
		}
		rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
		return &without{len(leave), report.Headline(&rep)}, nil
	})
}
