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

// CutPrompt begins the detail of a reply to a prompt that the server had cut.
const CutPrompt = backends.CutPrompt

// Presentation is one order in which an item's candidates are shown.
type Presentation struct {
	Index int            // from 0
	Order []int          // Order[position] is the candidate shown there
	Shape datasets.Shape // of the item
	Mode  string         // of protocols that ask the same thing in several ways: which
}

// Prompt is what a judge is asked about one presentation.
type Prompt struct {
	System   string
	User     string
	FollowUp string // the turn asked after a reply without a verdict; "" for none
	Oracle   backends.Oracle

	// Labels are the verdicts on offer, each as the judge is to write it: a
	// constrained reply is one of them and nothing else.
	Labels []string
	// LabelTurn is the turn that asks for the label alone, where the judge is to
	// reason in free text first; "" where the label is the whole reply.
	LabelTurn string
	// Challenge is the turn asked after a verdict: what is said to it is the verdict. "" for none.
	Challenge string
	// Again asks anew what another presentation asks too: no reply that was given to that one is taken.
	Again bool
}

// Nobody is the Choice of a verdict that names no candidate.
const Nobody = -1

// Verdict is what a reply says.
type Verdict struct {
	Outcome Outcome
	Label   string // as the judge wrote it, without the brackets
	Choice  int    // the candidate judged the better, or Nobody
	Answer  string // of a question without candidates: what was read
	Rule    string // which of several rules found it; "" where there is one
	Span    Span   // of the text it was read from; of a conflict, the last of its labels
}

// Silent is the verdict of a reply that names no candidate.
func Silent(outcome Outcome) Verdict { return Verdict{Outcome: outcome, Choice: Nobody} }

// Same tells whether two verdicts say the same.
func (v Verdict) Same(w Verdict) bool {
	return v.Outcome == w.Outcome && v.Choice == w.Choice && v.Answer == w.Answer
}

// Found returns a verdict for choice that stands in a reply from start to end; where the outcome is none, what stands
// there is the label alone. outcome is a reader's word for it, the same as a record's.
func Found[O ~string](outcome O, rule, reply string, start, end, choice int) Verdict {
	v := Silent(Outcome(outcome))
	v.Span = Span{Start: start, End: end}
	if v.Outcome == Decided || v.Outcome == NoVerdict {
		v.Label = strings.Trim(reply[start:end], "[] \\*")
	}
	if v.Outcome == Decided {
		v.Choice = choice
		v.Rule = rule
	}
	return v
}

// Span is where in a text something stands, in bytes; the zero value is nowhere.
type Span struct{ Start, End int }

// Nowhere tells whether it is the zero value.
func (s Span) Nowhere() bool { return s == Span{} }

// Shift is the span so many bytes further on.
func (s Span) Shift(by int) Span { return Span{s.Start + by, s.End + by} }

// Policy says which of several labels binds.
type Policy string

const (
	Unique Policy = "unique" // all must be the same (JudgeBench's rule, the default)
	Last   Policy = "last"   // the last one (Arena-Hard v2)
)

// Policies lists them, the default first.
var Policies = []Policy{Unique, Last}

// Asker is a way of asking a judge. Its methods are pure: the same arguments
// give the same result, nothing is read or written.
type Asker interface {
	Name() string
	// Presentations lists the orders an item is shown in.
	Presentations(item datasets.Item) []Presentation
	// Prompt renders one presentation. What the candidates say never changes the text around them.
	Prompt(item datasets.Item, s Presentation) Prompt
	// Parse reads a reply, thinking already taken off, as a verdict on the presentation, by the readers that how names:
	// Robust, else Paper. It maps the position shown to the candidate, and says where in the reply it stands; nothing
	// later turns labels round, or looks for them.
	Parse(s Presentation, reply string, how Reading) Verdict
}

// PolicyReader is an asker whose published rule leaves open which of several labels binds: a [Policy] says it. Other
// askers have a rule that leaves no choice.
type PolicyReader interface {
	// ReadsByPolicy tells whether that is so of a record.
	ReadsByPolicy(r *Record) bool
}

// Protocol is what gavel knows of a protocol: what people read of it, its
// prompts, how it asks, and what of a record is its own.
type Protocol struct {
	Name          string
	About         string
	Help          string           // what it does and how it is called: NAME and GOAL stand for those of the protocol
	Items         string           // what it judges, in a word or two
	Goal          string           // what the judge is asked to name
	Asks          string           // the question, GOAL standing for the goal; "" where the name says it
	Judges        []datasets.Shape // the items it takes
	Presentations int              // of every item; 0 where it depends on the item
	Shows         int              // how many candidates of its order a presentation shows, the first; 0: all
	FollowUps     bool             // a reply without a verdict is followed by another turn
	Templates     []Template
	Options       []Option
	New           func(Template, Settings) Asker

	// What follows is of protocols that have it, nil for the others.

	// Own makes a template of a system message of one's own, or says what it lacks.
	Own func(path, system string) (Template, error)
	// Adapt is a template as it is under settings: what a run's manifest has.
	Adapt func(Template, Settings) Template
	// Answers says that models answer questions under it: its runs are stages.
	Answers bool
	// Stage is what comes before the protocol under settings; nil for none.
	Stage func(Settings) *Stage
	// Describe notes what scores have to know of an item beyond its shape and gold.
	Describe func(r *Record, item datasets.Item, s Presentation)
	// Check refuses a record that no run of the protocol could have written.
	Check func(r *Record) error
	// Right tells whether a verdict is the dataset's, where more than the candidate that it chose decides that.
	Right func(r *Record, v Verdict) bool
	// ToName lists the candidates that it is right to name under settings, by id; none where nobody can say. nil: the
	// labelled one.
	ToName func(r *Record, s Settings) []string
	// Called is what a prompt calls the candidate shown at a position, from 0: "Assistant A". nil: by its id.
	Called func(t Template, position int) string
	// Asked is the question of an item as a sentence of a page; "": Asks.
	Asked string
	// Says puts a verdict for a candidate into words, for a goal. nil: by its id.
	Says func(goal, id string) string
	// Labelled puts what it is right to name of the candidates shown into words, for a goal. nil: by their ids.
	Labelled func(goal string, right, shown []string) string
}

// Question is what a run with a goal asks about an item, as a sentence.
func (p Protocol) Question(goal string) string {
	q := cmp.Or(p.Asked, strings.ReplaceAll(p.Asks, "GOAL", goal), p.About)
	return strings.ToUpper(q[:min(1, len(q))]) + q[min(1, len(q)):]
}

// Shown are the candidates of an order that a presentation shows.
func (p Protocol) Shown(order []string) []string {
	if p.Shows == 0 {
		return order
	}
	return order[:min(p.Shows, len(order))]
}

// Option is a choice that a protocol offers beyond its prompt. It is a flag of
// the command and, where it is not the default, part of the run's spec.
type Option struct {
	Name    string
	Label   string // of forms; "": its name
	Usage   string
	Default string   // "false" for a switch
	Values  []string // all of them; nil where Check decides
	Check   func(value string) error
	Goal    bool // its value is the goal
}

// Settings are options that were chosen: name and value of those that are not the default.
type Settings map[string]string

// Get is the value of an option.
func (s Settings) Get(o Option) string {
	if v, ok := s[o.Name]; ok {
		return v
	}
	return o.Default
}

// Takes tells whether the protocol judges items of a shape.
func (p Protocol) Takes(s datasets.Shape) bool { return slices.Contains(p.Judges, s) }

// registered are the protocols that were added, in their order.
var registered []Protocol

// Register adds a protocol. It is for a program's beginning, before any is asked
// for; a name that is taken is the program's own mistake.
func Register(p Protocol) {
	if slices.ContainsFunc(registered, func(q Protocol) bool { return q.Name == p.Name }) {
		panic("protocol " + p.Name + " is registered twice")
	}
	registered = append(registered, p)
}

// Protocols lists those that were registered, in that order.
func Protocols() []Protocol { return slices.Clone(registered) }

// ProtocolsFor lists the protocols that take items of a shape.
func ProtocolsFor(s datasets.Shape) []Protocol {
	return slices.DeleteFunc(Protocols(), func(p Protocol) bool { return !p.Takes(s) })
}

// ProtocolNamed finds a protocol.
func ProtocolNamed(name string) (Protocol, error) {
	if i := slices.IndexFunc(registered, func(p Protocol) bool { return p.Name == name }); i >= 0 {
		return registered[i], nil
	}
	return Protocol{}, fmt.Errorf("unknown protocol %q: it is one of %s", name, strings.Join(Names(registered), ", "))
}

// Names of protocols.
func Names(protocols []Protocol) []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.Name
	}
	return names
}

// Answering is the protocol under which models answer questions.
func Answering() Protocol {
	if i := slices.IndexFunc(registered, func(p Protocol) bool { return p.Answers }); i >= 0 {
		return registered[i]
	}
	return Protocol{}
}

// JudgesAgents tells whether agents' answers are judged, which a request names.
func (p Protocol) JudgesAgents() bool {
	return p.Stage != nil && p.Stage(nil) != nil && p.Stage(nil).Agents
}

// Before is the stage before the protocol under settings; nil for none.
func (p Protocol) Before(s Settings) *Stage {
	if p.Stage == nil {
		return nil
	}
	return p.Stage(s)
}

// Adapted is a template as it is under settings: what a run's manifest has.
func (p Protocol) Adapted(t Template, s Settings) Template {
	if p.Adapt == nil {
		return t
	}
	return p.Adapt(t, s)
}

// GoalWorse is the goal of judgments whose answer is the worse of two responses: [Verdict].Choice is then the other.
const GoalWorse = "worse"

// GoalOf is what a run's judge is asked to name, by the protocol's option where it has one.
func (p Protocol) GoalOf(s Settings) string {
	if i := slices.IndexFunc(p.Options, func(o Option) bool { return o.Goal }); i >= 0 {
		return s.Get(p.Options[i])
	}
	return p.Goal
}

// Template finds one of the protocol's prompts by name.
func (p Protocol) Template(name string) (Template, error) {
	i := slices.IndexFunc(p.Templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, fmt.Errorf("unknown prompt %q: it is one of %s, or the path of a file",
			name, strings.Join(p.TemplateNames(), ", "))
	}
	return p.Templates[i], nil
}

// TemplateNames lists the names of the protocol's prompts.
func (p Protocol) TemplateNames() []string {
	names := make([]string, len(p.Templates))
	for i, t := range p.Templates {
		names[i] = t.Name
	}
	return names
}

// GroupOrder sorts the groups of records the way their dataset lists them.
func GroupOrder(a, b string) int { return datasets.CategoryOrder(a, b) }
