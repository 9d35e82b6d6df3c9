package judging

// Outcome is how a judgment ended (PROTOCOLS.md §4). Only Decided and Tie are verdicts.
type Outcome string

const (
	Decided   Outcome = "decided"
	Tie       Outcome = "tie"
	Conflict  Outcome = "conflict"        // labels that contradict each other
	NoVerdict Outcome = "no-verdict"      // none, or one that was not on offer
	Cut       Outcome = "cut"             // the reply ended at the token limit
	TooLong   Outcome = "prompt-too-long" // never judged on a cut prompt
	Refused   Outcome = "refused"
	Failed    Outcome = "failed" // no answer after the retries; asked again by the next run
)

// Verdict tells whether it is one: of a candidate, an answer or a tie.
func (o Outcome) Verdict() bool { return o == Decided || o == Tie }

// Unserved tells whether the judge had no chance to say anything, or to end, for want of the server or of room: nobody
// knows what it would have said.
func (o Outcome) Unserved() bool { return o == Failed || o == TooLong || o == Refused || o == Cut }

// Outcomes lists all of them in the order tables print them.
var Outcomes = []Outcome{Decided, Tie, Conflict, NoVerdict, Cut, TooLong, Refused, Failed}
