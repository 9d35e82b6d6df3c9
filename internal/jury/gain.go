package jury

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Jury holds the results of a jury beside those of its members.
type Jury struct {
	Jury    string         `json:"jury"`           // folder of its run
	Says    string         `json:"says"`           // the answer in a sentence
	Also    string         `json:"also,omitempty"` // further sentences on it
	Rule    Rule           `json:"rule"`           // how verdicts are combined
	Metric  string         `json:"metric"`         // of all values: the headline of the protocol
	N       int            `json:"n"`              // units that all members have judged
	Calls   int            `json:"calls"`          // of the members, for all of its verdicts
	Members []Member       `json:"members"`        // the best first
	Value   scoring.Result `json:"value"`          // of the jury
	// of pairs, percent: accuracy when consistent
	RightWhereAlike *float64 `json:"right_where_alike,omitempty"`
	// of pairs, percent: consistent verdicts
	Coverage *float64 `json:"coverage,omitempty"`
	// the jury minus its best member, chosen on the same units, with the paired interval of a comparison
	Gain scoring.Difference `json:"gain"`
	// how often every two members err on the same units
	Errors []Likeness `json:"errors"`
	// the number of independent judges that the members are worth
	Effective *float64 `json:"effective_judges"`
	// the units by the number of members that are right on them, the most first
	Votes    []VoteCount `json:"votes"`
	Warnings []string    `json:"warnings"` // printed after `!`

	Scored scoring.Report `json:"-"` // of the jury's run

	alone int    // calls of one member
	unit  string // such as pair
}

// Member holds the results of one run of a jury.
type Member struct {
	Run   string   `json:"run"`      // its folder
	Model string   `json:"model"`    // the judge
	Name  string   `json:"name"`     // of the member in tables
	Value *float64 `json:"value"`    // of the metric, percent
	Low   *float64 `json:"low"`      // of its 95 % interval
	High  *float64 `json:"high"`     // of its 95 % interval
	By    string   `json:"interval"` // how the interval was made
	// of pairs, percent: accuracy when consistent
	RightWhereAlike *float64 `json:"right_where_alike,omitempty"`
	// of pairs, percent: consistent verdicts
	Coverage *float64 `json:"coverage,omitempty"`
	// the number of its judgments that the jury's verdicts used; left out for none
	Calls int `json:"calls,omitempty"`

	Scored scoring.Report `json:"-"` // of its run
}

// Likeness says how often two members are wrong on the same units, beyond chance.
type Likeness struct {
	A        string   `json:"a"`         // folder of one
	B        string   `json:"b"`         // folder of the other
	Kappa    *float64 `json:"kappa"`     // Cohen's κ of being right; null where one is always right or always wrong
	BothFail int      `json:"both_fail"` // units that both are wrong on
	// of pairs, percent: both name the same response, of the pairs where each names one in both orders
	Same *float64 `json:"same,omitempty"`
	// the number of those pairs
	SameOf int `json:"same_of,omitempty"`
}

// VoteCount counts the units on which a number of members is right.
type VoteCount struct {
	Right int `json:"right"` // members
	N     int `json:"n"`     // units
	Jury  int `json:"jury"`  // of these, units that the jury is right on
}

// Run makes a jury and compares it with its members. It makes no run if the members cannot be compared.
func Run(req Recipe, o scoring.Options) (*Jury, error) {
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
	leftOut, err := Make(req)
	if err != nil {
		return nil, err
	}
	run, err := scoring.Load(req.Out, o.Reading)
	if err != nil {
		return nil, err
	}
	r, err := Evaluate(run, runs, nil, o.Bootstrap)
	if err != nil {
		return nil, err
	}
	if leftOut > 0 {
		r.Warnings = append(r.Warnings, phrases.Say("jury.left-out", phrases.Count(leftOut, "judgment")))
	}
	return r, nil
}

// Members returns the runs of a jury's members, from some loaded runs or from their folders; nil if one is missing, and
// for the run of another judge.
func Members(run *scoring.Run, runs []*scoring.Run, reading judging.Reading) (members []*scoring.Run) {
	for _, juror := range Jurors(run.Manifest) {
		isMember := func(r *scoring.Run) bool { return r.Manifest.ID == juror.ID }
		if i := slices.IndexFunc(runs, isMember); i >= 0 {
			members = append(members, runs[i])
			continue
		}
		sibling := filepath.Join(filepath.Dir(run.Dir), filepath.Base(juror.Run))
		for _, dir := range []string{juror.Run, sibling} {
			member, err := scoring.Load(dir, reading)
			if err == nil && isMember(member) {
				members = append(members, member)
				break
			}
		}
	}
	if len(members) < len(Jurors(run.Manifest)) {
		return nil
	}
	return members
}

// Of assesses the run of a jury whose members are among some runs or in their folders. It returns nil of another run,
// and where a member is missing: the run is shown as that of any judge.
func Of(run *scoring.Run, runs []*scoring.Run, o scoring.Options) *Jury {
	members := Members(run, runs, o.Reading)
	if members == nil {
		return nil
	}
	r, _ := Evaluate(run, members, nil, o.Bootstrap)
	return r
}

// Evaluate compares the run of a jury with those of its members. Members without a name in names go by their model.
func Evaluate(run *scoring.Run, members []*scoring.Run, names []string, b stats.Bootstrap) (*Jury, error) {
	rights, err := scoring.RightsOf(append(slices.Clone(members), run))
	if err != nil {
		return nil, err
	}
	last := len(members)
	r := &Jury{
		Jury:     run.Dir,
		Rule:     ruleOf(run.Manifest),
		Metric:   rights.Metric,
		N:        len(rights.Units),
		Warnings: rights.Warnings,
		Scored:   run.Score(b),
		alone:    run.Manifest.Judgments,
		unit:     rights.Unit,
	}
	defaults := scoring.NamesOf(rights.Runs[:last])
	best := 0
	for i, member := range members {
		share := rights.Share(i, b.Level)
		m := Member{
			Run:    member.Dir,
			Model:  rights.Runs[i].Model,
			Name:   defaults[i],
			Value:  share.Value,
			Low:    share.Low,
			High:   share.High,
			By:     share.Interval,
			Calls:  run.Manifest.Stages[i].Calls,
			Scored: member.Score(b),
		}
		if i < len(names) {
			m.Name = cmp.Or(names[i], m.Name)
		}
		m.RightWhereAlike = m.Scored.Overall(scoring.RightWhereAlike).Value
		m.Coverage = m.Scored.Overall(scoring.Coverage).Value
		r.Calls += m.Calls
		r.Members = append(r.Members, m)
		if *m.Value > *r.Members[best].Value {
			best = i
		}
	}
	compared, err := scoring.Compare([]*scoring.Run{members[best], run}, b)
	if err != nil {
		return nil, err
	}
	for _, d := range compared.Comparisons[0].Differences {
		if d.Metric == rights.Metric && d.Group == scoring.Overall {
			r.Gain = d
		}
	}
	r.RightWhereAlike = r.Scored.Overall(scoring.RightWhereAlike).Value
	r.Coverage = r.Scored.Overall(scoring.Coverage).Value
	r.Value = r.Scored.Overall(rights.Metric)
	r.likeness(rights)
	r.vote(rights)
	slices.SortStableFunc(r.Members, func(a, b Member) int { return cmp.Compare(*b.Value, *a.Value) })
	r.Says = r.answer()
	r.Also = r.details()
	return r, nil
}

// ruleOf returns the rule of a jury.
func ruleOf(m *judging.Manifest) Rule {
	return Rule(strings.TrimSuffix(strings.TrimPrefix(m.Spec.Prompt.Name, promptName), ofAllOrders))
}

// vote counts the units by the number of members that are right on them.
func (r *Jury) vote(rights *scoring.Rights) {
	last := len(rights.Right) - 1
	for n := last; n >= 0; n-- {
		r.Votes = append(r.Votes, VoteCount{Right: n})
	}
	for u := range rights.Units {
		n := 0
		for _, right := range rights.Right[:last] {
			n += int(scoring.Indicator(right[u]))
		}
		v := &r.Votes[last-n]
		v.N++
		v.Jury += int(scoring.Indicator(rights.Right[last][u]))
	}
}

// likeness counts the units on which two members are both wrong.
func (r *Jury) likeness(rights *scoring.Rights) {
	sum, pairs := 0.0, 0
	for i := range r.Members {
		for k := range i {
			var counts [4]float64
			for u := range rights.Units {
				counts[int(2*scoring.Indicator(rights.Right[k][u])+scoring.Indicator(rights.Right[i][u]))]++
			}
			overlap := Likeness{
				A:        r.Members[k].Run,
				B:        r.Members[i].Run,
				Kappa:    scoring.Fraction(stats.Kappa(counts[:], 2)),
				BothFail: int(counts[0]),
			}
			if r.Members[i].Coverage != nil {
				overlap.agree(rights.Parts[k], rights.Parts[i])
			}
			r.Errors = append(r.Errors, overlap)
			if phi := stats.Binary(float64(len(rights.Units)), counts[2]+counts[3], counts[1]+counts[3],
				counts[3]); !math.IsNaN(phi) {
				sum += phi
				pairs++
			}
		}
	}
	if pairs > 0 {
		k := float64(len(r.Members))
		r.Effective = scoring.Fraction(k / (1 + (k-1)*max(0, sum/float64(pairs))))
	}
}

// agree counts the pairs of items on which both members name the same response, of those where each names one response
// in both orders.
func (l *Likeness) agree(a, b []string) {
	names := func(part string) bool { return part == "right" || part == "wrong" }
	same := 0
	for u := range min(len(a), len(b)) {
		if names(a[u]) && names(b[u]) {
			l.SameOf++
			same += int(scoring.Indicator(a[u] == b[u]))
		}
	}
	if l.SameOf > 0 {
		l.Same = scoring.Percent(float64(same) / float64(l.SameOf))
	}
}
