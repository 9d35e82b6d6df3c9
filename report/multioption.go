package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gavel/scoring"
)

func multiOptionSummary(runs []scoring.Report) Table {
	t := Table{Title: fmt.Sprintf("%d runs of a choice among several options (scores from 0 to 1, 95 %% intervals over items; accuracy in percent)", len(runs)), Columns: []Column{
		{"model", false}, {"goal", false}, {"prompt", false}, {"dataset", false}, {"Grade score", true}, {"LLM score", true}, {"choice score", true},
		{"Grade, random", true}, {"random 0 to perfect 1", true}, {"accuracy", true}, {"items", true}, {"decided", true},
	}}
	for _, r := range runs {
		of := func(metric string) scoring.Result { return find(r, metric, scoring.Overall) }
		t.Rows = append(t.Rows, []string{
			r.Model, r.Goal, prompted(r.Prompt, r.Settings), r.Dataset, whole(of(scoring.GradeScore)), plain(of(scoring.LLMScore)), plain(of(scoring.ChoiceScore)),
			plain(of(scoring.GradeScore + scoring.OfRandom)), plain(of(scoring.GradeScore + scoring.OverRandom)), plain(of(scoring.OptionAccuracy)),
			strconv.Itoa(r.Items), fmt.Sprintf("%d/%d", r.Outcomes[scoring.Decided], r.Games()),
		})
	}
	return t
}

// multiOptionTables are one run: what it scores beside judges without judgment,
// the same by number of options, and the places chosen.
func multiOptionTables(r scoring.Report) []Table {
	tables := []Table{optionsTable(r)}
	if t, ok := byOptionsTable(r); ok {
		tables = append(tables, t)
	}
	return append(tables, placesTable(r))
}

// optionScores are the three, as the paper names them.
var optionScores = []struct{ metric, name string }{
	{scoring.GradeScore, "Grade score"},
	{scoring.LLMScore, "LLM score"},
	{scoring.ChoiceScore, "choice score"},
}

func optionsTable(r scoring.Report) Table {
	t := Table{
		Title: fmt.Sprintf("%s · %s (which is %s?) · prompt %s · %s%s", r.Model, r.Protocol, r.Goal, prompted(r.Prompt, r.Settings), r.Dataset, simulatedMark(r.Simulated)),
		Columns: []Column{{"0 to 1, % where it says so", false}, {"judge", true}, {"random judge", true}, {"always first", true}, {"random 0 to perfect 1", true}, {"n", true},
			{"missing verdicts", false}},
	}
	var said remarks
	row := func(name, metric string, cells ...string) {
		x := find(r, metric, scoring.Overall)
		said.add(name, x.Note)
		cells = append(append([]string{name, whole(x)}, cells...), make([]string, 3-len(cells))...)
		t.Rows = append(t.Rows, append(cells, strconv.Itoa(x.N), x.Missing))
	}
	of := func(metric string) scoring.Result { return find(r, metric, scoring.Overall) }
	for _, s := range optionScores {
		row(s.name, s.metric, plain(of(s.metric+scoring.OfRandom)), plain(of(s.metric+scoring.OfFirst)), whole(of(s.metric+scoring.OverRandom)))
	}
	for _, policy := range []string{scoring.ByUsable, scoring.ByStrict} {
		if name := policy[1:]; name != string(r.Missing) && lacks(r) {
			row("Grade score, "+name, scoring.GradeScore+policy)
		}
	}
	row("right ("+r.Goal+") %", scoring.OptionAccuracy, plain(of(scoring.OptionAccuracy+scoring.OfRandom)))
	row("right most often %", scoring.ModeAccuracy)
	row("always the same option %", scoring.SameChoice)
	if x := of(scoring.UnrelatedRate); x.Value != nil {
		row("the unrelated option %", scoring.UnrelatedRate)
	}
	t.Notes = append(t.Notes,
		"judgments: "+outcomeLine(r),
		"LLM score: entropy of the places chosen, over the largest that can be; choice score: share of the option chosen most often; Grade score: their harmonic mean; each of one item, then the mean",
		"so a judge that always picks the same option scores 1, right or wrong, one that always picks the same place 0, and one that picks at random what its column says ("+of(scoring.GradeScore+scoring.OfRandom).Note+")",
		intervalNote(r))
	t.Notes = append(t.Notes, said.lines()...)
	t.Notes = append(t.Notes, warned(r)...)
	return t
}

// lacks tells whether any judgment has no verdict.
func lacks(r scoring.Report) bool { return r.Outcomes[scoring.Decided] < r.Games() }

// byOptionsTable has a row for each number of options, where there are several.
func byOptionsTable(r scoring.Report) (Table, bool) {
	t := Table{
		Title: "by number of options",
		Columns: []Column{{"", false}, {"items", true}, {"Grade score", true}, {"random judge", true}, {"random 0 to perfect 1", true}, {"LLM score", true}, {"choice score", true},
			{"right %", true}, {"random judge %", true}, {"always the same option %", true}},
	}
	unrelated := find(r, scoring.UnrelatedRate, scoring.Overall).Value != nil
	if unrelated {
		t.Columns = append(t.Columns, Column{"the unrelated option %", true})
		t.Notes = append(t.Notes, "the unrelated option is shown beside them, and is not counted")
	}
	for _, g := range groupsOf(r) {
		if g == scoring.Overall || find(r, scoring.GradeScore, g).Metric == "" {
			continue
		}
		of := func(metric string) scoring.Result { return find(r, metric, g) }
		row := []string{g, strconv.Itoa(of(scoring.GradeScore).N), whole(of(scoring.GradeScore)), plain(of(scoring.GradeScore + scoring.OfRandom)), plain(of(scoring.GradeScore + scoring.OverRandom)),
			plain(of(scoring.LLMScore)), plain(of(scoring.ChoiceScore)), plain(of(scoring.OptionAccuracy)), plain(of(scoring.OptionAccuracy + scoring.OfRandom)), plain(of(scoring.SameChoice))}
		if unrelated {
			row = append(row, plain(of(scoring.UnrelatedRate)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, len(t.Rows) > 0
}

// placesTable is how often each place was chosen, by number of options.
func placesTable(r scoring.Report) Table {
	t := Table{Title: "how often each place is chosen (percent of judgments with a verdict)", Columns: []Column{{"", false}, {"judgments", true}}}
	rows := map[string][]string{}
	var groups []string
	most := 0
	for _, x := range r.Results {
		place, ok := strings.CutPrefix(x.Metric, scoring.PlaceMetric)
		if !ok {
			continue
		}
		n, _ := strconv.Atoi(place) // scoring numbers them
		if rows[x.Group] == nil {
			groups, rows[x.Group] = append(groups, x.Group), []string{x.Group, strconv.Itoa(x.N)}
		}
		rows[x.Group] = append(rows[x.Group], plain(x))
		most = max(most, n)
	}
	for n := range most {
		t.Columns = append(t.Columns, Column{strconv.Itoa(n + 1), true})
	}
	t.Columns = append(t.Columns, Column{"χ²", true}, Column{"df", true}, Column{"p", true})
	var said remarks
	for _, g := range groups {
		row := rows[g]
		places := len(row) - 2
		row = append(row, make([]string, most-places)...)
		chi2 := find(r, scoring.PlacesChiSquare, g)
		t.Rows = append(t.Rows, append(row, cmp.Or(fixed(chi2.Value, 2), "n/a"), strconv.Itoa(places-1), cmp.Or(pvalue(find(r, scoring.PlacesP, g).Value), "n/a")))
		if _, rough, ok := strings.Cut(chi2.Note, "; "); ok {
			said.add(g, rough)
		}
	}
	t.Notes = append(t.Notes, "χ² of uniformity takes judgments for independent; those of one item are not, and a judge that always picks the same option is more even than chance: p near 1")
	t.Notes = append(t.Notes, said.lines()...)
	return t
}

// fixed writes a number with so many decimals; "" for null.
func fixed(v *float64, decimals int) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// togetherNotes says what two runs of opposite goals say of each other.
func togetherNotes(cmp *scoring.Comparison) []string {
	var notes []string
	says := map[string]string{
		scoring.GoalsDiffer:     "the option most often called best and the one most often called worst are two",
		scoring.GoalsContradict: "shown in the same order, one option is called both best and worst",
		scoring.GoalsByChance:   "two judges that name any place would call one option both",
	}
	for _, x := range cmp.Together {
		text := fmt.Sprintf("%s: %s %% (n=%d)", says[x.Metric], whole(x), x.N)
		if x.Value == nil {
			text = says[x.Metric] + ": " + x.Note
		}
		notes = append(notes, text)
	}
	return notes
}
