// Package answer asks models the questions of datasets. Their answers are scored, judged by selfreference, or shown to
// a judge by pairwise. Its importers turn answers that other harnesses stored into runs.
package answer

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

const name = "answer"

// Protocol asks a model for its own answers. Later runs may build on the finished run: selfreference judges its
// answers, pairwise shows them to a judge.
var Protocol = judging.Protocol{
	Name:  name,
	About: "a question of a dataset: a model's own answer (self-reference, arXiv 2509.19880, stages 1 and 2)",
	Help: `Asks a model the questions of a dataset and scores its answers: generation accuracy, by
group. "gavel run self-reference" can use the run too: --agents has its answers judged,
--own takes them as the judge's own.

Examples:
  gavel run answer --model qwen3:8b --dataset gsm8k
  gavel run answer --model qwen3:8b --dataset mmlu-pro --group law --sample 50
  gavel run answer --backend sim --model accuracy=0.6 --dataset sample-choice`,
	ItemsNoun:            "questions",
	Goal:                 "answer",
	PageQuestion:         "What is the answer?",
	Shapes:               shapes,
	PresentationsPerItem: 1,
	AnswersQuestions:     true,
	Templates:            []judging.Template{answerTexts, metricsPromptTexts},
	CustomTemplate:       templateFromFile,
	FillRecord:           fillRecord, Right: rightVerdict,
	Options:  []judging.Option{markerOption},
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker { return answer{t, s.Get(markerOption)} },
}

// GradableShapes lists the shapes (kinds) of dataset items whose answers can be graded as right or wrong.
var GradableShapes = []datasets.Shape{datasets.ShapeChoice, datasets.ShapeNumber, datasets.ShapePreference}

//go:embed prompts
var files embed.FS

var (
	// shapes lists the kinds of items that protocol answer asks.
	shapes = append(slices.Clone(GradableShapes), datasets.ShapePair)
	// answerTexts is the paper's prompt: for each shape a user message and, for some, a system message.
	answerTexts = judging.NewTemplateOfTexts("paper", "self-reference (arXiv 2509.19880), Figures 5, 6 and 7",
		judging.ReadPromptTexts(files, "prompts"), preferenceLabelPattern)
	// metricsPromptTexts asks which questions tell whether a response to a pair's question is good.
	metricsPromptTexts = judging.NewTemplateOfTexts(judging.MetricsPromptName, "LLMBar (arXiv 2310.07641), Metrics",
		judging.ReadPromptTexts(files, "prompts/metrics"), preferenceLabelPattern)
)

// fillRecord fills the record r with its item. Of a pair it clears the label: the label says which response is better,
// and is no answer to the pair's question.
func fillRecord(r *judging.Record, item datasets.Item, s judging.Presentation) {
	r.SetAnsweredQuestion(item.Answered)
	if s.Shape == datasets.ShapeOpen {
		r.Shape, r.Gold = s.Shape, ""
	}
}

// rightVerdict reports whether the verdict v on record r is the dataset's answer. Numbers are compared by value.
func rightVerdict(r *judging.Record, v judging.Verdict) bool {
	if r.Shape == datasets.ShapeNumber {
		return SameNumber(v.Answer, r.Gold)
	}
	choice := r.CandidateID(v.Choice)
	return choice != "" && choice == r.Gold
}

// IsRightAnswer reports whether value, an answer read from a reply, is the right one: an equal number or
// the right candidate's id.
func IsRightAnswer(item datasets.Item, value string) bool {
	if item.Shape == datasets.ShapeNumber {
		return SameNumber(value, item.Answer)
	}
	return value == item.GoldID()
}

// CandidateAnswers returns the answers to a graded question in the form that the prompts ask for: all options of a
// choice, or the right number and two wrong ones. right is the index of the right one.
func CandidateAnswers(item datasets.Item) (texts []string, right int) {
	p := answer{template: answerTexts}
	o := p.Prompt(item, p.Presentations(item)[0]).Oracle
	return o.VerdictLabels, o.CorrectPosition
}

// QuestionText returns the question as a judge of its answer sees it: with its options and, for a preference, with both
// responses, in the words of the prompt that was answered (Figures 6 and 7).
func QuestionText(item datasets.Item) string {
	p := answer{template: answerTexts}
	presentation := p.Presentations(item)[0]
	switch item.Shape {
	case datasets.ShapeChoice:
		return item.Question + "\nOptions:\n" + optionLines(item, presentation)
	case datasets.ShapePreference:
		return p.user(item, presentation)
	}
	return item.Question
}

// answer asks a question with the prompt of its shape: Figure 5 of arXiv 2509.19880 for a number, 6 for a choice, 7 for
// a preference. The question of a pair is sent alone, without any added text.
type answer struct {
	template     judging.Template
	answerMarker string // text before the answer in replies, such as "A:" (option marker); "" for none
}

// Keys of Template.Texts are a shape and one of these suffixes, such as "number.user". Without a text for
// "number.system", questions for a number are asked without a system message.
const (
	systemTextSuffix = ".system"
	userTextSuffix   = ".user"
)

// templateFromFile returns a prompt from the user's file at path: its text is the system message for every shape. The
// user messages stay the paper's. For a choice or a preference the system message has to say how to answer, since
// nothing else does.
func templateFromFile(path, system string) (judging.Template, error) {
	if strings.TrimSpace(system) == "" {
		return judging.Template{}, errors.New("the prompt is empty: it must hold a system message")
	}
	texts := maps.Clone(answerTexts.Texts)
	for _, shape := range shapes {
		texts[string(promptShape(shape))+systemTextSuffix] = system
	}
	return judging.NewTemplateOfTexts(path, "file", texts, preferenceLabelPattern), nil
}

// promptShape returns the shape whose texts ask an item of the given shape: open for a pair, else the shape itself.
func promptShape(shape datasets.Shape) datasets.Shape {
	if shape == datasets.ShapePair {
		return datasets.ShapeOpen
	}
	return shape
}

func (answer) Name() string { return name }

// Check returns an error if the prompt is for pairs and the item is none.
func (p answer) Check(item datasets.Item) error {
	if p.template.Name == judging.MetricsPromptName && item.Shape != datasets.ShapePair {
		return fmt.Errorf("%s is no pair: the prompt %s is for pairs", item.ID, judging.MetricsPromptName)
	}
	return nil
}

// Presentations returns one presentation, with the candidates in the dataset's order.
func (answer) Presentations(item datasets.Item) []judging.Presentation {
	s := judging.Presentation{Shape: promptShape(item.Shape)}
	if s.Shape != datasets.ShapeNumber && s.Shape != datasets.ShapeOpen {
		s.Order = datasets.FirstIndexes(len(item.Candidates))
	}
	return []judging.Presentation{s}
}

// Prompt returns the messages that ask item, the replies that --constrain allows, and the right answer for simulated
// judges.
func (p answer) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := judging.Prompt{
		System: judging.Fill(p.template.Texts[string(s.Shape)+systemTextSuffix], "{category}", item.Group),
		User:   p.user(item, s),
		Labels: labelsOf(item, s), LabelRequest: answerTurnText,
	}
	prompt.Oracle = answerOracle(item, s, prompt.Labels)
	return prompt
}

// user returns the user message that asks the question of item.
func (p answer) user(item datasets.Item, s judging.Presentation) string {
	text := cmp.Or(p.template.Texts[string(s.Shape)+userTextSuffix], "{question}")
	switch s.Shape {
	case datasets.ShapeChoice:
		return judging.Fill(text, "{question}", item.Question, "{options}", optionLines(item, s))
	case datasets.ShapePreference:
		return judging.Fill(text, "{question}", item.Question,
			"{answer_a}", item.Candidates[s.Order[0]].Text, "{answer_b}", item.Candidates[s.Order[1]].Text)
	}
	return judging.Fill(text, "{question}", item.Question)
}

// optionLines lists the item's options in the order of s, a line each: "A. …".
func optionLines(item datasets.Item, s judging.Presentation) string {
	lines := make([]string, len(s.Order))
	for position, c := range s.Order {
		lines[position] = letter(position) + ". " + item.Candidates[c].Text
	}
	return strings.Join(lines, "\n")
}

// letter returns the letter that labels a position: A for 0.
func letter(position int) string { return string(rune('A' + position)) }

// answerTurnText asks for the label alone after free reasoning, when --constrain limits replies to labels. It is
// gavel's own: no paper constrains the answers.
const answerTurnText = "Now output your final answer in the format asked for, and nothing else."

// labelsOf returns the replies that --constrain allows, one for each option; none for questions without options.
func labelsOf(item datasets.Item, s judging.Presentation) []string {
	var labels []string
	for position := range s.Order {
		if item.Shape == datasets.ShapePreference {
			labels = append(labels, "[["+letter(position)+"]]")
		} else {
			labels = append(labels, "The answer is ("+letter(position)+")")
		}
	}
	return labels
}

// answerOracle tells simulated judges the right answer to item. For a number they choose from the right one and two
// wrong ones, in an order that depends on the item's id.
func answerOracle(item datasets.Item, s judging.Presentation, labels []string) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, VerdictLabels: labels}
	switch s.Shape {
	case datasets.ShapeNumber:
	case datasets.ShapeOpen:
		return openQuestionOracle(item, s)
	default:
		o.CorrectPosition = slices.Index(s.Order, item.Gold)
		return o
	}
	numbers := []string{item.Answer}
	if gold, ok := readNumber(item.Answer); ok {
		for _, off := range []int64{1, 10} {
			numbers = append(numbers, reading.FormatNumber(new(big.Rat).Add(gold, big.NewRat(off, 1))))
		}
	}
	o.Order = datasets.FirstIndexes(len(numbers))
	sum := sha256.Sum256([]byte(item.ID))
	slices.SortFunc(o.Order, func(a, b int) int { return int(sum[a]) - int(sum[b]) })
	for _, n := range o.Order {
		o.VerdictLabels = append(o.VerdictLabels, "The answer is "+numbers[n])
	}
	o.CorrectPosition = slices.Index(o.Order, 0)
	return o
}

// openQuestionOracle makes a simulated judge answer a pair's question with the final answer of one of the two
// responses; the better one's answer is right. Whether it answers correctly does not affect how it compares them.
func openQuestionOracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{
		Item: "answer to " + item.ID, Presentation: s.Index, Order: []int{0, 1}, CorrectPosition: item.Gold,
	}
	for _, c := range item.Candidates {
		answer := "as in response " + c.ID
		switch f := ReadFinal(c.Text); f.Rule {
		case RuleFiveEqualLetters:
			answer = strings.Repeat(strings.ToUpper(f.Value), 5)
		case ruleBoxed:
			answer = `\boxed{` + f.Value + `}`
		case ruleAfterAnswerWord, ruleBold:
			answer = "**" + f.Value + "**"
		}
		o.VerdictLabels = append(o.VerdictLabels, answer)
	}
	return o
}

// preferenceLabelPattern matches a label such as [[C]], whether or not there is an option of that letter.
var preferenceLabelPattern = regexp.MustCompile(`\[\[([A-Z])\]\]`)

// ReadsByPolicy reports whether the policy for replies with several labels applies to r: only
// preferences have labels in brackets.
func (answer) ReadsByPolicy(r *judging.Record) bool { return r.IsPreference() }

// Parse reads the model's answer from its reply: after the run's marker if it has one, else by the rules of the item's
// shape.
func (p answer) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if v, ok := p.readMarked(s, reply, method); ok {
		return v
	}
	if method.Readers == judging.RobustReaders && s.Shape != datasets.ShapeOpen {
		return readRobust(s, reply, method)
	}
	switch s.Shape {
	case datasets.ShapeNumber:
		return findNumber(reply, method)
	case datasets.ShapeOpen:
		f := ReadFinal(reply)
		if f.Value == "" {
			return judging.EmptyVerdict(judging.NoVerdict)
		}
		return judging.Verdict{
			Outcome: judging.Decided, Choice: judging.NoCandidate, Answer: f.Value, Rule: f.Rule, Span: f.Span,
		}
	case datasets.ShapePreference:
		label, span, outcome := judging.FindReplyLabel(preferenceLabelPattern, reply, method.LabelPolicy)
		if outcome != judging.Decided {
			return judging.Verdict{Outcome: outcome, Choice: judging.NoCandidate, Span: span}
		}
		return letterVerdict(s, label, "", span)
	}
	span, rule := findLetter(reply, method)
	if span.IsZero() {
		return judging.EmptyVerdict(judging.NoVerdict)
	}
	return letterVerdict(s, reply[span.Start:span.End], rule, span)
}

// readRobust reads the answer by the robust readers, which take a reply's final statement, not by the paper's rules.
func readRobust(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.FirstAnswer {
		reply = reading.CutAtNextQuestion(reply)
	}
	var f reading.Match
	switch s.Shape {
	case datasets.ShapeNumber:
		f = reading.Number(reply)
		v := judging.NewVerdict(f, reply, judging.NoCandidate)
		v.Answer = f.Value
		return v
	case datasets.ShapePreference:
		var letters []string
		for position := range s.Order {
			letters = append(letters, letter(position))
		}
		f = reading.Preference(reply, letters)
	default:
		f = reading.Letter(reply, len(s.Order))
	}
	choice := judging.NoCandidate
	if f.Outcome == reading.Decided {
		choice = s.Order[f.Value[0]-'A']
	}
	return judging.NewVerdict(f, reply, choice)
}

// letterVerdict returns the verdict for the candidate at the position of a letter, which label begins with. For a
// letter beyond the options it has no verdict.
func letterVerdict(s judging.Presentation, label, rule string, span judging.Span) judging.Verdict {
	position := int(label[0] - 'A')
	if position >= len(s.Order) {
		return judging.Verdict{Outcome: judging.NoVerdict, Label: label, Choice: judging.NoCandidate, Span: span}
	}
	return judging.Verdict{Outcome: judging.Decided, Label: label, Choice: s.Order[position], Rule: rule, Span: span}
}
