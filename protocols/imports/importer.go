package imports

import (
	"gavel/datasets"
	"gavel/judging"
)

// Importer turns files of another harness into runs: a command of "gavel import".
type Importer struct {
	Name, About string
	Usage       string // arguments on the command line
	ManyFiles   bool   // takes several files
	Options     []Flag
	Import      func(Input) ([]*ImportedRun, error)
}

// Flag is a choice of an importer: a flag with a text.
type Flag struct {
	Name, Usage string
	Required    bool                     // required
	Check       func(value string) error // validates a value; nil: all are valid
}

// List is an option of several importers.
var List = Flag{Name: "list", Usage: "write every disagreement to `FILE`, one per line"}

// Model is the option that names the model of a file.
func Model(usage string) Flag { return Flag{Name: "model", Usage: usage} }

// Input says what to import.
type Input struct {
	Files  []string
	Out    string                                                           // folder of the run, or of the runs
	Gavel  string                                                           // version of gavel
	Option func(name string) string                                         // value of an option; "" if not set
	Open   func(dataset string) (*datasets.Set, judging.DatasetInfo, error) // by name or path
}
