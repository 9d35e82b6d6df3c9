package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/races"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// Status describes the progress of a suite, read from its folders. Reading locks nothing, so that the suite may be
// running.
type Status struct {
	Suite    string         `json:"suite"`
	OutDir   string         `json:"out"`
	Cells    []RunState     `json:"cells"`
	Stages   []RunState     `json:"stages,omitempty"` // runs of models' answers that cells use
	ByStatus map[string]int `json:"by_status"`        // number of cells by status
	Race     *race.State    `json:"race,omitempty"`   // of the cells; nil if none was started
}

// RunState describes the progress of one run.
type RunState struct {
	Run            string     `json:"run"`
	Judge          string     `json:"judge,omitempty"` // name of the judge; "" for a run of models' answers
	Status         string     `json:"status"`
	Expected       int        `json:"expected"`                 // judgments that the run needs
	Completed      int        `json:"standing"`                 // judgments with a reply
	Failed         int        `json:"failed"`                   // judgments whose last call failed
	Rate           float64    `json:"per_second,omitempty"`     // judgments per second, from the latest records
	SecondsLeft    float64    `json:"seconds_left,omitempty"`   // estimated time to the run's end
	LastRecordTime *time.Time `json:"last_record,omitempty"`    // time of the last record
	SilentSeconds  float64    `json:"seconds_silent,omitempty"` // since the last record, if the run's status is running
	// HeadlineScore is the headline score so far. Before the run's end its interval is valid however often one looks.
	HeadlineScore *scoring.Result `json:"value,omitempty"`
	Error         string          `json:"error,omitempty"`
}

// Status returns the progress of the suite at the time now.
func (s *Suite) Status(now time.Time) *Status {
	st := &Status{Suite: s.Name, OutDir: s.Out, ByStatus: map[string]int{}}
	cells := map[string]bool{}
	for _, c := range s.Cells {
		cs := stateOf(c.Request.Out, now)
		cs.Judge = c.judge.name
		cs.HeadlineScore = cs.computeHeadlineScore()
		st.Cells = append(st.Cells, cs)
		st.ByStatus[cs.Status]++
		cells[c.name] = true
	}
	st.Race, _ = s.raceState()      // the race itself reports a damaged file
	entries, _ := os.ReadDir(s.Out) // missing before the suite has started
	for _, entry := range entries {
		dir := filepath.Join(s.Out, entry.Name())
		if m, err := judging.ReadManifest(dir); err == nil && !cells[entry.Name()] && m.Imported == "" &&
			m.Spec.Protocol == judging.AnswerProtocol().Name {
			st.Stages = append(st.Stages, stateOf(dir, now))
		}
	}
	return st
}

// stateOf returns the progress at the time now of the run in a folder, from its manifest and the
// complete lines of records.jsonl.
func stateOf(dir string, now time.Time) RunState {
	c := RunState{Run: dir, Status: report.NotBegun}
	m, err := judging.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return c
	}
	if err != nil {
		c.Status = report.Unreadable
		c.Error = err.Error()
		return c
	}
	c.Status = m.Status
	c.Expected = m.Judgments
	var tempo judging.Tempo
	var tried, completed judging.Completed
	err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		tried.Add(r)
		if r.Outcome != judging.Failed {
			completed.Add(r)
		}
		tempo.Add(r.At)
		c.LastRecordTime = &r.At
		return nil
	})
	c.Completed = completed.Count()
	c.Failed = tried.Count() - c.Completed
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Status = report.Unreadable
		c.Error = err.Error()
	}
	if c.Status == judging.Running {
		c.addPace(&tempo, cmp.Or(c.LastRecordTime, &m.Started), now)
	}
	return c
}

// computeHeadlineScore returns the headline score of the run so far, or nil if its records cannot be scored.
// Scoring the run explains why.
func (c RunState) computeHeadlineScore() *scoring.Result {
	run, err := scoring.Load(c.Run, scoring.DefaultOptions.Reading)
	if c.Completed == 0 || err != nil {
		return nil
	}
	results := run.Score(scoring.DefaultOptions.Bootstrap)
	return report.Headline(&results)
}

// addPace sets the speed of a run that is in progress, and the time left. last is the time of its last record.
func (c *RunState) addPace(tempo *judging.Tempo, last *time.Time, now time.Time) {
	c.SilentSeconds = max(0, now.Sub(*last).Seconds())
	c.Rate = tempo.PerSecond(now)
	c.SecondsLeft, _ = tempo.Remaining(c.Expected-c.Completed, now)
}

// silentAfter is the time without a new record after which a run in progress is called silent: it may have been killed.
const silentAfter = 2 * time.Minute

// Document returns a table with a row for each run of the suite, and the race if there is one.
func (s *Status) Document() (d doc.Document) {
	if s.Race != nil {
		d = races.FromState(s.Race, func(run string) string { return run }).Document()
		d.CSVRows = nil
	}
	t := doc.Table{RowHead: "run", Columns: append(
		doc.ColumnsOfKind(doc.ColumnWords, "status"),
		doc.ColumnsOfKind(doc.ColumnInteger, "judgments", "failed", "per second", "left", "so far")...)}
	var wrong []string
	for _, c := range slices.Concat(s.Stages, s.Cells) {
		t.Add(c.row())
		if c.Error != "" {
			wrong = append(wrong, c.Error)
		}
	}
	summary := phrases.CountWithNoun(len(s.Cells), "cell")
	for _, status := range []string{
		judging.Complete, judging.StoppedByRule, judging.Running, judging.Incomplete, judging.Interrupted,
		report.NotBegun, report.Unreadable,
	} {
		if n := s.ByStatus[status]; n > 0 {
			summary += fmt.Sprintf(", %d %s", n, status)
		}
	}
	if slices.ContainsFunc(s.Cells, func(c RunState) bool {
		return c.HeadlineScore != nil && c.Status != judging.Complete
	}) {
		summary += phrases.Sentence("suite.early")
	}
	d.Blocks = append([]doc.Block{{
		Title:     phrases.Sentence("suite.title", s.Suite, s.OutDir),
		ShowTitle: true,
		Table:     &t,
		Notes:     append([]doc.Note{doc.PlainNote(summary)}, doc.WarningNotes(wrong)...),
	}}, d.Blocks...)
	return d
}

// row returns the run's row of the table that shows the suite's progress.
func (c RunState) row() doc.Row {
	var judgments, failed, rate, remaining, value string
	status := c.Status
	name := filepath.Base(c.Run)
	if c.Judge == "" {
		name = "(stage) " + name
	}
	if c.Status != report.NotBegun {
		judgments = fmt.Sprintf("%d/%d", c.Completed, c.Expected)
		failed = strconv.Itoa(c.Failed)
	}
	if silent := time.Duration(c.SilentSeconds * float64(time.Second)); silent > silentAfter {
		status += phrases.Sentence("suite.silent", silent.Round(time.Minute))
	} else if c.Rate > 0 {
		rate = strconv.FormatFloat(c.Rate, 'f', 1, 64)
		remaining = (time.Duration(c.SecondsLeft) * time.Second).String()
	}
	if c.HeadlineScore != nil {
		value = c.HeadlineScore.Metric + " " + table.WithInterval(*c.HeadlineScore)
	}
	return doc.WordRow(name, status, judgments, failed, rate, remaining, value)
}
