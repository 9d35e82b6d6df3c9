package backends

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// LlamaCpp is the name of llama.cpp's server. Its default port is 8080, to become 9931 (ggml-org/llama.cpp#26508).
const LlamaCpp = "llama.cpp"

var llamaCpp = serverKind{
	name:             LlamaCpp,
	wire:             openAIFormat,
	ownedBy:          "llamacpp",
	ports:            []string{"8080", "9931"},
	reportsLogprobs:  AbilityYes,
	grammarFromStart: true,
	hasPropsPage:     true,
	can:              map[Feature]string{LimitsThinking: "", GivesTokenSample: ""},
	extend: func(members map[string]any, _ ServerInfo, req Request) {
		members["repeat_penalty"] = 1 // else it uses the value of its command line
		if req.ThinkBudget > 0 {
			members["thinking_budget_tokens"] = req.ThinkBudget // like --reasoning-budget, for one request
		}
		if req.NoPromptCache {
			members["cache_prompt"] = false
		}
	},
	version: func(ctx context.Context, o *OpenAI) string {
		props, _ := o.props(ctx)
		if props == nil {
			return ""
		}
		o.templateMentionsThinking.Store(templateThinks.MatchString(props.Template))
		return props.Build
	},
	count: func(ctx context.Context, o *OpenAI, prompt map[string]any) (int, error) {
		var rendered struct {
			Prompt string `json:"prompt"`
		}
		if err := o.fetchJSON(ctx, o.root()+"/apply-template", prompt, &rendered); err != nil {
			return 0, noTokenizerError(err)
		}
		return o.tokenize(ctx, map[string]any{"content": rendered.Prompt, "add_special": true, "parse_special": true})
	},
	advice: Advice{
		RefuseLongPrompts: "upgrade llama.cpp, and start it without --context-shift",
		RaiseParallel:     "start llama.cpp with -np 4 and four times the -c, if memory allows",
		ServeContext: func(context, slots int) string {
			return fmt.Sprintf("start llama.cpp with -np %d -c %d (%d for each request)", slots, slots*context, context)
		},
	},
}

// llamaProps holds the fields of llama.cpp's /props that gavel reads.
type llamaProps struct {
	Slots    int    `json:"total_slots"`
	Build    string `json:"build_info"`
	Template string `json:"chat_template"`
	Marker   string `json:"media_marker"` // a text that the server draws at each start
	Defaults struct {
		Ctx int `json:"n_ctx"`
	} `json:"default_generation_settings"`
}

// props reads llama.cpp's /props. It returns nil if there is no such page, as behind some proxies.
func (o *OpenAI) props(ctx context.Context) (*llamaProps, error) {
	p := new(llamaProps)
	err := o.fetchJSON(ctx, o.root()+"/props", nil, p)
	if err == nil {
		return p, nil
	}
	if ctx.Err() == nil && !IsKind(err, ErrorTransport, ErrorTimeout, ErrorBusy) {
		return nil, nil
	}
	return nil, err
}

// tokenize returns the number of tokens of a text, by llama.cpp's page /tokenize. text is the body of the request.
func (o *OpenAI) tokenize(ctx context.Context, text map[string]any) (int, error) {
	var answer struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	err := o.fetchJSON(ctx, o.root()+"/tokenize", text, &answer)
	return len(answer.Tokens), noTokenizerError(err)
}

// llamaTiming parses the timings that llama.cpp adds to a reply; other servers add none.
func llamaTiming(raw json.RawMessage) Timing {
	t := tolerant[struct {
		PromptN int     `json:"prompt_n"`
		Prompt  float64 `json:"prompt_ms"`
		ReplyN  int     `json:"predicted_n"`
		Reply   float64 `json:"predicted_ms"`
	}](raw)
	ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	return Timing{
		PromptTokens: t.PromptN,
		Prompt:       ms(t.Prompt),
		ReplyTokens:  t.ReplyN,
		Reply:        ms(t.Reply),
	}
}
