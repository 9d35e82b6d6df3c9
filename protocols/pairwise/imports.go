package pairwise

import "gavel/protocols/imports"

// Imports are the files of other harnesses that become runs of pairs.
var Imports = []imports.Importer{
	{
		Name: "judgebench", About: "a JudgeBench output file becomes a run", Usage: "FILE --out RUN",
		Take: func(r imports.Request) ([]*imports.Run, error) {
			return imports.One(ImportJudgeBench(r.Files[0], r.Out, r.Gavel))
		},
	},
	{
		Name:    "llmbar",
		About:   "LLMBar's stored replies become a run",
		Usage:   "FILE... --out RUN [--model NAME]",
		Several: true,
		Options: []imports.Option{imports.Model("`NAME` of the judge; default: as the path has it")},
		Take: func(r imports.Request) ([]*imports.Run, error) {
			return imports.One(importLLMBar(r.Files, r.Out, r.Option("model"), r.Gavel))
		},
	},
}
