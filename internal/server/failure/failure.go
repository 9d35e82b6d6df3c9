// Package failure makes errors in words for whoever asked a server, each with the HTTP status of its answer.
package failure

import (
	"errors"
	"fmt"
	"net/http"
)

// failure is an error with its HTTP status.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

// unread is a failure to read what a run holds, with what it comes from.
type unread struct {
	failure
	from error
}

func (u *unread) Unwrap() []error { return []error{&u.failure, u.from} }

// Unreadable says in words, the error among the last of them, why something cannot be read (422).
func Unreadable(err error, format string, args ...any) error {
	return &unread{failure{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}, err}
}

// New is a failure with a status.
func New(status int, format string, args ...any) error {
	return &failure{status, fmt.Sprintf(format, args...)}
}

// Bad is a failure of what was asked (400).
func Bad(format string, args ...any) error { return New(http.StatusBadRequest, format, args...) }

// Status of an error: that of a failure in it, or of an error that has a method Status() int; 413 of a body that is too
// long, and 500 of others.
func Status(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.status
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	var coded interface{ Status() int }
	if errors.As(err, &coded) {
		return coded.Status()
	}
	return http.StatusInternalServerError
}
