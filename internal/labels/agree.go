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

// Number holds a value with its interval; all are null if it is undefined.
type Number struct {
	Value    *float64 `json:"value"`              // null if undefined
	Low      *float64 `json:"low"`                // of the 95 % interval
	High     *float64 `json:"high"`               // of the 95 % interval
	Interval string   `json:"interval,omitempty"` // its method, see PROTOCOLS.md §5

	Constant bool `json:"-"` // of κ: one of the raters gives every item the same label, so κ is 0 for any other rater
}

// Agreement holds the agreement of judges and people.
type Agreement struct {
	Says       string                `json:"says"`               // the result in one or two sentences
	Labels     string                `json:"labels"`             // the file
	Categories []string              `json:"categories"`         // labels and verdicts that occur, those of pairs in order
	Items      int                   `json:"items"`              // items with a label
	Split      int                   `json:"split,omitempty"`    // items on which people are evenly split
	Judges     []JudgeAgreement      `json:"judges"`             // agreement with the majority, the best judge first
	Pairs      []Pair                `json:"pairs"`              // agreement of every two raters
	People     *PeopleAgreement      `json:"people,omitempty"`   // agreement of all people, if three or more
	Self       []IntraRater          `json:"self,omitempty"`     // intra-rater agreement, if items were shown twice
	StandIn    []AltTest             `json:"stand_in,omitempty"` // alternative annotator test, with three people or more
	Reading    judging.Readers       `json:"reading,omitempty"`  // left out for the default
	Bootstrap  scoring.BootstrapInfo `json:"bootstrap"`          // of the intervals
	// of two judges: `mcnemar`, or `permutation` if items come in clusters
	Test string `json:"test"`
	// printed after `!`
	Warnings []string `json:"warnings"`
}

// JudgeAgreement holds a judge's agreement with the majority of people.
type JudgeAgreement struct {
	Run   string `json:"run"`   // its folder
	Model string `json:"model"` // the judge
	// percent of the judged items with a label; no verdict counts as no agreement
	Agreement Number `json:"agreement"`
	N         int    `json:"n"`                  // items
	Clusters  int    `json:"clusters,omitempty"` // number of clusters (questions), if items come in clusters
	NoVerdict int    `json:"no_verdict"`         // items without a verdict
	Kappa     Number `json:"kappa"`              // Cohen's κ, of items with a verdict
	Calls     int    `json:"calls"`              // per 1,000 items
	Tokens    int    `json:"tokens,omitempty"`   // of the replies per 1,000 items; left out if unknown
	Letters   string `json:"letters"`            // judges that share a letter do not differ significantly

	agrees map[string]bool // by item with a label
}

// Pair holds the agreement of two raters on the items that both labelled.
type Pair struct {
	A         string  `json:"a"`                       // run or person
	B         string  `json:"b"`                       // the other run or person
	Between   string  `json:"between"`                 // `judge, person`, `person, person` or `judge, judge`
	N         int     `json:"n"`                       // items
	Clusters  int     `json:"clusters,omitempty"`      // number of clusters (questions), if items come in clusters
	Agreement Number  `json:"agreement"`               // percent
	Kappa     Number  `json:"kappa"`                   // Cohen's
	AC1       Number  `json:"ac1"`                     // Gwet's
	Alpha     Number  `json:"alpha"`                   // Krippendorff's, nominal
	Ordinal   *Number `json:"alpha_ordinal,omitempty"` // of pairs, whose categories are A, tie and B
}

// NamedNumber holds a number with its name.
type NamedNumber struct {
	Name string
	Number
}

// Numbers returns the statistics of a pair by name.
func (p Pair) Numbers() []NamedNumber {
	numbers := []NamedNumber{{"agreement", p.Agreement}, {"kappa", p.Kappa}, {"ac1", p.AC1}, {"alpha", p.Alpha}}
	if p.Ordinal != nil {
		numbers = append(numbers, NamedNumber{"alpha_ordinal", *p.Ordinal})
	}
	return numbers
}

// PeopleAgreement holds the agreement of all people.
type PeopleAgreement struct {
	Raters  int     `json:"raters"`                  // people
	N       int     `json:"n"`                       // items with labels of two people or more
	Alpha   Number  `json:"alpha"`                   // Krippendorff's, nominal
	Ordinal *Number `json:"alpha_ordinal,omitempty"` // of pairs
}

// IntraRater holds a person's intra-rater agreement, on items that they labelled twice.
type IntraRater struct {
	Labeller  string `json:"labeller"`  // the person
	N         int    `json:"n"`         // items
	Agreement Number `json:"agreement"` // percent
}

// AltTest holds the alternative annotator test of a judge: whether it may replace a person (arXiv 2501.10970).
type AltTest struct {
	Run     string   `json:"run"`          // its folder
	Model   string   `json:"model"`        // the judge
	Epsilon float64  `json:"epsilon"`      // extra cost of a person over the judge, as a share of agreement
	Winning *float64 `json:"winning_rate"` // ω: share of people that it surpasses; ½ or more is needed
	// ρ: share of items on which it agrees with the others at least as well as the person left out
	Advantage *float64     `json:"average_advantage"`
	People    []PersonTest `json:"people"` // each left out in turn
}

// PersonTest compares a judge with one person.
type PersonTest struct {
	Labeller  string   `json:"labeller"`  // the person
	N         int      `json:"n"`         // items
	Judge     *float64 `json:"judge"`     // share of items on which the judge agrees with the others at least as well
	Person    *float64 `json:"person"`    // share on which the person does
	P         *float64 `json:"p"`         // of the judge being worse by ε or more; null below 30 items
	Surpasses bool     `json:"surpasses"` // the judge is as good, within ε
}

// Epsilon is the default extra cost of a person over a judge, as a share of agreement: that of experts in arXiv
// 2501.10970.
const Epsilon = 0.2

// Agree compares judges with people and with each other. Without a file the dataset's labels count as one person's.
func Agree(
	dirs []string, file *LabelFile, epsilon float64, reading judging.Reading, b stats.Bootstrap,
) (*Agreement, error) {
	p, err := newPanel(dirs, file, reading, b, false)
	if err != nil {
		return nil, err
	}
	a := p.rank(reading)
	for i, x := range p.raters {
		if x.judge == nil && len(p.people) > maxPeople {
			break // People has their agreement
		}
		for _, y := range p.raters[i+1:] {
			if pair := p.pair(x, y); pair.N > 0 {
				a.Pairs = append(a.Pairs, pair)
			}
		}
	}
	if len(p.people) > 2 {
		for _, judge := range p.raters[:len(p.judges)] {
			a.StandIn = append(a.StandIn, p.altTest(judge, epsilon))
		}
	}
	return a, nil
}

// Rank returns each judge's agreement with the majority of people, without every two raters. It skips runs that judge
// other things, or no item with a label, and returns ErrNone if none is left.
func Rank(dirs []string, file *LabelFile, reading judging.Reading, b stats.Bootstrap) (*Agreement, error) {
	p, err := newPanel(dirs, file, reading, b, true)
	if err != nil {
		return nil, err
	}
	return p.rank(reading), nil
}

// ErrNone is the error of Rank if no run has judged an item with a label.
var ErrNone = errors.New("no run covers the labelled items yet")

// rank returns the agreement without every two raters.
func (p *panel) rank(reading judging.Reading) *Agreement {
	a := &Agreement{
		Labels:     p.file.Path,
		Categories: p.categories,
		Reading:    reading.Name,
		Pairs:      []Pair{},
		Test:       "mcnemar",
		Bootstrap: scoring.BootstrapInfo{
			Rounds: p.b.Rounds,
			Level:  p.b.Level,
			Seed:   p.b.Seed,
			Unit:   cmp.Or(p.judges[0].clusters, "item"),
		},
	}
	if p.judges[0].cluster != nil {
		a.Test = "permutation"
	}
	majority, split := p.majority()
	a.Items = len(majority)
	a.Split = split
	p.rankJudges(a, majority)
	if len(p.people) > 2 {
		a.People = p.together()
	}
	p.self(a)
	a.Says = a.answer()
	a.Warnings = append([]string{}, p.warnings...)
	return a
}

// rankJudges adds the judges' agreement with the majority.
func (p *panel) rankJudges(a *Agreement, majority map[string]string) {
	for i, j := range p.judges {
		s := JudgeAgreement{
			Run:    j.Dir,
			Model:  j.Manifest.Spec.Model.Name,
			Calls:  1000 * j.Calls,
			Tokens: int(math.Round(1000 * float64(j.Tokens) / float64(max(1, len(j.Verdicts))))),
			agrees: map[string]bool{},
		}
		agreed := clusters{}
		for item, label := range majority {
			verdict, ok := j.Verdicts[item]
			if !ok {
				continue
			}
			s.NoVerdict += int(scoring.Indicator(verdict == ""))
			s.agrees[item] = verdict == label
			p.count(agreed, item, verdict == label)
		}
		s.Agreement, s.N, s.Clusters = p.share(agreed)
		s.Kappa = p.pair(p.raters[i], rater{name: "majority", labels: majority}).Kappa
		a.Judges = append(a.Judges, s)
	}
	p.letter(a.Judges)
}

// percents returns a share and its interval in percent.
func percents(value float64, iv stats.Interval, method string) Number {
	return Number{
		Value:    scoring.Percent(value),
		Low:      scoring.Percent(iv.Low),
		High:     scoring.Percent(iv.High),
		Interval: method,
	}
}

// letter sorts the judges and assigns letters: judges share a letter if a paired test finds no significant difference.
func (p *panel) letter(judges []JudgeAgreement) {
	slices.SortStableFunc(judges, func(a, b JudgeAgreement) int { return cmp.Compare(value(b), value(a)) })
	var tests []float64
	var pairs [][2]int
	for x := range judges {
		for y := x + 1; y < len(judges); y++ {
			tests = append(tests, p.pValue(judges[x].agrees, judges[y].agrees))
			pairs = append(pairs, [2]int{x, y})
		}
	}
	var distinct [][2]int
	for k, adjusted := range stats.Holm(tests) {
		if adjusted < 0.05 {
			distinct = append(distinct, pairs[k])
		}
	}
	for n, group := range stats.Tied(len(judges), distinct) {
		for _, x := range group {
			judges[x].Letters += scoring.LetterOf(n)
		}
	}
}

// pValue returns the p-value of McNemar's test of two judges, or of a permutation test if items come in clusters.
func (p *panel) pValue(a, b map[string]bool) float64 {
	both := clusters{}
	for item, first := range a {
		if second, ok := b[item]; ok {
			row := p.row(both, item, 2)
			row[0] += scoring.Indicator(first)
			row[1] += scoring.Indicator(second)
		}
	}
	if p.judges[0].cluster != nil {
		return p.b.Exchange(both.sample().Rows(), func(a, b []float64) float64 { return b[0] - a[0] })
	}
	var discordant [2]int // items on which only the first, or only the second, agrees
	for _, row := range both {
		if row[0] != row[1] {
			discordant[int(row[1])]++
		}
	}
	return stats.McNemar(discordant[0], discordant[1])
}

// value returns the agreement of a judge, or minus infinity if it has none.
func value(s JudgeAgreement) float64 {
	if s.Agreement.Value == nil {
		return math.Inf(-1)
	}
	return *s.Agreement.Value
}
