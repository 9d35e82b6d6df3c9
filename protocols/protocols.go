// Package protocols lists the protocols of gavel: each has a folder, and a line in all.go. Code that needs a protocol
// by its name imports this package. The protocols' packages import what they share: judging, scoring and report, which
// do not depend on any protocol.
package protocols

import (
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/scoring"
)

// Protocol holds all parts of a protocol.
type Protocol struct {
	judging.Protocol                                        // name, prompts, and parsing of replies
	Scorer           func(*judging.Manifest) scoring.Scorer // nil: runs are not scored
	MetricsYAML      string                                 // YAML of the metrics' labels and definitions, headline first
	Layout           *report.Layout                         // arranges reports; nil: results are only listed
	Imports          []imports.Importer                     // make runs from files of other harnesses
}

// Register registers a protocol: as a command of "gavel run", as a form of the server, and as a value in suites and in
// the API. It must be called before any of them is used.
func Register(p Protocol) {
	judging.Register(p.Protocol)
	var ends []string
	if p.Layout != nil {
		for _, end := range p.Layout.Outcomes {
			ends = append(ends, end.Name)
		}
	}
	if p.Scorer != nil {
		scoring.Register(p.Name, p.Scorer, p.MetricsYAML, ends...)
	}
	if p.Layout != nil {
		report.Register(p.Name, p.Layout)
	}
}
