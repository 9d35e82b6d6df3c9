package eval

import (
	"cmp"
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

//go:embed fields.yaml
var fieldTable string

// fieldEntries parses fields.yaml. A new flag is an entry there, and a value in [RunRequest].
var fieldEntries = sync.OnceValue(func() (all []Field) {
	d := yaml.NewDecoder(strings.NewReader(fieldTable))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic(err) // it is part of the program
	}
	return all
})

// ProtocolFields lists the fields of a protocol's requests, with the values of a new request.
func ProtocolFields(k judging.Protocol) []Field {
	usual := NewRequest(k)
	return usual.fields(k)
}

// EndpointFields lists the fields that say which server to ask; commands other than "gavel run" have them, too.
func EndpointFields() []Field {
	return slices.DeleteFunc(ProtocolFields(judging.AnswerProtocol()), func(f Field) bool {
		return f.Part != RequestPartServer
	})
}

// fields lists the protocol's fields, bound to this request: they read and write its values.
func (r *RunRequest) fields(k judging.Protocol) (fields []Field) {
	usual := NewRequest(k)
	values, defaults := valuesByField(r), valuesByField(&usual)
	shares := scoring.ItemwiseMetrics(k.Name)
	until := ""
	if len(shares) > 0 {
		until = shares[0] + ">=60"
	}
	list := func(values []string) string { return strings.Join(values, ", ") }
	texts := strings.NewReplacer(
		"{models}", backends.SimHelp,
		"{datasets}", datasetsFor(k),
		"{prompts}", list(k.TemplateNames()),
		"{backends}", list(Backends),
		"{ports}", list(backends.LocalPorts()),
		"{shares}", list(shares),
		"{until}", until,
	)
	applies := map[string]bool{
		"":                true,
		"with tasks":      groupsAreTasks(k),
		"without tasks":   !groupsAreTasks(k),
		"with shares":     len(shares) > 0,
		"with agents":     k.JudgesAgents(),
		"with options":    k.Takes(datasets.ShapeOptions),
		"with follow-ups": k.HasFollowUpTurn,
	}
	for _, f := range fieldEntries() {
		if !applies[f.Only] {
			continue
		}
		f.Help, f.About = texts.Replace(f.Help), texts.Replace(f.About)
		switch f.Name {
		case "prompt":
			f.Values = k.TemplateNames()
		case "shard":
			f.valid = func(text string) error {
				_, _, err := ParseShard(text)
				return err
			}
		case "until":
			f.valid = func(text string) error {
				_, err := ParseStoppingClaim(text, k.Name)
				return err
			}
		case "backend":
			for i := range k.Options {
				fields = append(fields, optionField(&k.Options[i]).bind(&r.Options, &usual.Options))
			}
			f.Values = Backends
		}
		fields = append(fields, f.bind(values[f.Name], defaults[f.Name]))
	}
	return fields
}

// valuesByField returns pointers to a request's values by the names of their fields: the tag field, or else the JSON
// key with hyphens.
func valuesByField(r *RunRequest) map[string]any {
	values := map[string]any{}
	all := reflect.ValueOf(r).Elem()
	for _, f := range reflect.VisibleFields(all.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		name := cmp.Or(f.Tag.Get("field"), strings.ReplaceAll(key, "_", "-"))
		if name == "" {
			continue
		}
		value := all.FieldByIndex(f.Index).Addr()
		if f.Type.Kind() == reflect.String {
			value = value.Convert(reflect.TypeFor[*string]())
		}
		values[name] = value.Interface()
	}
	return values
}
