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

// References are all published judges that gavel knows of pairs: by dataset and metric, those of most pairs first, and
// of as many the best. Level is that of the intervals.
func References(level float64) (all []scoring.Reference) {
	set := references.LLMBar()
	for _, judge := range set.Judges {
		at := make([]int, len(judge.First))
		for i := range at {
			at[i] = i
		}
		all = append(all, referenceOn(set, judge, at, level))
	}
	for _, k := range datasets.Registry() {
		all = append(all, figuresOn(k, level)...)
	}
	return sorted(all)
}

// references are the published judges of all pairs of the run, the best first: nil where the pairs are not those of a
// file that gavel knows, and of a sample of it where not every verdict is known.
func (f *pairs) references(level float64) []scoring.Reference {
	k, ok := fileOf(f.manifest)
	switch {
	case !ok || len(f.rows) == 0 || f.Unlabelled() > 0:
		return nil
	case k.Format == datasets.LLMBar.Name:
		return f.judgesOf(references.LLMBar(), level)
	case len(f.rows) == k.Rows:
		name := scoring.JudgeName(f.manifest.Spec.Model.Name)
		return sorted(slices.DeleteFunc(figuresOn(k, level), func(x scoring.Reference) bool { // itself
			return f.manifest.Imported != "" && (name == x.Judge || strings.HasPrefix(name, x.Judge+"-20"))
		}))
	}
	return nil
}

// judgesOf are those of a set that decided all pairs of the run.
func (f *pairs) judgesOf(set *references.Set, level float64) []scoring.Reference {
	at := make([]int, len(f.rows)) // of each pair, in the set
	for i, u := range f.rows {
		k, ok := set.Index(u.item)
		if !ok || set.Gold[k] != byte('1'+u.gold) {
			return nil
		}
		at[i] = k
	}
	var all []scoring.Reference
	var p []float64
	for _, judge := range set.Judges {
		isItself := f.manifest.Imported != "" && judge.Name == f.manifest.Spec.Model.Name
		if slices.Max(at) >= len(judge.First) || isItself {
			continue
		}
		x := referenceOn(set, judge, at, level)
		for i, k := range at {
			its, own := set.Right(judge, k), f.rows[i].strict()
			switch {
			case its && !own:
				x.OnlyReference++
			case own && !its:
				x.OnlyRun++
			}
		}
		all = append(all, x)
		p = append(p, stats.McNemar(x.OnlyRun, x.OnlyReference))
	}
	for i, adjusted := range stats.Holm(p) {
		all[i].P = scoring.Precise(adjusted)
	}
	return sorted(all)
}

// fileOf is the dataset, known by the SHA-256 of its file, of a run that asks which is better.
func fileOf(m *judging.Manifest) (datasets.Known, bool) {
	if m.Spec.Protocol != Protocol.Name || m.Spec.Goal != Protocol.Goal {
		return datasets.Known{}, false
	}
	all := datasets.Registry()
	i := slices.IndexFunc(all, func(k datasets.Known) bool {
		// the items of an imported run may be the file, whatever they were imported from
		isFile := k.SHA256 == m.Spec.Dataset.SHA256 || k.SHA256 == m.Files[judging.ItemsFile]
		return k.SHA256 != "" && isFile && k.Groups == nil
	})
	if i < 0 {
		return datasets.Known{}, false
	}
	return all[i], true
}

// referenceOn is what a judge came to on some pairs of a set.
func referenceOn(set *references.Set, judge references.Judge, at []int, level float64) scoring.Reference {
	right := 0
	for _, k := range at {
		if set.Right(judge, k) {
			right++
		}
	}
	x := scoring.Reference{
		Judge:       judge.Name,
		Dataset:     set.Dataset,
		OpenWeights: judge.OpenWeights,
		Prompt:      "LLMBar " + set.Prompt,
		How:         "recomputed",
		Source:      judge.Source,
		LabelsStay:  judge.LabelsStay,
		Metric:      "strict",
	}
	return share(x, right, len(at), level)
}

// referenced are the metrics by which published judges are held against a run. Both are shares of the pairs.
var referenced = []string{"strict", "counter"}

// figuresOn are the published figures of a dataset by those metrics.
func figuresOn(k datasets.Known, level float64) (all []scoring.Reference) {
	for _, p := range k.Published {
		if p.Protocol != Protocol.Name || !slices.Contains(referenced, p.Metric) {
			continue
		}
		x := scoring.Reference{
			Judge:       p.Judge,
			Dataset:     k.Name,
			OpenWeights: p.OpenWeights,
			Prompt:      p.Prompt,
			How:         p.How,
			Source:      p.Source,
			Metric:      p.Metric,
		}
		all = append(all, share(x, int(math.Round(p.Value/100*float64(p.N))), p.N, level))
	}
	return all
}

// share puts in how many of the pairs are right.
func share(x scoring.Reference, right, n int, level float64) scoring.Reference {
	interval := stats.Blaker(right, n, level)
	x.Value = *scoring.Percent(float64(right) / float64(n))
	x.Low, x.High = *scoring.Percent(interval.Low), *scoring.Percent(interval.High)
	x.N = n
	return x
}

func sorted(all []scoring.Reference) []scoring.Reference {
	slices.SortStableFunc(all, func(a, b scoring.Reference) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(b.Metric, a.Metric), cmp.Compare(b.N, a.N),
			cmp.Compare(b.Value, a.Value))
	})
	return all
}

// PublishedOn makes the runs of the published judges that decided all items of a run, over those items.
func PublishedOn(dir, gavel string) (runs []*imports.Making, err error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if k, ok := fileOf(m); !ok || k.Format != datasets.LLMBar.Name {
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
		run, err := publishedOver(set, judge, items, m.Spec.Dataset, m.Dataset, gavel)
		if err != nil {
			return nil, err
		}
		if len(run.Records) == 2*len(items) {
			runs = append(runs, run)
		}
	}
	return runs, nil
}
