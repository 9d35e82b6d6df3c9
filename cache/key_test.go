package cache

import (
	"reflect"
	"slices"
	"testing"

	"gavel/backends"
)

// inKey decides, for each field of a request, whether another value of it is
// another question. A new field has to be decided upon here.
var inKey = map[string]bool{
	"Identity": true, "Model": true, "Messages": true, "Temperature": true, "TopP": true,
	"Seed": true, "MaxTokens": true, "NumCtx": true, "Repetition": true,
	"Think": true, "ThinkBudget": true, "AllowedReplies": true, "Labels": true, "NoPromptCache": true,
	"StopRepetition": true,

	"CountedPromptTokens":   false, // what Messages come to
	"ReportedContextTokens": false, // what the server happens to serve, not what it is asked
	"Oracle":                false, // for simulated judges alone
}

// change gives a field another value.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	default:
		t.Fatalf("a %s: say here how it changes", v.Kind())
	}
}

func TestKeyDependsOnWhatChangesAReply(t *testing.T) {
	base := request("Which is better?")
	fields := slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[backends.Request]()),
		func(f reflect.StructField) bool { return f.Anonymous })
	for _, field := range fields {
		want, decided := inKey[field.Name]
		if !decided {
			t.Errorf("field %s is new: does it change a reply? Decide in inKey", field.Name)
			continue
		}
		req := base
		change(t, reflect.ValueOf(&req).Elem().FieldByIndex(field.Index))
		if differs := Key(req) != Key(base); differs != want {
			t.Errorf("field %s: another key is %v, want %v", field.Name, differs, want)
		}
	}
	if len(fields) != len(inKey) {
		t.Errorf("a request has %d fields, %d are decided upon", len(fields), len(inKey))
	}
}

func TestKeyDependsOnEveryPartOfTheConversation(t *testing.T) {
	type m = backends.Message
	names := map[[32]byte]string{}
	for name, messages := range map[string][]m{
		"none":            nil,
		"one":             {{Role: "user", Content: "ab"}},
		"another role":    {{Role: "system", Content: "ab"}},
		"another text":    {{Role: "user", Content: "ab "}},
		"two":             {{Role: "user", Content: "a"}, {Role: "user", Content: "b"}},
		"two, turned":     {{Role: "user", Content: "b"}, {Role: "user", Content: "a"}},
		"an empty turn":   {{Role: "user", Content: "ab"}, {Role: "assistant"}},
		"JSON in a text":  {{Role: "user", Content: `a"},{"role":"user","content":"b`}},
		"white space":     {{Role: "user", Content: "ab\n"}},
		"carriage return": {{Role: "user", Content: "ab\r\n"}},
	} {
		req := request("")
		req.Messages = messages
		if other, ok := names[Key(req)]; ok {
			t.Errorf("%q and %q have one key", name, other)
		}
		names[Key(req)] = name
	}
}

func TestKeyLeavesTheRequestAlone(t *testing.T) {
	req := request("x")
	if same := Key(request("x")); Key(req) != same || len(req.Messages) != 2 {
		t.Errorf("changed to %+v", req)
	}
}
