package datasets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// RMBenchFormat reads the pairs of RM-Bench (arXiv 2410.16184): a prompt with three correct and three wrong responses,
// each in the styles concise, detailed, and detailed with Markdown. Every correct one with every wrong one makes nine
// pairs, which form a cluster.
//
// A pair is hard if the correct response has the plainer style, easy if it has the fancier one, else normal (§3 of the
// paper). Its id is DOMAIN:ID:RIGHT-WRONG, with styles numbered from 1. The domain is the row's key "domain" or,
// without one, follows from the file's name. The order within a pair is drawn by the id.
var RMBenchFormat = newFormat("rm-bench", Format{
	Parse:    parser((*rmRow).item),
	Assemble: writeNinePairs,
	Matches: func(row map[string]json.RawMessage) bool { // many files have the keys chosen and rejected
		var chosen, rejected []string
		return row["pair"] != nil || json.Unmarshal(row["chosen"], &chosen) == nil &&
			json.Unmarshal(row["rejected"], &rejected) == nil && len(chosen) == rmStyles && len(rejected) == rmStyles
	},
	ClusterKey: idPrefixFunc(":"),
	DifficultyOf: func(id string) string {
		right, wrong, _ := strings.Cut(id[strings.LastIndex(id, ":")+1:], "-")
		return DifficultyLevels[1+strings.Compare(wrong, right)]
	},
})

// DifficultyLevels names the difficulty of pairs by style; a judge that follows style gets the first level right.
var DifficultyLevels = []string{"easy", "normal", "hard"}

// rmStyles is the number of styles of a response.
const rmStyles = 3

type rmRow struct {
	ID        *textOrNumber `json:"id" must:"id"`
	Domain    string        `json:"domain"`
	Prompt    *string       `json:"prompt" must:"be"`
	Chosen    []string      `json:"chosen" must:"be"`
	Rejected  []string      `json:"rejected" must:"be"`
	StylePair string        `json:"pair,omitempty"` // in lines of writeNinePairs: the styles of the two responses

	Own *OwnAnswer `json:"own_answer,omitempty"`
}

// check returns an error unless a row has a response of each style, or a pair has two.
func (r *rmRow) check() error {
	styles := rmStyles
	if r.StylePair != "" {
		styles = 1
	}
	if len(r.Chosen) != styles || len(r.Rejected) != styles {
		return fmt.Errorf("%d chosen and %d rejected responses: an item of RM-Bench has %d of each",
			len(r.Chosen), len(r.Rejected), rmStyles)
	}
	return nil
}

// rmPairs lists the styles of the right and the wrong response in each of the nine pairs, as in the ids.
var rmPairs = strings.Fields("1-1 1-2 1-3 2-1 2-2 2-3 3-1 3-2 3-3")

func (r *rmRow) item() (Item, error) {
	if !slices.Contains(rmPairs, r.StylePair) {
		return Item{}, fmt.Errorf("pair %.20q is not a pair of styles, 1-1 to 3-3", r.StylePair)
	}
	domain := categoryOrDefault(r.Domain, "RM-Bench")
	item := Item{
		ID:         domain + ":" + string(*r.ID) + ":" + r.StylePair,
		Shape:      ShapePair,
		Source:     "rm-bench",
		Group:      domain,
		Question:   *r.Prompt,
		Candidates: lettered(r.Chosen[0], r.Rejected[0]),
	}
	if drawChosenPosition(item.ID, 2) == 1 {
		item.Gold = 1
		item.Candidates = lettered(r.Rejected[0], r.Chosen[0])
	}
	return item, r.Own.setOwnAnswer(&item)
}

// writeNinePairs writes a line for each of the nine pairs of a row.
func writeNinePairs(rows FileRows) ([]string, error) {
	domain := strings.TrimSuffix(ShortName(rows.Path), "_filtered")
	for row, r := range decodeRows[rmRow](rows) {
		if r.StylePair != "" { // already a pair
			rows.EmitLine(row.Line, row.Text)
			continue
		}
		if r.Domain == "" {
			r.Domain = strings.TrimPrefix(domain, "rm-bench-")
		}
		chosen, rejected := r.Chosen, r.Rejected
		for k, pair := range rmPairs {
			r.Chosen = chosen[k/rmStyles:][:1]
			r.Rejected = rejected[k%rmStyles:][:1]
			r.StylePair = pair
			rows.EmitLine(row.Line, r)
		}
	}
	return nil, nil
}
