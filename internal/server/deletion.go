package server

import (
	"net/http"
	"strings"

	"gavel/internal/server/failure"
)

// deletion deletes a run or a suite after the client has confirmed its name.
type deletion struct {
	kind, pathKey, list string                  // "run" or "suite"; "name" or "folder"; address of the list
	do                  func(name string) error // deletes the run or suite called name
}

// deleted holds the answer of a call that deletes a run or suite: its name.
type deleted struct {
	Deleted string `json:"deleted"`
}

// deleteFromForm deletes the run or suite in the request's path if the posted form repeats its name. It returns the
// address of the list to show next.
func (d deletion) deleteFromForm(r *http.Request) (to string, err error) {
	name := r.PathValue(d.kind)
	if r.PostForm.Get("confirm") != name {
		return "", failure.BadRequest("to delete the %s, confirm it", d.kind)
	}
	return d.list, d.do(name)
}

// execute deletes the run or suite in the request's path if the JSON body repeats its name.
func (d deletion) execute(r *http.Request) (deleted, error) {
	name := r.PathValue(d.kind)
	o, err := readJobRequest(r)
	if err != nil {
		return deleted{}, err
	}
	if o.Get("confirm") != name {
		return deleted{}, failure.BadRequest("to delete the %s, send {\"confirm\": %s} with its %s",
			d.kind, strings.ToUpper(d.pathKey), d.pathKey)
	}
	return deleted{Deleted: name}, d.do(name)
}
