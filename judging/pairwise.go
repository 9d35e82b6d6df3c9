package judging

import (
	"regexp"
	"strings"

	"gavel/backends"
	"gavel/datasets"
)

// Goals of a comparison.
const (
	GoalBetter = "better"
	GoalWorse  = "worse"
)

const (
	grp       = "GRP (arXiv 2503.06139), Table 1"
	grpMirror = "mirror of GRP (arXiv 2503.06139), Table 1"
	arenaHard = "Arena-Hard (five choices)"
)

var Pairwise = Protocol{
	Name:  "pairwise",
	About: "two responses in both orders: which is better? (JudgeBench, arXiv 2410.12784)",
	Help:  pairsHelp,
	Goal:  GoalBetter, Judges: []datasets.Shape{datasets.Pair}, Showings: 2, FollowUps: true,
	Templates: []Template{
		embedded("pairwise", "sop", "JudgeBench's Arena-Hard prompt with two choices"),
		embedded("pairwise", "direct", grpMirror),
		embedded("pairwise", "cot", grpMirror),
		embedded("pairwise", "arena-hard", arenaHard),
	},
	Options: []Option{ReferenceOption},
	New:     func(t Template, s Settings) Asker { return compareBy(pairwise{"pairwise", GoalBetter, t}, s) },
}

var Reversed = Protocol{
	Name:  "reversed",
	About: "two responses in both orders: which is worse? (GRP, arXiv 2503.06139)",
	Help:  pairsHelp,
	Goal:  GoalWorse, Judges: []datasets.Shape{datasets.Pair}, Showings: 2, FollowUps: true,
	Templates: []Template{
		embedded("reversed", "sop", grp+", \"Goal-Reversed Prompting\""),
		embedded("reversed", "direct", grp+", \"Directly Prompting\""),
		embedded("reversed", "cot", grp+", \"CoT Prompting\""),
		embedded("reversed", "arena-hard", arenaHard+" with the goal reversed: gavel's own, no paper has it"),
	},
	Options: []Option{ReferenceOption},
	New:     func(t Template, s Settings) Asker { return compareBy(pairwise{"reversed", GoalWorse, t}, s) },
}

// pairwise compares two responses (PROTOCOLS.md §1). The goal changes what the
// judge is asked to name; the label states the order of quality in both.
type pairwise struct {
	name     string
	goal     string
	template Template
}

func (p pairwise) Name() string { return p.name }

// Showings: as published, then swapped.
func (pairwise) Showings(datasets.Item) []Showing {
	return []Showing{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
}

// followUp is JudgeBench's turn after a reply without a label.
const followUp = "continue your judgment and finish by outputting a final verdict label"

// userPrompt begins the user message.
const userPrompt = "<|User Prompt|>\n"

// Prompt writes the user message of JudgeBench's harness, to the byte. Texts
// are joined, never searched or formatted: they may hold anything.
func (p pairwise) Prompt(item datasets.Item, s Showing) Prompt {
	a, b := item.Candidates[s.Order[0]].Text, item.Candidates[s.Order[1]].Text
	var m strings.Builder
	m.Grow(len(item.Question) + len(a) + len(b) + 200)
	m.WriteString(userPrompt)
	m.WriteString(item.Question)
	m.WriteString("\n\n<|The Start of Assistant A's Answer|>\n")
	m.WriteString(a)
	m.WriteString("\n<|The End of Assistant A's Answer|>\n\n<|The Start of Assistant B's Answer|>\n")
	m.WriteString(b)
	m.WriteString("\n<|The End of Assistant B's Answer|>")
	prompt := Prompt{System: p.template.System, User: m.String(), FollowUp: followUp, Oracle: p.oracle(item, s)}
	for _, l := range p.template.Labels {
		prompt.Labels = append(prompt.Labels, "[["+l+"]]")
	}
	if p.template.Name != "direct" {
		prompt.LabelTurn = labelTurn
	}
	return prompt
}

// labelTurn is gavel's own: no paper constrains its judges.
const labelTurn = "Now output your final verdict label, and nothing else."

// oracle: in the reversed goal the place to name is that of the worse response,
// and naming it takes the label that puts the other above it.
func (p pairwise) oracle(item datasets.Item, s Showing) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Showing: s.Index, Order: s.Order, Choices: []string{"[[A>B]]", "[[B>A]]"}}
	named := item.Gold
	if p.goal == GoalWorse {
		o.Choices = []string{"[[B>A]]", "[[A>B]]"}
		named = 1 - item.Gold
	}
	if s.Order[1] == named {
		o.Right = 1
	}
	if p.template.offers(labelTie) {
		o.Tie = "[[A=B]]"
	}
	return o
}

// Labels in their plain form.
const (
	labelA   = "A>B"
	labelB   = "B>A"
	labelTie = "A=B"
)

// verdictLabel is JudgeBench's regular expression.
var verdictLabel = regexp.MustCompile(`\[\[([AB<>=]+)\]\]`)

// findLabels lists the labels in a text, in order, repeated ones too.
func findLabels(text string) []string {
	var labels []string
	for _, m := range verdictLabel.FindAllStringSubmatch(text, -1) {
		labels = append(labels, m[1])
	}
	return labels
}

// plainLabel reads >> as >, << as <, and A<B as B>A.
func plainLabel(label string) string {
	label = strings.ReplaceAll(strings.ReplaceAll(label, ">>", ">"), "<<", "<")
	switch label {
	case "A<B":
		return labelB
	case "B<A":
		return labelA
	case "B=A":
		return labelTie
	}
	return label
}

// Parse reads labels by PROTOCOLS.md §1: none is no verdict; under Unique, two
// that are written differently are a conflict; only then are they brought to
// their plain form, and one the prompt did not offer is no verdict.
func (p pairwise) Parse(s Showing, reply string, how Reading) Verdict {
	labels := findLabels(reply)
	if len(labels) == 0 {
		return Verdict{Outcome: NoVerdict, Choice: Nobody}
	}
	label := labels[len(labels)-1]
	if how.Policy != Last {
		for _, l := range labels {
			if l != label {
				return Verdict{Outcome: Conflict, Choice: Nobody}
			}
		}
	}
	plain := plainLabel(label)
	v := Verdict{Outcome: Decided, Label: label}
	switch {
	case !p.template.offers(plain):
		return Verdict{Outcome: NoVerdict, Label: label, Choice: Nobody}
	case plain == labelA:
		v.Choice = s.Order[0]
	case plain == labelB:
		v.Choice = s.Order[1]
	case plain == labelTie:
		v.Outcome, v.Choice = Tie, Nobody
	default: // offered by a prompt of one's own, but no order of two
		return Verdict{Outcome: NoVerdict, Label: label, Choice: Nobody}
	}
	return v
}

const pairsHelp = `Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is GOAL. Progress goes to standard error, the table to standard output.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run NAME --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o
  gavel run NAME --backend sim --model accuracy=0.8,first=0.2 --dataset sample`
