package pairwise

import (
	"regexp"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// outputs is a comparison by one of LLMBar's prompts (arXiv 2310.07641), which name the responses Output (a) and
// Output (b) and have no label in brackets.
type outputs struct {
	pairwise
	referenced bool // the judge's own answer is shown: LLMBar's strategy Reference
}

// llmBarPrompt is LLMBar's strategy Vanilla with rules and, with --self-reference, its strategy Reference: in place
// of a reply to the instruction that is asked for by LLMBar's prompt it shows that of gavel's answer protocol.
func llmBarPrompt() judging.Template {
	t := judging.NewTexts("llmbar", "LLMBar (arXiv 2310.07641), Vanilla with rules",
		judging.Texts(files, "prompts/llmbar"), outputLabel)
	t.Labels = outputNamed
	return t
}

// outputLabel finds LLMBar's labels in its prompts.
var outputLabel = regexp.MustCompile(`(Output \([ab]\))`)

// Prompt fills in LLMBar's text. Prompts of imported runs are not known: those read as any other comparison.
func (o outputs) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	texts := o.template.Texts
	if len(texts) == 0 {
		return o.pairwise.Prompt(item, s)
	}
	values := []string{
		"{input}", item.Question, "{output_1}", item.Candidates[s.Order[0]].Text, "{output_2}",
		item.Candidates[s.Order[1]].Text,
	}
	text, oracle := texts["user"], o.oracle(item, s)
	oracle.Choices = []string{"\n" + outputNamed[0], "\n" + outputNamed[1]} // it binds at the start of a line alone
	if o.referenced && item.Answered != nil {
		text, values = texts["referenced"], append(values, "{reference}", item.Answered.Reference)
		refer(&oracle, item)
	}
	return judging.Prompt{
		System: texts["system"],
		User:   judging.Fill(text, values...),
		Labels: o.template.Labels,
		Oracle: oracle,
	}
}

// Check refuses a pair that the judge has not answered, where its answer is to be shown.
func (o outputs) Check(item datasets.Item) error {
	if !o.referenced {
		return nil
	}
	return referenceAsker{}.Check(item)
}

// Labels of LLMBar's prompts: where the judge is to begin with its choice, and where it reasons first.
var (
	outputNamed  = []string{"Output (a)", "Output (b)"}
	outputBetter = []string{"Output (a) is better.", "Output (b) is better."}
)

// synthesis is the mode of a judgment that another phase has decided: of LLMBar's strategy Swap, which asks again
// where the verdicts of the two orders differ. Its labels are the last two.
const synthesis = "synthesis"

// byOutputs tells whether a template has LLMBar's labels.
func byOutputs(t judging.Template) bool {
	return len(t.Labels) >= 2 && (t.Labels[0] == outputNamed[0] || t.Labels[0] == outputBetter[0])
}

// outputRules are LLMBar's regular expressions, as its evaluators' configurations have them; those of a pair of labels
// are tried in their order, and the first that is found anywhere in the reply binds.
var outputRules = map[string]*regexp.Regexp{
	outputNamed[0]:  regexp.MustCompile(`(?:^|\n) ?Output \(a\)`),
	outputNamed[1]:  regexp.MustCompile(`(?:^|\n) ?Output \(b\)`),
	outputBetter[0]: regexp.MustCompile(`Output \(a\) is better.`),
	outputBetter[1]: regexp.MustCompile(`Output \(b\) is better.`),
}

// ReadsByPolicy is false: of LLMBar's two expressions the first that is found binds.
func (outputs) ReadsByPolicy(*judging.Record) bool { return false }

// Parse reads by LLMBar's rule or by the final statement.
func (o outputs) Parse(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if how.Name == judging.Robust {
		f := reading.Output(reply)
		v := judging.Found(f.Outcome, f.Rule, reply, f.Start, f.End, s.Order[0])
		if v.Outcome == judging.Decided && f.Value == "b" {
			v.Choice = s.Order[1]
		}
		return v
	}
	labels := o.template.Labels[:2]
	if s.Mode == synthesis {
		labels = o.template.Labels[len(o.template.Labels)-2:]
	}
	stripped := strings.TrimSpace(reply)
	from := strings.Index(reply, stripped)
	for position, label := range labels {
		if m := outputRules[label].FindStringIndex(stripped); m != nil {
			return judging.Verdict{
				Outcome: judging.Decided,
				Label:   label,
				Choice:  s.Order[position],
				Span:    judging.Span{Start: from + m[0], End: from + m[1]},
			}
		}
	}
	return judging.Silent(judging.NoVerdict)
}

// outputLabels are those of a judge's strategy, by their names in LLMBar: with CoT in it the judge reasons first, and
// so it does in the first phase of Swap. PaLM2's CoT is the exception: its configuration has the rule of the other
// strategies.
func outputLabels(judge, strategy string) []string {
	switch {
	case strategy == "Swap":
		return slices.Concat(outputBetter, outputNamed)
	case judge == "PaLM2" && strategy == "CoT":
		return outputNamed
	case strings.Contains(strategy, "CoT"):
		return outputBetter
	}
	return outputNamed
}
