package pairwise

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
)

// TestLLMBarPrompt compares the prompt with LLMBar's own files, byte for byte, and the requested labels with the rule
// that reads them.
func TestLLMBarPrompt(t *testing.T) {
	item := judgingtest.PairItem("p1", 0)
	item.Question = "{output_1} {input}" // what candidates say changes nothing around them
	item.Answered = &datasets.AgentAnswer{Reference: "my own {output_2}"}
	for strategy, settings := range map[string]judging.Settings{"Vanilla": nil, "Reference": {"self-reference": "true"}} {
		asker := Protocol.NewAsker(llmBarPrompt(), settings)
		for _, s := range asker.Presentations(item) {
			prompt := asker.Prompt(item, s)
			assert.DeepEqual(t, prompt.Labels, shortLabels)
			for position, label := range prompt.Labels {
				for _, how := range []judging.ReaderSet{judging.PaperReaders, judging.RobustReaders} {
					if v := asker.Parse(s, label, judging.ReadingOptions{Readers: how, LabelPolicy: judging.PolicyUniqueLabel}); v.Choice != s.Order[position] {
						t.Errorf("%s read by %s: %+v", label, how, v)
					}
				}
			}
			path := "../../../shared/data/llmbar/LLMEvaluator/evaluators/prompts/comparison/" + strategy + ".txt"
			published, err := os.ReadFile(filepath.FromSlash(path))
			if err != nil {
				t.Skip("no LLMBar here: ", err)
			}
			want := strings.NewReplacer("{input}", item.Question, "{auxiliary_input_0}", item.Answered.Reference,
				"{output_1}", item.Candidates[s.Order[0]].Text, "{output_2}", item.Candidates[s.Order[1]].Text).Replace(string(published))
			have := "<|im_start|>system\n" + prompt.System + "\n<|im_end|>\n<|im_start|>user\n" + prompt.User + "\n<|im_end|>"
			assert.Equal(t, have, strings.TrimSpace(want))
		}
	}
	unanswered := judgingtest.PairItem("p2", 0)
	assert.ErrorContains(t, Protocol.NewAsker(llmBarPrompt(), judging.Settings{"self-reference": "true"}).(llmBarAsker).Check(unanswered), "no answer of the judge's own")
}

// TestLLMBarsRules compares the rule of every judge and strategy with LLMBar's configuration. PaLM2's CoT was read by
// the rule of the other judges' CoT, and 146 of its 838 stored winners were not found.
func TestLLMBarsRules(t *testing.T) {
	configs, err := filepath.Glob("../../../shared/data/llmbar/LLMEvaluator/evaluators/config/*/*.json")
	assert.NilError(t, err)
	if configs == nil {
		t.Skip("no configurations of LLMBar's evaluators in ../shared/data")
	}
	for _, path := range configs {
		strategy := strings.TrimSuffix(filepath.Base(path), ".json")
		judge := filepath.Base(filepath.Dir(path))
		raw, err := os.ReadFile(path)
		assert.NilError(t, err)
		var phases []struct {
			Parsing struct {
				A string `json:"1"`
				B string `json:"2"`
			}
		}
		assert.NilError(t, json.Unmarshal(raw, &phases))
		var want []string
		for _, phase := range phases {
			if phase.Parsing.A != "" {
				want = append(want, phase.Parsing.A, phase.Parsing.B)
			}
		}
		if strings.HasPrefix(strategy, "Rating") {
			continue // which compares nothing
		}
		labels := outputLabels(judge, strategy)
		for i, label := range labels[:2] {
			assert.Equal(t, llmBarLabelPatterns[label].String(), want[i], "%s by %s, first phase", judge, strategy)
		}
		for i, label := range labels[len(labels)-2:] {
			assert.Equal(t, llmBarLabelPatterns[label].String(), want[len(want)-2+i], "%s by %s, last phase", judge, strategy)
		}
	}
}
