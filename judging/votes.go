package judging

import "gavel/datasets"

// Vote is what a judge, a person or a model, said of two models' answers to one turn of a question, as MT-Bench
// publishes votes. The models' names are sorted, and the winner with them: published files have a pair in either order.
type Vote struct {
	Question string
	Turn     int
	A, B     string // the models; A sorts first
	Judge    string
	Winner   int    // VoteA, VoteB or VoteTie
	Label    string // as the file has it, of the order in the file: "tie (inconsistent)"
}

// Winners of a vote: the index of the candidate of a [datasets.Preference].
const (
	VoteA = iota
	VoteB
	VoteTie
)

// Item is the id that the pair has in a run of preferences.
func (v Vote) Item() string {
	return datasets.MTBenchID(v.Question, v.Turn, v.A, v.B)
}
