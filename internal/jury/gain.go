package jury

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// Report says what a jury is worth beside its members.
type Report struct {
	Jury    string         `json:"jury"`    // folder of its run
	Says    string         `json:"says"`    // the answer in a sentence or two
	Rule    Rule           `json:"rule"`    // how verdicts became one
	Metric  string         `json:"metric"`  // of all values: the headline of the protocol
	N       int            `json:"n"`       // units that all members have judged
	Calls   int            `json:"calls"`   // of the members, for all of its verdicts
	Members []Member       `json:"members"` // the best first
	Value   scoring.Result `json:"value"`   // of the jury
	// of pairs, percent: right where both orders agree
	RightWhereAlike *float64 `json:"right_where_alike,omitempty"`
	// of pairs, percent: both orders agree
	Coverage *float64 `json:"coverage,omitempty"`
	// the jury less its best member, chosen on the same units: with the paired interval of a comparison
	Gain scoring.Difference `json:"gain"`
	// how alike members err, every two of them
	Errors []Likeness `json:"errors"`
	// how many judges that err independently of each other the members are worth
	Effective *float64 `json:"effective_judges"`
	Warnings  []string `json:"warnings"` // printed after `!`

	alone int // calls of one member
}

// Member is one run of a jury.
type Member struct {
	Run   string   `json:"run"`      // its folder
	Model string   `json:"model"`    // the judge
	Value *float64 `json:"value"`    // of the metric, percent
	Low   *float64 `json:"low"`      // of its 95 % interval
	High  *float64 `json:"high"`     // of its 95 % interval
	By    string   `json:"interval"` // how it was made
	// of pairs, percent: right where both orders agree
	RightWhereAlike *float64 `json:"right_where_alike,omitempty"`
	// of pairs, percent: both orders agree
	Coverage *float64 `json:"coverage,omitempty"`
}

// Likeness is how often two members are wrong on the same units, beyond chance.
type Likeness struct {
	A        string   `json:"a"`         // folder of one
	B        string   `json:"b"`         // folder of the other
	Kappa    *float64 `json:"kappa"`     // Cohen's κ of being right; null where one is always right or always wrong
	BothFail int      `json:"both_fail"` // units that both are wrong on
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
	if made.LeftOut > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d judgments that not every run has were left out", made.LeftOut))
	}
	return r, nil
}

// assess compares a jury, the last of the runs, with its members.
func assess(req Request, made *Account, runs []*scoring.Run, o scoring.Options) (*Report, error) {
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
		alone:    rights.Calls * len(rights.Units),
	}
	for i := range rights.Right[:last] {
		is := rights.Share(i, o.Bootstrap.Level)
		scored := runs[i].Score(o.Bootstrap)
		r.Members = append(r.Members, Member{
			Run:   req.Runs[i],
			Model: rights.Runs[i].Model,
			Value: is.Value,
			Low:   is.Low,
			High:  is.High,
			By:    is.Interval,

			RightWhereAlike: scored.Overall("right-where-alike").Value,
			Coverage:        scored.Overall("coverage").Value,
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
	scored := runs[last].Score(o.Bootstrap)
	r.RightWhereAlike = scored.Overall("right-where-alike").Value
	r.Coverage = scored.Overall("coverage").Value
	for _, result := range scored.Results {
		if result.Metric == rights.Metric && result.Group == scoring.Overall {
			r.Value = result
		}
	}
	r.likeness(rights, req.Runs)
	slices.SortStableFunc(r.Members, func(a, b Member) int { return cmp.Compare(*b.Value, *a.Value) })
	r.Says = r.answer()
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
