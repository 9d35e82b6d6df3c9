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
	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// PromptTuning holds the scores of prompts on one part of the items, and those of the best of them and of the first on
// the other part, which was held out.
type PromptTuning struct {
	Says     string           `json:"says"`            // the answer in a sentence
	Results  []scoring.Result `json:"results"`         // `group` says of what
	Warnings []string         `json:"warnings"`        // printed after `!`
	Calls    int              `json:"calls,omitempty"` // judgments made in the race; left out with --runs
	// judgments that all prompts would make on all items
	FullCalls int `json:"full_calls,omitempty"`

	anyLeftEarly bool // a prompt left the race
}

// TuningAlpha bounds the probability that the prompt that is right on the most items leaves a [PromptRace].
const TuningAlpha = 0.05

// PromptRace holds the outcomes of prompts that are asked one after the other about the items to choose on, in a random
// order: the first about all of them, and each other one until the best so far is significantly better on them, or the
// prompt cannot catch up with it.
type PromptRace struct {
	PromptCount int      // number of prompts
	right       [][]bool // by prompt asked, by item in the order: the prompt is right; shorter for a prompt that left
}

// StartNextPrompt begins with the next prompt. It returns a function that takes whether the prompt is right on its next
// item, and reports whether it leaves.
//
// The items are a population drawn without replacement, so that the bet on the best so far holds for dependent items,
// too. With k prompts a bet has to reach (k−1)/α, since each of the k−1 others may become the best so far.
func (r *PromptRace) StartNextPrompt() func(right bool) (leaves bool) {
	prompt, best := len(r.right), r.Best()
	r.right = append(r.right, nil)
	lead := stats.NewCapital(0, len(r.right[0]))
	return func(right bool) bool {
		place := len(r.right[prompt])
		r.right[prompt] = append(r.right[prompt], right)
		return prompt > 0 && lead.Add(scoring.Indicator(r.right[best][place])-scoring.Indicator(right)) >=
			math.Log(float64(r.PromptCount-1)/TuningAlpha)
	}
}

// Best returns the number of the prompt, from 0, that is right on the most items: the first of equal ones.
func (r *PromptRace) Best() (best int) {
	for prompt := range r.right {
		if !r.hasLeftEarly(prompt) && race.CountRight(r.right[prompt]) > race.CountRight(r.right[best]) {
			best = prompt
		}
	}
	return best
}

// hasLeftEarly reports whether a prompt left before its last item. It is false without a race.
func (r *PromptRace) hasLeftEarly(prompt int) bool {
	return r != nil && len(r.right[prompt]) < len(r.right[0])
}

// promptResult returns the share of the items on which a prompt is right, with a confidence sequence.
func (r *PromptRace) promptResult(prompt int, group string, level float64) scoring.Result {
	right, n := race.CountRight(r.right[prompt]), len(r.right[prompt])
	x := inPercent(float64(right)/float64(n), stats.ShareConfidenceSequence(right, n, level))
	x.Group = group
	x.N = n
	x.IntervalMethod = scoring.IntervalBySequence
	return x
}

// TunePrompts finds the best of several runs, which differ by their prompts, on a part of the items, and compares it
// with the first on the others, which are held out. heldOut has no source, since it chooses among clusters.
//
// The last result is the lead by chance; see [leadByChance]. With the race of the prompts, a prompt that left has its
// share of the items until then, with an interval that is valid at every look.
func TunePrompts(
	runs []*scoring.Run, raced *PromptRace, heldOut datasets.HeldOut, b stats.Bootstrap,
) (*PromptTuning, error) {
	complete := runs
	if raced != nil {
		complete = []*scoring.Run{runs[0], runs[raced.Best()]}
	}
	for _, run := range runs {
		a, b := runs[0].Manifest.Spec.Model, run.Manifest.Spec.Model
		if a.Name != b.Name || a.Identity != b.Identity && run.Manifest.Imported == "" { // that of an import is its file
			return nil, fmt.Errorf("%s is of the judge %s, and %s of %s or of another version: give runs of one judge",
				runs[0].Dir, a.Name, run.Dir, b.Name)
		}
		if raced != nil {
			run.Manifest.OrderSeed = nil // the number of items to choose on was fixed beforehand
		}
	}
	rights, err := scoring.RightUnitsOf(complete)
	if err != nil {
		return nil, err
	}
	t := &PromptTuning{Warnings: rights.Warnings}
	name := func(i int) string { return runs[i].Manifest.Spec.Prompt.Name }
	add := func(i int, decide bool, part string) *scoring.Run {
		run := runs[i].Subset(func(id string) bool { return heldOut.Contains(id) == decide })
		x := run.Score(b).Overall(rights.Metric)
		x.Group = name(i) + part
		t.Results = append(t.Results, x)
		return run
	}
	best := 0
	for i := range runs {
		if raced.hasLeftEarly(i) {
			t.Results = append(t.Results, raced.promptResult(i, name(i)+", left early", b.Level))
			t.anyLeftEarly = true
			continue
		}
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
	replaceByGap(tuned, &gap)
	compared, err := scoring.Compare(finalists, b)
	if err != nil {
		return nil, err
	}
	t.Says = phrases.Sentence("tune.first", name(0))
	for _, c := range compared.Comparisons {
		x := c.HeadlineDifference().Result()
		x.Group = "difference, held-out"
		t.Results = append(t.Results, x)
		code := "tune.keep"
		if x.HasInterval() && *x.Low > 0 {
			code = "tune.better"
		}
		t.Says = phrases.Sentence(code, name(best), name(0), x.N, table.WithInterval(x))
	}
	right := rights.Right
	if raced != nil {
		right = raced.right
		t.countCalls(raced, finalists)
	}
	t.Results = append(t.Results, gap, scoring.Result{
		Group: "best of equal prompts, by chance", Mode: gap.Mode, Value: scoring.Percent(leadByChance(right, tuned.N)),
		N: tuned.N,
	})
	return t, nil
}

// countCalls adds the calls of a race, after which the finalists are asked about all other items.
func (t *PromptTuning) countCalls(r *PromptRace, finalists []*scoring.Run) {
	m := finalists[0].Manifest
	items := m.Spec.Dataset.Items
	n := len(finalists) * (items - len(r.right[0]))
	for _, outcomes := range r.right {
		n += len(outcomes)
	}
	t.Calls, t.FullCalls = n*m.Judgments/items, len(r.right)*m.Judgments
	t.Says += " " + callsSentence(t.Calls, t.FullCalls, "")
}

// replaceByGap replaces the winner's held-out result by the gap: the result on the items to choose on minus this one.
func replaceByGap(tuned scoring.Result, gap *scoring.Result) {
	iv := stats.DifferenceInterval(*tuned.Value, *gap.Value,
		stats.Interval{Low: *tuned.Low, High: *tuned.High}, stats.Interval{Low: *gap.Low, High: *gap.High})
	gap.Group = "gap: tuned-on − held-out"
	gap.Mode = scoring.ModeDifference
	gap.IntervalMethod = scoring.IntervalByMover
	gap.Value = scoring.RoundFraction(*tuned.Value - *gap.Value)
	gap.Low = scoring.RoundFraction(iv.Low)
	gap.High = scoring.RoundFraction(iv.High)
}

// leadByChance returns how far the best of equal prompts is expected to be above its true share, 0 to 1, by chance
// alone: c·√(v/2n), with c about the mean of the largest of k standard normal numbers for k prompts, v the share of
// items on which exactly one of two prompts is right, and n the number of items to choose on, taken as independent.
// right says by prompt, then by item, whether the prompt is right; v is the mean over pairs of prompts, each on the
// first items that both have. Sources: Owen and Steck, Annals of Mathematical Statistics 33 (1962), 1286–1291, for
// equally correlated numbers; Blom, Statistical Estimates and Transformed Beta-Variables (1958), for c.
func leadByChance(right [][]bool, n int) float64 {
	k := float64(len(right))
	discordant := 0.0 // sum of v over pairs of prompts
	for i := range right {
		for j := range i {
			common := min(len(right[i]), len(right[j]))
			for u := range common {
				discordant += scoring.Indicator(right[i][u] != right[j][u]) / float64(common)
			}
		}
	}
	return distuv.UnitNormal.Quantile((k-0.375)/(k+0.25)) * math.Sqrt(discordant/(k*(k-1)*float64(n)))
}

// Document returns a row for each number.
func (t *PromptTuning) Document() doc.Document {
	rows := &doc.Table{RowHead: "prompt", Columns: doc.ColumnsOfKind(doc.ColumnNumber, "items", "correct, %")}
	for _, x := range t.Results {
		rows.Add(doc.Row{Name: x.Group, Cells: doc.Cells(x.N, x)})
	}
	b := doc.Block{Title: "Prompts", Table: rows}
	if t.anyLeftEarly {
		b.Remark("tune.left", table.Decimal(TuningAlpha))
	}
	b.Warn(t.Warnings)
	return doc.Document{Answer: t.Says, Blocks: []doc.Block{b}}
}
