// Package verdicts applies a measured judge to items without labels: its verdict on each item, which side wins by them
// once the judge's measured errors are corrected, and the items that a person should decide.
package verdicts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of results.
const (
	uncorrected = "uncorrected" // by the verdicts as they are
	corrected   = "corrected"   // for the judge's measured errors
)

// level is the confidence level of intervals.
var level = scoring.DefaultOptions.Bootstrap.Level

// Result holds a judge's verdicts on items without labels, and what they show.
type Result struct {
	Says      string                `json:"says"`                // the answer in sentences
	Judge     string                `json:"judge"`               // name of the judge
	Responses []string              `json:"responses"`           // names of the responses' models, or A and B
	Accuracy  scoring.Result        `json:"accuracy"`            // of consistent verdicts, as measured
	Results   []scoring.Result      `json:"results"`             // win rates of the first of `responses`, or mean scores
	Ranking   []Ranked              `json:"ranking,omitempty"`   // of three models or more, the best first
	ByLabels  *labels.ShareEstimate `json:"by_labels,omitempty"` // corrected by people's labels
	Warnings  []string              `json:"warnings"`            // on the judge and the items, compared with the measurement
	Verdicts  []Row                 `json:"-"`                   // one for each item, in the order of the file
	Next      []doc.Command         `json:"-"`                   // commands to type next

	prompt judging.Template
}

// Judge returns the verdicts of the run in dir over items without labels. measured is the folder of the run in which the
// judge was measured; file holds people's labels of some items, or is nil.
func Judge(dir, measured string, file *labels.LabelFile) (*Result, error) {
	items, now, err := readItems(dir)
	others, before, otherErr := readItems(measured)
	run, runErr := scoring.Load(measured, scoring.DefaultOptions.Reading)
	if err := cmp.Or(err, otherErr, runErr); err != nil {
		return nil, err
	}
	spec := now.Spec
	r := &Result{
		Judge:    cmp.Or(now.Name, scoring.JudgeName(spec.Model.Name)),
		Accuracy: run.Score(scoring.DefaultOptions.Bootstrap).Overall(scoring.RightWhereAlike),
		prompt:   spec.Prompt,
	}
	spec.Dataset = before.Spec.Dataset
	differences := before.Spec.Differences(spec)
	if a, b := before.Server.Version, now.Server.Version; a != b {
		differences = append(differences, phrases.Say("judge.server", a, b))
	}
	if differences != nil {
		r.Warnings = []string{phrases.Say("judge.differs", strings.Join(differences, "; "))}
	}
	protocol, _ := judging.ProtocolNamed(spec.Protocol) // the run has loaded
	if !protocol.Scores {
		r.Responses = nameResponses(items)
		r.compare(items, others)
	}
	groups := map[string][]*item{}
	for _, x := range items {
		groups[x.group] = append(groups[x.group], x)
		r.Verdicts = append(r.Verdicts, x.Row)
	}
	if len(r.Responses) > 2 {
		r.rank(items)
	} else {
		r.add(scoring.Overall, items)
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			if len(groups) > 1 {
				r.add(group, groups[group])
			}
		}
	}
	if file != nil && len(r.Responses) == 2 {
		sides := map[string]string{}
		for _, x := range items {
			sides[x.Item] = sideNames[slices.Index(x.models, r.Responses[0])]
		}
		r.ByLabels, err = labels.Estimate(dir, file, r.Responses[0], func(id string) string { return sides[id] },
			nil, scoring.DefaultOptions.Reading, level)
	}
	r.Says = r.Document().Answer
	return r, err
}

// add adds the results of a group, in percent: the win rate of the first of the responses, uncorrected and corrected, or
// the mean score, from 0 for the lowest level of the scale to 100 for the highest.
func (r *Result) add(group string, items []*item) {
	levels := r.prompt.Labels
	lowest, highest := r.prompt.Level(levels[0]), r.prompt.Level(levels[len(levels)-1])
	var units []stats.PopulationUnit
	for _, x := range items {
		u := stats.PopulationUnit{Cluster: x.cluster, Weight: 1}
		if r.Responses == nil {
			u.Truth = (r.prompt.Level(x.Verdict) - lowest) / (highest - lowest)
		} else {
			u.Truth = scoring.Indicator(x.Verdict == r.Responses[0])
		}
		if x.Consistent {
			units = append(units, u)
		}
	}
	share := stats.Clustered(units, 0, level).MeanEstimate
	a, _ := r.Accuracy.Against(50) // 0 without an interval
	rate := stats.WinRate(share, stats.MeanEstimate{
		Mean: a.Value / 100, Interval: stats.Interval{Low: a.Low / 100, High: a.High / 100},
	})
	for i, e := range []stats.MeanEstimate{share, rate}[:max(1, len(r.Responses))] { // scores are not corrected
		r.Results = append(r.Results, scoring.Result{
			Metric: []string{uncorrected, corrected}[i],
			Group:  group,
			N:      len(units),
			Value:  scoring.Percent(e.Mean),
			Low:    scoring.Percent(e.Low),
			High:   scoring.Percent(e.High),
		})
	}
}
