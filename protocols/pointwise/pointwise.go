// Package pointwise scores responses one at a time: a question, one response, a score. Every dataset of pairs or
// options tests it, since the better response should have the higher score.
package pointwise

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/protocols/reading"
)

const name = "pointwise"

// scaleOption selects the levels of a score.
var scaleOption = judging.Option{
	Name:    "scale",
	Label:   "Scale",
	Usage:   "yes-no, 1-5, 1-10 or 0-100; the prompts mt-bench (1-10) and llmbar (0-9) have their own scale",
	Default: "1-10",
	Values:  []string{"yes-no", "1-5", "1-10", "0-100"},
}

// referenceOption selects the reference answer that the judge sees beside a response.
var referenceOption = judging.Option{
	Name:    "reference",
	Label:   "Reference answer",
	Usage:   "show a right answer: the dataset's (gold) or the judge's own (own)",
	Default: "none",
	Values:  []string{"none", gold, ownAnswer},
}

// Kinds of reference answers.
const (
	gold      = "gold"
	ownAnswer = "own"
)

// referenceInstructions holds what the judge is asked about a kind of reference answer.
var referenceInstructions = map[string]string{
	gold:      " Compare it with the reference answer.",
	ownAnswer: " Compare it with the reference answer, which is your own and may be wrong.",
}

// Protocol scores responses one at a time.
var Protocol = judging.Protocol{
	Name:  name,
	About: "a response alone: which score does it deserve? (MT-Bench's single-answer grading, arXiv 2306.05685)",
	Help: `Shows a judge one response at a time and asks for a score. On pairs and options the better response should have
the higher score: "gavel compare" with a pairwise run of the same judge says which it does better.

Examples:
  gavel run pointwise --model qwen3:8b --dataset judgebench-gpt4o
  gavel run pointwise --model qwen3:8b --dataset mine.csv --scale yes-no --reference gold
  gavel run pointwise --backend sim --model accuracy=0.8,noise=0.1 --dataset sample`,
	ItemsNoun: "pairs, options or responses", Goal: "good", PageQuestion: "How good is this response?",
	Shapes:           []datasets.Shape{datasets.ShapePair, datasets.ShapeOptions, datasets.ShapeResponse},
	MaxShown:         1,
	ScoresCandidates: true,
	Templates: []judging.Template{
		gavelPrompt("direct"),
		gavelPrompt("cot"),
		publishedTemplate(
			"mt-bench", "MT-Bench (arXiv 2306.05685), single-answer grading", "You are a helpful assistant.", "1-10",
		),
		publishedTemplate("llmbar", "LLMBar (arXiv 2310.07641), Rating with rules", llmBarSystem, llmBarScale),
		publishedTemplate(
			judging.MetricsPromptName, "LLMBar (arXiv 2310.07641), Rating with rules and metrics", llmBarSystem, llmBarScale,
		),
		publishedTemplate("llmbar-no-rules", "LLMBar (arXiv 2310.07641), Rating without rules", llmBarSystem, llmBarScale),
		gavelPrompt(judging.DecisionPromptName),
	},
	Options: []judging.Option{scaleOption, referenceOption},
	CustomTemplate: func(path, system string) (judging.Template, error) {
		switch {
		case strings.TrimSpace(system) == "":
			return judging.Template{}, errors.New("the prompt is empty: it must ask for a score, such as [[7]]")
		case strings.HasSuffix(path, ".yaml"), strings.HasSuffix(path, ".yml"):
			return readRubric(path, system)
		}
		return judging.NewTemplate(path, "file", system, levelsOf(scaleOption.Default)), nil // adapt fills in the scale
	},
	ChangeTemplate: adaptTemplate,
	FillRecord: func(r *judging.Record, item datasets.Item, _ judging.Presentation) {
		if item.People != nil {
			r.People = item.People
			r.QuestionID = datasets.HexSum([]byte(item.Question))[:16]
		}
	},
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker {
		return pointwise{t, s.Get(scaleOption), s.Get(referenceOption)}
	},
	Stage: func(s judging.Settings, prompt string) *judging.Stage {
		var prompts []string
		if s.Get(referenceOption) == ownAnswer {
			prompts = append(prompts, judging.AnswerProtocol().Templates[0].Name)
		}
		if prompt == judging.MetricsPromptName {
			prompts = append(prompts, prompt)
		}
		if prompts == nil {
			return nil
		}
		return &judging.Stage{Presentations: 2, AnswerPrompts: prompts, MakeItems: pairwise.WriteOwnAnswers}
	},
}

//go:embed prompts
var files embed.FS

var texts = judging.ReadPromptTexts(files, "prompts")

const llmBarSystem = "You are a helpful assistant in evaluating the quality of the outputs for a given instruction. " +
	"Your goal is to score a given output for the given instruction."

// Levels of the scale yes-no.
const (
	levelYes = reading.Yes
	levelNo  = reading.No
)

// levelsOf returns the levels of a scale, the lowest first.
func levelsOf(scale string) (levels []string) {
	if scale == "yes-no" {
		return []string{levelNo, levelYes}
	}
	low, high, _ := strings.Cut(scale, "-")
	first, _ := strconv.Atoi(low)
	last, _ := strconv.Atoi(high)
	for n := first; n <= last; n++ {
		levels = append(levels, strconv.Itoa(n))
	}
	return levels
}

// gavelPrompt returns one of gavel's own prompts.
func gavelPrompt(name string) judging.Template {
	return scaledTemplate(name, "gavel", texts[name], nil)
}

// scaledTemplate returns a prompt that asks for a score on the scale of the settings. Its labels are the levels.
func scaledTemplate(name, origin, system string, s judging.Settings) judging.Template {
	return judging.NewTemplate(name, origin, fillScale(system, s), levelsOf(s.Get(scaleOption)))
}

// fillScale writes a scale into the text of a prompt, in place of {ask}, {labels}, {example} and {options}.
func fillScale(text string, s judging.Settings) string {
	levels := levelsOf(s.Get(scaleOption))
	first, last := levels[0], levels[len(levels)-1]
	question := fmt.Sprintf("Rate it from %s (worst) to %s (best).", first, last)
	labels := fmt.Sprintf("[[N]], with N a whole number from %s to %s", first, last)
	explained := ""
	if last == levelYes {
		question = "Is it correct, and does it do what the user asks for?"
		labels = "[[Yes]] or [[No]]"
		explained = "[[Yes]] yes\n[[No]] no" // as decision models are asked
	}
	return judging.Fill(text, "{options}", explained, "{ask}", question+referenceInstructions[s.Get(referenceOption)],
		"{labels}", labels, "{example}", "[["+levels[len(levels)/2]+"]]")
}

// publishedTemplate returns a published prompt, whose user message holds all of it.
func publishedTemplate(name, origin, system, scale string) judging.Template {
	t := judging.NewTemplateOfTexts(name, origin, map[string]string{"system": system, "user": texts[name]}, matchNothing)
	t.Labels = levelsOf(scale)
	return t
}

// adaptTemplate returns a prompt for the scale and the reference of the settings. Published prompts keep their scale,
// and have another text with a reference.
func adaptTemplate(t judging.Template, s judging.Settings) judging.Template {
	text, isOurs := texts[t.Name]
	switch {
	case texts[t.Name+"-reference"] != "" && s[referenceOption.Name] != "":
		guided := publishedTemplate(t.Name+"-reference", t.Origin+", with a reference", t.Texts["system"], "")
		guided.Name, guided.Labels = t.Name, t.Labels
		return guided
	case t.Texts["user"] != "":
		return t
	case t.Texts != nil:
		return rubricTemplate(t, s)
	case !isOurs:
		text = t.System
	}
	return scaledTemplate(t.Name, t.Origin, text, s)
}

// pointwise asks for the score of one response (PROTOCOLS.md §9). The template's labels are the levels of its scale.
type pointwise struct {
	template         judging.Template
	scale, reference string // of the settings
}

func (pointwise) Name() string { return name }

// Check returns an error if the settings name another scale than a published prompt has, or a reference that the item
// or the prompt lacks.
func (p pointwise) Check(item datasets.Item) error {
	user := p.template.Texts["user"]
	if strings.Contains(user, "{metrics}") && metricsOf(item) == "" {
		return fmt.Errorf("%s has no metrics of the judge's own: leave out --own", item.ID)
	}
	switch {
	case p.reference == referenceOption.Default:
	case user != "" && !strings.Contains(user, "{reference}"):
		return fmt.Errorf("the prompt %s shows no reference: leave out --reference", p.template.Name)
	case p.referenceFor(item) == "":
		return fmt.Errorf("%s has no reference answer: leave out --reference, "+
			"or name its column with --field reference=COLUMN", item.ID)
	}
	if levels := levelsOf(p.scale); p.scale != scaleOption.Default && !slices.Equal(levels, p.template.Labels) {
		return fmt.Errorf("the prompt %s has a scale of its own, %s: leave out --scale",
			p.template.Name, strings.Join(p.template.Labels, " "))
	}
	return nil
}

// Presentations returns one for each response and criterion of a rubric. The response is the first of its order and the
// only one that is shown.
func (p pointwise) Presentations(item datasets.Item) (all []judging.Presentation) {
	for k := range item.Candidates {
		order := []int{k}
		for other := range item.Candidates {
			if other != k {
				order = append(order, other)
			}
		}
		for _, criterion := range criterionNames(p.template) {
			all = append(all, judging.Presentation{Index: len(all), Order: order, Shape: item.Shape, Mode: criterion})
		}
	}
	return all
}

// referenceFor returns the reference answer that is shown with an item; "" for none.
func (p pointwise) referenceFor(item datasets.Item) string {
	switch {
	case p.reference == gold:
		return item.Reference
	case p.reference == ownAnswer && item.Answered != nil:
		return item.Answered.Reference
	}
	return ""
}

// metricsOf returns the judge's own metrics of a good response to an item's question; "" for none.
func metricsOf(item datasets.Item) string {
	return cmp.Or(item.Answered, &datasets.AgentAnswer{}).Metrics
}

// Prompt shows the response in the layout of JudgeBench's harness, or in that of a published prompt.
func (p pointwise) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	response := item.Candidates[s.Order[0]].Text
	prompt := judging.Prompt{System: p.template.System, LabelRequest: judging.LabelTurnText, Oracle: oracleOf(item, s)}
	form := "[[%s]]"
	if p.isPlain() {
		form = "%s"
	}
	if p.isPlain() || p.template.Name == "direct" || p.template.Name == judging.DecisionPromptName {
		prompt.LabelRequest = ""
	}
	prompt.User = "<|User Prompt|>\n" + item.Question
	reference := p.referenceFor(item)
	if reference != "" {
		prompt.User += "\n\n<|The Start of Reference Answer|>\n" + reference + "\n<|The End of Reference Answer|>"
	}
	prompt.User += "\n\n<|The Start of Assistant's Answer|>\n" + response + "\n<|The End of Assistant's Answer|>"
	if user, ok := p.template.Texts["user"]; ok {
		prompt.System = p.template.Texts["system"]
		prompt.User = judging.Fill(user, "{question}", item.Question, "{answer}", response, "{reference}", reference,
			"{metrics}", metricsOf(item))
	}
	if s.Mode != "" {
		prompt.System = p.template.Texts[criterionKeyPrefix+s.Mode]
	}
	for _, level := range p.template.Labels {
		prompt.Oracle.VerdictLabels = append(prompt.Oracle.VerdictLabels, fmt.Sprintf(form, level))
	}
	prompt.Labels = slices.Clone(prompt.Oracle.VerdictLabels)
	slices.Reverse(prompt.Labels) // a decision model's yes is its first option
	return prompt
}

// isPlain reports whether the score is the whole reply, without brackets: LLMBar's scale.
func (p pointwise) isPlain() bool { return slices.Equal(p.template.Labels, levelsOf(llmBarScale)) }

// llmBarScale is the scale of LLMBar's Rating.
const llmBarScale = "0-9"

// oracleOf tells simulated judges the position of the better response, or people's score of the one shown, and how much
// longer this is than the others.
func oracleOf(item datasets.Item, s judging.Presentation) backends.Oracle {
	length, total := 0.0, 0.0
	for k, c := range item.Candidates {
		n := float64(utf8.RuneCountInString(c.Text))
		total += n
		if k == s.Order[0] {
			length = n
		}
	}
	quality := math.NaN()
	if p := item.People; p != nil && p.Scale != nil {
		quality = (p.Mean() - p.Scale[0]) / (p.Scale[1] - p.Scale[0])
	}
	return backends.Oracle{
		Quality:         quality,
		Item:            item.ID,
		Presentation:    s.Index,
		Order:           s.Order,
		CorrectPosition: slices.Index(s.Order, item.Gold),
		IsScore:         true,
		RelativeLength:  float64(len(item.Candidates))*length/max(1, total) - 1,
	}
}

// forms match a score as the prompts ask for it: MT-Bench's in brackets, LLMBar's alone.
var (
	bracketedScore = regexp.MustCompile(`\[\[(\d+(?:\.\d+)?|Yes|No)\]\]`)
	bareScore      = regexp.MustCompile(`^\s*(\d+)\s*$`)
)

// ReadsByPolicy returns true: no published rule says which of several scores counts.
func (pointwise) ReadsByPolicy(*judging.Record) bool { return true }

// Parse reads the score as the prompt asks for it, or as the reply states it. One outside the scale is no verdict.
func (p pointwise) Parse(_ judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.Readers == judging.RobustReaders {
		f := reading.Score(reply, p.template.Labels)
		v := judging.NewVerdict(f, reply, judging.NoCandidate)
		if v.Outcome == judging.Decided {
			v.Answer = f.Value
		}
		return v
	}
	form := bracketedScore
	if p.isPlain() {
		form = bareScore
	}
	label, span, outcome := judging.FindReplyLabel(form, reply, method.LabelPolicy)
	v := judging.Verdict{Outcome: outcome, Label: label, Choice: judging.NoCandidate, Span: span}
	switch {
	case outcome != judging.Decided:
	case reading.OnScale(label, p.template.Labels):
		v.Answer = label
	default:
		v.Outcome = judging.NoVerdict
	}
	return v
}
