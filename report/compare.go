package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gavel/scoring"
)

// Comparison wraps what `gavel compare` prints.
type Comparison struct{ *scoring.Comparisons }

// CSV writes one row per comparison, metric and group.
func (c Comparison) CSV(w io.Writer) error {
	rows := [][]string{{"run_a", "run_b", "metric", "group", "a", "b", "difference", "low", "high", "n", "both", "only_a", "only_b", "neither", "p", "p_holm", "noise_floor", "may_be_noise", "note"}}
	modes := ways{}
	for _, cmp := range c.Comparisons.Comparisons {
		for _, d := range cmp.Differences {
			modes.of(len(rows), d.Mode, d.Unit)
			in := decimals(d.Unit)
			table := make([]string, 4)
			if d.Table != nil {
				for i, n := range []int{d.Table.Both, d.Table.OnlyA, d.Table.OnlyB, d.Table.Neither} {
					table[i] = strconv.Itoa(n)
				}
			}
			row := []string{cmp.A.Run, cmp.B.Run, d.Metric, d.Group, number(d.A, in), number(d.B, in), number(d.Diff, in), number(d.Low, in), number(d.High, in), strconv.Itoa(d.N)}
			row = append(row, table...)
			rows = append(rows, append(row, number(d.P, 6), number(d.Holm, 6), number(d.Floor, 4), strconv.FormatBool(d.Noise), d.Note))
		}
	}
	return writeCSV(w, modes.onto(rows))
}

// Tables lays every comparison out for people.
func (c Comparison) Tables() []Table {
	var tables []Table
	for _, cmp := range c.Comparisons.Comparisons {
		layout := comparisonTable
		if cmp.Unit != "" {
			layout = familyComparison
		}
		tables = append(tables, layout(cmp, c.Comparisons))
		if t, ok := tableOfTwo(cmp, c.Bootstrap.Unit); ok {
			tables = append(tables, t)
		}
	}
	return tables
}

func sideName(s scoring.Side) string {
	return fmt.Sprintf("%s · %s · prompt %s · %s%s  (%s)", s.Model, s.Protocol, prompted(s.Prompt, s.Settings), s.Dataset, simulatedMark(s.Simulated), s.Run)
}

func comparisonTable(cmp *scoring.Comparison, all *scoring.Comparisons) Table {
	t := Table{
		Title: fmt.Sprintf("A = %s\nB = %s\n%d pairs judged by both", sideName(cmp.A), sideName(cmp.B), cmp.N),
		Columns: []Column{{"percent", false}, {"group", false}, {"n", true}, {"A", true}, {"B", true}, {"B − A", true}, {"95 % interval", true}, {"noise floor", true},
			{"McNemar p", true}, {"Holm", true}, {"", false}},
	}
	for _, d := range cmp.Differences {
		verdict := "differs"
		if d.Noise {
			verdict = "~"
		}
		interval := "n/a"
		if d.Low != nil {
			interval = fmt.Sprintf("[%s, %s]", signed(d.Low), signed(d.High))
		}
		t.Rows = append(t.Rows, []string{d.Metric, d.Group, strconv.Itoa(d.N), value(d.A), value(d.B), signed(d.Diff), interval, floor(d.Floor), pvalue(d.P), pvalue(d.Holm), verdict})
	}
	t.Notes = append(t.Notes,
		fmt.Sprintf("~ may be noise: the interval holds 0, p is not below 0.05, or the noise floor is not exceeded; intervals: paired bootstrap over pairs, %d rounds, seed %d", all.Bootstrap.Rounds, all.Bootstrap.Seed),
		"Holm over "+all.Family,
		noiseNote(cmp))
	if e := cmp.Ensemble; e != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("both goals as one judge: they agree on %s of pairs (n=%d); strict where they agree: %s (n=%d)",
			withInterval(e.Coverage), e.Coverage.N, withInterval(e.Strict), e.Strict.N))
	}
	for _, w := range cmp.Warnings {
		t.Notes = append(t.Notes, "! "+w)
	}
	return t
}

// familyComparison is comparisonTable of runs that are not of pairs: with a
// mode where they have one, and without what only pairs have.
func familyComparison(cmp *scoring.Comparison, all *scoring.Comparisons) Table {
	t := Table{
		Title: fmt.Sprintf("A = %s\nB = %s\n%d %ss in both", sideName(cmp.A), sideName(cmp.B), cmp.N, cmp.Unit),
		Columns: []Column{{"metric", false}, {"mode", false}, {"group", false}, {"n", true}, {"A", true}, {"B", true}, {"B − A", true}, {"95 % interval", true},
			{"p", true}, {"Holm", true}, {"", false}},
	}
	var said remarks
	for _, d := range cmp.Differences {
		verdict, interval := "differs", "n/a"
		if d.Noise {
			verdict = "~"
		}
		diff := func(v *float64, short bool) string { return inUnit(v, d.Unit, scoring.ModeDifference, short) }
		if d.Low != nil {
			interval = fmt.Sprintf("[%s, %s]", diff(d.Low, true), diff(d.High, true))
		}
		t.Rows = append(t.Rows, []string{d.Metric, d.Mode, d.Group, strconv.Itoa(d.N), inUnit(d.A, d.Unit, "", false), inUnit(d.B, d.Unit, "", false), diff(d.Diff, false), interval, pvalue(d.P), pvalue(d.Holm), verdict})
		said.add(strings.Join(strings.Fields(d.Metric+" "+d.Mode+" "+d.Group), " "), d.Note)
	}
	t.Notes = append(t.Notes,
		fmt.Sprintf("~ may be noise: the interval holds 0, or there is none, or p (%s) is not below 0.05; intervals: paired bootstrap over %ss, %d rounds, seed %d", testsOf(cmp), all.Bootstrap.Unit, all.Bootstrap.Rounds, all.Bootstrap.Seed),
		"Holm over "+all.Family)
	if slices.ContainsFunc(cmp.Differences, func(d scoring.Difference) bool { return d.Unit != "" }) {
		t.Notes = append(t.Notes, "in percent, but correlations and scores as the papers print them")
	} else {
		t.Notes = append(t.Notes, "in percent")
	}
	t.Notes = append(t.Notes, said.lines()...)
	t.Notes = append(t.Notes, togetherNotes(cmp)...)
	for _, w := range cmp.Warnings {
		t.Notes = append(t.Notes, "! "+w)
	}
	return t
}

// testsOf says what the p of a comparison are of.
func testsOf(cmp *scoring.Comparison) string {
	var words []string
	other := map[string][]string{}
	for _, d := range cmp.Differences {
		switch {
		case d.P == nil:
		case d.Test == "":
			words = []string{"exact McNemar"}
		case !slices.Contains(other[d.Test], d.Metric):
			other[d.Test] = append(other[d.Test], d.Metric)
		}
	}
	for _, test := range slices.Sorted(maps.Keys(other)) {
		words = append(words, "of "+strings.Join(other[test], " and ")+" by "+test)
	}
	if words == nil {
		return "none here"
	}
	return strings.Join(words, ", ")
}

func floor(v *float64) string {
	if v == nil {
		return "?"
	}
	return value(v)
}

func noiseNote(cmp *scoring.Comparison) string {
	for _, d := range cmp.Differences {
		if d.Floor != nil {
			return "noise floor: the largest difference that asking the same judge again made, in points"
		}
	}
	return "noise floor unknown: neither run asked more than once (--repeat 2)"
}

// tableOfTwo is the 2×2 table of the headline, overall: strict, or of families
// the first that has one.
func tableOfTwo(cmp *scoring.Comparison, unit string) (Table, bool) {
	for _, d := range cmp.Differences {
		if d.Group == scoring.Overall && d.Table != nil && (d.Metric == "strict" || cmp.Unit != "") {
			x := d.Table
			return Table{
				Title:   fmt.Sprintf("%s, %s by %s", d.Metric, unit, unit),
				Columns: []Column{{"", false}, {"B right", true}, {"B wrong", true}},
				Rows: [][]string{
					{"A right", strconv.Itoa(x.Both), strconv.Itoa(x.OnlyA)},
					{"A wrong", strconv.Itoa(x.OnlyB), strconv.Itoa(x.Neither)},
				},
			}, true
		}
	}
	return Table{}, false
}

// signed writes a difference with its sign.
func signed(v *float64) string {
	if v == nil {
		return "n/a"
	}
	s := strconv.FormatFloat(*v, 'f', 2, 64)
	if *v > 0 {
		return "+" + s
	}
	return s
}

func pvalue(p *float64) string {
	switch {
	case p == nil:
		return ""
	case *p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(*p, 'f', 4, 64)
}
