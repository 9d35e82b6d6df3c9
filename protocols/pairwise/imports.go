package pairwise

import "gavel/protocols/imports"

// Imports lists the importers of runs of pairs from other harnesses' files.
var Imports = []imports.Importer{
	{
		Name: "judgebench", About: "a JudgeBench output file becomes a run", Usage: "FILE --out RUN",
		Import: ImportJudgeBench,
	},
	{
		Name:      "llmbar",
		About:     "LLMBar's stored replies become a run",
		Usage:     "FILE... --out RUN [--model NAME]",
		ManyFiles: true,
		Options:   []imports.Flag{imports.Model("`NAME` of the judge; default: as the path has it")},
		Import:    importLLMBar,
	},
	{
		Name:      "reife",
		About:     "ReIFE's replies on LLMBar become a run",
		Usage:     "FILE... --out RUN [--model NAME]",
		ManyFiles: true,
		Options:   []imports.Flag{imports.Model("`NAME` of the judge; default: as the file is named")},
		Import:    importReIFE,
	},
	{
		Name:    "prd",
		About:   "PRD's reviews of Vicuna's 80 questions become a run",
		Usage:   "DIR --reviewer NAME --out RUN",
		Options: []imports.Flag{{Name: "reviewer", Usage: "`NAME` of the reviewer: gpt4, claude, …", Required: true}},
		Import:  importPRD,
	},
}
