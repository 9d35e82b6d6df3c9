// Command glossary writes the tables of metrics in docs/glossary.md, between the lines that name a protocol, from the
// words that the protocols declare. Run it in the repository's root: go run ./scripts/glossary
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"gavel/internal/report"
	"gavel/protocols"
	"gavel/scoring"
)

var _ = protocols.All // which register their terms

const file = "docs/glossary.md"

func main() {
	was, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(written(string(was))), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "glossary:", err)
		os.Exit(1)
	}
}

// section is a table, between the lines that name its protocol.
var section = regexp.MustCompile(`(?s)(<!-- metrics of ([a-z-]+) -->\n).*?(<!-- end -->)`)

// written is the page with its tables anew.
func written(page string) string {
	return section.ReplaceAllStringFunc(page, func(old string) string {
		m := section.FindStringSubmatch(old)
		return m[1] + "\n" + tableOf(report.Terms(m[2])) + "\n" + m[3]
	})
}

func tableOf(terms []scoring.Term) string {
	var b strings.Builder
	b.WriteString("| Metric | In plain words | Formula | Others say | By chance |\n|---|---|---|---|---|\n")
	for _, t := range terms {
		name := "`" + t.Metric + "`"
		if len(t.Called) > 0 {
			name += ", " + strings.Join(t.Called, ", ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n",
			cell(name), cell(t.Plain), cell(t.Source), cell(t.Others), cell(t.Chance))
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
