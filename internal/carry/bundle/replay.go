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

// Replay makes a run again from its folder, in the folder out, and compares the results of both, byte for byte: that
// they differ is an error. The report is of the run that was made; it is nil where none was.
func Replay(ctx context.Context, m *eval.Maker, run, out string) (rep *scoring.Report, found string, err error) {
	rep, err = m.Replay(ctx, run, out)
	if err != nil {
		return rep, "", err
	}
	was, is := filepath.Join(run, judging.ResultsFile), filepath.Join(out, judging.ResultsFile)
	old, err := os.ReadFile(was)
	if err != nil {
		return rep, "", err
	}
	made, err := os.ReadFile(is)
	if err != nil {
		return rep, "", err
	}
	if bytes.Equal(old, made) {
		return rep, judging.ResultsFile + " is the same, byte for byte", nil
	}
	var before scoring.Report
	if err := json.Unmarshal(old, &before); err != nil {
		return rep, "", fmt.Errorf("%s: %w", was, err)
	}
	if before.SameValues(*rep) {
		return rep, judging.ResultsFile + " has the same values; " +
			"intervals, or what is remarked, are those of this version of gavel", nil
	}
	if before.Scoring < scoring.Version && maps.Equal(before.Outcomes, rep.Outcomes) {
		stored, err := scoring.Load(run, judging.Reading{Name: rep.Reading})
		if err != nil {
			return rep, "", err
		}
		if again := stored.Score(scoring.DefaultOptions.Bootstrap); again.SameValues(*rep) {
			return rep, judging.ResultsFile + " has the values of the stored records; " +
				"an earlier version of gavel computed some of them differently", nil
		}
	}
	return rep, "", fmt.Errorf("%s and %s differ: another version of gavel made the first, "+
		"or its files have changed", was, is)
}
