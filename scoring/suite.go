package scoring

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SuiteFile is the file, in the folder of a suite's runs, that says which they are.
const SuiteFile = "suite.json"

// MostCells is how many a suite may have: more than anybody means.
const MostCells = 2000

// Suite is which runs belong together: every judge under every condition.
type Suite struct {
	Name       string           `json:"suite"`
	File       string           `json:"file"` // its YAML, as it was run
	Judges     []string         `json:"judges"`
	Conditions []SuiteCondition `json:"conditions"`
	Cells      []SuiteCell      `json:"cells"`           // judge by judge
	Shard      string           `json:"shard,omitempty"` // of the folder of a shard: which, such as `3/16`
	Path       string           `json:"path,omitempty"`  // of the folder of a shard: of the YAML file, as it was given
}

// SuiteCondition is what all judges are asked alike.
type SuiteCondition struct {
	Name     string `json:"condition"`
	Protocol string `json:"protocol"`
	Dataset  string `json:"dataset"`
	Prompt   string `json:"prompt"`
	Options  string `json:"options,omitempty"`
}

// SuiteCell is the run of a judge under a condition.
type SuiteCell struct {
	Judge     string `json:"judge"`
	Condition string `json:"condition"`
	Run       string `json:"run"` // its folder, beside the file
}

// ReadSuite reads the file in the folder of a suite.
func ReadSuite(dir string) (*Suite, error) {
	f, err := os.Open(filepath.Join(dir, SuiteFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeSuite(f.Name(), f)
}

// DecodeSuite reads a suite's file; name is what errors call it. Whatever it
// says, no run of it stands anywhere but beside the file.
func DecodeSuite(name string, r io.Reader) (*Suite, error) {
	s := new(Suite)
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	if s.Name == "" || len(s.Judges) == 0 || len(s.Conditions) == 0 {
		return nil, fmt.Errorf("%s: damaged: it names no suite, no judge or no condition", name)
	}
	if n := max(len(s.Judges), len(s.Conditions), len(s.Cells)); n > MostCells {
		return nil, fmt.Errorf("%s: damaged: it has %d judges, conditions or cells, and may have %d", name, n, MostCells)
	}
	for _, c := range s.Cells {
		known := slices.Contains(s.Judges, c.Judge) &&
			slices.ContainsFunc(s.Conditions, func(k SuiteCondition) bool { return k.Name == c.Condition })
		if !known || c.Run == "" || c.Run[0] == '.' || strings.ContainsAny(c.Run, "/\\:\x00") {
			return nil, fmt.Errorf("%s: damaged: the cell %q of %q in %q", name, c.Condition, c.Judge, c.Run)
		}
	}
	return s, nil
}
