package golden

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// stub is a server of one model. Its reply depends on the conversation alone: the same conversation always gets the
// same reply.
type stub struct {
	*httptest.Server
	kind string // ollama, llama.cpp, vllm, other

	mu    sync.Mutex
	chats []string         // bodies of the chats, as they came
	block func(n int) bool // tells whether the nth chat, from 0, is held until the asker goes
	fail  func(n int) bool // tells whether the nth chat is refused with an error
}

func newStub(w *world, kind string) *stub {
	s := &stub{kind: kind}
	s.Server = httptest.NewServer(s)
	w.t.Cleanup(s.Close)
	address := strings.TrimPrefix(s.URL, "http://")
	w.rename(address, "<"+kind+">")
	w.rename(strings.ReplaceAll(address, ":", "-"), "<"+kind+">") // in the names of folders
	return s
}

// blocks delays the requests, by number, for which f is true; nil delays none.
func (s *stub) blocks(f func(n int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = f
}

// fails answers the requests for which f is true with an error; nil answers all.
func (s *stub) fails(f func(n int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

var kinds = []string{"llama.cpp", "ollama", "other", "vllm"}

// pages lists how the kinds of servers describe themselves and their models, "tiny" and, for Ollama, "small:1b".
var pages = map[string]map[string]string{
	"ollama": {
		"/api/version": `{"version":"0.17.4"}`,
		"/api/tags": `{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"a8f0a3abe842","details":{"family":"llama","parameter_size":"276K","quantization_level":"Q8_0"}},
			{"name":"small:1b","model":"small:1b","digest":"c0ffee","details":{}}]}`,
		"/api/show": `{"details":{"format":"gguf"},"capabilities":["completion","thinking"],"model_info":{"general.architecture":"llama","llama.context_length":32768}}`,
	},
	"llama.cpp": {
		"/v1/models": `{"object":"list","data":[{"id":"models/tiny-Q8_0.gguf","aliases":["tiny"],"object":"model","owned_by":"llamacpp","meta":{"n_vocab":1579,"n_ctx":16384,"n_ctx_train":32768,"n_params":276160,"size":1104640,"ftype":"all F32"}}]}`,
		"/props":     `{"default_generation_settings":{"n_ctx":16384},"total_slots":2,"model_alias":"tiny","build_info":"b11669-Debian","chat_template":"{% for message in messages %}"}`,
	},
	"vllm": {
		"/v1/models": `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"vllm","root":"org/tiny","max_model_len":16384}]}`,
		"/version":   `{"version":"0.11.0"}`,
	},
	"other": {
		"/v1/models": `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"test"}]}`,
	},
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch page, ok := pages[s.kind][r.URL.Path]; {
	case ok:
		io.WriteString(w, page)
	case s.kind == "ollama" && r.URL.Path == "/api/chat", s.kind != "ollama" && r.URL.Path == "/v1/chat/completions":
		s.mu.Lock()
		n := len(s.chats)
		s.chats = append(s.chats, string(body))
		blocked, failed := s.block != nil && s.block(n), s.fail != nil && s.fail(n)
		s.mu.Unlock()
		if failed {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"this one not"}}`)
			return
		}
		if blocked {
			<-r.Context().Done()
			return
		}
		s.chat(w, body)
	case s.kind == "llama.cpp" && r.URL.Path == "/apply-template":
		var decoded struct{ Messages []message }
		json.Unmarshal(body, &decoded)
		answer(w, map[string]any{"prompt": textOf(decoded.Messages)})
	case s.kind == "llama.cpp" && r.URL.Path == "/tokenize":
		var decoded struct{ Content string }
		json.Unmarshal(body, &decoded)
		answer(w, map[string]any{"tokens": make([]int, tokens(decoded.Content))})
	case s.kind == "vllm" && r.URL.Path == "/tokenize":
		var decoded struct{ Messages []message }
		json.Unmarshal(body, &decoded)
		answer(w, map[string]any{"count": tokens(textOf(decoded.Messages))})
	default:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"not found"}`)
	}
}

func answer(w http.ResponseWriter, v any) { json.NewEncoder(w).Encode(v) }

type message struct{ Role, Content string }

func textOf(messages []message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

// tokens returns a token count with which no prompt looks truncated.
func tokens(text string) int { return len(text)/3 + len(strings.Fields(text)) }

// chat answers in the format of the kind of server.
func (s *stub) chat(w http.ResponseWriter, body []byte) {
	var request struct {
		Model    string
		Messages []message
		Grammar  string
		Format   struct{ Enum []string }
		Response struct {
			Schema struct {
				Schema struct{ Enum []string }
			} `json:"json_schema"`
		} `json:"response_format"`
		Logprobs bool
	}
	json.Unmarshal(body, &request)
	labels := append(request.Format.Enum, request.Response.Schema.Schema.Enum...)
	for _, m := range quoted.FindAllStringSubmatch(request.Grammar, -1) {
		labels = append(labels, m[1])
	}
	spoken := reply(request.Messages, labels, request.Model+" of "+s.kind)
	if len(labels) > 0 && request.Grammar == "" {
		text, _ := json.Marshal(spoken.text)
		spoken.text = string(text)
	}
	finish := "stop"
	if spoken.cut {
		finish = "length"
	}
	probable := []map[string]any(nil)
	if request.Logprobs {
		probable = spoken.logprobs(labels)
	}
	read := tokens(textOf(request.Messages))
	if s.kind == "ollama" {
		answer(w, map[string]any{"model": "tiny", "message": map[string]any{"role": "assistant", "content": spoken.text}, "done": true, "done_reason": finish,
			"prompt_eval_count": read, "eval_count": tokens(spoken.text), "logprobs": probable})
		return
	}
	choice := map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": spoken.text}}
	if probable != nil {
		choice["logprobs"] = map[string]any{"content": probable}
	}
	answer(w, map[string]any{"model": "tiny", "object": "chat.completion", "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": read, "completion_tokens": tokens(spoken.text)}})
}

var (
	quoted   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	brackets = regexp.MustCompile(`\[\[[A-Za-z<>=]{1,12}\]\]`)
	numbered = regexp.MustCompile(`\[Option (\d+)\]`)
	lettered = regexp.MustCompile(`(?m)^\(?([A-Z])[.)] `)
	number   = regexp.MustCompile(`\d+`)
)

// utterance holds the text of a reply and the label at its end.
type utterance struct {
	text, label string
	labels      []string // that it could have named
	cut         bool
}

// reply picks a label by a hash of the conversation. It names the speaker, so that no two agents reply the same, which
// would make one a cached reply to the other. Without a constraint about one reply of eight has no label, two labels,
// or is truncated.
func reply(messages []message, labels []string, speaker string) utterance {
	text := textOf(messages)
	sum := sha256.Sum256([]byte(text))
	n := int(binary.BigEndian.Uint32(sum[:4]) >> 1)
	if len(labels) > 0 {
		label := labels[n%len(labels)]
		return utterance{text: label, label: label, labels: labels}
	}
	last := messages[len(messages)-1].Content
	u := utterance{labels: distinct(brackets.FindAllString(text, -1))}
	before := "I have looked at it. My final verdict is: "
	switch options := numbered.FindAllString(text, -1); {
	case len(options) > 0:
		before, u.labels = "", nil
		for i := range options {
			u.labels = append(u.labels, fmt.Sprintf("Selection: Option %d", i+1))
		}
	case strings.Contains(text, "The answer is (X)"):
		before, u.labels = "So it must be this one. ", nil
		for _, m := range lettered.FindAllStringSubmatch(messages[len(messages)-1].Content, -1) {
			u.labels = append(u.labels, "The answer is ("+m[1]+")")
		}
	case strings.Contains(last, "arabic numerals"):
		before, u.labels = "We calculate. ", nil
		for _, m := range number.FindAllString(last, -1) {
			u.labels = append(u.labels, "The answer is (arabic numerals): "+m)
		}
	}
	if len(u.labels) == 0 {
		return utterance{text: "That is a good question."}
	}
	u.label = u.labels[n/16%len(u.labels)]
	u.text = before + "(" + speaker + ") " + u.label
	switch n % 16 {
	case 0:
		return utterance{text: "I cannot tell, says " + speaker + "."}
	case 1:
		u.text, u.cut = "I, "+speaker+", have looked at it, and", true
	case 2:
		if len(u.labels) > 1 {
			u.text = speaker + ": " + u.labels[0] + " or rather " + u.labels[1]
		}
	}
	return u
}

// logprobs returns tokens of one character. Where the label begins, each position has the characters of the labels with
// the same beginning.
func (u utterance) logprobs(labels []string) []map[string]any {
	out := []map[string]any{}
	start := strings.LastIndex(u.text, u.label)
	if u.label == "" {
		start = -1
	}
	for i := range len(u.text) {
		entry := map[string]any{"token": u.text[i : i+1], "logprob": -0.125}
		top := []map[string]any{{"token": u.text[i : i+1], "logprob": -0.125}}
		if k := i - start; start >= 0 && k >= 0 && k < len(u.label) {
			characters := map[byte]bool{u.label[k]: true}
			for j, other := range u.labels {
				if len(other) > k && other[:k] == u.label[:k] && !characters[other[k]] {
					characters[other[k]] = true
					top = append(top, map[string]any{"token": other[k : k+1], "logprob": -2.5 - float64(j)/4})
				}
			}
		}
		entry["top_logprobs"] = top
		out = append(out, entry)
	}
	return out
}

func distinct(texts []string) []string {
	set := map[string]bool{}
	for _, t := range texts {
		set[t] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// take lists the chats since the last call, sorted; equal ones are listed once with their number.
func (s *stub) take(w *world) (list string, n int) {
	s.mu.Lock()
	chats := s.chats
	s.chats = nil
	s.mu.Unlock()
	counts := map[string]int{}
	for _, body := range chats {
		counts[w.plain(body)]++
	}
	var out strings.Builder
	for _, body := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&out, "%d × %s\n", counts[body], strings.TrimSpace(body))
	}
	return out.String(), len(chats)
}

// silence checks that no request was sent.
func (s *stub) silence(t *testing.T, w *world, when string) {
	t.Helper()
	if list, n := s.take(w); n != 0 {
		t.Errorf("%s: %d chats were asked for:\n%s", when, n, clip(list, 1000))
	}
}
