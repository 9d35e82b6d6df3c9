package answer

import (
	_ "embed"

	"gavel/judging"
	"gavel/protocols/imports"
)

//go:embed imports.yaml
var importTexts string

// Imports lists the importers of runs of answers from other harnesses' files.
var Imports = imports.ReadImporters(importTexts, map[string]imports.Function{
	"mmlu-pro": importMMLUPro,
	"gsm8k":    importGSM8K,
	"fastchat": importFastChat,
	"answers":  importAnswerLines,
}, map[string]func(value string) error{"marker": checkMarker})

// importAnswerLines imports a file of answers in gavel's own format; option dataset names the questions' dataset.
func importAnswerLines(r imports.Input) ([]*imports.ImportedRun, error) {
	dataset := r.Option("dataset")
	if dataset == "" {
		return importAnswers(r, nil, judging.DatasetInfo{})
	}
	set, info, err := r.OpenDataset(dataset)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	return importAnswers(r, set, info)
}
