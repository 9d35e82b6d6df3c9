package answer

import (
	_ "embed"

	"gavel/internal/report"
)

//go:embed layout.yaml
var layout string

// Layout arranges the reports of runs of protocol answer.
var Layout = report.ReadLayout(layout, report.LayoutFuncs{})
