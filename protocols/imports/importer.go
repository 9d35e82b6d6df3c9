package imports

import (
	"gavel/datasets"
	"gavel/judging"
)

// Importer turns files of another harness into runs: a command of "gavel import".
type Importer struct {
	Name, About string // name of the command; what it does
	Usage       string // arguments on the command line
	ManyFiles   bool   // the command takes several files
	Options     []Flag
	Import      func(Input) ([]*ImportedRun, error)
}

// Flag is a flag of an importer's command; its value is a text.
type Flag struct {
	Name, Usage string
	Required    bool                     // the command fails without it
	Check       func(value string) error // validates a value; nil: all are valid
}

// List is the flag for a file of all disagreements between an imported file and gavel's reading of its replies.
var List = Flag{Name: "list", Usage: "write every disagreement to `FILE`, one per line"}

// Model returns the flag that names the model of an imported file; usage is its help.
func Model(usage string) Flag { return Flag{Name: "model", Usage: usage} }

// Input holds the arguments of an import.
type Input struct {
	Files  []string
	Out    string                                                           // folder of the run, or of the runs
	Gavel  string                                                           // version of gavel
	Option func(name string) string                                         // value of an option; "" if not set
	Open   func(dataset string) (*datasets.Set, judging.DatasetInfo, error) // opens a dataset by its name or path
}
