package labels

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// mostCategories is up to how many there is more than raw agreement: beyond, they are answers in words or numbers.
const mostCategories = 26

// mostPeople is up to how many of them every two are compared.
const mostPeople = 12

// rater is a person or a judge.
type rater struct {
	name   string
	judge  *Judge            // nil for a person
	labels map[string]string // by item
}

// panel holds all raters of a dataset.
type panel struct {
	file       *File
	judges     []*Judge
	raters     []rater // judges, then people
	people     []rater
	categories []string
	b          stats.Bootstrap
	warnings   []string
}

// newPanel returns the panel of some runs and of the people of a file; without one, of the dataset's labels. some
// passes runs over that judge other things, or no item with a label; ErrNone where none is left.
func newPanel(dirs []string, file *File, how judging.Reading, b stats.Bootstrap, some bool) (*panel, error) {
	p := &panel{file: file, b: b}
	for _, dir := range dirs {
		j, err := ReadJudge(dir, how)
		if some && (errors.Is(err, ErrAgents) || err == nil && !j.hasAny(file)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.judges = append(p.judges, j)
		p.raters = append(p.raters, rater{name: j.Dir, judge: j, labels: j.Of})
	}
	if len(p.judges) == 0 {
		return nil, ErrNone
	}
	for _, j := range p.judges[1:] {
		for _, item := range slices.Sorted(maps.Keys(j.Gold)) {
			if was, both := p.judges[0].Gold[item]; both && was != j.Gold[item] {
				return nil, fmt.Errorf("%s and %s disagree on what is right of %s: they are of different datasets",
					p.judges[0].Dir, j.Dir, item)
			}
		}
	}
	if file == nil {
		p.file = p.judges[0].goldFile()
	} else {
		p.file = p.judges[0].spellAll(file)
	}
	if err := p.fit(); err != nil {
		return nil, err
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
	p.people = p.raters[len(p.judges):]
	p.categories = []string{"A", Tie, "B"}
	if !p.ofPairs() {
		found := map[string]bool{}
		for _, r := range p.raters {
			for _, label := range r.labels {
				found[label] = true
			}
		}
		delete(found, "")
		p.categories = slices.Sorted(maps.Keys(found))
	}
	return p, nil
}

func (p *panel) ofPairs() bool { return p.judges[0].shape.Two }

// goldFile returns the labels of the dataset as one person's.
func (j *Judge) goldFile() *File {
	f := &File{Path: "labels of the dataset"}
	for _, item := range slices.Sorted(maps.Keys(j.Gold)) {
		if gold := j.Gold[item]; gold != "" {
			f.Labels = append(f.Labels, Label{Item: item, Labeller: "dataset", Label: gold})
		}
	}
	return f
}

// spellAll returns a file with its labels as spell has them.
func (j *Judge) spellAll(file *File) *File {
	own := *file
	own.Labels = slices.Clone(file.Labels)
	own.Again = slices.Clone(file.Again)
	for _, list := range [][]Label{own.Labels, own.Again} {
		for i := range list {
			list[i].Label = j.spell(list[i].Label)
		}
	}
	return &own
}

// fit warns of labels of items that the judges do not have; none of theirs, and items that were changed, are errors.
func (p *panel) fit() error {
	var unknown, changed stray
	labelled := make([]int, len(p.judges)) // items of each judge
	for _, l := range p.file.Labels {
		if p.ofPairs() && l.Label != "" && !slices.Contains(pairLabels[:], l.Label) {
			return fmt.Errorf("%s: label %q of %s: the label of a pair is A, B or tie", p.file.Path, l.Label, l.Item)
		}
		known := false
		for i, j := range p.judges {
			if _, is := j.Of[l.Item]; !is {
				continue
			}
			known = true
			labelled[i]++
			if !j.has(l) {
				changed.add(fmt.Sprintf("%s in %s", l.Item, j.Dir))
				break
			}
		}
		if !known {
			unknown.add(l.Item)
		}
	}
	none := slices.Index(labelled, 0)
	switch n := len(p.file.Labels); {
	case n == 0:
		return fmt.Errorf("%s: there are no labels", p.file.Path)
	case unknown.n == n:
		return fmt.Errorf("%s: none of the %d labels is of an item of these runs (%s is not): "+
			"they are of another dataset", p.file.Path, n, unknown.first)
	case changed.n > 0:
		return fmt.Errorf("%s: %d labels are of items that were changed since (%s): "+
			"label these again, or give runs on the dataset as it was", p.file.Path, changed.n, changed.first)
	case none >= 0:
		return fmt.Errorf("%s: none of the %d labels is of an item that %s has judged: it is of another dataset",
			p.file.Path, n, p.judges[none].Dir)
	case unknown.n > 0:
		p.say("%d of %d labels are of items that these runs do not have, or not with all judgments, such as %s",
			unknown.n, n, unknown.first)
	}
	for _, j := range p.judges {
		if j.Manifest.DrawnBy != nil {
			p.say("%s: %s", j.Dir, scoring.LookedAt)
		}
	}
	if p.file.byDisagreement() {
		p.say("some items were chosen by disagreement: agreement on them is probably lower than on all items")
	}
	return nil
}

func (p *panel) say(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// cluster returns the cluster of an item, which is its own id where it is by itself.
func (p *panel) cluster(item string) string {
	if cluster := p.judges[0].cluster; cluster != nil {
		return cluster(item)
	}
	return item
}

// majority returns what most people say of each item, and on how many they are evenly split. These are left out, or
// count as ties.
func (p *panel) majority() (majority map[string]string, split int) {
	majority = p.file.Majority()
	asTie := p.file.SplitAsTie && p.ofPairs()
	for item, said := range majority {
		if said != "" {
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
		p.say("on %d of %d items people are evenly split: they count as ties", split, len(majority))
	case split > 0:
		p.say("%d of %d items are left out, on which people are evenly split", split, split+len(majority))
	}
	return majority, split
}
