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

// Identifier is a Backend that can say at little cost which model it serves.
type Identifier interface {
	// Identify returns the model with what its identity and its process are read from. An error of kind NotFound says
	// that the server no longer has a model of the name.
	Identify(ctx context.Context, name string) (Model, error)
}

var (
	_ Identifier = (*Ollama)(nil)
	_ Identifier = (*OpenAI)(nil)
)

// Identify implements Identifier.
func (o *OpenAI) Identify(ctx context.Context, name string) (Model, error) { return o.Model(ctx, name) }

// Sample is what a model makes of one fixed beginning: the likeliest first tokens and the natural logarithms of their
// probabilities. Models of the same name, size and tokenizer have the same fingerprint; their weights differ, and so do
// their samples.
type Sample map[string]float64

// sampler is a Backend whose server may be asked for a sample. It is nil where the server has none to give.
type sampler interface {
	Sample(ctx context.Context, model string) (Sample, error)
}

var _ sampler = (*OpenAI)(nil)

// samplePrompt leaves open how it goes on, so that many tokens have a chance.
const samplePrompt = "The first answer is better than the second, because"

// Sample implements Sampler for llama.cpp and vLLM, with one token of /v1/completions. Other servers may be paid by the
// request, or tell no probabilities there.
func (o *OpenAI) Sample(ctx context.Context, model string) (Sample, error) {
	server, err := o.Server(ctx)
	if err != nil || !server.Can(GiveSample) {
		return nil, err
	}
	var answer struct {
		Choices []struct {
			Logprobs struct {
				Content []tokenSaid          `json:"content"`      // llama.cpp
				Top     []map[string]float64 `json:"top_logprobs"` // vLLM
			} `json:"logprobs"`
		} `json:"choices"`
	}
	err = o.page(ctx, o.base+"/completions", map[string]any{
		"model": model, "prompt": samplePrompt, "max_tokens": 1, "temperature": 0, "logprobs": topTokens,
	}, &answer)
	if err != nil || len(answer.Choices) == 0 {
		return nil, unsampled(err)
	}
	logprobs, sample := answer.Choices[0].Logprobs, Sample{}
	if len(logprobs.Content) > 0 {
		for _, t := range logprobs.Content[0].Top {
			if t.Logprob != nil {
				sample[spell(t.Token, t.Bytes)] = *t.Logprob
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

// unsampled returns the error of a sample that may be had later; nil where the server has none to give.
func unsampled(err error) error {
	var refused *Error
	if errors.As(err, &refused) && (!refused.MayPass() || refused.Status == http.StatusNotImplemented) {
		return nil
	}
	return err
}

// Bounds of what two samples of one model may differ by: batches, threads and other hardware move a logarithm by some
// hundredths, other weights by whole units. Tokens of less than 2 % tell nothing: they may be missing in one list.
const (
	sampleMoves = 0.5
	sampleLeast = -3.9
)

// Same tells whether two samples can be of one model. A sample that is missing says nothing against it.
func (s Sample) Same(other Sample) bool {
	if len(s) == 0 || len(other) == 0 {
		return true
	}
	return s.within(other) && other.within(s)
}

func (s Sample) within(other Sample) bool {
	for token, logprob := range s {
		if logprob < sampleLeast {
			continue
		}
		if there, ok := other[token]; !ok || math.Abs(there-logprob) > sampleMoves {
			return false
		}
	}
	return true
}

// String lists the likeliest three tokens.
func (s Sample) String() string {
	tokens := slices.SortedFunc(maps.Keys(s), func(a, b string) int {
		return cmp.Or(cmp.Compare(s[b], s[a]), strings.Compare(a, b))
	})
	var said []string
	for _, t := range tokens[:min(3, len(tokens))] {
		said = append(said, fmt.Sprintf("%q %.2f", t, s[t]))
	}
	return strings.Join(said, ", ")
}

// ModelChangedError says that a server serves another model than it did, or
// that it may have: what it said in between is not to be trusted. A system fingerprint begins with [FingerprintSign].
type ModelChangedError struct {
	At  time.Time // when it was seen
	URL string
	Was string
	Is  string
}

func (e *ModelChangedError) Error() string {
	return fmt.Sprintf("%s serves %s now: it was %s, and it is %s", e.URL, AnotherThan(e.Was), e.Was, e.Is)
}

// FingerprintSign begins what is said of a model of which no more is known than the system fingerprint of its replies.
const FingerprintSign = "system_fingerprint "

// AnotherThan is what a server serves that served was before, as far as that is known, in words.
func AnotherThan(was string) string {
	if strings.HasPrefix(was, FingerprintSign) {
		return "another system, perhaps with another model,"
	}
	return "another model"
}
