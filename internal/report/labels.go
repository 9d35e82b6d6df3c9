package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"

	"gavel/internal/labels"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// LabelAgreement wraps what `gavel agree` prints of labels.
type LabelAgreement struct{ *labels.Agreement }

// Sentences are the answer.
func (a LabelAgreement) Sentences() []string { return []string{a.Says} }

// mostPairsOfRaters is how many pairs a table lists.
const mostPairsOfRaters = 30

// CSV has a row for each judge beside the majority, and for every two raters.
func (a LabelAgreement) CSV(w io.Writer) error {
	rows := [][]string{{"a", "b", "between", "n", "statistic", "value", "low", "high"}}
	add := func(x, y, between string, n int, name string, v labels.Number) {
		rows = append(rows, []string{
			x, y, between, strconv.Itoa(n), name, table.Cell(v.Value, 6), table.Cell(v.Low, 6),
			table.Cell(v.High, 6),
		})
	}
	for _, j := range a.Judges {
		add(j.Run, "majority", "judge, majority", j.N, "agreement", j.Agreement)
		add(j.Run, "majority", "judge, majority", j.N-j.NoVerdict, "kappa", j.Kappa)
	}
	for _, p := range a.Pairs {
		for _, x := range p.Numbers() {
			add(p.A, p.B, p.Between, p.N, x.Name, x.Number)
		}
	}
	return table.WriteCSV(w, rows)
}

// Tables are the judges beside most people, every two raters, and whether a judge may stand in for a person.
func (a LabelAgreement) Tables() []table.Table {
	tables := []table.Table{a.standings(), a.pairs()}
	for _, s := range a.StandIn {
		tables = append(tables, standIn(s))
	}
	return tables
}

func (a LabelAgreement) standings() table.Table {
	t := table.Table{
		Title: fmt.Sprintf("which judge agrees with these labels · %d items · %s", a.Items, a.Labels),
		Columns: table.Left("judge", "run").Right("agreement, %",
			"n", "no verdict", "Cohen's κ", "calls per 1,000", "tokens per 1,000").Spare("run"),
	}
	for _, j := range a.Judges {
		n, tokens := strconv.Itoa(j.N), ""
		if j.Tokens > 0 {
			tokens = strconv.Itoa(j.Tokens)
		}
		if j.Clusters > 0 {
			n = fmt.Sprintf("%d in %d", j.N, j.Clusters)
		}
		value := ofHundred(j.Agreement)
		if len(a.Judges) > 1 {
			value += " " + j.Letters
		}
		t.Row(
			j.Model, j.Run, value, n, strconv.Itoa(j.NoVerdict), kappa(j.Kappa), strconv.Itoa(j.Calls),
			tokens,
		)
	}
	t.Note("agreement: with what most people say of an item, " +
		"of several judgments of it where all name the same; no verdict is no agreement")
	if len(a.Judges) > 1 {
		test := "McNemar's test"
		if a.Test == "permutation" {
			test = "a permutation test by " + a.Bootstrap.Unit
		}
		t.Note("judges that share a letter cannot be told apart (" + test + ", Holm's correction)")
	}
	t.Note("calls and tokens of replies for 1,000 items are what a judge costs",
		"κ is agreement beyond chance: 0 is chance, 1 all; read it beside agreement, the two can be far apart")
	if slices.ContainsFunc(a.Judges, func(j labels.Standing) bool { return j.Kappa.Constant }) {
		t.Note(aboutConstant)
	}
	if p := a.People; p != nil && p.Alpha.Value != nil {
		t.Notef("%d people among themselves: Krippendorff's α %s on %d items",
			p.Raters, coefficient(p.Alpha), p.N)
	}
	for _, s := range a.Self {
		t.Notef("%s, shown %s twice, said the same of %s %%",
			table.Clean(s.Labeller), table.Count(s.N, "item"), ofHundred(s.Agreement))
	}
	t.Warn(a.Warnings)
	return t
}

// Standings is the table of the judges.
func (a LabelAgreement) Standings() (template.HTML, error) { return a.standings().HTML() }

// Charts draw the judges by agreement, below the answer, and fold every number. link is the address of a run's page.
func (a LabelAgreement) Charts(link func(run string) string) (template.HTML, error) {
	axis := PercentAxis
	axis.Zero = -1 // no line for chance, which depends on how often each label is right
	c := Chart{
		Label: "The judges",
		Class: "wide many",
		Columns: []ChartColumn{
			{Class: "pl", Axis: &axis}, {Class: "val", Head: "Agrees"}, {Class: "kp", Head: "Cohen's κ"},
			{Class: "kp", Head: "No verdict"},
		},
	}
	alone := a.raters()
	for _, j := range a.Judges {
		name := scoring.JudgeName(j.Model)
		if alone[j.Run] == "" {
			name += " · " + j.Run
		}
		agreement := resultOf(j.Agreement, "")
		beyond := resultOf(j.Kappa, scoring.UnitCorrelation)
		cell := BareCell(beyond)
		if beyond.Low != nil {
			cell += template.HTML(" <small>" + shortEnds(beyond) + "</small>")
		}
		count := fmt.Sprintf("n = %d", j.N)
		if len(a.Judges) > 1 {
			count += " · " + j.Letters
		}
		c.Rows = append(c.Rows, ChartRow{
			Name:  name,
			Count: count,
			Link:  link(j.Run),
			Look:  "level-" + string(scoring.Unknown),
			Cells: []template.HTML{
				Plot(axis, agreement), ValueCell(agreement), cell,
				template.HTML(fmt.Sprintf("<b>%d</b>", j.NoVerdict)),
			},
		})
	}
	numbers, err := a.standings().HTML()
	if err != nil {
		return "", err
	}
	about := "percent of the items on which a judge says what most people say, with 95 % interval"
	if len(a.Judges) > 1 {
		about += " · judges that share a letter cannot be told apart"
	}
	return blocks(nil, []Section{
		{ID: "judges", Title: "Who agrees with the people", About: about, Body: c.HTML()},
		{ID: "numbers", Body: folded("every-number", "Every number, and how it is counted", numbers)},
	}...), nil
}

// resultOf a number, as charts draw it. A κ that is 0 whatever the other says is none.
func resultOf(n labels.Number, unit string) scoring.Result {
	if n.Constant {
		return scoring.Result{}
	}
	return scoring.Result{Unit: unit, Value: n.Value, Low: n.Low, High: n.High}
}

// raters are the judges' names by their runs, of those whose name no other has.
func (a LabelAgreement) raters() map[string]string {
	runs := map[string]int{}
	for _, j := range a.Judges {
		runs[j.Model]++
	}
	names := map[string]string{}
	for _, j := range a.Judges {
		if runs[j.Model] == 1 {
			names[j.Run] = j.Model
		}
	}
	return names
}

func (a LabelAgreement) pairs() table.Table {
	t := table.Table{Columns: table.Left("of", "and of", "between").
		Right("agreement, %", "n", "Cohen's κ", "Gwet's AC1", "Krippendorff's α")}
	ordinal := slices.ContainsFunc(a.Pairs, func(p labels.Pair) bool { return p.Ordinal != nil })
	if ordinal {
		t.Columns = t.Columns.Right("ordinal α")
	}
	names := a.raters()
	for i, p := range a.Pairs {
		if i == mostPairsOfRaters {
			t.Notes = []string{fmt.Sprintf("and %d more pairs, see --json", len(a.Pairs)-i)}
			break
		}
		t.Row(
			cmp.Or(names[p.A], p.A), cmp.Or(names[p.B], p.B), p.Between,
			ofHundred(p.Agreement), strconv.Itoa(p.N), kappa(p.Kappa),
			coefficient(p.AC1), coefficient(p.Alpha),
		)
		if last := len(t.Rows) - 1; p.Ordinal != nil {
			t.Rows[last] = append(t.Rows[last], coefficient(*p.Ordinal))
		} else if ordinal {
			t.Rows[last] = append(t.Rows[last], "")
		}
	}
	t.Note("n: items that both gave a verdict or a label; intervals: " +
		fmt.Sprintf("%.0f %%, resampled by %s", 100*a.Bootstrap.Level, a.Bootstrap.Unit))
	if slices.ContainsFunc(a.Pairs, func(p labels.Pair) bool { return p.Kappa.Constant }) {
		t.Note(aboutConstant)
	}
	return t
}

func standIn(s labels.StandIn) table.Table {
	t := table.Table{
		Title: fmt.Sprintf("may %s (%s) stand in for a person? ε %g", s.Model, s.Run, s.Epsilon),
		Columns: table.Left("person left out").
			Right("items", "judge at least as good, %", "person at least as good, %", "p", ""),
	}
	few := 0
	for _, p := range s.People {
		if p.P == nil {
			few++
			continue
		}
		t.Row(
			p.Labeller, strconv.Itoa(p.N), percentOf(p.Judge), percentOf(p.Person), table.PValue(p.P),
			map[bool]string{true: "surpassed"}[p.Surpasses],
		)
	}
	answer := "no person labelled at least 30 items that others labelled too: the test needs this"
	if s.Winning != nil {
		answer = "yes: it surpasses %s %% of the people (ω), and"
		if *s.Winning < 0.5 {
			answer = "not shown: it surpasses %s %% of the people (ω), half are needed; it"
		}
		answer = fmt.Sprintf(answer+" agrees with the others as well as the one left out on %s %% of items (ρ)",
			percentOf(s.Winning), percentOf(s.Advantage))
	}
	t.Note(answer)
	if few > 0 {
		t.Notef("%d people with fewer than 30 items in common with others are left out", few)
	}
	t.Note(
		"the alternative annotator test (arXiv 2501.10970), Benjamini and Yekutieli's correction at 0.05")
	return t
}

func ofHundred(n labels.Number) string { return table.Interval(n.Value, n.Low, n.High, 1, 1) }

// kappa of two raters; – where one of them says the same of every item.
func kappa(n labels.Number) string {
	if n.Constant {
		return "–"
	}
	return coefficient(n)
}

const aboutConstant = "κ –: one of the two says the same of every item, and κ is 0 whatever the other says"

func coefficient(n labels.Number) string { return table.Interval(n.Value, n.Low, n.High, 3, 2) }

func percentOf(share *float64) string {
	if share == nil {
		return ""
	}
	x := 100 * *share
	return table.Fixed(&x, 1)
}

// Estimated wraps what `gavel estimate` prints.
type Estimated struct{ *labels.Estimated }

// Sentences are the answer.
func (e Estimated) Sentences() []string { return []string{e.Says} }

func (e Estimated) numbers() (rows []labels.Named) {
	add := func(name string, n *labels.Number) {
		if n != nil {
			rows = append(rows, labels.Named{Name: name, Number: *n})
		}
	}
	add("corrected (PPI++)", &e.Share)
	add("corrected (Rogan and Gladen)", e.RoganGladen)
	add("the judge alone", &e.JudgeAlone)
	add("the labels alone", &e.LabelsAlone)
	return rows
}

// CSV has a row for each estimate.
func (e Estimated) CSV(w io.Writer) error {
	rows := [][]string{{"run", "response", "estimate", "value", "low", "high", "judged", "labelled"}}
	for _, r := range e.numbers() {
		rows = append(rows, []string{
			e.Run, e.Response, r.Name, table.Cell(r.Value, 4), table.Cell(r.Low, 4), table.Cell(r.High, 4),
			strconv.Itoa(e.Judged), strconv.Itoa(e.Labelled),
		})
	}
	return table.WriteCSV(w, rows)
}

// Tables say it in a sentence, and have all estimates.
func (e Estimated) Tables() []table.Table {
	t := table.Table{
		Columns: table.Left("share of " + e.Response + ", a tie as one half").Right("%"),
	}
	for _, r := range e.numbers() {
		t.Row(r.Name, ofHundred(r.Number))
	}
	t.Note(fmt.Sprintf("judge: %s; %d of the pairs have a label, which must have been drawn at "+
		"random; %d have no verdict and count as ties", e.Model, e.Labelled, e.NoVerdict),
		fmt.Sprintf("the judge is relied on with a weight of %.2f: 0 is not at all", e.Weight))
	if e.Clusters > 0 {
		t.Notef("the pairs are in %d clusters, by which intervals are made; "+
			"Rogan and Gladen's needs independent pairs, and is left out", e.Clusters)
	}
	for _, x := range e.LabelsFor {
		said := "no number of labels makes it"
		if x.Labels != nil {
			said = fmt.Sprintf("some %d labels make it", *x.Labels)
		}
		t.Notef("an interval %g points wide: %s", x.Width, said)
	}
	t.Warn(e.Warnings)
	return []table.Table{t}
}

// Selective wraps what `gavel select` prints.
type Selective struct{ *labels.Selective }

// Sentences are the answer.
func (s Selective) Sentences() []string { return []string{s.Says} }

// CSV has a row for each judge.
func (s Selective) CSV(w io.Writer) error {
	rows := [][]string{{"run", "model", "threshold", "asked", "believed", "right", "of"}}
	for _, j := range s.Judges {
		rows = append(rows, []string{
			j.Run, j.Model, table.Cell(j.Threshold, 6), strconv.Itoa(j.Asked), strconv.Itoa(j.Believed),
			strconv.Itoa(j.Right), strconv.Itoa(j.Of),
		})
	}
	return table.WriteCSV(w, rows)
}

// Tables are the judges in the order asked.
func (s Selective) Tables() []table.Table {
	t := table.Table{
		Title: fmt.Sprintf("believed where at most %g %% are wrong, with probability %g %%", s.Risk, 100-s.Delta),
		Columns: table.Left("judge", "run").
			Right("believed from confidence", "items asked", "believed", "right of labelled"),
	}
	var never []string
	for _, j := range s.Judges {
		if j.Note != "" {
			never = append(never, fmt.Sprintf("%s is never believed: %s", j.Model, j.Note))
		}
		t.Row(
			j.Model, j.Run, cmp.Or(table.Cell(j.Threshold, 4), "never"), strconv.Itoa(j.Asked),
			strconv.Itoa(j.Believed), fmt.Sprintf("%d of %d", j.Right, j.Of),
		)
	}
	t.Notes = append(never,
		fmt.Sprintf("%d of %d items have a verdict that is believed; the rest go to a person", s.Covered, s.Items),
		fmt.Sprintf("%d calls, where the last judge alone takes %d", s.Calls, s.Full),
		fmt.Sprintf("thresholds found on %d labelled items, which must have been drawn at random (arXiv 2407.18370)",
			s.Labelled))
	t.Warn(s.Warnings)
	return []table.Table{t}
}
