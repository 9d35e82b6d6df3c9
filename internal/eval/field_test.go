package eval_test

import (
	"fmt"
	"slices"
	"testing"

	"gavel/internal/eval"
	"gavel/judging"
)

// TestFieldsReadAndWrite: every field takes a value that is not its default, and gives it back.
func TestFieldsReadAndWrite(t *testing.T) {
	special := map[string]string{
		"field": "question=q,response_a=a,response_b=b", "label-values": "A>B=x", "shard": "2/3", "until": "strict>=60", "base-url": "http://one:1",
		"think": "low", "concurrency": "7", "max-concurrency": "7", "dataset": "sample-options", "prompt": "own.txt", "orders": "all",
	}
	for _, protocol := range judging.Protocols() {
		for _, f := range eval.ProtocolFields(protocol) {
			value := special[f.Name]
			switch {
			case f.Name == "until" && protocol.Name != "pairwise":
				continue
			case value != "":
			case f.Kind == eval.FieldKindSwitch:
				value = "true"
			case f.Kind == eval.FieldKindNumber:
				value = fmt.Sprint(f.Min + 6)
			case f.Kind == eval.FieldKindDuration:
				value = "3m0s"
			case len(f.Values) > 0:
				value = f.Values[len(f.Values)-1]
			default:
				value = "something"
			}
			values := map[string][]string{"dataset": {"sample"}, f.Name: {value}}
			if f.Name == "label-values" {
				values["field"] = []string{"question=q,response_a=a,response_b=b"}
			}
			r, err := eval.ParseRequest(protocol, values)
			if err != nil {
				t.Errorf("%s: %v", protocol.Name, err)
				continue
			}
			if values := r.NonDefaults(); !slices.Equal(values[f.Name], []string{value}) {
				t.Errorf("%s: --%s %s is given back as %q", protocol.Name, f.Name, value, values[f.Name])
			}
			if f.Name != "dataset" && len(r.NonDefaults()) != len(values)+map[bool]int{true: 0, false: 1}[f.Name == "backend"] {
				t.Errorf("%s: --%s sets %v", protocol.Name, f.Name, r.NonDefaults())
			}
		}
	}
}
