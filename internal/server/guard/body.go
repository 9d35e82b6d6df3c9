package guard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"gavel/internal/server/failure"
)

// Pace says how much a request may send, and how fast it must: it has First until its first byte, more with every byte,
// and Whole for the longest.
type Pace struct {
	Longest      int64
	First, Whole time.Duration
}

// Begin holds what a request sends to the pace, from now on: also what nobody reads, which net/http waits for before it
// answers.
func (p Pace) Begin(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &pacedBody{
		ReadCloser: http.MaxBytesReader(w, r.Body, p.Longest),
		Pace:       p,
		conn:       http.NewResponseController(w),
		began:      time.Now(),
	}
	b.allow()
	r.Body = b
}

// pacedBody is what a request sends.
type pacedBody struct {
	io.ReadCloser
	Pace
	conn  *http.ResponseController
	began time.Time
	read  int64
}

// allow sets the time by which more must have come. Connections that know no deadlines are of tests.
func (b *pacedBody) allow() {
	more := float64(b.Whole-b.First) * float64(b.read) / float64(b.Longest)
	b.conn.SetReadDeadline(b.began.Add(b.First + time.Duration(more)))
}

func (b *pacedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.read += int64(n)
	if err == io.EOF {
		b.conn.SetReadDeadline(time.Time{})
	} else if n > 0 {
		b.allow()
	}
	return n, err
}

// Whole reads all that a request sends into memory, before it is answered and its connection keeps a place for that.
func Whole(r *http.Request) error {
	text, err := io.ReadAll(r.Body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return failure.New(http.StatusRequestTimeout, "the rest of the request did not come in time")
	}
	if failure.Status(err) == http.StatusRequestEntityTooLarge {
		return err
	}
	if err != nil {
		return failure.Bad("the request cannot be read")
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}
