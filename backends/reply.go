package backends

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What is here reads the reply out of an answer, for both formats alike.

// ends are the finish reasons of a reply that is whole, or whose lack is known. A reply with any other was given up
// half way: vLLM says "abort" when it is shut down, OpenRouter "error", Ollama "load" where nobody spoke at all. No
// tools are offered, so "tool_calls" is none either.
var ends = map[string]Finish{
	"stop":           Stop,
	"length":         Length,
	"content_filter": Refused,
	"eos_token":      Stop,   // text-generation-inference
	"stop_sequence":  Stop,   // text-generation-inference
	"eos":            Stop,   // Together
	"model_length":   Length, // Mistral: the context is full
	"repetition":     Length, // vLLM since 0.17, with StopRepetition
}

// messageSaid is what the judge said, as both formats write it.
type messageSaid struct {
	Role             string `json:"role"`
	Content          any    `json:"content"`
	Refusal          string `json:"refusal"`
	Thinking         string `json:"thinking"`          // Ollama
	ReasoningContent string `json:"reasoning_content"` // llama.cpp, vLLM
	Reasoning        any    `json:"reasoning"`         // vLLM since 0.16, OpenRouter; others write an object
}

// text refuses what is no message of a judge, and tells what was said and what was thought in parts of it.
func (m *messageSaid) text(x *exchange) (text, thought string, err error) {
	switch {
	case m == nil:
		return "", "", none("an answer without a message: %s", excerpt(x.body))
	case m.Role != "" && m.Role != Assistant:
		return "", "", none("the role of the answer is %q, not %q", excerpt([]byte(m.Role)), Assistant)
	}
	switch c := m.Content.(type) {
	case nil:
	case string:
		text = c
	case []any: // so some servers write a text, and Mistral's the thinking before it
		for _, part := range c {
			p, _ := part.(map[string]any)
			kind, _ := p["type"].(string)
			if strings.Contains(kind, "think") || strings.Contains(kind, "reason") {
				thought += written(part)
			} else {
				text += written(part)
			}
		}
	default:
		return "", "", x.unreadable()
	}
	return text, thought, nil
}

// written is a text that is in parts, or under one of the names that servers give to thinking.
func written(said any) (text string) {
	switch s := said.(type) {
	case string:
		return s
	case []any:
		for _, part := range s {
			text += written(part)
		}
	case map[string]any:
		for _, name := range []string{"text", "thinking", "reasoning", "content", "summary"} {
			text += written(s[name])
		}
	}
	return text
}

// response begins what a request is answered with; thought is the thinking that came beside the text.
func response(req Request, said string, thought ...string) Response {
	text, thinking := SplitThinking(said)
	if req.Constrain != nil {
		text = unquoted(text, req.Constrain)
	}
	return Response{Text: text, Thinking: joinThinking(append(thought, thinking)...)}
}

// none is an answer without a reply that counts: another try may bring one.
func none(format string, args ...any) error {
	return &Error{Kind: ServerSide, Message: fmt.Sprintf(format, args...)}
}

// isError refuses an answer that is also an error, whatever stands beside it.
func isError(said any, x *exchange) error {
	switch said {
	case nil, "", false:
		return nil
	}
	return none("the answer is an error: %s", serverMessage(x))
}

// ended tells how a reply with a finish reason ended.
func ended(reason string) (Finish, error) {
	if end, known := ends[reason]; known {
		return end, nil
	}
	if reason == "" {
		return "", none("the reply may not be whole: the server tells no finish reason with it, as it does with others")
	}
	return "", none("the reply is not whole: its finish reason is %q", excerpt([]byte(reason)))
}

// versionOf matches the suffix that a server may add to the name it was asked for: a version's date or number, or the
// branch of the model's repository.
var versionOf = regexp.MustCompile(`^(@main|[-@:][-0-9]+)$`)

// Another tells whether a reply that calls its model said is of another than was asked for. It is not where the server
// lists both names for one model, or where they differ in a path, a file's ending, a default tag or a version alone.
func (m Model) Another(said string) bool {
	short := func(name string) string {
		name = path.Base(strings.ReplaceAll(strings.ToLower(name), `\`, "/"))
		return strings.TrimSuffix(strings.TrimSuffix(name, latest), ".gguf")
	}
	is := short(said)
	same := func(name string) bool {
		rest, begins := strings.CutPrefix(is, short(name))
		return begins && (rest == "" || versionOf.MatchString(rest))
	}
	return said != "" && !same(m.Name) && !slices.ContainsFunc(m.Aliases, same)
}

// latest is Ollama's default tag.
const latest = ":latest"

// sameName tells whether a reply names the model as it was asked for. Ollama's default tag may be left out.
func sameName(said, asked string) bool {
	return strings.TrimSuffix(said, latest) == strings.TrimSuffix(asked, latest)
}

// judge posts a request for a judgment and returns the response, which read decodes from an answer that is no error.
func (c caller) judge(
	ctx context.Context, url string, body []byte, req Request, read func(*exchange) (Response, error),
) (Response, error) {
	began := time.Now()
	x, err := c.send(ctx, url, body, req.longest())
	took := time.Since(began)
	var out Response
	if err == nil {
		out, err = read(x)
	}
	switch {
	case err == nil:
		out.Took = took
		// A text that was put together from parts, or encoded twice, may still hold a secret.
		for _, s := range []*string{&out.Text, &out.Thinking, &out.Detail, &out.Model, &out.SystemFingerprint} {
			*s = without(x.secrets, *s)
		}
		if sameName(out.Model, req.Model) {
			out.Model = ""
		}
		return checked(req, out), nil
	case promptTooLong(x):
		return Response{Finish: TooLong, Detail: serverMessage(x), Context: req.Context, Took: took}, nil
	}
	return Response{}, err
}
