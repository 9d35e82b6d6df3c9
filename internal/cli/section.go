package cli

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// scoreSections lists the parts of `gavel score --format full` that --section prints alone:
// published judges, and biases.
var scoreSections = []string{"references", "sway"}

// scoreSection returns the part of a run's scores that name selects: its judge beside published judges
// (references), or its biases (sway).
func scoreSection(name string, run *scoring.Run, o scoring.Options) (any, error) {
	if name == "sway" {
		s, err := run.AnalyzeBias(o.Bootstrap)
		if err == nil && s == nil {
			err = fmt.Errorf("%s: biases are measured on runs of pairs that ask which is better", run.Dir)
		}
		return report.BiasDocumenter{BiasAnalysis: s}, err
	}
	rep := run.Score(o.Bootstrap)
	if len(rep.References) == 0 {
		return nil, fmt.Errorf("%s: nothing published is known on these items: it takes a complete run that asks which "+
			"is better, of LLMBar's pairs or of a whole file of JudgeBench", run.Dir)
	}
	return report.ListReferences(&rep, rep.References), nil
}

// printSection prints the part of a run's scores that --section names. With --out it also writes runs of the
// published judges to that folder.
func (e *env) printSection(c *cli.Context, runs []*scoring.Run, o scoring.Options) error {
	name, out := c.String("section"), c.String("out")
	switch err := checkOneOf("--section", name, scoreSections); {
	case out != "" && name != "references":
		return usageError("--out is for --section references")
	case err != nil:
		return err
	case len(runs) > 1:
		return usageError("one run at a time: gavel score --section %s RUN", name)
	}
	document, err := scoreSection(name, runs[0], o)
	if err == nil {
		err = e.printResult(c, document)
	}
	if err != nil || out == "" {
		return err
	}
	published, err := pairwise.MakePublishedRuns(runs[0].Dir, version())
	if err != nil {
		return err
	}
	for _, r := range published {
		if err := r.Write(filepath.Join(out, runFolderName(r.Manifest.Spec.Model.Name))); err != nil {
			return err
		}
	}
	e.say("%d runs written to %s", len(published), out)
	e.next("serve", "--open", "--runs", filepath.Dir(filepath.Clean(out)))
	return nil
}
