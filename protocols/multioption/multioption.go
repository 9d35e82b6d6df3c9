// Package multioption asks for the best of several options, in every rotation of their order: does a judge choose an
// option, or a position?
package multioption

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// promptOrigin is the source of the prompts, as manifests name it.
const promptOrigin = "Grade Score (arXiv 2406.12043), appendix A"

const name = "multi-option"

// Protocol asks a judge for the best, or worst, of several options.
var Protocol = judging.Protocol{
	Name:  name,
	About: "several options in every rotation: which is best? (Grade Score, arXiv 2406.12043)",
	Help: `Asks a judge for the best of several options, once in every rotation of their order, so
that each option stands once at each position. Does the judge choose an option, or a position?
The table also shows what a judge that picks at random would score.

Examples:
  gavel run multi-option --model qwen3:8b --dataset sample-options
  gavel run multi-option --model qwen3:8b --dataset oasst1 --sample 200 --prompt 3 --unrelated
  gavel run multi-option --model qwen3:8b --dataset oasst1 --goal worst --orders all --max-options 4`,
	ItemsNoun:        "ranked options",
	Goal:             goalBest,
	QuestionTemplate: "which is GOAL?",
	Shapes:           []datasets.Shape{datasets.ShapeOptions},
	Templates: []judging.Template{
		templateForGoals("1", promptOrigin+", \"A simple prompt\""),
		templateForGoals("2", promptOrigin+", \"Come up with an evaluation criteria\""),
		templateForGoals("3", promptOrigin+", \"Instruct away from order bias\""),
		templateForGoals("4", promptOrigin+", \"An explicit point grading criteria\""),
		templateForGoals(judging.DecisionPromptName, "gavel"),
	},
	CustomTemplate: templateFromFile,
	FillRecord:     fillRecord, CheckRecord: checkRecord,
	CorrectIDs:    func(r *judging.Record, s judging.Settings) []string { return correctOptionIDs(r, s.Get(goalOption)) },
	CandidateName: func(_ judging.Template, position int) string { return "Option " + strconv.Itoa(position+1) },
	VerdictText:   func(goal, id string) string { return id + " is the " + goal },
	Options:       []judging.Option{goalOption, OrdersOption, varyOption},
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker {
		// A manifest may hold values that flags would refuse. They mean the default.
		p := multiOption{template: t, goal: goalBest}
		if s.Get(goalOption) == GoalWorst {
			p.goal = GoalWorst
		}
		p.orders, _ = parseOrders(s.Get(OrdersOption))
		p.vary = s.Get(varyOption)
		return p
	},
}

// multiOption asks for one of several options (PROTOCOLS.md §3).
type multiOption struct {
	template judging.Template
	goal     string // best or worst
	orders   orderPolicy
	vary     string // value of varyOption
}

func (multiOption) Name() string { return name }

// templateForGoals returns the prompt of a name, with a system message for each goal.
func templateForGoals(name, origin string) judging.Template {
	return judging.NewTemplateOfTexts(name, origin,
		map[string]string{goalBest: prompts[name], GoalWorst: prompts[name+"-worst"]}, numberedOptionPattern)
}

//go:embed prompts
var files embed.FS

var prompts = judging.ReadPromptTexts(files, "prompts")

// templateFromFile returns the prompt of a user's file at path, for whichever goal it was written. The message is not
// checked: replies are read after the first "Selection", or from the beginning if the word is missing.
func templateFromFile(path, system string) (judging.Template, error) {
	if strings.TrimSpace(system) == "" {
		return judging.Template{}, errors.New("the prompt is empty: " +
			"it must hold a system message, which had best ask for \"Selection: Option\" and a number")
	}
	return judging.NewTemplate(path, "file", system, nil), nil
}

// system returns the system message for the run's goal. A user's prompt has one message for both goals.
func (p multiOption) system() string {
	if text, ok := p.template.Texts[p.goal]; ok {
		return text
	}
	return p.template.System
}

// Presentations returns the orders in which the item's options are shown. By default every option is at each position
// once. A varied axis has a presentation for each option that it marks, all in the first order: positions do not vary.
func (p multiOption) Presentations(item datasets.Item) []judging.Presentation {
	var presentations []judging.Presentation
	add := func(order []int, mode string) {
		presentations = append(presentations, judging.Presentation{
			Index: len(presentations), Order: order, Shape: datasets.ShapeOptions, Mode: mode,
		})
	}
	lists := p.orders.orders(item)
	for _, order := range lists {
		add(order, "")
	}
	for _, w := range axes[1:] {
		for range lists {
			if p.vary == w.Name || p.vary == "all" {
				add(lists[0], w.Name)
			}
		}
	}
	return presentations
}

// Check returns an error for an item that has too many options for the orders that the run asks for.
func (p multiOption) Check(item datasets.Item) error {
	n := len(item.Candidates)
	if p.vary != varyNone && p.orders != (orderPolicy{}) {
		return fmt.Errorf("%s cannot be shown: --vary needs --orders %s, which has as many judgments as each axis",
			item.ID, ordersRotations)
	}
	if p.orders.all && n > maxOptionsAllOrders {
		return fmt.Errorf("%s has %d options to show, which is too many for --orders %s (at most %d: "+
			"%d orders); cut items down with --max-options, or use --orders random:%d",
			item.ID, n, ordersAll, maxOptionsAllOrders, factorial(maxOptionsAllOrders), factorial(maxOptionsAllOrders))
	}
	return nil
}

// Prompt returns the messages that ask for an option, with the user message in the layout of the paper's code, without
// its accidental indentation. Texts are joined, never searched or formatted: they may hold anything.
func (p multiOption) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := judging.Prompt{System: p.system(), LabelRequest: optionTurnText, Oracle: p.oracle(item, s)}
	if p.template.Name == judging.DecisionPromptName {
		prompt.LabelRequest = ""
	}
	w, marked := axes.Find(s.Mode), s.Index%len(s.Order)
	start := 0
	if w.How == "parts" {
		start = marked
	}
	var parts []string
	for position, c := range s.Order {
		number, text := strconv.Itoa(position+1), item.Candidates[c].Text
		label := "Selection: Option " + number
		prompt.Labels = append(prompt.Labels, label)
		if position == marked && s.Mode != "" {
			text = w.ApplyToResponse(text, "")
			prompt.Oracle.SupportedVerdict = label
		}
		parts = append(parts, "\n[Option "+number+"]\n\n"+text+"\n\n[\\Option "+number+"]")
	}
	parts = slices.Insert(parts, start, "\n[User Instruction]\nInstruction: "+item.Question+"\n[\\User Instruction]")
	prompt.User = "From the following outputs, make your selection." + strings.Join(parts, "")
	prompt.Oracle.VerdictLabels = prompt.Labels
	return prompt
}

// optionTurnText asks for the option alone after free reasoning, when --constrain limits replies to labels. It is
// gavel's own: no paper constrains its judges. All four prompts ask for more than the selection, so the constrained
// answer needs a turn of its own.
const optionTurnText = "Now output your selection, and nothing else."

// oracle tells simulated judges the position of the best option or, with the goal worst, of the worst.
func (p multiOption) oracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	return backends.Oracle{
		Item:            item.ID,
		Presentation:    s.Index,
		RewriteName:     s.Mode,
		Order:           s.Order,
		CorrectPosition: max(0, slices.Index(s.Order, p.target(item, s))),
	}
}

// target returns the index of an option that is right to name. For items without a label it returns the first of the
// item's own options, since simulated judges need one.
func (p multiOption) target(item datasets.Item, s judging.Presentation) int {
	record := judging.NewRecord(&judging.Manifest{}, item, s)
	fillRecord(record, item, s)
	right := targetIDs(record, p.goal)
	return max(0, slices.IndexFunc(item.Candidates, func(c datasets.Candidate) bool {
		return slices.Contains(right, c.ID) || len(right) == 0 && !c.Unrelated
	}))
}

// numbered matches an option in a reply; it is the regular expression of the paper's authors.
var numberedOptionPattern = regexp.MustCompile(`Option (\d+)`)

// Rules by which an option is read from a reply.
const (
	ruleAfterSelection = "selection" // the first option after the word "Selection"
	ruleAnywhere       = "anywhere"  // the first option; the reply lacks that word
)

// Parse reads the first option after the first "Selection" (PROTOCOLS.md §3). Later ones are ignored, so there is no
// conflict under any policy. A number that no option has is no verdict.
func (p multiOption) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if method.Readers == judging.RobustReaders {
		f := reading.Option(reply, len(s.Order), p.goal == GoalWorst)
		choice := judging.NoCandidate
		if n, err := strconv.Atoi(f.Value); f.Outcome == reading.Decided && err == nil {
			choice = s.Order[n-1]
		}
		return judging.NewVerdict(f, reply, choice)
	}
	rule, from := ruleAnywhere, 0
	if start := strings.Index(reply, selectionHeading); start >= 0 {
		rule, from = ruleAfterSelection, start+len(selectionHeading)
	}
	m := numberedOptionPattern.FindStringSubmatchIndex(reply[from:])
	if m == nil {
		return judging.EmptyVerdict(judging.NoVerdict)
	}
	span := judging.Span{Start: m[0], End: m[1]}.Shift(from)
	v := judging.Verdict{
		Outcome: judging.NoVerdict, Label: reply[span.Start:span.End], Choice: judging.NoCandidate, Span: span,
	}
	number, err := strconv.Atoi(reply[from+m[2] : from+m[3]])
	if err == nil && number >= 1 && number <= len(s.Order) {
		v.Outcome = judging.Decided
		v.Choice = s.Order[number-1]
		v.Rule = rule
	}
	return v
}

// selectionHeading is the heading under which the prompts ask for the option.
const selectionHeading = "Selection"

// fillRecord stores in the record what scores need of the item's options: the unrelated one, ranks, and equal texts.
func fillRecord(r *judging.Record, item datasets.Item, _ judging.Presentation) {
	for _, c := range item.Candidates {
		if c.Unrelated {
			r.UnrelatedID = c.ID
		}
	}
	if item.Shape != datasets.ShapeOptions {
		return
	}
	byText := map[string][]string{}
	for _, c := range item.Candidates {
		byText[c.Text] = append(byText[c.Text], c.ID)
		if c.Rank != nil {
			if r.Ranks == nil {
				r.Ranks = map[string]int{}
			}
			r.Ranks[c.ID] = *c.Rank
		}
	}
	for _, c := range item.Candidates {
		if same := byText[c.Text]; len(same) > 1 && same[0] == c.ID {
			r.EqualOptions = append(r.EqualOptions, same)
		}
	}
}

// checkRecord returns an error for a record whose fields mention options that were not shown.
func checkRecord(r *judging.Record) error {
	isShown := func(id string) bool { return slices.Contains(r.Order, id) }
	if r.UnrelatedID != "" && !isShown(r.UnrelatedID) {
		return fmt.Errorf("the unrelated option %q was not shown", r.UnrelatedID)
	}
	for id := range r.Ranks {
		if !isShown(id) {
			return fmt.Errorf("option %q has a rank, but was not shown", id)
		}
	}
	for _, same := range r.EqualOptions {
		for _, id := range same {
			if !isShown(id) {
				return fmt.Errorf("option %q is equal to another, but was not shown", id)
			}
		}
	}
	return nil
}

// Goals: whether the judge is asked for the best or for the worst option.
const (
	goalBest  = "best"
	GoalWorst = "worst"
)

// goalOption is the setting --goal: which option the judge is asked for.
var goalOption = judging.Option{
	Name: "goal", Label: "What is asked for", Default: goalBest, Values: []string{goalBest, GoalWorst},
	IsGoal: true, Usage: "which option to name: best, or worst (gavel's own: the same prompts with the words reversed)",
}
