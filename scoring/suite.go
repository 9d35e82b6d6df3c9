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

// SuiteFile is the name of the file, in a suite's folder, that lists its runs.
const SuiteFile = "suite.json"

// MostCells is the largest number of cells in a suite; it protects against damaged files.
const MostCells = 2000

// Matrix lists the runs of a suite: every judge under every condition.
type Matrix struct {
	Name       string           `json:"suite"`
	File       string           `json:"file"` // its YAML, as run
	Judges     []string         `json:"judges"`
	Conditions []SuiteCondition `json:"conditions"`
	Cells      []SuiteCell      `json:"cells"`           // ordered by judge
	Shard      string           `json:"shard,omitempty"` // only in the folder of a shard: its name, such as `3/16`
	Path       string           `json:"path,omitempty"`  // only in the folder of a shard: of the YAML file, as given
}

// SuiteCondition holds the settings that are the same for all judges.
type SuiteCondition struct {
	Name     string `json:"condition"`
	Protocol string `json:"protocol"`
	Dataset  string `json:"dataset"`
	Prompt   string `json:"prompt"`
	Options  string `json:"options,omitempty"`
}

// SuiteCell holds the run of a judge under a condition.
type SuiteCell struct {
	Judge     string `json:"judge"`
	Condition string `json:"condition"`
	Run       string `json:"run"` // its folder, next to the file
}

// ReadSuite reads the file in the folder of a suite.
func ReadSuite(dir string) (*Matrix, error) {
	f, err := os.Open(filepath.Join(dir, SuiteFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeSuite(f.Name(), f)
}

// DecodeSuite parses a suite's file; errors begin with name. It rejects runs outside the folder of the file.
func DecodeSuite(name string, r io.Reader) (*Matrix, error) {
	s := new(Matrix)
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	if s.Name == "" || len(s.Judges) == 0 || len(s.Conditions) == 0 {
		return nil, fmt.Errorf("%s: damaged: it names no suite, no judge or no condition", name)
	}
	if n := max(len(s.Judges), len(s.Conditions), len(s.Cells)); n > MostCells {
		return nil, fmt.Errorf("%s: damaged: it has %d judges, conditions or cells, and may have at most %d",
			name, n, MostCells)
	}
	for _, c := range s.Cells {
		valid := slices.Contains(s.Judges, c.Judge) &&
			slices.ContainsFunc(s.Conditions, func(k SuiteCondition) bool { return k.Name == c.Condition })
		if !valid || c.Run == "" || c.Run[0] == '.' || strings.ContainsAny(c.Run, "/\\:\x00") {
			return nil, fmt.Errorf("%s: damaged: invalid cell %q of %q in %q", name, c.Condition, c.Judge, c.Run)
		}
	}
	return s, nil
}
