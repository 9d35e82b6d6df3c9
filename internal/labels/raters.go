package labels

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// pair compares two raters.
func (p *panel) pair(a, b rater) Pair {
	out := Pair{A: a.name, B: b.name, Between: between(a) + ", " + between(b)}
	k := len(p.categories)
	byCluster, t := map[string][]float64{}, p.tally()
	said := [2]map[string]bool{{}, {}}
	for _, item := range slices.Sorted(maps.Keys(a.of)) {
		x, y := a.of[item], b.of[item]
		if x == "" || y == "" {
			continue
		}
		out.N++
		said[0][x] = true
		said[1][y] = true
		t.add(item, x == y)
		if k > mostCategories {
			continue
		}
		p.row(byCluster, item, k*k)[p.index[x]*k+p.index[y]]++
	}
	out.Agreement, out.Clusters = t.share()
	if k > mostCategories || out.N == 0 {
		return out
	}
	coincide := func(scale stats.Scale) func([]float64) float64 {
		return func(sums []float64) float64 {
			both := make([]float64, k*k)
			for i := range k {
				for j := range k {
					both[i*k+j] += sums[i*k+j]
					both[j*k+i] += sums[i*k+j]
				}
			}
			return stats.Alpha(both, k, scale)
		}
	}
	of := []func([]float64) float64{
		func(sums []float64) float64 { return stats.Kappa(sums, k) },
		func(sums []float64) float64 { return stats.AC1(sums, k) },
		coincide(stats.Nominal),
	}
	if p.ofPairs() {
		of = append(of, coincide(stats.Ordinal))
	}
	numbers := p.smoothed(byCluster, k, of)
	out.Kappa = numbers[0]
	out.Kappa.Constant = len(said[0]) == 1 || len(said[1]) == 1
	out.AC1 = numbers[1]
	out.Alpha = numbers[2]
	if p.ofPairs() {
		out.Ordinal = &numbers[3]
	}
	return out
}

func between(r rater) string {
	if r.judge {
		return "judge"
	}
	return "person"
}

// leastRows is of how many items, or clusters of them, a coefficient gets an interval.
const leastRows = 10

// smoothed are statistics of the cells of a k×k table, resampled by cluster, with one unit let in beside those seen:
// spread over the cells in which raters disagree where the lower end is found, over those in which they agree where
// the upper; where units hang together, with what an ordinary cluster of them is worth. Categories that nobody used
// get none of it, unless one alone was used.
func (p *panel) smoothed(byCluster map[string][]float64, k int, of []func([]float64) float64) []Number {
	rows, sums := new(stats.Rows), make([]float64, k*k)
	for _, name := range slices.Sorted(maps.Keys(byCluster)) {
		rows.Add(byCluster[name])
		for i, x := range byCluster[name] {
			sums[i] += x
		}
	}
	worth := scoring.Worth(floats.Sum(sums) / float64(rows.Len))
	cell := func(a, b int) stats.Extra { return stats.Extra{Columns: []int{a*k + b}, Values: []float64{worth}} }
	beside, categories := new(stats.Beside), used(sums, k)
	for _, a := range categories {
		for _, b := range categories {
			if a != b { // of each category as many cells here and there
				beside.Low = append(beside.Low, cell(a, b))
				beside.High = append(beside.High, cell(a, a))
			}
		}
	}
	if len(beside.Low) > 0 {
		beside.Mass = 1 / float64(len(beside.Low))
	}
	var list []stats.Statistic
	for _, f := range of {
		list = append(list, stats.Statistic{Of: f, Beside: beside})
	}
	out := make([]Number, len(of))
	for i, iv := range p.b.Smoothed(rows, list) {
		v := of[i](sums)
		out[i].Value = scoring.Fraction(v)
		if out[i].Value != nil && rows.Len >= leastRows {
			out[i].Low = scoring.Fraction(math.Min(iv.Low, v))
			out[i].High = scoring.Fraction(math.Min(1, math.Max(iv.High, v)))
			out[i].Interval = scoring.ByBootstrap
		}
	}
	return out
}

// used are the categories of a k×k table that were named, or all of them where one alone was.
func used(sums []float64, k int) (named []int) {
	all := make([]int, k)
	for c := range k {
		all[c] = c
		for other := range k {
			if sums[c*k+other]+sums[other*k+c] > 0 {
				named = append(named, c)
				break
			}
		}
	}
	if len(named) < 2 {
		return all
	}
	return named
}

// together is Krippendorff's α of all people.
func (p *panel) together(people []rater) *Together {
	k := len(p.categories)
	t := &Together{Raters: len(people)}
	if k > mostCategories {
		return t
	}
	byCluster := map[string][]float64{}
	for _, item := range slices.Sorted(maps.Keys(p.file.Majority())) {
		values := p.values(people, item)
		if rated := len(slices.DeleteFunc(slices.Clone(values), func(v int) bool { return v < 0 })); rated < 2 {
			continue
		}
		t.N++
		stats.Coincide(p.row(byCluster, item, k*k), k, values)
	}
	alpha := func(scale stats.Scale) func([]float64) float64 {
		return func(sums []float64) float64 { return stats.Alpha(sums, k, scale) }
	}
	of := []func([]float64) float64{alpha(stats.Nominal)}
	if p.ofPairs() {
		of = append(of, alpha(stats.Ordinal))
	}
	numbers := p.smoothed(byCluster, k, of)
	t.Alpha = numbers[0]
	if p.ofPairs() {
		t.Ordinal = &numbers[1]
	}
	return t
}

// values are the categories that raters give an item, −1 where one gives none.
func (p *panel) values(raters []rater, item string) []int {
	out := make([]int, len(raters))
	for i, r := range raters {
		out[i] = -1
		if said := r.of[item]; said != "" {
			out[i] = p.index[said]
		}
	}
	return out
}

// standIn is the alternative annotator test of a judge.
func (p *panel) standIn(j *Judge, people []rater, epsilon float64) StandIn {
	items := slices.Sorted(maps.Keys(p.file.Majority()))
	said, others := make([]int, len(items)), make([][]int, len(people))
	for k := range people {
		others[k] = make([]int, len(items))
	}
	for i, item := range items {
		said[i] = p.values([]rater{{of: j.Of}}, item)[0]
		for k, v := range p.values(people, item) {
			others[k][i] = v
		}
	}
	t := stats.AltTest(said, others, epsilon, 0.05)
	s := StandIn{
		Run:       j.Dir,
		Model:     j.Manifest.Spec.Model.Name,
		Epsilon:   epsilon,
		Winning:   scoring.Fraction(t.Winning),
		Advantage: scoring.Fraction(t.Advantage),
	}
	for k, x := range t.People {
		if x.Units > 0 {
			s.People = append(s.People, Beside{
				Labeller:  people[k].name,
				N:         x.Units,
				Judge:     scoring.Fraction(x.Judge),
				Person:    scoring.Fraction(x.Person),
				P:         scoring.Precise(x.P),
				Surpasses: x.Surpassed,
			})
		}
	}
	return s
}

// self is how far people agree with what they said before.
func (p *panel) self(a *Agreement) {
	before := map[key]Label{}
	for _, l := range p.file.Labels {
		before[key{l.Item, l.Labeller}] = l
	}
	of := map[string]*tally{}
	for _, l := range p.file.Again {
		first := before[key{l.Item, l.Labeller}]
		if l.Label == "" || first.Label == "" || l.SHA256 != first.SHA256 {
			continue
		}
		if of[l.Labeller] == nil {
			of[l.Labeller] = p.tally()
		}
		of[l.Labeller].add(l.Item, l.Label == first.Label)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		share, _ := of[name].share()
		a.Self = append(a.Self, Self{Labeller: name, N: of[name].items, Agreement: share})
	}
}
