package datasets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// RMBench is the pairs of RM-Bench (arXiv 2410.16184): a prompt with three responses that are right and three that are
// wrong, each in the styles concise, detailed, and detailed with Markdown. Every right one against every wrong one
// are the nine pairs of an item, which belong together.
//
// A pair is hard where the right response is in the plainer style, easy where it is in the fancier one, else normal
// (the paper's §3). Its id is DOMAIN:ID:RIGHT-WRONG, with the styles from 1. The domain is the row's key "domain"
// or, where it has none, what the file's name says. Which of the two stands first is drawn by the id.
var RMBench = Format{
	Name:     "rm-bench",
	About:    "rows with id, prompt, chosen and rejected, three of each in three styles",
	Shape:    Pair,
	Keys:     []string{"id", "prompt", "chosen", "rejected"},
	Parse:    parseRMBench,
	Assemble: nineOfEach,
	Is: func(row map[string]json.RawMessage) bool { // chosen and rejected are keys of many files
		var chosen, rejected []string
		return row["pair"] != nil || json.Unmarshal(row["chosen"], &chosen) == nil &&
			json.Unmarshal(row["rejected"], &rejected) == nil && len(chosen) == rmStyles && len(rejected) == rmStyles
	},
	Clusters: "item",
	Cluster:  before(":"),
	Level: func(id string) string {
		right, wrong, _ := strings.Cut(id[strings.LastIndex(id, ":")+1:], "-")
		return Levels[1+strings.Compare(wrong, right)]
	},
}

// Levels names the difficulty of pairs by their styles; a judge of looks gets the first right.
var Levels = []string{"easy", "normal", "hard"}

// rmStyles is the number of styles of a response.
const rmStyles = 3

type rmRow struct {
	ID       *text    `json:"id" must:"id"`
	Domain   string   `json:"domain"`
	Prompt   *string  `json:"prompt" must:"be"`
	Chosen   []string `json:"chosen" must:"be"`
	Rejected []string `json:"rejected" must:"be"`
	Pair     string   `json:"pair,omitempty"` // of a line that nineOfEach made: the styles of its two responses

	Own *SelfGenerated `json:"own_answer,omitempty"`
}

// read reads a row with so many responses of each kind.
func (r *rmRow) read(line []byte, styles int) error {
	if err := decode(line, r); err != nil {
		return err
	}
	if len(r.Chosen) != styles || len(r.Rejected) != styles {
		return fmt.Errorf("%d chosen and %d rejected responses: an item of RM-Bench has %d of each",
			len(r.Chosen), len(r.Rejected), rmStyles)
	}
	return nil
}

// rmPairs are the styles of the nine pairs, as ids have them.
var rmPairs = func() (pairs []string) {
	for i := range rmStyles {
		for j := range rmStyles {
			pairs = append(pairs, fmt.Sprintf("%d-%d", i+1, j+1))
		}
	}
	return pairs
}()

func parseRMBench(line []byte) (Item, error) {
	var r rmRow
	if err := r.read(line, 1); err != nil {
		return Item{}, err
	}
	if !slices.Contains(rmPairs, r.Pair) {
		return Item{}, fmt.Errorf("pair %.20q: it is the styles of the two responses, 1-1 to 3-3", r.Pair)
	}
	domain := orGroup(r.Domain, "RM-Bench")
	it := Item{
		ID: domain + ":" + string(*r.ID) + ":" + r.Pair, Shape: Pair, Source: "rm-bench", Group: domain, Question: *r.Prompt,
		Candidates: lettered(r.Chosen[0], r.Rejected[0]),
	}
	if chosenPlace(it.ID, 2) == 1 {
		it.Gold = 1
		it.Candidates = lettered(r.Rejected[0], r.Chosen[0])
	}
	return it, r.Own.of(&it)
}

// nineOfEach makes a line of each pair.
func nineOfEach(rows Rows) ([]string, error) {
	domain := strings.TrimSuffix(Base(rows.Path), "_filtered")
	for row := range rows.All {
		if keysOf(row.Text)["pair"] != nil { // it is a pair already
			rows.Emit(row.Line, row.Text)
			continue
		}
		var r rmRow
		if err := r.read(row.Text, rmStyles); err != nil {
			rows.Reject(row.Line, err)
			continue
		}
		if r.Domain == "" {
			r.Domain = strings.TrimPrefix(domain, "rm-bench-")
		}
		chosen, rejected := r.Chosen, r.Rejected
		for k, pair := range rmPairs {
			r.Chosen = chosen[k/rmStyles:][:1]
			r.Rejected = rejected[k%rmStyles:][:1]
			r.Pair = pair
			rows.Emit(row.Line, r)
		}
	}
	return nil, nil
}
