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

// Self-reference for pairs goes beyond the self-reference paper, which names it as open. LLMBar (arXiv 2310.07641)
// had it in 2023 as its strategy Reference, with other words: the judge answers the question in a call of its own,
// and has its answer before it as a reference when it compares the two responses. It is a stage like any other:
//
//	pairs → run answer (the judge) → eachReference → pairs with own answers → run pairwise

// referenceOption has a comparison show the judge its own answer.
var referenceOption = judging.Option{
	Name:  "self-reference",
	Label: "Judge with its own answer at hand",
	Usage: "the judge first answers the question in a separate call, then compares with its answer as " +
		"reference (LLMBar's strategy Reference, arXiv 2310.07641, in gavel's words)",
	Default: "false",
}

// referenceAsker is a comparison that shows the judge's own answer.
type referenceAsker struct{ pairwise }

// referenceSentence is gavel's own, and all that it adds to a system message. It stands at the end of the first
// paragraph, which says what is shown; what the last ones say of the verdict stays last.
const referenceSentence = "You will also be given a reference answer: " +
	"it is your own answer to the user prompt, given before you saw theirs, and it may be wrong."

// withReference is a template of a comparison with the sentence in it; the same where it has it already.
func withReference(t judging.Template) judging.Template {
	if strings.Contains(t.System, referenceSentence) {
		return t
	}
	first, rest, more := strings.Cut(t.System, "\n\n")
	system := first + " " + referenceSentence
	if more {
		system += "\n\n" + rest
	}
	return newTemplate(t.Name, t.Origin, system)
}

// adapt is a template as it is under settings.
func adapt(t judging.Template, s judging.Settings) judging.Template {
	if s.Get(referenceOption) == "true" && !byOutputs(t) {
		return withReference(t)
	}
	return t
}

// stage is that of the judge's own answers, where they are to be shown.
func stage(s judging.Settings) *judging.Stage {
	if s.Get(referenceOption) != "true" {
		return nil
	}
	return &judging.Stage{Presentations: 2, Each: eachReference}
}

// compareBy is the protocol of a comparison under settings.
func compareBy(p pairwise, s judging.Settings) judging.Asker {
	p.template = adapt(p.template, s)
	if s.Get(referenceOption) == "true" {
		return referenceAsker{p}
	}
	return p
}

// Check refuses a pair that the judge has not answered.
func (referenceAsker) Check(item datasets.Item) error {
	if item.Answered == nil || item.Answered.Reference == "" {
		return fmt.Errorf("%s has no answer of the judge's own: with --%s the judge answers the questions first",
			item.ID, referenceOption.Name)
	}
	return nil
}

// Prompt puts the reference between the question and the first response. Where
// that is follows from the question's length: nothing is searched.
func (p referenceAsker) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := p.pairwise.Prompt(item, s)
	if item.Answered == nil {
		return prompt
	}
	at := len(userPrompt) + len(item.Question)
	prompt.User = prompt.User[:at] + "\n\n<|The Start of Reference Answer|>\n" +
		item.Answered.Reference + "\n<|The End of Reference Answer|>" + prompt.User[at:]
	refer(&prompt.Oracle, item)
	return prompt
}

// refer says what a simulated judge sees named by the reference, where that can be told.
func refer(o *backends.Oracle, item datasets.Item) {
	own := item.Answered.Own
	if own == nil {
		return
	}
	o.Reference = o.Choices[o.Right]
	if !own.Right {
		o.Reference = o.Choices[1-o.Right]
	}
}

// Kinds of answers that are right or wrong as they stand, if both are of one
// kind; of formulas two that look different may be the same.
var plainKinds = []*regexp.Regexp{
	regexp.MustCompile(`^[a-z]$`),
	anyNumber,
	regexp.MustCompile(`^\pL[\pL,'-]+$`),
}

// anyNumber is how a final answer has a number.
var anyNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$|^-?\d+/\d+$`)

// plainlyOther tells whether two answers that look different cannot be the same.
func plainlyOther(a, b answer.FinalAnswer) bool {
	return slices.ContainsFunc(plainKinds, func(kind *regexp.Regexp) bool {
		return kind.MatchString(a.Value) && kind.MatchString(b.Value)
	})
}

// ownTo is what the judge's own reply to a pair's question came to, nil where that cannot be told. Nobody has published
// what is right: all that is known is that the response labelled the better ends with it. So the judge is right where
// it ends as that one does and the worse one does not, wrong where it ends as the worse one, or plainly otherwise than
// the better one.
func ownTo(item datasets.Item, reply string) *datasets.Answer {
	if item.Gold < 0 || item.Gold > 1 {
		return nil
	}
	own := answer.Final(reply)
	better := answer.Final(item.Candidates[item.Gold].Text)
	worse := answer.Final(item.Candidates[1-item.Gold].Text)
	switch {
	case own.Value == "" || better.Value == "" || better.Value == worse.Value:
		return nil
	case own.Value == better.Value:
		return &datasets.Answer{Value: own.Value, Right: true}
	case own.Value == worse.Value, plainlyOther(own, better):
		return &datasets.Answer{Value: own.Value}
	}
	return nil
}

// eachReference gives pairs the judge's own answers: each line as published, with the key "own_answer" added to its
// end. Pairs without one are left out and counted.
func eachReference(
	pairs *datasets.Set, rows []int, own *judging.Answers, _ []*judging.Answers, write func(line []byte) error,
) (judging.Made, error) {
	out := &judging.Referenced{Pairs: len(rows), NoOwn: map[judging.Lack]int{}}
	if err := own.Compare(pairs); err != nil {
		return nil, err
	}
	for _, row := range rows {
		item, err := pairs.Item(row)
		if err != nil {
			return nil, err
		}
		if item.Shape != datasets.Pair {
			return nil, fmt.Errorf("%s: is not a pair of responses (its shape is %s)", item.ID, item.Shape)
		}
		g, why := own.To(item)
		if why != judging.LackNone {
			out.NoOwn[why]++
			continue
		}
		answered := ownTo(item, g.Text)
		count(out, answered)
		line, err := withOwnAnswer(item, g.Text, answered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item.ID, err)
		}
		if err := write(line); err != nil {
			return nil, err
		}
	}
	out.Remark()
	return out, nil
}

func count(r *judging.Referenced, own *datasets.Answer) {
	switch {
	case own == nil:
		r.Unknown++
	case own.Right:
		r.Right++
	default:
		r.Wrong++
	}
}

// withOwnAnswer adds the key to a line; every byte that was published stays.
func withOwnAnswer(item datasets.Item, text string, own *datasets.Answer) ([]byte, error) {
	line, ok := bytes.CutSuffix(bytes.TrimRight(item.Raw, " \t\r"), []byte("}"))
	if !ok || item.Answered != nil {
		return nil, errors.New("has an answer of a judge already: use the file without them")
	}
	added := datasets.SelfGenerated{Text: &text}
	if own != nil {
		added.Value, added.Right = own.Value, &own.Right
	}
	key, err := codec.Marshal(map[string]any{"own_answer": added})
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimRight(line, " \t"), []byte(","), key[1:]), nil
}
