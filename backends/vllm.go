package backends

import (
	"context"
	"crypto/rand"
	"fmt"
)

// VLLM is the name of vLLM's server.
const VLLM = "vLLM"

var vllm = serverKind{
	name:             VLLM,
	wire:             openAIFormat,
	ownedBy:          "vllm",
	ports:            []string{"8000"},
	usualParallelism: 32, // it batches what comes
	reportsLogprobs:  AbilityYes,
	can: map[Feature]string{
		ReservesReplyRoom: "",
		GivesTokenSample:  "",
		BatchesRequests:   "",
		LimitsThinking:    "", // since 0.19, if started with --reasoning-config; earlier versions refuse it
		StopsRepetition:   "0.17.0",
	},
	extend: func(members map[string]any, s ServerInfo, req Request) {
		members["repetition_penalty"] = 1 // else it uses the value of the model's generation_config.json
		if req.ThinkBudget > 0 {
			members["thinking_token_budget"] = req.ThinkBudget
		}
		if req.StopRepetition && s.Can(StopsRepetition) {
			// Rows of a table, or a list of equal words, stay below these minimums.
			members["repetition_detection"] = map[string]int{"min_pattern_size": 16, "max_pattern_size": 256, "min_count": 4}
		}
		if req.NoPromptCache {
			members["cache_salt"] = rand.Text() // a unique salt matches nothing in the prefix cache
		}
	},
	version: func(ctx context.Context, o *OpenAI) string {
		version, _ := o.version(ctx, o.root()+"/version")
		return version
	},
	count: func(ctx context.Context, o *OpenAI, prompt map[string]any) (int, error) {
		prompt["add_generation_prompt"] = true
		var answer struct {
			Count int `json:"count"`
		}
		err := o.fetchJSON(ctx, o.root()+"/tokenize", prompt, &answer)
		return answer.Count, noTokenizerError(err)
	},
	advice: Advice{
		ServeContext: func(context, _ int) string { return fmt.Sprintf("start vLLM with --max-model-len %d", context) },
	},
}
