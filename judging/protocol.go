// Package judging turns items into judgments: an item is shown in one or more
// orders, each showing becomes a prompt, a prompt's reply is read as a verdict,
// and all of it is written down as a record, one JSON line each.
//
// Protocols are pure. What they share, asking, following up, writing and
// resuming, is in [Run]. Nothing after the records needs a model.
package judging

import (
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
)

// CutPrompt begins the detail of a reply to a prompt that the server had cut.
const CutPrompt = backends.CutPrompt

// Showing is one order in which an item's candidates are shown.
type Showing struct {
	Index int            // from 0
	Order []int          // Order[place] is the candidate shown there
	Shape datasets.Shape // of the item
	Mode  string         // of protocols that ask the same thing in several ways: which
}

// Prompt is what a judge is asked about one showing.
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
}

// Outcome is how a judgment ended (PROTOCOLS.md §4). Only Decided and Tie are
// verdicts.
type Outcome string

const (
	Decided   Outcome = "decided"
	Tie       Outcome = "tie"
	Conflict  Outcome = "conflict"        // labels that contradict each other
	NoVerdict Outcome = "no-verdict"      // none, or one that was not on offer
	Cut       Outcome = "cut"             // the reply ended at the token limit
	TooLong   Outcome = "prompt-too-long" // never judged on a cut prompt
	Refused   Outcome = "refused"
	Failed    Outcome = "failed" // no answer after the retries; asked again by the next run
)

// Outcomes lists all of them in the order tables print them.
var Outcomes = []Outcome{Decided, Tie, Conflict, NoVerdict, Cut, TooLong, Refused, Failed}

// Nobody is the Choice of a verdict that names no candidate.
const Nobody = -1

// Verdict is what a reply says.
type Verdict struct {
	Outcome Outcome
	Label   string // as the judge wrote it, without the brackets
	Choice  int    // the candidate judged the better, or Nobody
	Answer  string // of a question without candidates: what was read
	Rule    string // which of several rules found it; "" where there is one
}

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
	// Showings lists the orders an item is shown in.
	Showings(item datasets.Item) []Showing
	// Prompt renders one showing. What the candidates say never changes the
	// text around them.
	Prompt(item datasets.Item, s Showing) Prompt
	// Parse reads a reply, thinking already taken off, as a verdict on the
	// showing. It maps the place shown to the candidate; nothing later turns
	// labels round.
	Parse(s Showing, reply string, how Reading) Verdict
}

// Protocol is what gavel knows of a protocol: its name, what people read of it,
// its prompts, and how it asks.
type Protocol struct {
	Name      string
	About     string
	Help      string           // what it does and how it is called: NAME and GOAL stand for those of the protocol
	Goal      string           // what the judge is asked to name
	Judges    []datasets.Shape // the items it takes
	Showings  int              // of every item; 0 where it depends on the item
	FollowUps bool             // a reply without a verdict is followed by another turn
	Templates []Template
	Options   []Option
	// Own makes a template of a system message of one's own, or says what it
	// lacks; nil where it is that of a comparison of two.
	Own func(path, system string) (Template, error)
	New func(Template, Settings) Asker
}

// Option is a choice that a protocol offers beyond its prompt. It is a flag of
// the command and, where it is not the default, part of the run's spec.
type Option struct {
	Name    string
	Usage   string
	Default string   // "false" for a switch
	Values  []string // all of them; nil where Check decides
	Check   func(value string) error
}

// Settings are options that were chosen: name and value of those that are not
// the default.
type Settings map[string]string

// Get is the value of an option.
func (s Settings) Get(o Option) string {
	if v, ok := s[o.Name]; ok {
		return v
	}
	return o.Default
}

// Takes tells whether the protocol judges items of a shape.
func (k Protocol) Takes(s datasets.Shape) bool { return slices.Contains(k.Judges, s) }

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

// Comparisons lists the protocols that compare two responses.
var Comparisons = []Protocol{Pairwise, Reversed}

// ProtocolsFor lists the protocols that take items of a shape.
func ProtocolsFor(s datasets.Shape) []Protocol {
	return slices.DeleteFunc(Protocols(), func(k Protocol) bool { return !k.Takes(s) })
}

// ProtocolNamed finds a protocol.
func ProtocolNamed(name string) (Protocol, error) {
	var names []string
	for _, k := range registered {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Protocol{}, fmt.Errorf("unknown protocol %q: it is one of %s", name, strings.Join(names, ", "))
}

// Template finds one of the protocol's prompts by name.
func (k Protocol) Template(name string) (Template, error) {
	i := slices.IndexFunc(k.Templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, fmt.Errorf("unknown prompt %q: it is one of %s, or the path of a file", name, strings.Join(k.TemplateNames(), ", "))
	}
	return k.Templates[i], nil
}

// TemplateNames lists the names of the protocol's prompts.
func (k Protocol) TemplateNames() []string {
	names := make([]string, len(k.Templates))
	for i, t := range k.Templates {
		names[i] = t.Name
	}
	return names
}

// GroupOrder sorts the groups of records the way their dataset lists them.
func GroupOrder(a, b string) int { return datasets.CategoryOrder(a, b) }
