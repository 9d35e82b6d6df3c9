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
	rows, err := s.rowsForPage(ctx)
	if err != nil {
		return err
	}
	known := slices.DeleteFunc(slices.Clone(rows), func(r RunRow) bool { return r.manifest == nil })
	called := map[string][]string{} // folders of runs, by every name
	for _, r := range known {
		for _, name := range append(knownAs(r), r.Name) {
			called[name] = append(called[name], r.Name)
		}
	}
	nameOf := func(r RunRow) string {
		for _, name := range knownAs(r) {
			if len(called[name]) == 1 {
				return name
			}
		}
		return markup.Visible(r.Name)
	}
	f := &v.Filter
	for i, run := range f.Runs {
		if to := called[run]; len(to) == 1 {
			f.Runs[i] = to[0]
		}
		field := compareField{Letter: letterOf(i), Value: markup.Visible(run)}
		k := slices.IndexFunc(known, func(r RunRow) bool { return r.Name == f.Runs[i] })
		if k >= 0 {
			field.Value = nameOf(known[k])
		}
		v.Fields = append(v.Fields, field)
		if i == 0 && k >= 0 { // those that it can be held against come first
			first := known[k]
			near := func(r RunRow) float64 {
				return scoring.One(r.Protocol == first.Protocol) + scoring.One(r.Dataset == first.Dataset)
			}
			slices.SortStableFunc(known, func(a, b RunRow) int { return cmp.Compare(near(b), near(a)) })
		}
	}
	for _, r := range known[:min(len(known), mostOffered)] {
		v.Runs = append(v.Runs, Option{Value: nameOf(r), Name: r.Protocol + " · " + r.Dataset + " · " + r.Model})
	}
	for len(v.Fields) < 2 || more && len(v.Fields) == len(f.Runs) && len(v.Fields) < maxCompared {
		v.Fields = append(v.Fields, compareField{Letter: letterOf(len(v.Fields))})
	}
	s.offerLinks(v, rows)
	return nil
}

// offerLinks leads to other comparisons.
func (s *Server) offerLinks(v *compareView, rows []RunRow) {
	f := v.Filter
	offer := func(name, query string) {
		v.Links = append(v.Links, boardChoice{Name: name, Link: "/compare" + query})
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
	for _, c := range conditions(rows, false) {
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

// knownAs is how a person may name a run, the shortest first.
func knownAs(r RunRow) []string {
	name := markup.Visible(r.Judge())
	data := name + ", " + markup.Visible(r.Dataset)
	return []string{name, data, data + ", " + markup.Visible(r.asks())}
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
