package eval

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"

	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// savedReport holds the report of a complete run in its folder, so that the same command need not read the records
// again. It is valid while the files of the run are unchanged.
type savedReport struct {
	ScoringVersion int               `json:"scoring"`      // scoring.Version of the gavel that wrote it
	ManifestFiles  map[string]string `json:"files_sha256"` // the manifest's Files when the report was made
	Report         *scoring.Report   `json:"report"`       // includes the cost, which results.json lacks
}

// reportFile names the file of a savedReport in a run's folder.
const reportFile = ".report.json"

// canUseSavedReport reports whether a run is scored with all defaults and its complete judgments are not asked again:
// only then the saved report is valid.
func (p *runState) canUseSavedReport() bool {
	return p.rule == nil && !p.isReplay && p.replayReaders == "" && !p.req.AskAgain
}

// savedReport returns the saved report of a complete run, or nil if its records must be read.
func (e *Maker) savedReport(p *runState) *scoring.Report {
	m := p.job.Manifest
	old, err := judging.ReadManifest(p.out)
	if err != nil || !p.canUseSavedReport() || old.ID != m.ID || old.Status != judging.Complete ||
		old.Name != m.Name || !reflect.DeepEqual(old.Dataset, m.Dataset) {
		return nil
	}
	var saved savedReport
	raw, err := os.ReadFile(filepath.Join(p.out, reportFile))
	if err != nil || json.Unmarshal(raw, &saved) != nil ||
		saved.ScoringVersion != scoring.Version || saved.Report == nil ||
		!maps.Equal(saved.ManifestFiles, old.Files) || !disk.Exists(filepath.Join(p.out, judging.ResultsFile)) {
		return nil
	}
	altered, err := old.AlteredFiles(nil, p.out)
	if err != nil || len(altered) > 0 || judging.CheckRegularFiles(p.out) != nil {
		return nil
	}
	saved.Report.Run = p.out
	e.reportComplete(p.out, old, old.Judgments)
	for _, o := range saved.Report.Origins {
		e.Notef("%s", o)
	}
	return saved.Report
}

// saveReport saves the report of a complete run. If that fails, the next try reads the records.
func (p *runState) saveReport(run *scoring.Run, rep *scoring.Report) {
	path := filepath.Join(p.out, reportFile)
	m, err := judging.ReadManifest(p.out)
	if err != nil || !p.canUseSavedReport() || m.Status != judging.Complete || run.Unserved.Total() > 0 ||
		p.checks != nil && p.checks.hasMarkedRecord ||
		len(m.Altered) > 0 {
		os.Remove(path)
		return
	}
	judging.WriteJSON(path, savedReport{ScoringVersion: scoring.Version, ManifestFiles: m.Files, Report: rep})
}
