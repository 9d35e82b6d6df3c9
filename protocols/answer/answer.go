// Package answer asks models the questions of datasets. What they answer is scored by itself, judged by selfreference,
// or shown to a judge by pairwise. Its imports make runs of answers that other harnesses have stored.
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

// Protocol asks a model for its own answer. It is a stage: what it answers is
// scored by itself, and judged, or shown to a judge, by the next.
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
	Items: "questions", Goal: "answer", Asked: "What is the answer?", Judges: shapes, Presentations: 1, Answers: true,
	Templates: []judging.Template{answerTexts},
	Own:       own,
	Describe:  describe, Right: rightVerdict,
	Options: []judging.Option{markerOption},
	New:     func(t judging.Template, s judging.Settings) judging.Asker { return answer{t, s.Get(markerOption)} },
}

// Graded are the shapes of questions whose answers are right or wrong.
var Graded = []datasets.Shape{datasets.Choice, datasets.Number, datasets.Preference}

//go:embed prompts
var files embed.FS

var (
	shapes      = append(slices.Clone(Graded), datasets.Pair)
	answerTexts = judging.NewTexts("paper", "self-reference (arXiv 2509.19880), Figures 5, 6 and 7",
		judging.Texts(files, "prompts"), preferenceLabel)
)

// describe notes that a question was asked for its own sake: what the item says is right is right of something else.
func describe(r *judging.Record, item datasets.Item, s judging.Presentation) {
	r.Describe(item.Answered)
	if s.Shape == datasets.Open {
		r.Shape, r.Gold = s.Shape, ""
	}
}

// rightVerdict: numbers are the same however they are written.
func rightVerdict(r *judging.Record, v judging.Verdict) bool {
	if r.Shape == datasets.Number {
		return SameNumber(v.Answer, r.Gold)
	}
	choice := r.CandidateID(v.Choice)
	return choice != "" && choice == r.Gold
}

// Same tells whether a value that was read is the answer of an item.
func Same(item datasets.Item, value string) bool {
	if item.Shape == datasets.Number {
		return SameNumber(value, item.Answer)
	}
	return value == item.GoldID()
}

// AsAsked is the question as a judge reads it who judges its answer: with its options, and for a preference with both
// responses, each as who answered it has read them (Figures 6 and 7).
func AsAsked(item datasets.Item) string {
	p := answer{template: answerTexts}
	shown := p.Presentations(item)[0]
	switch item.Shape {
	case datasets.Choice:
		return item.Question + "\nOptions:\n" + lettered(item, shown)
	case datasets.Preference:
		return p.user(item, shown)
	}
	return item.Question
}

// answer asks a question by the prompt of its shape: the paper's Figure 5 for a
// number, 6 for a choice, 7 for a preference. Of a pair it asks the question as it
// stands, with nothing around it: that is what the two responses were given to.
type answer struct {
	template judging.Template
	marker   string // see markerOption; "" for none
}

// Texts of the template: the system message and the user's, by shape. A shape
// without a system message is asked without one.
const (
	systemText = ".system"
	userText   = ".user"
)

// own takes a system message of one's own, for every shape. The user's message stays the paper's; of a choice or a
// preference the system message has to say how to answer, since nothing else does.
func own(path, system string) (judging.Template, error) {
	if strings.TrimSpace(system) == "" {
		return judging.Template{}, errors.New("the prompt is empty: it must hold a system message")
	}
	texts := maps.Clone(answerTexts.Texts)
	for _, shape := range shapes {
		texts[string(askedOf(shape))+systemText] = system
	}
	return judging.NewTexts(path, "file", texts, preferenceLabel), nil
}

// askedOf is the shape of what is asked of items of a shape.
func askedOf(shape datasets.Shape) datasets.Shape {
	if shape == datasets.Pair {
		return datasets.Open
	}
	return shape
}

func (answer) Name() string { return name }

// Presentations: once, the candidates as the dataset has them.
func (answer) Presentations(item datasets.Item) []judging.Presentation {
	s := judging.Presentation{Shape: askedOf(item.Shape)}
	if s.Shape != datasets.Number && s.Shape != datasets.Open {
		s.Order = inOrder(len(item.Candidates))
	}
	return []judging.Presentation{s}
}

func inOrder(n int) []int {
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
		return judging.Fill(text, "{question}", item.Question, "{options}", lettered(item, s))
	case datasets.Preference:
		return judging.Fill(text, "{question}", item.Question,
			"{answer_a}", item.Candidates[s.Order[0]].Text, "{answer_b}", item.Candidates[s.Order[1]].Text)
	}
	return judging.Fill(text, "{question}", item.Question)
}

// lettered lists the options, a line each: "A. …".
func lettered(item datasets.Item, s judging.Presentation) string {
	lines := make([]string, len(s.Order))
	for position, c := range s.Order {
		lines[position] = letter(position) + ". " + item.Candidates[c].Text
	}
	return strings.Join(lines, "\n")
}

func letter(position int) string { return string(rune('A' + position)) }

// answerTurn is gavel's own: no paper constrains the answers.
const answerTurn = "Now output your final answer in the format asked for, and nothing else."

// labelsOf lists the answers on offer. A number has none: nothing can hold a reply to it.
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

// answerOracle: of a number a simulated judge can say the right one and two
// that are wrong, in an order that is the item's own.
func answerOracle(item datasets.Item, s judging.Presentation, labels []string) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, Choices: labels}
	switch s.Shape {
	case datasets.Number:
	case datasets.Open:
		return openOracle(item, s)
	default:
		o.Right = slices.Index(s.Order, item.Gold)
		return o
	}
	numbers := []string{item.Answer}
	if gold, ok := readNumber(item.Answer); ok {
		for _, off := range []int64{1, 10} {
			numbers = append(numbers, reading.Plain(new(big.Rat).Add(gold, big.NewRat(off, 1))))
		}
	}
	o.Order = inOrder(len(numbers))
	by := sha256.Sum256([]byte(item.ID))
	slices.SortFunc(o.Order, func(a, b int) int { return int(by[a]) - int(by[b]) })
	for _, n := range o.Order {
		o.Choices = append(o.Choices, "The answer is "+numbers[n])
	}
	o.Right = slices.Index(o.Order, 0)
	return o
}

// openOracle: to the question of a pair a simulated judge answers with what one of the responses ends with, the better
// one's where it is right. Whether it knows that is drawn apart from whether it compares them rightly.
func openOracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{Item: "answer to " + item.ID, Presentation: s.Index, Order: []int{0, 1}, Right: item.Gold}
	for _, c := range item.Candidates {
		answer := "as in response " + c.ID
		switch f := Final(c.Text); f.Rule {
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

// preferenceLabel is a label by its form; which of them are on offer is another question.
var preferenceLabel = regexp.MustCompile(`\[\[([A-Z])\]\]`)

// ReadsByPolicy is true of preferences, whose labels are in brackets.
func (answer) ReadsByPolicy(r *judging.Record) bool { return r.IsPreference() }

// Parse finds the answer by the rules of the item's shape.
func (p answer) Parse(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if v, ok := p.marked(s, reply, how); ok {
		return v
	}
	if how.Name == judging.Robust && s.Shape != datasets.Open {
		return robust(s, reply, how)
	}
	switch s.Shape {
	case datasets.Number:
		return findNumber(reply, how)
	case datasets.Open:
		f := Final(reply)
		if f.Value == "" {
			return judging.Silent(judging.NoVerdict)
		}
		return judging.Verdict{Outcome: judging.Decided, Choice: judging.Nobody, Answer: f.Value, Rule: f.Rule, Span: f.Span}
	case datasets.Preference:
		label, at, outcome := judging.OneLabel(preferenceLabel, reply, how.Policy)
		if outcome != judging.Decided {
			return judging.Verdict{Outcome: outcome, Choice: judging.Nobody, Span: at}
		}
		return placed(s, label, "", at)
	}
	at, rule := findLetter(reply, how)
	if at.Nowhere() {
		return judging.Silent(judging.NoVerdict)
	}
	return placed(s, reply[at.Start:at.End], rule, at)
}

// robust reads the answer of the final statement.
func robust(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if how.First {
		reply = reading.BeforeNext(reply)
	}
	var f reading.Found
	switch s.Shape {
	case datasets.Number:
		f = reading.Number(reply)
		v := judging.Found(f.Outcome, f.Rule, reply, f.Start, f.End, judging.Nobody)
		v.Answer = f.Value
		return v
	case datasets.Preference:
		var offered []string
		for position := range s.Order {
			offered = append(offered, letter(position))
		}
		f = reading.Preference(reply, offered)
	default:
		f = reading.Letter(reply, len(s.Order))
	}
	choice := judging.Nobody
	if f.Outcome == reading.Stated {
		choice = s.Order[f.Value[0]-'A']
	}
	return judging.Found(f.Outcome, f.Rule, reply, f.Start, f.End, choice)
}

// placed is the verdict for the candidate at the position of a letter; a letter that has none was not on offer.
func placed(s judging.Presentation, label, rule string, at judging.Span) judging.Verdict {
	position := int(label[0] - 'A')
	if position >= len(s.Order) {
		return judging.Verdict{Outcome: judging.NoVerdict, Label: label, Choice: judging.Nobody, Span: at}
	}
	return judging.Verdict{Outcome: judging.Decided, Label: label, Choice: s.Order[position], Rule: rule, Span: at}
}
