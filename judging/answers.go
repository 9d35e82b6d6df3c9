package judging

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"gavel/datasets"
)

// Answers holds a model's answers from its run of the answer protocol.
type Answers struct {
	Name    string // the model's name unless the caller sets another
	Run     string // the run's folder
	ID      string // the run's
	Model   ModelSpec
	Dataset DatasetSpec
	Failed  int // questions whose call failed: the same run command asks them again
	Missing int // questions of the run without a record: likewise

	answers   map[string]Answer        // by question
	questions map[string]priorQuestion // by question; nil until Compare needs it
}

// Answer holds a model's answer to a question.
type Answer struct {
	Text    string // the whole reply
	Value   string // the final answer read from it; "" if none
	Outcome Outcome
	// from 0 to 1; 0 if unknown
	Confidence float64
}

// priorQuestion holds the hash of a question's texts, as the run was asked it, and its gold label.
type priorQuestion struct {
	texts [sha256.Size]byte
	gold  string
}

// ReadAnswers reads a run of the answer protocol. By default it uses the paper's readers: what is read here becomes
// part of the next stage's items, and so of the ids of its runs.
func ReadAnswers(dir string, reading Reading) (*Answers, error) {
	reading.Name = cmp.Or(reading.Name, Paper)
	a := &Answers{Run: dir, answers: map[string]Answer{}}
	m, err := EachVerdict(dir, reading, func(r *Record, p Asker, v Verdict) error {
		if v.Outcome == Failed {
			a.Failed++
		}
		g := Answer{
			Text:    joinReplies(r),
			Value:   cmp.Or(v.Answer, r.CandidateID(v.Choice)),
			Outcome: v.Outcome,
		}
		g.Confidence, _ = r.Confidence(p, v)
		a.answers[r.Item] = g
		return nil
	})
	if answering := AnswerProtocol().Name; m != nil && m.Spec.Protocol != answering {
		err = fmt.Errorf("%s: is a run of %s: answers come from \"gavel run %s\" or an import",
			dir, m.Spec.Protocol, answering)
	}
	if err != nil {
		return nil, err
	}
	a.ID = m.wholeID()
	a.Name = m.Spec.Model.Name
	a.Model = m.Spec.Model
	a.Dataset = m.Spec.Dataset
	a.Missing = max(0, m.Spec.Dataset.Items-len(a.answers))
	return a, nil
}

// joinReplies returns the texts of all turns, one after the other on lines of their own.
func joinReplies(r *Record) string {
	var texts []string
	for _, reply := range r.Replies {
		texts = append(texts, reply.Text)
	}
	return strings.Join(texts, "\n")
}

// Lack is the reason why an answer cannot be judged.
type Lack string

const (
	LackNone      Lack = ""
	LackMissing   Lack = "missing"
	LackFailed    Lack = "failed"
	LackText      Lack = "no-text"
	OtherQuestion Lack = "other-question"
)

// Lacks lists all reasons.
var Lacks = []Lack{LackMissing, LackFailed, LackText, OtherQuestion}

// lackReasons maps each reason to the end of a sentence.
var lackReasons = map[Lack]string{
	LackMissing:   "its run has no record of them",
	LackFailed:    "the call failed",
	LackText:      "there is no text (the prompt was too long, or the reply refused or empty)",
	OtherQuestion: "its run has another question under that id",
}

// Find returns the answer to a question, or the reason why it cannot be judged. A truncated answer, or one from which
// no final answer can be read, counts as a wrong answer.
func (a *Answers) Find(item datasets.Item) (Answer, Lack) {
	g, ok := a.answers[item.ID]
	switch {
	case !ok:
		return g, LackMissing
	case g.Outcome == Failed:
		return g, LackFailed
	case strings.TrimSpace(g.Text) == "":
		return g, LackText
	}
	if prior, ok := a.questions[item.ID]; a.questions != nil && (!ok || prior.texts != hashTexts(item)) {
		return g, OtherQuestion
	}
	return g, LackNone
}

// Compare loads the run's own questions if questions is another file, so that To and LabelledAs can compare them.
func (a *Answers) Compare(questions *datasets.Set) error {
	if a.questions != nil || a.Dataset.SHA256 == questions.SHA256 {
		return nil
	}
	a.questions = map[string]priorQuestion{}
	err := EachItem(a.Run, func(item datasets.Item) {
		a.questions[item.ID] = priorQuestion{hashTexts(item), item.GoldID()}
	})
	if err != nil {
		return fmt.Errorf("%s answered another file than %s, and what it was asked cannot be read: %w",
			a.Run, questions.Name, err)
	}
	return nil
}

// GoldLabel returns the gold label of a question in the run's own file. ok is false if both use the same file.
func (a *Answers) GoldLabel(question string) (gold string, ok bool) {
	prior, ok := a.questions[question]
	return prior.gold, ok
}

// hashTexts returns the hash of an item's question and candidates. It ignores white space, in which copies of a dataset
// differ.
func hashTexts(item datasets.Item) [sha256.Size]byte {
	texts := []string{item.Question}
	for _, c := range item.Candidates {
		texts = append(texts, c.Text)
	}
	for i, t := range texts {
		texts[i] = strings.Join(strings.Fields(t), " ")
	}
	return sha256.Sum256([]byte(strings.Join(texts, "\x00")))
}

// Unfinished reports whether the answering run lacks answers. Judgments should not be staged before it is complete:
// with more answers they would belong to another run.
func (a *Answers) Unfinished() bool { return a.Failed+a.Missing > 0 }
