package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// References returns the scores of published judges on all datasets of pairs, sorted by dataset and metric, those on
// the most pairs first, then the best. level is the confidence level of the intervals.
func References(level float64) (all []scoring.Reference) {
	set := references.LLMBar()
	for _, judge := range set.Judges {
		all = append(all, publishedReference(set, judge, datasets.FirstIndexes(len(judge.FirstOrderVerdicts)), level))
	}
	for _, k := range datasets.Registry() {
		all = append(all, publishedFigures(k, level)...)
	}
	return sortReferences(all)
}

// publishedScores returns the scores of published judges on exactly the run's pairs, the best first. It returns nil if
// the pairs are not those of a known dataset, or are a sample and the published verdicts on single pairs are missing.
func (f *pairScorer) publishedScores(level float64) []scoring.Reference {
	k, ok := datasetOf(f.manifest)
	switch {
	case !ok || len(f.rows) == 0 || f.Unlabelled() > 0:
		return nil
	case k.Format == datasets.LLMBarFormat.Name:
		return f.comparePublishedJudges(references.LLMBar(), level)
	case len(f.rows) == k.Rows:
		name := scoring.JudgeName(f.manifest.Spec.Model.Name)
		return sortReferences(slices.DeleteFunc(publishedFigures(k, level), func(x scoring.Reference) bool {
			// the run's own judge
			return f.manifest.Imported != "" && (name == x.Judge || strings.HasPrefix(name, x.Judge+"-20"))
		}))
	}
	return nil
}

// comparePublishedJudges compares the judges of a published set that decided all pairs of the run with the run by
// McNemar's test. It leaves out the judge whose run this is.
func (f *pairScorer) comparePublishedJudges(set *references.PublishedSet, level float64) []scoring.Reference {
	indexes := make([]int, len(f.rows)) // positions of the run's pairs in the set
	for i, u := range f.rows {
		k, ok := set.ItemIndex(u.item)
		if !ok || set.GoldByItem[k] != byte('1'+u.gold) {
			return nil
		}
		indexes[i] = k
	}
	var all []scoring.Reference
	var p []float64
	for _, judge := range set.Judges {
		isItself := f.manifest.Imported != "" && judge.Name == f.manifest.Spec.Model.Name
		if slices.Max(indexes) >= len(judge.FirstOrderVerdicts) || isItself {
			continue
		}
		x := publishedReference(set, judge, indexes, level)
		for i, k := range indexes {
			judgeRight, runRight := set.IsCorrectInBothOrders(judge, k), f.rows[i].strict()
			switch {
			case judgeRight && !runRight:
				x.OnlyReferenceRight++
			case runRight && !judgeRight:
				x.OnlyRunRight++
			}
		}
		all = append(all, x)
		p = append(p, stats.McNemar(x.OnlyRunRight, x.OnlyReferenceRight))
	}
	for i, adjusted := range stats.Holm(p) {
		all[i].P = scoring.RoundToTwelveDigits(adjusted)
	}
	return sortReferences(all)
}

// datasetOf returns the registered dataset of a run, by the SHA-256 of its file; false for other files, and for runs
// that are not asked which response is better.
func datasetOf(m *judging.Manifest) (datasets.Entry, bool) {
	if m.Spec.Protocol != Protocol.Name || m.Spec.Goal != Protocol.Goal {
		return datasets.Entry{}, false
	}
	for _, k := range datasets.Registry() {
		// the items of an imported run may be the dataset's file even if the source was another
		isFile := k.SHA256 == m.Spec.Dataset.SHA256 || k.SHA256 == m.Files[judging.ItemsFile]
		if k.SHA256 != "" && isFile && k.Groups == nil {
			return k, true
		}
	}
	return datasets.Entry{}, false
}

// publishedReference returns a published judge's score (correct in both orders) on a set's pairs at the given indexes.
func publishedReference(
	set *references.PublishedSet, judge references.PublishedJudge, indexes []int, level float64,
) scoring.Reference {
	right := 0
	for _, k := range indexes {
		if set.IsCorrectInBothOrders(judge, k) {
			right++
		}
	}
	x := scoring.Reference{
		Judge:                 judge.Name,
		Dataset:               set.Dataset,
		OpenWeights:           judge.OpenWeights,
		JudgePrompt:           "LLMBar " + set.Prompt,
		Origin:                "recomputed",
		Source:                judge.Source,
		LabelsFollowResponses: judge.LabelsFollowResponses,
		Metric:                "strict",
	}
	return referenceWithShare(x, right, len(indexes), level)
}

// comparableMetrics lists the metrics by which published judges are compared with a run. Both are shares of all pairs.
var comparableMetrics = []string{"strict", "counter"}

// publishedFigures returns the published scores of judges on a dataset, for the metrics in comparableMetrics.
func publishedFigures(k datasets.Entry, level float64) (all []scoring.Reference) {
	for _, p := range k.Published {
		if p.Protocol != Protocol.Name || !slices.Contains(comparableMetrics, p.Metric) {
			continue
		}
		x := scoring.Reference{
			Judge:       p.Judge,
			Dataset:     k.Name,
			OpenWeights: p.OpenWeights,
			JudgePrompt: p.Prompt,
			Origin:      p.How,
			Source:      p.Source,
			Metric:      p.Metric,
		}
		all = append(all, referenceWithShare(x, int(math.Round(p.Value/100*float64(p.N))), p.N, level))
	}
	return all
}

// referenceWithShare returns x with the share of right pairs among n, its interval at the given level, and n.
func referenceWithShare(x scoring.Reference, right, n int, level float64) scoring.Reference {
	interval := stats.Blaker(right, n, level)
	x.Value = *scoring.Percent(float64(right) / float64(n))
	x.Low, x.High = *scoring.Percent(interval.Low), *scoring.Percent(interval.High)
	x.N = n
	return x
}

// sortReferences sorts published scores by dataset and metric, then those on more pairs, then the better ones first.
func sortReferences(all []scoring.Reference) []scoring.Reference {
	slices.SortStableFunc(all, func(a, b scoring.Reference) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(b.Metric, a.Metric), cmp.Compare(b.N, a.N),
			cmp.Compare(b.Value, a.Value))
	})
	return all
}

// MakePublishedRuns makes runs of the published judges that decided all items of the run in the folder dir, over these
// items. gavel is the version of the program.
func MakePublishedRuns(dir, gavel string) (runs []*imports.Builder, err error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if k, ok := datasetOf(m); !ok || k.Format != datasets.LLMBarFormat.Name {
		return nil, fmt.Errorf("%s: runs can be made of published judges of LLMBar's pairs alone, asked which is better: "+
			"of others figures are known, no verdicts", dir)
	}
	var items []datasets.Item
	err = judging.EachItem(dir, func(item datasets.Item) { items = append(items, item) })
	if err != nil {
		return nil, err
	}
	set := references.LLMBar()
	for _, judge := range set.Judges {
		run, err := makePublishedRun(set, judge, items, m.Spec.Dataset, m.Dataset, gavel)
		if err != nil {
			return nil, err
		}
		if len(run.Records) == 2*len(items) {
			runs = append(runs, run)
		}
	}
	return runs, nil
}
