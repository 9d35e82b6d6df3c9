package judging

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
)

// A protocol with stages asks in several runs, each of which reads what the one
// before it wrote:
//
//	questions → run answer (the judge)  ─┐
//	questions → run answer (each agent) ─┴→ Stage → judgments → run self-reference
//
// A stage is a run like any other: a folder, records, a score of its own. What
// joins two is a pure function from the records of the earlier to dataset lines
// of the later, here [Stage]; from there on the flow is the usual one, and
// neither prompts nor parsers nor scores know that an item was once a reply.
// docs/decisions.md says how the next one is written.

// Answers are what a model answered, as its run of the answer protocol has it.
type Answers struct {
	Name    string // that the answers go by: the model's, unless the caller gives another
	Run     string // the run's folder
	ID      string // the run's
	Model   ModelSpec
	Dataset DatasetSpec
	Failed  int // questions whose call failed: the run can go on
	Lacking int // questions of the run that no record is of: it can go on too

	given map[string]given       // by question
	asked map[string]askedBefore // by question; nil until it is needed
}

// given is one answer.
type given struct {
	text    string // the whole reply
	value   string // what was read from it; "" for nothing
	outcome Outcome
}

// askedBefore is what a run was asked under an id.
type askedBefore struct {
	texts [sha256.Size]byte
	gold  string
}

// ReadAnswers reads a run of the answer protocol.
func ReadAnswers(dir string, how Reading) (*Answers, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Spec.Protocol != Answer.Name {
		return nil, fmt.Errorf("%s: is a run of %s: answers come from \"gavel run %s\" or an import", dir, m.Spec.Protocol, Answer.Name)
	}
	p, err := AskerOf(m)
	if err != nil {
		return nil, err
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut // as the run itself read them
	a := &Answers{Name: m.Spec.Model.Name, Run: dir, ID: m.ID, Model: m.Spec.Model, Dataset: m.Spec.Dataset, given: map[string]given{}}
	err = ReadRecords(filepath.Join(dir, RecordsFile), func(r *Record) error { return a.add(p, r, how) })
	if err != nil {
		return nil, err
	}
	a.Lacking = max(0, m.Spec.Dataset.Items-len(a.given))
	return a, nil
}

// add takes a record in. Of several times that a question was asked the first
// counts, and the first record of it.
func (a *Answers) add(p Asker, r *Record, how Reading) error {
	if _, twice := a.given[r.Item]; twice || r.Repeat > 0 {
		return nil
	}
	v, err := r.Read(p, how)
	if err != nil {
		return err
	}
	if v.Outcome == Failed {
		a.Failed++
	}
	a.given[r.Item] = given{wholeReply(r), cmp.Or(v.Answer, r.CandidateID(v.Choice)), v.Outcome}
	return nil
}

// wholeReply is what a model said, its turns each on a line of their own.
func wholeReply(r *Record) string {
	texts := make([]string, len(r.Replies))
	for i, reply := range r.Replies {
		texts[i] = reply.Text
	}
	return strings.Join(texts, "\n")
}

// Lack says why an answer cannot be judged.
type Lack string

const (
	lackNone      Lack = ""
	LackMissing   Lack = "missing"
	LackFailed    Lack = "failed"
	LackText      Lack = "no-text"
	OtherQuestion Lack = "other-question"
)

// Lacks lists them all.
var Lacks = []Lack{LackMissing, LackFailed, LackText, OtherQuestion}

// inWords are the reasons as sentences end with them.
var inWords = map[Lack]string{
	LackMissing:   "its run has no record of them",
	LackFailed:    "the call failed",
	LackText:      "there is no text (the prompt was too long, or the reply refused or empty)",
	OtherQuestion: "its run has another question under that id",
}

// to is the answer to a question, or why there is none. An answer that was cut,
// or that nothing can be read from, is one: a wrong one.
func (a *Answers) to(item datasets.Item) (given, Lack) {
	g, ok := a.given[item.ID]
	switch {
	case !ok:
		return g, LackMissing
	case g.outcome == Failed:
		return g, LackFailed
	case strings.TrimSpace(g.text) == "":
		return g, LackText
	}
	if was, ok := a.asked[item.ID]; a.asked != nil && (!ok || was.texts != textsOf(item)) {
		return g, OtherQuestion
	}
	return g, lackNone
}

// compare makes ready to compare what the run was asked with what it is judged
// on, where that is another file.
func (a *Answers) compare(questions *datasets.Set) error {
	if a.asked != nil || a.Dataset.SHA256 == questions.SHA256 {
		return nil
	}
	set, err := datasets.OpenFile(filepath.Join(a.Run, ItemsFile))
	if err != nil {
		return fmt.Errorf("%s answered another file than %s, and what it was asked cannot be read: %w", a.Run, questions.Name, err)
	}
	defer set.Close()
	a.asked = make(map[string]askedBefore, set.Len())
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return err
		}
		a.asked[item.ID] = askedBefore{textsOf(item), goldOf(item)}
	}
	return nil
}

// textsOf is the hash of what an item asks. White space does not count: copies
// of a dataset differ in it.
func textsOf(item datasets.Item) [sha256.Size]byte {
	texts := []string{item.Question}
	for _, c := range item.Candidates {
		texts = append(texts, c.Text)
	}
	for i, t := range texts {
		texts[i] = strings.Join(strings.Fields(t), " ")
	}
	return sha256.Sum256([]byte(strings.Join(texts, "\x00")))
}

// Staged says what became of the questions of a stage.
type Staged struct {
	Questions int           `json:"questions"` // asked for
	NoGold    int           `json:"no_gold"`   // without a label: nobody can say what is correct
	NoOwn     map[Lack]int  `json:"no_own"`    // without an answer of the judge's own, by reason
	Agents    []StagedAgent `json:"agents"`
	Warnings  []string      `json:"warnings"` // each a sentence
}

// StagedAgent says what became of one agent's answers, on the questions that
// the judge answered.
type StagedAgent struct {
	Name      string       `json:"name"`
	Run       string       `json:"run"`
	Judged    int          `json:"judged"`
	Right     int          `json:"right"`      // of them
	LeftOut   map[Lack]int `json:"left_out"`   // by reason
	OtherGold int          `json:"other_gold"` // of those judged: its run has another label
}

// Judgments is how many lines the stage made.
func (s *Staged) Judgments() int {
	n := 0
	for _, a := range s.Agents {
		n += a.Judged
	}
	return n
}

// judgmentLine is a line of the format that datasets reads as "judgment".
type judgmentLine struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Source   string `json:"source"`
	Question string `json:"question"`
	Gold     string `json:"gold"`
	datasets.Answered
}

// Stage turns answers into judgments to be made: a line for every question and
// agent, in the order of the questions, then of the agents. The same questions
// and answers give the same bytes, so that a run over them can be gone on with.
//
// own are the judge's own answers, nil where there are none: then no line has a
// reference. A question that the judge did not answer is left out for all
// agents and both modes, so that everything is measured on the same questions.
// Whether an answer is right is decided by the labels of questions, whatever
// those of the file that the agent was asked from.
func Stage(questions *datasets.Set, rows []int, own *Answers, agents []*Answers) ([][]byte, *Staged, error) {
	var lines [][]byte
	staged, err := EachJudgment(questions, rows, own, agents, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	return lines, staged, err
}

// EachJudgment is Stage that hands on each line, without its newline, instead of
// keeping it; the line is valid until write returns.
func EachJudgment(questions *datasets.Set, rows []int, own *Answers, agents []*Answers, write func(line []byte) error) (*Staged, error) {
	staged := newStaged(len(rows), agents)
	if err := ready(questions, own, agents); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, row := range rows {
		item, err := questions.Item(row)
		if err != nil {
			return nil, err
		}
		judgments, err := staged.question(item, own, agents)
		if err != nil {
			return nil, err
		}
		for _, line := range judgments {
			buf.Reset()
			if err := enc.Encode(line); err != nil {
				return nil, err
			}
			if err := write(bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})); err != nil {
				return nil, err
			}
		}
	}
	staged.remark(own, agents)
	return staged, nil
}

func newStaged(questions int, agents []*Answers) *Staged {
	s := &Staged{Questions: questions, NoOwn: map[Lack]int{}, Warnings: []string{}}
	for _, a := range agents {
		s.Agents = append(s.Agents, StagedAgent{Name: a.Name, Run: a.Run, LeftOut: map[Lack]int{}})
	}
	return s
}

// ready refuses agents that could not be told apart, and compares what runs over
// other files were asked.
func ready(questions *datasets.Set, own *Answers, agents []*Answers) error {
	byName := map[string]string{}
	for _, a := range agents {
		if other, twice := byName[a.Name]; twice || a.Name == "" {
			return fmt.Errorf("two agents are called %q (%s and %s): give one of them another name", a.Name, other, a.Run)
		}
		byName[a.Name] = a.Run
		if err := a.compare(questions); err != nil {
			return err
		}
	}
	if own != nil {
		return own.compare(questions)
	}
	return nil
}

// question makes the judgments of one question and counts what there is none of.
func (s *Staged) question(item datasets.Item, own *Answers, agents []*Answers) ([]judgmentLine, error) {
	if !slices.Contains(gradedShapes, item.Shape) {
		return nil, fmt.Errorf("%s: is not a question with an answer that can be right or wrong (its shape is %s)", item.ID, item.Shape)
	}
	if goldOf(item) == "" {
		s.NoGold++
		return nil, nil
	}
	frame := judgmentLine{Category: item.Group, Source: item.Source, Question: asJudged(item)}
	frame.Answered = datasets.Answered{Question: item.ID, Of: item.Shape}
	if own != nil {
		g, why := own.to(item)
		if why != lackNone {
			s.NoOwn[why]++
			return nil, nil
		}
		frame.Reference = g.text
		frame.Own = &datasets.Answer{Value: g.value, Right: g.right(item)}
	}
	var lines []judgmentLine
	for i, a := range agents {
		g, why := a.to(item)
		if why != lackNone {
			s.Agents[i].LeftOut[why]++
			continue
		}
		line := frame
		line.ID, line.Agent, line.Text, line.Gold = item.ID+"@"+a.Name, a.Name, g.text, labelIncorrect
		if g.right(item) {
			line.Gold = labelCorrect
			s.Agents[i].Right++
		}
		if was, ok := a.asked[item.ID]; ok && !sameGold(item, was.gold) {
			s.Agents[i].OtherGold++
		}
		s.Agents[i].Judged++
		lines = append(lines, line)
	}
	return lines, nil
}

// right tells whether an answer is that of the item.
func (g given) right(item datasets.Item) bool { return sameGold(item, g.value) }

func sameGold(item datasets.Item, value string) bool {
	if item.Shape == datasets.Number {
		return SameNumber(value, item.Answer)
	}
	return value == goldOf(item)
}

// goldOf is the label of an item: the id of a candidate, or the number.
func goldOf(item datasets.Item) string {
	if item.Gold >= 0 && item.Gold < len(item.Candidates) {
		return item.Candidates[item.Gold].ID
	}
	return item.Answer
}

// asJudged is the question as a judge reads it who judges its answer: with its
// options, and for a preference with both responses, each as who answered it
// has read them (Figures 6 and 7).
func asJudged(item datasets.Item) string {
	shown := answer{template: answerTexts}.Showings(item)[0]
	switch item.Shape {
	case datasets.Choice:
		return item.Question + "\nOptions:\n" + lettered(item, shown)
	case datasets.Preference:
		return answer{template: answerTexts}.user(item, shown)
	}
	return item.Question
}

// remark says in words what readers of the numbers must know.
func (s *Staged) remark(own *Answers, agents []*Answers) {
	say := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if s.NoGold > 0 {
		say("left out %d of %d questions: no label says what is right", s.NoGold, s.Questions)
	}
	for _, why := range Lacks {
		if n := s.NoOwn[why]; n > 0 {
			say("left out %d of %d questions, to which the judge has no answer of its own: %s", n, s.Questions, inWords[why])
		}
	}
	for i, a := range s.Agents {
		for _, why := range Lacks {
			if n := a.LeftOut[why]; n > 0 {
				say("%s: left out %d of %d questions: %s", a.Name, n, s.Questions, inWords[why])
			}
		}
		if a.OtherGold > 0 {
			say("%s: its run has another label for %d of %d questions; its answers are held to this dataset's", a.Name, a.OtherGold, s.Questions)
		}
		if own != nil && sameModel(own, agents[i]) {
			say("%s is judged by itself: its answers and the judge's own are not independent, and correlations with the agent's correctness say little", a.Name)
		}
	}
}

func sameModel(a, b *Answers) bool {
	return a.Model.Identity != "" && a.Model.Identity == b.Model.Identity || a.Model.Name == b.Model.Name
}

// Unfinished tells whether the run that answered can go on. Judgments should not
// be staged before it has: with more answers they would be another run's.
func (a *Answers) Unfinished() bool { return a.Failed+a.Lacking > 0 }
