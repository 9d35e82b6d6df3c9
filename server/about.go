package server

import (
	"net/http"

	"gavel/judging"
)

// Title is the name that people gave the run, or that of its folder.
func (h RunHead) Title() string {
	if h.About != nil && h.About.Name != "" {
		return h.About.Name
	}
	return h.Name
}

// Tags that people gave the run.
func (h RunHead) Tags() []string {
	if h.About == nil {
		return nil
	}
	return h.About.Tags
}

// Note that people left on the run.
func (h RunHead) Note() string {
	if h.About == nil {
		return ""
	}
	return h.About.Note
}

// describe keeps what a form says of a run.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("run")
	if _, err := s.runs.Manifest(name); err != nil {
		return err
	}
	said := judging.About{Name: r.PostForm.Get("name"), Tags: r.PostForm["tags"], Note: r.PostForm.Get("note")}
	if err := s.opts.Runner.Describe(name, said); err != nil {
		return err
	}
	http.Redirect(w, r, RunHead{Name: name}.URL(), http.StatusSeeOther)
	return nil
}
