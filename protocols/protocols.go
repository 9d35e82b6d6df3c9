// Package protocols has the protocols of gavel: a folder each, and a line in
// all.go. Whoever asks for one by its name imports this package; a protocol's
// folder imports what all share, judging, scoring and report, and nothing below
// those knows any protocol.
package protocols

import "gavel/judging"

// Protocol is all of a protocol.
type Protocol struct {
	judging.Protocol // how it asks
}

// Add makes a protocol known, before anything is asked for: it is then a command
// of "gavel run", a form, a value of a suite's file and of the API.
func Add(p Protocol) { judging.Register(p.Protocol) }
