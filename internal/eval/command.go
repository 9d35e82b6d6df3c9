package eval

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// RequestOf is the request that makes a run again, or goes on with it, as far as its manifest tells: dataset and prompt
// are named as people named them, which of a file is its base name. Where replies are remembered, and how much is
// asked at once, is not told. What was imported was never asked for: ok is false.
func RequestOf(m *judging.Manifest) (r Request, ok bool) {
	protocol, err := judging.ProtocolNamed(m.Spec.Protocol)
	if err != nil || m.Imported != "" || m.Spec.Parameters.Unknown() {
		return r, false
	}
	r = New(protocol)
	p := m.Spec.Parameters
	d := m.Spec.Dataset
	info := m.Dataset
	r.Model = strings.TrimPrefix(m.Spec.Model.Name, "sim:")
	r.Prompt = m.Spec.Prompt.Name
	r.PromptGiven = m.Server.Can(backends.Decide) // their usual one is not the protocol's
	r.Options = m.Spec.Options
	r.Dataset = info.Name
	r.Backend = cmp.Or(m.Server.Kind, Backends[0])
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
	r.IDs = info.IDs
	r.Groups = info.Groups
	if n := info.Sample + info.Each; n > 0 && !(hasTasks(protocol) && n == SampleEach) ||
		n == 0 && hasTasks(protocol) && info.Format != datasets.Judgments.Name {
		r.Sample = &n
	}
	r.Turns = d.Turns
	r.Lang = d.Lang
	r.Unrelated = d.Unrelated
	r.MaxOptions = d.MaxOptions
	if d.Field != "" {
		r.Fields = []string{d.Field}
	}
	if d.LabelValues != "" {
		r.LabelValues = []string{d.LabelValues}
	}
	if m.Shard != nil {
		r.Shard = m.Shard.String()
	}
	for _, s := range m.Stages {
		if s.Role == "judge" {
			r.Own = s.Run
		} else {
			r.Agents = append(r.Agents, s.Run)
		}
	}
	r.Parameters = p
	r.NumRepetitions = p.Repetitions()
	for limit, said := range map[*time.Duration]string{&r.Timeout: m.Timeout, &r.RetryFor: m.RetryFor} {
		if d, err := time.ParseDuration(said); err == nil {
			*limit = d
		}
	}
	return r, true
}

// Command is the line of a shell that makes the request: "gavel run" with every field that is not the default.
func (r Request) Command() string {
	protocol, err := r.FindProtocol()
	if err != nil {
		return ""
	}
	given := r.Given()
	words := []string{"gavel", "run", protocol.Name}
	for _, f := range FieldsOf(protocol) {
		for _, v := range given[f.Name] {
			words = append(words, "--"+f.Name)
			if f.Kind != Switch {
				words = append(words, datasets.Quoted(v))
			}
		}
	}
	return strings.Join(words, " ")
}

// Given are the fields that are not as New has them, as people write them, and the kind of server.
func (r Request) Given() map[string][]string {
	protocol, err := r.FindProtocol()
	if err != nil {
		return nil
	}
	given := map[string][]string{}
	for _, f := range r.fields(protocol) {
		texts := f.texts()
		if f.Name == "backend" || f.Name == "prompt" && r.PromptGiven ||
			!f.isUsual() && !slices.Equal(texts, []string{f.Default}) {
			given[f.Name] = texts
		}
	}
	return given
}
