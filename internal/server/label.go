package server

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gavel/internal/labels"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// errNoDesk answers addresses for labelling on a server without labels, or without a dataset to label.
var errNoDesk = failure.NotFound("nothing is labelled here: start the server with gavel labels label DATASET")

// labelsView holds the page /labels: the people who label items, and the judges by their agreement with the labels.
type labelsView struct {
	Dataset string                 // dataset whose items people label; "" if this server hands out none
	Path    string                 // path of the file of labels
	People  []labels.LabelProgress // items labelled so far, by person
	labelAgreement
}

// labelAgreement holds the table of judges by their agreement with the labels.
type labelAgreement struct {
	Says   string        // the result in a sentence
	Judges template.HTML // the table
	None   string        // reason why there is no table

	Pending bool // the table is still being computed
}

// labelsView returns the page /labels.
func (s *Server) labelsView(r *http.Request) (v labelsView, err error) {
	v.Path = s.Labels
	if d := s.Desk; d != nil {
		v.Dataset, v.People = d.DatasetName, d.Progress()
	}
	v.labelAgreement = s.labelAgreement(r.Context())
	return v, r.Context().Err()
}

// labelAgreement compares the judges of all runs that the labels may cover with the labels.
func (s *Server) labelAgreement(ctx context.Context) labelAgreement {
	info, err := os.Stat(s.Labels)
	if err != nil {
		return labelAgreement{None: "there are no labels yet"}
	}
	all, err := s.runs.List()
	if err != nil {
		return labelAgreement{None: err.Error()}
	}
	var runs []string
	for _, run := range all {
		if run.Err == nil && run.Manifest.Status != judging.Running && s.mayHaveLabels(run) {
			runs = append(runs, run.Name)
		}
	}
	state := fmt.Sprint(store.StampOf(info), s.filesState(runs...))
	m, err := memo.Get(ctx, s.memo, "agreement with labels", state, func() (m labelAgreement, err error) {
		file, err := labels.Read(s.Labels)
		if err != nil {
			return m, err
		}
		dirs := make([]string, len(runs))
		for i, run := range runs {
			dirs[i] = s.folder(run)
		}
		o := scoring.DefaultOptions
		a, err := labels.Rank(dirs, file, o.Reading, o.Bootstrap)
		if err != nil {
			return m, err
		}
		m.Says = a.Says
		for i, j := range a.Judges {
			if name, err := filepath.Rel(s.Dir, j.Run); err == nil {
				a.Judges[i].Run = filepath.ToSlash(name)
			}
		}
		m.Judges, err = a.HTML(refURL)
		return m, err
	})
	if err != nil {
		m.None = err.Error()
		m.Pending = errors.Is(err, context.DeadlineExceeded)
	}
	return m
}

// mayHaveLabels reports whether the labels may cover a run's items. It returns false if the run's files cannot be
// opened, as when a link leads out of the folder of runs.
func (s *Server) mayHaveLabels(run store.FoundRun) bool {
	if d := s.Desk; d != nil && run.Manifest.Dataset.Name != d.DatasetName &&
		run.Manifest.Spec.Dataset.SHA256 != d.SHA256() {
		return false
	}
	for _, name := range []string{judging.RecordsFile, judging.ItemsFile} {
		f, _, err := s.runs.OpenRunFile(run.Name, name)
		if err != nil {
			return name == judging.ItemsFile && errors.Is(err, os.ErrNotExist)
		}
		f.Close()
	}
	return true
}

// redirectToLabel redirects a person who types their name to the page with their next item.
func (s *Server) redirectToLabel(r *http.Request) (to string, err error) {
	name := strings.TrimSpace(r.PostForm.Get("as"))
	return labelURL(name), labelFailure(labels.CheckName(name))
}

// labelURL returns the address of the page on which a person labels items.
func labelURL(name string) string { return "/labels/" + url.PathEscape(name) }

// labelView holds the item that a person labels next, without any verdict of a judge, a model or another person.
type labelView struct {
	labels.Turn
	Dataset string             // name of the dataset
	Error   string             // why the last answer was refused; "" if it was not
	Said    labels.PersonLabel // the refused answer, to fill in the form again
}

// Minutes returns the time in minutes that the person's remaining items take, at least one; 0 if unknown.
func (v labelView) Minutes() int {
	if v.RemainingTime <= 0 {
		return 0
	}
	return int((v.RemainingTime + time.Minute - 1) / time.Minute)
}

// labelView returns the next item of the person whom a request names.
func (s *Server) labelView(r *http.Request) (v labelView, err error) {
	v.Dataset = s.Desk.DatasetName
	v.Turn, err = s.Desk.Next(r.PathValue("who"))
	return v, labelFailure(err)
}

// labelFailure adds an HTTP status to an error of the desk, which hands out items and stores labels.
func labelFailure(err error) error {
	status := http.StatusInsufficientStorage
	switch {
	case errors.Is(err, labels.ErrName), errors.Is(err, labels.ErrAnswer):
		status = http.StatusBadRequest
	case errors.Is(err, labels.ErrChanged):
		status = http.StatusConflict
	}
	return failure.WithStatus(status, err)
}

// submitLabel stores a person's label or takes their last one back, and redirects to the next item. On an error it
// shows the same item again with the error.
func (s *Server) submitLabel(w http.ResponseWriter, r *http.Request) error {
	name, form := r.PathValue("who"), r.PostForm
	answer := labels.PersonLabel{
		ItemSHA256: form.Get("sum"),
		Repeat:     form.Get("again") == "true",
		Choice:     form.Get("choice"),
		Note:       strings.ReplaceAll(form.Get("note"), "\r\n", "\n"), // browsers send CRLF
	}
	switch answer.Choice {
	case "tie":
		answer.Tie = true
	case "skip":
		answer.Skip = true
	case "number", "": // "" if the form is sent with Enter
		answer.Choice = form.Get("number")
	}
	var err error
	if last := form.Get("undo"); last != "" {
		err = s.Desk.Undo(name, last)
	} else if answer.ItemIndex, err = strconv.Atoi(form.Get("item")); err != nil {
		err = fmt.Errorf("%w: the form names no item", labels.ErrAnswer)
	} else {
		err = s.Desk.Submit(name, answer)
	}
	if err == nil {
		return seeOther(w, r, labelURL(name))
	}
	err = labelFailure(err)
	v, other := s.labelView(r)
	if other != nil {
		return err
	}
	if v.Sum == answer.ItemSHA256 && v.Again == answer.Repeat {
		v.Said = answer
	}
	v.Error = err.Error()
	s.Log("%s %s: %v", r.Method, r.URL.Path, err)
	s.render(w, r, failure.Status(err), "label", v)
	return nil
}
