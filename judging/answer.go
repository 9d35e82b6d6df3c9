package judging

import (
	"crypto/sha256"
	"errors"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
)

const selfReferencePaper = "self-reference (arXiv 2509.19880)"

// Answer asks a model for its own answer. It is a stage: what it answers is
// scored by itself, and judged, or shown to a judge, by the next (see [Stage]).
var Answer = Protocol{
	Name:  "answer",
	About: "a question of a dataset: a model's own answer (self-reference, arXiv 2509.19880, stages 1 and 2)",
	Help: `Asks a model the questions of a dataset and reads its answers: generation accuracy, by
group. An answer run is also a stage: as --agents of "gavel run self-reference" it is
judged, as --own it is the judge's own.

Examples:
  gavel run answer --model qwen3:8b --dataset gsm8k
  gavel run answer --model qwen3:8b --dataset mmlu-pro --group law --sample 50
  gavel run answer --backend sim --model accuracy=0.6 --dataset sample-choice`,
	Goal: "answer", Judges: answerShapes, Showings: 1,
	Templates: []Template{answerTexts},
	Own:       ownAnswer,
	Options:   []Option{markerOption},
	New:       func(t Template, s Settings) Asker { return answer{t, s.Get(markerOption)} },
}

var (
	gradedShapes = []datasets.Shape{datasets.Choice, datasets.Number, datasets.Preference} // whose answers are right or wrong
	answerShapes = append(slices.Clone(gradedShapes), datasets.Pair)
	answerTexts  = embeddedTexts("answer", "paper", selfReferencePaper+", Figures 5, 6 and 7", preferenceLabel)
)

// answer asks a question by the prompt of its shape: the paper's Figure 5 for a
// number, 6 for a choice, 7 for a preference. Of a pair it asks the question as it
// stands, with nothing around it: that is what the two responses were given to.
type answer struct {
	template Template
	marker   string // see markerOption; "" for none
}

// Texts of the template: the system message and the user's, by shape. A shape
// without a system message is asked without one.
const (
	systemText = ".system"
	userText   = ".user"
)

// ownAnswer takes a system message of one's own, for every shape. The user's
// message stays the paper's; of a choice or a preference the system message has
// to say how to answer, since nothing else does.
func ownAnswer(path, system string) (Template, error) {
	if strings.TrimSpace(system) == "" {
		return Template{}, errors.New("the prompt is empty: it must hold a system message")
	}
	texts := maps.Clone(answerTexts.Texts)
	for _, shape := range answerShapes {
		texts[string(askedOf(shape))+systemText] = system
	}
	return newTexts(path, "file", texts, preferenceLabel), nil
}

// askedOf is the shape of what is asked of items of a shape.
func askedOf(shape datasets.Shape) datasets.Shape {
	if shape == datasets.Pair {
		return datasets.Open
	}
	return shape
}

func (answer) Name() string { return "answer" }

// Showings: once, the candidates as the dataset has them.
func (answer) Showings(item datasets.Item) []Showing {
	s := Showing{Shape: askedOf(item.Shape)}
	if s.Shape != datasets.Number && s.Shape != datasets.Open {
		s.Order = inOrder(len(item.Candidates))
	}
	return []Showing{s}
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Prompt fills in the texts of the item's shape.
func (p answer) Prompt(item datasets.Item, s Showing) Prompt {
	prompt := Prompt{
		System: fill(p.template.Texts[string(s.Shape)+systemText], "{category}", item.Group),
		User:   p.user(item, s),
		Labels: labelsOf(item, s), LabelTurn: answerTurn,
	}
	prompt.Oracle = answerOracle(item, s, prompt.Labels)
	return prompt
}

func (p answer) user(item datasets.Item, s Showing) string {
	text := p.template.Texts[string(s.Shape)+userText]
	switch s.Shape {
	case datasets.Open:
		return item.Question
	case datasets.Choice:
		return fill(text, "{question}", item.Question, "{options}", lettered(item, s))
	case datasets.Preference:
		return fill(text, "{question}", item.Question,
			"{answer_a}", item.Candidates[s.Order[0]].Text, "{answer_b}", item.Candidates[s.Order[1]].Text)
	}
	return fill(text, "{question}", item.Question)
}

// lettered lists the options, a line each: "A. …".
func lettered(item datasets.Item, s Showing) string {
	lines := make([]string, len(s.Order))
	for place, c := range s.Order {
		lines[place] = letter(place) + ". " + item.Candidates[c].Text
	}
	return strings.Join(lines, "\n")
}

func letter(place int) string { return string(rune('A' + place)) }

// answerTurn is gavel's own: no paper constrains the answers.
const answerTurn = "Now output your final answer in the format asked for, and nothing else."

// labelsOf lists the answers on offer. A number has none: nothing can hold a
// reply to it.
func labelsOf(item datasets.Item, s Showing) []string {
	var labels []string
	for place := range s.Order {
		if item.Shape == datasets.Preference {
			labels = append(labels, "[["+letter(place)+"]]")
		} else {
			labels = append(labels, "The answer is ("+letter(place)+")")
		}
	}
	return labels
}

// answerOracle: of a number a simulated judge can say the right one and two
// that are wrong, in an order that is the item's own.
func answerOracle(item datasets.Item, s Showing, labels []string) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Showing: s.Index, Order: s.Order, Choices: labels}
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
			numbers = append(numbers, plain(new(big.Rat).Add(gold, big.NewRat(off, 1))))
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

// openOracle: to the question of a pair a simulated judge answers with what one
// of the responses ends with, the better one's where it is right. Whether it knows
// that is drawn apart from whether it compares them rightly.
func openOracle(item datasets.Item, s Showing) backends.Oracle {
	o := backends.Oracle{Item: "answer to " + item.ID, Showing: s.Index, Order: []int{0, 1}, Right: item.Gold}
	for _, c := range item.Candidates {
		answer := "as in response " + c.ID
		switch f := finalAnswer(c.Text); f.rule {
		case RuleFiveLetters:
			answer = strings.Repeat(strings.ToUpper(f.value), 5)
		case RuleBoxed:
			answer = `\boxed{` + f.value + `}`
		case RuleAnswer, RuleBold:
			answer = "**" + f.value + "**"
		}
		o.Choices = append(o.Choices, answer)
	}
	return o
}

// preferenceLabel is a label by its form; which of them are on offer is another
// question.
var preferenceLabel = regexp.MustCompile(`\[\[([A-Z])\]\]`)

// Parse finds the answer by the rules of the item's shape.
func (p answer) Parse(s Showing, reply string, how Reading) Verdict {
	if v, ok := p.marked(s, reply, how); ok {
		return v
	}
	switch s.Shape {
	case datasets.Number:
		value, written, rule := findNumber(reply, how)
		if value == "" {
			return Verdict{Outcome: NoVerdict, Choice: Nobody}
		}
		return Verdict{Outcome: Decided, Choice: Nobody, Answer: value, Label: written, Rule: rule}
	case datasets.Open:
		f := finalAnswer(reply)
		if f.value == "" {
			return Verdict{Outcome: NoVerdict, Choice: Nobody}
		}
		return Verdict{Outcome: Decided, Choice: Nobody, Answer: f.value, Rule: f.rule}
	case datasets.Preference:
		label, outcome := oneLabel(preferenceLabel, reply, how.Policy)
		if outcome != Decided {
			return Verdict{Outcome: outcome, Choice: Nobody}
		}
		return placed(s, label, "")
	}
	label, rule := findLetter(reply, how)
	if label == "" {
		return Verdict{Outcome: NoVerdict, Choice: Nobody}
	}
	return placed(s, label, rule)
}

// placed is the verdict for the candidate at the place of a letter; a letter
// that has none was not on offer.
func placed(s Showing, label, rule string) Verdict {
	place := int(label[0] - 'A')
	if place >= len(s.Order) {
		return Verdict{Outcome: NoVerdict, Label: label, Choice: Nobody}
	}
	return Verdict{Outcome: Decided, Label: label, Choice: s.Order[place], Rule: rule}
}

// oneLabel is the label that binds among all that a reply has: none is no
// verdict; under Unique, two that are written differently are a conflict.
func oneLabel(form *regexp.Regexp, reply string, policy Policy) (string, Outcome) {
	all := form.FindAllStringSubmatch(reply, -1)
	if len(all) == 0 {
		return "", NoVerdict
	}
	label := all[len(all)-1][1]
	if policy != Last {
		for _, m := range all {
			if m[1] != label {
				return "", Conflict
			}
		}
	}
	return label, Decided
}
