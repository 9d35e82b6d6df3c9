package stats

import (
	"gonum.org/v1/gonum/stat/distuv"
)

// normal is how many standard deviations hold a share of level.
func normal(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

// student is the same of Student's t.
func student(level, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}
