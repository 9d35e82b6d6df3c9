package pairwise

import (
	_ "embed"

	"gavel/protocols/imports"
)

//go:embed imports.yaml
var importTexts string

// Imports lists the importers of runs of pairs from other harnesses' files.
var Imports = imports.ReadImporters(importTexts, map[string]imports.Function{
	"judgebench": ImportJudgeBench,
	"llmbar":     importLLMBar,
	"reife":      importReIFE,
	"prd":        importPRD,
}, nil)
