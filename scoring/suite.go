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

// SuiteRunsFile is the name of the file, in a suite's folder, that lists the suite's runs.
const SuiteRunsFile = "suite.json"

// MostSuiteCells limits the cells of a suite, runs of one judge under one condition; it protects against damaged files.
const MostSuiteCells = 2000

// SuiteMatrix holds the content of suite.json: the runs of a suite, with every judge under every condition.
type SuiteMatrix struct {
	Name       string           `json:"suite"`      // name of the suite
	FileText   string           `json:"file"`       // text of the suite's YAML file with which it was run
	Judges     []string         `json:"judges"`     // names of the judges
	Conditions []SuiteCondition `json:"conditions"` // settings in which the runs of each judge differ
	Cells      []SuiteCell      `json:"cells"`      // one run for each judge and condition, ordered by judge
	// only in the folder of a shard, a part of the suite run on one machine: its name, such as `3/16`
	Shard string `json:"shard,omitempty"`
	// only in the folder of a shard: path of the suite's YAML file, as given
	Path string `json:"path,omitempty"`
	// the study that the results answer: `grp`; left out for none
	Study string `json:"study,omitempty"`
}

// SuiteCondition holds the settings of one column of a suite: they are the same for all judges.
type SuiteCondition struct {
	Name     string `json:"condition"` // name of the condition
	Protocol string `json:"protocol"`
	Dataset  string `json:"dataset"`
	Prompt   string `json:"prompt"`
	Options  string `json:"options,omitempty"` // other settings of the protocol, as text
}

// SuiteCell names the run of one judge under one condition of a suite.
type SuiteCell struct {
	Judge     string `json:"judge"`     // name of the judge
	Condition string `json:"condition"` // name of the condition
	Run       string `json:"run"`       // folder of the run, next to suite.json
}

// StudyGRP is the study that compares the goals of pairwise and reversed.
const StudyGRP = "grp"

// GoalPairs pairs the conditions that differ in the goal alone, pairwise before reversed.
func (s *SuiteMatrix) GoalPairs() (pairs [][2]SuiteCondition) {
	for _, better := range s.Conditions {
		for _, worse := range s.Conditions {
			same := better.Dataset == worse.Dataset && better.Prompt == worse.Prompt && better.Options == worse.Options
			if same && better.Protocol == "pairwise" && worse.Protocol == "reversed" {
				pairs = append(pairs, [2]SuiteCondition{better, worse})
			}
		}
	}
	return pairs
}

// ReadSuite reads suite.json in the folder of a suite.
func ReadSuite(dir string) (*SuiteMatrix, error) {
	f, err := os.Open(filepath.Join(dir, SuiteRunsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeSuite(f.Name(), f)
}

// DecodeSuite parses the content of suite.json; errors begin with name. It rejects runs outside the folder of the file.
func DecodeSuite(name string, r io.Reader) (*SuiteMatrix, error) {
	s := new(SuiteMatrix)
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	if s.Name == "" || len(s.Judges) == 0 || len(s.Conditions) == 0 {
		return nil, fmt.Errorf("%s: damaged: it names no suite, no judge or no condition", name)
	}
	if n := max(len(s.Judges), len(s.Conditions), len(s.Cells)); n > MostSuiteCells {
		return nil, fmt.Errorf("%s: damaged: it has %d judges, conditions or cells, and may have at most %d",
			name, n, MostSuiteCells)
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
