package selfreference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Modes of results of the self-reference protocol.
const (
	ModeCoT  = "cot"  // the agent's answer is judged by reasoning alone
	ModeSelf = "self" // the judge's own answer is its reference
)

// modes of asking, in the order tables print them.
var modes = [2]string{ModeCoT, ModeSelf}

// agentPrefix begins the group of an agent's answers; the other groups are categories.
const agentPrefix = "agent: "

// AgentGroup is the group of one agent's answers.
func AgentGroup(agent string) string { return agentPrefix + agent }

// What was said of an answer.
const (
	saidCorrect int8 = iota
	saidIncorrect
	saidNothing
	notAsked
)

// Whether the judge's own answer is right.
const (
	ownRight = iota
	ownWrong
	ownUnknown // there is none
	ownKinds
)

// judgment is an agent's answer to a question, and what the judge said of it in each mode.
type judgment struct {
	item          string
	question      string
	agent         string
	group         string
	own           int8
	right         bool // the agent's answer: A
	same          int8 // the agent's answer is the judge's own
	said          [2]int8
	presentations int8 // modes that the run asks it in
}

func (j *judgment) complete() bool {
	n := int8(0)
	for _, s := range j.said {
		if s != notAsked {
			n++
		}
	}
	return n >= j.presentations
}

// judgments is the scorer of runs that judge agents' answers one by one,
// with and without the judge's own answer as reference.
type judgments struct {
	manifest *judging.Manifest
	items    scoring.Gathering[judgment]
	rows     []*judgment // set at the end: complete ones, by question, agent, item
	asked    [2]bool     // modes that are in the records
}

// NewScorer scores runs that judge agents' answers.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &judgments{manifest: m, items: scoring.Gathering[judgment]{Complete: (*judgment).complete}}
}

func (*judgments) Words() scoring.Words {
	return scoring.Words{
		Unit:     "question",
		Record:   "judgment",
		Common:   "judgment",
		Lacking:  "items have not all their judgments",
		Policies: []scoring.MissingPolicy{scoring.MissingWrong, scoring.MissingDrop},
	}
}

func (f *judgments) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	mode := slices.Index(modes[:], r.Mode)
	if mode < 0 || r.Shape != "judgment" || r.Gold != labelCorrect && r.Gold != labelIncorrect {
		return false, fmt.Errorf("a judgment of self-reference is Correct or Incorrect in mode cot or self; "+
			"this record is of another kind (shape %q, mode %q, gold %q)", r.Shape, r.Mode, r.Gold)
	}
	f.asked[mode] = true
	of := f.items.Of(r.Item, func(item string) judgment { return begun(item, r) })
	said := &of.said[mode]
	if *said != notAsked {
		return false, nil
	}
	*said = saidNothing
	if v.Outcome == judging.Decided {
		*said = int8(scoring.One(r.CandidateID(v.Choice) == labelIncorrect))
	}
	return true, nil
}

// begun returns the judgment that a record belongs to, without any outcome yet.
func begun(item string, r *judging.Record) judgment {
	return judgment{
		item:          item,
		question:      strings.Clone(r.Unit()),
		agent:         strings.Clone(r.Agent),
		group:         strings.Clone(r.Group),
		own:           ownOf(r),
		right:         r.Gold == labelCorrect,
		same:          sameAs(r),
		said:          [2]int8{notAsked, notAsked},
		presentations: int8(r.Presentations),
	}
}

func ownOf(r *judging.Record) int8 {
	switch {
	case r.Own == nil:
		return ownUnknown
	case r.Own.Right:
		return ownRight
	}
	return ownWrong
}

// Finish keeps the judgments that were made in every mode they are to be made
// in, and puts them in an order that is not that of the records.
func (f *judgments) Finish() (complete int) {
	f.rows = f.items.Gathered()
	slices.SortFunc(f.rows, func(a, b *judgment) int {
		return cmp.Or(
			strings.Compare(a.question, b.question), strings.Compare(a.agent, b.agent), strings.Compare(a.item, b.item))
	})
	return len(f.rows)
}

// Extend adds what the judge does with its own answer, and warns of what the numbers do not say by themselves.
func (f *judgments) Extend(rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap) {
	rep.Results = append(rep.Results, f.ownResults(rep, sheet, b)...)
	rep.Warnings = append(rep.Warnings, f.warnings(rep.Missing)...)
}

func (f *judgments) warnings(missing scoring.MissingPolicy) []string {
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	var lost, asked [2]int
	unknown := 0
	questions := map[string]bool{}
	mixed := map[string]bool{}
	for i, j := range f.rows {
		questions[j.question] = true
		if i > 0 && f.rows[i-1].question == j.question && f.rows[i-1].own != j.own {
			mixed[j.question] = true
		}
		for m, said := range j.said {
			asked[m] += int(scoring.One(said != notAsked))
			lost[m] += int(scoring.One(said == saidNothing))
		}
		unknown += int(scoring.One(j.own == ownUnknown))
	}
	if len(f.rows) >= scoring.FewItems && len(questions) < scoring.FewItems {
		say("few questions: %d, however many agents answered them", len(questions))
	}
	for m, n := range lost {
		if float64(n) > scoring.ManyNoVerdicts*float64(asked[m]) {
			how := "count as wrong and as not judged Correct (--scoring missing=drop leaves them out)"
			if missing == scoring.MissingDrop {
				how = "are left out: what remains may be the easier ones"
			}
			say("%d of %d judgments in mode %s have no verdict and %s", n, asked[m], modes[m], how)
		}
		if f.asked[0] && f.asked[1] && asked[m] < len(f.rows) {
			say("%d of %d judgments were not asked for in mode %s: the two modes have different answers; "+
				"the difference uses those that both have", len(f.rows)-asked[m], len(f.rows), modes[m])
		}
	}
	if unknown > 0 {
		say("%d of %d judgments have no answer of the judge's own: they are in no number that needs it", unknown, len(f.rows))
	}
	if len(mixed) > 0 {
		say("%d questions have records that disagree on whether the judge's own answer is right: "+
			"each counts as it says, and for generation accuracy the first agent's", len(mixed))
	}
	m := f.manifest
	if m.Staged != nil {
		return append(w, m.Staged.Warnings...)
	}
	for _, j := range f.rows {
		if j.agent != "" && (j.agent == m.Spec.Model.Name || j.agent == m.JudgeName) {
			say("the judge %s is one of the agents: whether its own answer is right and whether the agent's "+
				"is are then one thing, not two independent ones", j.agent)
			break
		}
	}
	return w
}
