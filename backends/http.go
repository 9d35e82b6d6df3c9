package backends

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxBody bounds what is read of any answer; past it, or past what [Request.longest] says, it is a broken server.
const maxBody = 64 << 20

// NewHTTPClient returns the client that backends share: one warm connection for each request in flight, and no time
// limit of its own, since a judge may think for minutes (see [WithTimeout]).
func NewHTTPClient(concurrency int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = max(concurrency, 2)
	t.DisableCompression = true // loopback: bytes are cheaper than cycles
	t.ForceAttemptHTTP2 = false
	t.WriteBufferSize, t.ReadBufferSize = 32<<10, 32<<10
	return &http.Client{Transport: t}
}

// exchange is a request to a server and its whole answer.
type exchange struct {
	access  string // the request's Authorization
	status  int    // 0 until the whole answer is here
	header  http.Header
	body    []byte
	secrets *strings.Replacer // takes out what the request proves its right with
}

// caller speaks JSON with a server. All requests to judges' servers go through it, whatever the format: it follows no
// redirect, counts what is asked beside judgments, and takes secrets out of answers. Of go-openai and
// ollama/api gavel uses the types alone: their clients hide a body that broke off, and answers of servers that differ
// from their own.
type caller struct {
	transport http.RoundTripper
	key       string // "" for none
}

func newCaller(client *http.Client, key string) caller {
	return caller{transport: cmp.Or(client.Transport, http.DefaultTransport), key: key}
}

// Account counts what servers are asked beside judgments, by page, such as "/v1/models".
type Account struct {
	mu    sync.Mutex
	pages map[string]int
}

type accountKey struct{}

// WithAccount has what is asked with the context counted.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// judges are the pages that answer with judgments.
var judges = regexp.MustCompile(`/(chat/completions|api/chat|systemone)$`)

func (a *Account) enter(page *url.URL) {
	if judges.MatchString(page.Path) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pages == nil {
		a.pages = map[string]int{}
	}
	a.pages[cmp.Or(ownPages.FindString(page.Path), page.Path)]++
}

// Onto returns how often each page was asked for, in this account and in another.
func (a *Account) Onto(other map[string]int) map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := map[string]int{}
	maps.Copy(sum, other)
	for page, n := range a.pages {
		sum[page] += n
	}
	return sum
}

// longest returns how many bytes an answer may have: what the tokens asked for can take when each is streamed by
// itself, and more where the server also lists alternatives to each token.
func (r Request) longest() int {
	token := 1 << 10
	if r.Labels != nil {
		token = 8 << 10
	}
	return 12<<20 + min(r.MaxTokens, maxBody/token)*token
}

// send posts body, or gets the page if body is nil, and reads an answer of at most longest bytes. The error is an
// *Error or the cause of the context's end. The exchange has the answer, also one that is an error, if any came.
func (c caller) send(ctx context.Context, url string, body []byte, longest int) (*exchange, error) {
	x := &exchange{}
	err := c.exchange(ctx, x, url, body, min(maxBody, longest))
	if err != nil || x.status >= 400 {
		err = x.failure(ctx, err)
	}
	return x, err
}

func (c caller) exchange(ctx context.Context, x *exchange, url string, body []byte, longest int) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if a, ok := ctx.Value(accountKey{}).(*Account); ok {
		a.enter(req.URL)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if has, ok := passwords.Load(req.URL.Scheme + "://" + req.URL.Host); ok {
		who := has.([2]string)
		req.SetBasicAuth(who[0], who[1])
	}
	x.access = req.Header.Get("Authorization")
	x.secrets = secretsOf(req)
	resp, err := c.transport.RoundTrip(req) // http.Client would follow redirects
	if err != nil {
		return hideIn(x.secrets, err)
	}
	defer resp.Body.Close()
	if err := x.unasked(resp); err != nil {
		return err
	}
	if resp.ContentLength > int64(longest) {
		return &http.MaxBytesError{Limit: int64(longest)}
	}
	answer, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, int64(longest)))
	if err != nil {
		return fmt.Errorf("the answer broke off after %d bytes: %w", len(answer), err)
	}
	x.body = []byte(without(x.secrets, string(answer)))
	x.status = resp.StatusCode
	x.header = resp.Header
	return nil
}

// unasked refuses a status that is neither an answer nor an error, before its body is read. That of 101 is the
// connection itself, which no time limit ends. Behind a redirect is another server than the one that was named: prompt,
// key and verdict are none of its business.
func (x *exchange) unasked(resp *http.Response) error {
	e := &Error{Kind: ServerSide, Status: resp.StatusCode}
	switch {
	case resp.StatusCode < 200:
		e.Message = "no server of models answers so: " +
			cmp.Or(http.StatusText(resp.StatusCode), "the status is none of HTTP")
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Kind, e.Message = Moved, "it sends elsewhere, but does not say where"
		resp.Header.Set("Location", without(x.secrets, resp.Header.Get("Location")))
		if to, err := resp.Location(); err == nil {
			e.Message = fmt.Sprintf("it redirects to %s, and no redirect is followed: "+
				"if that is the server you mean, put %s in --base-url", bare(to), bare(base(to)))
		}
	default:
		return nil
	}
	return e
}

// ownPages are the places of both formats, which follow the address of a server.
var ownPages = regexp.MustCompile(
	`/(?:v1/(?:chat/completions|completions|models|systemone)|api/\w+|props|version|tokenize|apply-template)/?$`,
)

// base is the address of the server that has a page, as --base-url takes it.
func base(page *url.URL) *url.URL {
	at := *page
	at.Path = ownPages.ReplaceAllString(at.Path, "")
	return &at
}

// bare is an address without what may be secret in it.
func bare(u *url.URL) string {
	return excerpt([]byte((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()))
}

// failure returns the *Error of an exchange without a usable answer. err is the cause; nil if the answer itself is an
// error.
func (x *exchange) failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
		err = cause // which is a net.Error that says Timeout
	} else if cause != nil {
		return cause
	} else if err == nil {
		return &Error{
			Kind:       x.kind(),
			Status:     x.status,
			Message:    serverMessage(x),
			RetryAfter: retryAfter(x.header),
			Access:     x.accessAdvice(),
		}
	}
	var nerr net.Error
	var said *Error
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &nerr) && nerr.Timeout():
		return &Error{Kind: Timeout, Message: "no answer in time", Err: err}
	case errors.As(err, &long):
		const text = "the answer is longer than %d MiB, which no reply of so many tokens is"
		return &Error{Kind: Internal, Message: fmt.Sprintf(text, long.Limit>>20), Err: err} // a retry would get the same
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Kind: Transport, Message: "connection refused", Err: err}
	default:
		why := err.Error()
		if why == io.EOF.Error() {
			why = "the server closed the connection (EOF)"
		}
		return &Error{Kind: Transport, Message: why, Err: err}
	}
}

// unreadable returns the error for an answer that is not in the server's format.
func (x *exchange) unreadable() error {
	return none("not an answer of this kind of server: %s", excerpt(x.body))
}

// accessAdvice says what a server lacks that refuses a request for want of a key or password.
func (x *exchange) accessAdvice() string {
	switch wants := x.header.Get("WWW-Authenticate"); {
	case x.access == "" && x.status == 500: // LiteLLM without a database of keys
		return "if it needs a key, name the environment variable that holds it with --api-key-env"
	case x.kind() != Auth:
		return ""
	case strings.HasPrefix(x.access, "Basic "):
		return "it refuses the user name and password of the address: check both"
	case strings.HasPrefix(wants, "Basic"):
		return "it wants a user name and a password: --base-url http://USER:PASSWORD@HOST (neither is stored or shown)"
	case x.access != "":
		return "it refuses the key that was sent: check the variable of --api-key-env, or OPENAI_API_KEY"
	}
	return "it needs a key: name the environment variable that holds it with --api-key-env"
}

// invalidRequest matches how FastAPI's servers begin to say that a request is not as they want it. llama-cpp-python
// says so with HTTP 500.
var invalidRequest = regexp.MustCompile(`^(?:\d+ validation errors?\b|\[\{'type': '\w+', 'loc': \()`)

// kind tells what may help against an answer that is an error: by its status, or by its words where servers choose a
// status that says less.
func (x *exchange) kind() Kind {
	sentence, kinds := errorSaid(x.body)
	switch x.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Auth
	case http.StatusNotFound:
		return NotFound
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return Busy
	}
	switch {
	case slices.Contains(kinds, "no_db_connection"): // LiteLLM of a key that it does not know
		return Auth
	case x.status < 500, slices.Contains(kinds, "invalid_request_error"), invalidRequest.MatchString(sentence):
		return BadRequest
	}
	return ServerSide
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

// errorSaid reads an error body: its sentence, and the type and code beside it. {"error": "…"} (Ollama, LM Studio),
// {"error": {"message": "…"}} (OpenAI, llama.cpp, vLLM since 0.10) or {"message": "…"} (vLLM before).
func errorSaid(body []byte) (sentence string, kinds []string) {
	var said map[string]any
	if json.Unmarshal(body, &said) != nil {
		return "", nil
	}
	switch e := said["error"].(type) {
	case string:
		sentence = e
	case map[string]any:
		said = e
	}
	if sentence == "" {
		sentence, _ = said["message"].(string)
	}
	for _, key := range []string{"type", "code"} {
		if kind, ok := said[key].(string); ok { // llama.cpp's and vLLM's code is the status
			kinds = append(kinds, kind)
		}
	}
	return sentence, kinds
}

// serverMessage is what an answer says went wrong.
func serverMessage(x *exchange) string {
	if sentence, _ := errorSaid(x.body); sentence != "" {
		return excerpt([]byte(without(x.secrets, sentence)))
	}
	return cmp.Or(excerptOf(x.body), http.StatusText(x.status))
}

// excerpt is the beginning of a body on one line, fit for a message.
func excerpt(b []byte) string { return cmp.Or(excerptOf(b), "(empty)") }

// htmlPage matches the beginning of a page for browsers, markup what is no text in it.
var (
	htmlPage = regexp.MustCompile(`(?i)^\s*<(?:!doctype html|html)\b`)
	markup   = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->|<[^>]*>`)
)

// excerptOf is excerpt, "" for nothing.
func excerptOf(b []byte) string {
	const limit = 300
	if htmlPage.Match(b) {
		text := markup.ReplaceAllString(string(b[:min(len(b), 100*limit)]), " ")
		b = []byte(strings.Join(strings.Fields(html.UnescapeString(text)), " "))
	}
	cut := len(b) > limit
	if cut {
		b = b[:limit]
	}
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "\uFFFD")), " ")
	if cut && s != "" {
		s += "…"
	}
	return s
}

// tooLongKinds are the types and codes of an error that say that a prompt does
// not fit: llama.cpp's type, OpenAI's code.
var tooLongKinds = []string{"exceed_context_size_error", "context_length_exceeded"}

// tooLong matches how servers without such a type begin to say it. It looks nowhere but at the beginning of the
// sentence, past the names that a proxy puts before it ("litellm.BadRequestError: OpenAIException - "): servers also
// quote the request in their errors, and a prompt may hold the same words.
var tooLong = regexp.MustCompile(`(?i)^(?:[\w.]*(?:error|exception)\s*[:-]\s*)*(?:` + strings.Join([]string{
	// llama.cpp: the request exceeds the available context size; request (7224 tokens) exceeds …
	// Ollama: the input length exceeds the context length; prompt exceeds maximum context length
	// SGLang: The input (61709 tokens) is longer than the model's context length
	// OpenAI: Your input exceeds the context window of this model
	`(?:the |your )?(?:prompt|input|request)(?: length)?(?: \(?[\d,]+(?: tokens)?\)?)? ` +
		`(?:exceeds|is longer than|is greater than|is larger than) ` +
		`(?:the |model's |maximum |available )*context (?:length|size|window)`,
	`input length \d+ exceeds the maximum allowed input length`,             // SGLang
	`requested token count exceeds the (?:model's )?maximum context length`, // SGLang
	// OpenAI and vLLM: This model's maximum context length is 8192 tokens. However, …
	`(?:'max_tokens' or 'max_completion_tokens' is too large: \d+\. )?this model's maximum context length is \d+`,
	// vLLM since 0.15
	`you passed \d+ input (?:tokens|characters)[^.]{0,60}\. however, the model's context length is only`,
	`the (?:\w+ )?prompt \([^()]{1,60}\) is longer than the maximum model length`,             // vLLM
	`cannot truncate prompt with n_keep \(\d+\) >= n_ctx`,                                     // LM Studio
	`trying to keep the first \d+ tokens when context the overflows\.`,                        // LM Studio
	`the number of tokens to keep from the initial prompt is greater than the context length`, // LM Studio
	// llama.cpp, of a model that reads a prompt in one batch
	`input (?:\(\d+ tokens\) )?is too large to process`,
	// others
	`(?:the |your )?(?:prompt|input) is too long`, `too many (?:prompt|input) tokens`,
	`(?:the )?context length exceeded\b`,
}, "|") + `)`)

// promptTooLong tells whether an answer without a reply says so. Some versions
// of llama.cpp answer 500 with it, of LM Studio 200.
func promptTooLong(x *exchange) bool {
	switch x.status {
	case http.StatusOK, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity, http.StatusInternalServerError:
	default:
		return false
	}
	sentence, kinds := errorSaid(x.body)
	if slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(tooLongKinds, k) }) {
		return true
	}
	if sentence == "" && x.status != http.StatusOK {
		sentence = string(x.body) // a server that writes no JSON
	}
	return tooLong.MatchString(strings.TrimSpace(sentence))
}

// pageTime is how long a server has for one of its own pages: they are there, or nearly so, and need no model. Without
// a limit a server that hangs would hold up a command for ever.
const pageTime = 30 * time.Second

// page asks for one of the server's own pages; body is what is posted, nil where nothing is. Its error is an *Error.
func (c caller) page(ctx context.Context, url string, body, into any) error {
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	var sent []byte
	if body != nil {
		sent = mustJSON(body)
	}
	x, err := c.send(limited, url, sent, maxBody)
	if err != nil {
		return err
	}
	if json.Unmarshal(x.body, into) != nil {
		return x.unreadable()
	}
	return nil
}
