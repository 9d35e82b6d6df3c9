package stats

import (
	"gonum.org/v1/gonum/stat/distuv"
)

// normal returns the two-sided critical value of the standard normal distribution at level.
func normal(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

// student returns the two-sided critical value of Student's t at level.
func student(level, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}
