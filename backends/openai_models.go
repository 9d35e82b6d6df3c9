package backends

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// templateThinks matches chat templates that know of it.
var templateThinks = regexp.MustCompile(`(?i)think|reasoning`)

// modelCard is one entry of /v1/models, with what vLLM and llama.cpp add.
type modelCard struct {
	ID          string   `json:"id"`
	Aliases     []string `json:"aliases"`
	OwnedBy     string   `json:"owned_by"`
	Root        string   `json:"root"`          // vLLM
	MaxModelLen int      `json:"max_model_len"` // vLLM
	Meta        *struct {
		Ctx      int    `json:"n_ctx"`
		CtxTrain int    `json:"n_ctx_train"`
		Params   int64  `json:"n_params"`
		Size     int64  `json:"size"`
		Vocab    int    `json:"n_vocab"`
		FileType string `json:"ftype"`
	} `json:"meta"` // llama.cpp
}

// llamaProps is what llama.cpp's /props tells.
type llamaProps struct {
	Slots    int    `json:"total_slots"`
	Build    string `json:"build_info"`
	Template string `json:"chat_template"`
	Marker   string `json:"media_marker"` // drawn anew at each start
	Defaults struct {
		Ctx int `json:"n_ctx"`
	} `json:"default_generation_settings"`
}

func (o *OpenAI) cards(ctx context.Context) ([]modelCard, error) {
	var list struct {
		Data []modelCard `json:"data"`
	}
	err := o.page(ctx, o.base+"/models", nil, &list)
	return list.Data, err
}

// Server implements Backend. The answer is remembered.
func (o *OpenAI) Server(ctx context.Context) (Server, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.server != nil {
		return *o.server, nil
	}
	cards, err := o.cards(ctx)
	if err != nil && !IsKind(err, NotFound, BadRequest) {
		return Server{}, err
	}
	s := Server{Kind: "openai", Name: Other, URL: o.base}
	if len(cards) > 0 {
		switch cards[0].OwnedBy {
		case "llamacpp":
			s.Name = LlamaCpp
			if props, told, _ := o.props(ctx); told {
				s.Version = props.Build
				o.thinks.Store(templateThinks.MatchString(props.Template))
			}
		case "vllm":
			s.Name = VLLM
			var v struct {
				Version string `json:"version"`
			}
			if o.page(ctx, o.root()+"/version", nil, &v) == nil {
				s.Version = v.Version
			}
		case "sglang":
			s.Name = SGLang
			if info, told := o.info(ctx, ""); told {
				s.Version, _ = info["version"].(string)
			}
		case "organization_owner":
			s.Name = LMStudio
		}
	}
	o.server = &s
	return s, nil
}

// Models implements Backend.
func (o *OpenAI) Models(ctx context.Context) ([]Model, error) {
	cards, err := o.cards(ctx)
	if err != nil {
		return nil, err
	}
	models := make([]Model, len(cards))
	for i, c := range cards {
		models[i] = c.model()
	}
	return byName(models), nil
}

func (c modelCard) model() Model {
	m := Model{Name: c.ID, Context: c.MaxModelLen}
	if c.Root != "" && c.Root != c.ID {
		m.Fingerprint = "root=" + c.Root
	}
	if c.Meta != nil {
		m.Context, m.Trained = c.Meta.Ctx, c.Meta.CtxTrain
		m.Quantisation = c.Meta.FileType
		m.Parameters = count(c.Meta.Params)
		m.Fingerprint = fmt.Sprintf("params=%d size=%d vocab=%d type=%s",
			c.Meta.Params, c.Meta.Size, c.Meta.Vocab, c.Meta.FileType)
	}
	return m
}

// count writes a number of parameters the way model names do: 276K, 8.0B.
func count(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1e6:
		return fmt.Sprintf("%.0fK", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fB", float64(n)/1e9)
}

// Model implements Backend. llama.cpp answers under any name, so a name must be
// one that the server lists: the id, an alias, or the file's own name.
func (o *OpenAI) Model(ctx context.Context, name string) (Model, error) {
	m, _, err := o.describe(ctx, name)
	return m, err
}

func (o *OpenAI) describe(ctx context.Context, name string) (m Model, props llamaProps, err error) {
	server, err := o.Server(ctx)
	// Before the list, which some versions give while they still load the model,
	// with nothing of its weights: that would look like another model.
	told := false
	if err == nil && server.Name == LlamaCpp {
		props, told, err = o.props(ctx)
	}
	if err != nil {
		return m, props, err
	}
	cards, err := o.cards(ctx)
	if IsKind(err, NotFound, BadRequest) {
		return Model{Name: name}, llamaProps{}, nil // a server that lists nothing
	}
	if err != nil {
		return m, props, err
	}
	i := slices.IndexFunc(cards, func(c modelCard) bool { return c.matches(name) })
	if i < 0 {
		var names []string
		for _, c := range cards {
			names = append(names, c.ID)
		}
		return m, props, unknownModel(name, o.base, names)
	}
	m = cards[i].model()
	m.Aliases = aliases(cards, cards[i])
	switch server.Name {
	case VLLM, LlamaCpp:
		m.Logprobs = Yes
	case LMStudio:
		m.Logprobs = No // of this side of its interface
	}
	if told {
		m.Slots, m.Context = props.Slots, cmp.Or(max(0, props.Defaults.Ctx), m.Context)
		m.Fingerprint += " template=" + shortHash(props.Template)
		m.Thinks = ability(templateThinks.MatchString(props.Template))
	}
	return m, props, nil
}

// info is what vLLM (started with VLLM_SERVER_DEV_MODE=1) and SGLang tell of how they were started.
func (o *OpenAI) info(ctx context.Context, query string) (info map[string]any, told bool) {
	err := o.page(ctx, o.root()+"/server_info"+query, nil, &info)
	if IsKind(err, NotFound) { // SGLang's earlier versions
		err = o.page(ctx, o.root()+"/get_server_info", nil, &info)
	}
	return info, err == nil
}

// Steady says whether the server was started so that the same prompt gets the same reply in any batch, and by which
// setting; no setting where it has none, or does not tell.
func (o *OpenAI) Steady(ctx context.Context) (is Ability, setting string) {
	server, err := o.Server(ctx)
	if err != nil {
		return Unknown, ""
	}
	switch server.Name {
	case VLLM:
		info, _ := o.info(ctx, "?config_format=json")
		env, _ := info["vllm_env"].(map[string]any)
		switch env["VLLM_BATCH_INVARIANT"] {
		case true, 1.0, "1":
			return Yes, "VLLM_BATCH_INVARIANT=1"
		case false, 0.0, "0":
			return No, "VLLM_BATCH_INVARIANT=1"
		}
	case SGLang:
		info, _ := o.info(ctx, "")
		if on, ok := info["enable_deterministic_inference"].(bool); ok {
			return ability(on), "--enable-deterministic-inference"
		}
	}
	return Unknown, ""
}

// props reads llama.cpp's own page, if there is one: behind a proxy there may be none.
func (o *OpenAI) props(ctx context.Context) (p llamaProps, told bool, err error) {
	err = o.page(ctx, o.root()+"/props", nil, &p)
	if err != nil && ctx.Err() == nil && !IsKind(err, Transport, Timeout, Busy) {
		return llamaProps{}, false, nil
	}
	return p, err == nil, err
}

// aliases are the other names under which the server lists the model of a card. vLLM has a card for each of them, and
// names its first in every reply.
func aliases(cards []modelCard, of modelCard) (names []string) {
	for _, c := range cards {
		if c.ID != of.ID && (c.Root == "" || c.Root != of.Root) {
			continue
		}
		for _, name := range append([]string{c.ID}, c.Aliases...) {
			if name != of.ID && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (c modelCard) matches(name string) bool {
	base := path.Base(strings.ReplaceAll(c.ID, `\`, "/"))
	return name == c.ID || slices.Contains(c.Aliases, name) || name == base || name == strings.TrimSuffix(base, ".gguf")
}
