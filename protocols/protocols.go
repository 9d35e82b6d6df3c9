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
	judging.Protocol                                        // prompts and parsing
	Scorer           func(*judging.Manifest) scoring.Scorer // nil: runs are not scored
	Metrics          string                                 // metrics.yaml, the headline first
	Layout           *report.Layout                         // nil: results are only listed
	Imports          []imports.Importer                     // for files of other harnesses
}

// Add registers a protocol: as a command of "gavel run", as a form, and as a value in suites and in the API. It must be
// called before any of them is used.
func Add(p Protocol) {
	judging.Register(p.Protocol)
	var ends []string
	if p.Layout != nil {
		for _, end := range p.Layout.Outcomes {
			ends = append(ends, end.Part)
		}
	}
	if p.Scorer != nil {
		scoring.Register(p.Name, p.Scorer, p.Metrics, ends...)
	}
	if p.Layout != nil {
		report.Register(p.Name, p.Layout)
	}
}
