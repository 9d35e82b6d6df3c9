package answer

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of the answer protocol, beside [GenerationAccuracy].
const (
	NoAnswer = "no-answer" // share of questions whose reply has no answer that can be read
	Chance   = "chance"    // what guessing among the options would come to
	// RuleCount begins the metrics that count which rule found the answers.
	RuleCount = "rule:"
)

// scoreRow is what a model's reply to a question came to.
type scoreRow struct {
	item    string
	group   string
	right   bool
	read    bool   // an answer was read from the reply
	rule    string // which rule found it
	options int    // of a choice or a preference: how many there were, else 0
	gold    string
	prefers bool // the answer is a preference
}

// answers is the scorer of runs in which a model answers questions itself.
type answers struct {
	scoring.Gathering[scoreRow]
	rows []*scoreRow // in the end
}

// NewScorer scores runs in which a model answers questions itself.
func NewScorer(*judging.Manifest) scoring.Scorer {
	return &answers{Gathering: scoring.Gathering[scoreRow]{Metrics: answerMetrics}}
}

func (*answers) Words() scoring.Words {
	return scoring.Words{
		Unit:    "question",
		Record:  "answer",
		Common:  "answer",
		Lacking: "items have not all their judgments",
	}
}

func (f *answers) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	switch r.Shape {
	case "choice", "number", "preference":
	case "open": // of a pair: nobody says what is right
	default:
		return false, fmt.Errorf("an answer is to a choice, a number or a preference; "+
			"this record is of another kind (shape %q)", r.Shape)
	}
	if f.Known(r.Item) != nil {
		return false, nil
	}
	f.Of(r.Item, func(item string) scoreRow {
		a := scoreRow{
			item:    item,
			group:   strings.Clone(r.Group),
			gold:    strings.Clone(r.Gold),
			read:    v.Outcome == judging.Decided,
			right:   judging.RightVerdict(r, v),
			rule:    strings.Clone(v.Rule),
			prefers: r.Shape == "preference",
		}
		if r.Shape == "choice" || a.prefers { // a tie is one of the options
			a.options = len(r.Order)
		}
		return a
	})
	return true, nil
}

func (f *answers) Finish() (complete int) {
	f.rows = f.Gathered()
	return len(f.rows)
}

// Metrics is the table of metrics of answers.
//
//go:embed metrics.yaml
var Metrics string

// answerMetrics are of questions that have a label, of all, and of those with options.
var answerMetrics = []scoring.Summed[scoreRow]{
	{
		Metric: scoring.Metric{
			Name:     scoring.GenerationAccuracy,
			N:        func(c []float64) float64 { return c[1] },
			Headline: true,
		},
		Adds: func(a scoreRow) (float64, float64) { return scoring.One(a.right), scoring.One(a.gold != "") },
	},
	{
		Metric: scoring.Metric{Name: NoAnswer},
		Adds:   func(a scoreRow) (float64, float64) { return scoring.One(!a.read), 1 },
	},
	{
		Metric: scoring.Metric{Name: Chance, Kind: scoring.Known, Sparse: true},
		Adds: func(a scoreRow) (float64, float64) {
			return 1 / float64(max(1, a.options)) * scoring.One(a.options > 0), scoring.One(a.options > 0)
		},
	},
}

func (f *answers) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:   scoring.Lay(answerMetrics),
		Width:     2 * len(answerMetrics),
		Divisions: []func(a, b string) int{judging.GroupOrder},
		Units:     make([]scoring.Unit, len(f.rows)),
	}
	for i, a := range f.rows {
		s.Units[i] = scoring.Unit{
			ID:     a.item,
			Groups: []string{a.group},
			Gold:   a.gold,
			Row:    make([]float64, s.Width),
			Of:     *a,
		}
		scoring.Fill(answerMetrics, *a, s.Units[i].Row)
	}
	return s
}

// Extend adds which rule found how many answers, and how many questions have no label.
func (f *answers) Extend(rep *scoring.Report, _ *scoring.Sheet, _ stats.Bootstrap) {
	for i, r := range rep.Results {
		if r.Metric == Chance {
			rep.Results[i].Note = "interval: none, it is known: the mean of 1/options"
		}
	}
	rep.Results = append(rep.Results, f.ruleCounts()...)
	rep.Preferences = !slices.ContainsFunc(f.rows, func(a *scoreRow) bool { return !a.prefers })
	unlabelled := 0
	for _, a := range f.rows {
		unlabelled += int(scoring.One(a.gold == ""))
	}
	if unlabelled > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d of %d questions have no label: "+
			"nobody can say which answer is right, and they are not in the accuracy", unlabelled, len(f.rows)))
	}
}

// ruleCounts says how often each rule found the answer.
func (f *answers) ruleCounts() (results []scoring.Result) {
	often := map[string]float64{}
	read := 0
	for _, a := range f.rows {
		if a.read {
			read++
			often[a.rule]++
		}
	}
	delete(often, "")
	for _, name := range slices.Sorted(maps.Keys(often)) {
		results = append(results, scoring.Result{
			Metric:  RuleCount + name,
			Group:   scoring.Overall,
			Unit:    scoring.UnitCount,
			N:       read,
			Value:   new(often[name]),
			Missing: "answer left out",
		})
	}
	return results
}
