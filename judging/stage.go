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
	Agents        bool   // agents' answers are judged
	Options       bool   // the options of a question are judged like agents' answers
	Ownless       bool   // no mode of the protocol shows the judge its own answers
	Format        string // of the lines; "": that of the questions
	Presentations int    // of each new item
	// Check returns an error that says why an item cannot be a question of the stage; may be nil.
	Check func(item datasets.Item) error
	// Each makes the lines of new items, in the order of the questions, then of the agents. The same questions and
	// answers give the same bytes, so that a run over them can continue. A line, without its newline, is valid until
	// write returns.
	Each func(
		questions *datasets.Set, rows []int, ownAnswers *Answers, agents []*Answers, write func(line []byte) error,
	) (StageResult, error)
}

// StageResult counts the questions that a stage used and left out.
type StageResult interface {
	Warned() []string // sentences for readers of the results
	Note(m *Manifest) // adds the counts to the manifest of the run on the new items
}

// StageCounts counts the questions of a stage.
type StageCounts struct {
	Questions int `json:"questions"` // all requested questions
	NoGold    int `json:"no_gold"`   // left out: they have no label
	// left out because the judge has no answer of its own, by reason: `missing` (no record), `failed`, `no-text`
	// (refused, empty or too long a prompt), `other-question`
	NoOwn    map[Lack]int  `json:"no_own"`
	Agents   []StagedAgent `json:"agents"`   // whose answers were judged
	Warnings []string      `json:"warnings"` // the same as sentences
}

// StagedAgent counts one agent's answers to the questions that the judge answered.
type StagedAgent struct {
	Name    string       `json:"name"`     // of the agent
	Run     string       `json:"run"`      // its folder
	Judged  int          `json:"judged"`   // answers judged
	Right   int          `json:"right"`    // correct ones of these
	LeftOut map[Lack]int `json:"left_out"` // answers left out, by the reasons of `no_own`
	// answers judged whose label in the agent's run differs; this dataset's label counts
	OtherGold int  `json:"other_gold"`
	Itself    bool `json:"itself,omitempty"` // the agent is the judge
}

// SetWarnings writes the warnings for readers of the results.
func (s *StageCounts) SetWarnings() {
	s.Warnings = []string{}
	warn := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if s.NoGold > 0 {
		warn("left out %d of %d questions: no label says what is right", s.NoGold, s.Questions)
	}
	for _, lack := range Lacks {
		if n := s.NoOwn[lack]; n > 0 {
			warn("left out %d of %d questions, to which the judge has no answer of its own: %s",
				n, s.Questions, lackReasons[lack])
		}
	}
	for _, a := range s.Agents {
		for _, lack := range Lacks {
			if n := a.LeftOut[lack]; n > 0 {
				warn("%s: left out %d of %d questions: %s", a.Name, n, s.Questions, lackReasons[lack])
			}
		}
		if a.OtherGold > 0 {
			warn("%s: its run has another label for %d of %d questions; its answers are held to this dataset's",
				a.Name, a.OtherGold, s.Questions)
		}
		if a.Itself {
			warn("%s is judged by itself: its answers and the judge's own are not independent, "+
				"and correlations with the agent's correctness say little", a.Name)
		}
	}
}

// Add adds the counts of other questions with the same agents.
func (s *StageCounts) Add(o *StageCounts) error {
	s.Questions += o.Questions
	s.NoGold += o.NoGold
	s.NoOwn = backends.SumCounts(s.NoOwn, o.NoOwn)
	if len(s.Agents) != len(o.Agents) {
		return errors.New("their agents are not the same")
	}
	for i, b := range o.Agents {
		a := &s.Agents[i]
		if a.Name != b.Name || a.Itself != b.Itself {
			return fmt.Errorf("their agents are not the same (%s and %s)", a.Name, b.Name)
		}
		a.Judged += b.Judged
		a.Right += b.Right
		a.OtherGold += b.OtherGold
		a.LeftOut = backends.SumCounts(a.LeftOut, b.LeftOut)
	}
	s.SetWarnings()
	return nil
}

// Warned returns the warnings.
func (s *StageCounts) Warned() []string { return s.Warnings }

// Note adds the counts to the manifest.
func (s *StageCounts) Note(m *Manifest) { m.Staged = s }

// ReferenceCounts counts the pairs that are judged with the judge's own answer as reference, and those left out.
type ReferenceCounts struct {
	Pairs    int          `json:"pairs"`    // all requested pairs
	NoOwn    map[Lack]int `json:"no_own"`   // left out because the judge has no answer of its own, by reason
	Right    int          `json:"right"`    // pairs to which the judge's own answer is correct
	Wrong    int          `json:"wrong"`    // pairs to which it is wrong
	Unknown  int          `json:"unknown"`  // pairs to which this is unknown
	Warnings []string     `json:"warnings"` // the same as sentences
}

// Judged returns the number of pairs with an own answer of the judge: those that the run asks about.
func (r *ReferenceCounts) Judged() int { return r.Right + r.Wrong + r.Unknown }

// SetWarnings writes the warnings for readers of the results.
func (r *ReferenceCounts) SetWarnings() {
	r.Warnings = []string{}
	for _, lack := range Lacks {
		if n := r.NoOwn[lack]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("left out %d of %d pairs, "+
				"to whose question the judge has no answer of its own: %s", n, r.Pairs, lackReasons[lack]))
		}
	}
	if r.Unknown > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("of %d of %d pairs nobody can tell whether the judge's own answer is right: "+
				"no final answer could be read, or compared with those of the responses", r.Unknown, r.Judged()))
	}
}

// Add adds the counts of other pairs.
func (r *ReferenceCounts) Add(o *ReferenceCounts) {
	r.Pairs += o.Pairs
	r.Right += o.Right
	r.Wrong += o.Wrong
	r.Unknown += o.Unknown
	r.NoOwn = backends.SumCounts(r.NoOwn, o.NoOwn)
	r.SetWarnings()
}

// Warned returns the warnings.
func (r *ReferenceCounts) Warned() []string { return r.Warnings }

// Note adds the counts to the manifest.
func (r *ReferenceCounts) Note(m *Manifest) { m.Referenced = r }
