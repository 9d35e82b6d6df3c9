package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"gavel/internal/jury"
	"gavel/internal/labels"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// document is one kind of JSON that gavel writes.
type document struct {
	name  string // of its schema's file
	title string
	of    reflect.Type
	// unsaid are keys that are left out of some documents although their type has them always.
	unsaid []string
	strict bool // keys that the schema does not know are errors
}

var documents = []document{
	newDocument[judging.Manifest]("run", "run.json: the manifest of a run",
		"spec.prompt.system", "spec.prompt.sha256", "spec.parameters"),
	newDocument[judging.Record]("record", "A line of records.jsonl: one judgment"),
	newDocument[scoring.Report]("results", "results.json: what a run comes to", "calibration.ece_calibrated"),
	newDocument[scoring.Comparisons]("comparisons", "What gavel compare --json prints"),
	newDocument[race.Result]("race", "What gavel race --json prints"),
	newDocument[jury.Report]("jury", "What gavel jury --json prints"),
	newDocument[scoring.Sway]("sway", "What gavel sway --json prints"),
	newDocument[labels.Label]("label", "A line of labels.jsonl: what a person said of an item"),
	newDocument[labels.Agreement]("agreement", "What gavel agree --json prints"),
	newDocument[labels.Estimated]("estimate", "What gavel estimate --json prints"),
	newDocument[labels.Selective]("select", "What gavel select --json prints"),
}

func newDocument[T any](name, title string, unsaid ...string) document {
	return document{name: name, title: title, of: reflect.TypeFor[T](), unsaid: unsaid}
}

// packages are where the types of the documents are from.
var packages = []string{
	"backends", "datasets", "judging", "scoring", "scoring/race", "internal/jury", "internal/labels",
}

// writeFormats writes the tables of keys in docs/formats.md, between the lines that name a document, and a JSON Schema
// of each document. What a key means is the comment of its field.
func writeFormats(root string) error {
	said, err := comments(root)
	if err != nil {
		return err
	}
	page := filepath.Join(root, "docs", "formats.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	for _, d := range documents {
		schema, err := d.schema(said)
		if err != nil {
			return err
		}
		raw, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, "docs", "schemas", d.name+".schema.json"),
			append(raw, '\n'), 0o644); err != nil {
			return err
		}
		text, err = placed(text, "keys of "+d.name, "end of keys", d.table(said))
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	return os.WriteFile(page, text, 0o644)
}

// comments are what the fields of the packages' types are said to be, by package path, type and field:
// "gavel/judging.Spec.Goal".
func comments(root string) (map[string]string, error) {
	said := map[string]string{}
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if fields, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range fields.Fields.List {
						text := strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
						for _, name := range f.Names {
							said["gavel/"+pkg+"."+spec.Name.Name+"."+name.Name] = text
						}
					}
				}
				return false
			})
		}
	}
	return said, nil
}

// field is a key of an object.
type field struct {
	reflect.StructField
	key      string
	optional bool
	said     string
}

// fieldsOf are the keys of a struct type, in the order in which they are written.
func fieldsOf(t reflect.Type, said map[string]string) []field {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || key == "-" || key == "" {
			continue
		}
		owner := t
		if len(f.Index) > 1 {
			owner = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		all = append(all, field{
			StructField: f,
			key:         key,
			optional:    strings.HasPrefix(options, "omit"),
			said:        said[owner.PkgPath()+"."+owner.Name()+"."+f.Name],
		})
	}
	return all
}

// within is the struct that a type holds, or nil, and how a path shows that it holds many.
func within(t reflect.Type) (of reflect.Type, many string) {
	for {
		switch t.Kind() {
		case reflect.Pointer:
			t = t.Elem()
		case reflect.Slice, reflect.Array:
			t, many = t.Elem(), many+"[]"
		case reflect.Struct:
			if t != reflect.TypeFor[time.Time]() {
				return t, many
			}
			return nil, ""
		default:
			return nil, ""
		}
	}
}

// table is the keys of a document as Markdown, an object's after its own. A type that stood before
// is named, not shown again.
func (d document) table(said map[string]string) []byte {
	var out bytes.Buffer
	out.WriteString("\n| Key | Type | |\n|---|---|---|\n")
	shown := map[reflect.Type]string{}
	var rows func(t reflect.Type, path string)
	rows = func(t reflect.Type, path string) {
		for _, f := range fieldsOf(t, said) {
			key := path + f.key
			of, many := within(f.Type)
			kind := kindOf(f.Type)
			if of != nil && shown[of] != "" {
				kind += " as `" + shown[of] + "`"
			}
			if f.optional || slices.Contains(d.unsaid, key) {
				kind += ", optional"
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", key, kind, strings.ReplaceAll(f.said, "|", `\|`))
			if of != nil && shown[of] == "" {
				shown[of] = key
				rows(of, key+many+".")
			}
		}
	}
	rows(d.of, "")
	out.WriteString("\n")
	return out.Bytes()
}

// kindOf is a type in JSON's words.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time (RFC 3339)"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any"
	case t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct:
		return strings.ReplaceAll(kindOf(t.Elem()), "lists", "list") + " or null"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + plural(kindOf(t.Elem()))
	case reflect.Map:
		return "object of " + plural(kindOf(t.Elem()))
	case reflect.Struct:
		return "object"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	}
	return "integer"
}

func plural(kind string) string {
	first, rest, _ := strings.Cut(kind, " ")
	return strings.TrimSpace(first + "s " + rest)
}

// schema is the JSON Schema of a document. Keys that it does not know are allowed: a later gavel may write more.
func (d document) schema(said map[string]string) (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(d.of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[*float64]():        {Types: []string{"number", "null"}},
	}})
	if err != nil {
		return nil, err
	}
	d.describe(schema, d.of, "", said)
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", d.title
	return schema, nil
}

// describe adds what keys mean to the schema of a struct type.
func (d document) describe(schema *jsonschema.Schema, t reflect.Type, path string, said map[string]string) {
	if !d.strict {
		schema.AdditionalProperties = nil
	}
	for _, f := range fieldsOf(t, said) {
		of := schema.Properties[f.key]
		of.Description = f.said
		if slices.Contains(d.unsaid, path+f.key) {
			schema.Required = slices.DeleteFunc(schema.Required, func(key string) bool { return key == f.key })
		}
		inner, _ := within(f.Type)
		for of.Items != nil {
			of = of.Items
		}
		if inner != nil {
			d.describe(of, inner, path+f.key+".", said)
		}
	}
}
