package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ModelIdentifier is a Backend that can tell with one or two cheap requests which model the server has under a name.
type ModelIdentifier interface {
	// Identify returns the model with the fields that Model.Identity uses, and with Process. An error of kind
	// ErrorNotFound means that the server no longer has a model of that name.
	Identify(ctx context.Context, name string) (Model, error)
}

var (
	_ ModelIdentifier = (*Ollama)(nil)
	_ ModelIdentifier = (*OpenAI)(nil)
)

// Identify implements Identifier.
func (o *OpenAI) Identify(ctx context.Context, name string) (Model, error) { return o.Model(ctx, name) }

// TokenSample holds the likeliest first tokens after a fixed prompt, with the natural logarithms of their
// probabilities. Models of the same name, size and tokenizer have the same fingerprint, but other weights give another
// sample.
type TokenSample map[string]float64

// tokenSampler is a Backend that can request a TokenSample of a model. The sample is nil if the server gives none.
type tokenSampler interface {
	Sample(ctx context.Context, model string) (TokenSample, error)
}

var _ tokenSampler = (*OpenAI)(nil)

// samplePrompt ends in mid-sentence, so that many tokens are likely to follow.
const samplePrompt = "The first answer is better than the second, because"

// Sample implements sampler for llama.cpp and vLLM, with one token of /v1/completions. Other servers may charge for the
// request, or report no probabilities there.
func (o *OpenAI) Sample(ctx context.Context, model string) (TokenSample, error) {
	server, err := o.Server(ctx)
	if err != nil || !server.Can(GivesTokenSample) {
		return nil, err
	}
	var answer struct {
		Choices []struct {
			Logprobs struct {
				Content []wireToken          `json:"content"`      // llama.cpp
				Top     []map[string]float64 `json:"top_logprobs"` // vLLM
			} `json:"logprobs"`
		} `json:"choices"`
	}
	err = o.fetchJSON(ctx, o.baseURL+"/completions", map[string]any{
		"model": model, "prompt": samplePrompt, "max_tokens": 1, "temperature": 0, "logprobs": topTokens,
	}, &answer)
	if err != nil || len(answer.Choices) == 0 {
		return nil, retryableSampleError(err)
	}
	logprobs, sample := answer.Choices[0].Logprobs, TokenSample{}
	if len(logprobs.Content) > 0 {
		for _, t := range logprobs.Content[0].Top {
			if t.Logprob != nil {
				sample[tokenText(t.Token, t.Bytes)] = *t.Logprob
			}
		}
	}
	if len(logprobs.Top) > 0 {
		maps.Copy(sample, logprobs.Top[0])
	}
	if len(sample) == 0 {
		return nil, nil
	}
	return sample, nil
}

// retryableSampleError returns err if a later try may give a sample, and nil if the server has none to give.
func retryableSampleError(err error) error {
	var refused *Error
	if errors.As(err, &refused) && (!refused.IsRetryable() || refused.Status == http.StatusNotImplemented) {
		return nil
	}
	return err
}

// Limits of the difference between two samples of one model, in natural logarithms of probabilities. Batches, threads
// and hardware shift a logarithm by some hundredths, other weights by whole units.
const (
	maxSampleShift     = 0.5  // largest difference of a token's logarithm
	minComparedLogprob = -3.9 // logarithm of 2 %: less likely tokens may be missing in one sample, and are skipped
)

// FitsSameModel reports whether two samples can come from one model. A missing sample matches any other.
func (s TokenSample) FitsSameModel(other TokenSample) bool {
	return len(s) == 0 || len(other) == 0 || s.matches(other) && other.matches(s)
}

// matches reports whether other has every likely token of s with a similar probability.
func (s TokenSample) matches(other TokenSample) bool {
	for token, logprob := range s {
		if logprob < minComparedLogprob {
			continue
		}
		if otherLogprob, ok := other[token]; !ok || math.Abs(otherLogprob-logprob) > maxSampleShift {
			return false
		}
	}
	return true
}

// String lists the three likeliest tokens with the logarithms of their probabilities.
func (s TokenSample) String() string {
	tokens := slices.SortedFunc(maps.Keys(s), func(a, b string) int {
		return cmp.Or(cmp.Compare(s[b], s[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, t := range tokens[:min(3, len(tokens))] {
		parts = append(parts, fmt.Sprintf("%q %.2f", t, s[t]))
	}
	return strings.Join(parts, ", ")
}

// ModelChangedError reports that a server changed its model, or that it may have: replies since the previous check
// cannot be trusted.
type ModelChangedError struct {
	Time time.Time // when the change was noticed
	URL  string    // address of the server
	Old  string    // the model before: its identity, or FingerprintPrefix and the fingerprint of its replies
	New  string    // the model now, in the same form
}

func (e *ModelChangedError) Error() string {
	return fmt.Sprintf("%s serves %s now: it was %s, and it is %s", e.URL, DescribeNewModel(e.Old), e.Old, e.New)
}

// FingerprintPrefix begins the description of a model that is known only by the system fingerprint of its replies.
const FingerprintPrefix = "system_fingerprint "

// DescribeNewModel describes a model after a change, in words for a sentence: another model or, if was, the description
// of the model before, begins with FingerprintPrefix, another system.
func DescribeNewModel(was string) string {
	if strings.HasPrefix(was, FingerprintPrefix) {
		return "another system, perhaps with another model,"
	}
	return "another model"
}
