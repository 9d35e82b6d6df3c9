package report

import (
	"cmp"
	"fmt"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Analysis computes further results of a run. To add one, write a file with it and name it in [analyses]: text,
// Markdown, CSV, JSON, pages, reports and the API then show its results.
type Analysis struct {
	Name string                           // key of its data in JSON
	Run  func(p *RunPage) *AnalysisResult // returns nil if the run has no such results
}

// AnalysisResult holds what an analysis found in a run.
type AnalysisResult struct {
	Blocks  []doc.Block      // tables and charts
	Results []scoring.Result // rows of CSV and of the table "Every number"
	Data    any              // for JSON, besides what the run's report has; nil for nothing
}

// analyses lists all analyses in the order in which they are shown.
var analyses = []Analysis{repetitionsAnalysis, calibrationAnalysis, softVerdictsAnalysis, baselinesAnalysis}

// findings runs all analyses on a run and joins their results in order. Data is a map from the names of analyses to
// their data; nil if none has any.
func (p *RunPage) findings() (all AnalysisResult) {
	data := map[string]any{}
	for _, a := range analyses {
		f := a.Run(p)
		if f == nil {
			continue
		}
		all.Blocks = append(all.Blocks, f.Blocks...)
		all.Results = append(all.Results, f.Results...)
		if f.Data != nil {
			data[a.Name] = f.Data
			all.Data = data
		}
	}
	return all
}

// AnalysisBlocks returns the tables and charts of all analyses of a run.
func AnalysisBlocks(p *RunPage) []doc.Block { return p.findings().Blocks }

// AnalysisData returns the data that analyses add to the JSON of a run's report, by the names of analyses; nil if none
// does.
func AnalysisData(r scoring.Report) map[string]any {
	data, _ := analysisResults(r).Data.(map[string]any)
	return data
}

// analysisResults returns the joined results of all analyses of the run of r.
func analysisResults(r scoring.Report) AnalysisResult {
	return (&RunPage{Run: Run{Report: r}}).findings()
}

// repetitionsAnalysis shows, for a judge that was asked more than once, how often it repeats its verdicts
// (self-agreement), and for each metric the largest difference between two repetitions (noise floor).
var repetitionsAnalysis = Analysis{Name: "repeats", Run: func(p *RunPage) *AnalysisResult {
	x := p.Repetitions
	if x == nil {
		return nil
	}
	f := &AnalysisResult{Results: []scoring.Result{x.SelfAgreement}}
	for _, v := range x.Values {
		f.Results = append(f.Results, scoring.Result{
			Metric:      scoring.NoiseFloorPrefix + v.Metric,
			Group:       v.Group,
			Mode:        v.Mode,
			Unit:        v.Unit,
			Value:       v.NoiseFloor,
			N:           v.Units,
			MissingRule: p.Bootstrap.Unit + " left out",
			Note:        cmp.Or(v.Unit, "percentage points") + "; n counts " + p.Bootstrap.Unit + "s",
		})
	}
	return f
}}

// calibrationAnalysis compares the judge's confidence in its verdicts with how often they are correct.
var calibrationAnalysis = Analysis{Name: "calibration", Run: func(p *RunPage) *AnalysisResult {
	c := p.Calibration
	if c == nil {
		return nil
	}
	noun := layoutOf(p.Protocol).Noun
	f := &AnalysisResult{Results: calibrationResults("", *c, "decided "+noun)}
	t := &doc.Table{RowHead: "confidence", Columns: []doc.Column{
		{Name: "correct", Kind: doc.ColumnBareNumber, Axis: &doc.PercentAxis},
		{Name: "mean confidence", Kind: doc.ColumnBareNumber},
	}}
	for _, b := range c.Bins {
		if b.N == 0 {
			continue
		}
		sure := scoring.Result{Value: new(100 * *b.Confidence)}
		t.Add(doc.Row{
			Name:  fmt.Sprintf("%.0f to %.0f %%", 100*b.From, 100*b.To),
			N:     b.N,
			Look:  "level-" + string(p.Level()),
			Cells: []doc.Value{{Result: scoring.Result{Value: new(100 * *b.Accuracy)}, Reference: &sure}, doc.NumberCell(sure)},
		})
	}
	if len(t.Rows) == 0 {
		return f
	}
	b := doc.Block{
		ID:       "sureness",
		Title:    "Is it correct as often as it is sure?",
		About:    "share of correct " + noun + ", percent, by confidence: the probability of the label that it gives",
		Surfaces: doc.SurfaceAllButShort,
		Table:    t,
		Keys:     []doc.LegendEntry{{Sign: "diamond", Words: "mean confidence: a calibrated judge is correct as often"}},
		Notes: []doc.Note{
			doc.PhraseNote("calibration.scores", estimateText(c.Brier), estimateText(c.ECE), estimateText(c.PerfectECE)),
		},
	}
	if c.Unknown > 0 {
		b.Remark(doc.WarningCode, phrases.Sentence("calibration.unknown", c.Unknown, noun))
	}
	f.Blocks = []doc.Block{b}
	return f
}}

// softVerdictsAnalysis scores the verdicts that follow from the label probabilities of both orders, averaged.
var softVerdictsAnalysis = Analysis{Name: "soft", Run: func(p *RunPage) *AnalysisResult {
	s := p.SoftVerdicts
	if s == nil {
		return nil
	}
	const note = "pairs with probabilities in both orders"
	return &AnalysisResult{Results: append(calibrationResults("soft-", s.Calibration, note),
		estimateResult("soft-auroc", s.AUROC, s.Calibration, note))}
}}

// baselinesAnalysis shows the scores of rules that do not read the responses, such as always choosing the longer one.
var baselinesAnalysis = Analysis{Name: "baselines", Run: func(p *RunPage) *AnalysisResult {
	head := Headline(&p.Report)
	if len(p.Baselines) == 0 || head == nil {
		return nil
	}
	block := baselinesBlock(p.Baselines, doc.MetricName(p.Protocol, head.Metric), layoutOf(p.Protocol).ItemNoun)
	return &AnalysisResult{Blocks: []doc.Block{block}}
}}

// calibrationResults returns the numbers of a calibration as rows: Brier score, expected calibration error (ECE), mean
// confidence and accuracy. Their names begin with prefix.
func calibrationResults(prefix string, c scoring.Calibration, note string) []scoring.Result {
	return []scoring.Result{
		estimateResult(prefix+scoring.Brier, c.Brier, c, note), estimateResult(prefix+scoring.CalibrationECE, c.ECE, c, note),
		estimateResult(prefix+"confidence", c.Confidence, c, note), estimateResult(prefix+"accuracy", c.Accuracy, c, note),
	}
}

// estimateResult returns an estimate between 0 and 1 as a result. source has the number of items it is computed from.
func estimateResult(name string, e scoring.Estimate, source scoring.Calibration, note string) scoring.Result {
	return scoring.Result{
		Metric:      name,
		Group:       scoring.Overall,
		Value:       e.Value,
		Low:         e.Low,
		High:        e.High,
		N:           source.N,
		MissingRule: source.MissingRule,
		Note:        "from 0 to 1, " + note,
	}
}

// estimateText returns a number between 0 and 1 with its interval in words.
func estimateText(e scoring.Estimate) string { return table.Interval(e.Value, e.Low, e.High, 3, 3) }

// baselinesBlock returns a folded table of baselines: what simple rules score by a metric. unit is the word for an
// item.
func baselinesBlock(rules []scoring.Baseline, metric, unit string) doc.Block {
	t := &doc.Table{RowHead: "baseline", Look: "wide", Columns: []doc.Column{
		{Name: metric, Kind: doc.ColumnNumber, Axis: &doc.PercentAxis},
	}}
	read := false
	for _, rule := range rules {
		if rule.Followed != nil && rule.Followed.N == 0 {
			continue // the texts are not at hand, as of published verdicts
		}
		read = read || rule.Followed != nil
		x := scoring.Result{Value: &rule.Value, Low: rule.Low, High: rule.High}
		t.Add(doc.Row{Name: rule.Name, Look: "level-unknown", Cells: doc.Cells(x)})
	}
	if !read {
		return doc.Block{}
	}
	title := "Baselines on these " + unit + "s"
	return doc.Block{ID: "baselines", Title: title, FoldLabel: title, Surfaces: doc.SurfaceAllButShort, Table: t}
}
