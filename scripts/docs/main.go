// Command docs writes what is known of gavel's JSON from its Go types (docs/formats.md, docs/schemas), and of its
// metrics from the protocols (docs/glossary.md). scripts/docs.sh runs it.
package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() {
	for _, write := range []func(root string) error{writeFormats, writeGlossary} {
		if err := write("."); err != nil {
			fmt.Fprintln(os.Stderr, "docs:", err)
			os.Exit(1)
		}
	}
}

// placed is a page with what stands between two marks, which are comments, anew.
func placed(page []byte, begin, end string, what []byte) ([]byte, error) {
	from := []byte("<!-- " + begin + " -->\n")
	to := []byte("<!-- " + end + " -->\n")
	before, rest, found := bytes.Cut(page, from)
	_, after, closed := bytes.Cut(rest, to)
	if !found || !closed {
		return nil, fmt.Errorf("has no place for the %s", begin)
	}
	return bytes.Join([][]byte{before, from, what, to, after}, nil), nil
}
