package pairwise

import (
	"regexp"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// llmBarAsker compares two responses by a prompt of LLMBar (arXiv 2310.07641), which calls them Output (a) and
// Output (b) and has no labels in brackets.
type llmBarAsker struct {
	pairwise
	showsReference bool // the prompt shows the judge's own answer: LLMBar's strategy Reference
}

// llmBarPrompt returns the prompt of LLMBar's strategy Vanilla with rules, which has a text for its strategy
// Reference too (--self-reference). LLMBar asks for the reference with its own prompt; gavel's reference is an
// answer of protocol answer.
func llmBarPrompt() judging.Template {
	t := judging.NewTemplateOfTexts("llmbar", "LLMBar (arXiv 2310.07641), Vanilla with rules",
		judging.ReadPromptTexts(files, "prompts/llmbar"), outputLabelPattern)
	t.Labels = shortLabels
	return t
}

// outputLabelPattern matches the labels that LLMBar's prompts offer.
var outputLabelPattern = regexp.MustCompile(`(Output \([ab]\))`)

// Prompt returns LLMBar's messages for the two responses. For imported runs, whose prompts are not known, it returns
// those of other comparisons.
func (o llmBarAsker) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	texts := o.template.Texts
	if len(texts) == 0 {
		return o.pairwise.Prompt(item, s)
	}
	values := []string{
		"{input}", item.Question, "{output_1}", item.Candidates[s.Order[0]].Text, "{output_2}",
		item.Candidates[s.Order[1]].Text,
	}
	text, oracle := texts["user"], o.oracle(item, s)
	oracle.VerdictLabels = []string{"\n" + shortLabels[0], "\n" + shortLabels[1]} // read only at the start of a line
	if o.showsReference && item.Answered != nil {
		text, values = texts["referenced"], append(values, "{reference}", item.Answered.Reference)
		addOracleReference(&oracle, item)
	}
	return judging.Prompt{
		System: texts["system"],
		User:   judging.Fill(text, values...),
		Labels: o.template.Labels,
		Oracle: oracle,
	}
}

// Check returns an error if the prompt shows the judge's own answer and the pair has none.
func (o llmBarAsker) Check(item datasets.Item) error {
	if !o.showsReference {
		return nil
	}
	return referenceAsker{}.Check(item)
}

// Labels of LLMBar's prompts: shortLabels if the judge begins with its choice, sentenceLabels if it reasons first.
var (
	shortLabels    = []string{"Output (a)", "Output (b)"}
	sentenceLabels = []string{"Output (a) is better.", "Output (b) is better."}
)

// swapSynthesisMode is the mode of a judgment that another phase decided: LLMBar's strategy Swap asks again if the
// verdicts of the two orders differ. Replies in this mode have the last two of the template's labels.
const swapSynthesisMode = "synthesis"

// hasOutputLabels reports whether a prompt has LLMBar's labels, Output (a) and Output (b).
func hasOutputLabels(t judging.Template) bool {
	return len(t.Labels) >= 2 && (t.Labels[0] == shortLabels[0] || t.Labels[0] == sentenceLabels[0])
}

// llmBarLabelPatterns maps labels to LLMBar's regular expressions, as in the configurations of its evaluators. The two
// labels of a prompt are tried in order, and the first whose expression matches anywhere in the reply decides.
var llmBarLabelPatterns = map[string]*regexp.Regexp{
	shortLabels[0]:    regexp.MustCompile(`(?:^|\n) ?Output \(a\)`),
	shortLabels[1]:    regexp.MustCompile(`(?:^|\n) ?Output \(b\)`),
	sentenceLabels[0]: regexp.MustCompile(`Output \(a\) is better.`),
	sentenceLabels[1]: regexp.MustCompile(`Output \(b\) is better.`),
}

// ReadsByPolicy returns false: the first of LLMBar's two expressions that matches decides.
func (llmBarAsker) ReadsByPolicy(*judging.Record) bool { return false }

// Parse reads the verdict from a reply by LLMBar's expressions or, in robust reading, from its final statement.
func (o llmBarAsker) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.Readers == judging.RobustReaders {
		f := reading.Output(reply)
		v := judging.NewVerdict(f, reply, s.Order[0])
		if v.Outcome == judging.Decided && f.Value == "b" {
			v.Choice = s.Order[1]
		}
		return v
	}
	labels := o.template.Labels[:2]
	if s.Mode == swapSynthesisMode {
		labels = o.template.Labels[len(o.template.Labels)-2:]
	}
	stripped := strings.TrimSpace(reply)
	from := strings.Index(reply, stripped)
	for position, label := range labels {
		if m := llmBarLabelPatterns[label].FindStringIndex(stripped); m != nil {
			return judging.Verdict{
				Outcome: judging.Decided,
				Label:   label,
				Choice:  s.Order[position],
				Span:    judging.Span{Start: from + m[0], End: from + m[1]},
			}
		}
	}
	return judging.EmptyVerdict(judging.NoVerdict)
}

// outputLabels returns the labels that a judge's replies have in a strategy of LLMBar. With CoT the judge
// reasons first, also in the first phase of Swap. PaLM2's CoT is an exception: its configuration has the
// rule of the other strategies.
func outputLabels(judge, strategy string) []string {
	switch {
	case strategy == "Swap":
		return slices.Concat(sentenceLabels, shortLabels)
	case judge == "PaLM2" && strategy == "CoT":
		return shortLabels
	case strings.Contains(strategy, "CoT"):
		return sentenceLabels
	}
	return shortLabels
}
