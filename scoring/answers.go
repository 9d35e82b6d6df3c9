package scoring

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Metrics of the answer protocol, beside [GenerationAccuracy].
const (
	NoAnswer = "no-answer" // share of questions whose reply has no answer that can be read
	Chance   = "chance"    // what guessing among the options would come to
	// RuleCount begins the metrics that count which rule found the answers.
	RuleCount = "rule:"
)

// answer is what a model's reply to a question came to.
type answer struct {
	item    uint32 // in the run's list of ids
	group   uint32
	right   bool
	read    bool   // an answer was read from the reply
	rule    uint32 // which rule found it
	options int    // of a choice: how many there were, else 0
	gold    string
}

// answers is the family of runs in which a model answers questions itself.
type answers struct {
	items, groups, rules judging.IDs
	rows                 []answer // in the end by item
}

func newAnswers(*judging.Manifest) Scorer { return new(answers) }

func (f *answers) unit() string     { return "question" }
func (f *answers) headline() string { return GenerationAccuracy }

func (f *answers) add(r *judging.Record, v judging.Verdict, _ judging.Asker) (bool, error) {
	switch r.Shape {
	case "choice", "number", "preference":
	case "open": // of a pair: nobody says what is right
	default:
		return false, fmt.Errorf("an answer is to a choice, a number or a preference; this record is of another kind (shape %q)", r.Shape)
	}
	a := answer{
		group: number(&f.groups, r.Group), gold: strings.Clone(r.Gold),
		read: v.Outcome == judging.Decided, right: judging.RightVerdict(r, v), rule: number(&f.rules, v.Rule),
	}
	if r.Shape == "choice" {
		a.options = len(r.Order)
	}
	item, added := f.items.Add(r.Item)
	if a.item = uint32(item); added {
		f.rows = append(f.rows, a)
	}
	return added, nil
}

func (f *answers) finish() (complete, partial int) {
	slices.SortFunc(f.rows, func(a, b answer) int { return strings.Compare(f.id(a), f.id(b)) })
	return len(f.rows), 0
}

func (f *answers) id(a answer) string { return f.items.At(int(a.item)) }

// Columns of a question.
const (
	answerRight = iota
	answerLabelled
	answerUnread
	answerAll
	answerWidth
)

func (f *answers) score(rep *Report, b stats.Bootstrap) {
	groups := f.groupNames(f.rows)
	byGroup := make([][]Result, len(groups))
	var todo errgroup.Group
	todo.SetLimit(runtime.GOMAXPROCS(0))
	for i, g := range groups {
		todo.Go(func() error { byGroup[i] = f.scoreGroup(g, b); return nil })
	}
	todo.Wait()
	for _, results := range byGroup {
		rep.Results = append(rep.Results, results...)
	}
	rep.Results = append(rep.Results, f.ruleCounts()...)
	unlabelled := 0
	for _, a := range f.rows {
		unlabelled += int(share(a.gold == ""))
	}
	if unlabelled > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d of %d questions have no label: nobody can say which answer is right, and they are not in the accuracy", unlabelled, len(f.rows)))
	}
}

// answerShares are of questions that have a label, and of all.
var answerShares = []ratio{
	{GenerationAccuracy, "wrong", "there is no answer to a question with a label", answerRight, answerLabelled},
	{NoAnswer, "what is counted", "there is no answer", answerUnread, answerAll},
}

// groupNames lists Overall and, where there are several, the groups of the rows.
func (f *answers) groupNames(rows []answer) []string {
	seen := make([]bool, f.groups.Len())
	var names []string
	for _, a := range rows {
		if !seen[a.group] {
			seen[a.group] = true
			names = append(names, strings.Clone(f.groups.At(int(a.group))))
		}
	}
	if len(names) < 2 {
		names = nil
	}
	slices.SortFunc(names, judging.GroupOrder)
	return append([]string{Overall}, names...)
}

// in tells whether an answer is of a group.
func (f *answers) in(group string) func(answer) bool {
	n, ok := f.groups.Find(group)
	return func(a answer) bool { return group == Overall || ok && a.group == uint32(n) }
}

func (f *answers) scoreGroup(group string, b stats.Bootstrap) []Result {
	c, in := newClusters(answerWidth), f.in(group)
	options, chance := 0, 0.0
	for _, a := range f.rows {
		if !in(a) {
			continue
		}
		c.filled[answerRight], c.filled[answerLabelled] = share(a.right), share(a.gold != "")
		c.filled[answerUnread], c.filled[answerAll] = share(!a.read), 1
		c.add()
		if a.options > 0 {
			options++
			chance += 1 / float64(a.options)
		}
	}
	results := c.ratios(group, answerShares, b)
	if options > 0 {
		results = append(results, Result{Metric: Chance, Group: group, N: options, Value: percent(chance / float64(options)), Missing: "counts: it is not about the replies",
			Note: "interval: none, it is known: the mean of 1/options"})
	}
	return results
}

// ruleCounts says how often each rule found the answer.
func (f *answers) ruleCounts() []Result {
	often, read := map[string]int{}, 0
	for _, a := range f.rows {
		if a.read {
			read++
			often[strings.Clone(f.rules.At(int(a.rule)))]++
		}
	}
	var names []string
	for name := range often {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var results []Result
	for _, name := range names {
		n := float64(often[name])
		results = append(results, Result{Metric: RuleCount + name, Group: Overall, Unit: UnitCount, N: read, Value: &n, Missing: "answer left out"})
	}
	return results
}
