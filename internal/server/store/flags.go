package store

import (
	"slices"

	"gavel/judging"
)

// Flags are what an item can be filtered by, from its judgments alone. Of right, wrong, unlabelled and missing exactly
// one holds: these part the items as the strict score does. The others are further tags. Judgments that were asked
// again count for changed alone.
type Flags struct {
	Right      bool // every judgment names the labelled candidate
	Wrong      bool // one does not: it names another, is a tie, or has no verdict
	Unlabelled bool // nobody can say what is right
	Missing    bool // a judgment is not in the records: the item is not scored

	Inconsistent bool // two judgments name different candidates
	Confident    bool // every judgment names a wrong candidate
	Tie          bool // a judgment is a tie
	Open         bool // a judgment without a verdict
	First, Last  bool // every judgment picks what it was shown first, or last, and that is not always the same
	Changed      bool // asked again, a judgment came to another verdict

	Same       bool // every judgment names the same candidate
	Placed     bool // every judgment names the same place, and they name different candidates
	FirstOnly  bool // the first judgment is right, and no other is
	SecondOnly bool // the second judgment is right, and no other is

	Own    Rightness    // the judge's own answer to the question
	Judged [2]Rightness // of a scored item: its judgment in each of ownModes
}

// ownModes are those that an answer is judged in: without the judge's own answer, and with it.
var ownModes = []struct{ name, words string }{
	{name: "cot", words: "by reasoning alone"},
	{name: "self", words: "with it shown"},
}

// labelled tells whether an item is scored against a label.
func (f Flags) labelled() bool { return f.Right || f.Wrong }

// Filter is a filter of items.
type Filter struct {
	Name  string // in addresses and JSON
	Words string // for people
	About string
	Is    func(Flags) bool
	Part  bool // of a bar on a run's page: a list offers it only where it is chosen
}

// Filters are the filters, in the order of the page: first the classes, then the tags.
var Filters = []Filter{
	{
		Name:  "right",
		Words: "right",
		About: "every judgment is right: what strict counts",
		Is:    func(f Flags) bool { return f.Right },
	},
	{
		Name:  "wrong",
		Words: "wrong",
		About: "a judgment is not right: a wrong verdict, a tie or none",
		Is:    func(f Flags) bool { return f.Wrong },
	},
	{
		Name:  "unlabelled",
		Words: "unlabelled",
		About: "there is no label",
		Is:    func(f Flags) bool { return f.Unlabelled },
	},
	{
		Name:  "missing",
		Words: "incomplete",
		About: "a judgment is missing: not scored",
		Is:    func(f Flags) bool { return f.Missing },
	},
	{
		Name:  "inconsistent",
		Words: "flipped",
		About: "the judgments name different candidates",
		Is:    func(f Flags) bool { return f.Inconsistent },
	},
	{
		Name:  "confident",
		Words: "wrong every time",
		About: "every judgment names a wrong candidate",
		Is:    func(f Flags) bool { return f.Confident },
	},
	{
		Name:  "tie",
		Words: "tie",
		About: "a judgment is a tie",
		Is:    func(f Flags) bool { return f.Tie },
	},
	{
		Name:  "open",
		Words: "no verdict",
		About: "a judgment has no verdict",
		Is:    func(f Flags) bool { return f.Open },
	},
	{
		Name:  "first",
		Words: "always the first",
		About: "every judgment picks what it was shown first",
		Is:    func(f Flags) bool { return f.First },
	},
	{
		Name:  "last",
		Words: "always the last",
		About: "every judgment picks what it was shown last",
		Is:    func(f Flags) bool { return f.Last },
	},
	{
		Name:  "changed",
		Words: "changed",
		About: "asked again, a judgment came to another verdict",
		Is:    func(f Flags) bool { return f.Changed },
	},
	{
		Name:  "tied",
		Words: "tie, none unread",
		About: "a judgment is a tie, and every one has a verdict; there is a label",
		Is:    func(f Flags) bool { return f.Wrong && f.Tie && !f.Open },
		Part:  true,
	},
	{
		Name:  "by-first",
		Words: "the first both times",
		About: "every judgment picks what it was shown first, and there is a label",
		Is:    func(f Flags) bool { return f.Wrong && f.First },
		Part:  true,
	},
	{
		Name:  "by-last",
		Words: "the last both times",
		About: "every judgment picks what it was shown last, and there is a label",
		Is:    func(f Flags) bool { return f.Wrong && f.Last },
		Part:  true,
	},
	{
		Name:  "unread",
		Words: "a verdict is missing",
		About: "a judgment has no verdict, and there is a label",
		Is:    func(f Flags) bool { return f.labelled() && f.Open },
		Part:  true,
	},
	{
		Name:  "steady",
		Words: "same wrong choice",
		About: "every judgment names the same candidate, and a wrong one",
		Is:    func(f Flags) bool { return f.Confident && !f.Inconsistent },
		Part:  true,
	},
	{
		Name:  "same",
		Words: "same choice",
		About: "every judgment names the same candidate",
		Is:    func(f Flags) bool { return f.Same },
		Part:  true,
	},
	{
		Name:  "placed",
		Words: "same place",
		About: "every judgment names the same place, whatever stands there",
		Is:    func(f Flags) bool { return f.Placed },
		Part:  true,
	},
	{
		Name:  "moved",
		Words: "choice changes",
		About: "every judgment has a verdict, and they name different candidates at different places",
		Is:    func(f Flags) bool { return f.Inconsistent && !f.Placed && !f.Open && !f.Missing },
		Part:  true,
	},
	{
		Name:  "second-only",
		Words: "only the second is right",
		About: "every judgment has a verdict, and only the second is right",
		Is:    func(f Flags) bool { return f.SecondOnly },
		Part:  true,
	},
	{
		Name:  "first-only",
		Words: "only the first is right",
		About: "every judgment has a verdict, and only the first is right",
		Is:    func(f Flags) bool { return f.FirstOnly },
		Part:  true,
	},
}

func rightOr(other string, right bool) string {
	if right {
		return "right"
	}
	return other
}

// Of items whose judgment in a mode is right or not, where the judge's own answer to the question is right or not.
func init() {
	for i := range 8 {
		own := i < 4
		mode := i / 2 % 2
		right := i%2 == 0
		how := ownModes[mode]
		answer := "own answer " + rightOr("wrong", own)
		Filters = append(Filters, Filter{
			Name:  "own-" + rightOr("wrong", own) + "-" + how.name + "-" + rightOr("wrong", right),
			Words: answer + ", judged " + rightOr("not right", right) + " " + how.words,
			About: "the judge's own answer is " + rightOr("wrong", own) + ", and its judgment " + how.words + " is " +
				rightOr("not right", right),
			Is: func(f Flags) bool {
				return f.Own == Rightness{Is: own, Known: true} && f.Judged[mode] == Rightness{Is: right, Known: true}
			},
			Part: true,
		})
	}
}

// FilterNamed is a filter by its name; nil where there is none.
func FilterNamed(name string) *Filter {
	if i := slices.IndexFunc(Filters, func(s Filter) bool { return s.Name == name }); i >= 0 {
		return &Filters[i]
	}
	return nil
}

// Names of what holds for an item, without the parts of a bar.
func (f Flags) Names() []string {
	names := []string{}
	for _, s := range Filters {
		if s.Is(f) && !s.Part {
			names = append(names, s.Name)
		}
	}
	return names
}

// changes reports whether a repeated judgment has another verdict than the first one of its presentation.
func (g Judgment) changes(first Judgment) bool {
	return first.Repetition == 0 && first.Presentation == g.Presentation &&
		(first.Outcome != g.Outcome || first.Choice != g.Choice)
}

// Flags of an item. Where the worse of two responses is asked for, the one picked is not the choice.
func (x *Index) Flags(item int) Flags {
	var f Flags
	all := x.Judgments(item)
	judgments := 0
	decided := 0
	shown := 0
	choice := -1
	firsts := 0
	lasts := 0
	place := -1
	places := 0
	rights := 0
	wrongs := 0
	right := [2]bool{}
	for _, g := range all {
		shown = max(shown, g.presentations)
		if g.Repetition > 0 {
			f.Changed = f.Changed || slices.ContainsFunc(all, g.changes)
			continue
		}
		judgments++
		f.Own = g.Own
		for mode, how := range ownModes {
			if g.Mode == how.name {
				f.Judged[mode] = Rightness{Is: g.Right.Is, Known: true}
			}
		}
		f.Unlabelled = f.Unlabelled || !g.Right.Known
		if g.decided() {
			decided++
		} else if g.Outcome == judging.Tie {
			f.Tie = true
		} else {
			f.Open = true
		}
		if g.Right.Is { // a tie can be
			rights++
			if g.Presentation < len(right) {
				right[g.Presentation] = true
			}
		} else if g.Right.Known && g.decided() {
			wrongs++
		}
		if g.Choice < 0 {
			continue
		}
		f.Inconsistent = f.Inconsistent || choice >= 0 && choice != g.Choice
		choice = g.Choice
		if g.Position != place {
			place = g.Position
			places++
		}
		if g.Position == 0 {
			firsts++
		}
		if g.Position >= 0 && g.Position == g.positions-1 {
			lasts++
		}
	}
	several := judgments > 1 && decided == judgments
	f.Missing = judgments < shown || judgments == 0
	f.Unlabelled = f.Unlabelled && !f.Missing
	scored := !f.Missing && !f.Unlabelled
	if !scored {
		f.Judged = [2]Rightness{}
	}
	f.Right = scored && rights == judgments
	f.Wrong = scored && rights < judgments
	f.Confident = f.Wrong && wrongs == judgments
	if x.Manifest.Spec.Goal == judging.GoalWorse {
		firsts, lasts = lasts, firsts
	}
	f.First = several && f.Inconsistent && firsts == judgments
	f.Last = several && f.Inconsistent && lasts == judgments
	f.Same = several && !f.Missing && !f.Inconsistent
	f.Placed = several && !f.Missing && f.Inconsistent && places == 1
	f.FirstOnly = several && scored && rights == 1 && right[0]
	f.SecondOnly = several && scored && rights == 1 && right[1]
	return f
}
