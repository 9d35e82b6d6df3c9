package pairwise

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/judging"
	"gavel/protocols/answer"
)

// Self-reference for pairs goes beyond the self-reference paper, which leaves it open. LLMBar (arXiv 2310.07641) had it
// in 2023 as its strategy Reference, with other words: the judge answers the question in a separate call, and has its
// answer as a reference when it compares the two responses. It is a stage like any other:
//
//	pairs → run answer (the judge) → WriteOwnAnswers → pairs with own answers → run pairwise

// referenceOption is the setting --self-reference: the judge sees its own answer while it compares.
var referenceOption = judging.Option{
	Name:  "self-reference",
	Label: "Judge with its own answer at hand",
	Usage: "the judge first answers the question in a separate call, then compares with its answer as " +
		"reference (LLMBar's strategy Reference, arXiv 2310.07641, in gavel's words)",
	Default: "false",
}

// referenceAsker asks a judge to compare two responses with its own answer to the question as reference.
type referenceAsker struct{ pairwise }

// referenceSentence introduces the judge's own answer in the system message. It is gavel's own addition. It follows the
// first paragraph, which lists what is shown, so that the instructions on the verdict stay last.
const referenceSentence = "You will also be given a reference answer: " +
	"it is your own answer to the user prompt, given before you saw theirs, and it may be wrong."

// withReference returns the prompt of a comparison with referenceSentence, which it adds only once.
func withReference(t judging.Template) judging.Template {
	if strings.Contains(t.System, referenceSentence) {
		return t
	}
	first, rest, hasRest := strings.Cut(t.System, "\n\n")
	system := first + " " + referenceSentence
	if hasRest {
		system += "\n\n" + rest
	}
	return newTemplate(t.Name, t.Origin, system)
}

// adapt returns the prompt as the settings change it: with referenceSentence if the judge sees its own answer.
func adapt(t judging.Template, s judging.Settings) judging.Template {
	if s.Get(referenceOption) == "true" && !hasOutputLabels(t) {
		return withReference(t)
	}
	return t
}

// stage returns the stage, a run made first, in which the judge answers the questions itself; nil if the judge
// does not see its own answers.
func stage(s judging.Settings, _ string) *judging.Stage {
	if s.Get(referenceOption) != "true" {
		return nil
	}
	return &judging.Stage{Presentations: 2, MakeItems: WriteOwnAnswers}
}

// newAsker returns the asker of a comparison under the settings.
func newAsker(p pairwise, s judging.Settings) judging.Asker {
	p.template = adapt(p.template, s)
	if s.Get(referenceOption) == "true" {
		return referenceAsker{p}
	}
	return p
}

// Check returns an error for a pair that lacks the judge's own answer.
func (referenceAsker) Check(item datasets.Item) error {
	if item.Answered == nil || item.Answered.Reference == "" {
		return fmt.Errorf("%s has no answer of the judge's own: with --%s the judge answers the questions first",
			item.ID, referenceOption.Name)
	}
	return nil
}

// Prompt returns the messages of a comparison with the judge's own answer between the question and the first response.
// The place follows from the question's length: nothing is searched.
func (p referenceAsker) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := p.pairwise.Prompt(item, s)
	if item.Answered == nil {
		return prompt
	}
	offset := len(userPromptHeading) + len(item.Question)
	prompt.User = prompt.User[:offset] + "\n\n<|The Start of Reference Answer|>\n" +
		item.Answered.Reference + "\n<|The End of Reference Answer|>" + prompt.User[offset:]
	addOracleReference(&prompt.Oracle, item)
	return prompt
}

// addOracleReference tells simulated judges which label the judge's own answer supports, if it is known
// whether that answer is right.
func addOracleReference(o *backends.Oracle, item datasets.Item) {
	ownAnswer := item.Answered.Own
	if ownAnswer == nil {
		return
	}
	o.ReferenceVerdict = o.VerdictLabels[o.CorrectPosition]
	if !ownAnswer.Right {
		o.ReferenceVerdict = o.VerdictLabels[1-o.CorrectPosition]
	}
}

// comparableAnswerPatterns matches kinds of final answers whose text decides whether they are equal, if both are of one
// kind: a letter, a number, a word. Two formulas that look different may be equal.
var comparableAnswerPatterns = []*regexp.Regexp{
	regexp.MustCompile(`^[a-z]$`),
	anyNumber,
	regexp.MustCompile(`^\pL[\pL,'-]+$`),
}

// anyNumber matches a number in a final answer.
var anyNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$|^-?\d+/\d+$`)

// answersSurelyDiffer reports whether two final answers with different texts cannot be equal.
func answersSurelyDiffer(a, b answer.FinalAnswer) bool {
	return slices.ContainsFunc(comparableAnswerPatterns, func(kind *regexp.Regexp) bool {
		return kind.MatchString(a.Value) && kind.MatchString(b.Value)
	})
}

// gradeOwnReply grades the judge's own reply to a pair's question; nil if that is not possible. There is no published
// answer, only the label of the better response. So the judge is right if its final answer is the better response's and
// not the worse one's, and wrong if it is the worse response's or surely differs from the better one's.
func gradeOwnReply(item datasets.Item, reply string) *datasets.Answer {
	if item.Gold < 0 || item.Gold > 1 {
		return nil
	}
	final := answer.ReadFinal(reply)
	better := answer.ReadFinal(item.Candidates[item.Gold].Text)
	worse := answer.ReadFinal(item.Candidates[1-item.Gold].Text)
	switch {
	case final.Value == "" || better.Value == "" || better.Value == worse.Value:
		return nil
	case final.Value == better.Value:
		return &datasets.Answer{Value: final.Value, Right: true}
	case final.Value == worse.Value, answersSurelyDiffer(final, better):
		return &datasets.Answer{Value: final.Value}
	}
	return nil
}

// WriteOwnAnswers writes the pairs in rows with the judge's own answers, metrics or both: each line as published, with
// the key "own_answer" at its end. It leaves out pairs that lack one of these, and counts them.
func WriteOwnAnswers(
	pairs *datasets.Set, rows []int, ownAnswers *judging.ModelAnswers, _ []*judging.ModelAnswers,
	write func(line []byte) error,
) (judging.StageResult, error) {
	out := &judging.ReferenceCounts{Pairs: len(rows), NoOwn: map[judging.NoAnswerReason]int{}}
	if err := ownAnswers.LoadQuestions(pairs); err != nil {
		return nil, err
	}
	for _, row := range rows {
		item, err := pairs.Item(row)
		if err != nil {
			return nil, err
		}
		if item.Shape != datasets.ShapePair {
			return nil, fmt.Errorf("%s: is not a pair of responses (its shape is %s)", item.ID, item.Shape)
		}
		added := datasets.OwnAnswer{Text: new("")}
		missing := judging.AnswerUsable
		for a := ownAnswers; a != nil && missing == judging.AnswerUsable; a = a.Reference {
			var g judging.Answer
			g, missing = a.Find(item)
			if a.Prompt == judging.MetricsPromptName {
				added.Metrics = strings.TrimSpace(g.Text)
				continue
			}
			added.Text = &g.Text
			ownAnswer := gradeOwnReply(item, g.Text)
			if ownAnswer != nil {
				added.Value, added.Right = ownAnswer.Value, &ownAnswer.Right
			}
			switch {
			case missing != judging.AnswerUsable:
			case ownAnswer == nil:
				out.Unknown++
			case ownAnswer.Right:
				out.Right++
			default:
				out.Wrong++
			}
		}
		if missing != judging.AnswerUsable {
			out.NoOwn[missing]++
			continue
		}
		line, err := withOwnAnswer(item, added)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item.ID, err)
		}
		if err := write(line); err != nil {
			return nil, err
		}
	}
	out.SetWarnings()
	return out, nil
}

// withOwnAnswer returns the line of a pair with the key "own_answer" added; every published byte stays.
func withOwnAnswer(item datasets.Item, added datasets.OwnAnswer) ([]byte, error) {
	line, ok := bytes.CutSuffix(bytes.TrimRight(item.Raw, " \t\r"), []byte("}"))
	if !ok || item.Answered != nil {
		return nil, errors.New("has an answer of a judge already: use the file without them")
	}
	key, err := codec.Marshal(map[string]any{"own_answer": added})
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimRight(line, " \t"), []byte(","), key[1:]), nil
}
