package pairwise

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout is of pairwise and reversed judging.
var Layout = &report.Layout{
	Terms:       terms,
	Headline:    "strict",
	Noun:        "judgments",
	Item:        "pair",
	Summary:     summary,
	Tables:      tables,
	Compared:    compared,
	How:         ", in both orders",
	Became:      "each asked twice, the second time with the responses swapped",
	Bracket:     bracket,
	Parts:       pageParts,
	Beside:      RightWhereAlike,
	BesideWords: "Where both agree",
	Ends: []report.End{
		{Part: PartRight, Look: "right", Words: "right in both orders", Show: "right"},
		{Part: PartWrong, Look: "wrong", Words: "wrong in both orders", Show: "confident"},
		{Part: PartTie, Look: "tie", Words: "a tie in one or both", Show: "tied"},
		{Part: PartFirst, Look: "first", Words: "picks the first shown both times", Show: "by-first"},
		{Part: PartSecond, Look: "last", Words: "picks the second shown both times", Show: "by-last"},
		{Part: PartMissing, Look: "none", Words: "no verdict in one or both", Show: "unread"},
	},
	Tiles: []report.Tile{
		{
			Metric: "strict",
			Note:   func(r *scoring.Report) string { return fmt.Sprintf("of %d pairs", r.Overall("strict").N) },
		},
		{
			Metric: RightWhereAlike,
			Label:  func(*scoring.Report) string { return "where both orders agree" },
			Note: func(r *scoring.Report) string {
				return fmt.Sprintf("on %d of %d pairs; by chance 50 %%", r.Overall(RightWhereAlike).N, r.Overall(Coverage).N)
			},
		},
		{Metric: "consistency", Folded: true},
		{
			Metric: firstPicked,
			About:  "50 is no position bias",
			Note:   func(*scoring.Report) string { return "50 % is no position bias" },
		},
		report.Verdictless,
	},
	Board: []report.BoardColumn{
		report.ColumnOf("where", "agreed", RightWhereAlike),
		report.ColumnOf("of", "pairs", Coverage),
		report.ColumnOf("picks", "first", firstPicked),
	},
	BoardCells: []report.BoardCell{
		{
			Head:  "Right where both orders agree",
			Class: "kp",
			Draw: func(r *scoring.Report) template.HTML {
				return report.KeptCell(r.Overall(RightWhereAlike), "pair")
			},
		},
		{
			Head:  "Picks the first response",
			Class: "bi",
			Draw:  func(r *scoring.Report) template.HTML { return report.BiasCell(r.Overall(firstPicked)) },
		},
	},
	Against: &report.Against{
		Title:     "Content or position?",
		About:     "right in both orders, against position bias",
		Words:     "picks the first response, %",
		Of:        func(r *scoring.Report) scoring.Result { return r.Overall(firstPicked) },
		Zero:      50,
		ZeroWords: "no bias",
		Zone:      scoring.MostByPlace,
		ZoneWords: "position decides",
	},
}

// firstPicked is the metric of position bias.
const firstPicked = "first-position"

// bracket joins the pairs with a verdict to keep.
func bracket(r *scoring.Report) *report.Bracket {
	all := r.BreakdownOf(scoring.Overall)
	right := r.Overall(RightWhereAlike)
	kept := all.Count(PartRight) + all.Count(PartWrong)
	if right.Value == nil || kept == 0 {
		return nil
	}
	words := fmt.Sprintf("right on %s", percent(*right.Value))
	if right.Low != nil && right.High != nil {
		words += fmt.Sprintf(" [%.0f, %.0f]", *right.Low, *right.High)
	}
	return &report.Bracket{
		N:            kept,
		Bold:         "verdicts to keep: both orders agree",
		Words:        words + ", by chance 50 %",
		Beyond:       "to ask elsewhere: another judge, or a person",
		BeyondLength: all.N - kept,
	}
}

func tables(r scoring.Report) []table.Table {
	tables := []table.Table{runTable(r)}
	if r.Overall(scoring.GenerationAccuracy).Metric != "" {
		tables = append(tables, referenceTable(r))
	}
	if r.Overall(StyleBias).Metric != "" {
		tables = append(tables, styleTable(r))
	}
	tables = append(tables, report.Again(r)...)
	if r.Soft != nil {
		tables = append(tables, softTable(r.Soft))
	}
	return tables
}

func summary(runs []scoring.Report) table.Table {
	headlines := []string{"strict", "counter", "consistency", firstPicked}
	t := table.Table{
		Title:   fmt.Sprintf("%d runs (percent, 95 %% intervals over pairs)", len(runs)),
		Columns: table.Left("model", "goal", "prompt", "dataset").Right(headlines...).Right("pairs", "decided"),
	}
	for _, r := range runs {
		row := []string{r.Model, r.Goal, report.Prompt(r), r.Dataset}
		for _, m := range headlines {
			row = append(row, table.Whole(r.Overall(m)))
		}
		pairs := strconv.Itoa(r.Items)
		if r.Unlabelled > 0 {
			pairs += fmt.Sprintf(" (%d unlabelled)", r.Unlabelled)
		}
		t.Row(append(row, pairs, fmt.Sprintf("%d/%d", r.Outcomes[scoring.Decided], r.Judgments()))...)
	}
	ofOthers := func(r scoring.Report) bool { return r.Dataset != runs[0].Dataset || r.Items != runs[0].Items }
	if words := withoutReading(runs[0], ""); words != "" && !slices.ContainsFunc(runs, ofOthers) {
		t.Note(words)
	}
	return t
}

// runTable is one run, with outcomes and warnings beneath.
func runTable(r scoring.Report) table.Table {
	metrics := make([]string, len(Metrics))
	for i, m := range Metrics {
		metrics[i] = m.Name
	}
	if r.Overall(soft).Metric != "" {
		metrics = append(metrics, soft)
	}
	t := byGroup(r, report.Heading(r, true), "percent", metrics)
	t.Notes = slices.Concat([]string{
		"judgments: " + report.Outcomes(r),
		report.BootstrapNote(r) + "; two coins would score 25 in strict" + withoutReading(r, ", "),
	}, t.Notes, table.Warned(r.Warnings))
	return t
}

// withoutReading is what rules that do not read would score; "" where there are none.
func withoutReading(r scoring.Report, begins string) string {
	var words []string
	for _, rule := range r.Rules {
		if rule.Low != nil {
			words = append(words, fmt.Sprintf("“%s” %s", rule.Name, percent(rule.Value)))
		}
	}
	if words == nil {
		return ""
	}
	return begins + "without reading: " + strings.Join(words, ", ")
}

// byGroup is a row per metric and a column per group, headed by how many items
// the first metric is of; what the numbers over all of them remark is noted.
func byGroup(r scoring.Report, title, percent string, metrics []string) table.Table {
	groups := r.Groups()
	t := table.Table{Title: title, Columns: table.Left(percent)}
	for _, g := range groups {
		t.Columns = t.Columns.Right(fmt.Sprintf("%s (n=%d)", g, r.Result(metrics[0], g, "").N))
	}
	t.Columns = t.Columns.Right("n").Left("missing verdicts")
	var said table.Remarks
	for _, m := range metrics {
		row := []string{m}
		for _, g := range groups {
			if x := r.Result(m, g, ""); g == scoring.Overall {
				row = append(row, table.Whole(x))
			} else {
				row = append(row, table.Plain(x))
			}
		}
		x := r.Overall(m)
		said.Add(m, x.Note)
		t.Row(append(row, x.Count(), x.Missing)...)
	}
	t.Notes = said.Lines()
	return t
}

// referenceTable says whether a judge compares better where it answers right; it
// is there for runs with the judge's own answers as references.
func referenceTable(r scoring.Report) table.Table {
	t := byGroup(r, "does it compare better where it answers right?", "percent; r: −1 to 1", ReferenceMetrics)
	t.Notes = append([]string{"over the pairs of which it can be told whether the judge's own answer, " +
		"which it was shown as reference, is right: G; J is strict"}, t.Notes...)
	return t
}

// styleTable says how far looks move the judge; it is there for datasets whose pairs differ in them.
func styleTable(r scoring.Report) table.Table {
	t := table.Table{
		Title:   "do looks move it? (RM-Bench)",
		Columns: table.Left("percent").Right("strict", "n").Left("the right response"),
	}
	about := []string{"looks the better", "looks like the other", "looks the worse"}
	for i, level := range datasets.Levels {
		x := r.Result("strict", level, "")
		t.Row(level, table.Whole(x), x.Count(), about[i])
	}
	bias := r.Overall(StyleBias)
	t.Row(StyleBias, table.Whole(bias), bias.Count(), "easy less hard, points")
	if bias.Note != "" {
		t.Note(StyleBias + ": " + bias.Note)
	}
	return t
}

// softTable is how good soft verdicts are.
func softTable(s *scoring.Soft) table.Table {
	c := s.Calibration
	t := table.Table{
		Title:   fmt.Sprintf("soft verdicts: the probabilities of both orders, averaged in log space (%d pairs)", c.N),
		Columns: table.Left("0 to 1").Right("value"),
		Rows: [][]string{{"accuracy", report.Estimate(c.Accuracy)}, {"AUROC", report.Estimate(s.AUROC)},
			{"confidence", report.Estimate(c.Confidence)},
			{"brier", report.Estimate(c.Brier)}, {"ece", report.Estimate(c.ECE)},
			{"ece of a calibrated judge", report.Estimate(c.Calibrated)}},
		Notes: []string{"accuracy: the response that they favour is the labelled one; AUROC: the odds of A " +
			"over B are higher of a pair whose label is A than of one whose label is B; 0.5 is a coin"},
	}
	if c.Unknown > 0 {
		t.Notef("! %d pairs without the probabilities of both responses in both orders are left out", c.Unknown)
	}
	return t
}

// compared says what both goals come to as one judge.
func compared(cmp *scoring.Comparison) (notes []string) {
	if e := cmp.Ensemble; e != nil {
		notes = append(notes, fmt.Sprintf("both goals as one judge: they agree on %s of pairs (n=%d); "+
			"strict where they agree: %s (n=%d)",
			table.Whole(e.Coverage), e.Coverage.N, table.Whole(e.Strict), e.Strict.N))
	}
	return notes
}
