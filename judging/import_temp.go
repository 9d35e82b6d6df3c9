package judging

import (
	"encoding/json"
	"errors"
	"regexp"

	"gavel/datasets"
)

var mmluProFormat = datasets.Format{Name: "mmlu-pro", Parse: func(line []byte) (it datasets.Item, err error) {
	var r struct {
		QuestionID json.RawMessage `json:"question_id"`
		Question   string
		Options    []string
		Answer     string
		Category   string
		Src        string
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return it, err
	}
	it = datasets.Item{ID: datasets.Scalar(r.QuestionID), Shape: datasets.Choice, Group: r.Category, Source: r.Src, Question: r.Question, Gold: -1}
	for i, o := range r.Options {
		id := string(rune('A' + i))
		it.Candidates = append(it.Candidates, datasets.Candidate{ID: id, Text: o})
		if id == r.Answer {
			it.Gold = i
		}
	}
	if it.Gold < 0 {
		return it, errors.New("no gold")
	}
	return it, nil
}}

var gsm8kFormat = datasets.Format{Name: "gsm8k", Parse: func(line []byte) (it datasets.Item, err error) {
	var r struct{ ID, Question, Answer string }
	if err := json.Unmarshal(line, &r); err != nil {
		return it, err
	}
	m := regexp.MustCompile(`#### (\S+)`).FindStringSubmatch(r.Answer)
	return datasets.Item{ID: r.ID, Shape: datasets.Number, Group: "gsm8k", Question: r.Question, Gold: -1, Answer: m[1]}, nil
}}
