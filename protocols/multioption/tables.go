package multioption

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// steady is said where the Grade score leads.
const steady = "These items have no label: the Grade score says how steady a choice is, not whether it is right."

var Layout = &report.Layout{
	Terms:      terms,
	Headline:   everyRight,
	Unlabelled: GradeScore,
	Steady:     steady,
	Noun:       "judgments",
	Summary:    summary,
	Tables:     tables,
	Compared:   compared,
	Words:      map[string]string{"unrelated": "with an unrelated option"},
	How:        " of several, in several orders",
	Became:     "each asked in several orders of its options",
	Bracket:    bracket,
	Parts:      pageParts,
	Ends: []report.End{
		{Part: PartRight, Look: "right", Words: "same choice in every order, and right", Show: "right"},
		{Part: PartWrong, Look: "wrong", Words: "same choice in every order, and wrong", Show: "steady"},
		{Part: PartSame, Look: "right", Words: "same choice in every order", Show: "same"},
		{Part: PartMoved, Look: "tie", Words: "choice changes with the order", Show: "moved"},
		{Part: PartPlace, Look: "first", Words: "same place in every order", Show: "placed"},
		{Part: PartMissing, Look: "none", Words: "no verdict in some order", Show: "open"},
	},
	Tiles: []report.Tile{
		{
			Metric: everyRight,
			Note:   beside(everyRight, ""),
		},
		{
			Metric: optionAccuracy,
			Note:   beside(optionAccuracy, "%.0f %%"),
		},
		{
			Metric: GradeScore,
			Note:   beside(GradeScore, "%.2f"),
		},
		{Metric: sameChoice},
		report.Verdictless,
	},
	Board: []report.BoardColumn{
		report.ColumnOf("Grade", "score", GradeScore),
		report.ColumnOf("right over", "all orders", optionAccuracy),
		report.ColumnOf("same in", "all orders", sameChoice),
	},
}

// beside says what a random judge has of a metric.
func beside(metric, form string) func(r *scoring.Report) string {
	return func(r *scoring.Report) string {
		x := r.Overall(metric)
		text := fmt.Sprintf("of %d items", x.N)
		if random := r.Overall(metric + OfRandom); random.Value != nil {
			text += fmt.Sprintf("; a random judge has "+form, *random.Value)
		}
		return text
	}
}

func summary(runs []scoring.Report) table.Table {
	t := table.Table{
		Title: fmt.Sprintf("%d runs of a choice among several options (scores from 0 to 1, "+
			"95 %% intervals over items; accuracy in percent)", len(runs)),
		Columns: table.Left("model", "goal", "prompt", "dataset"),
	}
	labelled := slices.ContainsFunc(runs, func(r scoring.Report) bool { return r.Overall(everyRight).Value != nil })
	if labelled {
		t.Columns = t.Columns.Right("right in every order %")
	}
	t.Columns = t.Columns.Right("Grade score", "LLM score",
		"choice score", "Grade, random", "random 0 to perfect 1", "accuracy", "items", "decided")
	for _, r := range runs {
		of := r.Overall
		row := []string{r.Model, r.Goal, report.Prompt(r), r.Dataset}
		if labelled {
			row = append(row, table.Whole(of(everyRight)))
		}
		t.Row(append(row, table.Whole(of(GradeScore)),
			table.Plain(of(LLMScore)), table.Plain(of(ChoiceScore)),
			table.Plain(of(GradeScore+OfRandom)), table.Plain(of(GradeScore+overRandom)),
			table.Plain(of(optionAccuracy)),
			strconv.Itoa(r.Items), fmt.Sprintf("%d/%d", r.Outcomes[scoring.Decided], r.Judgments()),
		)...)
	}
	if !labelled {
		t.Note(steady)
	}
	return t
}

// tables are one run: what it scores beside judges without judgment,
// the same by number of options, and the positions chosen.
func tables(r scoring.Report) []table.Table {
	tables := []table.Table{optionsTable(r)}
	if t, ok := byOptionsTable(r); ok {
		tables = append(tables, t)
	}
	return append(append(tables, positionsTable(r)), report.Again(r)...)
}

func optionsTable(r scoring.Report) table.Table {
	t := table.Table{
		Title: report.Heading(r, true),
		Columns: table.Left("0 to 1, % where it says so").
			Right("judge", "random judge", "always first", "random 0 to perfect 1", "n").
			Left("missing verdicts"),
	}
	var said table.Remarks
	row := func(name, metric string, cells ...string) {
		x := r.Overall(metric)
		said.Add(name, x.Note)
		cells = append(append([]string{name, table.Whole(x)}, cells...), make([]string, 3-len(cells))...)
		t.Row(append(cells, strconv.Itoa(x.N), x.Missing)...)
	}
	of := r.Overall
	if of(everyRight).Value != nil {
		row("right in every order %", everyRight)
	}
	for _, s := range scores {
		row(s.term.Called[0], s.name, table.Plain(of(s.name+OfRandom)), table.Plain(of(s.name+OfFirst)),
			table.Whole(of(s.name+overRandom)))
	}
	for _, policy := range []string{byUsable, byStrict} {
		if name := policy[1:]; name != string(r.Missing) && lacks(r) {
			row("Grade score, "+name, GradeScore+policy)
		}
	}
	row("right ("+r.Goal+") %", optionAccuracy, table.Plain(of(optionAccuracy+OfRandom)))
	row("right most often %", modeAccuracy)
	row("always the same option %", sameChoice)
	if x := of(UnrelatedRate); x.Value != nil {
		row("the unrelated option %", UnrelatedRate)
	}
	t.Note(
		"judgments: "+report.Outcomes(r),
		"LLM score: entropy of the positions chosen, over the largest that can be; choice score: share of "+
			"the option chosen most often; Grade score: their harmonic mean; each of one item, then the mean",
		"so a judge that always picks the same option scores 1, right or wrong, one that always picks the same "+
			"position 0, and one that picks at random what its column says ("+of(GradeScore+OfRandom).Note+")",
		report.BootstrapNote(r))
	t.Note(said.Lines()...)
	t.Warn(r.Warnings)
	return t
}

// lacks tells whether any judgment has no verdict.
func lacks(r scoring.Report) bool { return r.Outcomes[scoring.Decided] < r.Judgments() }

// byOptionsTable has a row for each number of options, where there are several.
func byOptionsTable(r scoring.Report) (table.Table, bool) {
	t := table.Table{
		Title: "by number of options",
		Columns: table.Left("").Right("items", "Grade score", "random judge", "random 0 to perfect 1",
			"LLM score", "choice score", "right %", "random judge %", "always the same option %"),
	}
	unrelated := r.Overall(UnrelatedRate).Value != nil
	if unrelated {
		t.Columns = t.Columns.Right("the unrelated option %")
		t.Note("the unrelated option is shown beside them, and is not counted")
	}
	for _, g := range r.Groups() {
		if g == scoring.Overall || r.Result(GradeScore, g, "").Metric == "" {
			continue
		}
		of := func(metric string) scoring.Result { return r.Result(metric, g, "") }
		row := []string{g, strconv.Itoa(of(GradeScore).N), table.Whole(of(GradeScore)),
			table.Plain(of(GradeScore + OfRandom)), table.Plain(of(GradeScore + overRandom)),
			table.Plain(of(LLMScore)), table.Plain(of(ChoiceScore)), table.Plain(of(optionAccuracy)),
			table.Plain(of(optionAccuracy + OfRandom)), table.Plain(of(sameChoice))}
		if unrelated {
			row = append(row, table.Plain(of(UnrelatedRate)))
		}
		t.Row(row...)
	}
	return t, len(t.Rows) > 0
}

// positionsTable is how often each position was chosen, by number of options.
func positionsTable(r scoring.Report) table.Table {
	t := table.Table{
		Title:   "how often each position is chosen (percent of judgments with a verdict)",
		Columns: table.Left("").Right("judgments"),
	}
	rows := map[string][]string{}
	var groups []string
	most := 0
	for _, x := range r.Results {
		position, ok := strings.CutPrefix(x.Metric, PositionMetric)
		if !ok {
			continue
		}
		n, _ := strconv.Atoi(position) // scoring numbers them
		if rows[x.Group] == nil {
			groups, rows[x.Group] = append(groups, x.Group), []string{x.Group, strconv.Itoa(x.N)}
		}
		rows[x.Group] = append(rows[x.Group], table.Plain(x))
		most = max(most, n)
	}
	for n := range most {
		t.Columns = t.Columns.Right(strconv.Itoa(n + 1))
	}
	t.Columns = t.Columns.Right("χ²", "df", "p")
	var said table.Remarks
	for _, g := range groups {
		row := rows[g]
		positions := len(row) - 2
		row = append(row, make([]string, most-positions)...)
		chi2 := r.Result(positionsChiSquare, g, "")
		t.Row(append(row, table.Fixed(chi2.Value, 2), strconv.Itoa(positions-1),
			cmp.Or(table.PValue(r.Result(positionsP, g, "").Value), "n/a"))...)
		if _, rough, ok := strings.Cut(chi2.Note, "; "); ok {
			said.Add(g, rough)
		}
	}
	t.Note("the χ² test of uniformity assumes independent judgments; those of one " +
		"item are not, and a judge that always picks the same option is more even than chance: p near 1")
	t.Note(said.Lines()...)
	return t
}

// compared says what two runs of opposite goals say of each other.
func compared(cmp *scoring.Comparison) (notes []string) {
	says := map[string]string{
		goalsDiffer:     "the option most often called best and the one most often called worst are two",
		goalsContradict: "shown in the same order, one option is called both best and worst",
		goalsByChance:   "two judges that name any position would call one option both",
	}
	for _, x := range cmp.Together {
		text := fmt.Sprintf("%s: %s %% (n=%d)", says[x.Metric], table.Whole(x), x.N)
		if x.Value == nil {
			text = says[x.Metric] + ": " + x.Note
		}
		notes = append(notes, text)
	}
	return notes
}
