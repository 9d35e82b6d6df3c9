package backends

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// splitTagEver takes off one tag after the other, however long that takes.
func splitTagEver(reply, open, close string) (text, thinking string) {
	text, thinking = splitTagOnce(reply, open, close)
	if strings.Contains(text, open) {
		more := ""
		text, more = splitTagEver(text, open, close)
		thinking += more
	}
	return text, thinking
}

func FuzzSplitThinking(f *testing.F) {
	for _, s := range []string{"", "a", "<think>a</think>b", "a</think>b", "a<think>b", "<th<think></think>ink></think>", "</think><think>", "</thi<think></think>nk>", "[THINK]a[/THINK]b",
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "analysisaassistantfinalb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for tags := range slices.Chunk(thinkingTags, 2) {
			text, thinking := splitThinkingTags(reply, tags[0], tags[1])
			if len(reply) < maxTagRemovals*(len(tags[0])+len(tags[1])) {
				if wholly, all := splitTagEver(reply, tags[0], tags[1]); text != wholly || thinking != all {
					t.Errorf("%q becomes %q and %q, with all the time there is %q and %q", reply, text, thinking, wholly, all)
				}
			}
			if !strings.Contains(reply, tags[0]) && !strings.Contains(reply, tags[1]) && (text != reply || thinking != "") {
				t.Errorf("%q without %s becomes %q and %q", reply, tags[0], text, thinking)
			}
			if open := strings.Index(text, tags[0]); open >= 0 && strings.Contains(text[open:], tags[1]) {
				t.Errorf("a thought is left in %q of %q", text, reply)
			}
		}
		text, thinking := SplitThinking(reply)
		var had, got [256]int
		for i := range len(reply) {
			had[reply[i]]++
		}
		for _, part := range []string{text, thinking} {
			for i := range len(part) {
				got[part[i]]++
			}
		}
		for b := range got {
			if got[b] > had[b] {
				t.Errorf("%q has more of %q than %q", []string{text, thinking}, rune(b), reply)
			}
		}
	})
}

// transportFunc answers without a network.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzAnswer gives both decoders any status and any body.
func FuzzAnswer(f *testing.F) {
	for _, w := range wires {
		for _, message := range []string{content("[[A>B]]"), content("<think>a</think>b", `"reasoning":"c"`), `{"role":"assistant","content":null,"refusal":"no"}`} {
			f.Add(200, w.reply(message, "stop"))
			f.Add(200, w.reply(message, "length"))
		}
		f.Add(400, w.fail(400, "the prompt exceeds the context length"))
		f.Add(200, w.fail(200, "the prompt exceeds the context length"))
		f.Add(503, w.fail(503, "Loading model"))
	}
	for _, body := range []string{"", "null", "[]", "<html>", `{"choices":[{}]}`, `{"done":true}`, `{"error":5}`, "{\n}\n{}"} {
		f.Add(200, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		c := &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			io.Copy(io.Discard, r.Body)
			return &http.Response{
				StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Request: r,
				ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader([]byte(body))),
			}, nil
		})}
		openAI := NewOpenAI("http://server", "", c)
		openAI.server = &ServerInfo{WireFormat: "openai", Name: VLLM}
		for name, b := range map[string]Client{"openai": openAI, "ollama": dialOllama("http://server", "", c)} {
			resp, err := b.Ask(context.Background(), question)
			if err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Kind == "" || strings.ContainsAny(err.Error(), "\r\n") {
					t.Errorf("%s: %q", name, err)
				}
				continue
			}
			if !slices.Contains([]Finish{FinishStop, FinishLength, FinishPromptTooLong, FinishRefused}, resp.Finish) {
				t.Errorf("%s: finish %q", name, resp.Finish)
			}
			if status >= 400 && resp.Finish != FinishPromptTooLong {
				t.Errorf("%s: HTTP %d is taken for a reply: %+v", name, status, resp)
			}
			if resp.Finish == FinishPromptTooLong && resp.Text+resp.Thinking != "" {
				t.Errorf("%s: a refused prompt has a reply: %+v", name, resp)
			}
		}
	})
}
