package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// pandaPair is a pair of PandaLM's test set (arXiv 2306.05087), which three people judged: 1 and 2 name a response, 0
// is a tie.
type pandaPair struct {
	Index       *int   `json:"idx"`
	Models      string `json:"cmp_key"` // who wrote the responses: bloom-7b_llama-7b
	Instruction string `json:"instruction"`
	Input       string `json:"input"`
	First       any    `json:"response1"` // a text, but for a few that were read as true or a number
	Second      any    `json:"response2"`
	One         int    `json:"annotator1"`
	Two         int    `json:"annotator2"`
	Three       int    `json:"annotator3"`
}

// question is what both responses answer.
func (p pandaPair) question() string { return strings.TrimSpace(p.Instruction + "\n\n" + p.Input) }

// line is the pair as a dataset line, of the question of a number. Its gold is what two of the three people say, if any
// two do.
func (p pandaPair) line(question int) ([]byte, error) {
	modelA, modelB, _ := strings.Cut(p.Models, "_")
	line := map[string]any{
		"id":         fmt.Sprintf("%d:%d", question, *p.Index),
		"source":     datasets.PandaLM,
		"question":   p.question(),
		"response_a": fmt.Sprint(p.First),
		"response_b": fmt.Sprint(p.Second),
		"model_a":    modelA,
		"model_b":    modelB,
		"gold":       nil,
	}
	for label, vote := range map[string]int{"A": 1, "B": 2, "C": 0} {
		if p.One == vote && (p.Two == vote || p.Three == vote) || p.Two == vote && p.Three == vote {
			line["gold"] = label
		}
	}
	return json.Marshal(line)
}

// pandaVotes are what results say; anything else is no verdict.
var pandaVotes = map[string]int{"1": judging.VoteA, "2": judging.VoteB, "0": judging.VoteTie, "Tie": judging.VoteTie}

// importPandaLM turns a judge's verdicts on PandaLM's test set, asked in the published order alone, into a run. Rows have
// idx, …_result (1, 2, 0 or Tie, else none) and …_reason.
func importPandaLM(r imports.Request) ([]*imports.Run, error) {
	pairs, err := pandaPairs(r.Option("testset"))
	if err != nil {
		return nil, err
	}
	source, err := imports.Open(r.Files[0])
	if err != nil {
		return nil, err
	}
	defer source.Close()
	f := &answersFile{
		kind:    "pandalm",
		about:   "PandaLM's results",
		source:  source,
		dataset: judging.DatasetInfo{Name: datasets.PandaLM, Format: datasets.Questions.Name},
		model:   r.Option("model"),
	}
	err = f.gather("rows with idx and …_result", func(raw json.RawMessage) (row answerRow, err error) {
		index, said, reason, err := pandaResult(raw)
		if err != nil {
			return row, err
		}
		line, is := pairs[index]
		if !is {
			return row, fmt.Errorf("idx %d is not in %s", index, r.Option("testset"))
		}
		verdict := judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.Nobody, Label: said}
		if vote, is := pandaVotes[said]; is {
			verdict.Outcome = judging.Decided
			verdict.Choice = vote
		}
		row.Judgment = imports.Judgment{Decision: &said, Verdict: &verdict}
		if reason != "" {
			row.Replies = []string{reason}
		}
		row.item, err = parsed(datasets.Questions, line)
		return row, err
	})
	if err != nil {
		return nil, err
	}
	a, err := f.run(r.Out, r.Gavel)
	if err != nil {
		return nil, err
	}
	a.Say("each pair was judged in one order alone: nothing tells whether the place decides")
	return []*imports.Run{&a.Run}, nil
}

// pandaPairs are the lines of the test set's pairs, by their indices.
func pandaPairs(path string) (map[int][]byte, error) {
	source, err := imports.Open(path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	lines := map[int][]byte{}
	questions := map[string]int{}
	err = source.Each(func(row int, raw json.RawMessage) error {
		var p pandaPair
		err := imports.DecodeRow(raw, &p)
		if err == nil && (p.Index == nil || p.Models == "") {
			err = errors.New("no idx or no cmp_key: this is not PandaLM's testset-v1.json")
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		question, asked := questions[p.question()]
		if !asked {
			question = len(questions) + 1
			questions[p.question()] = question
		}
		lines[*p.Index], err = p.line(question)
		return err
	})
	return lines, err
}

// pandaResult reads a row of results.
func pandaResult(raw json.RawMessage) (index int, said, reason string, err error) {
	var row map[string]json.RawMessage
	if err := imports.DecodeRow(raw, &row); err != nil {
		return 0, "", "", err
	}
	found := json.Unmarshal(row["idx"], &index) == nil
	told := false
	for key, value := range row {
		switch {
		case strings.HasSuffix(key, "_result"):
			said, told = datasets.Scalar(value), true
		case strings.HasSuffix(key, "_reason"):
			json.Unmarshal(value, &reason) // one that is no text is none
		}
	}
	if !found || !told {
		return 0, "", "", errors.New("no idx or no …_result: this is no file of PandaLM's results")
	}
	return index, said, reason, nil
}
