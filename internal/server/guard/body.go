package guard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"

	"gavel/internal/server/failure"
)

// ReadBody reads a request's body into memory and puts it back as r.Body. If the body is late, too long or broken, it
// returns an error with the HTTP status of the answer.
func ReadBody(r *http.Request) error {
	text, err := io.ReadAll(r.Body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return failure.New(http.StatusRequestTimeout, "the rest of the request did not come in time")
	}
	if failure.Status(err) == http.StatusRequestEntityTooLarge {
		return err
	}
	if err != nil {
		return failure.BadRequest("the request cannot be read")
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}
