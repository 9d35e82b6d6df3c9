// Package judging turns items into judgments: an item is shown in one or more orders, each presentation becomes a
// prompt, a prompt's reply is read as a verdict, and all of it is written down as a record, one JSON line each.
//
// Protocols are pure. What they share, asking, following up, writing and
// resuming, is in [Run]. Nothing after the records needs a model.
package judging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
)

// PromptTruncatedPrefix begins [Reply].Detail if the server truncated the prompt.
const PromptTruncatedPrefix = backends.PromptTruncatedPrefix

// Presentation describes an order in which an item's candidates are shown.
type Presentation struct {
	Index int            // number among the item's presentations, from 0
	Order []int          // Order[position] is the index of the candidate shown there
	Shape datasets.Shape // shape of the item
	Mode  string         // the way of asking, if the protocol has several
}

// Prompt holds the text that a judge gets for one presentation.
type Prompt struct {
	System   string          // text of the system message; "" for none
	User     string          // text of the user's message
	FollowUp string          // text of the turn that asks again after a reply without a verdict; "" for none
	Oracle   backends.Oracle // the correct verdict, for simulated judges

	// Labels lists the verdicts on offer as the judge should write them. A constrained reply is exactly one of them.
	Labels []string
	// LabelRequest is the text of the turn after free reasoning that asks for the label; "" if the reply is the label.
	LabelRequest string
	// Challenge is the text of the turn that asks, after a verdict, whether the judge is sure; the reply to it replaces
	// the verdict. "" for none.
	Challenge string
	// EqualsOtherPrompt says that another presentation of the item has this prompt; its cached reply must not serve here.
	EqualsOtherPrompt bool
}

// NoCandidate is the Choice of a verdict that favours no candidate.
const NoCandidate = -1

// Verdict holds the judge's decision that was read from its replies.
type Verdict struct {
	Outcome Outcome
	Label   string // as the judge wrote it, without the brackets
	Choice  int    // index of the candidate that the verdict favours, or NoCandidate
	Answer  string // the answer to a question without candidates
	Rule    string // name of the rule that found the label; "" if the protocol has one rule
	Span    Span   // position of the label in [Record.Text]; in a conflict, of the last one
}

// EmptyVerdict returns a verdict with an outcome, but without a label and a candidate.
func EmptyVerdict(outcome Outcome) Verdict { return Verdict{Outcome: outcome, Choice: NoCandidate} }

// Same reports whether two verdicts have the same outcome, candidate and answer.
func (v Verdict) Same(w Verdict) bool {
	return v.Outcome == w.Outcome && v.Choice == w.Choice && v.Answer == w.Answer
}

// NewVerdict returns the verdict of what a reader found in a reply, a match of protocols/reading. A Decided verdict has
// choice, rule and label; one with NoVerdict only the label, which was not on offer. O is the reader's own type with
// the values of [Outcome].
func NewVerdict[O ~string](match struct {
	Outcome    O
	Value      string
	Start, End int
	Rule       string
}, reply string, choice int) Verdict {
	v := EmptyVerdict(Outcome(match.Outcome))
	v.Span = Span{Start: match.Start, End: match.End}
	if v.Outcome == Decided || v.Outcome == NoVerdict {
		v.Label = strings.Trim(reply[match.Start:match.End], "[] \\*")
	}
	if v.Outcome == Decided {
		v.Choice = choice
		v.Rule = match.Rule
	}
	return v
}

// Span holds the position of a part of a text, in bytes. The zero value stands for no position.
type Span struct{ Start, End int }

// IsZero reports whether s is the zero value.
func (s Span) IsZero() bool { return s == Span{} }

// Shift returns the span moved by offset bytes.
func (s Span) Shift(offset int) Span { return Span{s.Start + offset, s.End + offset} }

// LabelPolicy decides which of several labels in a reply counts.
type LabelPolicy string

const (
	PolicyUniqueLabel LabelPolicy = "unique" // all labels must be the same (JudgeBench's rule, the default)
	PolicyLastLabel   LabelPolicy = "last"   // the last label counts (Arena-Hard v2)
)

// LabelPolicies lists all policies, the default first.
var LabelPolicies = []LabelPolicy{PolicyUniqueLabel, PolicyLastLabel}

// Asker asks a judge in the way of a protocol. Its methods are pure: the same arguments give the same result, and
// nothing is read or written.
type Asker interface {
	Name() string
	// PresentationsPerItem lists the orders in which an item is shown.
	Presentations(item datasets.Item) []Presentation
	// Prompt renders one presentation. The text of the candidates never changes the text around them.
	Prompt(item datasets.Item, s Presentation) Prompt
	// Parse reads a reply, without its thinking, as a verdict on the presentation. It uses the readers of reading.Name,
	// Robust or else Paper. It maps the position shown to the candidate and returns where in the reply the verdict is;
	// no later step swaps or searches labels.
	Parse(s Presentation, reply string, reading ReadingOptions) Verdict
}

// PolicyReader is implemented by an Asker whose published rule does not say which of several labels counts, so that a
// [LabelPolicy] decides.
type PolicyReader interface {
	// ReadsByPolicy reports whether the policy matters for a record.
	ReadsByPolicy(r *Record) bool
}

// Protocol describes a protocol: its name and help, its prompts, how it asks, and how it reads its records.
type Protocol struct {
	Name                 string
	About                string           // the protocol in one line, for lists
	Help                 string           // the help text, in which NAME and GOAL stand for name and goal
	ItemsNoun            string           // plural of its items, in a word or two
	Goal                 string           // which candidate a judge has to name, such as "better"
	QuestionTemplate     string           // the question, in which GOAL stands for the goal; "" if the name says it
	Shapes               []datasets.Shape // the shapes of its items
	PresentationsPerItem int              // number of presentations of every item; 0 if it depends on the item
	MaxShown             int              // number of candidates that a presentation shows, the first of its order; 0: all
	ScoresCandidates     bool             // a verdict scores one candidate, right or wrong only beside others of its item
	HasFollowUpTurn      bool             // another turn follows a reply without a verdict
	Templates            []Template       // the prompts to choose from, the default first
	Options              []Option         // the choices that it offers beyond the prompt
	// NewAsker makes the Asker of a run.
	NewAsker func(Template, Settings) Asker

	// The following fields may be nil.

	// CustomTemplate makes a template of a user's system message, or returns an error that says what the message lacks.
	CustomTemplate func(path, system string) (Template, error)
	// ChangeTemplate returns a template with the changes that settings make to it, for a run's manifest.
	ChangeTemplate func(Template, Settings) Template
	// AnswersQuestions says that models answer questions under this protocol: others can make items of its runs' answers.
	AnswersQuestions bool
	// Stage returns how to make items of answers under settings and a prompt, given by name; nil if the protocol judges a
	// dataset's items.
	Stage func(s Settings, prompt string) *Stage
	// FillRecord adds to a record what scores need of an item beyond its shape and gold label.
	FillRecord func(r *Record, item datasets.Item, s Presentation)
	// CheckRecord returns an error for a record that no run of the protocol could have written.
	CheckRecord func(r *Record) error
	// Right reports whether a verdict is correct, if that depends on more than the chosen candidate.
	Right func(r *Record, v Verdict) bool
	// CorrectIDs lists the ids of the candidates that are correct under settings, or none if unknown. If CorrectIDs is
	// nil, the labelled candidate is correct.
	CorrectIDs func(r *Record, s Settings) []string
	// CandidateName returns a prompt's name of the candidate at a position, from 0, such as "Assistant A". If it is nil,
	// pages show the candidate's id.
	CandidateName func(t Template, position int) string
	// PageQuestion is the question of an item as a sentence on a page; "": Asks.
	PageQuestion string
	// VerdictText puts a verdict for the candidate id into words, for a goal. If it is nil, pages show the id.
	VerdictText func(goal, id string) string
	// CorrectAnswerText puts the ids of the correct candidates, among those shown, into words, for a goal. If it is nil,
	// pages show the ids.
	CorrectAnswerText func(goal string, right, candidates []string) string
}

// Question returns the question that a run with a goal asks about an item, as a sentence.
func (p Protocol) Question(goal string) string {
	q := cmp.Or(p.PageQuestion, strings.ReplaceAll(p.QuestionTemplate, "GOAL", goal), p.About)
	return strings.ToUpper(q[:min(1, len(q))]) + q[min(1, len(q)):]
}

// ShownIDs returns the ids of the candidates that a presentation shows: the first MaxShown of its order.
func (p Protocol) ShownIDs(order []string) []string {
	if p.MaxShown == 0 {
		return order
	}
	return order[:min(p.MaxShown, len(order))]
}

// Option describes a choice that a protocol offers beyond its prompt. It is a flag of the command and, if its value is
// not the default, part of the run's spec.
type Option struct {
	Name    string
	Label   string                   // heading in forms; "": Name
	Usage   string                   // help text
	Default string                   // "false" for a switch
	Values  []string                 // all values; nil if Check decides
	Check   func(value string) error // returns an error for an invalid value; may be nil
	IsGoal  bool                     // the option's value is the goal of a run
	Runs    bool                     // the folder of a run may be given in place of one of Values
}

// Settings maps the names of options to their values, if not the default.
type Settings map[string]string

// Get returns the value of an option, or its default if s has none.
func (s Settings) Get(o Option) string {
	if v, ok := s[o.Name]; ok {
		return v
	}
	return o.Default
}

// Takes reports whether the protocol judges items of a shape.
func (p Protocol) Takes(s datasets.Shape) bool { return slices.Contains(p.Shapes, s) }

// registered lists the protocols in the order of their registration.
var registered []Protocol

// Register adds a protocol, when the program starts. It panics if the name is taken.
func Register(p Protocol) {
	if _, err := ProtocolNamed(p.Name); err == nil {
		panic("protocol " + p.Name + " is registered twice")
	}
	registered = append(registered, p)
}

// Protocols lists the registered protocols in order.
func Protocols() []Protocol { return slices.Clone(registered) }

// ProtocolsFor lists the protocols that take items of a shape.
func ProtocolsFor(s datasets.Shape) []Protocol {
	return slices.DeleteFunc(Protocols(), func(p Protocol) bool { return !p.Takes(s) })
}

// ProtocolNamed returns the registered protocol with a name, or else the zero value and an error.
func ProtocolNamed(name string) (Protocol, error) {
	for _, p := range registered {
		if p.Name == name {
			return p, nil
		}
	}
	return Protocol{}, fmt.Errorf("unknown protocol %q: it is one of %s",
		name, strings.Join(ProtocolNames(registered), ", "))
}

// ProtocolNames returns the names of the given protocols, in order.
func ProtocolNames(protocols []Protocol) []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.Name
	}
	return names
}

// AnswerProtocol returns the protocol under which models answer questions.
func AnswerProtocol() Protocol {
	for _, p := range registered {
		if p.AnswersQuestions {
			return p
		}
	}
	return Protocol{}
}

// JudgesAgents reports whether the protocol judges agents' answers, so that a request names agents.
func (p Protocol) JudgesAgents() bool {
	stage := p.FirstStage(nil, "")
	return stage != nil && stage.JudgesAgents
}

// FirstStage returns how the protocol makes items of models' answers under settings and a prompt, or nil if it does
// not.
func (p Protocol) FirstStage(s Settings, prompt string) *Stage {
	if p.Stage == nil {
		return nil
	}
	return p.Stage(s, prompt)
}

// AdaptTemplate returns a template with the changes that the protocol makes to it under settings, for a run's manifest.
func (p Protocol) AdaptTemplate(t Template, s Settings) Template {
	if p.ChangeTemplate == nil {
		return t
	}
	return p.ChangeTemplate(t, s)
}

// GoalWorse is the goal of naming the worse of two responses. [Verdict].Choice is then the other response.
const GoalWorse = "worse"

// GoalOf returns the goal of a run: the value of the protocol's goal option if it has one.
func (p Protocol) GoalOf(s Settings) string {
	for _, o := range p.Options {
		if o.IsGoal {
			return s.Get(o)
		}
	}
	return p.Goal
}

// Template finds one of the protocol's prompts by name.
func (p Protocol) Template(name string) (Template, error) {
	for _, t := range p.Templates {
		if t.Name == name {
			return t, nil
		}
	}
	return Template{}, fmt.Errorf("unknown prompt %q: it is one of %s, or the path of a file",
		name, strings.Join(p.TemplateNames(), ", "))
}

// TemplateNames lists the names of the protocol's prompts.
func (p Protocol) TemplateNames() []string {
	names := make([]string, len(p.Templates))
	for i, t := range p.Templates {
		names[i] = t.Name
	}
	return names
}

// CompareGroups compares two names of groups for sorting: JudgeBench's first, as in its paper, then the others by name.
var CompareGroups = datasets.CompareGroups
