package labels

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
)

// RunVerdicts holds the verdicts of a run, one for each item.
type RunVerdicts struct {
	Dir      string // folder of the run
	Manifest *judging.Manifest
	// Verdicts has, by id, the verdict on each item that was judged in all its presentations, the orders of its responses:
	// a tie if the verdict depends on the order, "" if a judgment has no verdict.
	Verdicts          map[string]string
	InconsistentItems map[string]bool // by item id: the verdict depends on the order; none of a judge that scores
	// Confidence has, by item id, the mean probability of the verdict over the presentations, 0 to 1; only for verdicts
	// other than a tie whose records all have label probabilities.
	Confidence   map[string]float64
	Gold         map[string]string   // by item id: the label of the dataset
	CallsPerItem int                 // judgments per item
	datasetLines []Label             // the dataset's labels and people's scores
	scaleEnds    []float64           // of people's scores, as the dataset states them; nil if unknown
	Tokens       int                 // tokens of all replies, if known
	shape        datasets.ShapeInfo  // properties of the items, such as being pairs
	itemHashes   map[string]string   // by item id: SHA-256 of the item's line in items.jsonl
	cluster      func(string) string // returns the cluster of an item by its id; nil without clusters
	clusterNoun  string              // noun for one cluster of items
}

// ErrNotLabelable marks the error of a run whose verdicts no label of an item fits: it judges several agents' answers
// to one question, scores the responses of pairs one at a time, or on another scale than people, or answers the
// questions of pairs without judging them.
var ErrNotLabelable = errors.New("no label fits its verdicts")

// checkLabelable returns an error if the run scores the responses of pairs or options one at a time, or if its scores
// and people's are on different scales. Without a scale that the dataset states, people's lowest and highest score are
// its ends.
func (j *RunVerdicts) checkLabelable(file *LabelFile) error {
	scores := j.scaleEnds
	for _, l := range slices.Concat(j.datasetLines, file.Labels) {
		if score, err := strconv.ParseFloat(l.Label, 64); err == nil {
			scores = append(scores, score)
		}
	}
	protocol, err := judging.ProtocolNamed(j.Manifest.Spec.Protocol)
	switch {
	case protocol.ScoresCandidates && j.shape.MinCandidates > 1:
		return notLabelable(j.Dir, protocol.Name)
	case j.shape.Scored && scores != nil && !j.Manifest.Spec.Prompt.HasScale(scores):
		return fmt.Errorf("%s: %w: they are on another scale than people's (%g to %g): judge on theirs (--scale), or "+
			"name it (--field scale=LOWEST-HIGHEST)", j.Dir, ErrNotLabelable, slices.Min(scores), slices.Max(scores))
	}
	return err
}

func notLabelable(dir, protocol string) error {
	return fmt.Errorf("%s: %w: labels are of pairs, options, answers and preferences, not of what %s asks",
		dir, ErrNotLabelable, protocol)
}

// ReadJudge reads the verdicts of the run in dir. It leaves out items that were not judged in all their presentations,
// the orders of the responses. The error of a run whose verdicts no label fits is [ErrNotLabelable].
func ReadJudge(dir string, reading judging.ReadingOptions) (*RunVerdicts, error) {
	j := &RunVerdicts{
		Dir:               dir,
		Verdicts:          map[string]string{},
		InconsistentItems: map[string]bool{},
		Confidence:        map[string]float64{},
		Gold:              map[string]string{},
		itemHashes:        map[string]string{},
	}
	type itemVerdicts struct {
		labels        map[int]string // verdicts by presentation
		probabilities []float64      // of these verdicts, if known
		score, weight float64        // sums over a rubric's criteria
	}
	items := map[string]*itemVerdicts{}
	questions := map[string]string{} // of responses, by item id
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	j.Manifest = m
	_, err = judging.EachVerdict(dir, reading, func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
		if r.Agent != "" || r.Shape == datasets.ShapeOpen {
			return notLabelable(dir, r.Protocol)
		}
		if v.Outcome == judging.Failed {
			return nil
		}
		for _, reply := range r.Replies {
			j.Tokens += reply.ReplyTokens
		}
		if j.cluster == nil {
			j.cluster, j.clusterNoun = r.ClusterKeyFunc()
		}
		item := strings.Clone(r.Item)
		x := items[item]
		if x == nil {
			x = &itemVerdicts{labels: map[int]string{}}
			items[item] = x
			j.CallsPerItem = r.Presentations
			j.shape = r.Shape.Info()
			j.Gold[item] = j.normalizeLabel(goldOf(r))
			people := cmp.Or(r.People, new(datasets.PeopleScores))
			if people.Scale != nil {
				j.scaleEnds = people.Scale[:]
			}
			labels := map[string]string{"dataset": j.Gold[item]}
			for name, score := range people.Scores {
				labels[name] = scoreText(score)
			}
			for name, label := range labels {
				j.datasetLines = append(j.datasetLines, Label{Item: item, Labeller: name, Label: label, Undo: label == ""})
			}
		}
		x.labels[r.Presentation] = verdictAsLabel(r, v)
		if p, ok := r.Confidence(asker, v); ok && v.Outcome == judging.Decided {
			x.probabilities = append(x.probabilities, p)
		}
		if j.shape.Scored {
			weight := m.Spec.Prompt.CriterionWeight(r.Mode)
			x.score += weight * m.Spec.Prompt.ScaleValue(v.Answer)
			x.weight += weight
			questions[item] = strings.Clone(r.QuestionID)
		}
		if v.Outcome != judging.Decided {
			x.score = math.NaN()
		}
		if len(x.labels) < r.Presentations {
			return nil
		}
		label, consistent := verdict(x.labels)
		j.InconsistentItems[item] = !consistent && !j.shape.Scored
		if j.shape.Scored && r.Presentations > 1 {
			label = scoreText(x.score / x.weight)
		}
		j.Verdicts[item] = j.normalizeLabel(label)
		if label != "" && label != Tie && len(x.probabilities) == len(x.labels) {
			j.Confidence[item] = stat.Mean(x.probabilities, nil)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(slices.Compact(slices.Sorted(maps.Values(questions)))) >= minRows {
		j.clusterNoun = "question"
		j.cluster = func(item string) string { return questions[item] }
	}
	if j.shape.VariableCandidates {
		return j, nil // a run may show some of an item's options, so that its lines differ from the dataset's
	}
	return j, j.hashItems()
}

// numberWithCommas matches a number with commas between thousands.
var numberWithCommas = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$`)

// normalizeNumber returns a number in one spelling: 7 and 7.0, or 1,000 and 1000, become equal; false for other text.
func normalizeNumber(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if numberWithCommas.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", false
	}
	return strconv.FormatFloat(x, 'f', -1, 64), true
}

// scoreText returns a score as a label; "" for NaN.
func scoreText(score float64) string {
	if math.IsNaN(score) {
		return ""
	}
	return strconv.FormatFloat(scalar.Round(score, 9), 'f', -1, 64)
}

// normalizeLabel returns the label; a number in the spelling of [normalizeNumber].
func (j *RunVerdicts) normalizeLabel(label string) string {
	if n, ok := normalizeNumber(label); ok && j.shape.Numeric {
		return n
	}
	return label
}

// goldOf returns the dataset's label of a record's item: A, B or tie for a preference, else as in the record.
func goldOf(r *judging.Record) string {
	if i := slices.Index(r.Order, r.Gold); r.IsPreference() && i >= 0 {
		return pairLabels[r.CandidateOrder()[i]]
	}
	return strings.Clone(r.Gold)
}

// verdictAsLabel returns the verdict of a judgment as a label of its item, or "" without a verdict. A number equal to
// the dataset's label gets the spelling of that label.
func verdictAsLabel(r *judging.Record, v judging.Verdict) string {
	switch {
	case v.Outcome == judging.Tie:
		return Tie
	case v.Outcome != judging.Decided:
		return ""
	case r.IsPreference():
		return pairLabels[v.Choice]
	case judging.IsRightVerdict(r, v):
		return strings.Clone(r.Gold)
	}
	return cmp.Or(r.CandidateID(v.Choice), v.Answer)
}

// has reports whether the run has a verdict on the item of a label, and the item has not changed since it was labelled.
func (j *RunVerdicts) has(l Label) bool {
	_, ok := j.Verdicts[l.Item]
	line := j.itemHashes[l.Item]
	return ok && (l.SHA256 == "" || line == "" || line == l.SHA256)
}

// verdict returns the verdict on an item from the labels of its judgments, by presentation: their common label, "" if
// one has none, or Tie if they differ; only then consistent is false.
func verdict(labels map[int]string) (label string, consistent bool) {
	first := ""
	for _, presentation := range slices.Sorted(maps.Keys(labels)) {
		switch label := labels[presentation]; {
		case label == "":
			return "", true
		case first == "":
			first = label
		case label != first:
			return Tie, false
		}
	}
	return first, true
}

// hashItems reads the items' lines in the run's folder and sets sums, with which labels are compared.
func (j *RunVerdicts) hashItems() error {
	set, err := datasets.OpenFile(filepath.Join(j.Dir, judging.ItemsFile))
	if err != nil {
		return nil // an import may have none
	}
	defer set.Close()
	for i := range set.Len() {
		j.itemHashes[set.ItemID(i)], err = itemSHA256(set, i)
		if err != nil {
			return err
		}
	}
	return nil
}
