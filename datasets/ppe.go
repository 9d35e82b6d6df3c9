package datasets

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// PPEFormat reads the correctness sets of Preference Proxy Evaluations (arXiv 2410.14872): a prompt, 32 responses of
// one model, their correctness, and sampled pairs of a correct and a wrong one. Every pair is an item; the pairs of a
// prompt form a cluster. The order within a pair is that of the sample.
var PPEFormat = newFormat(ppeName, Format{
	Parse:      parsePair,
	Assemble:   writeSampledPairs,
	ClusterKey: idPrefixFunc(":"),
})

const ppeName = "ppe"

type ppeRow struct {
	ID     *textOrNumber `json:"question_id" must:"id"`
	Model  string        `json:"model_name"`
	Prompt *string       `json:"prompt" must:"be"`
	Scores []bool        `json:"scores" must:"be"`
	Pairs  [][2]int      `json:"sampled_conflict_pairs" must:"be"` // correct and wrong response, by index from 0

	responses map[string]json.RawMessage
}

func (r *ppeRow) read(line []byte) error {
	if err := decode(line, r); err != nil {
		return err
	}
	r.responses = keysOf(line)
	for _, p := range r.Pairs {
		for _, place := range p {
			if place < 0 || place >= len(r.Scores) || r.responses["response_"+strconv.Itoa(place+1)] == nil {
				return fmt.Errorf("sampled_conflict_pairs names response %d, which is missing or has no score", place+1)
			}
		}
		if r.Scores[p[0]] == r.Scores[p[1]] {
			return fmt.Errorf("responses %d and %d form a pair, but have the same score", p[0]+1, p[1]+1)
		}
	}
	return nil
}

// writeSampledPairs writes a line in JudgeBench's format for each sampled pair of every row.
func writeSampledPairs(rows FileRows) ([]string, error) {
	for row := range rows.Rows {
		var r ppeRow
		if err := r.read(row.Text); err != nil {
			rows.Reject(row.Line, err)
			continue
		}
		for _, p := range r.Pairs {
			id := string(*r.ID)
			if r.Model != "" {
				id += ":" + r.Model
			}
			item := Item{
				ID:         fmt.Sprintf("%s:%d-%d", id, p[0]+1, p[1]+1),
				Shape:      ShapePair,
				Source:     ppeName,
				Question:   *r.Prompt,
				Candidates: make([]Candidate, 2),
			}
			if r.Scores[p[1]] {
				item.Gold = 1
			}
			for i, place := range p {
				json.Unmarshal(r.responses["response_"+strconv.Itoa(place+1)], &item.Candidates[i].Text) // read checked it
			}
			line, err := item.encodeLine()
			if err != nil {
				return nil, err
			}
			rows.EmitLine(row.Line, line)
		}
	}
	return nil, nil
}
