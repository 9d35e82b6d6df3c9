package labels

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Statistic holds a statistic with its interval; all its values are null if the statistic is undefined.
type Statistic struct {
	Value          *float64 `json:"value"`              // the statistic; null if undefined
	Low            *float64 `json:"low"`                // lower end of the 95 % interval of `value`
	High           *float64 `json:"high"`               // upper end of the 95 % interval of `value`
	IntervalMethod string   `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5

	// of Cohen's κ: one of the raters gives every item the same label, so that κ is 0 for any other rater
	Constant bool `json:"-"`
}

// Agreement tells how often judges and people who labelled the same items agree.
type Agreement struct {
	Says       string   `json:"says"`            // which judge agrees best with people, in one or two sentences
	LabelsPath string   `json:"labels"`          // path of the file of labels
	Categories []string `json:"categories"`      // labels and verdicts that occur; those of pairs: A, tie, B
	Items      int      `json:"items"`           // items with a label of the majority
	SplitItems int      `json:"split,omitempty"` // items on which people are evenly split
	// agreement of each judge with the majority of people, the best judge first
	Judges          []JudgeAgreement `json:"judges"`
	Pairs           []RaterPair      `json:"pairs"`            // agreement of every two raters, judges and people
	PeopleAgreement *PeopleAgreement `json:"people,omitempty"` // agreement of all people with each other, if three or more
	// agreement of people with themselves, if items were shown twice
	IntraRater []IntraRater `json:"self,omitempty"`
	// test of whether a judge may replace a person, for each judge; with three people or more
	AltTests  []AltTest             `json:"stand_in,omitempty"`
	Reading   judging.ReaderSet     `json:"reading,omitempty"` // how replies were read; left out for the default rules
	Bootstrap scoring.BootstrapInfo `json:"bootstrap"`         // settings of resampled intervals
	// test of every two judges, for their letters: `mcnemar`, or `permutation` if items come in clusters
	JudgePairTest string `json:"test"`
	// warnings about the labels and the runs, printed after `!`
	Warnings []string `json:"warnings"`
}

// JudgeAgreement tells how often a judge agrees with the majority of people.
type JudgeAgreement struct {
	Run   string `json:"run"`   // folder of the judge's run
	Model string `json:"model"` // model name of the judge
	// judged items on which the judge agrees with the majority, in percent of those with a label; no verdict counts as
	// no agreement
	Agreement Statistic `json:"agreement"`
	N         int       `json:"n"` // judged items with a label
	// number of clusters (questions) of these items, if items come in clusters
	Clusters              int       `json:"clusters,omitempty"`
	NoVerdict             int       `json:"no_verdict"` // judged items with a label but without a verdict
	Kappa                 Statistic `json:"kappa"`      // Cohen's κ of judge and majority, over items with a verdict
	ScoreAgreement                  // of the judge's scores and the means of people's, in place of agreement and κ
	CallsPerThousandItems int       `json:"calls"` // judgments that the judge makes per 1,000 items
	// tokens of the judge's replies per 1,000 items; left out if unknown
	Tokens int `json:"tokens,omitempty"`
	// letters of the groups of judges that do not differ significantly: such judges share a letter
	Letters string `json:"letters"`

	// by id of a judged item with a label: the columns of agreementRow by which judges are compared
	agreementRowByItem map[string][]float64
}

// RaterPair tells how often two raters, judges or people, agree on the items that both labelled.
type RaterPair struct {
	A string `json:"a"` // first rater: folder of the judge's run, or name of the person
	B string `json:"b"` // second rater: folder of the judge's run, or name of the person
	// kinds of the two raters: `judge, person`, `person, person` or `judge, judge`
	RaterKinds string `json:"between"`
	N          int    `json:"n"` // items that both raters labelled
	// number of clusters (questions) of these items, if items come in clusters
	Clusters  int       `json:"clusters,omitempty"`
	Agreement Statistic `json:"agreement"` // percent of the items to which both raters give the same label
	Kappa     Statistic `json:"kappa"`     // Cohen's κ of the two raters, −1 to 1
	AC1       Statistic `json:"ac1"`       // Gwet's AC1 of the two raters, −1 to 1
	Alpha     Statistic `json:"alpha"`     // Krippendorff's α of the two raters, nominal
	// Krippendorff's α, ordinal; only for pairs of responses, whose categories are A, tie and B in this order
	OrdinalAlpha   *Statistic `json:"alpha_ordinal,omitempty"`
	ScoreAgreement            // in place of κ, AC1 and α
}

// ScoreAgreement tells how close the scores of two raters are. It is empty for other labels.
type ScoreAgreement struct {
	WeightedKappa *Statistic `json:"weighted_kappa,omitempty"` // quadratic-weighted κ, −1 to 1
	Distance      *Statistic `json:"mae,omitempty"`            // mean absolute difference, in levels of the scale
}

// PeopleAgreement tells how far all people who labelled items agree with each other.
type PeopleAgreement struct {
	Raters int       `json:"raters"` // number of people
	N      int       `json:"n"`      // items labelled by two people or more
	Alpha  Statistic `json:"alpha"`  // Krippendorff's α, nominal
	// Krippendorff's α, ordinal; only for scores and for pairs of responses, whose categories are A, tie and B in this
	// order
	Ordinal *Statistic `json:"alpha_ordinal,omitempty"`
}

// IntraRater tells how often a person gives the same label to items that they labelled twice.
type IntraRater struct {
	Labeller  string    `json:"labeller"`  // name of the person
	N         int       `json:"n"`         // items that the person labelled twice
	Agreement Statistic `json:"agreement"` // percent of these items with the same label both times
}

// AltTest holds the alternative annotator test of a judge: whether it may replace a person (arXiv 2501.10970).
type AltTest struct {
	Run   string `json:"run"`   // folder of the judge's run
	Model string `json:"model"` // model name of the judge
	// what a person costs more than the judge, as a share of agreement: the judge may agree less by this much
	Epsilon float64  `json:"epsilon"`
	Winning *float64 `json:"winning_rate"` // ω: share of tested people that the judge surpasses; ½ or more is needed
	// ρ: mean over the tested people of the share of items on which the judge agrees with the other people at least as
	// well as the person left out
	Advantage *float64     `json:"average_advantage"`
	People    []PersonTest `json:"people"` // the judge against each person, who is left out of the others in turn
}

// PersonTest compares a judge with one person.
type PersonTest struct {
	Labeller string `json:"labeller"` // name of the person
	N        int    `json:"n"`        // items labelled by this person, by another one, and judged
	// share of these items on which the judge agrees with the other people at least as well as the person
	JudgeShare *float64 `json:"judge"`
	// share of these items on which the person agrees with the other people at least as well as the judge
	Person *float64 `json:"person"`
	// p-value of "the judge is worse than the person by ε or more"; null below 30 items
	P         *float64 `json:"p"`
	Surpasses bool     `json:"surpasses"` // the test rejects that the judge is worse by ε or more
}

// Agree compares the judges of some runs with people and with each other. dirs are the runs' folders. If file is nil,
// the dataset's labels count as those of one person.
func Agree(
	dirs []string, file *LabelFile, epsilon float64, reading judging.ReadingOptions, b stats.Bootstrap,
) (*Agreement, error) {
	p, err := newPanel(dirs, file, reading, b, false)
	if err != nil {
		return nil, err
	}
	a := p.rank(reading)
	for i, x := range p.raters {
		if x.judge == nil && len(p.peopleRaters) > maxPeople {
			break // People has their agreement
		}
		for _, y := range p.raters[i+1:] {
			if pair := p.pair(x, y); pair.N > 0 {
				a.Pairs = append(a.Pairs, pair)
			}
		}
	}
	if len(p.peopleRaters) > 2 {
		for i, judge := range p.raters[:len(p.judges)] {
			if p.scored && p.judges[i].CallsPerItem > 1 {
				continue // a mean over criteria hardly equals a person's score
			}
			a.AltTests = append(a.AltTests, p.altTest(judge, epsilon))
		}
	}
	return a, nil
}

// Rank returns each judge's agreement with the majority of people, without that of every two raters. It skips runs that
// judge other things, on another scale than people, or no item with a label, and returns ErrNotJudged if none is left.
func Rank(dirs []string, file *LabelFile, reading judging.ReadingOptions, b stats.Bootstrap) (*Agreement, error) {
	p, err := newPanel(dirs, file, reading, b, true)
	if err != nil {
		return nil, err
	}
	return p.rank(reading), nil
}

// ErrNotJudged is the error of Rank if no run has judged an item with a label.
var ErrNotJudged = errors.New("no run covers the labelled items yet")

// rank returns each judge's agreement with the majority, and that of people, without that of every two raters.
func (p *panel) rank(reading judging.ReadingOptions) *Agreement {
	a := &Agreement{
		LabelsPath:    p.file.Path,
		Categories:    p.categories,
		Reading:       reading.Readers,
		Pairs:         []RaterPair{},
		JudgePairTest: "mcnemar",
		Bootstrap: scoring.BootstrapInfo{
			Rounds: p.bootstrap.Rounds,
			Level:  p.bootstrap.Level,
			Seed:   p.bootstrap.Seed,
			Unit:   cmp.Or(p.judges[0].clusterNoun, "item"),
		},
	}
	if p.judges[0].cluster != nil || p.scored {
		a.JudgePairTest = "permutation"
	}
	var reference map[string]string
	if p.scored {
		reference = p.meanScores()
	} else {
		reference, a.SplitItems = p.majority()
	}
	a.Items = len(reference)
	p.rankJudges(a, reference)
	if len(p.peopleRaters) > 2 {
		a.PeopleAgreement = p.peopleAgreement()
	}
	p.addIntraRater(a)
	a.Says = a.answer()
	a.Warnings = p.warnings
	return a
}

// rankJudges adds the judges' agreement with the labels of the majority, or the means of people's scores, given by
// item, and their letters.
func (p *panel) rankJudges(a *Agreement, reference map[string]string) {
	for i, j := range p.judges {
		s := JudgeAgreement{
			Run:                   j.Dir,
			Model:                 j.Manifest.Spec.Model.Name,
			CallsPerThousandItems: 1000 * j.CallsPerItem,
			Tokens:                int(math.Round(1000 * float64(j.Tokens) / float64(max(1, len(j.Verdicts))))),
			agreementRowByItem:    map[string][]float64{},
		}
		agreed := clusters{}
		for item, label := range reference {
			verdict, ok := p.raters[i].labels[item]
			if !ok {
				continue
			}
			if verdict == "" {
				s.NoVerdict++
				if p.scored {
					continue
				}
			}
			s.agreementRowByItem[item] = p.agreementRow(label, verdict)
			p.addItem(agreed, item, s.agreementRowByItem[item])
		}
		s.Agreement, s.N, s.Clusters = p.agreementShare(agreed)
		pair := p.pair(p.raters[i], rater{labels: reference})
		s.Kappa = pair.Kappa
		s.ScoreAgreement = pair.ScoreAgreement
		if p.scored {
			s.Agreement = Statistic{}
		}
		a.Judges = append(a.Judges, s)
	}
	p.assignLetters(a.Judges)
}

// percentStatistic returns a share from 0 to 1 and its interval in percent; method names the interval's method.
func percentStatistic(value float64, iv stats.Interval, method string) Statistic {
	return Statistic{
		Value:          scoring.Percent(value),
		Low:            scoring.Percent(iv.Low),
		High:           scoring.Percent(iv.High),
		IntervalMethod: method,
	}
}

// assignLetters sorts the judges, the highest agreement first, and assigns letters: judges share a letter if a paired
// test finds no significant difference.
func (p *panel) assignLetters(judges []JudgeAgreement) {
	value := func(j JudgeAgreement) float64 { return *cmp.Or(j.rankingStatistic().Value, new(math.Inf(-1))) }
	slices.SortStableFunc(judges, func(a, b JudgeAgreement) int { return cmp.Compare(value(b), value(a)) })
	var tests []float64
	var pairs [][2]int
	for x := range judges {
		for y := x + 1; y < len(judges); y++ {
			tests = append(tests, p.pValue(judges[x].agreementRowByItem, judges[y].agreementRowByItem))
			pairs = append(pairs, [2]int{x, y})
		}
	}
	var distinct [][2]int
	for k, adjusted := range stats.Holm(tests) {
		if adjusted < 0.05 {
			distinct = append(distinct, pairs[k])
		}
	}
	for n, group := range stats.TieGroups(len(judges), distinct) {
		for _, x := range group {
			judges[x].Letters += scoring.LetterOf(n)
		}
	}
}

// rankingStatistic returns the statistic by which judges are ranked.
func (j JudgeAgreement) rankingStatistic() Statistic { return *cmp.Or(j.WeightedKappa, &j.Agreement) }

// pValue returns the p-value of the difference between two judges, by McNemar's test, or by a permutation test of
// scores or if items come in clusters. a and b are [JudgeAgreement.agreementRowByItem].
func (p *panel) pValue(a, b map[string][]float64) float64 {
	both := clusters{}
	for item, first := range a {
		if second, ok := b[item]; ok {
			p.addItem(both, item, slices.Concat(first, second))
		}
	}
	if p.scored || p.judges[0].cluster != nil {
		return p.bootstrap.PermutationTest(both.unitRows().Rows(), func(a, b []float64) float64 {
			if p.scored {
				return weightedKappa([][]float64{b}) - weightedKappa([][]float64{a})
			}
			return b[0] - a[0]
		})
	}
	var discordant [2]int // items on which only the first, or only the second, agrees
	for _, row := range both {
		if row[0] != row[2] {
			discordant[int(row[2])]++
		}
	}
	return stats.McNemar(discordant[0], discordant[1])
}
