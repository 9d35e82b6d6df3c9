package answer

import (
	_ "embed"

	"gavel/internal/report"
)

//go:embed layout.yaml
var layout string

// Layout lays out runs of answer.
var Layout = report.ReadLayout(layout, report.LayoutFuncs{})
