package races

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// PromptTuning holds the scores of prompts on one part of the items, and those of the best of them and of the first on
// the other part, which was held out.
type PromptTuning struct {
	Says     string           `json:"says"`     // the answer in a sentence
	Results  []scoring.Result `json:"results"`  // `group` says of what
	Warnings []string         `json:"warnings"` // printed after `!`
}

// TunePrompts finds the best of several runs, which differ by their prompts, on a part of the items, and compares it
// with the first on the others, which [datasets.HeldOut] holds out.
//
// The last result says how far the best of equal prompts is expected to be above its true share by chance alone:
// c·√(v/2n), with c about the mean of the largest of k standard normal numbers for k prompts, v the share of items
// on which exactly one of two prompts is right, over all pairs of prompts, and n the number of items to choose on,
// taken as independent. Sources: Owen and Steck, Annals of Mathematical Statistics 33 (1962), 1286–1291, for equally
// correlated numbers; Blom, Statistical Estimates and Transformed Beta-Variables (1958), for c.
func TunePrompts(runs []*scoring.Run, share float64, seed int64, b stats.Bootstrap) (*PromptTuning, error) {
	for _, run := range runs {
		a, b := runs[0].Manifest.Spec.Model, run.Manifest.Spec.Model
		if a.Name != b.Name || a.Identity != b.Identity && run.Manifest.Imported == "" { // that of an import is its file
			return nil, fmt.Errorf("%s is of the judge %s, and %s of %s or of another version: give runs of one judge",
				runs[0].Dir, a.Name, run.Dir, b.Name)
		}
	}
	rights, err := scoring.RightUnitsOf(runs)
	if err != nil {
		return nil, err
	}
	t := &PromptTuning{Warnings: rights.Warnings}
	add := func(i int, heldOut bool, part string) *scoring.Run {
		run := runs[i].Subset(func(id string) bool { return datasets.HeldOut(id, share, seed) == heldOut })
		x := run.Score(b).Overall(rights.Metric)
		x.Group = rights.Runs[i].Prompt + part
		t.Results = append(t.Results, x)
		return run
	}
	best := 0
	for i := range runs {
		add(i, false, ", tuned-on")
		if x := t.Results[i]; x.Value != nil && *x.Value > *t.Results[best].Value {
			best = i
		}
	}
	tuned := t.Results[best]
	finalists := []*scoring.Run{add(0, true, ", held-out")}
	if best > 0 {
		finalists = append(finalists, add(best, true, ", held-out"))
	}
	gap := t.Results[len(t.Results)-1]
	if !tuned.HasInterval() || !gap.HasInterval() {
		return nil, errors.New("too few items to choose on, or held out: take more, or change --held-out")
	}
	iv := stats.DifferenceInterval(*tuned.Value, *gap.Value,
		stats.Interval{Low: *tuned.Low, High: *tuned.High}, stats.Interval{Low: *gap.Low, High: *gap.High})
	gap.Group = "gap: tuned-on − held-out"
	gap.Mode = scoring.ModeDifference
	gap.IntervalMethod = scoring.IntervalByMover
	gap.Value = scoring.RoundFraction(*tuned.Value - *gap.Value)
	gap.Low = scoring.RoundFraction(iv.Low)
	gap.High = scoring.RoundFraction(iv.High)
	compared, err := scoring.Compare(finalists, b)
	if err != nil {
		return nil, err
	}
	first := rights.Runs[0].Prompt
	t.Says = phrases.Sentence("tune.first", first)
	for _, c := range compared.Comparisons {
		x := c.HeadlineDifference().Result()
		x.Group = "difference, held-out"
		t.Results = append(t.Results, x)
		code := "tune.keep"
		if x.HasInterval() && *x.Low > 0 {
			code = "tune.better"
		}
		t.Says = phrases.Sentence(code, rights.Runs[best].Prompt, first, x.N, table.WithInterval(x))
	}
	k := float64(len(runs))
	discordant := 0.0 // pairs of prompts, over all items
	for u := range rights.CommonUnits {
		right := 0.0
		for _, prompt := range rights.Right {
			right += scoring.Indicator(prompt[u])
		}
		discordant += right * (k - right)
	}
	lead := distuv.UnitNormal.Quantile((k-0.375)/(k+0.25)) *
		math.Sqrt(discordant/(k*(k-1)*float64(len(rights.CommonUnits)*tuned.N)))
	t.Results = append(t.Results, gap, scoring.Result{
		Group: "best of equal prompts, by chance", Mode: gap.Mode, Value: scoring.Percent(lead), N: tuned.N,
	})
	return t, nil
}

// Document returns a row for each number.
func (t *PromptTuning) Document() doc.Document {
	rows := &doc.Table{RowHead: "prompt", Columns: doc.ColumnsOfKind(doc.ColumnNumber, "items", "correct, %")}
	for _, x := range t.Results {
		rows.Add(doc.Row{Name: x.Group, Cells: doc.Cells(x.N, x)})
	}
	return doc.Document{Answer: t.Says, Blocks: []doc.Block{{
		Title: "Prompts", Table: rows, Notes: doc.WarningNotes(t.Warnings),
	}}}
}
