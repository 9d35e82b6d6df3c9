package labels

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// maxCategories is the largest number of different labels for which coefficients such as κ are computed: more of them
// are free answers, for which only the share of equal labels counts.
const maxCategories = 26

// maxPeople is the largest number of people for which the agreement of every two is computed.
const maxPeople = 12

// rater holds the labels of a person, or the verdicts of a judge as labels.
type rater struct {
	name   string            // name of the person, or folder of the judge's run
	judge  *RunVerdicts      // verdicts of the judge; nil for a person
	labels map[string]string // labels by item id
}

// panel holds all raters of a dataset's items, judges and people, with the settings of a comparison.
type panel struct {
	file         *LabelFile
	judges       []*RunVerdicts
	raters       []rater         // all raters: judges, then people
	peopleRaters []rater         // the people among raters
	scored       bool            // the items are responses that people score
	categories   []string        // different labels that occur; those of pairs: A, tie, B
	bootstrap    stats.Bootstrap // settings of intervals and tests
	warnings     []string
}

// newPanel returns the panel of the judges of some runs, given by their folders, and of the people in a file or, if
// that is nil, of the dataset's labels. With skip it leaves out runs that judge other things, on another scale than
// people, or no item with a label, and returns ErrNotJudged if none is left.
func newPanel(
	dirs []string, file *LabelFile, reading judging.ReadingOptions, b stats.Bootstrap, skip bool,
) (*panel, error) {
	p := &panel{bootstrap: b, warnings: []string{}}
	for _, dir := range dirs {
		j, err := ReadJudge(dir, reading)
		if err == nil {
			file = cmp.Or(file, j.datasetLabels())
			err = j.checkLabelable(file)
		}
		hasLabel := func(l Label) bool { return l.Label != "" && j.has(l) }
		if skip && (errors.Is(err, ErrNotLabelable) || err == nil && !slices.ContainsFunc(file.Labels, hasLabel)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.judges = append(p.judges, j)
		verdicts := maps.Clone(j.Verdicts)
		for item, verdict := range verdicts {
			if j.shape.Scored && verdict != "" { // yes and no are 1 and 0
				verdicts[item] = scoreText(j.Manifest.Spec.Prompt.ScaleValue(verdict))
			}
		}
		p.raters = append(p.raters, rater{name: j.Dir, judge: j, labels: verdicts})
	}
	if len(p.judges) == 0 {
		return nil, ErrNotJudged
	}
	p.scored = p.judges[0].shape.Scored
	for _, j := range p.judges[1:] {
		for _, item := range slices.Sorted(maps.Keys(j.Gold)) {
			if gold, ok := p.judges[0].Gold[item]; ok && gold != j.Gold[item] {
				return nil, fmt.Errorf("%s and %s have different gold labels for %s: they judge different datasets",
					p.judges[0].Dir, j.Dir, item)
			}
		}
	}
	p.file = p.judges[0].normalizeLabels(file)
	if err := p.checkLabels(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file.Path, err)
	}
	people := map[string]map[string]string{}
	for _, l := range p.file.Labels {
		if people[l.Labeller] == nil {
			people[l.Labeller] = map[string]string{}
		}
		people[l.Labeller][l.Item] = l.Label
	}
	for _, name := range slices.Sorted(maps.Keys(people)) {
		p.raters = append(p.raters, rater{name: name, labels: people[name]})
	}
	p.peopleRaters = p.raters[len(p.judges):]
	p.categories = []string{"A", Tie, "B"}
	if !p.itemsArePairs() {
		used := map[string]bool{}
		for _, r := range p.raters {
			for _, label := range r.labels {
				used[label] = true
			}
		}
		delete(used, "")
		p.categories = slices.Sorted(maps.Keys(used))
	}
	if p.scored {
		slices.SortFunc(p.categories, func(a, b string) int {
			row := p.agreementRow(a, b)
			return cmp.Compare(row[2], row[3])
		})
	}
	return p, nil
}

// itemsArePairs reports whether the items are pairs of responses.
func (p *panel) itemsArePairs() bool { return p.judges[0].shape.SideBySide }

// datasetLabels returns the dataset's labels as those of one person, named dataset, and the scores of its people.
func (j *RunVerdicts) datasetLabels() *LabelFile {
	f := &LabelFile{Path: "labels of the dataset"}
	f.applyLines(j.datasetLines)
	return f
}

// normalizeLabels returns a copy of the file whose labels are spelled as in the run; see [RunVerdicts.normalizeLabel].
func (j *RunVerdicts) normalizeLabels(file *LabelFile) *LabelFile {
	copied := *file
	copied.Labels = slices.Clone(file.Labels)
	copied.RepeatLabels = slices.Clone(file.RepeatLabels)
	for _, list := range [][]Label{copied.Labels, copied.RepeatLabels} {
		for i := range list {
			list[i].Label = j.normalizeLabel(list[i].Label)
		}
	}
	return &copied
}

// checkLabels warns of labels for items that no judge has judged, and of labels or runs that are not of items drawn at
// random. It returns an error if no label fits a judge, or if items have changed since they were labelled.
func (p *panel) checkLabels() error {
	var unknown, changed strayLabels
	labelled := make([]int, len(p.judges)) // items of each judge
	for _, l := range p.file.Labels {
		if p.itemsArePairs() && l.Label != "" && !slices.Contains(pairLabels[:], l.Label) {
			return fmt.Errorf("label %q of %s: the label of a pair is A, B or tie", l.Label, l.Item)
		}
		if _, ok := normalizeNumber(l.Label); p.scored && l.Label != "" && !ok {
			return fmt.Errorf("label %q of %s is no score", l.Label, l.Item)
		}
		exists := false
		for i, j := range p.judges {
			if _, ok := j.Verdicts[l.Item]; !ok {
				continue
			}
			exists = true
			labelled[i]++
			if !j.has(l) {
				changed.add(fmt.Sprintf("%s in %s", l.Item, j.Dir))
				break
			}
		}
		if !exists {
			unknown.add(l.Item)
		}
	}
	none := slices.Index(labelled, 0)
	switch n := len(p.file.Labels); {
	case n == 0:
		return errors.New("the file has no labels: to label items, gavel labels label DATASET")
	case unknown.n == n:
		return fmt.Errorf("none of the %d labels belongs to an item of these runs (%s does not): "+
			"they belong to another dataset", n, unknown.first)
	case changed.n > 0:
		return fmt.Errorf("%d labels belong to items that have changed since (%s): "+
			"label these again, or give runs on the old dataset", changed.n, changed.first)
	case none >= 0:
		return fmt.Errorf("none of the %d labels belongs to an item that %s has judged: it judges another dataset",
			n, p.judges[none].Dir)
	case unknown.n > 0:
		p.warn("labels.other-items", unknown.n, n, unknown.first)
	}
	for _, j := range p.judges {
		if j.Manifest.OrderSeed != nil {
			p.warnings = append(p.warnings, j.Dir+": "+scoring.FixedLengthWarning)
		}
	}
	if p.file.hasDisagreementSample() {
		p.warn("labels.by-disagreement")
	}
	return nil
}

// warn adds a warning: the phrase of a code with its arguments.
func (p *panel) warn(code string, args ...any) {
	p.warnings = append(p.warnings, phrases.Sentence(code, args...))
}

// clusterOf returns the cluster of an item, given by its id; the id itself if items come in no clusters.
func (p *panel) clusterOf(item string) string {
	if cluster := p.judges[0].cluster; cluster != nil {
		return cluster(item)
	}
	return item
}

// meanScores returns by item id the mean of people's scores.
func (p *panel) meanScores() map[string]string {
	scores := map[string][]float64{}
	for _, l := range p.file.Labels {
		if score, err := strconv.ParseFloat(l.Label, 64); err == nil {
			scores[l.Item] = append(scores[l.Item], score)
		}
	}
	means := map[string]string{}
	for item, list := range scores {
		means[item] = scoreText(stat.Mean(list, nil))
	}
	return means
}

// majority returns by item id the label that most people give, and the number of items on which people are evenly
// split. Split items are left out or, with SplitAsTie, count as ties.
func (p *panel) majority() (majority map[string]string, split int) {
	majority = p.file.Majority()
	asTie := p.file.SplitAsTie && p.itemsArePairs()
	for item, label := range majority {
		if label != "" {
			continue
		}
		split++
		majority[item] = Tie
		if !asTie {
			delete(majority, item)
		}
	}
	switch {
	case split > 0 && asTie:
		p.warn("labels.split-tied", split, len(majority))
	case split > 0:
		p.warn("labels.split-left-out", split, split+len(majority))
	}
	return majority, split
}
