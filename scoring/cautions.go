package scoring

import "gavel/internal/phrases"

// simulatedWarningCode is the code of the phrase that warns of a simulated judge; [Report.Cautions] leaves it out.
const simulatedWarningCode = "warning.simulated"

// Limits beyond which a run gets a warning that its numbers are unreliable.
const (
	FewItems              = 30   // a run with fewer scored items gets the warning
	NoVerdictWarningShare = 0.05 // a run in which a larger share of replies, 0 to 1, has no readable verdict gets it
)

// Cautions collects the sentences of a run's or a comparison's warnings.
type Cautions []string

// Add appends a warning: the phrase of a code with its arguments.
func (w *Cautions) Add(code string, args ...any) { *w = append(*w, phrases.Sentence(code, args...)) }

// AddCount appends a warning unless the count n is 0; n is the first argument of the code's phrase.
func (w *Cautions) AddCount(code string, n int, args ...any) {
	if n > 0 {
		w.Add(code, append([]any{n}, args...)...)
	}
}
