package judging

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"gavel/datasets"
)

// ModelAnswers holds a model's answers from its run of the answer protocol.
type ModelAnswers struct {
	Name    string      // name of the model that answered, unless the caller sets another
	Run     string      // the run's folder
	Prompt  string      // name of the run's prompt
	RunID   string      // id of the run, or of the whole run if this one is a shard
	Model   ModelSpec   // the model that answered
	Dataset DatasetSpec // the run's questions
	Failed  int         // questions whose call failed: the same run command asks them again
	Missing int         // questions of the run without a record: the same run command asks them
	// further answers that the judge is shown: another model's in place of these, its own; or its own beside its metrics;
	// nil for none
	Reference *ModelAnswers

	answers map[string]Answer // by id of the question
	// questions holds the run's own questions by id; nil unless LoadQuestions found that they come from another file.
	questions map[string]answerRunQuestion
}

// Answer holds a model's answer to a question.
type Answer struct {
	Text    string  // the whole reply
	Value   string  // the final answer read from Text; "" if there is none
	Outcome Outcome // the result of reading Text: Decided if it has a final answer
	// from 0 to 1; 0 if unknown
	Confidence float64
}

// answerRunQuestion holds a question as the answering run has it, to compare with another file's question of that id.
type answerRunQuestion struct {
	textsHash [sha256.Size]byte // hash of the question and its candidates; see hashTexts
	gold      string            // id of the labelled candidate, or the labelled number
}

// ReadAnswers reads the answers in the folder of a run of the answer protocol. By default it uses the readers of
// Paper: other protocols make items of the answers, and the ids of their runs depend on the items.
func ReadAnswers(dir string, reading ReadingOptions) (*ModelAnswers, error) {
	reading.Readers = cmp.Or(reading.Readers, PaperReaders)
	a := &ModelAnswers{Run: dir, answers: map[string]Answer{}}
	m, err := EachVerdict(dir, reading, func(r *Record, p Asker, v Verdict) error {
		if v.Outcome == Failed {
			a.Failed++
		}
		g := Answer{
			Text:    strings.TrimPrefix(joinReplies(r.Replies), "\n"),
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
	a.RunID = m.ID
	if m.Shard != nil {
		a.RunID = m.Shard.WholeID
	}
	a.Name = m.Spec.Model.Name
	a.Prompt = m.Spec.Prompt.Name
	a.Model = m.Spec.Model
	a.Dataset = m.Spec.Dataset
	a.Missing = max(0, m.Spec.Dataset.Items-len(a.answers))
	return a, nil
}

// NoAnswerReason names the reason why a model has no answer to a question that a judge could judge.
type NoAnswerReason string

const (
	AnswerUsable            NoAnswerReason = ""               // no reason: the answer can be judged
	NoAnswerNoRecord        NoAnswerReason = "missing"        // the run has no record of the question
	NoAnswerCallFailed      NoAnswerReason = "failed"         // the call to the model failed
	NoAnswerNoText          NoAnswerReason = "no-text"        // no text: an empty or refused reply, or too long a prompt
	NoAnswerQuestionChanged NoAnswerReason = "other-question" // the run has another question under the same id
)

// NoAnswerReasons lists all reasons in the order of warnings, without AnswerUsable.
var NoAnswerReasons = []NoAnswerReason{NoAnswerNoRecord, NoAnswerCallFailed, NoAnswerNoText, NoAnswerQuestionChanged}

// noAnswerReasonTexts maps each reason to its words, with which a warning about questions left out ends.
var noAnswerReasonTexts = map[NoAnswerReason]string{
	NoAnswerNoRecord:        "its run has no record of them",
	NoAnswerCallFailed:      "the call failed",
	NoAnswerNoText:          "there is no text (the prompt was too long, or the reply refused or empty)",
	NoAnswerQuestionChanged: "its run has another question under that id",
}

// Find returns the answer to a question, or the reason why it cannot be judged. A truncated answer, or one from which
// no final answer can be read, counts as a wrong answer.
func (a *ModelAnswers) Find(item datasets.Item) (Answer, NoAnswerReason) {
	g, ok := a.answers[item.ID]
	switch {
	case !ok:
		return g, NoAnswerNoRecord
	case g.Outcome == Failed:
		return g, NoAnswerCallFailed
	case strings.TrimSpace(g.Text) == "":
		return g, NoAnswerNoText
	}
	if prior, ok := a.questions[item.ID]; a.questions != nil && (!ok || prior.textsHash != hashTexts(item)) {
		return g, NoAnswerQuestionChanged
	}
	return g, AnswerUsable
}

// LoadQuestions loads the questions of the answering run if questions comes from another file, so that Find can refuse
// answers to different questions, and GoldLabel can return their labels.
func (a *ModelAnswers) LoadQuestions(questions *datasets.Set) error {
	if a.Reference != nil {
		if err := a.Reference.LoadQuestions(questions); err != nil {
			return err
		}
	}
	if a.questions != nil || a.Dataset.SHA256 == questions.SHA256 {
		return nil
	}
	a.questions = map[string]answerRunQuestion{}
	err := EachItem(a.Run, func(item datasets.Item) {
		a.questions[item.ID] = answerRunQuestion{hashTexts(item), item.GoldID()}
	})
	if err != nil {
		return fmt.Errorf("%s answered another file than %s, and what it was asked cannot be read: %w",
			a.Run, questions.Name, err)
	}
	return nil
}

// GoldLabel returns the label that the answering run's own file gives to a question. ok is false if the question is not
// in that file, or if Compare found that the file is the same.
func (a *ModelAnswers) GoldLabel(question string) (gold string, ok bool) {
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

// Unfinished reports whether the answering run lacks answers. Items to judge should not be made of an unfinished run:
// with more answers they would be other items, and their judgments another run.
func (a *ModelAnswers) Unfinished() bool { return a.Failed+a.Missing > 0 }
