package judging

import "gavel/datasets"

// Vote holds the verdict of a person or model on two models' answers to one turn of a question, as MT-Bench publishes
// votes. The models are in alphabetical order, and Winner refers to that order: files have a pair in either order.
type Vote struct {
	Question       string // id of the question
	Turn           int    // turn of the conversation that was judged, from 1
	ModelA, ModelB string // the models; A sorts first
	Judge          string // the person or model that voted
	Winner         int    // VoteA, VoteB or VoteTie
	WinnerLabel    string // the winner in the file's words and order of models: "model_1", "tie (inconsistent)"
}

// Values of [Vote].Winner: the index of the winning candidate in the pair's item, of shape [datasets.ShapePreference].
const (
	VoteA = iota
	VoteB
	VoteTie
)

// ItemID returns the id of the pair's item in a run of preferences.
func (v Vote) ItemID() string {
	return datasets.MTBenchID(v.Question, v.Turn, v.ModelA, v.ModelB)
}
