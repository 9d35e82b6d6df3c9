package scoring

import "fmt"

// simulatedWarning begins as [Report.Caveats] knows it.
const simulatedWarning = simulatedJudge + ": not results of a model"

const simulatedJudge = "simulated judge"

// Limits past which a table says that a number should not be trusted as it is.
const (
	FewItems       = 30
	ManyNoVerdicts = 0.05
)

// cautions gathers warnings.
type cautions []string

func (w *cautions) say(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// count adds a warning about n, its first argument, unless n is 0.
func (w *cautions) count(n int, format string, args ...any) {
	if n > 0 {
		w.say(format, append([]any{n}, args...)...)
	}
}
