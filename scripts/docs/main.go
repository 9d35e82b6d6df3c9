// Command docs writes what is known of gavel's JSON from its Go types (docs/formats.md, docs/schemas), and of its metrics
// from the protocols (docs/glossary.md). scripts/docs.sh runs it.
package main

import (
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
