// Package references has what published judges decided, item by item: a character a verdict, no replies. README.md says
// where they are from.
package references

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
)

// Set is published verdicts on the items of a dataset.
type Set struct {
	Dataset string  `json:"dataset"`
	Prompt  string  `json:"prompt"` // as its source calls it
	Groups  []Group `json:"groups"` // of the items, in their order
	Gold    string  `json:"gold"`   // of each item: 1 or 2, the better output
	Judges  []Judge `json:"judges"`
}

// Group is items that follow each other.
type Group struct {
	Name  string `json:"group"`
	Items int    `json:"items"`
}

// Verdicts, beside 1 and 2 for the output that was chosen.
const (
	Tie       = 't'
	NoVerdict = '-'
)

// Judge is what one judge decided.
type Judge struct {
	Name        string `json:"name"`
	Called      string `json:"called"` // as its source calls it
	OpenWeights bool   `json:"open_weights"`
	Source      string `json:"source"` // with its commit
	// in the second order the outputs changed places and their labels, (a) and (b), went with them: a judge that always
	// says "(a)" looks consistent
	LabelsStay bool   `json:"labels_stay,omitempty"`
	First      string `json:"first"`  // verdicts on the items, those judged, with output 1 shown first
	Second     string `json:"second"` // with output 2 shown first
}

//go:embed llmbar.json
var llmBar []byte

// LLMBar are verdicts on its 419 pairs, by its prompt Vanilla.
var LLMBar = sync.OnceValue(func() *Set {
	s := new(Set)
	if err := json.Unmarshal(llmBar, s); err != nil {
		panic("datasets/references/llmbar.json: " + err.Error())
	}
	return s
})

//go:embed llmbar.digests
var digests []byte

// Digest identifies the texts and the label of an item of LLMBar, whose texts are not here.
func Digest(i int) uint64 { return binary.BigEndian.Uint64(digests[8*i:]) }

// index is where the items of LLMBar stand in their order.
var index = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	LLMBar().Each(func(i int, id, _ string) { all[id] = i })
	return all
})

// Index is where an item stands in the order of the set.
func (s *Set) Index(id string) (i int, ok bool) {
	i, ok = index()[id]
	return i, ok
}

// Right tells whether a judge named the better output of an item in both orders.
func (s *Set) Right(j Judge, i int) bool { return j.First[i] == s.Gold[i] && j.Second[i] == s.Gold[i] }

// Whole tells whether a judge judged all items.
func (s *Set) Whole(j Judge) bool { return len(j.First) == len(s.Gold) }

// Each calls f with the id and the group of every item, in their order.
func (s *Set) Each(f func(i int, id, group string)) {
	i := 0
	for _, g := range s.Groups {
		for k := range g.Items {
			f(i, fmt.Sprintf("%s#%d", g.Name, k), g.Name)
			i++
		}
	}
}
