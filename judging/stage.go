package judging

import (
	"errors"
	"fmt"

	"gavel/backends"
	"gavel/datasets"
)

// A protocol with stages makes several runs, each of which reads the records of the one before:
//
//	questions → run answer (the judge)  ─┐
//	questions → run answer (each agent) ─┴→ Stage → judgments → run self-reference
//
// A stage is an ordinary run with a folder, records and scores. A pure function, here [Stage], makes dataset lines of
// the later run from the records of the earlier ones. From there on everything is as usual: prompts, parsers and scores
// do not depend on where an item comes from. How to write the next one:
// docs/decisions/0005-how-a-protocol-with-stages-is-written.md.

// Stage makes the items of a protocol from earlier answers of models: of the judge itself and, if it judges them, of
// agents.
type Stage struct {
	JudgesAgents    bool   // the new items are answers to judge; the models that gave them are called agents
	JudgesOptions   bool   // the options of a question are judged like agents' answers
	HidesOwnAnswers bool   // no mode of the protocol shows the judge its own answers
	Reference       string // folder of the run whose answers are shown in place of the judge's own; "" for none
	// prompts of protocol answer by which the judge answers, a run for each; nil: the first
	AnswerPrompts []string
	// settings of the judging run if Reference is given: in them its content counts, not its folder
	JudgingSettings Settings
	ItemFormat      string // format of the new items' lines; "": that of the questions' file
	Presentations   int    // number of presentations of each new item
	// CheckQuestion returns an error that says why an item cannot be a question of the stage; may be nil.
	CheckQuestion func(item datasets.Item) error
	// MakeItems makes the lines of new items of the questions in rows, and passes each line to write: in the order of the
	// questions, then of the agents. The same questions and answers give the same bytes, so that a run over them can
	// continue. A line, without its newline, is valid until write returns.
	MakeItems func(
		questions *datasets.Set, rows []int, ownAnswers *ModelAnswers, agents []*ModelAnswers, write func(line []byte) error,
	) (StageResult, error)
}

// MetricsPromptName names the prompt of protocol answer for the judge's own metrics of a good response, and the prompt
// of pointwise that shows them.
const MetricsPromptName = "llmbar-metrics"

// StageResult counts the questions that a stage used and left out.
type StageResult interface {
	Warned() []string          // warnings for readers of the results, a sentence each
	AddToManifest(m *Manifest) // adds the counts to m, the manifest of the run on the new items
}

// StageCounts counts the questions from whose answers a stage made items, and those left out.
type StageCounts struct {
	Questions int `json:"questions"` // number of requested questions
	NoGold    int `json:"no_gold"`   // number of questions left out because they have no label
	// number of questions left out because the judge has no answer of its own, by reason: `missing` (no record),
	// `failed`, `no-text` (refused, empty or too long a prompt), `other-question`
	NoOwn    map[NoAnswerReason]int `json:"no_own"`
	Agents   []AgentAnswerCounts    `json:"agents"`   // counts of each agent whose answers were judged
	Warnings []string               `json:"warnings"` // the counts that a reader should know, as sentences
}

// AgentAnswerCounts counts one agent's answers to the questions that the judge answered.
type AgentAnswerCounts struct {
	Name           string                 `json:"name"`     // name of the agent
	Run            string                 `json:"run"`      // folder of the agent's run
	Judged         int                    `json:"judged"`   // number of answers judged
	RightCount     int                    `json:"right"`    // number of the answers judged that are correct
	OmittedAnswers map[NoAnswerReason]int `json:"left_out"` // number of answers left out, by the reasons of `no_own`
	// number of answers judged whose question has another label in the agent's run; this dataset's label counts
	OtherGold int  `json:"other_gold"`
	IsJudge   bool `json:"itself,omitempty"` // the agent is the judge
}

// SetWarnings sets Warnings to a sentence for each count of left-out questions and answers, and for each agent whose
// labels differ or who is the judge.
func (s *StageCounts) SetWarnings() {
	s.Warnings = []string{}
	warn := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if s.NoGold > 0 {
		warn("left out %d of %d questions: no label says what is right", s.NoGold, s.Questions)
	}
	for _, lack := range NoAnswerReasons {
		if n := s.NoOwn[lack]; n > 0 {
			warn("left out %d of %d questions, to which the judge has no answer of its own: %s",
				n, s.Questions, noAnswerReasonTexts[lack])
		}
	}
	for _, a := range s.Agents {
		for _, lack := range NoAnswerReasons {
			if n := a.OmittedAnswers[lack]; n > 0 {
				warn("%s: left out %d of %d questions: %s", a.Name, n, s.Questions, noAnswerReasonTexts[lack])
			}
		}
		if a.OtherGold > 0 {
			warn("%s: its run has another label for %d of %d questions; its answers are held to this dataset's",
				a.Name, a.OtherGold, s.Questions)
		}
		if a.IsJudge {
			warn("%s is judged by itself: its answers and the judge's own are not independent, "+
				"and correlations with the agent's correctness say little", a.Name)
		}
	}
}

// Add adds the counts of o, which are of other questions. The agents of both must be the same.
func (s *StageCounts) Add(o *StageCounts) error {
	s.Questions += o.Questions
	s.NoGold += o.NoGold
	s.NoOwn = backends.SumCounts(s.NoOwn, o.NoOwn)
	if len(s.Agents) != len(o.Agents) {
		return errors.New("their agents are not the same")
	}
	for i, b := range o.Agents {
		a := &s.Agents[i]
		if a.Name != b.Name || a.IsJudge != b.IsJudge {
			return fmt.Errorf("their agents are not the same (%s and %s)", a.Name, b.Name)
		}
		a.Judged += b.Judged
		a.RightCount += b.RightCount
		a.OtherGold += b.OtherGold
		a.OmittedAnswers = backends.SumCounts(a.OmittedAnswers, b.OmittedAnswers)
	}
	s.SetWarnings()
	return nil
}

// Warned returns the sentences of Warnings.
func (s *StageCounts) Warned() []string { return s.Warnings }

// AddToManifest sets m.Staged to the counts.
func (s *StageCounts) AddToManifest(m *Manifest) { m.StageCounts = s }

// ReferenceCounts counts the pairs that are judged with the judge's own answer as reference, and those left out.
type ReferenceCounts struct {
	Pairs    int                    `json:"pairs"`    // number of requested pairs
	NoOwn    map[NoAnswerReason]int `json:"no_own"`   // pairs left out since the judge has no answer of its own, by reason
	Right    int                    `json:"right"`    // pairs to whose question the judge's own answer is correct
	Wrong    int                    `json:"wrong"`    // pairs to whose question the judge's own answer is wrong
	Unknown  int                    `json:"unknown"`  // pairs where the correctness of the judge's own answer is unknown
	Warnings []string               `json:"warnings"` // the counts that a reader should know, as sentences
}

// Judged returns the number of pairs that the run asks about: those to whose question the judge has an own answer.
func (r *ReferenceCounts) Judged() int { return r.Right + r.Wrong + r.Unknown }

// SetWarnings sets Warnings to a sentence for each reason why pairs were left out, and for the unknown ones.
func (r *ReferenceCounts) SetWarnings() {
	r.Warnings = []string{}
	for _, lack := range NoAnswerReasons {
		if n := r.NoOwn[lack]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("left out %d of %d pairs, "+
				"to whose question the judge has no answer of its own: %s", n, r.Pairs, noAnswerReasonTexts[lack]))
		}
	}
	if r.Unknown > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("for %d of %d pairs it is unknown whether the judge's own answer is right: "+
				"no final answer could be read, or compared with those of the responses", r.Unknown, r.Judged()))
	}
}

// Add adds the counts of o, which are of other pairs.
func (r *ReferenceCounts) Add(o *ReferenceCounts) {
	r.Pairs += o.Pairs
	r.Right += o.Right
	r.Wrong += o.Wrong
	r.Unknown += o.Unknown
	r.NoOwn = backends.SumCounts(r.NoOwn, o.NoOwn)
	r.SetWarnings()
}

// Warned returns the sentences of Warnings.
func (r *ReferenceCounts) Warned() []string { return r.Warnings }

// AddToManifest sets m.Referenced to the counts.
func (r *ReferenceCounts) AddToManifest(m *Manifest) { m.ReferenceCounts = r }
