package cache

import (
	"time"

	"gavel/backends"
)

// sampleKey is that of no request: none is repeated less than no times.
func sampleKey(identity, model string) [32]byte {
	return Key(backends.Request{Identity: identity, Model: model, Repetition: -1})
}

// Sample is the sample of the model whose replies are remembered under an identity; nil where none was kept. Models of
// one name and shape have one identity where the server gives no digest; their samples tell them apart.
func (s *Store) Sample(identity, model string) backends.Sample {
	e, ok := s.Get(sampleKey(identity, model))
	if !ok || len(e.Response.Labels) == 0 {
		return nil
	}
	sample := backends.Sample{}
	for _, l := range e.Response.Labels {
		sample[l.Text] = l.Logprob
	}
	return sample
}

// KeepSample keeps a sample for [Store.Sample].
func (s *Store) KeepSample(identity, model string, sample backends.Sample) error {
	resp := backends.Response{Finish: backends.Stop}
	for token, logprob := range sample {
		resp.Labels = append(resp.Labels, backends.Label{Text: token, Logprob: logprob})
	}
	return s.Put(sampleKey(identity, model),
		Entry{Model: model, Created: time.Now().UTC().Truncate(time.Second), Response: resp, Sample: true})
}
