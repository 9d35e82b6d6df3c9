// Package pairwise compares two responses, shown in both orders. Its two protocols differ in the goal: pairwise asks
// for the better response (prompts/pairwise), reversed for the worse (reversed.go, prompts/reversed).
package pairwise

import (
	"embed"
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/protocols/reading"
)

// Goals of a comparison.
const (
	goalBetter = "better"
	goalWorse  = judging.GoalWorse
)

const (
	grp       = "GRP (arXiv 2503.06139), Table 1"
	grpMirror = "mirror of GRP (arXiv 2503.06139), Table 1"
	arenaHard = "Arena-Hard (five choices)"
)

//go:embed prompts
var files embed.FS

// Protocol asks which of two responses is the better.
var Protocol = newProtocol(judging.Protocol{
	Name:  "pairwise",
	About: "two responses in both orders: which is better? (JudgeBench, arXiv 2410.12784)",
	Goal:  goalBetter,
}, "JudgeBench's Arena-Hard prompt with two choices", grpMirror, grpMirror, arenaHard)

// newProtocol completes p, a comparison of two responses with a goal, with its prompts and their sources.
func newProtocol(p judging.Protocol, sop, direct, cot, hard string) judging.Protocol {
	texts := judging.Texts(files, "prompts/"+p.Name)
	for _, t := range []struct{ name, origin string }{{"sop", sop}, {"direct", direct}, {"cot", cot}, {
		"arena-hard", hard,
	}} {
		// the first is the default
		p.Templates = append(p.Templates, newTemplate(t.name, t.origin, texts[t.name]))
	}
	p.Templates = append(p.Templates, newTemplate(judging.Decision, "gavel", texts[judging.Decision]))
	if p.Goal == goalBetter {
		p.Templates = append(p.Templates, llmBarPrompt())
	}
	p.Help = pairsHelp
	p.Items = "pairs"
	p.Asks = "which is GOAL?"
	p.Shapes = []datasets.Shape{datasets.Pair}
	p.Presentations = 2
	p.FollowUps = true
	p.Options = []judging.Option{referenceOption}
	p.CustomTemplate = ownComparison
	p.Adapt = adapt
	p.Stage = stage
	p.Describe = func(r *judging.Record, item datasets.Item, _ judging.Presentation) { r.Describe(item.Answered) }
	p.CandidateName = responseName
	p.VerdictText = verdictWords
	p.LabelText = labelWords
	name, goal := p.Name, p.Goal
	p.New = func(t judging.Template, s judging.Settings) judging.Asker {
		p := pairwise{name: name, goal: goal, template: t}
		if byOutputs(t) {
			return outputs{p, s.Get(referenceOption) == "true"}
		}
		return compareBy(p, s)
	}
	return p
}

// responseName returns the name that prompts give the response at a position.
func responseName(t judging.Template, position int) string {
	if byOutputs(t) {
		return "Output (" + string('a'+rune(position)) + ")"
	}
	return "Assistant " + string('A'+rune(position))
}

// verdictWords says what a verdict means: a label states which response is better, whatever the goal.
func verdictWords(_, id string) string { return phrases.Say("item.better", id) }

// labelWords says what the label means and, if the goal is the worse response, which response is right to name.
func labelWords(goal string, right, ids []string) string {
	if goal == goalBetter || len(ids) != 2 {
		return phrases.Say("item.labelled", right[0])
	}
	worse := ids[0]
	if worse == right[0] {
		worse = ids[1]
	}
	return phrases.Say("item.labelled-worse", worse, right[0])
}

// newTemplate returns a prompt with the labels that its text names.
func newTemplate(name, origin, system string) judging.Template {
	return judging.NewTemplate(name, origin, system, findLabels(system))
}

// ownComparison reads a user's prompt, which must offer both [[A>B]] and [[B>A]].
func ownComparison(path, system string) (judging.Template, error) {
	t := newTemplate(path, "file", system)
	for _, want := range []string{labelA, labelB} {
		if !offers(t, want) {
			return judging.Template{},
				fmt.Errorf("the prompt offers no [[%s]]: it must name both [[A>B]] and [[B>A]] as labels", want)
		}
	}
	return t, nil
}

// offers reports whether the prompt has a label, given in plain form.
func offers(t judging.Template, plain string) bool {
	return slices.ContainsFunc(t.Labels, func(l string) bool { return plainLabel(l) == plain })
}

// pairwise compares two responses (PROTOCOLS.md §1). The goal changes what the judge is asked to name; the label
// always states which response is better.
type pairwise struct {
	name     string
	goal     string
	template judging.Template
}

func (p pairwise) Name() string { return p.name }

// spec returns the spec of a run whose parameters are not known.
func (p pairwise) spec(dataset judging.DatasetSpec, model judging.ModelSpec) judging.Spec {
	return judging.Spec{Protocol: p.name, Goal: p.goal, Prompt: p.template, Dataset: dataset, Model: model}
}

// Presentations returns the published order, then the swapped one.
func (pairwise) Presentations(datasets.Item) []judging.Presentation {
	return []judging.Presentation{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
}

// followUp is JudgeBench's second message after a reply without a label.
const followUp = "continue your judgment and finish by outputting a final verdict label"

// userPrompt starts the user message.
const userPrompt = "<|User Prompt|>\n"

// Question and Answer return the parts of the user message of JudgeBench's harness, which empty lines separate. Texts
// are joined, never searched or formatted, since they may contain anything.
func Question(text string) string { return userPrompt + text }

// Answer returns the part with the answer of an assistant.
func Answer(letter, text string) string {
	name := " of Assistant " + letter + "'s Answer|>"
	return "<|The Start" + name + "\n" + text + "\n<|The End" + name
}

// Prompt writes the user message of JudgeBench's harness, byte for byte.
func (p pairwise) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	a, b := item.Candidates[s.Order[0]].Text, item.Candidates[s.Order[1]].Text
	prompt := judging.Prompt{
		System:   p.template.System,
		User:     strings.Join([]string{Question(item.Question), Answer("A", a), Answer("B", b)}, "\n\n"),
		FollowUp: followUp,
		Oracle:   p.oracle(item, s),
	}
	for _, l := range p.template.Labels {
		prompt.Labels = append(prompt.Labels, "[["+l+"]]")
	}
	if p.template.Name != "direct" && p.template.Name != judging.Decision {
		prompt.LabelTurn = judging.LabelTurn
	}
	return prompt
}

// oracle tells simulated judges the position to name. With the reversed goal that is the worse response, and the label
// that names it puts the other one above it.
func (p pairwise) oracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, Choices: []string{"[[A>B]]", "[[B>A]]"}}
	target := item.Gold
	if target < 0 { // without a label a simulated judge still needs a response to prefer
		target = int(crc32.ChecksumIEEE([]byte(item.ID)) % 2)
	}
	if p.goal == goalWorse {
		o.Choices = []string{"[[B>A]]", "[[A>B]]"}
		target = 1 - target
	}
	if s.Order[1] == target {
		o.Correct = 1
	}
	if offers(p.template, labelTie) {
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

// findLabels returns the labels in a text, in order and with repetitions.
func findLabels(text string) []string {
	var labels []string
	for _, m := range verdictLabel.FindAllStringSubmatch(text, -1) {
		labels = append(labels, m[1])
	}
	return labels
}

// plainLabel returns the plain form of a label: >> is >, << is <, and A<B is B>A.
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

// ReadsByPolicy reports whether the run has replies to read.
func (pairwise) ReadsByPolicy(r *judging.Record) bool { return r.Imported == nil || !r.Imported.Stored }

// Parse reads labels by PROTOCOLS.md §1. Without a label there is no verdict; under Unique, two labels that are
// written differently are a conflict. After that they are put in plain form, and a label that the prompt does not offer
// is no verdict.
func (p pairwise) Parse(s judging.Presentation, reply string, method judging.Reading) judging.Verdict {
	if method.Name == judging.Robust {
		return p.robust(s, reply)
	}
	label, span, outcome := judging.OneLabel(verdictLabel, reply, method.Policy)
	v := judging.Verdict{Outcome: outcome, Label: label, Choice: judging.NoCandidate, Span: span}
	if outcome != judging.Decided {
		return v
	}
	switch plain := plainLabel(label); {
	case !offers(p.template, plain):
		v.Outcome = judging.NoVerdict
	case plain == labelA:
		v.Choice = s.Order[0]
	case plain == labelB:
		v.Choice = s.Order[1]
	case plain == labelTie:
		v.Outcome = judging.Tie
	default: // a label of a user's prompt that does not compare two responses
		v.Outcome = judging.NoVerdict
	}
	return v
}

// robust reads the label in the final statement of the reply.
func (p pairwise) robust(s judging.Presentation, reply string) judging.Verdict {
	var labels []string
	for _, l := range []string{labelA, labelB, labelTie} {
		if offers(p.template, l) {
			labels = append(labels, l)
		}
	}
	read := reading.PairLabel
	if p.goal == goalWorse {
		read = reading.WorseLabel
	}
	f := read(reply, labels)
	v := judging.NewVerdict(f.Outcome, f.Rule, reply, f.Start, f.End, s.Order[0])
	switch {
	case v.Outcome == judging.Decided && f.Value == labelTie:
		v.Outcome, v.Choice = judging.Tie, judging.NoCandidate
	case v.Outcome == judging.Decided && f.Value == labelB:
		v.Choice = s.Order[1]
	}
	return v
}

const pairsHelp = `Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is GOAL. Progress goes to standard error, the table to standard output.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run NAME --backend sim --model accuracy=0.8,first=0.2 --dataset sample

Several servers of one model:
  gavel run NAME --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o`
