package imports

import (
	"go.yaml.in/yaml/v3"

	"gavel/datasets"
	"gavel/judging"
)

// Importer turns files of another harness into runs: a command of "gavel import".
type Importer struct {
	Name, About string // name of the command; what it does
	Usage       string // arguments on the command line
	ManyFiles   bool   `yaml:"many_files"` // the command takes several files
	Options     []Flag
	Import      Function
}

// Function makes the runs of an import.
type Function func(Input) ([]*ImportedRun, error)

// ReadImporters returns the importers that a text in YAML describes, with their functions by name, and with the checks
// of their flags' values by the flags' names.
func ReadImporters(
	text string, functions map[string]Function, checks map[string]func(value string) error,
) (all []Importer) {
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		panic(err) // an embedded text, which tests check
	}
	for i := range all {
		all[i].Import = functions[all[i].Name]
		for k, o := range all[i].Options {
			all[i].Options[k].Check = checks[o.Name]
		}
	}
	return all
}

// Flag is a flag of an importer's command; its value is a text.
type Flag struct {
	Name, Usage string
	Required    bool                     // the command fails without it
	Check       func(value string) error // validates a value; nil: all are valid
}

// DifferencesFlag names the flag for a file of all disagreements between an import and gavel's reading of its replies.
const DifferencesFlag = "list"

// Input holds the arguments of an import.
type Input struct {
	Files       []string
	Out         string                                                           // folder of the run, or of the runs
	Gavel       string                                                           // version of gavel
	Option      func(name string) string                                         // value of an option; "" if not set
	OpenDataset func(dataset string) (*datasets.Set, judging.DatasetInfo, error) // opens a dataset by its name or path
}
