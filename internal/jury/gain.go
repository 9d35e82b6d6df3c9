package jury

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Report says what a jury is worth beside its members.
type Report struct {
	Jury    string         `json:"jury"`    // folder of its run
	Rule    Rule           `json:"rule"`    // how verdicts became one
	Metric  string         `json:"metric"`  // of all values: the headline of the protocol
	N       int            `json:"n"`       // units that all members have judged
	Calls   int            `json:"calls"`   // of the members, for all of its verdicts
	Members []Member       `json:"members"` // the best first
	Value   scoring.Result `json:"value"`   // of the jury
	// the jury less its best member, chosen on the same units: with the paired interval of a comparison
	Gain scoring.Difference `json:"gain"`
	// how alike members err, every two of them
	Errors []Likeness `json:"errors"`
	// how many judges that err independently of each other the members are worth
	Effective *float64 `json:"effective_judges"`
	Best      *Best    `json:"best,omitempty"` // with `--best K`
	Warnings  []string `json:"warnings"`       // printed after `!`
}

// Member is one run of a jury.
type Member struct {
	Run   string   `json:"run"`      // its folder
	Model string   `json:"model"`    // the judge
	Value *float64 `json:"value"`    // of the metric, percent
	Low   *float64 `json:"low"`      // of its 95 % interval
	High  *float64 `json:"high"`     // of its 95 % interval
	By    string   `json:"interval"` // how it was made
}

// Likeness is how often two members are wrong on the same units, beyond chance.
type Likeness struct {
	A        string   `json:"a"`         // folder of one
	B        string   `json:"b"`         // folder of the other
	Kappa    *float64 `json:"kappa"`     // Cohen's κ of being right; null where one is always right or always wrong
	BothFail int      `json:"both_fail"` // units that both are wrong on
}

// Best is the best jury of a size, chosen on one half of the units and reported on the other.
type Best struct {
	Size   int        `json:"size"`   // members of a jury
	Juries int        `json:"juries"` // that there are
	Splits int        `json:"splits"` // halves that were drawn
	Runs   []string   `json:"runs"`   // of the jury that was chosen most often
	Chosen int        `json:"chosen"` // how often
	Value  *float64   `json:"value"`  // of the jury chosen on the other half, percent: mean over the splits
	Single *float64   `json:"single"` // of the best member, chosen so too
	Gain   *float64   `json:"gain"`   // their difference, in points
	All    []Standing `json:"all"`    // every jury on all units, the best first
}

// Standing is one jury on all units.
type Standing struct {
	Runs  []string `json:"runs"`  // its members
	Value *float64 `json:"value"` // percent; the best of many is too high by chance
}

// Run makes a jury and says what it is worth. What it cannot be said of, no run is made of.
func Run(req Request, o scoring.Options) (*Report, error) {
	var runs []*scoring.Run
	for _, dir := range req.Runs {
		run, err := scoring.Load(dir, o.Reading)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if _, err := scoring.RightsOf(runs); err != nil {
		return nil, err
	}
	var best *Best
	if req.Best != 0 {
		var err error
		best, err = Choose(req, req.Best, o.Bootstrap.Seed)
		if err != nil {
			return nil, err
		}
	}
	made, err := Make(req)
	if err != nil {
		return nil, err
	}
	run, err := scoring.Load(req.Out, o.Reading)
	if err != nil {
		return nil, err
	}
	r, err := assess(req, made, append(runs, run), o)
	if err != nil {
		return nil, err
	}
	r.Best = best
	if made.LeftOut > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d judgments that not every run has were left out", made.LeftOut))
	}
	return r, nil
}

// assess compares a jury, the last of the runs, with its members.
func assess(req Request, made *Made, runs []*scoring.Run, o scoring.Options) (*Report, error) {
	rights, err := scoring.RightsOf(runs)
	if err != nil {
		return nil, err
	}
	last := len(runs) - 1
	r := &Report{
		Jury:     req.Out,
		Rule:     req.Rule,
		Metric:   rights.Metric,
		N:        len(rights.Units),
		Calls:    made.Calls,
		Warnings: rights.Warnings,
	}
	for i := range rights.Right[:last] {
		is := rights.Share(i, o.Bootstrap.Level)
		r.Members = append(r.Members, Member{
			Run:   req.Runs[i],
			Model: rights.Runs[i].Model,
			Value: is.Value,
			Low:   is.Low,
			High:  is.High,
			By:    is.Interval,
		})
	}
	best := 0
	for i := range rights.Right[:last] {
		if count(rights.Right[i]) > count(rights.Right[best]) {
			best = i
		}
	}
	compared, err := scoring.Compare([]*scoring.Run{runs[best], runs[last]}, o.Bootstrap)
	if err != nil {
		return nil, err
	}
	for _, d := range compared.Comparisons[0].Differences {
		if d.Metric == rights.Metric && d.Group == scoring.Overall {
			r.Gain = d
		}
	}
	for _, result := range runs[last].Score(o.Bootstrap).Results {
		if result.Metric == rights.Metric && result.Group == scoring.Overall {
			r.Value = result
		}
	}
	r.likeness(rights, req.Runs)
	slices.SortStableFunc(r.Members, func(a, b Member) int { return cmp.Compare(*b.Value, *a.Value) })
	return r, nil
}

// likeness compares on which units members are wrong.
func (r *Report) likeness(rights *scoring.Rights, dirs []string) {
	sum, pairs := 0.0, 0
	for i := range dirs {
		for k := range i {
			var counts [4]float64
			for u := range rights.Units {
				at := 0
				if rights.Right[k][u] {
					at += 2
				}
				if rights.Right[i][u] {
					at++
				}
				counts[at]++
			}
			r.Errors = append(r.Errors, Likeness{
				A:        dirs[k],
				B:        dirs[i],
				Kappa:    scoring.Fraction(stats.Kappa(counts[:], 2)),
				BothFail: int(counts[0]),
			})
			if phi := stats.Binary(float64(len(rights.Units)), counts[2]+counts[3], counts[1]+counts[3],
				counts[3]); !math.IsNaN(phi) {
				sum += phi
				pairs++
			}
		}
	}
	if pairs > 0 {
		k := float64(len(dirs))
		r.Effective = scoring.Fraction(k / (1 + (k-1)*max(0, sum/float64(pairs))))
	}
}

func count(right []bool) (k int) {
	for _, is := range right {
		if is {
			k++
		}
	}
	return k
}

func percent(k, n int) *float64 { return scoring.Percent(float64(k) / float64(n)) }

// mostJuries is how many are tried at most: of 30 runs there are 4,060 of three.
const mostJuries = 5000

// splits is how often the units are halved.
const splits = 200

// Choose finds the best jury of a size among the runs. Each of many times the units are halved at random: the jury that
// is best on one half is reported on the other, so that what chance gives the best of many is not counted as a gain.
func Choose(req Request, size int, seed uint64) (*Best, error) {
	n := len(req.Runs)
	if size < 2 || size > n {
		return nil, fmt.Errorf("--best %d: a jury of %d runs has from 2 to %d members", size, n, n)
	}
	if all := math.Round(math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(size)))); all > mostJuries {
		return nil, fmt.Errorf("--best %d: there are %.0f juries of %d among %d runs, "+
			"more than the %d that are tried: name fewer runs", size, all, size, n, mostJuries)
	}
	j, err := read(req.Runs, req.Reading)
	if err != nil {
		return nil, err
	}
	singles, juries := j.candidates(req, 1), j.candidates(req, size)
	units := len(juries[0].right)
	if units < 4 {
		return nil, errors.New("too few items to choose a jury on one half of them and report it on the other")
	}
	best := &Best{Size: size, Juries: len(juries), Splits: splits}
	best.halve(juries, singles, rand.New(rand.NewPCG(seed, uint64(units))))
	for _, c := range juries {
		best.All = append(best.All, Standing{c.runs, percent(count(c.right), units)})
	}
	slices.SortStableFunc(best.All, func(a, b Standing) int { return cmp.Compare(*b.Value, *a.Value) })
	return best, nil
}

// candidate is a jury that may be chosen.
type candidate struct {
	runs   []string
	right  []bool // by unit
	chosen int
}

// candidates are all juries of a size.
func (j *jury) candidates(req Request, size int) (all []*candidate) {
	for _, members := range combin.Combinations(len(j.members), size) {
		part, c := &jury{records: j.records}, &candidate{}
		for _, m := range members {
			part.members, c.runs = append(part.members, j.members[m]), append(c.runs, req.Runs[m])
		}
		c.right = part.rights(req)
		all = append(all, c)
	}
	return all
}

// bestOn is the candidate that is right on most of some units, the first of several.
func bestOn(all []*candidate, units []int) *candidate {
	return slices.MaxFunc(all, func(a, b *candidate) int { return among(a.right, units) - among(b.right, units) })
}

func (b *Best) halve(juries, singles []*candidate, rng *rand.Rand) {
	jury, single := 0, 0
	units := len(juries[0].right)
	for range splits {
		order := rng.Perm(units)
		on, off := order[:units/2], order[units/2:]
		best := bestOn(juries, on)
		best.chosen++
		jury += among(best.right, off)
		single += among(bestOn(singles, on).right, off)
	}
	for _, c := range juries {
		if c.chosen > b.Chosen {
			b.Chosen, b.Runs = c.chosen, c.runs
		}
	}
	all := splits * (units - units/2)
	b.Value = percent(jury, all)
	b.Single = percent(single, all)
	b.Gain = percent(jury-single, all)
}

func among(right []bool, units []int) (k int) {
	for _, u := range units {
		if right[u] {
			k++
		}
	}
	return k
}

// rights tells on which items the jury names what is right in every presentation. Items that have no label, or of
// which not all presentations were judged, are none.
func (j *jury) rights(req Request) []bool {
	for _, group := range j.groups(req.together()) {
		j.decide(group, req)
	}
	var out []bool
	for _, item := range j.groups(true) {
		if item[0].Gold == "" || len(item) < item[0].Presentations {
			continue
		}
		out = append(out, !slices.ContainsFunc(item, func(r *judging.Record) bool {
			v, err := r.Read(nil, req.Reading) // as it is stored
			return err != nil || !judging.RightVerdict(r, v)
		}))
	}
	return out
}
