// Package answer asks models the questions of datasets. Their answers are scored, judged by selfreference, or shown to
// a judge by pairwise. Its importers turn answers that other harnesses stored into runs.
package answer

import (
	"crypto/sha256"
	"embed"
	"errors"
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

// Protocol asks a model for its own answers. A run is also a stage of runs in which its answers are judged or shown to
// a judge.
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
	Items: "questions", Goal: "answer", Asked: "What is the answer?", Shapes: shapes, Presentations: 1, Answers: true,
	Templates:      []judging.Template{answerTexts},
	CustomTemplate: ownPrompt,
	Describe:       describe, Right: rightVerdict,
	Options: []judging.Option{markerOption},
	New:     func(t judging.Template, s judging.Settings) judging.Asker { return answer{t, s.Get(markerOption)} },
}

// Graded lists the shapes of questions whose answers are right or wrong.
var Graded = []datasets.Shape{datasets.Choice, datasets.Number, datasets.Preference}

//go:embed prompts
var files embed.FS

var (
	shapes      = append(slices.Clone(Graded), datasets.Pair)
	answerTexts = judging.NewTexts("paper", "self-reference (arXiv 2509.19880), Figures 5, 6 and 7",
		judging.Texts(files, "prompts"), preferenceLabel)
)

// describe clears the label of a pair, which is about its responses and not about an answer to its question.
func describe(r *judging.Record, item datasets.Item, s judging.Presentation) {
	r.Describe(item.Answered)
	if s.Shape == datasets.Open {
		r.Shape, r.Gold = s.Shape, ""
	}
}

// rightVerdict reports whether an answer is right. Numbers are compared by value.
func rightVerdict(r *judging.Record, v judging.Verdict) bool {
	if r.Shape == datasets.Number {
		return SameNumber(v.Answer, r.Gold)
	}
	choice := r.CandidateID(v.Choice)
	return choice != "" && choice == r.Gold
}

// IsAnswer reports whether a value that was read is the answer of an item.
func IsAnswer(item datasets.Item, value string) bool {
	if item.Shape == datasets.Number {
		return SameNumber(value, item.Answer)
	}
	return value == item.GoldID()
}

// FinalAnswers returns the answers to a graded question in the form that the prompts ask for: all options of a choice,
// or the right number and two wrong ones. right is the index of the right one.
func FinalAnswers(item datasets.Item) (texts []string, right int) {
	p := answer{template: answerTexts}
	o := p.Prompt(item, p.Presentations(item)[0]).Oracle
	return o.Choices, o.Correct
}

// QuestionText returns the question as a judge of its answer sees it: with its options and, for a preference, with both
// responses, in the words of the prompt that was answered (Figures 6 and 7).
func QuestionText(item datasets.Item) string {
	p := answer{template: answerTexts}
	presentation := p.Presentations(item)[0]
	switch item.Shape {
	case datasets.Choice:
		return item.Question + "\nOptions:\n" + optionLines(item, presentation)
	case datasets.Preference:
		return p.user(item, presentation)
	}
	return item.Question
}

// answer asks a question with the prompt of its shape: the paper's Figure 5 for a number, 6 for a choice, 7 for a
// preference. The question of a pair is asked as it stands, as it was for the two responses.
type answer struct {
	template judging.Template
	marker   string // see markerOption; "" for none
}

// Suffixes of the template's texts, after the shape: system message and user message. A shape without a system message
// is asked without one.
const (
	systemText = ".system"
	userText   = ".user"
)

// ownPrompt uses a user's system message for every shape. The user message stays the paper's. For a choice or a
// preference the system message has to say how to answer, since nothing else does.
func ownPrompt(path, system string) (judging.Template, error) {
	if strings.TrimSpace(system) == "" {
		return judging.Template{}, errors.New("the prompt is empty: it must hold a system message")
	}
	texts := maps.Clone(answerTexts.Texts)
	for _, shape := range shapes {
		texts[string(promptShape(shape))+systemText] = system
	}
	return judging.NewTexts(path, "file", texts, preferenceLabel), nil
}

// promptShape returns the shape of the prompt for items of a shape.
func promptShape(shape datasets.Shape) datasets.Shape {
	if shape == datasets.Pair {
		return datasets.Open
	}
	return shape
}

func (answer) Name() string { return name }

// Presentations returns one presentation, with the candidates in the dataset's order.
func (answer) Presentations(item datasets.Item) []judging.Presentation {
	s := judging.Presentation{Shape: promptShape(item.Shape)}
	if s.Shape != datasets.Number && s.Shape != datasets.Open {
		s.Order = ascending(len(item.Candidates))
	}
	return []judging.Presentation{s}
}

func ascending(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Prompt fills in the texts of the item's shape.
func (p answer) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := judging.Prompt{
		System: judging.Fill(p.template.Texts[string(s.Shape)+systemText], "{category}", item.Group),
		User:   p.user(item, s),
		Labels: labelsOf(item, s), LabelTurn: answerTurn,
	}
	prompt.Oracle = answerOracle(item, s, prompt.Labels)
	return prompt
}

func (p answer) user(item datasets.Item, s judging.Presentation) string {
	text := p.template.Texts[string(s.Shape)+userText]
	switch s.Shape {
	case datasets.Open:
		return item.Question
	case datasets.Choice:
		return judging.Fill(text, "{question}", item.Question, "{options}", optionLines(item, s))
	case datasets.Preference:
		return judging.Fill(text, "{question}", item.Question,
			"{answer_a}", item.Candidates[s.Order[0]].Text, "{answer_b}", item.Candidates[s.Order[1]].Text)
	}
	return judging.Fill(text, "{question}", item.Question)
}

// optionLines lists the options, a line each: "A. …".
func optionLines(item datasets.Item, s judging.Presentation) string {
	lines := make([]string, len(s.Order))
	for position, c := range s.Order {
		lines[position] = letter(position) + ". " + item.Candidates[c].Text
	}
	return strings.Join(lines, "\n")
}

func letter(position int) string { return string(rune('A' + position)) }

// answerTurn is gavel's own: no paper constrains the answers.
const answerTurn = "Now output your final answer in the format asked for, and nothing else."

// labelsOf returns the answers on offer. Replies to a question for a number cannot be constrained.
func labelsOf(item datasets.Item, s judging.Presentation) []string {
	var labels []string
	for position := range s.Order {
		if item.Shape == datasets.Preference {
			labels = append(labels, "[["+letter(position)+"]]")
		} else {
			labels = append(labels, "The answer is ("+letter(position)+")")
		}
	}
	return labels
}

// answerOracle tells simulated judges the right answer. For a number they choose from the right one and two wrong ones,
// in an order that depends on the item.
func answerOracle(item datasets.Item, s judging.Presentation, labels []string) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, Choices: labels}
	switch s.Shape {
	case datasets.Number:
	case datasets.Open:
		return openOracle(item, s)
	default:
		o.Correct = slices.Index(s.Order, item.Gold)
		return o
	}
	numbers := []string{item.Answer}
	if gold, ok := readNumber(item.Answer); ok {
		for _, off := range []int64{1, 10} {
			numbers = append(numbers, reading.FormatNumber(new(big.Rat).Add(gold, big.NewRat(off, 1))))
		}
	}
	o.Order = ascending(len(numbers))
	sum := sha256.Sum256([]byte(item.ID))
	slices.SortFunc(o.Order, func(a, b int) int { return int(sum[a]) - int(sum[b]) })
	for _, n := range o.Order {
		o.Choices = append(o.Choices, "The answer is "+numbers[n])
	}
	o.Correct = slices.Index(o.Order, 0)
	return o
}

// openOracle makes a simulated judge answer a pair's question with the final answer of one of the responses; that of
// the better one is right. This is independent of whether it compares the responses correctly.
func openOracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{Item: "answer to " + item.ID, Presentation: s.Index, Order: []int{0, 1}, Correct: item.Gold}
	for _, c := range item.Candidates {
		answer := "as in response " + c.ID
		switch f := ReadFinal(c.Text); f.Rule {
		case RuleFiveLetters:
			answer = strings.Repeat(strings.ToUpper(f.Value), 5)
		case ruleBoxed:
			answer = `\boxed{` + f.Value + `}`
		case ruleAnswer, ruleBold:
			answer = "**" + f.Value + "**"
		}
		o.Choices = append(o.Choices, answer)
	}
	return o
}

// preferenceLabel matches a label by its form, whether or not it is on offer.
var preferenceLabel = regexp.MustCompile(`\[\[([A-Z])\]\]`)

// ReadsByPolicy reports whether the answer is a preference, whose labels are in brackets.
func (answer) ReadsByPolicy(r *judging.Record) bool { return r.IsPreference() }

// Parse reads the answer by the rules of the item's shape.
func (p answer) Parse(s judging.Presentation, reply string, method judging.Reading) judging.Verdict {
	if v, ok := p.readMarked(s, reply, method); ok {
		return v
	}
	if method.Name == judging.Robust && s.Shape != datasets.Open {
		return robust(s, reply, method)
	}
	switch s.Shape {
	case datasets.Number:
		return findNumber(reply, method)
	case datasets.Open:
		f := ReadFinal(reply)
		if f.Value == "" {
			return judging.EmptyVerdict(judging.NoVerdict)
		}
		return judging.Verdict{
			Outcome: judging.Decided, Choice: judging.NoCandidate, Answer: f.Value, Rule: f.Rule, Span: f.Span,
		}
	case datasets.Preference:
		label, span, outcome := judging.OneLabel(preferenceLabel, reply, method.Policy)
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

// robust reads the answer in the final statement of the reply.
func robust(s judging.Presentation, reply string, method judging.Reading) judging.Verdict {
	if method.First {
		reply = reading.CutAtNextQuestion(reply)
	}
	var f reading.Match
	switch s.Shape {
	case datasets.Number:
		f = reading.Number(reply)
		v := judging.NewVerdict(f.Outcome, f.Rule, reply, f.Start, f.End, judging.NoCandidate)
		v.Answer = f.Value
		return v
	case datasets.Preference:
		var letters []string
		for position := range s.Order {
			letters = append(letters, letter(position))
		}
		f = reading.Preference(reply, letters)
	default:
		f = reading.Letter(reply, len(s.Order))
	}
	choice := judging.NoCandidate
	if f.Outcome == reading.Stated {
		choice = s.Order[f.Value[0]-'A']
	}
	return judging.NewVerdict(f.Outcome, f.Rule, reply, f.Start, f.End, choice)
}

// letterVerdict returns the verdict for the candidate at a letter's position. Other letters are no verdict.
func letterVerdict(s judging.Presentation, label, rule string, span judging.Span) judging.Verdict {
	position := int(label[0] - 'A')
	if position >= len(s.Order) {
		return judging.Verdict{Outcome: judging.NoVerdict, Label: label, Choice: judging.NoCandidate, Span: span}
	}
	return judging.Verdict{Outcome: judging.Decided, Label: label, Choice: s.Order[position], Rule: rule, Span: span}
}
