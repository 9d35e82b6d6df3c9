package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/internal/disk"
)

// BatchTransport replaces a server: it answers requests from the output of an OpenAI batch, as "vllm run-batch" writes
// it, and collects requests without a reply as lines of the next batch's input. A line's custom_id is a hash of the
// whole request body, so that no reply can be taken for one to another prompt.
//
// It is the http.RoundTripper of [Maker.HTTP] and answers like a vLLM that serves one model.
type BatchTransport struct {
	Model    string
	Warnings []string // about skipped lines of the output

	replies       map[string]batchReply // replies in the output, by custom_id
	used          map[string]bool       // custom ids of replies that answered a request
	failedReplies int                   // number of used replies that are errors
	lastError     string                // text of the last of these errors
	lines         []batchLine           // lines of the next batch's input
	queued        map[string]bool       // custom ids in lines
	lastRequest   batchLine             // the latest request
}

// batchServerURL is the address of a batch's server, to which nothing is sent.
const batchServerURL = "http://batch"

// batchLine holds a line of a batch's input.
type batchLine struct {
	CustomID string          `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// batchReply holds a line of a batch's output.
type batchReply struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// httpAnswer returns the HTTP status and the body that a server would have sent.
func (r batchReply) httpAnswer() (status int, body []byte) {
	status, body = http.StatusInternalServerError, r.Error
	if r.Response != nil {
		status = r.Response.Status
		if len(r.Response.Body) > 0 && string(r.Response.Body) != "null" {
			body = r.Response.Body
		}
	}
	return status, body
}

// byteOrderMark is at the start of texts from some editors and scripts.
var byteOrderMark = []byte("\xef\xbb\xbf")

// NewBatch reads the file output, which a batch wrote for a model; "" means that no batch has run yet.
func NewBatch(model, output string) (*BatchTransport, error) {
	b := &BatchTransport{
		Model:   model,
		replies: map[string]batchReply{},
		used:    map[string]bool{},
		queued:  map[string]bool{},
	}
	if output == "" {
		return b, nil
	}
	f, err := os.Open(output)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<30)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), byteOrderMark))
		if len(line) == 0 {
			continue
		}
		var r batchReply
		if err := json.Unmarshal(line, &r); err != nil || r.CustomID == "" {
			b.warn("%s:%d: not a line of a batch's output: skipped", output, n)
			continue
		}
		if before, _ := b.replies[r.CustomID].httpAnswer(); before == http.StatusOK {
			if now, _ := r.httpAnswer(); now != before {
				continue
			}
			b.warn("%s:%d: a second reply to %s: the last counts", output, n, r.CustomID)
		}
		b.replies[r.CustomID] = r
	}
	return b, lines.Err()
}

func (b *BatchTransport) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// RoundTrip implements http.RoundTripper.
func (b *BatchTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := http.StatusNotFound, []byte("{}")
	switch req.URL.Path {
	case "/v1/models":
		raw, err := json.Marshal(map[string]any{"data": []any{map[string]string{"id": b.Model, "owned_by": "vllm"}}})
		if err != nil {
			return nil, err
		}
		status, body = http.StatusOK, raw
	case "/v1/chat/completions":
		reqBody, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		status, body = b.ask(reqBody)
	}
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    req,
	}, nil
}

// ask answers a request with this body from the batch's output or, without a reply there, adds it to the next batch.
func (b *BatchTransport) ask(body []byte) (status int, answer []byte) {
	id := batchID(body)
	b.lastRequest = batchLine{CustomID: id, Method: http.MethodPost, URL: "/v1/chat/completions", Body: body}
	if reply, ok := b.replies[id]; ok {
		b.used[id] = true
		return reply.httpAnswer()
	}
	b.queueRequest("")
	return http.StatusNotFound, []byte(`{"error":{"message":"the batch has no reply to it yet"}}`)
}

// batchID returns the id of a request: a hash of its body with the members sorted by name.
func batchID(body []byte) string {
	var members any
	err := json.Unmarshal(body, &members)
	if err != nil {
		panic(err) // it was just written
	}
	text, err := codec.Marshal(members)
	if err != nil {
		panic(err)
	}
	return "gavel-" + datasets.HexSum(text)[:32]
}

// queueRequest adds the latest request to the next batch. lastError is the output's error instead of a reply, or "".
func (b *BatchTransport) queueRequest(lastError string) {
	id := b.lastRequest.CustomID
	if b.queued[id] {
		return
	}
	b.queued[id] = true
	b.lines = append(b.lines, b.lastRequest)
	if b.used[id] {
		b.failedReplies++
		b.lastError = lastError
	}
}

// Missing returns the number of requests without a reply in the batch.
func (b *BatchTransport) Missing() int { return len(b.lines) }

// Write writes the requests without a reply to a file, as the input of the next batch.
func (b *BatchTransport) Write(path string) error {
	return disk.Write(path, func(w io.Writer) error {
		enc := codec.NewEncoder(w)
		for _, line := range b.lines {
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// String summarizes how many requests the batch answered.
func (b *BatchTransport) String() string {
	text := fmt.Sprintf("the batch answered %d requests, %d are missing", len(b.used)-b.failedReplies, b.Missing())
	if b.failedReplies > 0 {
		text += fmt.Sprintf(" (%d failed, the last with: %s)", b.failedReplies, b.lastError)
	}
	if others := len(b.replies) - len(b.used); others > 0 {
		text += fmt.Sprintf("; %d of its replies match no request", others)
	}
	return text
}

// ForBatch returns the request with the changes for a [BatchTransport] in place of a server, or a *FieldError if a
// field of the request excludes that.
func (r RunRequest) ForBatch() (RunRequest, error) {
	protocol, err := r.FindProtocol()
	switch {
	case err != nil:
		return r, InvalidField("protocol", r.Protocol, "%v", err)
	case r.Backend != Backends[0] && r.Backend != "openai":
		return r, InvalidField("backend", r.Backend, "%s has no batches: leave it out", r.Backend)
	case r.Model == "":
		return r, InvalidField("model", "",
			"is missing: the name that the batch's server gives the model (--served-model-name)")
	}
	for _, f := range r.fields(protocol) {
		if f.NoBatch != "" && !f.isDefault() {
			return r, InvalidField(f.Name, f.texts()[0], "%s: leave it out", f.NoBatch)
		}
	}
	r.Backend, r.BaseURLs = "openai", []string{batchServerURL}
	r.Concurrency = 1 // the lines have the order of the judgments
	return r, nil
}
