package scoring

import "gavel/internal/phrases"

// simulatedWarning is the code of the warning that [Report.Cautions] leaves out.
const simulatedWarning = "warning.simulated"

// Limits beyond which a table warns that a number is unreliable.
const (
	FewItems       = 30
	ManyNoVerdicts = 0.05
)

// cautions collects warnings, phrases with their arguments.
type cautions []string

func (w *cautions) add(code string, args ...any) { *w = append(*w, phrases.Say(code, args...)) }

// addCount adds a warning about n, the first argument of the phrase, unless n is 0.
func (w *cautions) addCount(code string, n int, args ...any) {
	if n > 0 {
		w.add(code, append([]any{n}, args...)...)
	}
}
