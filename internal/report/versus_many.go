package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/scoring"
)

// ComparisonsPage is what a page says of more than two runs.
type ComparisonsPage struct {
	Names   []string
	Links   []string          // to the runs; "" for none
	Reports []*scoring.Report // of the whole runs; nil of one that nobody knows
	Pairs   []ComparedPair    // every two of them
	Family  string            // what Holm's correction is over
	Command string
}

// ComparedPair is the comparison of two runs, by their places.
type ComparedPair struct {
	*scoring.Comparison
	A, B int
	Link string
}

// protocol of the runs.
func (p *ComparisonsPage) protocol() string { return p.Pairs[0].Comparison.A.Protocol }

// Says is which judges nobody here is surely better than.
func (p *ComparisonsPage) Says() template.HTML {
	beaten := make([]bool, len(p.Names))
	wins := make([]int, len(p.Names))
	headline := p.Pairs[0].Headline()
	higher := headline != nil && best(p.protocol(), headline.Metric) == scoring.Higher
	for _, pair := range p.Pairs {
		d := pair.Headline()
		if d == nil || d.Diff == nil {
			return "They cannot all be compared: the headline has no value in one of them."
		}
		if d.Noise {
			continue
		}
		ahead, behind := pair.A, pair.B
		if *d.Diff > 0 {
			ahead, behind = behind, ahead
		}
		wins[ahead]++
		beaten[behind] = true
	}
	var first []string
	most := 0
	for i, name := range p.Names {
		if !beaten[i] {
			first = append(first, name)
			most = wins[i]
		}
	}
	verb := "judges best here"
	if !higher {
		verb = "has the highest " + MetricName(p.protocol(), headline.Metric)
	}
	switch {
	case len(first) == len(p.Names):
		return spaced(fmt.Sprintf("None of the %d can be told from the others.", len(p.Names)))
	case len(first) == 1 && most == len(p.Names)-1:
		return spaced(fmt.Sprintf("%s %s: the difference to every other is beyond noise.", first[0], verb))
	case len(first) == 1:
		return spaced(fmt.Sprintf("Nobody here is surely ahead of %s, but not every difference is beyond noise.", first[0]))
	case len(first) == 0:
		return "Each of them is behind another." // no order
	}
	return spaced(fmt.Sprintf("%s cannot be told apart, and nobody here is surely ahead of them.", Enumerate(first)))
}

// Also is what they come to.
func (p *ComparisonsPage) Also() template.HTML {
	type valued struct {
		name string
		v    float64
	}
	var all []valued
	for i, r := range p.Reports {
		if r == nil {
			return ""
		}
		head := Headline(r)
		if head == nil || head.Value == nil || head.Unit != "" {
			return ""
		}
		all = append(all, valued{p.Names[i], *head.Value})
	}
	slices.SortStableFunc(all, func(a, b valued) int { return cmp.Compare(b.v, a.v) })
	var words []string
	for _, x := range all {
		words = append(words, fmt.Sprintf("%s %.0f %%", x.name, x.v))
	}
	name := capital(MetricName(p.protocol(), Headline(p.Reports[0]).Metric))
	return spaced(name + ": " + strings.Join(words, ", ") + ".")
}

// Answer is the comparison in words.
func (p *ComparisonsPage) Answer() template.HTML { return part("versus-answer", p) }

// Above are the parts of the page between its headline and the items.
func (p *ComparisonsPage) Above() template.HTML {
	return blocks(nil, p.judges(), p.pairs(), warned(p.warnings()))
}

// Below are the parts of the page below the items.
func (p *ComparisonsPage) Below() template.HTML {
	alike := slices.ContainsFunc(p.Pairs, func(c ComparedPair) bool { return c.Alike != nil })
	return blocks(nil, madeBy(nil, p.Command, ""), sure(p.Family, alike))
}

// judges are the runs by themselves.
func (p *ComparisonsPage) judges() Section {
	if slices.Contains(p.Reports, nil) {
		return Section{}
	}
	var axis *Axis
	c := Chart{Label: "The judges", Class: "many"}
	for i, r := range p.Reports {
		head := Headline(r)
		if head == nil || head.Value == nil {
			return Section{}
		}
		if axis == nil {
			axis = new(valueAxis(head.Unit))
			c.Columns = []ChartColumn{
				{Class: "pl", Axis: axis},
				{Class: "val", Head: capital(MetricName(r.Protocol, head.Metric))},
			}
		}
		row := ChartRow{
			Name:  letter(i) + " · " + p.Names[i],
			Link:  p.Links[i],
			Look:  "level-" + string(levelOf(r)),
			Cells: []template.HTML{Plot(*axis, *head), ValueCell(*head)},
		}
		for _, t := range layoutOf(r.Protocol).Tiles {
			if t.Metric == head.Metric && t.Mode == head.Mode || t.Metric == scoring.WithoutVerdict {
				continue
			}
			if i == 0 {
				c.Columns = append(c.Columns, ChartColumn{Class: "kp", Head: tileHead(t, p.Reports)})
			}
			row.Cells = append(row.Cells, sideCell(t.of(r)))
		}
		c.Rows = append(c.Rows, row)
	}
	return Section{
		ID:    "judges",
		Title: "The judges",
		About: "with 95 % interval, each on all that it judged",
		Body:  c.HTML(),
	}
}

// pairs are every two of them.
func (p *ComparisonsPage) pairs() Section {
	head := p.Pairs[0].Headline()
	if head == nil {
		return Section{}
	}
	headline := differencePart{
		name:  capital(MetricName(p.protocol(), head.Metric)),
		about: "of the " + ItemOf(p.protocol()) + "s that both have judged",
	}
	alike := differencePart{
		name:  "Right where both orders agree",
		about: "of those on which each of the two has such a verdict",
	}
	for _, pair := range p.Pairs {
		name := letter(pair.A) + " · " + letter(pair.B)
		if d := pair.Headline(); d != nil && d.Diff != nil {
			row := differenceRow{name: name, link: pair.Link, Difference: *d}
			row.Group = ""
			headline.rows = append(headline.rows, row)
		}
		if pair.Alike != nil {
			row := differenceRow{name: name, link: pair.Link, Difference: *pair.Alike}
			row.Group = ""
			alike.rows = append(alike.rows, row)
		}
	}
	names := [2]string{"the first", "the second"}
	parts := []differencePart{headline}
	if len(alike.rows) > 0 {
		parts = append(parts, alike)
	}
	return Section{
		ID:    "pairs",
		Title: "Every two of them",
		About: "the second less the first, with 95 % interval · one that holds 0 may be noise",
		Body: differenceChart("Every two of them", names, best(p.protocol(), head.Metric), parts).HTML() +
			differenceKey(names),
	}
}

// letter of a run at a place.
func letter(place int) string { return string(rune('A' + place)) }

// warnings of all comparisons, each once.
func (p *ComparisonsPage) warnings() (all []string) {
	for _, pair := range p.Pairs {
		for _, w := range pair.Comparison.Warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
