// Package selfreference asks whether agents' answers are correct, by reasoning alone and with the judge's own answer as
// a reference.
package selfreference

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// modeOption is the setting --mode: in which modes the judge is asked.
var modeOption = judging.Option{
	Name:    "mode",
	Label:   "Ways of asking",
	Usage:   "judge without a reference (cot), with the judge's own answer or another --reference (self), or both",
	Default: "both", Values: []string{"both", ModeCoT, ModeSelf},
}

// referenceOption selects the reference of mode self.
var referenceOption = judging.Option{
	Name:  "reference",
	Label: "Reference shown in mode self",
	Usage: "`KIND` of reference in mode self: the judge's own answer (own), the dataset's right answer (gold), " +
		"a wrong answer (wrong), none (none), or the folder of another model's run of answers; run if the items have them",
	Default: ReferenceOwn, Runs: true,
	Values: []string{ReferenceOwn, ReferenceGold, ReferenceWrong, ReferenceNone},
}

// judgeOptionsOption judges the options of multiple-choice questions.
var judgeOptionsOption = judging.Option{
	Name:    "options",
	Label:   "Judge each option of a multiple-choice question",
	Usage:   "judge every option of a multiple-choice question like an agent's answer",
	Default: "false",
}

const name = "self-reference"

// Protocol asks a judge whether an agent's (a model's) answer is correct.
var Protocol = judging.Protocol{
	Name:  name,
	About: "an agent's answer: is it correct? without and with the judge's own answer as reference (arXiv 2509.19880)",
	Help: `Asks a judge whether the answers of agents are correct: once by reasoning alone (mode
cot), and once with the judge's own answer as a reference (mode self). The judge first
answers the questions itself.

Agents are files of published answers (MMLU-Pro's outputs, or lines with id and answer),
answer runs, or models that gavel asks now. Every stage is a run of its own beside this one
and is made only once. Judging begins when all answers are there. --prompt is the prompt of
the judgments.

--reference shows another reference in mode self: the dataset's right answer (gold), a wrong
answer (wrong), none, or another model's answers (the folder of its run). --options judges the
options of multiple-choice questions like agents' answers.

Examples:
  gavel run self-reference --model qwen3:8b --dataset mmlu-pro --agents model_outputs_Llama-3.1-8B_5shots.zip
  gavel run self-reference --model qwen3:8b --dataset gsm8k --agents llama3.1:8b@http://127.0.0.1:11434 --sample 100
  gavel run self-reference --backend sim --model accuracy=0.8 --dataset sample-number --agents sim:accuracy=0.6,seed=2`,
	ItemsNoun:      "questions",
	Goal:           "correct",
	PageQuestion:   "Is this answer correct?",
	Shapes:         []datasets.Shape{datasets.ShapeJudgment},
	Templates:      []judging.Template{judgmentTemplate, decisionTemplate},
	Options:        []judging.Option{modeOption, referenceOption, judgeOptionsOption, confidenceOption},
	CustomTemplate: templateFromFile,
	Stage:          stage,
	FillRecord:     fillRecord,
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker {
		return newAsker(t, s)
	},
}

func newAsker(t judging.Template, s judging.Settings) selfReference {
	return selfReference{
		template:         t,
		modes:            modesOf(s),
		reference:        referenceKind(s),
		judgesOptions:    s.Get(judgeOptionsOption) == "true",
		storesConfidence: s.Get(confidenceOption) == "true",
	}
}

// referenceKind returns the kind of reference that the settings select, which may give the folder of a run.
func referenceKind(s judging.Settings) string {
	if kind := s.Get(referenceOption); slices.Contains(referenceOption.Values, kind) {
		return kind
	}
	return ReferenceRun
}

// modesOf returns the modes that the settings select. Without a reference, both modes would ask the same.
func modesOf(s judging.Settings) []string {
	if mode := s.Get(modeOption); mode != modeOption.Default {
		return []string{mode}
	}
	if s.Get(referenceOption) == ReferenceNone {
		return []string{ModeSelf}
	}
	return []string{ModeCoT, ModeSelf}
}

//go:embed prompts
var files embed.FS

// judgmentTemplate is the paper's prompt: a system and a user message for each mode, and others for verdicts on a pair.
var judgmentTemplate = judging.NewTemplateOfTexts("paper", "self-reference (arXiv 2509.19880), Figures 8 to 11",
	judging.ReadPromptTexts(files, "prompts"), correctness)

// decisionTemplate is the prompt for decision models, which write no text: questions replace the paper's system
// messages.
var decisionTemplate = func() judging.Template {
	texts := maps.Clone(judgmentTemplate.Texts)
	maps.Copy(texts, judging.ReadPromptTexts(files, "prompts/"+judging.DecisionPromptName))
	return judging.NewTemplateOfTexts(judging.DecisionPromptName, "gavel", texts, correctness)
}()

// Keys of Template.Texts are a mode and one of these suffixes, such as "cot.system"; see also meta.
const (
	systemTextSuffix = ".system"
	userTextSuffix   = ".user"
)

// selfReference asks a judge whether an agent's answer is correct (PROTOCOLS.md §2, stages 3 and 4). There are other
// prompts for answers that are verdicts on a pair.
type selfReference struct {
	template         judging.Template
	modes            []string
	reference        string // of mode self
	judgesOptions    bool   // options are judged
	storesConfidence bool   // see confidenceOption
}

// Labels with which a judge calls an answer right or wrong, in the order of the candidates of an item to judge.
const (
	labelCorrect   = datasets.CandidateCorrect
	labelIncorrect = datasets.CandidateIncorrect
)

// correctness matches the labels [[Correct]] and [[Incorrect]] in a reply. It ignores other labels in brackets, such as
// [[A]] and [[B]] in judgments of a verdict on a pair.
var correctness = regexp.MustCompile(`\[\[((?i:in)?(?i:correct))\]\]`)

// preferencePrefix begins the keys of the texts for answers that are verdicts on a pair (preferences).
const preferencePrefix = "preference."

// templateFromFile returns the prompt of a user's file: its system message serves both modes, so that the modes
// differ only in the reference.
func templateFromFile(path, system string) (judging.Template, error) {
	texts := maps.Clone(judgmentTemplate.Texts)
	for name := range texts {
		if strings.HasSuffix(name, systemTextSuffix) {
			texts[name] = system
		}
	}
	t := judging.NewTemplateOfTexts(path, "file", texts, correctness)
	if !slices.Contains(t.Labels, labelCorrect) || !slices.Contains(t.Labels, labelIncorrect) {
		return judging.Template{}, errors.New("the prompt must name both [[Correct]] and [[Incorrect]] as labels")
	}
	return t, nil
}

func (selfReference) Name() string { return name }

// Check returns an error for an item that with another kind of reference than the one to show.
func (p selfReference) Check(item datasets.Item) error {
	kind := cmp.Or(item.Answered.ReferenceKind, ReferenceOwn)
	if kind == p.reference || p.reference == ReferenceNone {
		return nil
	}
	return fmt.Errorf("%s: its reference is of the kind %s, not %s: use --reference %s, "+
		"or the questions themselves with --agents", item.ID, kind, p.reference, kind)
}

// Presentations returns one for each mode. Mode self needs a reference, unless none is shown.
func (p selfReference) Presentations(item datasets.Item) []judging.Presentation {
	var out []judging.Presentation
	for _, mode := range p.modes {
		if mode == ModeSelf && item.Answered.Reference == "" && p.reference != ReferenceNone {
			continue
		}
		out = append(out, judging.Presentation{Index: len(out), Order: []int{0, 1}, Shape: item.Shape, Mode: mode})
	}
	return out
}

// Prompt returns the messages that ask about an answer in a mode.
func (p selfReference) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	a := item.Answered
	name := s.Mode
	if p.reference == ReferenceNone {
		name = ModeCoT
	}
	if a.QuestionShape == datasets.ShapePreference {
		name = preferencePrefix + name
	}
	prompt := judging.Prompt{
		System: p.template.Texts[name+systemTextSuffix],
		User: judging.Fill(p.template.Texts[name+userTextSuffix], "{question}", item.Question,
			"{answer_a}", a.Text, "{response}", a.Text, "{ref_answer}", a.Reference),
		LabelRequest: judging.LabelTurnText,
	}
	if p.template.Name == judging.DecisionPromptName {
		prompt.LabelRequest = ""
	}
	for _, label := range []string{"[[" + labelCorrect + "]]", "[[" + labelIncorrect + "]]"} {
		if strings.Contains(prompt.System, "**"+label+"**") {
			label = "**" + label + "**"
		}
		prompt.Labels = append(prompt.Labels, label)
	}
	prompt.Oracle = p.oracle(item, s, prompt.Labels)
	return prompt
}

// oracle tells simulated judges the right label. A right reference supports it, a wrong one the other label.
func (p selfReference) oracle(item datasets.Item, s judging.Presentation, labels []string) backends.Oracle {
	o := backends.Oracle{
		Item:            item.ID,
		Presentation:    s.Index,
		Order:           s.Order,
		VerdictLabels:   labels,
		CorrectPosition: slices.Index(s.Order, item.Gold),
	}
	ownAnswer := item.Answered.Own
	switch {
	case s.Mode != ModeSelf || p.reference == ReferenceNone:
	case p.reference == ReferenceGold || p.reference == ReferenceOwn && ownAnswer != nil && ownAnswer.Right,
		item.Answered.ReferenceRight:
		o.ReferenceVerdict = labels[o.CorrectPosition]
	case p.reference == ReferenceWrong || ownAnswer != nil:
		o.ReferenceVerdict = labels[1-o.CorrectPosition]
	}
	return o
}

// ReadsByPolicy returns true: the policy for replies with several labels applies, as in protocol pairwise.
func (selfReference) ReadsByPolicy(*judging.Record) bool { return true }

// Parse reads the verdict from the label in a reply. The prompts do not offer [[correct]] in lower
// case, so it is no verdict.
func (p selfReference) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.Readers == judging.RobustReaders {
		f := reading.Correctness(reply)
		choice := s.Order[1]
		if f.Value == reading.LabelCorrect {
			choice = s.Order[0]
		}
		return judging.NewVerdict(f, reply, choice)
	}
	label, span, outcome := judging.FindReplyLabel(correctness, reply, method.LabelPolicy)
	v := judging.Verdict{Outcome: outcome, Label: label, Choice: judging.NoCandidate, Span: span}
	switch {
	case outcome != judging.Decided:
	case label == labelCorrect:
		v.Choice = s.Order[0]
	case label == labelIncorrect:
		v.Choice = s.Order[1]
	default:
		v.Outcome = judging.NoVerdict
	}
	return v
}
