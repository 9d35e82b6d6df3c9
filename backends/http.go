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

// maxBody limits the size of any answer, in bytes. A server that exceeds it, or [Request.maxAnswerBytes], is broken.
const maxBody = 64 << 20

// NewHTTPClient returns the client that backends share. It keeps one warm connection per request in flight, and has no
// time limit, since a judge may think for minutes (see [WithTimeout]).
func NewHTTPClient(concurrency int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = max(concurrency, 2)
	t.DisableCompression = true // loopback: bytes are cheaper than cycles
	t.ForceAttemptHTTP2 = false
	t.WriteBufferSize, t.ReadBufferSize = 32<<10, 32<<10
	return &http.Client{Transport: t}
}

// exchange holds a request's authorization and the server's whole answer.
type exchange struct {
	authorization string // the request's Authorization header
	status        int    // 0 until the answer is complete
	header        http.Header
	body          []byte
	secrets       *strings.Replacer // removes the request's credentials
}

// caller sends JSON to a server. All requests to judges' servers go through a caller, whatever the format. It follows
// no redirects, counts requests other than for judgments, and removes secrets from answers. gavel uses only the types
// of go-openai and ollama/api: their clients hide truncated bodies, and answers that differ from their own format.
type caller struct {
	transport http.RoundTripper
	key       string // API key; "": none
}

func newCaller(client *http.Client, key string) caller {
	return caller{transport: cmp.Or(client.Transport, http.DefaultTransport), key: key}
}

// RequestCounter counts the requests to servers other than judgments, by page, such as "/v1/models".
type RequestCounter struct {
	mu    sync.Mutex
	pages map[string]int
}

type requestCounterKey struct{}

// WithRequestCounter returns a context with a: the account counts all requests that are sent with this context.
func WithRequestCounter(ctx context.Context, a *RequestCounter) context.Context {
	return context.WithValue(ctx, requestCounterKey{}, a)
}

// judgingPaths matches the paths of pages that answer with a judge's reply.
var judgingPaths = regexp.MustCompile(`/(chat/completions|api/chat|systemone)$`)

// countRequest counts a request for a page, unless it asks for a judgment.
func (a *RequestCounter) countRequest(page *url.URL) {
	if judgingPaths.MatchString(page.Path) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pages == nil {
		a.pages = map[string]int{}
	}
	a.pages[cmp.Or(apiPathSuffix.FindString(page.Path), page.Path)]++
}

// AddTo returns the sum of other, a number of requests per page, and the account's.
func (a *RequestCounter) AddTo(other map[string]int) map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return SumCounts(other, a.pages)
}

// SumCounts returns the sums of two counts by key.
func SumCounts[K comparable](a, b map[K]int) map[K]int {
	sum := map[K]int{}
	maps.Copy(sum, a)
	for key, n := range b {
		sum[key] += n
	}
	return sum
}

// maxAnswerBytes returns the size limit of an answer in bytes: enough for the requested tokens when each is streamed by
// itself, and more if the server also lists alternatives to each token.
func (r Request) maxAnswerBytes() int {
	token := 1 << 10
	if r.Labels != nil {
		token = 8 << 10
	}
	return 12<<20 + min(r.MaxTokens, maxBody/token)*token
}

// send posts body to url, or gets the page if body is nil, and reads an answer of at most longest bytes. The error is
// an *Error or the cause of the context's end. The exchange holds any whole answer, also one that reports an error.
func (c caller) send(ctx context.Context, url string, body []byte, longest int) (*exchange, error) {
	x := &exchange{}
	err := c.exchange(ctx, x, url, body, min(maxBody, longest))
	if err != nil || x.status >= 400 {
		err = x.failure(ctx, err)
	}
	return x, err
}

// exchange sends the request and stores the answer in x. An answer that reports an error is not an error here.
func (c caller) exchange(ctx context.Context, x *exchange, url string, body []byte, longest int) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if a, ok := ctx.Value(requestCounterKey{}).(*RequestCounter); ok {
		a.countRequest(req.URL)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if value, ok := passwordByServer.Load(req.URL.Scheme + "://" + req.URL.Host); ok {
		login := value.([2]string)
		req.SetBasicAuth(login[0], login[1])
	}
	x.authorization = req.Header.Get("Authorization")
	x.secrets = redactor(req)
	resp, err := c.transport.RoundTrip(req) // http.Client would follow redirects
	if err != nil {
		return redactError(x.secrets, err)
	}
	defer resp.Body.Close()
	if err := x.rejectUnexpectedStatus(resp); err != nil {
		return err
	}
	if resp.ContentLength > int64(longest) {
		return &http.MaxBytesError{Limit: int64(longest)}
	}
	answer, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, int64(longest)))
	if err != nil {
		return fmt.Errorf("the answer broke off after %d bytes: %w", len(answer), err)
	}
	x.body = []byte(redact(x.secrets, string(answer)))
	x.status = resp.StatusCode
	x.header = resp.Header
	return nil
}

// rejectUnexpectedStatus rejects a status that is neither an answer nor an error, before its body is read. The body of
// a 101 is the connection itself, which no time limit ends. A redirect leads to a server that the user did not name: it
// must not get the prompt, the key or the verdict.
func (x *exchange) rejectUnexpectedStatus(resp *http.Response) error {
	e := &Error{Kind: ErrorServer, Status: resp.StatusCode}
	switch {
	case resp.StatusCode < 200:
		e.Message = "unexpected status of a model server: " +
			cmp.Or(http.StatusText(resp.StatusCode), "not an HTTP status")
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Kind, e.Message = ErrorRedirect, "it redirects without saying where"
		resp.Header.Set("Location", redact(x.secrets, resp.Header.Get("Location")))
		if to, err := resp.Location(); err == nil {
			e.Message = fmt.Sprintf("it redirects to %s, and no redirect is followed: "+
				"if that is the server you mean, put %s in --base-url", publicURL(to), publicURL(trimAPIPath(to)))
		}
	default:
		return nil
	}
	return e
}

// apiPathSuffix matches the paths that the formats of Ollama and OpenAI append to a server's address.
var apiPathSuffix = regexp.MustCompile(
	`/(?:v1/(?:chat/completions|completions|models|systemone)|api/\w+|props|version|tokenize|apply-template)/?$`,
)

// trimAPIPath returns the address of a page's server, as --base-url takes it.
func trimAPIPath(page *url.URL) *url.URL {
	server := *page
	server.Path = apiPathSuffix.ReplaceAllString(server.Path, "")
	return &server
}

// publicURL returns an address without the parts that may be secret: user, password and query.
func publicURL(u *url.URL) string {
	return excerptOrPlaceholder([]byte((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()))
}

// failure returns the *Error of an exchange without a usable answer. err is the cause; nil if the answer itself reports
// an error.
func (x *exchange) failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
		err = cause // a net.Error whose Timeout is true
	} else if cause != nil {
		return cause
	} else if err == nil {
		return &Error{
			Kind:         x.kind(),
			Status:       x.status,
			Message:      serverMessage(x),
			RetryAfter:   retryAfter(x.header),
			AccessAdvice: x.accessAdvice(),
		}
	}
	var nerr net.Error
	var callErr *Error
	var long *http.MaxBytesError
	e := &Error{Kind: ErrorTransport, Message: err.Error(), Err: err}
	switch {
	case errors.As(err, &callErr):
		return callErr
	case errors.As(err, &nerr) && nerr.Timeout():
		e.Kind, e.Message = ErrorTimeout, "no answer in time"
	case errors.As(err, &long):
		e.Kind = ErrorUnexpected // a retry would get the same
		e.Message = fmt.Sprintf("the answer is longer than %d MiB, too long for the requested tokens", long.Limit>>20)
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = "connection refused"
	case e.Message == io.EOF.Error():
		e.Message = "the server closed the connection (EOF)"
	}
	return e
}

// unreadableError returns the error for an answer that is not in the server's format.
func (x *exchange) unreadableError() error {
	return unusable("not an answer of this kind of server: %s", excerptOrPlaceholder(x.body))
}

// accessAdvice returns advice for a request that was refused access: to give a key, or a user name and password. It
// returns "" for other answers.
func (x *exchange) accessAdvice() string {
	switch wants := x.header.Get("WWW-Authenticate"); {
	case x.authorization == "" && x.status == 500: // LiteLLM without a database of keys
		return "if it needs a key, name the environment variable that holds it with --api-key-env"
	case x.kind() != ErrorAuth:
		return ""
	case strings.HasPrefix(x.authorization, "Basic "):
		return "it refuses the user name and password of the address: check both"
	case strings.HasPrefix(wants, "Basic"):
		return "it requires a user name and a password: --base-url http://USER:PASSWORD@HOST (neither is stored or shown)"
	case x.authorization != "":
		return "it refuses the key that was sent: check the variable of --api-key-env, or OPENAI_API_KEY"
	}
	return "it needs a key: name the environment variable that holds it with --api-key-env"
}

// invalidRequest matches the beginning of FastAPI servers' messages about an invalid request. llama-cpp-python sends
// them with HTTP 500.
var invalidRequest = regexp.MustCompile(`^(?:\d+ validation errors?\b|\[\{'type': '\w+', 'loc': \()`)

// kind classifies an error answer by its status, or by its text where servers choose a status that says less.
func (x *exchange) kind() ErrorKind {
	sentence, kinds := parseErrorBody(x.body)
	switch x.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrorAuth
	case http.StatusNotFound:
		return ErrorNotFound
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return ErrorBusy
	}
	switch {
	case slices.Contains(kinds, "no_db_connection"): // LiteLLM for an unknown key
		return ErrorAuth
	case x.status < 500, slices.Contains(kinds, "invalid_request_error"), invalidRequest.MatchString(sentence):
		return ErrorBadRequest
	}
	return ErrorServer
}

// retryAfter returns the wait that the header Retry-After requests, in seconds or by a date; 0 if it has none.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if s, err := strconv.Atoi(v); err == nil {
		return time.Duration(min(max(0, s), 1<<30)) * time.Second
	}
	if date, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// parseErrorBody parses the body of an error into its message (sentence) and its type and code (kinds). The body has
// the form {"error": "…"} (Ollama, LM Studio), {"error": {"message": "…"}} (OpenAI, llama.cpp, vLLM since 0.10) or
// {"message": "…"} (vLLM before).
func parseErrorBody(body []byte) (sentence string, kinds []string) {
	var members map[string]any
	if json.Unmarshal(body, &members) != nil {
		return "", nil
	}
	switch e := members["error"].(type) {
	case string:
		sentence = e
	case map[string]any:
		members = e
	}
	if sentence == "" {
		sentence, _ = members["message"].(string)
	}
	for _, key := range []string{"type", "code"} {
		if kind, ok := members[key].(string); ok { // a number in llama.cpp and vLLM: the status
			kinds = append(kinds, kind)
		}
	}
	return sentence, kinds
}

// serverMessage returns the error message in an answer, or else the beginning of its body or its status in words.
func serverMessage(x *exchange) string {
	if sentence, _ := parseErrorBody(x.body); sentence != "" {
		return excerptOrPlaceholder([]byte(redact(x.secrets, sentence)))
	}
	return cmp.Or(excerptIfAny(x.body), http.StatusText(x.status))
}

// excerptOrPlaceholder returns the beginning of a body on one line, for messages; "(empty)" if there is none.
func excerptOrPlaceholder(b []byte) string { return cmp.Or(excerptIfAny(b), "(empty)") }

// htmlPage matches the beginning of an HTML page, markup the tags, scripts and comments in it.
var (
	htmlPage   = regexp.MustCompile(`(?i)^\s*<(?:!doctype html|html)\b`)
	htmlMarkup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->|<[^>]*>`)
)

// excerptIfAny returns the first 300 bytes of a body, or of an HTML page's text, on one line; "" for an empty body.
func excerptIfAny(b []byte) string {
	const limit = 300
	if htmlPage.Match(b) {
		text := htmlMarkup.ReplaceAllString(string(b[:min(len(b), 100*limit)]), " ")
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

// tooLongMessage matches messages about a prompt that does not fit, for servers without such a type. It reads only the
// beginning of the message, after the names that a proxy puts first ("litellm.BadRequestError: OpenAIException - "):
// servers also quote the request in their errors, and a prompt may contain the same words.
var tooLongMessage = regexp.MustCompile(`(?i)^(?:[\w.]*(?:error|exception)\s*[:-]\s*)*(?:` + strings.Join([]string{
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
	// llama.cpp, for a model that reads a prompt in one batch
	`input (?:\(\d+ tokens\) )?is too large to process`,
	// others
	`(?:the |your )?(?:prompt|input) is too long`, `too many (?:prompt|input) tokens`,
	`(?:the )?context length exceeded\b`,
}, "|") + `)`)

// promptTooLong reports whether an answer without a reply says that the prompt does not fit. Some versions of llama.cpp
// send it with status 500, some of LM Studio with 200.
func promptTooLong(x *exchange) bool {
	switch x.status {
	case http.StatusOK, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity, http.StatusInternalServerError:
	default:
		return false
	}
	sentence, kinds := parseErrorBody(x.body)
	// llama.cpp's type, OpenAI's code
	if slices.Contains(kinds, "exceed_context_size_error") || slices.Contains(kinds, "context_length_exceeded") {
		return true
	}
	if sentence == "" && x.status != http.StatusOK {
		sentence = string(x.body) // a server that does not write JSON
	}
	return tooLongMessage.MatchString(strings.TrimSpace(sentence))
}

// pageTime limits a request for one of the server's own pages, which need no model. Without a limit, a server that
// hangs would hold up a command for ever.
const pageTime = 30 * time.Second

// fetchJSON requests one of the server's own pages and decodes its JSON into a value. body is posted unless it is nil.
// The error is an *Error.
func (c caller) fetchJSON(ctx context.Context, url string, body, into any) error {
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
		return x.unreadableError()
	}
	return nil
}

// version returns the version that a page of the server states.
func (c caller) version(ctx context.Context, url string) (string, error) {
	var answer struct {
		Version string `json:"version"`
	}
	err := c.fetchJSON(ctx, url, nil, &answer)
	return answer.Version, err
}
