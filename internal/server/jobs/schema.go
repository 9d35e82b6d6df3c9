package jobs

import "gavel/judging"

// JobRequestProperties describe the fields of a job request as JSON Schema, those of all protocols together.
func JobRequestProperties() map[string]any {
	text := func(about string) map[string]any { return map[string]any{"type": "string", "description": about} }
	out := map[string]any{
		fieldProtocol: map[string]any{"type": "string", "enum": judging.Names(judging.Protocols())},
		fieldEndpoint: map[string]any{
			"description": "id of a server of the offer; a list names several that serve one model",
		},
		fieldModel:   text("name of a model of that server"),
		fieldDataset: text("name of a dataset of the offer"),
	}
	for _, k := range judging.Protocols() {
		for _, f := range fieldsOf(k) {
			if out[f.Name] == nil {
				out[f.Name] = f.schema()
			}
		}
	}
	return out
}

// schema says what the values of a field look like; all may be written as texts.
func (f Field) schema() map[string]any {
	texts := map[string]any{"type": "string"}
	s := map[string]any{"description": f.About}
	switch {
	case f.Many:
		s["anyOf"] = []any{texts, map[string]any{"type": "array", "items": texts}}
	case f.Kind == "number":
		s["anyOf"] = []any{map[string]any{"type": "integer"}, texts}
	case f.Kind == "switch":
		s["anyOf"] = []any{map[string]any{"type": "boolean"}, texts}
	default:
		s["type"] = "string"
	}
	if f.Default != "" {
		s["default"] = f.Default
	}
	return s
}
