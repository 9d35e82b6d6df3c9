// Command docs writes generated documentation: of gavel's JSON from its Go types (docs/formats.md, docs/schemas), and
// of its metrics from the protocols (docs/glossary.md). scripts/docs.sh runs it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	for _, write := range []func(root string) error{writeFormats, writeGlossary} {
		if err := write("."); err != nil {
			fmt.Fprintln(os.Stderr, "docs:", err)
			os.Exit(1)
		}
	}
}

// replaceBetweenMarks replaces the text between two marks, HTML comments, in the file page of the folder docs.
func replaceBetweenMarks(root, page, begin, end string, content []byte) error {
	file := filepath.Join(root, "docs", page)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	from := []byte("<!-- " + begin + " -->\n")
	to := []byte("<!-- " + end + " -->\n")
	before, rest, ok := bytes.Cut(text, from)
	_, after, closed := bytes.Cut(rest, to)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the %s", file, begin)
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, from, content, to, after}, nil), 0o644)
}
