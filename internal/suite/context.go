package suite

import (
	"cmp"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// contextsOf are those that runs of the suite asked Ollama for before: as their folders say, and as an earlier gavel,
// which chose one for all runs of a model, has written into suite.json. With another a run would be another run.
func contextsOf(given scoring.Contexts) func(eval.Request, judging.Spec) int {
	return func(o eval.Request, spec judging.Spec) int {
		begun := 0
		if m, err := judging.ReadManifest(o.Out); o.Out != "" && err == nil {
			begun = m.Spec.Parameters.NumCtx
		}
		return cmp.Or(begun, given[spec.Model.Name+" "+spec.Model.Identity][judging.NewManifest("", spec).ID])
	}
}

// given are the contexts that suite.json has.
func (s *Suite) given() scoring.Contexts {
	file, err := scoring.ReadSuite(s.Out)
	if err != nil {
		return nil
	}
	return file.NumCtx
}
