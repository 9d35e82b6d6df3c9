package server

import (
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

// download hands out a file of a run under a name of its own. Nothing of it is shown as a page of this server.
func download(kind, suffix string, write func(*Server, *http.Request, string, io.Writer) error) handler {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		name, err := s.runNamed(r)
		if err != nil {
			return err
		}
		return write(s, r, name, &attachment{
			w:    w,
			kind: kind,
			name: strings.ReplaceAll(name, "/", "_") + suffix,
		})
	}
}

// attachment says what it is when its first bytes come: until then an error can be answered in its place.
type attachment struct {
	w          http.ResponseWriter
	kind, name string
	begun      bool
}

func (a *attachment) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", a.kind)
		a.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.name}))
	}
	return a.w.Write(b)
}

// reported is a run with its numbers, as reports have it.
func (s *Server) reported(r *http.Request, run string) (out report.Run, err error) {
	m, err := s.runs.Manifest(run)
	if err != nil {
		return out, err
	}
	rep, err := s.numbers(r.Context(), run, m)
	switch {
	case err != nil:
		return out, err
	case rep == nil:
		return out, failure.Conflict("%s is in progress: its report comes when it has ended", run)
	}
	out = report.Run{Report: *rep, Metadata: scoring.Metadata(m)}
	if about := s.runs.About(run); about != nil {
		out.Name = about.Name
	}
	out.Sway, _ = s.sway(r.Context(), run, m) // other parts say what is wrong with the run
	jury, err := s.jury(r.Context(), run, m)
	if jury != nil {
		out.Jury = jury
	}
	return out, err
}

// downloadNumbers is [download] of what is made of a run's numbers.
func downloadNumbers(kind, suffix string, write func(*report.RunPage, io.Writer) error) handler {
	return download(kind, suffix, func(s *Server, r *http.Request, name string, w io.Writer) error {
		run, err := s.reported(r, name)
		if err != nil {
			return err
		}
		return write(report.NewRunPage(run), w)
	})
}

// downloadBoard hands out the leaderboard that was asked for as a file.
func downloadBoard(kind, suffix string, write func(b *report.Leaderboard, w io.Writer, about string) error) handler {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		v, err := s.board(r)
		switch {
		case err != nil:
			return err
		case v.Board == nil:
			return failure.NotFound("no judge has a score yet")
		}
		return write(v.Board, &attachment{w: w, kind: kind, name: "leaderboard" + suffix}, v.Question+" · "+v.Dataset)
	}
}

const (
	svgType      = "image/svg+xml"
	markdownType = "text/markdown; charset=utf-8"
)

func reportHTML(p *report.RunPage, w io.Writer) error {
	return report.Document{Runs: []report.Run{p.Run}}.WriteHTML(w)
}

func resultsCSV(p *report.RunPage, w io.Writer) error {
	return report.Scores{Runs: []scoring.Report{p.Report}}.Document().CSV(w)
}

// downloadTime is how long records may be on their way.
const downloadTime = 10 * time.Minute

// writeRecords copies the records as they are.
func (s *Server) writeRecords(_ *http.Request, run string, w io.Writer) error {
	f, info, err := s.runs.Open(run, judging.RecordsFile)
	if err != nil {
		return s.runs.Missing(run, err)
	}
	defer f.Close()
	if info.Size() == 0 {
		return failure.NotFound("the run has no records yet")
	}
	if err := writeBy(w.(*attachment).w, s.now().Add(downloadTime)); err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(f, 0, info.Size()))
	return err
}
