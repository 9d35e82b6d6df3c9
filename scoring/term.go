package scoring

import (
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"
)

// Term says a metric in words. Of a metric it stands in its literal; Metric is then its name.
type Term struct {
	Metric string   // or several, as [path.Match] has it: "place-*"
	Called []string // how else tables call it, likewise
	Name   string   // in plain words, a few: "right in both orders"
	Plain  string   // what it says, in plain words
	Source string   // of the formula
	Others string   // what others call it
	Chance string   // what a judge without judgment gets; "" where that says nothing
	Best   Best     // "" where that cannot be said
}

// Best says which values of a metric are the better, in words.
type Best string

// Which values are the better.
const (
	Higher Best = "higher is better"
	Lower  Best = "lower is better"
)

// Is tells whether a name is the term's.
func (t Term) Is(name string) bool {
	return name == t.Name || slices.ContainsFunc(append([]string{t.Metric}, t.Called...), func(pattern string) bool {
		is, _ := path.Match(pattern, strings.ReplaceAll(name, "/", " "))
		return is
	})
}

// ID of the term's explanation on a page: terms of two protocols that go by one name have two.
func (t Term) ID() string {
	h := fnv.New32a()
	io.WriteString(h, t.Metric+"\n"+t.Plain)
	return fmt.Sprintf("term-%08x", h.Sum32())
}

// TermIn finds a name among terms; false where none has it.
func TermIn(terms []Term, name string) (Term, bool) {
	if i := slices.IndexFunc(terms, func(t Term) bool { return t.Is(name) }); i >= 0 && name != "" {
		return terms[i], true
	}
	return Term{}, false
}

// WithoutVerdictTerm is of every protocol.
var WithoutVerdictTerm = Term{
	Metric: WithoutVerdict,
	Called: []string{"without a verdict"},
	Plain:  "judgments that name nothing: no verdict could be read, the reply was cut, the call failed",
	Source: "share of judgments",
	Others: "invalid or unparsed responses, refusals",
}
