package answer

import "gavel/protocols/imports"

// Imports are the files of other harnesses that become runs of answers.
var Imports = []imports.Importer{
	{
		Name:  "mmlu-pro",
		About: "published MMLU-Pro model outputs become a run of answers",
		Usage: "FILE --out RUN [--model NAME] [--list FILE]",
		Options: []imports.Option{
			imports.Model("`NAME` of the model; default: as the file's name says"), imports.List,
		},
		Take: importMMLUPro,
	},
	{
		Name:    "gsm8k",
		About:   "GSM8K's example model solutions become runs of answers",
		Usage:   "FILE --out DIR [--model NAME] [--list FILE]",
		Options: []imports.Option{imports.Model("only the solutions of `NAME`"), imports.List},
		Take:    importGSM8K,
	},
	{
		Name:  "fastchat",
		About: "FastChat pair judgments become a run of preferences",
		Usage: "FILE [--human FILE] --out RUN [--model NAME] [--list FILE]",
		Options: []imports.Option{
			{Name: "human", Usage: "`FILE` of people's votes"},
			imports.Model("`NAME` of the judge; default: the name in the file"),
			imports.List,
		},
		Take: importFastChat,
	},
	{
		Name:  "answers",
		About: "replies to questions, from any source, become a run of answers",
		Usage: "FILE --out RUN [--dataset NAME|FILE] [--model NAME] [--marker TEXT]",
		Options: []imports.Option{
			{Name: "dataset", Usage: "`NAME` or path of the dataset that was answered"},
			imports.Model("`NAME` of the model; of a file with several, the one to take"),
			{
				Name:  "marker",
				Usage: "the answer stands after `TEXT` at the start of a line, such as \"A:\"",
				Check: checkMarker,
			},
		},
		Take: takeAnswers,
	},
}

func takeAnswers(r imports.Request) ([]*imports.Run, error) {
	o := answersOptions{Model: r.Option("model")}
	if marker := r.Option("marker"); marker != "" {
		settings, err := markerSettings(marker)
		if err != nil {
			return nil, err
		}
		o.Settings = settings
	}
	if dataset := r.Option("dataset"); dataset != "" {
		set, info, err := r.Open(dataset)
		if err != nil {
			return nil, err
		}
		defer set.Close()
		o.Questions, o.Dataset = set, info
	}
	return importAnswers(r.Files[0], r.Out, o, r.Gavel)
}
