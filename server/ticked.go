package server

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"gavel/report"
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
		m, err := s.runs.manifest(name)
		if err != nil {
			return nil, err
		}
		head := headOf(name, m)
		head.About = s.runs.about(name)
		heads = append(heads, head)
	}
	switch {
	case len(heads) < least && least == 1:
		return nil, bad("which runs? Tick at least one in the list")
	case len(heads) < least:
		return nil, bad("which runs? Tick at least %d in the list", least)
	case len(heads) > most:
		return nil, bad("%d runs are ticked, and it can be at most %d: use the command line for more", len(heads), most)
	}
	return heads, nil
}

// compareTicked leads to the comparison of the runs that were ticked.
func (s *Server) compareTicked(w http.ResponseWriter, r *http.Request) error {
	heads, err := s.ticked(r.URL.Query(), 2, 2)
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/compare"+query("a", heads[0].Name, "b", heads[1].Name), http.StatusSeeOther)
	return nil
}

// reportView is several runs on one page.
type reportView struct {
	Runs    []RunHead
	Results template.HTML
	Query   string
}

// reportedAll scores runs, as a page of them takes them.
func (s *Server) reportedAll(heads []RunHead) (runs []report.Run, err error) {
	for _, h := range heads {
		run, err := s.reported(h.Name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func (s *Server) reportView(r *http.Request) (v reportView, err error) {
	if v.Runs, err = s.ticked(r.URL.Query(), 1, mostTicked); err != nil {
		return v, err
	}
	runs, err := s.reportedAll(v.Runs)
	if err != nil {
		return v, err
	}
	q := url.Values{}
	for _, h := range v.Runs {
		q.Add("run", h.Name)
	}
	v.Query = "?" + q.Encode()
	v.Results, err = report.Together(runs)
	return v, err
}

// downloadTicked answers with a file about the runs that were ticked.
func (s *Server) downloadTicked(name, kind string, write func(http.ResponseWriter, []report.Run) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		heads, err := s.ticked(r.URL.Query(), 1, mostTicked)
		if err != nil {
			return err
		}
		runs, err := s.reportedAll(heads)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		return write(w, runs)
	}
}

func writeReport(w http.ResponseWriter, runs []report.Run) error { return report.WriteHTML(w, runs) }

func writeScores(w http.ResponseWriter, runs []report.Run) error {
	var scores report.Scores
	for _, r := range runs {
		scores.Runs = append(scores.Runs, r.Report)
	}
	return scores.CSV(w)
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
		return bad("to delete the runs, confirm it")
	}
	for i, h := range heads {
		if err := s.delete(h.Name); err != nil {
			return &failure{statusOf(err), fmt.Sprintf("%d of %d runs are deleted; %s is not, nor are those after it: %v", i, len(heads), h.Name, err)}
		}
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
