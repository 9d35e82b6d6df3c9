package cache

import (
	"time"

	"gavel/backends"
)

// sampleKey returns the key of a model's sample. No request has the same, since no repetition number is negative.
func sampleKey(identity, model string) [32]byte {
	return Key(backends.Request{Identity: identity, Model: model, Repetition: -1})
}

// StoredSample returns the stored sample, the likeliest tokens after a fixed prompt, of the model with this identity
// and name; nil if there is none. Without a digest, models of one name and shape share an identity, and only their
// samples differ.
func (s *Store) StoredSample(identity, model string) backends.TokenSample {
	e, ok := s.Get(sampleKey(identity, model))
	if !ok || len(e.Response.LabelProbabilities) == 0 {
		return nil
	}
	return e.Response.LabelLogprobs()
}

// StoreTokenSample stores a sample for [Store.StoredSample].
func (s *Store) StoreTokenSample(identity, model string, sample backends.TokenSample) error {
	resp := backends.Response{Finish: backends.FinishStop}
	for token, logprob := range sample {
		resp.LabelProbabilities = append(resp.LabelProbabilities, backends.LabelProbability{Text: token, Logprob: logprob})
	}
	return s.Put(sampleKey(identity, model),
		Entry{Model: model, Created: time.Now().UTC().Truncate(time.Second), Response: resp, IsSample: true})
}
