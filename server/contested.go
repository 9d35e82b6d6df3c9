package server

import (
	"fmt"
	"net/http"

	"gavel/labels"
	"gavel/report"
	"gavel/scoring"
)

// contested are the labels that people say are wrong.
func (s *Server) contested() (labels.Contested, stamp, error) {
	f, info, err := s.runs.open(".", labels.ContestedFile)
	if err != nil {
		return nil, stamp{}, nil
	}
	defer f.Close()
	if at, ok := s.disputed.get(""); ok && at.of == stampOf(info) {
		return at.v, at.of, at.err
	}
	c, err := labels.DecodeContested(labels.ContestedFile, f)
	s.disputed.put("", kept[stamp, labels.Contested]{stampOf(info), c, err})
	return c, stampOf(info), err
}

// sumOf is what a contested label says of an item's line; "" where the run has no texts.
func (s *Server) sumOf(x *index, i int) (string, error) {
	items := s.openItems(x)
	if items == nil || x.items[i].length == 0 {
		return "", nil
	}
	defer items.Close()
	line, err := x.line(items, x.items[i].offset, x.items[i].length)
	return labels.Sum(line), err
}

// contest keeps that the label of an item is wrong, or no longer.
func (s *Server) contest(w http.ResponseWriter, r *http.Request) error {
	run, item := r.PathValue("run"), r.PostForm.Get("item")
	x, done, err := s.index(r.Context(), run)
	if err != nil {
		return err
	}
	defer done()
	i, ok := x.ids.Find(item)
	if !ok || i >= len(x.items) {
		return &failure{http.StatusNotFound, fmt.Sprintf("the run %q has no item %q", run, shortened(item, 100))}
	}
	sum, err := s.sumOf(x, i)
	if err != nil {
		return err
	}
	if sum == "" {
		return &failure{http.StatusConflict, "the run's folder does not have the texts of its items: nobody could tell later which label was meant"}
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
func (s *Server) without(x *index) (*without, error) {
	c, at, err := s.contested()
	if err != nil || len(c) == 0 {
		return nil, err
	}
	leave := map[string]bool{}
	for item, sums := range c {
		if i, is := x.ids.Find(item); is && i < len(x.items) {
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
	run, m := x.run, x.m
	return made(s, s.lessened, run, fmt.Sprint(at, s.stampsOf(run)), func() (*without, error) {
		loaded, err := s.loadBy(run, m, scoring.DefaultOptions.Reading, leave)
		if err != nil {
			return nil, err
		}
		rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
		return &without{len(leave), report.Headline(&rep)}, nil
	})
}
