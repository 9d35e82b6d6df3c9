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

// document describes one kind of JSON that gavel writes.
type document struct {
	name   string // name of the schema's file, without extensions
	title  string // of the schema
	goType reflect.Type
	// optional lists keys that some documents leave out although their Go type does not mark them as optional.
	optional []string
	strict   bool // the schema rejects keys that it does not know
}

// documents lists the kinds of JSON that docs/formats.md describes.
var documents = []document{
	newDocument[judging.Manifest]("run", "run.json: the manifest of a run",
		"spec.prompt.system", "spec.prompt.sha256", "spec.parameters"),
	newDocument[judging.Record]("record", "A line of records.jsonl: one judgment"),
	newDocument[scoring.Report]("results", "results.json: the scores of a run", "calibration.ece_calibrated"),
	newDocument[scoring.Comparisons]("comparisons", "What gavel compare --format json prints"),
	newDocument[race.Result]("race", "What gavel race --format json prints"),
	newDocument[jury.Jury]("jury", "What gavel jury --format json prints"),
	newDocument[scoring.BiasAnalysis]("sway", "What gavel score --section sway --format json prints"),
	newDocument[labels.Label]("label", "A line of labels.jsonl: a person's label of an item"),
	newDocument[labels.Agreement]("agreement", "What gavel labels agree --format json prints"),
	newDocument[labels.ShareEstimate]("estimate", "What gavel labels estimate --format json prints"),
	newDocument[labels.CascadeResults]("select", "What gavel labels select --format json prints"),
}

// newDocument returns the document whose Go type is T.
func newDocument[T any](name, title string, optional ...string) document {
	return document{name: name, title: title, goType: reflect.TypeFor[T](), optional: optional}
}

// packages lists the packages with the documents' types.
var packages = strings.Fields("backends datasets judging scoring scoring/race internal/jury internal/labels")

// writeFormats writes the tables of keys in docs/formats.md, between marks that name a document, and a JSON Schema of
// each document. The meaning of a key is the comment of its field.
func writeFormats(root string) error {
	texts, err := comments(root)
	if err != nil {
		return err
	}
	for _, d := range documents {
		schema, table, err := d.describe(texts)
		if err != nil {
			return err
		}
		raw, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return err
		}
		file := filepath.Join(root, "docs", "schemas", d.name+".schema.json")
		err = os.WriteFile(file, append(raw, '\n'), 0o644)
		if err != nil {
			return err
		}
		err = replaceBetweenMarks(root, "formats.md", "keys of "+d.name, "end of keys", table)
		if err != nil {
			return err
		}
	}
	return nil
}

// comments returns the comments of the fields of the packages' types, by package path, type and field:
// "gavel/judging.Spec.Goal".
func comments(root string) (map[string]string, error) {
	texts := map[string]string{}
	for _, pkg := range packages {
		files, _ := filepath.Glob(filepath.Join(root, pkg, "*.go"))
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
							texts["gavel/"+pkg+"."+spec.Name.Name+"."+name.Name] = text
						}
					}
				}
				return false
			})
		}
	}
	return texts, nil
}

// field holds a key of a JSON object, and the Go field and comment that describe it.
type field struct {
	reflect.StructField
	key     string
	comment string
}

// fieldsOf returns the keys of a struct type, in the order in which they are written. texts are those of comments.
func fieldsOf(t reflect.Type, texts map[string]string) []field {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
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
			comment:     texts[owner.PkgPath()+"."+owner.Name()+"."+f.Name],
		})
	}
	return all
}

// elementStruct returns the struct type in a pointer, slice or array type, or nil, with the suffix for the path of its
// keys: "[]" for each slice or array.
func elementStruct(t reflect.Type) (inner reflect.Type, suffix string) {
	for {
		switch t.Kind() {
		case reflect.Pointer:
			t = t.Elem()
		case reflect.Slice, reflect.Array:
			t, suffix = t.Elem(), suffix+"[]"
		case reflect.Struct:
			if t != reflect.TypeFor[time.Time]() {
				return t, suffix
			}
			return nil, ""
		default:
			return nil, ""
		}
	}
}

// jsonTypeName names a type in terms of JSON.
func jsonTypeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time (RFC 3339)"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any"
	case t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct:
		return strings.ReplaceAll(jsonTypeName(t.Elem()), "lists", "list") + " or null"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonTypeName(t.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + plural(jsonTypeName(t.Elem()))
	case reflect.Map:
		return "object of " + plural(jsonTypeName(t.Elem()))
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

// plural returns the plural of a name that jsonTypeName returns.
func plural(kind string) string {
	first, rest, _ := strings.Cut(kind, " ")
	return strings.TrimSpace(first + "s " + rest)
}

// describe returns the JSON Schema of a document, and its keys as a table in Markdown. The schema allows unknown keys:
// a later gavel may write more.
func (d document) describe(texts map[string]string) (*jsonschema.Schema, []byte, error) {
	schema, err := jsonschema.ForType(d.goType, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[*float64]():        {Types: []string{"number", "null"}},
	}})
	if err != nil {
		return nil, nil, err
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", d.title
	w := describer{document: d, fieldComments: texts, listedAt: map[reflect.Type]string{}}
	w.table.WriteString("\n| Key | Type | |\n|---|---|---|\n")
	w.keys(schema, d.goType, "", true)
	w.table.WriteString("\n")
	return schema, w.table.Bytes(), nil
}

// describer builds the table and the schema of a document.
type describer struct {
	document
	fieldComments map[string]string
	table         bytes.Buffer
	listedAt      map[reflect.Type]string // the key under which the table lists a type's keys
}

// keys adds the comments of a struct type's keys to the type's schema and, if inTable, their rows to the table; the
// rows of an object's keys follow the object's own. path precedes the keys in the table. For a type that the table has
// already, there is a reference in place of its keys.
func (w *describer) keys(schema *jsonschema.Schema, t reflect.Type, path string, inTable bool) {
	if !w.strict {
		schema.AdditionalProperties = nil
	}
	for _, f := range fieldsOf(t, w.fieldComments) {
		key := path + f.key
		property := schema.Properties[f.key]
		property.Description = f.comment
		if slices.Contains(w.optional, key) {
			schema.Required = slices.DeleteFunc(schema.Required, func(key string) bool { return key == f.key })
		}
		inner, suffix := elementStruct(f.Type)
		earlier := w.listedAt[inner]
		if inTable {
			kind := jsonTypeName(f.Type)
			if earlier != "" {
				kind += " as `" + earlier + "`"
			}
			if !slices.Contains(schema.Required, f.key) {
				kind += ", optional"
			}
			fmt.Fprintf(&w.table, "| `%s` | %s | %s |\n", key, kind, cell(f.comment))
		}
		if inner == nil {
			continue
		}
		first := inTable && earlier == ""
		if first {
			w.listedAt[inner] = key
		}
		for property.Items != nil {
			property = property.Items
		}
		w.keys(property, inner, key+suffix+".", first)
	}
}
