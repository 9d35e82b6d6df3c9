package stats

import (
	"gonum.org/v1/gonum/stat/distuv"
)

// normalCritical returns the two-sided critical value of the standard normal at a confidence level: 1.96 at 0.95.
func normalCritical(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

// studentCritical returns the two-sided critical value of Student's t at a confidence level and degrees of freedom.
func studentCritical(level, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}
