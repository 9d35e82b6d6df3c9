package suite

import (
	"gavel/internal/eval"
	"gavel/judging"
)

// earlierNumCtx returns the context size in tokens that the run in a request's folder requested from Ollama, or 0 if
// there is no run yet. With another size the cell would be another run.
func earlierNumCtx(r eval.RunRequest) int {
	if r.Out == "" {
		return 0
	}
	m, err := judging.ReadManifest(r.Out)
	if err != nil {
		return 0
	}
	return m.Spec.Parameters.NumCtx
}
