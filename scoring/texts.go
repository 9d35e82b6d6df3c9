package scoring

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Swayer is a scorer whose runs tell what sways the judge: it counts what the texts of the items have, which no record
// has. clusterOf says which items belong together; nil where each stands for itself. The result is nil where the run
// asks something else.
type Swayer interface {
	Sway(responses Responses, clusterOf func(id string) string, b stats.Bootstrap) (*Sway, error)
}

// Sway is what sways the judge of a run, of its items' texts; nil where nobody can tell.
func (run *Run) Sway(b stats.Bootstrap) (*Sway, error) {
	s, ok := run.scorer.(Swayer)
	if !ok {
		return nil, nil
	}
	out, err := s.Sway(run.responses, run.cluster, b)
	if out != nil {
		out.Says = out.Answer()
		if run.Manifest.DrawnBy != nil {
			out.Says += " But " + LookedAt + "."
		}
		out.Run = run.Dir
		out.Judge = run.Manifest.Spec.Model.Name
		out.Dataset = run.Manifest.Dataset.Name
	}
	return out, err
}

// Ruler is a scorer whose runs are held against rules that do not read; none where the run asks something else.
type Ruler interface {
	Rules(responses Responses, clusterOf func(id string) string, b stats.Bootstrap) ([]Rule, error)
}

// responses hands over those to the items: none where they are not in the run's folder.
func (run *Run) responses(use func(id string, of []judging.Response)) error {
	items := run.items
	if items == nil {
		items = run.inFolder
	}
	err := items(use)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (run *Run) inFolder(use func(id string, of []judging.Response)) error {
	in, err := os.Open(filepath.Join(run.folder, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer in.Close()
	return judging.EachResponse(run.Manifest, in, use)
}

// rules are those that the run is held against; none where the items cannot be read.
func (run *Run) rules(b stats.Bootstrap) []Rule {
	s, ok := run.scorer.(Ruler)
	if !ok || run.items == nil && run.folder == "" {
		return nil
	}
	rules, err := s.Rules(run.responses, run.cluster, b)
	if err != nil {
		return nil
	}
	return rules
}
