package backends

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"
)

// systemOneFormat is the name of the wire format of decision models.
const systemOneFormat = "systemone"

// DecisionBackend queries decision models by POST /v1/systemone: in one pass they give each option of a question a
// probability, without writing tokens. llama.cpp serves them since b11361, Ollama since 0.35; the format is described
// in the README of llama.cpp's server.
//
// The last message of a request is the state, the system message the question. The options are those of
// [Request.AllowedReplies]. A line of the system message that begins with an option gives the words for it that the
// model sees. If the words are yes and no, the question is of type noul, else of type choice. The reply is the
// likeliest option; it is empty if several are equally likely.
type DecisionBackend struct {
	Backend         // lists the models: an OpenAI or an Ollama
	api     *OpenAI // sends the questions to the same server
}

// decisionServerKind is the kind of server with decision models.
var decisionServerKind = serverKind{
	name: "decision models",
	wire: systemOneFormat,
	can:  map[Feature]string{HasDecisionModels: ""},
	open: func(address, key string, client *http.Client) (Backend, error) {
		api := NewOpenAI(address, key, client)
		if address == api.baseURL {
			return &DecisionBackend{Backend: api, api: api}, nil
		}
		ollama, err := NewOllama(address, client)
		return &DecisionBackend{Backend: ollama, api: api}, err
	},
}

// WithFormat returns the server with its kind changed to wire, if wire is the format of decision models and the server
// may speak it, or the other way round. Other servers are returned unchanged.
func (s ServerInfo) WithFormat(wire string) ServerInfo {
	switch {
	case wire == systemOneFormat && (s.WireFormat == openAIFormat || s.WireFormat == ollamaWireFormat),
		wire == openAIFormat && s.WireFormat == systemOneFormat:
		s.WireFormat = wire
	}
	return s
}

// Server implements Backend.
func (s *DecisionBackend) Server(ctx context.Context) (ServerInfo, error) {
	server, err := s.Backend.Server(ctx)
	return server.WithFormat(systemOneFormat), err
}

// Model implements Backend. A model known to be no decision model gives an *Error of kind ErrorBadRequest.
func (s *DecisionBackend) Model(ctx context.Context, name string) (Model, error) {
	m, err := s.Backend.Model(ctx, name)
	if err == nil && m.IsDecisionModel == AbilityNo {
		err = &Error{
			Kind:    ErrorBadRequest,
			Message: name + " is not a decision model, its server reports: leave out --backend systemone",
		}
	}
	m.Thinks, m.Logprobs = AbilityNo, AbilityYes
	return m, err
}

var (
	_ ModelIdentifier = (*DecisionBackend)(nil)
	_ TokenCounter    = (*DecisionBackend)(nil)
	_ tokenSampler    = (*DecisionBackend)(nil)
)

// Identify implements Identifier.
func (s *DecisionBackend) Identify(ctx context.Context, name string) (Model, error) {
	return s.Backend.(ModelIdentifier).Identify(ctx, name)
}

// decisionQuestion is a question to a decision model.
type decisionQuestion struct {
	QuestionType string          `json:"type"`               // choiceQuestionType or yesNoQuestionType
	Instructions string          `json:"instructions"`       // the text of the question
	Criteria     json.RawMessage `json:"criteria,omitempty"` // an object with the options as keys; none for yes and no
	options      []string        // the words for the options, in the order of Request.AllowedReplies
}

// Names of the question and of its types in the format.
const (
	verdictQuestionName = "verdict"
	choiceQuestionType  = "choice"
	yesNoQuestionType   = "noul"
)

// splitStateAndQuestion splits a request into the state, the text to decide about, and the question.
func splitStateAndQuestion(req Request) (state string, q decisionQuestion) {
	means := map[string]string{}
	var lines []string
	for _, m := range req.Messages {
		if m.Role != RoleSystem {
			state = m.Content
			continue
		}
		for line := range strings.Lines(m.Content) {
			option, words := cutOptionPrefix(line, req.AllowedReplies)
			if option == "" {
				lines = append(lines, line)
			} else {
				means[option] = words
			}
		}
	}
	q.QuestionType, q.Instructions = choiceQuestionType, strings.TrimSpace(strings.Join(lines, ""))
	if q.Instructions == "" {
		q.Instructions = "Decide."
	}
	criteria := ""
	for _, option := range req.AllowedReplies {
		words := means[option]
		if words == "" {
			words = strings.Trim(option[strings.LastIndex(option, ": ")+1:], " []*") // "Selection: Option 2" is Option 2
		}
		q.options = append(q.options, words)
		criteria += "," + string(mustJSON(words)) + ":null"
	}
	if len(q.options) == 2 && q.options[0] == "yes" && q.options[1] == "no" {
		q.QuestionType = yesNoQuestionType
	} else {
		q.Criteria = json.RawMessage("{" + strings.TrimPrefix(criteria, ",") + "}")
	}
	return state, q
}

// cutOptionPrefix returns the option with which a line begins, and the words after the option; "" if there is no
// option.
func cutOptionPrefix(line string, options []string) (option, words string) {
	for _, o := range options {
		if after, ok := strings.CutPrefix(line, o+" "); ok {
			return o, strings.TrimSpace(after)
		}
	}
	return "", ""
}

// CountTokens implements Counter for llama.cpp. It counts the request without the text of the model's template.
func (s *DecisionBackend) CountTokens(ctx context.Context, req Request) (int, error) {
	if s.Backend != Backend(s.api) {
		return 0, ErrNoTokenizer
	}
	state, q := splitStateAndQuestion(req)
	text := strings.Join(append([]string{state, q.Instructions}, q.options...), "\n")
	return s.api.tokenize(ctx, map[string]any{"model": req.Model, "content": text})
}

// Ask implements Client. It counts tokens first, since some servers cut a decision model's prompt silently.
func (s *DecisionBackend) Ask(ctx context.Context, req Request) (Response, error) {
	if len(req.AllowedReplies) < 2 {
		return Response{}, &Error{
			Kind:    ErrorBadRequest,
			Message: "a decision model needs options to choose from: this request has none",
		}
	}
	if req.CountedPromptTokens == 0 {
		if n, err := s.CountTokens(ctx, req); err == nil {
			req.CountedPromptTokens = n
		}
	}
	state, q := splitStateAndQuestion(req)
	body := mustJSON(map[string]any{
		"model": req.Model, "state": state, "questions": map[string]any{verdictQuestionName: q},
	})
	resp, err := s.api.judge(ctx, s.api.baseURL+"/systemone", body, req, func(x *exchange) (Response, error) {
		var answer decisionAnswer
		if json.Unmarshal(x.body, &answer) != nil {
			return Response{}, unusable("not an answer of a decision model: %s", excerptOrPlaceholder(x.body))
		}
		return answer.response(req, q, x)
	})
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotImplemented {
		e.Kind = ErrorBadRequest
	}
	return resp, err
}

// Sample implements sampler for llama.cpp, with one fixed question.
func (s *DecisionBackend) Sample(ctx context.Context, model string) (TokenSample, error) {
	if s.Backend != Backend(s.api) {
		return nil, nil // the identity includes a digest
	}
	options := strings.Fields("correct helpful clear short polite long")
	resp, err := s.Ask(ctx, Request{
		Model:          model,
		Messages:       []Message{{RoleUser, samplePrompt + " it is more"}},
		AllowedReplies: options,
		Labels:         options,
	})
	if err != nil {
		return nil, retryableSampleError(err)
	}
	return resp.LabelLogprobs(), nil
}

// decisionAnswer is an answer of a decision model.
type decisionAnswer struct {
	Model   string `json:"model"`
	Error   any    `json:"error"`
	Answers map[string]struct {
		Probabilities map[string]*float64 `json:"probabilities"`
		Yes           *float64            `json:"noul"`
	} `json:"answers"`
	Usage struct {
		Input int `json:"input_tokens"`
	} `json:"usage"`
}

// response returns the likeliest option of q as the reply to req, and the probabilities of all options.
func (d *decisionAnswer) response(req Request, q decisionQuestion, x *exchange) (Response, error) {
	if err := checkErrorField(d.Error, x); err != nil {
		return Response{}, err
	}
	out := Response{Finish: FinishStop, Model: d.Model, PromptTokens: d.Usage.Input}
	answer := d.Answers[verdictQuestionName]
	best, sum := -1., 0.
	for i, words := range q.options {
		probability := answer.Probabilities[words]
		if yes := answer.Yes; q.QuestionType == yesNoQuestionType && yes != nil {
			probability = []*float64{yes, new(1 - *yes)}[i]
		}
		if probability == nil || !(*probability >= 0 && *probability <= 1) {
			return out, unusable("an answer without a probability of %q: %s", words, excerptOrPlaceholder(x.body))
		}
		p := *probability
		sum += p
		switch {
		case p > best:
			best, out.Text = p, req.AllowedReplies[i]
		case p == best:
			out.Text = ""
		}
		if req.Labels != nil {
			logprob := math.Log(max(p, math.SmallestNonzeroFloat64)) // JSON cannot hold the logarithm of 0
			out.LabelProbabilities = append(out.LabelProbabilities, LabelProbability{
				Text:    req.AllowedReplies[i],
				Logprob: logprob,
			})
		}
	}
	if math.Abs(sum-1) > sumTolerance {
		return out, unusable("the probabilities of the options sum to %.3g, not to 1: %s", sum, excerptOrPlaceholder(x.body))
	}
	return out, nil
}

// sumTolerance is the allowed deviation from 1 of the sum of the options' probabilities: 255 options rounded to four
// places fit.
const sumTolerance = 0.02
