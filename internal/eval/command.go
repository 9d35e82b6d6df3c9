package eval

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// RequestOf returns the request that repeats or continues a run, as far as its manifest holds it: dataset and prompt
// are named as in the original request, files by their base name. The manifest does not hold the cache and the
// concurrency. ok is false for an imported run, which had no request.
func RequestOf(m *judging.Manifest) (r RunRequest, ok bool) {
	protocol, err := judging.ProtocolNamed(m.Spec.Protocol)
	if err != nil || m.Imported != "" || m.Spec.Parameters.AreUnknown() {
		return r, false
	}
	r = NewRequest(protocol)
	p := m.Spec.Parameters
	d := m.Spec.Dataset
	info := m.Dataset
	r.Model = strings.TrimPrefix(m.Spec.Model.Name, "sim:")
	r.PromptNameOrFile = m.Spec.Prompt.Name
	r.PromptGiven = m.Server.Can(backends.HasDecisionModels) // their default prompt is not the protocol's
	r.Options = maps.Clone(m.Spec.ProtocolOptions)
	r.Dataset = info.Name
	r.Backend = cmp.Or(m.Server.WireFormat, Backends[0])
	if m.Simulated {
		r.Backend = backends.Simulation
	}
	for _, s := range m.AllServers() {
		if s.URL != "" {
			r.BaseURLs = append(r.BaseURLs, s.URL)
		}
	}
	r.Limit = info.Limit
	r.Seed = cmp.Or(info.Seed, r.Seed)
	r.IDsFile = info.IDsFile
	r.Groups = info.Groups
	if n := info.Sample + info.ItemsPerGroup; n > 0 && !(groupsAreTasks(protocol) && n == DefaultItemsPerGroup) ||
		n == 0 && groupsAreTasks(protocol) && info.Format != datasets.JudgmentsFormat.Name {
		r.Sample = &n
	}
	r.Turns = d.IncludedTurns
	r.ItemLanguage = d.Lang
	r.AddUnrelatedOption = d.Unrelated
	r.MaxOptions = d.MaxOptions
	if d.FieldMapping != "" {
		r.Fields = []string{d.FieldMapping}
	}
	if d.LabelValues != "" {
		r.LabelValues = []string{d.LabelValues}
	}
	if m.Shard != nil {
		r.Shard = m.Shard.String()
	}
	for _, s := range m.Stages {
		switch s.Role {
		case "judge":
			r.Own = s.Run
		case "reference":
			r.Options[s.Role] = s.Run
		default:
			r.Agents = append(r.Agents, s.Run)
		}
	}
	r.Parameters = p
	r.NumRepetitions = p.Repetitions()
	for limit, text := range map[*time.Duration]string{&r.Timeout: m.Timeout, &r.RetryFor: m.RetryFor} {
		if d, err := time.ParseDuration(text); err == nil {
			*limit = d
		}
	}
	return r, true
}

// Command returns the shell command for the request: "gavel run" with every field that differs from its default.
func (r RunRequest) Command() string {
	protocol, err := r.FindProtocol()
	if err != nil {
		return ""
	}
	values := r.NonDefaults()
	words := []string{"gavel", "run", protocol.Name}
	for _, f := range ProtocolFields(protocol) {
		for _, v := range values[f.Name] {
			words = append(words, "--"+f.Name)
			if f.Kind != FieldKindSwitch {
				words = append(words, v)
			}
		}
	}
	return datasets.ShellLine(words...)
}

// NonDefaults returns the values of the fields that differ from a new request's, as people write them, and always the
// kind of server.
func (r RunRequest) NonDefaults() map[string][]string {
	protocol, err := r.FindProtocol()
	if err != nil {
		return nil
	}
	values := map[string][]string{}
	for _, f := range r.fields(protocol) {
		texts := f.texts()
		if f.Name == "backend" || f.Name == "prompt" && r.PromptGiven ||
			!f.isDefault() && !slices.Equal(texts, []string{f.Default}) {
			values[f.Name] = texts
		}
	}
	return values
}
