package pairwise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

func TestFamilyOf(t *testing.T) {
	for _, same := range [][]string{
		{"gpt-4-0613", "openai/gpt-3.5-turbo", "o1-mini-2024-09-12", "text-davinci-003", "chatgpt-4o-latest"},
		{"meta-llama/Meta-Llama-3.1-8B-Instruct", "llama3:8b", "Llama-2-70b-chat-hf"},
		{"qwen3:8b", "Qwen/Qwen2.5-72B-Instruct", "QwQ-32B"},
		{"mistral:7b", "Mixtral-8x7B-Instruct-v0.1"},
	} {
		for _, name := range same {
			assert.Assert(t, familyOf(name) >= 0, name)
			assert.Equal(t, familyOf(name), familyOf(same[0]), name)
		}
	}
	for _, name := range []string{"", "tiny", "my-judge", "biograph-7b"} {
		assert.Equal(t, familyOf(name), -1, name)
	}
}

// itself returns the sway of a simulated judge on pairs of responses by two models: it knows little and prefers its own
// responses at a given rate.
func itself(t *testing.T, judge string, models [2]string, favours float64) *scoring.BiasAnalysis {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 9))
	f := &pairScorer{manifest: &judging.Manifest{}}
	f.manifest.Spec.Goal = goalBetter
	f.manifest.Spec.Model.Name = judge
	var texts [][]judging.Candidate
	for i := range 300 {
		u := &pair{item: fmt.Sprintf("p%03d", i), gold: int8(rng.IntN(2))}
		author := rng.IntN(2) // who wrote the first
		texts = append(texts, []judging.Candidate{
			{Text: strings.Repeat("a ", 1+rng.IntN(90)), Model: models[author]},
			{Text: strings.Repeat("b ", 1+rng.IntN(90)), Model: models[1-author]},
		})
		for k := range u.judgments {
			choice := u.gold
			if rng.Float64() < 0.4 {
				choice = int8(rng.IntN(2))
			}
			if rng.Float64() < favours {
				choice = int8(author)
			}
			u.judgments[k] = judgment{present: true, outcome: judging.Decided, choice: choice, firstCandidate: int8(k)}
		}
		f.rows = append(f.rows, u)
	}
	s, err := f.AnalyzeBias(func(use func(string, []judging.Candidate)) error {
		for i, of := range texts {
			use(f.rows[i].item, of)
		}
		return nil
	}, nil, stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1})
	assert.NilError(t, err)
	s.Says = s.Answer()
	return s
}

// A preference for the judge's own family is found; where it cannot be measured, the reason is given.
func TestItself(t *testing.T) {
	models := [2]string{"qwen2.5:7b", "gpt-4o"} // the first is favoured
	s := itself(t, "qwen3:8b", models, 0.3)
	index := slices.IndexFunc(s.Causes, func(c scoring.FeatureEffect) bool { return c.Name == scoring.CauseOwnFamily })
	assert.Assert(t, index > 0 && s.Causes[index].IsSignificant() && s.Causes[index].Odds.Ratio > 1, "%+v", s.Causes)
	assert.Equal(t, s.Causes[index].Pairs, 300)
	assert.Equal(t, s.NoOwnFamilyReason, "")
	assert.Assert(t, strings.Contains(s.Says, "the response of its own family"), s.Says)

	s = itself(t, "gpt-4-0613", models, 0.3) // the other's family
	index = slices.IndexFunc(s.Causes, func(c scoring.FeatureEffect) bool { return c.Name == scoring.CauseOwnFamily })
	assert.Assert(t, s.Causes[index].IsSignificant() && s.Causes[index].Odds.Ratio < 1, "%+v", s.Causes[index])
	assert.Assert(t, strings.Contains(s.Says, "the response of another family"), s.Says)

	for why, c := range map[string]struct {
		judge  string
		models [2]string
	}{
		"does not say which models": {"qwen3:8b", [2]string{"", ""}},
		"by one model":              {"gpt-4o", [2]string{"gpt-4o", "gpt-4o"}},
		"does not say its family":   {"my-judge", models},
		"no pair has exactly one":   {"mistral:7b", models},
	} {
		s := itself(t, c.judge, c.models, 0)
		assert.Assert(t, strings.Contains(s.NoOwnFamilyReason, why), "%q", s.NoOwnFamilyReason)
		assert.Assert(t, !slices.ContainsFunc(s.Causes, func(c scoring.FeatureEffect) bool { return c.Name == scoring.CauseOwnFamily }))
	}
}
