package backends

import "context"

// SGLang is the name of SGLang's server.
var SGLang = register(serverKind{
	name:    "SGLang",
	wire:    openAIFormat,
	ownedBy: "sglang",
	ports:   []string{"30000"},
	place:   4,
	batches: 32,
	can:     map[Feature]string{TakeKey: "", TakeBudget: "", ShareBatch: ""},
	version: func(ctx context.Context, o *OpenAI) string {
		info := o.info(ctx, "")
		version, _ := info["version"].(string)
		return version
	},
	// It minds this where it was started with --enable-strict-thinking.
	budget: func(tokens int) (string, any) { return "custom_params", map[string]int{"thinking_budget": tokens} },
	steady: func(ctx context.Context, o *OpenAI) (Ability, string) {
		info := o.info(ctx, "")
		if on, ok := info["enable_deterministic_inference"].(bool); ok {
			return ability(on), "--enable-deterministic-inference"
		}
		return Unknown, ""
	},
})
