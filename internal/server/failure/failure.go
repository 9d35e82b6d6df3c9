// Package failure makes errors in words for whoever asked a server, each with the HTTP status of its answer.
package failure

import (
	"errors"
	"fmt"
	"net/http"
)

// failure is an error with its HTTP status.
type failure struct {
	error
	status int
}

func (f *failure) Unwrap() error { return f.error }

// New is a failure with a status.
func New(status int, format string, args ...any) error {
	return Of(status, fmt.Errorf(format, args...))
}

// Of is an error with a status; nil where there is none.
func Of(status int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{error: err, status: status}
}

// Unreadable says why something that a run holds cannot be read (422).
func Unreadable(format string, args ...any) error {
	return New(http.StatusUnprocessableEntity, format, args...)
}

// NotFound is a failure of what is not there (404).
func NotFound(format string, args ...any) error { return New(http.StatusNotFound, format, args...) }

// Conflict is a failure of what cannot be done as things are (409).
func Conflict(format string, args ...any) error { return New(http.StatusConflict, format, args...) }

// Bad is a failure of what was asked (400).
func Bad(format string, args ...any) error { return New(http.StatusBadRequest, format, args...) }

// Status of an error: that of a failure in it; 413 of a body that is too long, and 500 of others.
func Status(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.status
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusInternalServerError
}
