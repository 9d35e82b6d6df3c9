package answer

import (
	_ "embed"

	"gavel/internal/report"
)

//go:embed layout.yaml
var layout string

// ReportLayout arranges the reports of runs of protocol answer.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{})
