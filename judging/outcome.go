package judging

// Outcome says how a judgment ended (PROTOCOLS.md §4). Only Decided and Tie are verdicts.
type Outcome string

const (
	Decided       Outcome = "decided"         // a verdict for a candidate, or a number
	Tie           Outcome = "tie"             // a verdict that the candidates are equal
	Conflict      Outcome = "conflict"        // labels that contradict each other
	NoVerdict     Outcome = "no-verdict"      // no label, or one that was not on offer
	Truncated     Outcome = "cut"             // the reply ended at the token limit
	PromptTooLong Outcome = "prompt-too-long" // not sent, or not judged because the server truncated it
	Refused       Outcome = "refused"         // the server withheld the reply
	Failed        Outcome = "failed"          // no answer after the retries; asked again by the next run
)

// IsVerdict reports whether the outcome is a verdict for a candidate, an answer or a tie.
func (o Outcome) IsVerdict() bool { return o == Decided || o == Tie }

// IsUnserved reports whether the judge had no chance to give or finish a reply, because of the server or lack of room.
// What it would have replied is unknown.
func (o Outcome) IsUnserved() bool {
	return o == Failed || o == PromptTooLong || o == Refused || o == Truncated
}

// Outcomes lists all outcomes in the order of tables.
var Outcomes = []Outcome{Decided, Tie, Conflict, NoVerdict, Truncated, PromptTooLong, Refused, Failed}
