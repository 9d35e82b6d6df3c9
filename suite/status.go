package suite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gavel/judging"
	"gavel/report"
	"gavel/report/table"
)

// State is how far a suite is, as its folders tell: nothing is locked and
// nothing asked, so that it may be looked at while it goes on.
type State struct {
	Suite    string         `json:"suite"`
	Out      string         `json:"out"`
	Cells    []RunState     `json:"cells"`
	Stages   []RunState     `json:"stages,omitempty"` // runs beside the cells that those stand on
	ByStatus map[string]int `json:"by_status"`        // of cells
}

// RunState is one run.
type RunState struct {
	Run       string     `json:"run"`
	Judge     string     `json:"judge,omitempty"`
	Status    string     `json:"status"`
	Expected  int        `json:"expected"` // judgments
	Completed int        `json:"standing"` // of them with an answer
	Failed    int        `json:"failed"`
	Rate      float64    `json:"per_second,omitempty"` // over the last records
	Left      float64    `json:"seconds_left,omitempty"`
	Last      *time.Time `json:"last_record,omitempty"`
	Silent    float64    `json:"seconds_silent,omitempty"` // of a run that says it is running
	Error     string     `json:"error,omitempty"`
}

// Status reads the folders of the runs, at a time.
func (s *Suite) Status(now time.Time) *State {
	st := &State{Suite: s.name, Out: s.out, ByStatus: map[string]int{}}
	cells := map[string]bool{}
	for _, c := range s.Cells {
		cs := StateOf(c.out, now)
		cs.Judge = c.judge.name
		st.Cells = append(st.Cells, cs)
		st.ByStatus[cs.Status]++
		cells[c.name] = true
	}
	entries, _ := os.ReadDir(s.out) // not there before the suite has begun
	for _, entry := range entries {
		dir := filepath.Join(s.out, entry.Name())
		if m, err := judging.ReadManifest(dir); err == nil && !cells[entry.Name()] && m.Imported == "" && m.Spec.Protocol == judging.Answering().Name {
			st.Stages = append(st.Stages, StateOf(dir, now))
		}
	}
	return st
}

// StateOf reads run.json and the whole lines of records.jsonl of a run's folder.
func StateOf(dir string, now time.Time) RunState {
	c := RunState{Run: dir, Status: report.NotBegun}
	m, err := judging.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return c
	}
	if err != nil {
		c.Status, c.Error = report.Unreadable, err.Error()
		return c
	}
	c.Status, c.Expected = m.Status, m.Judgments
	var tempo judging.Tempo
	var completed judging.Completed
	failed := map[string]bool{}
	err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		key := fmt.Sprint(r.Item, "\x00", r.Presentation, "\x00", r.Repetition)
		if r.Outcome == judging.Failed {
			failed[key] = true
		} else if completed.Add(r); len(failed) > 0 {
			delete(failed, key)
		}
		tempo.Add(r.At)
		c.Last = &r.At
		return nil
	})
	c.Completed, c.Failed = completed.Count(), len(failed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Status, c.Error = report.Unreadable, err.Error()
	}
	if c.Status == judging.Running {
		since := m.Started
		if c.Last != nil {
			since = *c.Last
		}
		c.going(&tempo, since, now)
	}
	return c
}

// going adds what a run that is going on comes to.
func (c *RunState) going(tempo *judging.Tempo, since, now time.Time) {
	c.Silent = max(0, now.Sub(since).Seconds())
	c.Rate = tempo.PerSecond(now)
	c.Left, _ = tempo.Left(c.Expected-c.Completed, now)
}

// silentAfter is when a run that says it is running is said to be silent: it may have been killed, which no file tells.
const silentAfter = 2 * time.Minute

// Tables has a row for each run.
func (s *State) Tables() []table.Table {
	t := table.Table{Title: fmt.Sprintf("suite %s in %s", s.Suite, s.Out), Columns: append(table.Left("run", "status"), table.Right("judgments", "failed", "per second", "left")...)}
	row := func(name string, c RunState) {
		cells := []string{name, c.Status, "", "", "", ""}
		if c.Status != report.NotBegun {
			cells[2] = fmt.Sprintf("%d/%d", c.Completed, c.Expected)
			cells[3] = strconv.Itoa(c.Failed)
		}
		if c.Rate > 0 {
			cells[4] = strconv.FormatFloat(c.Rate, 'f', 1, 64)
			cells[5] = (time.Duration(c.Left) * time.Second).String()
		}
		if silent := time.Duration(c.Silent * float64(time.Second)); silent > silentAfter {
			cells[1], cells[4], cells[5] = c.Status+", silent for "+silent.Round(time.Minute).String(), "", ""
		}
		t.Rows = append(t.Rows, cells)
		if c.Error != "" {
			t.Notes = append(t.Notes, "! "+c.Error)
		}
	}
	for _, c := range s.Stages {
		row("(stage) "+filepath.Base(c.Run), c)
	}
	for _, c := range s.Cells {
		row(filepath.Base(c.Run), c)
	}
	summary := fmt.Sprintf("%d cells", len(s.Cells))
	for _, status := range []string{judging.Complete, judging.ByRule, judging.Running, judging.Incomplete, judging.Interrupted, report.NotBegun, report.Unreadable} {
		if n := s.ByStatus[status]; n > 0 {
			summary += fmt.Sprintf(", %d %s", n, status)
		}
	}
	t.Notes = append([]string{summary}, t.Notes...)
	return []table.Table{t}
}

// CSV has a row for each run.
func (s *State) CSV(w io.Writer) error {
	t := table.Table{Columns: table.Left("run", "judge", "status", "judgments", "expected", "failed", "per_second", "seconds_left", "seconds_silent")}
	for _, c := range slices.Concat(s.Stages, s.Cells) {
		row := []string{c.Run, c.Judge, c.Status, strconv.Itoa(c.Completed), strconv.Itoa(c.Expected), strconv.Itoa(c.Failed)}
		for _, v := range []float64{c.Rate, c.Left, c.Silent} {
			row = append(row, strconv.FormatFloat(v, 'f', 1, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	return table.CSV(w, t)
}
