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

// Number is a value with its interval; all are null where it is undefined.
type Number struct {
	Value    *float64 `json:"value"`              // null where undefined
	Low      *float64 `json:"low"`                // of the 95 % interval
	High     *float64 `json:"high"`               // of the 95 % interval
	Interval string   `json:"interval,omitempty"` // how it was made, see PROTOCOLS.md §5

	Constant bool `json:"-"` // of κ: one of the two says the same of every item, so it is 0 whatever the other says
}

// Agreement says how far judges and people agree.
type Agreement struct {
	Says       string            `json:"says"`               // the answer in a sentence or two
	Labels     string            `json:"labels"`             // the file
	Categories []string          `json:"categories"`         // that were named, those of pairs in order
	Items      int               `json:"items"`              // with a label
	Split      int               `json:"split,omitempty"`    // items on which people are evenly split
	Judges     []Standing        `json:"judges"`             // beside the majority of people, the best first
	Pairs      []Pair            `json:"pairs"`              // every two raters
	People     *Together         `json:"people,omitempty"`   // all of them at once, from three on
	Self       []Self            `json:"self,omitempty"`     // of people who were shown items twice
	StandIn    []StandIn         `json:"stand_in,omitempty"` // the alternative annotator test, from three people on
	Reading    judging.Readers   `json:"reading,omitempty"`  // left out for the usual one
	Bootstrap  scoring.Bootstrap `json:"bootstrap"`          // of the intervals
	// of two judges: `mcnemar`, or `permutation` where items hang together
	Test string `json:"test"`
	// printed after `!`
	Warnings []string `json:"warnings"`
}

// Standing is a judge beside what most people say.
type Standing struct {
	Run   string `json:"run"`   // its folder
	Model string `json:"model"` // the judge
	// percent of the items with a label that the judge was asked about; no verdict is no agreement
	Agreement Number `json:"agreement"`
	N         int    `json:"n"`                  // items
	Clusters  int    `json:"clusters,omitempty"` // in how many questions these are, where several hang together
	NoVerdict int    `json:"no_verdict"`         // of these
	Kappa     Number `json:"kappa"`              // Cohen's, of items with a verdict
	Calls     int    `json:"calls"`              // for 1,000 items
	Tokens    int    `json:"tokens,omitempty"`   // of the replies for 1,000 items; left out where no server told
	Letters   string `json:"letters"`            // no significant difference between judges that share one

	agrees map[string]bool // by item with a label
}

// Pair is two raters on the items that both gave a category.
type Pair struct {
	A         string  `json:"a"`                       // a run or a person
	B         string  `json:"b"`                       // another
	Between   string  `json:"between"`                 // `judge, person`, `person, person` or `judge, judge`
	N         int     `json:"n"`                       // items
	Clusters  int     `json:"clusters,omitempty"`      // in how many questions these are, where several hang together
	Agreement Number  `json:"agreement"`               // percent
	Kappa     Number  `json:"kappa"`                   // Cohen's
	AC1       Number  `json:"ac1"`                     // Gwet's
	Alpha     Number  `json:"alpha"`                   // Krippendorff's, nominal
	Ordinal   *Number `json:"alpha_ordinal,omitempty"` // of pairs, whose categories are A, tie and B
}

// Named is a number with its name.
type Named struct {
	Name string
	Number
}

// Numbers are those of two raters.
func (p Pair) Numbers() []Named {
	numbers := []Named{{"agreement", p.Agreement}, {"kappa", p.Kappa}, {"ac1", p.AC1}, {"alpha", p.Alpha}}
	if p.Ordinal != nil {
		numbers = append(numbers, Named{"alpha_ordinal", *p.Ordinal})
	}
	return numbers
}

// Together is all people at once.
type Together struct {
	Raters  int     `json:"raters"`                  // people
	N       int     `json:"n"`                       // items that two or more gave a label
	Alpha   Number  `json:"alpha"`                   // Krippendorff's, nominal
	Ordinal *Number `json:"alpha_ordinal,omitempty"` // of pairs
}

// Self is a person beside themselves, on items that they were shown twice.
type Self struct {
	Labeller  string `json:"labeller"`  // the person
	N         int    `json:"n"`         // items
	Agreement Number `json:"agreement"` // percent
}

// StandIn says whether a judge may stand in for a person (arXiv 2501.10970).
type StandIn struct {
	Run     string   `json:"run"`          // its folder
	Model   string   `json:"model"`        // the judge
	Epsilon float64  `json:"epsilon"`      // what a person costs more than the judge, as a share
	Winning *float64 `json:"winning_rate"` // ω: share of people that it surpasses; at ½ or more it may
	// ρ: how often it agrees with the others at least as well as the person left out
	Advantage *float64 `json:"average_advantage"`
	People    []Beside `json:"people"` // each left out in turn
}

// Beside is a judge beside one person.
type Beside struct {
	Labeller  string   `json:"labeller"`  // the person
	N         int      `json:"n"`         // items
	Judge     *float64 `json:"judge"`     // share of items on which the judge agrees with the others at least as often
	Person    *float64 `json:"person"`    // on which the person does
	P         *float64 `json:"p"`         // that the judge is worse by ε or more; null with fewer than 30 items
	Surpasses bool     `json:"surpasses"` // the judge is as good, but for ε
}

// Epsilon is what a person costs more than a judge, as a share of agreement, where nobody says: that of
// experts in arXiv 2501.10970.
const Epsilon = 0.2

// Agree compares judges with people and with each other. Without labels those of the dataset are what one person said.
func Agree(dirs []string, file *File, epsilon float64, how judging.Reading, b stats.Bootstrap) (*Agreement, error) {
	p, err := newPanel(dirs, file, how, b, false)
	if err != nil {
		return nil, err
	}
	a := p.rank(how)
	for i, x := range p.raters {
		if x.judge == nil && len(p.people) > mostPeople {
			break // what they have in common stands in People
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

// Rank returns what Agree says of each judge beside most people, and nothing of every two raters. Runs that judge other
// things, or no item with a label, are passed over; ErrNone where none is left.
func Rank(dirs []string, file *File, how judging.Reading, b stats.Bootstrap) (*Agreement, error) {
	p, err := newPanel(dirs, file, how, b, true)
	if err != nil {
		return nil, err
	}
	return p.rank(how), nil
}

// ErrNone is the error of Rank where no run has judged an item with a label.
var ErrNone = errors.New("no run at hand has judged an item with a label")

// rank returns all but what is said of every two raters.
func (p *panel) rank(how judging.Reading) *Agreement {
	a := &Agreement{
		Labels:     p.file.Path,
		Categories: p.categories,
		Reading:    how.Name,
		Pairs:      []Pair{},
		Test:       "mcnemar",
		Bootstrap: scoring.Bootstrap{
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
	p.stand(a, majority)
	if len(p.people) > 2 {
		a.People = p.together()
	}
	p.self(a)
	a.Says = a.answer()
	a.Warnings = append([]string{}, p.warnings...)
	return a
}

// stand ranks the judges beside the majority.
func (p *panel) stand(a *Agreement, majority map[string]string) {
	for i, j := range p.judges {
		s := Standing{
			Run:    j.Dir,
			Model:  j.Manifest.Spec.Model.Name,
			Calls:  1000 * j.Calls,
			Tokens: int(math.Round(1000 * float64(j.Tokens) / float64(max(1, len(j.Of))))),
			agrees: map[string]bool{},
		}
		agreed := clusters{}
		for item, label := range majority {
			verdict, asked := j.Of[item]
			if !asked {
				continue
			}
			s.NoVerdict += int(scoring.One(verdict == ""))
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
func percents(value float64, iv stats.Interval, by string) Number {
	return Number{
		Value:    scoring.Percent(value),
		Low:      scoring.Percent(iv.Low),
		High:     scoring.Percent(iv.High),
		Interval: by,
	}
}

// letter sorts the judges and gives them letters: two share one where a paired test does not tell them apart.
func (p *panel) letter(judges []Standing) {
	slices.SortStableFunc(judges, func(a, b Standing) int { return cmp.Compare(value(b), value(a)) })
	var tests []float64
	var pairs [][2]int
	for x := range judges {
		for y := x + 1; y < len(judges); y++ {
			tests = append(tests, p.apart(judges[x].agrees, judges[y].agrees))
			pairs = append(pairs, [2]int{x, y})
		}
	}
	var apart [][2]int
	for k, adjusted := range stats.Holm(tests) {
		if adjusted < 0.05 {
			apart = append(apart, pairs[k])
		}
	}
	for n, group := range stats.Tied(len(judges), apart) {
		for _, x := range group {
			judges[x].Letters += scoring.LetterOf(n)
		}
	}
}

// apart returns the p of McNemar's test of two judges; where items hang together, of a permutation test.
func (p *panel) apart(a, b map[string]bool) float64 {
	both := clusters{}
	for item, first := range a {
		if second, too := b[item]; too {
			row := p.row(both, item, 2)
			row[0] += scoring.One(first)
			row[1] += scoring.One(second)
		}
	}
	if p.judges[0].cluster != nil {
		return p.b.Exchange(both.sample().Rows(), func(a, b []float64) float64 { return b[0] - a[0] })
	}
	var alone [2]int // items on which one of the two alone agrees
	for _, row := range both {
		if row[0] != row[1] {
			alone[int(row[1])]++
		}
	}
	return stats.McNemar(alone[0], alone[1])
}

// value returns the agreement of a judge, below all others where it has none.
func value(s Standing) float64 {
	if s.Agreement.Value == nil {
		return math.Inf(-1)
	}
	return *s.Agreement.Value
}
