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

// templateThinks matches chat templates that mention thinking.
var templateThinks = regexp.MustCompile(`(?i)think|reasoning`)

// modelCard is one entry of /v1/models, with the fields that vLLM and llama.cpp add.
type modelCard struct {
	ID          string   `json:"id"`
	Aliases     []string `json:"aliases"`
	OwnedBy     string   `json:"owned_by"`
	Root        string   `json:"root"`          // path or repository of the model; only vLLM sends it
	MaxModelLen int      `json:"max_model_len"` // context in tokens; only vLLM sends it
	Meta        *struct {
		Ctx      int    `json:"n_ctx"`
		CtxTrain int    `json:"n_ctx_train"`
		Params   int64  `json:"n_params"`
		Size     int64  `json:"size"`
		Vocab    int    `json:"n_vocab"`
		FileType string `json:"ftype"`
	} `json:"meta"` // only llama.cpp sends it
	Architecture *struct {
		Output []string `json:"output_modalities"`
	} `json:"architecture"` // llama.cpp sends it since b11361
}

// cards requests the server's list of models.
func (o *OpenAI) cards(ctx context.Context) ([]modelCard, error) {
	var list struct {
		Data []modelCard `json:"data"`
	}
	err := o.fetchJSON(ctx, o.baseURL+"/models", nil, &list)
	if len(list.Data) > 0 {
		o.hasListedModels.Store(true)
	}
	return list.Data, err
}

// Server implements Backend. It remembers the answer.
func (o *OpenAI) Server(ctx context.Context) (ServerInfo, error) {
	s, _, err := o.identifyServer(ctx)
	if IsKind(err, ErrorNotFound, ErrorBadRequest) { // a server without a list of models
		err = nil
	}
	return s, err
}

// identifyServer identifies the server. It also returns the list of models if it had to request one.
func (o *OpenAI) identifyServer(ctx context.Context) (ServerInfo, []modelCard, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.server != nil {
		return *o.server, nil, nil
	}
	cards, err := o.cards(ctx)
	if err != nil && !IsKind(err, ErrorNotFound, ErrorBadRequest) {
		return ServerInfo{}, nil, err
	}
	s := ServerInfo{WireFormat: openAIFormat, Name: OtherServer, URL: o.baseURL}
	for _, k := range kinds {
		if len(cards) > 0 && k.ownedBy != "" && k.ownedBy == cards[0].OwnedBy {
			s.Name = k.name
			if k.version != nil {
				s.Version = k.version(ctx, o)
			}
		}
	}
	o.server = &s
	return s, cards, err
}

// Models implements Backend.
func (o *OpenAI) Models(ctx context.Context) ([]Model, error) {
	cards, err := o.cards(ctx)
	return sortByName(modelsOf(cards)), err
}

func modelsOf(cards []modelCard) []Model {
	models := make([]Model, len(cards))
	for i, c := range cards {
		models[i] = c.model()
	}
	return models
}

// model returns what an entry says about its model.
func (c modelCard) model() Model {
	m := Model{Name: c.ID, Context: c.MaxModelLen}
	if c.Root != "" && c.Root != c.ID {
		m.Fingerprint = "root=" + c.Root
	}
	if c.Architecture != nil {
		m.IsDecisionModel = abilityFromBool(slices.Contains(c.Architecture.Output, "decisions"))
	}
	if c.Meta != nil {
		m.Context, m.TrainedContext = c.Meta.Ctx, c.Meta.CtxTrain
		m.Quantisation = c.Meta.FileType
		m.Parameters = formatParameterCount(c.Meta.Params)
		m.Fingerprint = fmt.Sprintf("params=%d size=%d vocab=%d type=%s",
			c.Meta.Params, c.Meta.Size, c.Meta.Vocab, c.Meta.FileType)
	}
	return m
}

// formatParameterCount formats a number of parameters as model names do: 276K, 8.0B.
func formatParameterCount(n int64) string {
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

// Model implements Backend. llama.cpp answers under any name, so the name must be one in the server's list: the id,
// an alias, or the file's own name.
func (o *OpenAI) Model(ctx context.Context, name string) (Model, error) {
	server, cards, err := o.identifyServer(ctx)
	var props *llamaProps
	if err == nil && kindOf(server).hasPropsPage {
		// props come before the list: while some versions load the model, the list lacks the fields of its weights, and
		// the model would look like another one.
		cards = nil
		props, err = o.props(ctx)
	}
	if err == nil && cards == nil {
		cards, err = o.cards(ctx)
	}
	nothing := err == nil && len(cards) == 0 || IsKind(err, ErrorNotFound, ErrorBadRequest)
	if nothing && !o.hasListedModels.Load() { // it never listed any, so it may load the requested one
		return Model{Name: name}, nil
	}
	if err != nil {
		return Model{}, err
	}
	i := slices.IndexFunc(cards, func(c modelCard) bool { return c.matches(name) })
	if i < 0 {
		return Model{}, unknownModel(name, o.baseURL, modelsOf(cards))
	}
	m := cards[i].model()
	m.Aliases = aliases(cards, cards[i])
	m.Logprobs = kindOf(server).reportsLogprobs
	if props != nil {
		m.Slots = props.Slots
		m.Context = cmp.Or(max(0, props.Defaults.Ctx), m.Context)
		m.ServerStartMarker = props.Marker
		m.Fingerprint += " template=" + shortHash(props.Template)
		m.Thinks = abilityFromBool(templateThinks.MatchString(props.Template))
	}
	return m, nil
}

// aliases returns the other names of a card's model in the server's list. vLLM has a card for each name, and puts the
// first name into every reply.
func aliases(cards []modelCard, card modelCard) (names []string) {
	for _, c := range cards {
		if c.ID != card.ID && (c.Root == "" || c.Root != card.Root) {
			continue
		}
		for _, name := range append([]string{c.ID}, c.Aliases...) {
			if name != card.ID && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// matches reports whether name is one of the entry's names: its id, an alias, or the name of its file.
func (c modelCard) matches(name string) bool {
	base := path.Base(strings.ReplaceAll(c.ID, `\`, "/"))
	return name == c.ID || slices.Contains(c.Aliases, name) || name == base || name == strings.TrimSuffix(base, ".gguf")
}
