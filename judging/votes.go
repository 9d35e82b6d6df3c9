package judging

import "gavel/datasets"

// Vote holds the verdict of a person or model on two models' answers to one turn of a question, as MT-Bench publishes
// votes. The models are in alphabetical order, and Winner refers to that order: files have a pair in either order.
type Vote struct {
	Question string
	Turn     int
	A, B     string // the models; A sorts first
	Judge    string
	Winner   int    // VoteA, VoteB or VoteTie
	Label    string // as in the file, for its order: "tie (inconsistent)"
}

// Winners of a vote: the index of the candidate of a [datasets.Preference].
const (
	VoteA = iota
	VoteB
	VoteTie
)

// Item returns the id of the pair's item in a run of preferences.
func (v Vote) Item() string {
	return datasets.MTBenchID(v.Question, v.Turn, v.A, v.B)
}
