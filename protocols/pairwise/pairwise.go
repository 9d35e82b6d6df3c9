// Package pairwise compares two responses, shown in both orders. It has two protocols that differ in what they ask for:
// pairwise asks for the better (prompts/pairwise), reversed for the worse (reversed.go, prompts/reversed).
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
var Protocol = of(judging.Protocol{
	Name:  "pairwise",
	About: "two responses in both orders: which is better? (JudgeBench, arXiv 2410.12784)",
	Goal:  goalBetter,
}, "JudgeBench's Arena-Hard prompt with two choices", grpMirror, grpMirror, arenaHard)

// of is the comparison of two responses for a goal, with its prompts and where they are from.
func of(p judging.Protocol, sop, direct, cot, hard string) judging.Protocol {
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
	p.Judges = []datasets.Shape{datasets.Pair}
	p.Presentations = 2
	p.FollowUps = true
	p.Options = []judging.Option{referenceOption}
	p.Own = ownComparison
	p.Adapt = adapt
	p.Stage = stage
	p.Describe = func(r *judging.Record, item datasets.Item, _ judging.Presentation) { r.Describe(item.Answered) }
	p.Called = called
	p.Says = says
	p.Labelled = rightWords
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

// called is what prompts call the response shown at a position.
func called(t judging.Template, position int) string {
	if byOutputs(t) {
		return "Output (" + string('a'+rune(position)) + ")"
	}
	return "Assistant " + string('A'+rune(position))
}

// says is what a verdict says: a label states which is better, whatever the goal.
func says(_, id string) string { return id + " is the better" }

// rightWords are what the label says, and what it is right to name where the worse is asked for.
func rightWords(goal string, right, shown []string) string {
	if goal == goalBetter || len(shown) != 2 {
		return right[0] + ", labelled the better"
	}
	worse := shown[0]
	if worse == right[0] {
		worse = shown[1]
	}
	return fmt.Sprintf("%s is worse, %s is labelled the better", worse, right[0])
}

// newTemplate is a prompt with the labels that it names.
func newTemplate(name, origin, system string) judging.Template {
	return judging.NewTemplate(name, origin, system, findLabels(system))
}

// ownComparison is a prompt of one's own: it must offer both [[A>B]] and [[B>A]].
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

// offers tells whether a label, in its plain form, is among those of the prompt.
func offers(t judging.Template, plain string) bool {
	return slices.ContainsFunc(t.Labels, func(l string) bool { return plainLabel(l) == plain })
}

// pairwise compares two responses (PROTOCOLS.md §1). The goal changes what the
// judge is asked to name; the label states the order of quality in both.
type pairwise struct {
	name     string
	goal     string
	template judging.Template
}

func (p pairwise) Name() string { return p.name }

// spec of a run of it whose parameters nobody knows.
func (p pairwise) spec(dataset judging.DatasetSpec, model judging.ModelSpec) judging.Spec {
	return judging.Spec{Protocol: p.name, Goal: p.goal, Prompt: p.template, Dataset: dataset, Model: model}
}

// Presentations: as published, then swapped.
func (pairwise) Presentations(datasets.Item) []judging.Presentation {
	return []judging.Presentation{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
}

// followUp is JudgeBench's turn after a reply without a label.
const followUp = "continue your judgment and finish by outputting a final verdict label"

// userPrompt begins the user message.
const userPrompt = "<|User Prompt|>\n"

// Question and Answer are the parts of the user message of JudgeBench's harness, which an empty line joins. Texts are
// joined, never searched or formatted: they may hold anything.
func Question(text string) string { return userPrompt + text }

// Answer is that of an assistant, by its letter.
func Answer(letter, text string) string {
	name := " of Assistant " + letter + "'s Answer|>"
	return "<|The Start" + name + "\n" + text + "\n<|The End" + name
}

// Prompt writes the user message of JudgeBench's harness, to the byte.
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

// oracle: in the reversed goal the position to name is that of the worse response,
// and naming it takes the label that puts the other above it.
func (p pairwise) oracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, Choices: []string{"[[A>B]]", "[[B>A]]"}}
	named := item.Gold
	if named < 0 { // nobody said: a simulated judge holds to an opinion all the same
		named = int(crc32.ChecksumIEEE([]byte(item.ID)) % 2)
	}
	if p.goal == goalWorse {
		o.Choices = []string{"[[B>A]]", "[[A>B]]"}
		named = 1 - named
	}
	if s.Order[1] == named {
		o.Right = 1
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

// ReadsByPolicy is true where replies are read at all.
func (pairwise) ReadsByPolicy(r *judging.Record) bool { return r.Imported == nil || !r.Imported.Stored }

// Parse reads labels by PROTOCOLS.md §1: none is no verdict; under Unique, two that are written differently are a
// conflict; only then are they brought to their plain form, and one the prompt did not offer is no verdict.
func (p pairwise) Parse(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if how.Name == judging.Robust {
		return p.robust(s, reply)
	}
	label, at, outcome := judging.OneLabel(verdictLabel, reply, how.Policy)
	v := judging.Verdict{Outcome: outcome, Label: label, Choice: judging.Nobody, Span: at}
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
	default: // offered by a prompt of one's own, but no order of two
		v.Outcome = judging.NoVerdict
	}
	return v
}

// robust reads the label of the final statement.
func (p pairwise) robust(s judging.Presentation, reply string) judging.Verdict {
	var offered []string
	for _, l := range []string{labelA, labelB, labelTie} {
		if offers(p.template, l) {
			offered = append(offered, l)
		}
	}
	read := reading.PairLabel
	if p.goal == goalWorse {
		read = reading.WorseLabel
	}
	f := read(reply, offered)
	v := judging.Found(f.Outcome, f.Rule, reply, f.Start, f.End, s.Order[0])
	switch {
	case v.Outcome == judging.Decided && f.Value == labelTie:
		v.Outcome, v.Choice = judging.Tie, judging.Nobody
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
