package backends

import "context"

// SGLang is the name of SGLang's server.
const SGLang = "SGLang"

var sglang = serverKind{
	name:             SGLang,
	wire:             openAIFormat,
	ownedBy:          "sglang",
	ports:            []string{"30000"},
	usualParallelism: 32,
	can:              map[Feature]string{LimitsThinking: "", BatchesRequests: ""},
	version: func(ctx context.Context, o *OpenAI) string {
		version, err := o.version(ctx, o.root()+"/server_info")
		if IsKind(err, ErrorNotFound) { // earlier versions
			version, _ = o.version(ctx, o.root()+"/get_server_info")
		}
		return version
	},
	extend: func(members map[string]any, _ ServerInfo, req Request) {
		if req.ThinkBudget > 0 { // applied if the server was started with --enable-strict-thinking
			members["custom_params"] = map[string]int{"thinking_budget": req.ThinkBudget}
		}
	},
}
