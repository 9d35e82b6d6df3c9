// Package failure makes errors that a server shows to its clients, each with the HTTP status of the answer.
package failure

import (
	"errors"
	"fmt"
	"net/http"
)

// failure holds an error with its HTTP status.
type failure struct {
	error
	status int
}

func (f *failure) Unwrap() error { return f.error }

// New returns an error with an HTTP status; format and args make its text.
func New(status int, format string, args ...any) error {
	return WithStatus(status, fmt.Errorf(format, args...))
}

// WithStatus adds an HTTP status to err. It returns nil if err is nil.
func WithStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{error: err, status: status}
}

// Unreadable returns an error for a part of a run that cannot be read (422).
func Unreadable(format string, args ...any) error {
	return New(http.StatusUnprocessableEntity, format, args...)
}

// NotFound returns an error for something that does not exist (404).
func NotFound(format string, args ...any) error { return New(http.StatusNotFound, format, args...) }

// Conflict returns an error for an action that the present state of a run, suite or job does not allow (409).
func Conflict(format string, args ...any) error { return New(http.StatusConflict, format, args...) }

// BadRequest returns an error for a request that is itself wrong (400).
func BadRequest(format string, args ...any) error { return New(http.StatusBadRequest, format, args...) }

// Status returns the HTTP status of an error: 413 for a body that is too long, and 500 for an error without a status.
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
