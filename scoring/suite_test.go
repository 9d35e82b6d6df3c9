package scoring

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file from elsewhere cannot bring down a page.
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
