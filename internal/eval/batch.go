package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Batch stands in the place of a server: what is asked is answered out of the output of an OpenAI batch, such as
// "vllm run-batch" writes it, and what the output lacks is collected as lines of the next batch's input. A line's
// custom_id is made of the whole body that is asked, so no reply can be taken for one to another prompt.
//
// It is the http.RoundTripper of [Maker.HTTP]. It says that it is a vLLM which serves one model.
type Batch struct {
	Model    string
	Warnings []string // about lines that were left out

	replies map[string]batchReply
	used    map[string]bool // replies that were asked for
	failed  int             // of them, those that are no answer
	why     string          // what the last of those said
	lines   []batchLine     // for the next batch
	asked   map[string]bool // custom ids of them
	last    batchLine       // what was asked last
}

// batchURL is the address of a batch. Nothing is asked there.
const batchURL = "http://batch"

// batchLine is a line of a batch's input.
type batchLine struct {
	CustomID string          `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// batchReply is a line of a batch's output.
type batchReply struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// answer is the status and the body that a server would have sent.
func (r batchReply) answer() (status int, body []byte) {
	status, body = http.StatusInternalServerError, r.Error
	if r.Response != nil {
		status = r.Response.Status
		if len(r.Response.Body) > 0 && string(r.Response.Body) != "null" {
			body = r.Response.Body
		}
	}
	return status, body
}

// byteOrderMark begins texts that some editors and scripts wrote.
var byteOrderMark = []byte("\xef\xbb\xbf")

// NewBatch reads the output of a batch for a model; output "" is that of none.
func NewBatch(model, output string) (*Batch, error) {
	b := &Batch{Model: model, replies: map[string]batchReply{}, used: map[string]bool{}, asked: map[string]bool{}}
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
			b.warn("%s:%d: no line of a batch's output: it is left out", output, n)
			continue
		}
		if was, _ := b.replies[r.CustomID].answer(); was == http.StatusOK {
			if is, _ := r.answer(); is != was {
				continue
			}
			b.warn("%s:%d: a second reply to %s: the last counts", output, n, r.CustomID)
		}
		b.replies[r.CustomID] = r
	}
	return b, lines.Err()
}

func (b *Batch) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// RoundTrip implements http.RoundTripper.
func (b *Batch) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := http.StatusNotFound, []byte("{}")
	switch req.URL.Path {
	case "/v1/models":
		raw, err := json.Marshal(map[string]any{"data": []any{map[string]string{"id": b.Model, "owned_by": "vllm"}}})
		if err != nil {
			return nil, err
		}
		status, body = http.StatusOK, raw
	case "/v1/chat/completions":
		asked, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		status, body = b.ask(asked)
	}
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    req,
	}, nil
}

// ask answers a request, or notes it for the next batch.
func (b *Batch) ask(body []byte) (status int, answer []byte) {
	id := batchID(body)
	b.last = batchLine{CustomID: id, Method: http.MethodPost, URL: "/v1/chat/completions", Body: body}
	if reply, answered := b.replies[id]; answered {
		b.used[id] = true
		return reply.answer()
	}
	b.again("")
	return http.StatusNotFound, []byte(`{"error":{"message":"the batch has no reply to it yet"}}`)
}

// batchID returns the id of a request: a hash of its body with the members sorted by name, whatever order it is sent
// in.
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
	sum := sha256.Sum256(text)
	return "gavel-" + hex.EncodeToString(sum[:16])
}

// again notes what was asked last for the next batch, with what its reply said that is none.
func (b *Batch) again(why string) {
	id := b.last.CustomID
	if b.asked[id] {
		return
	}
	b.asked[id] = true
	b.lines = append(b.lines, b.last)
	if b.used[id] {
		b.failed++
		b.why = why
	}
}

// Missing is how many requests the batch has no reply to.
func (b *Batch) Missing() int { return len(b.lines) }

// Write writes the requests that have no reply as the input of a batch.
func (b *Batch) Write(path string) error {
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

// String says what became of the replies.
func (b *Batch) String() string {
	text := fmt.Sprintf("the batch answered %d requests, %d are missing", len(b.used)-b.failed, b.Missing())
	if b.failed > 0 {
		text += fmt.Sprintf(" (%d failed, the last with: %s)", b.failed, b.why)
	}
	if others := len(b.replies) - len(b.used); others > 0 {
		text += fmt.Sprintf("; %d of its replies were not asked for", others)
	}
	return text
}

// InBatch is a request whose judge is asked by batches, or why that cannot be: a *FieldError.
func (r Request) InBatch() (Request, error) {
	switch {
	case r.Backend != Backends[0] && r.Backend != "openai":
		return r, Wrong("backend", r.Backend, "%s has no batches: leave it out", r.Backend)
	case len(r.BaseURLs) > 0:
		return r, Wrong("base-url", r.BaseURLs[0], "names a server, and a batch needs none: leave it out")
	case r.Model == "":
		return r, Wrong("model", "", "is missing: the name that the batch's server gives the model (--served-model-name)")
	case r.NumRepetitions > 1:
		return r, Wrong("repeat", r.NumRepetitions, "asks the same again, which a batch cannot: leave it out")
	case r.StrictDeterminism:
		return r, Wrong("strict-determinism", true, "asks one request at a time, which a batch cannot: leave it out")
	case r.NoCache:
		return r, Wrong("no-cache", true, "forgets the replies that the next batch goes on from: leave it out")
	case r.AskAgain:
		return r, Wrong("ask-again", true, "passes over the replies that the next batch goes on from: leave it out")
	case r.Until != "":
		return r, Wrong("until", r.Until, "looks at each verdict, which a batch cannot: leave it out")
	}
	r.Backend, r.BaseURLs = "openai", []string{batchURL}
	r.Concurrency = 1 // the lines have the order of the judgments
	return r, nil
}
