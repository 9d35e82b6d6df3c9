package answer

import (
	"gavel/judging"
	"gavel/protocols/imports"
)

// Imports lists the importers of runs of answers from other harnesses' files.
var Imports = []imports.Importer{
	{
		Name:  "mmlu-pro",
		About: "published MMLU-Pro model outputs become a run of answers",
		Usage: "FILE --out RUN [--model NAME] [--list FILE]",
		Options: []imports.Flag{
			imports.Model("`NAME` of the model; default: as the file's name says"), imports.List,
		},
		Import: importMMLUPro,
	},
	{
		Name:    "gsm8k",
		About:   "GSM8K's example model solutions become runs of answers",
		Usage:   "FILE --out DIR [--model NAME] [--list FILE]",
		Options: []imports.Flag{imports.Model("only the solutions of `NAME`"), imports.List},
		Import:  importGSM8K,
	},
	{
		Name:  "fastchat",
		About: "FastChat pair judgments become a run of preferences",
		Usage: "FILE [--human FILE] --out RUN [--model NAME] [--list FILE]",
		Options: []imports.Flag{
			{Name: "human", Usage: "`FILE` of people's votes"},
			imports.Model("`NAME` of the judge; default: the name in the file"),
			imports.List,
		},
		Import: importFastChat,
	},
	{
		Name:  "answers",
		About: "replies to questions, from any source, become a run of answers",
		Usage: "FILE --out RUN [--dataset NAME|FILE] [--model NAME] [--marker TEXT]",
		Options: []imports.Flag{
			{Name: "dataset", Usage: "`NAME` or path of the dataset that was answered"},
			imports.Model("`NAME` of the model; of a file with several, the one to take"),
			{
				Name:  "marker",
				Usage: "the answer stands after `TEXT` at the start of a line, such as \"A:\"",
				Check: checkMarker,
			},
		},
		Import: takeAnswers,
	},
}

// takeAnswers imports a file of answers in gavel's own format; option dataset names the dataset of their questions.
func takeAnswers(r imports.Input) ([]*imports.ImportedRun, error) {
	dataset := r.Option("dataset")
	if dataset == "" {
		return importAnswers(r, nil, judging.DatasetInfo{})
	}
	set, info, err := r.Open(dataset)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	return importAnswers(r, set, info)
}
