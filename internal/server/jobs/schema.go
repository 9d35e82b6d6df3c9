package jobs

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"gavel/judging"
)

// JobRequestSchema describes the fields of a job request, those of all protocols together.
func JobRequestSchema() *jsonschema.Schema {
	var names []any
	for _, name := range judging.Names(judging.Protocols()) {
		names = append(names, name)
	}
	fields := map[string]*jsonschema.Schema{
		fieldProtocol: {Type: "string", Enum: names},
		fieldEndpoint: {Description: "id of a server of the offer; a list names several that serve one model"},
		fieldModel:    {Type: "string", Description: "name of a model of that server"},
		fieldDataset:  {Type: "string", Description: "name of a dataset of the offer"},
	}
	for _, k := range judging.Protocols() {
		for _, f := range formFields(k) {
			if fields[f.Name] == nil {
				fields[f.Name] = f.schema()
			}
		}
	}
	value := &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	return &jsonschema.Schema{
		Type: "object",
		Description: "What to run: `protocol`, `endpoint`, `model`, `dataset`, and the fields of the offer. " +
			"A field that may be given several times takes a list.",
		Required:   []string{fieldProtocol, fieldEndpoint, fieldDataset},
		Properties: fields,
		AdditionalProperties: &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{value, {Type: "array", Items: value}},
		},
	}
}

// schema describes the values of a field. All may be written as texts.
func (f FormField) schema() *jsonschema.Schema {
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
