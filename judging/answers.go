package judging

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"gavel/datasets"
)

// Answers holds what a model answered, as its run of the answer protocol has it.
type Answers struct {
	Name    string // that the answers go by: the model's, unless the caller gives another
	Run     string // the run's folder
	ID      string // the run's
	Model   ModelSpec
	Dataset DatasetSpec
	Failed  int // questions whose call failed: the run can go on
	Lacking int // questions of the run that no record is of: it can go on too

	given map[string]Given         // by question
	asked map[string]priorQuestion // by question; nil until it is needed
}

// Given is a model's answer to a question.
type Given struct {
	Text    string // the whole reply
	Value   string // what was read from it; "" for nothing
	Outcome Outcome
}

// priorQuestion is the question that a run was asked under an id.
type priorQuestion struct {
	texts [sha256.Size]byte
	gold  string
}

// ReadAnswers reads a run of the answer protocol, by the paper's readers where nobody chose others: what is read here
// is part of the next stage's items, and so of the names of its runs.
func ReadAnswers(dir string, how Reading) (*Answers, error) {
	how.Name = cmp.Or(how.Name, Paper)
	a := &Answers{Run: dir, given: map[string]Given{}}
	m, err := EachVerdict(dir, how, func(r *Record, _ Asker, v Verdict) error {
		if v.Outcome == Failed {
			a.Failed++
		}
		a.given[r.Item] = Given{
			Text:    wholeReply(r),
			Value:   cmp.Or(v.Answer, r.CandidateID(v.Choice)),
			Outcome: v.Outcome,
		}
		return nil
	})
	if answering := Answering().Name; m != nil && m.Spec.Protocol != answering {
		err = fmt.Errorf("%s: is a run of %s: answers come from \"gavel run %s\" or an import",
			dir, m.Spec.Protocol, answering)
	}
	if err != nil {
		return nil, err
	}
	a.ID = m.whole()
	a.Name = m.Spec.Model.Name
	a.Model = m.Spec.Model
	a.Dataset = m.Spec.Dataset
	a.Lacking = max(0, m.Spec.Dataset.Items-len(a.given))
	return a, nil
}

// wholeReply returns what a model said, each turn on a line of its own.
func wholeReply(r *Record) string {
	var texts []string
	for _, reply := range r.Replies {
		texts = append(texts, reply.Text)
	}
	return strings.Join(texts, "\n")
}

// Lack says why an answer cannot be judged.
type Lack string

const (
	LackNone      Lack = ""
	LackMissing   Lack = "missing"
	LackFailed    Lack = "failed"
	LackText      Lack = "no-text"
	OtherQuestion Lack = "other-question"
)

// Lacks lists them all.
var Lacks = []Lack{LackMissing, LackFailed, LackText, OtherQuestion}

// lacksInWords are the reasons as sentences end with them.
var lacksInWords = map[Lack]string{
	LackMissing:   "its run has no record of them",
	LackFailed:    "the call failed",
	LackText:      "there is no text (the prompt was too long, or the reply refused or empty)",
	OtherQuestion: "its run has another question under that id",
}

// To is the answer to a question, or why there is none. An answer that was cut,
// or that nothing can be read from, is one: a wrong one.
func (a *Answers) To(item datasets.Item) (Given, Lack) {
	g, ok := a.given[item.ID]
	switch {
	case !ok:
		return g, LackMissing
	case g.Outcome == Failed:
		return g, LackFailed
	case strings.TrimSpace(g.Text) == "":
		return g, LackText
	}
	if was, ok := a.asked[item.ID]; a.asked != nil && (!ok || was.texts != textsOf(item)) {
		return g, OtherQuestion
	}
	return g, LackNone
}

// Compare makes ready to compare what the run was asked with what it is judged on, where that is another file.
func (a *Answers) Compare(questions *datasets.Set) error {
	if a.asked != nil || a.Dataset.SHA256 == questions.SHA256 {
		return nil
	}
	a.asked = map[string]priorQuestion{}
	err := EachItem(a.Run, func(item datasets.Item) {
		a.asked[item.ID] = priorQuestion{textsOf(item), item.GoldID()}
	})
	if err != nil {
		return fmt.Errorf("%s answered another file than %s, and what it was asked cannot be read: %w",
			a.Run, questions.Name, err)
	}
	return nil
}

// LabelledAs is the label that the run's own file has for a question, where that
// is another file than the one that is judged.
func (a *Answers) LabelledAs(question string) (gold string, ok bool) {
	was, ok := a.asked[question]
	return was.gold, ok
}

// textsOf is the hash of what an item asks. White space does not count: copies of a dataset differ in it.
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

// Unfinished tells whether the run that answered can go on. Judgments should not
// be staged before it has: with more answers they would be another run's.
func (a *Answers) Unfinished() bool { return a.Failed+a.Lacking > 0 }
