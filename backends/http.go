package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
)

// maxBody bounds what is read of one answer. The longest honest replies are
// tens of kilobytes; past this it is a broken server.
const maxBody = 64 << 20

// NewHTTPClient returns the client that backends share: one warm connection
// for each request in flight, and no time limit of its own, since a judge may
// think for minutes (see [WithTimeout]).
func NewHTTPClient(concurrency int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = max(concurrency, 2)
	t.DisableCompression = true // loopback: bytes are cheaper than cycles
	t.ForceAttemptHTTP2 = false
	t.WriteBufferSize, t.ReadBufferSize = 32<<10, 32<<10
	return &http.Client{Transport: t}
}

// exchange is what a wire library does not hand on: the status, the headers and
// the whole body of an answer, and why its body ended early.
type exchange struct {
	insert   string // JSON members to put at the front of the request's object
	messages []byte // JSON to put in place of the placeholder conversation
	status   int
	header   http.Header
	body     []byte
}

type exchangeKey struct{}

// withExchange asks tap to fill x for the request made with the context.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// tap is a transport that edits request bodies and keeps answers. Both wire
// libraries hide too much for a tool that must know what was said: go-openai
// leaves out a temperature of 0 and an empty message, encodes every message
// twice and does not know "reasoning"; ollama/api takes a body that breaks off
// for an empty one.
type tap struct{ base http.RoundTripper }

// placeholder stands in a go-openai request for the conversation; see OpenAI.Ask.
var placeholder = []openai.ChatCompletionMessage{{Role: User, Content: "."}}

var placeholderJSON = []byte(`[{"role":"user","content":"."}]`)

// edit puts the conversation in its place and inserts members at the front.
func (x *exchange) edit(body []byte) []byte {
	head, tail, found := bytes.Cut(body, placeholderJSON)
	if !found || head[0] != '{' {
		return body
	}
	return slices.Concat([]byte("{"+x.insert+","), head[1:], x.messages, tail)
}

// inMemory is a body that the transport knows to be in memory: it sends head and
// body with one write. Any other kind of reader costs a write and a copy more.
func inMemory(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return t.base.RoundTrip(req)
	}
	if x.messages != nil && req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		body = x.edit(body)
		req = req.Clone(req.Context())
		req.Body, req.ContentLength = inMemory(body), int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return inMemory(body), nil }
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := readBody(resp)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	x.status, x.header, x.body = resp.StatusCode, resp.Header, body
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func readBody(resp *http.Response) ([]byte, error) {
	var buf bytes.Buffer
	if resp.ContentLength > 0 && resp.ContentLength <= maxBody {
		buf.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", n, err)
	}
	if n > maxBody {
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxBody>>20)
	}
	return buf.Bytes(), nil
}

// failure turns what a wire library returned into an *Error. x tells the rest.
func failure(ctx context.Context, x *exchange, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if x.status >= 400 {
		return &Error{Kind: statusKind(x.status), Status: x.status, Message: serverMessage(x), RetryAfter: retryAfter(x.header), Err: err}
	}
	var nerr net.Error
	switch {
	case errors.As(err, &nerr) && nerr.Timeout():
		return &Error{Kind: Timeout, Message: "no answer in time", Err: err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Kind: Transport, Message: "connection refused", Err: err}
	case x.status != 0:
		return &Error{Kind: ServerSide, Message: "not an answer of this kind of server: " + excerpt(x.body), Err: err}
	default:
		return &Error{Kind: Transport, Message: err.Error(), Err: err}
	}
}

func statusKind(status int) Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Auth
	case status == http.StatusNotFound:
		return NotFound
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return Busy
	case status >= 500:
		return ServerSide
	}
	return BadRequest
}

// retryAfter reads the header in seconds or as a date.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	if s, err := strconv.Atoi(v); err == nil {
		return time.Duration(min(max(0, s), 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// serverMessage finds the sentence in an error body: {"error": "…"} (Ollama),
// {"error": {"message": "…"}} (OpenAI, llama.cpp, vLLM since 0.10) or
// {"message": "…"} (vLLM before).
func serverMessage(x *exchange) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(x.body, &body) == nil {
		var nested struct {
			Message string `json:"message"`
		}
		var text string
		switch {
		case json.Unmarshal(body.Error, &text) == nil && text != "":
			return excerpt([]byte(text))
		case json.Unmarshal(body.Error, &nested) == nil && nested.Message != "":
			return excerpt([]byte(nested.Message))
		case body.Message != "":
			return excerpt([]byte(body.Message))
		}
	}
	if len(bytes.TrimSpace(x.body)) == 0 {
		return http.StatusText(x.status)
	}
	return excerpt(x.body)
}

// excerpt is the beginning of a body on one line, fit for a message.
func excerpt(b []byte) string {
	const limit = 300
	cut := len(b) > limit
	if cut {
		b = b[:limit]
	}
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "\uFFFD")), " ")
	if s == "" {
		return "(empty)"
	}
	if cut {
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return s
}

// tooLong matches what servers say when a prompt does not fit:
// llama.cpp "exceed_context_size_error", "the request exceeds the available
// context size"; Ollama "the input length exceeds the context length" and
// "exceeds maximum context length"; vLLM "This model's maximum context length
// is 8192 tokens. However, …" and "longer than the maximum model length";
// OpenAI code "context_length_exceeded"; LM Studio "greater than the context length",
// "loaded with context length of only", "n_keep (15028) >= n_ctx (7424)".
var tooLong = regexp.MustCompile(`(?i)exceed_context_size|context_length_exceeded|(exceed|longer than|greater than|larger than|too long)[^.]{0,60}(context|model) (length|size|window)|maximum (context|model) length|prompt is too long|too many (prompt|input) tokens|context length of only|n_keep \(\d+\) >= n_ctx`)

// promptTooLong tells whether an answer without a reply says so. Some versions
// of llama.cpp answer 500 with it, of LM Studio 200.
func promptTooLong(x *exchange) bool {
	switch x.status {
	case http.StatusOK:
		var body struct {
			Error json.RawMessage `json:"error"`
		}
		return json.Unmarshal(x.body, &body) == nil && tooLong.Match(body.Error)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return tooLong.Match(x.body)
	}
	return false
}

// getJSON reads a JSON answer of one of the servers' own pages.
func getJSON(ctx context.Context, client *http.Client, url, key string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return failure(ctx, &exchange{}, err)
	}
	defer resp.Body.Close()
	body, err := readBody(resp)
	if err != nil {
		return failure(ctx, &exchange{}, err)
	}
	x := &exchange{status: resp.StatusCode, header: resp.Header, body: body}
	if resp.StatusCode >= 400 {
		return failure(ctx, x, errors.New(resp.Status))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return failure(ctx, x, err)
	}
	return nil
}
