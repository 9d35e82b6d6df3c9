package scoring

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring/stats"
)

// BiasFinder is a scorer that finds the biases of the judge from the texts of the responses, which records lack.
// clusterOf returns the cluster of an item by its id; nil: no clusters. The result is nil for runs with another
// question.
type BiasFinder interface {
	AnalyzeBias(responses ResponseIterator, clusterOf func(id string) string, b stats.Bootstrap) (*BiasAnalysis, error)
}

// AnalyzeBias finds the judge's biases from the texts of the responses; nil if the protocol does not support it.
func (run *Run) AnalyzeBias(b stats.Bootstrap) (*BiasAnalysis, error) {
	s, ok := run.scorer.(BiasFinder)
	if !ok {
		return nil, nil
	}
	out, err := s.AnalyzeBias(run.eachItemResponses, run.cluster, b)
	if out != nil {
		out.Says = out.Answer()
		if run.Manifest.OrderSeed != nil {
			out.Says += " " + phrases.Sentence("bias.fixed-length")
		}
		out.Run = run.Dir
		out.Judge = run.Manifest.Spec.Model.Name
		out.Dataset = run.Manifest.Dataset.Name
	}
	return out, err
}

// BaselineScorer is a scorer that scores baselines, rules that pick responses without reading them, on the items of a
// run. It returns none for runs with another question.
type BaselineScorer interface {
	Baselines(responses ResponseIterator, clusterOf func(id string) string, b stats.Bootstrap) ([]Baseline, error)
}

// eachItemResponses calls use for each item with its id and the texts of its responses; it calls nothing if the run's
// folder lacks the items.
func (run *Run) eachItemResponses(use func(id string, responses []judging.Candidate)) error {
	items := run.itemResponses
	if items == nil {
		items = run.eachStoredResponse
	}
	err := items(use)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// eachStoredResponse calls use for each item of the file in the run's folder.
func (run *Run) eachStoredResponse(use func(id string, responses []judging.Candidate)) error {
	in, err := os.Open(filepath.Join(run.folder, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer in.Close()
	return judging.EachResponse(run.Manifest, in, use)
}

// baselines returns the results of baselines on the run's items; none if the items cannot be read.
func (run *Run) baselines(b stats.Bootstrap) []Baseline {
	s, ok := run.scorer.(BaselineScorer)
	if !ok || run.itemResponses == nil && run.folder == "" {
		return nil
	}
	rules, err := s.Baselines(run.eachItemResponses, run.cluster, b)
	if err != nil {
		return nil
	}
	return rules
}
