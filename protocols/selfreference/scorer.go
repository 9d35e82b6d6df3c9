package selfreference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Modes in which a judge is asked about an answer, and modes of results.
const (
	ModeCoT  = "cot"  // the judge reasons alone
	ModeSelf = "self" // with a reference, the judge's own answer unless [referenceOption] selects another
)

// Kinds of reference in mode self.
const (
	ReferenceOwn   = "own"   // the judge's own whole reply
	ReferenceGold  = "gold"  // the right answer, by the dataset
	ReferenceWrong = "wrong" // a wrong answer
	ReferenceNone  = "none"  // the prompts are those of mode cot
	ReferenceRun   = "run"   // the whole reply of another model
)

// modes lists the modes in the order in which tables print them.
var modes = [2]string{ModeCoT, ModeSelf}

// agentPrefix starts the names of groups that hold one agent's answers. Other groups are categories of questions.
const agentPrefix = "agent: "

// AgentGroup returns the name of the group of one agent's answers.
func AgentGroup(agent string) string { return agentPrefix + agent }

// Values of judgment.verdicts: the judge's verdict on an answer in one mode.
const (
	calledCorrect int8 = iota
	calledIncorrect
	noVerdict
	notAsked // the run has no record in the mode
)

// Values of judgment.ownAnswer: whether the judge's own answer to the question is right.
const (
	ownRight = iota
	ownWrong
	ownUnknown         // the judge has no answer
	ownAnswerKindCount // number of these values
)

// judgment holds an agent's answer to a question and the judge's verdicts on it in both modes.
type judgment struct {
	item          string  // id of the judged answer
	question      string  // id of the question
	agent         string  // model that gave the answer
	group         string  // category of the question
	ownAnswer     int8    // whether the judge's own answer is right: ownRight, ownWrong, ownUnknown
	answerIsRight bool    // the agent's answer is right
	sameAsOwn     int8    // the agent's answer beside the judge's: sameUnknown, sameAnswer, otherAnswer
	verdicts      [2]int8 // in the order of modes: calledCorrect, …
	ownConfidence float64 // of the own answer; 0 if unknown
	modeCount     int8    // number of modes in which the run asks it
}

// complete reports whether the judgment has records in all modes in which the run asks it.
func (j *judgment) complete() bool {
	n := int8(0)
	for _, verdict := range j.verdicts {
		if verdict != notAsked {
			n++
		}
	}
	return n >= j.modeCount
}

// selfReferenceScorer scores runs that judge agents' answers one by one, with and without the judge's own as reference.
type selfReferenceScorer struct {
	manifest *judging.Manifest
	items    scoring.Collector[judgment]
	rows     []*judgment // judgments with records in all modes, sorted; set by Finish
	hasMode  [2]bool     // by mode: some record has it
}

// NewScorer returns a scorer of runs that judge agents' answers.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &selfReferenceScorer{manifest: m, items: scoring.Collector[judgment]{Complete: (*judgment).complete}}
}

func (*selfReferenceScorer) Terms() scoring.ScorerTerms {
	return scoring.ScorerTerms{
		Unit:                  "question",
		Record:                "judgment",
		ComparisonUnit:        "judgment",
		IncompleteItemsPhrase: "items lack a judgment",
		Policies:              []scoring.MissingPolicy{scoring.MissingWrong, scoring.MissingDrop},
	}
}

func (f *selfReferenceScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	mode := slices.Index(modes[:], r.Mode)
	if mode < 0 || r.Shape != "judgment" || r.Gold != labelCorrect && r.Gold != labelIncorrect {
		return false, fmt.Errorf("a judgment of self-reference is Correct or Incorrect in mode cot or self; "+
			"this record is of another kind (shape %q, mode %q, gold %q)", r.Shape, r.Mode, r.Gold)
	}
	f.hasMode[mode] = true
	j := f.items.Get(r.Item, func(item string) judgment { return newJudgment(item, r) })
	verdict := &j.verdicts[mode]
	if *verdict != notAsked {
		return false, nil
	}
	*verdict = noVerdict
	if v.Outcome == judging.Decided {
		*verdict = int8(scoring.Indicator(r.CandidateID(v.Choice) == labelIncorrect))
	}
	return true, nil
}

// newJudgment returns the judgment of the answer that a record is about, without verdicts.
func newJudgment(item string, r *judging.Record) judgment {
	j := judgment{
		item:          item,
		question:      strings.Clone(r.ResamplingUnit()),
		agent:         strings.Clone(r.Agent),
		group:         strings.Clone(r.Group),
		ownAnswer:     ownAnswerRightness(r),
		answerIsRight: r.Gold == labelCorrect,
		sameAsOwn:     equalsOwnAnswer(r),
		verdicts:      [2]int8{notAsked, notAsked},
		modeCount:     int8(r.Presentations),
	}
	if r.Own != nil {
		j.ownConfidence = r.Own.Confidence
	}
	return j
}

// ownAnswerRightness returns whether a record says that the judge's own answer is right.
func ownAnswerRightness(r *judging.Record) int8 {
	switch {
	case r.Own == nil:
		return ownUnknown
	case r.Own.Right:
		return ownRight
	}
	return ownWrong
}

// Finish keeps the judgments with records in all modes, sorts them, so that the order of records does not matter,
// and returns their number.
func (f *selfReferenceScorer) Finish() (complete int) {
	f.rows = f.items.CompleteUnits()
	slices.SortFunc(f.rows, func(a, b *judgment) int {
		return cmp.Or(
			strings.Compare(a.question, b.question), strings.Compare(a.agent, b.agent), strings.Compare(a.item, b.item))
	})
	return len(f.rows)
}

// ExtendReport adds to the report the metrics of the judge's own answer, and warnings.
func (f *selfReferenceScorer) ExtendReport(rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap) {
	gate := f.gate(rep, sheet, b)
	rep.Results = slices.Concat(rep.Results, f.ownResults(rep, sheet, b), f.misledResults(rep, sheet, b), gate)
	rep.Warnings = append(rep.Warnings, f.warnings(rep.Missing)...)
	if gate == nil && strings.Contains(rep.Settings, "gate true") {
		rep.Warnings = append(rep.Warnings, phrases.Sentence("self.no-confidence"))
	}
}

// ExtendComparison makes the mode with a reference the headline of two runs that differ in the reference.
func (f *selfReferenceScorer) ExtendComparison(
	c *scoring.Comparison, other scoring.Scorer, _ []scoring.SharedUnit, _ stats.Bootstrap,
) {
	differs := referenceSetting(c.A.Settings) != referenceSetting(c.B.Settings)
	if differs && f.hasMode[1] && other.(*selfReferenceScorer).hasMode[1] {
		c.HeadlineMode = ModeSelf
	}
}

func (f *selfReferenceScorer) warnings(missing scoring.MissingPolicy) []string {
	var w scoring.Cautions
	var missingVerdicts, total [2]int
	unknown := 0
	questions := map[string]bool{}
	mixed := map[string]bool{}
	for i, j := range f.rows {
		questions[j.question] = true
		if i > 0 && f.rows[i-1].question == j.question && f.rows[i-1].ownAnswer != j.ownAnswer {
			mixed[j.question] = true
		}
		for m, verdict := range j.verdicts {
			if verdict != notAsked {
				total[m]++
			}
			if verdict == noVerdict {
				missingVerdicts[m]++
			}
		}
		if j.ownAnswer == ownUnknown {
			unknown++
		}
	}
	if len(f.rows) >= scoring.FewItems && len(questions) < scoring.FewItems {
		w.Add("self.few-questions", len(questions))
	}
	for m, n := range missingVerdicts {
		if float64(n) > scoring.NoVerdictWarningShare*float64(total[m]) {
			code := "self.missing-wrong"
			if missing == scoring.MissingDrop {
				code = "self.missing-dropped"
			}
			w.Add(code, n, total[m], modes[m])
		}
		if f.hasMode[0] && f.hasMode[1] && total[m] < len(f.rows) {
			w.Add("self.modes-differ", len(f.rows)-total[m], len(f.rows), modes[m])
		}
	}
	w.AddCount("self.no-own-answer", unknown, len(f.rows))
	w.AddCount("self.mixed", len(mixed))
	m := f.manifest
	if m.StageCounts != nil {
		return append(w, m.StageCounts.Warnings...)
	}
	for _, j := range f.rows {
		if j.agent != "" && (j.agent == m.Spec.Model.Name || j.agent == m.JudgeName) {
			w.Add("self.judge-is-agent", j.agent)
			break
		}
	}
	return w
}
