package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"gavel/internal/report"
	"gavel/internal/server/failure"
)

// mostTicked is how many runs a page about several may be of.
const mostTicked = 30

// ticked are the runs that a form names, each once.
func (s *Server) ticked(form url.Values, least, most int) (heads []RunHead, err error) {
	seen := map[string]bool{}
	for _, name := range form["run"] {
		if seen[name] {
			continue
		}
		seen[name] = true
		m, err := s.runs.Manifest(name)
		if err != nil {
			return nil, err
		}
		head := headOf(name, m)
		head.About = s.runs.About(name)
		heads = append(heads, head)
	}
	switch {
	case len(heads) < least && least == 1:
		return nil, failure.Bad("which runs? Tick at least one in the list")
	case len(heads) < least:
		return nil, failure.Bad("which runs? Tick at least %d in the list", least)
	case len(heads) > most:
		return nil, failure.Bad("%d runs are ticked, but at most %d are possible here: use the command line for more", len(heads), most)
	}
	return heads, nil
}

// compareTicked leads to the comparison of the runs that were ticked.
func (s *Server) compareTicked(w http.ResponseWriter, r *http.Request) error {
	heads, err := s.ticked(r.URL.Query(), 2, maxCompared)
	if err != nil {
		return err
	}
	var f compareFilter
	for _, h := range heads {
		f.Runs = append(f.Runs, h.Name)
	}
	http.Redirect(w, r, "/compare"+f.Query(), http.StatusSeeOther)
	return nil
}

// reportedOf are the ticked runs with their numbers.
func (s *Server) reportedOf(form url.Values) (runs []report.Run, err error) {
	heads, err := s.ticked(form, 1, mostTicked)
	for _, h := range heads {
		run, err := s.reported(h.Name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, err
}

// reportTicked shows the page that gavel report writes. It has a style of its own, and a policy that allows no more.
func (s *Server) reportTicked(w http.ResponseWriter, r *http.Request) error {
	runs, err := s.reportedOf(r.URL.Query())
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page, runs); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", report.Policy+"; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(page.Bytes())
	return err
}

// scoresTicked hands out the scores as a file.
func (s *Server) scoresTicked(w http.ResponseWriter, r *http.Request) error {
	runs, err := s.reportedOf(r.URL.Query())
	if err != nil {
		return err
	}
	var scores report.Scores
	for _, run := range runs {
		scores.Runs = append(scores.Runs, run.Report)
	}
	return scores.CSV(&attachment{w, "text/csv; charset=utf-8", "scores.csv", false})
}

// bundleTicked hands out the file that gavel bundle export writes.
func (s *Server) bundleTicked(w http.ResponseWriter, r *http.Request) error {
	heads, err := s.ticked(r.URL.Query(), 1, mostTicked)
	if err != nil {
		return err
	}
	var names []string
	for _, h := range heads {
		names = append(names, h.Name)
	}
	out := &attachment{w, "application/x-tar", "runs.tar", false}
	if err := writeBy(w, s.now().Add(downloadTime)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), downloadTime)
	defer cancel()
	err = s.opts.Runner.Bundle(ctx, names, out)
	if err != nil && out.begun {
		s.opts.Log("%s %s: %v", r.Method, r.URL.Path, err)
		panic(http.ErrAbortHandler) // so that nobody takes the beginning of it for all of it
	}
	return err
}

// deleteTickedView asks whether runs are to be deleted.
type deleteTickedView struct{ Runs []RunHead }

func (s *Server) deleteTickedView(r *http.Request) (v deleteTickedView, err error) {
	v.Runs, err = s.ticked(r.URL.Query(), 1, runsPerPage)
	return v, err
}

// deleteTicked deletes runs, one after the other, until one cannot be deleted.
func (s *Server) deleteTicked(w http.ResponseWriter, r *http.Request) error {
	heads, err := s.ticked(r.PostForm, 1, runsPerPage)
	if err != nil {
		return err
	}
	if r.PostForm.Get("confirm") != fmt.Sprint(len(heads)) {
		return failure.Bad("to delete the runs, confirm it")
	}
	for i, h := range heads {
		if err := s.delete(h.Name); err != nil {
			return failure.New(failure.Status(err), "%d of %d runs are deleted; %s and those after it are not: %v", i, len(heads), h.Name, err)
		}
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
