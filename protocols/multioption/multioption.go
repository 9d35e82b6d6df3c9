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

const gradeScore = "Grade Score (arXiv 2406.12043), appendix A"

const name = "multi-option"

// Protocol is the choice of one of several options.
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
	Items: "ranked options", Goal: goalBest, Asks: "which is GOAL?", Judges: []datasets.Shape{datasets.Options},
	Templates: []judging.Template{
		bothGoals("1", gradeScore+", \"A simple prompt\""),
		bothGoals("2", gradeScore+", \"Come up with an evaluation criteria\""),
		bothGoals("3", gradeScore+", \"Instruct away from order bias\""),
		bothGoals("4", gradeScore+", \"An explicit point grading criteria\""),
		bothGoals(judging.Decision, "gavel"),
	},
	Own:      ownSelection,
	Describe: describe, Check: check,
	ToName:  func(r *judging.Record, s judging.Settings) []string { return rightToName(r, s.Get(goalOption)) },
	Called:  func(_ judging.Template, position int) string { return "Option " + strconv.Itoa(position+1) },
	Says:    func(goal, id string) string { return id + " is the " + goal },
	Options: []judging.Option{goalOption, OrdersOption},
	New: func(t judging.Template, s judging.Settings) judging.Asker {
		// What a flag was checked for, a manifest may have otherwise: then it is the default.
		p := multiOption{template: t, goal: goalBest}
		if s.Get(goalOption) == GoalWorst {
			p.goal = GoalWorst
		}
		p.orders, _ = parseOrders(s.Get(OrdersOption))
		return p
	},
}

// multiOption asks for one of several options (PROTOCOLS.md §3).
type multiOption struct {
	template judging.Template
	goal     string
	orders   ordering
}

func (multiOption) Name() string { return name }

// bothGoals reads a prompt's text for each goal.
func bothGoals(name, origin string) judging.Template {
	return judging.NewTexts(name, origin,
		map[string]string{goalBest: prompts[name], GoalWorst: prompts[name+"-worst"]}, numbered)
}

//go:embed prompts
var files embed.FS

var prompts = judging.Texts(files, "prompts")

// ownSelection takes a system message of one's own, for the goal it was written for. What it has to say is left to its
// author: a reply is read after the first "Selection", or from its beginning where it does not have the word.
func ownSelection(path, system string) (judging.Template, error) {
	if strings.TrimSpace(system) == "" {
		return judging.Template{}, errors.New("the prompt is empty: " +
			"it must hold a system message, which had best ask for \"Selection: Option\" and a number")
	}
	return judging.NewTemplate(path, "file", system, nil), nil
}

// system is the prompt's text for the goal. One of one's own has one text.
func (p multiOption) system() string {
	if text, ok := p.template.Texts[p.goal]; ok {
		return text
	}
	return p.template.System
}

// Presentations: every option stands at each position once, unless other orders were asked for.
func (p multiOption) Presentations(item datasets.Item) []judging.Presentation {
	lists := p.orders.of(item)
	presentations := make([]judging.Presentation, len(lists))
	for i, order := range lists {
		presentations[i] = judging.Presentation{Index: i, Order: order, Shape: datasets.Options}
	}
	return presentations
}

// Check refuses an item that cannot be shown in the orders asked for.
func (p multiOption) Check(item datasets.Item) error {
	n := len(item.Candidates)
	if p.orders.all && n > mostForAll {
		return fmt.Errorf("%s has %d options to show, which is too many for --orders %s (at most %d: "+
			"%d orders); cut items down with --max-options, or use --orders random:%d",
			item.ID, n, ordersAll, mostForAll, factorial(mostForAll), factorial(mostForAll))
	}
	return nil
}

// Prompt writes the user message in the layout of the authors' code, without the indentation that got into it. Texts
// are joined, never searched or formatted: they may hold anything.
func (p multiOption) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	prompt := judging.Prompt{System: p.system(), LabelTurn: optionTurn, Oracle: p.oracle(item, s)}
	if p.template.Name == judging.Decision {
		prompt.LabelTurn = ""
	}
	var m strings.Builder
	m.WriteString("From the following outputs, make your selection.\n[User Instruction]\nInstruction: ")
	m.WriteString(item.Question)
	m.WriteString("\n[\\User Instruction]")
	for position, c := range s.Order {
		number := strconv.Itoa(position + 1)
		m.WriteString("\n[Option " + number + "]\n\n")
		m.WriteString(item.Candidates[c].Text)
		m.WriteString("\n\n[\\Option " + number + "]")
		prompt.Labels = append(prompt.Labels, "Selection: Option "+number)
	}
	prompt.User, prompt.Oracle.Choices = m.String(), prompt.Labels
	return prompt
}

// optionTurn is gavel's own: no paper constrains its judges. All four prompts
// ask for more than the selection, so that it is a turn of its own with each.
const optionTurn = "Now output your selection, and nothing else."

// oracle: the position to name is that of the best option or, under the other goal, of the worst.
func (p multiOption) oracle(item datasets.Item, s judging.Presentation) backends.Oracle {
	return backends.Oracle{
		Item:         item.ID,
		Presentation: s.Index,
		Order:        s.Order,
		Right:        max(0, slices.Index(s.Order, p.named(item, s))),
	}
}

// named is the option that is right to name. A simulated judge needs one even
// where nobody knows: then it is the first of the item's own.
func (p multiOption) named(item datasets.Item, s judging.Presentation) int {
	record := judging.NewRecord(&judging.Manifest{}, item, s)
	describe(record, item, s)
	right := named(record, p.goal)
	return max(0, slices.IndexFunc(item.Candidates, func(c datasets.Candidate) bool {
		return slices.Contains(right, c.ID) || len(right) == 0 && !c.Unrelated
	}))
}

// numbered is the authors' regular expression.
var numbered = regexp.MustCompile(`Option (\d+)`)

// Rules by which an option was found.
const (
	afterSelection = "selection" // after the word
	anywhere       = "anywhere"  // the reply does not have the word
)

// Parse reads the first option after the first "Selection", by PROTOCOLS.md §3. The first binds, so that there is no
// conflict, whatever the policy. A number of no option is no verdict.
func (p multiOption) Parse(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if how.Name == judging.Robust {
		f := reading.Option(reply, len(s.Order), p.goal == GoalWorst)
		choice := judging.Nobody
		if n, err := strconv.Atoi(f.Value); f.Outcome == reading.Stated && err == nil {
			choice = s.Order[n-1]
		}
		return judging.Found(f.Outcome, f.Rule, reply, f.Start, f.End, choice)
	}
	rule, from := anywhere, 0
	if at := strings.Index(reply, selection); at >= 0 {
		rule, from = afterSelection, at+len(selection)
	}
	m := numbered.FindStringSubmatchIndex(reply[from:])
	if m == nil {
		return judging.Silent(judging.NoVerdict)
	}
	at := judging.Span{Start: m[0], End: m[1]}.Shift(from)
	v := judging.Verdict{Outcome: judging.NoVerdict, Label: reply[at.Start:at.End], Choice: judging.Nobody, Span: at}
	number, err := strconv.Atoi(reply[from+m[2] : from+m[3]])
	if err == nil && number >= 1 && number <= len(s.Order) {
		v.Outcome = judging.Decided
		v.Choice = s.Order[number-1]
		v.Rule = rule
	}
	return v
}

// selection is the heading that the prompts ask for.
const selection = "Selection"

// describe notes what scores have to know of an item's options.
func describe(r *judging.Record, item datasets.Item, _ judging.Presentation) {
	for _, c := range item.Candidates {
		if c.Unrelated {
			r.Unrelated = c.ID
		}
	}
	if item.Shape != datasets.Options {
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
			r.Equal = append(r.Equal, same)
		}
	}
}

// check refuses a record that speaks of options that were not shown.
func check(r *judging.Record) error {
	shown := func(id string) bool { return slices.Contains(r.Order, id) }
	if r.Unrelated != "" && !shown(r.Unrelated) {
		return fmt.Errorf("the unrelated option %q was not shown", r.Unrelated)
	}
	for id := range r.Ranks {
		if !shown(id) {
			return fmt.Errorf("option %q has a rank, but was not shown", id)
		}
	}
	for _, same := range r.Equal {
		for _, id := range same {
			if !shown(id) {
				return fmt.Errorf("option %q is equal to another, but was not shown", id)
			}
		}
	}
	return nil
}

// Goals of a choice among several options.
const (
	goalBest  = "best"
	GoalWorst = "worst"
)

// goalOption says what a judge of several options is to name.
var goalOption = judging.Option{
	Name: "goal", Label: "What is asked for", Default: goalBest, Values: []string{goalBest, GoalWorst},
	Goal: true, Usage: "which option to name: best, or worst (gavel's own: the same prompts with the words reversed)",
}
