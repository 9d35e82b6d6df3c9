package main

import (
	"fmt"
	"strings"

	"gavel/protocols"
	"gavel/scoring"
)

// writeGlossary writes the tables of metrics in docs/glossary.md, between two marks, from the protocols' terms.
func writeGlossary(root string) error {
	return replaceBetweenMarks(root, "glossary.md", "metrics", "end", []byte(metricTables()+"\n"))
}

// metricTables returns a table of metrics for each group of protocols that have the same layout of results, under the
// protocols' names.
func metricTables() string {
	var b strings.Builder
	for i, p := range protocols.All {
		if p.Layout == nil || i > 0 && p.Layout == protocols.All[i-1].Layout {
			continue
		}
		var names []string
		for _, other := range protocols.All[i:] {
			if other.Layout == p.Layout {
				names = append(names, other.Name)
			}
		}
		fmt.Fprintf(&b, "\n## Metrics of %s\n\n%s", strings.Join(names, " and "), metricsTable(scoring.MetricsOf(p.Name)))
	}
	return b.String()
}

// metricsTable returns a table in Markdown with a row for each metric.
func metricsTable(terms []scoring.Term) string {
	var b strings.Builder
	b.WriteString("| Metric | In plain words | Formula | Others say | By chance |\n|---|---|---|---|---|\n")
	for _, t := range terms {
		name := strings.Join(append([]string{"`" + t.Metric + "`", t.Label}, t.Aliases...), ", ")
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n",
			cell(name), cell(t.Plain), cell(t.Source), cell(t.Others), cell(t.Chance))
	}
	return b.String()
}

// cell escapes a text for a cell of a table in Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
