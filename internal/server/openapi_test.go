package server

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"gotest.tools/v3/golden"

	"gavel/internal/codec"
	"gavel/internal/doc"
	"gavel/internal/server/jobs"
)

// path returns the route's pattern without the method.
func (r route) path() string {
	_, path, _ := strings.Cut(r.pattern, " ")
	return strings.TrimSuffix(path, "{$}")
}

// openAPI builds openapi.json, the description of the API, from the routes and the types of their queries, bodies and answers. The
// jsonschema tags of the types' fields describe the keys.
type openAPI struct {
	names   map[reflect.Type]string // of the types among the components
	schemas map[string]*jsonschema.Schema
}

type object = map[string]any

// TestOpenAPI: openapi.json describes the routes of this server. With -update it is written anew.
func TestOpenAPI(t *testing.T) {
	d := openAPI{names: map[reflect.Type]string{}, schemas: map[string]*jsonschema.Schema{}}
	description, err := d.describe(new(Server).routes())
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	if err := codec.WriteIndented(&now, description); err != nil {
		t.Fatal(err)
	}
	if golden.FlagUpdate() {
		if err := os.WriteFile("openapi.json", now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(now.Bytes(), openAPIFile) {
		t.Error("openapi.json does not describe the routes: run scripts/docs.sh")
	}
}

// pathParameters describes the parts of paths.
var pathParameters = map[string]string{
	"run":   "name of the run, `/` in it as %2F",
	"item":  "its id, `/` in it as %2F",
	"suite": "folder of the suite, `/` in it as %2F",
	"job":   "id of the job",
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

// describe returns the OpenAPI document of some routes.
func (d *openAPI) describe(routes []route) (object, error) {
	paths := map[string]object{}
	wrong, err := d.answer("what went wrong", reflect.TypeFor[errorAnswer]())
	if err != nil {
		return nil, err
	}
	for _, r := range routes {
		if !strings.HasPrefix(r.path(), apiPath) {
			continue
		}
		described, ok := apiCalls[strings.Replace(r.pattern, " "+apiPath, " ", 1)]
		if !ok {
			return nil, fmt.Errorf("%s has no line in apiCalls", r.pattern)
		}
		well, err := d.answer("well", r.view.result)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.pattern, err)
		}
		operation := object{
			"summary":   described.summary,
			"responses": object{fmt.Sprint(max(r.status, http.StatusOK)): well, "default": wrong},
		}
		var parameters []object
		for _, name := range inPath.FindAllStringSubmatch(r.path(), -1) {
			parameters = append(parameters, object{
				"name":        name[1],
				"in":          "path",
				"required":    true,
				"schema":      object{"type": "string"},
				"description": pathParameters[name[1]],
			})
		}
		if described.query != nil {
			parameters = append(parameters, queryParameters(reflect.TypeOf(described.query))...)
		}
		if parameters != nil {
			operation["parameters"] = parameters
		}
		if described.body != nil {
			schema, err := d.schema(reflect.TypeOf(described.body))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.pattern, err)
			}
			operation["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schema}}}
		}
		if paths[r.path()] == nil {
			paths[r.path()] = object{}
		}
		method, _, _ := strings.Cut(r.pattern, " ")
		paths[r.path()][strings.ToLower(method)] = operation
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title":   "gavel serve",
			"version": "1",
			"description": "Runs of LLM judges, as the pages show them. Where the server has a token, every request needs " +
				"`Authorization: Bearer TOKEN`. What is posted is JSON.",
		},
		"security": []object{{}, {"token": []string{}}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
			"schemas":         d.schemas,
		},
	}, nil
}

// queryParameters describes the parameters of a call, which are the fields of a struct.
func queryParameters(t reflect.Type) (all []object) {
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		if name == "" {
			continue
		}
		parameter := object{
			"name":     name,
			"in":       "query",
			"required": f.Tag.Get("required") != "",
			"schema":   object{"type": map[bool]string{true: "integer", false: "string"}[f.Type.Kind() == reflect.Int]},
		}
		if description := f.Tag.Get("jsonschema"); description != "" {
			parameter["description"] = description
		}
		all = append(all, parameter)
	}
	return all
}

// answer describes a response of a type.
func (d *openAPI) answer(description string, t reflect.Type) (object, error) {
	schema, err := d.schema(t)
	return object{"description": description, "content": object{"application/json": object{"schema": schema}}}, err
}

// schema returns the schema of a type, and adds the schemas of its structs to the components.
func (d *openAPI) schema(t reflect.Type) (*jsonschema.Schema, error) {
	if t == reflect.TypeFor[jobs.JobRequest]() {
		d.schemas["Order"] = jobRequestSchema()
		return &jsonschema.Schema{Ref: "#/components/schemas/Order"}, nil
	}
	d.name(t)
	for typ, name := range d.names {
		if d.schemas[name] != nil {
			continue
		}
		schema, err := d.generate(typ, typ)
		if err != nil {
			return nil, err
		}
		d.schemas[name] = schema
	}
	return d.generate(t, nil)
}

// generate returns the schema of a type, with references to all named structs but self.
func (d *openAPI) generate(t, self reflect.Type) (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: d.references(self)})
	if err == nil {
		tidy(schema)
	}
	return schema, err
}

// name chooses a name for each struct of a type.
func (d *openAPI) name(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		d.name(t.Elem())
	case reflect.Struct:
		if d.names[t] != "" || t == reflect.TypeFor[time.Time]() {
			return
		}
		if t.Name() != "" {
			name := doc.Capital(t.Name())
			if slices.Contains(slices.Collect(maps.Values(d.names)), name) {
				name = doc.Capital(path.Base(t.PkgPath())) + name
			}
			d.names[t] = name
		}
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && !f.Anonymous && f.Tag.Get("json") != "-" {
				d.name(f.Type)
			}
		}
	}
}

// references returns references to all named structs but self and those that it embeds.
func (d *openAPI) references(self reflect.Type) map[reflect.Type]*jsonschema.Schema {
	all := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
	}
	for t, name := range d.names {
		all[t] = &jsonschema.Schema{Ref: "#/components/schemas/" + name}
	}
	if self == nil {
		return all
	}
	delete(all, self)
	for _, f := range reflect.VisibleFields(self) {
		if f.Anonymous {
			delete(all, f.Type)
		}
	}
	return all
}

// tidy removes the type null where the API never answers null: from keys that may be left out, from lists, and from
// keys whose description does not mention null.
func tidy(s *jsonschema.Schema) {
	for key, property := range s.Properties {
		null := slices.Contains(property.Types, "null")
		answered := slices.Contains(s.Required, key) && !slices.Contains(property.Types, "array")
		if property.Description != "" {
			answered = strings.Contains(property.Description, "null")
		}
		switch {
		case null && property.Ref != "" && answered:
			property.AnyOf = []*jsonschema.Schema{{Ref: property.Ref}, {Type: "null"}}
			property.Ref = ""
			property.Types = nil
		case null && property.Ref != "":
			property.Types = nil
		case null && !answered:
			property.Type = property.Types[1]
			property.Types = nil
		}
		tidy(property)
	}
	for _, element := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if element != nil {
			if element.Ref != "" { // elements of lists are never null
				element.Types = nil
			}
			tidy(element)
		}
	}
}
