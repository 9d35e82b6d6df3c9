package server

import (
	"cmp"
	"context"
	"slices"

	"gavel/internal/report"
	"gavel/internal/server/markup"
	"gavel/scoring"
)

// mostOffered is how many runs a form offers. Any other may be named.
const mostOffered = 400

// choose says which runs there are to choose from, and what else may be compared. Runs that are named as people know
// them become those of their folders.
func (s *Server) choose(ctx context.Context, v *compareView, more bool) error {
	found, err := s.runs.List()
	if err != nil {
		return err
	}
	var heads []RunHead
	folders := map[string]bool{}
	called := map[string]int{}
	for _, run := range found {
		if run.Err != nil {
			continue
		}
		h := headOf(run.Name, run.Manifest)
		h.About = s.runs.About(run.Name)
		folders[h.Name] = true
		for _, name := range knownAs(h) {
			called[name]++
		}
		heads = append(heads, h)
	}
	nameOf := map[string]string{} // by folder
	folder := map[string]string{} // by name
	for _, h := range heads {
		name := markup.Visible(h.Name)
		for _, known := range knownAs(h) {
			if called[known] == 1 && !folders[known] {
				name = known
				break
			}
		}
		nameOf[h.Name] = name
		folder[name] = h.Name
	}
	f := &v.Filter
	for i, run := range f.Runs {
		if to, known := folder[run]; known && !folders[run] {
			f.Runs[i] = to
		}
	}
	if len(f.Runs) > 0 {
		like := slices.IndexFunc(heads, func(h RunHead) bool { return h.Name == f.Runs[0] })
		if like >= 0 {
			first := heads[like]
			near := func(h RunHead) float64 {
				return scoring.One(h.Protocol == first.Protocol) + scoring.One(h.Dataset == first.Dataset)
			}
			slices.SortStableFunc(heads, func(a, b RunHead) int { return cmp.Compare(near(b), near(a)) })
		}
	}
	for _, h := range heads[:min(len(heads), mostOffered)] {
		v.Runs = append(v.Runs, Option{Value: nameOf[h.Name], Name: h.Protocol + " · " + h.Dataset + " · " + h.Model})
	}
	for i, run := range f.Runs {
		name := markup.Visible(run)
		if known, ok := nameOf[run]; ok {
			name = known
		}
		v.Fields = append(v.Fields, compareField{Letter: letterOf(i), Value: name})
	}
	for len(v.Fields) < 2 || more && len(v.Fields) == len(f.Runs) && len(v.Fields) < maxCompared {
		v.Fields = append(v.Fields, compareField{Letter: letterOf(len(v.Fields))})
	}
	return s.offerLinks(ctx, v)
}

// offerLinks leads to other comparisons.
func (s *Server) offerLinks(ctx context.Context, v *compareView) error {
	f := v.Filter
	if len(f.Runs) >= 2 && len(f.Runs) < maxCompared && len(v.Fields) == len(f.Runs) {
		name := "+ a third run"
		if len(f.Runs) > 2 {
			name = "+ another run"
		}
		v.Links = append(v.Links, boardChoice{Name: name, Link: "/compare" + f.Query("more", "1")})
	}
	if len(f.Runs) == 2 {
		v.Links = append(v.Links, boardChoice{Name: "swap", Link: "/compare" + query("a", f.Runs[1], "b", f.Runs[0])})
	}
	if len(f.Runs) > 2 {
		return nil
	}
	rows, err := s.rowsForPage(ctx)
	if err != nil {
		return err
	}
	for _, c := range conditions(rows, false) {
		judges := c.best()
		switch {
		case len(judges) < 2:
		case len(f.Runs) == 0:
			if len(v.Links) < 3 {
				v.Links = append(v.Links, boardChoice{
					Name: "The best two: " + judges[0].Judge() + " and " + judges[1].Judge() + ", " +
						report.Question(*judges[0].report) + " on " + c.dataset,
					Link: "/compare" + query("a", judges[0].Name, "b", judges[1].Name),
				})
			}
		case slices.ContainsFunc(c.runs, func(r *RunRow) bool { return r.Name == f.Runs[0] }):
			best := judges[0]
			if best.Name == f.Runs[0] {
				best = judges[1]
			}
			if len(f.Runs) < 2 || best.Name != f.Runs[1] {
				v.Links = append(v.Links, boardChoice{
					Name: "best against " + v.Fields[0].Value,
					Link: "/compare" + query("a", f.Runs[0], "b", best.Name),
				})
			}
			return nil
		}
	}
	return nil
}

// knownAs is how a person may name a run, the shortest first.
func knownAs(h RunHead) []string {
	name := markup.Visible(h.Judge())
	data := name + ", " + markup.Visible(h.Dataset)
	return []string{name, data, data + ", " + markup.Visible(h.asks())}
}

// asks is what the run asks.
func (h RunHead) asks() string {
	return report.Question(scoring.Report{Protocol: h.Protocol, Goal: h.Goal})
}

// namesAmong are the names of judges beside each other: of those with one name also what differs.
func namesAmong(heads []RunHead) []string {
	var sides []scoring.Side
	var called []string
	for _, h := range heads {
		sides = append(sides, scoring.Side{
			Run:      h.Name,
			Protocol: h.Protocol,
			Prompt:   h.Prompt,
			Settings: h.Settings,
			Model:    h.Model,
			Dataset:  h.Dataset,
		})
		called = append(called, h.AboutName())
	}
	names := scoring.NamesOf(sides, called...)
	for i, name := range names {
		names[i] = markup.Visible(name)
	}
	return names
}
