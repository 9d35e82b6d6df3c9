// Package references holds the verdicts of published judges, item by item, one character per verdict, without replies.
// README.md lists the sources.
package references

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
)

// PublishedSet holds published verdicts on the items of a dataset.
type PublishedSet struct {
	Dataset    string           `json:"dataset"`
	Prompt     string           `json:"prompt"` // the judges' prompt, by the source's name
	Groups     []ItemGroup      `json:"groups"` // groups of consecutive items, in the order of the items
	GoldByItem string           `json:"gold"`   // a character for each item: 1 or 2, the better output
	Judges     []PublishedJudge `json:"judges"`
}

// ItemGroup names consecutive items.
type ItemGroup struct {
	Name      string `json:"group"`
	ItemCount int    `json:"items"` // number of items
}

// Verdicts other than 1 and 2, which name the chosen output.
const (
	Tie       = 't' // the judge found the outputs equal
	NoVerdict = '-' // the judge gave no verdict
)

// PublishedJudge holds the verdicts of one judge.
type PublishedJudge struct {
	Name        string `json:"name"`
	SourceName  string `json:"called"`       // the judge's name in the source
	OpenWeights bool   `json:"open_weights"` // the judge's weights are public
	Source      string `json:"source"`       // where the verdicts are published, with the commit
	// in the second order the labels (a) and (b) moved together with the outputs: a judge that always says "(a)" looks
	// consistent
	LabelsFollowResponses bool   `json:"labels_stay,omitempty"`
	FirstOrderVerdicts    string `json:"first"`  // verdicts on the judged items, with output 1 shown first
	SecondOrderVerdicts   string `json:"second"` // verdicts on the judged items, with output 2 shown first
}

//go:embed llmbar.json
var llmBar []byte

// LLMBar returns verdicts on LLMBar's 419 pairs, obtained with its prompt Vanilla.
var LLMBar = sync.OnceValue(func() *PublishedSet {
	s := new(PublishedSet)
	if err := json.Unmarshal(llmBar, s); err != nil {
		panic("datasets/references/llmbar.json: " + err.Error())
	}
	return s
})

//go:embed llmbar.digests
var llmBarDigests []byte

// LLMBarDigest returns the digest of LLMBar's item at position i, as computed from its texts and label: this package
// does not include the texts.
func LLMBarDigest(i int) uint64 { return binary.BigEndian.Uint64(llmBarDigests[8*i:]) }

// positionsByID maps the ids of LLMBar's items to their positions.
var positionsByID = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	LLMBar().EachItem(func(i int, id, _ string) { all[id] = i })
	return all
})

// ItemIndex returns the position of the item with this id in the set, from 0.
func (s *PublishedSet) ItemIndex(id string) (i int, ok bool) {
	i, ok = positionsByID()[id]
	return i, ok
}

// IsCorrectInBothOrders reports whether a judge named the better output of an item in both orders.
func (s *PublishedSet) IsCorrectInBothOrders(j PublishedJudge, i int) bool {
	return j.FirstOrderVerdicts[i] == s.GoldByItem[i] && j.SecondOrderVerdicts[i] == s.GoldByItem[i]
}

// Complete reports whether a judge judged all items.
func (s *PublishedSet) Complete(j PublishedJudge) bool {
	return len(j.FirstOrderVerdicts) == len(s.GoldByItem)
}

// EachItem calls f with the position, the id and the group of every item, in order.
func (s *PublishedSet) EachItem(f func(i int, id, group string)) {
	i := 0
	for _, g := range s.Groups {
		for k := range g.ItemCount {
			f(i, fmt.Sprintf("%s#%d", g.Name, k), g.Name)
			i++
		}
	}
}
