package verdicts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
)

// Row holds the judge's verdict on an item: a row of the file of verdicts.
type Row struct {
	Item string `json:"item" parquet:"item"` // the item's id
	// the better response, A or B, or its model, or tie; of a judge that scores, the score; empty if the orders disagree
	Verdict string `json:"verdict" parquet:"verdict"`
	// both orders have the same verdict; nil if one was asked for, or of a judge that scores
	Consistent *bool `json:"consistent,omitempty" parquet:"consistent,optional"`
	// mean probability of the verdicts, 0 to 1
	Confidence        *float64 `json:"confidence,omitempty" parquet:"confidence,optional"`
	Recommendation    string   `json:"use" parquet:"use"`           // keep, or person: ask one
	ReasonToAskPerson string   `json:"why,omitempty" parquet:"why"` // why a person should decide; "" to keep the verdict
	// the item's language, if it is rare among the measured items
	Language string `json:"language,omitempty" parquet:"language"`
}

// Reasons for which a person should decide, besides [labels.Tie], whose accuracy was not measured.
const (
	reasonInconsistent = "inconsistent"
	reasonNoVerdict    = "no verdict"
)

// item holds an item of a run with the judge's verdict.
type item struct {
	Row
	models         []string // of the responses; "" where the file names none
	group          string
	cluster        int // number of the question: items of one question may depend on each other
	responseLength int // characters of the responses
}

// readItems returns the items of the run in dir, in the order of its file of items. Of a judge that scores, each
// response is an item.
func readItems(dir string) (items []*item, judge *labels.RunVerdicts, err error) {
	judge, err = labels.ReadJudge(dir, scoringOptions.Reading)
	if err != nil {
		return nil, nil, err
	}
	clusters := map[string]int{}
	err = judging.EachItem(dir, func(source datasets.Item) {
		size := len(source.Candidates)
		if judge.Manifest.Spec.Protocol == pointwise {
			size = 1
		}
		clusters[source.Question] = cmp.Or(clusters[source.Question], len(clusters)+1)
		for responses := range slices.Chunk(source.Candidates, size) {
			x := &item{group: source.Group, cluster: clusters[source.Question]}
			text := source.Question
			for _, c := range responses {
				text += "\n" + c.Text
				x.models = append(x.models, c.Model)
				x.responseLength += utf8.RuneCountInString(c.Text)
			}
			if language := whatlanggo.Detect(text); len(text) > 100 && language.IsReliable() { // short texts mislead it
				x.Language = language.Lang.String()
			}
			x.Item = source.ID
			x.Verdict = judge.Verdicts[x.Item]
			x.ReasonToAskPerson = map[string]string{"": reasonNoVerdict, labels.Tie: labels.Tie}[x.Verdict]
			if judge.InconsistentItems[x.Item] {
				x.Verdict, x.ReasonToAskPerson = "", reasonInconsistent
			}
			if judge.CallsPerItem > 1 && len(x.models) > 1 {
				x.Consistent = new(x.Verdict != "")
			}
			x.Recommendation = "keep"
			if x.ReasonToAskPerson != "" {
				x.Recommendation = "person"
			}
			if p, ok := judge.Confidence[x.Item]; ok {
				x.Confidence = scoring.RoundFraction(p)
			}
			items = append(items, x)
		}
	})
	return items, judge, err
}

// sideNames lists the names of responses without a model.
var sideNames = []string{"A", "B"}

// nameResponses writes each verdict with the name of the response's model, or A or B if the file does not name two
// models for the item. It sets the names, those with more wins first, their wins, and the items that rates count: those
// with two models, or all if there are none.
func (r *Result) nameResponses(items []*item) {
	for _, x := range items {
		if x.models[0] == x.models[1] || slices.Contains(x.models, "") {
			x.models = sideNames
		} else {
			r.rated = append(r.rated, x)
		}
		if x.ReasonToAskPerson == "" {
			x.Verdict = x.models[slices.Index(sideNames, x.Verdict)]
		}
	}
	if r.rated == nil {
		r.rated = items
	}
	for _, x := range r.rated {
		for _, model := range x.models {
			r.Counts[model] += int(scoring.Indicator(model == x.Verdict))
		}
	}
	r.ResponseNames = slices.SortedFunc(maps.Keys(r.Counts), func(a, b string) int {
		return cmp.Or(r.Counts[b]-r.Counts[a], strings.Compare(a, b))
	})
}

// rareLanguagePercent is the share of items, in percent, below which their language is rare.
const rareLanguagePercent = 5

// warnOfUnlikeItems warns of items unlike the measured ones: by the shares of those in a language rare among the
// measured ones, of those longer or shorter than nine in ten of these, and of consistent verdicts. Shares differ if
// their intervals lie apart, which is stricter than a test at the level of reports with Bonferroni's correction.
func (r *Result) warnOfUnlikeItems(items, measured []*item) {
	var lengths []int
	languages := map[string]int{}
	for _, x := range measured {
		lengths = append(lengths, x.responseLength)
		languages[x.Language]++
	}
	slices.Sort(lengths)
	shortest, longest := lengths[len(lengths)/20], lengths[len(lengths)*19/20]
	warn := func(code string, has func(x *item) bool) {
		share := func(items []*item) scoring.Evidence {
			k := 0.0
			for _, x := range items {
				k += scoring.Indicator(has(x))
			}
			return scoring.ShareEvidence("", k, float64(len(items)), 0)
		}
		here, before := share(items), share(measured)
		if max(here.Low-before.High, before.Low-here.High) >= 1 { // in points
			r.Warnings = append(r.Warnings, phrases.Sentence(code, here, before))
		}
	}
	for _, x := range slices.Concat(items, measured) {
		if 100*languages[x.Language] >= rareLanguagePercent*len(measured) {
			x.Language = ""
		}
	}
	warn("judge.unlike-language", func(x *item) bool { return x.Language != "" })
	warn("judge.unlike-length", func(x *item) bool { return x.responseLength < shortest || x.responseLength > longest })
	if items[0].Consistent != nil && measured[0].Consistent != nil {
		warn("judge.unlike-consistency", func(x *item) bool { return *x.Consistent })
	}
}
