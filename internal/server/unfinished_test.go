package server

import (
	"path/filepath"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// TestIntervalsBeforeTheEnd compares the scores of a run that was ended early with those that the command line reads: the
// intervals need the ids of all items.
func TestIntervalsBeforeTheEnd(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "half")
	m := makeRun(t, run, runSetup{sim: "accuracy=0.8", stop: 40})
	m.OrderSeed, m.Status = new(int64), judging.Incomplete
	must(t, judging.WriteJSON(filepath.Join(run, judging.ManifestFile), m))
	loaded, err := scoring.Load(run, scoring.DefaultOptions.Reading)
	must(t, err)
	want := loaded.Score(scoring.DefaultOptions.Bootstrap).Overall("strict")
	var answer struct{ Report scoring.Report }
	newSite(t, dir, nil).data("/api/v1/runs/half", &answer)
	got := answer.Report.Overall("strict")
	if want.Low == nil || got.Low == nil || *got.Low != *want.Low || *got.High != *want.High {
		t.Errorf("%v on the page, %v on the command line", got, want)
	}
}
