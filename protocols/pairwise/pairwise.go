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

// Goals of a comparison: the judge is asked for the better or for the worse response.
const (
	goalBetter = "better"
	goalWorse  = judging.GoalWorse
)

const (
	// Sources of prompts, as manifests name them.
	originGRP       = "GRP (arXiv 2503.06139), Table 1"
	originGRPMirror = "mirror of GRP (arXiv 2503.06139), Table 1"
	originArenaHard = "Arena-Hard (five choices)"
)

//go:embed prompts
var files embed.FS

// Protocol asks which of two responses is the better.
var Protocol = newProtocol(judging.Protocol{
	Name:  "pairwise",
	About: "two responses in both orders: which is better? (JudgeBench, arXiv 2410.12784)",
	Goal:  goalBetter,
}, "JudgeBench's Arena-Hard prompt with two choices", originGRPMirror, originGRPMirror, originArenaHard)

// newProtocol adds to p, a comparison with a name and a goal, what pairwise and reversed share, and its prompts. The
// other arguments are the sources of the prompts of these names.
func newProtocol(p judging.Protocol, sop, direct, cot, hard string) judging.Protocol {
	texts := judging.ReadPromptTexts(files, "prompts/"+p.Name)
	for _, t := range [][2]string{ // the first is the default
		{"sop", sop}, {"direct", direct}, {"cot", cot}, {"arena-hard", hard}, {judging.DecisionPromptName, "gavel"},
	} {
		p.Templates = append(p.Templates, newTemplate(t[0], t[1], texts[t[0]]))
	}
	if p.Goal == goalBetter {
		p.Templates = append(p.Templates, llmBarPrompt())
	}
	p.Help = pairsHelp
	p.ItemsNoun = "pairs"
	p.QuestionTemplate = "which is GOAL?"
	p.Shapes = []datasets.Shape{datasets.ShapePair}
	p.PresentationsPerItem = 2
	p.HasFollowUpTurn = true
	p.Options = []judging.Option{referenceOption, orderOption}
	p.CustomTemplate = templateFromFile
	p.ChangeTemplate = adapt
	p.Stage = stage
	p.FillRecord = func(r *judging.Record, item datasets.Item, _ judging.Presentation) {
		r.SetAnsweredQuestion(item.Answered)
	}
	p.CandidateName = responseName
	p.VerdictText = verdictWords
	p.CorrectAnswerText = explainLabel
	name, goal := p.Name, p.Goal
	p.NewAsker = func(t judging.Template, s judging.Settings) judging.Asker {
		p := pairwise{name: name, goal: goal, template: t, oneOrder: s[OneOrder] == "true"}
		if hasOutputLabels(t) {
			return llmBarAsker{p, s.Get(referenceOption) == "true"}
		}
		return newAsker(p, s)
	}
	return p
}

// responseName returns the name that prompts give the response at a position.
func responseName(t judging.Template, position int) string {
	if hasOutputLabels(t) {
		return "Output (" + string('a'+rune(position)) + ")"
	}
	return "Assistant " + string('A'+rune(position))
}

// verdictWords returns the sentence that explains a verdict for response id on a page: the response is judged
// better, whatever the goal.
func verdictWords(_, id string) string { return phrases.Sentence("item.better", id) }

// explainLabel returns the sentence that explains a pair's label on a page and, if the goal is the worse response,
// which response a judge is right to name.
func explainLabel(goal string, right, ids []string) string {
	if goal == goalBetter || len(ids) != 2 {
		return phrases.Sentence("item.labelled", right[0])
	}
	worse := ids[0]
	if worse == right[0] {
		worse = ids[1]
	}
	return phrases.Sentence("item.labelled-worse", worse, right[0])
}

// newTemplate returns a prompt whose labels are those that the system message names.
func newTemplate(name, origin, system string) judging.Template {
	return judging.NewTemplate(name, origin, system, findLabels(system))
}

// templateFromFile returns the prompt of a user's file, which must offer both [[A>B]] and [[B>A]].
func templateFromFile(path, system string) (judging.Template, error) {
	t := newTemplate(path, "file", system)
	for _, want := range []string{labelA, labelB} {
		if !offersLabel(t, want) {
			return judging.Template{},
				fmt.Errorf("the prompt offers no [[%s]]: it must name both [[A>B]] and [[B>A]] as labels", want)
		}
	}
	return t, nil
}

// offersLabel reports whether the prompt has a label, such as A>B; [[A>>B]] counts as A>B.
func offersLabel(t judging.Template, plain string) bool {
	return slices.ContainsFunc(t.Labels, func(l string) bool { return plainLabel(l) == plain })
}

// pairwise asks a judge to compare two responses (PROTOCOLS.md §1). The goal says which response the judge is asked to
// name; a label always states which response is better.
type pairwise struct {
	name     string
	goal     string // better or worse
	template judging.Template
	oneOrder bool // each pair is shown in one order
}

func (p pairwise) Name() string { return p.name }

// runSpec returns the spec of a run whose parameters are not known.
func (p pairwise) runSpec(dataset judging.DatasetSpec, model judging.ModelSpec) judging.Spec {
	return judging.Spec{Protocol: p.name, Goal: p.goal, Prompt: p.template, Dataset: dataset, Model: model}
}

// OneOrder is the option that shows each pair in one order; its value is true or false.
const OneOrder = "one-order"

var orderOption = judging.Option{
	Name:    OneOrder,
	Label:   "One order",
	Usage:   "show each pair in one order, drawn by its id: the run has verdicts, but no scores",
	Default: "false",
}

// Presentations returns the published order, then the swapped one; or the only one, which a run in both orders asks
// first.
func (p pairwise) Presentations(item datasets.Item) []judging.Presentation {
	both := []judging.Presentation{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
	switch {
	case !p.oneOrder:
		return both
	case judging.AsksSwappedFirst(item.ID):
		both[0].Order = both[1].Order
	}
	return both[:1]
}

// followUp is JudgeBench's second message after a reply without a label.
const followUp = "continue your judgment and finish by outputting a final verdict label"

// userPromptHeading starts the user message of JudgeBench's harness.
const userPromptHeading = "<|User Prompt|>\n"

// QuestionSection returns the part of JudgeBench's user message with the question. Empty lines separate the parts.
// Texts are joined, never searched or formatted, since they may contain anything.
func QuestionSection(text string) string { return userPromptHeading + text }

// AnswerSection returns the part of JudgeBench's user message with the answer of the assistant named by letter.
func AnswerSection(letter, text string) string {
	name := " of Assistant " + letter + "'s Answer|>"
	return "<|The Start" + name + "\n" + text + "\n<|The End" + name
}

// Prompt returns the messages that ask the judge, with the user message of JudgeBench's harness, byte for byte.
func (p pairwise) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	a, b := item.Candidates[s.Order[0]].Text, item.Candidates[s.Order[1]].Text
	prompt := judging.Prompt{
		System: p.template.System,
		User: strings.Join([]string{
			QuestionSection(item.Question), AnswerSection("A", a), AnswerSection("B", b),
		}, "\n\n"),
		FollowUp: followUp,
		Oracle:   p.oracle(item, s),
	}
	for _, l := range p.template.Labels {
		prompt.Labels = append(prompt.Labels, "[["+l+"]]")
	}
	if p.template.Name != "direct" && p.template.Name != judging.DecisionPromptName {
		prompt.LabelRequest = judging.LabelTurnText
	}
	return prompt
}

// oracle tells simulated judges the position of the response to name. With the goal worse that is the worse response,
// and the label that names it states that the other response is better.
func (p pairwise) oracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	o := backends.Oracle{
		Item:          item.ID,
		Presentation:  s.Index,
		Order:         s.Order,
		VerdictLabels: []string{"[[A>B]]", "[[B>A]]"},
	}
	target := item.Gold
	if target < 0 { // without a label a simulated judge still needs a response to prefer
		target = int(crc32.ChecksumIEEE([]byte(item.ID)) % 2)
	}
	if p.goal == goalWorse {
		o.VerdictLabels = []string{"[[B>A]]", "[[A>B]]"}
		target = 1 - target
		o.AsksForWorst = true
	}
	if s.Order[1] == target {
		o.CorrectPosition = 1
	}
	if offersLabel(p.template, labelTie) {
		o.TieLabel = "[[A=B]]"
	}
	return o
}

// Labels of comparisons in their plain form, without brackets.
const (
	labelA   = "A>B"
	labelB   = "B>A"
	labelTie = "A=B"
)

// verdictLabel matches a label in a reply or a prompt; it is JudgeBench's regular expression.
var verdictLabel = regexp.MustCompile(`\[\[([AB<>=]+)\]\]`)

// findLabels returns the labels in a text, such as A>B for [[A>B]], in order and with repetitions.
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

// ReadsByPolicy reports whether the policy for replies with several labels applies to r: not if its verdict was
// imported without a reply to read.
func (pairwise) ReadsByPolicy(r *judging.Record) bool {
	return r.Imported == nil || !r.Imported.DecisionIsVerdict
}

// Parse reads the verdict from a reply by PROTOCOLS.md §1. Without a label there is no verdict; under policy
// Unique, two labels that are written differently are a conflict. A label that the prompt does not offer, in
// plain form, is no verdict.
func (p pairwise) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.Readers == judging.RobustReaders {
		return p.robustVerdict(s, reply)
	}
	label, span, outcome := judging.FindReplyLabel(verdictLabel, reply, method.LabelPolicy)
	v := judging.Verdict{Outcome: outcome, Label: label, Choice: judging.NoCandidate, Span: span}
	if outcome != judging.Decided {
		return v
	}
	switch plain := plainLabel(label); {
	case !offersLabel(p.template, plain):
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

// robustVerdict reads the verdict by the robust reader, from the final statement of the reply.
func (p pairwise) robustVerdict(s judging.Presentation, reply string) judging.Verdict {
	var labels []string
	for _, l := range []string{labelA, labelB, labelTie} {
		if offersLabel(p.template, l) {
			labels = append(labels, l)
		}
	}
	read := reading.PairLabel
	if p.goal == goalWorse {
		read = reading.PairLabelForWorseGoal
	}
	f := read(reply, labels)
	v := judging.NewVerdict(f, reply, s.Order[0])
	switch {
	case v.Outcome == judging.Decided && f.Value == labelTie:
		v.Outcome, v.Choice = judging.Tie, judging.NoCandidate
	case v.Outcome == judging.Decided && f.Value == labelB:
		v.Choice = s.Order[1]
	}
	return v
}

// pairsHelp is the help of both protocols; NAME and GOAL stand for those of the protocol.
const pairsHelp = `Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is GOAL. Progress goes to standard error, the table to standard output.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run NAME --backend sim --model accuracy=0.8,first=0.2 --dataset sample

Several servers of one model:
  gavel run NAME --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o`
