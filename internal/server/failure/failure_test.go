package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"testing"
)

func TestStatus(t *testing.T) {
	for want, err := range map[int]error{
		http.StatusNotFound:              fmt.Errorf("here: %w", New(http.StatusNotFound, "there is no %q", "x")),
		http.StatusBadRequest:            BadRequest("no number"),
		http.StatusUnprocessableEntity:   Unreadable("it cannot be read: %w", fs.ErrPermission),
		http.StatusRequestEntityTooLarge: fmt.Errorf("here: %w", &http.MaxBytesError{Limit: 1}),
		http.StatusConflict:              fmt.Errorf("here: %w", WithStatus(http.StatusConflict, errors.New("it is being made"))),
		http.StatusInternalServerError:   errors.New("anything else"),
	} {
		if got := Status(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
	if !errors.Is(Unreadable("no: %w", fs.ErrPermission), fs.ErrPermission) || WithStatus(http.StatusConflict, nil) != nil {
		t.Error("what it comes from is not told")
	}
}
