package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// ReplayRun makes the run in the folder run again from its records, in the folder out, and compares both results.
// comparison says how far they are the same. A difference in values is an error, unless an earlier version of gavel
// computed the old ones. rep is the report of the new run; nil if there is none.
func ReplayRun(
	ctx context.Context, m *eval.Maker, run, out string,
) (rep *scoring.Report, comparison string, err error) {
	rep, err = m.Replay(ctx, run, out)
	if err != nil {
		return rep, "", err
	}
	oldFile, newFile := filepath.Join(run, judging.ResultsFile), filepath.Join(out, judging.ResultsFile)
	old, err := os.ReadFile(oldFile)
	if err != nil {
		return rep, "", err
	}
	replayed, err := os.ReadFile(newFile)
	if err != nil {
		return rep, "", err
	}
	if bytes.Equal(old, replayed) {
		return rep, judging.ResultsFile + " is the same, byte for byte", nil
	}
	var before scoring.Report
	if err := json.Unmarshal(old, &before); err != nil {
		return rep, "", fmt.Errorf("%s: %w", oldFile, err)
	}
	if before.SameValues(*rep) {
		return rep, judging.ResultsFile + " has the same values; " +
			"intervals or notes come from this version of gavel", nil
	}
	if before.ScoringVersion < scoring.Version && maps.Equal(before.Outcomes, rep.Outcomes) {
		stored, err := scoring.Load(run, judging.ReadingOptions{Readers: rep.Reading})
		if err != nil {
			return rep, "", err
		}
		if rescored := stored.Score(scoring.DefaultOptions.Bootstrap); rescored.SameValues(*rep) {
			return rep, judging.ResultsFile + " has the values of the stored records; " +
				"an earlier version of gavel computed some of them differently", nil
		}
	}
	return rep, "", fmt.Errorf("%s and %s differ: another version of gavel made the first, "+
		"or its files have changed", oldFile, newFile)
}
