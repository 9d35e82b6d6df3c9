package selfreference

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// ReportLayout arranges the reports of runs of protocol self-reference.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{
	TitleSuffixOfRun: modesInWords,
	Caveats:          caveats,
	PageParts: []report.BlocksFunc{
		answeringBlock, accuracyByOwnBlock, dependence, sidesWithOwnBlock, numberCards, report.CaveatBlocks, f1ByGroupBlock,
		report.AnalysisBlocks, report.ItemLists, report.OtherJudgesBlocks, report.SettingBlocks,
	},
	AnalyzeAcross: acrossJudges,
})

// referenceWords holds the words for each kind of reference.
var referenceWords = map[string]string{
	ReferenceOwn:   "its own answer",
	ReferenceGold:  "the right answer",
	ReferenceWrong: "a wrong answer",
	ReferenceNone:  "no reference",
	ReferenceRun:   "another model's answer",
}

// referenceSetting returns the kind of reference in mode self, from a run's settings.
func referenceSetting(settings string) string {
	for kind := range referenceWords {
		if slices.Contains(strings.Split(settings, ", "), referenceOption.Name+" "+kind) {
			return kind
		}
	}
	return ReferenceOwn
}

// modesInWords returns the modes in which a run asks, in words.
func modesInWords(r *scoring.Report) string {
	switch {
	case !r.HasMode(ModeSelf):
		return "? by reasoning alone"
	case !r.HasMode(ModeCoT):
		return "? with " + modeRowsOf(r.Settings)[1].Name
	}
	return "? without and with " + referenceWords[referenceSetting(r.Settings)]
}

// numberCards returns the cards with a run's main numbers for terminals and files. Pages have charts in their place.
func numberCards(p *report.RunPage) []doc.Block {
	all := report.Cards(p)
	if len(all) > 0 {
		all[0].Surfaces = doc.SurfaceAnyText
	}
	return all
}

// modeRows has a row without cells for each mode, in the order of [modes], of a run that shows its own answers.
var modeRows = [2]doc.Row{{Name: "reasoning alone", Mark: doc.MarkRing, Look: "look-b"}, {Name: "own answer shown"}}

// modeRowsOf returns modeRows in the words of a run with these settings.
func modeRowsOf(settings string) [2]doc.Row {
	rows := modeRows
	rows[1].Name = referenceWords[referenceSetting(settings)] + " shown"
	return rows
}

// rowsByMode returns a row with a metric of all answers for each mode in which it has a value.
func rowsByMode(p *report.RunPage, metric string) (rows []doc.Row) {
	for i, row := range modeRowsOf(p.Settings) {
		x := p.Result(metric, scoring.Overall, modes[i])
		if x.Value != nil {
			row.Cells = doc.Cells(x)
			rows = append(rows, row)
		}
	}
	return rows
}

// answeringBlock compares how well the judge answers the questions with how well it judges answers.
func answeringBlock(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "task", Look: "wide", Columns: []doc.Column{
		{Name: "value", Kind: doc.ColumnNumber, Axis: &doc.PercentAxis},
	}}
	answers := p.Overall(scoring.GenerationAccuracy)
	if answers.Value != nil {
		t.Add(doc.Row{
			Name: "Answers right itself", Detail: table.CountWithNoun(answers.N, "question"), Look: "level-unknown",
			Cells: doc.Cells(answers),
		})
	}
	for _, row := range rowsByMode(p, F1) {
		relation := "by "
		if row.Cells[0].Mode == ModeSelf {
			relation = "with "
		}
		row.Name = "Judges, " + relation + row.Name
		row.Detail = "F1, " + table.CountWithNoun(row.Cells[0].N, "answer")
		t.Add(row)
	}
	b := doc.Block{ID: "answering", Title: "Answering against judging", About: "percent, with 95 % interval", Table: t}
	if e, ok := p.Overall(AgentAccuracy).CompareWithThreshold(0); ok {
		names := cmp.Or(strings.Join(agents(p), ", "), "agents")
		b.About += fmt.Sprintf(" · it judges %s by %s, right on %s", table.CountWithNoun(e.N, "answer"), names, e)
	}
	return []doc.Block{b}
}

// agents returns the names of the models whose answers the judge judged, as far as the metadata has them.
func agents(p *report.RunPage) (names []string) {
	for _, m := range p.Run.Metadata {
		if m.Name == "agent's answers" {
			model, _, _ := strings.Cut(m.Value, " (run ")
			names = append(names, model)
		}
	}
	return names
}

// accuracyByOwnBlock returns a block with how often the judge is correct where its own answer is right, and where it is
// wrong. Without own answers it returns a bar of the answers' outcomes.
func accuracyByOwnBlock(p *report.RunPage) []doc.Block {
	wrong := "judged wrong"
	if p.Outcomes[scoring.OutcomeDecided] < p.Judgments() {
		wrong += ", or no verdict"
	}
	t := &doc.Table{RowHead: "own answer", Columns: []doc.Column{
		{Name: "judgments", Kind: doc.ColumnLargeBar}, {Name: "judged right", Kind: doc.ColumnShare},
	}}
	unit := "answer"
	if p.Overall(scoring.GenerationAccuracy).N == p.Overall(AgentAccuracy).N {
		unit = "question"
	}
	longest := 0
	for _, metric := range []string{OwnRightAccuracy, OwnWrongAccuracy} {
		ownAnswer := rightOrWrong(metric == OwnRightAccuracy)
		rows := rowsByMode(p, metric)
		n := 0
		for i, row := range rows {
			x := row.Cells[0].Result
			n = max(n, x.N)
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			show := "own-" + ownAnswer + "-" + x.Mode + "-"
			parts := []doc.BarPart{
				{N: right, Look: "right", Name: "judged right", Target: p.ItemsOf(show+"right", "")},
				{N: x.N - right, Look: "wrong", Name: wrong, Target: p.ItemsOf(show+"wrong", "")},
			}
			parts = slices.DeleteFunc(parts, func(part doc.BarPart) bool { return part.N == 0 })
			rows[i].Cells = doc.Cells(doc.Value{Parts: parts}, x)
		}
		if n > 0 {
			t.Add(doc.Row{Name: "Its own answer is " + ownAnswer, Detail: table.CountWithNoun(n, unit), Heading: true})
			t.Add(rows...)
		}
		longest = max(longest, n)
	}
	if longest == 0 {
		return report.OutcomeBar(p)
	}
	for _, row := range t.Rows {
		if !row.Heading {
			row.Cells[0].Total = longest
		}
	}
	return []doc.Block{{
		ID: "fourfold", Title: "Own answer right or wrong, judged right or wrong", About: "with 95 % interval",
		Surfaces: doc.SurfaceAllButShort, Half: true, Table: t,
		Keys: []doc.LegendEntry{{Sign: "right", Words: "judged right"}, {Sign: "wrong", Words: wrong}},
	}}
}

// dependence returns a block with the partial correlation of answering and judging correctly: how far
// one depends on the other.
func dependence(p *report.RunPage) []doc.Block {
	rows := rowsByMode(p, PartialGJ)
	if rows == nil {
		return nil
	}
	axis := &doc.Axis{Unit: scoring.UnitCorrelation, Min: -0.25, Max: 1, Ticks: []float64{-0.25, 0, 0.25, 0.5, 0.75, 1}}
	b := doc.Block{
		ID: "dependence", Title: "Does one depend on the other?", Surfaces: doc.SurfaceAllButShort, Half: true,
		Table: &doc.Table{RowHead: "asked by", Rows: rows, Columns: []doc.Column{
			{Name: doc.MetricName(p.Protocol, PartialGJ), Kind: doc.ColumnNumber, Axis: axis},
		}},
	}
	b.Remark("self.correlation", table.CountWithNoun(rows[0].Cells[0].N, "answer"))
	var words []string
	before := math.Inf(1) // upper end of the previous mode's interval
	for _, row := range rows {
		e, ok := row.Cells[0].Result.CompareWithThreshold(0)
		words = append(words, doc.Capital(row.Name)+": "+strength(e, ok)+".")
		if !ok {
			continue
		}
		if e.Low < axis.Min {
			*axis = *doc.AxisForUnit(axis.Unit)
		}
		if e.Low > max(strongR, before) && referenceSetting(p.Settings) == ReferenceOwn {
			words = append(words, phrases.Sentence("self.compares"))
		}
		before = e.High
	}
	b.AddPlainNotes(strings.Join(words, " "))
	return []doc.Block{b}
}

// Thresholds of a correlation. A dependence is clear or strong where the whole interval is above clearR or strongR:
// Cohen's medium and large effect (Statistical Power Analysis for the Behavioral Sciences, 1988, 3.2). There is none
// where the whole interval is within clearR of 0.
const (
	clearR  = 0.1
	strongR = 0.3
)

// strength describes the size of a correlation in words. ok is false if the correlation has no interval.
func strength(e scoring.Evidence, ok bool) string {
	switch {
	case !ok:
		return "not known, there is no interval"
	case e.Low > strongR:
		return "strong"
	case e.Low > clearR:
		return "clear"
	case e.AboveThreshold:
		return "slight"
	case e.BelowThreshold:
		return "negative, it judges better where it does not know"
	case e.Low > -clearR && e.High < clearR:
		return "no dependence seen"
	}
	return "not known, the interval contains 0"
}

// sidesWithOwnBlock returns a block with how often the judge sides with its own answer.
func sidesWithOwnBlock(p *report.RunPage) []doc.Block {
	sided := rowsByMode(p, OwnAnswerSidingRate)
	if sided == nil {
		return nil
	}
	names := modeRowsOf(p.Settings)
	t := &doc.Table{
		RowHead: "judgments",
		Look:    "keep",
		Columns: doc.ColumnsOfKind(doc.ColumnShare, names[0].Name, names[1].Name),
	}
	for _, metric := range []string{SameAsOwnAcceptance, OtherThanOwnRejection, OwnAnswerSidingRate, Overconfidence} {
		row := doc.Row{Name: doc.Capital(doc.MetricName(p.Protocol, metric))}
		for _, mode := range modes {
			x := p.Result(metric, scoring.Overall, mode)
			if metric == Overconfidence {
				row.Name = phrases.Sentence("self.overconfidence")
				x.Mode = scoring.ModeDifference // so that it is printed with its sign
			}
			row.Cells = append(row.Cells, doc.NumberCell(x))
		}
		t.Add(row)
	}
	t.DropEmpty()
	b := doc.Block{
		ID: "belief", Title: "Does it believe its own answer?", Surfaces: doc.SurfaceAllButShort, Half: true, Table: t,
	}
	x := sided[0].Cells[0]
	if all := p.Result(PartialGJ, scoring.Overall, x.Mode).N; x.N < all {
		b.Remark("self.untold", table.CountWithNoun(all-x.N, "answer"))
	}
	return []doc.Block{b}
}

// f1ByGroupBlock returns a block with F1 in both modes by category and agent, the largest difference first.
func f1ByGroupBlock(p *report.RunPage) []doc.Block {
	groups := p.Groups()
	if len(groups) < 2 {
		return nil
	}
	kind := doc.ColumnNumber
	b := doc.Block{ID: "groups", Title: "By category", About: "F1, percent", Surfaces: doc.SurfaceAllButShort}
	switch {
	case isAgentGroup(groups[1]):
		b.Title = "By agent"
	case isAgentGroup(groups[len(groups)-1]):
		b.Title = "By category and agent"
	}
	if p.HasMode(ModeCoT) && p.HasMode(ModeSelf) {
		kind = doc.ColumnComparedRun
		b.About += ", and the difference in points with 95 % interval · sorted by the difference"
		b.Keys = []doc.LegendEntry{
			{Sign: "b", Words: "by reasoning alone"},
			{Sign: "a", Words: "with " + modeRowsOf(p.Settings)[1].Name},
			{Words: "a grey interval contains 0: not significant"},
		}
	}
	difference := func(group string) scoring.Result { return p.Result(F1, group, scoring.ModeDifference) }
	place := func(group string) float64 { // categories come before agents
		return *cmp.Or(difference(group).Value, new(-200.0)) - 1000*scoring.Indicator(isAgentGroup(group))
	}
	slices.SortStableFunc(groups[1:], func(a, b string) int { return cmp.Compare(place(b), place(a)) })
	b.Table = &doc.Table{RowHead: "group", Columns: []doc.Column{
		{Name: "answers right", Kind: doc.ColumnBareNumber}, {Name: "F1 shown", Kind: kind, Axis: &doc.PercentAxis},
		{Name: "F1 alone", Kind: kind, Axis: &doc.PercentAxis},
		{Name: "points", Kind: doc.ColumnNumber, Axis: &doc.Axis{
			Signed: true, Ends: [2]string{"← reference harms", "helps →"},
		}},
	}}
	intervals := 0
	significant := 0
	for _, g := range groups {
		cot := p.Result(F1, g, ModeCoT)
		self := p.Result(F1, g, ModeSelf)
		d := difference(g)
		row := doc.Row{Name: g, N: max(cot.N, self.N)}
		row.Cells = doc.Cells(p.Result(scoring.GenerationAccuracy, g, ""), self, cot, d)
		e, ok := d.CompareWithThreshold(0)
		if d.Value != nil {
			row.Look = doc.DifferenceLook(!e.AboveThreshold && !e.BelowThreshold)
		}
		switch {
		case g == scoring.Overall:
			row.Name = "All"
			row.Total = true
		case ok:
			intervals++
			if e.AboveThreshold || e.BelowThreshold {
				significant++
			}
		}
		b.Table.Add(row)
	}
	if intervals > 0 {
		b.About += fmt.Sprintf(" · beyond noise: %d of %d", significant, intervals)
	}
	b.Table.DropEmpty()
	return []doc.Block{b}
}

// caveats returns sentences to read before using the judge with its own answer shown.
func caveats(p *report.RunPage) []string {
	var all scoring.Cautions
	harm, _ := p.Result(OwnWrongAccuracy, scoring.Overall, scoring.ModeDifference).CompareWithThreshold(0)
	harm.BelowThreshold = harm.BelowThreshold && referenceSetting(p.Settings) == ReferenceOwn
	if harm.BelowThreshold {
		answers := p.Overall(scoring.GenerationAccuracy)
		wrong := answers.N - int(math.Round(*answers.Value/100*float64(answers.N)))
		all.Add("self.harm", wrong, table.CountWithNoun(answers.N, "question"), -harm.Value, -harm.High, -harm.Low)
	}
	if names := agents(p); len(names) == 1 {
		all.Add("self.one-agent", names[0])
	}
	help, ok := p.Result(F1, scoring.Overall, scoring.ModeDifference).CompareWithThreshold(0)
	if harm.BelowThreshold && ok && !help.AboveThreshold {
		all.Add("self.better-judge")
	}
	return all
}

// isAgentGroup reports whether a group of results holds the answers of one agent, rather than a category of questions.
func isAgentGroup(group string) bool { return strings.HasPrefix(group, agentPrefix) }
