// Package stats is arithmetic on floats: intervals by resampling, exact tests, corrections for many of them. It knows
// no records, no clock and no global source of randomness; the same arguments give the same result.
package stats

import "math"

// Bootstrap settings, of permutation tests too.
type Bootstrap struct {
	Rounds int     // resamples, and exchanges drawn for a test at most
	Level  float64 // of the interval: 0.95
	Seed   uint64
}

// Default is what gavel reports with.
var Default = Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1}

// Interval is a percentile interval; both ends are NaN where the statistic was undefined in every resample.
type Interval struct{ Low, High float64 }

// noInterval is that of nothing.
var noInterval = Interval{Low: math.NaN(), High: math.NaN()}
