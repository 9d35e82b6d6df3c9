package judging

import (
	"errors"
	"fmt"

	"gavel/datasets"
)

// A protocol with stages asks in several runs, each of which reads what the one before it wrote:
//
//	questions → run answer (the judge)  ─┐
//	questions → run answer (each agent) ─┴→ Stage → judgments → run self-reference
//
// A stage is a run like any other: a folder, records, a score of its own. What joins two is a pure function from the
// records of the earlier to dataset lines of the later, here [Stage]; from there on the flow is the usual one, and
// neither prompts nor parsers nor scores know that an item was once a reply. How the next one is written:
// docs/decisions/0005-how-a-protocol-with-stages-is-written.md.

// Stage is how the items of a protocol are made of what models answered before:
// the judge itself and, where it judges them, agents.
type Stage struct {
	Agents        bool   // agents' answers are judged
	Ownless       bool   // the judge is shown none of its own answers, under any of the protocol's modes
	Format        string // of the lines; "" is that of the questions
	Presentations int    // of each item that is made
	// Check says why an item cannot be a question of the stage; may be nil.
	Check func(item datasets.Item) error
	// Each makes a line for each item, in the order of the questions, then of the agents. The same questions and
	// answers give the same bytes, so that a run over them can be gone on with. A line, without its newline, is valid
	// until write returns.
	Each func(
		questions *datasets.Set, rows []int, own *Answers, agents []*Answers, write func(line []byte) error,
	) (Made, error)
}

// Made says what became of the questions of a stage.
type Made interface {
	Warned() []string // what readers of the numbers must know, a sentence each
	Note(m *Manifest) // notes it in the manifest of the run that stands on it
}

// Staged says what became of the questions of a stage.
type Staged struct {
	Questions int `json:"questions"` // asked for
	NoGold    int `json:"no_gold"`   // left out: no label says what is right
	// left out, since the judge has no answer of its own, by reason: `missing` (no record), `failed`, `no-text`
	// (refused, empty or too long a prompt), `other-question`
	NoOwn    map[Lack]int  `json:"no_own"`
	Agents   []StagedAgent `json:"agents"`   // whose answers were judged
	Warnings []string      `json:"warnings"` // the same in sentences
}

// StagedAgent says what became of one agent's answers, on the questions that the judge answered.
type StagedAgent struct {
	Name    string       `json:"name"`     // of the agent
	Run     string       `json:"run"`      // its folder
	Judged  int          `json:"judged"`   // answers
	Right   int          `json:"right"`    // of them
	LeftOut map[Lack]int `json:"left_out"` // answers, by the reasons of `no_own`
	// of those judged: that run has another label; this dataset's counts
	OtherGold int  `json:"other_gold"`
	Itself    bool `json:"itself,omitempty"` // the agent is the judge
}

// Remark says in words what readers of the numbers must know.
func (s *Staged) Remark() {
	s.Warnings = []string{}
	say := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if s.NoGold > 0 {
		say("left out %d of %d questions: no label says what is right", s.NoGold, s.Questions)
	}
	for _, why := range Lacks {
		if n := s.NoOwn[why]; n > 0 {
			say("left out %d of %d questions, to which the judge has no answer of its own: %s",
				n, s.Questions, lacksInWords[why])
		}
	}
	for _, a := range s.Agents {
		for _, why := range Lacks {
			if n := a.LeftOut[why]; n > 0 {
				say("%s: left out %d of %d questions: %s", a.Name, n, s.Questions, lacksInWords[why])
			}
		}
		if a.OtherGold > 0 {
			say("%s: its run has another label for %d of %d questions; its answers are held to this dataset's",
				a.Name, a.OtherGold, s.Questions)
		}
		if a.Itself {
			say("%s is judged by itself: its answers and the judge's own are not independent, "+
				"and correlations with the agent's correctness say little", a.Name)
		}
	}
}

// Add adds what became of other questions, with the same agents.
func (s *Staged) Add(o *Staged) error {
	s.Questions += o.Questions
	s.NoGold += o.NoGold
	s.NoOwn = addLacks(s.NoOwn, o.NoOwn)
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
		a.LeftOut = addLacks(a.LeftOut, b.LeftOut)
	}
	s.Remark()
	return nil
}

func addLacks(a, b map[Lack]int) map[Lack]int {
	sum := map[Lack]int{}
	for _, of := range []map[Lack]int{a, b} {
		for why, n := range of {
			sum[why] += n
		}
	}
	return sum
}

// Warned and Note make it [Made].
func (s *Staged) Warned() []string { return s.Warnings }

// Note notes it in the manifest.
func (s *Staged) Note(m *Manifest) { m.Staged = s }

// Referenced says what became of the pairs of a stage.
type Referenced struct {
	Pairs    int          `json:"pairs"`    // asked for
	NoOwn    map[Lack]int `json:"no_own"`   // left out, without an answer of the judge's own, by reason
	Right    int          `json:"right"`    // pairs whose own answer is right
	Wrong    int          `json:"wrong"`    // pairs whose own answer is wrong
	Unknown  int          `json:"unknown"`  // pairs of which nobody can tell
	Warnings []string     `json:"warnings"` // the same in sentences
}

// Judged is how many lines the stage made.
func (r *Referenced) Judged() int { return r.Right + r.Wrong + r.Unknown }

// Remark says in words what readers of the numbers must know.
func (r *Referenced) Remark() {
	r.Warnings = []string{}
	for _, why := range Lacks {
		if n := r.NoOwn[why]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("left out %d of %d pairs, "+
				"to whose question the judge has no answer of its own: %s", n, r.Pairs, lacksInWords[why]))
		}
	}
	if r.Unknown > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("of %d of %d pairs nobody can tell whether the judge's own answer is right: "+
				"no final answer could be read, or compared with those of the responses", r.Unknown, r.Judged()))
	}
}

// Add adds what became of other pairs.
func (r *Referenced) Add(o *Referenced) {
	r.Pairs += o.Pairs
	r.Right += o.Right
	r.Wrong += o.Wrong
	r.Unknown += o.Unknown
	r.NoOwn = addLacks(r.NoOwn, o.NoOwn)
	r.Remark()
}

// Warned and Note make it [Made].
func (r *Referenced) Warned() []string { return r.Warnings }

// Note notes it in the manifest.
func (r *Referenced) Note(m *Manifest) { m.Referenced = r }
