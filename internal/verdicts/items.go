package verdicts

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/judging"
	"gavel/scoring"
)

// Row holds the judge's verdict on an item: a row of the file of verdicts.
type Row struct {
	Item string `json:"item" parquet:"item"` // the item's id
	// the better response, A or B, or its model; of a judge that scores, the score; empty if the orders disagree
	Verdict    string   `json:"verdict" parquet:"verdict"`
	Consistent bool     `json:"consistent" parquet:"consistent"`                    // all orders have the same verdict
	Confidence *float64 `json:"confidence,omitempty" parquet:"confidence,optional"` // mean probability of the verdicts, 0 to 1
	Use        string   `json:"use" parquet:"use"`                                  // keep, or person: ask one
	Why        string   `json:"why,omitempty" parquet:"why"`                        // why a person should decide
	Language   string   `json:"language,omitempty" parquet:"language"`              // the item's, if it was not measured
}

// Values of [Row].Use.
const (
	keep   = "keep"
	person = "person"
)

// Reasons for which a person should decide.
const (
	unclear   = "inconsistent or a tie"
	noVerdict = "no verdict"
)

// item holds an item of a run with the judge's verdict.
type item struct {
	Row
	models   []string // of the responses; "" where the file names none
	group    string
	question string
	cluster  int // number of the question: items of one question may depend on each other
	length   int // characters of the responses
}

// readItems returns the items of the run in dir, in the order of its file of items.
func readItems(dir string) (items []*item, m *judging.Manifest, err error) {
	judge, err := labels.ReadJudge(dir, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, nil, err
	}
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return nil, nil, err
	}
	defer set.Close()
	clusters := map[string]int{}
	for i := range set.Len() {
		source, err := set.Item(i)
		if err != nil {
			return nil, nil, err
		}
		if clusters[source.Question] == 0 {
			clusters[source.Question] = len(clusters) + 1
		}
		x := &item{group: source.Group, question: source.Question, cluster: clusters[source.Question]}
		texts := []string{source.Question}
		for _, c := range source.Candidates {
			texts = append(texts, c.Text)
			x.models = append(x.models, c.Model)
			x.length += utf8.RuneCountInString(c.Text)
		}
		if language := whatlanggo.Detect(strings.Join(texts, "\n")); language.IsReliable() {
			x.Language = language.Lang.String()
		}
		x.Item = source.ID
		x.Verdict = judge.Verdicts[x.Item]
		x.Why = map[string]string{"": noVerdict, labels.Tie: unclear}[x.Verdict]
		x.Consistent = x.Why == ""
		x.Use = keep
		if !x.Consistent {
			x.Verdict, x.Use = "", person
		}
		if p, ok := judge.Confidence[x.Item]; ok {
			x.Confidence = scoring.Fraction(p)
		}
		items = append(items, x)
	}
	return items, judge.Manifest, nil
}

// sideNames lists the names of responses without a model.
var sideNames = []string{datasets.ResponseA, datasets.ResponseB}

// nameResponses writes the verdicts with the names of the models if the file has two for each item, and returns all
// names, those with more wins first.
func nameResponses(items []*item) []string {
	unnamed := slices.ContainsFunc(items, func(x *item) bool {
		return x.models[0] == x.models[1] || slices.Contains(x.models, "")
	})
	wins := map[string]int{}
	for _, x := range items {
		if unnamed {
			x.models = sideNames
		}
		wins[x.models[0]] += 0
		wins[x.models[1]] += 0
		if x.Consistent {
			x.Verdict = x.models[slices.Index(sideNames, x.Verdict)]
			wins[x.Verdict]++
		}
	}
	return slices.SortedFunc(maps.Keys(wins), func(a, b string) int {
		return cmp.Or(wins[b]-wins[a], strings.Compare(a, b))
	})
}
