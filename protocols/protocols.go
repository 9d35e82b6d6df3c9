// Package protocols has the protocols of gavel: a folder each, and a line in all.go. Whoever asks for one by its name
// imports this package; a protocol's folder imports what all share, judging, scoring and report, and nothing below
// those knows any protocol.
package protocols

import (
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/scoring"
)

// Protocol is all of a protocol.
type Protocol struct {
	judging.Protocol                                        // how it asks
	Scorer           func(*judging.Manifest) scoring.Scorer // what its records come to; nil: they are not scored
	Metrics          string                                 // the table of its metrics, metrics.yaml, the headline first
	Layout           *report.Layout                         // how its results are laid out; nil: they are listed
	Imports          []imports.Importer                     // of other harnesses' files
}

// Add makes a protocol known, before anything is asked for: it is then a command
// of "gavel run", a form, a value of a suite's file and of the API.
func Add(p Protocol) {
	judging.Register(p.Protocol)
	var ends []string
	if p.Layout != nil {
		for _, end := range p.Layout.Ends {
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
