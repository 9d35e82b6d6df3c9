package selfreference

import (
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/answer"
)

func numberItem() datasets.Item {
	return datasets.Item{ID: "n1", Shape: datasets.ShapeNumber, Source: "ours", Group: "sums", Question: "What is 1,450 less 3?", Gold: datasets.NoGold, Answer: "1,447"}
}

func preferenceItem() datasets.Item {
	return datasets.Item{
		ID: "m1", Shape: datasets.ShapePreference, Source: "ours", Group: "writing", Question: "Write a line on rain.", Gold: 1,
		Candidates: []datasets.Candidate{{ID: "A", Model: "m", Text: "It rains."}, {ID: "B", Model: "n", Text: "Rain drums on tin."}, {ID: "C"}},
	}
}

// These tests register the protocols that runs name.
func init() {
	judging.Register(answer.Protocol)
	judging.Register(Protocol)
}
