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

// This file decodes the reply in an answer, for the formats of Ollama and OpenAI.

// finishReasons lists the finish reasons of replies that are complete, or incomplete for a known cause. Any other means
// that the server gave up: vLLM sends "abort" at shutdown, OpenRouter "error", Ollama "load" without a reply. Requests
// offer no tools, so "tool_calls" is not valid either.
var finishReasons = map[string]Finish{
	"stop":           FinishStop,
	"length":         FinishLength,
	"content_filter": FinishRefused,
	"eos_token":      FinishStop,   // text-generation-inference
	"stop_sequence":  FinishStop,   // text-generation-inference
	"eos":            FinishStop,   // Together
	"model_length":   FinishLength, // Mistral: the context is full
	"repetition":     FinishLength, // vLLM since 0.17, with StopRepetition
}

// wireMessage is a judge's message as the formats of Ollama and OpenAI write it.
type wireMessage struct {
	Role             string `json:"role"`
	Content          any    `json:"content"`
	Refusal          string `json:"refusal"`
	Thinking         string `json:"thinking"`          // sent by Ollama
	ReasoningContent string `json:"reasoning_content"` // sent by llama.cpp and vLLM
	Reasoning        any    `json:"reasoning"`         // sent by vLLM since 0.16 and OpenRouter; some send an object
}

// text returns a message's text, and the thinking among its parts. A message that is not the judge's is an error; x is
// the answer with the message.
func (m *wireMessage) text(x *exchange) (text, thought string, err error) {
	switch {
	case m == nil:
		return "", "", unusable("an answer without a message: %s", excerptOrPlaceholder(x.body))
	case m.Role != "" && m.Role != RoleAssistant:
		return "", "", unusable("the role of the answer is %q, not %q", excerptOrPlaceholder([]byte(m.Role)), RoleAssistant)
	}
	switch c := m.Content.(type) {
	case nil:
	case string:
		text = c
	case []any: // some servers write text as parts; Mistral puts thinking before it
		for _, part := range c {
			p, _ := part.(map[string]any)
			kind, _ := p["type"].(string)
			if strings.Contains(kind, "think") || strings.Contains(kind, "reason") {
				thought += joinText(part)
			} else {
				text += joinText(part)
			}
		}
	default:
		return "", "", x.unreadableError()
	}
	return text, thought, nil
}

// joinText concatenates the text of a string, of parts, or of an object under one of the names that servers use.
func joinText(value any) (text string) {
	switch s := value.(type) {
	case string:
		return s
	case []any:
		for _, part := range s {
			text += joinText(part)
		}
	case map[string]any:
		for _, name := range strings.Fields("text thinking reasoning content summary") {
			text += joinText(s[name])
		}
	}
	return text
}

// newResponse returns a response to req with text and thinking alone. content is the reply's text, which may contain
// thinking, too; thought is the thinking that the server sent apart from it.
func newResponse(req Request, content string, thought ...string) Response {
	text, thinking := SplitThinking(content)
	if req.AllowedReplies != nil {
		text = unquoted(text, req.AllowedReplies)
	}
	return Response{Text: text, Thinking: joinThinkingParts(append(thought, thinking)...)}
}

// unusable returns the error for an answer without a usable reply: another try may bring one.
func unusable(format string, args ...any) error {
	return &Error{Kind: ErrorServer, Message: fmt.Sprintf(format, args...)}
}

// checkErrorField returns an error if value, the error field of the answer x, is set, whatever else the answer has.
func checkErrorField(value any, x *exchange) error {
	switch value {
	case nil, "", false:
		return nil
	}
	return unusable("the answer is an error: %s", serverMessage(x))
}

// finishOf maps a server's finish reason to a Finish. An unknown or missing one is an error.
func finishOf(reason string) (Finish, error) {
	if end, ok := finishReasons[reason]; ok {
		return end, nil
	}
	if reason == "" {
		return "", unusable("the reply may be incomplete: it has no finish reason, unlike other replies of the server")
	}
	return "", unusable("the reply is incomplete: its finish reason is %q", excerptOrPlaceholder([]byte(reason)))
}

// modelVersionSuffix matches a suffix that a server may add to the requested name: the date or number of a version, or
// the branch of the model's repository.
var modelVersionSuffix = regexp.MustCompile(`^(@main|[-@:][-0-9]+)$`)

// DiffersFromReplyName reports whether the model name in a reply means another model than the requested one. It does
// not if the server lists both names for one model, or if they differ only in path, file extension, default tag or
// version.
func (m Model) DiffersFromReplyName(replyName string) bool {
	short := func(name string) string {
		name = path.Base(strings.ReplaceAll(strings.ToLower(name), `\`, "/"))
		return strings.TrimSuffix(strings.TrimSuffix(name, latestTag), ".gguf")
	}
	reported := short(replyName)
	same := func(name string) bool {
		rest, begins := strings.CutPrefix(reported, short(name))
		return begins && (rest == "" || modelVersionSuffix.MatchString(rest))
	}
	return replyName != "" && !same(m.Name) && !slices.ContainsFunc(m.Aliases, same)
}

// latestTag is Ollama's default tag.
const latestTag = ":latest"

// sameName reports whether two model names are equal, apart from Ollama's default tag.
func sameName(reply, request string) bool {
	return strings.TrimSuffix(reply, latestTag) == strings.TrimSuffix(request, latestTag)
}

// judge posts a request for a judgment and returns the response that read decodes from a successful answer.
func (c caller) judge(
	ctx context.Context, url string, body []byte, req Request, read func(*exchange) (Response, error),
) (Response, error) {
	began := time.Now()
	x, err := c.send(ctx, url, body, req.maxAnswerBytes())
	took := time.Since(began)
	var out Response
	if err == nil {
		out, err = read(x)
	}
	switch {
	case err == nil:
		out.Took = took
		// A text joined from parts, or encoded twice, may still contain a secret.
		for _, s := range []*string{&out.Text, &out.Thinking, &out.Detail, &out.Model, &out.SystemFingerprint} {
			*s = redact(x.secrets, *s)
		}
		if sameName(out.Model, req.Model) {
			out.Model = ""
		}
		return rejectTruncatedPrompt(req, out), nil
	case promptTooLong(x):
		return Response{
			Finish:  FinishPromptTooLong,
			Detail:  serverMessage(x),
			Context: req.ReportedContextTokens,
			Took:    took,
		}, nil
	}
	return Response{}, err
}
