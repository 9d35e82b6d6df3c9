package store

import (
	_ "embed"
	"slices"

	"go.yaml.in/yaml/v3"

	"gavel/judging"
)

// A Filter selects items by how they were judged, such as those with a tie. Lists of items offer filters.
type Filter struct {
	Name  string // key in addresses and JSON, such as "tie"
	Words string // label on pages
	About string // sentence that says which items match
	Part  bool   // selects the items of a part of a bar on a run's page; lists offer it only while it is chosen
}

//go:embed filters.yaml
var filtersYAML []byte

// Filters lists the filters in filters.yaml.
var Filters = func() (all []Filter) {
	if err := yaml.Unmarshal(filtersYAML, &all); err != nil {
		panic(err) // the file is part of the program
	}
	return all
}()

// word returns "right" or "wrong", as names of filters have it.
func (r Rightness) word() string {
	if r.Correct {
		return "right"
	}
	return "wrong"
}

// FindFilter returns the filter with this name; nil if there is none.
func FindFilter(name string) *Filter {
	for i, f := range Filters {
		if f.Name == name {
			return &Filters[i]
		}
	}
	return nil
}

// ItemFlags names the filters that match an item, in the order of [Filters]. Exactly one of right, wrong, unlabelled
// and missing matches: they divide the items as the score "correct in both orders" does. If judgments were repeated,
// only changed takes the later repetitions into account.
type ItemFlags []string

// Has reports whether the filter with this name matches the item.
func (f ItemFlags) Has(name string) bool { return slices.Contains(f, name) }

// Names returns the names of the filters that match the item, without filters for parts of a bar.
func (f ItemFlags) Names() []string {
	return slices.DeleteFunc(append([]string{}, f...), func(name string) bool { return FindFilter(name).Part })
}

// differsFrom reports whether the repetition g has another verdict than first, the first judgment of its presentation.
func (g IndexedJudgment) differsFrom(first IndexedJudgment) bool {
	return first.Repetition == 0 && first.Presentation == g.Presentation &&
		(first.Outcome != g.Outcome || first.Choice != g.Choice || first.score != g.score)
}

// Flags returns the flags of the item with this number. Under the goal worse the judge names the worse response and so
// chooses the other, which swaps the flags first and last.
func (x *Index) Flags(item int) (f ItemFlags) {
	all := x.Judgments(item)
	var once []IndexedJudgment
	presentations := 0
	changed := false
	choices := map[int]bool{}
	places := map[int]bool{}
	for _, g := range all {
		presentations = max(presentations, g.presentations)
		if g.Repetition > 0 {
			changed = changed || slices.ContainsFunc(all, g.differsFrom)
			continue
		}
		once = append(once, g)
	}
	missing := len(once) == 0 || len(once) < presentations
	labelled := slices.DeleteFunc(slices.Clone(once), func(g IndexedJudgment) bool { return !g.Right.Known })
	if len(labelled) > 0 {
		once = labelled // without controls, such as a pair of identical responses
	}
	for _, g := range once {
		if g.Choice >= 0 {
			choices[g.Choice] = true
			places[g.ChosenPosition] = true // -1 if the candidates are verdicts
		}
	}
	some := func(test func(IndexedJudgment) bool) bool { return slices.ContainsFunc(once, test) }
	every := func(test func(IndexedJudgment) bool) bool {
		return !some(func(g IndexedJudgment) bool { return !test(g) })
	}
	isFirst := func(g IndexedJudgment) bool { return g.Choice >= 0 && g.ChosenPosition == 0 }
	isLast := func(g IndexedJudgment) bool {
		return g.Choice >= 0 && g.ChosenPosition >= 0 && g.ChosenPosition == g.candidateCount-1
	}
	if x.Manifest.Spec.Goal == judging.GoalWorse {
		isFirst, isLast = isLast, isFirst
	}
	onlyRight := func(presentation int) bool {
		return every(func(g IndexedJudgment) bool { return g.Right.Correct == (g.Presentation == presentation) })
	}
	unlabelled := !missing && some(func(g IndexedJudgment) bool { return !g.Right.Known })
	scored := !missing && !unlabelled
	right := scored && every(func(g IndexedJudgment) bool { return g.Right.Correct }) // a tie may be right
	wrong := scored && !right
	confident := wrong && every(func(g IndexedJudgment) bool { return g.namesCandidate() && !g.Right.Correct })
	inconsistent := len(choices) > 1
	tie := some(func(g IndexedJudgment) bool { return g.Outcome == judging.Tie })
	open := some(func(g IndexedJudgment) bool { return !g.namesCandidate() && g.Outcome != judging.Tie })
	several := len(once) > 1 && every(IndexedJudgment.namesCandidate)
	first := several && inconsistent && every(isFirst)
	last := several && inconsistent && every(isLast)
	samePosition := several && !missing && inconsistent && len(places) == 1 && !places[-1]
	holds := map[string]bool{
		"right":        right,
		"wrong":        wrong,
		"unlabelled":   unlabelled,
		"missing":      missing,
		"inconsistent": inconsistent,
		"confident":    confident,
		"tie":          tie,
		"open":         open,
		"first":        first,
		"last":         last,
		"changed":      changed,
		"tied":         wrong && tie && !open,
		"by-first":     wrong && first,
		"by-last":      wrong && last,
		"unread":       scored && open,
		"steady":       confident && !inconsistent,
		"same":         several && !missing && !inconsistent,
		"placed":       samePosition,
		"moved":        inconsistent && !samePosition && !open && !missing,
		"second-only":  several && scored && onlyRight(1),
		"first-only":   several && scored && onlyRight(0),
	}
	for _, g := range once {
		if scored && g.OwnAnswer.Known { // there is no filter for some modes
			holds["own-"+g.OwnAnswer.word()+"-"+g.Mode+"-"+g.Right.word()] = true
		}
	}
	for _, filter := range Filters {
		if holds[filter.Name] {
			f = append(f, filter.Name)
		}
	}
	return f
}
