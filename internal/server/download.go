package server

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/judging"
	"gavel/scoring"
)

// attach answers with a file, which browsers save instead of showing it as a page of this server. kind is its media
// type.
func attach(w http.ResponseWriter, kind, name string, from io.Reader) error {
	w.Header().Set("Content-Type", kind)
	name = strings.ReplaceAll(name, "/", "_")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	_, err := io.Copy(w, from)
	return err
}

// requestedReport returns the numbers of a requested run, as a report shows them. A run in progress is an error.
func (s *Server) requestedReport(r *http.Request) (out report.Run, err error) {
	run := r.PathValue("run")
	m, err := s.runs.Manifest(run)
	if err != nil {
		return out, err
	}
	rep, err := s.runReport(r.Context(), run)
	switch {
	case err != nil:
		return out, err
	case rep == nil:
		return out, failure.Conflict("%s is in progress: its report comes when it has ended", run)
	}
	out = report.Run{Report: *rep, Metadata: scoring.Metadata(m)}
	out.Name = cmp.Or(s.runs.About(run).Name, out.Name)
	out.BiasAnalysis, _ = s.analyzeBias(r.Context(), run, m) // other calls return the error
	jury, err := s.evaluateJury(r.Context(), run, m)
	if jury != nil {
		out.Jury = jury
	}
	return out, err
}

// downloadNumbers returns a handler that answers with a file of a run's numbers, which write makes. kind is the media
// type of the file, suffix the end of its name.
func (s *Server) downloadNumbers(kind, suffix string, write func(report.RunsReport, io.Writer) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := s.requestedReport(r)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := write(report.RunsReport{Runs: []report.Run{run}}, &b); err != nil {
			return err
		}
		return attach(w, kind, r.PathValue("run")+suffix, &b)
	}
}

// downloadBoard returns a handler that answers with a file of the requested leaderboard, which write makes. kind is the
// media type of the file, suffix the end of its name.
func (s *Server) downloadBoard(kind, suffix string, write func(report.RunsReport, io.Writer) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.requestedBoard(r)
		if err == nil && v.Board == nil {
			err = failure.NotFound("no judge has a score yet")
		}
		if err != nil {
			return err
		}
		board := *v.Board
		board.About = v.Question + " · " + v.Dataset
		var b bytes.Buffer
		if err := write(report.RunsReport{Boards: []*report.Leaderboard{&board}}, &b); err != nil {
			return err
		}
		return attach(w, kind, "leaderboard"+suffix, &b)
	}
}

const (
	svgType      = "image/svg+xml"
	markdownType = "text/markdown; charset=utf-8"
)

// resultsCSV writes the scores of the only run of d as CSV.
func resultsCSV(d report.RunsReport, w io.Writer) error {
	return report.Scores{Runs: []scoring.Report{d.Runs[0].Report}}.Document().CSV(w)
}

// downloadTime limits the time to send records.jsonl.
const downloadTime = 10 * time.Minute

// downloadRecords answers with the records.jsonl of the run that a request names, unchanged.
func (s *Server) downloadRecords(w http.ResponseWriter, r *http.Request) error {
	run, err := s.requestedRunName(r)
	if err != nil {
		return err
	}
	f, info, err := s.runs.OpenRunFile(run, judging.RecordsFile)
	if err != nil {
		return s.runs.MissingError(run, err)
	}
	defer f.Close()
	if info.Size() == 0 {
		return failure.NotFound("the run has no records yet")
	}
	if err := setWriteDeadline(w, s.Now().Add(downloadTime)); err != nil {
		return err
	}
	return attach(w, "application/jsonl", run+".jsonl", io.NewSectionReader(f, 0, info.Size()))
}
