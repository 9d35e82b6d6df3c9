package scoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestDecodeSuiteWants(t *testing.T) {
	for _, bad := range []string{
		`{}`, `[]`, `{"suite":"","judges":["j"],"conditions":[{"condition":"c"}]}`, `{"suite":"a","judges":[],"conditions":[{"condition":"c"}]}`, `{"suite":"a","judges":["j"],"conditions":[]}`,
		`{"suite":"a","judges":["j"],"conditions":[{"condition":"c"}],"cells":[{"judge":"k","condition":"c","run":"r"}]}`,
		`{"suite":"a","judges":["j"],"conditions":[{"condition":"c"}],"cells":[{"judge":"j","condition":"d","run":"r"}]}`,
	} {
		if s, err := DecodeSuite("suite.json", strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "suite.json: damaged: ") {
			t.Errorf("%s: %v %v", bad, s, err)
		}
	}
	s, err := DecodeSuite("suite.json", strings.NewReader(`{"suite":"a","judges":["j"],"conditions":[{"condition":"c"}],"cells":[{"judge":"j","condition":"c","run":"r"}]}`))
	if err != nil || len(s.Cells) != 1 || s.Cells[0].Run != "r" {
		t.Errorf("%v %v", s, err)
	}
}

// A file from elsewhere cannot bring down a page.
// A file with more judges than a suite has would keep whoever reads it busy.
func TestDecodeSuiteIsBounded(t *testing.T) {
	s := SuiteMatrix{Name: "large", Conditions: []SuiteCondition{{Name: "c"}}}
	for i := range MostSuiteCells + 1 {
		s.Judges = append(s.Judges, fmt.Sprint("j", i))
		s.Cells = append(s.Cells, SuiteCell{Judge: s.Judges[i], Condition: "c", Run: fmt.Sprint("r", i)})
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeSuite("suite.json", bytes.NewReader(text)); err == nil || !strings.Contains(err.Error(), "may have at most 2000") {
		t.Error(err)
	}
}

func FuzzDecodeSuite(f *testing.F) {
	f.Add(`{"suite":"a","judges":["j"],"conditions":[{"condition":"c"}],"cells":[{"judge":"j","condition":"c","run":"r"}]}`)
	f.Add(`{"suite":"a","judges":["j"],"conditions":[{}],"cells":[{"judge":"j","condition":"","run":".."}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := DecodeSuite("suite.json", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range s.Cells {
			if !filepath.IsLocal(c.Run) || strings.HasPrefix(c.Run, ".") || filepath.Base(c.Run) != c.Run {
				t.Errorf("a run at %q", c.Run)
			}
		}
	})
}
