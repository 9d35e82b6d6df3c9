package codec

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzDecode: the same lines are read, as the same, and refused in the same words.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"id":"one","question":"a\n[b] \"é\" "}`, `{"id":"two"}`, "{}", " { } ", `{"id":1,}`, `{"n":1 "id":"a"}`, `{"n":01}`, `{"n":-1.5e3}`, `{"n":1.0}`, `{"n":99999999999999999999}`, `{"f":1e999}`,
		`{"id":"a","id":null}`, `{"ID":"a","id":"b"}`, `{"qu\u0065stion":"x"}`, `{"question":3}`, `{"id":"\u017f"}`, "\xef\xbb\xbf{}", "\xff", "{\"id\":\"\xff\"}",
		`{"question":"\"\\\/\b\f\n\r\t\u00e9\u2028\uD83D\uDE00\ud800 é"}`, `{"question":"\x"}`, `{"question":"\u00"}`, "{\"question\":\"\t\"}",
		`{"id":"a"} `, `{"id":"a"}x`, `{"id":"a`, `{"other":null,"list":[{"id":"b"},null],"list":[{}],"map":{"a":1},"map":{"b":2}}`, `{"id":nul}`, `{"raw":{"a":[1, 2]}}`, `{"in":{"id":"a"},"in":{"n":2}}`, "null", "[]", "",
	} {
		f.Add([]byte(s))
	}
	type inner struct {
		ID *string `json:"id"`
		N  int     `json:"n"`
	}
	type row struct {
		inner
		Question string          `json:"question"`
		F        float64         `json:"f,omitempty"`
		List     []inner         `json:"list"`
		Map      map[string]int  `json:"map"`
		In       *inner          `json:"in"`
		Raw      json.RawMessage `json:"raw"`
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var now, plain row
		qerr, perr := FastDecode(line, &now), json.Unmarshal(line, &plain)
		if !reflect.DeepEqual(qerr, perr) || perr == nil && !reflect.DeepEqual(now, plain) {
			t.Errorf("%+v, %v; as encoding/json has it %+v, %v", now, qerr, plain, perr)
		}
	})
}
