package suite

import (
	"errors"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/internal/eval"
	"gavel/scoring"
)

// Study describes a suite to be made for a study: all judges, with both goals, under the same conditions.
type Study struct {
	Models   []string // each MODEL, MODEL@URL or sim:JUDGE
	Datasets []string // the first one is the main one; nil for those of the paper, arXiv 2503.06139
	Prompts  []string // the last one is the main one; nil for those of the paper
	Settings map[string][]string
	Out      string
}

// OpenSuite makes the suite of a study. Its text is a suite's file, so that the suite can be continued from its folder.
func (q Study) OpenSuite() (*Suite, error) {
	if len(q.Datasets) == 0 {
		q.Datasets = []string{"judgebench-gpt4o", "judgebench-claude"}
	}
	if len(q.Prompts) == 0 {
		q.Prompts = []string{"direct", "cot", "sop"}
	}
	var judges []map[string]string
	models := map[string]bool{}
	for _, name := range q.Models {
		model, url, ok := strings.Cut(name, "@http")
		j := map[string]string{"model": model}
		if ok {
			j["base-url"] = "http" + url
		} else if strings.HasPrefix(name, "sim:") {
			j["backend"] = "sim"
		}
		if models[model] {
			return nil, eval.InvalidField("model", model, "%s is given twice: give each judge once", model)
		}
		models[model] = true
		judges = append(judges, j)
	}
	if len(judges) == 0 {
		return nil, eval.InvalidField("model", "", "is missing: give the judges to study, each with --model")
	}
	defaults := map[string]any{}
	for flag, words := range q.Settings {
		defaults[flag] = words
		if len(words) == 1 {
			defaults[flag] = words[0]
		}
	}
	text, err := yaml.Marshal(map[string]any{
		"study":    scoring.StudyGRP,
		"name":     filepath.Base(q.Out),
		"out":      q.Out,
		"defaults": defaults,
		"judges":   judges,
		"conditions": []map[string][]string{
			{"protocol": {"pairwise", "reversed"}, "dataset": q.Datasets, "prompt": q.Prompts},
		},
	})
	if err != nil {
		return nil, err
	}
	s, err := ParseFile(q.Out, text)
	if err != nil {
		return nil, err
	}
	return s.MakeSuite((*Cell).ReadRequest)
}

// WithoutLineNumber returns an error about a line of a suite's file without the line, for a file that nobody wrote.
func WithoutLineNumber(err error) error {
	var wrong *lineError
	if errors.As(err, &wrong) {
		return eval.ErrorOfKind(eval.ErrUsage, wrong.Err)
	}
	return err
}
