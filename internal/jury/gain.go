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

// Jury holds the results of a jury, one judge made of several others, beside those of its members.
type Jury struct {
	JuryRun string `json:"jury"` // folder of the jury's run
	Says    string `json:"says"` // whether the jury is better than its best member, in a sentence
	// further sentences: size of the difference, how alike the members err, advice
	Also            string         `json:"also,omitempty"`
	Rule            Rule           `json:"rule"`    // rule by which the members' verdicts are combined
	Metric          string         `json:"metric"`  // key of the metric of all values: the headline of the protocol
	N               int            `json:"n"`       // units (pairs, questions) that all members have judged
	MemberJudgments int            `json:"calls"`   // judgments of the members that the jury's verdicts used
	Members         []Member       `json:"members"` // results of the members, the best first
	Value           scoring.Result `json:"value"`   // result of the jury by the metric
	// only for pairs: accuracy of the jury when consistent, in percent
	AccuracyWhenConsistent *float64 `json:"right_where_alike,omitempty"`
	// only for pairs: percent of the pairs on which the jury is consistent
	Coverage *float64 `json:"coverage,omitempty"`
	// the metric of the jury minus that of its best member, which was chosen on the same units, with a paired interval
	Gain scoring.Difference `json:"gain"`
	// for every two members: how often they err on the same units
	MemberPairs []Likeness `json:"errors"`
	// effective number of independent judges among the members, from the mean correlation of their errors; null if unknown
	EffectiveJudges *float64 `json:"effective_judges"`
	// units by the number of members that are right on them, the largest number first
	Votes    []RightMemberCount `json:"votes"`
	Warnings []string           `json:"warnings"` // warnings about the jury and its members, printed after `!`

	Report scoring.Report `json:"-"` // all results of the jury's run

	singleMemberCalls int    // judgments that one member makes for the same verdicts
	unit              string // noun for a judged unit, such as pair
}

// Member holds the results of one member of a jury, by the run of this member.
type Member struct {
	Run            string   `json:"run"`      // folder of the member's run
	Model          string   `json:"model"`    // model name of the member
	Name           string   `json:"name"`     // name of the member in tables
	Value          *float64 `json:"value"`    // value of the jury's metric for the member, in percent
	Low            *float64 `json:"low"`      // lower end of the 95 % interval of `value`
	High           *float64 `json:"high"`     // upper end of the 95 % interval of `value`
	IntervalMethod string   `json:"interval"` // method of the interval, see PROTOCOLS.md §5
	// only for pairs: accuracy of the member when consistent, in percent
	AccuracyWhenConsistent *float64 `json:"right_where_alike,omitempty"`
	// only for pairs: percent of the pairs on which the member is consistent
	Coverage *float64 `json:"coverage,omitempty"`
	// judgments of the member that the jury's verdicts used; left out if there are none
	Calls int `json:"calls,omitempty"`

	Report scoring.Report `json:"-"` // all results of the member's run
}

// Likeness tells how often two members of a jury are wrong on the same units, beyond chance, and give the same verdict.
type Likeness struct {
	A string `json:"a"` // folder of the first member's run
	B string `json:"b"` // folder of the second member's run
	// Cohen's κ of being right; null if one of the members is always right or always wrong
	Kappa    *float64 `json:"kappa"`
	BothFail int      `json:"both_fail"` // units on which both members are wrong
	// only for pairs: percent on which both members name the same response, of the pairs where each names one in both
	// orders
	SameResponse *float64 `json:"same,omitempty"`
	// number of pairs where each member names one response in both orders
	ConsistentPairs int `json:"same_of,omitempty"`
}

// RightMemberCount counts the units on which a given number of a jury's members is right.
type RightMemberCount struct {
	Right     int `json:"right"` // number of members that are right
	Units     int `json:"n"`     // units on which exactly so many members are right
	JuryRight int `json:"jury"`  // of these units, those on which the jury is right
}

// MakeAndEvaluate writes a jury's run and compares it with its members. It writes nothing if they cannot be compared.
func MakeAndEvaluate(req Recipe, o scoring.Options) (*Jury, error) {
	var runs []*scoring.Run
	for _, dir := range req.Runs {
		run, err := scoring.Load(dir, o.Reading)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if _, err := scoring.RightUnitsOf(runs); err != nil {
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
		r.Warnings = append(r.Warnings, phrases.Sentence("jury.left-out", phrases.CountWithNoun(leftOut, "judgment")))
	}
	return r, nil
}

// Members returns the runs of a jury's members: each is one of runs or is read from the folder named in the jury's
// manifest or next to it. It returns nil if one is missing, or if run is not of a jury.
func Members(run *scoring.Run, runs []*scoring.Run, reading judging.ReadingOptions) (members []*scoring.Run) {
	for _, juror := range MemberRuns(run.Manifest) {
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
	if len(members) < len(MemberRuns(run.Manifest)) {
		return nil
	}
	return members
}

// FindAndEvaluate compares the run of a jury with its members, which are among runs or in their folders. It returns nil
// if run is not of a jury, or if a member is missing: the run is then shown as that of any judge.
func FindAndEvaluate(run *scoring.Run, runs []*scoring.Run, o scoring.Options) *Jury {
	members := Members(run, runs, o.Reading)
	if members == nil {
		return nil
	}
	r, _ := Evaluate(run, members, nil, o.Bootstrap)
	return r
}

// Evaluate compares the run of a jury with those of its members. names are the members' display names; members without
// one go by their model.
func Evaluate(run *scoring.Run, members []*scoring.Run, names []string, b stats.Bootstrap) (*Jury, error) {
	rights, err := scoring.RightUnitsOf(append(slices.Clone(members), run))
	if err != nil {
		return nil, err
	}
	last := len(members)
	r := &Jury{
		JuryRun:           run.Dir,
		Rule:              ruleOf(run.Manifest),
		Metric:            rights.Metric,
		N:                 len(rights.CommonUnits),
		Warnings:          rights.Warnings,
		Report:            run.Score(b),
		singleMemberCalls: run.Manifest.Judgments,
		unit:              rights.Unit,
	}
	defaults := scoring.DisplayNames(rights.Runs[:last])
	best := 0
	for i, member := range members {
		share := rights.Share(i, b.Level)
		m := Member{
			Run:            member.Dir,
			Model:          rights.Runs[i].Model,
			Name:           defaults[i],
			Value:          share.Value,
			Low:            share.Low,
			High:           share.High,
			IntervalMethod: share.IntervalMethod,
			Calls:          run.Manifest.Stages[i].UsedJudgments,
			Report:         member.Score(b),
		}
		if i < len(names) {
			m.Name = cmp.Or(names[i], m.Name)
		}
		m.AccuracyWhenConsistent = m.Report.Overall(scoring.AccuracyWhenConsistent).Value
		m.Coverage = m.Report.Overall(scoring.Coverage).Value
		r.MemberJudgments += m.Calls
		r.Members = append(r.Members, m)
		if *m.Value > *r.Members[best].Value {
			best = i
		}
	}
	compared, err := scoring.Compare([]*scoring.Run{members[best], run}, b)
	if err != nil {
		return nil, err
	}
	if d := compared.Comparisons[0].HeadlineDifference(); d != nil {
		r.Gain = *d
	}
	r.AccuracyWhenConsistent = r.Report.Overall(scoring.AccuracyWhenConsistent).Value
	r.Coverage = r.Report.Overall(scoring.Coverage).Value
	r.Value = r.Report.Overall(rights.Metric)
	r.computeLikenesses(rights)
	r.countRightMembers(rights)
	slices.SortStableFunc(r.Members, func(a, b Member) int { return cmp.Compare(*b.Value, *a.Value) })
	r.Says = r.answer()
	r.Also = r.details()
	return r, nil
}

// ruleOf returns the rule of a jury from the prompt's name in the manifest of its run.
func ruleOf(m *judging.Manifest) Rule {
	return Rule(strings.TrimSuffix(strings.TrimPrefix(m.Spec.Prompt.Name, promptPrefix), allOrdersSuffix))
}

// countRightMembers counts units by the number of members right on them. The last run in rights is the jury's.
func (r *Jury) countRightMembers(rights *scoring.RightUnits) {
	last := len(rights.Right) - 1
	for n := last; n >= 0; n-- {
		r.Votes = append(r.Votes, RightMemberCount{Right: n})
	}
	for u := range rights.CommonUnits {
		n := 0
		for _, right := range rights.Right[:last] {
			if right[u] {
				n++
			}
		}
		v := &r.Votes[last-n]
		v.Units++
		if rights.Right[last][u] {
			v.JuryRight++
		}
	}
}

// computeLikenesses sets how often every two members err on the same units, and from that the number of independent
// judges that they are worth.
func (r *Jury) computeLikenesses(rights *scoring.RightUnits) {
	sum, pairs := 0.0, 0
	for i := range r.Members {
		for k := range i {
			var counts [4]float64
			for u := range rights.CommonUnits {
				counts[int(2*scoring.Indicator(rights.Right[k][u])+scoring.Indicator(rights.Right[i][u]))]++
			}
			overlap := Likeness{
				A:        r.Members[k].Run,
				B:        r.Members[i].Run,
				Kappa:    scoring.RoundFraction(stats.Kappa(counts[:], 2)),
				BothFail: int(counts[0]),
			}
			if r.Members[i].Coverage != nil {
				overlap.countSameResponses(rights.Outcomes[k], rights.Outcomes[i])
			}
			r.MemberPairs = append(r.MemberPairs, overlap)
			if phi := stats.BinaryCorrelation(float64(len(rights.CommonUnits)), counts[2]+counts[3], counts[1]+counts[3],
				counts[3]); !math.IsNaN(phi) {
				sum += phi
				pairs++
			}
		}
	}
	if pairs > 0 {
		k := float64(len(r.Members))
		r.EffectiveJudges = scoring.RoundFraction(k / (1 + (k-1)*max(0, sum/float64(pairs))))
	}
}

// countSameResponses counts the pairs of responses on which both members name the same response, of those where each
// names one in both orders. a and b hold the outcome of each pair for the two members.
func (l *Likeness) countSameResponses(a, b []string) {
	names := func(part string) bool { return part == "right" || part == "wrong" }
	same := 0
	for u := range min(len(a), len(b)) {
		if names(a[u]) && names(b[u]) {
			l.ConsistentPairs++
			if a[u] == b[u] {
				same++
			}
		}
	}
	if l.ConsistentPairs > 0 {
		l.SameResponse = scoring.Percent(float64(same) / float64(l.ConsistentPairs))
	}
}
