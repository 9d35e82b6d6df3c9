package server

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"gavel/internal/server/jobs"
	"gavel/judging"
)

// jobRequestSchema describes the fields of a job request, those of all protocols together.
func jobRequestSchema() *jsonschema.Schema {
	var names []any
	for _, name := range judging.ProtocolNames(judging.Protocols()) {
		names = append(names, name)
	}
	fields := map[string]*jsonschema.Schema{
		"protocol": {Type: "string", Enum: names},
		"endpoint": {Description: "id of a server of the offer; a list names several that serve one model"},
		"model":    {Type: "string", Description: "name of a model of that server"},
		"dataset":  {Type: "string", Description: "name of a dataset of the offer"},
	}
	for _, k := range judging.Protocols() {
		for _, f := range jobs.FormFields(k) {
			if fields[f.Name] == nil {
				fields[f.Name] = schemaOfField(f)
			}
		}
	}
	value := &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	return &jsonschema.Schema{
		Type: "object",
		Description: "What to run: `protocol`, `endpoint`, `model`, `dataset`, and the fields of the offer. " +
			"A field that may be given several times takes a list.",
		Required:   []string{"protocol", "endpoint", "dataset"},
		Properties: fields,
		AdditionalProperties: &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{value, {Type: "array", Items: value}},
		},
	}
}

// schemaOfField describes the values of a field. All may be written as texts.
func schemaOfField(f jobs.FormField) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: f.About}
	switch {
	case f.Many:
		s.Type = ""
		s.AnyOf = []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}
	case f.Kind == "number":
		s.Type = ""
		s.Types = []string{"integer", "string"}
	case f.Kind == "switch":
		s.Type = ""
		s.Types = []string{"boolean", "string"}
	}
	if f.Default != "" {
		s.Default, _ = json.Marshal(f.Default)
	}
	return s
}
