package backends

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// longest is how many bytes an answer may have: what so many tokens can take, streamed one by one, and more where the
// alternatives of each are told.
func (r Request) longest() int {
	token := 1 << 10
	if r.Labels != nil {
		token = 8 << 10
	}
	return 12<<20 + min(r.MaxTokens, maxBody/token)*token
}

// endless is the error of an answer that is longer than so many bytes. It is none of the network: the same question
// gets it again.
type endless int

func (e endless) Error() string {
	return fmt.Sprintf("the answer is longer than %d MiB, which no reply of so many tokens is", int(e)>>20)
}

func readBody(resp *http.Response, longest int) ([]byte, error) {
	var buf bytes.Buffer
	if resp.ContentLength > int64(longest) {
		return nil, endless(longest)
	}
	if resp.ContentLength > 0 {
		buf.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, int64(longest)+1))
	if err != nil {
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", n, err)
	}
	if n > int64(longest) {
		return nil, endless(longest)
	}
	return buf.Bytes(), nil
}
