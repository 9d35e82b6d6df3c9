package scoring

import "fmt"

// simulatedWarning begins with simulatedJudge, by which [Report.Cautions] recognizes it.
const simulatedWarning = simulatedJudge + ": not results of a model"

const simulatedJudge = "simulated judge"

// Limits beyond which a table warns that a number is unreliable.
const (
	FewItems       = 30
	ManyNoVerdicts = 0.05
)

// cautions collects warnings.
type cautions []string

func (w *cautions) add(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// addCount adds a warning about n, the first argument of format, unless n is 0.
func (w *cautions) addCount(n int, format string, args ...any) {
	if n > 0 {
		w.add(format, append([]any{n}, args...)...)
	}
}
